/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "store/pack/input_pack.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text/base64.h"

#include "input_items.h"

#define MIN_NUMBERS 8u    /* a shorter list stays as it is */
#define MIN_BASE64  4096u /* characters, likewise */
/* Text is packed in windows. A list that goes on in the next window becomes two lists and a comma. */
#define WINDOW      ((size_t)192 << 10)
#define BLOCK       (WINDOW / 3 * 4) /* characters of base64 that give one window */

const char store_base64_letters[65] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

struct store_packer {
    store_input_sink sink;
    void *arg;
    bool as_it_is;
    bool is_letter[256];
    uint64_t n_in, n_out; /* packed so far, and given to the sink */
    size_t n;             /* of window */
    size_t n_items;       /* of items */
    uint8_t window[WINDOW];
    uint8_t items[WINDOW + 16]; /* no item is longer than what it stands for, but the last */
    uint8_t list[WINDOW / 2 + 1];
    uint8_t again[BLOCK];
};
CUZK_STATIC_ASSERT(sizeof(struct store_packer) < STORE_PACKER_BYTES, "as the header says");

/* --- items --- */

static void put_varint(store_packer *p, uint64_t v)
{
    while (v >= 0x80) {
        p->items[p->n_items++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    p->items[p->n_items++] = (uint8_t)v;
}

static void put_head(store_packer *p, uint8_t kind, uint64_t n)
{
    p->items[p->n_items++] = kind;
    put_varint(p, n);
}

static void put_bytes(store_packer *p, const uint8_t *data, size_t n)
{
    if (n > 0) {
        put_head(p, ITEM_BYTES, n);
        memcpy(p->items + p->n_items, data, n);
        p->n_items += n;
    }
}

static cuzk_status give(store_packer *p, cuzk_err *err)
{
    const size_t n = p->n_items;
    p->n_items = 0;
    p->n_out += n;
    return p->sink(p->arg, p->items, n, err);
}

/* --- text --- */

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

/* The window, with lists of numbers as bytes. */
static void pack_window(store_packer *p)
{
    const uint8_t *data = p->window;
    const size_t n = p->n;
    size_t plain = 0; /* from here on nothing is written yet */
    for (size_t i = 0; i < n;) {
        if (!is_digit(data[i])) {
            i++;
            continue;
        }
        size_t count = 0;
        const size_t k = list_at(data + i, n - i, p->list, &count);
        if (count >= MIN_NUMBERS) {
            put_bytes(p, data + plain, i - plain);
            put_head(p, ITEM_NUMBERS, count);
            memcpy(p->items + p->n_items, p->list, count);
            p->n_items += count;
            plain = i + k;
        }
        i += k;
        while (i < n && is_digit(data[i])) { /* the rest of a number that cannot stand in a list */
            i++;
        }
    }
    put_bytes(p, data + plain, n - plain);
}

static cuzk_status fail_differs(cuzk_err *err)
{
    return CUZK_FAIL(err, CUZK_E_IO, "a packed input does not give the same bytes again");
}

/* An input must not be lost by a fault of the packing: what the items give is compared. */
static cuzk_status flush(store_packer *p, cuzk_err *err)
{
    if (p->n == 0) {
        return CUZK_OK;
    }
    pack_window(p);
    if (store_input_unpack(p->again, p->n, p->items, p->n_items, err) != CUZK_OK ||
        memcmp(p->again, p->window, p->n) != 0) {
        return fail_differs(err);
    }
    p->n_in += p->n;
    p->n = 0;
    CUZK_TRY(give(p, err));
    if (p->n_out > p->n_in + STORE_PACK_MORE) {
        return CUZK_FAIL(err, CUZK_E_BUDGET, "an input gets longer when it is packed");
    }
    return CUZK_OK;
}

static cuzk_status add_text(store_packer *p, const uint8_t *data, size_t n, cuzk_err *err)
{
    while (n > 0) {
        const size_t room = WINDOW - p->n, k = n < room ? n : room;
        memcpy(p->window + p->n, data, k);
        p->n += k;
        data += k;
        n -= k;
        if (p->n == WINDOW) {
            CUZK_TRY(flush(p, err));
        }
    }
    return CUZK_OK;
}

/* --- base64 --- */

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

/* How many bytes the base64 text letters [n] decodes to; n is a multiple of four. false: its last four letters are not base64. */
static bool decoded_bytes(const uint8_t *letters, size_t n, uint64_t *bytes)
{
    uint8_t last[3];
    size_t m = 0;
    const bool ok = cuzk_base64_decode(last, &m, (const char *)letters + n - 4, 4);
    *bytes = (uint64_t)n / 4 * 3 - 3 + m;
    return ok;
}

static cuzk_status add_base64(store_packer *p, const uint8_t *letters, size_t n, uint64_t n_bytes,
                              cuzk_err *err)
{
    CUZK_TRY(flush(p, err));
    uint64_t n_decoded = 0;
    put_head(p, ITEM_BASE64, n_bytes);
    CUZK_TRY(give(p, err));
    for (size_t at = 0; at < n; at += BLOCK) {
        const size_t k = n - at < BLOCK ? n - at : BLOCK;
        size_t m = 0;
        if (!cuzk_base64_decode(p->window, &m, (const char *)letters + at, k)) {
            return fail_differs(err);
        }
        store_base64_encode(p->again, p->window, m);
        if (memcmp(p->again, letters + at, k) != 0) {
            return fail_differs(err);
        }
        p->n = m;
        CUZK_TRY(flush(p, err));
        p->n_in += k - m; /* the items stand for the letters */
        n_decoded += m;
    }
    if (n_decoded != n_bytes) {
        return fail_differs(err);
    }
    p->items[p->n_items++] = ITEM_END;
    return give(p, err);
}

/* --- the input --- */

static cuzk_status add_piece(store_packer *p, const uint8_t *data, size_t n, cuzk_err *err)
{
    size_t plain = 0; /* from here on nothing is packed yet */
    for (size_t i = 0; i < n;) {
        uint64_t n_bytes = 0;
        const size_t k = p->is_letter[data[i]] ? base64_at(data + i, n - i, p->is_letter) : 0;
        if (k >= MIN_BASE64 && decoded_bytes(data + i, k, &n_bytes)) {
            CUZK_TRY(add_text(p, data + plain, i - plain, err));
            CUZK_TRY(add_base64(p, data + i, k, n_bytes, err));
            plain = i + k;
        }
        i += k > 0 ? k : 1;
    }
    return add_text(p, data + plain, n - plain, err);
}

cuzk_status store_packer_add(void *packer, const void *data, size_t n, cuzk_err *err)
{
    store_packer *p = packer;
    if (n == 0) {
        return CUZK_OK;
    }
    if (p->as_it_is) {
        p->n_in += n;
        p->n_out += n;
        return p->sink(p->arg, data, n, err);
    }
    return n < MIN_BASE64 ? add_text(p, data, n, err) : add_piece(p, data, n, err);
}

cuzk_status store_packer_create(store_packer **out, uint64_t n, bool as_it_is,
                                store_input_sink sink, void *arg, cuzk_err *err)
{
    store_packer *p = cuzk_alloc(1, sizeof(*p));
    cuzk_status st = CUZK_OK;
    *out = NULL;
    if (p == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory to pack an input");
    }
    p->sink = sink;
    p->arg = arg;
    p->as_it_is = as_it_is;
    p->n_in = p->n_out = p->n = p->n_items = 0;
    memset(p->is_letter, 0, sizeof(p->is_letter));
    for (size_t i = 0; i < sizeof(store_base64_letters) - 1; i++) {
        p->is_letter[(uint8_t)store_base64_letters[i]] = true;
    }
    if (as_it_is && n > 0) {
        put_head(p, ITEM_BYTES, n);
        st = give(p, err);
    }
    if (st != CUZK_OK) {
        cuzk_free(p);
        return st;
    }
    *out = p;
    return CUZK_OK;
}

cuzk_status store_packer_end(store_packer *p, cuzk_err *err)
{
    return flush(p, err);
}

void store_packer_destroy(store_packer *p)
{
    cuzk_free(p);
}
