/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_MSM_MSM_ENGINE_H
#define CUZK_MSM_MSM_ENGINE_H

/*
 * What everything in this module is made of: batches of independent additions of affine points
 * that share one field inversion. An engine does them for one group with one instruction set; the
 * drivers (bucket sort, trees, tables) know neither and see points as opaque memory.
 *
 * A slot is a point in the engine's own form. Infinity is the slot whose bytes are all zero, for
 * every engine. Additions are complete: equal and opposite points and infinity are right.
 */
#include "ec/g1.h"
#include "ec/g2.h"

/**
 * Where entries point: x[0], affine points (cuzk_g1_affine or cuzk_g2_affine). x[1] and x[2], NULL when
 * no entry is under an endomorphism: w x and w^2 x of each, w the cube root of 1 with (w x, y) = -z^2
 * (x, y), two coordinates to a base as in x[0]. An array, because which of them an entry takes is as
 * good as random and must not be a branch.
 */
typedef struct cuzk_msm_table {
    const void *x[3];
} cuzk_msm_table;

/* An entry: index of a base in the table << 3 | power of w << 1 | negated. The base is not infinity. */
#define MSM_ENTRY_NEG     1u
#define MSM_ENTRY_UNIT    7u
#define MSM_ENTRY_SHIFT   3
#define MSM_ENTRY_INDICES ((size_t)1 << 29)

/** Accumulator for the few additions at the end. */
typedef union cuzk_msm_acc {
    cuzk_g1 g1;
    cuzk_g2 g2;
} cuzk_msm_acc;

/** One point as callers see it. */
typedef union cuzk_msm_affine {
    cuzk_g1_affine g1;
    cuzk_g2_affine g2;
} cuzk_msm_affine;

/** The group: what is done rarely and needs no speed. */
typedef struct cuzk_msm_group {
    size_t affine_bytes;   /* of a base */
    size_t coord_bytes;    /* of a coordinate of a base */
    size_t multiple_bytes; /* scratch per point of `multiples` */
    double acc_ns;         /* rough cost of acc_add and acc_add_affine, for choosing windows */
    bool (*base_is_infinity)(const void *bases, size_t i);
    void (*acc_clear)(cuzk_msm_acc *a);
    void (*acc_dbl)(cuzk_msm_acc *a);
    void (*acc_add)(cuzk_msm_acc *a, const cuzk_msm_acc *b);
    void (*acc_add_affine)(cuzk_msm_acc *a, const void *p);
    /** a *= zeta = 1 + w = -w^2. */
    void (*acc_zeta)(cuzk_msm_acc *a);
    /** a += s * p for one affine point, s any 256-bit integer. */
    void (*acc_add_mul)(cuzk_msm_acc *a, const void *p, const cuzk_scalar *s);
    void (*acc_to_affine)(void *out, const cuzk_msm_acc *a);
    /** out[i] = (i + 1) * p, affine, i < n. scratch: multiple_bytes per point. */
    void (*multiples)(void *out, const cuzk_msm_acc *p, size_t n, void *scratch);
} cuzk_msm_group;

typedef struct cuzk_msm_engine {
    const char *name;
    const cuzk_msm_group *group;
    size_t slot_bytes;
    size_t pair_bytes; /* scratch per pair, for n rounded up to `lanes` */
    size_t lanes;      /* additions done at once */
    double add_ns;     /* rough cost of one addition in a large batch, for choosing windows */
    /** slots[first + i] = entry e[i]. */
    void (*load)(void *slots, size_t first, const cuzk_msm_table *t, const uint32_t *e, size_t n);
    /** slots[first + i] = entry e[i][0] + entry e[i][1]. scratch: pair_bytes per pair, 64-byte aligned. */
    void (*add_entries)(void *slots, size_t first, const cuzk_msm_table *t, const uint32_t (*e)[2],
                        size_t n, void *scratch);
    /** slots[p[i][0]] += slots[p[i][1]]; no slot may occur twice. */
    void (*add_slots)(void *slots, const uint32_t (*p)[2], size_t n, void *scratch);
    /** out[i] = affine form of slots[idx[i]]. */
    void (*store)(void *out, const void *slots, const uint32_t *idx, size_t n);
    /** endo_x[2j], endo_x[2j + 1] = w, w^2 times bases[j].x for the n indices j in idx. */
    void (*endo)(void *endo_x, const void *bases, const uint32_t *idx, size_t n);
} cuzk_msm_engine;

/** The best engine for this processor (cuzk_cpu_has). */
const cuzk_msm_engine *cuzk_msm_engine_g1(void);
const cuzk_msm_engine *cuzk_msm_engine_g2(void);

extern const cuzk_msm_group CUZK_MSM_GROUP_G1;
extern const cuzk_msm_group CUZK_MSM_GROUP_G2;
extern const cuzk_msm_engine CUZK_MSM_ENGINE_G1;
extern const cuzk_msm_engine CUZK_MSM_ENGINE_G2;
#ifdef CUZK_MSM_IFMA
extern const cuzk_msm_engine CUZK_MSM_ENGINE_G1_IFMA;
extern const cuzk_msm_engine CUZK_MSM_ENGINE_G2_IFMA;
#endif

#endif /* CUZK_MSM_MSM_ENGINE_H */
