/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "store/input_pack.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/reader.h"
#include "base/text/base64.h"

enum { ITEM_END = 0, ITEM_BYTES = 1, ITEM_NUMBERS = 2, ITEM_BASE64 = 3 };

#define MIN_NUMBERS 8u    /* a shorter list stays as it is */
#define MIN_BASE64  4096u /* characters, likewise */
#define MAX_VARINT  10u

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* --- packing --- */

typedef struct packer {
    uint8_t *out; /* has room for all: no item is longer than what it stands for, but the first */
    size_t n;
} packer;

static void put_varint(packer *p, uint64_t v)
{
    while (v >= 0x80) {
        p->out[p->n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    p->out[p->n++] = (uint8_t)v;
}

static void put_bytes(packer *p, const uint8_t *data, size_t n)
{
    if (n > 0) {
        p->out[p->n++] = ITEM_BYTES;
        put_varint(p, n);
        memcpy(p->out + p->n, data, n);
        p->n += n;
    }
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* The length of a number up to 255 at data, as a program writes it; 0: none is there. */
static size_t number_at(const uint8_t *data, size_t n, uint8_t *value)
{
    uint32_t v = 0;
    size_t k = 0;
    while (k < n && k < 3 && is_digit(data[k])) {
        v = 10 * v + (uint32_t)(data[k++] - '0');
    }
    if (k == 0 || v > 255 || (k > 1 && data[0] == '0') || (k < n && is_digit(data[k]))) {
        return 0;
    }
    *value = (uint8_t)v;
    return k;
}

/* The length of the list at data, whose numbers go to out + *count; out has room for (n + 1) / 2 of them. */
static size_t list_at(const uint8_t *data, size_t n, uint8_t *out, size_t *count)
{
    size_t end = 0, at = 0;
    *count = 0;
    for (;;) {
        const size_t k = number_at(data + at, n - at, out + *count);
        if (k == 0) {
            return end;
        }
        (*count)++;
        end = at + k;
        if (end == n || data[end] != ',') {
            return end;
        }
        at = end + 1;
    }
}

/* Bytes [n], with lists of numbers as bytes. list: room for n / 2 + 1 numbers. */
static void pack_text(packer *p, const uint8_t *data, size_t n, uint8_t *list)
{
    size_t plain = 0; /* from here on nothing is written yet */
    for (size_t i = 0; i < n;) {
        if (!is_digit(data[i])) {
            i++;
            continue;
        }
        size_t count = 0;
        const size_t k = list_at(data + i, n - i, list, &count);
        if (count >= MIN_NUMBERS) {
            put_bytes(p, data + plain, i - plain);
            p->out[p->n++] = ITEM_NUMBERS;
            put_varint(p, count);
            memcpy(p->out + p->n, list, count);
            p->n += count;
            plain = i + k;
        }
        i += k;
        while (i < n && is_digit(data[i])) { /* the rest of a number that cannot stand in a list */
            i++;
        }
    }
    put_bytes(p, data + plain, n - plain);
}

/* The length of what looks like base64 at data, a multiple of four. */
static size_t base64_at(const uint8_t *data, size_t n, const bool is_letter[256])
{
    size_t k = 0, pad = 0;
    while (k < n && is_letter[data[k]]) {
        k++;
    }
    while (pad < 2 && k + pad < n && data[k + pad] == '=') {
        pad++;
    }
    return (k + pad) % 4 == 0 ? k + pad : k - k % 4;
}

/* Two blocks of scratch memory, each as long as the input. */
typedef struct scratch {
    uint8_t *decoded, *list;
} scratch;

static void pack_all(packer *p, const uint8_t *data, size_t n, const scratch *s)
{
    bool is_letter[256] = {false};
    size_t plain = 0;
    for (size_t i = 0; i < sizeof(alphabet) - 1; i++) {
        is_letter[(uint8_t)alphabet[i]] = true;
    }
    for (size_t i = 0; i < n;) {
        size_t m = 0;
        const size_t k = is_letter[data[i]] ? base64_at(data + i, n - i, is_letter) : 0;
        if (k >= MIN_BASE64 && cuzk_base64_decode(s->decoded, &m, (const char *)data + i, k)) {
            pack_text(p, data + plain, i - plain, s->list);
            p->out[p->n++] = ITEM_BASE64;
            put_varint(p, m);
            pack_text(p, s->decoded, m, s->list);
            p->out[p->n++] = ITEM_END;
            plain = i + k;
        }
        i += k > 0 ? k : 1;
    }
    pack_text(p, data + plain, n - plain, s->list);
}

cuzk_status store_input_pack(uint8_t **out, size_t *n_out, const uint8_t *data, size_t n,
                             cuzk_err *err)
{
    packer p = {.out = NULL};
    scratch s = {NULL, NULL};
    size_t room = 0;
    *out = NULL;
    if (n <= SIZE_MAX - STORE_PACK_MORE) {
        room = n + STORE_PACK_MORE;
        p.out = cuzk_alloc(room, 1);
        s.decoded = cuzk_alloc(room, 1);
        s.list = cuzk_alloc(room, 1);
    }
    cuzk_status st = CUZK_OK;
    if (p.out == NULL || s.decoded == NULL || s.list == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to pack an input of %zu bytes", n);
    } else {
        pack_all(&p, data, n, &s);
    }
    cuzk_free(s.decoded);
    cuzk_free(s.list);
    if (st != CUZK_OK) {
        cuzk_free(p.out);
        return st;
    }
    *out = p.out;
    *n_out = p.n;
    return CUZK_OK;
}

/* --- unpacking --- */

typedef struct unpacker {
    cuzk_reader in;
    uint8_t *out;
    size_t n, room;
} unpacker;

static bool take_varint(cuzk_reader *in, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0; shift < 7 * MAX_VARINT; shift += 7) {
        uint8_t b = 0;
        if (!cuzk_read_u8(in, &b) || (shift == 63 && b > 1)) {
            return false;
        }
        *v |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80) {
            return true;
        }
    }
    return false;
}

static bool give_bytes(unpacker *u, const uint8_t *data, size_t n)
{
    if (n > u->room - u->n) {
        return false;
    }
    if (n > 0) {
        memcpy(u->out + u->n, data, n);
    }
    u->n += n;
    return true;
}

static bool give_numbers(unpacker *u, const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t v = data[i];
        const size_t digits = v >= 100 ? 3 : v >= 10 ? 2 : 1;
        if (digits + (i > 0 ? 1 : 0) > u->room - u->n) {
            return false;
        }
        if (i > 0) {
            u->out[u->n++] = ',';
        }
        if (v >= 100) {
            u->out[u->n++] = (uint8_t)('0' + v / 100);
        }
        if (v >= 10) {
            u->out[u->n++] = (uint8_t)('0' + v / 10 % 10);
        }
        u->out[u->n++] = (uint8_t)('0' + v % 10);
    }
    return true;
}

/* An item of kind 1 or 2. */
static bool give_item(unpacker *u, uint8_t kind)
{
    uint64_t n = 0;
    const uint8_t *data = NULL;
    if ((kind != ITEM_BYTES && kind != ITEM_NUMBERS) || !take_varint(&u->in, &n) ||
        n > cuzk_reader_left(&u->in) || !cuzk_read_bytes(&u->in, &data, (size_t)n)) {
        return false;
    }
    return kind == ITEM_BYTES ? give_bytes(u, data, (size_t)n) : give_numbers(u, data, (size_t)n);
}

static void encode_base64(uint8_t *out, const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < n; i += 3, out += 4) {
        const size_t left = n - i;
        const uint32_t v = (uint32_t)data[i] << 16 | (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                           (left > 2 ? (uint32_t)data[i + 2] : 0);
        out[0] = (uint8_t)alphabet[v >> 18];
        out[1] = (uint8_t)alphabet[v >> 12 & 63];
        out[2] = (uint8_t)(left > 1 ? alphabet[v >> 6 & 63] : '=');
        out[3] = (uint8_t)(left > 2 ? alphabet[v & 63] : '=');
    }
}

static cuzk_status give_base64(unpacker *u, bool *ok, cuzk_err *err)
{
    uint64_t n = 0;
    *ok = take_varint(&u->in, &n) && n <= (u->room - u->n) / 4 * 3;
    if (!*ok) {
        return CUZK_OK;
    }
    unpacker inner = {.in = u->in, .room = (size_t)n};
    inner.out = cuzk_alloc((size_t)n, 1);
    if (inner.out == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to unpack an input");
    }
    uint8_t kind = ITEM_END;
    while ((*ok = cuzk_read_u8(&inner.in, &kind)) && kind != ITEM_END) {
        if (!give_item(&inner, kind)) {
            *ok = false;
            break;
        }
    }
    *ok = *ok && inner.n == inner.room;
    if (*ok) {
        encode_base64(u->out + u->n, inner.out, inner.n);
        u->n += (inner.n + 2) / 3 * 4;
        u->in = inner.in;
    }
    cuzk_free(inner.out);
    return CUZK_OK;
}

cuzk_status store_input_unpack(uint8_t *out, size_t n, const uint8_t *packed, size_t n_packed,
                               cuzk_err *err)
{
    unpacker u = {.in = cuzk_reader_init(packed, n_packed), .out = out, .room = n};
    bool ok = true;
    while (ok && cuzk_reader_left(&u.in) > 0) {
        uint8_t kind = ITEM_END;
        ok = cuzk_read_u8(&u.in, &kind);
        if (ok && kind == ITEM_BASE64) {
            CUZK_TRY(give_base64(&u, &ok, err));
        } else {
            ok = ok && give_item(&u, kind);
        }
    }
    if (!ok || u.n != n) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "a packed input is damaged at byte %zu",
                         cuzk_reader_pos(&u.in));
    }
    return CUZK_OK;
}
