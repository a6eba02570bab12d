/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "accel/cpu/cpu_accel.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"

#include "cpu_internal.h"

static cpu_queue *queue_of(cuzk_accel_queue *q)
{
    return (cpu_queue *)(void *)q;
}

static void get_props(cuzk_accel *dev, cuzk_accel_props *out)
{
    (void)dev;
    out->kind = CUZK_ACCEL_CPU;
    (void)snprintf(out->name, sizeof(out->name), "CPU");
    (void)snprintf(out->id, sizeof(out->id), "cpu");
    out->memory_total = out->memory_free = UINT64_MAX;
}

static void close_device(cuzk_accel *dev)
{
    cuzk_free(dev);
}

static cuzk_status alloc_block(cuzk_accel *dev, void **d_out, uint64_t bytes, cuzk_err *err)
{
    (void)dev;
    /* Rounded up like a device's: 64-byte alignment of base/alloc.h is enough for the CPU. */
    void *p = cuzk_alloc(bytes, 1);
    if (p == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %llu bytes", (unsigned long long)bytes);
    }
    *d_out = p;
    return CUZK_OK;
}

static void free_block(cuzk_accel *dev, void *p)
{
    (void)dev;
    cuzk_free(p);
}

static cuzk_status queue_create(cuzk_accel_queue **out, cuzk_accel *dev, bool urgent, cuzk_err *err)
{
    (void)urgent; /* work is done as it is enqueued */
    cpu_queue *q = cuzk_alloc_zero(1, sizeof(*q));
    if (q == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a queue");
    }
    q->base.dev = dev;
    *out = &q->base;
    return CUZK_OK;
}

static void queue_destroy(cuzk_accel_queue *q)
{
    cuzk_free(q);
}

static cuzk_status sync_queue(cuzk_accel_queue *queue, cuzk_err *err)
{
    cpu_queue *q = queue_of(queue);
    const cuzk_status st = q->failed;
    q->failed = CUZK_OK;
    if (st != CUZK_OK && err != NULL) {
        *err = q->err;
    }
    return st;
}

static cuzk_status wait_queue(cuzk_accel_queue *q, cuzk_accel_queue *other, cuzk_err *err)
{
    (void)q;
    (void)other;
    (void)err;
    return CUZK_OK; /* its work is done already */
}

static cuzk_status marks_reset(cuzk_accel_queue *q, cuzk_err *err)
{
    (void)err;
    queue_of(q)->n_marks = 0;
    return CUZK_OK;
}

static cuzk_status mark(cuzk_accel_queue *queue, uint32_t *out, cuzk_err *err)
{
    cpu_queue *q = queue_of(queue);
    if (q->n_marks == CUZK_ACCEL_MARKS) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "more than %u marks in a queue", CUZK_ACCEL_MARKS);
    }
    q->marks[q->n_marks] = cuzk_clock_ns();
    *out = q->n_marks++;
    return CUZK_OK;
}

static cuzk_status mark_ns(cuzk_accel_queue *queue, uint32_t i, uint64_t *ns, cuzk_err *err)
{
    cpu_queue *q = queue_of(queue);
    if (i >= q->n_marks) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "mark %u of %u", i, q->n_marks);
    }
    *ns = q->marks[i];
    return CUZK_OK;
}

bool cuzk_accel_cpu_has_failed(const cuzk_accel_queue *q)
{
    return ((const cpu_queue *)(const void *)q)->failed != CUZK_OK;
}

static uint64_t circuit_bytes(cuzk_accel *dev, const cuzk_circuit *c, bool all_wires)
{
    (void)dev;
    (void)all_wires;
    return (c->n_inputs + c->n_aux) / 64 * 16 * CUZK_SRS_WIRE_SETS; /* classes and counts */
}

/* The CPU has one kind of tables. */
static uint64_t domain_bytes(cuzk_accel *dev, unsigned lg_n, cuzk_accel_twiddles t)
{
    (void)dev;
    (void)t;
    return sizeof(cuzk_fr) << lg_n;
}

static cuzk_status domain_create(cuzk_accel_domain **out, cuzk_accel_queue *q, unsigned lg_n,
                                 const cuzk_fr *root_2_32, cuzk_accel_twiddles t, cuzk_err *err)
{
    cpu_domain *d = cuzk_alloc_zero(1, sizeof(*d));
    (void)t;
    if (d == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a domain");
    }
    d->base.dev = q->dev;
    d->base.lg_n = lg_n;
    cpu_device *dev = (cpu_device *)(void *)q->dev;
    const cuzk_status st = cuzk_ntt_domain_create(&d->ntt, lg_n, root_2_32, dev->pool, err);
    if (st != CUZK_OK) {
        cuzk_free(d);
        return st;
    }
    *out = &d->base;
    return CUZK_OK;
}

static void domain_destroy(cuzk_accel_domain *dom, cuzk_accel_queue *q)
{
    cpu_domain *d = (cpu_domain *)(void *)dom;
    (void)q;
    cuzk_ntt_domain_destroy(d->ntt);
    cuzk_free(d);
}

static cuzk_status plan(cuzk_accel *dev, const cuzk_accel_op *op, cuzk_accel_need *out,
                        cuzk_err *err)
{
    (void)dev;
    (void)out; /* the CPU's code allocates its own scratch */
    if (op->kind >= CUZK_ACCEL_OPS) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "operation %d", (int)op->kind);
    }
    return CUZK_OK;
}

static cuzk_status enqueue(cuzk_accel_queue *queue, const cuzk_accel_op *op, void *d_ws,
                           uint64_t ws_bytes, cuzk_err *err)
{
    cpu_queue *q = queue_of(queue);
    (void)d_ws;
    (void)ws_bytes;
    if (op->kind >= CUZK_ACCEL_OPS) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "operation %d", (int)op->kind);
    }
    if (q->failed == CUZK_OK) { /* what follows a failure would work on garbage */
        q->failed = cpu_run((cpu_device *)(void *)queue->dev, op, &q->err);
    }
    return CUZK_OK;
}

static const cuzk_accel_vtable vtable = {
    .get_props = get_props,
    .close = close_device,
    .alloc = alloc_block,
    .free = free_block,
    .host_alloc = alloc_block,
    .host_free = free_block,
    .queue_create = queue_create,
    .queue_destroy = queue_destroy,
    .sync = sync_queue,
    .wait = wait_queue,
    .marks_reset = marks_reset,
    .mark = mark,
    .mark_ns = mark_ns,
    .circuit_bytes = circuit_bytes,
    .domain_bytes = domain_bytes,
    .circuit_create = cpu_circuit_create,
    .circuit_destroy = cpu_circuit_destroy,
    .domain_create = domain_create,
    .domain_destroy = domain_destroy,
    .witness_bytes = cpu_witness_bytes,
    .section_split = cpu_section_split,
    .section_slots = cpu_section_slots,
    .plan = plan,
    .enqueue = enqueue,
};

cuzk_status cuzk_accel_cpu_open(cuzk_accel **out, cuzk_pool *pool, cuzk_err *err)
{
    cpu_device *d = cuzk_alloc_zero(1, sizeof(*d));
    if (d == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a device");
    }
    d->base.vt = &vtable;
    d->pool = pool;
    *out = &d->base;
    return CUZK_OK;
}
