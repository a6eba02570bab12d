/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_AGG_OPTS_H
#define CUZK_APPS_AGG_OPTS_H

/* Options of `cuzk aggregate` and `cuzk verify aggregate`, and the statements that they name. */
#include "apps/cuzk/app.h"
#include "prover/aggregate/aggregate_sectors.h"
#include "prover/aggregate/filecoin_aggregate.h"

typedef struct agg_opts {
    app a;
    bool verifying;
    const char *sectors, *vk, *params, *srs, *srs_digest, *aggregate, *out;
    const char **c1, **proofs, **publics; /* [n_...], owned arrays of borrowed names */
    size_t n_c1, n_proofs, n_publics;
    bool test_srs, any_count, version_1, allow_trailing;
} agg_opts;

/** Parses, and begins the app. Exits on a mistake. */
CUZK_NODISCARD cuzk_status agg_opts_parse(agg_opts *o, int argc, char **argv, bool verifying,
                                          const char *doc);
void agg_opts_free(agg_opts *o);
bool agg_is_filecoin(const agg_opts *o);

/** The statements that are claimed, and their verifying key. Do not copy the struct: claim points into it. */
typedef struct agg_statements {
    cuzk_agg_claim claim;
    cuzk_agg_seals seals; /* Filecoin */
    cuzk_agg_sector_list list;
    uint8_t include[32]; /* other circuits */
    uint8_t *inputs;
    cuzk_vk *vk;
} agg_statements;

CUZK_NODISCARD cuzk_status agg_load_statements(agg_opts *o, agg_statements *s);
void agg_statements_free(agg_statements *s);
/** The SRS; it must be the network's unless the options say otherwise. */
CUZK_NODISCARD cuzk_status agg_open_srs(agg_opts *o, cuzk_agg_srs **out);

#endif /* CUZK_APPS_AGG_OPTS_H */
