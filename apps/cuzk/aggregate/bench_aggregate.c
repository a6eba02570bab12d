/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk bench aggregate: an SRS, any number of proofs, their aggregate, and its verification. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aggregate/aggregate.h"
#include "apps/cuzk/app.h"
#include "apps/cuzk/commands.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/entropy.h"

/*
 * The key and the proofs come from known discrete logarithms: a proof is any A, B, C whose logarithms
 * satisfy a b = alpha beta + (sum of x_i ic_i) gamma + c delta. No circuit is needed, and a verifier
 * sees no difference.
 */
typedef struct bench {
    app a;
    uint64_t proofs, inputs, repeat;
    const char *srs_path;
    cuzk_fr alpha, beta, gamma, delta, *ic; /* ic [inputs + 1] */
    cuzk_vk *vk;
    uint8_t *proof, *input; /* [proofs * 192], [proofs * inputs * 32] */
    cuzk_agg_srs *srs;
    cuzk_agg_key key;
} bench;

enum { OPT_PROOFS = 0x600, OPT_INPUTS, OPT_REPEAT, OPT_SRS };

static const struct argp_option options[] = {
    {"proofs", OPT_PROOFS, "N", 0, "Proofs to aggregate (default 128)", 0},
    {"inputs", OPT_INPUTS, "N", 0, "Public inputs of each (default 2)", 0},
    {"repeat", OPT_REPEAT, "N", 0, "Runs (default 1)", 0},
    {"srs", OPT_SRS, "FILE", 0, "Use this SRS instead of one made for the run", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    bench *b = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &b->a; return 0;
    case OPT_PROOFS:
        if (!app_parse_u64(&b->proofs, arg, CUZK_AGG_MAX_PROOFS) || b->proofs == 0) {
            argp_error(state, "--proofs wants 1 to %zu, not '%s'", CUZK_AGG_MAX_PROOFS, arg);
        }
        return 0;
    case OPT_INPUTS:
        if (!app_parse_u64(&b->inputs, arg, 100000)) {
            argp_error(state, "--inputs wants a number up to 100000, not '%s'", arg);
        }
        return 0;
    case OPT_REPEAT:
        if (!app_parse_u64(&b->repeat, arg, 1000) || b->repeat == 0) {
            argp_error(state, "--repeat wants 1 to 1000, not '%s'", arg);
        }
        return 0;
    case OPT_SRS: b->srs_path = arg; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static cuzk_status draw(bench *b, cuzk_fr *out)
{
    uint8_t wide[64];
    CUZK_TRY(cuzk_entropy(wide, sizeof(wide), &b->a.err));
    cuzk_fr_from_wide_le_ct(out, wide);
    return CUZK_OK;
}

static void g1_times(cuzk_g1_affine *out, const cuzk_fr *k)
{
    cuzk_scalar s;
    cuzk_g1 p;
    cuzk_fr_to_scalar(&s, k);
    cuzk_g1_from_affine(&p, &CUZK_G1_GENERATOR);
    cuzk_g1_mul(&p, &p, &s);
    cuzk_g1_to_affine(out, &p);
}

static void g2_times(cuzk_g2_affine *out, const cuzk_fr *k)
{
    cuzk_scalar s;
    cuzk_g2 p;
    cuzk_fr_to_scalar(&s, k);
    cuzk_g2_from_affine(&p, &CUZK_G2_GENERATOR);
    cuzk_g2_mul(&p, &p, &s);
    cuzk_g2_to_affine(out, &p);
}

static void put_g1(uint8_t **at, const cuzk_fr *k)
{
    cuzk_g1_affine p;
    g1_times(&p, k);
    cuzk_g1_encode_uncompressed(*at, &p);
    *at += CUZK_G1_UNCOMPRESSED_BYTES;
}

static void put_g2(uint8_t **at, const cuzk_fr *k)
{
    cuzk_g2_affine p;
    g2_times(&p, k);
    cuzk_g2_encode_uncompressed(*at, &p);
    *at += CUZK_G2_UNCOMPRESSED_BYTES;
}

/* Order of the file: docs/params-format.md#vk. */
static cuzk_status make_key(bench *b)
{
    cuzk_fr *secret[4] = {&b->alpha, &b->beta, &b->gamma, &b->delta};
    const size_t n = 868 + 96 * (b->inputs + 1);
    uint8_t *bytes = cuzk_alloc(n, 1), *at = bytes;
    b->ic = cuzk_alloc(b->inputs + 1, sizeof(*b->ic));
    cuzk_status st = bytes != NULL && b->ic != NULL
                         ? CUZK_OK
                         : CUZK_FAIL(&b->a.err, CUZK_E_NOMEM, "%s", "no memory for the key");
    for (size_t i = 0; st == CUZK_OK && i < 4 + b->inputs + 1; i++) {
        st = draw(b, i < 4 ? secret[i] : &b->ic[i - 4]);
    }
    if (st == CUZK_OK) {
        put_g1(&at, &b->alpha);
        put_g1(&at, &b->beta);
        put_g2(&at, &b->beta);
        put_g2(&at, &b->gamma);
        put_g1(&at, &b->delta);
        put_g2(&at, &b->delta);
        cuzk_store_u32_be(at, (uint32_t)(b->inputs + 1));
        at += 4;
        for (size_t i = 0; i <= b->inputs; i++) {
            put_g1(&at, &b->ic[i]);
        }
        const cuzk_verify_result r = cuzk_vk_read(&b->vk, bytes, n);
        st = r == CUZK_VERIFY_OK
                 ? CUZK_OK
                 : CUZK_FAIL(&b->a.err, (cuzk_status)r, "the key made: %s", cuzk_verify_text(r));
    }
    cuzk_free(bytes);
    return st;
}

static cuzk_status make_proof(bench *b, size_t i)
{
    cuzk_fr a, bb, c, t, sum = b->ic[0], delta_inv;
    cuzk_g1_affine p;
    cuzk_g2_affine q;
    uint8_t *out = b->proof + i * CUZK_PROOF_BYTES;
    CUZK_TRY(draw(b, &a));
    CUZK_TRY(draw(b, &bb));
    for (size_t j = 0; j < b->inputs; j++) {
        CUZK_TRY(draw(b, &c));
        cuzk_fr_to_bytes_le(b->input + (i * b->inputs + j) * CUZK_SCALAR_BYTES, &c);
        cuzk_fr_mul(&c, &c, &b->ic[1 + j]);
        cuzk_fr_add(&sum, &sum, &c);
    }
    cuzk_fr_mul(&c, &a, &bb);
    cuzk_fr_mul(&t, &b->alpha, &b->beta);
    cuzk_fr_sub(&c, &c, &t);
    cuzk_fr_mul(&t, &sum, &b->gamma);
    cuzk_fr_sub(&c, &c, &t);
    cuzk_fr_inv(&delta_inv, &b->delta);
    cuzk_fr_mul(&c, &c, &delta_inv);
    g1_times(&p, &a);
    cuzk_g1_encode_compressed(out, &p);
    g2_times(&q, &bb);
    cuzk_g2_encode_compressed(out + 48, &q);
    g1_times(&p, &c);
    cuzk_g1_encode_compressed(out + 144, &p);
    return CUZK_OK;
}

static cuzk_status make_proofs(bench *b)
{
    b->proof = cuzk_alloc(b->proofs, CUZK_PROOF_BYTES);
    b->input = cuzk_alloc(b->proofs * b->inputs, CUZK_SCALAR_BYTES);
    if (b->proof == NULL || b->input == NULL) {
        return CUZK_FAIL(&b->a.err, CUZK_E_NOMEM, "%s", "no memory for the proofs");
    }
    for (size_t i = 0; i < b->proofs; i++) {
        CUZK_TRY(make_proof(b, i));
    }
    return CUZK_OK;
}

static cuzk_status open_srs(bench *b)
{
    app *a = &b->a;
    char path[] = "/tmp/cuzk-bench-XXXXXX";
    cuzk_fr s, t;
    if (b->srs_path != NULL) {
        return cuzk_agg_srs_open(&b->srs, b->srs_path, &a->err);
    }
    const int fd = mkstemp(path);
    if (fd < 0) {
        return CUZK_FAIL(&a->err, CUZK_E_IO, "%s: cannot be made", path);
    }
    (void)close(fd);
    cuzk_agg_srs_secrets_from_seed(&s, &t, 1);
    cuzk_status st = cuzk_agg_srs_write(path, 2 * cuzk_agg_padded(b->proofs), &s, &t, true, a->pool,
                                        a->cancel, &a->err);
    if (st == CUZK_OK) {
        st = cuzk_agg_srs_open(&b->srs, path, &a->err);
    }
    (void)unlink(path);
    return st;
}

/* What one step took, by both clocks. */
typedef struct span {
    uint64_t cpu, wall;
} span;

static span begin(void)
{
    return (span){cuzk_clock_cpu_ns(), cuzk_clock_ns()};
}

static void report(bench *b, const char *what, const span *s, uint64_t run)
{
    char key[64];
    (void)snprintf(key, sizeof(key), "%s_cpu_%llu", what, (unsigned long long)run + 1);
    app_seconds(&b->a, key, cuzk_clock_cpu_ns() - s->cpu);
    (void)snprintf(key, sizeof(key), "%s_wall_%llu", what, (unsigned long long)run + 1);
    app_seconds(&b->a, key, cuzk_clock_ns() - s->wall);
}

static cuzk_status run(bench *b, uint64_t i)
{
    app *a = &b->a;
    uint8_t include[32] = {0}, *out = NULL;
    size_t n = 0;
    const cuzk_agg_claim claim = {b->input, b->proofs,       b->inputs,
                                  include,  sizeof(include), CUZK_AGG_V2};
    uint8_t digest[CUZK_AGG_SRS_DIGEST_BYTES];
    cuzk_agg_key_free(&b->key);
    CUZK_TRY(cuzk_agg_srs_digest(b->srs, digest, a->cancel, &a->err));
    span s = begin();
    CUZK_TRY(cuzk_agg_srs_require_digest(b->srs, digest, a->cancel, &a->err)); /* as users do */
    CUZK_TRY(cuzk_agg_key_load(&b->key, b->srs, cuzk_agg_padded(b->proofs), a->pool, a->cancel,
                               &a->err));
    report(b, "srs", &s, i);
    s = begin();
    CUZK_TRY(cuzk_agg_prove(&out, &n, &b->key, cuzk_agg_srs_vk(b->srs), b->vk, &claim, b->proof,
                            NULL, a->pool, a->cancel, &a->err));
    report(b, "aggregate", &s, i);
    s = begin();
    const cuzk_status st =
        cuzk_agg_verify(cuzk_agg_srs_vk(b->srs), b->vk, &claim, out, n, false, &a->err);
    report(b, "verify", &s, i);
    cuzk_free(out);
    return st;
}

static cuzk_status work(bench *b)
{
    app *a = &b->a;
    CUZK_TRY(make_key(b));
    CUZK_TRY(make_proofs(b));
    CUZK_TRY(open_srs(b));
    app_u64(a, "proofs", b->proofs);
    app_u64(a, "padded", cuzk_agg_padded(b->proofs));
    app_u64(a, "public_inputs", b->inputs);
    app_u64(a, "threads", cuzk_pool_threads(a->pool));
    cuzk_alloc_reset_peak();
    for (uint64_t i = 0; i < b->repeat; i++) {
        CUZK_TRY(run(b, i));
    }
    app_u64(a, "heap_peak_bytes", cuzk_alloc_get_stats().bytes_peak);
    return CUZK_OK;
}

int cmd_bench_aggregate(int argc, char **argv)
{
    const struct argp_child children[] = {APP_CHILD, {0}};
    const struct argp argp = {
        options,
        parse,
        NULL,
        "Measure aggregation with proofs made for the run: reading the SRS, aggregating "
        "(the proofs are verified before and the aggregate after), verifying.",
        children,
        NULL,
        NULL};
    bench b;
    memset(&b, 0, sizeof(b));
    b.proofs = 128;
    b.inputs = 2;
    b.repeat = 1;
    app_init(&b.a, argv[0]);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &b);
    cuzk_status st = app_begin(&b.a);
    if (st == CUZK_OK) {
        st = work(&b);
    }
    cuzk_agg_key_free(&b.key);
    cuzk_agg_srs_close(b.srs);
    cuzk_vk_destroy(b.vk);
    cuzk_free(b.ic);
    cuzk_free(b.proof);
    cuzk_free(b.input);
    return app_finish(&b.a, st);
}
