/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "device_lock.h"

#include "base/clock.h"

static uint64_t block_at(const device_lock *l, uint64_t from)
{
    const uint64_t left = l->view.bytes - from;
    return left < l->block ? left : l->block;
}

/* Locks one block more. */
static cuzk_status lock_block(device_lock *l, cuzk_accel *dev, cuzk_err *err)
{
    const uint64_t n = block_at(l, l->locked);
    uint8_t *p = l->view.p + l->locked;
    CUZK_TRY(cuzk_accel_host_lock(dev, p, n, err));
    cuzk_file_view_forget(p, n); /* the resident set of the process holds one block at a time */
    l->locked += n;
    return CUZK_OK;
}

cuzk_status device_lock_take(device_lock *l, cuzk_accel *dev, const cuzk_file *f, uint64_t at,
                             uint64_t bytes, uint64_t block, uint64_t least_rate, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    *l = (device_lock){.block = block};
    CUZK_TRY(cuzk_file_view_open(&l->view, f, at, bytes, err));
    while (st == CUZK_OK && l->locked < l->view.bytes) {
        const uint64_t begun = cuzk_clock_ns(), before = l->locked;
        st = lock_block(l, dev, err);
        const uint64_t took = cuzk_clock_ns() - begun;
        if (st == CUZK_OK && before == 0 && least_rate != 0 &&
            took > l->locked * 1000 / (least_rate / 1000000)) {
            st = CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "%llu bytes took %llu us to page-lock",
                           (unsigned long long)l->locked, (unsigned long long)(took / 1000));
        }
    }
    if (st != CUZK_OK) {
        device_lock_release(l, dev);
    }
    return st;
}

void device_lock_release(device_lock *l, cuzk_accel *dev)
{
    for (uint64_t from = 0; from < l->locked; from += l->block) {
        cuzk_accel_host_unlock(dev, l->view.p + from);
    }
    cuzk_file_view_close(&l->view);
    *l = (device_lock){.locked = 0};
}

const uint8_t *device_lock_find(const device_lock *l, uint64_t at, uint64_t *n)
{
    const uint64_t from = at - l->view.at;
    if (l->locked == 0 || at < l->view.at || from >= l->view.bytes) {
        return NULL;
    }
    const uint64_t left = block_at(l, from / l->block * l->block) - from % l->block;
    *n = *n < left ? *n : left;
    return l->view.p + from;
}
