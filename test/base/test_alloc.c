/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"

#include "test.h"

static void blocks_are_aligned_and_counted(void)
{
    static const size_t sizes[] = {
        0, 1, 63, 64, 65, 4095, 1000000, (4u << 20) - 1, 4u << 20, (4u << 20) + 1, 9u << 20};
    const cuzk_alloc_stats before = cuzk_alloc_get_stats();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint8_t *p = cuzk_alloc(sizes[i], 1);
        CHECK(p != NULL);
        CHECK_U64((uintptr_t)p % 64, 0);
        memset(p, 0xab, sizes[i]);
        CHECK_U64(cuzk_alloc_get_stats().bytes_now, before.bytes_now + sizes[i]);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, before.blocks_now + 1);
        CHECK(cuzk_alloc_get_stats().bytes_peak >= before.bytes_now + sizes[i]);
        cuzk_free(p);
        CHECK_U64(cuzk_alloc_get_stats().bytes_now, before.bytes_now);
    }
    cuzk_free(NULL);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, before.blocks_now);
}

static void peak_is_the_high_water_mark(void)
{
    cuzk_alloc_reset_peak();
    const uint64_t base = cuzk_alloc_get_stats().bytes_now;
    CHECK_U64(cuzk_alloc_get_stats().bytes_peak, base);
    void *a = cuzk_alloc(1000, 1), *b = cuzk_alloc(500, 2);
    CHECK(a != NULL && b != NULL);
    cuzk_free(a);
    CHECK_U64(cuzk_alloc_get_stats().bytes_peak, base + 2000);
    CHECK_U64(cuzk_alloc_get_stats().bytes_now, base + 1000);
    cuzk_free(b);
    cuzk_alloc_reset_peak();
    CHECK_U64(cuzk_alloc_get_stats().bytes_peak, base);
}

static void products_that_overflow_fail(void)
{
    size_t r = 7;
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    CHECK(cuzk_alloc(SIZE_MAX, 2) == NULL);
    CHECK(cuzk_alloc(SIZE_MAX / 32 + 1, 32) == NULL);
    CHECK(cuzk_alloc(SIZE_MAX, 1) == NULL); /* no room for the header */
    CHECK(cuzk_alloc_zero((size_t)1 << 40, (size_t)1 << 40) == NULL);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
    CHECK(cuzk_mul_size(&r, 3, 5) && r == 15);
    CHECK(cuzk_mul_size(&r, SIZE_MAX, 1) && r == SIZE_MAX);
    CHECK(!cuzk_mul_size(&r, SIZE_MAX, 2));
}

static void zeroed(void)
{
    uint8_t *p = cuzk_alloc(5000, 1);
    CHECK(p != NULL);
    memset(p, 0xff, 5000);
    cuzk_free(p); /* likely to come back */
    p = cuzk_alloc_zero(2500, 2);
    CHECK(p != NULL);
    for (size_t i = 0; i < 5000; i++) {
        CHECK_U64(p[i], 0);
    }
    cuzk_free(p);
}

static void realloc_keeps_the_content(void)
{
    static const size_t sizes[] = {10, 1000, 5u << 20, 100, 0, 64};
    uint8_t *p = cuzk_realloc(NULL, 10, 1);
    size_t have = 10;
    CHECK(p != NULL);
    memset(p, 0x5a, have);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint8_t *q = cuzk_realloc(p, sizes[i], 1);
        CHECK(q != NULL);
        for (size_t k = 0; k < have && k < sizes[i]; k++) {
            CHECK_U64(q[k], 0x5a);
        }
        memset(q, 0x5a, sizes[i]);
        have = sizes[i];
        p = q;
    }
    CHECK(cuzk_realloc(p, SIZE_MAX, 2) == NULL); /* p is still ours */
    memset(p, 1, have);
    cuzk_free(p);
}

static void failure_hook(void)
{
    cuzk_alloc_fail_nth(3, false);
    for (int i = 1; i <= 5; i++) {
        void *p = cuzk_alloc(1, 1);
        CHECK((p == NULL) == (i == 3));
        cuzk_free(p);
    }
    cuzk_alloc_fail_nth(2, true);
    for (int i = 1; i <= 5; i++) {
        void *p = cuzk_alloc_zero(1, 1);
        CHECK((p == NULL) == (i >= 2));
        cuzk_free(p);
    }
    cuzk_alloc_fail_nth(0, false);
    void *p = cuzk_alloc(1, 1);
    CHECK(p != NULL);
    cuzk_alloc_fail_nth(1, false);
    CHECK(cuzk_realloc(p, 2, 1) == NULL);
    cuzk_alloc_fail_nth(0, false);
    cuzk_free(p);
}

static void arena_pieces(void)
{
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    cuzk_arena a = {NULL, 0};
    uint8_t *pieces[200];
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < 200; i++) {
            const size_t n = i * i * 5;
            pieces[i] = cuzk_arena_alloc(&a, n, 1);
            CHECK(pieces[i] != NULL);
            CHECK_U64((uintptr_t)pieces[i] % 16, 0);
            for (size_t k = 0; k < n; k++) {
                CHECK_U64(pieces[i][k], 0);
            }
            memset(pieces[i], (int)(i & 0xff), n);
        }
        for (size_t i = 0; i < 200; i++) { /* nothing overlaps */
            for (size_t k = 0; k < i * i * 5; k++) {
                CHECK_U64(pieces[i][k], i & 0xff);
            }
        }
        CHECK(cuzk_arena_alloc(&a, SIZE_MAX, 2) == NULL);
        CHECK(cuzk_arena_alloc(&a, SIZE_MAX, 1) == NULL);
        cuzk_arena_free(&a);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
    }
}

static void arena_survives_failure(void)
{
    cuzk_arena a = {NULL, 0};
    uint8_t *p = cuzk_arena_alloc(&a, 10, 1);
    CHECK(p != NULL);
    memset(p, 3, 10);
    cuzk_alloc_fail_nth(1, true);
    void *big = cuzk_arena_alloc(&a, 50u << 20, 1);
    cuzk_alloc_fail_nth(0, false);
    CHECK(big == NULL);
    CHECK_U64(p[9], 3);
    CHECK(cuzk_arena_alloc(&a, 10, 1) != NULL);
    cuzk_arena_free(&a);
}

static const cuzk_case cases[] = {
    CASE(blocks_are_aligned_and_counted),
    CASE(peak_is_the_high_water_mark),
    CASE(products_that_overflow_fail),
    CASE(zeroed),
    CASE(realloc_keeps_the_content),
    CASE(failure_hook),
    CASE(arena_pieces),
    CASE(arena_survives_failure),
};
TEST_MAIN("base/alloc", cases)
