/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "apps/cuzk/app.h"
#include "apps/cuzk/commands.h"
#include "apps/cuzk/inputs.h"
#include "apps/cuzk/ticker.h"
#include "base/alloc.h"
#include "base/clock.h"

typedef struct verify {
    app a;
    ticker tick;
    const char *path[3]; /* key, public, proof */
} verify;

enum { KEY = 0, PUBLIC, PROOF };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    verify *v = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &v->a; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > PROOF) {
            argp_error(state, "too many arguments");
        }
        v->path[state->arg_num] = arg;
        return 0;
    case ARGP_KEY_END:
        if (v->path[PROOF] == NULL) {
            argp_error(state, "needs VK, PUBLIC and PROOF");
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* The inputs, and the result. */
typedef struct evidence {
    uint8_t *vk_bytes, *inputs;
    size_t vk_n, count;
    cuzk_vk *vk;
    uint8_t proof[CUZK_PROOF_BYTES];
    cuzk_verify_result result;
    uint64_t verify_ns;
} evidence;

/* Reads and verifies; prints nothing, since the ticker does. */
static cuzk_status judge(verify *v, evidence *e)
{
    app *a = &v->a;
    CUZK_TRY(read_vk(a, v->path[KEY], &e->vk_bytes, &e->vk_n));
    CUZK_TRY(parse_vk(a, v->path[KEY], e->vk_bytes, e->vk_n, &e->vk));
    ticker_step(&v->tick, "reading the public inputs");
    CUZK_TRY(read_public(a, v->path[PUBLIC], &e->inputs, &e->count));
    CUZK_TRY(read_proof(a, v->path[PROOF], e->proof));
    if (e->count != cuzk_vk_n_inputs(e->vk)) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID,
                         "%s has %zu public inputs, the key in %s is for %zu", v->path[PUBLIC],
                         e->count, v->path[KEY], cuzk_vk_n_inputs(e->vk));
    }
    ticker_step(&v->tick, "verifying");
    const uint64_t t0 = cuzk_clock_ns();
    e->result = cuzk_verify(e->vk, e->proof, CUZK_PROOF_BYTES, e->inputs, e->count);
    e->verify_ns = cuzk_clock_ns() - t0;
    return CUZK_OK;
}

static cuzk_status work(verify *v)
{
    app *a = &v->a;
    evidence e;
    memset(&e, 0, sizeof(e));
    ticker_begin_steps(&v->tick, a, "reading the key");
    cuzk_status st = judge(v, &e);
    ticker_end(&v->tick);
    if (e.vk != NULL) {
        report_vk_hash(a, e.vk_bytes,
                       e.vk_n); /* a false proof is most often one under another key */
    }
    if (st == CUZK_OK) {
        const cuzk_verify_result r = e.result;
        if (r == CUZK_VERIFY_OK || r == CUZK_VERIFY_E_PROOF_FALSE) {
            app_text(a, "result", r == CUZK_VERIFY_OK ? "valid" : "FALSE");
            app_seconds(a, "verify", e.verify_ns);
        }
        st = r == CUZK_VERIFY_OK ? CUZK_OK
                                 : CUZK_FAIL(&a->err, (cuzk_status)r, "%s: %s", v->path[PROOF],
                                             cuzk_verify_text(r));
    }
    cuzk_vk_destroy(e.vk);
    cuzk_free(e.vk_bytes);
    cuzk_free(e.inputs);
    return st;
}

int cmd_groth16_verify(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD, {0}};
    static const struct argp argp = {
        NULL,
        parse,
        "VK PUBLIC PROOF",
        "Check a proof. VK: verification_key.json, .vk, .zkey or .params. PUBLIC: public.json, or "
        "text with one 0x integer a line. PROOF: proof.json, 192 bytes, or 384 hex digits. Exit "
        "status 0: valid, 1: false, 2: not well-formed.",
        children,
        NULL,
        NULL};
    verify v;
    memset(&v, 0, sizeof(v));
    app_init(&v.a, argv[0]);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &v);
    cuzk_status st = app_begin(&v.a);
    if (st == CUZK_OK) {
        st = work(&v);
    }
    return app_finish(&v.a, st);
}
