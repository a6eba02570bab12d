/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text/json.h"
#include "base/text/json_writer.h"

#include "test.h"

static cuzk_json parser(const char *text)
{
    cuzk_json j;
    cuzk_json_init(&j, text, strlen(text), 8);
    return j;
}

static bool accepts(const char *text)
{
    cuzk_json j = parser(text);
    return cuzk_json_skip(&j) && cuzk_json_end(&j);
}

static void grammar_accepts(void)
{
    static const char *const good[] = {"null",
                                       "true",
                                       "false",
                                       "0",
                                       "-0",
                                       "10",
                                       "-1",
                                       "0.5",
                                       "1e5",
                                       "1E+5",
                                       "1.25e-07",
                                       "\"\"",
                                       "\"a\\\"b\\\\c\\/d\\b\\f\\n\\r\\t\"",
                                       "\"\\u0041\\uD83D\\ude00\"",
                                       "[]",
                                       "{}",
                                       "[ ]",
                                       "{ }",
                                       "[1,2]",
                                       " [ 1 , 2 ] ",
                                       "{\"a\":1}",
                                       "{\"a\":[{\"b\":{}}],\"c\":\"\"}",
                                       "\t\r\n 1 \n",
                                       "[[[[[[[[]]]]]]]]",
                                       "\"\x7f\"",
                                       "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\"",
                                       "\"\xed\x9f\xbf\xee\x80\x80\"",
                                       "\"01234567890123456789012345678901\"",
                                       "18446744073709551616000",
                                       "{\"\":0}",
                                       "{\"a\":1,\"a\":2}"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        CHECK_MSG(accepts(good[i]), "refused: %s", good[i]);
    }
}

static void grammar_refuses(void)
{
    static const char *const bad[] = {"",
                                      " ",
                                      "nul",
                                      "nulll",
                                      "True",
                                      "tru",
                                      "truefalse",
                                      "+1",
                                      "01",
                                      "-",
                                      "-01",
                                      "1.",
                                      ".5",
                                      "1.e1",
                                      "1e",
                                      "1e+",
                                      "0x10",
                                      "1_0",
                                      "1a",
                                      "NaN",
                                      "Infinity",
                                      "[",
                                      "]",
                                      "[1",
                                      "[1,",
                                      "[1,]",
                                      "[,1]",
                                      "[1 2]",
                                      "[1,,2]",
                                      "{",
                                      "{\"a\"",
                                      "{\"a\":",
                                      "{\"a\":1",
                                      "{\"a\":1,",
                                      "{\"a\":1,}",
                                      "{a:1}",
                                      "{1:1}",
                                      "{\"a\" 1}",
                                      "{\"a\":1 \"b\":2}",
                                      "[1}",
                                      "{\"a\":1]",
                                      "{,}",
                                      "\"",
                                      "\"a",
                                      "'a'",
                                      "\"\\x41\"",
                                      "\"\\u12\"",
                                      "\"\\u12g4\"",
                                      "\"\\ud800\"",
                                      "\"\\ud800\\u0041\"",
                                      "\"\\udc00\"",
                                      "\"\\ud800\\ud800\"",
                                      "\"\\",
                                      "\"\n\"",
                                      "\"\t\"",
                                      "\"0123456789\x01\"",
                                      "\"\x80\"",
                                      "\"\xc0\xaf\"",
                                      "\"\xc3\"",
                                      "\"\xe0\x80\x80\"",
                                      "\"\xed\xa0\x80\"",
                                      "\"\xf4\x90\x80\x80\"",
                                      "\"\xf5\x80\x80\x80\"",
                                      "\"\xe2\x82\"",
                                      "\"\xff\"",
                                      "\xef\xbb\xbf"
                                      "1",
                                      "1 1",
                                      "[] []",
                                      "[1]x",
                                      "// c\n1",
                                      "/**/1",
                                      "[[[[[[[[[]]]]]]]]]",
                                      "\"a\" \"b\"",
                                      "\x00"
                                      "1"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_MSG(!accepts(bad[i]), "accepted: %s", bad[i]);
    }
    cuzk_json j;
    cuzk_json_init(&j, "\"\0\"", 3, 8);
    CHECK(!cuzk_json_skip(&j));
    cuzk_json_init(&j, NULL, 0, 8);
    CHECK(!cuzk_json_skip(&j));
}

/* No prefix of a document reads past its end (sanitizers watch) or is accepted. */
static void every_prefix_fails(void)
{
    static const char doc[] =
        "{\"a\":[1,22,255,\"x\\u00e9\\ud83d\\ude00\xe2\x82\xac\"],\"b\":{\"c\":"
        "[true,false,null,-1.5e+3]}}";
    const size_t n = sizeof(doc) - 1;
    for (size_t k = 0; k <= n; k++) {
        char *copy = malloc(k + 1);
        CHECK(copy != NULL);
        memcpy(copy, doc, k);
        cuzk_json j;
        cuzk_json_init(&j, copy, k, 8);
        const bool ok = cuzk_json_skip(&j) && cuzk_json_end(&j);
        free(copy);
        CHECK_MSG(ok == (k == n), "prefix of %zu bytes: %d", k, ok);
    }
}

static void integers_are_exact(void)
{
    static const struct {
        const char *text;
        bool ok;
        uint64_t v;
    } t[] = {{"0", true, 0},
             {"9007199254740993", true, 9007199254740993u},
             {"18446744073709551615", true, UINT64_MAX},
             {"18446744073709551616", false, 0},
             {"99999999999999999999", false, 0},
             {"-0", false, 0},
             {"-1", false, 0},
             {"1.0", false, 0},
             {"1e3", false, 0},
             {"007", false, 0},
             {"\"1\"", false, 0},
             {"null", false, 0}};
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        cuzk_json j = parser(t[i].text);
        uint64_t v = 77;
        const bool ok = cuzk_json_u64(&j, &v);
        CHECK_MSG(ok == t[i].ok, "%s: %d", t[i].text, ok);
        CHECK_U64(v, ok ? t[i].v : 77);
    }
    cuzk_json j = parser("256");
    uint64_t v = 5;
    CHECK(!cuzk_json_u64_max(&j, &v, 255));
    CHECK_STR(j.msg, "integer 256 is above 255");
    CHECK_U64(v, 5);
}

static void doubles(void)
{
    cuzk_json j = parser("[0.1, -1.5e3, 1e400]");
    double v = 0;
    CHECK(cuzk_json_begin_array(&j) && cuzk_json_next(&j) && cuzk_json_f64(&j, &v) && v >= 0.1 &&
          v <= 0.1);
    CHECK(cuzk_json_next(&j) && cuzk_json_f64(&j, &v) && v >= -1500 && v <= -1500);
    CHECK(cuzk_json_next(&j) && !cuzk_json_f64(&j, &v));
}

static void strings_decode(void)
{
    cuzk_json j = parser("[\"a\\u00e9\\ud83d\\ude00\\n\", \"plain\", \"nul\\u0000\", \"12345\"]");
    cuzk_json_str s;
    char buf[16];
    size_t n = 0;
    CHECK(cuzk_json_begin_array(&j) && cuzk_json_next(&j) && cuzk_json_string(&j, &s));
    CHECK(s.escaped && cuzk_json_str_decode(&s, buf, sizeof(buf), &n));
    CHECK_U64(n, 8);
    CHECK_MEM(buf, "a\xc3\xa9\xf0\x9f\x98\x80\n", 8);
    CHECK(cuzk_json_str_decode(&s, buf, 8, &n) && !cuzk_json_str_decode(&s, buf, 7, &n));
    CHECK(cuzk_json_str_eq(&s, "a\xc3\xa9\xf0\x9f\x98\x80\n"));
    CHECK(!cuzk_json_str_eq(&s, "a\xc3\xa9\xf0\x9f\x98\x80") && !cuzk_json_str_eq(&s, "") &&
          !cuzk_json_str_eq(&s, "a\xc3\xa9\xf0\x9f\x98\x80\nx"));
    CHECK(cuzk_json_next(&j) && cuzk_json_string(&j, &s) && !s.escaped);
    CHECK(cuzk_json_str_eq(&s, "plain") && !cuzk_json_str_eq(&s, "plai") &&
          !cuzk_json_str_eq(&s, "plain "));
    cuzk_json copy = j;
    CHECK(cuzk_json_next(&j) && !cuzk_json_string_copy(&j, buf, sizeof(buf)));
    CHECK_STR(j.msg, "string contains U+0000");
    CHECK(cuzk_json_next(&copy) && cuzk_json_skip(&copy) && cuzk_json_next(&copy));
    j = copy;
    CHECK(cuzk_json_string_copy(&j, buf, 6));
    CHECK_STR(buf, "12345");
    CHECK(!cuzk_json_string_copy(&copy, buf, 5));
}

static void errors_have_a_place(void)
{
    cuzk_json j = parser("{\n  \"a\": 1,\n  \"b\": [1,\n    300]\n}");
    static const char *const names[] = {"a", "b"};
    cuzk_json_str key;
    uint64_t seen = 0, a = 0;
    uint8_t b[2];
    cuzk_err err;
    CHECK(cuzk_json_begin_object(&j));
    while (cuzk_json_next_key(&j, &key)) {
        switch (cuzk_json_field(&j, &key, names, 2, &seen)) {
        case 0: CHECK(cuzk_json_u64(&j, &a)); break;
        case 1: CHECK(!cuzk_json_u8_array(&j, b, 2)); break;
        default: CHECK(false);
        }
    }
    CHECK_U64(a, 1);
    CHECK_STATUS(cuzk_json_status(&j, "f.json", &err), CUZK_E_FORMAT);
    CHECK_STR(err.msg, "f.json:4:5: integer 300 is above 255");
    /* Sticky: nothing after the first error changes it. */
    CHECK(!cuzk_json_u64(&j, &a) && !cuzk_json_fail(&j, "other") && !cuzk_json_end(&j));
    CHECK_STATUS(cuzk_json_status(&j, "f.json", &err), CUZK_E_FORMAT);
    CHECK_STR(err.msg, "f.json:4:5: integer 300 is above 255");
}

static void fields_once_and_all(void)
{
    static const char *const names[] = {"x", "y"};
    static const struct {
        const char *text, *msg;
    } t[] = {{"{\"x\":1,\"y\":2}", ""},
             {"{\"y\":1,\"z\":[],\"\\u0078\":2}", ""},
             {"{\"x\":1,\"x\":2}", "duplicate field \"x\""},
             {"{\"x\":1,\"\\u0078\":2}", "duplicate field \"x\""},
             {"{\"x\":1}", "field \"y\" is missing"},
             {"{}", "field \"x\" is missing"}};
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        cuzk_json j = parser(t[i].text);
        cuzk_json_str key;
        uint64_t seen = 0;
        (void)cuzk_json_begin_object(&j);
        while (cuzk_json_next_key(&j, &key)) {
            (void)cuzk_json_field(&j, &key, names, 2, &seen);
            (void)cuzk_json_skip(&j);
        }
        (void)cuzk_json_require(&j, names, 2, seen);
        (void)cuzk_json_end(&j);
        CHECK_STR(j.msg, t[i].msg);
    }
}

static void byte_arrays(void)
{
    static const struct {
        const char *text, *msg;
    } t[] = {{"[1,2,3,255]", ""},
             {"[ 1 , 2 ,\n3\t,255 ]", ""},
             {"[1,2,3]", "array has 3 elements instead of 4"},
             {"[]", "array has 0 elements instead of 4"},
             {"[1,2,3,4,5]", "array has more than 4 elements"},
             {"[1,2,3,256]", "integer 256 is above 255"},
             {"[1,256,3,4]", "integer 256 is above 255"},
             {"[1,1000,3,4]", "integer 1000 is above 255"},
             {"[1,02,3,4]", "number has a leading zero"},
             {"[1,00,3,4]", "number has a leading zero"},
             {"[1,-2,3,4]", "expected an unsigned integer"},
             {"[1,2.0,3,4]", "expected an unsigned integer"},
             {"[1,2,3,4,]", "expected a number"},
             {"[1,2,3,]", "expected a number"},
             {"[1,,2,3]", "expected a number"},
             {"[1 2,3,4]", "expected ',' or ']'"},
             {"[1,2,3,4", "text ends where ',' or ']' is expected"},
             {"[1,2,", "text ends where a number is expected"},
             {"[1,\"2\",3,4]", "expected a number"},
             {"[1,2:,3,4]", "expected ',' or ']'"},
             {"\"AQID\"", "expected an array"}};
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        cuzk_json j = parser(t[i].text);
        uint8_t v[4] = {0};
        const bool ok = cuzk_json_u8_array(&j, v, 4) && cuzk_json_end(&j);
        CHECK_STR(j.msg, t[i].msg);
        CHECK(ok == (t[i].msg[0] == '\0'));
        if (ok) {
            CHECK_MEM(v, "\x01\x02\x03\xff", 4);
        }
    }
}

/* All byte values in all positions of the fast path, with and without blanks. */
static void byte_arrays_round_trip(void)
{
    enum { N = 300 };
    for (size_t round = 0; round < test_iters(300); round++) {
        const size_t n = test_below(N + 1);
        uint8_t in[N], out[N];
        char text[N * 6 + 2];
        size_t len = 0, got = 0;
        text[len++] = '[';
        for (size_t i = 0; i < n; i++) {
            in[i] = round < 2 ? (uint8_t)(i + 128 * round) : (uint8_t)test_u64();
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%u%s", i == 0 ? "" : ",",
                                    in[i], round % 3 == 0 && test_below(4) == 0 ? " " : "");
        }
        text[len++] = ']';
        cuzk_json j;
        cuzk_json_init(&j, text, len, 1);
        CHECK(cuzk_json_u8_array_max(&j, out, N, &got) && cuzk_json_end(&j));
        CHECK_U64(got, n);
        CHECK_MEM(out, in, n);
    }
}

static void writer_text(void)
{
    cuzk_jsonw w;
    const char *text;
    size_t n;
    cuzk_jsonw_init(&w, false);
    cuzk_jsonw_begin_object(&w);
    cuzk_jsonw_key(&w, "a\"b");
    cuzk_jsonw_begin_array(&w);
    cuzk_jsonw_u64(&w, UINT64_MAX);
    cuzk_jsonw_i64(&w, INT64_MIN);
    cuzk_jsonw_f64(&w, 0.1);
    cuzk_jsonw_f64(&w, 1.0 / 3.0);
    cuzk_jsonw_f64(&w, (double)UINT64_MAX * (double)UINT64_MAX * 1e300);
    cuzk_jsonw_bool(&w, true);
    cuzk_jsonw_null(&w);
    cuzk_jsonw_hex(&w, (const uint8_t *)"\x00\xab", 2);
    cuzk_jsonw_end_array(&w);
    cuzk_jsonw_key(&w, "s");
    cuzk_jsonw_str(&w, "\x01\n\t\\\xff\xc3\xa9");
    cuzk_jsonw_key(&w, "e");
    cuzk_jsonw_begin_object(&w);
    cuzk_jsonw_end_object(&w);
    cuzk_jsonw_end_object(&w);
    CHECK_OK(cuzk_jsonw_finish(&w, &text, &n, NULL), NULL);
    CHECK_STR(text, "{\"a\\\"b\":[18446744073709551615,-9223372036854775808,0.1,"
                    "0.33333333333333331,null,true,null,\"00ab\"],"
                    "\"s\":\"\\u0001\\n\\t\\\\\xef\xbf\xbd\xc3\xa9\",\"e\":{}}");
    CHECK_U64(n, strlen(text));
    CHECK(accepts(text));
    cuzk_jsonw_free(&w);
    cuzk_jsonw_init(&w, true);
    cuzk_jsonw_begin_array(&w);
    cuzk_jsonw_u64(&w, 1);
    cuzk_jsonw_begin_object(&w);
    cuzk_jsonw_key(&w, "k");
    cuzk_jsonw_null(&w);
    cuzk_jsonw_end_object(&w);
    cuzk_jsonw_end_array(&w);
    CHECK_OK(cuzk_jsonw_finish(&w, &text, &n, NULL), NULL);
    CHECK_STR(text, "[\n  1,\n  {\n    \"k\": null\n  }\n]");
    cuzk_jsonw_free(&w);
}

static void writer_survives_no_memory(void)
{
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    for (uint64_t nth = 1;; nth++) {
        cuzk_jsonw w;
        const char *text = NULL;
        size_t n;
        cuzk_jsonw_init(&w, true);
        cuzk_alloc_fail_nth(nth, false);
        cuzk_jsonw_begin_array(&w);
        for (uint64_t i = 0; i < 1000; i++) {
            cuzk_jsonw_u64(&w, i);
        }
        cuzk_jsonw_end_array(&w);
        const cuzk_status st = cuzk_jsonw_finish(&w, &text, &n, NULL);
        cuzk_alloc_fail_nth(0, false);
        cuzk_jsonw_free(&w);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
        if (st == CUZK_OK) {
            CHECK(nth > 3);
            break;
        }
        CHECK_STATUS(st, CUZK_E_NOMEM);
        CHECK(text == NULL);
    }
}

/* Binary files begin with numbers, of which any byte may be that of a bracket. */
static void told_from_binary(void)
{
    static const char *const json[] = {
        "{}",   "[]", " \n\t\r[1]",           "[\n\t\r 1, 2, 3, 4, 5, 6, 7, 8]",
        "{\"a", "[x", "[0123456789abcdef\x01"};
    static const char *const other[] = {"", " ", "\n", "a[", "\"a\"", "1"};
    for (size_t i = 0; i < sizeof(json) / sizeof(json[0]); i++) {
        CHECK(cuzk_json_is_likely(json[i], strlen(json[i])));
    }
    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
        CHECK(!cuzk_json_is_likely(other[i], strlen(other[i])));
    }
    uint8_t sector[40];
    memset(sector, 'a', sizeof(sector));
    for (uint64_t number = 0; number < (1u << 20); number += number < 70000 ? 1 : 997) {
        for (int b = 0; b < 8; b++) {
            sector[b] = (uint8_t)(number >> 8 * b);
        }
        CHECK(!cuzk_json_is_likely(sector, sizeof(sector)));
    }
}

static const cuzk_case cases[] = {CASE(grammar_accepts),
                                  CASE(grammar_refuses),
                                  CASE(every_prefix_fails),
                                  CASE(integers_are_exact),
                                  CASE(doubles),
                                  CASE(strings_decode),
                                  CASE(errors_have_a_place),
                                  CASE(fields_once_and_all),
                                  CASE(byte_arrays),
                                  CASE(byte_arrays_round_trip),
                                  CASE(told_from_binary),
                                  CASE(writer_text),
                                  CASE(writer_survives_no_memory)};
TEST_MAIN("base/json", cases)
