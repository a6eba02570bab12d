/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Opening a .params file (docs/params-format.md). Most users meet this code with a file that is not a .params file.
 * So the messages distinguish the usual cases, and begin with the essential part, because messages are cut at the
 * end.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "groth16/params/srs.h"

#include "srs_internal.h"

/* Bytes that are needed to recognise another kind of file. */
#define HEAD_BYTES 256u

/* First bytes of the file are printable text. */
static bool looks_like_text(const uint8_t *p, size_t n)
{
    n = n < 64 ? n : 64;
    for (size_t i = 0; i < n; i++) {
        const bool space = p[i] == '\t' || p[i] == '\n' || p[i] == '\r';
        if (!space && (p[i] < 0x20 || p[i] > 0x7e)) {
            return false;
        }
    }
    return true;
}

static bool starts_with(const uint8_t *p, size_t n, const char *prefix)
{
    const size_t len = strlen(prefix);
    return n >= len && memcmp(p, prefix, len) == 0;
}

/* Which kind of file this is, when it cannot be parameters, by its first n bytes; NULL: it may be parameters. */
static const char *guess_other_kind(const uint8_t *p, size_t n, uint64_t size)
{
    static const struct {
        const char *prefix, *kind;
    } magics[] = {
        {"zkey", "a circom .zkey file"},
        {"wtns", "a circom .wtns file"},
        {"r1cs", "a circom .r1cs file"},
        {"ptau", "a powers-of-tau file"},
        {"version https://git-lfs", "a Git LFS pointer, the content was not fetched"},
        {"\x1f\x8b", "gzip data"},
        {"\x28\xb5\x2f\xfd", "zstd data"},
        {"PK\x03\x04", "a zip archive"},
    };
    for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
        if (starts_with(p, n, magics[i].prefix)) {
            return magics[i].kind;
        }
    }
    if (looks_like_text(p, n)) {
        size_t i = 0;
        while (i < n && (p[i] == ' ' || p[i] == '\t' || p[i] == '\n' || p[i] == '\r')) {
            i++;
        }
        if (i < n && p[i] == '<') {
            return "an HTML or XML page, probably a server's error page";
        }
        if (i < n && (p[i] == '{' || p[i] == '[')) {
            return "a JSON file";
        }
        return "a text file";
    }
    size_t zeros = 0;
    while (zeros < n && zeros < CUZK_G1_UNCOMPRESSED_BYTES && p[zeros] == 0) {
        zeros++;
    }
    if (zeros == n || zeros == CUZK_G1_UNCOMPRESSED_BYTES) {
        return "zero bytes, probably an unfinished download";
    }
    if ((p[0] & 0x80) != 0 && size == 192) {
        return "a proof";
    }
    return NULL;
}

static cuzk_status bad_vk_point(cuzk_status st, const char *what, const char *name, cuzk_err *err)
{
    return CUZK_FAIL(err, st, "verifying key, %s: %s: %s", what, cuzk_status_text(st), name);
}

static cuzk_status vk_g1(cuzk_g1_affine *out, const uint8_t *p, const char *what, const char *name,
                         cuzk_err *err)
{
    cuzk_status st = cuzk_g1_decode_uncompressed(out, p, CUZK_POINT_IN_SUBGROUP);
    if (st == CUZK_OK && cuzk_g1_affine_is_infinity(out)) {
        st = CUZK_E_INFINITY;
    }
    return st == CUZK_OK ? st : bad_vk_point(st, what, name, err);
}

static cuzk_status vk_g2(cuzk_g2_affine *out, const uint8_t *p, const char *what, const char *name,
                         cuzk_err *err)
{
    cuzk_status st = cuzk_g2_decode_uncompressed(out, p, CUZK_POINT_IN_SUBGROUP);
    if (st == CUZK_OK && cuzk_g2_affine_is_infinity(out)) {
        st = CUZK_E_INFINITY;
    }
    return st == CUZK_OK ? st : bad_vk_point(st, what, name, err);
}

/* How long the key is; its points are decoded by read_vk. */
static cuzk_status find_vk(cuzk_srs *srs, uint64_t *vk_bytes, cuzk_err *err)
{
    const uint64_t size = srs->size;
    uint8_t count[4];
    if (size < CUZK_VK_FIXED_BYTES) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "truncated: the verifying key alone has at least %u bytes, found %llu: %s",
                         CUZK_VK_FIXED_BYTES + CUZK_G1_UNCOMPRESSED_BYTES, (unsigned long long)size,
                         srs->name);
    }
    CUZK_TRY(cuzk_srs_read_bytes(srs, count, CUZK_VK_POINTS_BYTES, sizeof(count), err));
    const uint32_t n_ic = cuzk_load_u32_be(count);
    if (n_ic == 0) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "verifying key without ic points: damaged or not parameters: %s",
                         srs->name);
    }
    *vk_bytes = CUZK_VK_FIXED_BYTES + (uint64_t)n_ic * CUZK_G1_UNCOMPRESSED_BYTES;
    if (*vk_bytes > size) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "truncated or damaged: verifying key with %u ic points has %llu bytes, "
                         "found %llu: %s",
                         n_ic, (unsigned long long)*vk_bytes, (unsigned long long)size, srs->name);
    }
    if (*vk_bytes == size) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "a verifying key (.vk), not parameters: %s",
                         srs->name);
    }
    srs->vk.n_ic = n_ic;
    return CUZK_OK;
}

/* p: the key's bytes. */
static cuzk_status read_vk_points(cuzk_srs *srs, const uint8_t *p, const cuzk_cancel *cancel,
                                  cuzk_err *err)
{
    cuzk_srs_vk *vk = &srs->vk;
    const uint8_t *ic = p + CUZK_VK_FIXED_BYTES;
    CUZK_TRY(vk_g1(&vk->alpha_g1, p, "alpha_g1", srs->name, err));
    CUZK_TRY(vk_g1(&vk->beta_g1, p + 96, "beta_g1", srs->name, err));
    CUZK_TRY(vk_g2(&vk->beta_g2, p + 192, "beta_g2", srs->name, err));
    CUZK_TRY(vk_g2(&vk->gamma_g2, p + 384, "gamma_g2", srs->name, err));
    CUZK_TRY(vk_g1(&vk->delta_g1, p + 576, "delta_g1", srs->name, err));
    CUZK_TRY(vk_g2(&vk->delta_g2, p + 672, "delta_g2", srs->name, err));
    srs->ic = cuzk_alloc(vk->n_ic, sizeof(*srs->ic));
    if (srs->ic == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for %u ic points", vk->n_ic);
    }
    vk->ic = srs->ic;
    for (uint32_t i = 0; i < vk->n_ic; i++) {
        char what[24];
        if (i % 1024 == 0 && cuzk_cancel_requested(cancel)) {
            return CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled while reading a verifying key");
        }
        (void)snprintf(what, sizeof(what), "ic[%u]", i);
        CUZK_TRY(
            vk_g1(&srs->ic[i], ic + (size_t)i * CUZK_G1_UNCOMPRESSED_BYTES, what, srs->name, err));
    }
    return CUZK_OK;
}

static cuzk_status read_vk(cuzk_srs *srs, uint64_t vk_bytes, const cuzk_cancel *cancel,
                           cuzk_err *err)
{
    uint8_t *key = cuzk_alloc((size_t)vk_bytes, 1);
    if (key == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the verifying key of %s", srs->name);
    }
    cuzk_status st = cuzk_srs_read_bytes(srs, key, 0, (size_t)vk_bytes, err);
    if (st == CUZK_OK) {
        st = read_vk_points(srs, key, cancel, err);
    }
    cuzk_free(key);
    return st;
}

/* Relations between the counts that hold for every circuit; NULL when they do. */
static const char *count_objection(const cuzk_srs *srs, cuzk_srs_section s)
{
    const uint64_t n = srs->count[s];
    const uint64_t wires = srs->vk.n_ic + srs->count[CUZK_SRS_L];
    switch (s) {
    case CUZK_SRS_H: return (n & (n + 1)) != 0 ? "is not 2^k - 1" : NULL;
    case CUZK_SRS_L: return NULL;
    case CUZK_SRS_A:
        return n < srs->vk.n_ic ? "is less than the number of inputs"
               : n > wires      ? "is more than the number of wires"
                                : NULL;
    case CUZK_SRS_B_G1: return n > wires ? "is more than the number of wires" : NULL;
    case CUZK_SRS_B_G2:
        return n != srs->count[CUZK_SRS_B_G1] ? "is not the count of section b_g1" : NULL;
    case CUZK_SRS_IC: break; /* counted in the key */
    }
    return NULL;
}

/* at: where section h begins. */
static cuzk_status index_sections(cuzk_srs *srs, uint64_t at, cuzk_err *err)
{
    for (unsigned i = 0; i < CUZK_SRS_SECTIONS; i++) {
        const cuzk_srs_section s = (cuzk_srs_section)i;
        const char *label = cuzk_srs_section_name(s);
        uint8_t count[4];
        if (i == 0 && srs->size > at && srs->size - at < sizeof(count)) {
            return CUZK_FAIL(err, CUZK_E_FORMAT,
                             "truncated before section %s, or a verifying key, which ends at byte "
                             "%llu, with something behind it: found %llu bytes: %s",
                             label, (unsigned long long)at, (unsigned long long)srs->size,
                             srs->name);
        }
        if (srs->size - at < sizeof(count)) {
            return CUZK_FAIL(err, CUZK_E_FORMAT,
                             "truncated: section %s at byte %llu is missing, found %llu bytes: %s",
                             label, (unsigned long long)at, (unsigned long long)srs->size,
                             srs->name);
        }
        CUZK_TRY(cuzk_srs_read_bytes(srs, count, at, sizeof(count), err));
        at += sizeof(count);
        const uint32_t n = cuzk_load_u32_be(count);
        srs->count[s] = n;
        const char *objection = count_objection(srs, s);
        if (objection != NULL) {
            return CUZK_FAIL(err, CUZK_E_FORMAT,
                             "damaged or not parameters: count %u of section %s %s: %s", n, label,
                             objection, srs->name);
        }
        srs->offset[s] = at;
        const uint64_t bytes = (uint64_t)n * cuzk_srs_point_bytes(s);
        /* Later sections have at least their counts. */
        const uint64_t least = at + bytes + 4 * (CUZK_SRS_SECTIONS - 1 - (uint64_t)i);
        if (bytes > srs->size - at) {
            return CUZK_FAIL(err, CUZK_E_FORMAT,
                             "truncated: with %u points in section %s the file has at least %llu "
                             "bytes, found %llu: %s",
                             n, label, (unsigned long long)least, (unsigned long long)srs->size,
                             srs->name);
        }
        at += bytes;
    }
    return at == srs->size ? CUZK_OK : cuzk_srs_find_transcript(srs, at, err);
}

static cuzk_status open_data(cuzk_srs *srs, cuzk_point_check check, cuzk_pool *pool,
                             const cuzk_cancel *cancel, cuzk_err *err)
{
    uint8_t head[HEAD_BYTES];
    const size_t n = srs->size < sizeof(head) ? (size_t)srs->size : sizeof(head);
    uint64_t vk_bytes;
    if (srs->size == 0) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "empty file: %s", srs->name);
    }
    CUZK_TRY(cuzk_srs_read_bytes(srs, head, 0, n, err));
    const char *other = guess_other_kind(head, n, srs->size);
    if (other != NULL) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "not parameters but %s (%llu bytes): %s", other,
                         (unsigned long long)srs->size, srs->name);
    }
    /* The layout is checked first: that is fast, and its message says more than one about an invalid point. */
    CUZK_TRY(find_vk(srs, &vk_bytes, err));
    CUZK_TRY(index_sections(srs, vk_bytes, err));
    CUZK_TRY(read_vk(srs, vk_bytes, cancel, err));
    CUZK_TRY(cuzk_srs_vk_guard(&srs->vk, srs->name, err));
    if (check != CUZK_POINT_UNCHECKED) {
        CUZK_TRY(cuzk_srs_check_points(srs, check, pool, cancel, err));
        CUZK_TRY(cuzk_srs_check_transcript(srs, check, cancel, err));
        if (check == CUZK_POINT_IN_SUBGROUP && srs->transcript.n_contributions > 0) {
            CUZK_TRY(cuzk_srs_check_chain(srs, cancel, err));
        }
    }
    return CUZK_OK;
}

cuzk_status cuzk_srs_open(cuzk_srs **out, const char *path, cuzk_point_check check, cuzk_pool *pool,
                          const cuzk_cancel *cancel, cuzk_err *err)
{
    cuzk_srs *srs = cuzk_srs_new(path);
    if (srs == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to open %s", path);
    }
    cuzk_status st = cuzk_file_open(&srs->file, path, err);
    if (st == CUZK_OK) {
        srs->size = cuzk_file_size(srs->file);
        st = open_data(srs, check, pool, cancel, err);
    }
    if (st != CUZK_OK) {
        cuzk_srs_close(srs);
        return st;
    }
    *out = srs;
    return CUZK_OK;
}

cuzk_status cuzk_srs_open_bytes(cuzk_srs **out, const uint8_t *data, size_t size, const char *name,
                                cuzk_point_check check, cuzk_pool *pool, const cuzk_cancel *cancel,
                                cuzk_err *err)
{
    cuzk_srs *srs = cuzk_srs_new(name);
    if (srs == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to open %s", name);
    }
    srs->data = data;
    srs->size = size;
    const cuzk_status st = open_data(srs, check, pool, cancel, err);
    if (st != CUZK_OK) {
        cuzk_srs_close(srs);
        return st;
    }
    *out = srs;
    return CUZK_OK;
}
