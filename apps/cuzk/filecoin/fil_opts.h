/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_FIL_OPTS_H
#define CUZK_APPS_FIL_OPTS_H

/*
 * Options that name a Filecoin statement and its input files, shared by `cuzk prove` and `cuzk verify`.
 */
#include "apps/cuzk/app.h"
#include "apps/cuzk/device/devices.h"
#include "prover/prove/filecoin_prover.h"

#include "statement_opts.h"

typedef struct fil_opts {
    app a;
    statement_opts in;
    const char *params, *proof, *out;
    uint64_t miner, sector;
    bool has_miner, has_sector;
    bool strict; /* verify: what cannot be checked is refused */
    /* PoRep: what replica_id is recomputed from, by the options or else by the C1's envelope. */
    bool is_bound;
    cuzk_node prover_id;
    uint64_t bound_sector;
    bool check_rows;
    const char *srs; /* PoRep, non-interactive: the aggregate's */
    bool test_srs, plain_proofs;
    devices dev;
    uint64_t seed; /* of parameters made on the device */
    bool has_seed;
    uint64_t repeat;
    uint64_t input_ns; /* reading and parsing the input */
} fil_opts;

/** Which options a sub-command has. */
extern const struct argp_option fil_porep_options[], fil_post_options[], fil_update_options[];

/** Parses with the given options; proving wants -o, verifying --proof. Exits on a mistake. */
void fil_opts_parse(fil_opts *o, int argc, char **argv, const struct argp_option *options,
                    const char *doc, bool verifying);

/* Inputs and statements from the options. fil_load_porep sets is_bound and what goes with it, too. Objects are the caller's to destroy. */
CUZK_NODISCARD cuzk_status fil_load_porep(fil_opts *o, cuzk_porep_input **in);
CUZK_NODISCARD cuzk_status fil_load_post(fil_opts *o, cuzk_post_input **in, cuzk_post_statement *st,
                                         bool window);
CUZK_NODISCARD cuzk_status fil_load_update_statement(fil_opts *o, cuzk_update_statement *st);
CUZK_NODISCARD cuzk_status fil_load_update(fil_opts *o, cuzk_update_input **in);
/** The whole file --proof, a block of base/alloc.h. */
CUZK_NODISCARD cuzk_status fil_load_proof(fil_opts *o, uint8_t **proof, size_t *n);

#endif /* CUZK_APPS_FIL_OPTS_H */
