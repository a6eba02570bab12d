/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "aggregate/agg_proof.h"

#include "base/bytes.h"
#include "base/reader.h"
#include "pairing/gt.h"

enum { FIXED_BYTES = 2260, ROUND_BYTES = 2976, G1 = 48, G2 = 96, GT = CUZK_GT_COMPRESSED_BYTES };

size_t cuzk_agg_proof_bytes(unsigned rounds)
{
    return FIXED_BYTES + (size_t)ROUND_BYTES * rounds;
}

typedef struct writer {
    uint8_t *at;
    bool ok;
} writer;

static void put_gt(writer *w, const cuzk_fp12 *a)
{
    w->ok = cuzk_gt_compress(w->at, a) && w->ok;
    w->at += GT;
}

static void put_g1(writer *w, const cuzk_g1_affine *p)
{
    cuzk_g1_encode_compressed(w->at, p);
    w->at += G1;
}

static void put_g2(writer *w, const cuzk_g2_affine *p)
{
    cuzk_g2_encode_compressed(w->at, p);
    w->at += G2;
}

/* The elements [first, first + count) of every round. */
static void put_rounds(writer *w, const cuzk_agg_proof *p, size_t first, size_t count)
{
    for (size_t i = 0; i < p->rounds; i++) {
        for (size_t j = 0; j < count; j++) {
            put_gt(w, &p->round[i].gt[first + j]);
        }
    }
}

cuzk_status cuzk_agg_proof_encode(uint8_t *out, const cuzk_agg_proof *p, cuzk_err *err)
{
    writer w = {out, true};
    for (size_t i = 0; i < AGG_COMMITMENTS; i++) {
        put_gt(&w, &p->com[i]);
    }
    put_gt(&w, &p->z_ab);
    put_g1(&w, &p->z_c);
    cuzk_store_u32_le(w.at, (uint32_t)p->n);
    w.at += 4;
    put_rounds(&w, p, AGG_T_AB_L, 4);
    put_rounds(&w, p, AGG_T_C_L, 4);
    put_rounds(&w, p, AGG_Z_AB_L, 2);
    for (size_t i = 0; i < p->rounds; i++) {
        put_g1(&w, &p->round[i].z_c_l);
        put_g1(&w, &p->round[i].z_c_r);
    }
    put_g1(&w, &p->final_a);
    put_g2(&w, &p->final_b);
    put_g1(&w, &p->final_c);
    for (size_t i = 0; i < 2; i++) {
        put_g2(&w, &p->final_v[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        put_g1(&w, &p->final_w[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        put_g2(&w, &p->v_opening[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        put_g1(&w, &p->w_opening[i]);
    }
    return w.ok
               ? CUZK_OK
               : CUZK_FAIL(err, CUZK_E_INVALID,
                           "the proofs cannot be aggregated: a product of pairings is 1, which has "
                           "no encoding");
}

typedef struct decoder {
    cuzk_reader r;
    cuzk_err *err;
} decoder;

static cuzk_status refuse(decoder *d, cuzk_status st, const char *field, size_t i, size_t at)
{
    return CUZK_FAIL(d->err, st, "aggregate: %s %zu, at byte %zu: %s", field, i, at,
                     cuzk_status_text(st));
}

/* The lengths were checked: the bytes are there. */
static cuzk_status get_gt(decoder *d, cuzk_fp12 *out, const char *field, size_t i)
{
    const uint8_t *b;
    const size_t at = cuzk_reader_pos(&d->r);
    if (!cuzk_read_bytes(&d->r, &b, GT)) {
        return refuse(d, CUZK_E_FORMAT, field, i, at);
    }
    const cuzk_status st = cuzk_gt_decompress_any(out, b); /* check_orders is for all */
    return st == CUZK_OK ? CUZK_OK : refuse(d, st, field, i, at);
}

static cuzk_status get_g1(decoder *d, cuzk_g1_affine *out, const char *field, size_t i)
{
    const uint8_t *b;
    const size_t at = cuzk_reader_pos(&d->r);
    if (!cuzk_read_bytes(&d->r, &b, G1)) {
        return refuse(d, CUZK_E_FORMAT, field, i, at);
    }
    const cuzk_status st = cuzk_g1_decode_compressed(out, b, CUZK_POINT_IN_SUBGROUP);
    return st == CUZK_OK ? CUZK_OK : refuse(d, st, field, i, at);
}

static cuzk_status get_g2(decoder *d, cuzk_g2_affine *out, const char *field, size_t i)
{
    const uint8_t *b;
    const size_t at = cuzk_reader_pos(&d->r);
    if (!cuzk_read_bytes(&d->r, &b, G2)) {
        return refuse(d, CUZK_E_FORMAT, field, i, at);
    }
    const cuzk_status st = cuzk_g2_decode_compressed(out, b, CUZK_POINT_IN_SUBGROUP);
    return st == CUZK_OK ? CUZK_OK : refuse(d, st, field, i, at);
}

static cuzk_status get_rounds(decoder *d, cuzk_agg_proof *p, size_t first, size_t count,
                              const char *field)
{
    for (size_t i = 0; i < p->rounds; i++) {
        for (size_t j = 0; j < count; j++) {
            CUZK_TRY(get_gt(d, &p->round[i].gt[first + j], field, i));
        }
    }
    return CUZK_OK;
}

/* n, before anything costly; the length of everything follows from it. */
static cuzk_status read_count(cuzk_agg_proof *p, size_t *used, const uint8_t *data, size_t n_bytes,
                              cuzk_err *err)
{
    enum { COUNT_AT = 1488 };
    if (n_bytes < cuzk_agg_proof_bytes(1)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "aggregate: %zu bytes are fewer than the shortest has",
                         n_bytes);
    }
    const uint32_t n = cuzk_load_u32_le(data + COUNT_AT);
    if (n < 2 || n > CUZK_AGG_MAX_PROOFS || (n & (n - 1)) != 0) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "aggregate: its count of proofs, %u, is not a power of two from 2 to %zu",
                         n, CUZK_AGG_MAX_PROOFS);
    }
    p->n = n;
    p->rounds = (unsigned)__builtin_ctz(n);
    const size_t want = cuzk_agg_proof_bytes(p->rounds);
    if (n_bytes < want || (n_bytes > want && used == NULL)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "aggregate of %u proofs: %zu bytes, expected %zu", n,
                         n_bytes, want);
    }
    if (used != NULL) {
        *used = want;
    }
    return CUZK_OK;
}

static cuzk_status read_final(decoder *d, cuzk_agg_proof *p)
{
    CUZK_TRY(get_g1(d, &p->final_a, "final_a", 0));
    CUZK_TRY(get_g2(d, &p->final_b, "final_b", 0));
    CUZK_TRY(get_g1(d, &p->final_c, "final_c", 0));
    for (size_t i = 0; i < 2; i++) {
        CUZK_TRY(get_g2(d, &p->final_v[i], "final_v", i));
    }
    for (size_t i = 0; i < 2; i++) {
        CUZK_TRY(get_g1(d, &p->final_w[i], "final_w", i));
    }
    for (size_t i = 0; i < 2; i++) {
        CUZK_TRY(get_g2(d, &p->v_opening[i], "vkey_opening", i));
    }
    for (size_t i = 0; i < 2; i++) {
        CUZK_TRY(get_g1(d, &p->w_opening[i], "wkey_opening", i));
    }
    return CUZK_OK;
}

/* Whether the elements of GT have order r: all of them, for which there is a way of doing several at a time. */
static cuzk_status check_orders(const cuzk_agg_proof *p, cuzk_err *err)
{
    enum { MOST = AGG_COMMITMENTS + 1 + CUZK_AGG_MAX_ROUNDS * AGG_ROUND_GT };
    const cuzk_fp12 *a[MOST];
    size_t n = 0;
    for (size_t i = 0; i < AGG_COMMITMENTS; i++) {
        a[n++] = &p->com[i];
    }
    a[n++] = &p->z_ab;
    for (size_t i = 0; i < p->rounds; i++) {
        for (size_t j = 0; j < AGG_ROUND_GT; j++) {
            a[n++] = &p->round[i].gt[j];
        }
    }
    const size_t bad = cuzk_gt_first_outside(a, n);
    if (bad == n) {
        return CUZK_OK;
    }
    if (bad <= AGG_COMMITMENTS) {
        return CUZK_FAIL(err, CUZK_E_NOT_IN_GROUP, "aggregate: %s %zu: %s",
                         bad < AGG_COMMITMENTS ? "commitment" : "z_ab",
                         bad < AGG_COMMITMENTS ? bad : 0, cuzk_status_text(CUZK_E_NOT_IN_GROUP));
    }
    const size_t at = bad - AGG_COMMITMENTS - 1, j = at % AGG_ROUND_GT;
    return CUZK_FAIL(err, CUZK_E_NOT_IN_GROUP, "aggregate: %s of round %zu: %s",
                     j < AGG_T_C_L    ? "t_ab"
                     : j < AGG_Z_AB_L ? "t_c"
                                      : "z_ab",
                     at / AGG_ROUND_GT, cuzk_status_text(CUZK_E_NOT_IN_GROUP));
}

cuzk_status cuzk_agg_proof_decode(cuzk_agg_proof *out, size_t *used, const uint8_t *data,
                                  size_t n_bytes, cuzk_err *err)
{
    const uint8_t *count;
    decoder d = {cuzk_reader_init(data, n_bytes), err};
    CUZK_TRY(read_count(out, used, data, n_bytes, err));
    for (size_t i = 0; i < AGG_COMMITMENTS; i++) {
        CUZK_TRY(get_gt(&d, &out->com[i], "commitment", i));
    }
    CUZK_TRY(get_gt(&d, &out->z_ab, "z_ab", 0));
    CUZK_TRY(get_g1(&d, &out->z_c, "z_c", 0));
    if (!cuzk_read_bytes(&d.r, &count, 4)) {
        return refuse(&d, CUZK_E_FORMAT, "count", 0, cuzk_reader_pos(&d.r));
    }
    CUZK_TRY(get_rounds(&d, out, AGG_T_AB_L, 4, "t_ab of round"));
    CUZK_TRY(get_rounds(&d, out, AGG_T_C_L, 4, "t_c of round"));
    CUZK_TRY(get_rounds(&d, out, AGG_Z_AB_L, 2, "z_ab of round"));
    for (size_t i = 0; i < out->rounds; i++) {
        CUZK_TRY(get_g1(&d, &out->round[i].z_c_l, "z_c of round", i));
        CUZK_TRY(get_g1(&d, &out->round[i].z_c_r, "z_c of round", i));
    }
    CUZK_TRY(read_final(&d, out));
    return check_orders(out, err);
}
