/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "interop/zkey.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "sys/file.h"

#include "zkey_internal.h"

/* Of sections that are small, or of which the beginning is enough. */
#define SMALL_BYTES 65536u

struct cuzk_zkey {
    cuzk_file *opened; /* NULL when the bytes are the caller's */
    char *name;
    cuzk_iden3 file;
    cuzk_zkey_info info;
    cuzk_point_check check;
    cuzk_circuit *circuit;
    cuzk_srs *srs;
    cuzk_g1_affine *ic;
};

/* Section of the file for a section of the srs, and what stands in messages. */
static const struct {
    uint32_t id;
    const char *what;
} sections[CUZK_SRS_SECTIONS] = {[CUZK_SRS_H] = {CUZK_ZKEY_H, "H"},
                                 [CUZK_SRS_L] = {CUZK_ZKEY_C, "C"},
                                 [CUZK_SRS_A] = {CUZK_ZKEY_A, "A"},
                                 [CUZK_SRS_B_G1] = {CUZK_ZKEY_B1, "B1"},
                                 [CUZK_SRS_B_G2] = {CUZK_ZKEY_B2, "B2"}};

static cuzk_status bad_point(const cuzk_zkey *z, cuzk_srs_section s, uint64_t i, cuzk_status st,
                             cuzk_err *err)
{
    return CUZK_FAIL(err, st, "%s: point %llu of section %u (%s): %s", z->name,
                     (unsigned long long)i, sections[s].id, sections[s].what, cuzk_status_text(st));
}

/* Bytes that a thread reads at a time, on its stack: whole points of either group. */
#define PIECE_BYTES ((size_t)12288)

typedef struct decode {
    const cuzk_zkey *z;
    cuzk_srs_section s;
    uint64_t at;        /* of the first point, in its section */
    cuzk_g1_affine *g1; /* one of the two, or neither: check only */
    cuzk_g2_affine *g2;
    bool is_g2;
    cuzk_point_check check;
    _Atomic uint64_t bad;    /* lowest bad index + 1 */
    _Atomic bool has_failed; /* who sets it writes err */
    cuzk_err err;
} decode;

static cuzk_status decode_one(const decode *d, size_t i, const uint8_t *in)
{
    if (d->is_g2) {
        cuzk_g2_affine p;
        return cuzk_iden3_g2_decode(d->g2 == NULL ? &p : &d->g2[i], in, d->check);
    }
    cuzk_g1_affine p;
    return cuzk_iden3_g1_decode(d->g1 == NULL ? &p : &d->g1[i], in, d->check);
}

static cuzk_status decode_piece(decode *d, size_t first, size_t n, const uint8_t *in, size_t size)
{
    for (size_t k = 0; k < n; k++) {
        const cuzk_status st = decode_one(d, first + k, in + k * size);
        if (st != CUZK_OK) {
            uint64_t bad = atomic_load(&d->bad);
            while ((bad == 0 || bad > first + k + 1) &&
                   !atomic_compare_exchange_weak(&d->bad, &bad, first + k + 1)) {
            }
            return st;
        }
    }
    return CUZK_OK;
}

static cuzk_status decode_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    decode *d = arg;
    const size_t size = d->is_g2 ? CUZK_IDEN3_G2_BYTES : CUZK_IDEN3_G1_BYTES;
    const size_t per_piece = PIECE_BYTES / size;
    uint8_t piece[PIECE_BYTES];
    (void)worker;
    for (size_t i = begin; i < end; i += per_piece) {
        const size_t n = end - i < per_piece ? end - i : per_piece;
        cuzk_err err;
        const cuzk_status st = cuzk_iden3_read(&d->z->file, sections[d->s].id, piece,
                                               d->at + (uint64_t)i * size, n * size, &err);
        if (st != CUZK_OK) {
            if (!atomic_exchange(&d->has_failed, true)) {
                d->err = err;
            }
            return st;
        }
        CUZK_TRY(decode_piece(d, i, n, piece, size));
    }
    return CUZK_OK;
}

static cuzk_status decode_points(const cuzk_zkey *z, cuzk_srs_section s, uint64_t first, uint64_t n,
                                 cuzk_g1_affine *g1, cuzk_g2_affine *g2, cuzk_point_check check,
                                 cuzk_pool *pool, const cuzk_cancel *cancel, cuzk_err *err)
{
    const size_t bytes = s == CUZK_SRS_B_G2 ? CUZK_IDEN3_G2_BYTES : CUZK_IDEN3_G1_BYTES;
    const uint64_t count = z->file.bytes[sections[s].id] / bytes;
    if (first > count || n > count - first) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s: section %s has %llu points", z->name,
                         sections[s].what, (unsigned long long)count);
    }
    decode d = {.z = z,
                .s = s,
                .at = first * bytes,
                .g1 = g1,
                .g2 = g2,
                .is_g2 = s == CUZK_SRS_B_G2,
                .check = check};
    const cuzk_status st = cuzk_parallel_for(pool, cancel, (size_t)n, 256, decode_range, &d);
    if (st == CUZK_OK) {
        return CUZK_OK;
    }
    const uint64_t bad = atomic_load(&d.bad);
    if (bad != 0) {
        return bad_point(z, s, first + bad - 1, st, err);
    }
    if (atomic_load(&d.has_failed)) {
        return CUZK_FAIL_OS(err, d.err.code, d.err.os_code, "%s (section %s)", d.err.msg,
                            sections[s].what);
    }
    return CUZK_FAIL(err, st, "%s: reading stopped: %s", z->name, cuzk_status_text(st));
}

static cuzk_status read_g1(void *arg, cuzk_srs_section s, uint64_t first, uint64_t n,
                           cuzk_g1_affine *out, cuzk_pool *pool, cuzk_err *err)
{
    const cuzk_zkey *z = arg;
    return decode_points(z, s, first, n, out, NULL, z->check, pool, NULL, err);
}

static cuzk_status read_g2(void *arg, cuzk_srs_section s, uint64_t first, uint64_t n,
                           cuzk_g2_affine *out, cuzk_pool *pool, cuzk_err *err)
{
    const cuzk_zkey *z = arg;
    return decode_points(z, s, first, n, NULL, out, z->check, pool, NULL, err);
}

static cuzk_status vk_g1(const cuzk_zkey *z, cuzk_g1_affine *out, const uint8_t *in,
                         const char *what, uint64_t index, cuzk_err *err)
{
    cuzk_status st = cuzk_iden3_g1_decode(out, in, CUZK_POINT_IN_SUBGROUP);
    if (st == CUZK_OK && cuzk_g1_affine_is_infinity(out)) {
        st = CUZK_E_INFINITY;
    }
    return st == CUZK_OK ? CUZK_OK
                         : CUZK_FAIL(err, st, "%s: verifying key, %s %llu: %s", z->name, what,
                                     (unsigned long long)index, cuzk_status_text(st));
}

static cuzk_status vk_g2(const cuzk_zkey *z, cuzk_g2_affine *out, const uint8_t *in,
                         const char *what, cuzk_err *err)
{
    cuzk_status st = cuzk_iden3_g2_decode(out, in, CUZK_POINT_IN_SUBGROUP);
    if (st == CUZK_OK && cuzk_g2_affine_is_infinity(out)) {
        st = CUZK_E_INFINITY;
    }
    return st == CUZK_OK ? CUZK_OK
                         : CUZK_FAIL(err, st, "%s: verifying key, %s: %s", z->name, what,
                                     cuzk_status_text(st));
}

static cuzk_status read_header(cuzk_zkey *z, cuzk_srs_vk *vk, cuzk_err *err)
{
    cuzk_reader r;
    uint32_t protocol;
    const uint8_t *p;
    cuzk_zkey_info *info = &z->info;
    CUZK_TRY(cuzk_iden3_section(&z->file, CUZK_ZKEY_PROTOCOL, "protocol", &r, err));
    if (!cuzk_read_u32_le(&r, &protocol)) {
        return cuzk_iden3_truncated(&z->file, CUZK_ZKEY_PROTOCOL, "protocol", err);
    }
    if (protocol != 1) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "%s: key is for %s, not Groth16", z->name,
                         protocol == 2    ? "PLONK"
                         : protocol == 10 ? "FFLONK"
                                          : "an unknown protocol");
    }
    CUZK_TRY(cuzk_iden3_section(&z->file, CUZK_ZKEY_HEADER, "header", &r, err));
    CUZK_TRY(cuzk_iden3_read_q(&z->file, &r, err));
    CUZK_TRY(cuzk_iden3_read_r(&z->file, &r, err));
    if (!cuzk_read_u32_le(&r, &info->n_vars) || !cuzk_read_u32_le(&r, &info->n_public) ||
        !cuzk_read_u32_le(&r, &info->domain_size) ||
        !cuzk_read_bytes(&r, &p, 3 * CUZK_IDEN3_G1_BYTES + 3 * CUZK_IDEN3_G2_BYTES) ||
        cuzk_reader_left(&r) != 0) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: section 2 (header) has a wrong size", z->name);
    }
    if (info->n_vars == 0 || info->n_public >= info->n_vars) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: %u wires cannot have %u public ones and ONE",
                         z->name, info->n_vars, info->n_public);
    }
    if (info->domain_size == 0 || (info->domain_size & (info->domain_size - 1)) != 0) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: domain size %u is not a power of two", z->name,
                         info->domain_size);
    }
    CUZK_TRY(vk_g1(z, &vk->alpha_g1, p, "alpha in G", 1, err));
    CUZK_TRY(vk_g1(z, &vk->beta_g1, p + 96, "beta in G", 1, err));
    CUZK_TRY(vk_g2(z, &vk->beta_g2, p + 192, "beta in G 2", err));
    CUZK_TRY(vk_g2(z, &vk->gamma_g2, p + 384, "gamma in G 2", err));
    CUZK_TRY(vk_g1(z, &vk->delta_g1, p + 576, "delta in G", 1, err));
    return vk_g2(z, &vk->delta_g2, p + 672, "delta in G 2", err);
}

/* Every section's size against the header, before anything is allocated by its counts. */
static cuzk_status check_sizes(const cuzk_zkey *z, uint64_t count[CUZK_SRS_SECTIONS], cuzk_err *err)
{
    const cuzk_zkey_info *info = &z->info;
    count[CUZK_SRS_H] = info->domain_size;
    count[CUZK_SRS_L] = info->n_vars - info->n_public - 1;
    count[CUZK_SRS_A] = count[CUZK_SRS_B_G1] = count[CUZK_SRS_B_G2] = info->n_vars;
    for (int s = 0; s < CUZK_SRS_SECTIONS; s++) {
        const size_t bytes = s == CUZK_SRS_B_G2 ? CUZK_IDEN3_G2_BYTES : CUZK_IDEN3_G1_BYTES;
        const uint64_t found = z->file.bytes[sections[s].id];
        CUZK_TRY(cuzk_iden3_require(&z->file, sections[s].id, sections[s].what, err));
        if (found != count[s] * bytes) {
            return CUZK_FAIL(err, CUZK_E_FORMAT,
                             "%s: section %u (%s) has %llu bytes, %llu points need %llu", z->name,
                             sections[s].id, sections[s].what, (unsigned long long)found,
                             (unsigned long long)count[s], (unsigned long long)(count[s] * bytes));
        }
    }
    CUZK_TRY(cuzk_iden3_require(&z->file, CUZK_ZKEY_IC, "IC", err));
    const uint64_t ic = z->file.bytes[CUZK_ZKEY_IC];
    if (ic != ((uint64_t)info->n_public + 1) * CUZK_IDEN3_G1_BYTES) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "%s: section 3 (IC) has %llu bytes for %u public wires", z->name,
                         (unsigned long long)ic, info->n_public);
    }
    return CUZK_OK;
}

static cuzk_status read_ic(cuzk_zkey *z, cuzk_srs_vk *vk, cuzk_err *err)
{
    const uint8_t *p = z->file.section[CUZK_ZKEY_IC].p;
    vk->n_ic = z->info.n_public + 1;
    z->ic = cuzk_alloc(vk->n_ic, sizeof(*z->ic));
    if (z->ic == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: out of memory for %u IC points", z->name,
                         vk->n_ic);
    }
    for (uint32_t i = 0; i < vk->n_ic; i++) {
        CUZK_TRY(vk_g1(z, &z->ic[i], p + (size_t)i * CUZK_IDEN3_G1_BYTES, "IC", i, err));
    }
    vk->ic = z->ic;
    return CUZK_OK;
}

/* Section 10: {u8 circuit hash[64], u32 n, ...}. Only counted; a key works without it. */
static cuzk_status read_contributions(cuzk_zkey *z, cuzk_err *err)
{
    const uint8_t *hash;
    if ((z->file.present >> CUZK_ZKEY_CONTRIBUTIONS & 1) == 0) {
        return CUZK_OK;
    }
    cuzk_reader r = z->file.section[CUZK_ZKEY_CONTRIBUTIONS];
    if (!cuzk_read_bytes(&r, &hash, 64) || !cuzk_read_u32_le(&r, &z->info.n_contributions)) {
        return cuzk_iden3_truncated(&z->file, CUZK_ZKEY_CONTRIBUTIONS, "contributions", err);
    }
    return CUZK_OK;
}

/* Sections of a file that are read as a whole, in memory while the key is read. */
typedef struct loaded {
    uint8_t *block[CUZK_IDEN3_MAX_ID + 1];
} loaded;

static cuzk_status load_small(cuzk_zkey *z, loaded *l, cuzk_err *err)
{
    static const uint32_t ids[] = {CUZK_ZKEY_PROTOCOL, CUZK_ZKEY_HEADER, CUZK_ZKEY_CONTRIBUTIONS};
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        CUZK_TRY(cuzk_iden3_load(&z->file, ids[i], SMALL_BYTES, &l->block[ids[i]], err));
    }
    return CUZK_OK;
}

static cuzk_status load_parsed(cuzk_zkey *z, loaded *l, cuzk_err *err)
{
    cuzk_srs_source src;
    memset(&src, 0, sizeof(src));
    CUZK_TRY(load_small(z, l, err));
    CUZK_TRY(read_header(z, &src.vk, err));
    CUZK_TRY(cuzk_srs_vk_guard(&src.vk, z->name, err));
    CUZK_TRY(check_sizes(z, src.count, err));
    CUZK_TRY(read_contributions(z, err));
    CUZK_TRY(cuzk_iden3_load(&z->file, CUZK_ZKEY_IC, UINT64_MAX, &l->block[CUZK_ZKEY_IC], err));
    CUZK_TRY(read_ic(z, &src.vk, err));
    CUZK_TRY(
        cuzk_iden3_load(&z->file, CUZK_ZKEY_COEFS, UINT64_MAX, &l->block[CUZK_ZKEY_COEFS], err));
    CUZK_TRY(cuzk_zkey_compile(&z->circuit, &z->info, &z->file, err));
    const unsigned lg = cuzk_circuit_lg_domain(z->circuit);
    if (lg > 31 || (uint32_t)1 << lg > z->info.domain_size) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED,
                         "%s: domain size is %u, but %u constraints and %u public wires need 2^%u",
                         z->name, z->info.domain_size, z->info.n_constraints, z->info.n_public, lg);
    }
    while ((uint32_t)1 << z->circuit->min_lg_domain < z->info.domain_size) {
        z->circuit->min_lg_domain++; /* the key decides; section 9 has that many points */
    }
    src.quotient = CUZK_QUOTIENT_ODD_COSET;
    src.all_wires = true;
    src.read_g1 = read_g1;
    src.read_g2 = read_g2;
    src.arg = z;
    return cuzk_srs_create(&z->srs, &src, err);
}

/* The key of z->opened, or of bytes when there is none. */
static cuzk_status load(cuzk_zkey *z, const void *data, size_t n, cuzk_err *err)
{
    enum { VERSION = 1, KNOWN = 0x7fe };
    loaded l = {{NULL}};
    if (z->opened != NULL) {
        CUZK_TRY(cuzk_iden3_parse_file(&z->file, z->opened, z->name, "zkey", VERSION, KNOWN, err));
    } else {
        CUZK_TRY(cuzk_iden3_parse(&z->file, data, n, z->name, "zkey", VERSION, KNOWN, err));
    }
    const cuzk_status st = load_parsed(z, &l, err);
    for (size_t i = 0; i <= CUZK_IDEN3_MAX_ID; i++) {
        if (l.block[i] != NULL) {
            z->file.section[i] = cuzk_reader_init(NULL, 0);
            cuzk_free(l.block[i]);
        }
    }
    return st;
}

/* Owns file (NULL: data [n]) from here on, also on failure. */
static cuzk_status create(cuzk_zkey **out, cuzk_file *file, const void *data, size_t n,
                          const char *name, cuzk_point_check check, cuzk_err *err)
{
    const size_t name_bytes = strlen(name) + 1;
    cuzk_zkey *z = cuzk_alloc_zero(1, sizeof(*z));
    char *copy = cuzk_alloc(name_bytes, 1);
    if (z == NULL || copy == NULL) {
        cuzk_free(z);
        cuzk_free(copy);
        cuzk_file_close(file);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: out of memory", name);
    }
    memcpy(copy, name, name_bytes);
    z->name = copy;
    z->check = check;
    z->opened = file;
    const cuzk_status st = load(z, data, n, err);
    if (st != CUZK_OK) {
        cuzk_zkey_close(z);
        return st;
    }
    *out = z;
    return CUZK_OK;
}

cuzk_status cuzk_zkey_open(cuzk_zkey **out, const char *path, cuzk_point_check check, cuzk_err *err)
{
    cuzk_file *f;
    CUZK_TRY(cuzk_file_open(&f, path, err));
    return create(out, f, NULL, 0, path, check, err);
}

cuzk_status cuzk_zkey_open_bytes(cuzk_zkey **out, const void *data, size_t n, const char *name,
                                 cuzk_point_check check, cuzk_err *err)
{
    return create(out, NULL, data, n, name, check, err);
}

void cuzk_zkey_close(cuzk_zkey *z)
{
    if (z == NULL) {
        return;
    }
    cuzk_srs_close(z->srs);
    cuzk_circuit_destroy(z->circuit);
    cuzk_free(z->ic);
    cuzk_free(z->name);
    cuzk_file_close(z->opened);
    cuzk_free(z);
}

const cuzk_zkey_info *cuzk_zkey_get_info(const cuzk_zkey *z)
{
    return &z->info;
}

const cuzk_srs *cuzk_zkey_srs(const cuzk_zkey *z)
{
    return z->srs;
}

const cuzk_circuit *cuzk_zkey_circuit(const cuzk_zkey *z)
{
    return z->circuit;
}

cuzk_status cuzk_zkey_check_points(const cuzk_zkey *z, cuzk_point_check check, cuzk_pool *pool,
                                   const cuzk_cancel *cancel, cuzk_err *err)
{
    for (int s = 0; s < CUZK_SRS_SECTIONS; s++) {
        const uint64_t n = cuzk_srs_count(z->srs, (cuzk_srs_section)s);
        CUZK_TRY(decode_points(z, (cuzk_srs_section)s, 0, n, NULL, NULL, check, pool, cancel, err));
    }
    return CUZK_OK;
}
