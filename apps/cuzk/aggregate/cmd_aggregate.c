/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk aggregate: proofs to an aggregate. cuzk verify aggregate: an aggregate against its statements. */
#include <string.h>

#include "apps/cuzk/commands.h"
#include "apps/cuzk/inputs.h"
#include "apps/cuzk/ticker.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"

#include "agg_opts.h"

static cuzk_status load_proofs(agg_opts *o, const agg_statements *s, uint8_t **out)
{
    app *a = &o->a;
    const size_t want = s->claim.n * CUZK_PROOF_BYTES;
    size_t n = 0;
    uint8_t *p = cuzk_alloc(want, 1);
    if (p == NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "no memory for %zu proofs", s->claim.n);
    }
    cuzk_status st = CUZK_OK;
    if (o->n_proofs == 0 && s->list.proofs != NULL) {
        n = s->list.n_proof_bytes;
        if (n == want) {
            memcpy(p, s->list.proofs, n);
        }
    }
    for (size_t i = 0; st == CUZK_OK && i < o->n_proofs; i++) {
        cuzk_content c;
        if (!agg_is_filecoin(o)) { /* the forms that other tools write */
            st = read_proof(a, o->proofs[i], p + n);
            n += CUZK_PROOF_BYTES;
            continue;
        }
        st = cuzk_content_read(&c, o->proofs[i], CUZK_CONTENT_INPUT, &a->err);
        if (st != CUZK_OK) {
            break;
        }
        const size_t each = (size_t)s->seals.partitions * CUZK_PROOF_BYTES;
        if (c.size != each || n + each > want) {
            st = CUZK_FAIL(&a->err, CUZK_E_INVALID,
                           "%s: %zu bytes; the %u proofs of a sector have %zu", o->proofs[i],
                           c.size, s->seals.partitions, each);
        } else {
            memcpy(p + n, c.data, each);
            n += each;
        }
        cuzk_content_free(&c);
    }
    if (st == CUZK_OK && n != want) {
        st = CUZK_FAIL(&a->err, CUZK_E_INVALID, "%zu bytes of proofs, the statements want %zu", n,
                       want);
    }
    if (st != CUZK_OK) {
        cuzk_free(p);
        return st;
    }
    *out = p;
    return CUZK_OK;
}

static cuzk_status aggregate(agg_opts *o, agg_statements *s)
{
    app *a = &o->a;
    cuzk_agg_srs *srs = NULL;
    cuzk_agg_key key = {0};
    uint8_t *proofs = NULL, *out = NULL;
    size_t n = 0;
    uint64_t t0 = cuzk_clock_ns();
    ticker tick;
    cuzk_status st;
    CUZK_TRY_GOTO(st, load_proofs(o, s, &proofs));
    CUZK_TRY_GOTO(st, agg_open_srs(o, &srs));
    app_seconds(a, "load", cuzk_clock_ns() - t0);
    t0 = cuzk_clock_ns();
    ticker_begin_steps(&tick, a, "loading the SRS");
    st = cuzk_agg_key_load(&key, srs, cuzk_agg_padded(s->claim.n), a->pool, a->cancel, &a->err);
    ticker_end(&tick);
    if (st != CUZK_OK) {
        goto out;
    }
    app_seconds(a, "srs", cuzk_clock_ns() - t0);
    t0 = cuzk_clock_ns();
    ticker_begin_steps(&tick, a, "aggregating");
    st = cuzk_agg_prove(&out, &n, &key, cuzk_agg_srs_vk(srs), s->vk, &s->claim, proofs, NULL,
                        a->pool, a->cancel, &a->err);
    ticker_end(&tick);
    if (st != CUZK_OK) {
        goto out;
    }
    app_seconds(a, "aggregate", cuzk_clock_ns() - t0);
    CUZK_TRY_GOTO(st, cuzk_file_write_all(o->out, out, n, a->force, &a->err));
    app_u64(a, "proofs", s->claim.n);
    app_u64(a, "padded", key.n);
    app_u64(a, "bytes", n);
    app_text(a, "result", "aggregated and verified");
out:
    if (st == CUZK_E_PROOF_FALSE) {
        app_text(a, "result", a->err.msg); /* which proof */
    }
    cuzk_free(proofs);
    cuzk_free(out);
    cuzk_agg_key_free(&key);
    cuzk_agg_srs_close(srs);
    return st;
}

static cuzk_status work_aggregate(agg_opts *o)
{
    agg_statements s = {.vk = NULL};
    CUZK_TRY(app_check_output(&o->a, o->out));
    cuzk_status st = agg_load_statements(o, &s);
    if (st == CUZK_OK && agg_is_filecoin(o) && !o->any_count) {
        st = cuzk_agg_check_chain_limits(&s.seals.type, s.seals.n_sectors, &o->a.err);
    }
    if (st == CUZK_OK) {
        st = aggregate(o, &s);
    }
    agg_statements_free(&s);
    return st;
}

static cuzk_status work_verify(agg_opts *o)
{
    app *a = &o->a;
    agg_statements s = {.vk = NULL};
    cuzk_agg_srs *srs = NULL;
    cuzk_content c = {0};
    uint64_t t0 = 0;
    cuzk_status st;
    CUZK_TRY_GOTO(st, agg_load_statements(o, &s));
    CUZK_TRY_GOTO(st, cuzk_content_read(&c, o->aggregate, CUZK_CONTENT_INPUT, &a->err));
    CUZK_TRY_GOTO(st, agg_open_srs(o, &srs));
    if (o->version_1) {
        app_note(a,
                 "warning: version 1 is broken: anybody can make an aggregate of false statements "
                 "that passes");
        s.claim.version = CUZK_AGG_V1;
    }
    app_u64(a, "version", (uint64_t)s.claim.version);
    t0 = cuzk_clock_ns();
    st = cuzk_agg_verify(cuzk_agg_srs_vk(srs), s.vk, &s.claim, c.data, c.size, o->allow_trailing,
                         &a->err);
    if (st == CUZK_OK || st == CUZK_E_PROOF_FALSE) {
        app_u64(a, "proofs", s.claim.n);
        app_text(a, "result", st == CUZK_OK ? "valid" : "FALSE");
        app_seconds(a, "verify", cuzk_clock_ns() - t0);
    }
out:
    agg_statements_free(&s);
    cuzk_agg_srs_close(srs);
    cuzk_content_free(&c);
    return st;
}

static agg_opts options; /* one command per process */

int cmd_aggregate(int argc, char **argv)
{
    cuzk_status st = agg_opts_parse(
        &options, argc, argv, false,
        "Aggregate proofs of one key. Filecoin: sectors of one type, by a list (--sectors) or by C1 outputs (--c1), with "
        "one --proof file each. Other circuits: pairs of PUBLIC and PROOF files, and --vk. The proofs are verified, "
        "and the aggregate before it is written. Version 2 is made.");
    if (st == CUZK_OK) {
        st = work_aggregate(&options);
    }
    agg_opts_free(&options);
    return app_finish(&options.a, st);
}

int cmd_verify_aggregate(int argc, char **argv)
{
    cuzk_status st = agg_opts_parse(
        &options, argc, argv, true,
        "Verify an aggregate against the statements of its sectors (--sectors or --c1), or against PUBLIC files and "
        "--vk.");
    if (st == CUZK_OK) {
        st = work_verify(&options);
    }
    agg_opts_free(&options);
    return app_finish(&options.a, st);
}
