/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/bytes.h"

void cuzk_hex_encode(char *out, const uint8_t *in, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digits[in[i] >> 4];
        out[2 * i + 1] = digits[in[i] & 15];
    }
    out[2 * n] = '\0';
}

static int nibble(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

bool cuzk_hex_decode(uint8_t *out, size_t n, const char *in, size_t in_len)
{
    if (in_len / 2 != n || in_len % 2 != 0) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const int hi = nibble(in[2 * i]);
        const int lo = nibble(in[2 * i + 1]);
        if (hi < 0 || lo < 0) {
            return false;
        }
        out[i] = (uint8_t)(hi << 4 | lo);
    }
    return true;
}

void cuzk_wipe(void *p, size_t n)
{
    memset(p, 0, n);
    __asm__ volatile("" : : "r"(p) : "memory"); /* the stores are observable */
}
