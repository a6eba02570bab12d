/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Cases of the MSM on the GPU, included once per group by test_cuda_msm_g1.c and _g2.c, which
 * define P(name) (cuzk_g1 and cuzk_g1_name), CUDA(name) (cuzk_cuda_name with the group's suffix
 * in it), HOST_MSM, HOST_BITS, GENERATOR, FIELD, GROUP and LARGE_LG; and for the path with images of
 * the bases by test_cuda_msm_images.c, which defines WITH_IMAGES too. In G1 both define CACHED_TREE.
 */
#ifdef WITH_IMAGES
#    define TERMS_OF(bits) ((void)(bits), cuzk_cuda_msm_of_images())
#    define SUM(m, q, out, f, n, err) \
        cuzk_cuda_msm_images_g1(m, q, out, (f)->d_bases, (f)->d_images, (f)->d_scalars, n, err)
#    define ENQUEUE(m, q, f, n, err) \
        cuzk_cuda_msm_images_g1_enqueue(m, q, (f)->d_bases, (f)->d_images, (f)->d_scalars, n, err)
#else
#    define TERMS_OF(bits)            cuzk_cuda_msm_of_scalars(bits)
#    define SUM(m, q, out, f, n, err) CUDA(msm, )(m, q, out, (f)->d_bases, (f)->d_scalars, n, err)
#    define ENQUEUE(m, q, f, n, err)  CUDA(msm, _enqueue)(m, q, (f)->d_bases, (f)->d_scalars, n, err)
#endif
typedef struct fixture {
    cuzk_cuda_queue *q;
    P(affine) * bases;
    cuzk_scalar *scalars;
    uint64_t *bits;
    void *d_bases, *d_images, *d_scalars, *d_bits;
    size_t n;
} fixture;

/* Multiples of the generator in random steps; every 97th is infinity, some repeat or cancel. */
static void make_bases(P(affine) * out, size_t n)
{
    P_POINT *p = cuzk_alloc(n + 1, sizeof(*p));
    FIELD *scratch = cuzk_alloc(n + 1, sizeof(*scratch));
    CHECK(p != NULL && scratch != NULL);
    P_POINT at, step;
    const cuzk_scalar s = {{test_u64(), test_u64(), test_u64(), 0}};
    P(from_affine)(&at, &GENERATOR);
    P(mul)(&step, &at, &s);
    for (size_t i = 0; i < n; i++) {
        p[i] = at;
        P(add)(&at, &at, &step);
    }
    P(batch_to_affine)(out, p, scratch, n);
    for (size_t i = 1; i < n; i++) {
        const uint64_t kind = test_below(64);
        if (i % 97 == 0) {
            memset(&out[i], 0, sizeof(out[i]));
        } else if (kind == 0) {
            out[i] = out[i - 1];
        } else if (kind == 1) {
            P(affine_neg)(&out[i], &out[i - 1]);
        }
    }
    cuzk_free(p);
    cuzk_free(scratch);
}

/* The first n bases, and their images, to the device. */
static void upload_bases(fixture *f, size_t n)
{
    cuzk_err err;
    CHECK_OK(cuzk_cuda_upload(f->q, f->d_bases, f->bases, n * sizeof(*f->bases), &err), &err);
#ifdef WITH_IMAGES
    CHECK_OK(cuzk_cuda_msm_make_images_g1(f->q, f->d_images, f->d_bases, n, &err), &err);
#endif
}

static fixture setup(size_t n)
{
    cuzk_err err;
    fixture f = {0};
    f.q = cuda_queue();
    f.n = n;
    f.bases = cuzk_alloc(n + 1, sizeof(*f.bases));
    f.scalars = cuzk_alloc_zero(n + 1, sizeof(*f.scalars));
    f.bits = cuzk_alloc_zero(n / 64 + 1, sizeof(*f.bits));
    CHECK(f.bases != NULL && f.scalars != NULL && f.bits != NULL);
    make_bases(f.bases, n);
    f.d_bases = cuda_upload(f.q, f.bases, n * sizeof(*f.bases)); /* room */
    CHECK_OK(cuzk_cuda_alloc(f.q, &f.d_images, (n + 1) * CUZK_CUDA_MSM_IMAGE_BYTES, &err), &err);
    upload_bases(&f, n);
    f.d_scalars = cuda_upload(f.q, f.scalars, n * sizeof(*f.scalars)); /* room */
    f.d_bits = cuda_upload(f.q, f.bits, (n / 64 + 1) * sizeof(*f.bits));
    return f;
}

static void teardown(fixture *f)
{
    cuzk_cuda_free(f->q, f->d_bases);
    cuzk_cuda_free(f->q, f->d_images);
    cuzk_cuda_free(f->q, f->d_scalars);
    cuzk_cuda_free(f->q, f->d_bits);
    cuzk_cuda_queue_destroy(f->q);
    cuzk_free(f->bases);
    cuzk_free(f->scalars);
    cuzk_free(f->bits);
}

/* Affine results are compared: the coordinates of the sums depend on their order. */
static void check_point(const P_POINT *got, const P_POINT *want, size_t n, unsigned nbits,
                        unsigned kind)
{
    P(affine) g, w;
    P(to_affine)(&g, got);
    P(to_affine)(&w, want);
    CHECK_MSG(memcmp(&g, &w, sizeof(g)) == 0, "n = %zu, %u bits, kind %u: wrong sum", n, nbits,
              kind);
}

static cuzk_cuda_msm *workspace(cuzk_cuda_queue *q, uint64_t n, unsigned nbits)
{
    cuzk_cuda_msm *m = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_cuda_msm_create(&m, q, n, TERMS_OF(nbits), GROUP, &err), &err);
    return m;
}

static cuzk_cuda_msm *workspace_of_bits(cuzk_cuda_queue *q, uint64_t n)
{
    cuzk_cuda_msm *m = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_cuda_msm_create(&m, q, n, cuzk_cuda_msm_of_bits(), GROUP, &err), &err);
    return m;
}

/* A workspace that works as for many terms: levels of affine additions, batches of one window. */
static cuzk_cuda_msm *workspace_as_large(cuzk_cuda_queue *q, uint64_t n, unsigned nbits)
{
    const cuzk_cuda_msm_tuning t = {
        .lg_level_entries = 2, .lg_batch_entries = 2, .level_load = 16, .hex_at_once = 3};
    cuzk_cuda_msm *m = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_cuda_msm_create_tuned(&m, q, NULL, 0, n, TERMS_OF(nbits), GROUP, &t, &err), &err);
    return m;
}

static void compare(fixture *f, cuzk_cuda_msm *m, size_t n, unsigned nbits, unsigned kind)
{
    cuzk_err err;
    P_POINT got, want;
    CHECK_OK(cuzk_cuda_upload(f->q, f->d_scalars, f->scalars, n * sizeof(*f->scalars), &err), &err);
    CHECK_OK(SUM(m, f->q, &got, f, n, &err), &err);
    CHECK_OK(HOST_MSM(&want, f->bases, f->scalars, n, nbits, NULL, NULL, &err), &err);
    check_point(&got, &want, n, nbits, kind);
}

static void sizes_equal_host(void)
{
    static const size_t sizes[] = {0,    1,    2,    3,    31,   32,   33,   255,   256,  257,
                                   1023, 1024, 1025, 2047, 4095, 4096, 4097, 12345, 16384};
    static const unsigned widths[] = {255, 255, 255, 1, 5, 6, 64, 128, 254};
    const size_t top = 16384;
    fixture f = setup(top);
    for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
        cuzk_cuda_msm *m = workspace(f.q, top, widths[w]);
        for (size_t i = w % 3; i < sizeof(sizes) / sizeof(sizes[0]); i += 3) {
            fill_scalars(f.scalars, sizes[i], w == 1 ? EDGE : DENSE, widths[w]);
            compare(&f, m, sizes[i], widths[w], w == 1 ? EDGE : DENSE);
        }
        cuzk_cuda_msm_destroy(m, f.q);
    }
    teardown(&f);
}

static void kinds_equal_host(void)
{
    const size_t sizes[] = {1, 500, 8191, 20000};
    fixture f = setup(20000);
    cuzk_cuda_msm *m = workspace(f.q, 20000, 255);
    for (unsigned k = 0; k < KINDS; k++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            fill_scalars(f.scalars, sizes[i], (scalar_kind)k, 255);
            compare(&f, m, sizes[i], 255, k);
        }
    }
    cuzk_cuda_msm_destroy(m, f.q);
    teardown(&f);
}

/* 2^LARGE_LG terms; 16 times as many with --iters=16. */
static void large_equals_host(void)
{
    const size_t n = ((size_t)1 << LARGE_LG) * test_iters(1) + 1;
    fixture f = setup(n);
    cuzk_cuda_msm *m = workspace(f.q, n, 255);
    for (unsigned k = 0; k < KINDS; k++) {
        fill_scalars(f.scalars, n, (scalar_kind)k, 255);
        compare(&f, m, n - k % 3, 255, k);
    }
    cuzk_cuda_msm_destroy(m, f.q);
    teardown(&f);
}

/* Every base with its opposite beside it, equal scalars: all buckets cancel. */
static void cancelling_terms_give_infinity(void)
{
    const size_t n = 4096;
    fixture f = setup(n);
    cuzk_cuda_msm *m = workspace(f.q, n, 255), *l = workspace_as_large(f.q, n, 255);
    cuzk_err err;
    P_POINT got;
    fill_scalars(f.scalars, n, DENSE, 255);
    for (size_t i = 0; i < n; i += 2) {
        f.bases[i] = f.bases[n - 2];
        P(affine_neg)(&f.bases[i + 1], &f.bases[i]);
        f.scalars[i + 1] = f.scalars[i];
    }
    upload_bases(&f, n);
    CHECK_OK(cuzk_cuda_upload(f.q, f.d_scalars, f.scalars, n * sizeof(*f.scalars), &err), &err);
    CHECK_OK(SUM(m, f.q, &got, &f, n, &err), &err);
    CHECK(P(is_infinity)(&got));
    CHECK_OK(SUM(l, f.q, &got, &f, n, &err), &err);
    CHECK(P(is_infinity)(&got));
    cuzk_cuda_msm_destroy(m, f.q);
    cuzk_cuda_msm_destroy(l, f.q);
    teardown(&f);
}

/* All bases the same point: every addition in a bucket starts with a doubling. */
static void equal_bases_equal_host(void)
{
    const size_t n = 3000;
    fixture f = setup(n);
    cuzk_cuda_msm *m = workspace_as_large(f.q, n, 255);
    cuzk_err err;
    P_POINT got, want;
    for (size_t i = 1; i < n; i++) {
        f.bases[i] = f.bases[0];
    }
    upload_bases(&f, n);
    for (unsigned k = 0; k < KINDS; k++) {
        fill_scalars(f.scalars, n, (scalar_kind)k, 255);
        compare(&f, m, n, 255, k);
    }
    memset(f.bits, 0xff, (n / 64 + 1) * sizeof(*f.bits));
    CHECK_OK(cuzk_cuda_upload(f.q, f.d_bits, f.bits, (n / 64 + 1) * 8, &err), &err);
    CHECK_OK(CUDA(msm_bits, )(m, f.q, &got, f.d_bases, f.d_bits, n, &err), &err);
    CHECK_OK(HOST_BITS(&want, f.bases, f.bits, n, NULL, NULL, &err), &err);
    check_point(&got, &want, n, 1, 0);
    cuzk_cuda_msm_destroy(m, f.q);
    teardown(&f);
}

static void compare_bits(fixture *f, cuzk_cuda_msm *m, size_t n)
{
    for (unsigned k = 0; k < 5; k++) { /* none, sparse, half, all, one */
        cuzk_err err;
        P_POINT got, want;
        for (size_t w = 0; w < n / 64 + 1; w++) {
            const uint64_t x = test_u64();
            f->bits[w] = k == 0 || k == 4 ? 0
                         : k == 1         ? x & test_u64() & test_u64() & test_u64()
                         : k == 2         ? x
                                          : ~(uint64_t)0;
        }
        if (k == 4 && n != 0) {
            f->bits[(n - 1) / 64] = (uint64_t)1 << (n - 1) % 64;
        }
        CHECK_OK(cuzk_cuda_upload(f->q, f->d_bits, f->bits, (n / 64 + 1) * 8, &err), &err);
        CHECK_OK(CUDA(msm_bits, )(m, f->q, &got, f->d_bases, f->d_bits, n, &err), &err);
        CHECK_OK(HOST_BITS(&want, f->bases, f->bits, n, NULL, NULL, &err), &err);
        check_point(&got, &want, n, 1, k);
    }
}

static void bits_equal_host(void)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 127, 4096, 4097, 65535, 65536, 70000};
    const size_t top = GROUP == CUZK_CUDA_MSM_G1 ? 70000 : 20000;
    fixture f = setup(top);
    cuzk_cuda_msm *m = workspace_of_bits(f.q, f.n);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        compare_bits(&f, m, sizes[i] < top ? sizes[i] : top - i);
    }
    cuzk_cuda_msm_destroy(m, f.q);
    teardown(&f);
}

static void large_bits_equal_host(void)
{
    const size_t n = ((size_t)1 << (LARGE_LG + 2)) * test_iters(1) + 77;
    fixture f = setup(n);
    cuzk_cuda_msm *m = workspace_of_bits(f.q, f.n);
    compare_bits(&f, m, n);
    cuzk_cuda_msm_destroy(m, f.q);
    teardown(&f);
}

/* Few terms, for the sanitizers: every kernel with a partial block, every kind. */
static void small_equals_host(void)
{
    fixture f = setup(150);
    cuzk_cuda_msm *m = workspace(f.q, 150, 64);
    for (unsigned k = 0; k < KINDS; k++) {
        fill_scalars(f.scalars, 150, (scalar_kind)k, 64);
        compare(&f, m, 150 - k, 64, k);
    }
    compare_bits(&f, m, 149);
    cuzk_cuda_msm_destroy(m, f.q);
    teardown(&f);
}

static void small_as_large_equals_host(void)
{
    fixture f = setup(700);
    cuzk_cuda_msm *m = workspace_as_large(f.q, 700, 30);
    for (unsigned k = 0; k < KINDS; k++) {
        fill_scalars(f.scalars, 700, (scalar_kind)k, 30);
        compare(&f, m, 700 - k, 30, k);
    }
    compare_bits(&f, m, 699);
    cuzk_cuda_msm_destroy(m, f.q);
    teardown(&f);
}

static void levels_equal_host(void)
{
    static const size_t sizes[] = {1, 2, 63, 64, 65, 1000, 5000, 20000};
    fixture f = setup(20000);
    cuzk_cuda_msm *m = workspace_as_large(f.q, 20000, 255);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (unsigned k = 0; k < KINDS; k++) {
            if (i % 2 == k % 2 || k == DENSE) {
                fill_scalars(f.scalars, sizes[i], (scalar_kind)k, 255);
                compare(&f, m, sizes[i], 255, k);
            }
        }
        compare_bits(&f, m, sizes[i]);
    }
    cuzk_cuda_msm_destroy(m, f.q);
    teardown(&f);
}

#ifdef CACHED_TREE
/* Two levels through the second-level cache, in many parts, the last one short. At most top terms. */
static void compare_cached(size_t top)
{
    const size_t sizes[] = {1, top / 2, top - 3, top};
    fixture f = setup(top);
    f.q->card.cached_tree = true;
    const cuzk_cuda_msm_tuning t = {.lg_level_entries = 2,
                                    .lg_batch_entries = 17,
                                    .level_load = 4,
                                    .most_levels = 2,
                                    .hex_digits = CUZK_CUDA_MSM_MAX_HEX};
    cuzk_cuda_msm *m = NULL;
    cuzk_cuda_msm_shape s;
    cuzk_err err;
    cuzk_cuda_msm_shape_of(&s, top, TERMS_OF(64), &t, &f.q->card);
    CHECK(s.levels == 2);
    CHECK_OK(cuzk_cuda_msm_create_tuned(&m, f.q, NULL, 0, top, TERMS_OF(64), GROUP, &t, &err),
             &err);
    for (unsigned k = 0; k < KINDS; k++) {
        for (size_t i = k % 2; i < sizeof(sizes) / sizeof(sizes[0]); i += 2) {
            fill_scalars(f.scalars, sizes[i], (scalar_kind)k, 64);
            compare(&f, m, sizes[i], 64, k);
        }
    }
    compare_bits(&f, m, top);
    /* All bases the same: doublings alone, on both levels. */
    for (size_t i = 1; i < top; i++) {
        f.bases[i] = f.bases[0];
    }
    upload_bases(&f, top);
    fill_scalars(f.scalars, top, DENSE, 64);
    compare(&f, m, top, 64, DENSE);
    cuzk_cuda_msm_destroy(m, f.q);
    teardown(&f);
}

static void small_cached_equals_host(void)
{
    compare_cached(9000);
}

static void cached_levels_equal_host(void)
{
    compare_cached(60001);
}
#endif

/* Two workspaces in one block of memory: both enqueued, then both finished. */
static void workspaces_share_memory(void)
{
    const size_t n = 2000;
    fixture f = setup(n);
    cuzk_err err;
    cuzk_cuda_msm *a = NULL, *b = NULL;
    P_POINT got_a, got_b, want;
    void *d = NULL;
    const cuzk_card *card = cuzk_cuda_queue_card(f.q);
    const uint64_t need = cuzk_cuda_msm_bytes(card, n, TERMS_OF(255), GROUP);
    const uint64_t need_bits = cuzk_cuda_msm_bytes(card, n, cuzk_cuda_msm_of_bits(), GROUP);
    CHECK(need_bits < need);
    CHECK_OK(cuzk_cuda_alloc(f.q, &d, need, &err), &err);
    CHECK_STATUS(cuzk_cuda_msm_create_in(&a, f.q, d, need - 1, n, TERMS_OF(255), GROUP, NULL),
                 CUZK_E_INVALID);
    CHECK_STATUS(
        cuzk_cuda_msm_create_in(&a, f.q, (char *)d + 16, need, n, TERMS_OF(255), GROUP, NULL),
        CUZK_E_INVALID);
    CHECK(a == NULL);
    CHECK_OK(cuzk_cuda_msm_create_in(&a, f.q, d, need, n, TERMS_OF(255), GROUP, &err), &err);
    CHECK_OK(cuzk_cuda_msm_create_in(&b, f.q, d, need, n, cuzk_cuda_msm_of_bits(), GROUP, &err),
             &err);
    fill_scalars(f.scalars, n, DENSE, 255);
    for (size_t w = 0; w < n / 64 + 1; w++) {
        f.bits[w] = test_u64();
    }
    CHECK_OK(cuzk_cuda_upload(f.q, f.d_scalars, f.scalars, n * sizeof(*f.scalars), &err), &err);
    CHECK_OK(cuzk_cuda_upload(f.q, f.d_bits, f.bits, (n / 64 + 1) * 8, &err), &err);
    for (unsigned round = 0; round < 2; round++) {
        CHECK_OK(ENQUEUE(a, f.q, &f, n, &err), &err);
        CHECK_OK(CUDA(msm_bits, _enqueue)(b, f.q, f.d_bases, f.d_bits, n, &err), &err);
        CHECK_STATUS(ENQUEUE(a, f.q, &f, n, NULL), CUZK_E_INVALID);
        CHECK_OK(CUDA(msm, _finish)(b, &got_b, &err), &err);
        CHECK_OK(CUDA(msm, _finish)(a, &got_a, &err), &err);
        CHECK_STATUS(CUDA(msm, _finish)(a, &got_a, NULL), CUZK_E_INVALID);
        CHECK_OK(HOST_MSM(&want, f.bases, f.scalars, n, 255, NULL, NULL, &err), &err);
        check_point(&got_a, &want, n, 255, 0);
        CHECK_OK(HOST_BITS(&want, f.bases, f.bits, n, NULL, NULL, &err), &err);
        check_point(&got_b, &want, n, 1, 0);
    }
    /* Not fetched: destroy waits for it. */
    CHECK_OK(ENQUEUE(a, f.q, &f, n, &err), &err);
    cuzk_cuda_msm_destroy(a, f.q);
    cuzk_cuda_msm_destroy(b, f.q);
    cuzk_cuda_free(f.q, d);
    teardown(&f);
}

#define ROUNDS 10u

/* A thread's own queue and workspace over the bases and scalars of a fixture. */
typedef struct worker {
    const fixture *f;
    size_t n;
    P_POINT got[ROUNDS];
    cuzk_status st;
    cuzk_err err;
} worker;

static cuzk_status work(worker *w, cuzk_cuda_queue *q, cuzk_cuda_msm **m)
{
    CUZK_TRY(cuzk_cuda_msm_create(m, q, w->n, TERMS_OF(255), GROUP, &w->err));
    for (unsigned i = 0; i < ROUNDS; i++) {
        CUZK_TRY(SUM(*m, q, &w->got[i], w->f, w->n, &w->err));
    }
    return CUZK_OK;
}

static void *run_worker(void *arg)
{
    worker *w = arg;
    cuzk_cuda_queue *q = NULL;
    cuzk_cuda_msm *m = NULL;
    w->st = cuzk_cuda_queue_create(&q, 0, &w->err);
    if (w->st == CUZK_OK) {
        w->st = work(w, q, &m);
        cuzk_cuda_msm_destroy(m, q);
        cuzk_cuda_queue_destroy(q);
    }
    return NULL;
}

/* Sums of different sizes side by side: what a launch sets up is not another thread's. */
static void threads_are_independent(void)
{
    static const size_t sizes[] = {300, 20000};
    fixture f = setup(20000);
    cuzk_err err;
    worker w[2];
    pthread_t thread[2];
    fill_scalars(f.scalars, f.n, DENSE, 255);
    CHECK_OK(cuzk_cuda_upload(f.q, f.d_scalars, f.scalars, f.n * sizeof(*f.scalars), &err), &err);
    for (unsigned i = 0; i < 2; i++) {
        w[i].f = &f;
        w[i].n = sizes[i];
        CHECK(pthread_create(&thread[i], NULL, run_worker, &w[i]) == 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        CHECK(pthread_join(thread[i], NULL) == 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        P_POINT want;
        CHECK_OK(w[i].st, &w[i].err);
        CHECK_OK(HOST_MSM(&want, f.bases, f.scalars, sizes[i], 255, NULL, NULL, &err), &err);
        for (unsigned r = 0; r < ROUNDS; r++) {
            check_point(&w[i].got[r], &want, sizes[i], 255, r);
        }
    }
    teardown(&f);
}

static void refuses_bad_arguments(void)
{
    cuzk_cuda_queue *q = cuda_queue();
    cuzk_cuda_msm *m = NULL;
    P_POINT out;
    CHECK_STATUS(cuzk_cuda_msm_create(&m, q, CUZK_CUDA_MSM_MAX_N + 1, cuzk_cuda_msm_of_scalars(255),
                                      GROUP, NULL),
                 CUZK_E_INVALID);
    CHECK_STATUS(cuzk_cuda_msm_create(&m, q, 10, cuzk_cuda_msm_of_scalars(256), GROUP, NULL),
                 CUZK_E_INVALID);
    CHECK_STATUS(cuzk_cuda_msm_create(&m, q, 10, cuzk_cuda_msm_of_scalars(0), GROUP, NULL),
                 CUZK_E_INVALID);
    CHECK_STATUS(cuzk_cuda_msm_create(&m, q, 10, cuzk_cuda_msm_of_images(), CUZK_CUDA_MSM_G2, NULL),
                 CUZK_E_INVALID);
    CHECK_STATUS(cuzk_cuda_msm_create(&m, q, 10, cuzk_cuda_msm_of_scalars(255),
                                      (cuzk_cuda_msm_group)2, NULL),
                 CUZK_E_INVALID);
    CHECK(m == NULL);
    m = workspace(q, 10, 255);
    CHECK_STATUS(CUDA(msm, )(m, q, &out, NULL, NULL, 11, NULL), CUZK_E_INVALID);
    CHECK_STATUS(CUDA(msm, _finish)(m, &out, NULL), CUZK_E_INVALID);
    cuzk_cuda_msm_destroy(m, q);
    m = workspace_of_bits(q, 10);
    CHECK_STATUS(CUDA(msm, )(m, q, &out, NULL, NULL, 1, NULL), CUZK_E_INVALID);
    cuzk_cuda_msm_destroy(m, q);
    CHECK_OK(cuzk_cuda_msm_create(&m, q, 10, cuzk_cuda_msm_of_scalars(255),
                                  GROUP == CUZK_CUDA_MSM_G1 ? CUZK_CUDA_MSM_G2 : CUZK_CUDA_MSM_G1,
                                  NULL),
             NULL);
    CHECK_STATUS(CUDA(msm, )(m, q, &out, NULL, NULL, 1, NULL), CUZK_E_INVALID);
    cuzk_cuda_msm_destroy(m, q);
    cuzk_cuda_queue_destroy(q);
}

#ifdef WITH_IMAGES
/* Bases m of many terms, with and without levels: few terms of them are in any bucket. */
static void large_bases_equal_host(void)
{
    static const unsigned digits[] = {11, 12, 13, 16, 22};
    const size_t n = 3000;
    fixture f = setup(n);
    for (size_t i = 0; i < sizeof(digits) / sizeof(digits[0]); i++) {
        for (unsigned levels = 0; levels < 2; levels++) {
            const cuzk_cuda_msm_tuning t = {.lg_level_entries = levels == 0 ? 40 : 10,
                                            .lg_batch_entries = i % 2 == 0 ? 2 : 14,
                                            .level_load = 0,
                                            .hex_digits = digits[i]};
            cuzk_cuda_msm *m = NULL;
            cuzk_err err;
            CHECK_OK(cuzk_cuda_msm_create_tuned(&m, f.q, NULL, 0, n, cuzk_cuda_msm_of_images(),
                                                GROUP, &t, &err),
                     &err);
            for (unsigned k = 0; k < KINDS; k++) {
                fill_scalars(f.scalars, n, (scalar_kind)k, 255);
                compare(&f, m, n - k, 255, k);
            }
            cuzk_cuda_msm_destroy(m, f.q);
        }
    }
    teardown(&f);
}

static void images_and_workspace_must_agree(void)
{
    fixture f = setup(10);
    cuzk_g1 out;
    cuzk_cuda_msm *m = workspace(f.q, 10, 255), *plain = NULL;
    CHECK_OK(cuzk_cuda_msm_create(&plain, f.q, 10, cuzk_cuda_msm_of_scalars(255), GROUP, NULL),
             NULL);
    CHECK_STATUS(cuzk_cuda_msm_g1(m, f.q, &out, f.d_bases, f.d_scalars, 10, NULL), CUZK_E_INVALID);
    CHECK_STATUS(cuzk_cuda_msm_images_g1(m, f.q, &out, f.d_bases, NULL, f.d_scalars, 10, NULL),
                 CUZK_E_INVALID);
    CHECK_STATUS(
        cuzk_cuda_msm_images_g1(plain, f.q, &out, f.d_bases, f.d_images, f.d_scalars, 10, NULL),
        CUZK_E_INVALID);
    cuzk_cuda_msm_destroy(m, f.q);
    cuzk_cuda_msm_destroy(plain, f.q);
    teardown(&f);
}
#endif

static const cuzk_case cases[] = {
#ifdef CACHED_TREE
    CASE(small_cached_equals_host),
    CASE(cached_levels_equal_host),
#endif
#ifdef WITH_IMAGES
    CASE(large_bases_equal_host),
    CASE(images_and_workspace_must_agree),
#endif
    CASE(small_equals_host),
    CASE(small_as_large_equals_host),
    CASE(levels_equal_host),
    CASE(sizes_equal_host),
    CASE(kinds_equal_host),
    CASE(large_equals_host),
    CASE(cancelling_terms_give_infinity),
    CASE(equal_bases_equal_host),
    CASE(bits_equal_host),
    CASE(large_bits_equal_host),
    CASE(workspaces_share_memory),
    CASE(threads_are_independent),
    CASE(refuses_bad_arguments)};
TEST_MAIN(SUITE, cases)
