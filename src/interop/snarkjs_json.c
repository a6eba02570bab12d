/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "interop/snarkjs_json.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/text/json.h"
#include "hash/sha256.h"
#include "interop/decimal.h"

#define MAX_DEPTH 8

/* Reading: one parser, and the status of the first point or curve error together with its message. */
typedef struct doc {
    cuzk_json j;
    cuzk_status status; /* of the failure; E_FORMAT unless said otherwise */
} doc;

static doc open_doc(const void *text, size_t n)
{
    doc d;
    cuzk_json_init(&d.j, text, n, MAX_DEPTH);
    d.status = CUZK_E_FORMAT;
    return d;
}

static void fail_as(doc *d, cuzk_status st, const char *what)
{
    if (!d->j.failed) {
        d->status = st;
        (void)cuzk_json_fail(&d->j, "%s", what);
    }
}

static cuzk_status close_doc(doc *d, const char *name, cuzk_err *err)
{
    (void)cuzk_json_end(&d->j);
    const cuzk_status st = cuzk_json_status(&d->j, name, err);
    if (st != CUZK_OK && d->status != CUZK_E_FORMAT) {
        if (err != NULL) {
            err->code = d->status;
        }
        return d->status;
    }
    return st;
}

static bool below(const uint64_t *a, const uint64_t *m, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        if (a[i] != m[i]) {
            return a[i] < m[i];
        }
    }
    return false;
}

/* A decimal string into n limbs, below m. */
static bool read_decimal(doc *d, uint64_t *out, const uint64_t *m, size_t n, const char *what)
{
    cuzk_json_str s;
    if (cuzk_json_peek(&d->j) != CUZK_JSON_STRING) {
        return cuzk_json_fail(&d->j, "expected a decimal string");
    }
    if (!cuzk_json_string(&d->j, &s)) {
        return false;
    }
    if (s.escaped || !cuzk_decimal_parse(out, n, s.p, s.n)) {
        for (size_t i = 0; i < s.n; i++) {
            if (s.p[i] < '0' || s.p[i] > '9') {
                return cuzk_json_fail(&d->j, "not a decimal integer (digits only)");
            }
        }
        return s.n == 0 || (s.n > 1 && s.p[0] == '0')
                   ? cuzk_json_fail(&d->j, "decimal integer is empty or has a leading zero")
                   : cuzk_json_fail(&d->j, "value is not below %s", what);
    }
    return below(out, m, (int)n) || cuzk_json_fail(&d->j, "value is not below %s", what);
}

static bool read_fp(doc *d, cuzk_fp *out)
{
    static const uint64_t q[6] = CUZK_FP_MOD_LIMBS;
    uint64_t v[6];
    if (!read_decimal(d, v, q, 6, "the base field modulus q")) {
        return false;
    }
    cuzk_fp_from_canonical(out, v);
    return true;
}

static bool read_fr_le(doc *d, uint8_t out[32])
{
    static const uint64_t r[4] = CUZK_FR_MOD_LIMBS;
    uint64_t v[4];
    if (!read_decimal(d, v, r, 4, "the scalar field modulus r")) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        cuzk_store_u64_le(out + 8 * (size_t)i, v[i]);
    }
    return true;
}

/* Next element of a fixed-size array, or its end after the last. */
static bool element(doc *d, bool want)
{
    const bool more = cuzk_json_next(&d->j);
    if (!d->j.failed && more != want) {
        return cuzk_json_fail(&d->j, want ? "array is too short" : "array is too long");
    }
    return more == want;
}

static bool read_fp2(doc *d, cuzk_fp2 *out)
{
    return cuzk_json_begin_array(&d->j) && element(d, true) && read_fp(d, &out->c0) &&
           element(d, true) && read_fp(d, &out->c1) && element(d, false) && !d->j.failed;
}

static void judge(doc *d, cuzk_status st)
{
    if (st != CUZK_OK) {
        fail_as(d, st, cuzk_status_text(st));
    }
}

/* Here and not only in the verifier: the message then has the line of the point. */
static cuzk_status check_g1(const cuzk_g1_affine *p)
{
    return !cuzk_g1_affine_is_on_curve(p)      ? CUZK_E_NOT_ON_CURVE
           : !cuzk_g1_affine_is_in_subgroup(p) ? CUZK_E_NOT_IN_GROUP
                                               : CUZK_OK;
}

static cuzk_status check_g2(const cuzk_g2_affine *p)
{
    return !cuzk_g2_affine_is_on_curve(p)      ? CUZK_E_NOT_ON_CURVE
           : !cuzk_g2_affine_is_in_subgroup(p) ? CUZK_E_NOT_IN_GROUP
                                               : CUZK_OK;
}

static void read_g1(doc *d, cuzk_g1_affine *out)
{
    cuzk_fp z;
    cuzk_g1_affine p;
    if (cuzk_json_begin_array(&d->j) && element(d, true) && read_fp(d, &p.x) && element(d, true) &&
        read_fp(d, &p.y) && element(d, true) && read_fp(d, &z) && element(d, false) &&
        !d->j.failed) {
        if (cuzk_fp_is_zero(&z) || cuzk_g1_affine_is_infinity(&p)) {
            judge(d, CUZK_E_INFINITY);
        } else if (!cuzk_fp_eq(&z, &CUZK_FP_ONE)) {
            fail_as(d, CUZK_E_ENCODING, "third coordinate of the point is not 1");
        } else {
            judge(d, check_g1(&p));
            *out = p;
        }
    }
}

static void read_g2(doc *d, cuzk_g2_affine *out)
{
    cuzk_fp2 z;
    cuzk_g2_affine p;
    if (cuzk_json_begin_array(&d->j) && element(d, true) && read_fp2(d, &p.x) && element(d, true) &&
        read_fp2(d, &p.y) && element(d, true) && read_fp2(d, &z) && element(d, false) &&
        !d->j.failed) {
        if (cuzk_fp2_is_zero(&z) || cuzk_g2_affine_is_infinity(&p)) {
            judge(d, CUZK_E_INFINITY);
        } else if (!cuzk_fp_eq(&z.c0, &CUZK_FP_ONE) || !cuzk_fp_is_zero(&z.c1)) {
            fail_as(d, CUZK_E_ENCODING, "third coordinate of the point is not 1");
        } else {
            judge(d, check_g2(&p));
            *out = p;
        }
    }
}

static void read_protocol(doc *d)
{
    cuzk_json_str s;
    if (cuzk_json_string(&d->j, &s) && !cuzk_json_str_eq(&s, "groth16")) {
        fail_as(d, CUZK_E_UNSUPPORTED, "protocol is not groth16");
    }
}

static void read_curve(doc *d)
{
    cuzk_json_str s;
    if (!cuzk_json_string(&d->j, &s) || cuzk_json_str_eq(&s, "bls12381") ||
        cuzk_json_str_eq(&s, "bls12-381")) {
        return;
    }
    fail_as(d, CUZK_E_UNSUPPORTED,
            cuzk_json_str_eq(&s, "bn128") || cuzk_json_str_eq(&s, "bn254")
                ? "curve is BN254 (bn128); only BLS12-381 is supported"
                : "curve is not bls12381");
}

cuzk_status cuzk_proof_json_read(cuzk_proof *out, const void *text, size_t n, const char *name,
                                 cuzk_err *err)
{
    static const char *const names[] = {"pi_a", "pi_b", "pi_c", "protocol", "curve"};
    doc d = open_doc(text, n);
    cuzk_json_str key;
    uint64_t seen = 0;
    cuzk_proof p;
    memset(&p, 0, sizeof(p)); /* compilers cannot see that require covers all three */
    (void)cuzk_json_begin_object(&d.j);
    while (cuzk_json_next_key(&d.j, &key)) {
        switch (cuzk_json_field(&d.j, &key, names, 5, &seen)) {
        case 0: read_g1(&d, &p.a); break;
        case 1: read_g2(&d, &p.b); break;
        case 2: read_g1(&d, &p.c); break;
        case 3: read_protocol(&d); break;
        case 4: read_curve(&d); break;
        default: (void)cuzk_json_skip(&d.j); break;
        }
    }
    (void)cuzk_json_require(&d.j, names, 3, seen);
    CUZK_TRY(close_doc(&d, name, err));
    *out = p;
    return CUZK_OK;
}

cuzk_status cuzk_public_json_read(uint8_t **out, size_t *count, const void *text, size_t n,
                                  const char *name, cuzk_err *err)
{
    doc d = open_doc(text, n);
    uint8_t *v = NULL;
    size_t k = 0, cap = 0;
    (void)cuzk_json_begin_array(&d.j);
    while (!d.j.failed && cuzk_json_next(&d.j)) {
        if (k == cap) { /* each element takes bytes of the text: growth is bounded by n */
            const size_t more = cap == 0 ? 64 : 2 * cap;
            uint8_t *bigger = cuzk_realloc(v, more, 32);
            if (bigger == NULL) {
                cuzk_free(v);
                return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: out of memory for %zu public inputs", name,
                                 more);
            }
            v = bigger;
            cap = more;
        }
        k += read_fr_le(&d, v + 32 * k);
    }
    const cuzk_status st = close_doc(&d, name, err);
    if (st != CUZK_OK) {
        cuzk_free(v);
        return st;
    }
    *out = v;
    *count = k;
    return CUZK_OK;
}

typedef struct key {
    cuzk_srs_vk vk;
    cuzk_g1_affine *ic; /* [cap], owned */
    size_t n_ic, cap;
    uint64_t n_public;
    bool nomem;
} key;

static void read_ic(doc *d, key *k)
{
    (void)cuzk_json_begin_array(&d->j);
    while (!d->j.failed && cuzk_json_next(&d->j)) {
        if (k->n_ic == k->cap) {
            const size_t more = k->cap == 0 ? 16 : 2 * k->cap;
            cuzk_g1_affine *bigger = cuzk_realloc(k->ic, more, sizeof(*bigger));
            if (bigger == NULL) {
                k->nomem = true;
                fail_as(d, CUZK_E_NOMEM, "out of memory for the IC points");
                return;
            }
            k->ic = bigger;
            k->cap = more;
        }
        read_g1(d, &k->ic[k->n_ic++]);
    }
}

static cuzk_status read_key(key *k, const void *text, size_t n, const char *name, cuzk_err *err)
{
    static const char *const names[] = {"protocol",  "curve",      "nPublic",    "vk_alpha_1",
                                        "vk_beta_2", "vk_gamma_2", "vk_delta_2", "IC"};
    doc d = open_doc(text, n);
    cuzk_json_str s;
    uint64_t seen = 0;
    (void)cuzk_json_begin_object(&d.j);
    while (cuzk_json_next_key(&d.j, &s)) {
        switch (cuzk_json_field(&d.j, &s, names, 8, &seen)) {
        case 0: read_protocol(&d); break;
        case 1: read_curve(&d); break;
        case 2: (void)cuzk_json_u64_max(&d.j, &k->n_public, UINT32_MAX - 1); break;
        case 3: read_g1(&d, &k->vk.alpha_g1); break;
        case 4: read_g2(&d, &k->vk.beta_g2); break;
        case 5: read_g2(&d, &k->vk.gamma_g2); break;
        case 6: read_g2(&d, &k->vk.delta_g2); break;
        case 7: read_ic(&d, k); break;
        default: (void)cuzk_json_skip(&d.j); break;
        }
    }
    (void)cuzk_json_require(&d.j, names, 8, seen);
    if (!d.j.failed && k->n_ic != k->n_public + 1) {
        (void)cuzk_json_fail(&d.j, "IC has %zu points for nPublic %llu", k->n_ic,
                             (unsigned long long)k->n_public);
    }
    return close_doc(&d, name, err);
}

cuzk_status cuzk_vk_json_read(uint8_t **out, size_t *out_bytes, const void *text, size_t n,
                              const char *name, cuzk_err *err)
{
    key k;
    memset(&k, 0, sizeof(k));
    cuzk_status st = read_key(&k, text, n, name, err);
    if (st == CUZK_OK) {
        k.vk.beta_g1 = k.vk.delta_g1 = CUZK_G1_GENERATOR;
        k.vk.n_ic = (uint32_t)k.n_ic;
        k.vk.ic = k.ic;
        const size_t bytes = 868 + 96 * k.n_ic;
        uint8_t *b = cuzk_alloc(bytes, 1);
        if (b == NULL) {
            st = CUZK_FAIL(err, CUZK_E_NOMEM, "%s: out of memory for the key", name);
        } else {
            cuzk_srs_vk_encode(b, &k.vk);
            *out = b;
            *out_bytes = bytes;
        }
    }
    cuzk_free(k.ic);
    return st;
}

static void write_fp(cuzk_jsonw *w, const cuzk_fp *a)
{
    uint64_t v[6];
    char text[CUZK_DECIMAL_BYTES];
    cuzk_fp_to_canonical(v, a);
    const size_t n = cuzk_decimal_format(text, v, 6);
    cuzk_jsonw_str_n(w, text, n);
}

static void write_fp2(cuzk_jsonw *w, const cuzk_fp2 *a)
{
    cuzk_jsonw_begin_array(w);
    write_fp(w, &a->c0);
    write_fp(w, &a->c1);
    cuzk_jsonw_end_array(w);
}

static void write_g1(cuzk_jsonw *w, const cuzk_g1_affine *p)
{
    const bool inf = cuzk_g1_affine_is_infinity(p);
    cuzk_jsonw_begin_array(w);
    write_fp(w, &p->x);
    write_fp(w, inf ? &CUZK_FP_ONE : &p->y); /* snarkjs writes infinity as 0 : 1 : 0 */
    write_fp(w, inf ? &CUZK_FP_ZERO : &CUZK_FP_ONE);
    cuzk_jsonw_end_array(w);
}

static void write_g2(cuzk_jsonw *w, const cuzk_g2_affine *p)
{
    const bool inf = cuzk_g2_affine_is_infinity(p);
    cuzk_jsonw_begin_array(w);
    write_fp2(w, &p->x);
    write_fp2(w, inf ? &CUZK_FP2_ONE : &p->y);
    write_fp2(w, inf ? &CUZK_FP2_ZERO : &CUZK_FP2_ONE);
    cuzk_jsonw_end_array(w);
}

static void write_tags(cuzk_jsonw *w)
{
    cuzk_jsonw_key(w, "protocol");
    cuzk_jsonw_str(w, "groth16");
    cuzk_jsonw_key(w, "curve");
    cuzk_jsonw_str(w, "bls12381");
}

void cuzk_proof_json_write(cuzk_jsonw *w, const cuzk_proof *proof)
{
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_key(w, "pi_a");
    write_g1(w, &proof->a);
    cuzk_jsonw_key(w, "pi_b");
    write_g2(w, &proof->b);
    cuzk_jsonw_key(w, "pi_c");
    write_g1(w, &proof->c);
    write_tags(w);
    cuzk_jsonw_end_object(w);
}

void cuzk_public_json_write(cuzk_jsonw *w, const cuzk_fr *values, size_t n)
{
    cuzk_jsonw_begin_array(w);
    for (size_t i = 0; i < n; i++) {
        cuzk_scalar s;
        char text[CUZK_DECIMAL_BYTES];
        cuzk_fr_to_scalar(&s, &values[i]);
        const size_t len = cuzk_decimal_format(text, s.l, 4);
        cuzk_jsonw_str_n(w, text, len);
    }
    cuzk_jsonw_end_array(w);
}

void cuzk_vk_json_write(cuzk_jsonw *w, const cuzk_srs_vk *vk)
{
    cuzk_jsonw_begin_object(w);
    write_tags(w);
    cuzk_jsonw_key(w, "nPublic");
    cuzk_jsonw_u64(w, vk->n_ic - 1);
    cuzk_jsonw_key(w, "vk_alpha_1");
    write_g1(w, &vk->alpha_g1);
    cuzk_jsonw_key(w, "vk_beta_2");
    write_g2(w, &vk->beta_g2);
    cuzk_jsonw_key(w, "vk_gamma_2");
    write_g2(w, &vk->gamma_g2);
    cuzk_jsonw_key(w, "vk_delta_2");
    write_g2(w, &vk->delta_g2);
    cuzk_jsonw_key(w, "IC");
    cuzk_jsonw_begin_array(w);
    for (uint32_t i = 0; i < vk->n_ic; i++) {
        write_g1(w, &vk->ic[i]);
    }
    cuzk_jsonw_end_array(w);
    cuzk_jsonw_end_object(w);
}

bool cuzk_vk_identity(uint8_t out[32], const uint8_t *vk, size_t n)
{
    /* alpha_g1 | beta_g1 | beta_g2 | gamma_g2 | delta_g1 | delta_g2 | count | ic */
    if (n < 868 || (n - 868) / 96 != cuzk_load_u32_be(vk + 864) || (n - 868) % 96 != 0) {
        return false;
    }
    cuzk_sha256 h;
    cuzk_sha256_init(&h);
    cuzk_sha256_update(&h, vk, 96);
    cuzk_sha256_update(&h, vk + 192, 384);
    cuzk_sha256_update(&h, vk + 672, n - 672);
    cuzk_sha256_final(out, &h);
    return true;
}
