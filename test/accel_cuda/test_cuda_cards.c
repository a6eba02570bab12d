/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A GPU that plays cards of other classes: their limits hold, and the self-test passes on each. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "accel/cuda/cuda_accel.h"
#include "accel/cuda/msm/msm_internal.h"
#include "accel/cuda/queue/queue_internal.h"
#include "base/alloc.h"
#include "msm/msm.h"
#include "sys/file.h"

#include "cuda_test.h"

static void need_device(void)
{
    if (cuzk_accel_cuda_count() == 0) {
        cuzk_test_skip("no CUDA device");
    }
}

/* The card played before, which CUZK_TEST_CARD may have set. */
static cuzk_card before;
static void keep(void)
{
    memset(&before, 0, sizeof(before));
    if (cuzk_card_played() != NULL) {
        before = *cuzk_card_played();
    }
}
static void put_back(void)
{
    cuzk_card_play(before.klass != NULL ? &before : NULL);
}

static void self_test_passes_as_every_class(void)
{
    cuzk_err err;
    need_device();
    keep();
    for (size_t i = 0; i < CUZK_CARD_CLASSES; i++) {
        cuzk_card card;
        cuzk_accel *dev = NULL;
        cuzk_card_play(NULL);
        CHECK_OK(cuzk_card_parse(&card, CUZK_CARD_TABLE[i].text, &err), &err);
        cuzk_card_play(&card);
        const cuzk_status st = cuzk_accel_cuda_open_tested(&dev, 0, (uint64_t)1 << 28, &err);
        if (st == CUZK_E_DEV_UNFIT) { /* a class of more than the device itself has */
            CHECK_MSG(strstr(err.msg, "cannot play") != NULL, "%s", err.msg);
            continue;
        }
        CHECK_OK(st, &err);
        CHECK_OK(cuzk_accel_self_test(dev, &err), &err); /* as the probe of a device does */
        cuzk_accel_close(dev);
    }
    put_back();
}

/* A call of the runtime that fails makes the self-test fail, with the device's error. */
static void self_test_sees_failures(void)
{
    cuzk_err err;
    cuzk_accel *dev = NULL;
    need_device();
    CHECK_OK(cuzk_accel_cuda_open(&dev, 0, (uint64_t)1 << 28, &err), &err);
    (void)cuzk_cuda_fail_nth(0, cudaSuccess, false);
    CHECK_OK(cuzk_accel_self_test(dev, &err), &err);
    const uint64_t calls = cuzk_cuda_fail_nth(0, cudaSuccess, false);
    CHECK(calls > 100);
    for (int i = 0; i < 12; i++) {
        (void)cuzk_cuda_fail_nth(1 + test_below(calls - 1), cudaErrorInvalidConfiguration, false);
        const cuzk_status st = cuzk_accel_self_test(dev, &err);
        (void)cuzk_cuda_fail_nth(0, cudaSuccess, false);
        CHECK_MSG(st == CUZK_E_DEV_UNFIT || st == CUZK_E_DEV_NOMEM || st == CUZK_OK, "%d", (int)st);
    }
    CHECK_OK(cuzk_accel_self_test(dev, &err), &err);
    cuzk_accel_close(dev);
}

static void launches_beyond_the_class_fail(void)
{
    cuzk_err err;
    cuzk_card card;
    cuzk_cuda_queue *q = NULL;
    need_device();
    keep();
    CHECK_OK(cuzk_card_parse(&card, "8.6", &err), &err);
    cuzk_card_play(&card);
    CHECK_OK(cuzk_cuda_queue_create(&q, 0, &err), &err);
    CHECK(cuzk_cuda_queue_card(q)->klass->cc == 86 && cuzk_cuda_queue_card(q)->sms <= 82);
    const void *fn = cuzk_cuda_some_kernel();
    cuzk_launch l = {1024, 101376};
    CHECK_OK(cuzk_cuda_prepare(&l, q, CUZK_KERNEL_COUNT, fn, &err), &err);
    CHECK(l.dynamic_bytes >= 101376); /* padded, so that one block fits here too */
    l.dynamic_bytes = 101377;
    CHECK_STATUS(cuzk_cuda_prepare(&l, q, CUZK_KERNEL_COUNT, fn, &err), CUZK_E_DEV_UNFIT);
    CHECK(strstr(err.msg, "class 8.6 allows 101376") != NULL);
    const cuzk_launch wide = cuzk_card_launch(card.klass, CUZK_KERNEL_REDUCE_G1);
    l = wide;
    CHECK_STATUS(cuzk_cuda_prepare(&l, q, CUZK_KERNEL_REDUCE_G1, fn, &err), CUZK_E_DEV_UNFIT);
    cuzk_cuda_queue_destroy(q);
    put_back();
}

/* The path of the one file in a folder. */
static void only_file(char out[768], const char *folder)
{
    DIR *d = opendir(folder);
    unsigned n = 0;
    CHECK_MSG(d != NULL, "no folder %s", folder);
    for (const struct dirent *e; (e = readdir(d)) != NULL;) {
        if (e->d_name[0] != '.') {
            (void)snprintf(out, 768, "%s/%s", folder, e->d_name);
            n++;
        }
    }
    (void)closedir(d);
    CHECK_U64(n, 1);
}

/* Measured within 3 GB, kept, found again, also by the next start; all ways of a sum give one point
 * (cuzk_accel_cuda_tune compares them). */
static void choice_is_kept(void)
{
    cuzk_err err;
    cuzk_accel *dev = NULL;
    static cuzk_cuda_choice first, second;
    char folder[512], path[768];
    need_device();
    CHECK(setenv("XDG_CACHE_HOME", test_tmpdir(), 1) ==
          0); /* NOLINT(concurrency-mt-unsafe): one thread */
    CHECK_OK(cuzk_accel_cuda_open(&dev, 0, 3000000000, &err), &err);
    CHECK_OK(cuzk_accel_cuda_tune(dev, &first, false, &err), &err);
    CHECK(first.is_measured && first.is_kept && !first.had_before);
    CHECK(first.affine_ms > 0 && first.xyzz_ms > 0 && first.cached_ms > 0 && first.seconds > 0);
    CHECK(cuzk_card_costs_are_plausible(&first.chosen.costs));
    for (size_t i = 0; i < CUZK_CARD_TIMED; i++) {
        CHECK(first.widths[i].ms > 0);
        CHECK_U64(first.widths[i].terms, (uint64_t)(255 / first.widths[i].shape + 1) << 21);
    }
    CHECK_OK(cuzk_accel_cuda_tune(dev, &second, false, &err), &err);
    CHECK(!second.is_measured && second.is_kept && second.had_before && second.affine_ms == 0);
    CHECK_MEM(&second.chosen.costs, &first.chosen.costs, sizeof(first.chosen.costs));
    CHECK(second.chosen.xyzz == first.chosen.xyzz &&
          second.chosen.cached_tree == first.chosen.cached_tree);
    CHECK_OK(cuzk_accel_self_test(dev, &err), &err);
    cuzk_accel_close(dev);
    /* A start uses the file on a card of any class, and ignores a damaged one. */
    (void)snprintf(folder, sizeof(folder), "%s/cuzk", test_tmpdir());
    only_file(path, folder);
    CHECK_OK(cuzk_accel_cuda_open_tested(&dev, 0, 3000000000, &err), &err);
    CHECK_OK(cuzk_file_write_all(path, "A affine 14.12 ms\n", 18, true, &err), &err);
    CHECK_OK(cuzk_accel_cuda_tune(dev, &second, false, &err), &err);
    CHECK(second.is_measured && second.is_kept && !second.had_before);
    cuzk_accel_close(dev);
    only_file(path, folder);
    /* Too little memory to measure in: an error, and the device works on. */
    CHECK_OK(cuzk_accel_cuda_open(&dev, 0, (uint64_t)1 << 28, &err), &err);
    CHECK_STATUS(cuzk_accel_cuda_tune(dev, &second, true, &err), CUZK_E_DEV_NOMEM);
    CHECK_OK(cuzk_accel_self_test(dev, &err), &err);
    cuzk_accel_close(dev);
}

/* A device that plays a card without a row measures at its first start, and keeps that apart from its own. */
static void played_card_has_its_own_choice(void)
{
    cuzk_err err;
    cuzk_card card;
    cuzk_accel *dev = NULL;
    static cuzk_cuda_choice c;
    char folder[512], path[768];
    need_device();
    keep();
    CHECK(setenv("XDG_CACHE_HOME", test_tmpdir(), 1) ==
          0); /* NOLINT(concurrency-mt-unsafe): one thread */
    CHECK_OK(cuzk_card_parse(&card, "8.9:8GiB", &err), &err);
    cuzk_card_play(&card);
    CHECK_OK(cuzk_accel_cuda_open_tested(&dev, 0, 0, &err), &err);
    (void)snprintf(folder, sizeof(folder), "%s/cuzk", test_tmpdir());
    only_file(path, folder);
    CHECK_MSG(strstr(path, "-as-8.9-8192MiB-") != NULL, "%s", path);
    CHECK_OK(cuzk_accel_cuda_tune(dev, &c, false, &err), &err);
    CHECK(c.had_before && !c.is_measured);
    cuzk_accel_close(dev);
    put_back();
}

/* Points and scalars of a sum on a device. */
typedef struct terms {
    cuzk_cuda_queue *q;
    cuzk_g1_affine *bases;
    cuzk_scalar *scalars;
    void *d_bases, *d_images, *d_scalars;
    size_t n;
} terms;

static terms make_terms(size_t n)
{
    cuzk_err err;
    terms t = {.q = cuda_queue(), .n = n};
    cuzk_g1 *p = cuzk_alloc(n, sizeof(*p));
    cuzk_fp *scratch = cuzk_alloc(n, sizeof(*scratch));
    t.bases = cuzk_alloc(n, sizeof(*t.bases));
    t.scalars = cuzk_alloc(n, sizeof(*t.scalars));
    CHECK(p != NULL && scratch != NULL && t.bases != NULL && t.scalars != NULL);
    cuzk_g1_from_affine(&p[0], &CUZK_G1_GENERATOR);
    for (size_t i = 0; i < n; i++) {
        for (int j = 0; j < 4; j++) {
            t.scalars[i].l[j] = test_u64() >> (j == 3 ? 2 : 0);
        }
        if (i > 0) {
            cuzk_g1_add_affine(&p[i], &p[i - 1], &CUZK_G1_GENERATOR);
        }
    }
    cuzk_g1_batch_to_affine(t.bases, p, scratch, n);
    cuzk_free(p);
    cuzk_free(scratch);
    t.d_bases = cuda_upload(t.q, t.bases, n * sizeof(*t.bases));
    t.d_scalars = cuda_upload(t.q, t.scalars, n * sizeof(*t.scalars));
    CHECK_OK(cuzk_cuda_alloc(t.q, &t.d_images, n * CUZK_CUDA_MSM_IMAGE_BYTES, &err), &err);
    CHECK_OK(cuzk_cuda_msm_make_images_g1(t.q, t.d_images, t.d_bases, n, &err), &err);
    return t;
}

static void free_terms(terms *t)
{
    cuzk_cuda_free(t->q, t->d_bases);
    cuzk_cuda_free(t->q, t->d_images);
    cuzk_cuda_free(t->q, t->d_scalars);
    cuzk_cuda_queue_destroy(t->q);
    cuzk_free(t->bases);
    cuzk_free(t->scalars);
}

/* By the way of a tuning; hex: with images. */
static cuzk_g1 sum_of(const terms *t, bool hex, const cuzk_cuda_msm_tuning *how)
{
    cuzk_err err;
    cuzk_cuda_msm *m = NULL;
    cuzk_g1 got;
    CHECK_OK(
        cuzk_cuda_msm_create_tuned(&m, t->q, NULL, 0, t->n,
                                   hex ? cuzk_cuda_msm_of_images() : cuzk_cuda_msm_of_scalars(255),
                                   CUZK_CUDA_MSM_G1, how, &err),
        &err);
    CHECK_OK(hex ? cuzk_cuda_msm_images_g1(m, t->q, &got, t->d_bases, t->d_images, t->d_scalars,
                                           t->n, &err)
                 : cuzk_cuda_msm_g1(m, t->q, &got, t->d_bases, t->d_scalars, t->n, &err),
             &err);
    cuzk_cuda_msm_destroy(m, t->q);
    return got;
}

static void forced_widths_equal_host(void)
{
    cuzk_err err;
    cuzk_cuda_msm *m = NULL;
    cuzk_g1 want, got;
    terms t = make_terms(5000);
    CHECK_OK(cuzk_msm_g1(&want, t.bases, t.scalars, t.n, 255, NULL, NULL, &err), &err);
    for (unsigned xyzz = 0; xyzz < 2; xyzz++) {
        t.q->card.xyzz = xyzz != 0;
        cuzk_cuda_msm_tuning how = cuzk_cuda_msm_tuning_of(&t.q->card, CUZK_CUDA_MSM_G1);
        for (how.width = 6; how.width <= 20; how.width++) {
            got = sum_of(&t, false, &how);
            CHECK_MSG(cuzk_g1_eq(&got, &want), "windows of %u bits", how.width);
        }
        for (how.hex_digits = 12; how.hex_digits <= CUZK_CUDA_MSM_MAX_HEX; how.hex_digits++) {
            how.width = 0;
            got = sum_of(&t, true, &how);
            CHECK_MSG(cuzk_g1_eq(&got, &want), "%u hexagonal digits", how.hex_digits);
        }
    }
    cuzk_cuda_msm_tuning how = cuzk_cuda_msm_tuning_of(&t.q->card, CUZK_CUDA_MSM_G1);
    for (how.width = 5; how.width <= 23; how.width += 18) {
        CHECK_STATUS(cuzk_cuda_msm_create_tuned(&m, t.q, NULL, 0, t.n,
                                                cuzk_cuda_msm_of_scalars(255), CUZK_CUDA_MSM_G1,
                                                &how, &err),
                     CUZK_E_INVALID);
    }
    free_terms(&t);
}

/* Costs at both ends of what is plausible: other widths, the same sums; workspaces are planned by the same card. */
static void any_costs_give_one_sum(void)
{
    static const cuzk_card_costs costs[] = {
        {0, 0, 0, 0, 0}, {300, 300, 300, 300, 300}, {300, 900, 30000, 300, 30000}};
    terms t = make_terms(((size_t)1 << 17) + 3);
    cuzk_g1 first = {0};
    for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
        CHECK(i == 0 || cuzk_card_costs_are_plausible(&costs[i]));
        t.q->card.costs = costs[i];
        const cuzk_cuda_msm_tuning how = cuzk_cuda_msm_tuning_of(&t.q->card, CUZK_CUDA_MSM_G1);
        const cuzk_g1 plain = sum_of(&t, false, &how), hex = sum_of(&t, true, &how);
        first = i == 0 ? plain : first;
        CHECK(cuzk_g1_eq(&plain, &first) && cuzk_g1_eq(&hex, &first));
    }
    free_terms(&t);
}

static void memory_is_the_cards(void)
{
    cuzk_err err;
    cuzk_card card;
    cuzk_accel *dev = NULL;
    cuzk_accel_props props;
    need_device();
    keep();
    CHECK_OK(cuzk_card_parse(&card, "12.0:3GiB:30", &err), &err);
    cuzk_card_play(&card);
    CHECK_OK(cuzk_accel_cuda_open(&dev, 0, 0, &err), &err);
    cuzk_accel_get_props(dev, &props);
    CHECK(props.memory_total == (uint64_t)2 << 30);
    cuzk_accel_close(dev);
    put_back();
}

static const cuzk_case cases[] = {
    CASE(self_test_passes_as_every_class), CASE(self_test_sees_failures),
    CASE(launches_beyond_the_class_fail),  CASE(choice_is_kept),
    CASE(played_card_has_its_own_choice),  CASE(forced_widths_equal_host),
    CASE(any_costs_give_one_sum),          CASE(memory_is_the_cards)};
TEST_MAIN("accel_cuda/cards", cases)
