/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prove_cpu.h"

#include "base/clock.h"
#include "lib/lib_program.h"
#include "trace/trace_read.h"

#define POLL_MS 100

/* What the progress function of a task needs. */
typedef struct watched {
    fil_opts *o;
    cuzk_span after;
    bool has_loaded;
} watched;

/* Called from a thread of the prover, while this command's thread waits for the task and reports nothing. */
static int32_t on_progress(void *arg, const char *step, uint64_t done, uint64_t total)
{
    watched *w = arg;
    app *a = &w->o->a;
    if (!w->has_loaded) {
        w->has_loaded = true;
        app_span_seconds(a, "load", w->after, "load_params");
        app_u64(a, "rss_after_load_bytes", cuzk_clock_peak_rss());
    }
    return app_progress_or_stop(a, step, done, total);
}

/* Waits for the end; SIGINT and SIGTERM cancel the task. */
static void await(const app *a, cuzk_task *t)
{
    bool is_cancelled = false;
    while (cuzk_task_wait(t, is_cancelled ? -1 : POLL_MS) == 0) {
        if (cuzk_cancel_requested(a->cancel)) {
            cuzk_task_cancel(t);
            is_cancelled = true;
        }
    }
}

static cuzk_status prove_once(watched *w, cuzk_prover *p, const cuzk_filecoin_input *in,
                              uint8_t *proofs, size_t n, proved *out, cuzk_error *error)
{
    cuzk_task *t = NULL;
    cuzk_task_info info = {.struct_size = sizeof(info)};
    const uint32_t flags = w->o->check_rows ? (uint32_t)CUZK_PROVE_CHECK_ROWS : 0;
    CUZK_TRY(lib_prover_submit_parsed(&t, p, in, flags, on_progress, w, error));
    await(&w->o->a, t);
    const cuzk_status st = cuzk_task_result(t, proofs, n, NULL, error);
    cuzk_ignore(cuzk_task_get_info(&info, t)); /* it has ended */
    out->constraints = info.constraints;
    cuzk_task_destroy(t);
    return st;
}

static cuzk_status prove_repeatedly(fil_opts *o, cuzk_prover *p, const cuzk_filecoin_input *in,
                                    uint8_t *proofs, size_t n, proved *out, cuzk_error *error)
{
    app *a = &o->a;
    watched w = {.o = o};
    for (uint64_t i = 0; i < prove_times(o); i++) {
        out->after = w.after = app_newest_span(a);
        const uint64_t t0 = cuzk_clock_ns();
        CUZK_TRY(prove_once(&w, p, in, proofs, n, out, error));
        const uint64_t load = cuzk_trace_sum(a->trace.trace, out->after, NULL, "load_params");
        prove_report_time(o, i, cuzk_clock_ns() - t0 - load);
    }
    return CUZK_OK;
}

cuzk_status prove_on_cpu(fil_opts *o, const cuzk_filecoin_input *in, uint8_t *proofs, size_t n,
                         proved *out)
{
    app *a = &o->a;
    cuzk_error error = {.text = ""};
    cuzk_prover *p = NULL;
    const cuzk_prover_options options = {.struct_size = sizeof(options),
                                         .threads = a->threads,
                                         .workers = 1,
                                         .devices = "cpu",
                                         .params_folder = o->params};
    const lib_program program = {.trace = a->trace,
                                 .params_origin = o->params != NULL ? "--params" : NULL};
    if (o->has_seed) {
        return CUZK_FAIL(&a->err, CUZK_E_UNSUPPORTED,
                         "--insecure-seed makes the parameters on a GPU, and there is none: use "
                         "cuzk params setup");
    }
    CUZK_TRY(app_public_error(&a->err, cuzk_prover_create(&p, &options, &error), &error));
    lib_prover_for_program(p, &program);
    const cuzk_status st = prove_repeatedly(o, p, in, proofs, n, out, &error);
    cuzk_prover_destroy(p);
    return app_public_error(&a->err, st, &error);
}
