/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "top/top_jobs.h"

#include <stdio.h>
#include <string.h>

static bool passes(const cuzk_view_job *j, const char *filter)
{
    const char *const texts[] = {j->id,    j->kind,        j->priority, j->state,
                                 j->error, j->error_class, j->peer};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (strstr(texts[i], filter) != NULL) {
            return true;
        }
    }
    return false;
}

/* Running, waiting, over: in this order they matter when the screen is short. */
static int group(const cuzk_view_job *j)
{
    return strcmp(j->state, "running") == 0 ? 0 : strcmp(j->state, "queued") == 0 ? 1 : 2;
}

static uint64_t took(const cuzk_status_view *v, const cuzk_view_job *j)
{
    const uint64_t end = j->ended_us != 0 ? j->ended_us : v->now_us;
    return j->started_us != 0 && end > j->started_us ? end - j->started_us : 0;
}

/* Whether a comes before b; of equal ones neither does. */
static bool before(const cuzk_status_view *v, cuzk_top_order order, const cuzk_view_job *a,
                   const cuzk_view_job *b)
{
    switch (order) {
    case CUZK_TOP_BY_AGE: return a->accepted_us < b->accepted_us;
    case CUZK_TOP_BY_TIME: return took(v, a) > took(v, b);
    case CUZK_TOP_BY_KIND: return strcmp(a->kind, b->kind) < 0;
    case CUZK_TOP_BY_STATE:
    case CUZK_TOP_ORDERS: break;
    }
    return group(a) < group(b);
}

static void move_selection(const uint32_t *list, uint32_t n, const cuzk_status_view *v,
                           cuzk_top_keys *keys)
{
    int64_t at = -1;
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(v->jobs[list[i]].id, keys->job) == 0) {
            at = i;
        }
    }
    const int move = keys->move;
    keys->move = 0;
    if (n == 0 || (at < 0 && move == 0)) {
        keys->job[0] = '\0';
        keys->details = false;
        return;
    }
    at = at < 0 ? (move > 0 ? move - 1 : 0) : at + move;
    at = at < 0 ? 0 : at >= (int64_t)n ? (int64_t)n - 1 : at;
    (void)snprintf(keys->job, sizeof(keys->job), "%s", v->jobs[list[at]].id);
}

uint32_t cuzk_top_jobs(uint32_t out[CUZK_VIEW_JOBS], const cuzk_status_view *v, cuzk_top_keys *keys)
{
    const cuzk_top_order order = keys != NULL ? keys->order : CUZK_TOP_BY_STATE;
    uint32_t n = 0;
    for (uint32_t i = 0; i < v->n_jobs; i++) {
        if (keys != NULL && !passes(&v->jobs[i], keys->filter)) {
            continue;
        }
        uint32_t at =
            n++; /* insertion keeps the daemon's order of equal ones; there are at most 256 */
        for (; at > 0 && before(v, order, &v->jobs[i], &v->jobs[out[at - 1]]); at--) {
            out[at] = out[at - 1];
        }
        out[at] = i;
    }
    if (keys != NULL) {
        move_selection(out, n, v, keys);
    }
    return n;
}
