/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/alloc.h"

#include "iden3_internal.h"

/* Enough for the head and to tell what else a file may be. */
#define HEAD_BYTES 256u

static bool starts_with(const uint8_t *d, size_t n, const char *text)
{
    const size_t k = strlen(text);
    return n >= k && memcmp(d, text, k) == 0;
}

/* What the bytes look like, for the message; NULL when there is nothing to say. */
static const char *guess(const uint8_t *d, size_t n)
{
    static const char *const kinds[] = {"r1cs", "wtns", "zkey"};
    static const char *const found[] = {"an r1cs file", "a wtns file", "a zkey file"};
    for (size_t i = 0; i < 3; i++) {
        if (starts_with(d, n, kinds[i])) {
            return found[i];
        }
    }
    size_t k = 0;
    while (k < n && k < 64 && (d[k] == ' ' || d[k] == '\n' || d[k] == '\r' || d[k] == '\t')) {
        k++;
    }
    if (starts_with(d + k, n - k, "<!") || starts_with(d + k, n - k, "<html") ||
        starts_with(d + k, n - k, "<HTML")) {
        return "an HTML page";
    }
    if (starts_with(d + k, n - k, "{") || starts_with(d + k, n - k, "[")) {
        return "JSON";
    }
    if (starts_with(d, n, "\x1f\x8b")) {
        return "gzip data";
    }
    if (starts_with(d, n, "version https://git-lfs")) {
        return "a git-lfs pointer";
    }
    return NULL;
}

/* d: the first bytes, shown of them, of n. */
static cuzk_status wrong_magic(const uint8_t *d, size_t shown, uint64_t n, const char *name,
                               const char *kind, uint32_t version, cuzk_err *err)
{
    if (n == 0) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: file is empty, expected %s v%u", name, kind,
                         version);
    }
    const char *what = guess(d, shown);
    if (what != NULL) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: this is %s, expected %s v%u", name, what, kind,
                         version);
    }
    if (strcmp(kind, "wtns") == 0 && n % 32 == 0) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "%s: raw dump, expected wtns v%u (%llu values without a header?)", name,
                         version, (unsigned long long)(n / 32));
    }
    return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: no \"%s\" at the start, expected %s v%u", name, kind,
                     kind, version);
}

/* Bytes [at, at + n), which are there. */
static cuzk_status fetch(const cuzk_iden3 *f, uint8_t *out, uint64_t at, size_t n, cuzk_err *err)
{
    if (f->file != NULL) {
        return cuzk_file_read(f->file, out, at, n, err);
    }
    if (n > 0) {
        memcpy(out, f->data + at, n);
    }
    return CUZK_OK;
}

static cuzk_status check_head(const cuzk_iden3 *f, uint64_t size, uint32_t version,
                              uint32_t *n_sections, cuzk_err *err)
{
    uint8_t head[HEAD_BYTES];
    const size_t n = size < sizeof(head) ? (size_t)size : sizeof(head);
    cuzk_reader r = cuzk_reader_init(head, n);
    const uint8_t *magic;
    uint32_t v;
    CUZK_TRY(fetch(f, head, 0, n, err));
    if (!cuzk_read_bytes(&r, &magic, 4) || memcmp(magic, f->kind, 4) != 0) {
        return wrong_magic(head, n, size, f->name, f->kind, version, err);
    }
    if (!cuzk_read_u32_le(&r, &v) || !cuzk_read_u32_le(&r, n_sections)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: header is truncated", f->name);
    }
    if (v != version) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "%s: %s version %u, expected %u", f->name,
                         f->kind, v, version);
    }
    return CUZK_OK;
}

static cuzk_status index_sections(cuzk_iden3 *f, uint64_t size, uint32_t n_sections, uint32_t known,
                                  cuzk_err *err)
{
    uint64_t at = 12;
    for (uint32_t i = 0; i < n_sections; i++) {
        uint8_t head[12];
        if (size - at < sizeof(head)) {
            return CUZK_FAIL(err, CUZK_E_FORMAT,
                             "%s: file ends after %u of %u sections; it is truncated", f->name, i,
                             n_sections);
        }
        CUZK_TRY(fetch(f, head, at, sizeof(head), err));
        at += sizeof(head);
        const uint32_t id = cuzk_load_u32_le(head);
        const uint64_t bytes = cuzk_load_u64_le(head + 4);
        if (bytes > size - at) {
            return CUZK_FAIL(err, CUZK_E_FORMAT,
                             "%s: section %u says %llu bytes, only %llu are left; the file is "
                             "truncated",
                             f->name, id, (unsigned long long)bytes,
                             (unsigned long long)(size - at));
        }
        if (id <= CUZK_IDEN3_MAX_ID && (known >> id & 1) != 0) {
            if ((f->present >> id & 1) != 0) {
                return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: section %u is there twice", f->name, id);
            }
            f->present |= (uint32_t)1 << id;
            f->at[id] = at;
            f->bytes[id] = bytes;
        }
        at += bytes;
    }
    if (at != size) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: %llu bytes after the last section", f->name,
                         (unsigned long long)(size - at));
    }
    return CUZK_OK;
}

static cuzk_status parse(cuzk_iden3 *f, uint64_t size, uint32_t version, uint32_t known,
                         cuzk_err *err)
{
    uint32_t n_sections = 0;
    CUZK_TRY(check_head(f, size, version, &n_sections, err));
    return index_sections(f, size, n_sections, known, err);
}

cuzk_status cuzk_iden3_parse(cuzk_iden3 *out, const void *data, size_t n, const char *name,
                             const char *kind, uint32_t version, uint32_t known, cuzk_err *err)
{
    memset(out, 0, sizeof(*out));
    out->name = name;
    out->kind = kind;
    out->data = data;
    CUZK_TRY(parse(out, n, version, known, err));
    for (uint32_t id = 0; id <= CUZK_IDEN3_MAX_ID; id++) {
        if ((out->present >> id & 1) != 0) {
            out->section[id] = cuzk_reader_init(out->data + out->at[id], (size_t)out->bytes[id]);
        }
    }
    return CUZK_OK;
}

cuzk_status cuzk_iden3_parse_file(cuzk_iden3 *out, const cuzk_file *file, const char *name,
                                  const char *kind, uint32_t version, uint32_t known, cuzk_err *err)
{
    memset(out, 0, sizeof(*out));
    out->name = name;
    out->kind = kind;
    out->file = file;
    return parse(out, cuzk_file_size(file), version, known, err);
}

cuzk_status cuzk_iden3_load(cuzk_iden3 *f, uint32_t id, uint64_t max, uint8_t **block,
                            cuzk_err *err)
{
    const uint64_t n = f->bytes[id] < max ? f->bytes[id] : max;
    if (f->file == NULL || n == 0) {
        return CUZK_OK;
    }
    uint8_t *b = cuzk_alloc((size_t)n, 1);
    if (b == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: out of memory for section %u, %llu bytes", f->name,
                         id, (unsigned long long)n);
    }
    const cuzk_status st = fetch(f, b, f->at[id], (size_t)n, err);
    if (st != CUZK_OK) {
        cuzk_free(b);
        return st;
    }
    f->section[id] = cuzk_reader_init(b, (size_t)n);
    *block = b;
    return CUZK_OK;
}

cuzk_status cuzk_iden3_read(const cuzk_iden3 *f, uint32_t id, uint8_t *out, uint64_t at, size_t n,
                            cuzk_err *err)
{
    return fetch(f, out, f->at[id] + at, n, err);
}

cuzk_status cuzk_iden3_require(const cuzk_iden3 *f, uint32_t id, const char *what, cuzk_err *err)
{
    if ((f->present >> id & 1) == 0) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: section %u (%s) is missing", f->name, id, what);
    }
    return CUZK_OK;
}

cuzk_status cuzk_iden3_section(const cuzk_iden3 *f, uint32_t id, const char *what, cuzk_reader *out,
                               cuzk_err *err)
{
    CUZK_TRY(cuzk_iden3_require(f, id, what, err));
    *out = f->section[id];
    return CUZK_OK;
}

cuzk_status cuzk_iden3_truncated(const cuzk_iden3 *f, uint32_t id, const char *what, cuzk_err *err)
{
    return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: section %u (%s) is truncated", f->name, id, what);
}

typedef struct prime {
    const char *name;
    uint32_t n_limbs;
    uint64_t l[6]; /* little-endian */
} prime;

static const prime prime_r = {"BLS12-381", 4, CUZK_FR_MOD_LIMBS};
static const prime prime_q = {"BLS12-381", 6, CUZK_FP_MOD_LIMBS};
/* circom --prime's other fields, and the base field of the curve of most zkey files. */
static const prime others[] = {
    {"BN254 (bn128)",
     4,
     {0x43e1f593f0000001, 0x2833e84879b97091, 0xb85045b68181585d, 0x30644e72e131a029}},
    {"BN254 (bn128)",
     4,
     {0x3c208c16d87cfd47, 0x97816a916871ca8d, 0xb85045b68181585d, 0x30644e72e131a029}},
    {"BLS12-377",
     4,
     {0x0a11800000000001, 0x59aa76fed0000001, 0x60b44d1e5c37b001, 0x12ab655e9a2ca556}},
    {"Goldilocks", 1, {0xffffffff00000001}},
    {"Pallas", 4, {0x992d30ed00000001, 0x224698fc094cf91b, 0, 0x4000000000000000}},
    {"Vesta", 4, {0x8c46eb2100000001, 0x224698fc0994a8dd, 0, 0x4000000000000000}},
    {"secp256r1", 4, {0xffffffffffffffff, 0x00000000ffffffff, 0, 0xffffffff00000001}},
};

static bool is_prime(const prime *p, const uint8_t *bytes, uint32_t n)
{
    if (n != 8 * p->n_limbs) {
        return false;
    }
    for (uint32_t i = 0; i < p->n_limbs; i++) {
        if (cuzk_load_u64_le(bytes + 8 * (size_t)i) != p->l[i]) {
            return false;
        }
    }
    return true;
}

static cuzk_status read_prime(const cuzk_iden3 *f, cuzk_reader *r, const prime *want, cuzk_err *err)
{
    uint32_t n;
    const uint8_t *p;
    if (!cuzk_read_u32_le(r, &n) || n > 256 || !cuzk_read_bytes(r, &p, n)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: field prime in the header is malformed", f->name);
    }
    if (is_prime(want, p, n)) {
        return CUZK_OK;
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (is_prime(&others[i], p, n)) {
            return CUZK_FAIL(
                err, CUZK_E_UNSUPPORTED,
                "%s: field is %s; only BLS12-381 is supported (circom --prime bls12381)", f->name,
                others[i].name);
        }
    }
    return CUZK_FAIL(err, CUZK_E_UNSUPPORTED,
                     "%s: field prime is not that of BLS12-381 (circom --prime bls12381)", f->name);
}

cuzk_status cuzk_iden3_read_r(const cuzk_iden3 *f, cuzk_reader *r, cuzk_err *err)
{
    return read_prime(f, r, &prime_r, err);
}

cuzk_status cuzk_iden3_read_q(const cuzk_iden3 *f, cuzk_reader *r, cuzk_err *err)
{
    return read_prime(f, r, &prime_q, err);
}

static bool fp_load(cuzk_fp *out, const uint8_t in[48])
{
    uint64_t bw = 0;
    for (int i = 0; i < 6; i++) {
        out->l[i] = cuzk_load_u64_le(in + 8 * (size_t)i);
        (void)cuzk_sbb(out->l[i], prime_q.l[i], bw, &bw);
    }
    return bw != 0; /* a borrow: below q */
}

static void fp_store(uint8_t out[48], const cuzk_fp *a)
{
    for (int i = 0; i < 6; i++) {
        cuzk_store_u64_le(out + 8 * (size_t)i, a->l[i]);
    }
}

cuzk_status cuzk_iden3_g1_decode(cuzk_g1_affine *out, const uint8_t in[96], cuzk_point_check check)
{
    cuzk_g1_affine p;
    if (!fp_load(&p.x, in) || !fp_load(&p.y, in + 48)) {
        return CUZK_E_ENCODING;
    }
    if (check != CUZK_POINT_UNCHECKED && !cuzk_g1_affine_is_on_curve(&p)) {
        return CUZK_E_NOT_ON_CURVE;
    }
    if (check == CUZK_POINT_IN_SUBGROUP && !cuzk_g1_affine_is_infinity(&p) &&
        !cuzk_g1_affine_is_in_subgroup(&p)) {
        return CUZK_E_NOT_IN_GROUP;
    }
    *out = p;
    return CUZK_OK;
}

cuzk_status cuzk_iden3_g2_decode(cuzk_g2_affine *out, const uint8_t in[192], cuzk_point_check check)
{
    cuzk_g2_affine p;
    if (!fp_load(&p.x.c0, in) || !fp_load(&p.x.c1, in + 48) || !fp_load(&p.y.c0, in + 96) ||
        !fp_load(&p.y.c1, in + 144)) {
        return CUZK_E_ENCODING;
    }
    if (check != CUZK_POINT_UNCHECKED && !cuzk_g2_affine_is_on_curve(&p)) {
        return CUZK_E_NOT_ON_CURVE;
    }
    if (check == CUZK_POINT_IN_SUBGROUP && !cuzk_g2_affine_is_infinity(&p) &&
        !cuzk_g2_affine_is_in_subgroup(&p)) {
        return CUZK_E_NOT_IN_GROUP;
    }
    *out = p;
    return CUZK_OK;
}

void cuzk_iden3_g1_encode(uint8_t out[96], const cuzk_g1_affine *p)
{
    fp_store(out, &p->x);
    fp_store(out + 48, &p->y);
}

void cuzk_iden3_g2_encode(uint8_t out[192], const cuzk_g2_affine *p)
{
    fp_store(out, &p->x.c0);
    fp_store(out + 48, &p->x.c1);
    fp_store(out + 96, &p->y.c0);
    fp_store(out + 144, &p->y.c1);
}
