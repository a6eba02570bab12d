/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_ACCEL_H
#define CUZK_ACCEL_ACCEL_H

/*
 * A device that proves: the CPU, a GPU, or the mock of the tests, behind one interface. A device
 * has memory, in-order queues, and a closed set of operations (cuzk_accel_op). Whoever wants to run
 * one asks first what it needs (cuzk_accel_plan: nothing is allocated by an operation), gives it a
 * workspace, and enqueues it.
 *
 * - Pointers named d_ are addresses on the device, for pointer arithmetic and nothing else.
 * - cuzk_accel_enqueue reports refusals only; a failure of the work itself comes from the next
 *   cuzk_accel_sync of the queue, and results (sums, downloads) are valid after a sync that
 *   succeeded. Memory that enqueued work uses, on either side, stays until then.
 * - E_DEV_NOMEM, E_DEV_UNFIT (the work is beyond the device) and E_DEV_LOST are retryable elsewhere. E_DEV_LOST is sticky: every later call on
 *   the device gives it at once, until the device is closed and opened again.
 * - No call has effects on a device but through its handle; there is no current device.
 *
 * @thread a device may be used from any thread; a queue by one thread at a time.
 */
#include "accel/comb_hd.h"
#include "accel/toxic_waste.h"
#include "base/status.h"
#include "ec/g1.h"
#include "ec/g2.h"
#include "r1cs/circuit.h"
#include "r1cs/srs_section.h"
#include "r1cs/witness.h"
#include "sys/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuzk_accel cuzk_accel;
typedef struct cuzk_accel_queue cuzk_accel_queue;
typedef struct cuzk_accel_circuit cuzk_accel_circuit;
typedef struct cuzk_accel_domain cuzk_accel_domain;

typedef enum cuzk_accel_kind {
    CUZK_ACCEL_CPU = 0,
    CUZK_ACCEL_CUDA = 1,
    CUZK_ACCEL_MOCK = 2
} cuzk_accel_kind;

typedef struct cuzk_accel_props {
    cuzk_accel_kind kind;
    uint32_t ordinal; /* among the devices of its kind */
    char name[96];
    char id[48];           /* PCI address or UUID; "cpu", "mock" */
    uint64_t memory_total; /* bytes that this program may use, the limit applied; CPU: UINT64_MAX */
    uint64_t memory_free;  /* of these, now */
    bool lost;             /* unusable until it is opened again */
} cuzk_accel_props;

/** Never fails. */
void cuzk_accel_get_props(cuzk_accel *dev, cuzk_accel_props *out);
/** The device has failed for good; whoever schedules on it puts it in quarantine. */
bool cuzk_accel_is_lost(const cuzk_accel *dev);
/**
 * Sums and transforms with known answers, in every shape that proofs use, beside whatever else the device
 * does: some tenths of a second. E_DEV_UNFIT names the device and what was wrong; other device errors.
 */
CUZK_NODISCARD cuzk_status cuzk_accel_self_test(cuzk_accel *dev, cuzk_err *err);
/** Every queue, block and object of the device must be gone. NULL is fine. */
void cuzk_accel_close(cuzk_accel *dev);

/**
 * Device memory, 256-byte aligned, from the device's one reservation. E_DEV_NOMEM names what was
 * asked and what is there. bytes 0 gives a block that may be freed.
 */
CUZK_NODISCARD cuzk_status cuzk_accel_alloc(cuzk_accel *dev, void **d_out, uint64_t bytes,
                                            cuzk_err *err);
/** No enqueued work may still use it. NULL is fine. */
void cuzk_accel_free(cuzk_accel *dev, void *d_p);
/** Host memory that the device copies from and to at full speed. E_NOMEM. */
CUZK_NODISCARD cuzk_status cuzk_accel_host_alloc(cuzk_accel *dev, void **out, uint64_t bytes,
                                                 cuzk_err *err);
void cuzk_accel_host_free(cuzk_accel *dev, void *p);
/**
 * Page-locks memory of the caller, whole pages that may be mapped read-only, so that the device copies from it at full
 * speed; an UPLOAD must lie within one such block. E_UNSUPPORTED: this device, or its driver, cannot; E_NOMEM: not so
 * much. The memory is not written and, by uploads of 1 MiB or more, not read by a processor.
 */
CUZK_NODISCARD cuzk_status cuzk_accel_host_lock(cuzk_accel *dev, void *p, uint64_t bytes,
                                                cuzk_err *err);
/** p: the beginning of a locked block, which no enqueued work may still use. */
void cuzk_accel_host_unlock(cuzk_accel *dev, void *p);

CUZK_NODISCARD cuzk_status cuzk_accel_queue_create(cuzk_accel_queue **out, cuzk_accel *dev,
                                                   cuzk_err *err);
/** As above; the device starts the queue's work before that of other queues, where it can. */
CUZK_NODISCARD cuzk_status cuzk_accel_queue_create_urgent(cuzk_accel_queue **out, cuzk_accel *dev,
                                                          cuzk_err *err);
/** Waits for the work in it. NULL is fine. */
void cuzk_accel_queue_destroy(cuzk_accel_queue *q);
cuzk_accel *cuzk_accel_queue_device(const cuzk_accel_queue *q);
/** Waits; the first failure of the work enqueued since the last sync. */
CUZK_NODISCARD cuzk_status cuzk_accel_sync(cuzk_accel_queue *q, cuzk_err *err);
/** What is enqueued in q from now on starts after what has been enqueued in other (same device). */
CUZK_NODISCARD cuzk_status cuzk_accel_wait(cuzk_accel_queue *q, cuzk_accel_queue *other,
                                           cuzk_err *err);

/** Points in time of a queue, for spans. At most this many between two resets. */
#define CUZK_ACCEL_MARKS 192u
/** Forgets the marks and ties the queue's clock to the host's; waits for the queue. */
CUZK_NODISCARD cuzk_status cuzk_accel_marks_reset(cuzk_accel_queue *q, cuzk_err *err);
/** *mark = number of a mark that is passed when all work enqueued so far is done. E_INVALID: too many. */
CUZK_NODISCARD cuzk_status cuzk_accel_mark(cuzk_accel_queue *q, uint32_t *mark, cuzk_err *err);
/** Host time (cuzk_clock_ns) at which a mark was passed; after a sync. */
CUZK_NODISCARD cuzk_status cuzk_accel_mark_ns(cuzk_accel_queue *q, uint32_t mark, uint64_t *ns,
                                              cuzk_err *err);

/** How a domain keeps its twiddles. The transforms have the same results. */
typedef enum cuzk_accel_twiddles {
    CUZK_ACCEL_TWIDDLES_FULL = 0, /* every twiddle: as many bytes as a vector of the domain */
    CUZK_ACCEL_TWIDDLES_SMALL     /* two small tables; the lowest levels multiply their entries */
} cuzk_accel_twiddles;

/** Device bytes of the next two objects. */
uint64_t cuzk_accel_circuit_bytes(cuzk_accel *dev, const cuzk_circuit *c, bool all_wires);
uint64_t cuzk_accel_domain_bytes(cuzk_accel *dev, unsigned lg_n, cuzk_accel_twiddles t);
/**
 * A compiled circuit on the device; waits for the queue. all_wires: sections a and b have a point
 * for every wire (zkey files). The circuit must outlive the object.
 */
CUZK_NODISCARD cuzk_status cuzk_accel_circuit_create(cuzk_accel_circuit **out, cuzk_accel_queue *q,
                                                     const cuzk_circuit *c, bool all_wires,
                                                     cuzk_err *err);
void cuzk_accel_circuit_destroy(cuzk_accel_circuit *c, cuzk_accel_queue *q);
/** Twiddles of 2^lg_n points; root_2_32 NULL: 7^t. Waits for the queue. */
CUZK_NODISCARD cuzk_status cuzk_accel_domain_create(cuzk_accel_domain **out, cuzk_accel_queue *q,
                                                    unsigned lg_n, const cuzk_fr *root_2_32,
                                                    cuzk_accel_twiddles t, cuzk_err *err);
void cuzk_accel_domain_destroy(cuzk_accel_domain *d, cuzk_accel_queue *q);
/** Bytes of one witness of the circuit on the device. */
uint64_t cuzk_accel_witness_bytes(const cuzk_accel_circuit *c);

/**
 * A section (l, a or one of b) split by the class of its wires. Bit wires sit in slots of their own array, which may
 * have empty slots (their points are infinity, their bits 0); inputs and full wires in the other.
 */
typedef struct cuzk_accel_split {
    uint64_t n_points; /* of the section */
    uint64_t n_bits, n_fulls;
} cuzk_accel_split;
void cuzk_accel_section_split(const cuzk_accel_circuit *c, cuzk_srs_section s,
                              cuzk_accel_split *out);
/** Slots of each array before those of point i <= n_points: where a part that begins there goes. */
void cuzk_accel_section_slots(const cuzk_accel_circuit *c, cuzk_srs_section s, uint64_t i,
                              uint64_t *bit_slots, uint64_t *full_slots);

/** The sum of a section or of a part of one. */
typedef struct cuzk_accel_sum {
    bool is_g2;
    union {
        cuzk_g1 g1;
        cuzk_g2 g2;
    } v;
} cuzk_accel_sum;

typedef enum cuzk_accel_op_kind {
    CUZK_ACCEL_OP_UPLOAD = 0, /* copy: host to device */
    CUZK_ACCEL_OP_DOWNLOAD,   /* copy: device to host */
    CUZK_ACCEL_OP_COPY,       /* copy: on the device */
    CUZK_ACCEL_OP_ZERO,       /* copy: d_dst, bytes */
    CUZK_ACCEL_OP_WITNESS,    /* witness */
    CUZK_ACCEL_OP_EVAL,       /* eval */
    CUZK_ACCEL_OP_EVAL_TIMES, /* eval, each value times what is in its place */
    CUZK_ACCEL_OP_INTT,       /* ntt: domain to coefficients, natural to bit-reversed */
    CUZK_ACCEL_OP_TO_COSET,   /* ntt: domain to the coset of shift, natural to natural */
    CUZK_ACCEL_OP_MUL,        /* vec: out = a b */
    CUZK_ACCEL_OP_RESIDUE,    /* vec: out = a b - c, as scalars */
    CUZK_ACCEL_OP_DIFF,       /* vec: out = k (a - b), as scalars */
    CUZK_ACCEL_OP_REVERSE,    /* vec: out, in place, from bit-reversed to natural order */
    CUZK_ACCEL_OP_PRODUCT,    /* poly: out = k times what a b interpolates, bit-reversed */
    CUZK_ACCEL_OP_QUOTIENT,   /* poly: out = k times that on the coset - c, natural order */
    CUZK_ACCEL_OP_SECTION,    /* section */
    CUZK_ACCEL_OP_MSM_G1,     /* msm with scalars */
    CUZK_ACCEL_OP_MSM_G2,     /* msm with scalars */
    CUZK_ACCEL_OP_BITS_G1,    /* msm with bits */
    CUZK_ACCEL_OP_BITS_G2,    /* msm with bits */
    CUZK_ACCEL_OP_SIGNS_G1,   /* msm with bits and teeth: every point, negated where its bit is 0 */
    CUZK_ACCEL_OP_SIGNS_G2,   /* msm with bits and teeth */
    CUZK_ACCEL_OP_COMB_G1,    /* comb: the table that SIGNS sums from */
    CUZK_ACCEL_OP_COMB_G2,    /* comb */
    CUZK_ACCEL_OP_DECODE_G1,  /* decode */
    CUZK_ACCEL_OP_DECODE_G2,  /* decode */
    CUZK_ACCEL_OP_SPLIT_G1,   /* split */
    CUZK_ACCEL_OP_SPLIT_G2,   /* split */
    CUZK_ACCEL_OP_IMAGES_G1,  /* images */
    CUZK_ACCEL_OPS
} cuzk_accel_op_kind;
/** "upload", "ntt_to_coset", ...; a literal. */
const char *cuzk_accel_op_name(cuzk_accel_op_kind k);

/** One operation; only the member of its kind is read. Elements are Montgomery unless said. */
typedef struct cuzk_accel_op {
    cuzk_accel_op_kind kind;
    union {
        struct {
            void *d_dst; /* DOWNLOAD: a host address */
            const void *src;
            uint64_t bytes;
        } copy;
        struct { /* d_out [cuzk_accel_witness_bytes] */
            const cuzk_accel_circuit *circuit;
            void *d_out;
            const cuzk_witness *w;
            bool pinned; /* w's arrays are of cuzk_accel_host_alloc; they stay until the sync */
        } witness;
        struct
        { /* d_out[k] = <M_k, w>, n_out >= prover rows, padded with zeros; EVAL_TIMES: d_out[k] *= that */
            const cuzk_accel_circuit *circuit;
            const void *d_witness;
            cuzk_fr *d_out;
            uint64_t n_out;
            cuzk_matrix_id matrix; /* A or B */
        } eval;
        struct {
            const cuzk_accel_domain *domain;
            cuzk_fr *d_a;  /* [2^lg_n], in place */
            cuzk_fr shift; /* not 0; 1: none. INTT: of the coset that the input is on */
        } ntt;
        struct { /* d_out may be any of the inputs */
            cuzk_fr *d_out;
            const cuzk_fr *d_a, *d_b, *d_c;
            uint64_t n; /* REVERSE: a power of two */
            cuzk_fr k;  /* DIFF */
        } vec;
        struct
        { /* all [2^lg_n]. The polynomial that is a b, value by value in natural order, on the
                  * domain or the coset: k times its coefficients. d_out may be d_b. */
            const cuzk_accel_domain *domain;
            cuzk_scalar *d_out;
            cuzk_fr *d_a; /* QUOTIENT: overwritten */
            const cuzk_fr *d_b;
            const cuzk_scalar *d_c; /* QUOTIENT: as PRODUCT makes them */
            cuzk_fr shift;          /* QUOTIENT: of the coset; not 0 */
            cuzk_fr k;
        } poly;
        struct { /* what the points of a split section are multiplied by */
            const cuzk_accel_circuit *circuit;
            const void *d_witness;
            cuzk_srs_section section;
            uint64_t *d_bits;       /* [(n_bits + 63) / 64]; NULL: not wanted */
            cuzk_scalar *d_scalars; /* [n_fulls]; NULL: not wanted */
        } section;
        struct {                 /* scalars < 2^255; *sum is written by the sync */
            const void *d_bases; /* affine; SIGNS: the comb of n points */
            const cuzk_scalar *d_scalars;
            const uint64_t *d_bits;
            uint64_t n;
            unsigned teeth; /* SIGNS */
            /* MSM: a sum sorts at most about 2^lg_batch digits at a time. Fewer need less workspace
             * and more time. 0: what is fastest. */
            unsigned lg_batch;
            cuzk_accel_sum *sum;
            bool
                images; /* MSM_G1: d_images are those of the bases, by IMAGES_G1; these are then in the
                            subgroup of order r, or the sum is wrong */
            const void *d_images;
        } msm;
        struct { /* n points to their comb, in place (comb_hd.h) */
            void *d_points;
            uint64_t n;
            unsigned teeth;
        } comb;
        struct
        { /* uncompressed points; sync gives E_ENCODING, E_NOT_ON_CURVE, ... with the index */
            void *d_out;
            const uint8_t *d_in;
            uint64_t n;
            cuzk_point_check check; /* infinity is refused in any case */
            const char *what;       /* section, for the message */
            uint64_t first;         /* added to the index in the message */
        } decode;
        struct { /* points [first, first + n) of a section to the slots of their wires */
            const cuzk_accel_circuit *circuit;
            cuzk_srs_section section;
            const void *d_points;
            uint64_t first, n;
            void *d_bits;  /* slots [bit_slot, ...), zeroed before: empty ones are not written */
            void *d_fulls; /* slots [full_slot, ...) */
            uint64_t bit_slot, full_slot;
        } split;
        struct
        { /* what makes sums over n affine points of G1 faster, at their cuzk_accel_image_bytes */
            const void *d_points;
            void *d_images; /* 32-byte aligned */
            uint64_t n;
        } images;
    } u;
} cuzk_accel_op;

/** Bytes of the images of a point of G1. 0: sums of n terms on this device have no use for them. */
uint64_t cuzk_accel_image_bytes(cuzk_accel *dev, uint64_t n);

/** Bytes that an operation needs while it runs. */
typedef struct cuzk_accel_need {
    uint64_t device_bytes; /* workspace */
    uint64_t pinned_bytes; /* host memory that the queue holds for results */
} cuzk_accel_need;

/** E_INVALID or E_UNSUPPORTED when the device cannot run it at all. Pointers are not looked at. */
CUZK_NODISCARD cuzk_status cuzk_accel_plan(cuzk_accel *dev, const cuzk_accel_op *op,
                                           cuzk_accel_need *out, cuzk_err *err);
/** d_ws: 256-byte aligned workspace of at least the planned bytes, free for other work after it. */
CUZK_NODISCARD cuzk_status cuzk_accel_enqueue(cuzk_accel_queue *q, const cuzk_accel_op *op,
                                              void *d_ws, uint64_t ws_bytes, cuzk_err *err);

/* Parameters made on the device from known toxic waste: IC first, then the sections in the order of a .params file. */

/**
 * Takes points [first, first + n) of a section or of IC at d_points; work that it enqueues in the queue of
 * cuzk_accel_setup finds them ready, and they stay until that work is done.
 */
typedef cuzk_status (*cuzk_accel_setup_sink)(void *arg, cuzk_srs_section section, uint64_t first,
                                             uint64_t n, const void *d_points, cuzk_err *err);
/** Workspace of cuzk_accel_setup; 0: the device cannot. slice: a power of two >= 2^10. */
uint64_t cuzk_accel_setup_bytes(cuzk_accel *dev, const cuzk_circuit *c, uint64_t slice);
/**
 * Makes all sections of bellperson's form. E_UNSUPPORTED: the device cannot; E_INVALID as
 * cuzk_setup_write; what the sink returns. Waits.
 */
CUZK_NODISCARD cuzk_status cuzk_accel_setup(cuzk_accel_queue *q, const cuzk_circuit *c,
                                            const cuzk_toxic *toxic, uint64_t slice, void *d_ws,
                                            cuzk_accel_setup_sink sink, void *arg, cuzk_err *err);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_ACCEL_H */
