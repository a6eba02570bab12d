/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_AGGREGATE_TRANSCRIPT_H
#define CUZK_AGGREGATE_TRANSCRIPT_H

/*
 * Challenges of the aggregation (docs/spec/snarkpack.md, section 3): each is the hash of a label and
 * parts, tried with growing counters until it is a scalar other than 0 and 1.
 */
#include "ec/g1.h"
#include "ec/g2.h"
#include "ff/tower/fp12.h"
#include "hash/sha256.h"

/** Watches challenges being made; for tests. */
typedef struct cuzk_agg_watch {
    /* parts: SHA-256 of what was hashed after the label; counter: of the try that was taken. */
    void (*challenge)(void *arg, const char *label, const uint8_t parts[32], uint64_t n_bytes,
                      uint64_t counter, const cuzk_fr *value);
    void *arg;
} cuzk_agg_watch;

/** One challenge in the making: begin, parts in order, end. */
typedef struct cuzk_agg_hash {
    cuzk_sha256 all;
    cuzk_sha256 parts; /* used only when watched */
    uint64_t n_bytes;
    const char *label; /* borrowed until the end */
    const cuzk_agg_watch *watch;
} cuzk_agg_hash;

/** watch may be NULL. */
void cuzk_agg_hash_begin(cuzk_agg_hash *h, const char *label, const cuzk_agg_watch *watch);
void cuzk_agg_hash_fr(cuzk_agg_hash *h, const cuzk_fr *a);
void cuzk_agg_hash_g1(cuzk_agg_hash *h, const cuzk_g1_affine *p);
void cuzk_agg_hash_g2(cuzk_agg_hash *h, const cuzk_g2_affine *p);
void cuzk_agg_hash_gt(cuzk_agg_hash *h, const cuzk_fp12 *a);
/** The length as 8 bytes little-endian, then the bytes. */
void cuzk_agg_hash_bytes(cuzk_agg_hash *h, const uint8_t *data, size_t n);
/** The challenge; never 0 or 1. */
void cuzk_agg_hash_end(cuzk_fr *out, cuzk_agg_hash *h);

#endif /* CUZK_AGGREGATE_TRANSCRIPT_H */
