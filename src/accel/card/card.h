/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CARD_CARD_H
#define CUZK_ACCEL_CARD_CARD_H

/*
 * What a kernel may ask of a CUDA card, and what the kernels ask: plain C, built with and without
 * CUDA. One table has a row for each class of card (the compute capability); the launches of
 * accel/cuda take their sizes from it, the tests check it against the limits of every class, and the
 * mock device and --as-card enforce it.
 */
#include "accel/card/kernels.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CUZK_CARD_LEAST_CC         80u /* 8.0: copies from global to shared memory without registers */
#define CUZK_CARD_BLOCK_RESERVE    1024u /* bytes of shared memory of a block that the system takes */
#define CUZK_CARD_REGISTERS        65536u /* of a multiprocessor, in every class */
#define CUZK_CARD_THREADS          1024u  /* of a block, at most, in every class */
#define CUZK_CARD_THREAD_REGISTERS 255u

/** Limits of one multiprocessor (SM) of a class; shared memory in bytes. */
typedef struct cuzk_card_limits {
    uint32_t shared_block; /* of a block, static and dynamic together */
    uint32_t shared_sm;
    uint32_t threads_sm, blocks_sm;
} cuzk_card_limits;

/** Which kernels a class runs, where there are two of a kind, and their variable sizes. */
typedef struct cuzk_card_shapes {
    cuzk_kernel tree_g1, tree_g2, reduce_g1, reduce_g2, hex_pieces_g1, ntt_pass, ntt_middle;
    uint32_t place_entries; /* entries of 4 bytes in the shared memory of place_k */
    uint32_t spread_blocks; /* of spread_k on a multiprocessor */
} cuzk_card_shapes;

/** A row of the table. */
typedef struct cuzk_card_class {
    unsigned cc;         /* compute capability: 10 major + minor */
    const char *text;    /* "8.9" */
    const char *example; /* a card of the class, of `sms` multiprocessors */
    uint32_t sms;
    uint32_t l2_bytes;
    cuzk_card_limits limits;
    cuzk_card_shapes shapes;
} cuzk_card_class;

#define CUZK_CARD_CLASSES 6u
extern const cuzk_card_class CUZK_CARD_TABLE[CUZK_CARD_CLASSES];

/**
 * Picoseconds of the parts of a sum in G1: a term in a window (its sort and its addition), where buckets are large
 * enough for affine additions and where they are not; a bucket; a term and a bucket of hexagonal digits. The
 * widths of windows follow from them. All 0: not measured.
 */
typedef struct cuzk_card_costs {
    uint32_t term_ps, small_term_ps, bucket_ps, hex_term_ps, hex_bucket_ps;
} cuzk_card_costs;

/** One device: its class, and what differs from card to card. */
typedef struct cuzk_card {
    const cuzk_card_class *klass;
    unsigned cc; /* the device's own; the class may be an older one */
    uint32_t sms;
    uint64_t memory;  /* bytes; 0: not known */
    bool is_enforced; /* another card is played: every launch is held to the class's limits */
    bool xyzz; /* sums by additions in XYZZ alone: affine ones, in a tree, move too many bytes for
                  the card's memory */
    cuzk_card_costs costs; /* measured on the card; not measured: those of accel/card/tuning.h */
    /* Without xyzz: sums in G1 by a tree of two levels, in parts that stay in the second-level cache. */
    bool cached_tree;
} cuzk_card;

/**
 * The row for a compute capability: its own; else the next lower one with the same major number; else
 * (a generation that came after this table) the newest one whose blocks need no more than
 * shared_block bytes. NULL: below 8.0, or no row fits.
 */
const cuzk_card_class *cuzk_card_class_of(unsigned cc, uint32_t shared_block);

/** What a device says of itself. */
typedef struct cuzk_card_facts {
    const char *name;
    unsigned cc;
    uint32_t shared_block; /* that a block may have when it asks */
    uint32_t sms;
    uint64_t memory;
} cuzk_card_facts;
/**
 * The class of a device. E_DEV_UNFIT names the device, what it has and what is needed ("RTX 2060: compute
 * capability 7.5, needs 8.0").
 */
CUZK_NODISCARD cuzk_status cuzk_card_of(cuzk_card *out, const cuzk_card_facts *f, cuzk_err *err);

/**
 * A card to play, as --as-card has it: "8.9", "8.9:24GiB" or "8.9:24GiB:128" (multiprocessors;
 * without them those of the row's example). E_INVALID names what is wrong. The result is enforced.
 */
CUZK_NODISCARD cuzk_status cuzk_card_parse(cuzk_card *out, const char *text, cuzk_err *err);
/** Of the card's memory, what a program can have: 1 GiB stays with driver, context and display. */
uint64_t cuzk_card_usable(const cuzk_card *card);

/**
 * CUDA devices opened from now on play this card (NULL: are themselves again): its shapes, limits,
 * multiprocessors and memory. For tests and measurements; not while another thread opens a device.
 */
void cuzk_card_play(const cuzk_card *card);
/** NULL: none is played. */
const cuzk_card *cuzk_card_played(void);

/** Threads and dynamic shared memory of a launch. */
typedef struct cuzk_launch {
    uint32_t threads;
    uint32_t dynamic_bytes; /* the most: place_k takes less for short bins */
} cuzk_launch;

cuzk_launch cuzk_card_launch(const cuzk_card_class *c, cuzk_kernel k);
/** False for the kernel that the class has another one in place of. */
bool cuzk_card_runs(const cuzk_card_class *c, cuzk_kernel k);
/** Blocks of a kernel that a multiprocessor holds; 0: not one fits. */
uint32_t cuzk_card_blocks(const cuzk_card_limits *l, uint32_t threads, uint32_t registers,
                          uint64_t shared_bytes);
/**
 * E_DEV_UNFIT unless a launch is within the limits of a class: threads, shared memory (static_bytes
 * as compiled, and the launch's own), registers of a thread as compiled.
 */
CUZK_NODISCARD cuzk_status cuzk_card_check(const cuzk_card_class *c, const char *kernel,
                                           cuzk_launch launch, uint32_t static_bytes,
                                           uint32_t registers, cuzk_err *err);
/**
 * Dynamic shared memory that makes a multiprocessor of `host` hold as many blocks of a launch as one of
 * `played`: for measuring a class on another card. Never less than the launch's own.
 */
uint32_t cuzk_card_padded(const cuzk_card_limits *host, const cuzk_card_limits *played,
                          cuzk_launch launch, uint32_t static_bytes, uint32_t registers);

/** "tree_k<g1_group>": as in the table of kernels; a literal. */
const char *cuzk_kernel_name(cuzk_kernel k);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_ACCEL_CARD_CARD_H */
