/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: groth16 verify */
/*
 * A .params or .vk file: whatever the bytes, an answer and no more. What passes every check comes
 * back byte for byte, and both readers of keys agree.
 */
#include <string.h>

#include <cuzk/verify.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "groth16/params/srs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const cuzk_srs *srs, bool checked, const uint8_t *data)
{
    size_t at = cuzk_srs_vk_bytes(srs);
    for (unsigned k = 0; k < CUZK_SRS_SECTIONS; k++) {
        const cuzk_srs_section s = (cuzk_srs_section)k;
        at += 4;
        for (uint64_t i = 0; i < cuzk_srs_count(srs, s); i++) {
            uint8_t again[192];
            const size_t bytes = s == CUZK_SRS_B_G2 ? 192 : 96;
            cuzk_status st;
            if (s == CUZK_SRS_B_G2) {
                cuzk_g2_affine p;
                st = cuzk_srs_read_g2(srs, s, i, 1, &p, NULL, NULL);
                if (st == CUZK_OK) {
                    cuzk_g2_encode_uncompressed(again, &p);
                }
            } else {
                cuzk_g1_affine p;
                st = cuzk_srs_read_g1(srs, s, i, 1, &p, NULL, NULL);
                if (st == CUZK_OK) {
                    cuzk_g1_encode_uncompressed(again, &p);
                }
            }
            CUZK_ASSERT(st == CUZK_OK || !checked);
            CUZK_ASSERT(st != CUZK_OK || memcmp(again, data + at, bytes) == 0);
            at += bytes;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cuzk_vk *vk = NULL;
    size_t vk_bytes = 0;
    if (size > ((size_t)1 << 16)) {
        return 0;
    }
    for (int check = CUZK_POINT_UNCHECKED; check <= CUZK_POINT_IN_SUBGROUP; check++) {
        cuzk_srs *srs = NULL;
        cuzk_err err = {0};
        const cuzk_status st = cuzk_srs_open_bytes(&srs, data, size, "fuzz",
                                                   (cuzk_point_check)check, NULL, NULL, &err);
        CUZK_ASSERT((st == CUZK_OK) == (srs != NULL));
        CUZK_ASSERT(st == CUZK_OK || err.msg[0] != '\0');
        if (st == CUZK_OK) {
            read_all(srs, check != CUZK_POINT_UNCHECKED, data);
            vk_bytes = cuzk_srs_vk_bytes(srs);
        }
        cuzk_srs_close(srs);
    }
    if (vk_bytes != 0) {
        CUZK_ASSERT(cuzk_vk_read(&vk, data, vk_bytes) == CUZK_VERIFY_OK);
        cuzk_vk_destroy(vk);
        vk = NULL;
    }
    if (cuzk_vk_read(&vk, data, size) == CUZK_VERIFY_OK) {
        CUZK_ASSERT(cuzk_vk_bytes(vk) == size);
        uint8_t *again = cuzk_alloc(size, 1);
        if (again != NULL) {
            cuzk_vk_write(vk, again);
            CUZK_ASSERT(memcmp(again, data, size) == 0);
        }
        cuzk_free(again);
    }
    cuzk_vk_destroy(vk);
    return 0;
}
