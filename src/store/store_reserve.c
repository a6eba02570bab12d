/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A full disk must not take the results of jobs that were accepted while it had room. So a file of
 * some megabytes is kept; when the end of a job cannot be written the file goes, and no job is accepted
 * until it can be made again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "store_internal.h"

static void path_of(char out[CUZK_STORE_PATH_BYTES + 16], const store *s)
{
    (void)snprintf(out, CUZK_STORE_PATH_BYTES + 16, "%s.reserve", s->path);
}

static bool make(const char *path)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        return false;
    }
    const bool ok = posix_fallocate(fd, 0, (off_t)STORE_RESERVE_BYTES) == 0;
    (void)close(fd);
    if (!ok) {
        (void)unlink(path);
    }
    return ok;
}

/* Gives unused pages and the log's space back to the file system. */
static void shrink(store *s)
{
    cuzk_ignore(store_exec(s, "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)", NULL));
}

bool store_reserve_take(store *s)
{
    char path[CUZK_STORE_PATH_BYTES + 16];
    if (s->has_reserve) {
        return true;
    }
    path_of(path, s);
    s->has_reserve = make(path);
    if (!s->has_reserve) {
        shrink(s);
        s->has_reserve = make(path);
    }
    return s->has_reserve;
}

void store_reserve_give(store *s)
{
    char path[CUZK_STORE_PATH_BYTES + 16];
    path_of(path, s);
    (void)unlink(path);
    s->has_reserve = false;
    shrink(s);
}
