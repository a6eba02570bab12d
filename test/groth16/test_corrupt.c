/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Damaged parameters: found by the checks, and without them never the source of an accepted proof
 * other than the right one. */
#include <stdlib.h>
#include <string.h>

#include <cuzk/verify.h>

#include "groth16/circuits.h"
#include "groth16/cpu/prove.h"
#include "groth16/setup/setup.h"
#include "groth16/srs_util.h"

#include "test.h"

typedef struct proof_case {
    test_instance t;
    cuzk_srs *srs;
    uint8_t *bytes; /* .params */
    size_t n;
    cuzk_vk *vk;
    uint8_t inputs[32 * 8]; /* without ONE */
    size_t n_inputs;
} proof_case;

static void make_case(proof_case *w, size_t rows, size_t n_inputs)
{
    cuzk_toxic x;
    cuzk_err err;
    memset(w, 0, sizeof(*w));
    w->t = test_circuit_random(rows, n_inputs);
    w->n_inputs = n_inputs - 1;
    CHECK_U64(w->t.c->n_inputs, n_inputs);
    cuzk_toxic_from_seed(&x, test_u64());
    CHECK_OK(cuzk_setup_create(&w->srs, w->t.c, &x, NULL, NULL, NULL, &err), &err);
    w->bytes = test_srs_bytes(w->srs, &w->n);
    CHECK_U64(cuzk_vk_read(&w->vk, w->bytes, cuzk_srs_vk_bytes(w->srs)), CUZK_VERIFY_OK);
    for (size_t i = 0; i < w->n_inputs; i++) {
        cuzk_fr_to_bytes_le(w->inputs + 32 * i, &w->t.w->inputs[i + 1]);
    }
}

static void free_case(proof_case *w)
{
    cuzk_vk_destroy(w->vk);
    cuzk_srs_close(w->srs);
    test_instance_destroy(&w->t);
    free(w->bytes);
}

static bool accepted(const proof_case *w, const uint8_t proof[192])
{
    return cuzk_verify(w->vk, proof, 192, w->inputs, w->n_inputs) == CUZK_VERIFY_OK;
}

/* Random r and s, with setup and prove of both forms: accepted, and not with another input. */
static void accepted_proofs(void)
{
    for (size_t it = 0; it < test_iters(6); it++) {
        proof_case w;
        cuzk_proof proof;
        cuzk_err err;
        uint8_t bytes[192];
        make_case(&w, 5 + test_below(120), 1 + test_below(8));
        CHECK_OK(cuzk_prove(&proof, w.t.w, w.srs, NULL, NULL, NULL, &err), &err);
        cuzk_proof_encode(bytes, &proof);
        CHECK(accepted(&w, bytes));
        if (w.n_inputs > 0) {
            uint8_t *byte = &w.inputs[32 * test_below(w.n_inputs) + test_below(31)];
            *byte ^= 4;
            CHECK(!accepted(&w, bytes));
            *byte ^= 4;
        }
        free_case(&w);

        test_instance t = test_circuit_blocks(1 + test_below(5));
        cuzk_toxic x;
        cuzk_srs *srs = NULL;
        cuzk_vk *vk = NULL;
        cuzk_toxic_from_seed(&x, test_u64());
        const cuzk_setup_opts odd = {.kind = CUZK_QUOTIENT_ODD_COSET};
        CHECK_OK(cuzk_setup_create(&srs, t.c, &x, &odd, NULL, NULL, &err), &err);
        CHECK_OK(cuzk_prove(&proof, t.w, srs, NULL, NULL, NULL, &err), &err);
        cuzk_proof_encode(bytes, &proof);
        uint8_t key[868 + 96 * 8], in[32 * 8];
        CHECK(t.c->n_inputs <= 8);
        cuzk_srs_write_vk(srs, key);
        CHECK_U64(cuzk_vk_read(&vk, key, cuzk_srs_vk_bytes(srs)), CUZK_VERIFY_OK);
        for (size_t i = 1; i < t.c->n_inputs; i++) {
            cuzk_fr_to_bytes_le(in + 32 * (i - 1), &t.w->inputs[i]);
        }
        CHECK_U64(cuzk_verify(vk, bytes, 192, in, (size_t)t.c->n_inputs - 1), CUZK_VERIFY_OK);
        cuzk_vk_destroy(vk);
        cuzk_srs_close(srs);
        test_instance_destroy(&t);
    }
}

/* One bit of one point of each section. */
static void flipped_bits(void)
{
    static const cuzk_scalar r = {{3, 0, 0, 0}}, s = {{5, 0, 0, 0}};
    const cuzk_prove_opts opts = {.r = &r, .s = &s};
    proof_case w;
    cuzk_proof proof;
    cuzk_err err;
    uint8_t right[192], got[192];
    make_case(&w, 40, 3);
    CHECK_OK(cuzk_prove(&proof, w.t.w, w.srs, &opts, NULL, NULL, &err), &err);
    cuzk_proof_encode(right, &proof);
    CHECK(accepted(&w, right));
    size_t refused = 0, wrong = 0;
    for (unsigned k = 0; k < CUZK_SRS_SECTIONS; k++) {
        const cuzk_srs_section sec = (cuzk_srs_section)k;
        for (size_t it = 0; it < test_iters(30); it++) {
            const size_t size = sec == CUZK_SRS_B_G2 ? 192 : 96;
            uint8_t *p = w.bytes +
                         test_srs_offset(w.srs, sec, test_below(cuzk_srs_count(w.srs, sec))) +
                         (it % 4 == 0 ? 0 : test_below(size)); /* often the byte with the flags */
            const uint8_t bit = (uint8_t)(1u << test_below(8));
            cuzk_srs *bad = NULL;
            *p ^= bit;
            for (int check = CUZK_POINT_ON_CURVE; check <= CUZK_POINT_IN_SUBGROUP; check++) {
                CHECK(cuzk_srs_open_bytes(&bad, w.bytes, w.n, "bad.params", (cuzk_point_check)check,
                                          NULL, NULL, &err) != CUZK_OK);
                CHECK(strstr(err.msg, cuzk_srs_section_name(sec)) != NULL);
            }
            CHECK_OK(cuzk_srs_open_bytes(&bad, w.bytes, w.n, "bad.params", CUZK_POINT_UNCHECKED,
                                         NULL, NULL, &err),
                     &err);
            const cuzk_status st = cuzk_prove(&proof, w.t.w, bad, &opts, NULL, NULL, &err);
            if (st == CUZK_OK) {
                cuzk_proof_encode(got, &proof);
                const bool same = memcmp(got, right, 192) == 0;
                CHECK(accepted(&w, got) == same);
                wrong += !same;
            } else {
                refused++;
            }
            cuzk_srs_close(bad);
            *p ^= bit;
        }
    }
    CHECK(refused > 0 && wrong > 0);
    free_case(&w);
}

/* A point swapped for another valid one passes every check of points; the proof is not accepted. */
static void swapped_points(void)
{
    proof_case w;
    cuzk_proof proof;
    cuzk_err err;
    uint8_t got[192], tmp[192];
    make_case(&w, 40, 3);
    for (unsigned k = 0; k < CUZK_SRS_SECTIONS; k++) {
        const cuzk_srs_section sec = (cuzk_srs_section)k;
        const size_t size = sec == CUZK_SRS_B_G2 ? 192 : 96;
        const uint64_t half = cuzk_srs_count(w.srs, sec) / 2;
        cuzk_srs *bad = NULL;
        /* The two halves of the section change places. */
        for (uint64_t i = 0; i < half; i++) {
            uint8_t *p = w.bytes + test_srs_offset(w.srs, sec, i);
            uint8_t *q = w.bytes + test_srs_offset(w.srs, sec, i + half);
            memcpy(tmp, p, size);
            memcpy(p, q, size);
            memcpy(q, tmp, size);
        }
        CHECK_OK(cuzk_srs_open_bytes(&bad, w.bytes, w.n, "bad.params", CUZK_POINT_IN_SUBGROUP, NULL,
                                     NULL, &err),
                 &err);
        CHECK_OK(cuzk_prove(&proof, w.t.w, bad, NULL, NULL, NULL, &err), &err);
        cuzk_proof_encode(got, &proof);
        /* b_g1 enters C alone, times r, which is random. */
        CHECK(!accepted(&w, got));
        cuzk_srs_close(bad);
        for (uint64_t i = 0; i < half; i++) {
            uint8_t *p = w.bytes + test_srs_offset(w.srs, sec, i);
            uint8_t *q = w.bytes + test_srs_offset(w.srs, sec, i + half);
            memcpy(tmp, p, size);
            memcpy(p, q, size);
            memcpy(q, tmp, size);
        }
    }
    free_case(&w);
}

/* Without check_witness a wrong witness gives a proof, and nobody accepts it. */
static void unsatisfied_witness(void)
{
    proof_case w;
    cuzk_proof proof;
    cuzk_err err;
    uint8_t got[192];
    make_case(&w, 60, 3);
    for (uint64_t i = 0; i < w.t.c->n_fulls; i++) {
        const cuzk_fr old = w.t.w->fulls[i];
        cuzk_fr_add(&w.t.w->fulls[i], &old, &CUZK_FR_ONE);
        if (cuzk_r1cs_check(w.t.w, NULL, NULL, NULL, &err) == CUZK_E_UNSATISFIED) {
            CHECK_OK(cuzk_prove(&proof, w.t.w, w.srs, NULL, NULL, NULL, &err), &err);
            cuzk_proof_encode(got, &proof);
            CHECK(!accepted(&w, got));
        }
        w.t.w->fulls[i] = old;
    }
    free_case(&w);
}

static const cuzk_case cases[] = {CASE(accepted_proofs), CASE(flipped_bits), CASE(swapped_points),
                                  CASE(unsatisfied_witness)};
TEST_MAIN("groth16/corrupt", cases)
