/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Messages of argp and getopt quote arguments as they are. When an argument has control characters, standard error
 * becomes a stream that shows them as '?'.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text/utf8.h"

#include "commands.h"

static bool is_clean(const char *text)
{
    char line[512];
    for (size_t n = strlen(text), part = 0; n > 0; text += part, n -= part) {
        part = n < sizeof(line) - 1 ? n : sizeof(line) - 1;
        const char *shown = cuzk_utf8_clean(line, sizeof(line), text, part);
        if (strlen(shown) != part || memcmp(shown, text, part) != 0) {
            return false;
        }
    }
    return true;
}

static bool put(const char *text, size_t n)
{
    while (n > 0) {
        const ssize_t k = write(STDERR_FILENO, text, n);
        if (k < 0 && errno != EINTR) {
            return false;
        }
        text += k > 0 ? k : 0;
        n -= k > 0 ? (size_t)k : 0;
    }
    return true;
}

/* Line feeds stay; every other control character is replaced. */
static ssize_t write_clean(void *cookie, const char *text, size_t n)
{
    char shown[512];
    (void)cookie;
    for (size_t at = 0; at < n;) {
        const char *end = memchr(text + at, '\n', n - at);
        const size_t left = end != NULL ? (size_t)(end - (text + at)) : n - at;
        const size_t part = left < sizeof(shown) - 1 ? left : sizeof(shown) - 1;
        (void)cuzk_utf8_clean(shown, sizeof(shown), text + at, part);
        if (!put(shown, strlen(shown)) || (part == left && end != NULL && !put("\n", 1))) {
            return -1;
        }
        at += part + (part == left && end != NULL ? 1 : 0);
    }
    return (ssize_t)n;
}

void clean_stderr_for(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!is_clean(argv[i])) {
            FILE *f = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_clean});
            if (f != NULL) {
                (void)setvbuf(f, NULL, _IOLBF, 4096);
                stderr = f;
            }
            return;
        }
    }
}
