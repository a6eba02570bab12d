/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The witnesses of a call: all there when it begins, or made while the device works on those before them.
 */
#include "device_run.h"

static cuzk_status check_circuit(const cuzk_device_key *k, size_t i, const cuzk_witness *w,
                                 cuzk_err *err)
{
    if (w->circuit != k->circuit) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "witness %zu is of another circuit than the key", i);
    }
    return CUZK_OK;
}

/* Waits for witness i of the call. */
static cuzk_status await(device_run *r, size_t i, const cuzk_witness **w, bool *pinned,
                         cuzk_err *err)
{
    cuzk_status st = r->opts->await(r->opts->await_arg, i, w, pinned, err);
    if (st == CUZK_OK) {
        st = check_circuit(r->k, i, *w, err);
    }
    r->await_failed = st != CUZK_OK;
    return st;
}

cuzk_status device_run_witness(device_run *r, uint32_t i, const cuzk_witness **w, bool *pinned,
                               cuzk_err *err)
{
    if (r->witnesses != NULL) {
        *w = r->witnesses[i];
        *pinned = r->pinned;
        return CUZK_OK;
    }
    CUZK_TRY(await(r, r->first + i, w, pinned, err));
    if (r->first + i < r->n_awaited) {
        return CUZK_OK;
    }
    r->n_awaited = r->first + i + 1;
    return device_run_mark(r, PHASE_AWAIT, i, err);
}

cuzk_status device_run_begin(device_run *r, size_t n, const cuzk_witness *const *witnesses,
                             const cuzk_witness **one, cuzk_witness **stage, cuzk_err *err)
{
    const cuzk_device_prove_opts *opts = r->opts;
    r->witnesses = witnesses;
    r->pinned = opts->pinned;
    if (opts->await != NULL) {
        CUZK_TRY(await(r, 0, one, &r->pinned, err));
        r->n_awaited = 1;
        r->witnesses = n == 1 ? one : NULL;
    }
    for (size_t i = 0; i < n && opts->await == NULL; i++) {
        CUZK_TRY(check_circuit(r->k, i, witnesses[i], err));
    }
    if (n != 1 || r->pinned) {
        return CUZK_OK;
    }
    const cuzk_span span = cuzk_span_begin(opts->trace, "stage_witness", NULL);
    const cuzk_status st = device_stage_take(stage, r->k, r->witnesses[0], opts->pool, err);
    cuzk_span_end(opts->trace, span, 0);
    if (*stage != NULL) {
        *one = *stage;
        r->pinned = true;
        r->witnesses = one;
    }
    return st;
}
