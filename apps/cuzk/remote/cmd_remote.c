/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk submit|await|cancel|status|preload|evict|health: a daemon by gRPC. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apps/cuzk/commands.h"
#include "base/alloc.h"
#include "base/clock.h"

#include "ability_text.h"
#include "remote.h"
#include "remote_sensors.h"
#include "remote_wait.h"

enum { OPT_WAIT = 0x600, OPT_AWAIT_TIMEOUT };

typedef struct remote_cmd {
    app a;
    remote_opts remote;
    remote_job job;
    const char *name; /* the argument: a job or a circuit */
    const char *out;
    uint64_t await_ms;
    bool wait;
    cuzk_rpc_client *client;
} remote_cmd;

/* The description of a command; the parser finds it from its argp. */
typedef struct shape {
    const char *arg; /* name of its one argument; NULL: none */
    bool job;
} shape;

static const struct argp_child children[] = {APP_CHILD_FEW, REMOTE_CHILD, {NULL, 0, NULL, 0}};
static const struct argp_child output_children[] = {
    APP_CHILD_OUTPUT, REMOTE_CHILD, {NULL, 0, NULL, 0}};

static error_t parse_common(remote_cmd *c, const shape *s, int key, char *arg,
                            struct argp_state *state)
{
    uint64_t v = 0;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->a;
        state->child_inputs[1] = &c->remote;
        c->a.threads = 1; /* the work is elsewhere */
        return s->job ? remote_job_parse(&c->job, key, arg, state) : 0;
    case ARGP_KEY_ARG:
        if (s->arg == NULL || c->name != NULL) {
            argp_error(state, "too many arguments");
        }
        c->name = arg;
        return 0;
    case ARGP_KEY_END:
        if (s->arg != NULL && c->name == NULL) {
            argp_error(state, "needs a %s", s->arg);
        }
        return 0;
    case 'o': c->out = arg; return 0;
    case OPT_WAIT: c->wait = true; return 0;
    case OPT_AWAIT_TIMEOUT:
        if (!app_parse_u64(&v, arg, UINT64_MAX / 1000000u)) {
            argp_error(state, "--timeout-ms wants a number, not '%s'", arg);
        }
        c->await_ms = v;
        return 0;
    default: return s->job ? remote_job_parse(&c->job, key, arg, state) : ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_plain(int key, char *arg, struct argp_state *state)
{
    static const shape s = {NULL, false};
    return parse_common(state->input, &s, key, arg, state);
}

static error_t parse_job_id(int key, char *arg, struct argp_state *state)
{
    static const shape s = {"JOB", false};
    return parse_common(state->input, &s, key, arg, state);
}

static error_t parse_circuit(int key, char *arg, struct argp_state *state)
{
    static const shape s = {"CIRCUIT", false};
    return parse_common(state->input, &s, key, arg, state);
}

static error_t parse_submit(int key, char *arg, struct argp_state *state)
{
    static const shape s = {NULL, true};
    return parse_common(state->input, &s, key, arg, state);
}

/* ---- the work of each ---- */

/* Checks that need no daemon. */
static cuzk_status prepare_submit(remote_cmd *c)
{
    app *a = &c->a;
    CUZK_TRY(remote_job_require(a, &c->job));
    if (c->wait && c->out == NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID,
                         "--wait needs -o FILE for the proof (- is standard output); without "
                         "--wait the job is only handed over, and 'cuzk await JOB -o FILE' "
                         "fetches its proof");
    }
    if (!c->wait && c->out != NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID,
                         "-o is for --wait: without it there is no proof yet, and 'cuzk await JOB "
                         "-o FILE' fetches it");
    }
    CUZK_TRY(app_check_output(a, c->out));
    return remote_job_load(a, &c->job);
}

static cuzk_status work_submit(remote_cmd *c)
{
    app *a = &c->a;
    cuzk_rpc_result r;
    char job_id[CUZK_JOB_ID_BYTES];
    uint32_t position = 0;
    if (!c->wait) {
        CUZK_TRY(cuzk_rpc_client_submit(c->client, &c->job.request, job_id, &position, &a->err));
        app_text(a, "job_id", job_id);
        app_u64(a, "queue_position", position);
        return CUZK_OK;
    }
    app_note(a, "waiting for the proof; interrupting cancels the job");
    const uint64_t t0 = cuzk_clock_ns();
    remote_wait wait;
    remote_wait_begin(&wait, a, &c->remote, c->job.kind, NULL);
    cuzk_status st = cuzk_rpc_client_prove(c->client, &c->job.request, &r, &a->err);
    remote_wait_end(&wait);
    CUZK_TRY(st);
    st = remote_report(a, &r, cuzk_clock_ns() - t0, c->out);
    cuzk_rpc_result_free(&r);
    return st;
}

static cuzk_status work_await(remote_cmd *c)
{
    cuzk_rpc_result r;
    CUZK_TRY(app_check_output(&c->a, c->out));
    const uint64_t t0 = cuzk_clock_ns();
    remote_wait wait;
    remote_wait_begin(&wait, &c->a, &c->remote, 0, c->name);
    cuzk_status st = cuzk_rpc_client_await(c->client, c->name, c->await_ms, &r, &c->a.err);
    remote_wait_end(&wait);
    CUZK_TRY(st);
    st = remote_report(&c->a, &r, cuzk_clock_ns() - t0, c->out);
    cuzk_rpc_result_free(&r);
    return st;
}

static cuzk_status work_cancel(remote_cmd *c)
{
    bool was_running = false;
    CUZK_TRY(cuzk_rpc_client_cancel(c->client, c->name, &was_running, &c->a.err));
    app_text(&c->a, "job_id", c->name);
    app_bool(&c->a, "was_running", was_running);
    return CUZK_OK;
}

static cuzk_status work_preload(remote_cmd *c)
{
    bool already = false;
    uint64_t ms = 0;
    CUZK_TRY(cuzk_rpc_client_preload(c->client, c->name, &already, &ms, &c->a.err));
    app_text(&c->a, "circuit", c->name);
    app_bool(&c->a, "already_loaded", already);
    app_u64(&c->a, "load_ms", ms);
    return CUZK_OK;
}

static cuzk_status work_evict(remote_cmd *c)
{
    bool was_loaded = false;
    uint64_t freed = 0;
    CUZK_TRY(cuzk_rpc_client_evict(c->client, c->name, &was_loaded, &freed, &c->a.err));
    app_text(&c->a, "circuit", c->name);
    app_bool(&c->a, "was_loaded", was_loaded);
    app_u64(&c->a, "freed_bytes", freed);
    return CUZK_OK;
}

static cuzk_status work_health(remote_cmd *c)
{
    uint64_t v = 0;
    CUZK_TRY(cuzk_rpc_client_health(c->client, "cuzk.v1.ProvingEngine", &v, &c->a.err));
    app_text(&c->a, "health", v == 1 ? "SERVING" : v == 2 ? "NOT_SERVING" : "UNKNOWN");
    return v == 1 ? CUZK_OK : CUZK_FAIL(&c->a.err, CUZK_E_IO, "the daemon is not serving");
}

static const char *tier_name(uint32_t tier)
{
    static const char *const names[] = {"hot", "warm", "cold"};
    return tier < 3 ? names[tier] : "unknown";
}

static void abilities_json(app *a, const cuzk_rpc_status *s, uint32_t ordinal)
{
    cuzk_jsonw *w = &a->w;
    cuzk_jsonw_key(w, "abilities");
    cuzk_jsonw_begin_array(w);
    for (size_t i = 0; i < s->n_abilities; i++) {
        const struct cuzk_rpc_status_ability *b = &s->abilities[i];
        if (b->gpu_ordinal == ordinal) {
            cuzk_jsonw_begin_object(w);
            app_text(a, "circuit_id", b->circuit_id);
            app_text(a, "ability", b->ability);
            app_u64(a, "needed_bytes", b->needed_bytes);
            app_u64(a, "available_bytes", b->available_bytes);
            app_u64(a, "expected_ms", b->expected_ms);
            app_bool(a, "expected_is_measured", b->is_measured);
            cuzk_jsonw_end_object(w);
        }
    }
    cuzk_jsonw_end_array(w);
}

/* The queue of aggregates, as one more of s; a daemon without them has none. */
static cuzk_status add_aggregates(remote_cmd *c, cuzk_rpc_status *s)
{
    cuzk_rpc_aggregate_status g;
    app *a = &c->a;
    const cuzk_status st = cuzk_rpc_client_aggregate_status(c->client, &g, &a->err);
    if (st != CUZK_OK) {
        return st == CUZK_E_UNSUPPORTED ? CUZK_OK : st;
    }
    struct cuzk_rpc_status_queue *more =
        cuzk_realloc(s->queues, s->n_queues + 1, sizeof(*s->queues));
    if (more == NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "out of memory for a status");
    }
    s->queues = more;
    more[s->n_queues] =
        (struct cuzk_rpc_status_queue){"aggregate", (uint32_t)g.pending, (uint32_t)g.in_progress};
    s->n_queues++;
    app_u64(a, "aggregates_completed", g.completed);
    app_u64(a, "aggregates_failed", g.failed);
    return CUZK_OK;
}

static void status_json(app *a, const cuzk_rpc_status *s)
{
    cuzk_jsonw *w = &a->w;
    cuzk_jsonw_key(w, "devices");
    cuzk_jsonw_begin_array(w);
    for (size_t i = 0; i < s->n_gpus; i++) {
        cuzk_jsonw_begin_object(w);
        app_u64(a, "ordinal", s->gpus[i].ordinal);
        app_text(a, "name", s->gpus[i].name);
        app_u64(a, "memory_total_bytes", s->gpus[i].memory_total);
        app_u64(a, "memory_free_bytes", s->gpus[i].memory_free);
        app_text(a, "current_job_id", s->gpus[i].job_id);
        app_text(a, "current_proof_kind", s->gpus[i].proof_kind);
        abilities_json(a, s, s->gpus[i].ordinal);
        cuzk_jsonw_end_object(w);
    }
    cuzk_jsonw_end_array(w);
    cuzk_jsonw_key(w, "loaded_srs");
    cuzk_jsonw_begin_array(w);
    for (size_t i = 0; i < s->n_srs; i++) {
        cuzk_jsonw_begin_object(w);
        app_text(a, "circuit_id", s->srs[i].circuit_id);
        app_text(a, "tier", tier_name(s->srs[i].tier));
        app_u64(a, "size_bytes", s->srs[i].size_bytes);
        app_u64(a, "ref_count", s->srs[i].ref_count);
        cuzk_jsonw_end_object(w);
    }
    cuzk_jsonw_end_array(w);
    cuzk_jsonw_key(w, "queues");
    cuzk_jsonw_begin_array(w);
    for (size_t i = 0; i < s->n_queues; i++) {
        cuzk_jsonw_begin_object(w);
        app_text(a, "proof_kind", s->queues[i].proof_kind);
        app_u64(a, "pending", s->queues[i].pending);
        app_u64(a, "in_progress", s->queues[i].in_progress);
        cuzk_jsonw_end_object(w);
    }
    cuzk_jsonw_end_array(w);
}

static void status_text(app *a, const cuzk_rpc_status *s)
{
    char text[512];
    for (size_t i = 0; i < s->n_gpus; i++) {
        const struct cuzk_rpc_status_gpu *g = &s->gpus[i];
        (void)snprintf(text, sizeof(text), "%s, %" PRIu64 " of %" PRIu64 " MiB free, %s%s%s",
                       g->name, g->memory_free >> 20, g->memory_total >> 20,
                       g->job_id[0] == '\0' ? "idle" : g->proof_kind,
                       g->job_id[0] == '\0' ? "" : " ", g->job_id);
        app_text(a, "device", text);
        for (size_t k = 0; k < s->n_abilities; k++) {
            const struct cuzk_rpc_status_ability *b = &s->abilities[k];
            if (b->gpu_ordinal == g->ordinal) {
                char line[200];
                const ability_words words = {b->circuit_id,      b->ability,     b->needed_bytes,
                                             b->available_bytes, b->expected_ms, b->is_measured};
                app_text(a, "can prove", ability_text(line, sizeof(line), &words));
            }
        }
    }
    for (size_t i = 0; i < s->n_srs; i++) {
        (void)snprintf(text, sizeof(text), "%s, %s, %" PRIu64 " MiB, %u in use",
                       s->srs[i].circuit_id, tier_name(s->srs[i].tier), s->srs[i].size_bytes >> 20,
                       s->srs[i].ref_count);
        app_text(a, "parameters", text);
    }
    for (size_t i = 0; i < s->n_queues; i++) {
        (void)snprintf(text, sizeof(text), "%s: %u pending, %u in progress",
                       s->queues[i].proof_kind, s->queues[i].pending, s->queues[i].in_progress);
        app_text(a, "queue", text);
    }
}

static cuzk_status work_status(remote_cmd *c)
{
    cuzk_rpc_status s;
    app *a = &c->a;
    CUZK_TRY(cuzk_rpc_client_status(c->client, &s, &a->err));
    app_u64(a, "uptime_seconds", s.uptime_seconds);
    app_u64(a, "proofs_completed", s.completed);
    app_u64(a, "proofs_failed", s.failed);
    app_u64(a, "pinned_bytes", s.pinned_bytes);
    app_u64(a, "pinned_limit_bytes", s.pinned_limit_bytes);
    const cuzk_status st = add_aggregates(c, &s);
    if (a->json) {
        status_json(a, &s);
    } else {
        status_text(a, &s);
    }
    cuzk_rpc_status_free(&s);
    CUZK_TRY(st);
    return remote_sensors(a, c->client);
}

/* ---- commands ---- */

/* prepare: what is done before the daemon is asked for; may be NULL. */
static int run(int argc, char **argv, const struct argp *argp,
               cuzk_status (*prepare)(remote_cmd *c), cuzk_status (*work)(remote_cmd *c))
{
    remote_cmd *c = cuzk_alloc_zero(1, sizeof(*c));
    if (c == NULL) {
        (void)fprintf(stderr, "%s: out of memory\n", argv[0]);
        return 3;
    }
    app_init(&c->a, argv[0]);
    (void)argp_parse(argp, argc, argv, 0, NULL, c);
    app_output(&c->a, c->out);
    cuzk_status st = app_begin(&c->a);
    if (st == CUZK_OK && prepare != NULL) {
        st = prepare(c);
    }
    if (st == CUZK_OK) {
        st = remote_connect(&c->a, &c->remote, &c->client);
        if (st != CUZK_OK) {
            remote_explain(&c->a);
        }
    }
    if (st == CUZK_OK) {
        st = work(c);
    }
    cuzk_rpc_client_destroy(c->client);
    remote_job_free(&c->job);
    remote_free(&c->remote);
    const int rc = app_finish(&c->a, st);
    cuzk_free(c);
    return rc;
}

int cmd_submit(int argc, char **argv)
{
    static const struct argp_option more[] = {
        {"wait", OPT_WAIT, NULL, 0,
         "Wait for the proof, for the file of -o; interrupting cancels the job (unless another client waits for it)",
         0},
        {"output", 'o', "FILE", 0, "With --wait, which needs it: write the proof here", 0}};
    enum { MORE = 2, MAX = 40 };
    struct argp_option all[MAX] = {0};
    size_t n = 0;
    for (; remote_job_options[n].name != NULL && n < MAX - MORE - 1; n++) {
        all[n] = remote_job_options[n];
    }
    memcpy(all + n, more, sizeof(more));
    const struct argp argp = {
        all, parse_submit, NULL, "Hand a job to the daemon.", output_children, NULL, NULL};
    return run(argc, argv, &argp, prepare_submit, work_submit);
}

int cmd_await(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"timeout-ms", OPT_AWAIT_TIMEOUT, "MS", 0, "Wait at most this long (default: no limit)", 0},
        {"output", 'o', "FILE", 0, "Write the proof here", 0},
        {0}};
    static const struct argp argp = {
        options, parse_job_id, "JOB", "Wait for a submitted job.", output_children, NULL, NULL};
    return run(argc, argv, &argp, NULL, work_await);
}

int cmd_cancel(int argc, char **argv)
{
    static const struct argp argp = {NULL,     parse_job_id, "JOB", "Cancel a job.",
                                     children, NULL,         NULL};
    return run(argc, argv, &argp, NULL, work_cancel);
}

int cmd_status(int argc, char **argv)
{
    static const struct argp argp = {NULL,     parse_plain, NULL, "Show what the daemon is doing.",
                                     children, NULL,        NULL};
    return run(argc, argv, &argp, NULL, work_status);
}

int cmd_preload(int argc, char **argv)
{
    static const struct argp argp = {
        NULL,     parse_circuit, "CIRCUIT", "Load parameters ahead of need: porep-32g, ...",
        children, NULL,          NULL};
    return run(argc, argv, &argp, NULL, work_preload);
}

int cmd_evict(int argc, char **argv)
{
    static const struct argp argp = {NULL,     parse_circuit, "CIRCUIT", "Drop loaded parameters.",
                                     children, NULL,          NULL};
    return run(argc, argv, &argp, NULL, work_evict);
}

int cmd_health(int argc, char **argv)
{
    static const struct argp argp = {
        NULL,     parse_plain, NULL, "Ask whether the daemon takes jobs; for scripts and probes.",
        children, NULL,        NULL};
    return run(argc, argv, &argp, NULL, work_health);
}
