/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* vanilla/read/proof_list.h: one proof, or a JSON array of base64 texts. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "vanilla/read/proof_list.h"

#include "test.h"

static cuzk_status read_text(cuzk_proof_list *l, const char *text, cuzk_err *err)
{
    return cuzk_proof_list_read(l, (const uint8_t *)text, strlen(text), "file", err);
}

static bool is_item(const cuzk_proof_list *l, size_t i, const char *bytes, size_t n)
{
    return i < l->n && l->items[i].size == n && memcmp(l->items[i].data, bytes, n) == 0;
}

static void arrays(void)
{
    cuzk_proof_list l;
    cuzk_err err = {.msg = ""};
    CHECK_OK(read_text(&l, " [\"AQID\", \"BAU=\",\n\"\"] \n", &err), &err);
    CHECK(l.is_array && l.n == 3);
    CHECK(is_item(&l, 0, "\1\2\3", 3) && is_item(&l, 1, "\4\5", 2) && l.items[2].size == 0);
    cuzk_proof_list_free(&l);
    CHECK(l.items == NULL && l.n == 0 && l.decoded == NULL);
    /* escapes of JSON, and line breaks in base64, as mailers and some encoders write them */
    CHECK_OK(read_text(&l, "[\"AQ\\u0049D\", \"\\/\\/8=\", \"AQID\\r\\nBAUG\\n\"]", &err), &err);
    CHECK(is_item(&l, 0, "\1\2\3", 3) && is_item(&l, 1, "\xff\xff", 2));
    CHECK(is_item(&l, 2, "\1\2\3\4\5\6", 6));
    cuzk_proof_list_free(&l);
}

static void one_proof(void)
{
    static const uint8_t sector91[] = {'[', 0, 0, 0, 0, 0, 0, 0, 9}; /* begins as an array does */
    cuzk_proof_list l;
    cuzk_err err = {.msg = ""};
    CHECK_OK(cuzk_proof_list_read(&l, sector91, sizeof(sector91), "file", &err), &err);
    CHECK(!l.is_array && l.n == 1 && l.items[0].data == sector91 &&
          l.items[0].size == sizeof(sector91));
    cuzk_proof_list_free(&l);
    CHECK_OK(cuzk_proof_list_read(&l, NULL, 0, "file", &err), &err);
    CHECK(!l.is_array && l.n == 1 && l.items[0].size == 0);
    cuzk_proof_list_free(&l);
}

static void refusals(void)
{
    static const struct {
        const char *text, *says;
    } bad[] = {{"[]", "file:1:3: no vanilla proof"},
               {"{\"a\": 1}", "file:1:1: expected an array"},
               {"[\"AQID\", 5]", "file:1:10: "},
               {"[[\"AQID\"]]", "file:1:2: "},
               {"[\"AQID\",\n \"AQI\"]", "file:2:2: vanilla proof 2 is not base64"},
               {"[\"AQID\"", "file:1:8: "},
               {"[\"AQID\"] x", "file:1:10: "},
               {"[\"AQID\\\"\"]", "file:1:2: vanilla proof 1 is not base64"}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cuzk_proof_list l;
        cuzk_err err = {.msg = ""};
        CHECK(read_text(&l, bad[i].text, &err) == CUZK_E_FORMAT);
        CHECK_MSG(strncmp(err.msg, bad[i].says, strlen(bad[i].says)) == 0, "%s: %s", bad[i].text,
                  err.msg);
        CHECK(l.items == NULL && l.decoded == NULL && l.n == 0);
    }
}

/* As many proofs as an array may have, and one more. */
static void the_most(void)
{
    for (size_t n = CUZK_PROOF_LIST_MAX; n <= CUZK_PROOF_LIST_MAX + 1; n++) {
        cuzk_proof_list l;
        cuzk_err err = {.msg = ""};
        char *text = cuzk_alloc(n, 7);
        CHECK(text != NULL);
        for (size_t i = 0; i < n; i++) {
            memcpy(text + 7 * i, i == 0 ? "[\"AQID\"" : ",\"AQID\"", 7);
        }
        char *all = cuzk_realloc(text, 7 * n + 1, 1);
        CHECK(all != NULL);
        all[7 * n] = ']';
        const cuzk_status st =
            cuzk_proof_list_read(&l, (const uint8_t *)all, 7 * n + 1, "file", &err);
        if (n == CUZK_PROOF_LIST_MAX) {
            CHECK_OK(st, &err);
            CHECK(l.n == n && is_item(&l, n - 1, "\1\2\3", 3));
        } else {
            CHECK(st == CUZK_E_FORMAT && strstr(err.msg, "more than 4096") != NULL);
        }
        cuzk_proof_list_free(&l);
        cuzk_free(all);
    }
}

/* Every allocation fails in turn. */
static void out_of_memory(void)
{
    cuzk_proof_list l;
    cuzk_err err = {.msg = ""};
    cuzk_status st = CUZK_E_NOMEM;
    uint64_t k = 0;
    while (st == CUZK_E_NOMEM) {
        cuzk_alloc_fail_nth(++k, false);
        st = read_text(&l, "[\"AQID\", \"AQID\", \"AQID\"]", &err);
        cuzk_alloc_fail_nth(0, false);
    }
    CHECK_OK(st, &err);
    CHECK(l.n == 3 && k == 5); /* the block, room for one, two and four, and none */
    cuzk_proof_list_free(&l);
}

static const cuzk_case cases[] = {CASE(arrays), CASE(one_proof), CASE(refusals), CASE(the_most),
                                  CASE(out_of_memory)};
TEST_MAIN("vanilla/proof_list", cases)
