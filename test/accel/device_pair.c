/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "accel/device_pair.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

#define GUARD 4096

void test_device_begin(test_device *d, cuzk_accel *dev)
{
    cuzk_err err;
    memset(d, 0, sizeof(*d));
    d->dev = dev;
    CHECK_OK(cuzk_accel_queue_create(&d->q, dev, &err), &err);
}

void test_device_end(test_device *d)
{
    test_device_clear(d);
    cuzk_accel_queue_destroy(d->q);
    cuzk_accel_close(d->dev);
}

static void copy(test_device *d, cuzk_accel_op_kind kind, void *dst, const void *src, size_t bytes)
{
    cuzk_err err;
    const cuzk_accel_op op = {.kind = kind, .u.copy = {.d_dst = dst, .src = src, .bytes = bytes}};
    CHECK_OK(cuzk_accel_enqueue(d->q, &op, NULL, 0, &err), &err);
    CHECK_OK(cuzk_accel_sync(d->q, &err), &err);
}

void *test_device_put(test_device *d, const void *src, size_t bytes)
{
    cuzk_err err;
    void *p = NULL;
    CHECK(d->n_blocks < sizeof(d->blocks) / sizeof(d->blocks[0]));
    CHECK_OK(cuzk_accel_alloc(d->dev, &p, bytes, &err), &err);
    d->blocks[d->n_blocks++] = p;
    uint8_t *fill = NULL;
    if (src == NULL) {
        fill = malloc(bytes + 1);
        CHECK(fill != NULL);
        memset(fill, 0xcc, bytes);
    }
    copy(d, CUZK_ACCEL_OP_UPLOAD, p, src != NULL ? src : fill, bytes);
    free(fill);
    return p;
}

void test_device_get(test_device *d, void *dst, const void *d_src, size_t bytes)
{
    copy(d, CUZK_ACCEL_OP_DOWNLOAD, dst, d_src, bytes);
}

void test_device_clear(test_device *d)
{
    while (d->n_blocks > 0) {
        cuzk_accel_free(d->dev, d->blocks[--d->n_blocks]);
    }
}

cuzk_status test_device_run(test_device *d, const cuzk_accel_op *op, cuzk_err *err)
{
    cuzk_accel_need need;
    uint8_t before[GUARD], after[GUARD];
    CHECK_OK(cuzk_accel_plan(d->dev, op, &need, err), err);
    const size_t bytes = (need.device_bytes + 255) & ~(size_t)255;
    uint8_t *ws = test_device_put(d, NULL, bytes + 2 * GUARD);
    cuzk_status st = cuzk_accel_enqueue(d->q, op, ws + GUARD, need.device_bytes, err);
    if (st == CUZK_OK) {
        st = cuzk_accel_sync(d->q, err);
    }
    test_device_get(d, before, ws, GUARD);
    test_device_get(d, after, ws + GUARD + bytes, GUARD);
    for (size_t i = 0; i < GUARD; i++) {
        CHECK(before[i] == 0xcc && after[i] == 0xcc);
    }
    return st;
}
