/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What was measured of a device, in one small file for each (accel/card/choice.h), in $XDG_CACHE_HOME/cuzk or
 * ~/.cache/cuzk.
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

/* The file of a name; false: there is no place for it. make: its folders too, where they are missing. */
static bool path_of(char *out, const char *name, bool make)
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
    const int n = snprintf(out, PATH_BYTES, "%s%s/cuzk/%s", base, below, name);
    return n > 0 && (size_t)n < PATH_BYTES;
}

bool gpu_choice_read(cuzk_card_choice *out, const char *name)
{
    char path[PATH_BYTES];
    cuzk_content c;
    if (!path_of(path, name, false) || cuzk_file_check_plain(path, NULL) != CUZK_OK ||
        cuzk_content_read(&c, path, CUZK_CARD_CHOICE_BYTES, NULL) != CUZK_OK) {
        return false;
    }
    const bool good = cuzk_card_choice_read(out, c.data, c.size);
    cuzk_content_free(&c);
    return good;
}

bool gpu_choice_keep(const cuzk_card_choice *c, const char *name)
{
    char path[PATH_BYTES], text[CUZK_CARD_CHOICE_BYTES];
    const size_t n = cuzk_card_choice_write(text, c);
    return path_of(path, name, true) && cuzk_file_write_all(path, text, n, true, NULL) == CUZK_OK;
}
