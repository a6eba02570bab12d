/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/reader.h"

#include "test.h"

static const uint8_t DATA[24] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};

static void integers_in_both_orders(void)
{
    cuzk_reader r = cuzk_reader_init(DATA, sizeof(DATA));
    uint8_t b = 0;
    uint32_t w = 0;
    uint64_t q = 0;
    CHECK(cuzk_read_u8(&r, &b));
    CHECK_U64(b, 1);
    CHECK(cuzk_read_u32_le(&r, &w));
    CHECK_U64(w, 0x05040302);
    CHECK(cuzk_read_u32_be(&r, &w));
    CHECK_U64(w, 0x06070809);
    CHECK(cuzk_read_u64_le(&r, &q));
    CHECK_U64(q, 0x11100f0e0d0c0b0aULL);
    CHECK_U64(cuzk_reader_pos(&r), 17);
    CHECK_U64(cuzk_reader_left(&r), 7);
    CHECK(!cuzk_read_u64_be(&r, &q)); /* one byte short */
    CHECK_U64(q, 0x11100f0e0d0c0b0aULL);
    CHECK_U64(cuzk_reader_pos(&r), 17);
    r = cuzk_reader_init(DATA + 8, 8);
    CHECK(cuzk_read_u64_be(&r, &q));
    CHECK_U64(q, 0x090a0b0c0d0e0f10ULL);
    CHECK_U64(cuzk_reader_left(&r), 0);
    CHECK(!cuzk_read_u8(&r, &b));
}

/* Every length of input against every kind of read. */
static void short_input_moves_nothing(void)
{
    volatile size_t huge = SIZE_MAX; /* a constant makes the compiler look at the dead branch */
    for (size_t n = 0; n < 10; n++) {
        const uint8_t *p = NULL;
        uint8_t b;
        uint32_t w;
        uint64_t q;
        cuzk_reader r = cuzk_reader_init(DATA, n), sub;
        CHECK(cuzk_read_u8(&r, &b) == (n >= 1));
        r = cuzk_reader_init(DATA, n);
        CHECK(cuzk_read_u32_le(&r, &w) == (n >= 4));
        CHECK_U64(cuzk_reader_left(&r), n >= 4 ? n - 4 : n);
        r = cuzk_reader_init(DATA, n);
        CHECK(cuzk_read_u64_le(&r, &q) == (n >= 8));
        CHECK_U64(cuzk_reader_left(&r), n >= 8 ? n - 8 : n);
        for (size_t want = 0; want < 12; want++) {
            r = cuzk_reader_init(DATA, n);
            CHECK(cuzk_read_bytes(&r, &p, want) == (want <= n));
            CHECK_U64(cuzk_reader_left(&r), want <= n ? n - want : n);
            r = cuzk_reader_init(DATA, n);
            CHECK(cuzk_read_sub(&r, &sub, want) == (want <= n));
            CHECK_U64(cuzk_reader_left(&r), want <= n ? n - want : n);
            if (want <= n) {
                CHECK_U64(cuzk_reader_left(&sub), want);
            }
        }
        r = cuzk_reader_init(DATA, n);
        CHECK(!cuzk_read_bytes(&r, &p, huge));
        CHECK(!cuzk_read_sub(&r, &sub, UINT64_MAX));
    }
}

static void borrowed_bytes_point_into_the_input(void)
{
    const uint8_t *p = NULL;
    cuzk_reader r = cuzk_reader_init(DATA, sizeof(DATA)), sub;
    CHECK(cuzk_read_sub(&r, &sub, 10));
    CHECK(cuzk_read_bytes(&sub, &p, 10));
    CHECK(p == DATA);
    CHECK(!cuzk_read_bytes(&sub, &p, 1)); /* though the outer reader has more */
    CHECK(cuzk_read_bytes(&r, &p, 14));
    CHECK(p == DATA + 10);
}

static void counts_are_checked_without_overflow(void)
{
    cuzk_reader r = cuzk_reader_init(DATA, sizeof(DATA));
    CHECK(cuzk_reader_has(&r, 3, 8));
    CHECK(!cuzk_reader_has(&r, 4, 8));
    CHECK(!cuzk_reader_has(&r, 4, 7));
    CHECK(cuzk_reader_has(&r, 24, 1) && !cuzk_reader_has(&r, 25, 1));
    CHECK(cuzk_reader_has(&r, 0, 1000));
    CHECK(!cuzk_reader_has(&r, 1, 1000));
    CHECK(!cuzk_reader_has(&r, UINT64_MAX, 8));
    CHECK(!cuzk_reader_has(&r, (UINT64_MAX >> 3) + 1, 8)); /* the product would be 0 */
}

static void empty_input(void)
{
    const uint8_t *p = DATA;
    cuzk_reader r = cuzk_reader_init(NULL, 0);
    CHECK_U64(cuzk_reader_left(&r), 0);
    CHECK_U64(cuzk_reader_pos(&r), 0);
    CHECK(cuzk_read_bytes(&r, &p, 0));
    CHECK(!cuzk_read_bytes(&r, &p, 1));
    CHECK(cuzk_reader_has(&r, 0, 1) && !cuzk_reader_has(&r, 1, 1));
}

static const cuzk_case cases[] = {
    CASE(integers_in_both_orders),
    CASE(short_input_moves_nothing),
    CASE(borrowed_bytes_point_into_the_input),
    CASE(counts_are_checked_without_overflow),
    CASE(empty_input),
};
TEST_MAIN("base/reader", cases)
