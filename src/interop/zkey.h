/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_INTEROP_ZKEY_H
#define CUZK_INTEROP_ZKEY_H

/*
 * snarkjs's .zkey (Groth16, version 1) over BLS12-381: verifying key, the rows of A and B, and the
 * bases. A proof from one uses snarkjs's quotient (odd coset, root 5^t); its srs says so, and
 * cuzk_prove follows.
 */
#include "groth16/params/srs.h"
#include "r1cs/circuit.h"

typedef struct cuzk_zkey cuzk_zkey;

typedef struct cuzk_zkey_info {
    uint32_t n_vars;        /* wires, ONE included */
    uint32_t n_public;      /* ONE not included */
    uint32_t domain_size;   /* 2^k */
    uint32_t n_constraints; /* without the rows of the public wires */
    uint32_t n_coefs;       /* terms of A and B, with those rows */
    uint32_t n_contributions;
} cuzk_zkey_info;

/**
 * Opens and indexes the file, which stays open, and compiles its rows. Always checked: container, field, all counts
 * against each other and against the bytes, every coefficient, the verifying key in full. check
 * says how the other points are checked when they are read: UNCHECKED is ranges only.
 * E_FORMAT and E_UNSUPPORTED name file and section; E_NOT_ON_CURVE etc. name section and index.
 * E_IO from here or a later read: the disk failed, or the file was cut short meanwhile.
 */
CUZK_NODISCARD cuzk_status cuzk_zkey_open(cuzk_zkey **out, const char *path, cuzk_point_check check,
                                          cuzk_err *err);
/** As cuzk_zkey_open, on bytes that the caller keeps until close. name is copied. */
CUZK_NODISCARD cuzk_status cuzk_zkey_open_bytes(cuzk_zkey **out, const void *data, size_t n,
                                                const char *name, cuzk_point_check check,
                                                cuzk_err *err);
/** NULL is fine. */
void cuzk_zkey_close(cuzk_zkey *z);

const cuzk_zkey_info *cuzk_zkey_get_info(const cuzk_zkey *z);
/** The bases, as cuzk_prove takes them. Owned by z. */
const cuzk_srs *cuzk_zkey_srs(const cuzk_zkey *z);
/** Rows of A and B; C is empty (c = a * b), so that cuzk_r1cs_check does not apply. Owned by z. */
const cuzk_circuit *cuzk_zkey_circuit(const cuzk_zkey *z);
/** Reads every point of all sections with the given check. */
CUZK_NODISCARD cuzk_status cuzk_zkey_check_points(const cuzk_zkey *z, cuzk_point_check check,
                                                  cuzk_pool *pool, const cuzk_cancel *cancel,
                                                  cuzk_err *err);

/**
 * Writes the key of circuit c (from an .r1cs file) whose srs cuzk_setup_create made with
 * CUZK_QUOTIENT_ODD_COSET. Without contributions: who made the srs knows the toxic waste.
 * E_EXISTS unless replace; E_UNSUPPORTED when a section outgrows the format's 32-bit counts.
 */
CUZK_NODISCARD cuzk_status cuzk_zkey_write(const char *path, const cuzk_circuit *c,
                                           const cuzk_srs *srs, bool replace, cuzk_pool *pool,
                                           cuzk_err *err);

#endif /* CUZK_INTEROP_ZKEY_H */
