/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/alloc.h"
#include "r1cs/circuit.h"
#include "r1cs/coef_table_internal.h"

#define FIRST_CAP      512u
#define FIRST_LG_SLOTS 10u
#define MAX_ENTRIES    0x7fffffffu

static uint32_t slot_of(const cuzk_coef_table *t, const cuzk_fr *v)
{
    /* Montgomery limbs are well mixed except for the top one; the product folds them all. */
    uint64_t h = v->l[0] ^ v->l[1] * 0x9e3779b97f4a7c15ULL;
    h ^= (v->l[2] ^ v->l[3] * 0xc2b2ae3d27d4eb4fULL) * 0x94d049bb133111ebULL;
    h *= 0xbf58476d1ce4e5b9ULL;
    return (uint32_t)(h >> (64 - t->lg_slots));
}

static void place(cuzk_coef_table *t, uint32_t i)
{
    const uint32_t mask = (1u << t->lg_slots) - 1;
    uint32_t s = slot_of(t, &t->value[i]);
    while (t->slot[s] != CUZK_COEF_NONE) {
        s = (s + 1) & mask;
    }
    t->slot[s] = i;
}

static bool grow(cuzk_coef_table *t)
{
    if (t->cap > MAX_ENTRIES / 2) {
        return false;
    }
    const uint32_t cap = 2 * t->cap;
    cuzk_fr *value = cuzk_realloc(t->value, cap, sizeof(*value));
    if (value == NULL) {
        return false;
    }
    t->value = value;
    uint32_t *used = cuzk_realloc(t->used, cap, sizeof(*used));
    if (used == NULL) {
        return false;
    }
    t->used = used;
    uint32_t *slot = cuzk_alloc((size_t)2 << t->lg_slots, sizeof(*slot));
    if (slot == NULL) {
        return false;
    }
    cuzk_free(t->slot);
    t->slot = slot;
    t->lg_slots++;
    t->cap = cap;
    memset(slot, 0xff, sizeof(*slot) << t->lg_slots);
    for (uint32_t i = 0; i < t->n; i++) {
        place(t, i);
    }
    return true;
}

static void append(cuzk_coef_table *t, const cuzk_fr *v, uint32_t used)
{
    t->value[t->n] = *v;
    t->used[t->n] = used;
    place(t, t->n++);
}

bool cuzk_coef_table_init(cuzk_coef_table *t)
{
    memset(t, 0, sizeof(*t));
    t->value = cuzk_alloc(FIRST_CAP, sizeof(*t->value));
    t->used = cuzk_alloc(FIRST_CAP, sizeof(*t->used));
    t->slot = cuzk_alloc((size_t)1 << FIRST_LG_SLOTS, sizeof(*t->slot));
    if (t->value == NULL || t->used == NULL || t->slot == NULL) {
        return false;
    }
    t->cap = FIRST_CAP;
    t->lg_slots = FIRST_LG_SLOTS;
    memset(t->slot, 0xff, sizeof(*t->slot) << FIRST_LG_SLOTS);
    cuzk_fr v = CUZK_FR_ONE;
    for (uint32_t i = 0; i < CUZK_COEF_MINUS_ONE; i++) {
        append(t, &v, i);
        cuzk_fr_dbl(&v, &v);
    }
    cuzk_fr_neg(&v, &CUZK_FR_ONE);
    append(t, &v, CUZK_COEF_MINUS_ONE);
    t->n_used = CUZK_COEF_TABLE;
    return true;
}

void cuzk_coef_table_deinit(cuzk_coef_table *t)
{
    cuzk_free(t->value);
    cuzk_free(t->used);
    cuzk_free(t->slot);
    memset(t, 0, sizeof(*t));
}

uint32_t cuzk_coef_table_intern(cuzk_coef_table *t, const cuzk_fr *v)
{
    const uint32_t mask = (1u << t->lg_slots) - 1;
    for (uint32_t s = slot_of(t, v); t->slot[s] != CUZK_COEF_NONE; s = (s + 1) & mask) {
        if (cuzk_fr_eq(&t->value[t->slot[s]], v)) {
            return t->slot[s];
        }
    }
    const cuzk_fr copy = *v; /* v may point into the table */
    if (t->n == t->cap && !grow(t)) {
        return CUZK_COEF_NONE;
    }
    append(t, &copy, CUZK_COEF_NONE);
    return t->n - 1;
}
