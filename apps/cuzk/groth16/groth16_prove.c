/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "apps/cuzk/app.h"
#include "apps/cuzk/commands.h"
#include "apps/cuzk/device/devices.h"
#include "apps/cuzk/inputs.h"
#include "apps/cuzk/ticker.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "groth16/device/device_key.h"
#include "interop/r1cs_file.h"
#include "interop/snarkjs_json.h"
#include "interop/wtns_file.h"
#include "interop/zkey.h"
#include "sys/file.h"
#include "trace/trace_read.h"

typedef struct prove {
    app a;
    const char *path[4]; /* key, witness, proof, public */
    const char *r1cs;
    bool binary, subgroup;
    /* One of the two keys; circuit and srs point into it or into own_circuit. */
    cuzk_zkey *zkey;
    cuzk_srs *params;
    cuzk_circuit *own_circuit;
    const cuzk_circuit *circuit;
    const cuzk_srs *srs;
    cuzk_content wtns_file;
    devices dev; /* the first one proves */
    ticker tick;
} prove;

enum { KEY = 0, WITNESS, PROOF, PUBLIC };
enum { OPT_R1CS = 0x200, OPT_BINARY, OPT_CHECK_POINTS };

static const struct argp_option options[] = {
    {"r1cs", OPT_R1CS, "FILE", 0,
     "The circuit: needed with a .params key; with any key the witness is checked against it first",
     0},
    {"binary", OPT_BINARY, NULL, 0, "Write the proof as 192 bytes instead of JSON", 0},
    DEVICES_OPTION_DEVICE,
    DEVICES_OPTION_VRAM,
    DEVICES_OPTION_STREAM,
    {"check-points", OPT_CHECK_POINTS, NULL, 0, "Check that every point of the key is in its group",
     0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    prove *p = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &p->a; return 0;
    case OPT_R1CS: p->r1cs = arg; return 0;
    case OPT_BINARY: p->binary = true; return 0;
    case OPT_DEVICE: p->dev.spec = arg; return 0;
    case OPT_VRAM: p->dev.vram = arg; return 0;
    case OPT_STREAM: p->dev.stream = arg; return 0;
    case OPT_CHECK_POINTS: p->subgroup = true; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > PUBLIC) {
            argp_error(state, "too many arguments");
        }
        p->path[state->arg_num] = arg;
        return 0;
    case ARGP_KEY_END:
        if (p->path[PUBLIC] == NULL) {
            argp_error(state, "needs KEY, WITNESS.wtns, PROOF.json and PUBLIC.json");
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static cuzk_status compile_r1cs(prove *p)
{
    cuzk_content m;
    CUZK_TRY(cuzk_content_read(&m, p->r1cs, CUZK_CONTENT_ANY, &p->a.err));
    const cuzk_status st =
        cuzk_r1cs_file_compile(&p->own_circuit, NULL, m.data, m.size, p->r1cs, &p->a.err);
    cuzk_content_free(&m);
    return st;
}

static cuzk_status open_key(prove *p)
{
    app *a = &p->a;
    const char *path = p->path[KEY];
    cuzk_file *f;
    file_head head = {.n = 0};
    CUZK_TRY(cuzk_file_open(&f, path, &a->err));
    const cuzk_status st = read_head(a, f, &head);
    cuzk_file_close(f);
    CUZK_TRY(st);
    if (p->r1cs != NULL) {
        CUZK_TRY(compile_r1cs(p));
    }
    if (head.kind == FILE_ZKEY || p->r1cs == NULL) {
        CUZK_TRY(cuzk_zkey_open(&p->zkey, path, CUZK_POINT_ON_CURVE, &a->err));
        p->circuit = cuzk_zkey_circuit(p->zkey);
        p->srs = cuzk_zkey_srs(p->zkey);
        return p->subgroup ? cuzk_zkey_check_points(p->zkey, CUZK_POINT_IN_SUBGROUP, a->pool,
                                                    a->cancel, &a->err)
                           : CUZK_OK;
    }
    CUZK_TRY(cuzk_srs_open(&p->params, path,
                           p->subgroup ? CUZK_POINT_IN_SUBGROUP : CUZK_POINT_UNCHECKED, a->pool,
                           a->cancel, &a->err));
    p->circuit = p->own_circuit;
    p->srs = p->params;
    return CUZK_OK;
}

/* Against the rows of --r1cs: a zkey has no C. */
static cuzk_status check_witness(prove *p, const cuzk_wtns *wtns)
{
    app *a = &p->a;
    cuzk_witness *w = NULL;
    if (p->own_circuit == NULL) {
        return CUZK_OK;
    }
    CUZK_TRY(cuzk_wtns_to_witness(&w, wtns, p->own_circuit, p->path[WITNESS], a->pool, &a->err));
    const cuzk_status st = cuzk_r1cs_check(w, NULL, a->pool, a->cancel, &a->err);
    cuzk_witness_destroy(w);
    return st;
}

/* The proof is verified with the key's own verifying key; a false proof is never written. */
static cuzk_status verify_own(prove *p, const uint8_t proof[192], const cuzk_witness *w)
{
    app *a = &p->a;
    const size_t n = (size_t)w->circuit->n_inputs - 1;
    const size_t vk_bytes = cuzk_srs_vk_bytes(p->srs);
    uint8_t *vk_text = cuzk_alloc(vk_bytes, 1);
    uint8_t *inputs = cuzk_alloc(n, 32);
    cuzk_vk *vk = NULL;
    cuzk_verify_result r;
    cuzk_status st;
    if (vk_text == NULL || inputs == NULL) {
        st = CUZK_FAIL(&a->err, CUZK_E_NOMEM, "out of memory to verify the proof");
        goto out;
    }
    cuzk_srs_write_vk(p->srs, vk_text);
    for (size_t i = 0; i < n; i++) {
        cuzk_fr_to_bytes_le(inputs + 32 * i, &w->inputs[i + 1]);
    }
    CUZK_TRY_GOTO(st, parse_vk(a, p->path[KEY], vk_text, vk_bytes, &vk));
    r = cuzk_verify(vk, proof, CUZK_PROOF_BYTES, inputs, n);
    if (r == CUZK_VERIFY_OK) {
        report_vk_hash(a, vk_text, vk_bytes);
        st = CUZK_OK;
    } else if (r == CUZK_VERIFY_E_PROOF_FALSE || r == CUZK_VERIFY_E_INFINITY) {
        st = CUZK_FAIL(&a->err, CUZK_E_UNSATISFIED,
                       "%s: the witness does not satisfy the circuit of %s%s", p->path[WITNESS],
                       p->path[KEY],
                       p->own_circuit == NULL ? " (--r1cs FILE tells which row)"
                                              : ", or the key is not this circuit's");
    } else {
        st = CUZK_FAIL(&a->err, (cuzk_status)r, "own proof: %s", cuzk_verify_text(r));
    }
out:
    cuzk_vk_destroy(vk);
    cuzk_free(vk_text);
    cuzk_free(inputs);
    return st;
}

static cuzk_status write_outputs(prove *p, const cuzk_proof *proof, const uint8_t bytes[192],
                                 const cuzk_witness *w)
{
    app *a = &p->a;
    cuzk_jsonw j;
    cuzk_jsonw_init(&j, true);
    cuzk_public_json_write(&j, w->inputs + 1, (size_t)w->circuit->n_inputs - 1);
    cuzk_status st = app_write_json(a, p->path[PUBLIC], &j);
    cuzk_jsonw_free(&j);
    if (st != CUZK_OK) {
        return st;
    }
    if (p->binary) {
        return cuzk_file_write_all(p->path[PROOF], bytes, CUZK_PROOF_BYTES, a->force, &a->err);
    }
    cuzk_proof_json_write(&j, proof);
    st = app_write_json(a, p->path[PROOF], &j);
    cuzk_jsonw_free(&j);
    return st;
}

static void report_times(app *a, bool on_device)
{
    static const char *const device[] = {"prep_msm", "eval",     "ntt_msm_h", "batch_add",
                                         "tail_msm", "b_g2_msm", "gpu_total", NULL};
    static const char *const cpu[] = {"eval",     "ntt",      "msm_h",         "msm_l", "msm_a",
                                      "msm_b_g1", "msm_b_g2", "decode_points", NULL};
    for (const char *const *name = on_device ? device : cpu; *name != NULL; name++) {
        const bool is_decode = strcmp(*name, "decode_points") == 0;
        const uint64_t parts = on_device
                                   ? 0
                                   : cuzk_trace_sum(a->trace.trace, 0, *name, "decode_points") +
                                         cuzk_trace_sum(a->trace.trace, 0, *name, "select_wires");
        app_seconds(a, is_decode ? "decode" : *name,
                    cuzk_trace_sum(a->trace.trace, 0, NULL, *name) - parts);
    }
    app_span_seconds(a, "prove", 0, "prove");
    app_span_seconds(a, "verify", 0, "verify");
    app_seconds(a, "total", cuzk_clock_ns() - a->started_ns);
}

static cuzk_status prove_on_device(prove *p, cuzk_proof *out, const cuzk_witness *w)
{
    app *a = &p->a;
    cuzk_device_key *k = NULL;
    cuzk_device_key_opts ko = {.trace = a->trace};
    const cuzk_device_prove_opts po = {.trace = a->trace, .device = 0};
    const cuzk_witness *const one[1] = {w};
    devices_key_opts(&p->dev, &ko);
    CUZK_TRY(cuzk_device_key_create(&k, p->dev.list[0], p->circuit, p->srs, &ko, a->pool, a->cancel,
                                    &a->err));
    const cuzk_status st = cuzk_device_prove(k, out, 1, one, &po, a->cancel, &a->err);
    cuzk_device_key_destroy(k);
    return st;
}

static cuzk_status read_witness(prove *p, cuzk_witness **w)
{
    app *a = &p->a;
    cuzk_wtns wtns;
    CUZK_TRY(cuzk_content_read(&p->wtns_file, p->path[WITNESS], CUZK_CONTENT_ANY, &a->err));
    CUZK_TRY(
        cuzk_wtns_read(&wtns, p->wtns_file.data, p->wtns_file.size, p->path[WITNESS], &a->err));
    CUZK_TRY(check_witness(p, &wtns));
    return cuzk_wtns_to_witness(w, &wtns, p->circuit, p->path[WITNESS], a->pool, &a->err);
}

/* Key, witness, proof: what may last. *w is the caller's in any case, NULL or not. */
static cuzk_status make_proof(prove *p, cuzk_proof *proof, uint8_t bytes[CUZK_PROOF_BYTES],
                              cuzk_witness **w)
{
    app *a = &p->a;
    const cuzk_prove_opts opts = {.trace = a->trace};
    cuzk_span span = cuzk_span_begin(a->trace, "load_params", NULL);
    const cuzk_status st = open_key(p);
    cuzk_span_end(a->trace, span, 0);
    CUZK_TRY(st);
    ticker_step(&p->tick, "reading the witness");
    span = cuzk_span_begin(a->trace, "witness", NULL);
    CUZK_TRY(read_witness(p, w));
    cuzk_span_end(a->trace, span, 0);
    ticker_step(&p->tick, "proving");
    CUZK_TRY(p->dev.n > 0 ? prove_on_device(p, proof, *w)
                          : cuzk_prove(proof, *w, p->srs, &opts, a->pool, a->cancel, &a->err));
    cuzk_proof_encode(bytes, proof);
    ticker_step(&p->tick, "verifying the proof");
    span = cuzk_span_begin(a->trace, "verify", NULL);
    CUZK_TRY(verify_own(p, bytes, *w));
    cuzk_span_end(a->trace, span, 0);
    return CUZK_OK;
}

static cuzk_status work(prove *p)
{
    app *a = &p->a;
    cuzk_witness *w = NULL;
    cuzk_proof proof;
    cuzk_span span;
    uint8_t bytes[CUZK_PROOF_BYTES];
    cuzk_status st;
    CUZK_TRY(app_check_output(a, p->path[PROOF]));
    CUZK_TRY(app_check_output(a, p->path[PUBLIC]));
    CUZK_TRY(devices_open(a, &p->dev));
    ticker_begin_steps(&p->tick, a, "reading the key");
    st = make_proof(p, &proof, bytes, &w);
    ticker_end(&p->tick);
    if (st != CUZK_OK) {
        goto out;
    }
    span = cuzk_span_begin(a->trace, "write", NULL);
    CUZK_TRY_GOTO(st, write_outputs(p, &proof, bytes, w));
    cuzk_span_end(a->trace, span, 0);
    app_u64(a, "constraints", p->circuit->n_rows);
    app_u64(a, "public_inputs", p->circuit->n_inputs - 1);
    app_bool(a, "verified", true);
    devices_report(a, &p->dev);
    report_times(a, p->dev.n > 0);
out:
    cuzk_witness_destroy(w);
    return st;
}

int cmd_groth16_prove(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD, {0}};
    static const struct argp argp = {
        options,
        parse,
        "KEY WITNESS.wtns PROOF.json PUBLIC.json",
        "Prove that WITNESS satisfies the circuit of KEY (.zkey, or .params with --r1cs). The proof "
        "is verified before it is written.",
        children,
        NULL,
        NULL};
    prove p;
    memset(&p, 0, sizeof(p));
    app_init(&p.a, argv[0]);
    p.a.times = true;
    (void)argp_parse(&argp, argc, argv, 0, NULL, &p);
    app_input(&p.a, p.path[KEY]);
    app_input(&p.a, p.path[WITNESS]);
    app_input(&p.a, p.r1cs);
    app_output(&p.a, p.path[PROOF]);
    app_output(&p.a, p.path[PUBLIC]);
    cuzk_status st = app_begin(&p.a);
    if (st == CUZK_OK) {
        st = work(&p);
    }
    cuzk_zkey_close(p.zkey);
    cuzk_srs_close(p.params);
    cuzk_circuit_destroy(p.own_circuit);
    cuzk_content_free(&p.wtns_file);
    devices_close(&p.dev);
    return app_finish(&p.a, st);
}
