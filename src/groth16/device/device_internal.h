/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_DEVICE_INTERNAL_H
#define CUZK_GROTH16_DEVICE_INTERNAL_H

#include <pthread.h>

#include "groth16/device/device_key.h"

/*
 * Arrays of points in the order in which a proof uses them. They are no sections (cuzk_srs_section): a section has two
 * arrays, of its bit wires and of its other ("full") wires; sections h and l can share one; and the order is not the file's. HL is section h (with infinity for the
 * coefficient that bellperson's form leaves out, so 2^lg points). Where all points are on the device, the full
 * wires of l are behind it ("joined"): both end in the proof's C, so one sum does for both, and L_FULLS is
 * empty. Where points stream from the file, section h is as it is there, without the infinity.
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
/** Where the first point is loaded. */
static inline uint64_t device_first_of(const device_points *p)
{
    return p->teeth == 0 ? 0 : cuzk_accel_comb_first(p->n, p->teeth);
}

#define DEVICE_LANES  2 /* the most calls that share the device */
/* idle witnesses that are kept: for these calls, for one that waits, and some ahead */
#define DEVICE_STAGES 6

/* Queues of a call. */
typedef struct device_lane {
    /* one for work, one for slices of points that are copied to the device */
    cuzk_accel_queue *q, *copy;
    uint8_t *vector; /* page-locked; made when a plan first wants it */
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
    cuzk_accel_split split[CUZK_SRS_WIRE_SETS]; /* device_section_split */
    device_points points[DEVICE_ARRAYS];
    bool joined; /* the full wires of l are behind section h */
    /* points that stream come from the file; else they are in points[].host */
    bool from_file;
    bool stream_images;    /* images are made of slices whose sums are faster with them */
    device_stream *stream; /* of from_file */
    const char *what;      /* for messages: "PoRep 32GiB"; borrowed; or NULL */
    bool urgent;           /* its kernels have priority over those of other keys */
    cuzk_device_key_stats stats;
    device_lane lanes[DEVICE_LANES];
    uint32_t n_lanes;
    pthread_mutex_t lock; /* of what follows and lanes[].busy */
    pthread_cond_t lane_free;
    bool has_lock;
    void *stages[DEVICE_STAGES]; /* idle page-locked copies of witnesses */
};

/*
 * The memory of a call, made from what is free before anything of the call is allocated. A call has two phases,
 * which use the same memory one after the other:
 *
 *   h:     [witnesses] [values of a group] [scratch]     for each group: quotients, their sum with section h
 *   rest:  [witnesses of a batch] [a section's multipliers, of each] [scratch]     the other sums
 *
 * Values are what a witness is large by: 32 bytes for each point of the domain. The points that stream do so
 * once for each group (section h) and once for each batch (the others).
 */

#define DEVICE_MOST_BATCH 16u /* witnesses at once: marks of a queue */

/* The sums of a phase. Scratch: workspace, what a slice of the file is split to, images, two buffers for points on
 * their way. */
typedef struct device_sums {
    uint64_t slice;    /* points of G1 at a time; half as many of G2 */
    unsigned lg_batch; /* digits sorted at a time, as in cuzk_accel_op */
    unsigned
        lg_digits; /* for the time model: of what is sorted at a time; also where lg_batch is 0 */
    uint64_t work, buffer, split, images;
    uint64_t bytes; /* of all, the buffer twice */
} device_sums;

/** Offsets in the scratch of a phase. Buffer 0 is the last part. */
static inline uint64_t device_sums_split(const device_sums *s)
{
    return s->work;
}
static inline uint64_t device_sums_images(const device_sums *s)
{
    return s->work + s->split;
}
static inline uint64_t device_sums_buffer(const device_sums *s, uint32_t i)
{
    return s->work + s->split + s->images + (i % 2 == 0 ? s->buffer : 0);
}

/*
 * The first slice of the file in a phase. The device would wait for it, since it has no other work. So it
 * comes early: to memory that the work before the phase's sums does not use, during that work. Where there is no such
 * memory, it comes late, in short parts, so that the first sum begins soon.
 */
typedef struct device_first {
    bool is_early;
    unsigned lg; /* its parts, as in device_slice_parts */
    uint64_t
        at; /* offset of the first part in the memory of the call; it is in buffer 0 or behind it */
    uint64_t bytes; /* of the first part */
} device_first;

typedef struct device_plan {
    uint32_t group, batch; /* witnesses */
    /*
     * Vectors of the domain that a quotient has on the device, its values included: 3: as in quotient.c; 2: in
     * place, A and B evaluated twice; 1: in place, and the other vector is in host memory.
     */
    uint32_t vectors;
    bool again; /* witnesses are uploaded again for the rest: phase h has room for one */
    device_sums h, rest;
    device_first first_h, first_rest;
    uint64_t witness, values, section; /* bytes of one */
    uint64_t bits_bytes;               /* of section: bits, then scalars */
    uint64_t vector;                   /* bytes of a vector */
    uint64_t chunk;                    /* bytes of it that are being copied from the host */
    uint64_t quotient_work;
    uint64_t at_values, at_section, at_h, at_rest; /* offsets; the last two of the scratch */
    uint64_t total;                                /* bytes */
    uint64_t host;                                 /* bytes of host memory: the other vector */
} device_plan;

/** Bytes of the scratch of phase h that a quotient uses. */
uint64_t device_plan_quotient(const device_plan *p);
/** Plan for at most n witnesses in `free_bytes`. E_DEV_NOMEM with the numbers. */
CUZK_NODISCARD cuzk_status device_plan_make(device_plan *out, const cuzk_device_key *k, size_t n,
                                            uint64_t free_bytes, const cuzk_device_prove_opts *opts,
                                            cuzk_err *err);
/** The best plan for n witnesses; out->total 0: none fits, and out->h.bytes is what the smallest needs.
 * *ns: its time by the model of device_cost.c. */
CUZK_NODISCARD cuzk_status device_plan_choose(device_plan *out, uint64_t *ns,
                                              const cuzk_device_key *k, uint32_t n,
                                              uint64_t free_bytes,
                                              const cuzk_device_prove_opts *opts, cuzk_err *err);
/** Bytes of a call for one witness with three vectors and sums of at most that many points. */
CUZK_NODISCARD cuzk_status device_plan_bytes(uint64_t *bytes, const cuzk_device_key *k,
                                             uint64_t slice, cuzk_err *err);

/** device_first.c: sets p->first_h and first_rest; p->total grows within free_bytes where that makes them early. */
void device_plan_first(device_plan *p, const cuzk_device_key *k, uint32_t n, uint64_t free_bytes);

/* device_cost.c: a model, in nanoseconds, that plans are compared by. */

/** Sums of one witness with section h (is_h) or with the others. */
uint64_t device_cost_sums(const cuzk_device_key *k, const device_sums *s, bool is_h);
/** Time to copy the points that stream, for one pass over them. */
uint64_t device_cost_stream(const cuzk_device_key *k, bool is_h);
/** Time of a pass whose sums take sums_ns and whose points take stream_ns, both at once. */
uint64_t device_cost_pass(uint64_t sums_ns, uint64_t stream_ns);
/** Time to copy that many bytes of a section; of a sum of n points of section h; of a quotient. */
uint64_t device_cost_bytes(const cuzk_device_key *k, cuzk_srs_section s, uint64_t bytes);
uint64_t device_cost_sum_h(const cuzk_device_key *k, const device_sums *s, uint64_t n);
uint64_t device_cost_quotient(const cuzk_device_key *k, uint32_t vectors);
/** Time that fewer vectors cost for one witness. */
uint64_t device_cost_vectors(const cuzk_device_key *k, uint32_t vectors);

/** Number of points of the longest array of a phase, those of G2 counted twice. */
uint64_t device_plan_longest(const cuzk_device_key *k, bool is_h);
/** Number of points of an array in one step. With a comb: whole groups and whole words of bits. */
static inline uint64_t device_slice_of(const device_points *p, uint64_t slice)
{
    const uint64_t s = p->bytes == sizeof(cuzk_g2_affine) ? (slice + 1) / 2 : slice;
    if (p->teeth != 0) {
        const uint64_t unit = (uint64_t)64 * p->teeth;
        return s < 2 * unit ? unit : s / unit * unit;
    }
    return s == 0 ? 1 : s;
}
/** Fills the operation that sums n points of an array: kind, n, teeth, images and lg_batch. */
cuzk_accel_op device_sum_op(const cuzk_device_key *k, const device_points *p, uint64_t n,
                            unsigned lg_batch);

/** *a += *b, of the same group. */
void device_add_sum(cuzk_accel_sum *a, const cuzk_accel_sum *b);
/** *a = half of *a + *b. */
void device_half_sum(cuzk_accel_sum *a, const cuzk_accel_sum *b);
/** Chooses teeth (0: no comb) for the arrays of bits that are long enough for a comb to pay, or for all. */
void device_comb_choose(cuzk_device_key *k, unsigned teeth, bool all);
/** Device memory that making the chosen combs takes for a while. */
CUZK_NODISCARD cuzk_status device_comb_bytes(uint64_t *bytes, const cuzk_device_key *k,
                                             cuzk_err *err);
/** Makes the combs from the points, which are loaded. Waits. */
CUZK_NODISCARD cuzk_status device_comb_make(cuzk_device_key *k, cuzk_err *err);

/**
 * Sets image_bytes of long arrays for whose images there is memory, in addition to the points and to one proof per
 * lane or the load. All points are resident.
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
 * An empty witness of the key's circuit in page-locked memory, as of cuzk_witness_create. *out NULL:
 * there is no such memory, which is no failure. E_DEV_LOST.
 */
CUZK_NODISCARD cuzk_status device_witness_take(cuzk_witness **out, cuzk_device_key *k,
                                               cuzk_err *err);
/** Returns a witness to its key, which keeps some for the next calls. NULL is fine. */
void device_witness_give(cuzk_device_key *k, cuzk_witness *w);
/**
 * Copies w into page-locked memory (device_witness_take), before the caller has the device, so that the upload is
 * fast. *out NULL: there is no memory for it, which is no failure.
 */
CUZK_NODISCARD cuzk_status device_stage_take(cuzk_witness **out, cuzk_device_key *k,
                                             const cuzk_witness *w, cuzk_pool *pool, cuzk_err *err);

#endif /* CUZK_GROTH16_DEVICE_INTERNAL_H */
