/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ntt/ntt.h"
#include "ref/ref_dft.h"

#include "test.h"

#define LG_REF 6 /* the oracle is quadratic and slow */
#define LG_BIG 16

static const cuzk_ntt_order orders[] = {CUZK_NTT_NN, CUZK_NTT_NR, CUZK_NTT_RN};

static void random_fr(cuzk_fr *out)
{
    cuzk_scalar s;
    test_bytes(&s, sizeof(s));
    cuzk_fr_from_scalar(out, &s);
}

static cuzk_fr *random_array(size_t n)
{
    cuzk_fr *a = cuzk_alloc(n, sizeof(*a));
    CHECK(a != NULL);
    for (size_t i = 0; i < n; i++) {
        random_fr(&a[i]);
    }
    return a;
}

static cuzk_fr *copy_of(const cuzk_fr *a, size_t n)
{
    cuzk_fr *c = cuzk_alloc(n, sizeof(*c));
    CHECK(c != NULL);
    memcpy(c, a, n * sizeof(*c));
    return c;
}

static cuzk_ntt_domain *domain(unsigned lg, const cuzk_fr *root)
{
    cuzk_err err;
    cuzk_ntt_domain *d = NULL;
    CHECK_OK(cuzk_ntt_domain_create(&d, lg, root, NULL, &err), &err);
    CHECK_U64(cuzk_ntt_domain_lg(d), lg);
    return d;
}

static ref_int to_ref(const cuzk_fr *a)
{
    cuzk_scalar s;
    cuzk_fr_to_scalar(&s, a);
    return ref_from_limbs(s.l);
}

static bool equals_ref(const cuzk_fr *a, const ref_int *want)
{
    cuzk_scalar s, t;
    cuzk_fr_to_scalar(&s, a);
    ref_to_limbs(t.l, want);
    return memcmp(&s, &t, sizeof(s)) == 0;
}

static size_t reversed(size_t i, unsigned lg)
{
    size_t r = 0;
    for (unsigned b = 0; b < lg; b++) {
        r = r << 1 | (i >> b & 1);
    }
    return r;
}

static size_t in_index(size_t i, unsigned lg, cuzk_ntt_order o)
{
    return o == CUZK_NTT_RN ? reversed(i, lg) : i;
}

static size_t out_index(size_t i, unsigned lg, cuzk_ntt_order o)
{
    return o == CUZK_NTT_NR ? reversed(i, lg) : i;
}

static void check_against_dft(unsigned lg, cuzk_ntt_order o, const cuzk_fr *shift, uint64_t gen,
                              const cuzk_fr *root)
{
    const size_t n = (size_t)1 << lg;
    static ref_int p[1 << LG_REF], want[1 << LG_REF];
    static cuzk_fr a[1 << LG_REF];
    const ref_int w = ref_root_from(gen, lg);
    const ref_int s = shift != NULL ? to_ref(shift) : ref_from_u64(1);
    cuzk_ntt_domain *d = domain(lg, root);
    CHECK(equals_ref(cuzk_ntt_domain_root(d), &w));
    for (size_t i = 0; i < n; i++) {
        cuzk_fr v;
        random_fr(&v);
        p[i] = to_ref(&v);
        a[in_index(i, lg, o)] = v;
    }
    ref_dft(want, p, n, &w, &s);
    CHECK_OK(cuzk_ntt_forward(d, a, o, shift, NULL, NULL, NULL), NULL);
    for (size_t i = 0; i < n; i++) {
        CHECK_MSG(equals_ref(&a[out_index(i, lg, o)], &want[i]),
                  "lg %u order %d shift %d: value %zu", lg, (int)o, shift != NULL, i);
    }
    /* Back, with the order of input and output exchanged. */
    const cuzk_ntt_order back = o == CUZK_NTT_NN   ? CUZK_NTT_NN
                                : o == CUZK_NTT_NR ? CUZK_NTT_RN
                                                   : CUZK_NTT_NR;
    CHECK_OK(cuzk_ntt_inverse(d, a, back, shift, NULL, NULL, NULL), NULL);
    for (size_t i = 0; i < n; i++) {
        CHECK_MSG(equals_ref(&a[in_index(i, lg, o)], &p[i]),
                  "lg %u order %d shift %d: coefficient %zu", lg, (int)o, shift != NULL, i);
    }
    cuzk_ntt_domain_destroy(d);
}

static void equals_the_definition(void)
{
    cuzk_fr shift;
    random_fr(&shift);
    if (cuzk_fr_is_zero(&shift)) {
        shift = CUZK_FR_GENERATOR;
    }
    const cuzk_fr *shifts[] = {NULL, &CUZK_FR_GENERATOR, &shift};
    for (unsigned lg = 0; lg <= LG_REF; lg++) {
        for (size_t o = 0; o < 3; o++) {
            for (size_t s = 0; s < 3; s++) {
                check_against_dft(lg, orders[o], shifts[s], 7, NULL);
            }
        }
    }
}

static void snarkjs_root(void)
{
    for (unsigned lg = 0; lg <= LG_REF; lg++) {
        check_against_dft(lg, CUZK_NTT_NR, &CUZK_FR_GENERATOR, 5, &CUZK_FR_ROOT_2_32_SNARKJS);
    }
}

/* Forward values agree over the orders, and the inverse undoes them. */
static void check_orders(unsigned lg, const cuzk_fr *shift, cuzk_pool *pool)
{
    const size_t n = (size_t)1 << lg;
    cuzk_ntt_domain *d = domain(lg, NULL);
    cuzk_fr *a = random_array(n), *nn = copy_of(a, n), *nr = copy_of(a, n), *rn = copy_of(a, n);
    for (size_t i = 0; i < n; i++) {
        rn[reversed(i, lg)] = a[i];
    }
    CHECK_OK(cuzk_ntt_forward(d, nn, CUZK_NTT_NN, shift, pool, NULL, NULL), NULL);
    CHECK_OK(cuzk_ntt_forward(d, nr, CUZK_NTT_NR, shift, pool, NULL, NULL), NULL);
    CHECK_OK(cuzk_ntt_forward(d, rn, CUZK_NTT_RN, shift, pool, NULL, NULL), NULL);
    for (size_t i = 0; i < n; i++) {
        CHECK_MSG(cuzk_fr_eq(&nn[i], &nr[reversed(i, lg)]), "lg %u: NN and NR differ at %zu", lg,
                  i);
    }
    CHECK_MEM(rn, nn, n * sizeof(*a));
    CHECK_OK(cuzk_ntt_inverse(d, nn, CUZK_NTT_NN, shift, pool, NULL, NULL), NULL);
    CHECK_MEM(nn, a, n * sizeof(*a));
    CHECK_OK(cuzk_ntt_inverse(d, nr, CUZK_NTT_RN, shift, pool, NULL, NULL), NULL);
    CHECK_MEM(nr, a, n * sizeof(*a));
    CHECK_OK(cuzk_ntt_inverse(d, rn, CUZK_NTT_NR, shift, pool, NULL, NULL), NULL);
    for (size_t i = 0; i < n; i++) {
        CHECK_MSG(cuzk_fr_eq(&rn[reversed(i, lg)], &a[i]), "lg %u: inverse NR at %zu", lg, i);
    }
    cuzk_free(rn);
    cuzk_free(nr);
    cuzk_free(nn);
    cuzk_free(a);
    cuzk_ntt_domain_destroy(d);
}

/* One value of a big transform, by Horner. */
static void check_one_value(unsigned lg, const cuzk_fr *shift)
{
    const size_t n = (size_t)1 << lg;
    cuzk_ntt_domain *d = domain(lg, NULL);
    cuzk_fr *a = random_array(n), *b = copy_of(a, n);
    CHECK_OK(cuzk_ntt_forward(d, b, CUZK_NTT_NN, shift, NULL, NULL, NULL), NULL);
    for (int trial = 0; trial < 3; trial++) {
        const size_t at = test_below(n);
        cuzk_fr x, v = CUZK_FR_ZERO;
        cuzk_fr_pow_u64(&x, cuzk_ntt_domain_root(d), at);
        if (shift != NULL) {
            cuzk_fr_mul(&x, &x, shift);
        }
        for (size_t k = n; k-- > 0;) {
            cuzk_fr_mul(&v, &v, &x);
            cuzk_fr_add(&v, &v, &a[k]);
        }
        CHECK_MSG(cuzk_fr_eq(&v, &b[at]), "lg %u: value %zu", lg, at);
    }
    cuzk_free(b);
    cuzk_free(a);
    cuzk_ntt_domain_destroy(d);
}

static void orders_and_round_trips(void)
{
    for (unsigned lg = 0; lg <= 13; lg++) {
        check_orders(lg, NULL, NULL);
        check_orders(lg, &CUZK_FR_GENERATOR, NULL);
        check_one_value(lg, &CUZK_FR_GENERATOR);
    }
    check_orders(LG_BIG, &CUZK_FR_GENERATOR, NULL);
    check_one_value(LG_BIG, NULL);
}

static void threads_do_not_change_the_result(void)
{
    static const unsigned sizes[] = {5, 6, 9, 12, 14};
    for (unsigned threads = 2; threads <= 5; threads++) {
        cuzk_pool *pool = NULL;
        const cuzk_pool_cfg cfg = {.n_threads = threads};
        CHECK_OK(cuzk_pool_create(&pool, &cfg, NULL), NULL);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            check_orders(sizes[i], &CUZK_FR_GENERATOR, pool);
            check_orders(sizes[i], NULL, pool);
        }
        cuzk_pool_destroy(pool);
    }
}

/* All values 0, and the largest element everywhere: extremes of the lazy reductions. */
static void extreme_inputs(void)
{
    cuzk_fr minus_one;
    cuzk_fr_neg(&minus_one, &CUZK_FR_ONE);
    const cuzk_fr top = {{0xffffffff00000000ULL, 0x53bda402fffe5bfeULL, 0x3339d80809a1d805ULL,
                          0x73eda753299d7d48ULL}}; /* r - 1 as stored */
    const cuzk_fr *values[] = {&CUZK_FR_ZERO, &CUZK_FR_ONE, &minus_one, &top};
    for (unsigned lg = 0; lg <= 13; lg++) {
        const size_t n = (size_t)1 << lg;
        cuzk_ntt_domain *d = domain(lg, NULL);
        cuzk_fr *a = random_array(n), scaled;
        for (size_t v = 0; v < 4; v++) {
            for (size_t i = 0; i < n; i++) {
                a[i] = *values[v];
            }
            cuzk_fr_from_u64(&scaled, n);
            cuzk_fr_mul(&scaled, &scaled, values[v]);
            CHECK_OK(cuzk_ntt_forward(d, a, CUZK_NTT_NR, NULL, NULL, NULL, NULL), NULL);
            CHECK(cuzk_fr_eq(&a[0], &scaled)); /* a constant times sum x^i: n at 1, 0 elsewhere */
            for (size_t i = 1; i < n; i++) {
                CHECK(cuzk_fr_is_zero(&a[i]));
            }
            CHECK_OK(cuzk_ntt_inverse(d, a, CUZK_NTT_RN, NULL, NULL, NULL, NULL), NULL);
            for (size_t i = 0; i < n; i++) {
                CHECK(cuzk_fr_eq(&a[i], values[v]));
            }
            CHECK_OK(cuzk_ntt_inverse(d, a, CUZK_NTT_NR, NULL, NULL, NULL, NULL), NULL);
            CHECK(cuzk_fr_eq(&a[0], values[v]));
            for (size_t i = 1; i < n; i++) {
                CHECK(cuzk_fr_is_zero(&a[i]));
            }
            CHECK_OK(cuzk_ntt_forward(d, a, CUZK_NTT_RN, NULL, NULL, NULL, NULL), NULL);
            for (size_t i = 0; i < n; i++) {
                CHECK(cuzk_fr_eq(&a[i], values[v]));
            }
        }
        cuzk_free(a);
        cuzk_ntt_domain_destroy(d);
    }
}

/* Product of polynomials: transform without reversal, multiply, transform back. */
static void convolution(void)
{
    for (unsigned lg = 1; lg <= 9; lg++) {
        const size_t n = (size_t)1 << lg, h = n / 2;
        cuzk_ntt_domain *d = domain(lg, NULL);
        cuzk_fr *a = random_array(n), *b = random_array(n), *want = random_array(n);
        for (size_t i = h; i < n; i++) {
            a[i] = b[i] = CUZK_FR_ZERO;
        }
        for (size_t i = 0; i < n; i++) {
            want[i] = CUZK_FR_ZERO;
        }
        for (size_t i = 0; i < h; i++) {
            for (size_t j = 0; j < h; j++) {
                cuzk_fr t;
                cuzk_fr_mul(&t, &a[i], &b[j]);
                cuzk_fr_add(&want[i + j], &want[i + j], &t);
            }
        }
        CHECK_OK(cuzk_ntt_forward(d, a, CUZK_NTT_NR, &CUZK_FR_GENERATOR, NULL, NULL, NULL), NULL);
        CHECK_OK(cuzk_ntt_forward(d, b, CUZK_NTT_NR, &CUZK_FR_GENERATOR, NULL, NULL, NULL), NULL);
        for (size_t i = 0; i < n; i++) {
            cuzk_fr_mul(&a[i], &a[i], &b[i]);
        }
        CHECK_OK(cuzk_ntt_inverse(d, a, CUZK_NTT_RN, &CUZK_FR_GENERATOR, NULL, NULL, NULL), NULL);
        CHECK_MEM(a, want, n * sizeof(*a));
        cuzk_free(want);
        cuzk_free(b);
        cuzk_free(a);
        cuzk_ntt_domain_destroy(d);
    }
}

/* Elements are 8-byte aligned by type; a caller need not have an aligned array. */
static void unaligned_array(void)
{
    const unsigned lg = 8;
    const size_t n = (size_t)1 << lg;
    cuzk_ntt_domain *d = domain(lg, NULL);
    cuzk_fr *a = random_array(n), *b = copy_of(a, n);
    uint64_t *room = cuzk_alloc(4 * n + 1, sizeof(*room));
    CHECK(room != NULL);
    cuzk_fr *odd = (cuzk_fr *)(void *)(room + 1);
    memcpy(odd, a, n * sizeof(*a));
    CHECK_OK(cuzk_ntt_forward(d, b, CUZK_NTT_NN, NULL, NULL, NULL, NULL), NULL);
    CHECK_OK(cuzk_ntt_forward(d, odd, CUZK_NTT_NN, NULL, NULL, NULL, NULL), NULL);
    CHECK_MEM(odd, b, n * sizeof(*a));
    CHECK_OK(cuzk_ntt_inverse(d, odd, CUZK_NTT_NN, NULL, NULL, NULL, NULL), NULL);
    CHECK_MEM(odd, a, n * sizeof(*a));
    cuzk_free(room);
    cuzk_free(b);
    cuzk_free(a);
    cuzk_ntt_domain_destroy(d);
}

static void to_coset_is_inverse_and_forward(void)
{
    cuzk_pool *pool = NULL;
    const cuzk_pool_cfg cfg = {.n_threads = 3};
    cuzk_fr shift;
    cuzk_fr_from_u64(&shift, 5);
    CHECK_OK(cuzk_pool_create(&pool, &cfg, NULL), NULL);
    const cuzk_fr *shifts[] = {&CUZK_FR_ONE, &CUZK_FR_GENERATOR, &shift};
    for (unsigned lg = 0; lg <= 13; lg++) {
        const size_t n = (size_t)1 << lg;
        for (size_t s = 0; s < 3; s++) {
            cuzk_ntt_domain *d = domain(lg, NULL);
            cuzk_fr *a = random_array(n), *b = copy_of(a, n), *c = copy_of(a, n);
            CHECK_OK(cuzk_ntt_inverse(d, a, CUZK_NTT_NN, NULL, NULL, NULL, NULL), NULL);
            CHECK_OK(cuzk_ntt_forward(d, a, CUZK_NTT_NN, shifts[s], NULL, NULL, NULL), NULL);
            CHECK_OK(cuzk_ntt_to_coset(d, b, shifts[s], NULL, NULL, NULL), NULL);
            CHECK_OK(cuzk_ntt_to_coset(d, c, shifts[s], pool, NULL, NULL), NULL);
            CHECK_MEM(b, a, n * sizeof(*a));
            CHECK_MEM(c, a, n * sizeof(*a));
            cuzk_free(c);
            cuzk_free(b);
            cuzk_free(a);
            cuzk_ntt_domain_destroy(d);
        }
    }
    cuzk_pool_destroy(pool);
}

static void reversal(void)
{
    for (unsigned lg = 0; lg <= 13; lg++) {
        const size_t n = (size_t)1 << lg;
        cuzk_fr *a = random_array(n), *b = copy_of(a, n);
        CHECK_OK(cuzk_ntt_reverse(b, lg, NULL, NULL, NULL), NULL);
        for (size_t i = 0; i < n; i++) {
            CHECK_MSG(cuzk_fr_eq(&a[i], &b[reversed(i, lg)]), "lg %u: element %zu", lg, i);
        }
        cuzk_free(b);
        cuzk_free(a);
    }
}

static void cancel(void)
{
    cuzk_cancel c = {true};
    cuzk_err err;
    for (unsigned lg = 3; lg <= 8; lg += 5) {
        cuzk_ntt_domain *d = domain(lg, NULL);
        cuzk_fr *a = random_array((size_t)1 << lg);
        for (size_t o = 0; o < 3; o++) {
            CHECK_STATUS(cuzk_ntt_forward(d, a, orders[o], NULL, NULL, &c, &err), CUZK_E_CANCELLED);
            CHECK(err.code == CUZK_E_CANCELLED && err.msg[0] != '\0');
            CHECK_STATUS(cuzk_ntt_inverse(d, a, orders[o], NULL, NULL, &c, &err), CUZK_E_CANCELLED);
        }
        CHECK_STATUS(cuzk_ntt_to_coset(d, a, &CUZK_FR_GENERATOR, NULL, &c, &err), CUZK_E_CANCELLED);
        cuzk_free(a);
        cuzk_ntt_domain_destroy(d);
    }
}

static void bad_arguments(void)
{
    cuzk_ntt_domain *d = NULL;
    cuzk_err err;
    CHECK_STATUS(cuzk_ntt_domain_create(&d, 33, NULL, NULL, &err), CUZK_E_INVALID);
    CHECK(d == NULL && strstr(err.msg, "2^33") != NULL);
    cuzk_ntt_domain_destroy(NULL);
    cuzk_fr a = CUZK_FR_ONE;
    d = domain(0, NULL);
    CHECK_STATUS(cuzk_ntt_forward(d, &a, CUZK_NTT_NN, &CUZK_FR_ZERO, NULL, NULL, &err),
                 CUZK_E_INVALID);
    CHECK_STATUS(cuzk_ntt_inverse(d, &a, CUZK_NTT_NN, &CUZK_FR_ZERO, NULL, NULL, &err),
                 CUZK_E_INVALID);
    CHECK_STATUS(cuzk_ntt_to_coset(d, &a, &CUZK_FR_ZERO, NULL, NULL, &err), CUZK_E_INVALID);
    CHECK(cuzk_fr_is_one(&a));
    cuzk_ntt_domain_destroy(d);
}

static void largest_domain_has_small_tables(void)
{
    const uint64_t before = cuzk_alloc_get_stats().bytes_now;
    cuzk_ntt_domain *d = domain(32, NULL);
    CHECK(cuzk_fr_eq(cuzk_ntt_domain_root(d), &CUZK_FR_ROOT_2_32));
    CHECK(cuzk_alloc_get_stats().bytes_now - before < (uint64_t)8 << 20);
    cuzk_ntt_domain_destroy(d);
}

static void allocation_failures(void)
{
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    uint64_t nth = 1;
    cuzk_ntt_domain *d = NULL;
    cuzk_err err;
    for (;; nth++) {
        cuzk_alloc_fail_nth(nth, false);
        const cuzk_status st = cuzk_ntt_domain_create(&d, 8, NULL, NULL, &err);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            break;
        }
        CHECK_U64(st, CUZK_E_NOMEM);
        CHECK(d == NULL);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
    }
    CHECK(nth > 1);
    cuzk_fr *a = random_array(256);
    const uint64_t held = cuzk_alloc_get_stats().blocks_now;
    for (nth = 1;; nth++) {
        cuzk_alloc_fail_nth(nth, false);
        const cuzk_status st = cuzk_ntt_forward(d, a, CUZK_NTT_NN, NULL, NULL, NULL, &err);
        cuzk_alloc_fail_nth(0, false);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, held);
        if (st == CUZK_OK) {
            break;
        }
        CHECK_U64(st, CUZK_E_NOMEM);
        CHECK(err.code == CUZK_E_NOMEM);
    }
    CHECK(nth > 1);
    cuzk_free(a);
    cuzk_ntt_domain_destroy(d);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
}

static const cuzk_case cases[] = {
    CASE(equals_the_definition),
    CASE(snarkjs_root),
    CASE(orders_and_round_trips),
    CASE(threads_do_not_change_the_result),
    CASE(extreme_inputs),
    CASE(convolution),
    CASE(unaligned_array),
    CASE(to_coset_is_inverse_and_forward),
    CASE(reversal),
    CASE(cancel),
    CASE(bad_arguments),
    CASE(largest_domain_has_small_tables),
    CASE(allocation_failures),
};
TEST_MAIN("ntt/ntt", cases)
