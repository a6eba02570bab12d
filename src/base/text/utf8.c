/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/text/utf8.h"

#include <string.h>

#include "base/text/json.h"

uint32_t cuzk_utf8_code(const uint8_t *p, size_t len)
{
    static const uint8_t first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = p[0] & first[len];
    for (size_t i = 1; i < len; i++) {
        code = code << 6 | (p[i] & 0x3fu);
    }
    return code;
}

bool cuzk_utf8_is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x00ad || c == 0x061c || c == 0x180e ||
           (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||
           (c >= 0xe0000 && c <= 0xe007f);
}

const char *cuzk_utf8_clean(char *out, size_t cap, const char *text, size_t n)
{
    const uint8_t *p = (const uint8_t *)text;
    size_t k = 0;
    for (size_t i = 0; i < n;) {
        const size_t len = cuzk_utf8_len(p + i, n - i);
        const bool shown = len > 0 && !cuzk_utf8_is_control(cuzk_utf8_code(p + i, len));
        const size_t bytes = shown ? len : 1;
        if (k + bytes >= cap) {
            break;
        }
        if (shown) {
            memcpy(out + k, p + i, len);
        } else {
            out[k] = '?';
        }
        k += bytes;
        i += len == 0 ? 1 : len;
    }
    out[k] = '\0';
    return out;
}
