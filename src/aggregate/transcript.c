/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "aggregate/transcript.h"

#include <string.h>

#include "base/bytes.h"
#include "pairing/gt.h"

static void append(cuzk_agg_hash *h, const void *data, size_t n)
{
    cuzk_sha256_update(&h->all, data, n);
    if (h->watch != NULL) {
        cuzk_sha256_update(&h->parts, data, n);
    }
    h->n_bytes += n;
}

void cuzk_agg_hash_begin(cuzk_agg_hash *h, const char *label, const cuzk_agg_watch *watch)
{
    static const char prefix[] = "snarkpack-v1"; /* the same in both versions */
    h->label = label;
    h->watch = watch;
    h->n_bytes = 0;
    cuzk_sha256_init(&h->all);
    cuzk_sha256_init(&h->parts);
    cuzk_sha256_update(&h->all, prefix, sizeof(prefix) - 1);
    cuzk_sha256_update(&h->all, label, strlen(label));
}

void cuzk_agg_hash_fr(cuzk_agg_hash *h, const cuzk_fr *a)
{
    uint8_t b[32];
    cuzk_fr_to_bytes_le(b, a);
    append(h, b, sizeof(b));
}

void cuzk_agg_hash_g1(cuzk_agg_hash *h, const cuzk_g1_affine *p)
{
    uint8_t b[CUZK_G1_COMPRESSED_BYTES];
    cuzk_g1_encode_compressed(b, p);
    append(h, b, sizeof(b));
}

void cuzk_agg_hash_g2(cuzk_agg_hash *h, const cuzk_g2_affine *p)
{
    uint8_t b[CUZK_G2_COMPRESSED_BYTES];
    cuzk_g2_encode_compressed(b, p);
    append(h, b, sizeof(b));
}

void cuzk_agg_hash_gt(cuzk_agg_hash *h, const cuzk_fp12 *a)
{
    uint8_t b[CUZK_GT_BYTES];
    cuzk_gt_encode(b, a);
    append(h, b, sizeof(b));
}

void cuzk_agg_hash_bytes(cuzk_agg_hash *h, const uint8_t *data, size_t n)
{
    uint8_t len[8];
    cuzk_store_u64_le(len, n);
    append(h, len, sizeof(len));
    append(h, data, n);
}

void cuzk_agg_hash_end(cuzk_fr *out, cuzk_agg_hash *h)
{
    uint64_t counter = 0;
    for (;;) {
        uint8_t be[8], digest[32];
        cuzk_fr v;
        cuzk_store_u64_be(be, ++counter);
        cuzk_sha256_update(&h->all, be, sizeof(be)); /* after the counters of the tries before */
        cuzk_sha256 copy = h->all;
        cuzk_sha256_final(digest, &copy);
        digest[31] &= 0x7f;
        if (cuzk_fr_from_bytes_le(&v, digest) && !cuzk_fr_is_zero(&v) && !cuzk_fr_is_one(&v)) {
            *out = v;
            break;
        }
    }
    if (h->watch != NULL) {
        uint8_t parts[32];
        cuzk_sha256_final(parts, &h->parts);
        h->watch->challenge(h->watch->arg, h->label, parts, h->n_bytes, counter, out);
    }
}
