/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What was measured of a device, in one small file for each: $XDG_CACHE_HOME/cuzk/cuda-UUID-DRIVER, or
 * below ~/.cache. Its first character is the choice, A or X; the times behind it are for people.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sys/file.h"

#include "tune_internal.h"

#define PATH_BYTES 768u

static const char *variable(const char *name)
{
    const char *v = getenv(name); /* NOLINT(concurrency-mt-unsafe): nobody here calls setenv */
    return v != NULL && v[0] == '/' ? v : NULL;
}

/* The file of a key; false: there is no place for it. make: its folders too, where they are missing. */
static bool path_of(char *out, const char *key, bool make)
{
    const char *cache = variable("XDG_CACHE_HOME"), *home = variable("HOME");
    const char *base = cache != NULL ? cache : home, *below = cache != NULL ? "" : "/.cache";
    static const char *const tails[] = {"", "/cuzk"};
    if (base == NULL) {
        return false;
    }
    for (size_t i = 0; make && i < 2; i++) {
        const int n = snprintf(out, PATH_BYTES, "%s%s%s", base, below, tails[i]);
        if (n < 0 || (size_t)n >= PATH_BYTES) {
            return false;
        }
        (void)mkdir(out, 0700);
    }
    const int n = snprintf(out, PATH_BYTES, "%s%s/cuzk/cuda-%s", base, below, key);
    return n > 0 && (size_t)n < PATH_BYTES;
}

bool gpu_choice_read(cuzk_cuda_choice *out, const char *key)
{
    char path[PATH_BYTES];
    cuzk_content c;
    if (!path_of(path, key, false) || cuzk_content_read(&c, path, 256, NULL) != CUZK_OK) {
        return false;
    }
    const bool good = c.size > 0 && (c.data[0] == 'A' || c.data[0] == 'X');
    if (good) {
        const cuzk_cuda_choice read = {.xyzz = c.data[0] == 'X'};
        *out = read;
    }
    cuzk_content_free(&c);
    return good;
}

void gpu_choice_keep(const cuzk_cuda_choice *c, const char *key)
{
    char path[PATH_BYTES], text[128];
    if (path_of(path, key, true)) {
        const int n = snprintf(text, sizeof(text), "%c affine %.2f ms, XYZZ %.2f ms\n",
                               c->xyzz ? 'X' : 'A', c->affine_ms, c->xyzz_ms);
        cuzk_ignore(cuzk_file_write_all(path, text, n > 0 ? (size_t)n : 0, true, NULL));
    }
}
