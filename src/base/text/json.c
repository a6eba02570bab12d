/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Scanning is by words where inputs are big: eight characters of a string at a time, and one load
 * per number of a byte array.
 */
#include "base/text/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"

void cuzk_json_init(cuzk_json *j, const void *data, size_t n, uint32_t max_depth)
{
    CUZK_ASSERT(max_depth <= CUZK_JSON_MAX_DEPTH);
    const uint8_t *d = data;
    j->start = j->p = j->token = d;
    j->end = n == 0 ? d : d + n;
    j->depth = 0;
    j->max_depth = max_depth;
    j->first = false;
    j->failed = false;
    j->msg[0] = '\0';
}

bool cuzk_json_fail(cuzk_json *j, const char *fmt, ...)
{
    if (!j->failed) {
        va_list ap;
        va_start(ap, fmt);
        (void)vsnprintf(j->msg, sizeof(j->msg), fmt, ap);
        va_end(ap);
        j->failed = true;
    }
    return false;
}

static bool fail_at(cuzk_json *j, const uint8_t *where, const char *what)
{
    j->token = where;
    return cuzk_json_fail(j, "%s", what);
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void skip_blanks(cuzk_json *j)
{
    const uint8_t *p = j->p;
    while (p < j->end && is_blank(*p)) {
        p++;
    }
    j->p = p;
}

/* Moves to the next token and makes it the place of errors. False at the end of the text. */
static bool at_token(cuzk_json *j)
{
    if (j->failed) {
        return false;
    }
    skip_blanks(j);
    j->token = j->p;
    return j->p < j->end;
}

/* "expected X" at the current token, or at the end of the text. */
CUZK_COLD static bool expected(cuzk_json *j, const char *what)
{
    if (j->p >= j->end) {
        return cuzk_json_fail(j, "text ends where %s is expected", what);
    }
    return cuzk_json_fail(j, "expected %s", what);
}

#define LOOK_AT 16u /* bytes; the numbers that binary formats begin with have eight */

bool cuzk_json_is_likely(const void *data, size_t n)
{
    const uint8_t *p = data;
    size_t i = 0;
    while (i < n && is_blank(p[i])) {
        i++;
    }
    if (i == n || (p[i] != '{' && p[i] != '[')) {
        return false;
    }
    const size_t end = n - i < LOOK_AT ? n : i + LOOK_AT;
    while (i < end && (p[i] >= ' ' || is_blank(p[i]))) {
        i++;
    }
    return i == end;
}

cuzk_json_kind cuzk_json_peek(cuzk_json *j)
{
    if (!at_token(j)) {
        return CUZK_JSON_ERROR;
    }
    switch (*j->p) {
    case 'n': return CUZK_JSON_NULL;
    case 't':
    case 'f': return CUZK_JSON_BOOL;
    case '"': return CUZK_JSON_STRING;
    case '[': return CUZK_JSON_ARRAY;
    case '{': return CUZK_JSON_OBJECT;
    default:
        return *j->p == '-' || (*j->p >= '0' && *j->p <= '9') ? CUZK_JSON_NUMBER : CUZK_JSON_ERROR;
    }
}

/* Literals and numbers must not run into another token: "01", "1x", "nullnull". */
static bool ends_token(const cuzk_json *j, const uint8_t *p)
{
    return p >= j->end || is_blank(*p) || *p == ',' || *p == ']' || *p == '}' || *p == ':';
}

static bool literal(cuzk_json *j, const char *text, size_t n)
{
    const uint8_t *p = j->p;
    if ((size_t)(j->end - p) < n || memcmp(p, text, n) != 0 || !ends_token(j, p + n)) {
        return false;
    }
    j->p = p + n;
    return true;
}

bool cuzk_json_null(cuzk_json *j)
{
    (void)at_token(j);
    return !j->failed && (literal(j, "null", 4) || expected(j, "null"));
}

bool cuzk_json_bool(cuzk_json *j, bool *out)
{
    (void)at_token(j);
    if (j->failed) {
        return false;
    }
    if (literal(j, "true", 4)) {
        *out = true;
        return true;
    }
    if (literal(j, "false", 5)) {
        *out = false;
        return true;
    }
    return expected(j, "true or false");
}

static bool is_digit(const cuzk_json *j, const uint8_t *p)
{
    return p < j->end && *p >= '0' && *p <= '9';
}

bool cuzk_json_number(cuzk_json *j, cuzk_json_str *out)
{
    (void)at_token(j);
    if (j->failed) {
        return false;
    }
    const uint8_t *p = j->p;
    if (p < j->end && *p == '-') {
        p++;
    }
    if (!is_digit(j, p)) {
        return expected(j, "a number");
    }
    if (*p == '0' && is_digit(j, p + 1)) {
        return cuzk_json_fail(j, "number has a leading zero");
    }
    while (is_digit(j, p)) {
        p++;
    }
    if (p < j->end && *p == '.') {
        if (!is_digit(j, ++p)) {
            return cuzk_json_fail(j, "malformed number");
        }
        while (is_digit(j, p)) {
            p++;
        }
    }
    if (p < j->end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < j->end && (*p == '+' || *p == '-')) {
            p++;
        }
        if (!is_digit(j, p)) {
            return cuzk_json_fail(j, "malformed number");
        }
        while (is_digit(j, p)) {
            p++;
        }
    }
    if (!ends_token(j, p)) {
        return cuzk_json_fail(j, "malformed number");
    }
    out->p = (const char *)j->p;
    out->n = (size_t)(p - j->p);
    out->escaped = false;
    j->p = p;
    return true;
}

bool cuzk_json_u64(cuzk_json *j, uint64_t *out)
{
    cuzk_json_str s;
    if (!cuzk_json_number(j, &s)) {
        return false;
    }
    uint64_t v = 0;
    for (size_t i = 0; i < s.n; i++) {
        const uint8_t d = (uint8_t)(s.p[i] - '0');
        if (d > 9) {
            return cuzk_json_fail(j, "expected an unsigned integer");
        }
        if (__builtin_mul_overflow(v, (uint64_t)10, &v) || __builtin_add_overflow(v, d, &v)) {
            return cuzk_json_fail(j, "integer does not fit in 64 bits");
        }
    }
    *out = v;
    return true;
}

bool cuzk_json_u64_max(cuzk_json *j, uint64_t *out, uint64_t max)
{
    uint64_t v = 0; /* gcc cannot see that failure returns false */
    if (!cuzk_json_u64(j, &v)) {
        return false;
    }
    if (v > max) {
        return cuzk_json_fail(j, "integer %llu is above %llu", (unsigned long long)v,
                              (unsigned long long)max);
    }
    *out = v;
    return true;
}

bool cuzk_json_f64(cuzk_json *j, double *out)
{
    cuzk_json_str s;
    char buf[64];
    if (!cuzk_json_number(j, &s)) {
        return false;
    }
    if (s.n >= sizeof(buf)) {
        return cuzk_json_fail(j, "number is longer than 63 characters");
    }
    memcpy(buf, s.p, s.n);
    buf[s.n] = '\0';
    const double v = strtod(buf, NULL);
    if (!isfinite(v)) {
        return cuzk_json_fail(j, "number is out of range");
    }
    *out = v;
    return true;
}

size_t cuzk_utf8_len(const uint8_t *p, size_t n)
{
    const uint8_t c = p[0];
    if (c < 0x80) {
        return 1;
    }
    const size_t len = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    if (c < 0xc2 || c > 0xf4 || len > n) {
        return 0;
    }
    /* Only the second byte has bounds of its own: no overlong forms, surrogates, or > U+10FFFF. */
    const uint8_t lo = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    const uint8_t hi = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    if (p[1] < lo || p[1] > hi) {
        return 0;
    }
    for (size_t i = 2; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return len;
}

static bool hex4(const uint8_t *p, const uint8_t *end, uint32_t *out)
{
    uint32_t v = 0;
    if (end - p < 4) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        const uint8_t c = p[i];
        const uint8_t l = c | 0x20;
        if (c >= '0' && c <= '9') {
            v = v << 4 | (uint32_t)(c - '0');
        } else if (l >= 'a' && l <= 'f') {
            v = v << 4 | (uint32_t)(l - 'a' + 10);
        } else {
            return false;
        }
    }
    *out = v;
    return true;
}

/* One escape at p (on the backslash) -> code point and its length in the text; 0 when malformed. */
static size_t escape(const uint8_t *p, const uint8_t *end, uint32_t *cp)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    uint32_t lo;
    if (end - p < 2) {
        return 0;
    }
    if (p[1] != 'u') {
        const char *f = p[1] == '\0' ? NULL : strchr(from, p[1]);
        if (f == NULL) {
            return 0;
        }
        *cp = (uint8_t)to[f - from];
        return 2;
    }
    if (!hex4(p + 2, end, cp) || (*cp >= 0xdc00 && *cp <= 0xdfff)) {
        return 0;
    }
    if (*cp < 0xd800 || *cp > 0xdbff) {
        return 6;
    }
    if (end - p < 12 || p[6] != '\\' || p[7] != 'u' || !hex4(p + 8, end, &lo) || lo < 0xdc00 ||
        lo > 0xdfff) {
        return 0;
    }
    *cp = 0x10000 + ((*cp - 0xd800) << 10 | (lo - 0xdc00));
    return 12;
}

/* True when none of the eight characters needs a look: printable ASCII, no quote, no backslash. */
static bool plain8(const uint8_t *p)
{
    const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
    const uint64_t w = cuzk_load_u64_le(p);
    const uint64_t q = w ^ ones * '"', b = w ^ ones * '\\';
    /* x - ones sets a high bit first where a byte of x is 0 (below 0x20 for the blank test). */
    const uint64_t hit = (q - ones) | (b - ones) | (w - ones * 0x20) | w;
    return (hit & high) == 0;
}

bool cuzk_json_string(cuzk_json *j, cuzk_json_str *out)
{
    if (!at_token(j) || *j->p != '"') {
        return !j->failed && expected(j, "a string");
    }
    const uint8_t *p = j->p + 1;
    bool escaped = false;
    for (;;) {
        while (j->end - p >= 8 && plain8(p)) {
            p += 8;
        }
        if (p >= j->end) {
            return fail_at(j, j->p, "unterminated string");
        }
        if (*p == '"') {
            break;
        }
        if (*p == '\\') {
            uint32_t cp;
            const size_t n = escape(p, j->end, &cp);
            if (n == 0) {
                return fail_at(j, p, "malformed escape in string");
            }
            escaped = true;
            p += n;
            continue;
        }
        if (*p < 0x20) {
            return fail_at(j, p, "control character in string");
        }
        const size_t n = cuzk_utf8_len(p, (size_t)(j->end - p));
        if (n == 0) {
            return fail_at(j, p, "string is not UTF-8");
        }
        p += n;
    }
    out->p = (const char *)j->p + 1;
    out->n = (size_t)(p - j->p) - 1;
    out->escaped = escaped;
    j->p = p + 1;
    return true;
}

static size_t utf8_put(uint8_t out[4], uint32_t cp)
{
    if (cp < 0x80) {
        out[0] = (uint8_t)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (uint8_t)(0xc0 | cp >> 6);
        out[1] = (uint8_t)(0x80 | (cp & 0x3f));
        return 2;
    }
    if (cp < 0x10000) {
        out[0] = (uint8_t)(0xe0 | cp >> 12);
        out[1] = (uint8_t)(0x80 | (cp >> 6 & 0x3f));
        out[2] = (uint8_t)(0x80 | (cp & 0x3f));
        return 3;
    }
    out[0] = (uint8_t)(0xf0 | cp >> 18);
    out[1] = (uint8_t)(0x80 | (cp >> 12 & 0x3f));
    out[2] = (uint8_t)(0x80 | (cp >> 6 & 0x3f));
    out[3] = (uint8_t)(0x80 | (cp & 0x3f));
    return 4;
}

/* Next decoded piece of s at offset *at: one escape or one run of plain text. */
static size_t piece(const cuzk_json_str *s, size_t *at, uint8_t tmp[4], const uint8_t **out)
{
    const uint8_t *p = (const uint8_t *)s->p + *at;
    const uint8_t *end = (const uint8_t *)s->p + s->n;
    if (*p == '\\') {
        uint32_t cp = 0;
        *at += escape(p, end, &cp);
        *out = tmp;
        return utf8_put(tmp, cp);
    }
    const uint8_t *q = s->escaped ? memchr(p, '\\', (size_t)(end - p)) : NULL;
    const size_t n = (size_t)((q == NULL ? end : q) - p);
    *at += n;
    *out = p;
    return n;
}

bool cuzk_json_str_decode(const cuzk_json_str *s, char *out, size_t cap, size_t *n)
{
    size_t len = 0;
    for (size_t at = 0; at < s->n;) {
        uint8_t tmp[4];
        const uint8_t *part;
        const size_t k = piece(s, &at, tmp, &part);
        if (k > cap - len) {
            return false;
        }
        memcpy(out + len, part, k);
        len += k;
    }
    *n = len;
    return true;
}

bool cuzk_json_str_eq(const cuzk_json_str *s, const char *text)
{
    const size_t want = strlen(text);
    if (!s->escaped) {
        return s->n == want && (want == 0 || memcmp(s->p, text, want) == 0);
    }
    size_t len = 0;
    for (size_t at = 0; at < s->n;) {
        uint8_t tmp[4];
        const uint8_t *part;
        const size_t k = piece(s, &at, tmp, &part);
        if (k > want - len || memcmp(text + len, part, k) != 0) {
            return false;
        }
        len += k;
    }
    return len == want;
}

bool cuzk_json_string_copy(cuzk_json *j, char *out, size_t cap)
{
    cuzk_json_str s;
    size_t n;
    if (!cuzk_json_string(j, &s)) {
        return false;
    }
    if (cap == 0 || !cuzk_json_str_decode(&s, out, cap - 1, &n)) {
        return cuzk_json_fail(j, "string is longer than %zu bytes", cap == 0 ? 0 : cap - 1);
    }
    if (n != 0 && memchr(out, '\0', n) != NULL) {
        return cuzk_json_fail(j, "string contains U+0000");
    }
    out[n] = '\0';
    return true;
}

static bool begin(cuzk_json *j, uint8_t open, const char *what)
{
    if (!at_token(j) || *j->p != open) {
        return !j->failed && expected(j, what);
    }
    if (j->depth >= j->max_depth) {
        return cuzk_json_fail(j, "nested deeper than %u levels", j->max_depth);
    }
    j->depth++;
    j->p++;
    j->first = true;
    return true;
}

bool cuzk_json_begin_array(cuzk_json *j)
{
    return begin(j, '[', "an array");
}

bool cuzk_json_begin_object(cuzk_json *j)
{
    return begin(j, '{', "an object");
}

/* Comma or closing bracket; true when an element follows. */
static bool next(cuzk_json *j, uint8_t close, const char *what)
{
    if (j->failed) {
        return false;
    }
    CUZK_ASSERT(j->depth > 0);
    const bool first = j->first;
    j->first = false;
    if (!at_token(j)) {
        return expected(j, what);
    }
    if (*j->p == close) {
        j->p++;
        j->depth--;
        return false;
    }
    if (first) {
        return true;
    }
    if (*j->p != ',') {
        return expected(j, what);
    }
    j->p++; /* a bracket after it is then no value: the reader says so */
    return true;
}

bool cuzk_json_next(cuzk_json *j)
{
    return next(j, ']', "',' or ']'");
}

bool cuzk_json_next_key(cuzk_json *j, cuzk_json_str *key)
{
    cuzk_json_str k;
    if (!next(j, '}', "',' or '}'") || !cuzk_json_string(j, &k)) {
        return false;
    }
    const uint8_t *at = j->token; /* errors about the key point at the key, not at the colon */
    if (!at_token(j) || *j->p != ':') {
        return expected(j, "':'");
    }
    j->p++;
    j->token = at;
    *key = k;
    return true;
}

/*
 * One number of a byte array with one load: XOR turns digits into 0..9, the lowest byte above 9
 * gives the length, and a shift right-aligns the digits so that one multiplication sums them.
 * Fails (and leaves everything to the slow path and its messages) unless the number is followed by
 * a comma and four bytes are there.
 */
static bool fast_u8(const uint8_t **pp, const uint8_t *end, uint8_t *out)
{
    const uint8_t *p = *pp;
    if (end - p < 4) {
        return false;
    }
    const uint32_t w = cuzk_load_u32_le(p);
    const uint32_t t = w ^ 0x30303030u;
    /* t + 0x76 reaches 0x80 from 10 on; a carry only disturbs bytes above the first hit. */
    const uint32_t hit = ((t + 0x76767676u) | t) & 0x80808080u;
    if ((hit & 0xffffff7fu) == 0 || (hit & 0x80u) != 0) {
        return false; /* four digits, or none */
    }
    const unsigned bits = (unsigned)__builtin_ctz(hit) - 7; /* 8 * digits: 8, 16 or 24 */
    if ((w >> bits & 0xffu) != ',') {
        return false;
    }
    const uint32_t d = t << (32 - bits); /* digits in the upper bytes, most significant lowest */
    const uint32_t be = __builtin_bswap32(d);
    if (be > 0x020505u || ((t & 0xffu) == 0 && bits > 8)) {
        return false; /* above 255, or a leading zero */
    }
    *out = (uint8_t)((d >> 8) * (100u << 16 | 10u << 8 | 1u) >> 16);
    *pp = p + bits / 8 + 1;
    return true;
}

/* Elements until the closing bracket; more than cap is an error. */
static bool u8_elements(cuzk_json *j, uint8_t *out, size_t cap, size_t *count)
{
    size_t k = 0;
    if (!cuzk_json_begin_array(j)) {
        return false;
    }
    bool more = cuzk_json_next(j);
    while (more) {
        const uint8_t *p = j->p; /* on an element, or what should be one after a comma */
        while (k < cap && fast_u8(&p, j->end, out + k)) {
            k++;
            while (p < j->end && is_blank(*p)) {
                p++;
            }
        }
        j->p = p;
        uint64_t v = 0;
        if (!cuzk_json_u64_max(j, &v, 255)) {
            return false;
        }
        if (k == cap) {
            return cuzk_json_fail(j, "array has more than %zu elements", cap);
        }
        out[k++] = (uint8_t)v;
        more = cuzk_json_next(j);
    }
    *count = k;
    return !j->failed;
}

bool cuzk_json_u8_array_max(cuzk_json *j, uint8_t *out, size_t cap, size_t *n)
{
    return u8_elements(j, out, cap, n);
}

bool cuzk_json_u8_array(cuzk_json *j, uint8_t *out, size_t n)
{
    size_t got;
    if (!u8_elements(j, out, n, &got)) {
        return false;
    }
    return got == n || cuzk_json_fail(j, "array has %zu elements instead of %zu", got, n);
}

static bool skip_scalar(cuzk_json *j)
{
    cuzk_json_str s;
    bool b;
    switch (cuzk_json_peek(j)) {
    case CUZK_JSON_NULL: return cuzk_json_null(j);
    case CUZK_JSON_BOOL: return cuzk_json_bool(j, &b);
    case CUZK_JSON_NUMBER: return cuzk_json_number(j, &s);
    case CUZK_JSON_STRING: return cuzk_json_string(j, &s);
    case CUZK_JSON_ERROR:
    case CUZK_JSON_ARRAY:
    case CUZK_JSON_OBJECT: break;
    }
    return !j->failed && expected(j, "a value");
}

bool cuzk_json_skip(cuzk_json *j)
{
    const uint32_t floor = j->depth;
    uint64_t objects = 0; /* bit d: the container at depth d + 1 is an object */
    for (;;) {
        const cuzk_json_kind kind = cuzk_json_peek(j);
        if (kind == CUZK_JSON_ARRAY || kind == CUZK_JSON_OBJECT) {
            const uint64_t bit = (uint64_t)1 << (j->depth % CUZK_JSON_MAX_DEPTH);
            const bool object = kind == CUZK_JSON_OBJECT;
            if (!(object ? cuzk_json_begin_object(j) : cuzk_json_begin_array(j))) {
                return false;
            }
            objects = object ? objects | bit : objects & ~bit;
        } else if (!skip_scalar(j)) {
            return false;
        }
        /* Close containers until one has another element. */
        for (;;) {
            cuzk_json_str key;
            if (j->failed || j->depth == floor) {
                return !j->failed;
            }
            const bool object = (objects >> (j->depth - 1) & 1) != 0;
            if (object ? cuzk_json_next_key(j, &key) : cuzk_json_next(j)) {
                break;
            }
        }
    }
}

void cuzk_json_pass(cuzk_json *j, const uint8_t *end)
{
    if (!j->failed) {
        CUZK_ASSERT(end > j->p && end <= j->end);
        j->token = end - 1;
        j->p = end;
    }
}

bool cuzk_json_end(cuzk_json *j)
{
    if (at_token(j)) {
        return cuzk_json_fail(j, "text after the end of the value");
    }
    return !j->failed;
}

int cuzk_json_field(cuzk_json *j, const cuzk_json_str *key, const char *const *names, size_t n,
                    uint64_t *seen)
{
    CUZK_ASSERT(n <= 64);
    for (size_t i = 0; i < n; i++) {
        if (cuzk_json_str_eq(key, names[i])) {
            const uint64_t bit = (uint64_t)1 << i;
            if ((*seen & bit) != 0) {
                (void)cuzk_json_fail(j, "duplicate field \"%s\"", names[i]);
                return -1;
            }
            *seen |= bit;
            return (int)i;
        }
    }
    return -1;
}

bool cuzk_json_require(cuzk_json *j, const char *const *names, size_t n, uint64_t seen)
{
    for (size_t i = 0; i < n; i++) {
        if ((seen >> i & 1) == 0) {
            return cuzk_json_fail(j, "field \"%s\" is missing", names[i]);
        }
    }
    return !j->failed;
}

void cuzk_json_position(const cuzk_json *j, uint64_t *line, uint64_t *column)
{
    uint64_t l = 1, c = 1;
    for (const uint8_t *p = j->start; p < j->token; p++) {
        c++;
        if (*p == '\n') {
            l++;
            c = 1;
        }
    }
    *line = l;
    *column = c;
}

cuzk_status cuzk_json_status(const cuzk_json *j, const char *what, cuzk_err *err)
{
    uint64_t line, column;
    if (!j->failed) {
        return CUZK_OK;
    }
    cuzk_json_position(j, &line, &column);
    return CUZK_FAIL(err, CUZK_E_FORMAT, "%s:%llu:%llu: %s", what, (unsigned long long)line,
                     (unsigned long long)column, j->msg);
}
