/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Which file of the store cannot be written, and why. SQLite says "disk I/O error" for most of it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store_internal.h"

/* 0 or errno. For the user that opens files, who may be another than the one that started the program. */
static int why_not(const char *path, int mode)
{
    /* access() where that is the same user: sandboxes know it, and some refuse what faccessat() calls. */
    const bool same = geteuid() == getuid() && getegid() == getgid();
    const int rc = same ? access(path, mode) : faccessat(AT_FDCWD, path, mode, AT_EACCESS);
    return rc == 0 ? 0 : errno;
}

int store_find_unwritable(const store *s, char out[STORE_FILE_BYTES])
{
    static const char *const files[] = {
        "", "-wal", "-shm", "-journal", ".mark", ".reserve", ".reserve-winning"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        (void)snprintf(out, STORE_FILE_BYTES, "%s%s", s->path, files[i]);
        const int os = why_not(out, R_OK | W_OK);
        if (os != 0 && os != ENOENT) {
            return os;
        }
    }
    (void)snprintf(out, STORE_FILE_BYTES, "%s.inputs", s->path);
    const int os = why_not(out, R_OK | W_OK | X_OK);
    if (os != 0 && os != ENOENT) {
        return os;
    }
    store_folder_of(out, s->path); /* files are made and removed in it */
    return why_not(out, W_OK | X_OK);
}

/* The end of a long path, so that the message has room for the reason. */
static const char *shown_end(const char *path)
{
    const size_t n = strlen(path), most = 300;
    return n > most ? path + (n - most) : path;
}

cuzk_status store_fail_unwritable(const char *file, int os, cuzk_err *err)
{
    char owner[128] = "";
    struct stat st;
    const char *text = strerror(os); /* NOLINT(concurrency-mt-unsafe): safe in glibc >= 2.32 */
    /* A fault of the configuration; a folder that is missing may be mounted later. */
    if (os != ENOENT && cuzk_path_status(os) != CUZK_E_IO) {
        return CUZK_FAIL_OS(err, CUZK_E_INVALID, os,
                            "job store: %s: no file can have this name: %s", shown_end(file), text);
    }
    if (os == EACCES && stat(file, &st) == 0) {
        (void)snprintf(owner, sizeof(owner),
                       " (it belongs to user %u, mode %04o; this process runs as user %u)",
                       (unsigned)st.st_uid, (unsigned)(st.st_mode & 07777), (unsigned)geteuid());
    } else if (os == EPERM) {
        (void)snprintf(owner, sizeof(owner), " (is it marked immutable? lsattr shows it)");
    }
    return CUZK_FAIL_OS(err, CUZK_E_IO, os, "job store: %s cannot be written: %s%s",
                        shown_end(file), text, owner);
}

cuzk_status store_check_access(const store *s, cuzk_err *err)
{
    char file[STORE_FILE_BYTES];
    const int os = store_find_unwritable(s, file);
    return os == 0 ? CUZK_OK : store_fail_unwritable(file, os, err);
}
