/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rpc/wire/rpc_wire.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text/json.h"

bool cuzk_wire_varint(cuzk_reader *r, uint64_t *out)
{
    cuzk_reader at = *r;
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t b;
        if (!cuzk_read_u8(&at, &b)) {
            return false;
        }
        if (shift < 64) {
            v |= (uint64_t)(b & 127u) << shift;
        }
        if ((b & 128u) == 0) {
            *r = at;
            *out = v;
            return true;
        }
    }
    return false;
}

enum { GROUP_BEGIN = 3, GROUP_END = 4 };

static bool wire_type(cuzk_wire_type *out, uint64_t tag)
{
    switch (tag & 7u) {
    case 0: *out = CUZK_WIRE_VARINT; return true;
    case 1: *out = CUZK_WIRE_I64; return true;
    case 2: *out = CUZK_WIRE_LEN; return true;
    case 5: *out = CUZK_WIRE_I32; return true;
    default: return false;
    }
}

static bool read_value(cuzk_reader *r, cuzk_wire_field *f)
{
    cuzk_reader sub;
    uint64_t n = 0;
    uint32_t v32 = 0;
    switch (f->type) {
    case CUZK_WIRE_VARINT: return cuzk_wire_varint(r, &f->value);
    case CUZK_WIRE_I64: return cuzk_read_u64_le(r, &f->value);
    case CUZK_WIRE_I32:
        if (!cuzk_read_u32_le(r, &v32)) {
            return false;
        }
        f->value = v32;
        return true;
    case CUZK_WIRE_LEN:
        if (!cuzk_wire_varint(r, &n) || !cuzk_read_sub(r, &sub, n)) {
            return false;
        }
        f->bytes = (cuzk_bytes){sub.p, (size_t)n};
        return true;
    }
    return false;
}

/*
 * Groups, an old form of messages that no field here has: unknown ones are passed over, as the
 * specification asks. Their ends must fit; they may be nested up to MAX_GROUPS.
 */
#define MAX_GROUPS 64

static bool skip_groups(cuzk_reader *r)
{
    uint32_t open[MAX_GROUPS];
    size_t depth = 0;
    for (;;) {
        cuzk_reader at = *r;
        cuzk_wire_field f = {.number = 0};
        uint64_t tag = 0;
        if (depth == 0 && cuzk_reader_left(&at) == 0) {
            return true;
        }
        if (!cuzk_wire_varint(&at, &tag)) {
            return depth == 0; /* the caller says what is wrong */
        }
        const uint32_t number = (uint32_t)(tag >> 3);
        if (tag >> 32 == 0 && number != 0 && (tag & 7u) == GROUP_BEGIN) {
            if (depth == MAX_GROUPS) {
                return false;
            }
            open[depth++] = number;
        } else if (depth == 0) {
            return true; /* a field, or the caller says what is wrong */
        } else if (tag >> 32 != 0 || number == 0) {
            return false;
        } else if ((tag & 7u) == GROUP_END) {
            if (open[--depth] != number) {
                return false;
            }
        } else if (!wire_type(&f.type, tag) || !read_value(&at, &f)) {
            return false;
        }
        *r = at;
    }
}

bool cuzk_wire_next(cuzk_reader *r, cuzk_wire_field *f, bool *bad)
{
    uint64_t tag = 0;
    *bad = false;
    if (cuzk_reader_left(r) == 0) {
        return false;
    }
    memset(f, 0, sizeof(*f));
    *bad = true;
    if (!skip_groups(r)) {
        return false;
    }
    if (cuzk_reader_left(r) == 0) {
        *bad = false;
        return false;
    }
    if (!cuzk_wire_varint(r, &tag) || tag >> 32 != 0 || tag >> 3 == 0) {
        return false;
    }
    if (!wire_type(&f->type, tag)) {
        return false;
    }
    f->number = (uint32_t)(tag >> 3);
    if (!read_value(r, f)) {
        return false;
    }
    *bad = false;
    return true;
}

bool cuzk_wire_is_utf8(cuzk_bytes b)
{
    for (size_t i = 0; i < b.size;) {
        const size_t k = cuzk_utf8_len(b.data + i, b.size - i);
        if (k == 0) {
            return false;
        }
        i += k;
    }
    return true;
}

static uint8_t *grow(cuzk_wire_writer *w, size_t n)
{
    if (w->nomem) {
        return NULL;
    }
    if (n > w->cap - w->len) {
        size_t cap = w->cap < 64 ? 64 : w->cap;
        while (cap - w->len < n && cap <= SIZE_MAX / 2) {
            cap *= 2;
        }
        uint8_t *p = cap - w->len < n ? NULL : cuzk_realloc(w->data, cap, 1);
        if (p == NULL) {
            w->nomem = true;
            return NULL;
        }
        w->data = p;
        w->cap = cap;
    }
    uint8_t *at = w->data + w->len;
    w->len += n;
    return at;
}

void cuzk_wire_put_raw(cuzk_wire_writer *w, const void *p, size_t n)
{
    uint8_t *at = grow(w, n);
    if (at != NULL && n > 0) {
        memcpy(at, p, n);
    }
}

static void put_varint(cuzk_wire_writer *w, uint64_t v)
{
    uint8_t b[10];
    size_t n = 0;
    do {
        b[n++] = (uint8_t)((v & 127u) | (v > 127 ? 128u : 0u));
        v >>= 7;
    } while (v != 0);
    cuzk_wire_put_raw(w, b, n);
}

void cuzk_wire_put_u64(cuzk_wire_writer *w, uint32_t number, uint64_t v)
{
    if (v != 0) {
        put_varint(w, (uint64_t)number << 3 | CUZK_WIRE_VARINT);
        put_varint(w, v);
    }
}

void cuzk_wire_put_header(cuzk_wire_writer *w, uint32_t number, size_t n)
{
    put_varint(w, (uint64_t)number << 3 | CUZK_WIRE_LEN);
    put_varint(w, n);
}

void cuzk_wire_put_message(cuzk_wire_writer *w, uint32_t number, const void *p, size_t n)
{
    cuzk_wire_put_header(w, number, n);
    cuzk_wire_put_raw(w, p, n);
}

void cuzk_wire_put_bytes(cuzk_wire_writer *w, uint32_t number, const void *p, size_t n)
{
    if (n > 0) {
        cuzk_wire_put_message(w, number, p, n);
    }
}

void cuzk_wire_put_str(cuzk_wire_writer *w, uint32_t number, const char *s)
{
    cuzk_wire_put_bytes(w, number, s, strlen(s));
}

void cuzk_wire_writer_free(cuzk_wire_writer *w)
{
    cuzk_free(w->data);
    memset(w, 0, sizeof(*w));
}
