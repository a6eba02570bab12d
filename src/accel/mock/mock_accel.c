/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "accel/mock/mock_accel.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "accel/accel_impl.h"
#include "accel/cpu/cpu_accel.h"
#include "base/alloc.h"
#include "ec/endo.h"

/* In front of a block: so that its size is known when it is freed. */
#define HEADER_BYTES 256u

#define MOST_LOCKED  64u

/* Memory of others that is page-locked. */
typedef struct mock_locked {
    const uint8_t *p;
    uint64_t bytes;
} mock_locked;

typedef struct mock_device {
    cuzk_accel base;
    cuzk_accel *cpu; /* does the work */
    uint32_t ordinal;
    uint64_t limit;
    const cuzk_card *card;         /* NULL: none is played */
    const cuzk_card_class *shapes; /* whose kernels are launched */
    pthread_mutex_t lock;          /* script, stats and locked */
    cuzk_mock_script script;
    cuzk_mock_stats stats;
    mock_locked locked[MOST_LOCKED]; /* [stats.locked_blocks] */
} mock_device;

typedef struct mock_queue mock_queue;

/* An operation that has not run yet; or, with other, that `until` entries of that queue must have run. */
typedef struct late_entry {
    cuzk_accel_op op;
    void *d_ws;
    uint64_t ws_bytes;
    mock_queue *other;
    uint64_t until;
} late_entry;

struct mock_queue {
    cuzk_accel_queue base;
    cuzk_accel_queue *cpu;
    cuzk_status failed; /* scripted failure for the next sync */
    /* Entries [ran, entered) of all that there ever were are late; late[0] is number `begin`. One thread uses the queue. */
    late_entry *late;
    size_t room;
    uint64_t begin, ran, entered;
};

static mock_device *device_of(cuzk_accel *dev)
{
    return (mock_device *)(void *)dev;
}

static mock_queue *queue_of(cuzk_accel_queue *q)
{
    return (mock_queue *)(void *)q;
}

static mock_device *owner_of(cuzk_accel_queue *q)
{
    return device_of(q->dev);
}

/* One counted call: the failure that is due, or CUZK_OK. */
static cuzk_status take_call(mock_device *m, const char *what)
{
    (void)pthread_mutex_lock(&m->lock);
    const cuzk_mock_script told = m->script;
    (void)pthread_mutex_unlock(&m->lock);
    if (told.on_call != NULL) {
        told.on_call(told.on_call_arg, what);
    }
    (void)pthread_mutex_lock(&m->lock);
    const uint64_t n = ++m->stats.calls;
    const cuzk_mock_script *s = &m->script;
    const bool due = s->fail_at != 0 && (n == s->fail_at || (s->and_after && n > s->fail_at));
    const cuzk_status st = due ? s->fail_with : CUZK_OK;
    (void)pthread_mutex_unlock(&m->lock);
    return st;
}

static cuzk_status call(mock_device *m, const char *what, cuzk_err *err)
{
    const cuzk_status st = take_call(m, what);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "%s: failure by script", what);
    }
    return CUZK_OK;
}

static void get_props(cuzk_accel *dev, cuzk_accel_props *out)
{
    mock_device *m = device_of(dev);
    out->kind = CUZK_ACCEL_MOCK;
    out->ordinal = m->ordinal;
    (void)snprintf(out->name, sizeof(out->name), "%s",
                   m->card != NULL ? m->card->klass->example : "mock device");
    (void)snprintf(out->id, sizeof(out->id), "mock%u", m->ordinal);
    out->memory_total = m->limit;
    (void)pthread_mutex_lock(&m->lock);
    out->memory_free = m->limit - m->stats.bytes;
    (void)pthread_mutex_unlock(&m->lock);
}

static void close_device(cuzk_accel *dev)
{
    mock_device *m = device_of(dev);
    cuzk_accel_close(m->cpu);
    (void)pthread_mutex_destroy(&m->lock);
    cuzk_free(m);
}

static cuzk_status reserve(mock_device *m, uint64_t bytes, cuzk_err *err)
{
    (void)pthread_mutex_lock(&m->lock);
    const uint64_t left = m->limit - m->stats.bytes;
    if (bytes <= left) {
        m->stats.bytes += bytes;
        m->stats.blocks++;
        if (m->stats.bytes > m->stats.peak_bytes) {
            m->stats.peak_bytes = m->stats.bytes;
        }
    }
    (void)pthread_mutex_unlock(&m->lock);
    if (bytes > left) {
        return CUZK_FAIL(err, CUZK_E_DEV_NOMEM, "no device memory for %llu bytes: %llu are free",
                         (unsigned long long)bytes, (unsigned long long)left);
    }
    return CUZK_OK;
}

static void unreserve(mock_device *m, uint64_t bytes)
{
    (void)pthread_mutex_lock(&m->lock);
    m->stats.bytes -= bytes;
    m->stats.blocks--;
    (void)pthread_mutex_unlock(&m->lock);
}

static cuzk_status alloc_block(cuzk_accel *dev, void **d_out, uint64_t bytes, cuzk_err *err)
{
    mock_device *m = device_of(dev);
    CUZK_TRY(call(m, "alloc", err));
    bytes = (bytes + 255) & ~(uint64_t)255;
    CUZK_TRY(reserve(m, bytes, err));
    uint8_t *p = cuzk_alloc(HEADER_BYTES + bytes, 1);
    if (p == NULL) {
        unreserve(m, bytes);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %llu bytes", (unsigned long long)bytes);
    }
    *(uint64_t *)(void *)p = bytes;
    *d_out = p + HEADER_BYTES;
    return CUZK_OK;
}

static void free_block(cuzk_accel *dev, void *d_p)
{
    uint8_t *p = (uint8_t *)d_p - HEADER_BYTES;
    unreserve(device_of(dev), *(uint64_t *)(void *)p);
    cuzk_free(p);
}

static cuzk_status host_alloc(cuzk_accel *dev, void **out, uint64_t bytes, cuzk_err *err)
{
    mock_device *m = device_of(dev);
    CUZK_TRY(call(m, "host alloc", err));
    CUZK_TRY(cuzk_accel_host_alloc(m->cpu, out, bytes, err));
    (void)pthread_mutex_lock(&m->lock);
    m->stats.host_blocks++;
    (void)pthread_mutex_unlock(&m->lock);
    return CUZK_OK;
}

static void host_free(cuzk_accel *dev, void *p)
{
    mock_device *m = device_of(dev);
    (void)pthread_mutex_lock(&m->lock);
    m->stats.host_blocks--;
    (void)pthread_mutex_unlock(&m->lock);
    cuzk_accel_host_free(m->cpu, p);
}

static cuzk_status host_lock(cuzk_accel *dev, void *p, uint64_t bytes, cuzk_err *err)
{
    mock_device *m = device_of(dev);
    CUZK_TRY(call(m, "host lock", err));
    (void)pthread_mutex_lock(&m->lock);
    const bool has_room = m->stats.locked_blocks < MOST_LOCKED;
    if (has_room) {
        m->locked[m->stats.locked_blocks++] = (mock_locked){p, bytes};
    }
    (void)pthread_mutex_unlock(&m->lock);
    return has_room ? CUZK_OK : CUZK_FAIL(err, CUZK_E_NOMEM, "no more blocks can be locked");
}

static void host_unlock(cuzk_accel *dev, void *p)
{
    mock_device *m = device_of(dev);
    (void)pthread_mutex_lock(&m->lock);
    for (uint64_t i = 0; i < m->stats.locked_blocks; i++) {
        if (m->locked[i].p == p) {
            m->locked[i] = m->locked[--m->stats.locked_blocks];
            break;
        }
    }
    (void)pthread_mutex_unlock(&m->lock);
}

/* Counts an upload from locked memory. It must lie in one block. */
static cuzk_status check_upload(mock_device *m, const cuzk_accel_op *op, cuzk_err *err)
{
    const uint8_t *src = op->u.copy.src;
    bool whole = true;
    (void)pthread_mutex_lock(&m->lock);
    for (uint64_t i = 0; i < m->stats.locked_blocks; i++) {
        const mock_locked *l = &m->locked[i];
        if (src >= l->p && src < l->p + l->bytes) {
            m->stats.direct++;
            whole = op->u.copy.bytes <= (uint64_t)(l->p + l->bytes - src);
        }
    }
    (void)pthread_mutex_unlock(&m->lock);
    return whole ? CUZK_OK : CUZK_FAIL(err, CUZK_E_INVALID, "an upload from two locked blocks");
}

static void count(mock_device *m, uint64_t *counter, bool up)
{
    (void)pthread_mutex_lock(&m->lock);
    *counter = up ? *counter + 1 : *counter - 1;
    (void)pthread_mutex_unlock(&m->lock);
}

static cuzk_status queue_create(cuzk_accel_queue **out, cuzk_accel *dev, bool urgent, cuzk_err *err)
{
    (void)urgent;
    mock_device *m = device_of(dev);
    CUZK_TRY(call(m, "queue", err));
    mock_queue *q = cuzk_alloc_zero(1, sizeof(*q));
    if (q == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a queue");
    }
    const cuzk_status st = cuzk_accel_queue_create(&q->cpu, m->cpu, err);
    if (st != CUZK_OK) {
        cuzk_free(q);
        return st;
    }
    q->base.dev = dev;
    count(m, &m->stats.queues, true);
    *out = &q->base;
    return CUZK_OK;
}

static cuzk_status run_late(mock_queue *q, uint64_t until, cuzk_err *err);

/* All that is late in a queue. */
static cuzk_status catch_up(mock_queue *q, cuzk_err *err)
{
    const cuzk_status st = run_late(q, q->entered, err);
    q->begin = q->ran;
    return st;
}

static void queue_destroy(cuzk_accel_queue *queue)
{
    mock_queue *q = queue_of(queue);
    mock_device *m = owner_of(queue);
    cuzk_free(q->late);
    cuzk_accel_queue_destroy(q->cpu);
    cuzk_free(q);
    count(m, &m->stats.queues, false);
}

static cuzk_status sync_queue(cuzk_accel_queue *queue, cuzk_err *err)
{
    mock_queue *q = queue_of(queue);
    const cuzk_status late = catch_up(q, err);
    CUZK_TRY(call(owner_of(queue), "sync", late == CUZK_OK ? err : NULL));
    if (q->failed != CUZK_OK) {
        const cuzk_status st = q->failed;
        q->failed = CUZK_OK;
        return CUZK_FAIL(err, st, "enqueued work: failure by script");
    }
    CUZK_TRY(late);
    return cuzk_accel_sync(q->cpu, err);
}

static cuzk_status add_late(mock_queue *q, const late_entry *e, cuzk_err *err)
{
    const size_t n = (size_t)(q->entered - q->begin);
    if (n == q->room) {
        const size_t room = 2 * n + 16;
        late_entry *list = cuzk_realloc(q->late, room, sizeof(*list));
        if (list == NULL) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a queue");
        }
        q->late = list;
        q->room = room;
    }
    q->late[n] = *e;
    q->entered++;
    return CUZK_OK;
}

static cuzk_status wait_queue(cuzk_accel_queue *queue, cuzk_accel_queue *other, cuzk_err *err)
{
    const mock_queue *o = queue_of(other);
    const late_entry e = {.other = queue_of(other), .until = o->entered};
    CUZK_TRY(call(owner_of(queue), "wait", err));
    return o->ran == o->entered ? CUZK_OK : add_late(queue_of(queue), &e, err);
}

static cuzk_status marks_reset(cuzk_accel_queue *q, cuzk_err *err)
{
    CUZK_TRY(call(owner_of(q), "marks", err));
    CUZK_TRY(catch_up(queue_of(q), err));
    return cuzk_accel_marks_reset(queue_of(q)->cpu, err);
}

static cuzk_status mark(cuzk_accel_queue *q, uint32_t *out, cuzk_err *err)
{
    CUZK_TRY(call(owner_of(q), "mark", err));
    return cuzk_accel_mark(queue_of(q)->cpu, out, err);
}

static cuzk_status mark_ns(cuzk_accel_queue *q, uint32_t i, uint64_t *ns, cuzk_err *err)
{
    return cuzk_accel_mark_ns(queue_of(q)->cpu, i, ns, err);
}

static uint64_t circuit_bytes(cuzk_accel *dev, const cuzk_circuit *c, bool all_wires)
{
    return cuzk_accel_circuit_bytes(device_of(dev)->cpu, c, all_wires);
}

static uint64_t domain_bytes(cuzk_accel *dev, unsigned lg_n, cuzk_accel_twiddles t)
{
    return cuzk_accel_domain_bytes(device_of(dev)->cpu, lg_n, t);
}

/* The CPU's objects, but found through this device. */
static cuzk_status circuit_create(cuzk_accel_circuit **out, cuzk_accel_queue *q,
                                  const cuzk_circuit *c, bool all_wires, cuzk_err *err)
{
    mock_device *m = owner_of(q);
    CUZK_TRY(call(m, "circuit", err));
    CUZK_TRY(catch_up(queue_of(q), err));
    CUZK_TRY(cuzk_accel_circuit_create(out, queue_of(q)->cpu, c, all_wires, err));
    (*out)->dev = q->dev;
    count(m, &m->stats.objects, true);
    return CUZK_OK;
}

static void circuit_destroy(cuzk_accel_circuit *c, cuzk_accel_queue *q)
{
    mock_device *m = device_of(c->dev);
    m->cpu->vt->circuit_destroy(c, q);
    count(m, &m->stats.objects, false);
}

static cuzk_status domain_create(cuzk_accel_domain **out, cuzk_accel_queue *q, unsigned lg_n,
                                 const cuzk_fr *root_2_32, cuzk_accel_twiddles t, cuzk_err *err)
{
    mock_device *m = owner_of(q);
    CUZK_TRY(call(m, "domain", err));
    CUZK_TRY(catch_up(queue_of(q), err));
    CUZK_TRY(cuzk_accel_domain_create(out, queue_of(q)->cpu, lg_n, root_2_32, t, err));
    (*out)->dev = q->dev;
    count(m, &m->stats.objects, true);
    return CUZK_OK;
}

static void domain_destroy(cuzk_accel_domain *d, cuzk_accel_queue *q)
{
    mock_device *m = device_of(d->dev);
    m->cpu->vt->domain_destroy(d, q);
    count(m, &m->stats.objects, false);
}

static uint64_t witness_bytes(const cuzk_accel_circuit *c)
{
    return device_of(c->dev)->cpu->vt->witness_bytes(c);
}

static void section_split(const cuzk_accel_circuit *c, cuzk_srs_section s, cuzk_accel_split *out)
{
    device_of(c->dev)->cpu->vt->section_split(c, s, out);
}

static void section_slots(const cuzk_accel_circuit *c, cuzk_srs_section s, uint64_t i,
                          uint64_t *bit_slots, uint64_t *full_slots)
{
    device_of(c->dev)->cpu->vt->section_slots(c, s, i, bit_slots, full_slots);
}

static bool is_sum(const cuzk_accel_op *op)
{
    return op->kind == CUZK_ACCEL_OP_MSM_G1 || op->kind == CUZK_ACCEL_OP_MSM_G2 ||
           op->kind == CUZK_ACCEL_OP_BITS_G1 || op->kind == CUZK_ACCEL_OP_BITS_G2 ||
           op->kind == CUZK_ACCEL_OP_SIGNS_G1 || op->kind == CUZK_ACCEL_OP_SIGNS_G2;
}

/* Workspaces as a device would want them, so that planning is exercised. */
static cuzk_status plan(cuzk_accel *dev, const cuzk_accel_op *op, cuzk_accel_need *out,
                        cuzk_err *err)
{
    CUZK_TRY(cuzk_accel_plan(device_of(dev)->cpu, op, out, err));
    if (is_sum(op)) {
        out->device_bytes = 4096 + op->u.msm.n * (op->u.msm.images ? 80 : 64);
    }
    return CUZK_OK;
}

/* As cpu_ops.c makes them. */
static uint64_t image_bytes(cuzk_accel *dev, uint64_t n)
{
    (void)dev;
    return n == 0 ? 0 : 2 * sizeof(cuzk_fp);
}

/* Images that are given are those of the bases; the first and the last are looked at. */
static cuzk_status check_images(const cuzk_accel_op *op, cuzk_err *err)
{
    const cuzk_g1_affine *bases = op->u.msm.d_bases;
    const cuzk_fp *images = op->u.msm.d_images;
    const uint64_t n = op->u.msm.n;
    for (uint64_t i = 0; i < n; i = i + 1 == n ? n : n - 1) {
        cuzk_g1_affine e;
        cuzk_g1_affine_endo(&e, &bases[i]);
        if (!cuzk_fp_eq(&e.x, &images[2 * i])) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "images of other bases, at %llu",
                             (unsigned long long)i);
        }
    }
    return CUZK_OK;
}

static void spoil(cuzk_accel_sum *s)
{
    if (s->is_g2) {
        cuzk_g2_add_affine(&s->v.g2, &s->v.g2, &CUZK_G2_GENERATOR);
    } else {
        cuzk_g1_add_affine(&s->v.g1, &s->v.g1, &CUZK_G1_GENERATOR);
    }
}

static bool take_sum(mock_device *m)
{
    (void)pthread_mutex_lock(&m->lock);
    const bool wrong = ++m->stats.sums == m->script.wrong_sum_at;
    (void)pthread_mutex_unlock(&m->lock);
    return wrong;
}

static void delay(mock_device *m)
{
    (void)pthread_mutex_lock(&m->lock);
    const uint64_t ns = m->script.delay_ns;
    (void)pthread_mutex_unlock(&m->lock);
    if (ns > 0) {
        const struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u),
                                   .tv_nsec = (long)(ns % 1000000000u)};
        (void)nanosleep(&t, NULL);
    }
}

/* Shared memory and threads of one kernel of the shapes, against the limits of the card's class. */
static cuzk_status check_kernel(const mock_device *m, cuzk_kernel k, cuzk_err *err)
{
    return cuzk_card_check(m->card->klass, cuzk_kernel_name(k), cuzk_card_launch(m->shapes, k), 0,
                           1, err);
}

/* The kernels of an operation whose sizes depend on the class. */
static cuzk_status check_launches(const mock_device *m, const cuzk_accel_op *op, cuzk_err *err)
{
    const cuzk_card_shapes *s = &m->shapes->shapes;
    const bool is_g2 = op->kind == CUZK_ACCEL_OP_MSM_G2 || op->kind == CUZK_ACCEL_OP_BITS_G2 ||
                       op->kind == CUZK_ACCEL_OP_SIGNS_G2;
    const cuzk_kernel of_sum[] = {is_g2 ? s->tree_g2 : s->tree_g1,
                                  is_g2 ? s->reduce_g2 : s->reduce_g1, s->hex_pieces_g1,
                                  CUZK_KERNEL_PLACE, CUZK_KERNEL_SPREAD};
    const cuzk_kernel of_ntt[] = {s->ntt_pass, s->ntt_middle};
    const bool is_ntt = op->kind == CUZK_ACCEL_OP_INTT || op->kind == CUZK_ACCEL_OP_TO_COSET ||
                        op->kind == CUZK_ACCEL_OP_PRODUCT || op->kind == CUZK_ACCEL_OP_QUOTIENT;
    const cuzk_kernel *list = is_ntt ? of_ntt : of_sum;
    const size_t n = is_ntt       ? sizeof(of_ntt) / sizeof(of_ntt[0])
                     : is_sum(op) ? sizeof(of_sum) / sizeof(of_sum[0])
                                  : 0;
    for (size_t i = 0; i < n; i++) {
        CUZK_TRY(check_kernel(m, list[i], err));
    }
    return CUZK_OK;
}

static cuzk_status execute(mock_queue *q, const cuzk_accel_op *op, void *d_ws, uint64_t ws_bytes,
                           cuzk_err *err)
{
    mock_device *m = owner_of(&q->base);
    delay(m);
    if (op->kind == CUZK_ACCEL_OP_MSM_G1 && op->u.msm.images &&
        !cuzk_accel_cpu_has_failed(q->cpu)) {
        CUZK_TRY(check_images(op, err));
    }
    CUZK_TRY(cuzk_accel_enqueue(q->cpu, op, d_ws, ws_bytes, err));
    if (is_sum(op) && take_sum(m)) {
        spoil(op->u.msm.sum);
    }
    return CUZK_OK;
}

/* The first failure; the rest runs all the same. */
static cuzk_status run_late(mock_queue *q, uint64_t until, cuzk_err *err)
{
    cuzk_status first = CUZK_OK;
    while (q->ran < until) {
        const late_entry e = q->late[q->ran++ - q->begin];
        cuzk_err *to = first == CUZK_OK ? err : NULL;
        const cuzk_status st = e.other != NULL ? run_late(e.other, e.until, to)
                                               : execute(q, &e.op, e.d_ws, e.ws_bytes, to);
        first = first == CUZK_OK ? st : first;
    }
    return first;
}

static bool is_late(mock_device *m, const cuzk_accel_op *op)
{
    (void)pthread_mutex_lock(&m->lock);
    const cuzk_mock_order order = m->script.order;
    (void)pthread_mutex_unlock(&m->lock);
    return order != CUZK_MOCK_AT_ONCE &&
           (op->kind == CUZK_ACCEL_OP_UPLOAD) == (order == CUZK_MOCK_LATE_COPIES);
}

static cuzk_status enqueue(cuzk_accel_queue *queue, const cuzk_accel_op *op, void *d_ws,
                           uint64_t ws_bytes, cuzk_err *err)
{
    mock_queue *q = queue_of(queue);
    mock_device *m = owner_of(queue);
    cuzk_accel_need need;
    CUZK_TRY(cuzk_accel_plan(queue->dev, op, &need, err));
    if (ws_bytes < need.device_bytes) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s: a workspace of %llu bytes, planned were %llu",
                         cuzk_accel_op_name(op->kind), (unsigned long long)ws_bytes,
                         (unsigned long long)need.device_bytes);
    }
    if (m->card != NULL) {
        CUZK_TRY(check_launches(m, op, err));
    }
    const cuzk_status due = take_call(m, cuzk_accel_op_name(op->kind));
    if (due != CUZK_OK) {
        (void)pthread_mutex_lock(&m->lock);
        const bool later = m->script.at_sync;
        (void)pthread_mutex_unlock(&m->lock);
        if (!later) {
            return CUZK_FAIL(err, due, "%s: failure by script", cuzk_accel_op_name(op->kind));
        }
        q->failed = due;
    }
    if (op->kind == CUZK_ACCEL_OP_UPLOAD) {
        CUZK_TRY(check_upload(m, op, err));
    }
    if (is_late(m, op)) {
        const late_entry e = {.op = *op, .d_ws = d_ws, .ws_bytes = ws_bytes};
        return add_late(q, &e, err);
    }
    CUZK_TRY(catch_up(q, err));
    return execute(q, op, d_ws, ws_bytes, err);
}

static const cuzk_accel_vtable vtable = {
    .get_props = get_props,
    .close = close_device,
    .alloc = alloc_block,
    .free = free_block,
    .host_alloc = host_alloc,
    .host_free = host_free,
    .host_lock = host_lock,
    .host_unlock = host_unlock,
    .queue_create = queue_create,
    .queue_destroy = queue_destroy,
    .sync = sync_queue,
    .wait = wait_queue,
    .marks_reset = marks_reset,
    .mark = mark,
    .mark_ns = mark_ns,
    .circuit_bytes = circuit_bytes,
    .domain_bytes = domain_bytes,
    .circuit_create = circuit_create,
    .circuit_destroy = circuit_destroy,
    .domain_create = domain_create,
    .domain_destroy = domain_destroy,
    .witness_bytes = witness_bytes,
    .section_split = section_split,
    .section_slots = section_slots,
    .image_bytes = image_bytes,
    .plan = plan,
    .enqueue = enqueue,
};

cuzk_status cuzk_accel_mock_open(cuzk_accel **out, uint32_t ordinal, uint64_t memory_limit,
                                 cuzk_pool *pool, cuzk_err *err)
{
    mock_device *m = cuzk_alloc_zero(1, sizeof(*m));
    if (m == NULL || pthread_mutex_init(&m->lock, NULL) != 0) {
        cuzk_free(m);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a device");
    }
    m->base.vt = &vtable;
    m->ordinal = ordinal;
    m->limit = memory_limit;
    const cuzk_status st = cuzk_accel_cpu_open(&m->cpu, pool, err);
    if (st != CUZK_OK) {
        (void)pthread_mutex_destroy(&m->lock);
        cuzk_free(m);
        return st;
    }
    *out = &m->base;
    return CUZK_OK;
}

cuzk_status cuzk_accel_mock_open_card(cuzk_accel **out, uint32_t ordinal, const cuzk_card *card,
                                      const cuzk_card_class *shapes, cuzk_pool *pool, cuzk_err *err)
{
    CUZK_TRY(cuzk_accel_mock_open(out, ordinal, cuzk_card_usable(card), pool, err));
    mock_device *m = device_of(*out);
    m->card = card;
    m->shapes = shapes != NULL ? shapes : card->klass;
    return CUZK_OK;
}

void cuzk_accel_mock_set(cuzk_accel *dev, const cuzk_mock_script *script)
{
    mock_device *m = device_of(dev);
    (void)pthread_mutex_lock(&m->lock);
    m->script = *script;
    m->stats.calls = m->stats.sums = m->stats.direct = 0;
    (void)pthread_mutex_unlock(&m->lock);
}

cuzk_mock_stats cuzk_accel_mock_stats(cuzk_accel *dev)
{
    mock_device *m = device_of(dev);
    (void)pthread_mutex_lock(&m->lock);
    const cuzk_mock_stats s = m->stats;
    (void)pthread_mutex_unlock(&m->lock);
    return s;
}
