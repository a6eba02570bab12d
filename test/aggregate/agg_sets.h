/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_AGGREGATE_AGG_SETS_H
#define CUZK_TEST_AGGREGATE_AGG_SETS_H

/* The sets of proofs of test/vectors/aggregate/vectors.json. */
#include "aggregate/aggregate.h"

#include "json_walk.h"

#define AGG_DIR "test/vectors/aggregate/"

typedef struct agg_set {
    jwalk json;
    char name[32];
    size_t n;       /* padded */
    size_t n_given; /* before padding */
    uint8_t *proofs, *inputs;
    size_t n_inputs;
    uint8_t include[64];
    size_t n_include;
    cuzk_vk *vk;
    cuzk_agg_srs *srs;
    char srs_path[96];
    uint8_t *vk_bytes;
    size_t n_vk;
} agg_set;

/** vectors.json; freed by the end of the process. */
jwalk agg_vectors(void);
size_t agg_set_count(void);
void agg_set_load(agg_set *out, size_t i);
/** The set of that name. */
void agg_set_find(agg_set *out, const char *name);
void agg_set_free(agg_set *s);
/** The claim of a set; borrows from it. */
cuzk_agg_claim agg_set_claim(const agg_set *s, cuzk_agg_version version);

#endif /* CUZK_TEST_AGGREGATE_AGG_SETS_H */
