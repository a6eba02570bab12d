/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_SRS_H
#define CUZK_GROTH16_SRS_H

/*
 * Proving parameters: the bellperson .params file (docs/params-format.md), read in slices; or the
 * same in memory, from setup or a zkey.
 */
#include "base/status.h"
#include "ec/g1.h"
#include "ec/g2.h"
#include "r1cs/srs_section.h"
#include "sys/file.h"
#include "sys/pool.h"

typedef struct cuzk_srs cuzk_srs;

typedef struct cuzk_srs_vk {
    cuzk_g1_affine alpha_g1, beta_g1, delta_g1;
    cuzk_g2_affine beta_g2, gamma_g2, delta_g2;
    uint32_t n_ic;            /* inputs, ONE included */
    const cuzk_g1_affine *ic; /* [n_ic], owned by the srs */
} cuzk_srs_vk;

/** How the quotient enters section h. */
typedef enum cuzk_quotient_kind {
    CUZK_QUOTIENT_COEFFS = 0,   /* bellperson: h_0 .. h_(m-2); domain root 7^t; m - 1 points */
    CUZK_QUOTIENT_ODD_COSET = 1 /* snarkjs: (A B - C)(w_2m w_m^i), i < m; root 5^t; m points */
} cuzk_quotient_kind;

/**
 * Opens and indexes a .params file, which stays open. Always checked: layout, counts against the file's size to the
 * byte (a transcript behind the sections included), the verifying key in full. check says what is done with the other points: UNCHECKED nothing
 * until they are read, ON_CURVE / IN_SUBGROUP every point now (threads of pool). Messages tell an
 * HTML page, an empty or truncated file, trailing bytes, a dangling link from one another. E_IO
 * from here or a later read: the disk failed, or the file was cut short meanwhile.
 */
CUZK_NODISCARD cuzk_status cuzk_srs_open(cuzk_srs **out, const char *path, cuzk_point_check check,
                                         cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err);
/** As cuzk_srs_open on bytes that the caller keeps until close. name (copied) is for messages. */
CUZK_NODISCARD cuzk_status cuzk_srs_open_bytes(cuzk_srs **out, const uint8_t *data, size_t size,
                                               const char *name, cuzk_point_check check,
                                               cuzk_pool *pool, const cuzk_cancel *cancel,
                                               cuzk_err *err);

/**
 * Parameters that are not a .params file. read_* fill out[n] with points [first, first + n) of a
 * section, like cuzk_srs_read_g1 / _g2, and are called from one thread at a time; they may use pool.
 * all_wires: a, b_g1 and b_g2 have one point per wire (inputs, then aux; n_ic + count[L] of them),
 * infinity for a wire that the matrix does not have; l may have infinities too (zkey files).
 */
typedef struct cuzk_srs_source {
    cuzk_srs_vk vk; /* ic is copied */
    uint64_t count[CUZK_SRS_SECTIONS];
    cuzk_quotient_kind quotient;
    bool all_wires;
    cuzk_status (*read_g1)(void *arg, cuzk_srs_section s, uint64_t first, uint64_t n,
                           cuzk_g1_affine *out, cuzk_pool *pool, cuzk_err *err);
    cuzk_status (*read_g2)(void *arg, cuzk_srs_section s, uint64_t first, uint64_t n,
                           cuzk_g2_affine *out, cuzk_pool *pool, cuzk_err *err);
    void (*destroy)(void *arg); /* by cuzk_srs_close; NULL: nothing to do */
    void *arg;
} cuzk_srs_source;
/** E_INVALID when the counts do not belong together; then and on E_NOMEM destroy is not called. */
CUZK_NODISCARD cuzk_status cuzk_srs_create(cuzk_srs **out, const cuzk_srs_source *source,
                                           cuzk_err *err);

/** All points in memory, blocks of base/alloc.h. */
typedef struct cuzk_srs_arrays {
    cuzk_g1_affine *g1[4]; /* by section: h, l, a, b_g1 */
    cuzk_g2_affine *b_g2;
} cuzk_srs_arrays;
/**
 * As cuzk_srs_create, from arrays (source's functions and arg are not used). On success the srs
 * owns the arrays; on failure the caller still does.
 */
CUZK_NODISCARD cuzk_status cuzk_srs_create_from_arrays(cuzk_srs **out,
                                                       const cuzk_srs_source *source,
                                                       const cuzk_srs_arrays *arrays,
                                                       cuzk_err *err);
/** What was found about the chain of a transcript's contributions. */
typedef enum cuzk_srs_chain {
    CUZK_SRS_CHAIN_UNCHECKED, /* points were not checked to be in the subgroup */
    CUZK_SRS_CHAIN_HOLDS, /* each contribution is a step from the one before, the last to the key's delta */
    CUZK_SRS_CHAIN_HASH, /* a contribution's hash is not that of what is before it */
    CUZK_SRS_CHAIN_STEP, /* hashes agree; a contribution is no step by bellman's map from hashes to G2 */
    CUZK_SRS_CHAIN_DELTA /* all steps hold; the key's delta in G2 is another than that in G1 */
} cuzk_srs_chain;
/**
 * What bellman's ceremonies leave behind the sections. That the last contribution made the key's delta is
 * checked when the file is opened, its points together with those of the sections, and with CUZK_POINT_IN_SUBGROUP
 * the chain of the contributions. A chain that does not hold is no error: other ceremonies map hashes in another way.
 */
typedef struct cuzk_srs_transcript {
    uint64_t offset; /* in the file */
    uint32_t n_contributions;
    uint8_t circuit_hash[64];
    cuzk_srs_chain chain;
    uint32_t chain_at; /* the contribution, from 0, of CHAIN_HASH and CHAIN_STEP */
} cuzk_srs_transcript;
/** NULL: not given. */
const cuzk_srs_transcript *cuzk_srs_get_transcript(const cuzk_srs *srs);
/** NULL is fine. */
void cuzk_srs_close(cuzk_srs *srs);
cuzk_quotient_kind cuzk_srs_quotient(const cuzk_srs *srs);
bool cuzk_srs_all_wires(const cuzk_srs *srs);
/** Section as an array when it is in memory, else NULL: then read. CUZK_SRS_B_G2 gives NULL. */
const cuzk_g1_affine *cuzk_srs_g1_array(const cuzk_srs *srs, cuzk_srs_section s);
const cuzk_g2_affine *cuzk_srs_g2_array(const cuzk_srs *srs);
const cuzk_srs_vk *cuzk_srs_get_vk(const cuzk_srs *srs);
uint64_t cuzk_srs_count(const cuzk_srs *srs, cuzk_srs_section s);
/** Decodes points [first, first + n) of a G1 section. E_ENCODING or E_INFINITY name section and index, E_IO the file. */
CUZK_NODISCARD cuzk_status cuzk_srs_read_g1(const cuzk_srs *srs, cuzk_srs_section s, uint64_t first,
                                            uint64_t n, cuzk_g1_affine *out, cuzk_pool *pool,
                                            cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_srs_read_g2(const cuzk_srs *srs, cuzk_srs_section s, uint64_t first,
                                            uint64_t n, cuzk_g2_affine *out, cuzk_pool *pool,
                                            cuzk_err *err);
/**
 * First 16 bytes of BLAKE2b-512 over the file, as parameters.json lists it. E_UNSUPPORTED when the
 * srs is not a file.
 */
CUZK_NODISCARD cuzk_status cuzk_srs_digest(const cuzk_srs *srs, uint8_t out[16],
                                           const cuzk_cancel *cancel, cuzk_err *err);
/** 868 + 96 * n_ic. */
size_t cuzk_srs_vk_bytes(const cuzk_srs *srs);
/** The bytes of the .vk file. out must hold cuzk_srs_vk_bytes. */
void cuzk_srs_write_vk(const cuzk_srs *srs, uint8_t *out);
/** The same for a key that is not in an srs. */
size_t cuzk_srs_vk_encoded_bytes(const cuzk_srs_vk *vk);
void cuzk_srs_vk_encode(uint8_t *out, const cuzk_srs_vk *vk);
/**
 * Writes a .params file, every point encoded again: byte for byte the file that srs was opened
 * from, without a transcript. E_UNSUPPORTED for zkey-like parameters (all_wires or another quotient); E_EXISTS.
 */
CUZK_NODISCARD cuzk_status cuzk_srs_write(const cuzk_srs *srs, const char *path, bool replace,
                                          cuzk_pool *pool, const cuzk_cancel *cancel,
                                          cuzk_err *err);
/**
 * E_UNSAFE_KEY, with name and reason, for a key that is well-formed and proves nothing
 * (ec/key_guard.h). cuzk_srs_open and cuzk_zkey_open call this.
 */
CUZK_NODISCARD cuzk_status cuzk_srs_vk_guard(const cuzk_srs_vk *vk, const char *name,
                                             cuzk_err *err);
/** For tests: such keys are taken from now on, in the whole process. */
void cuzk_srs_allow_unsafe_keys(bool allow);
bool cuzk_srs_unsafe_keys_allowed(void);
/** "h", "l", "a", "b_g1", "b_g2". */
const char *cuzk_srs_section_name(cuzk_srs_section s);

#endif /* CUZK_GROTH16_SRS_H */
