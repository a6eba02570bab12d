/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * make_test_params KIND FOLDER: the parameters of a circuit of 2 KiB sectors, from the seed 7, for the tests that prove. CTest runs
 * it before those tests (cuzk_uses_params in cmake/Cuzk.cmake). Parameters that are newer than this program are kept: whatever
 * changes them is linked into the program. FOLDER/KIND.done is written last.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "prover/fil_jobs.h"
#include "prover/keys/circuit_id.h"

#include "test.h"

static const char *kind_name, *folder;

static bool is_newer_than_program(const char *path)
{
    struct stat made, program;
    return stat(path, &made) == 0 && stat("/proc/self/exe", &program) == 0 &&
           (made.st_mtim.tv_sec > program.st_mtim.tv_sec ||
            (made.st_mtim.tv_sec == program.st_mtim.tv_sec &&
             made.st_mtim.tv_nsec > program.st_mtim.tv_nsec));
}

static void make(void)
{
    cuzk_err err;
    cuzk_circuit_kind kind;
    cuzk_pool *pool = NULL;
    char done[CUZK_PATH_BYTES];
    CHECK_MSG(cuzk_circuit_kind_parse(&kind, kind_name), "no kind '%s'", kind_name);
    CHECK_MSG(mkdir(folder, 0755) == 0 || errno == EEXIST, "%s: %s", folder, strerror(errno));
    CHECK((size_t)snprintf(done, sizeof(done), "%s/%s.done", folder, kind_name) < sizeof(done));
    if (is_newer_than_program(done)) {
        return;
    }
    (void)unlink(done);
    CHECK_OK(cuzk_pool_create(&pool, NULL, &err), &err);
    fil_params_setup(folder, kind, 2048, pool);
    cuzk_pool_destroy(pool);
    FILE *f = fopen(done, "w");
    CHECK_MSG(f != NULL && fclose(f) == 0, "%s: %s", done, strerror(errno));
}

static const cuzk_case cases[] = {CASE(make)};

int main(int argc, char **argv)
{
    if (argc != 3) {
        (void)fprintf(stderr, "usage: make_test_params KIND FOLDER\n");
        return 2;
    }
    kind_name = argv[1];
    folder = argv[2];
    return cuzk_test_main(1, argv, "params", cases, 1);
}
