/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>
#include <sys/stat.h>

#include "apps/cuzk/app.h"
#include "apps/cuzk/commands.h"
#include "apps/cuzk/inputs.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "groth16/setup/setup.h"
#include "interop/r1cs_file.h"
#include "interop/snarkjs_json.h"
#include "interop/zkey.h"
#include "sys/file.h"

typedef struct setup {
    app a;
    const char *r1cs, *zkey, *vk, *params;
    char params_vk[4096];
    bool seeded;
    uint64_t seed;
} setup;

enum { OPT_VK = 0x200, OPT_PARAMS, OPT_SEED };

static const struct argp_option options[] = {
    {"vk", OPT_VK, "FILE", 0, "Write the verifying key too (verification_key.json)", 0},
    {"params", OPT_PARAMS, "FILE", 0,
     "Write bellperson's .params too, and next to it the .vk (same toxic waste)", 0},
    {"insecure-seed", OPT_SEED, "N", 0,
     "Derive the toxic waste from N: the same key each time, and anybody can forge proofs", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    setup *s = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &s->a; return 0;
    case OPT_VK: s->vk = arg; return 0;
    case OPT_PARAMS: s->params = arg; return 0;
    case OPT_SEED:
        if (!app_parse_u64(&s->seed, arg, UINT64_MAX)) {
            argp_error(state, "--insecure-seed wants a number, not '%s'", arg);
        }
        s->seeded = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1) {
            argp_error(state, "too many arguments");
        }
        *(state->arg_num == 0 ? &s->r1cs : &s->zkey) = arg;
        return 0;
    case ARGP_KEY_END:
        if (s->zkey == NULL) {
            argp_error(state, "needs CIRCUIT.r1cs and OUT.zkey");
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* OUT.params -> OUT.vk. false: the path is too long. */
static bool name_vk(setup *s)
{
    size_t n = strlen(s->params);
    if (n >= 7 && strcmp(s->params + n - 7, ".params") == 0) {
        n -= 7;
    }
    if (n + 4 > sizeof(s->params_vk)) {
        return false;
    }
    memcpy(s->params_vk, s->params, n);
    memcpy(s->params_vk + n, ".vk", 4);
    return true;
}

static bool is_stdout(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

static cuzk_status write_vk_json(setup *s, const cuzk_srs *srs)
{
    cuzk_jsonw w;
    cuzk_jsonw_init(&w, true);
    cuzk_vk_json_write(&w, cuzk_srs_get_vk(srs));
    const cuzk_status st = app_write_json(&s->a, s->vk, &w);
    cuzk_jsonw_free(&w);
    return st;
}

static void report(setup *s, const cuzk_r1cs_info *info, const cuzk_circuit *c)
{
    app_u64(&s->a, "constraints", info->n_constraints);
    app_u64(&s->a, "wires", info->n_wires);
    app_u64(&s->a, "public_inputs", c->n_inputs - 1);
    app_u64(&s->a, "lg_domain", cuzk_circuit_lg_domain(c));
}

/* The verifying key: from the file when it can be read back, which checks it too. */
static cuzk_status take_vk(setup *s, const cuzk_srs *srs, uint8_t **vk, size_t *vk_bytes)
{
    struct stat st;
    if (!is_stdout(s->zkey) && stat(s->zkey, &st) == 0 && S_ISREG(st.st_mode)) {
        return read_vk(&s->a, s->zkey, vk, vk_bytes);
    }
    const cuzk_srs_vk *key = cuzk_srs_get_vk(srs);
    *vk_bytes = cuzk_srs_vk_encoded_bytes(key);
    *vk = cuzk_alloc(*vk_bytes, 1);
    if (*vk == NULL) {
        return CUZK_FAIL(&s->a.err, CUZK_E_NOMEM, "no memory for the verifying key");
    }
    cuzk_srs_vk_encode(*vk, key);
    return CUZK_OK;
}

static cuzk_status make_keys(setup *s, const cuzk_circuit *c, const cuzk_toxic *toxic, uint8_t **vk,
                             size_t *vk_bytes)
{
    app *a = &s->a;
    cuzk_srs *srs = NULL;
    cuzk_status st;
    cuzk_setup_opts opts = {
        .kind = CUZK_QUOTIENT_ODD_COSET, .progress = app_progress, .progress_arg = a};
    if (s->params != NULL) { /* first: this format refuses more circuits */
        opts.kind = CUZK_QUOTIENT_COEFFS;
        opts.replace = a->force;
        CUZK_TRY(cuzk_setup_write(c, toxic, s->params,
                                  s->params_vk[0] != '\0' ? s->params_vk : NULL, &opts, a->pool,
                                  a->cancel, &a->err));
    }
    opts.kind = CUZK_QUOTIENT_ODD_COSET;
    CUZK_TRY(cuzk_setup_create(&srs, c, toxic, &opts, a->pool, a->cancel, &a->err));
    CUZK_TRY_GOTO(st, cuzk_zkey_write(s->zkey, c, srs, a->force, a->pool, &a->err));
    if (s->vk != NULL) {
        CUZK_TRY_GOTO(st, write_vk_json(s, srs));
    }
    st = take_vk(s, srs, vk, vk_bytes);
out:
    cuzk_srs_close(srs);
    return st;
}

static cuzk_status work(setup *s)
{
    app *a = &s->a;
    cuzk_content m;
    cuzk_circuit *c = NULL;
    cuzk_r1cs_info info;
    cuzk_toxic toxic;
    uint8_t *vk = NULL;
    size_t vk_bytes = 0;
    CUZK_TRY(app_check_output(a, s->zkey));
    CUZK_TRY(app_check_output(a, s->vk));
    CUZK_TRY(app_check_output(a, s->params));
    if (s->params_vk[0] != '\0') {
        CUZK_TRY(app_check_output(a, s->params_vk));
    }
    CUZK_TRY(cuzk_content_read(&m, s->r1cs, CUZK_CONTENT_ANY, &a->err));
    cuzk_status st = cuzk_r1cs_file_compile(&c, &info, m.data, m.size, s->r1cs, &a->err);
    cuzk_content_free(&m);
    if (st != CUZK_OK) {
        return st;
    }
    if (s->seeded) {
        app_note(a, "insecure: anybody who knows the seed can forge proofs for this key");
        cuzk_toxic_from_seed(&toxic, s->seed);
    } else {
        app_note(a, "one party makes this key alone: fine for tests and closed groups, see "
                    "docs/circom.md");
        CUZK_TRY_GOTO(st, cuzk_toxic_random(&toxic, &a->err));
    }
    st = make_keys(s, c, &toxic, &vk, &vk_bytes);
    cuzk_wipe(&toxic, sizeof(toxic));
    if (st == CUZK_OK) {
        report(s, &info, c);
        app_bool(a, "insecure", s->seeded);
        report_vk_hash(a, vk, vk_bytes);
        app_seconds(a, "total", cuzk_clock_ns() - a->started_ns);
    }
out:
    cuzk_free(vk);
    cuzk_circuit_destroy(c);
    return st;
}

int cmd_groth16_setup(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD, {0}};
    static const struct argp argp = {
        options,
        parse,
        "CIRCUIT.r1cs OUT.zkey",
        "Make a proving key for a circuit, with fresh toxic waste that is wiped afterwards.",
        children,
        NULL,
        NULL};
    setup s;
    memset(&s, 0, sizeof(s));
    app_init(&s.a, argv[0]);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &s);
    app_input(&s.a, s.r1cs);
    app_output(&s.a, s.zkey);
    app_output(&s.a, s.vk);
    app_output(&s.a, s.params);
    const bool has_params_vk = s.params != NULL && !is_stdout(s.params);
    const bool is_named = !has_params_vk || name_vk(&s);
    app_output(&s.a, s.params_vk[0] != '\0' ? s.params_vk : NULL);
    cuzk_status st = app_begin(&s.a);
    if (st == CUZK_OK && !is_named) {
        st = CUZK_FAIL(&s.a.err, CUZK_E_INVALID, "path of --params is too long");
    }
    if (st == CUZK_OK) {
        st = work(&s);
    }
    return app_finish(&s.a, st);
}
