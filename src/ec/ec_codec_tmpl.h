/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Point encodings, for either group; parameters as in ec_jac_tmpl.h, and
 *   CUZK_EC_F_BYTES                  bytes of one coordinate
 *   field_load(out, in)              static: coordinate from bytes; false when not below q
 *   field_store(out, in)             static: coordinate to bytes
 */

void CUZK_EC_FN(encode_compressed)(uint8_t out[CUZK_EC_F_BYTES], const CUZK_EC_AFF *p)
{
    if (CUZK_EC_FN(affine_is_infinity)(p)) {
        memset(out, 0, CUZK_EC_F_BYTES);
        out[0] = CUZK_EC_FLAG_COMPRESSED | CUZK_EC_FLAG_INFINITY;
        return;
    }
    field_store(out, &p->x);
    out[0] |= CUZK_EC_FLAG_COMPRESSED;
    if (CUZK_EC_FF(is_lex_largest)(&p->y)) {
        out[0] |= CUZK_EC_FLAG_LARGER;
    }
}

void CUZK_EC_FN(encode_uncompressed)(uint8_t out[2 * CUZK_EC_F_BYTES], const CUZK_EC_AFF *p)
{
    if (CUZK_EC_FN(affine_is_infinity)(p)) {
        memset(out, 0, 2 * CUZK_EC_F_BYTES);
        out[0] = CUZK_EC_FLAG_INFINITY;
        return;
    }
    field_store(out, &p->x);
    field_store(out + CUZK_EC_F_BYTES, &p->y);
}

static cuzk_status check_decoded(const CUZK_EC_AFF *p, cuzk_point_check check)
{
    return check == CUZK_POINT_IN_SUBGROUP && !CUZK_EC_FN(affine_is_in_subgroup)(p)
               ? CUZK_E_NOT_IN_GROUP
               : CUZK_OK;
}

cuzk_status CUZK_EC_FN(decode_compressed)(CUZK_EC_AFF *out, const uint8_t in[CUZK_EC_F_BYTES],
                                          cuzk_point_check check)
{
    uint8_t b[CUZK_EC_F_BYTES];
    CUZK_EC_AFF p;
    if ((in[0] & CUZK_EC_FLAG_COMPRESSED) == 0) {
        return CUZK_E_ENCODING;
    }
    if ((in[0] & CUZK_EC_FLAG_INFINITY) != 0) {
        if (in[0] != (CUZK_EC_FLAG_COMPRESSED | CUZK_EC_FLAG_INFINITY) ||
            !cuzk_ec_all_zero(in + 1, CUZK_EC_F_BYTES - 1)) {
            return CUZK_E_ENCODING;
        }
        memset(out, 0, sizeof(*out));
        return CUZK_OK;
    }
    memcpy(b, in, sizeof(b));
    b[0] &= (uint8_t)~CUZK_EC_FLAGS;
    if (!field_load(&p.x, b)) {
        return CUZK_E_ENCODING;
    }
    curve_rhs(&p.y, &p.x);
    if (!CUZK_EC_FF(sqrt)(&p.y, &p.y)) {
        return CUZK_E_NOT_ON_CURVE;
    }
    /* y is not 0 (no points of order two), so exactly one of y and -y is the larger root. */
    if (CUZK_EC_FF(is_lex_largest)(&p.y) != ((in[0] & CUZK_EC_FLAG_LARGER) != 0)) {
        CUZK_EC_FF(neg)(&p.y, &p.y);
    }
    CUZK_TRY(check_decoded(&p, check));
    *out = p;
    return CUZK_OK;
}

cuzk_status CUZK_EC_FN(decode_uncompressed)(CUZK_EC_AFF *out, const uint8_t in[2 * CUZK_EC_F_BYTES],
                                            cuzk_point_check check)
{
    CUZK_EC_AFF p;
    if ((in[0] & (CUZK_EC_FLAG_COMPRESSED | CUZK_EC_FLAG_LARGER)) != 0) {
        return CUZK_E_ENCODING;
    }
    if ((in[0] & CUZK_EC_FLAG_INFINITY) != 0) {
        if (in[0] != CUZK_EC_FLAG_INFINITY || !cuzk_ec_all_zero(in + 1, 2 * CUZK_EC_F_BYTES - 1)) {
            return CUZK_E_ENCODING;
        }
        memset(out, 0, sizeof(*out));
        return CUZK_OK;
    }
    if (!field_load(&p.x, in) || !field_load(&p.y, in + CUZK_EC_F_BYTES)) {
        return CUZK_E_ENCODING;
    }
    /* (0, 0) is not on the curve and would read as infinity: refused whatever was asked. */
    if (CUZK_EC_FN(affine_is_infinity)(&p) ||
        (check != CUZK_POINT_UNCHECKED && !CUZK_EC_FN(affine_is_on_curve)(&p))) {
        return CUZK_E_NOT_ON_CURVE;
    }
    CUZK_TRY(check_decoded(&p, check));
    *out = p;
    return CUZK_OK;
}
