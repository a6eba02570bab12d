/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Every kernel's launch in every class of card, from the table that the launches use. */
#include <stdio.h>
#include <string.h>

#include "accel/card/card.h"

#include "test.h"

/* Static shared memory of the kernels that have dynamic memory too: the same everywhere. */
#define PLACE_STATIC 4240u

/* Limits as the manual of CUDA gives them: not read from the table. */
static const struct {
    unsigned cc;
    uint32_t shared_block, shared_sm, threads_sm;
} manual[] = {{80, 166912, 167936, 2048}, {86, 101376, 102400, 1536},  {89, 101376, 102400, 1536},
              {90, 232448, 233472, 2048}, {100, 232448, 233472, 2048}, {120, 101376, 102400, 1536}};

static void table(void)
{
    CHECK(sizeof(manual) / sizeof(manual[0]) == CUZK_CARD_CLASSES);
    for (size_t i = 0; i < CUZK_CARD_CLASSES; i++) {
        const cuzk_card_class *c = &CUZK_CARD_TABLE[i];
        CHECK(c->cc == manual[i].cc && c->limits.shared_block == manual[i].shared_block);
        CHECK(c->limits.shared_sm == manual[i].shared_sm);
        CHECK(c->limits.threads_sm == manual[i].threads_sm);
        CHECK(cuzk_card_class_of(c->cc, c->limits.shared_block) == c);
    }
}

static void launches_fit(void)
{
    cuzk_err err;
    for (size_t i = 0; i < CUZK_CARD_CLASSES; i++) {
        const cuzk_card_class *c = &CUZK_CARD_TABLE[i];
        unsigned n = 0;
        for (unsigned k = 0; k < CUZK_KERNELS; k++) {
            if (!cuzk_card_runs(c, (cuzk_kernel)k)) {
                continue;
            }
            n++;
            const cuzk_launch l = cuzk_card_launch(c, (cuzk_kernel)k);
            const uint32_t own = k == CUZK_KERNEL_PLACE ? PLACE_STATIC : 0;
            CHECK_OK(cuzk_card_check(c, cuzk_kernel_name((cuzk_kernel)k), l, own, 32, &err), &err);
            CHECK(l.threads % 32 == 0);
            /* The tree lays products out in groups of 64. */
            CHECK(k > CUZK_KERNEL_TREE_G2_LEAN || l.threads % 64 == 0);
        }
        CHECK(n == CUZK_KERNELS - 7); /* one of each pair */
    }
}

#define RECORD "test/vectors/kernel_resources.txt"

/* Whether a kernel as ptxas names it is the one of the table: "pass_k<true" has "pass_k<true, false, 0>". */
static bool is_kernel(const char *compiled, const char *name)
{
    const size_t whole = strlen(name), n = name[whole - 1] == '>' ? whole - 1 : whole;
    return strncmp(compiled, name, n) == 0 &&
           (compiled[n] == '\0' || strchr("<,> ", compiled[n]) != NULL);
}

/*
 * Registers and static shared memory of every kernel, as ptxas reports them for each architecture
 * (tools/measure/kernel_resources.py), and the launch that the table gives it: within the class's limits, with
 * as many blocks in a multiprocessor as the table promises, no kernel without a line and none beyond.
 */
static void compiled_kernels_fit(void)
{
    static const uint32_t promised[CUZK_KERNELS] = {
#define XX(id, name, threads, bytes, blocks) (blocks),
        CUZK_KERNEL_MAP(XX)
#undef XX
    };
    static unsigned seen[CUZK_CARD_CLASSES][CUZK_KERNELS];
    cuzk_err err;
    char line[256], kernel[192];
    unsigned cc, registers, shared, stack, lines = 0;
    FILE *f = fopen(RECORD, "r");
    CHECK_MSG(f != NULL, "no %s", RECORD);
    memset(seen, 0, sizeof(seen));
    while (fgets(line, sizeof(line), f) != NULL) {
        if (line[0] == '#') {
            continue;
        }
        CHECK(sscanf(line, "%u\t%191[^\t]\t%u\t%u\t%u", &cc, kernel, &registers, &shared, &stack) ==
              5);
        lines++;
        size_t i = 0;
        while (i < CUZK_CARD_CLASSES && CUZK_CARD_TABLE[i].cc != cc) {
            i++;
        }
        CHECK_MSG(i < CUZK_CARD_CLASSES, "sm_%u is no class", cc);
        const cuzk_card_class *c = &CUZK_CARD_TABLE[i];
        unsigned k = 0;
        while (k < CUZK_KERNELS && !is_kernel(kernel, cuzk_kernel_name((cuzk_kernel)k))) {
            k++;
        }
        if (strcmp(kernel, "image_k") == 0) {
            continue; /* never launched */
        }
        CHECK_MSG(k < CUZK_KERNELS, "%s is not in the table of kernels", kernel);
        seen[i][k]++;
        if (!cuzk_card_runs(c, (cuzk_kernel)k)) {
            continue; /* compiled for another card's play, or empty */
        }
        const cuzk_launch l = cuzk_card_launch(c, (cuzk_kernel)k);
        CHECK_OK(cuzk_card_check(c, kernel, l, shared, registers, &err), &err);
        const uint32_t blocks =
            cuzk_card_blocks(&c->limits, l.threads, registers, (uint64_t)shared + l.dynamic_bytes);
        const uint32_t want = k == CUZK_KERNEL_SPREAD ? c->shapes.spread_blocks : promised[k];
        CHECK_MSG(blocks >= want, "class %s, %s: %u blocks in a multiprocessor, %u promised",
                  c->text, kernel, blocks, want);
    }
    (void)fclose(f);
    CHECK(lines > CUZK_CARD_CLASSES * (unsigned)CUZK_KERNELS);
    for (size_t i = 0; i < CUZK_CARD_CLASSES; i++) {
        for (unsigned k = 0; k < CUZK_KERNELS; k++) {
            CHECK_MSG(seen[i][k] > 0, "class %s: no %s in %s", CUZK_CARD_TABLE[i].text,
                      cuzk_kernel_name((cuzk_kernel)k), RECORD);
        }
    }
}

/* What is too much is refused, and the message names kernel, class and limit. */
static void refusals(void)
{
    cuzk_err err;
    const cuzk_card_class *ada = cuzk_card_class_of(89, 101376);
    const cuzk_launch wide = cuzk_card_launch(ada, CUZK_KERNEL_TREE_G1);
    CHECK_STATUS(cuzk_card_check(ada, "tree_k", wide, 0, 126, &err), CUZK_E_DEV_UNFIT);
    CHECK(strstr(err.msg, "tree_k") != NULL && strstr(err.msg, "8.9") != NULL);
    CHECK(strstr(err.msg, "122880") != NULL && strstr(err.msg, "101376") != NULL);
    const cuzk_launch just = {1024, 101376}, over = {1024, 101377}, many = {1056, 0};
    CHECK_OK(cuzk_card_check(ada, "k", just, 0, 64, &err), &err);
    CHECK_STATUS(cuzk_card_check(ada, "k", over, 0, 64, &err), CUZK_E_DEV_UNFIT);
    CHECK_STATUS(cuzk_card_check(ada, "k", just, 1, 64, &err), CUZK_E_DEV_UNFIT);
    CHECK_STATUS(cuzk_card_check(ada, "k", many, 0, 32, &err), CUZK_E_DEV_UNFIT);
    CHECK_STATUS(cuzk_card_check(ada, "k", just, 0, 65, &err), CUZK_E_DEV_UNFIT);
}

static void blocks(void)
{
    const cuzk_card_limits *ada = &cuzk_card_class_of(89, 101376)->limits;
    const cuzk_card_limits *hopper = &cuzk_card_class_of(90, 232448)->limits;
    CHECK(cuzk_card_blocks(ada, 128, 128, 18432) == 4);
    CHECK(cuzk_card_blocks(ada, 128, 32, 36864) == 2);
    CHECK(cuzk_card_blocks(ada, 1024, 32, 82048) == 1);
    CHECK(cuzk_card_blocks(hopper, 1024, 32, 82048) == 2);
    CHECK(cuzk_card_blocks(hopper, 512, 128, 122880) == 1);
    CHECK(cuzk_card_blocks(hopper, 384, 168, 0) == 1);
    CHECK(cuzk_card_blocks(ada, 128, 32, 101377) == 0);
    /* Padding brings the host down to the played card's blocks, and fits. */
    for (uint32_t threads = 32; threads <= 1024; threads += 32) {
        for (uint32_t bytes = 0; bytes <= 101376; bytes += 1536) {
            const cuzk_launch l = {threads, bytes};
            const uint32_t padded = cuzk_card_padded(hopper, ada, l, 0, 64);
            const uint32_t want = cuzk_card_blocks(ada, threads, 64, bytes);
            const uint32_t got = cuzk_card_blocks(hopper, threads, 64, padded);
            CHECK(padded >= bytes && (want == 0 || got == want));
        }
    }
}

/* Cards that are not in the table. */
static void others(void)
{
    CHECK(cuzk_card_class_of(75, 65536) == NULL);
    CHECK(cuzk_card_class_of(70, 98304) == NULL);
    CHECK(cuzk_card_class_of(87, 166912)->cc == 86);
    CHECK(cuzk_card_class_of(103, 232448)->cc == 100);
    CHECK(cuzk_card_class_of(121, 101376)->cc == 120);
    CHECK(cuzk_card_class_of(110, 232448)->cc == 100);
    CHECK(cuzk_card_class_of(130, 101376)->cc == 120);
    CHECK(cuzk_card_class_of(90, 49152) == NULL);
}

/* What a device is refused for, in words. */
static void devices(void)
{
    cuzk_card card;
    cuzk_err err;
    const cuzk_card_facts turing = {"RTX 2060", 75, 65536, 30, (uint64_t)6 << 30};
    CHECK_STATUS(cuzk_card_of(&card, &turing, &err), CUZK_E_DEV_UNFIT);
    CHECK_STR(err.msg, "RTX 2060: compute capability 7.5, needs 8.0");
    const cuzk_card_facts odd = {"odd", 89, 49152, 30, (uint64_t)6 << 30};
    CHECK_STATUS(cuzk_card_of(&card, &odd, &err), CUZK_E_DEV_UNFIT);
    CHECK_STR(err.msg, "odd: 49152 bytes of shared memory a block, needs 101376");
    const cuzk_card_facts ada = {"L4", 89, 101376, 58, (uint64_t)24 << 30};
    CHECK_OK(cuzk_card_of(&card, &ada, &err), &err);
    CHECK(card.klass->cc == 89 && card.sms == 58 && card.memory == ada.memory);
    CHECK(!card.is_enforced);
}

static void parsing(void)
{
    static const struct {
        const char *text;
        unsigned cc;
        uint64_t memory;
        uint32_t sms;
    } good[] = {{"8.9:24GiB", 89, (uint64_t)24 << 30, 128},
                {"8.0", 80, 0, 108},
                {"12.0:16GiB:70", 120, (uint64_t)16 << 30, 70},
                {"10.0:1.5GiB", 100, (uint64_t)3 << 29, 148},
                {"8.6:512MiB", 86, (uint64_t)512 << 20, 82}};
    static const char *const bad[] = {"",           "8",           "8.99",          "7.5:8GiB",
                                      "8.9:",       "8.9:24",      "8.9:-1GiB",     "8.9:24GiBx",
                                      "8.9:24GiB:", "8.9:24GiB:0", "8.9:24GiB:70x", "8.9x",
                                      "8.9:nanGiB", "8.9:1e30GiB"};
    cuzk_card card;
    cuzk_err err;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        CHECK_OK(cuzk_card_parse(&card, good[i].text, &err), &err);
        CHECK(card.klass->cc == good[i].cc && card.memory == good[i].memory);
        CHECK(card.sms == good[i].sms && card.is_enforced);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_STATUS(cuzk_card_parse(&card, bad[i], &err), CUZK_E_INVALID);
        CHECK(strstr(err.msg, bad[i]) != NULL);
    }
    CHECK_OK(cuzk_card_parse(&card, "8.9:24GiB", &err), &err);
    CHECK(cuzk_card_usable(&card) == (uint64_t)23 << 30);
    CHECK(cuzk_card_played() == NULL);
    cuzk_card_play(&card);
    CHECK(cuzk_card_played()->klass->cc == 89);
    cuzk_card_play(NULL);
    CHECK(cuzk_card_played() == NULL);
}

static const cuzk_case cases[] = {CASE(table),    CASE(launches_fit), CASE(compiled_kernels_fit),
                                  CASE(refusals), CASE(blocks),       CASE(others),
                                  CASE(devices),  CASE(parsing)};
TEST_MAIN("accel/card", cases)
