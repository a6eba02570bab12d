/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_DEVICE_INTERNAL_H
#define CUZK_GROTH16_DEVICE_INTERNAL_H

#include <pthread.h>

#include "groth16/device/device_key.h"

/*
 * Arrays of points in the order in which a proof uses them. HL is section h (with infinity for the
 * coefficient that bellperson's form leaves out, so 2^lg points) and behind it the full wires of l:
 * both end in the proof's C, so one sum does for both. When points stream from the file, HL is section
 * h alone, as it is there, and L_FULLS the rest; else L_FULLS is empty.
 */
typedef enum device_array {
    DEVICE_HL = 0,
    DEVICE_L_FULLS,
    DEVICE_L_BITS,
    DEVICE_A_BITS,
    DEVICE_B1_BITS,
    DEVICE_A_FULLS,
    DEVICE_B1_FULLS,
    DEVICE_B2_BITS,
    DEVICE_B2_FULLS,
    DEVICE_ARRAYS
} device_array;

typedef struct device_points {
    uint64_t n;
    uint32_t bytes; /* of a point */
    bool bits;      /* summed by bits; else with scalars */
    bool resident;  /* d is the array; else host is, pinned, or the file: it streams */
    unsigned teeth; /* not 0: bits, resident, and d is the comb of the n points (accel/comb_hd.h) */
    uint8_t *d;
    uint8_t *host;
    uint8_t *d_images;    /* of the points, or NULL */
    uint32_t image_bytes; /* not 0: of a point's images; the array has some (accel/accel.h) */
    cuzk_accel_sum total; /* with a comb: the sum of all n points */
} device_points;

/** Points that the array takes. */
static inline uint64_t device_room_of(const device_points *p)
{
    return p->teeth == 0 ? p->n : cuzk_accel_comb_points(p->n, p->teeth);
}
/** Where the first point is loaded to. */
static inline uint64_t device_first_of(const device_points *p)
{
    return p->teeth == 0 ? 0 : cuzk_accel_comb_first(p->n, p->teeth);
}

#define DEVICE_LANES  2 /* calls that share the device at most */
#define DEVICE_STAGES 6 /* idle witnesses kept: of those calls, of one that waits, and some ahead */

/* Queues of a call. */
typedef struct device_lane {
    cuzk_accel_queue *q, *copy; /* work; slices of points on their way */
    bool busy;
} device_lane;

typedef struct device_stream device_stream; /* device_stream.h */

struct cuzk_device_key {
    cuzk_accel *dev;
    const cuzk_circuit *circuit;
    cuzk_accel_queue *q; /* of the first lane */
    cuzk_accel_circuit *dc;
    cuzk_accel_domain *domain;
    cuzk_srs_vk vk;
    cuzk_g1_affine *ic;
    cuzk_quotient_kind quotient;
    bool all_wires;
    unsigned lg;
    cuzk_accel_split split[CUZK_ACCEL_N_SECTIONS];
    device_points points[DEVICE_ARRAYS];
    device_stream *stream; /* NULL: what streams is in points[].host */
    cuzk_device_key_stats stats;
    device_lane lanes[DEVICE_LANES];
    uint32_t n_lanes;
    pthread_mutex_t lock; /* of what follows and lanes[].busy */
    pthread_cond_t lane_free;
    bool has_lock;
    void *stages[DEVICE_STAGES]; /* idle page-locked copies of witnesses */
};

/*
 * What one witness keeps on the device during a call; offsets. Its values, which are large, are there
 * until they are summed with section h (wide); what the other arrays are summed with is small, and
 * there for more witnesses (narrow).
 */
typedef struct device_slot_layout {
    uint64_t values;       /* wide: h scalars, then l's full ones where HL has them */
    uint64_t witness;      /* wide: as uploaded */
    uint64_t bits[3];      /* narrow, by cuzk_accel_section */
    uint64_t scalars[3];   /* narrow; [L] is used when HL does not have them */
    uint64_t wide, narrow; /* bytes */
} device_slot_layout;

typedef struct device_plan {
    uint32_t group;                  /* witnesses that share a pass over section h */
    uint32_t batch;                  /* and over the other arrays: as many or more */
    uint64_t slice;                  /* points of G1 at a time; half as many of G2 */
    uint64_t work;                   /* bytes of the largest workspace */
    uint64_t buffer;                 /* bytes of one of the two slice buffers; 0: nothing streams */
    uint64_t split;                  /* bytes of a slice of the file, split */
    uint64_t vectors, quotient_work; /* bytes of two vectors of the domain, and of a workspace */
    uint64_t scratch; /* shared by the phases: vectors and workspace, or workspace and buffers */
    uint64_t total;   /* bytes */
    device_slot_layout slot;
} device_plan;

/** Plan for at most n witnesses in `free` bytes. E_DEV_NOMEM with the numbers. */
CUZK_NODISCARD cuzk_status device_plan_make(device_plan *out, const cuzk_device_key *k, size_t n,
                                            uint64_t free_bytes, const cuzk_device_prove_opts *opts,
                                            cuzk_err *err);
/** Bytes of a batch in such groups, with slices of that many points. */
CUZK_NODISCARD cuzk_status device_plan_bytes(uint64_t *bytes, const cuzk_device_key *k,
                                             uint32_t group, uint32_t batch, uint64_t slice,
                                             cuzk_err *err);
/** Points of the longest array, those of G2 counted twice. */
uint64_t device_plan_longest(const cuzk_device_key *k);
/** Points of an array in one step. With a comb: whole groups and whole words of bits. */
static inline uint64_t device_slice_of(const device_points *p, uint64_t slice)
{
    const uint64_t s = p->bytes == sizeof(cuzk_g2_affine) ? (slice + 1) / 2 : slice;
    if (p->teeth != 0) {
        const uint64_t unit = (uint64_t)64 * p->teeth;
        return s < 2 * unit ? unit : s / unit * unit;
    }
    return s == 0 ? 1 : s;
}
/** What sums n points of an array: kind, n and teeth. */
cuzk_accel_op device_sum_op(const device_points *p, uint64_t n);

/** *a += *b, of the same group. */
void device_add_sum(cuzk_accel_sum *a, const cuzk_accel_sum *b);
/** *a = half of *a + *b. */
void device_half_sum(cuzk_accel_sum *a, const cuzk_accel_sum *b);
/** teeth (0: none) for the arrays of bits that are long enough for it to pay, or for all. */
void device_comb_choose(cuzk_device_key *k, unsigned teeth, bool all);
/** Device memory that making the chosen combs takes for a while. */
CUZK_NODISCARD cuzk_status device_comb_bytes(uint64_t *bytes, const cuzk_device_key *k,
                                             cuzk_err *err);
/** Makes them from the points, which are loaded. Waits. */
CUZK_NODISCARD cuzk_status device_comb_make(cuzk_device_key *k, cuzk_err *err);

/**
 * Sets image_bytes of long arrays for whose images there is memory beside the points and one proof per
 * lane, or the loading.
 * All points are resident.
 */
CUZK_NODISCARD cuzk_status device_images_choose(cuzk_device_key *k, uint32_t lanes,
                                                uint64_t free_bytes, uint64_t load_bytes,
                                                cuzk_err *err);
/** Makes the images of the points that are loaded. */
CUZK_NODISCARD cuzk_status device_images_make(cuzk_device_key *k, cuzk_err *err);

/** Copies with all threads of the pool. E_CANCELLED; without cancel it cannot fail. */
CUZK_NODISCARD cuzk_status device_copy(void *dst, const void *src, size_t bytes, cuzk_pool *pool,
                                       const cuzk_cancel *cancel);

/**
 * A copy of w as of cuzk_device_witness_take, so that its upload needs no time of the device's owner.
 * *out NULL: there is no memory for it, which is no failure.
 */
CUZK_NODISCARD cuzk_status device_stage_take(cuzk_witness **out, cuzk_device_key *k,
                                             const cuzk_witness *w, cuzk_pool *pool, cuzk_err *err);

#endif /* CUZK_GROTH16_DEVICE_INTERNAL_H */
