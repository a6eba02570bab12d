/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_DEVICE_RUN_H
#define CUZK_GROTH16_DEVICE_RUN_H

/* State of a running call of cuzk_device_prove. */
#include "device_stream.h"

/* What ends at a mark. */
typedef enum device_phase {
    PHASE_START = 0,
    PHASE_AWAIT, /* the device had nothing to do because a witness was not made yet */
    PHASE_UPLOAD,
    PHASE_SECTION,
    PHASE_EVAL_A,
    PHASE_EVAL_B,
    PHASE_MUL_C,
    PHASE_INTT_C,
    PHASE_COSET_A,
    PHASE_COSET_B,
    PHASE_QUOTIENT,
    PHASE_MSM /* + device_array */
} device_phase;
#define PHASES   ((int)PHASE_MSM + (int)DEVICE_ARRAYS)

#define NO_SLICE UINT32_MAX

/* A part of a sum: points [at, at + n) of an array, which may come in a slice of the file. */
typedef struct device_step {
    uint8_t array;
    uint32_t slice;
    uint64_t at, n;
} device_step;

typedef struct device_run {
    cuzk_device_key *k;
    device_lane *lane;
    const cuzk_device_prove_opts *opts;
    const cuzk_cancel *cancel;
    const cuzk_witness *const
        *witnesses; /* of the part of the call that is running; NULL: awaited */
    device_plan plan;
    uint8_t *d; /* [plan.total] */
    device_step *steps;
    uint32_t n_steps, n_h; /* the first n_h are of section h */
    device_slice *slices;  /* [n_slices] */
    uint32_t n_slices, n_h_slices;
    cuzk_accel_sum *sums; /* [n_steps * most]: of step i and witness w at i * most + w */
    uint32_t most;        /* witnesses of a part of the call */
    int section;          /* whose multipliers are in the slots of phase rest; -1: none */
    uint32_t n_marks;
    struct {
        uint8_t phase, witness;
        uint32_t mark;
        uint64_t ns;
    } marks[CUZK_ACCEL_MARKS];
    uint32_t first;   /* index of the first witness in the call */
    bool pinned;      /* the witnesses are in page-locked memory */
    size_t n_awaited; /* witnesses [0, n_awaited) of the call have been waited for */
    bool await_failed;
} device_run;

/** Notes that a phase of a witness ends after what is enqueued. */
CUZK_NODISCARD cuzk_status device_run_mark(device_run *r, int phase, uint32_t witness,
                                           cuzk_err *err);
/**
 * Sets the witnesses of a call for n: all of them, or the first one where they are awaited. A single one that is not in
 * page-locked memory is copied there: *stage, for device_witness_give also after a failure. *one is used by the run.
 */
CUZK_NODISCARD cuzk_status device_run_begin(device_run *r, size_t n,
                                            const cuzk_witness *const *witnesses,
                                            const cuzk_witness **one, cuzk_witness **stage,
                                            cuzk_err *err);
/** Witness i of the part of the call that is running; waits until it is made. */
CUZK_NODISCARD cuzk_status device_run_witness(device_run *r, uint32_t i, const cuzk_witness **w,
                                              bool *pinned, cuzk_err *err);
/** The values of the witness in place i of its group: [plan.values]. */
static inline uint8_t *device_run_values(const device_run *r, uint32_t i)
{
    return r->d + r->plan.at_values + i * r->plan.values;
}

/**
 * Enqueues the quotient of a witness on the device, d_witness: scalars of section h at the beginning of the values
 * in place `place`. witness: for marks. Phase h.
 */
CUZK_NODISCARD cuzk_status device_run_quotient(device_run *r, const uint8_t *d_witness,
                                               uint32_t place, uint32_t witness, cuzk_err *err);

#endif /* CUZK_GROTH16_DEVICE_RUN_H */
