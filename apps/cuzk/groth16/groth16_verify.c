/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "apps/cuzk/app.h"
#include "apps/cuzk/commands.h"
#include "apps/cuzk/inputs.h"
#include "base/alloc.h"
#include "base/clock.h"

typedef struct verify {
    app a;
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

static cuzk_status judge(verify *v, const cuzk_vk *vk, const uint8_t proof[CUZK_PROOF_BYTES],
                         const uint8_t *inputs, size_t count)
{
    app *a = &v->a;
    if (count != cuzk_vk_n_inputs(vk)) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID,
                         "%s has %zu public inputs, the key in %s is for %zu", v->path[PUBLIC],
                         count, v->path[KEY], cuzk_vk_n_inputs(vk));
    }
    const uint64_t t0 = cuzk_clock_ns();
    const cuzk_verify_result r = cuzk_verify(vk, proof, CUZK_PROOF_BYTES, inputs, count);
    if (r == CUZK_VERIFY_OK || r == CUZK_VERIFY_E_PROOF_FALSE) {
        app_text(a, "result", r == CUZK_VERIFY_OK ? "valid" : "FALSE");
        app_seconds(a, "verify", cuzk_clock_ns() - t0);
    }
    return r == CUZK_VERIFY_OK
               ? CUZK_OK
               : CUZK_FAIL(&a->err, (cuzk_status)r, "%s: %s", v->path[PROOF], cuzk_verify_text(r));
}

static cuzk_status work(verify *v)
{
    app *a = &v->a;
    uint8_t *vk_bytes = NULL, *inputs = NULL;
    uint8_t proof[CUZK_PROOF_BYTES];
    size_t vk_n = 0, count = 0;
    cuzk_vk *vk = NULL;
    cuzk_status st;
    CUZK_TRY_GOTO(st, read_vk(a, v->path[KEY], &vk_bytes, &vk_n));
    CUZK_TRY_GOTO(st, parse_vk(a, v->path[KEY], vk_bytes, vk_n, &vk));
    report_vk_hash(a, vk_bytes, vk_n); /* a false proof is most often one under another key */
    CUZK_TRY_GOTO(st, read_public(a, v->path[PUBLIC], &inputs, &count));
    CUZK_TRY_GOTO(st, read_proof(a, v->path[PROOF], proof));
    st = judge(v, vk, proof, inputs, count);
out:
    cuzk_vk_destroy(vk);
    cuzk_free(vk_bytes);
    cuzk_free(inputs);
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
