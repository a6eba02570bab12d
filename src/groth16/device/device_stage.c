/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Witnesses in page-locked memory: what is left of the upload is a transfer of some 2 ms for a PoRep
 * 32 GiB partition, instead of 10. They are made there, or copied by a caller while another one has
 * the device.
 */
#include <string.h>

#include "device_internal.h"

/* WindowPoSt witnesses have 4 GB, so fewer are kept: as many as two calls use. */
#define LARGE_STAGE  ((size_t)1 << 30)
#define LARGE_STAGES 2

/* A block: the witness itself, then its arrays. */
typedef struct layout {
    size_t inputs, fulls, bits, bytes;
    uint64_t n_bit_words;
} layout;

static size_t round_up(size_t n)
{
    return (n + 63) & ~(size_t)63;
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

static void *take_idle(cuzk_device_key *k)
{
    void *block = NULL;
    (void)pthread_mutex_lock(&k->lock);
    for (int i = 0; i < DEVICE_STAGES && block == NULL; i++) {
        block = k->stages[i];
        k->stages[i] = NULL;
    }
    (void)pthread_mutex_unlock(&k->lock);
    return block;
}

/* Sets the arrays to the places that they have in the block. */
static cuzk_status take_block(cuzk_witness **out, cuzk_device_key *k, cuzk_err *err)
{
    const layout l = layout_of(k->circuit);
    void *block = take_idle(k);
    *out = NULL;
    if (block == NULL) {
        const cuzk_status st = cuzk_accel_host_alloc(k->dev, &block, l.bytes, err);
        if (st != CUZK_OK) {
            return st == CUZK_E_DEV_LOST ? st : CUZK_OK;
        }
    }
    uint8_t *p = block;
    const cuzk_witness w = {.circuit = k->circuit,
                            .inputs = (cuzk_fr *)(void *)(p + l.inputs),
                            .fulls = (cuzk_fr *)(void *)(p + l.fulls),
                            .bits = (uint64_t *)(void *)(p + l.bits),
                            .n_bit_words = l.n_bit_words};
    *out = block;
    **out = w;
    return CUZK_OK;
}

cuzk_status device_witness_take(cuzk_witness **out, cuzk_device_key *k, cuzk_err *err)
{
    CUZK_TRY(take_block(out, k, err));
    if (*out != NULL) {
        memset((*out)->bits, 0, (*out)->n_bit_words * sizeof(uint64_t));
        (*out)->inputs[0] = CUZK_FR_ONE;
    }
    return CUZK_OK;
}

cuzk_status device_stage_take(cuzk_witness **out, cuzk_device_key *k, const cuzk_witness *w,
                              cuzk_pool *pool, cuzk_err *err)
{
    const cuzk_circuit *c = k->circuit;
    CUZK_TRY(take_block(out, k, err));
    if (*out != NULL) {
        memcpy((*out)->inputs, w->inputs, c->n_inputs * sizeof(cuzk_fr));
        /* A WindowPoSt's 4 GB would take one thread 0.4 s. A copy that cannot be cancelled cannot fail. */
        cuzk_ignore(device_copy((*out)->fulls, w->fulls, c->n_fulls * sizeof(cuzk_fr), pool, NULL));
        cuzk_ignore(
            device_copy((*out)->bits, w->bits, w->n_bit_words * sizeof(uint64_t), pool, NULL));
    }
    return CUZK_OK;
}

void device_witness_give(cuzk_device_key *k, cuzk_witness *w)
{
    void *block = w;
    if (w == NULL) {
        return;
    }
    const int most = layout_of(k->circuit).bytes < LARGE_STAGE ? DEVICE_STAGES : LARGE_STAGES;
    (void)pthread_mutex_lock(&k->lock);
    for (int i = 0; i < most && block != NULL; i++) {
        if (k->stages[i] == NULL) {
            k->stages[i] = block;
            block = NULL;
        }
    }
    (void)pthread_mutex_unlock(&k->lock);
    cuzk_accel_host_free(k->dev, block);
}
