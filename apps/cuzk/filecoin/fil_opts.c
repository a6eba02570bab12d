/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "fil_opts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "apps/cuzk/inputs.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "prover/aggregate/filecoin_aggregate.h"
#include "sys/file.h"

#include "vanilla_files.h"

enum {
    OPT_PARAMS = 0x300,
    OPT_PROOF,
    OPT_MINER,
    OPT_SECTOR,
    OPT_ROWS,
    OPT_FIL_SEED,
    OPT_REPEAT,
    OPT_FIL_SRS,
    OPT_FIL_TEST_SRS,
    OPT_PLAIN,
    OPT_STRICT
};

#define OPTION_PARAMS                                                           \
    {                                                                           \
        "params", OPT_PARAMS, "DIR", 0,                                         \
            "Folder of parameter files (default: $FIL_PROOFS_PARAMETER_CACHE, " \
            "else " CUZK_PARAMS_DEFAULT_DIR ")",                                \
            0                                                                   \
    }
#define OPTION_PROOF                                            \
    {                                                           \
        "proof", OPT_PROOF, "FILE", 0, "The proof to verify", 0 \
    }
#define OPTION_OUT                                                                     \
    {                                                                                  \
        "output", 'o', "FILE", 0,                                                      \
            "Write the proof here, 192 bytes per partition (- for standard output)", 0 \
    }
#define OPTION_ROWS                                                                     \
    {                                                                                   \
        "check-rows", OPT_ROWS, NULL, 0,                                                \
            "Multiply all constraints out before proving and name the first bad one", 0 \
    }

#define OPTIONS_DEVICE                                                                             \
    DEVICES_OPTION_DEVICE, DEVICES_OPTION_VRAM, DEVICES_OPTION_STREAM, DEVICES_OPTION_LANES,       \
        {"insecure-seed",                                                                          \
         OPT_FIL_SEED,                                                                             \
         "N",                                                                                      \
         0,                                                                                        \
         "Make the parameters on the GPU from N instead of reading them: for measurements, since " \
         "anybody can forge proofs under them",                                                    \
         0},                                                                                       \
    {                                                                                              \
        "repeat", OPT_REPEAT, "N", 0, "Prove N times and report each time: for measurements", 0    \
    }

const struct argp_option fil_porep_options[] = {
    STATEMENT_OPTION_C1(""),
    OPTION_PARAMS,
    OPTION_OUT,
    OPTION_PROOF,
    {"miner", OPT_MINER, "ID", 0,
     "The miner, f01000 or 1000: with --sector, replica_id is recomputed", 0},
    {"sector", OPT_SECTOR, "N", 0, "Sector number", 0},
    {"srs", OPT_FIL_SRS, "FILE", 0,
     "Non-interactive: the SRS of its aggregate (default: " CUZK_AGG_SRS_FILE " in the folder)", 0},
    {"test-srs", OPT_FIL_TEST_SRS, NULL, 0,
     "Take an SRS that is not the network's: who knows its secrets can forge", 0},
    {"plain-proofs", OPT_PLAIN, NULL, 0,
     "Non-interactive: the proofs of the partitions, not their aggregate", 0},
    {"strict", OPT_STRICT, NULL, 0,
     "Verifying: refuse when ticket, miner and sector are not checked (needs --miner and --sector)",
     0},
    OPTION_ROWS,
    OPTIONS_DEVICE,
    {0}};

const struct argp_option fil_post_options[] = {
    STATEMENT_OPTION_VANILLA("; sectors are sorted by number"),
    STATEMENT_OPTION_RANDOMNESS(""),
    STATEMENT_OPTION_TYPE,
    STATEMENT_OPTION_SECTOR_SIZE(", instead of --type (window: V1_1)"),
    STATEMENT_OPTION_PARTITION,
    OPTION_PARAMS,
    OPTION_OUT,
    OPTION_PROOF,
    OPTION_ROWS,
    OPTIONS_DEVICE,
    {0}};

const struct argp_option fil_update_options[] = {STATEMENT_OPTION_VANILLA(""),
                                                 STATEMENT_OPTION_SECTOR_SIZE(""),
                                                 STATEMENT_OPTION_PARTITION,
                                                 STATEMENT_OPTIONS_UPDATE,
                                                 OPTION_PARAMS,
                                                 OPTION_OUT,
                                                 OPTION_PROOF,
                                                 OPTION_ROWS,
                                                 OPTIONS_DEVICE,
                                                 {0}};

typedef struct parse_input {
    fil_opts *o;
    bool verifying;
} parse_input;

static void want_u64(struct argp_state *state, uint64_t *out, const char *arg, const char *name,
                     uint64_t max)
{
    if (!app_parse_u64(out, arg, max)) {
        argp_error(state, "--%s wants a number up to %llu, not '%s'", name, (unsigned long long)max,
                   arg);
    }
}

static error_t parse_end(const parse_input *p, struct argp_state *state)
{
    const fil_opts *o = p->o;
    if (p->verifying ? o->proof == NULL : o->out == NULL) {
        argp_error(state, p->verifying ? "needs --proof FILE" : "needs -o FILE");
    }
    if (p->verifying ? o->out != NULL || o->check_rows : o->proof != NULL) {
        argp_error(state, p->verifying ? "-o and --check-rows are for proving"
                                       : "--proof is for verifying");
    }
    if (p->verifying && (o->dev.spec != NULL || o->dev.vram != NULL || o->has_seed || o->repeat)) {
        argp_error(state, "--device, --vram, --insecure-seed and --repeat are for proving");
    }
    if (o->strict && !p->verifying) {
        argp_error(state, "--strict is for verifying");
    }
    if (o->has_miner != o->has_sector) {
        argp_error(state, "--miner and --sector go together");
    }
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    parse_input *p = state->input;
    fil_opts *o = p->o;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &o->a; return 0;
    case OPT_PARAMS: o->params = arg; return 0;
    case OPT_PROOF: o->proof = arg; return 0;
    case 'o': o->out = arg; return 0;
    case OPT_MINER:
        if (!cuzk_miner_parse(&o->miner, arg)) {
            argp_error(state, "--miner wants " CUZK_MINER_EXPECTED ", not '%s'", arg);
        }
        o->has_miner = true;
        return 0;
    case OPT_SECTOR:
        want_u64(state, &o->sector, arg, "sector", INT64_MAX);
        o->has_sector = true;
        return 0;
    case OPT_STRICT: o->strict = true; return 0;
    case OPT_ROWS: o->check_rows = true; return 0;
    case OPT_FIL_SRS: o->srs = arg; return 0;
    case OPT_FIL_TEST_SRS: o->test_srs = true; return 0;
    case OPT_PLAIN: o->plain_proofs = true; return 0;
    case OPT_DEVICE: o->dev.spec = arg; return 0;
    case OPT_VRAM: o->dev.vram = arg; return 0;
    case OPT_STREAM: o->dev.stream = arg; return 0;
    case OPT_LANES: want_u64(state, &o->dev.lanes, arg, "lanes", 2); return 0;
    case OPT_FIL_SEED:
        want_u64(state, &o->seed, arg, "insecure-seed", UINT64_MAX);
        o->has_seed = true;
        return 0;
    case OPT_REPEAT: want_u64(state, &o->repeat, arg, "repeat", 1000); return 0;
    case ARGP_KEY_ARG: argp_error(state, "'%s': files are given with options", arg); return 0;
    case ARGP_KEY_END: return parse_end(p, state);
    default: return statement_opts_parse(&o->in, key, arg, state);
    }
}

void fil_opts_parse(fil_opts *o, int argc, char **argv, const struct argp_option *options,
                    const char *doc, bool verifying)
{
    const struct argp_child children[] = {APP_CHILD, {0}};
    const struct argp argp = {options, parse, NULL, doc, children, NULL, NULL};
    parse_input input = {o, verifying};
    memset(o, 0, sizeof(*o));
    app_init(&o->a, argv[0]);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &input);
    app_output(&o->a, o->out);
    app_input(&o->a, o->in.c1);
    for (size_t i = 0; i < o->in.n_vanilla && i < APP_MAX_FILES - 4; i++) {
        app_input(&o->a, o->in.vanilla[i]);
    }
}

static cuzk_status missing(fil_opts *o, const char *name)
{
    return CUZK_FAIL(&o->a.err, CUZK_E_INVALID, "%s is needed", name);
}

static cuzk_status node_option(fil_opts *o, cuzk_node *out, const char *hex, const char *name)
{
    if (hex == NULL) {
        return missing(o, name);
    }
    if (!cuzk_hex_decode(out->b, sizeof(out->b), hex, strlen(hex))) {
        return CUZK_FAIL(&o->a.err, CUZK_E_INVALID, "%s wants 64 hex digits", name);
    }
    return CUZK_OK;
}

static cuzk_status size_option(fil_opts *o, uint64_t *bytes)
{
    if (o->in.sector_size == NULL) {
        return missing(o, "--sector-size");
    }
    if (!cuzk_sector_size_parse(bytes, o->in.sector_size) || cuzk_sector_shape_of(*bytes) == NULL) {
        return CUZK_FAIL(&o->a.err, CUZK_E_INVALID, "no sector size '%s'", o->in.sector_size);
    }
    return CUZK_OK;
}

/* Which other kind of file this looks like, when it is no C1; NULL: none that is known. */
static const char *looks_like(const uint8_t *p, size_t n)
{
    static const struct {
        const char *magic;
        size_t n;
        const char *what;
    } kinds[] = {{"\xff\xfe", 2, "UTF-16 text: UTF-8 is needed"},
                 {"\xfe\xff", 2, "UTF-16 text: UTF-8 is needed"},
                 {"\xef\xbb\xbf", 3, "text with a byte order mark: remove it"},
                 {"<", 1, "an HTML or XML page"}};
    if (n == 0) {
        return "an empty file";
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (n >= kinds[i].n && memcmp(p, kinds[i].magic, kinds[i].n) == 0) {
            return kinds[i].what;
        }
    }
    return NULL;
}

/* The miner and sector from which replica_id is recomputed; those of the envelope must not differ. */
static cuzk_status bind_to_sector(fil_opts *o, const cuzk_porep_input *in)
{
    if (!o->has_miner) {
        o->is_bound = in->has_prover_id && in->has_sector_number;
        o->prover_id = in->prover_id;
        o->bound_sector = in->sector_number;
        return CUZK_OK;
    }
    o->is_bound = true;
    cuzk_prover_id_of_miner(&o->prover_id, o->miner);
    o->bound_sector = o->sector;
    if (in->has_prover_id && memcmp(&in->prover_id, &o->prover_id, sizeof(o->prover_id)) != 0) {
        return CUZK_FAIL(&o->a.err, CUZK_E_INVALID,
                         "%s: its envelope names another miner than --miner %llu", o->in.c1,
                         (unsigned long long)o->miner);
    }
    if (in->has_sector_number && in->sector_number != o->sector) {
        return CUZK_FAIL(&o->a.err, CUZK_E_INVALID,
                         "%s: its envelope says sector %llu, --sector says %llu", o->in.c1,
                         (unsigned long long)in->sector_number, (unsigned long long)o->sector);
    }
    return CUZK_OK;
}

cuzk_status fil_load_porep(fil_opts *o, cuzk_porep_input **in)
{
    cuzk_content m;
    cuzk_err inner = {.msg = ""};
    if (o->in.c1 == NULL) {
        return missing(o, "--c1");
    }
    CUZK_TRY(read_c1(&o->a, o->in.c1, &m));
    cuzk_status st = cuzk_porep_parse(in, m.data, m.size, o->a.pool, &inner);
    if (st != CUZK_OK) {
        const char *shown = strcmp(o->in.c1, "-") == 0 ? "standard input" : o->in.c1;
        const char *kind = looks_like(m.data, m.size);
        st = kind == NULL ? CUZK_FAIL(&o->a.err, st, "%s: %s", shown, inner.msg)
                          : CUZK_FAIL(&o->a.err, st, "%s: this is %s (%s)", shown, kind, inner.msg);
    }
    cuzk_content_free(&m);
    CUZK_TRY(st);
    st = bind_to_sector(o, *in);
    if (st != CUZK_OK) {
        cuzk_porep_input_destroy(*in);
        *in = NULL;
    }
    return st;
}

static cuzk_status post_type(fil_opts *o, cuzk_post_type *type, bool window)
{
    uint64_t bytes;
    if (o->in.has_type) {
        CUZK_TRY(cuzk_post_type_of(type, o->in.type, &o->a.err));
        if (type->is_window != window) {
            return CUZK_FAIL(&o->a.err, CUZK_E_INVALID, "--type %llu is a %s proof",
                             (unsigned long long)o->in.type,
                             type->is_window ? "window" : "winning");
        }
        return CUZK_OK;
    }
    CUZK_TRY(size_option(o, &bytes));
    /* sizes that have no registered number (4 KiB, ...) are proved all the same */
    type->number = UINT64_MAX;
    type->sector_bytes = bytes;
    type->is_window = window;
    type->is_v1_2 = window;
    return CUZK_OK;
}

/* Where proofs of --vanilla go. */
typedef struct parsed_proofs {
    fil_opts *o;
    cuzk_post_input *post;
    cuzk_update_input **update;
} parsed_proofs;

static cuzk_status add_sector(void *arg, const cuzk_proof_bytes *p, const char *name)
{
    const parsed_proofs *to = arg;
    cuzk_err inner = {.msg = ""};
    const cuzk_status s = cuzk_post_input_add(to->post, p->data, p->size, &inner);
    return s == CUZK_OK ? s : CUZK_FAIL(&to->o->a.err, s, "%s: %s", name, inner.msg);
}

static cuzk_status parse_update(void *arg, const cuzk_proof_bytes *p, const char *name)
{
    const parsed_proofs *to = arg;
    cuzk_err inner = {.msg = ""};
    const cuzk_status s = cuzk_update_parse(to->update, p->data, p->size, &inner);
    return s == CUZK_OK ? s : CUZK_FAIL(&to->o->a.err, s, "%s: %s", name, inner.msg);
}

/* Reads all of --vanilla. Free *v in any case. */
static cuzk_status read_vanilla(fil_opts *o, vanilla_files *v)
{
    for (size_t i = 0; i < o->in.n_vanilla; i++) {
        CUZK_TRY(vanilla_files_add(v, &o->a, o->in.vanilla[i]));
    }
    return CUZK_OK;
}

cuzk_status fil_load_post(fil_opts *o, cuzk_post_input **in, cuzk_post_statement *st, bool window)
{
    vanilla_files v = {.files = NULL};
    cuzk_status s = CUZK_OK;
    memset(st, 0, sizeof(*st));
    CUZK_TRY(post_type(o, &st->type, window));
    CUZK_TRY(node_option(o, &st->randomness, o->in.randomness, "--randomness"));
    st->partition = (uint32_t)o->in.partition;
    if (o->in.n_vanilla == 0) {
        return missing(o, "--vanilla");
    }
    CUZK_TRY(cuzk_post_input_create(in, &o->a.err));
    parsed_proofs to = {.o = o, .post = *in};
    s = read_vanilla(o, &v);
    if (s == CUZK_OK) {
        s = vanilla_files_each(&v, add_sector, &to);
    }
    vanilla_files_free(&v);
    return s == CUZK_OK ? cuzk_post_input_sort(*in, &o->a.err) : s;
}

cuzk_status fil_load_update_statement(fil_opts *o, cuzk_update_statement *st)
{
    uint64_t bytes = 0;
    memset(st, 0, sizeof(*st));
    CUZK_TRY(size_option(o, &bytes));
    CUZK_TRY(node_option(o, &st->comm_r_old, o->in.comm_r_old, "--comm-r-old"));
    CUZK_TRY(node_option(o, &st->comm_d_new, o->in.comm_d_new, "--comm-d-new"));
    CUZK_TRY(node_option(o, &st->comm_r_new, o->in.comm_r_new, "--comm-r-new"));
    st->shape = cuzk_sector_shape_of(bytes);
    st->partition = (uint32_t)o->in.partition;
    st->h = cuzk_update_default_h(st->shape);
    return CUZK_OK;
}

cuzk_status fil_load_update(fil_opts *o, cuzk_update_input **in)
{
    vanilla_files v = {.files = NULL};
    parsed_proofs to = {.o = o, .update = in};
    cuzk_status s = read_vanilla(o, &v);
    if (s == CUZK_OK && v.n_proofs != 1) {
        s = CUZK_FAIL(&o->a.err, CUZK_E_INVALID,
                      "one vanilla proof is needed, that of the partition: --vanilla names %zu",
                      v.n_proofs);
    }
    if (s == CUZK_OK) {
        s = vanilla_files_each(&v, parse_update, &to);
    }
    vanilla_files_free(&v);
    return s;
}

cuzk_status fil_load_proof(fil_opts *o, uint8_t **proof, size_t *n)
{
    cuzk_content m;
    CUZK_TRY(cuzk_content_read(&m, o->proof, CUZK_CONTENT_INPUT, &o->a.err));
    uint8_t *p = cuzk_alloc(m.size, 1);
    cuzk_status st = CUZK_OK;
    if (p == NULL) {
        st = CUZK_FAIL(&o->a.err, CUZK_E_NOMEM, "%s: out of memory", o->proof);
    } else {
        if (m.size != 0) {
            memcpy(p, m.data, m.size);
        }
        *proof = p;
        *n = m.size;
    }
    cuzk_content_free(&m);
    return st;
}
