/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_DEVICE_KEY_H
#define CUZK_GROTH16_DEVICE_KEY_H

/*
 * What proofs of one circuit need on one device (accel/accel.h): the compiled circuit, the twiddles,
 * and the points of the parameters, split by the class of their wires. Points stay in device memory
 * as far as it goes. The rest streams through it, once for all witnesses of a call: from a copy in
 * host memory that the device copies from, or from the file of the parameters, which takes no memory.
 */
#include "accel/accel.h"
#include "groth16/cpu/prove.h"
#include "groth16/setup/setup.h"

typedef struct cuzk_device_key cuzk_device_key;

/** Where the points are kept that do not fit on the device. */
typedef enum cuzk_device_points {
    CUZK_DEVICE_POINTS_AUTO = 0, /* MEMORY where host_bytes holds them, else FILE */
    CUZK_DEVICE_POINTS_MEMORY,   /* page-locked, decoded and split */
    CUZK_DEVICE_POINTS_FILE      /* read again for each call (in most cases from the page cache) */
} cuzk_device_points;

/** Combs of the points of bit wires (accel/comb_hd.h): more memory for fewer additions. */
typedef enum cuzk_device_comb {
    CUZK_DEVICE_COMB_NONE = 0,
    CUZK_DEVICE_COMB_AUTO, /* of long arrays, when memory is left for all lanes */
    CUZK_DEVICE_COMB_3,    /* of all arrays that are on the device, with three or four teeth */
    CUZK_DEVICE_COMB_4
} cuzk_device_comb;

/** Shorter arrays have none: the host's half millisecond for the halves would be much for them. */
#define CUZK_DEVICE_LEAST_COMB ((uint64_t)1 << 20)

typedef struct cuzk_device_key_opts {
    cuzk_point_check check; /* of the points of a file as they are decoded; UNCHECKED: encoding */
    bool stream;            /* keep no points on the device, even if they fit */
    cuzk_device_points points; /* parameters made on the device: always MEMORY */
    uint64_t host_bytes;       /* for AUTO: host memory that points may take; 0: any */
    /**
     * Bytes of a .params file that may be page-locked in the page cache for as long as the key is there. What streams
     * from them is copied by the device itself: faster, and without a processor. 0: the file is read. So it is where
     * the page cache has the file in small pages, which take long to lock, unless lock_small_pages.
     */
    uint64_t lock_bytes;
    bool lock_small_pages;
    uint32_t lanes; /* calls that may share the device at once; 0: 2 for small circuits, else 1 */
    uint64_t chunk_points; /* points loaded at a time; 0: 2^20 */
    bool urgent;           /* kernels of its proofs have priority over those of other keys */
    cuzk_device_comb comb;
    const char *what; /* for messages: "PoRep 32GiB"; a literal, or as long as the key; or NULL */
    /**
     * Images of the points that are multiplied (CUZK_ACCEL_OP_IMAGES_G1), where they fit in addition to the memory of
     * all lanes: faster sums. The points must be in the subgroup; otherwise the sums are wrong.
     */
    bool images;
    cuzk_trace_ctx trace; /* a span "srs_load" or "srs_make" */
    /** Optional; called from the calling thread with points done of total. */
    void (*progress)(void *arg, const char *section, uint64_t done, uint64_t total);
    void *progress_arg;
} cuzk_device_key_opts;

/**
 * Loads the parameters. Circuit and device must outlive the key. srs need not, but for FILE with
 * parameters that are no .params file: these are read through srs, by calls of the key, and meanwhile
 * no other reader may use it. A .params file stays open as long as the key; when it is changed
 * afterwards, calls fail with E_IO and its name (a new file in its place is no change). E_INVALID as
 * cuzk_prove; E_DEV_NOMEM with the numbers when not even one proof would fit; E_ENCODING, ...; E_IO.
 */
CUZK_NODISCARD cuzk_status cuzk_device_key_create(cuzk_device_key **out, cuzk_accel *dev,
                                                  const cuzk_circuit *c, const cuzk_srs *srs,
                                                  const cuzk_device_key_opts *opts, cuzk_pool *pool,
                                                  const cuzk_cancel *cancel, cuzk_err *err);
/**
 * Makes the parameters on the device, without a file: for tests and measurements, since the waste
 * is known. E_UNSUPPORTED when the device cannot.
 */
CUZK_NODISCARD cuzk_status cuzk_device_key_setup(cuzk_device_key **out, cuzk_accel *dev,
                                                 const cuzk_circuit *c, const cuzk_toxic *toxic,
                                                 const cuzk_device_key_opts *opts,
                                                 const cuzk_cancel *cancel, cuzk_err *err);
/**
 * cuzk_setup_write with the points made on the device: the same bytes. Only bellperson's form
 * (opts->kind is not read). E_UNSUPPORTED when the device cannot.
 */
CUZK_NODISCARD cuzk_status cuzk_device_setup_write(cuzk_accel *dev, const cuzk_circuit *c,
                                                   const cuzk_toxic *toxic, const char *params_path,
                                                   const char *vk_path, const cuzk_setup_opts *opts,
                                                   cuzk_pool *pool, const cuzk_cancel *cancel,
                                                   cuzk_err *err);
/** No call may be using it. NULL is fine. */
void cuzk_device_key_destroy(cuzk_device_key *k);
const cuzk_srs_vk *cuzk_device_key_vk(const cuzk_device_key *k);
cuzk_accel *cuzk_device_key_device(const cuzk_device_key *k);

typedef struct cuzk_device_key_stats {
    uint64_t device_bytes; /* circuit, twiddles and resident points with their images */
    uint64_t host_bytes;   /* points that stream, or the buffers they stream through */
    uint64_t locked_bytes; /* of the file in the page cache (cuzk_device_key_opts.lock_bytes) */
    bool resident;         /* all points are on the device */
    bool from_file;        /* the others stream from the file */
    uint32_t teeth;        /* of the combs; 0: none */
    uint32_t lanes;        /* calls at once; others wait */
    uint64_t passes; /* over section h, by all calls so far; over the others there may be fewer */
} cuzk_device_key_stats;
cuzk_device_key_stats cuzk_device_key_get_stats(const cuzk_device_key *k);

typedef struct cuzk_device_prove_opts {
    const cuzk_scalar *r, *s; /* [n] both, or neither: from the OS */
    uint32_t max_group;       /* witnesses whose quotients are there at once; 0: chosen */
    uint64_t slice_points;    /* points of a sum at a time, 0: as many as fit */
    uint64_t most_bytes;      /* of device memory that the call may take; 0: all that is free */
    /**
     * Spans "stage_witness"; "prove", and in it "gpu_total" from device events, which is the sum of
     * "prep_msm" (upload of witnesses, waits of the device for witnesses, values of the sections), "eval" (A.w, B.w),
     * "ntt_msm_h" (quotient and its sum), "batch_add" (bits of l, a, b_g1), "tail_msm" (full wires of a, b_g1; those of l go with h)
     * and "b_g2_msm"; "assemble".
     */
    cuzk_trace_ctx trace;
    const int32_t *partitions; /* [n] optional: tags of the witnesses' spans */
    int32_t device;            /* tag; CUZK_TRACE_NONE: none */
    cuzk_pool *pool;           /* optional; copies of large witnesses */
    bool pinned;               /* all witnesses are in page-locked memory of a device */
    /**
     * Optional: witnesses that are still being made; `witnesses` and pinned are not read then, and witnesses may be
     * NULL. Waits until witness i of the call is made: *w, borrowed until the call returns, and *pinned. Called on the
     * calling thread, in order of i, each witness just before it is uploaded: the first one before the call has
     * anything of the device. Later it may be called again for the same ones. A failure ends the call with this status.
     */
    cuzk_status (*await)(void *arg, size_t i, const cuzk_witness **w, bool *pinned, cuzk_err *err);
    void *await_arg;
} cuzk_device_prove_opts;

/** How a call for n witnesses would use device memory. */
typedef struct cuzk_device_plan_info {
    uint32_t group, batch;   /* witnesses for a pass over section h, and over the others */
    uint32_t vectors;        /* of the domain on the device: 3, 2 or 1 */
    uint64_t slice_h, slice; /* points of G1 at a time, of section h and of the others */
    uint64_t device_bytes;   /* besides the key's */
    uint64_t host_bytes;     /* of a vector that is in host memory meanwhile */
    uint64_t expected_ns;    /* by a model of one H200; for comparison only */
} cuzk_device_plan_info;
/** free_bytes: of device memory, besides the key's. E_DEV_NOMEM with card, kind, needed and available. */
CUZK_NODISCARD cuzk_status cuzk_device_key_plan(cuzk_device_plan_info *out,
                                                const cuzk_device_key *k, uint32_t n,
                                                uint64_t free_bytes, cuzk_err *err);

/** Device bytes that a call takes besides the key to prove one witness with no sum in slices. */
CUZK_NODISCARD cuzk_status cuzk_device_prove_bytes(uint64_t *bytes, const cuzk_device_key *k,
                                                   cuzk_err *err);
/**
 * What a call for one witness takes of `most` bytes that are free besides the key: as above, or less, with sums in
 * slices. E_DEV_NOMEM when one proof does not fit.
 */
CUZK_NODISCARD cuzk_status cuzk_device_prove_bytes_within(uint64_t *bytes, const cuzk_device_key *k,
                                                          uint64_t most, cuzk_err *err);
/** The least that a call for one witness can do with besides the key. Slower than the others, by some percent to twice. */
CUZK_NODISCARD cuzk_status cuzk_device_least_bytes(uint64_t *bytes, const cuzk_device_key *k,
                                                   cuzk_err *err);
/**
 * n proofs, exactly those of cuzk_prove. Memory is planned from what is free on the device when the
 * call begins; E_DEV_NOMEM with the numbers when not one witness fits; E_IO when the file that points
 * stream from cannot be read or has been changed. On failure out is not written. opts may be NULL. @thread any; calls beyond the key's lanes wait.
 */
CUZK_NODISCARD cuzk_status cuzk_device_prove(cuzk_device_key *k, cuzk_proof *out, size_t n,
                                             const cuzk_witness *const *witnesses,
                                             const cuzk_device_prove_opts *opts,
                                             const cuzk_cancel *cancel, cuzk_err *err);

#endif /* CUZK_GROTH16_DEVICE_KEY_H */
