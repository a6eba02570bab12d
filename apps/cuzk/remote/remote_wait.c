/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "remote_wait.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CONNECT_MS 1000u
#define ANSWER_MS  2000u

static void describe(const remote_wait *w, const cuzk_rpc_status *s, char out[TICKER_TEXT])
{
    const char *kind = w->kind != 0 ? remote_kind_name((cuzk_job_kind)w->kind) : NULL;
    uint64_t waiting = 0, running = 0;
    for (size_t i = 0; w->job_id != NULL && i < s->n_gpus; i++) {
        if (strcmp(s->gpus[i].job_id, w->job_id) == 0) {
            (void)snprintf(out, TICKER_TEXT, "on device %u", s->gpus[i].ordinal);
            return;
        }
    }
    for (size_t i = 0; i < s->n_queues; i++) {
        if (kind == NULL || strcmp(s->queues[i].proof_kind, kind) == 0) {
            waiting += s->queues[i].pending;
            running += s->queues[i].in_progress;
        }
    }
    (void)snprintf(out, TICKER_TEXT,
                   "%s%s%" PRIu64 " waiting and %" PRIu64 " in progress on the daemon",
                   kind != NULL ? kind : "", kind != NULL ? " jobs: " : "jobs: ", waiting, running);
}

static void text(void *arg, char out[TICKER_TEXT], const cuzk_cancel *over)
{
    remote_wait *w = arg;
    cuzk_rpc_status s;
    if (w->client == NULL) {
        w->config.cancel = over;
        w->config.connect_ms = CONNECT_MS;
        w->config.timeout_ms = ANSWER_MS;
    }
    if ((w->client == NULL && cuzk_rpc_client_create(&w->client, &w->config, NULL) != CUZK_OK) ||
        cuzk_rpc_client_status(w->client, &s, NULL) != CUZK_OK) {
        (void)snprintf(out, TICKER_TEXT, "the daemon does not say how far it is");
        return;
    }
    describe(w, &s, out);
    cuzk_rpc_status_free(&s);
}

void remote_wait_begin(remote_wait *w, const app *a, const remote_opts *r, uint32_t kind,
                       const char *job_id)
{
    memset(w, 0, sizeof(*w));
    w->config = r->config;
    w->kind = kind;
    w->job_id = job_id;
    ticker_begin(&w->tick, a, text, w);
}

void remote_wait_end(remote_wait *w)
{
    ticker_end(&w->tick);
    cuzk_rpc_client_destroy(w->client);
}
