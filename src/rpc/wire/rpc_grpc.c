/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rpc/wire/rpc_grpc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

const char *cuzk_grpc_code_name(cuzk_grpc_code c)
{
    static const char *const names[CUZK_GRPC_CODES] = {"OK",
                                                       "CANCELLED",
                                                       "UNKNOWN",
                                                       "INVALID_ARGUMENT",
                                                       "DEADLINE_EXCEEDED",
                                                       "NOT_FOUND",
                                                       "ALREADY_EXISTS",
                                                       "PERMISSION_DENIED",
                                                       "RESOURCE_EXHAUSTED",
                                                       "FAILED_PRECONDITION",
                                                       "ABORTED",
                                                       "OUT_OF_RANGE",
                                                       "UNIMPLEMENTED",
                                                       "INTERNAL",
                                                       "UNAVAILABLE",
                                                       "DATA_LOSS",
                                                       "UNAUTHENTICATED"};
    return (unsigned)c < CUZK_GRPC_CODES ? names[c] : "UNKNOWN";
}

cuzk_grpc_code cuzk_grpc_code_of(cuzk_status s)
{
    switch (s) {
    case CUZK_OK: return CUZK_GRPC_OK;
    case CUZK_E_INVALID:
    case CUZK_E_FORMAT:
    case CUZK_E_ENCODING:
    case CUZK_E_NOT_ON_CURVE:
    case CUZK_E_NOT_IN_GROUP:
    case CUZK_E_INFINITY:
    case CUZK_E_UNSATISFIED:
    case CUZK_E_PROOF_FALSE:
    case CUZK_E_VANILLA: return CUZK_GRPC_INVALID_ARGUMENT;
    case CUZK_E_BUDGET:
    case CUZK_E_NOMEM:
    case CUZK_E_DEV_NOMEM: return CUZK_GRPC_RESOURCE_EXHAUSTED;
    case CUZK_E_CANCELLED: /* of a submission: draining */
    case CUZK_E_IO:
    case CUZK_E_DEV_LOST:
    case CUZK_E_DEV_UNFIT: return CUZK_GRPC_UNAVAILABLE;
    case CUZK_E_NOT_FOUND: return CUZK_GRPC_NOT_FOUND;
    case CUZK_E_EXISTS: return CUZK_GRPC_ALREADY_EXISTS;
    case CUZK_E_UNSUPPORTED: return CUZK_GRPC_UNIMPLEMENTED;
    case CUZK_E_UNSAFE_KEY:
    case CUZK_E_DIGEST: return CUZK_GRPC_DATA_LOSS;
    case CUZK_E_SELFTEST: break;
    }
    return CUZK_GRPC_INTERNAL;
}

void cuzk_grpc_prefix_write(uint8_t out[CUZK_GRPC_PREFIX], uint32_t len)
{
    out[0] = 0;
    cuzk_store_u32_be(out + 1, len);
}

size_t cuzk_grpc_prefix_feed(cuzk_grpc_prefix *prefix, const uint8_t *p, size_t n)
{
    size_t want = CUZK_GRPC_PREFIX - (size_t)prefix->n;
    if (want > n) {
        want = n;
    }
    if (want > 0) {
        memcpy(prefix->bytes + prefix->n, p, want);
        prefix->n = (uint8_t)(prefix->n + want);
    }
    return want;
}

uint32_t cuzk_grpc_prefix_len(const cuzk_grpc_prefix *p)
{
    return cuzk_load_u32_be(p->bytes + 1);
}

bool cuzk_grpc_timeout_parse(uint64_t *ns, const char *s, size_t n)
{
    uint64_t v = 0, unit = 0;
    if (n < 2 || n > 9) {
        return false;
    }
    for (size_t i = 0; i + 1 < n; i++) {
        if (s[i] < '0' || s[i] > '9') {
            return false;
        }
        v = v * 10 + (uint64_t)(s[i] - '0');
    }
    switch (s[n - 1]) {
    case 'H': unit = 3600u * UINT64_C(1000000000); break;
    case 'M': unit = 60u * UINT64_C(1000000000); break;
    case 'S': unit = UINT64_C(1000000000); break;
    case 'm': unit = UINT64_C(1000000); break;
    case 'u': unit = UINT64_C(1000); break;
    case 'n': unit = 1; break;
    default: return false;
    }
    if (__builtin_mul_overflow(v, unit, ns)) {
        *ns = UINT64_MAX;
    }
    return true;
}

void cuzk_grpc_timeout_format(char *out, uint64_t ns)
{
    static const struct {
        uint64_t unit;
        char letter;
    } units[] = {{1, 'n'},
                 {UINT64_C(1000), 'u'},
                 {UINT64_C(1000000), 'm'},
                 {UINT64_C(1000000000), 'S'},
                 {UINT64_C(60000000000), 'M'},
                 {UINT64_C(3600000000000), 'H'}};
    size_t i = 0;
    uint64_t v = ns;
    while (v > 99999999 && i + 1 < sizeof(units) / sizeof(units[0])) {
        i++;
        v = ns / units[i].unit + (ns % units[i].unit != 0 ? 1 : 0);
    }
    (void)snprintf(out, 12, "%" PRIu64 "%c", v, units[i].letter);
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c <= 0x7e && c != '%';
}

size_t cuzk_grpc_percent_encode(char *out, size_t cap, const char *in, size_t n)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)in[i];
        const bool is_edge = i == 0 || i + 1 == n;
        const size_t need = is_plain(c) && !(c == ' ' && is_edge) ? 1 : 3;
        if (k + need >= cap) {
            break;
        }
        if (need == 1) {
            out[k] = (char)c;
        } else {
            out[k] = '%';
            out[k + 1] = digits[c >> 4];
            out[k + 2] = digits[c & 15];
        }
        k += need;
    }
    while (k > 0 && out[k - 1] == ' ') { /* out was too short, and ends before a word */
        k--;
    }
    out[k] = '\0';
    return k;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t cuzk_grpc_percent_decode(char *out, size_t cap, const char *in, size_t n)
{
    size_t k = 0;
    for (size_t i = 0; i < n && k + 1 < cap; i++) {
        const int hi = in[i] == '%' && n - i > 2 ? hex_digit(in[i + 1]) : -1;
        const int lo = hi >= 0 ? hex_digit(in[i + 2]) : -1;
        if (lo >= 0) {
            out[k++] = (char)(hi << 4 | lo);
            i += 2;
        } else {
            out[k++] = in[i];
        }
    }
    out[k] = '\0';
    return k;
}

bool cuzk_grpc_content_type(const char *s, size_t n)
{
    static const char type[] = "application/grpc";
    const size_t len = sizeof(type) - 1;
    return n >= len && memcmp(s, type, len) == 0 && (n == len || s[len] == '+' || s[len] == ';');
}
