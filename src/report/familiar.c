/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "report/familiar.h"

#include <string.h>

#include "base/alloc.h"
#include "report/stats.h"

static const char *const names[CUZK_FAMILIARS] = {"synthesis", "prep_msm", "ntt_msm_h",
                                                  "batch_add", "tail_msm", "b_g2_msm",
                                                  "eval",      "gap",      "around"};

const char *cuzk_familiar_name(cuzk_familiar f)
{
    return names[f];
}

/* A part of the path between slashes. */
static bool has(const char *path, const char *part)
{
    const size_t n = strlen(part);
    for (const char *p = path; p != NULL; p = strchr(p, '/')) {
        p += *p == '/';
        if (strncmp(p, part, n) == 0 && (p[n] == '/' || p[n] == '\0')) {
            return true;
        }
    }
    return false;
}

static cuzk_familiar on_device(const char *path)
{
    for (int f = CUZK_FAMILIAR_PREP_MSM; f <= CUZK_FAMILIAR_EVAL; f++) {
        if (has(path, names[f])) {
            return (cuzk_familiar)f;
        }
    }
    return CUZK_FAMILIAR_GAP;
}

static cuzk_familiar on_host(const char *path)
{
    if (has(path, "eval") || has(path, "check_rows")) {
        return CUZK_FAMILIAR_SYNTHESIS;
    }
    if (has(path, "decode_points") || has(path, "select_wires")) {
        return CUZK_FAMILIAR_PREP_MSM;
    }
    if (has(path, "ntt") || has(path, "msm_h")) {
        return CUZK_FAMILIAR_NTT_MSM_H;
    }
    if (has(path, "msm_b_g2")) {
        return CUZK_FAMILIAR_B_G2_MSM;
    }
    if (has(path, "sum_bits")) {
        return CUZK_FAMILIAR_BATCH_ADD;
    }
    return has(path, "sum_full") ? CUZK_FAMILIAR_TAIL_MSM : CUZK_FAMILIAR_GAP;
}

cuzk_familiar cuzk_familiar_of(const char *path)
{
    if (has(path, "gpu_total")) {
        return on_device(path);
    }
    if (has(path, "prove")) {
        return on_host(path);
    }
    /* stage_witness and assemble overlap with the device's work; device is the daemon's wrapper */
    if (has(path, "assemble") || has(path, "stage_witness") || has(path, "release") ||
        has(path, "device")) {
        return CUZK_FAMILIAR_GAP;
    }
    return has(path, "parse") || has(path, "check") || has(path, "witness")
               ? CUZK_FAMILIAR_SYNTHESIS
               : CUZK_FAMILIAR_AROUND;
}

void cuzk_familiar_sum(cuzk_familiar_sums *out, const cuzk_result *r)
{
    memset(out, 0, sizeof(*out));
    for (uint32_t i = 0; i < r->n_metrics; i++) {
        const cuzk_metric *m = &r->metrics[i];
        if (m->role != CUZK_ROLE_LAYER || m->n == 0) {
            continue;
        }
        double *v = cuzk_alloc(m->n, sizeof(*v));
        if (v == NULL) {
            continue;
        }
        memcpy(v, m->values, m->n * sizeof(*v));
        out->row[cuzk_familiar_of(m->name)] += cuzk_stats_median(v, m->n);
        cuzk_free(v);
    }
    for (int f = 0; f < CUZK_FAMILIARS; f++) {
        out->sum += out->row[f];
        if (f >= CUZK_FAMILIAR_PREP_MSM && f <= CUZK_FAMILIAR_EVAL) {
            out->gpu_total += out->row[f];
        }
    }
    out->wrapper = out->gpu_total + out->row[CUZK_FAMILIAR_GAP];
}
