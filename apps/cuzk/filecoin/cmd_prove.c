/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk prove porep|winning|window|update: vanilla proofs to a verified proof file. */
#include <stdio.h>
#include <string.h>

#include "apps/cuzk/commands.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "prover/filecoin_verify.h"
#include "sys/file.h"

#include "fil_opts.h"
#include "porep_aggregate.h"

/* Sums over the partitions; phases on the device, under the names that users know them by. */
static void report_device(app *a, const cuzk_prove_all_times *t)
{
    app_seconds(a, "prep_msm", t->device.prep_msm_ns);
    app_seconds(a, "evaluate", t->device.eval_ns);
    app_seconds(a, "ntt", t->device.ntt_ns);
    app_seconds(a, "ntt_msm_h", t->device.ntt_msm_h_ns);
    app_seconds(a, "batch_add", t->device.batch_add_ns);
    app_seconds(a, "tail_msm", t->device.tail_msm_ns);
    app_seconds(a, "b_g2_msm", t->device.b_g2_msm_ns);
    app_seconds(a, "gpu_total", t->device.gpu_total_ns);
    app_seconds(a, "assemble", t->device.assemble_ns);
    app_u64(a, "passes_over_points", t->device.groups);
    app_u64(a, "release_backlog_peak_bytes", t->release_backlog_peak);
}

static void report_times(app *a, const cuzk_prove_all_times *t)
{
    app_seconds(a, "check", t->check_ns);
    app_seconds(a, "witness", t->witness_ns);
    if (t->device.gpu_total_ns != 0) {
        report_device(a, t);
        app_seconds(a, "verify", t->verify_ns);
        app_seconds(a, "total", cuzk_clock_ns() - a->started_ns);
        app_u64(a, "peak_rss_bytes", cuzk_clock_peak_rss());
        return;
    }
    app_seconds(a, "evaluate", t->prove.eval_ns + t->prove.check_ns);
    app_seconds(a, "ntt", t->prove.ntt_ns);
    app_seconds(a, "decode_points", t->prove.decode_ns);
    app_seconds(a, "select_wires", t->prove.select_ns);
    app_seconds(a, "msm_h", t->prove.msm_h_ns);
    app_seconds(a, "msm_l", t->prove.msm_l_ns);
    app_seconds(a, "msm_a", t->prove.msm_a_ns);
    app_seconds(a, "msm_b_g1", t->prove.msm_b_g1_ns);
    app_seconds(a, "msm_b_g2", t->prove.msm_b_g2_ns);
    app_seconds(a, "assemble", t->prove.assemble_ns);
    app_seconds(a, "verify", t->verify_ns);
    app_seconds(a, "total", cuzk_clock_ns() - a->started_ns);
    app_u64(a, "peak_rss_bytes", cuzk_clock_peak_rss());
}

/* The part that all kinds share: open the circuit's prover, run it, write the file. */
typedef struct job {
    fil_opts *o;
    cuzk_circuit_kind kind;
    uint64_t sector_bytes;
    uint32_t n_partitions;
    cuzk_status (*prove)(struct job *j, cuzk_filecoin_prover *p, uint8_t *proofs,
                         const cuzk_filecoin_opts *opts);
    const cuzk_porep_input *porep;
    porep_agg *aggregate; /* of a non-interactive PoRep; NULL for other kinds */
    const cuzk_post_input *post;
    const cuzk_post_statement *post_st;
    const cuzk_update_input *update;
    const cuzk_update_statement *update_st;
    cuzk_porep_check_opts bind;
} job;

/* Opens or makes the parameters, on the devices if there are any. */
static cuzk_status open_prover(job *j, cuzk_filecoin_prover **out)
{
    fil_opts *o = j->o;
    app *a = &o->a;
    cuzk_params_dir dir;
    cuzk_filecoin_prover *p = NULL;
    if (o->has_seed) {
        if (o->dev.n == 0) {
            return CUZK_FAIL(
                &a->err, CUZK_E_UNSUPPORTED,
                "--insecure-seed makes the parameters on a GPU, and there is none: use "
                "cuzk params setup");
        }
        app_note(a, "insecure: anybody who knows the seed can forge proofs under these parameters");
        CUZK_TRY(cuzk_filecoin_prover_create_insecure(&p, j->kind, j->sector_bytes, o->seed,
                                                      a->pool, &a->err));
    } else {
        CUZK_TRY(cuzk_params_dir_choose(&dir, o->params, &a->err));
        CUZK_TRY(cuzk_filecoin_prover_create(&p, j->kind, j->sector_bytes, &dir, a->pool, &a->err));
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

/* Proves `repeat` times; the proofs and times of the last one stay. */
static cuzk_status prove_repeatedly(job *j, cuzk_filecoin_prover *p, uint8_t *proofs,
                                    cuzk_prove_all_times *times)
{
    app *a = &j->o->a;
    cuzk_filecoin_opts opts = {.check_rows = j->o->check_rows,
                               .progress = app_progress,
                               .progress_arg = a,
                               .times = times,
                               .trace = a->trace};
    if (j->o->is_bound) {
        j->bind.prover_id = &j->o->prover_id;
        j->bind.sector_id = j->o->bound_sector;
        opts.porep = &j->bind;
    }
    const uint64_t n = j->o->repeat != 0 ? j->o->repeat : 1;
    for (uint64_t i = 0; i < n; i++) {
        const cuzk_prove_all_times zero = {.check_ns = 0};
        char key[48];
        *times = zero;
        const uint64_t t0 = cuzk_clock_ns();
        CUZK_TRY(j->prove(j, p, proofs, &opts));
        (void)snprintf(key, sizeof(key), n > 1 ? "input_to_proof_%llu" : "input_to_proof",
                       (unsigned long long)i + 1);
        app_seconds(a, key, j->o->input_ns + (cuzk_clock_ns() - t0));
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

static cuzk_status run_job(job *j)
{
    app *a = &j->o->a;
    cuzk_filecoin_prover *p = NULL;
    cuzk_prove_all_times times = {.check_ns = 0};
    size_t n = (size_t)j->n_partitions * CUZK_PROOF_BYTES;
    CUZK_TRY(app_check_output(a, j->o->out));
    app_seconds(a, "parse", j->o->input_ns);
    const uint64_t t0 = cuzk_clock_ns();
    cuzk_span span = cuzk_span_begin(a->trace, "load_params", NULL);
    cuzk_status st = open_prover(j, &p);
    cuzk_span_end(a->trace, span, 0);
    CUZK_TRY(st);
    app_seconds(a, "load", cuzk_clock_ns() - t0);
    app_u64(a, "rss_after_load_bytes", cuzk_clock_peak_rss());
    report_key(a, p);
    uint8_t *proofs = cuzk_alloc(n, 1);
    if (proofs == NULL) {
        st = CUZK_FAIL(&a->err, CUZK_E_NOMEM, "out of memory for %zu bytes of proof", n);
    } else {
        st = prove_repeatedly(j, p, proofs, &times);
    }
    if (st == CUZK_OK && j->aggregate != NULL && j->aggregate->on) {
        span = cuzk_span_begin(a->trace, "aggregate", NULL);
        st = porep_agg_make(j->aggregate, j->o, cuzk_filecoin_prover_vk(p), &proofs, &n);
        cuzk_span_end(a->trace, span, n);
    }
    if (st == CUZK_OK) {
        span = cuzk_span_begin(a->trace, "write", NULL);
        st = cuzk_file_write_all(j->o->out, proofs, n, a->force, &a->err);
        cuzk_span_end(a->trace, span, n);
    }
    if (st == CUZK_OK) {
        app_u64(a, "partitions", j->n_partitions);
        app_u64(a, "constraints", cuzk_filecoin_prover_circuit(p)->n_rows);
        devices_report(a, &j->o->dev);
        report_times(a, &times);
        app_text(a, "result", "proved and verified");
    }
    cuzk_free(proofs);
    cuzk_filecoin_prover_destroy(p);
    return st;
}

static cuzk_status prove_porep(job *j, cuzk_filecoin_prover *p, uint8_t *proofs,
                               const cuzk_filecoin_opts *opts)
{
    return cuzk_filecoin_prove_porep(p, proofs, j->porep, opts, j->o->a.cancel, &j->o->a.err);
}

static cuzk_status prove_post(job *j, cuzk_filecoin_prover *p, uint8_t *proofs,
                              const cuzk_filecoin_opts *opts)
{
    return cuzk_filecoin_prove_post(p, proofs, j->post, j->post_st, opts, j->o->a.cancel,
                                    &j->o->a.err);
}

static cuzk_status prove_update(job *j, cuzk_filecoin_prover *p, uint8_t *proofs,
                                const cuzk_filecoin_opts *opts)
{
    return cuzk_filecoin_prove_update(p, proofs, j->update, j->update_st, opts, j->o->a.cancel,
                                      &j->o->a.err);
}

static cuzk_status work_porep(fil_opts *o)
{
    cuzk_porep_input *in = NULL;
    porep_agg aggregate;
    char name[64];
    const uint64_t t0 = cuzk_clock_ns();
    const cuzk_span span = cuzk_span_begin(o->a.trace, "parse", NULL);
    cuzk_status st = fil_load_porep(o, &in);
    cuzk_span_end(o->a.trace, span, 0);
    o->input_ns = cuzk_clock_ns() - t0;
    CUZK_TRY(st);
    job j = {.o = o,
             .kind = CUZK_CIRCUIT_POREP,
             .sector_bytes = in->type.sector_bytes,
             .n_partitions = in->n_partitions,
             .prove = prove_porep,
             .porep = in,
             .aggregate = &aggregate};
    app_text(&o->a, "registered_proof", cuzk_seal_type_name(&in->type, name, sizeof(name)));
    st = porep_agg_open(&aggregate, o, in, true);
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
        job j = {.o = o,
                 .kind = window ? CUZK_CIRCUIT_WINDOW : CUZK_CIRCUIT_WINNING,
                 .sector_bytes = st.type.sector_bytes,
                 .n_partitions = 1,
                 .prove = prove_post,
                 .post = in,
                 .post_st = &st};
        app_u64(&o->a, "sectors", in->n_sectors);
        s = run_job(&j);
    }
    cuzk_post_input_destroy(in);
    return s;
}

static cuzk_status work_update(fil_opts *o)
{
    cuzk_update_input *in = NULL;
    cuzk_update_statement st;
    CUZK_TRY(fil_load_update_statement(o, &st));
    const uint64_t t0 = cuzk_clock_ns();
    const cuzk_span span = cuzk_span_begin(o->a.trace, "parse", NULL);
    cuzk_status s = fil_load_update(o, &in);
    cuzk_span_end(o->a.trace, span, 0);
    o->input_ns = cuzk_clock_ns() - t0;
    CUZK_TRY(s);
    job j = {.o = o,
             .kind = CUZK_CIRCUIT_UPDATE,
             .sector_bytes = st.shape->bytes,
             .n_partitions = 1,
             .prove = prove_update,
             .update = in,
             .update_st = &st};
    s = run_job(&j);
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
