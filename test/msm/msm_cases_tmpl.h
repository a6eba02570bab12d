/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Cases for one group; included once per group. Parameters: G (g1 or g2), G2 (0 or 1).
 *
 * The oracle knows the discrete logarithms: base i is log_i times the generator, made by affine
 * arithmetic over GMP (test/ref), so that a sum is one multiplication of the generator by
 * sum log_i * scalar_i mod r. For small n the sum is also made term by term.
 */
#define CAT_(a, b, c, d) a##b##c##d
#define CAT(a, b, c, d)  CAT_(a, b, c, d)
#define PT               CAT(cuzk_, G, _affine, )
#define JAC              CAT(cuzk_, G, , )
#define PTFN(f)          CAT(cuzk_, G, _, f)
#define MSM              CAT(cuzk_msm_, G, , )
#define MSM_BITS         CAT(cuzk_msm_bits_, G, , )
#define FIXED            CAT(cuzk_fixed_base_, G, , )

/* Bases with their logarithms. */
typedef struct base_set {
    size_t n;
    PT *p;
    mpz_t *log;
} base_set;

static mpz_t order;

static void order_init(void)
{
    static bool done;
    if (!done) {
        (void)mpz_init_set_str(
            order, "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001", 16);
        done = true;
    }
}

static void mpz_to_be48(uint8_t out[48], const mpz_t v)
{
    size_t n = 0;
    uint8_t tmp[64];
    memset(out, 0, 48);
    (void)mpz_export(tmp, &n, 1, 1, 1, 0, v);
    CHECK(n <= 48);
    memcpy(out + 48 - n, tmp, n);
}

static void mpz_to_fp(cuzk_fp *out, const mpz_t v)
{
    uint8_t b[48];
    mpz_to_be48(b, v);
    CHECK(cuzk_fp_from_bytes_be(out, b));
}

static void mpz_to_scalar(cuzk_scalar *out, const mpz_t v)
{
    mpz_t t;
    mpz_init(t);
    mpz_mod(t, v, order);
    memset(out, 0, sizeof(*out));
    (void)mpz_export(out->l, NULL, -1, 8, 0, 0, t);
    mpz_clear(t);
}

static void scalar_to_mpz(mpz_t out, const cuzk_scalar *s)
{
    mpz_import(out, 4, -1, 8, 0, 0, s->l);
}

static void ref_to_affine(PT *out, const ref_point *p)
{
    memset(out, 0, sizeof(*out));
    if (p->infinity) {
        return;
    }
#if G2
    mpz_to_fp(&out->x.c0, p->x.c0);
    mpz_to_fp(&out->x.c1, p->x.c1);
    mpz_to_fp(&out->y.c0, p->y.c0);
    mpz_to_fp(&out->y.c1, p->y.c1);
#else
    mpz_to_fp(&out->x, p->x.c0);
    mpz_to_fp(&out->y, p->y.c0);
#endif
}

static void ref_from_affine(ref_point *out, const PT *p)
{
    uint8_t b[4][48];
#if G2
    cuzk_fp_to_bytes_be(b[0], &p->x.c0);
    cuzk_fp_to_bytes_be(b[1], &p->x.c1);
    cuzk_fp_to_bytes_be(b[2], &p->y.c0);
    cuzk_fp_to_bytes_be(b[3], &p->y.c1);
    ref_import(out, b[0], b[1], b[2], b[3]);
#else
    cuzk_fp_to_bytes_be(b[0], &p->x);
    cuzk_fp_to_bytes_be(b[2], &p->y);
    ref_import(out, b[0], NULL, b[2], NULL);
#endif
}

static void ref_generator(ref_point *out)
{
#if G2
    ref_from_affine(out, &CUZK_G2_GENERATOR);
#else
    ref_from_affine(out, &CUZK_G1_GENERATOR);
#endif
}

static void ref_times(ref_point *out, const ref_point *p, const mpz_t k)
{
    cuzk_scalar s;
    uint8_t b[32];
    mpz_to_scalar(&s, k);
    memcpy(b, s.l, 32); /* little-endian host, as everywhere in these tests */
    ref_mul(out, p, b);
}

static void random_mpz(mpz_t out)
{
    uint64_t w[4];
    for (int i = 0; i < 4; i++) {
        w[i] = test_u64();
    }
    mpz_import(out, 4, -1, 8, 0, 0, w);
    mpz_mod(out, out, order);
}

/* An arithmetic progression of logarithms with random start and step. */
static void bases_make(base_set *b, size_t n)
{
    ref_point g, at, step;
    mpz_t d;
    order_init();
    b->n = n;
    b->p = malloc((n + 1) * sizeof(*b->p));
    b->log = malloc((n + 1) * sizeof(*b->log));
    CHECK(b->p != NULL && b->log != NULL);
    ref_init(&g);
    ref_init(&at);
    ref_init(&step);
    mpz_init(d);
    ref_generator(&g);
    random_mpz(d);
    ref_times(&step, &g, d);
    for (size_t i = 0; i < n; i++) {
        mpz_init(b->log[i]);
        if (i == 0) {
            random_mpz(b->log[0]);
            ref_times(&at, &g, b->log[0]);
        } else {
            mpz_add(b->log[i], b->log[i - 1], d);
            mpz_mod(b->log[i], b->log[i], order);
            ref_add(&at, &at, &step);
        }
        ref_to_affine(&b->p[i], &at);
    }
    mpz_clear(d);
    ref_clear(&step);
    ref_clear(&at);
    ref_clear(&g);
}

static void bases_free(base_set *b)
{
    for (size_t i = 0; i < b->n; i++) {
        mpz_clear(b->log[i]);
    }
    free(b->log);
    free(b->p);
}

/* to = from, -from or infinity. */
static void base_copy(base_set *b, size_t to, size_t from, int sign)
{
    if (sign == 0) {
        memset(&b->p[to], 0, sizeof(b->p[to]));
        mpz_set_ui(b->log[to], 0);
        return;
    }
    b->p[to] = b->p[from];
    mpz_set(b->log[to], b->log[from]);
    if (sign < 0) {
        PTFN(affine_neg)(&b->p[to], &b->p[to]);
        mpz_neg(b->log[to], b->log[to]);
        mpz_mod(b->log[to], b->log[to], order);
    }
}

/* got is total times the generator. */
static void check_log(const JAC *got, const mpz_t total, const char *what)
{
    ref_point want, have;
    PT a;
    ref_init(&want);
    ref_init(&have);
    ref_generator(&want);
    ref_times(&want, &want, total);
    PTFN(to_affine)(&a, got);
    ref_from_affine(&have, &a);
    const bool ok = ref_eq(&want, &have);
    ref_clear(&have);
    ref_clear(&want);
    CHECK_MSG(ok, "wrong sum: %s", what);
}

static void dot(mpz_t out, const base_set *b, const cuzk_scalar *s, size_t n)
{
    mpz_t t;
    mpz_init(t);
    mpz_set_ui(out, 0);
    for (size_t i = 0; i < n; i++) {
        scalar_to_mpz(t, &s[i]);
        mpz_addmul(out, t, b->log[i]);
    }
    mpz_mod(out, out, order);
    mpz_clear(t);
}

static void check_msm(const base_set *b, const cuzk_scalar *s, size_t n, unsigned nbits,
                      cuzk_pool *pool, const char *what)
{
    JAC got;
    mpz_t want;
    cuzk_err err;
    char text[128];
    mpz_init(want);
    dot(want, b, s, n);
    (void)snprintf(text, sizeof(text), "%s, n = %zu", what, n);
    CHECK_OK(MSM(&got, b->p, s, n, nbits, pool, NULL, &err), &err);
    check_log(&got, want, text);
    mpz_clear(want);
}

static void edge_scalar(cuzk_scalar *s)
{
    static const cuzk_scalar r = {{0xffffffff00000001ULL, 0x53bda402fffe5bfeULL,
                                   0x3339d80809a1d805ULL, 0x73eda753299d7d48ULL}};
    mpz_t v;
    mpz_init(v);
    switch (test_below(12)) {
    case 0: mpz_set_ui(v, 0); break;
    case 1: mpz_set_ui(v, 1); break;
    case 2: mpz_sub_ui(v, order, 1 + test_below(3)); break;
    case 3: mpz_set_ui(v, test_below(300)); break;
    case 4: mpz_set_ui(v, test_u64()); break;
    case 5: /* about lambda, half of it, r / 2 */
        scalar_to_mpz(v, &r);
        mpz_tdiv_q_2exp(v, v, test_below(2) != 0 ? 1 : 127 + test_below(3));
        mpz_add_ui(v, v, test_below(3));
        break;
    default: {
        uint8_t b[32];
        test_bytes(b, sizeof(b));
        mpz_import(v, 32, 1, 1, 0, 0, b);
    }
    }
    mpz_to_scalar(s, v);
    mpz_clear(v);
}

static void uniform_scalars(cuzk_scalar *s, size_t n)
{
    mpz_t v;
    mpz_init(v);
    for (size_t i = 0; i < n; i++) {
        random_mpz(v);
        mpz_to_scalar(&s[i], v);
    }
    mpz_clear(v);
}

static cuzk_scalar *scalars_new(size_t n)
{
    cuzk_scalar *s = malloc((n + 1) * sizeof(*s));
    CHECK(s != NULL);
    return s;
}

static void set_u64(cuzk_scalar *s, uint64_t v)
{
    memset(s, 0, sizeof(*s));
    s->l[0] = v;
}

/* Against the definition, with arithmetic that shares nothing with the code under test. */
static void term_by_term(void)
{
    enum { N = 24 };
    base_set b;
    cuzk_scalar s[N];
    ref_point sum, t;
    JAC got;
    PT a;
    cuzk_err err;
    bases_make(&b, N);
    base_copy(&b, 3, 2, 1);
    base_copy(&b, 5, 4, -1);
    base_copy(&b, 7, 0, 0);
    ref_init(&sum);
    ref_init(&t);
    for (size_t i = 0; i < N; i++) {
        edge_scalar(&s[i]);
    }
    s[3] = s[2];
    s[5] = s[4];
    for (size_t n = 0; n <= N; n += n < 6 ? 1 : 6) {
        sum.infinity = true;
        for (size_t i = 0; i < n; i++) {
            uint8_t k[32];
            memcpy(k, s[i].l, 32);
            ref_from_affine(&t, &b.p[i]);
            ref_mul(&t, &t, k);
            ref_add(&sum, &sum, &t);
        }
        CHECK_OK(MSM(&got, b.p, s, n, 255, NULL, NULL, &err), &err);
        PTFN(to_affine)(&a, &got);
        ref_from_affine(&t, &a);
        CHECK_MSG(ref_eq(&sum, &t), "wrong sum of %zu terms", n);
    }
    ref_clear(&t);
    ref_clear(&sum);
    bases_free(&b);
}

static void sizes(void)
{
    static const size_t list[] = {0,    1,    2,    3,    4,    5,    6,    7,   8,    9,
                                  15,   16,   17,   31,   32,   33,   63,   64,  65,   127,
                                  128,  129,  255,  256,  257,  511,  512,  513, 1000, 1023,
                                  1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097};
    base_set b;
    bases_make(&b, 4097);
    cuzk_scalar *s = scalars_new(4097);
    for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
        uniform_scalars(s, list[k]);
        check_msm(&b, s, list[k], 255, NULL, "uniform");
        for (size_t i = 0; i < list[k]; i++) {
            edge_scalar(&s[i]);
        }
        check_msm(&b, s, list[k], 255, NULL, "edges");
    }
    free(s);
    bases_free(&b);
}

static void special_scalars(void)
{
    enum { N = 1500 };
    static const size_t list[] = {5, 40, 700, N};
    base_set b;
    bases_make(&b, N);
    cuzk_scalar *s = scalars_new(N), one, minus_one;
    set_u64(&one, 1);
    mpz_t v;
    mpz_init(v);
    mpz_sub_ui(v, order, 1);
    mpz_to_scalar(&minus_one, v);
    for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
        const size_t n = list[k];
        memset(s, 0, n * sizeof(*s));
        check_msm(&b, s, n, 255, NULL, "all zero");
        check_msm(&b, s, n, 1, NULL, "all zero, 1 bit");
        for (size_t i = 0; i < n; i++) {
            s[i] = one;
        }
        check_msm(&b, s, n, 255, NULL, "all one");
        check_msm(&b, s, n, 1, NULL, "all one, 1 bit");
        for (size_t i = 0; i < n; i++) {
            s[i] = minus_one;
        }
        check_msm(&b, s, n, 255, NULL, "all r - 1");
        uniform_scalars(s, 1);
        for (size_t i = 1; i < n; i++) {
            s[i] = s[0];
        }
        check_msm(&b, s, n, 255, NULL, "all equal");
        for (unsigned bits = 1; bits <= 72; bits += bits < 12 ? 1 : 12) {
            for (size_t i = 0; i < n; i++) {
                set_u64(&s[i], test_u64() >> (bits < 64 ? 64 - bits : 0));
                s[i].l[1] = bits > 64 ? test_u64() >> (128 - bits) : 0;
            }
            check_msm(&b, s, n, bits, NULL, "short");
        }
        for (size_t i = 0; i < n; i++) {
            set_u64(&s[i], test_below(2));
        }
        uniform_scalars(&s[n / 2], 1);
        check_msm(&b, s, n, 255, NULL, "bits and one full");
        for (size_t i = 0; i < n; i++) {
            set_u64(&s[i], test_below(20) == 0 ? test_u64() : 0);
        }
        check_msm(&b, s, n, 64, NULL, "sparse");
        for (size_t i = 0; i < n; i++) {
            if (test_below(4) == 0) {
                edge_scalar(&s[i]);
            } else {
                set_u64(&s[i], test_below(5));
            }
        }
        check_msm(&b, s, n, 255, NULL, "mixture");
    }
    mpz_clear(v);
    free(s);
    bases_free(&b);
}

static void special_bases(void)
{
    enum { N = 1200 };
    static const size_t list[] = {6, 50, N};
    base_set b;
    bases_make(&b, N);
    cuzk_scalar *s = scalars_new(N);
    for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
        const size_t n = list[k];
        for (unsigned how = 0; how < 5; how++) {
            for (size_t i = 1; i < n; i++) {
                switch (how) {
                case 0: base_copy(&b, i, 0, 1); break; /* all equal */
                case 1: base_copy(&b, i, i & ~(size_t)1, i % 2 != 0 ? -1 : 1); break; /* P, -P */
                case 2: base_copy(&b, i, i / 3 * 3, i % 3 == 1 ? 0 : 1); break; /* some infinite */
                case 3: base_copy(&b, i, 0, test_below(2) != 0 ? 1 : -1); break;
                default: base_copy(&b, i, 0, 0); break; /* all infinite but the first */
                }
            }
            uniform_scalars(s, n);
            check_msm(&b, s, n, 255, NULL, "special bases, uniform");
            for (size_t i = 0; i < n; i++) {
                s[i] = s[i & ~(size_t)1]; /* P, -P then cancel in every window */
            }
            check_msm(&b, s, n, 255, NULL, "special bases, scalars in pairs");
            for (size_t i = 0; i < n; i++) {
                s[i] = s[0];
            }
            check_msm(&b, s, n, 255, NULL, "special bases, equal scalars");
            for (size_t i = 0; i < n; i++) {
                set_u64(&s[i], 1 + test_below(2));
            }
            check_msm(&b, s, n, 2, NULL, "special bases, small scalars");
            bases_free(&b);
            bases_make(&b, N);
        }
    }
    free(s);
    bases_free(&b);
}

/* One or two full scalars, so that the windows are as small as they get; halves at their ends. */
static void few_full(void)
{
    enum { N = 6 };
    base_set b;
    cuzk_scalar s[N];
    mpz_t v, lambda;
    bases_make(&b, N);
    mpz_inits(v, lambda, NULL);
    (void)mpz_set_str(lambda, "ac45a4010001a40200000000ffffffff", 16);
    for (size_t k = 0; k < test_iters(150); k++) {
        memset(s, 0, sizeof(s));
        uniform_scalars(s, 1 + k % 2);
        if (k % 3 == 0) { /* (lambda + 1) / 2 * lambda + lambda / 2 and about */
            mpz_add_ui(v, lambda, 1);
            mpz_tdiv_q_2exp(v, v, 1);
            mpz_sub_ui(v, v, test_below(3));
            mpz_mul(v, v, lambda);
            mpz_addmul_ui(v, lambda, test_below(2));
            mpz_tdiv_q_2exp(lambda, lambda, 1);
            mpz_add(v, v, lambda);
            mpz_mul_2exp(lambda, lambda, 1);
            mpz_add_ui(lambda, lambda, 1); /* odd */
            mpz_add_ui(v, v, test_below(4));
            mpz_to_scalar(&s[0], v);
        }
        check_msm(&b, s, N, 255, NULL, "few full");
    }
    mpz_clears(v, lambda, NULL);
    bases_free(&b);
}

static void threads(void)
{
    enum { N = 9000 };
    static const unsigned counts[] = {1, 2, 5};
    base_set b;
    bases_make(&b, N);
    cuzk_scalar *s = scalars_new(N);
    uint64_t bits[N / 64 + 1];
    mpz_t want;
    mpz_init(want);
    for (size_t i = 0; i < N; i++) {
        edge_scalar(&s[i]);
    }
    uniform_scalars(s, N / 2);
    for (size_t i = 0; i < N / 64 + 1; i++) {
        bits[i] = test_u64();
    }
    for (size_t i = 0; i < N; i++) {
        if ((bits[i / 64] >> (i % 64) & 1) != 0) {
            mpz_add(want, want, b.log[i]);
        }
    }
    for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
        const cuzk_pool_cfg cfg = {counts[k], false, "test"};
        cuzk_pool *pool;
        cuzk_err err;
        JAC got;
        CHECK_OK(cuzk_pool_create(&pool, &cfg, &err), &err);
        check_msm(&b, s, N, 255, pool, "threads");
        check_msm(&b, s, 300, 255, pool, "threads, few");
        CHECK_OK(MSM_BITS(&got, b.p, bits, N, pool, NULL, &err), &err);
        check_log(&got, want, "threads, bits");
        cuzk_pool_destroy(pool);
    }
    mpz_clear(want);
    free(s);
    bases_free(&b);
}

static void bits(void)
{
    enum { N = 3000, WORDS = N / 64 + 1 };
    static const size_t list[] = {0, 1, 2, 3, 63, 64, 65, 100, 129, 1000, N};
    base_set b;
    uint64_t w[WORDS];
    mpz_t want;
    cuzk_err err;
    JAC got;
    bases_make(&b, N);
    mpz_init(want);
    for (unsigned how = 0; how < 5; how++) {
        for (size_t i = 1; i < N && how >= 3; i++) {
            base_copy(&b, i, 0, how == 3 ? 1 : (int)test_below(3) - 1);
        }
        for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
            mpz_set_ui(want, 0);
            for (size_t i = 0; i < WORDS; i++) {
                w[i] = how == 0 ? 0 : how == 1 ? ~(uint64_t)0 : test_u64();
            }
            for (size_t i = 0; i < list[k]; i++) {
                if ((w[i / 64] >> (i % 64) & 1) != 0) {
                    mpz_add(want, want, b.log[i]);
                }
            }
            CHECK_OK(MSM_BITS(&got, b.p, w, list[k], NULL, NULL, &err), &err);
            check_log(&got, want, "bits");
        }
    }
    mpz_clear(want);
    bases_free(&b);
}

static void fixed_base(void)
{
    static const size_t list[] = {0, 1, 2, 8, 9, 33, 500, 2500};
    cuzk_scalar *s = scalars_new(2500);
    PT *out = malloc(2500 * sizeof(*out)), base;
    ref_point g, want, have;
    mpz_t k;
    cuzk_err err;
    CHECK(out != NULL);
    order_init();
    ref_init(&g);
    ref_init(&want);
    ref_init(&have);
    mpz_init(k);
    ref_generator(&g);
    random_mpz(k);
    ref_times(&g, &g, k);
    ref_to_affine(&base, &g);
    for (size_t j = 0; j < sizeof(list) / sizeof(list[0]); j++) {
        const size_t n = list[j];
        for (size_t i = 0; i < n; i++) {
            edge_scalar(&s[i]);
        }
        CHECK_OK(FIXED(out, &base, s, n, NULL, NULL, &err), &err);
        for (size_t i = 0; i < n; i += 1 + n / 40) {
            scalar_to_mpz(k, &s[i]);
            ref_times(&want, &g, k);
            ref_from_affine(&have, &out[i]);
            CHECK_MSG(ref_eq(&want, &have), "multiple %zu of %zu", i, n);
        }
    }
    memset(&base, 0, sizeof(base));
    CHECK_OK(FIXED(out, &base, s, 100, NULL, NULL, &err), &err);
    for (size_t i = 0; i < 100; i++) {
        CHECK(PTFN(affine_is_infinity)(&out[i]));
    }
    mpz_clear(k);
    ref_clear(&have);
    ref_clear(&want);
    ref_clear(&g);
    free(out);
    free(s);
}

/* Every allocation fails once: status, no leak, output untouched. */
static void allocation_failures(void)
{
    enum { N = 300 };
    base_set b;
    bases_make(&b, N);
    cuzk_scalar *s = scalars_new(N);
    PT *out = malloc(N * sizeof(*out));
    uint64_t w[N / 64 + 1];
    CHECK(out != NULL);
    for (size_t i = 0; i < N; i++) {
        if (i % 3 == 0) {
            set_u64(&s[i], i);
        } else {
            uniform_scalars(&s[i], 1);
        }
    }
    memset(w, 0xa5, sizeof(w));
    const uint64_t before = cuzk_alloc_get_stats().blocks_now;
    for (unsigned what = 0; what < 3; what++) {
        for (uint64_t nth = 1;; nth++) {
            JAC got, mark;
            memset(&got, 0x5a, sizeof(got));
            memset(&mark, 0x5a, sizeof(mark));
            cuzk_alloc_fail_nth(nth, (nth & 1) != 0);
            const cuzk_status st = what == 0   ? MSM(&got, b.p, s, N, 255, NULL, NULL, NULL)
                                   : what == 1 ? MSM_BITS(&got, b.p, w, N, NULL, NULL, NULL)
                                               : FIXED(out, &b.p[0], s, N, NULL, NULL, NULL);
            cuzk_alloc_fail_nth(0, false);
            CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
            if (st == CUZK_OK) {
                CHECK_MSG(nth > 1, "call %u never allocates", what);
                break;
            }
            CHECK_STATUS(st, CUZK_E_NOMEM);
            CHECK_MEM(&got, &mark, sizeof(got));
            CHECK(nth < 100);
        }
    }
    free(out);
    free(s);
    bases_free(&b);
}

static void refusals(void)
{
    enum { N = 200 };
    base_set b;
    cuzk_err err;
    bases_make(&b, N);
    cuzk_scalar *s = scalars_new(N);
    uint64_t w[N / 64 + 1];
    PT *out = malloc(N * sizeof(*out));
    JAC got, mark;
    CHECK(out != NULL);
    memset(&got, 0x5a, sizeof(got));
    memset(&mark, 0x5a, sizeof(mark));
    memset(w, 0xff, sizeof(w));
    uniform_scalars(s, N);
    const cuzk_cancel stop = {true};
    CHECK_STATUS(MSM(&got, b.p, s, N, 255, NULL, &stop, &err), CUZK_E_CANCELLED);
    CHECK_U64(err.code, CUZK_E_CANCELLED);
    CHECK_STATUS(MSM_BITS(&got, b.p, w, N, NULL, &stop, &err), CUZK_E_CANCELLED);
    CHECK_STATUS(FIXED(out, &b.p[0], s, N, NULL, &stop, &err), CUZK_E_CANCELLED);
    CHECK_STATUS(MSM(&got, b.p, s, N, 0, NULL, NULL, &err), CUZK_E_INVALID);
    CHECK_STATUS(MSM(&got, b.p, s, N, 256, NULL, NULL, &err), CUZK_E_INVALID);
    memset(&s[N - 1], 0xff, sizeof(s[0]));
    CHECK_STATUS(MSM(&got, b.p, s, N, 255, NULL, NULL, &err), CUZK_E_INVALID);
    CHECK_U64(err.code, CUZK_E_INVALID);
    CHECK_STATUS(FIXED(out, &b.p[0], s, N, NULL, NULL, &err), CUZK_E_INVALID);
    CHECK_MEM(&got, &mark, sizeof(got));
    free(out);
    free(s);
    bases_free(&b);
}

/* MSM(s + t) = MSM(s) + MSM(t), and halves of a sum add up. */
static void linear(void)
{
    enum { N = 2000 };
    base_set b;
    cuzk_err err;
    JAC x, y, z;
    mpz_t u, v;
    bases_make(&b, N);
    cuzk_scalar *s = scalars_new(N), *t = scalars_new(N), *sum = scalars_new(N);
    mpz_init(u);
    mpz_init(v);
    uniform_scalars(s, N);
    for (size_t i = 0; i < N; i++) {
        edge_scalar(&t[i]);
        scalar_to_mpz(u, &s[i]);
        scalar_to_mpz(v, &t[i]);
        mpz_add(u, u, v);
        mpz_to_scalar(&sum[i], u);
    }
    CHECK_OK(MSM(&x, b.p, s, N, 255, NULL, NULL, &err), &err);
    CHECK_OK(MSM(&y, b.p, t, N, 255, NULL, NULL, &err), &err);
    CHECK_OK(MSM(&z, b.p, sum, N, 255, NULL, NULL, &err), &err);
    PTFN(add)(&x, &x, &y);
    CHECK(PTFN(eq)(&x, &z));
    CHECK_OK(MSM(&x, b.p, t, 777, 255, NULL, NULL, &err), &err);
    CHECK_OK(MSM(&z, b.p + 777, t + 777, N - 777, 255, NULL, NULL, &err), &err);
    PTFN(add)(&x, &x, &z);
    CHECK(PTFN(eq)(&x, &y));
    mpz_clear(v);
    mpz_clear(u);
    free(sum);
    free(t);
    free(s);
    bases_free(&b);
}

static void large(void)
{
    /* The slow entry of this program asks for --iters=16. */
    const size_t N = test_iters(4096) < 65536 ? test_iters(4096) : 65536;
    base_set b;
    bases_make(&b, N + 1);
    cuzk_scalar *s = scalars_new(N + 1);
    uniform_scalars(s, N + 1);
    check_msm(&b, s, N - 1, 255, NULL, "large - 1");
    check_msm(&b, s, N, 255, NULL, "large");
    check_msm(&b, s, N + 1, 255, NULL, "large + 1");
    for (size_t i = 0; i < N; i++) {
        s[i] = s[0]; /* one bucket per window holds everything */
    }
    check_msm(&b, s, N, 255, NULL, "large, equal");
    for (size_t i = 0; i < N; i++) {
        set_u64(&s[i], 1 + test_below(6));
    }
    check_msm(&b, s, N, 3, NULL, "large, three bits");
    for (size_t i = 0; i < N; i++) {
        edge_scalar(&s[i]);
    }
    check_msm(&b, s, N, 255, NULL, "large, edges");
    free(s);
    bases_free(&b);
}
