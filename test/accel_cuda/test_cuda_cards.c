/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A GPU that plays cards of other classes: their limits hold, and the self-test passes on each. */
#include <stdlib.h>
#include <string.h>

#include "accel/cuda/cuda_accel.h"
#include "accel/cuda/queue/queue_internal.h"

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

/* Measured, kept, found again; both ways of a sum give one point (cuzk_accel_cuda_tune compares them). */
static void choice_is_kept(void)
{
    cuzk_err err;
    cuzk_accel *dev = NULL;
    cuzk_cuda_choice first, second;
    need_device();
    CHECK(setenv("XDG_CACHE_HOME", test_tmpdir(), 1) ==
          0); /* NOLINT(concurrency-mt-unsafe): one thread */
    CHECK_OK(cuzk_accel_cuda_open(&dev, 0, (uint64_t)6 << 30, &err), &err);
    CHECK_OK(cuzk_accel_cuda_tune(dev, &first, false, &err), &err);
    CHECK(first.affine_ms > 0 && first.xyzz_ms > 0);
    CHECK_OK(cuzk_accel_cuda_tune(dev, &second, false, &err), &err);
    CHECK(second.xyzz == first.xyzz && second.affine_ms == 0);
    CHECK_OK(cuzk_accel_cuda_tune(dev, &second, true, &err), &err);
    CHECK(second.affine_ms > 0);
    CHECK_OK(cuzk_accel_self_test(dev, &err), &err);
    cuzk_accel_close(dev);
    /* Too little memory to measure in: an error, and the device works on. */
    CHECK_OK(cuzk_accel_cuda_open(&dev, 0, (uint64_t)1 << 28, &err), &err);
    CHECK_STATUS(cuzk_accel_cuda_tune(dev, &second, true, &err), CUZK_E_DEV_NOMEM);
    CHECK_OK(cuzk_accel_self_test(dev, &err), &err);
    cuzk_accel_close(dev);
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
    CASE(launches_beyond_the_class_fail), CASE(choice_is_kept), CASE(memory_is_the_cards)};
TEST_MAIN("accel_cuda/cards", cases)
