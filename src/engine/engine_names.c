/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdio.h>

#include "engine/engine_internal.h"

const char *cuzk_stage_name(cuzk_stage s)
{
    static const char *const names[CUZK_STAGES] = {"accept", "parse",    "check",  "witness",
                                                   "device", "assemble", "verify", "return"};
    return (unsigned)s < CUZK_STAGES ? names[s] : "?";
}

const char *cuzk_job_kind_queue_name(cuzk_job_kind k)
{
    static const char *const names[] = {"?", "porep-c2", "snap-update", "window-post",
                                        "winning-post"};
    return k >= CUZK_JOB_POREP && k <= CUZK_JOB_WINNING ? names[k] : names[0];
}

const char *cuzk_job_kind_label(cuzk_job_kind k)
{
    static const char *const names[] = {"?", "porep_c2", "snap_update", "window_post",
                                        "winning_post"};
    return k >= CUZK_JOB_POREP && k <= CUZK_JOB_WINNING ? names[k] : names[0];
}

const double cuzk_histogram_bound[CUZK_HISTOGRAM_BUCKETS - 1] = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
    2.5,   5,      10,    25,   60,    120,  300, 900,  3600};

void cuzk_histogram_add(cuzk_histogram *h, uint64_t ns)
{
    const double s = (double)ns / 1e9;
    unsigned i = 0;
    while (i < CUZK_HISTOGRAM_BUCKETS - 1 && s > cuzk_histogram_bound[i]) {
        i++;
    }
    h->count[i]++;
    h->sum_seconds += s;
}

static const char *state_name(cuzk_job_state s)
{
    static const char *const names[] = {"queued", "running", "completed", "failed", "cancelled"};
    return (unsigned)s < 5 ? names[s] : "?";
}

void cuzk_job_devices(const cuzk_engine *e, const job *j, char *out, size_t n)
{
    uint64_t used = 0;
    size_t at = 0;
    out[0] = '\0';
    for (uint32_t i = 0; j->parts != NULL && i < j->n_partitions; i++) {
        used |= j->parts[i].device >= 0 ? (uint64_t)1 << j->parts[i].device : 0;
    }
    for (uint32_t d = 0; d < e->n_devices && at < n; d++) {
        if ((used >> d & 1) != 0) {
            const char *comma = at != 0 ? "," : "";
            const int k = e->devices[d].info.is_cpu ? snprintf(out + at, n - at, "%scpu", comma)
                                                    : snprintf(out + at, n - at, "%s%u", comma,
                                                               e->devices[d].info.ordinal);
            at += k > 0 ? (size_t)k : 0;
        }
    }
}

void cuzk_engine_log_job(const cuzk_engine *e, int level, const char *event, const job *j,
                         const char *key, const char *value)
{
    if (e->cfg.log == NULL) {
        return;
    }
    char number[24];
    (void)snprintf(number, sizeof(number), "%llu", (unsigned long long)j->number);
    const char *const kv[] = {
        "job",    j->id,
        "number", number,
        "kind",   cuzk_job_kind_queue_name(j->rq.kind),
        "state",  state_name(j->phase >= PHASE_ENDING ? j->outcome : j->state),
        key,      value,
        NULL};
    e->cfg.log(e->cfg.log_arg, level, event, kv);
}

void cuzk_engine_log_device(const cuzk_engine *e, int level, const char *event, uint32_t index,
                            const char *why)
{
    if (e->cfg.log == NULL) {
        return;
    }
    char ordinal[16];
    (void)snprintf(ordinal, sizeof(ordinal), "%u", e->devices[index].info.ordinal);
    const char *const kv[] = {"device", ordinal, "name", e->devices[index].info.name,
                              "why",    why,     NULL};
    e->cfg.log(e->cfg.log_arg, level, event, kv);
}
