/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/prove/witness_memory.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"

/* Idle blocks that are kept: for two calls on a device, one that waits, and some ahead; or what a caller asks for. A
 * WindowPoSt has 4 GB: two of those, one on the device and one that is being made. */
#define USUAL_IDLE  6u
#define MAX_IDLE    CUZK_WITNESS_MEMORY_MOST
#define LARGE_BYTES ((uint64_t)1 << 30)
#define MAX_LARGE   2
#define PATIENCE_S  10
#define BLOCK_ALIGN 63u

struct cuzk_placed_witness {
    cuzk_witness *w;
    cuzk_witness_memory *memory;      /* NULL: on the heap, for good */
    bool is_locked;                   /* w is in a block of the device */
    uint64_t bytes;                   /* of that block */
    uint32_t users;                   /* these four: under memory's lock */
    cuzk_placed_witness *next, *prev; /* all that are in the memory */
};

typedef struct idle_block {
    void *p;
    uint64_t bytes;
} idle_block;

struct cuzk_witness_memory {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    cuzk_accel *dev;  /* NULL: none */
    bool is_closing;  /* no new blocks */
    uint32_t n_calls; /* calls of the device's allocator that run without the lock */
    cuzk_placed_witness *placed;
    idle_block idle[MAX_IDLE];
    uint32_t n_idle;
    uint32_t most_idle;
};

/* Offsets in a block: the witness itself, then its arrays. */
typedef struct layout {
    uint64_t inputs, fulls, bits, bytes;
    uint64_t n_bit_words;
} layout;

static uint64_t round_up(uint64_t n)
{
    return (n + BLOCK_ALIGN) & ~(uint64_t)BLOCK_ALIGN;
}

static layout layout_of(const cuzk_circuit *c)
{
    layout l = {.inputs = round_up(sizeof(cuzk_witness))};
    l.n_bit_words = (c->preamble.n_bits + 63) / 64 + c->n_blocks * c->bit_stride;
    l.fulls = l.inputs + round_up(c->n_inputs * sizeof(cuzk_fr));
    l.bits = l.fulls + round_up(c->n_fulls * sizeof(cuzk_fr));
    l.bytes = l.bits + l.n_bit_words * sizeof(uint64_t);
    return l;
}

uint64_t cuzk_placed_bytes(const cuzk_circuit *c)
{
    return layout_of(c).bytes;
}

cuzk_status cuzk_witness_memory_create(cuzk_witness_memory **out, cuzk_err *err)
{
    cuzk_witness_memory *m = cuzk_alloc_zero(1, sizeof(*m));
    pthread_condattr_t monotonic;
    if (m == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "witness memory: out of memory");
    }
    /* none of these can fail with these arguments */
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&m->lock, NULL);
    (void)pthread_cond_init(&m->changed, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    m->most_idle = USUAL_IDLE;
    *out = m;
    return CUZK_OK;
}

void cuzk_witness_memory_destroy(cuzk_witness_memory *m)
{
    if (m != NULL) {
        cuzk_witness_memory_trim(m);
        (void)pthread_mutex_destroy(&m->lock);
        (void)pthread_cond_destroy(&m->changed);
        cuzk_free(m);
    }
}

void cuzk_witness_memory_attach(cuzk_witness_memory *m, cuzk_accel *dev)
{
    (void)pthread_mutex_lock(&m->lock);
    m->dev = dev;
    m->is_closing = false;
    (void)pthread_mutex_unlock(&m->lock);
}

void cuzk_witness_memory_trim(cuzk_witness_memory *m)
{
    (void)pthread_mutex_lock(&m->lock);
    while (m->n_idle > 0) {
        void *p = m->idle[--m->n_idle].p;
        cuzk_accel *dev = m->dev;
        m->n_calls++;
        (void)pthread_mutex_unlock(&m->lock);
        cuzk_accel_host_free(dev, p);
        (void)pthread_mutex_lock(&m->lock);
        m->n_calls--;
        (void)pthread_cond_broadcast(&m->changed);
    }
    (void)pthread_mutex_unlock(&m->lock);
}

/* An idle block of that size, or NULL. With the lock. */
static void *take_idle(cuzk_witness_memory *m, uint64_t bytes)
{
    for (uint32_t i = m->n_idle; i-- > 0;) {
        if (m->idle[i].bytes == bytes) {
            void *p = m->idle[i].p;
            m->idle[i] = m->idle[--m->n_idle];
            return p;
        }
    }
    return NULL;
}

/* Keeps a block for the next witness; false: enough blocks are kept. With the lock. */
static bool keep_idle(cuzk_witness_memory *m, void *p, uint64_t bytes)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < m->n_idle; i++) {
        same += m->idle[i].bytes == bytes;
    }
    if (m->is_closing || m->n_idle >= m->most_idle || (bytes >= LARGE_BYTES && same >= MAX_LARGE)) {
        return false;
    }
    m->idle[m->n_idle++] = (idle_block){p, bytes};
    return true;
}

/* A block of the device for p; without one p stays as it is. */
static void place_on_device(cuzk_placed_witness *p, cuzk_witness_memory *m, const cuzk_circuit *c)
{
    const layout l = layout_of(c);
    void *block = NULL;
    (void)pthread_mutex_lock(&m->lock);
    if (m->dev != NULL && !m->is_closing) {
        block = take_idle(m, l.bytes);
        if (block == NULL) {
            cuzk_accel *dev = m->dev;
            m->n_calls++;
            (void)pthread_mutex_unlock(&m->lock);
            if (cuzk_accel_host_alloc(dev, &block, l.bytes, NULL) != CUZK_OK) {
                block = NULL; /* a lost device is reported when it is to prove */
            }
            (void)pthread_mutex_lock(&m->lock);
            m->n_calls--;
        }
    }
    if (block != NULL) {
        uint8_t *b = block;
        const cuzk_witness w = {.circuit = c,
                                .inputs = (cuzk_fr *)(void *)(b + l.inputs),
                                .fulls = (cuzk_fr *)(void *)(b + l.fulls),
                                .bits = (uint64_t *)(void *)(b + l.bits),
                                .n_bit_words = l.n_bit_words};
        p->w = block;
        *p->w = w;
        p->memory = m;
        p->is_locked = true;
        p->bytes = l.bytes;
        p->next = m->placed;
        if (p->next != NULL) {
            p->next->prev = p;
        }
        m->placed = p;
    }
    (void)pthread_cond_broadcast(&m->changed);
    (void)pthread_mutex_unlock(&m->lock);
}

cuzk_status cuzk_placed_take(cuzk_placed_witness **out, cuzk_witness_memory *m,
                             const cuzk_circuit *c, cuzk_err *err)
{
    cuzk_placed_witness *p = cuzk_alloc_zero(1, sizeof(*p));
    if (p == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "witness: out of memory");
    }
    p->users = 1;
    if (m != NULL) {
        place_on_device(p, m, c);
    }
    if (p->w != NULL) {
        memset(p->w->bits, 0, p->w->n_bit_words * sizeof(uint64_t));
        p->w->inputs[0] = CUZK_FR_ONE;
    } else {
        const cuzk_status st = cuzk_witness_create(&p->w, c, err);
        if (st != CUZK_OK) {
            cuzk_free(p);
            return st;
        }
    }
    *out = p;
    return CUZK_OK;
}

/* With the lock, which is released meanwhile. */
static void free_block(cuzk_witness_memory *m, void *block)
{
    cuzk_accel *dev = m->dev;
    m->n_calls++;
    (void)pthread_mutex_unlock(&m->lock);
    cuzk_accel_host_free(dev, block);
    (void)pthread_mutex_lock(&m->lock);
    m->n_calls--;
    (void)pthread_cond_broadcast(&m->changed);
}

static void unlink_placed(cuzk_witness_memory *m, cuzk_placed_witness *p)
{
    *(p->prev != NULL ? &p->prev->next : &m->placed) = p->next;
    if (p->next != NULL) {
        p->next->prev = p->prev;
    }
    p->next = NULL;
    p->prev = NULL;
}

void cuzk_placed_give(cuzk_placed_witness *p)
{
    if (p == NULL) {
        return;
    }
    cuzk_witness_memory *m = p->memory;
    if (m != NULL) {
        (void)pthread_mutex_lock(&m->lock);
        if (p->is_locked) {
            unlink_placed(m, p);
            if (!keep_idle(m, p->w, p->bytes)) {
                free_block(m, p->w);
            }
            p->w = NULL;
        }
        (void)pthread_mutex_unlock(&m->lock);
    }
    cuzk_witness_destroy(p->w);
    cuzk_free(p);
}

cuzk_witness *cuzk_placed_begin(cuzk_placed_witness *p)
{
    cuzk_witness_memory *m = p->memory;
    if (m == NULL) {
        return p->w;
    }
    (void)pthread_mutex_lock(&m->lock);
    p->users++;
    cuzk_witness *w = p->w;
    (void)pthread_mutex_unlock(&m->lock);
    return w;
}

void cuzk_placed_end(cuzk_placed_witness *p)
{
    cuzk_witness_memory *m = p->memory;
    if (m != NULL) {
        (void)pthread_mutex_lock(&m->lock);
        if (--p->users == 0) {
            (void)pthread_cond_broadcast(&m->changed);
        }
        (void)pthread_mutex_unlock(&m->lock);
    }
}

bool cuzk_placed_is_locked(const cuzk_placed_witness *p)
{
    return p->is_locked;
}

static bool is_in_use(const cuzk_witness_memory *m)
{
    for (const cuzk_placed_witness *p = m->placed; p != NULL; p = p->next) {
        if (p->users != 0) {
            return true;
        }
    }
    return m->n_calls != 0;
}

/* Moves one witness that is not in use to the heap. With the lock. */
static cuzk_status move_to_heap(cuzk_witness_memory *m, cuzk_placed_witness *p, cuzk_err *err)
{
    cuzk_witness *from = p->w, *to = NULL;
    const cuzk_circuit *c = from->circuit;
    CUZK_TRY(cuzk_witness_create(&to, c, err));
    memcpy(to->inputs, from->inputs, c->n_inputs * sizeof(cuzk_fr));
    memcpy(to->fulls, from->fulls, c->n_fulls * sizeof(cuzk_fr));
    memcpy(to->bits, from->bits, from->n_bit_words * sizeof(uint64_t));
    unlink_placed(m, p);
    p->w = to;
    p->is_locked = false;
    cuzk_accel_host_free(m->dev, from);
    return CUZK_OK;
}

void cuzk_witness_memory_prepare(cuzk_witness_memory *m, const cuzk_circuit *c, uint32_t n)
{
    cuzk_placed_witness *p = NULL;
    (void)pthread_mutex_lock(&m->lock);
    if (n > m->most_idle) {
        m->most_idle = n < MAX_IDLE ? n : MAX_IDLE;
    }
    (void)pthread_mutex_unlock(&m->lock);
    if (cuzk_placed_take(&p, m, c, NULL) == CUZK_OK) {
        cuzk_placed_end(p);
        cuzk_placed_give(p);
    }
}

cuzk_status cuzk_witness_memory_detach(cuzk_witness_memory *m, cuzk_err *err)
{
    struct timespec until;
    cuzk_status st = CUZK_OK;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += PATIENCE_S;
    (void)pthread_mutex_lock(&m->lock);
    m->is_closing = true;
    while (is_in_use(m)) {
        if (pthread_cond_timedwait(&m->changed, &m->lock, &until) == ETIMEDOUT && is_in_use(m)) {
            st = CUZK_FAIL(err, CUZK_E_DEV_LOST,
                           "witnesses in the memory of the lost device are still in use");
            break;
        }
    }
    while (st == CUZK_OK && m->placed != NULL) {
        st = move_to_heap(m, m->placed, err);
    }
    while (st == CUZK_OK && m->n_idle > 0) {
        cuzk_accel_host_free(m->dev, m->idle[--m->n_idle].p);
    }
    if (st == CUZK_OK) {
        m->dev = NULL;
    }
    (void)pthread_mutex_unlock(&m->lock);
    return st;
}
