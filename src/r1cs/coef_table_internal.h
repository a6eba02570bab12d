/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_R1CS_COEF_TABLE_INTERNAL_H
#define CUZK_R1CS_COEF_TABLE_INTERNAL_H

/*
 * Coefficient values of a builder: equal values have one index. Indices below CUZK_COEF_TABLE are
 * fixed. The circuit keeps only values that occur in a row, numbered by first use, so that its
 * compiled form does not depend on what else gadgets have computed.
 */
#include <stdbool.h>
#include <stdint.h>

#include "ff/fr.h"

#define CUZK_COEF_NONE 0xffffffffu

typedef struct cuzk_coef_table {
    cuzk_fr *value; /* [cap] */
    uint32_t *used; /* [cap] index in the circuit, CUZK_COEF_NONE: not used by any row yet */
    uint32_t *slot; /* [2^lg_slots] open addressing; CUZK_COEF_NONE: free */
    uint32_t n, cap, lg_slots;
    uint32_t n_used; /* circuit's table size so far, the fixed ones included */
} cuzk_coef_table;

/** False when out of memory; t may then be deinitialised too. */
bool cuzk_coef_table_init(cuzk_coef_table *t);
void cuzk_coef_table_deinit(cuzk_coef_table *t);
/** Index of a non-zero value, added when new; CUZK_COEF_NONE when out of memory or full. */
uint32_t cuzk_coef_table_intern(cuzk_coef_table *t, const cuzk_fr *v);

/** Index of entry i in the circuit's table. */
static inline uint32_t cuzk_coef_table_use(cuzk_coef_table *t, uint32_t i)
{
    if (t->used[i] == CUZK_COEF_NONE) {
        t->used[i] = t->n_used++;
    }
    return t->used[i];
}

#endif /* CUZK_R1CS_COEF_TABLE_INTERNAL_H */
