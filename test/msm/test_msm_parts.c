/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <gmp.h>
#include <string.h>

#include "base/alloc.h"
#include "ec/endo.h"
#include "msm/msm_core.h"

#include "test.h"

/* The digits stay in range and make up the value, for every window size. */
static void signed_digits(void)
{
    static cuzk_msm_plan p;
    for (unsigned c = MSM_C_MIN; c <= MSM_C_MAX; c++) {
        for (unsigned bits = 1; bits <= MSM_SIGNED_BITS; bits++) {
            cuzk_msm_plan_signed_c(&p, 1000, bits, c);
            for (size_t i = 0; i < test_iters(12); i++) {
                const uint64_t k = (i == 0 ? UINT64_MAX : test_u64()) >> (64 - bits);
                cuzk_i128 sum = 0;
                for (unsigned w = p.windows; w-- > 0;) {
                    const uint32_t code = cuzk_msm_signed_code(&p, k + p.bias, w);
                    sum *= (cuzk_i128)1 << c;
                    if (code == MSM_CODE_NONE) {
                        continue;
                    }
                    const uint32_t bucket = code >> MSM_ENTRY_SHIFT;
                    CHECK(bucket < p.slots && bucket < 1u << (c - 1));
                    CHECK((p.first_slot[w] + bucket) >> p.low < p.group_parts);
                    CHECK((code & MSM_ENTRY_UNIT & ~MSM_ENTRY_NEG) == 0);
                    sum += (code & MSM_ENTRY_NEG) != 0 ? -(cuzk_i128)bucket - 1 : bucket + 1;
                }
                CHECK(sum == (cuzk_i128)k);
            }
        }
    }
}

static void set_scalar(cuzk_scalar *s, const mpz_t v)
{
    memset(s, 0, sizeof(*s));
    (void)mpz_export(s->l, NULL, -1, 8, 0, 0, v);
}

/* d = unit * (p + q zeta) of a code, with w = -z^2 and zeta = 1 + w modulo r. */
static void digit_value(mpz_t d, const cuzk_msm_plan *p, uint32_t code, const mpz_t w)
{
    const uint32_t bucket = code >> MSM_ENTRY_SHIFT, block = bucket >> p->block_bits;
    const unsigned p_bits = p->block_bits - p->q_bits;
    const uint32_t in = bucket & ((1u << p->block_bits) - 1);
    unsigned row = 0;
    mpz_t t;
    CHECK(block < p->blocks);
    while (block >= p->row[row + 1]) {
        row++;
    }
    mpz_init(t);
    mpz_add_ui(t, w, 1);
    mpz_mul_ui(t, t, ((block - p->row[row]) << p->q_bits) + (in & ((1u << p->q_bits) - 1)));
    mpz_add_ui(d, t, 1 + (row << p_bits) + (in >> p->q_bits));
    for (uint32_t k = (code & MSM_ENTRY_UNIT) >> 1; k > 0; k--) {
        mpz_mul(d, d, w);
    }
    if ((code & MSM_ENTRY_NEG) != 0) {
        mpz_neg(d, d);
    }
    mpz_clear(t);
}

static void check_codes(const cuzk_msm_plan *p, const uint32_t *code, size_t stride, const mpz_t k,
                        const mpz_t r, const mpz_t w)
{
    mpz_t sum, d;
    mpz_inits(sum, d, NULL);
    for (unsigned j = p->windows; j-- > 0;) {
        const uint32_t c = code[j * stride];
        mpz_mul_ui(sum, sum, p->base.m);
        if (c != MSM_CODE_NONE) {
            CHECK((c & MSM_ENTRY_UNIT) >> 1 < 3);
            CHECK(c >> MSM_ENTRY_SHIFT < p->slots);
            digit_value(d, p, c, w);
            mpz_add(sum, sum, d);
        }
    }
    mpz_sub(sum, sum, k);
    CHECK_MSG(mpz_divisible_p(sum, r) != 0, "%u digits", p->windows);
    mpz_clears(sum, d, NULL);
}

/* Eight scalars: their digits make them up, whichever code made the digits. (They need not be the
 * same: comparisons are of more or fewer bits, and where two neighbours are near alike either does.) */
static void check_hex(const cuzk_msm_plan *p, mpz_t k[8], const mpz_t r, const mpz_t w)
{
    uint32_t code[MSM_MAX_WINDOWS][9];
    cuzk_hex_int z[8];
    for (size_t i = 0; i < 8; i++) {
        cuzk_scalar s;
        set_scalar(&s, k[i]);
        cuzk_hex_reduce_hd(&z[i], s.l);
        cuzk_msm_hex_codes(p, &z[i], code[0] + i, 9);
        check_codes(p, code[0] + i, 9, k[i], r, w);
    }
#ifdef CUZK_MSM_AVX2
    if (cuzk_cpu_has(CUZK_CPU_AVX2)) {
        cuzk_msm_hex_codes8_avx2(p, z, code[0], 9);
        for (size_t i = 0; i < 8; i++) {
            check_codes(p, code[0] + i, 9, k[i], r, w);
        }
    }
#endif
}

static void hex_digits(void)
{
    static cuzk_msm_plan p;
    mpz_t r, w, z2, k[8];
    mpz_inits(r, w, z2, NULL);
    (void)mpz_set_str(r, "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001", 16);
    (void)mpz_set_str(z2, "ac45a4010001a4020000000100000000", 16);
    mpz_neg(w, z2);
    for (size_t i = 0; i < 8; i++) {
        mpz_init(k[i]);
    }
    for (unsigned d = MSM_HEX_MIN_DIGITS; d <= CUZK_HEX_MAX_DIGITS; d++) {
        cuzk_msm_plan_hex_digits(&p, 1000, d, d < 14 ? 4 + d % 2 : 2 + d % 4);
        for (size_t n = 0; n < test_iters(60); n++) {
            for (size_t i = 0; i < 8; i++) {
                uint8_t raw[32];
                test_bytes(raw, sizeof(raw));
                mpz_import(k[i], 32, 1, 1, 0, 0, raw);
                switch (test_below(6)) {
                case 0: mpz_set_ui(k[i], test_below(40)); break;
                case 1: mpz_sub_ui(k[i], r, 1 + test_below(40)); break;
                case 2: /* about multiples of z^2, which are nearly those of w */
                    mpz_tdiv_q_2exp(k[i], k[i], 128);
                    mpz_mul(k[i], k[i], z2);
                    mpz_tdiv_q_2exp(k[i], k[i], (mp_bitcnt_t)test_below(2));
                    break;
                case 3: /* a + b w with digits 1 or as large as they get */
                    mpz_set_ui(k[i], 0);
                    for (unsigned j = 0; j < d; j++) {
                        mpz_mul_ui(k[i], k[i], p.base.m);
                        mpz_addmul_ui(k[i], w, test_below(2) != 0 ? 1 : (p.base.m + 1) / 3);
                        mpz_add_ui(k[i], k[i], test_below(2) != 0 ? 1 : 2 * p.base.m / 3);
                    }
                    break;
                default: break;
                }
                mpz_mod(k[i], k[i], r);
            }
            check_hex(&p, k, r, w);
        }
    }
    for (size_t i = 0; i < 8; i++) {
        mpz_clear(k[i]);
    }
    mpz_clears(r, w, z2, NULL);
}

static void check_plan(const cuzk_msm_plan *p, size_t n)
{
    CHECK(p->windows >= 1 && p->windows <= MSM_MAX_WINDOWS);
    CHECK(1u << p->low <= MSM_SEGMENTS && p->block_bits <= MSM_BLOCK_BITS);
    CHECK_U64(p->slots, p->blocks << p->block_bits);
    CHECK_U64(cuzk_msm_plan_row(p, p->rows), p->blocks);
    CHECK(p->group >= 1 && (p->group == 1 || p->group * n <= (size_t)1 << 21));
    CHECK(p->group_parts << p->low >= (size_t)p->group * p->slots);
    CHECK((size_t)p->slots << MSM_ENTRY_SHIFT < MSM_CODE_NONE);
    for (unsigned w = 0; w < p->windows; w++) {
        CHECK(p->first_part[w] + p->group_parts <= p->parts);
        CHECK(p->first_slot[w] + p->slots <= p->group_parts << p->low);
    }
}

static void plans(void)
{
    static cuzk_msm_plan p;
    const cuzk_msm_engine *eng = cuzk_msm_engine_g1();
    for (size_t n = 1; n < (size_t)1 << 26; n += 1 + n / 5) {
        for (unsigned bits = 1; bits <= MSM_SIGNED_BITS; bits += 3) {
            cuzk_msm_plan_signed(&p, eng, n, bits);
            CHECK(p.windows * p.c > bits);
            check_plan(&p, n);
        }
        cuzk_msm_plan_hex(&p, eng, n);
        check_plan(&p, n);
    }
}

/* (w x, y) is -z^2 (x, y) and zeta = 1 + w, in both groups and for every engine. */
static void endomorphism(void)
{
    const cuzk_msm_engine *list[] = {&CUZK_MSM_ENGINE_G1, cuzk_msm_engine_g1(), &CUZK_MSM_ENGINE_G2,
                                     cuzk_msm_engine_g2()};
    for (size_t i = 0; i < 4; i++) {
        enum { N = 21 };
        const cuzk_msm_group *g = list[i]->group;
        const void *gen = i < 2 ? (const void *)&CUZK_G1_GENERATOR : &CUZK_G2_GENERATOR;
        unsigned char *bases = cuzk_alloc(N, g->affine_bytes),
                      *endo = cuzk_alloc(N, g->affine_bytes);
        unsigned char *want = cuzk_alloc(N, 2 * g->affine_bytes);
        uint32_t idx[N];
        CHECK(bases != NULL && want != NULL && endo != NULL);
        for (uint32_t k = 0; k < N; k++) {
            cuzk_msm_acc a, b;
            const cuzk_scalar s = {{test_u64(), test_u64(), 0, 0}};
            unsigned char *base = bases + k * g->affine_bytes, *to = want + 2 * k * g->affine_bytes;
            g->acc_clear(&a);
            g->acc_add_mul(&a, gen, &s);
            g->acc_to_affine(base, &a);
            g->acc_clear(&a);
            g->acc_add_mul(&a, base, &CUZK_ENDO_LAMBDA);
            g->acc_to_affine(to, &a);
            b = a;
            g->acc_add_affine(&b, base); /* (1 + w) P */
            g->acc_clear(&a);
            g->acc_add_mul(&a, to, &CUZK_ENDO_LAMBDA);
            g->acc_to_affine(to + g->affine_bytes, &a);
            g->acc_clear(&a);
            g->acc_add_affine(&a, base);
            g->acc_zeta(&a);
            unsigned char got[2][sizeof(cuzk_g2_affine)];
            g->acc_to_affine(got[0], &a);
            g->acc_to_affine(got[1], &b);
            CHECK_MEM(got[0], got[1], g->affine_bytes);
            idx[k] = N - 1 - k;
        }
        list[i]->endo(endo, bases, idx, N);
        for (size_t k = 0; k < 2 * N; k++) {
            CHECK_MEM(endo + k * g->coord_bytes, want + k * g->affine_bytes, g->coord_bytes);
        }
        cuzk_free(endo);
        cuzk_free(want);
        cuzk_free(bases);
    }
}

static const cuzk_case cases[] = {CASE(signed_digits), CASE(hex_digits), CASE(plans),
                                  CASE(endomorphism)};
TEST_MAIN("msm/parts", cases)
