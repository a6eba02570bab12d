/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "base/reader.h"
#include "store/pack/input_pack.h"

#include "input_items.h"

#define MAX_VARINT 10u

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

void store_base64_encode(uint8_t *out, const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < n; i += 3, out += 4) { /* all of a group is read before it is written */
        const size_t left = n - i;
        const uint32_t v = (uint32_t)data[i] << 16 | (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                           (left > 2 ? (uint32_t)data[i + 2] : 0);
        out[0] = (uint8_t)store_base64_letters[v >> 18];
        out[1] = (uint8_t)store_base64_letters[v >> 12 & 63];
        out[2] = (uint8_t)(left > 1 ? store_base64_letters[v >> 6 & 63] : '=');
        out[3] = (uint8_t)(left > 2 ? store_base64_letters[v & 63] : '=');
    }
}

/* The bytes go to the end of the room that their base64 takes, and are encoded from there to its beginning. */
static bool give_base64(unpacker *u)
{
    uint64_t n = 0;
    if (!take_varint(&u->in, &n) || n > (u->room - u->n) / 4 * 3) {
        return false;
    }
    const size_t n_letters = ((size_t)n + 2) / 3 * 4;
    uint8_t *letters = u->out + u->n, *bytes = letters + (n_letters - (size_t)n);
    unpacker inner = {.in = u->in, .out = bytes, .room = (size_t)n};
    uint8_t kind = ITEM_END;
    bool ok = false;
    while ((ok = cuzk_read_u8(&inner.in, &kind)) && kind != ITEM_END) {
        if (!give_item(&inner, kind)) {
            return false;
        }
    }
    if (!ok || inner.n != inner.room) {
        return false;
    }
    store_base64_encode(letters, bytes, inner.n);
    u->n += n_letters;
    u->in = inner.in;
    return true;
}

cuzk_status store_input_unpack(uint8_t *out, size_t n, const uint8_t *packed, size_t n_packed,
                               cuzk_err *err)
{
    unpacker u = {.in = cuzk_reader_init(packed, n_packed), .out = out, .room = n};
    bool ok = true;
    while (ok && cuzk_reader_left(&u.in) > 0) {
        uint8_t kind = ITEM_END;
        ok = cuzk_read_u8(&u.in, &kind);
        ok = ok && (kind == ITEM_BASE64 ? give_base64(&u) : give_item(&u, kind));
    }
    if (!ok || u.n != n) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "a packed input is damaged at byte %zu",
                         cuzk_reader_pos(&u.in));
    }
    return CUZK_OK;
}
