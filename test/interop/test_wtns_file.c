/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "interop/r1cs_file.h"
#include "interop/wtns_file.h"

#include "build_file.h"

static void assemble(blob *f, const uint8_t *prime, uint32_t n, uint32_t n_values)
{
    blob h = {.n = 0}, v = {.n = 0};
    put_le(&h, 32, 4);
    put_bytes(&h, prime, 32);
    put_le(&h, n, 4);
    for (uint32_t i = 0; i < n_values; i++) {
        put_fr(&v, i + 1);
    }
    f->n = 0;
    put_bytes(f, "wtns", 4);
    put_le(f, 2, 4);
    put_le(f, 2, 4);
    put_section(f, 1, &h);
    put_section(f, 2, &v);
}

static void expect(const blob *f, cuzk_status want, const char *text)
{
    cuzk_wtns w;
    cuzk_err err;
    memset(&err, 0, sizeof(err));
    const cuzk_status st = cuzk_wtns_read(&w, f->d, f->n, "w.wtns", &err);
    CHECK_MSG(st == want, "%s instead of %s: %s", cuzk_status_name(st), cuzk_status_name(want),
              err.msg);
    CHECK_MSG(strstr(err.msg, text) != NULL, "message: %s", err.msg);
}

static void reads(void)
{
    blob f;
    cuzk_wtns w;
    cuzk_err err;
    assemble(&f, prime_bls, 5, 5);
    CHECK_OK(cuzk_wtns_read(&w, f.d, f.n, "w.wtns", &err), &err);
    CHECK_U64(w.n, 5);
    CHECK_U64(w.values[32 * 4], 5);
}

static void refuses(void)
{
    blob f;
    assemble(&f, prime_bn, 5, 5);
    expect(&f, CUZK_E_UNSUPPORTED, "field is BN254 (bn128)");
    assemble(&f, prime_bls, 6, 5);
    expect(&f, CUZK_E_FORMAT, "section 2 (values) has 160 bytes for 6 values of 32");
    assemble(&f, prime_bls, 4, 5);
    expect(&f, CUZK_E_FORMAT, "section 2 (values) has 160 bytes for 4 values of 32");
    assemble(&f, prime_bls, 5, 5);
    f.n -= 1;
    expect(&f, CUZK_E_FORMAT, "the file is truncated");
    assemble(&f, prime_bls, 5, 5);
    f.d[76] = 2;
    expect(&f, CUZK_E_FORMAT, "wire 0 is not 1");
    assemble(&f, prime_bls, 5, 5);
    memcpy(f.d + 76 + 64, prime_bls, 32);
    expect(&f, CUZK_E_FORMAT, "value of wire 2 is not below r");
    assemble(&f, prime_bls, 5, 5);
    f.d[4] = 1;
    expect(&f, CUZK_E_UNSUPPORTED, "wtns version 1, expected 2");
    f.n = 0;
    for (uint64_t i = 1; i < 5; i++) {
        put_fr(&f, i);
    }
    expect(&f, CUZK_E_FORMAT, "raw dump, expected wtns v2 (4 values without a header?)");
}

static void counts_must_match(void)
{
    size_t n;
    blob f;
    cuzk_err err;
    cuzk_circuit *c = NULL;
    uint8_t *d = test_read_file("test/vectors/circom/multiplier2.r1cs", &n);
    CHECK_OK(cuzk_r1cs_file_compile(&c, NULL, d, n, "c", &err), &err);
    for (uint32_t k = 3; k <= 5; k++) {
        cuzk_wtns wtns;
        cuzk_witness *w = NULL;
        assemble(&f, prime_bls, k, k);
        CHECK_OK(cuzk_wtns_read(&wtns, f.d, f.n, "w.wtns", &err), &err);
        const cuzk_status st = cuzk_wtns_to_witness(&w, &wtns, c, "w.wtns", NULL, &err);
        if (k == 4) {
            CHECK_OK(st, &err);
            cuzk_witness_destroy(w);
        } else {
            CHECK_STATUS(st, CUZK_E_INVALID);
            char want[80];
            (void)snprintf(want, sizeof(want),
                           "w.wtns: witness has %u values, the circuit has 4 wires", k);
            CHECK_STR(err.msg, want);
            CHECK(w == NULL);
        }
    }
    cuzk_circuit_destroy(c);
    free(d);
}

/* What we write is what circom wrote. */
static void round_trip(void)
{
    size_t n, n_r1cs, n_back;
    cuzk_err err;
    cuzk_circuit *c = NULL;
    cuzk_wtns wtns;
    cuzk_witness *w = NULL;
    char path[128];
    uint8_t *r1cs = test_read_file("test/vectors/circom/mixed.r1cs", &n_r1cs);
    uint8_t *d = test_read_file("test/vectors/circom/mixed.wtns", &n);
    CHECK_OK(cuzk_r1cs_file_compile(&c, NULL, r1cs, n_r1cs, "c", &err), &err);
    CHECK_OK(cuzk_wtns_read(&wtns, d, n, "w", &err), &err);
    CHECK_OK(cuzk_wtns_to_witness(&w, &wtns, c, "w", NULL, &err), &err);
    (void)snprintf(path, sizeof(path), "%s/out.wtns", test_tmpdir());
    CHECK_OK(cuzk_wtns_write(path, w, false, &err), &err);
    uint8_t *back = test_read_file(path, &n_back);
    CHECK_U64(n_back, n);
    CHECK_MEM(back, d, n);
    CHECK_STATUS(cuzk_wtns_write(path, w, false, &err), CUZK_E_EXISTS);
    CHECK_OK(cuzk_wtns_write(path, w, true, &err), &err);
    cuzk_witness_destroy(w);
    cuzk_circuit_destroy(c);
    free(back);
    free(d);
    free(r1cs);
}

static const cuzk_case cases[] = {CASE(reads), CASE(refuses), CASE(counts_must_match),
                                  CASE(round_trip)};
TEST_MAIN("interop/wtns_file", cases)
