/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "inputs.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/text/json.h"
#include "ff/fr.h"
#include "interop/snarkjs_json.h"
#include "interop/zkey.h"
#include "sys/file.h"
#include "unpack/unpack.h"

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

file_kind file_kind_of(const uint8_t *data, size_t n)
{
    static const struct {
        const char *magic;
        file_kind kind;
    } magics[] = {{"r1cs", FILE_R1CS}, {"wtns", FILE_WTNS}, {"zkey", FILE_ZKEY}};
    for (size_t i = 0; i < 3; i++) {
        if (n >= 4 && memcmp(data, magics[i].magic, 4) == 0) {
            return magics[i].kind;
        }
    }
    if (!cuzk_json_is_likely(data, n)) {
        return FILE_OTHER;
    }
    size_t i = 0;
    while (is_blank(data[i])) {
        i++;
    }
    return data[i] == '{' ? FILE_JSON_OBJECT : FILE_JSON_ARRAY;
}

static cuzk_status vk_of_srs(app *a, const char *path, const cuzk_srs *srs, uint8_t **out,
                             size_t *n)
{
    const size_t bytes = cuzk_srs_vk_bytes(srs);
    uint8_t *b = cuzk_alloc(bytes, 1);
    if (b == NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "%s: out of memory for the key", path);
    }
    cuzk_srs_write_vk(srs, b);
    *out = b;
    *n = bytes;
    return CUZK_OK;
}

static cuzk_status vk_of_zkey(app *a, const char *path, uint8_t **out, size_t *n)
{
    cuzk_zkey *z = NULL;
    CUZK_TRY(cuzk_zkey_open(&z, path, CUZK_POINT_UNCHECKED, &a->err));
    const cuzk_status st = vk_of_srs(a, path, cuzk_zkey_srs(z), out, n);
    cuzk_zkey_close(z);
    return st;
}

static cuzk_status vk_of_params(app *a, const char *path, uint8_t **out, size_t *n)
{
    cuzk_srs *srs = NULL;
    CUZK_TRY(cuzk_srs_open(&srs, path, CUZK_POINT_UNCHECKED, a->pool, a->cancel, &a->err));
    const cuzk_status st = vk_of_srs(a, path, srs, out, n);
    cuzk_srs_close(srs);
    return st;
}

cuzk_status read_head(app *a, const cuzk_file *f, file_head *out)
{
    const uint64_t size = cuzk_file_size(f);
    out->n = size < sizeof(out->bytes) ? (size_t)size : sizeof(out->bytes);
    CUZK_TRY(cuzk_file_read(f, out->bytes, 0, out->n, &a->err));
    out->kind = file_kind_of(out->bytes, out->n);
    return CUZK_OK;
}

/* The length that the count in a .vk asks for; 0 when too short to have one. */
static uint64_t vk_length(const file_head *h)
{
    return h->n < 868 ? 0 : 868 + 96 * (uint64_t)cuzk_load_u32_be(h->bytes + 864);
}

static cuzk_status vk_of_content(app *a, const char *path, const cuzk_file *f, file_kind kind,
                                 uint8_t **out, size_t *n)
{
    cuzk_content m;
    CUZK_TRY(cuzk_content_of(&m, f, CUZK_CONTENT_INPUT, &a->err));
    if (kind == FILE_JSON_OBJECT) {
        const cuzk_status st = cuzk_vk_json_read(out, n, m.data, m.size, path, &a->err);
        cuzk_content_free(&m);
        return st;
    }
    *out = m.data; /* now the caller's */
    *n = m.size;
    m.data = NULL;
    cuzk_content_free(&m);
    return CUZK_OK;
}

static cuzk_status vk_of_file(app *a, const char *path, const cuzk_file *f, uint8_t **out,
                              size_t *n)
{
    file_head h;
    CUZK_TRY(read_head(a, f, &h));
    if (h.kind == FILE_JSON_OBJECT || (vk_length(&h) == cuzk_file_size(f) && h.n != 0)) {
        return vk_of_content(a, path, f, h.kind, out, n);
    }
    if (h.kind == FILE_ZKEY) {
        return vk_of_zkey(a, path, out, n);
    }
    if (vk_length(&h) != 0 && vk_length(&h) < cuzk_file_size(f)) {
        return vk_of_params(a, path, out, n); /* a .params file starts with its key */
    }
    return CUZK_FAIL(&a->err, CUZK_E_FORMAT,
                     "%s: not a verifying key (.vk, verification_key.json, .zkey or .params)",
                     path);
}

cuzk_status read_vk(app *a, const char *path, uint8_t **out, size_t *n)
{
    cuzk_file *f;
    CUZK_TRY(cuzk_file_open(&f, path, &a->err));
    const cuzk_status st = vk_of_file(a, path, f, out, n);
    cuzk_file_close(f);
    return st;
}

cuzk_status parse_vk(app *a, const char *path, const uint8_t *vk, size_t n, cuzk_vk **out)
{
    cuzk_vk *k = NULL;
    const cuzk_verify_result r = cuzk_vk_read_unsafe(&k, vk, n);
    if (r != CUZK_VERIFY_OK) {
        return CUZK_FAIL(&a->err, (cuzk_status)r, "%s: verifying key: %s", path,
                         cuzk_verify_text(r));
    }
    const char *defect = cuzk_vk_defect(k);
    if (defect != NULL && !cuzk_srs_unsafe_keys_allowed()) {
        cuzk_vk_destroy(k);
        return CUZK_FAIL(&a->err, CUZK_E_UNSAFE_KEY, "%s: unsafe key: %s", path, defect);
    }
    if (defect != NULL) {
        app_note(a, "%s: %s", path, defect);
    }
    *out = k;
    return CUZK_OK;
}

cuzk_status read_c1(app *a, const char *path, cuzk_content *out)
{
    cuzk_err inner = {.msg = ""};
    uint8_t *unpacked = NULL;
    size_t n = 0;
    CUZK_TRY(cuzk_content_read(out, path, CUZK_CONTENT_INPUT, &a->err));
    const cuzk_status st =
        cuzk_unpack(&unpacked, &n, out->data, out->size, CUZK_CONTENT_INPUT, &inner);
    if (st != CUZK_OK) {
        cuzk_content_free(out);
        return CUZK_FAIL(&a->err, st, "%s: %s", strcmp(path, "-") == 0 ? "standard input" : path,
                         inner.msg);
    }
    if (unpacked != NULL) {
        cuzk_free(out->data);
        out->data = unpacked;
        out->size = n;
    }
    return CUZK_OK;
}

/* Blanks at both ends are dropped: text files end with a newline. */
static void trim(const uint8_t **p, size_t *n)
{
    while (*n > 0 && is_blank(**p)) {
        ++*p;
        --*n;
    }
    while (*n > 0 && is_blank((*p)[*n - 1])) {
        --*n;
    }
}

cuzk_status read_proof(app *a, const char *path, uint8_t out[CUZK_PROOF_BYTES])
{
    cuzk_content m;
    cuzk_status st = CUZK_OK;
    CUZK_TRY(cuzk_content_read(&m, path, CUZK_CONTENT_INPUT, &a->err));
    const uint8_t *p = m.data;
    size_t n = m.size;
    if (n == CUZK_PROOF_BYTES) {
        memcpy(out, p, CUZK_PROOF_BYTES);
    } else if (file_kind_of(p, n) == FILE_JSON_OBJECT) {
        cuzk_proof proof;
        st = cuzk_proof_json_read(&proof, p, n, path, &a->err);
        if (st == CUZK_OK) {
            cuzk_proof_encode(out, &proof);
        }
    } else {
        trim(&p, &n);
        if (!cuzk_hex_decode(out, CUZK_PROOF_BYTES, (const char *)p, n)) {
            st = CUZK_FAIL(&a->err, CUZK_E_FORMAT,
                           "%s: not a proof (proof.json, %d bytes or %d hex digits)", path,
                           CUZK_PROOF_BYTES, 2 * CUZK_PROOF_BYTES);
        }
    }
    cuzk_content_free(&m);
    return st;
}

/* 0x and 1 to 64 digits, an integer below r, to 32 bytes little-endian. */
static bool hex_value(uint8_t out[32], const uint8_t *p, size_t n)
{
    char digits[64];
    uint8_t be[32];
    cuzk_fr ignored;
    if (n < 3 || n > 66 || p[0] != '0' || p[1] != 'x') {
        return false;
    }
    memset(digits, '0', sizeof(digits));
    memcpy(digits + 66 - n, p + 2, n - 2);
    if (!cuzk_hex_decode(be, 32, digits, 64)) {
        return false;
    }
    for (int i = 0; i < 32; i++) {
        out[i] = be[31 - i];
    }
    return cuzk_fr_from_bytes_le(&ignored, out);
}

static cuzk_status public_from_hex(app *a, const char *path, const uint8_t *p, size_t n,
                                   uint8_t **out, size_t *count)
{
    size_t lines = 1, k = 0;
    trim(&p, &n);
    for (size_t i = 0; i < n; i++) {
        lines += p[i] == '\n';
    }
    uint8_t *v = cuzk_alloc(lines, 32);
    if (v == NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "%s: out of memory", path);
    }
    while (n > 0) {
        const uint8_t *nl = memchr(p, '\n', n);
        const size_t len = nl == NULL ? n : (size_t)(nl - p);
        const uint8_t *word = p;
        size_t word_n = len;
        trim(&word, &word_n);
        if (!hex_value(v + 32 * k, word, word_n)) {
            cuzk_free(v);
            return CUZK_FAIL(&a->err, CUZK_E_FORMAT,
                             "%s:%zu: neither public.json nor a 0x integer below r", path, k + 1);
        }
        k++;
        p += len + (nl != NULL);
        n -= len + (nl != NULL);
    }
    *out = v;
    *count = k;
    return CUZK_OK;
}

cuzk_status read_public(app *a, const char *path, uint8_t **out, size_t *count)
{
    cuzk_content m;
    CUZK_TRY(cuzk_content_read(&m, path, CUZK_CONTENT_INPUT, &a->err));
    const file_kind kind = file_kind_of(m.data, m.size);
    const cuzk_status st = kind == FILE_JSON_ARRAY || kind == FILE_JSON_OBJECT
                               ? cuzk_public_json_read(out, count, m.data, m.size, path, &a->err)
                               : public_from_hex(a, path, m.data, m.size, out, count);
    cuzk_content_free(&m);
    return st;
}

void report_vk_hash(app *a, const uint8_t *vk, size_t n)
{
    uint8_t id[32];
    if (cuzk_vk_identity(id, vk, n)) {
        app_hex(a, "vk_hash", id, sizeof(id));
    }
}
