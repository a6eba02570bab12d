/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* make_test_params KIND FOLDER: the parameters of a circuit of 2 KiB sectors, from the seed 7, for the tests that prove (make.sh). */
#include "prover/fil_jobs.h"
#include "prover/keys/circuit_id.h"

#include "test.h"

static const char *kind_name, *folder;

static void make(void)
{
    cuzk_err err;
    cuzk_circuit_kind kind;
    cuzk_pool *pool = NULL;
    CHECK_MSG(cuzk_circuit_kind_parse(&kind, kind_name), "no kind '%s'", kind_name);
    CHECK_OK(cuzk_pool_create(&pool, NULL, &err), &err);
    fil_params_setup(folder, kind, 2048, pool);
    cuzk_pool_destroy(pool);
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
