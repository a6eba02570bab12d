/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * cuzk verify porep|winning|window|update: a proof file against its statement, by the functions of
 * <cuzk/filecoin.h>.
 */
#include <string.h>

#include <cuzk/filecoin.h>

#include "apps/cuzk/commands.h"
#include "base/alloc.h"
#include "base/clock.h"

#include "fil_opts.h"
#include "porep_aggregate.h"

static cuzk_status load_key(fil_opts *o, int32_t kind, uint64_t sector_bytes, cuzk_vk **vk)
{
    cuzk_error error = {.text = ""};
    const cuzk_status st = cuzk_vk_load(vk, kind, sector_bytes, o->params, &error);
    if (st == CUZK_E_NOT_FOUND && o->params != NULL) {
        return CUZK_FAIL(&o->a.err, st, "%s (folder from: --params)", error.text);
    }
    return app_public_error(&o->a.err, st, &error);
}

static cuzk_status finish(fil_opts *o, cuzk_status st, uint64_t started)
{
    if (st == CUZK_OK || st == CUZK_E_PROOF_FALSE) {
        app_text(&o->a, "result", st == CUZK_OK ? "valid" : "FALSE");
        if (st != CUZK_OK && o->a.err.msg[0] != '\0') {
            app_text(&o->a, "reason", o->a.err.msg);
        }
        app_seconds(&o->a, "verify", cuzk_clock_ns() - started);
    }
    return st;
}

static cuzk_status check_replica_id(fil_opts *o, const cuzk_porep_input *in)
{
    cuzk_node porep_id, replica_id;
    uint64_t miner = 0;
    if (!o->is_bound) {
        return CUZK_OK;
    }
    cuzk_porep_id(&porep_id, in->type.number);
    cuzk_replica_id(&replica_id, &o->prover_id, o->bound_sector, &in->ticket, &in->comm_d,
                    &porep_id);
    if (memcmp(&replica_id, &in->replica_id, sizeof(replica_id)) == 0) {
        return CUZK_OK;
    }
    return cuzk_miner_of_prover_id(&miner, &o->prover_id)
               ? CUZK_FAIL(&o->a.err, CUZK_E_PROOF_FALSE,
                           "replica_id is not that of miner %llu, sector %llu and the C1's ticket",
                           (unsigned long long)miner, (unsigned long long)o->bound_sector)
               : CUZK_FAIL(
                     &o->a.err, CUZK_E_PROOF_FALSE,
                     "replica_id is not that of the envelope's prover_id, sector %llu and the "
                     "C1's ticket",
                     (unsigned long long)o->bound_sector);
}

/* A proof holds for replica_id; who sealed what, and when, is in it only as a hash. */
static cuzk_status report_unchecked(fil_opts *o)
{
    if (o->strict && !o->has_miner) {
        return CUZK_FAIL(&o->a.err, CUZK_E_INVALID,
                         "--strict: ticket, miner and sector cannot be checked: give --miner and "
                         "--sector");
    }
    app_text(&o->a, "not_checked",
             o->has_miner ? "that comm_r, comm_d, ticket and seed are those on chain"
             : o->is_bound
                 ? "that comm_r, comm_d, ticket, seed, and the envelope's miner and sector, "
                   "are those on chain"
                 : "ticket, miner and sector (--miner and --sector check them); that comm_r, "
                   "comm_d and seed are those on chain");
    return CUZK_OK;
}

/* The statement that the C1 output makes. */
static cuzk_status verify_porep(fil_opts *o, const cuzk_vk *vk, const uint8_t *proof, size_t n,
                                const cuzk_porep_input *in)
{
    cuzk_seal_claim claim = {.struct_size = sizeof(claim),
                             .registered_proof = in->type.number,
                             .flags = CUZK_CLAIM_REPLICA_ID};
    cuzk_error error = {.text = ""};
    memcpy(claim.replica_id, in->replica_id.b, sizeof(claim.replica_id));
    memcpy(claim.comm_r, in->comm_r.b, sizeof(claim.comm_r));
    memcpy(claim.comm_d, in->comm_d.b, sizeof(claim.comm_d));
    memcpy(claim.seed, in->seed.b, sizeof(claim.seed));
    return app_public_error(&o->a.err, cuzk_verify_seal(vk, proof, n, &claim, &error), &error);
}

static cuzk_status work_porep(fil_opts *o)
{
    cuzk_porep_input *in = NULL;
    porep_agg aggregate = {.on = false};
    cuzk_vk *vk = NULL;
    uint8_t *proof = NULL;
    size_t n = 0;
    uint64_t t0 = 0;
    cuzk_status st;
    CUZK_TRY_GOTO(st, fil_load_porep(o, &in));
    CUZK_TRY_GOTO(st, fil_load_proof(o, &proof, &n));
    CUZK_TRY_GOTO(st, report_unchecked(o));
    CUZK_TRY_GOTO(st, load_key(o, CUZK_KIND_POREP, in->type.sector_bytes, &vk));
    CUZK_TRY_GOTO(st, porep_agg_open(&aggregate, o, in, false));
    t0 = cuzk_clock_ns();
    st = check_replica_id(o, in);
    if (st == CUZK_OK) {
        st = aggregate.on ? porep_agg_verify(&aggregate, o, vk, proof, n)
                          : verify_porep(o, vk, proof, n, in);
    }
    st = finish(o, st, t0);
out:
    porep_agg_close(&aggregate);
    cuzk_vk_destroy(vk);
    cuzk_free(proof);
    cuzk_porep_input_destroy(in);
    return st;
}

static cuzk_status verify_post(fil_opts *o, const cuzk_vk *vk, const uint8_t *proof, size_t n,
                               const cuzk_post_statement *stmt, const cuzk_post_input *in)
{
    cuzk_post_claim claim = {
        .struct_size = sizeof(claim), .partition = stmt->partition, .n_sectors = in->n_sectors};
    cuzk_error error = {.text = ""};
    if (stmt->type.number != UINT64_MAX) {
        claim.registered_proof = stmt->type.number;
    } else { /* --sector-size in place of --type */
        claim.sector_bytes = stmt->type.sector_bytes;
        claim.kind = stmt->type.is_window ? CUZK_KIND_WINDOW : CUZK_KIND_WINNING;
    }
    cuzk_sector *sectors = cuzk_alloc(in->n_sectors, sizeof(*sectors));
    if (sectors == NULL) {
        return CUZK_FAIL(&o->a.err, CUZK_E_NOMEM, "out of memory for %u sectors", in->n_sectors);
    }
    for (uint32_t i = 0; i < in->n_sectors; i++) {
        sectors[i].number = in->sectors[i].sector_id;
        memcpy(sectors[i].comm_r, in->sectors[i].comm_r.b, sizeof(sectors[i].comm_r));
    }
    claim.sectors = sectors;
    memcpy(claim.randomness, stmt->randomness.b, sizeof(claim.randomness));
    const cuzk_status st = cuzk_verify_post(vk, proof, n, &claim, &error);
    cuzk_free(sectors);
    return app_public_error(&o->a.err, st, &error);
}

static cuzk_status work_post(fil_opts *o, bool window)
{
    cuzk_post_input *in = NULL;
    cuzk_post_statement stmt;
    cuzk_vk *vk = NULL;
    uint8_t *proof = NULL;
    size_t n = 0;
    uint64_t t0 = 0;
    cuzk_status st;
    CUZK_TRY_GOTO(st, fil_load_post(o, &in, &stmt, window));
    CUZK_TRY_GOTO(st, fil_load_proof(o, &proof, &n));
    CUZK_TRY_GOTO(st, load_key(o, window ? CUZK_KIND_WINDOW : CUZK_KIND_WINNING,
                               stmt.type.sector_bytes, &vk));
    t0 = cuzk_clock_ns();
    app_text(
        &o->a, "not_checked",
        "that the sectors and their comm_r, as the vanilla proofs give them, and the randomness are "
        "those on chain");
    st = finish(o, verify_post(o, vk, proof, n, &stmt, in), t0);
out:
    cuzk_vk_destroy(vk);
    cuzk_free(proof);
    cuzk_post_input_destroy(in);
    return st;
}

static cuzk_status verify_update(fil_opts *o, const cuzk_vk *vk, const uint8_t *proof, size_t n,
                                 const cuzk_update_statement *stmt)
{
    cuzk_update_claim claim = {.struct_size = sizeof(claim),
                               .sector_bytes = stmt->shape->bytes,
                               .flags = CUZK_CLAIM_ONE_PARTITION,
                               .partition = stmt->partition};
    cuzk_error error = {.text = ""};
    memcpy(claim.comm_r_old, stmt->comm_r_old.b, sizeof(claim.comm_r_old));
    memcpy(claim.comm_r_new, stmt->comm_r_new.b, sizeof(claim.comm_r_new));
    memcpy(claim.comm_d_new, stmt->comm_d_new.b, sizeof(claim.comm_d_new));
    return app_public_error(&o->a.err, cuzk_verify_update(vk, proof, n, &claim, &error), &error);
}

static cuzk_status work_update(fil_opts *o)
{
    cuzk_update_statement stmt;
    cuzk_vk *vk = NULL;
    uint8_t *proof = NULL;
    size_t n = 0;
    uint64_t t0 = 0;
    cuzk_status st;
    CUZK_TRY_GOTO(st, fil_load_update_statement(o, &stmt));
    CUZK_TRY_GOTO(st, fil_load_proof(o, &proof, &n));
    CUZK_TRY_GOTO(st, load_key(o, CUZK_KIND_UPDATE, stmt.shape->bytes, &vk));
    app_text(&o->a, "not_checked", "that the commitments are those on chain");
    t0 = cuzk_clock_ns();
    st = finish(o, verify_update(o, vk, proof, n, &stmt), t0);
out:
    cuzk_vk_destroy(vk);
    cuzk_free(proof);
    return st;
}

static fil_opts options; /* one command per process; too large for the stack */

static int run_porep(int argc, char **argv)
{
    fil_opts_parse(
        &options, argc, argv, fil_porep_options,
        "Verify a proof of replication against the statement of a C1 output (its commitments, replica_id "
        "and seed; the vanilla proofs in it are not used).",
        true);
    cuzk_status st = app_begin(&options.a);
    return app_finish(&options.a, st == CUZK_OK ? work_porep(&options) : st);
}

static int run_winning(int argc, char **argv)
{
    fil_opts_parse(&options, argc, argv, fil_post_options,
                   "Verify a WinningPoSt; sector and comm_r are taken from the vanilla file.",
                   true);
    cuzk_status st = app_begin(&options.a);
    return app_finish(&options.a, st == CUZK_OK ? work_post(&options, false) : st);
}

static int run_window(int argc, char **argv)
{
    fil_opts_parse(
        &options, argc, argv, fil_post_options,
        "Verify a WindowPoSt partition; sectors and comm_r are taken from the vanilla files.",
        true);
    cuzk_status st = app_begin(&options.a);
    return app_finish(&options.a, st == CUZK_OK ? work_post(&options, true) : st);
}

static int run_update(int argc, char **argv)
{
    fil_opts_parse(&options, argc, argv, fil_update_options, "Verify a SnapDeals update partition.",
                   true);
    cuzk_status st = app_begin(&options.a);
    return app_finish(&options.a, st == CUZK_OK ? work_update(&options) : st);
}

int cmd_verify(int argc, char **argv)
{
    static const command commands[] = {
        {"porep", "a proof of replication, all partitions", run_porep},
        {"winning", "a WinningPoSt", run_winning},
        {"window", "a WindowPoSt partition", run_window},
        {"update", "a SnapDeals update partition", run_update},
        {"aggregate", "an aggregate of many proofs", cmd_verify_aggregate},
        {NULL, NULL, NULL}};
    return dispatch(argc, argv, "cuzk verify",
                    "Exit status 0: valid, 1: false, 2: not well-formed.", commands);
}
