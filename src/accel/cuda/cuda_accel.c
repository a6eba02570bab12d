/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cuda_accel.h"

#include <stdio.h>
#include <string.h>

#include "accel/card/tuning.h"
#include "accel/cuda/queue/queue_urgent.h"
#include "accel/cuda/setup/setup.h"
#include "base/alloc.h"
#include "base/clock.h"

#include "cuda_accel_internal.h"
#include "tune_internal.h"

static gpu_device *device_of(cuzk_accel *dev)
{
    return (gpu_device *)(void *)dev;
}

static gpu_queue *queue_of(cuzk_accel_queue *q)
{
    return (gpu_queue *)(void *)q;
}

static void get_props(cuzk_accel *dev, cuzk_accel_props *out)
{
    gpu_device *d = device_of(dev);
    out->kind = CUZK_ACCEL_CUDA;
    out->ordinal = d->ordinal;
    (void)snprintf(out->name, sizeof(out->name), "%s", d->name);
    (void)snprintf(out->id, sizeof(out->id), "%s", d->id);
    out->memory_total = cuzk_cuda_mem_total(d->mem);
    out->memory_free = cuzk_cuda_mem_free(d->mem);
}

static void close_device(cuzk_accel *dev)
{
    gpu_device *d = device_of(dev);
    cuzk_cuda_mem_destroy(d->mem);
    if (atomic_load(&dev->lost)) {
        /* The context is dead for everyone in this process: only without it can the device be
         * opened again. */
        (void)cudaSetDevice((int)d->ordinal);
        (void)cudaDeviceReset();
        (void)cudaGetLastError();
    }
    (void)pthread_mutex_destroy(&d->lock);
    cuzk_free(d);
}

static cuzk_status alloc_block(cuzk_accel *dev, void **d_out, uint64_t bytes, cuzk_err *err)
{
    return cuzk_cuda_mem_take(device_of(dev)->mem, d_out, bytes, err);
}

static void free_block(cuzk_accel *dev, void *d_p)
{
    cuzk_cuda_mem_give(device_of(dev)->mem, d_p);
}

static void queue_destroy(cuzk_accel_queue *queue)
{
    gpu_queue *q = queue_of(queue);
    if (q->q != NULL) {
        cuzk_ignore(cuzk_cuda_queue_sync(q->q, NULL)); /* its failure was reported by a sync */
        gpu_drop(q);
        gpu_release_sums(q);
        cuzk_cuda_free(q->q, q->d_report);
    }
    for (uint32_t i = 0; i < CUZK_ACCEL_MARKS; i++) {
        if (q->marks[i] != NULL) {
            (void)cudaEventDestroy(q->marks[i]);
        }
    }
    cudaEvent_t *const events[] = {&q->fence, &q->tie, &q->staged};
    for (size_t i = 0; i < 3; i++) {
        if (*events[i] != NULL) {
            (void)cudaEventDestroy(*events[i]);
        }
    }
    if (q->staging != NULL) {
        (void)cudaFreeHost(q->staging);
    }
    cuzk_cuda_queue_destroy(q->q);
    cuzk_free(q);
}

static cuzk_status marks_reset(cuzk_accel_queue *queue, cuzk_err *err)
{
    gpu_queue *q = queue_of(queue);
    q->n_marks = 0;
    CUZK_TRY(cuzk_cuda_queue_sync(q->q, err));
    /* The event is passed between the two times; the later one is closer to it, since recording
     * and waiting both take some microseconds. */
    CUZK_TRY(CUZK_CUDA(cudaEventRecord(q->tie, q->q->stream), err));
    CUZK_TRY(CUZK_CUDA(cudaEventSynchronize(q->tie), err));
    q->tie_ns = cuzk_clock_ns();
    return CUZK_OK;
}

static cuzk_status queue_create(cuzk_accel_queue **out, cuzk_accel *dev, bool urgent, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    gpu_queue *q = cuzk_alloc_zero(1, sizeof(*q));
    if (q == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a queue");
    }
    void *report = NULL;
    q->base.dev = dev;
    CUZK_TRY_GOTO(st, urgent ? cuzk_cuda_queue_create_urgent(&q->q, device_of(dev)->mem, err)
                             : cuzk_cuda_queue_create_in(&q->q, device_of(dev)->mem, err));
    CUZK_TRY_GOTO(st, CUZK_CUDA(cudaEventCreateWithFlags(&q->fence, cudaEventDisableTiming), err));
    CUZK_TRY_GOTO(st, CUZK_CUDA(cudaEventCreateWithFlags(&q->staged, CUZK_CUDA_SLEEP), err));
    CUZK_TRY_GOTO(st, CUZK_CUDA(cudaEventCreate(&q->tie), err));
    CUZK_TRY_GOTO(st, cuzk_cuda_alloc(q->q, &report, sizeof(*q->d_report), err));
    q->d_report = report;
    CUZK_TRY_GOTO(st, marks_reset(&q->base, err));
    *out = &q->base;
    return CUZK_OK;
out:
    queue_destroy(&q->base);
    return st;
}

static cuzk_status sync_queue(cuzk_accel_queue *queue, cuzk_err *err)
{
    gpu_queue *q = queue_of(queue);
    const cuzk_status st = cuzk_cuda_queue_sync(q->q, err);
    if (st != CUZK_OK) {
        gpu_drop(q);
        return st;
    }
    return gpu_collect(q, err);
}

static cuzk_status wait_queue(cuzk_accel_queue *queue, cuzk_accel_queue *other, cuzk_err *err)
{
    gpu_queue *q = queue_of(queue), *o = queue_of(other);
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->q->device), err));
    CUZK_TRY(CUZK_CUDA(cudaEventRecord(o->fence, o->q->stream), err));
    return CUZK_CUDA(cudaStreamWaitEvent(q->q->stream, o->fence, 0), err);
}

static cuzk_status mark(cuzk_accel_queue *queue, uint32_t *out, cuzk_err *err)
{
    gpu_queue *q = queue_of(queue);
    if (q->n_marks == CUZK_ACCEL_MARKS) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "more than %u marks in a queue", CUZK_ACCEL_MARKS);
    }
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->q->device), err));
    if (q->marks[q->n_marks] == NULL) {
        CUZK_TRY(CUZK_CUDA(cudaEventCreate(&q->marks[q->n_marks]), err));
    }
    CUZK_TRY(CUZK_CUDA(cudaEventRecord(q->marks[q->n_marks], q->q->stream), err));
    *out = q->n_marks++;
    return CUZK_OK;
}

static cuzk_status mark_ns(cuzk_accel_queue *queue, uint32_t i, uint64_t *ns, cuzk_err *err)
{
    gpu_queue *q = queue_of(queue);
    float ms = 0;
    if (i >= q->n_marks) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "mark %u of %u", i, q->n_marks);
    }
    CUZK_TRY(CUZK_CUDA(cudaSetDevice(q->q->device), err));
    CUZK_TRY(CUZK_CUDA(cudaEventElapsedTime(&ms, q->tie, q->marks[i]), err));
    *ns = q->tie_ns + (uint64_t)((double)ms * 1e6);
    return CUZK_OK;
}

/* Rows of the circuit, before its sections. */
static uint64_t first_bytes(const cuzk_circuit *c)
{
    return (cuzk_cuda_circuit_bytes(c, false) + 255) & ~(uint64_t)255;
}

static uint64_t circuit_bytes(cuzk_accel *dev, const cuzk_circuit *c, bool all_wires)
{
    (void)dev;
    return first_bytes(c) + cuzk_cuda_sections_bytes(c, all_wires);
}

static void circuit_destroy(cuzk_accel_circuit *c, cuzk_accel_queue *q)
{
    gpu_circuit *g = (gpu_circuit *)(void *)c;
    (void)q;
    cuzk_cuda_sections_destroy(g->sections);
    cuzk_cuda_circuit_destroy(g->circuit);
    cuzk_cuda_mem_give(device_of(c->dev)->mem, g->d_mem);
    cuzk_free(g);
}

static cuzk_status circuit_create(cuzk_accel_circuit **out, cuzk_accel_queue *queue,
                                  const cuzk_circuit *c, bool all_wires, cuzk_err *err)
{
    gpu_queue *q = queue_of(queue);
    cuzk_status st = CUZK_OK;
    const uint64_t first = first_bytes(c);
    gpu_circuit *g = cuzk_alloc_zero(1, sizeof(*g));
    if (g == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a circuit");
    }
    g->base.dev = queue->dev;
    g->base.circuit = c;
    g->base.all_wires = all_wires;
    CUZK_TRY_GOTO(st, cuzk_cuda_mem_take(device_of(queue->dev)->mem, &g->d_mem,
                                         circuit_bytes(queue->dev, c, all_wires), err));
    CUZK_TRY_GOTO(st, cuzk_cuda_circuit_create(&g->circuit, q->q, c, false, g->d_mem, err));
    CUZK_TRY_GOTO(st, cuzk_cuda_sections_create(&g->sections, q->q, c, all_wires,
                                                (uint8_t *)g->d_mem + first, err));
    *out = &g->base;
    return CUZK_OK;
out:
    cuzk_ignore(cuzk_cuda_queue_sync(q->q, NULL)); /* uploads may still write to d_mem */
    circuit_destroy(&g->base, queue);
    return st;
}

static uint64_t domain_bytes(cuzk_accel *dev, unsigned lg_n, cuzk_accel_twiddles t)
{
    (void)dev;
    return cuzk_cuda_ntt_bytes(lg_n, t == CUZK_ACCEL_TWIDDLES_SMALL);
}

static cuzk_status domain_create(cuzk_accel_domain **out, cuzk_accel_queue *queue, unsigned lg_n,
                                 const cuzk_fr *root_2_32, cuzk_accel_twiddles t, cuzk_err *err)
{
    gpu_domain *d = cuzk_alloc_zero(1, sizeof(*d));
    if (d == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a domain");
    }
    d->base.dev = queue->dev;
    d->base.lg_n = lg_n;
    const cuzk_status st = cuzk_cuda_ntt_create(&d->ntt, queue_of(queue)->q, lg_n, root_2_32,
                                                t == CUZK_ACCEL_TWIDDLES_SMALL, err);
    if (st != CUZK_OK) {
        cuzk_free(d);
        return st;
    }
    *out = &d->base;
    return CUZK_OK;
}

static void domain_destroy(cuzk_accel_domain *dom, cuzk_accel_queue *queue)
{
    gpu_domain *d = (gpu_domain *)(void *)dom;
    cuzk_cuda_ntt_destroy(d->ntt, queue_of(queue)->q);
    cuzk_free(d);
}

static uint64_t witness_bytes(const cuzk_accel_circuit *c)
{
    return cuzk_cuda_witness_bytes(c->circuit);
}

static void section_split(const cuzk_accel_circuit *c, cuzk_srs_section s, cuzk_accel_split *out)
{
    const gpu_circuit *g = (const gpu_circuit *)(const void *)c;
    out->n_points = cuzk_cuda_sections_count(g->sections, s);
    out->n_bits = cuzk_cuda_sections_bits(g->sections, s);
    out->n_fulls = out->n_points - out->n_bits;
}

static void section_slots(const cuzk_accel_circuit *c, cuzk_srs_section s, uint64_t i,
                          uint64_t *bit_slots, uint64_t *full_slots)
{
    const gpu_circuit *g = (const gpu_circuit *)(const void *)c;
    *bit_slots = cuzk_cuda_sections_bits_before(g->sections, s, i);
    *full_slots = i - *bit_slots;
}

static uint64_t setup_bytes(cuzk_accel *dev, const cuzk_circuit *c, uint64_t slice)
{
    (void)dev;
    return cuzk_cuda_setup_bytes(c, slice);
}

typedef struct setup_call {
    cuzk_accel_setup_sink sink;
    void *arg;
} setup_call;

static cuzk_status take_slice(void *arg, cuzk_cuda_queue *q, cuzk_srs_section section,
                              uint64_t first, uint64_t n, const void *d_points, cuzk_err *err)
{
    const setup_call *s = arg;
    (void)q; /* the one that the sink's own work goes to */
    return s->sink(s->arg, section, first, n, d_points, err);
}

static cuzk_status setup(cuzk_accel_queue *queue, const cuzk_circuit *c, const cuzk_toxic *toxic,
                         uint64_t slice, void *d_ws, cuzk_accel_setup_sink sink, void *arg,
                         cuzk_err *err)
{
    const uint32_t all = (1u << (CUZK_SRS_IC + 1)) - 1;
    setup_call s = {sink, arg};
    return cuzk_cuda_setup_run(queue_of(queue)->q, c, toxic, all, slice, d_ws, take_slice, &s, err);
}

static const cuzk_accel_vtable vtable = {
    .get_props = get_props,
    .close = close_device,
    .self_test = gpu_self_test,
    .alloc = alloc_block,
    .free = free_block,
    .host_alloc = gpu_host_alloc,
    .host_free = gpu_host_free,
    .host_lock = gpu_host_lock,
    .host_unlock = gpu_host_unlock,
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
    .image_bytes = gpu_image_bytes,
    .plan = gpu_plan,
    .enqueue = gpu_enqueue,
    .setup_bytes = setup_bytes,
    .setup = setup,
};

uint32_t cuzk_accel_cuda_count(void)
{
    const int n = cuzk_cuda_device_count();
    return n > 0 ? (uint32_t)n : 0;
}

cuzk_status cuzk_accel_cuda_open(cuzk_accel **out, uint32_t ordinal, uint64_t memory_limit,
                                 cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    uint64_t free_now = 0;
    const cuzk_card_class *host = NULL;
    const uint32_t n = cuzk_accel_cuda_count();
    if (ordinal >= n) {
        return CUZK_FAIL(err, CUZK_E_DEV_UNFIT, "no CUDA device %u: there are %u", ordinal, n);
    }
    gpu_device *d = cuzk_alloc_zero(1, sizeof(*d));
    if (d == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a device");
    }
    d->base.vt = &vtable;
    d->ordinal = ordinal;
    (void)pthread_mutex_init(&d->lock, NULL); /* default attributes: cannot fail */
    CUZK_TRY_GOTO(st, cuzk_cuda_device_name(d->name, sizeof(d->name), (int)ordinal, err));
    CUZK_TRY_GOTO(
        st, cuzk_cuda_device_info((int)ordinal, d->id, sizeof(d->id), &d->total, &free_now, err));
    CUZK_TRY_GOTO(st, cuzk_cuda_card_of(&d->card, &host, (int)ordinal, err));
    if (d->card.is_enforced && d->card.memory != 0) {
        const uint64_t usable = cuzk_card_usable(&d->card);
        memory_limit = memory_limit != 0 && memory_limit < usable ? memory_limit : usable;
    }
    if (d->card.is_enforced) {
        d->played = d->card;
    }
    CUZK_TRY_GOTO(st, cuzk_cuda_mem_create(&d->mem, (int)ordinal, memory_limit, err));
    /* Sums plan their workspaces by it. */
    d->card.memory = cuzk_cuda_mem_total(d->mem);
    cuzk_cuda_mem_set_card(d->mem, &d->card);
    *out = &d->base;
    return CUZK_OK;
out:
    (void)pthread_mutex_destroy(&d->lock);
    cuzk_free(d);
    return st;
}

/* Of the file that keeps the choice of a device. */
static cuzk_status name_of(char out[CUZK_CARD_CHOICE_NAME], const gpu_device *d, cuzk_err *err)
{
    struct cudaDeviceProp p;
    uint8_t uuid[16];
    int driver = 0;
    CUZK_TRY(CUZK_CUDA(cudaGetDeviceProperties(&p, (int)d->ordinal), err));
    CUZK_TRY(CUZK_CUDA(cudaDriverGetVersion(&driver), err));
    memcpy(uuid, p.uuid.bytes, sizeof(uuid));
    cuzk_card_choice_name(out, uuid, driver, d->played.klass != NULL ? &d->played : NULL);
    return CUZK_OK;
}

static void take_choice(gpu_device *d, const cuzk_card_choice *c)
{
    d->card.xyzz = c->xyzz;
    d->card.cached_tree = c->cached_tree;
    d->card.costs = c->costs;
    cuzk_cuda_mem_set_card(d->mem, &d->card);
}

cuzk_status cuzk_accel_cuda_tune(cuzk_accel *dev, cuzk_cuda_choice *out, bool again, cuzk_err *err)
{
    gpu_device *d = device_of(dev);
    char name[CUZK_CARD_CHOICE_NAME];
    memset(out, 0, sizeof(*out));
    CUZK_TRY(name_of(name, d, err));
    out->had_before = out->is_kept = gpu_choice_read(&out->before, name);
    out->chosen = out->before;
    out->row = cuzk_card_tuning_of(&d->card)->costs;
    if (again || !out->had_before) {
        const uint64_t begin = cuzk_clock_ns();
        CUZK_TRY(gpu_time_sums(out, d, err));
        out->seconds = (double)(cuzk_clock_ns() - begin) * 1e-9;
        out->is_kept = gpu_choice_keep(&out->chosen, name);
    }
    take_choice(d, &out->chosen);
    return CUZK_OK;
}

/* What was kept; else, where the table has no row for the card, what is measured now. */
static cuzk_status choose(gpu_device *d, cuzk_err *err)
{
    cuzk_cuda_choice choice;
    char name[CUZK_CARD_CHOICE_NAME];
    CUZK_TRY(name_of(name, d, err));
    if (gpu_choice_read(&choice.chosen, name)) {
        take_choice(d, &choice.chosen);
        return CUZK_OK;
    }
    if (cuzk_card_tuning_of(&d->card)->cc == d->card.klass->cc) {
        return CUZK_OK;
    }
    const cuzk_status st = cuzk_accel_cuda_tune(&d->base, &choice, false, err);
    return st == CUZK_E_DEV_NOMEM ? CUZK_OK : st; /* the row of another class is never far off */
}

cuzk_status cuzk_accel_cuda_open_tested(cuzk_accel **out, uint32_t ordinal, uint64_t memory_limit,
                                        cuzk_err *err)
{
    cuzk_accel *dev = NULL;
    CUZK_TRY(cuzk_accel_cuda_open(&dev, ordinal, memory_limit, err));
    cuzk_status st = cuzk_accel_self_test(dev, err);
    if (st == CUZK_OK) {
        st = choose(device_of(dev), err);
    }
    if (st != CUZK_OK) {
        cuzk_accel_close(dev);
        return st;
    }
    *out = dev;
    return CUZK_OK;
}

uint64_t cuzk_accel_cuda_peak(cuzk_accel *dev)
{
    return cuzk_cuda_mem_peak(device_of(dev)->mem);
}
