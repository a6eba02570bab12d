/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_REPORT_FAMILIAR_H
#define CUZK_REPORT_FAMILIAR_H

/*
 * The table that users of the original know: synthesis, GPU, total, and inside the GPU part the rows
 * of its timing lines. On a device the rows are measured under their own names; on the CPU they are
 * the steps that do the same work. What the proving wrapper takes beyond its rows is listed layer by
 * layer, so that every row adds up to the total.
 */
#include <stdio.h>

#include "report/result.h"

typedef enum cuzk_familiar {
    CUZK_FAMILIAR_SYNTHESIS, /* parse, native check, witness, and rows evaluated on the host */
    CUZK_FAMILIAR_PREP_MSM,
    CUZK_FAMILIAR_NTT_MSM_H,
    CUZK_FAMILIAR_BATCH_ADD,
    CUZK_FAMILIAR_TAIL_MSM,
    CUZK_FAMILIAR_B_G2_MSM,
    CUZK_FAMILIAR_EVAL,  /* on the device: the original does it in synthesis */
    CUZK_FAMILIAR_GAP,   /* of proving, outside these rows */
    CUZK_FAMILIAR_AROUND /* neither synthesis nor proving */
} cuzk_familiar;
#define CUZK_FAMILIARS 9

/** Where a layer's exclusive time belongs, by its path. */
cuzk_familiar cuzk_familiar_of(const char *path);
/** "synthesis", "prep_msm", ... */
const char *cuzk_familiar_name(cuzk_familiar f);

typedef struct cuzk_familiar_sums {
    double row[CUZK_FAMILIARS]; /* seconds: sums of the layers' medians */
    double gpu_total;           /* the rows from PREP_MSM to EVAL */
    double wrapper;             /* gpu_total and GAP */
    double sum;                 /* everything */
} cuzk_familiar_sums;

/** From the layers of a result. */
void cuzk_familiar_sum(cuzk_familiar_sums *out, const cuzk_result *r);

#endif /* CUZK_REPORT_FAMILIAR_H */
