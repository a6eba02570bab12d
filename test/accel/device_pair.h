/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_ACCEL_DEVICE_PAIR_H
#define CUZK_TEST_ACCEL_DEVICE_PAIR_H

/* One operation on a device: memory in, workspace as planned, memory out. All functions check for success. */
#include "accel/accel.h"

typedef struct test_device {
    cuzk_accel *dev;
    cuzk_accel_queue *q;
    void *blocks[24]; /* freed by test_device_clear */
    size_t n_blocks;
} test_device;

/** Takes dev over. */
void test_device_begin(test_device *d, cuzk_accel *dev);
void test_device_end(test_device *d);
/** A block with a copy of src [bytes], or filled with 0xcc when src is NULL. */
void *test_device_put(test_device *d, const void *src, size_t bytes);
void test_device_get(test_device *d, void *dst, const void *d_src, size_t bytes);
void test_device_clear(test_device *d);
/** Enqueues and syncs, in a workspace of exactly the planned size with guards on both sides. */
cuzk_status test_device_run(test_device *d, const cuzk_accel_op *op, cuzk_err *err);

#endif /* CUZK_TEST_ACCEL_DEVICE_PAIR_H */
