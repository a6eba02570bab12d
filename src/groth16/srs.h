/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_SRS_H
#define CUZK_GROTH16_SRS_H

/*
 * Proving parameters: the bellperson .params file (filecoin-circuits.md 3.3), mapped; or the same
 * in memory, from setup or a zkey.
 */
#include "base/status.h"
#include "ec/g1.h"
#include "ec/g2.h"
#include "sys/file.h"
#include "sys/pool.h"

typedef struct cuzk_srs cuzk_srs;

typedef enum cuzk_srs_section {
    CUZK_SRS_H = 0,    /* G1, [m - 1] */
    CUZK_SRS_L = 1,    /* G1, [n_aux] */
    CUZK_SRS_A = 2,    /* G1, [n_inputs + a_aux_density] */
    CUZK_SRS_B_G1 = 3, /* G1, [b_input_density + b_aux_density] */
    CUZK_SRS_B_G2 = 4  /* G2, same count */
} cuzk_srs_section;
#define CUZK_SRS_SECTIONS 5

typedef struct cuzk_srs_vk {
    cuzk_g1_affine alpha_g1, beta_g1, delta_g1;
    cuzk_g2_affine beta_g2, gamma_g2, delta_g2;
    uint32_t n_ic;            /* inputs, ONE included */
    const cuzk_g1_affine *ic; /* [n_ic], owned by the srs */
} cuzk_srs_vk;

/**
 * Maps and indexes a .params file. Always checked: layout, counts against the file's size to the
 * byte, the verifying key in full. check says what is done with the other points: UNCHECKED nothing
 * until they are read, ON_CURVE / IN_SUBGROUP every point now (threads of pool). Messages tell an
 * HTML page, an empty or truncated file, trailing bytes, a dangling link from one another.
 */
CUZK_NODISCARD cuzk_status cuzk_srs_open(cuzk_srs **out, const char *path, cuzk_point_check check,
                                         cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err);
void cuzk_srs_close(cuzk_srs *srs);
const cuzk_srs_vk *cuzk_srs_get_vk(const cuzk_srs *srs);
uint64_t cuzk_srs_count(const cuzk_srs *srs, cuzk_srs_section s);
/** Decodes points [first, first + n) of a G1 section. E_ENCODING or E_INFINITY name section and index. */
CUZK_NODISCARD cuzk_status cuzk_srs_read_g1(const cuzk_srs *srs, cuzk_srs_section s, uint64_t first,
                                            uint64_t n, cuzk_g1_affine *out, cuzk_pool *pool,
                                            cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_srs_read_g2(const cuzk_srs *srs, cuzk_srs_section s, uint64_t first,
                                            uint64_t n, cuzk_g2_affine *out, cuzk_pool *pool,
                                            cuzk_err *err);
/** First 16 bytes of BLAKE2b-512 over the file, as parameters.json lists it. */
CUZK_NODISCARD cuzk_status cuzk_srs_digest(const cuzk_srs *srs, uint8_t out[16],
                                           const cuzk_cancel *cancel, cuzk_err *err);
/** The bytes of the .vk file. out must hold 868 + 96 * n_ic. */
void cuzk_srs_write_vk(const cuzk_srs *srs, uint8_t *out);

#endif /* CUZK_GROTH16_SRS_H */
