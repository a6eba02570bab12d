/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * PoRep and update circuits of 2 KiB sectors, domain 2^22: parameters of a gigabyte each, proofs
 * from them, and the memory that this takes. Some minutes.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "groth16/golden/golden_instance.h"
#include "groth16/setup/setup.h"
#include "groth16/trapdoor.h"

#include "test.h"

#define GIB ((uint64_t)1 << 30)

static void check_peak(const char *what, uint64_t most)
{
    const uint64_t peak = cuzk_alloc_get_stats().bytes_peak;
    printf("%s: heap peak %.1f MiB\n", what, (double)peak / (1 << 20));
    CHECK_MSG(peak <= most, "%s: heap peak %" PRIu64 " bytes", what, peak);
}

static void large(const char *vector, bool has_h, const char *vk_golden)
{
    golden_instance t;
    cuzk_toxic x;
    cuzk_srs *srs = NULL;
    cuzk_err err;
    char params[512], vk[512];
    size_t n, m;
    golden_instance_open(&t, vector);
    if (has_h) {
        golden_check_quotient(&t);
    }
    test_toxic_golden(&x);
    (void)snprintf(params, sizeof(params), "%s/g.params", test_tmpdir());
    (void)snprintf(vk, sizeof(vk), "%s/g.vk", test_tmpdir());
    cuzk_alloc_reset_peak();
    CHECK_OK(cuzk_setup_write(t.c, &x, params, vk, NULL, t.pool, NULL, &err), &err);
    check_peak("setup", GIB);
    uint8_t *got = test_read_file(vk, &n), *want = test_read_file(vk_golden, &m);
    CHECK_U64(n, m);
    CHECK_MEM(got, want, n);
    free(got);
    free(want);
    CHECK_OK(cuzk_srs_open(&srs, params, CUZK_POINT_UNCHECKED, NULL, NULL, &err), &err);
    cuzk_alloc_reset_peak();
    golden_check_proofs(&t, srs, vk);
    check_peak("prove", GIB);
    cuzk_srs_close(srs);
    CHECK(unlink(params) == 0);
    golden_instance_close(&t);
}

static void porep(void)
{
    large("porep-v1_1[0]", true, "test/vectors/groth16/porep-v1_1.vk");
}

static void update(void)
{
    large("update[0]", false, "test/vectors/groth16/update.vk");
}

static const cuzk_case cases[] = {CASE(porep), CASE(update)};
TEST_MAIN("groth16/golden_large", cases)
