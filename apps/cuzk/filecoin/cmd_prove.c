/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk prove porep|winning|window|update: vanilla proofs to a verified proof file. */
#include <stdio.h>
#include <string.h>

#include "apps/cuzk/commands.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "prover/keys/filecoin_verify.h"
#include "sys/file.h"
#include "trace/trace_read.h"

#include "fil_opts.h"
#include "porep_aggregate.h"
#include "prove_cpu.h"

/* Sums over the partitions, of spans; phases on the device under the names that users know. */
static void report_device(app *a, const proved *p)
{
    static const char *const phases[] = {"prep_msm", "eval",     "ntt_msm_h", "batch_add",
                                         "tail_msm", "b_g2_msm", "gpu_total", "assemble"};
    for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
        const char *name = phases[i];
        const cuzk_trace *t = a->trace.trace;
        if (strcmp(name, "ntt_msm_h") == 0) {
            app_seconds(a, "ntt",
                        cuzk_trace_sum(t, p->after, NULL, name) -
                            cuzk_trace_sum(t, p->after, name, "msm_h"));
        }
        app_span_seconds(a, strcmp(name, "eval") == 0 ? "evaluate" : name, p->after, name);
    }
    app_u64(a, "passes_over_points", p->passes);
    app_u64(a, "release_backlog_peak_bytes", p->release_backlog);
}

/* Points and wires of a section are rows of their own. */
static void report_section(app *a, const char *name, cuzk_span after)
{
    const cuzk_trace *t = a->trace.trace;
    app_seconds(a, name,
                cuzk_trace_sum(t, after, NULL, name) -
                    cuzk_trace_sum(t, after, name, "decode_points") -
                    cuzk_trace_sum(t, after, name, "select_wires"));
}

static void report_cpu(app *a, cuzk_span after)
{
    static const char *const sections[] = {"msm_h", "msm_l", "msm_a", "msm_b_g1", "msm_b_g2"};
    app_seconds(a, "evaluate",
                cuzk_trace_sum(a->trace.trace, after, NULL, "eval") +
                    cuzk_trace_sum(a->trace.trace, after, NULL, "check_rows"));
    app_span_seconds(a, "ntt", after, "ntt");
    app_span_seconds(a, "decode_points", after, "decode_points");
    app_span_seconds(a, "select_wires", after, "select_wires");
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
        report_section(a, sections[i], after);
    }
    app_span_seconds(a, "assemble", after, "assemble");
}

static void report_times(app *a, const proved *p, bool on_devices)
{
    app_span_seconds(a, "check", p->after, "check");
    app_span_seconds(a, "witness", p->after, "witness");
    if (on_devices) {
        report_device(a, p);
    } else {
        report_cpu(a, p->after);
    }
    app_span_seconds(a, "verify", p->after, "verify");
    app_seconds(a, "total", cuzk_clock_ns() - a->started_ns);
    app_u64(a, "peak_rss_bytes", cuzk_clock_peak_rss());
}

/* The part that all kinds share: proves, on the CPU or on devices, and writes the file. */
typedef struct job {
    fil_opts *o;
    cuzk_filecoin_input in; /* borrows what was parsed */
    porep_agg *aggregate;   /* of a non-interactive PoRep; NULL for other kinds */
} job;

/* Opens or makes the parameters, on the devices. */
static cuzk_status open_prover(job *j, cuzk_filecoin_prover **out)
{
    fil_opts *o = j->o;
    app *a = &o->a;
    cuzk_params_dir dir;
    cuzk_filecoin_prover *p = NULL;
    if (o->has_seed) {
        app_note(a, "insecure: anybody who knows the seed can forge proofs under these parameters");
        CUZK_TRY(cuzk_filecoin_prover_create_insecure(&p, j->in.spec.kind, j->in.spec.shape->bytes,
                                                      o->seed, a->pool, &a->err));
    } else {
        CUZK_TRY(cuzk_params_dir_choose(&dir, o->params, &a->err));
        CUZK_TRY(cuzk_filecoin_prover_create(&p, j->in.spec.kind, j->in.spec.shape->bytes, &dir,
                                             a->pool, &a->err));
    }
    cuzk_device_key_opts opts = {.trace = a->trace, .progress = app_progress, .progress_arg = a};
    devices_key_opts(&o->dev, &opts);
    for (size_t i = 0; i < o->dev.n; i++) {
        const cuzk_status st =
            cuzk_filecoin_prover_add_device(p, o->dev.list[i], &opts, a->cancel, &a->err);
        if (st != CUZK_OK) {
            cuzk_filecoin_prover_destroy(p);
            return st;
        }
    }
    *out = p;
    return CUZK_OK;
}

uint64_t prove_times(const fil_opts *o)
{
    return o->repeat != 0 ? o->repeat : 1;
}

void prove_report_time(fil_opts *o, uint64_t i, uint64_t ns)
{
    char key[48];
    (void)snprintf(key, sizeof(key), prove_times(o) > 1 ? "input_to_proof_%llu" : "input_to_proof",
                   (unsigned long long)i + 1);
    app_seconds(&o->a, key, o->input_ns + ns);
}

static uint64_t passes_of(const cuzk_filecoin_prover *p)
{
    const cuzk_device_key *k = NULL;
    uint64_t sum = 0;
    for (size_t i = 0; (k = cuzk_filecoin_prover_key(p, i)) != NULL; i++) {
        sum += cuzk_device_key_get_stats(k).passes;
    }
    return sum;
}

/* Proves `repeat` times; *out and the proofs are those of the last time. */
static cuzk_status prove_repeatedly(job *j, cuzk_filecoin_prover *p, uint8_t *proofs, proved *out)
{
    app *a = &j->o->a;
    const cuzk_filecoin_opts opts = {.check_rows = j->o->check_rows,
                                     .progress = app_progress,
                                     .progress_arg = a,
                                     .release_backlog_peak = &out->release_backlog,
                                     .trace = a->trace};
    for (uint64_t i = 0; i < prove_times(j->o); i++) {
        const uint64_t passes = passes_of(p);
        out->after = app_newest_span(a);
        const uint64_t t0 = cuzk_clock_ns();
        CUZK_TRY(cuzk_filecoin_prove(p, proofs, &j->in, &opts, a->cancel, &a->err));
        out->passes = passes_of(p) - passes;
        prove_report_time(j->o, i, cuzk_clock_ns() - t0);
    }
    return CUZK_OK;
}

static void report_key(app *a, const cuzk_filecoin_prover *p)
{
    const cuzk_device_key *k = cuzk_filecoin_prover_key(p, 0);
    if (k != NULL) {
        const cuzk_device_key_stats s = cuzk_device_key_get_stats(k);
        app_bool(a, "parameters_resident", s.resident);
        app_bool(a, "parameters_from_file", s.from_file);
        app_u64(a, "parameters_device_bytes", s.device_bytes);
        app_u64(a, "parameters_host_bytes", s.host_bytes);
        app_u64(a, "lanes", s.lanes);
    }
}

/*
 * Takes ownership of *proofs, a block of base/alloc.h. For types with an aggregate, the aggregate replaces the
 * proofs.
 */
static cuzk_status make_aggregate(job *j, const cuzk_vk *vk, uint8_t **proofs, size_t *n)
{
    app *a = &j->o->a;
    if (j->aggregate == NULL || !j->aggregate->on) {
        return CUZK_OK;
    }
    const cuzk_span span = cuzk_span_begin(a->trace, "aggregate", NULL);
    const cuzk_status st = porep_agg_make(j->aggregate, j->o, vk, proofs, n);
    cuzk_span_end(a->trace, span, *n);
    return st;
}

static cuzk_status run_on_devices(job *j, uint8_t **proofs, size_t *n, proved *last)
{
    app *a = &j->o->a;
    cuzk_filecoin_prover *p = NULL;
    const uint64_t t0 = cuzk_clock_ns();
    const cuzk_span span = cuzk_span_begin(a->trace, "load_params", NULL);
    cuzk_status st = open_prover(j, &p);
    cuzk_span_end(a->trace, span, 0);
    CUZK_TRY(st);
    app_seconds(a, "load", cuzk_clock_ns() - t0);
    app_u64(a, "rss_after_load_bytes", cuzk_clock_peak_rss());
    report_key(a, p);
    last->constraints = cuzk_filecoin_prover_circuit(p)->n_rows;
    st = prove_repeatedly(j, p, *proofs, last);
    if (st == CUZK_OK) {
        st = make_aggregate(j, cuzk_filecoin_prover_vk(p), proofs, n);
    }
    cuzk_filecoin_prover_destroy(p);
    return st;
}

/* The verifying key for the aggregate of proofs that the CPU made. */
static cuzk_status aggregate_on_cpu(job *j, uint8_t **proofs, size_t *n)
{
    app *a = &j->o->a;
    cuzk_error error = {.text = ""};
    cuzk_vk *vk = NULL;
    if (j->aggregate == NULL || !j->aggregate->on) {
        return CUZK_OK;
    }
    cuzk_status st =
        cuzk_vk_load(&vk, (int32_t)j->in.spec.kind, j->in.spec.shape->bytes, j->o->params, &error);
    CUZK_TRY(app_public_error(&a->err, st, &error));
    st = make_aggregate(j, vk, proofs, n);
    cuzk_vk_destroy(vk);
    return st;
}

static cuzk_status run_on_cpu(job *j, uint8_t **proofs, size_t *n, proved *last)
{
    CUZK_TRY(prove_on_cpu(j->o, &j->in, *proofs, *n, last));
    return aggregate_on_cpu(j, proofs, n);
}

static cuzk_status run_job(job *j)
{
    app *a = &j->o->a;
    proved last = {.after = 0};
    size_t n = (size_t)j->in.n_partitions * CUZK_PROOF_BYTES;
    CUZK_TRY(app_check_output(a, j->o->out));
    app_seconds(a, "parse", j->o->input_ns);
    uint8_t *proofs = cuzk_alloc(n, 1);
    if (proofs == NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "out of memory for %zu bytes of proof", n);
    }
    cuzk_status st =
        j->o->dev.n > 0 ? run_on_devices(j, &proofs, &n, &last) : run_on_cpu(j, &proofs, &n, &last);
    if (st == CUZK_OK) {
        const cuzk_span span = cuzk_span_begin(a->trace, "write", NULL);
        st = cuzk_file_write_all(j->o->out, proofs, n, a->force, &a->err);
        cuzk_span_end(a->trace, span, n);
    }
    cuzk_free(proofs);
    if (st == CUZK_OK) {
        app_u64(a, "partitions", j->in.n_partitions);
        app_u64(a, "constraints", last.constraints);
        devices_report(a, &j->o->dev);
        report_times(a, &last, j->o->dev.n > 0);
        app_text(a, "result", "proved and verified");
    }
    return st;
}

static cuzk_status work_porep(fil_opts *o)
{
    cuzk_porep_input *in = NULL;
    porep_agg aggregate = {.on = false};
    char name[64];
    const uint64_t t0 = cuzk_clock_ns();
    const cuzk_span span = cuzk_span_begin(o->a.trace, "parse", NULL);
    cuzk_status st = fil_load_porep(o, &in);
    cuzk_span_end(o->a.trace, span, 0);
    o->input_ns = cuzk_clock_ns() - t0;
    CUZK_TRY(st);
    job j = {.o = o, .aggregate = &aggregate};
    cuzk_filecoin_input_of_porep(&j.in, in);
    if (o->is_bound) {
        j.in.porep_check =
            (cuzk_porep_check_opts){.prover_id = &o->prover_id, .sector_id = o->bound_sector};
    }
    app_text(&o->a, "registered_proof", cuzk_seal_type_name(&in->type, name, sizeof(name)));
    st = cuzk_circuit_spec_of(&j.in.spec, CUZK_CIRCUIT_POREP, in->type.sector_bytes, &o->a.err);
    if (st == CUZK_OK) {
        st = porep_agg_open(&aggregate, o, in, true);
    }
    if (st == CUZK_OK) {
        st = run_job(&j);
    }
    porep_agg_close(&aggregate);
    cuzk_porep_input_destroy(in);
    return st;
}

static cuzk_status work_post(fil_opts *o, bool window)
{
    cuzk_post_input *in = NULL;
    cuzk_post_statement st;
    const uint64_t t0 = cuzk_clock_ns();
    const cuzk_span span = cuzk_span_begin(o->a.trace, "parse", NULL);
    cuzk_status s = fil_load_post(o, &in, &st, window);
    cuzk_span_end(o->a.trace, span, 0);
    o->input_ns = cuzk_clock_ns() - t0;
    if (s == CUZK_OK) {
        job j = {.o = o};
        cuzk_filecoin_input_of_post(&j.in, in, &st);
        app_u64(&o->a, "sectors", in->n_sectors);
        s = cuzk_circuit_spec_of(&j.in.spec, window ? CUZK_CIRCUIT_WINDOW : CUZK_CIRCUIT_WINNING,
                                 st.type.sector_bytes, &o->a.err);
        if (s == CUZK_OK) {
            s = run_job(&j);
        }
    }
    cuzk_post_input_destroy(in);
    return s;
}

static cuzk_status work_update(fil_opts *o)
{
    cuzk_update_input *in = NULL;
    cuzk_update_statement st;
    CUZK_TRY(fil_load_update_statement(o, &st));
    if (st.shape->update_partitions != 0 && st.partition >= st.shape->update_partitions) {
        return CUZK_FAIL(&o->a.err, CUZK_E_INVALID,
                         "an update of %s has %u partitions; there is no partition %u",
                         st.shape->name, st.shape->update_partitions, st.partition);
    }
    const uint64_t t0 = cuzk_clock_ns();
    const cuzk_span span = cuzk_span_begin(o->a.trace, "parse", NULL);
    cuzk_status s = fil_load_update(o, &in);
    cuzk_span_end(o->a.trace, span, 0);
    o->input_ns = cuzk_clock_ns() - t0;
    CUZK_TRY(s);
    const cuzk_update_input *const one[1] = {in};
    job j = {.o = o, .in = {.n_partitions = 1, .updates = one, .update_sts = &st}};
    s = cuzk_circuit_spec_of(&j.in.spec, CUZK_CIRCUIT_UPDATE, st.shape->bytes, &o->a.err);
    if (s == CUZK_OK) {
        s = run_job(&j);
    }
    cuzk_update_input_destroy(in);
    return s;
}

static fil_opts options; /* one command per process; too large for the stack */

static cuzk_status work_winning(fil_opts *o)
{
    return work_post(o, false);
}

static cuzk_status work_window(fil_opts *o)
{
    return work_post(o, true);
}

static int run(int argc, char **argv, const struct argp_option *argp_options, const char *doc,
               cuzk_status (*work)(fil_opts *))
{
    fil_opts_parse(&options, argc, argv, argp_options, doc, false);
    app *a = &options.a;
    a->times = true;
    cuzk_status st = app_begin(a);
    if (st == CUZK_OK) {
        const cuzk_span span = cuzk_span_begin(a->trace, "open_devices", NULL);
        st = devices_open(a, &options.dev);
        cuzk_span_end(a->trace, span, 0);
    }
    if (st == CUZK_OK) {
        st = work(&options);
    }
    devices_close(&options.dev);
    return app_finish(a, st);
}

static int run_porep(int argc, char **argv)
{
    return run(
        argc, argv, fil_porep_options,
        "Prove replication: every partition of a C1 output. The input is checked in full before any proving.",
        work_porep);
}

static int run_winning(int argc, char **argv)
{
    return run(argc, argv, fil_post_options, "Prove a WinningPoSt: one sector, 66 challenges.",
               work_winning);
}

static int run_window(int argc, char **argv)
{
    return run(argc, argv, fil_post_options, "Prove one partition of a WindowPoSt.", work_window);
}

static int run_update(int argc, char **argv)
{
    return run(argc, argv, fil_update_options, "Prove one partition of a SnapDeals update.",
               work_update);
}

int cmd_prove(int argc, char **argv)
{
    static const command commands[] = {{"porep", "a C1 output (all partitions)", run_porep},
                                       {"winning", "a WinningPoSt", run_winning},
                                       {"window", "a WindowPoSt partition", run_window},
                                       {"update", "a SnapDeals update partition", run_update},
                                       {NULL, NULL, NULL}};
    return dispatch(argc, argv, "cuzk prove",
                    "Filecoin proofs; each is verified before it is written.", commands);
}
