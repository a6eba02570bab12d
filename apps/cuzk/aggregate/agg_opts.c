/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "agg_opts.h"

#include <string.h>

#include "apps/cuzk/inputs.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "prover/keys/filecoin_verify.h"
#include "vanilla/read/vanilla.h"

enum {
    OPT_SECTORS = 0x700,
    OPT_C1_FILE,
    OPT_PROOF_FILE,
    OPT_VK,
    OPT_PARAMS_DIR,
    OPT_SRS_FILE,
    OPT_SRS_DIGEST,
    OPT_TEST_SRS,
    OPT_ANY_COUNT,
    OPT_AGGREGATE,
    OPT_V1,
    OPT_TRAILING
};

#define STATEMENT_OPTIONS                                                                          \
    {"sectors", OPT_SECTORS, "FILE", 0, "JSON list of sectors (docs/snarkpack.md)", 0},            \
        {"c1", OPT_C1_FILE, "FILE", 0, "C1 output of a sector; repeat it in order", 0},            \
        {"vk", OPT_VK, "FILE", 0, "Verifying key (default for sectors: from the parameters)", 0},  \
        {"params", OPT_PARAMS_DIR, "DIR", 0, "Folder of the parameters and of the SRS", 0},        \
        {"srs", OPT_SRS_FILE, "FILE", 0, "The SRS (default: " CUZK_AGG_SRS_FILE " in the folder)", \
         0},                                                                                       \
        {"test-srs",                                                                               \
         OPT_TEST_SRS,                                                                             \
         NULL,                                                                                     \
         0,                                                                                        \
         "Take an SRS that is not the network's: who knows its secrets can forge",                 \
         0},                                                                                       \
    {                                                                                              \
        "srs-digest", OPT_SRS_DIGEST, "HEX", 0,                                                    \
            "Require this BLAKE2b digest (32 hex digits) in place of the network's", 0             \
    }

static const struct argp_option make_options[] = {
    STATEMENT_OPTIONS,
    {"proof", OPT_PROOF_FILE, "FILE", 0, "Proofs of a sector; repeat it in order", 0},
    {"any-count", OPT_ANY_COUNT, NULL, 0, "Also numbers of sectors that the chain does not take",
     0},
    {"output", 'o', "FILE", 0, "The aggregate", 0},
    {0}};

static const struct argp_option verify_options[] = {
    STATEMENT_OPTIONS,
    {"aggregate", OPT_AGGREGATE, "FILE", 0, "The aggregate", 0},
    {"allow-trailing", OPT_TRAILING, NULL, 0,
     "Ignore bytes after the aggregate, as the network's verifier does", 0},
    {"insecure-version-1", OPT_V1, NULL, 0,
     "Verify as version 1, which proves nothing: false statements can pass", 0},
    {0}};

static bool parse_flag(agg_opts *o, int key)
{
    switch (key) {
    case OPT_TEST_SRS: o->test_srs = true; return true;
    case OPT_ANY_COUNT: o->any_count = true; return true;
    case OPT_V1: o->version_1 = true; return true;
    case OPT_TRAILING: o->allow_trailing = true; return true;
    default: return false;
    }
}

static void check_complete(const agg_opts *o, struct argp_state *state)
{
    const int kinds = (o->sectors != NULL) + (o->n_c1 != 0) + (o->n_publics != 0);
    if (kinds != 1) {
        argp_error(state, "needs one of --sectors, --c1 and PUBLIC files");
    }
    if (o->n_publics != 0 && o->vk == NULL) {
        argp_error(state, "needs --vk for PUBLIC files");
    }
    if (o->verifying ? o->aggregate == NULL : o->out == NULL) {
        argp_error(state, o->verifying ? "needs --aggregate" : "needs -o");
    }
    if (!o->verifying && o->n_publics != 0 && o->n_publics != o->n_proofs) {
        argp_error(state, "needs pairs of PUBLIC and PROOF");
    }
    if (!o->verifying && o->n_c1 != 0 && o->n_c1 != o->n_proofs) {
        argp_error(state, "needs one --proof for each --c1");
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    agg_opts *o = state->input;
    if (parse_flag(o, key)) {
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &o->a; return 0;
    case OPT_SECTORS: o->sectors = arg; return 0;
    case OPT_C1_FILE: o->c1[o->n_c1++] = arg; return 0;
    case OPT_PROOF_FILE: o->proofs[o->n_proofs++] = arg; return 0;
    case OPT_VK: o->vk = arg; return 0;
    case OPT_PARAMS_DIR: o->params = arg; return 0;
    case OPT_SRS_FILE: o->srs = arg; return 0;
    case OPT_SRS_DIGEST: o->srs_digest = arg; return 0;
    case OPT_AGGREGATE: o->aggregate = arg; return 0;
    case 'o': o->out = arg; return 0;
    case ARGP_KEY_ARG:
        if (o->verifying || state->arg_num % 2 == 0) {
            o->publics[o->n_publics++] = arg;
        } else {
            o->proofs[o->n_proofs++] = arg;
        }
        return 0;
    case ARGP_KEY_END: check_complete(o, state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

cuzk_status agg_opts_parse(agg_opts *o, int argc, char **argv, bool verifying, const char *doc)
{
    const struct argp_child children[] = {APP_CHILD, {0}};
    const struct argp argp = {verifying ? verify_options : make_options,
                              parse,
                              verifying ? "\nPUBLIC..." : "\nPUBLIC PROOF...",
                              doc,
                              children,
                              NULL,
                              NULL};
    const size_t most = (size_t)argc + 1;
    memset(o, 0, sizeof(*o));
    o->verifying = verifying;
    app_init(&o->a, argv[0]);
    o->c1 = cuzk_alloc(most, sizeof(*o->c1));
    o->proofs = cuzk_alloc(most, sizeof(*o->proofs));
    o->publics = cuzk_alloc(most, sizeof(*o->publics));
    if (o->c1 == NULL || o->proofs == NULL || o->publics == NULL) {
        return CUZK_FAIL(&o->a.err, CUZK_E_NOMEM, "out of memory");
    }
    (void)argp_parse(&argp, argc, argv, 0, NULL, o);
    return app_begin(&o->a);
}

void agg_opts_free(agg_opts *o)
{
    cuzk_free(o->c1);
    cuzk_free(o->proofs);
    cuzk_free(o->publics);
}

bool agg_is_filecoin(const agg_opts *o)
{
    return o->n_publics == 0;
}

/* Statements of C1 outputs, one at a time: the vanilla proofs in them are large and not needed. */
static cuzk_status load_c1(agg_opts *o, agg_statements *s)
{
    app *a = &o->a;
    s->list.sectors = cuzk_alloc_zero(o->n_c1, sizeof(*s->list.sectors));
    if (s->list.sectors == NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "no memory for %zu sectors", o->n_c1);
    }
    for (size_t i = 0; i < o->n_c1; i++) {
        cuzk_content c;
        cuzk_porep_input *in = NULL;
        CUZK_TRY(read_c1(a, o->c1[i], &c));
        cuzk_err inner = {.msg = ""};
        const cuzk_status st = cuzk_porep_parse(&in, c.data, c.size, a->pool, &inner);
        cuzk_content_free(&c);
        if (st != CUZK_OK) {
            return CUZK_FAIL(&a->err, st, "%s: %s", o->c1[i], inner.msg);
        }
        cuzk_porep_statement_of(&s->list.sectors[i], in);
        cuzk_porep_input_destroy(in);
    }
    s->list.n = o->n_c1;
    return CUZK_OK;
}

static cuzk_status load_sectors(agg_opts *o, agg_statements *s)
{
    app *a = &o->a;
    cuzk_params_dir dir;
    if (o->sectors != NULL) {
        cuzk_content c;
        CUZK_TRY(cuzk_content_read(&c, o->sectors, CUZK_CONTENT_INPUT, &a->err));
        cuzk_err inner = {.msg = ""};
        const cuzk_status st = cuzk_agg_sector_list_parse(&s->list, c.data, c.size, &inner);
        cuzk_content_free(&c);
        if (st != CUZK_OK) {
            return CUZK_FAIL(&a->err, st, "%s: %s", o->sectors, inner.msg);
        }
    } else {
        CUZK_TRY(load_c1(o, s));
    }
    CUZK_TRY(cuzk_agg_seals_create(&s->seals, s->list.sectors, s->list.n, a->pool, &a->err));
    s->claim = s->seals.claim;
    app_u64(a, "sectors", s->list.n);
    if (o->vk == NULL) {
        CUZK_TRY(cuzk_params_dir_choose(&dir, o->params, &a->err));
        CUZK_TRY(cuzk_filecoin_vk_load(&s->vk, CUZK_CIRCUIT_POREP, s->seals.type.sector_bytes, &dir,
                                       &a->err));
    }
    return CUZK_OK;
}

static cuzk_status load_publics(agg_opts *o, agg_statements *s)
{
    app *a = &o->a;
    const size_t n_inputs = cuzk_vk_n_inputs(s->vk), each = n_inputs * CUZK_SCALAR_BYTES;
    s->inputs = cuzk_alloc(o->n_publics, each + 1);
    if (s->inputs == NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "no memory for the public inputs");
    }
    for (size_t i = 0; i < o->n_publics; i++) {
        uint8_t *in = NULL;
        size_t count = 0;
        CUZK_TRY(read_public(a, o->publics[i], &in, &count));
        if (count != n_inputs) {
            cuzk_free(in);
            return CUZK_FAIL(&a->err, CUZK_E_INVALID, "%s: %zu public inputs, the key has %zu",
                             o->publics[i], count, n_inputs);
        }
        if (each != 0) {
            memcpy(s->inputs + i * each, in, each);
        }
        cuzk_free(in);
    }
    CUZK_TRY(cuzk_agg_include_all(s->include, s->vk, s->inputs, o->n_publics, &a->err));
    s->claim = (cuzk_agg_claim){.inputs = s->inputs,
                                .n = o->n_publics,
                                .n_inputs = n_inputs,
                                .include = s->include,
                                .n_include = sizeof(s->include),
                                .version = CUZK_AGG_V2};
    return CUZK_OK;
}

cuzk_status agg_load_statements(agg_opts *o, agg_statements *s)
{
    app *a = &o->a;
    uint8_t *bytes = NULL;
    size_t n = 0;
    memset(s, 0, sizeof(*s));
    if (o->vk != NULL) {
        CUZK_TRY(read_vk(a, o->vk, &bytes, &n));
        const cuzk_status st = parse_vk(a, o->vk, bytes, n, &s->vk);
        cuzk_free(bytes);
        CUZK_TRY(st);
    }
    return agg_is_filecoin(o) ? load_sectors(o, s) : load_publics(o, s);
}

void agg_statements_free(agg_statements *s)
{
    cuzk_agg_seals_free(&s->seals);
    cuzk_agg_sector_list_free(&s->list);
    cuzk_free(s->inputs);
    cuzk_vk_destroy(s->vk);
}

static cuzk_status check_srs(agg_opts *o, cuzk_agg_srs *srs)
{
    app *a = &o->a;
    uint8_t want[CUZK_AGG_SRS_DIGEST_BYTES];
    if (o->srs_digest != NULL) {
        if (!cuzk_hex_decode(want, sizeof(want), o->srs_digest, strlen(o->srs_digest))) {
            return CUZK_FAIL(&a->err, CUZK_E_INVALID, "--srs-digest wants 32 hex digits");
        }
        return cuzk_agg_srs_require_digest(srs, want, a->cancel, &a->err);
    }
    if (o->test_srs) {
        app_note(a, "insecure: whoever knows the secrets of this SRS can forge aggregates");
        return CUZK_OK;
    }
    return cuzk_agg_srs_require_network(srs, a->cancel, &a->err);
}

cuzk_status agg_open_srs(agg_opts *o, cuzk_agg_srs **out)
{
    cuzk_agg_srs *srs = NULL;
    CUZK_TRY(o->srs != NULL ? cuzk_agg_srs_open(&srs, o->srs, &o->a.err)
                            : cuzk_filecoin_agg_srs_open(&srs, o->params, &o->a.err));
    const cuzk_status st = check_srs(o, srs);
    if (st != CUZK_OK) {
        cuzk_agg_srs_close(srs);
        return st;
    }
    *out = srs;
    return CUZK_OK;
}
