/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/text/base64.h"

#define BAD 64u

static const uint8_t values[256] = {
#define ROW8(a, b, c, d, e, f, g, h) (a), (b), (c), (d), (e), (f), (g), (h)
#define BAD8                         ROW8(BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD)
    BAD8,
    BAD8,
    BAD8,
    BAD8,
    BAD8,                                       /* 0x00 */
    ROW8(BAD, BAD, BAD, 62, BAD, BAD, BAD, 63), /* ( ) * + , - . / */
    ROW8(52, 53, 54, 55, 56, 57, 58, 59),
    ROW8(60, 61, BAD, BAD, BAD, BAD, BAD, BAD), /* 0-9 */
    ROW8(BAD, 0, 1, 2, 3, 4, 5, 6),
    ROW8(7, 8, 9, 10, 11, 12, 13, 14), /* @A-O */
    ROW8(15, 16, 17, 18, 19, 20, 21, 22),
    ROW8(23, 24, 25, BAD, BAD, BAD, BAD, BAD), /* P-Z */
    ROW8(BAD, 26, 27, 28, 29, 30, 31, 32),
    ROW8(33, 34, 35, 36, 37, 38, 39, 40), /* `a-o */
    ROW8(41, 42, 43, 44, 45, 46, 47, 48),
    ROW8(49, 50, 51, BAD, BAD, BAD, BAD, BAD), /* p-z */
    BAD8,
    BAD8,
    BAD8,
    BAD8,
    BAD8,
    BAD8,
    BAD8,
    BAD8,
    BAD8,
    BAD8,
    BAD8,
    BAD8,
    BAD8,
    BAD8,
    BAD8,
    BAD8, /* 0x80 */
#undef ROW8
#undef BAD8
};

bool cuzk_base64_decode(uint8_t *out, size_t *out_n, const char *in, size_t n)
{
    const uint8_t *p = (const uint8_t *)in;
    uint8_t *o = out;
    if (n % 4 != 0) {
        return false;
    }
    if (n == 0) {
        *out_n = 0;
        return true;
    }
    size_t pad = 0;
    if (p[n - 1] == '=') {
        pad = p[n - 2] == '=' ? 2 : 1;
    }
    const size_t whole = pad == 0 ? n : n - 4;
    uint32_t bad = 0;
    for (size_t i = 0; i < whole; i += 4) {
        const uint32_t a = values[p[i]], b = values[p[i + 1]], c = values[p[i + 2]],
                       d = values[p[i + 3]];
        const uint32_t v = a << 18 | b << 12 | c << 6 | d;
        bad |= a | b | c | d;
        o[0] = (uint8_t)(v >> 16);
        o[1] = (uint8_t)(v >> 8);
        o[2] = (uint8_t)v;
        o += 3;
    }
    if (pad != 0) {
        const uint32_t a = values[p[n - 4]], b = values[p[n - 3]],
                       c = pad == 1 ? values[p[n - 2]] : 0;
        const uint32_t v = a << 18 | b << 12 | c << 6;
        bad |= a | b | c;
        *o++ = (uint8_t)(v >> 16);
        if (pad == 1) {
            *o++ = (uint8_t)(v >> 8);
        }
        if ((pad == 1 ? v & 0xffu : v & 0xffffu) != 0) {
            return false; /* bits that no byte holds */
        }
    }
    *out_n = (size_t)(o - out);
    return (bad & BAD) == 0;
}

bool cuzk_base64_decode_text(uint8_t *out, size_t *out_n, const char *in, size_t n)
{
    uint8_t *o = out;
    char group[4];
    unsigned k = 0;
    bool ended = false;
    for (size_t i = 0; i < n; i++) {
        const char c = in[i];
        size_t written = 0;
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
            continue;
        }
        if (ended) {
            return false;
        }
        group[k++] = c;
        if (k == 4) {
            /* Four characters are read before their three bytes are written: never ahead of i. */
            if (!cuzk_base64_decode(o, &written, group, 4)) {
                return false;
            }
            o += written;
            ended = written < 3;
            k = 0;
        }
    }
    *out_n = (size_t)(o - out);
    return k == 0;
}
