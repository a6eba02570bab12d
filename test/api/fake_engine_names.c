/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stands in for the engine's small functions until the engine is there. */
#include <string.h>

#include "base/alloc.h"
#include "engine/engine_status.h"

const double cuzk_histogram_bound[CUZK_HISTOGRAM_BUCKETS - 1] = {
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

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
    return (unsigned)k <= CUZK_JOB_KINDS ? names[k] : "?";
}
const char *cuzk_job_kind_label(cuzk_job_kind k)
{
    static const char *const names[] = {"?", "porep_c2", "snap_update", "window_post",
                                        "winning_post"};
    return (unsigned)k <= CUZK_JOB_KINDS ? names[k] : "?";
}
void cuzk_engine_status_free(cuzk_engine_status *s)
{
    for (uint32_t i = 0; s->jobs != NULL && i < s->n_jobs; i++) {
        cuzk_free(s->jobs[i].partitions);
    }
    cuzk_free(s->jobs);
    cuzk_free(s->devices);
    cuzk_free(s->cached);
    memset(s, 0, sizeof(*s));
}
cuzk_status cuzk_engine_get_status(cuzk_engine *e, cuzk_engine_status *out, cuzk_err *err)
{
    (void)e;
    memset(out, 0, sizeof(*out));
    return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "there is no engine");
}
