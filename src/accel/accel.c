/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The calls of accel.h: a lost device refuses, and a device that says it is lost stays so. */
#include "accel/accel.h"

#include "base/assert.h"

#include "accel_impl.h"

static cuzk_status note(cuzk_accel *dev, cuzk_status st)
{
    if (st == CUZK_E_DEV_LOST) {
        atomic_store(&dev->lost, true);
    }
    return st;
}

static cuzk_status check_alive(const cuzk_accel *dev, cuzk_err *err)
{
    if (atomic_load(&dev->lost)) {
        return CUZK_FAIL(err, CUZK_E_DEV_LOST,
                         "the device failed before; it must be closed and opened again");
    }
    return CUZK_OK;
}

void cuzk_accel_get_props(cuzk_accel *dev, cuzk_accel_props *out)
{
    const cuzk_accel_props zero = {.kind = CUZK_ACCEL_CPU};
    *out = zero;
    dev->vt->get_props(dev, out);
    out->lost = atomic_load(&dev->lost);
}

bool cuzk_accel_is_lost(const cuzk_accel *dev)
{
    return atomic_load(&dev->lost);
}

cuzk_status cuzk_accel_self_test(cuzk_accel *dev, cuzk_err *err)
{
    CUZK_TRY(check_alive(dev, err));
    return dev->vt->self_test == NULL ? CUZK_OK : note(dev, dev->vt->self_test(dev, err));
}

void cuzk_accel_close(cuzk_accel *dev)
{
    if (dev != NULL) {
        dev->vt->close(dev);
    }
}

cuzk_status cuzk_accel_alloc(cuzk_accel *dev, void **d_out, uint64_t bytes, cuzk_err *err)
{
    CUZK_TRY(check_alive(dev, err));
    return note(dev, dev->vt->alloc(dev, d_out, bytes, err));
}

void cuzk_accel_free(cuzk_accel *dev, void *d_p)
{
    if (d_p != NULL) {
        dev->vt->free(dev, d_p);
    }
}

cuzk_status cuzk_accel_host_alloc(cuzk_accel *dev, void **out, uint64_t bytes, cuzk_err *err)
{
    CUZK_TRY(check_alive(dev, err));
    return note(dev, dev->vt->host_alloc(dev, out, bytes, err));
}

void cuzk_accel_host_free(cuzk_accel *dev, void *p)
{
    if (p != NULL) {
        dev->vt->host_free(dev, p);
    }
}

cuzk_status cuzk_accel_host_lock(cuzk_accel *dev, void *p, uint64_t bytes, cuzk_err *err)
{
    CUZK_TRY(check_alive(dev, err));
    if (dev->vt->host_lock == NULL) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "this device locks no memory of others");
    }
    return note(dev, dev->vt->host_lock(dev, p, bytes, err));
}

void cuzk_accel_host_unlock(cuzk_accel *dev, void *p)
{
    dev->vt->host_unlock(dev, p);
}

cuzk_status cuzk_accel_queue_create(cuzk_accel_queue **out, cuzk_accel *dev, cuzk_err *err)
{
    CUZK_TRY(check_alive(dev, err));
    return note(dev, dev->vt->queue_create(out, dev, false, err));
}

cuzk_status cuzk_accel_queue_create_urgent(cuzk_accel_queue **out, cuzk_accel *dev, cuzk_err *err)
{
    CUZK_TRY(check_alive(dev, err));
    return note(dev, dev->vt->queue_create(out, dev, true, err));
}

void cuzk_accel_queue_destroy(cuzk_accel_queue *q)
{
    if (q != NULL) {
        q->dev->vt->queue_destroy(q);
    }
}

cuzk_accel *cuzk_accel_queue_device(const cuzk_accel_queue *q)
{
    return q->dev;
}

cuzk_status cuzk_accel_sync(cuzk_accel_queue *q, cuzk_err *err)
{
    CUZK_TRY(check_alive(q->dev, err));
    return note(q->dev, q->dev->vt->sync(q, err));
}

cuzk_status cuzk_accel_wait(cuzk_accel_queue *q, cuzk_accel_queue *other, cuzk_err *err)
{
    CUZK_ASSERT(q->dev == other->dev);
    CUZK_TRY(check_alive(q->dev, err));
    return note(q->dev, q->dev->vt->wait(q, other, err));
}

cuzk_status cuzk_accel_marks_reset(cuzk_accel_queue *q, cuzk_err *err)
{
    CUZK_TRY(check_alive(q->dev, err));
    return note(q->dev, q->dev->vt->marks_reset(q, err));
}

cuzk_status cuzk_accel_mark(cuzk_accel_queue *q, uint32_t *mark, cuzk_err *err)
{
    CUZK_TRY(check_alive(q->dev, err));
    return note(q->dev, q->dev->vt->mark(q, mark, err));
}

cuzk_status cuzk_accel_mark_ns(cuzk_accel_queue *q, uint32_t mark, uint64_t *ns, cuzk_err *err)
{
    CUZK_TRY(check_alive(q->dev, err));
    return note(q->dev, q->dev->vt->mark_ns(q, mark, ns, err));
}

uint64_t cuzk_accel_circuit_bytes(cuzk_accel *dev, const cuzk_circuit *c, bool all_wires)
{
    return dev->vt->circuit_bytes(dev, c, all_wires);
}

uint64_t cuzk_accel_domain_bytes(cuzk_accel *dev, unsigned lg_n, cuzk_accel_twiddles t)
{
    return dev->vt->domain_bytes(dev, lg_n, t);
}

cuzk_status cuzk_accel_circuit_create(cuzk_accel_circuit **out, cuzk_accel_queue *q,
                                      const cuzk_circuit *c, bool all_wires, cuzk_err *err)
{
    CUZK_TRY(check_alive(q->dev, err));
    return note(q->dev, q->dev->vt->circuit_create(out, q, c, all_wires, err));
}

void cuzk_accel_circuit_destroy(cuzk_accel_circuit *c, cuzk_accel_queue *q)
{
    if (c != NULL) {
        c->dev->vt->circuit_destroy(c, q);
    }
}

cuzk_status cuzk_accel_domain_create(cuzk_accel_domain **out, cuzk_accel_queue *q, unsigned lg_n,
                                     const cuzk_fr *root_2_32, cuzk_accel_twiddles t, cuzk_err *err)
{
    CUZK_TRY(check_alive(q->dev, err));
    return note(q->dev, q->dev->vt->domain_create(out, q, lg_n, root_2_32, t, err));
}

void cuzk_accel_domain_destroy(cuzk_accel_domain *d, cuzk_accel_queue *q)
{
    if (d != NULL) {
        d->dev->vt->domain_destroy(d, q);
    }
}

uint64_t cuzk_accel_witness_bytes(const cuzk_accel_circuit *c)
{
    return c->dev->vt->witness_bytes(c);
}

void cuzk_accel_section_split(const cuzk_accel_circuit *c, cuzk_srs_section s,
                              cuzk_accel_split *out)
{
    c->dev->vt->section_split(c, s, out);
}

void cuzk_accel_section_slots(const cuzk_accel_circuit *c, cuzk_srs_section s, uint64_t i,
                              uint64_t *bit_slots, uint64_t *full_slots)
{
    c->dev->vt->section_slots(c, s, i, bit_slots, full_slots);
}

const char *cuzk_accel_op_name(cuzk_accel_op_kind k)
{
    static const char *const names[CUZK_ACCEL_OPS] = {
        "upload",     "download",  "copy",     "zero",     "witness",  "eval",
        "eval_times", "intt",      "to_coset", "mul",      "residue",  "diff",
        "reverse",    "product",   "quotient", "section",  "msm_g1",   "msm_g2",
        "bits_g1",    "bits_g2",   "signs_g1", "signs_g2", "comb_g1",  "comb_g2",
        "decode_g1",  "decode_g2", "split_g1", "split_g2", "images_g1"};
    return k < CUZK_ACCEL_OPS ? names[k] : "unknown";
}

uint64_t cuzk_accel_image_bytes(cuzk_accel *dev, uint64_t n)
{
    return dev->vt->image_bytes != NULL ? dev->vt->image_bytes(dev, n) : 0;
}

cuzk_status cuzk_accel_plan(cuzk_accel *dev, const cuzk_accel_op *op, cuzk_accel_need *out,
                            cuzk_err *err)
{
    const cuzk_accel_need zero = {0, 0};
    *out = zero;
    return dev->vt->plan(dev, op, out, err);
}

cuzk_status cuzk_accel_enqueue(cuzk_accel_queue *q, const cuzk_accel_op *op, void *d_ws,
                               uint64_t ws_bytes, cuzk_err *err)
{
    CUZK_TRY(check_alive(q->dev, err));
    return note(q->dev, q->dev->vt->enqueue(q, op, d_ws, ws_bytes, err));
}

uint64_t cuzk_accel_setup_bytes(cuzk_accel *dev, const cuzk_circuit *c, uint64_t slice)
{
    return dev->vt->setup_bytes != NULL ? dev->vt->setup_bytes(dev, c, slice) : 0;
}

cuzk_status cuzk_accel_setup(cuzk_accel_queue *q, const cuzk_circuit *c, const cuzk_toxic *toxic,
                             uint64_t slice, void *d_ws, cuzk_accel_setup_sink sink, void *arg,
                             cuzk_err *err)
{
    CUZK_TRY(check_alive(q->dev, err));
    if (q->dev->vt->setup == NULL) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "this device makes no parameters");
    }
    return note(q->dev, q->dev->vt->setup(q, c, toxic, slice, d_ws, sink, arg, err));
}
