/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The whole fleet in a member's /status and /metrics: read from the database when somebody asks, and kept for some seconds. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/answer/text_buf.h"
#include "base/alloc.h"
#include "base/clock.h"

#include "serve.h"
#ifdef CUZK_FLEET
#    include "apps/cuzk/fleet/fleet_json.h"

#    define KEEP_NS   UINT64_C(3000000000)  /* what was read */
#    define AGAIN_NS  UINT64_C(15000000000) /* until the next try after one that failed */
#    define ANSWER_MS 1000u /* a page that is slow for as long when the database hangs */

struct serve_fleet {
    pthread_mutex_t mutex;
    cuzk_pg_fleet_status status;
    bool is_known;
    uint64_t next_ns;
};

cuzk_status serve_fleet_create(serve *s)
{
    serve_fleet *f = cuzk_alloc_zero(1, sizeof(*f));
    if (f == NULL || pthread_mutex_init(&f->mutex, NULL) != 0) {
        cuzk_free(f);
        return CUZK_FAIL(&s->err, CUZK_E_NOMEM, "no memory for the state of the fleet");
    }
    s->fleet = f;
    return CUZK_OK;
}

void serve_fleet_destroy(serve *s)
{
    if (s->fleet != NULL) {
        cuzk_pg_fleet_status_free(&s->fleet->status);
        (void)pthread_mutex_destroy(&s->fleet->mutex);
        cuzk_free(s->fleet);
        s->fleet = NULL;
    }
}

/* Under the mutex. False: the database cannot be asked. */
static bool look(const serve *s)
{
    serve_fleet *f = s->fleet;
    const cuzk_config *c = s->config;
    const uint64_t now = cuzk_clock_ns();
    if (now < f->next_ns) {
        return f->is_known;
    }
    const cuzk_pg_config pg = {
        .url = c->store_url,
        .password_file = c->store_password_file[0] != '\0' ? c->store_password_file : NULL,
        .retry_ms = ANSWER_MS,
        .answer_ms = ANSWER_MS};
    cuzk_pg_fleet_status fresh;
    f->is_known = cuzk_pg_fleet_status_read(&fresh, &pg, NULL) == CUZK_OK;
    if (f->is_known) {
        cuzk_pg_fleet_status_free(&f->status);
        f->status = fresh;
    }
    f->next_ns = cuzk_clock_ns() + (f->is_known ? KEEP_NS : AGAIN_NS);
    return f->is_known;
}

cuzk_status serve_fleet_json(void *arg, char **text, size_t *n, cuzk_err *err)
{
    const serve *s = arg;
    cuzk_jsonw w;
    const char *made = NULL;
    cuzk_jsonw_init(&w, false);
    cuzk_jsonw_begin_object(&w);
    (void)pthread_mutex_lock(&s->fleet->mutex);
    const bool is_known = look(s);
    cuzk_jsonw_put_bool(&w, "reachable", is_known);
    if (is_known) {
        fleet_json(&w, &s->fleet->status);
    }
    (void)pthread_mutex_unlock(&s->fleet->mutex);
    cuzk_jsonw_end_object(&w);
    cuzk_status st = cuzk_jsonw_finish(&w, &made, n, err);
    if (st == CUZK_OK) {
        *text = cuzk_alloc(*n + 1, 1);
        if (*text == NULL) {
            st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the state of the fleet");
        } else {
            memcpy(*text, made, *n + 1);
        }
    }
    cuzk_jsonw_free(&w);
    return st;
}

static void one(cuzk_text_buf *b, const char *name, const char *help, double v)
{
    cuzk_text_printf(b, "# HELP %s %s\n# TYPE %s gauge\n%s %.3f\n", name, help, name, name, v);
}

static void put_members(cuzk_text_buf *b, const cuzk_pg_fleet_status *s)
{
    static const char *const states[] = {"alive", "late", "draining"};
    uint64_t n[3] = {0, 0, 0};
    for (size_t i = 0; i < s->n_members; i++) {
        for (size_t k = 0; k < 3; k++) {
            n[k] += strcmp(fleet_state_of(&s->members[i]), states[k]) == 0 ? 1 : 0;
        }
    }
    cuzk_text_printf(
        b, "# HELP cuzk_fleet_members Daemons of the fleet, by state. Of the whole fleet: "
           "take the maximum over daemons.\n# TYPE cuzk_fleet_members gauge\n");
    for (size_t k = 0; k < 3; k++) {
        cuzk_text_printf(b, "cuzk_fleet_members{state=\"%s\"} %" PRIu64 "\n", states[k], n[k]);
    }
}

void serve_fleet_metrics(struct cuzk_text_buf *b, const serve *s)
{
    if (s->fleet == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&s->fleet->mutex);
    const bool is_known = look(s);
    const cuzk_pg_fleet_status *f = &s->fleet->status;
    one(b, "cuzk_fleet_reachable", "1 while this daemon reaches the queue's database.",
        is_known ? 1 : 0);
    if (is_known) {
        put_members(b, f);
        one(b, "cuzk_fleet_queued_jobs",
            "Jobs of the whole fleet that nobody has. Take the maximum over daemons.",
            (double)f->queued);
        one(b, "cuzk_fleet_running_jobs",
            "Jobs of the whole fleet that are proved. Take the maximum over daemons.",
            (double)f->running);
        one(b, "cuzk_fleet_places",
            "Jobs that the members can prove at once. Take the maximum over daemons.",
            (double)f->places);
        one(b, "cuzk_fleet_wait_seconds",
            "The work that waits, over the places of all members. Take the maximum over daemons.",
            (double)f->wait_ms / 1e3);
        one(b, "cuzk_fleet_oldest_queued_seconds",
            "How long the oldest job that nobody has waits. Take the maximum over daemons.",
            (double)f->oldest_queued_ms / 1e3);
        one(b, "cuzk_fleet_input_bytes",
            "Inputs of unfinished jobs as they are kept. Take the maximum over daemons.",
            (double)f->input_bytes);
    }
    (void)pthread_mutex_unlock(&s->fleet->mutex);
}

#else

cuzk_status serve_fleet_create(serve *s)
{
    (void)s;
    return CUZK_OK;
}

void serve_fleet_destroy(serve *s)
{
    (void)s;
}

cuzk_status serve_fleet_json(void *arg, char **text, size_t *n, cuzk_err *err)
{
    (void)arg;
    (void)text;
    (void)n;
    return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "this program was built without a shared queue");
}

void serve_fleet_metrics(struct cuzk_text_buf *b, const serve *s)
{
    (void)b;
    (void)s;
}

#endif
