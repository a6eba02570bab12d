/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdio.h>

#include "engine/engine_internal.h"

const char *cuzk_stage_name(cuzk_stage s)
{
    static const char *const names[CUZK_STAGES] = {"accept",  "parse",  "check",
                                                   "witness", "device", "assemble",
                                                   "verify",  "return", "aggregate"};
    return (unsigned)s < CUZK_STAGES ? names[s] : "?";
}

const char *cuzk_job_kind_queue_name(cuzk_job_kind k)
{
    static const char *const names[] = {"?",           "porep-c2",     "snap-update",
                                        "window-post", "winning-post", "aggregate"};
    return k >= CUZK_JOB_POREP && k <= CUZK_JOB_AGGREGATE ? names[k] : names[0];
}

const char *cuzk_job_kind_label(cuzk_job_kind k)
{
    static const char *const names[] = {"?",           "porep_c2",     "snap_update",
                                        "window_post", "winning_post", "aggregate"};
    return k >= CUZK_JOB_POREP && k <= CUZK_JOB_AGGREGATE ? names[k] : names[0];
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

const char *cuzk_job_error_class(cuzk_status st)
{
    switch (st) {
    case CUZK_E_INVALID:
    case CUZK_E_FORMAT:
    case CUZK_E_VANILLA:
    case CUZK_E_ENCODING:
    case CUZK_E_NOT_ON_CURVE:
    case CUZK_E_NOT_IN_GROUP:
    case CUZK_E_INFINITY:
    case CUZK_E_UNSUPPORTED: return "input";
    case CUZK_E_NOMEM:
    case CUZK_E_BUDGET:
    case CUZK_E_IO:
    case CUZK_E_CANCELLED:
    case CUZK_E_NOT_FOUND:
    case CUZK_E_EXISTS:
    case CUZK_E_DIGEST:
    case CUZK_E_UNSAFE_KEY:
    case CUZK_E_DEV_NOMEM:
    case CUZK_E_DEV_UNFIT:
    case CUZK_E_DEV_LOST: return "environment";
    case CUZK_OK: return "";
    case CUZK_E_SELFTEST:
    case CUZK_E_UNSATISFIED:
    case CUZK_E_PROOF_FALSE: break;
    }
    return "internal";
}
