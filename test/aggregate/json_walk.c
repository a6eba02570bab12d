/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "json_walk.h"

#include <string.h>

#include "base/bytes.h"
#include "base/text/json.h"

#include "test.h"

static cuzk_json parser(jwalk v)
{
    cuzk_json j;
    cuzk_json_init(&j, v.p, (size_t)(v.end - v.p), 32);
    return j;
}

static bool find(jwalk object, const char *key, jwalk *out)
{
    cuzk_json j = parser(object);
    cuzk_json_str k;
    CHECK(cuzk_json_begin_object(&j));
    while (cuzk_json_next_key(&j, &k)) {
        if (k.n == strlen(key) && memcmp(k.p, key, k.n) == 0) {
            (void)cuzk_json_peek(&j);
            *out = (jwalk){j.p, object.end};
            return true;
        }
        cuzk_json_skip(&j);
    }
    return false;
}

jwalk jwalk_key(jwalk object, const char *key)
{
    jwalk v = object;
    CHECK_MSG(find(object, key, &v), "no key %s", key);
    return v;
}

bool jwalk_has(jwalk object, const char *key)
{
    jwalk v;
    return find(object, key, &v);
}

jwalk jwalk_at(jwalk array, size_t i)
{
    cuzk_json j = parser(array);
    CHECK(cuzk_json_begin_array(&j));
    for (size_t k = 0;; k++) {
        CHECK_MSG(cuzk_json_next(&j), "no element %zu", i);
        if (k == i) {
            (void)cuzk_json_peek(&j);
            return (jwalk){j.p, array.end};
        }
        cuzk_json_skip(&j);
    }
}

size_t jwalk_count(jwalk array)
{
    cuzk_json j = parser(array);
    size_t n = 0;
    CHECK(cuzk_json_begin_array(&j));
    while (cuzk_json_next(&j)) {
        cuzk_json_skip(&j);
        n++;
    }
    return n;
}

bool jwalk_is_null(jwalk v)
{
    cuzk_json j = parser(v);
    return cuzk_json_peek(&j) == CUZK_JSON_NULL;
}

bool jwalk_is_string(jwalk v)
{
    cuzk_json j = parser(v);
    return cuzk_json_peek(&j) == CUZK_JSON_STRING;
}

const char *jwalk_text(jwalk v, char *out, size_t cap)
{
    cuzk_json j = parser(v);
    CHECK(cuzk_json_string_copy(&j, out, cap));
    return out;
}

bool jwalk_equals(jwalk v, const char *text)
{
    cuzk_json j = parser(v);
    cuzk_json_str s;
    return cuzk_json_string(&j, &s) && s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

uint64_t jwalk_u64(jwalk v)
{
    cuzk_json j = parser(v);
    uint64_t n = 0;
    CHECK(cuzk_json_u64(&j, &n));
    return n;
}

bool jwalk_bool(jwalk v)
{
    cuzk_json j = parser(v);
    bool b = false;
    CHECK(cuzk_json_bool(&j, &b));
    return b;
}

size_t jwalk_hex(jwalk v, uint8_t *out, size_t cap)
{
    cuzk_json j = parser(v);
    cuzk_json_str s;
    CHECK(cuzk_json_string(&j, &s) && s.n % 2 == 0 && s.n / 2 <= cap);
    CHECK(cuzk_hex_decode(out, s.n / 2, s.p, s.n));
    return s.n / 2;
}

bool jwalk_hex_is(jwalk v, const uint8_t *data, size_t n)
{
    uint8_t b[1024];
    return n <= sizeof(b) && jwalk_hex(v, b, sizeof(b)) == n && memcmp(b, data, n) == 0;
}
