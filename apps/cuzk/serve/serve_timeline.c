/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The original's TIMELINE lines, for tools that draw from them: written when a job is over, with the
 * times at which things happened (milliseconds since the daemon's start).
 */
#include <inttypes.h>
#include <stdio.h>

#include "serve.h"

static void line(const serve *s, const cuzk_engine_status *st, const cuzk_status_job *j,
                 uint64_t at_ns, const char *event, uint32_t partition)
{
    char detail[32];
    if (at_ns == 0 || at_ns < st->started_ns) {
        return; /* this stage was not reached */
    }
    (void)snprintf(detail, sizeof(detail), "partition=%" PRIu32, partition);
    cuzk_log_timeline(s->log, (at_ns - st->started_ns) / 1000000u, event, j->job_id, detail);
}

static void job_lines(const serve *s, const cuzk_engine_status *st, const cuzk_status_job *j)
{
    for (uint32_t i = 0; j->partitions != NULL && i < j->n_partitions; i++) {
        const cuzk_status_partition *p = &j->partitions[i];
        line(s, st, j, p->stage_begin_ns[CUZK_STAGE_WITNESS], "SYNTH_START", p->index);
        line(s, st, j, p->stage_end_ns[CUZK_STAGE_WITNESS], "SYNTH_END", p->index);
        line(s, st, j, p->stage_end_ns[CUZK_STAGE_WITNESS], "GPU_QUEUE", p->index);
        line(s, st, j, p->stage_begin_ns[CUZK_STAGE_DEVICE], "GPU_PICKUP", p->index);
        line(s, st, j, p->stage_begin_ns[CUZK_STAGE_DEVICE], "GPU_START", p->index);
        line(s, st, j, p->stage_end_ns[CUZK_STAGE_DEVICE], "GPU_END", p->index);
    }
}

void serve_timeline(serve *s)
{
    cuzk_engine_status st;
    uint64_t newest = s->timeline_ns;
    if (!s->config->timeline || cuzk_engine_get_status(s->engine, &st, NULL) != CUZK_OK) {
        return;
    }
    for (uint32_t i = 0; i < st.n_jobs; i++) {
        const cuzk_status_job *j = &st.jobs[i];
        if (j->ended_ns > s->timeline_ns) {
            job_lines(s, &st, j);
            newest = j->ended_ns > newest ? j->ended_ns : newest;
        }
    }
    s->timeline_ns = newest;
    cuzk_engine_status_free(&st);
}
