/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The text that keeps what was measured on a card, whole and damaged. */
#include <string.h>

#include "accel/card/choice.h"
#include "accel/card/fit.h"

#include "test.h"

static const cuzk_card_choice some[] = {
    {false, false, {330, 430, 1800, 305, 3500}},
    {true, false, {470, 470, 940, 460, 1000}},
    {false, true, {20, 20, 20, 20, 2000}},
    {true, false, {200000, 600000, 20000000, 190000, 19000000}}};
#define SOME (sizeof(some) / sizeof(some[0]))

static bool equal(const cuzk_card_choice *a, const cuzk_card_choice *b)
{
    return a->xyzz == b->xyzz && a->cached_tree == b->cached_tree &&
           memcmp(&a->costs, &b->costs, sizeof(a->costs)) == 0;
}

static void written_and_read(void)
{
    for (size_t i = 0; i < SOME; i++) {
        char text[CUZK_CARD_CHOICE_BYTES];
        cuzk_card_choice got;
        const size_t n = cuzk_card_choice_write(text, &some[i]);
        CHECK(n > 0 && n < sizeof(text) && text[n] == '\0' && strlen(text) == n);
        CHECK(cuzk_card_choice_read(&got, text, n) && equal(&got, &some[i]));
    }
}

static void other_texts_are_refused(void)
{
    static const char *const bad[] = {
        "",
        "\n",
        "A affine 14.12 ms, XYZZ 15.63 ms\n", /* before there was a version */
        "X affine 14.12 ms, XYZZ 12.63 ms\n",
        "cuzk card choice 1\nadditions affine\ncosts_ps 330 430 1800 305 3500\n",
        "cuzk card choice 3\nadditions affine\ncosts_ps 330 430 1800 305 3500\n",
        "cuzk card choice 2\nadditions both\ncosts_ps 330 430 1800 305 3500\n",
        "cuzk card choice 2\nadditions affine\ncosts_ps 330 430 1800 305 3500",
        "cuzk card choice 2\nadditions affine\ncosts_ps 330 430 1800 305 3500\n\n",
        "cuzk card choice 2\nadditions affine\ncosts_ps 330 430 1800 305\n",
        "cuzk card choice 2\nadditions affine\ncosts_ps 330 430 1800 305 3500 1\n",
        "cuzk card choice 2\nadditions affine\ncosts_ps 330 430  1800 305 3500\n",
        "cuzk card choice 2\nadditions affine\ncosts_ps 330 430 -1800 305 3500\n",
        "cuzk card choice 2\nadditions affine\ncosts_ps 330 430 +1800 305 3500\n",
        "cuzk card choice 2\nadditions affine\ncosts_ps 330 430 01800 305 3500\n",
        "cuzk card choice 2\nadditions affine\ncosts_ps 330 430 1800.5 305 3500\n",
        "cuzk card choice 2\nadditions affine\ncosts_ps 330 430 0x700 305 3500\n",
        "cuzk card choice 2\nadditions affine\ncosts_ps 0 0 0 0 0\n",
        "cuzk card choice 2\nadditions affine\ncosts_ps 330 430 1800 305 0\n",
        "cuzk card choice 2\nadditions affine\ncosts_ps 330 430 4294969096 305 3500\n", /* 2^32 more */
        "cuzk card choice 2\nadditions affine\ncosts_ps 330 430 18446744073709553416 305 3500\n",
        "cuzk card choice 2\r\nadditions affine\r\ncosts_ps 330 430 1800 305 3500\r\n"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cuzk_card_choice got = some[1];
        CHECK_MSG(!cuzk_card_choice_read(&got, bad[i], strlen(bad[i])), "%s", bad[i]);
        CHECK(equal(&got, &some[1])); /* not written */
    }
}

/* Cut short anywhere, or with any byte changed: refused, or a choice that is written so. */
static void damaged_texts(void)
{
    for (size_t i = 0; i < SOME; i++) {
        char text[CUZK_CARD_CHOICE_BYTES], again[CUZK_CARD_CHOICE_BYTES];
        cuzk_card_choice got;
        const size_t n = cuzk_card_choice_write(text, &some[i]);
        for (size_t k = 0; k < n; k++) {
            CHECK(!cuzk_card_choice_read(&got, text, k));
            const char was = text[k];
            for (unsigned c = 0; c < 256; c++) {
                text[k] = (char)c;
                if (cuzk_card_choice_read(&got, text, n)) {
                    CHECK(cuzk_card_costs_are_plausible(&got.costs));
                    CHECK_U64(cuzk_card_choice_write(again, &got), n);
                    CHECK_MEM(again, text, n);
                }
            }
            text[k] = was;
        }
        static char large[4096];
        memset(large, '0', sizeof(large));
        memcpy(large, text, n);
        CHECK(!cuzk_card_choice_read(&got, large, sizeof(large)));
    }
}

/* A device has one file for itself, and one for each card that it plays. */
static void names(void)
{
    static const char *const played[] = {"8.9",        "8.9:24GiB",        "8.9:23GiB",
                                         "8.6:24GiB",  "8.9:24GiB:64",     "9.0:141GiB",
                                         "12.0:16GiB", "10.0:1024GiB:1024"};
    char name[1 + sizeof(played) / sizeof(played[0])][CUZK_CARD_CHOICE_NAME];
    uint8_t uuid[16];
    for (size_t i = 0; i < 16; i++) {
        uuid[i] = (uint8_t)(16 * i + 15 - i);
    }
    cuzk_card_choice_name(name[0], uuid, 13000, NULL);
    CHECK_STR(name[0], "cuda-0f1e2d3c4b5a69788796a5b4c3d2e1f0-13000");
    for (size_t i = 0; i < sizeof(played) / sizeof(played[0]); i++) {
        cuzk_card card;
        cuzk_err err;
        CHECK_OK(cuzk_card_parse(&card, played[i], &err), &err);
        cuzk_card_choice_name(name[i + 1], uuid, 13000, &card);
        for (size_t k = 0; k <= i; k++) {
            CHECK_MSG(strcmp(name[k], name[i + 1]) != 0, "%s", name[k]);
        }
    }
    CHECK_STR(name[2], "cuda-0f1e2d3c4b5a69788796a5b4c3d2e1f0-13000-as-8.9-24576MiB-128");
    cuzk_card_choice_name(name[1], uuid, 12020, NULL);
    CHECK(strcmp(name[0], name[1]) != 0);
    uuid[15]++;
    cuzk_card_choice_name(name[1], uuid, 13000, NULL);
    CHECK(strcmp(name[0], name[1]) != 0);
}

static const cuzk_case cases[] = {CASE(written_and_read), CASE(other_texts_are_refused),
                                  CASE(damaged_texts), CASE(names)};
TEST_MAIN("accel/card_choice", cases)
