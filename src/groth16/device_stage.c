/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Copies of witnesses in page-locked memory, made by a caller while another one has the device: what
 * is left of the upload is a transfer of some 2 ms for a PoRep 32 GiB partition, instead of 10.
 */
#include <string.h>

#include "device_internal.h"

static size_t round_up(size_t n)
{
    return (n + 63) & ~(size_t)63;
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

cuzk_status device_stage_take(device_stage *out, cuzk_device_key *k, const cuzk_witness *w,
                              cuzk_pool *pool, cuzk_err *err)
{
    const cuzk_circuit *c = k->circuit;
    const size_t inputs = round_up(c->n_inputs * sizeof(cuzk_fr));
    const size_t fulls = round_up(c->n_fulls * sizeof(cuzk_fr));
    const size_t bits = w->n_bit_words * sizeof(uint64_t);
    out->block = take_idle(k);
    if (out->block == NULL) {
        const cuzk_status st =
            cuzk_accel_host_alloc(k->dev, &out->block, inputs + fulls + bits, err);
        if (st != CUZK_OK) {
            out->block = NULL;
            return st == CUZK_E_DEV_LOST ? st : CUZK_OK;
        }
    }
    uint8_t *p = out->block;
    const cuzk_witness copy = {.circuit = c,
                               .inputs = (cuzk_fr *)(void *)p,
                               .fulls = (cuzk_fr *)(void *)(p + inputs),
                               .bits = (uint64_t *)(void *)(p + inputs + fulls),
                               .n_bit_words = w->n_bit_words};
    memcpy(copy.inputs, w->inputs, c->n_inputs * sizeof(cuzk_fr));
    /* A WindowPoSt's 4 GB would take one thread 0.4 s. A copy that cannot be cancelled cannot fail. */
    cuzk_ignore(device_copy(copy.fulls, w->fulls, c->n_fulls * sizeof(cuzk_fr), pool, NULL));
    cuzk_ignore(device_copy(copy.bits, w->bits, bits, pool, NULL));
    out->w = copy;
    return CUZK_OK;
}

void device_stage_give(device_stage *s, cuzk_device_key *k)
{
    if (s->block == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&k->lock);
    for (int i = 0; i < DEVICE_STAGES && s->block != NULL; i++) {
        if (k->stages[i] == NULL) {
            k->stages[i] = s->block;
            s->block = NULL;
        }
    }
    (void)pthread_mutex_unlock(&k->lock);
    cuzk_accel_host_free(k->dev, s->block);
    s->block = NULL;
}
