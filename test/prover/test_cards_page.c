/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The tables of docs/cards.md are what the program computes. CUZK_WRITE_CARDS=1 writes them. */
#include <stdlib.h>
#include <string.h>

#include "accel/card/card.h"
#include "accel/card/work.h"
#include "prover/needs/expected_time.h"

#include "test.h"

#define PAGE  "docs/cards.md"
#define GIB   ((uint64_t)1 << 30)
#define BEGIN "<!-- tables -->\n"
#define END   "<!-- end of tables -->\n"

static void put_kind(FILE *f, const cuzk_card_rates *r, cuzk_circuit_kind kind, uint64_t sector)
{
    cuzk_err err;
    cuzk_circuit_spec spec;
    cuzk_device_needs needs;
    CHECK_OK(cuzk_circuit_spec_of(&spec, kind, sector, &err), &err);
    CHECK_OK(cuzk_device_needs_of(&needs, &spec, &err), &err);
    const uint64_t usable = (r->memory_gib - 1) * GIB;
    const cuzk_device_ability a = cuzk_device_ability_of(&needs, usable);
    const cuzk_expected_time t = cuzk_expected_time_of(&spec, r->name, usable);
    (void)fprintf(f, " %s", cuzk_device_ability_name(a));
    if (t.seconds >= 1) {
        (void)fprintf(f, ", %.*f s", t.seconds < 10 ? 1 : 0, t.seconds);
    } else if (t.seconds > 0) {
        (void)fprintf(f, ", %.0f ms", t.seconds * 1000);
    }
    (void)fprintf(f, "%s |", t.is_measured ? " (run)" : "");
}

static void put_cards(FILE *f, uint64_t sector)
{
    size_t n = 0;
    const cuzk_card_rates *all = cuzk_card_rates_all(&n);
    (void)fprintf(
        f, "\n| card | class | memory, GiB | PoRep | WindowPoSt | SnapDeals | WinningPoSt |\n"
           "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < n; i++) {
        const cuzk_card_rates *r = &all[i];
        (void)fprintf(f, "| %s | %u.%u | %u |", r->name, r->cc / 10, r->cc % 10, r->memory_gib);
        put_kind(f, r, CUZK_CIRCUIT_POREP, sector);
        put_kind(f, r, CUZK_CIRCUIT_WINDOW, sector);
        put_kind(f, r, CUZK_CIRCUIT_UPDATE, sector);
        put_kind(f, r, CUZK_CIRCUIT_WINNING, sector);
        (void)fprintf(f, "\n");
    }
}

/* One of each class. */
static const char *const cards[] = {"A100 80GB", "RTX 3090", "RTX 4090",
                                    "H200",      "B200",     "RTX 5090"};
#define CARDS (sizeof(cards) / sizeof(cards[0]))

static void put_bounds(FILE *f)
{
    size_t n = 0;
    const cuzk_kernel_work *all = cuzk_kernel_work_all(&n);
    (void)fprintf(f, "\n| kernel | unit | multiply-adds | bytes |");
    for (size_t c = 0; c < CARDS; c++) {
        const cuzk_card_rates *r = cuzk_card_rates_of(cards[c]);
        CHECK(r != NULL);
        (void)fprintf(f, " %s (%u.%u) |", r->name, r->cc / 10, r->cc % 10);
    }
    (void)fprintf(f, "\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < n; i++) {
        const char *name = cuzk_kernel_name(all[i].kernel);
        (void)fprintf(f, "| `%.*s` | %s | %u | %u |", (int)strcspn(name, "<"), name, all[i].unit,
                      all[i].multiply_adds, all[i].bytes);
        for (size_t c = 0; c < CARDS; c++) {
            const double b = cuzk_kernel_balance(&all[i], cuzk_card_rates_of(cards[c]));
            (void)fprintf(f, " %s, %.1f |", b >= 1 ? "integer" : "memory", b);
        }
        (void)fprintf(f, "\n");
    }
}

static void put_ways(FILE *f)
{
    size_t n = 0;
    const cuzk_adding_way *all = cuzk_adding_ways_all(&n);
    (void)fprintf(f, "\n| way of adding | multiply-adds | bytes |");
    for (size_t c = 0; c < CARDS; c++) {
        const cuzk_card_rates *r = cuzk_card_rates_of(cards[c]);
        (void)fprintf(f, " %s, %u MiB |", r->name,
                      cuzk_card_class_of(r->cc, UINT32_MAX)->l2_bytes >> 20);
    }
    (void)fprintf(f, "\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < n; i++) {
        (void)fprintf(f, "| %s | %u | %u |", all[i].name, all[i].multiply_adds, all[i].bytes);
        for (size_t c = 0; c < CARDS; c++) {
            const cuzk_card_rates *r = cuzk_card_rates_of(cards[c]);
            const uint32_t cache = cuzk_card_class_of(r->cc, UINT32_MAX)->l2_bytes;
            (void)fprintf(f, " %.2f |", cuzk_adding_way_ns(&all[i], r, cache));
        }
        (void)fprintf(f, "\n");
    }
}

static char *make_tables(void)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    CHECK(f != NULL);
    (void)fprintf(f, BEGIN "## 32 GiB sectors\n");
    put_cards(f, 32 * GIB);
    (void)fprintf(f, "\n## 64 GiB sectors\n");
    put_cards(f, 64 * GIB);
    (void)fprintf(f, "\n## What bounds a kernel\n");
    put_bounds(f);
    (void)fprintf(f, "\n## Ways of adding\n");
    put_ways(f);
    (void)fprintf(f, END);
    CHECK(fclose(f) == 0);
    return text;
}

static void page_is_computed(void)
{
    size_t n = 0;
    char *tables = make_tables();
    char *page = (char *)test_read_file(PAGE, &n);
    char *copy = calloc(n + 1, 1);
    CHECK(copy != NULL);
    memcpy(copy, page, n);
    char *begin = strstr(copy, BEGIN), *end = strstr(copy, END);
    CHECK_MSG(begin != NULL && end != NULL, PAGE " has no tables");
    end += strlen(END);
    if (getenv("CUZK_WRITE_CARDS") != NULL) {
        FILE *f = fopen(PAGE, "w");
        CHECK(f != NULL);
        (void)fprintf(f, "%.*s%s%s", (int)(begin - copy), copy, tables, end);
        CHECK(fclose(f) == 0);
    } else {
        CHECK_MSG((size_t)(end - begin) == strlen(tables) &&
                      strncmp(begin, tables, strlen(tables)) == 0,
                  PAGE " is not what the program computes: run this test with CUZK_WRITE_CARDS=1");
    }
    free(copy);
    free(page);
    free(tables);
}

static const cuzk_case cases[] = {CASE(page_is_computed)};
TEST_MAIN("prover/cards_page", cases)
