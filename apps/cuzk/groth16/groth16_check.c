/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "apps/cuzk/app.h"
#include "apps/cuzk/commands.h"
#include "apps/cuzk/ticker.h"
#include "interop/r1cs_file.h"
#include "interop/wtns_file.h"
#include "sys/file.h"

typedef struct check {
    app a;
    ticker tick;
    const char *r1cs, *wtns;
} check;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    check *c = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &c->a; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1) {
            argp_error(state, "too many arguments");
        }
        *(state->arg_num == 0 ? &c->r1cs : &c->wtns) = arg;
        return 0;
    case ARGP_KEY_END:
        if (c->wtns == NULL) {
            argp_error(state, "needs CIRCUIT.r1cs and WITNESS.wtns");
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* Prints nothing, because the ticker prints. *rows: number of constraints that were checked. */
static cuzk_status check_rows(check *c, uint64_t *rows)
{
    app *a = &c->a;
    cuzk_content rm, wm;
    cuzk_circuit *circuit = NULL;
    cuzk_witness *w = NULL;
    cuzk_wtns wtns;
    cuzk_status st;
    memset(&wm, 0, sizeof(wm));
    CUZK_TRY(cuzk_content_read(&rm, c->r1cs, CUZK_CONTENT_ANY, &a->err));
    CUZK_TRY_GOTO(st, cuzk_content_read(&wm, c->wtns, CUZK_CONTENT_ANY, &a->err));
    ticker_step(&c->tick, "compiling the circuit");
    CUZK_TRY_GOTO(st, cuzk_r1cs_file_compile(&circuit, NULL, rm.data, rm.size, c->r1cs, &a->err));
    ticker_step(&c->tick, "reading the witness");
    CUZK_TRY_GOTO(st, cuzk_wtns_read(&wtns, wm.data, wm.size, c->wtns, &a->err));
    CUZK_TRY_GOTO(st, cuzk_wtns_to_witness(&w, &wtns, circuit, c->wtns, a->pool, &a->err));
    ticker_step(&c->tick, "checking constraints");
    CUZK_TRY_GOTO(st, cuzk_r1cs_check(w, NULL, a->pool, a->cancel, &a->err));
    *rows = circuit->n_rows;
out:
    cuzk_witness_destroy(w);
    cuzk_circuit_destroy(circuit);
    cuzk_content_free(&wm);
    cuzk_content_free(&rm);
    return st;
}

static cuzk_status work(check *c)
{
    app *a = &c->a;
    uint64_t rows = 0;
    ticker_begin_steps(&c->tick, a, "reading the files");
    const cuzk_status st = check_rows(c, &rows);
    ticker_end(&c->tick);
    CUZK_TRY(st);
    app_u64(a, "constraints", rows);
    app_text(a, "result", "satisfied");
    return CUZK_OK;
}

int cmd_groth16_check(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD, {0}};
    static const struct argp argp = {NULL,
                                     parse,
                                     "CIRCUIT.r1cs WITNESS.wtns",
                                     "Multiply out every constraint; the first that does not hold "
                                     "is named (constraints count from 0).",
                                     children,
                                     NULL,
                                     NULL};
    check c;
    memset(&c, 0, sizeof(c));
    app_init(&c.a, argv[0]);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &c);
    cuzk_status st = app_begin(&c.a);
    if (st == CUZK_OK) {
        st = work(&c);
    }
    return app_finish(&c.a, st);
}
