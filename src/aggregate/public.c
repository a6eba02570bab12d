/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The functions of include/cuzk/aggregate.h. */
#include <stdio.h>
#include <string.h>

#include <cuzk/aggregate.h>

#include "aggregate/aggregate.h"
#include "base/alloc.h"
#include "hash/sha256.h"

struct cuzk_aggregate_srs {
    cuzk_agg_srs *srs;
};

/* Results are statuses; what verify.h has no name for counts as one of its kind. */
static cuzk_verify_result result(cuzk_status st, const cuzk_err *err, char *message, size_t n)
{
    if (message != NULL && n != 0) {
        (void)snprintf(message, n, "%s", st == CUZK_OK ? "" : err->msg);
    }
    switch ((int)st) {
    case CUZK_E_NOT_FOUND: return CUZK_VERIFY_E_IO;
    case CUZK_E_DIGEST:
    case CUZK_E_SELFTEST: return CUZK_VERIFY_E_INVALID;
    default: return (cuzk_verify_result)st;
    }
}

static cuzk_agg_claim claim_of(const cuzk_aggregate_claim *c, int options)
{
    return (cuzk_agg_claim){
        .inputs = c->inputs,
        .n = c->n,
        .n_inputs = c->n_inputs,
        .include = c->include,
        .n_include = c->include_bytes,
        .version = (options & CUZK_AGGREGATE_INSECURE_VERSION_1) != 0 ? CUZK_AGG_V1 : CUZK_AGG_V2};
}

cuzk_verify_result cuzk_aggregate_srs_open(cuzk_aggregate_srs **out, const char *path, int options,
                                           char *message, size_t message_bytes)
{
    cuzk_err err = {0};
    cuzk_aggregate_srs *s = cuzk_alloc_zero(1, sizeof(*s));
    cuzk_status st = s != NULL ? cuzk_agg_srs_open(&s->srs, path, &err)
                               : CUZK_FAIL(&err, CUZK_E_NOMEM, "%s: no memory", path);
    if (st == CUZK_OK && (options & CUZK_AGGREGATE_ANY_SRS) == 0) {
        st = cuzk_agg_srs_require_network(s->srs, NULL, &err);
    }
    if (st != CUZK_OK) {
        cuzk_aggregate_srs_close(s);
    } else {
        *out = s;
    }
    return result(st, &err, message, message_bytes);
}

void cuzk_aggregate_srs_close(cuzk_aggregate_srs *srs)
{
    if (srs != NULL) {
        cuzk_agg_srs_close(srs->srs);
        cuzk_free(srs);
    }
}

size_t cuzk_aggregate_bytes(size_t n)
{
    const size_t padded = cuzk_agg_padded(n);
    return padded == 0 ? 0 : cuzk_agg_proof_bytes((unsigned)__builtin_ctzll(padded));
}

static cuzk_status prove(uint8_t *out, const cuzk_aggregate_srs *srs, const cuzk_vk *vk,
                         const cuzk_agg_claim *claim, const uint8_t *proofs, unsigned threads,
                         cuzk_err *err)
{
    const cuzk_pool_cfg cfg = {.n_threads = threads};
    cuzk_pool *pool = NULL;
    cuzk_agg_key key = {0};
    uint8_t *made = NULL;
    size_t n = 0;
    CUZK_TRY(cuzk_pool_create(&pool, &cfg, err));
    cuzk_status st = cuzk_agg_key_load(&key, srs->srs, cuzk_agg_padded(claim->n), pool, NULL, err);
    if (st == CUZK_OK) {
        st = cuzk_agg_prove(&made, &n, &key, cuzk_agg_srs_vk(srs->srs), vk, claim, proofs, NULL,
                            pool, NULL, err);
    }
    if (st == CUZK_OK) {
        memcpy(out, made, n);
    }
    cuzk_free(made);
    cuzk_agg_key_free(&key);
    cuzk_pool_destroy(pool);
    return st;
}

cuzk_verify_result cuzk_aggregate_prove(uint8_t *out, const cuzk_aggregate_srs *srs,
                                        const cuzk_vk *vk, const cuzk_aggregate_claim *claim,
                                        const uint8_t *proofs, unsigned threads, char *message,
                                        size_t message_bytes)
{
    cuzk_err err = {0};
    const cuzk_agg_claim c = claim_of(claim, CUZK_AGGREGATE_DEFAULT);
    return result(prove(out, srs, vk, &c, proofs, threads, &err), &err, message, message_bytes);
}

cuzk_verify_result cuzk_aggregate_verify(const cuzk_aggregate_srs *srs, const cuzk_vk *vk,
                                         const cuzk_aggregate_claim *claim,
                                         const uint8_t *aggregate, size_t aggregate_bytes,
                                         int options, char *message, size_t message_bytes)
{
    cuzk_err err = {0};
    const cuzk_agg_claim c = claim_of(claim, options);
    const cuzk_status st =
        cuzk_agg_verify(cuzk_agg_srs_vk(srs->srs), vk, &c, aggregate, aggregate_bytes,
                        (options & CUZK_AGGREGATE_ALLOW_TRAILING) != 0, &err);
    return result(st, &err, message, message_bytes);
}

void cuzk_aggregate_include_seals(uint8_t out[32], const uint8_t (*comm_rs)[32],
                                  const uint8_t (*seeds)[32], size_t n)
{
    cuzk_sha256 h;
    cuzk_sha256_init(&h);
    for (size_t i = 0; i < n; i++) {
        if (seeds != NULL) {
            cuzk_sha256_update(&h, seeds[i], 32);
        }
        cuzk_sha256_update(&h, comm_rs[i], 32);
    }
    cuzk_sha256_final(out, &h);
}

cuzk_verify_result cuzk_aggregate_include_all(uint8_t out[32], const cuzk_vk *vk,
                                              const cuzk_aggregate_claim *claim)
{
    if (claim->n_inputs != cuzk_vk_n_inputs(vk)) {
        return CUZK_VERIFY_E_INVALID;
    }
    return (cuzk_verify_result)cuzk_agg_include_all(out, vk, claim->inputs, claim->n, NULL);
}
