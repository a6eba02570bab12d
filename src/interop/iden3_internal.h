/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_INTEROP_IDEN3_INTERNAL_H
#define CUZK_INTEROP_IDEN3_INTERNAL_H

/*
 * The container of .r1cs, .wtns and .zkey files: magic[4], u32 version, u32 n, then n sections
 * {u32 id, u64 bytes, data}, little-endian, in any order. Sections that the reader does not know
 * are passed over; a known one that comes twice is an error.
 */
#include "base/reader.h"
#include "base/status.h"
#include "ec/g1.h"
#include "ec/g2.h"
#include "sys/file.h"

#define CUZK_IDEN3_MAX_ID 15u

typedef struct cuzk_iden3 {
    const char *name; /* of the file, for messages; borrowed */
    const char *kind; /* "r1cs", "wtns", "zkey" */
    uint32_t present; /* bit id */
    /* Exactly one of the two; borrowed. */
    const uint8_t *data;
    const cuzk_file *file;
    uint64_t at[CUZK_IDEN3_MAX_ID + 1], bytes[CUZK_IDEN3_MAX_ID + 1]; /* of each section */
    cuzk_reader section[CUZK_IDEN3_MAX_ID + 1]; /* of a file: empty until it is loaded */
} cuzk_iden3;

/**
 * Indexes the sections of bytes. known: bit id for the sections that the caller will read. E_FORMAT says
 * what the bytes are instead when they are something common: another iden3 file, a raw dump of
 * field elements, an HTML page, JSON, gzip, nothing.
 */
CUZK_NODISCARD cuzk_status cuzk_iden3_parse(cuzk_iden3 *out, const void *data, size_t n,
                                            const char *name, const char *kind, uint32_t version,
                                            uint32_t known, cuzk_err *err);
/** The same of a file; sections are read with cuzk_iden3_load or cuzk_iden3_read. */
CUZK_NODISCARD cuzk_status cuzk_iden3_parse_file(cuzk_iden3 *out, const cuzk_file *file,
                                                 const char *name, const char *kind,
                                                 uint32_t version, uint32_t known, cuzk_err *err);
/**
 * Loads at most max bytes of section id of a file into *block (free with cuzk_free), for
 * cuzk_iden3_section; nothing for bytes in memory or a section that is not there.
 */
CUZK_NODISCARD cuzk_status cuzk_iden3_load(cuzk_iden3 *f, uint32_t id, uint64_t max,
                                           uint8_t **block, cuzk_err *err);
/** Bytes [at, at + n) of section id, within it; E_IO. Any number of threads. */
CUZK_NODISCARD cuzk_status cuzk_iden3_read(const cuzk_iden3 *f, uint32_t id, uint8_t *out,
                                           uint64_t at, size_t n, cuzk_err *err);
/** E_FORMAT names the section by `what` when it is missing. */
CUZK_NODISCARD cuzk_status cuzk_iden3_require(const cuzk_iden3 *f, uint32_t id, const char *what,
                                              cuzk_err *err);
/** A reader over section id; E_FORMAT names the section by `what` when it is missing. */
CUZK_NODISCARD cuzk_status cuzk_iden3_section(const cuzk_iden3 *f, uint32_t id, const char *what,
                                              cuzk_reader *out, cuzk_err *err);
/** "NAME: section 4 (constraints) is truncated" with E_FORMAT. */
CUZK_COLD cuzk_status cuzk_iden3_truncated(const cuzk_iden3 *f, uint32_t id, const char *what,
                                           cuzk_err *err);
/** {u32 bytes, prime}: must be r of BLS12-381; E_UNSUPPORTED names another field if it is a known one. */
CUZK_NODISCARD cuzk_status cuzk_iden3_read_r(const cuzk_iden3 *f, cuzk_reader *r, cuzk_err *err);
/** The same for q. */
CUZK_NODISCARD cuzk_status cuzk_iden3_read_q(const cuzk_iden3 *f, cuzk_reader *r, cuzk_err *err);

/*
 * Points of .zkey files: affine, coordinates as the 384-bit little-endian integer x * 2^384 mod q
 * (cuzk_fp's own form), Fp2 as c0, c1; infinity is all zero bytes.
 */
#define CUZK_IDEN3_G1_BYTES 96
#define CUZK_IDEN3_G2_BYTES 192
/** E_ENCODING for a coordinate >= q; then as check says. */
CUZK_NODISCARD cuzk_status cuzk_iden3_g1_decode(cuzk_g1_affine *out, const uint8_t in[96],
                                                cuzk_point_check check);
CUZK_NODISCARD cuzk_status cuzk_iden3_g2_decode(cuzk_g2_affine *out, const uint8_t in[192],
                                                cuzk_point_check check);
void cuzk_iden3_g1_encode(uint8_t out[96], const cuzk_g1_affine *p);
void cuzk_iden3_g2_encode(uint8_t out[192], const cuzk_g2_affine *p);

#endif /* CUZK_INTEROP_IDEN3_INTERNAL_H */
