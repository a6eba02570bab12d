/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What bellman's ceremonies (Zcash, MASP) leave behind the sections of a .params file
 * (docs/params-format.md#transcript): a hash of the circuit, and the contributions in order. The last
 * of them must have made the delta of the key.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "groth16/params/srs.h"

#include "srs_internal.h"

#define HASH_BYTES 64u
#define CONTRIBUTION_BYTES \
    (3 * CUZK_G1_UNCOMPRESSED_BYTES + CUZK_G2_UNCOMPRESSED_BYTES + HASH_BYTES)
#define DELTA_G1_AT 576u /* in the verifying key */

static cuzk_status trailing(const cuzk_srs *srs, uint64_t at, const char *what, cuzk_err *err)
{
    return CUZK_FAIL(err, CUZK_E_FORMAT,
                     "%llu trailing bytes: the sections end at byte %llu, found %llu%s: %s",
                     (unsigned long long)(srs->size - at), (unsigned long long)at,
                     (unsigned long long)srs->size, what, srs->name);
}

cuzk_status cuzk_srs_find_transcript(cuzk_srs *srs, uint64_t at, cuzk_err *err)
{
    uint8_t head[HASH_BYTES + 4], delta[2][CUZK_G1_UNCOMPRESSED_BYTES];
    const uint64_t left = srs->size - at;
    if (left < sizeof(head)) {
        return trailing(srs, at, "", err);
    }
    CUZK_TRY(cuzk_srs_read_bytes(srs, head, at, sizeof(head), err));
    const uint32_t n = cuzk_load_u32_be(head + HASH_BYTES);
    if (n == 0 || left != sizeof(head) + (uint64_t)n * CONTRIBUTION_BYTES) {
        return trailing(srs, at, ", and they are no ceremony's transcript", err);
    }
    CUZK_TRY(cuzk_srs_read_bytes(srs, delta[0], DELTA_G1_AT, sizeof(delta[0]), err));
    CUZK_TRY(
        cuzk_srs_read_bytes(srs, delta[1], srs->size - CONTRIBUTION_BYTES, sizeof(delta[1]), err));
    if (memcmp(delta[0], delta[1], sizeof(delta[0])) != 0) {
        return CUZK_FAIL(
            err, CUZK_E_FORMAT,
            "transcript of %u contributions: the last one did not make the key's delta: %s", n,
            srs->name);
    }
    srs->transcript.offset = at;
    srs->transcript.n_contributions = n;
    memcpy(srs->transcript.circuit_hash, head, HASH_BYTES);
    return CUZK_OK;
}

/* delta, s, s delta in G1 and r delta in G2. */
static cuzk_status check_contribution(const uint8_t *b, cuzk_point_check check)
{
    cuzk_g1_affine p;
    cuzk_g2_affine q;
    for (unsigned k = 0; k < 3; k++) {
        const cuzk_status st =
            cuzk_g1_decode_uncompressed(&p, b + k * CUZK_G1_UNCOMPRESSED_BYTES, check);
        if (st != CUZK_OK || cuzk_g1_affine_is_infinity(&p)) {
            return st != CUZK_OK ? st : CUZK_E_INFINITY;
        }
    }
    const cuzk_status st =
        cuzk_g2_decode_uncompressed(&q, b + 3 * (size_t)CUZK_G1_UNCOMPRESSED_BYTES, check);
    return st == CUZK_OK && cuzk_g2_affine_is_infinity(&q) ? CUZK_E_INFINITY : st;
}

cuzk_status cuzk_srs_check_transcript(const cuzk_srs *srs, cuzk_point_check check,
                                      const cuzk_cancel *cancel, cuzk_err *err)
{
    for (uint32_t i = 0; i < srs->transcript.n_contributions; i++) {
        uint8_t b[CONTRIBUTION_BYTES];
        const uint64_t at =
            srs->transcript.offset + HASH_BYTES + 4 + (uint64_t)i * CONTRIBUTION_BYTES;
        if (cuzk_cancel_requested(cancel)) {
            return CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled while checking a transcript");
        }
        CUZK_TRY(cuzk_srs_read_bytes(srs, b, at, sizeof(b), err));
        const cuzk_status st = check_contribution(b, check);
        if (st != CUZK_OK) {
            return CUZK_FAIL(err, st, "transcript: contribution %u: %s: %s", i,
                             cuzk_status_text(st), srs->name);
        }
    }
    return CUZK_OK;
}

const cuzk_srs_transcript *cuzk_srs_get_transcript(const cuzk_srs *srs)
{
    return srs->transcript.n_contributions != 0 ? &srs->transcript : NULL;
}
