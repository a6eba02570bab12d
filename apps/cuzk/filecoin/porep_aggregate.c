/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "porep_aggregate.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "prover/keys/filecoin_verify.h"

static cuzk_status open_srs(porep_agg *g, fil_opts *o)
{
    app *a = &o->a;
    CUZK_TRY(o->srs != NULL ? cuzk_agg_srs_open(&g->srs, o->srs, &a->err)
                            : cuzk_filecoin_agg_srs_open(&g->srs, o->params, &a->err));
    if (o->test_srs) {
        app_note(a, "insecure: whoever knows the secrets of this SRS can forge aggregates");
        return CUZK_OK;
    }
    return cuzk_agg_srs_require_network(g->srs, a->cancel, &a->err);
}

cuzk_status porep_agg_open(porep_agg *out, fil_opts *o, const cuzk_porep_input *in, bool proving)
{
    app *a = &o->a;
    cuzk_porep_statement st;
    memset(out, 0, sizeof(*out));
    if (in->type.feature != CUZK_SEAL_NON_INTERACTIVE || o->plain_proofs) {
        return CUZK_OK;
    }
    out->on = true;
    cuzk_porep_statement_of(&st, in);
    CUZK_TRY(cuzk_agg_seals_create(&out->seals, &st, 1, a->pool, &a->err));
    CUZK_TRY(open_srs(out, o));
    return proving ? cuzk_agg_key_load(&out->key, out->srs, cuzk_agg_padded(out->seals.claim.n),
                                       a->pool, a->cancel, &a->err)
                   : CUZK_OK;
}

void porep_agg_close(porep_agg *g)
{
    cuzk_agg_seals_free(&g->seals);
    cuzk_agg_key_free(&g->key);
    cuzk_agg_srs_close(g->srs);
    memset(g, 0, sizeof(*g));
}

cuzk_status porep_agg_make(porep_agg *g, fil_opts *o, const cuzk_vk *vk, uint8_t **proofs,
                           size_t *n)
{
    app *a = &o->a;
    uint8_t *out = NULL;
    size_t n_out = 0;
    const uint64_t t0 = cuzk_clock_ns();
    CUZK_TRY(cuzk_agg_prove(&out, &n_out, &g->key, cuzk_agg_srs_vk(g->srs), vk, &g->seals.claim,
                            *proofs, NULL, a->pool, a->cancel, &a->err));
    app_seconds(a, "aggregate", cuzk_clock_ns() - t0);
    app_u64(a, "aggregate_bytes", n_out);
    cuzk_free(*proofs);
    *proofs = out;
    *n = n_out;
    return CUZK_OK;
}

cuzk_status porep_agg_verify(porep_agg *g, fil_opts *o, const cuzk_vk *vk, const uint8_t *proof,
                             size_t n)
{
    return cuzk_agg_verify(cuzk_agg_srs_vk(g->srs), vk, &g->seals.claim, proof, n, false,
                           &o->a.err);
}
