/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Runs a fuzz target over files and over the files of directories, without libFuzzer: the
 * committed corpus is a test under every compiler and sanitizer. An input fails when it cannot be
 * read or the target returns non-zero; a crash ends the program, with the file's name printed last.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct tally {
    unsigned long passed, failed;
} tally;

static void fail(tally *t, const char *path, const char *why)
{
    (void)fprintf(stderr, "%s: %s\n", path, why);
    t->failed++;
}

static void run_file(tally *t, const char *path, size_t size)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        fail(t, path, strerror(errno));
        return;
    }
    uint8_t *data = malloc(size + (size == 0)); /* exact size: sanitizers see an overrun by one */
    if (data == NULL || fread(data, 1, size, f) != size) {
        fail(t, path, data == NULL ? "out of memory" : "short read");
    } else {
        (void)printf("%s\n", path);
        (void)fflush(stdout);
        if (LLVMFuzzerTestOneInput(data, size) != 0) {
            fail(t, path, "target returned non-zero");
        } else {
            t->passed++;
        }
    }
    free(data);
    (void)fclose(f);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void run_path(tally *t, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        fail(t, path, strerror(errno));
        return;
    }
    if (!S_ISDIR(st.st_mode)) {
        run_file(t, path, (size_t)st.st_size);
        return;
    }
    struct dirent **names = NULL;
    const int n = scandir(path, &names, NULL, by_name);
    if (n < 0) {
        fail(t, path, strerror(errno));
        return;
    }
    for (int i = 0; i < n; i++) {
        char full[4096];
        const int len = snprintf(full, sizeof(full), "%s/%s", path, names[i]->d_name);
        if (len < 0 || (size_t)len >= sizeof(full)) {
            fail(t, path, "path is too long");
        } else if (stat(full, &st) == 0 && S_ISREG(st.st_mode)) {
            run_file(t, full, (size_t)st.st_size);
        }
        free(names[i]);
    }
    free(names);
}

int main(int argc, char **argv)
{
    tally t = {0, 0};
    for (int i = 1; i < argc; i++) {
        run_path(&t, argv[i]);
    }
    if (t.passed + t.failed == 0) {
        (void)fprintf(stderr, "no inputs\n");
        return 1;
    }
    (void)printf("%lu passed, %lu failed\n", t.passed, t.failed);
    return t.failed == 0 ? 0 : 1;
}
