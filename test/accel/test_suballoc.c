/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "accel/suballoc.h"
#include "base/alloc.h"

#include "test.h"

#define BASE ((uint64_t)1 << 40) /* no memory is there: none may be touched */

static cuzk_suballoc *make(uint64_t bytes)
{
    cuzk_suballoc *a = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_suballoc_create(&a, BASE, bytes, &err), &err);
    return a;
}

typedef struct piece {
    uint64_t at, bytes;
} piece;

/* Random blocks: aligned, inside, never overlapping; at the end all is one piece again. */
static void random_blocks(void)
{
    cuzk_suballoc *a = make(1 << 20);
    piece out[64];
    size_t n = 0;
    cuzk_err err;
    for (size_t it = 0; it < test_iters(20000); it++) {
        if (n < 64 && test_below(2) == 0) {
            const uint64_t bytes = test_below(40000);
            uint64_t at = 0;
            const cuzk_status st = cuzk_suballoc_take(a, &at, bytes, test_below(4) == 0, &err);
            if (st != CUZK_OK) {
                CHECK_STATUS(st, CUZK_E_DEV_NOMEM);
                CHECK(cuzk_suballoc_get_stats(a).largest_free < bytes + CUZK_SUBALLOC_ALIGN);
                continue;
            }
            CHECK(at % CUZK_SUBALLOC_ALIGN == 0 && at >= BASE && at + bytes <= BASE + (1 << 20));
            for (size_t i = 0; i < n; i++) {
                CHECK(at + bytes <= out[i].at || at >= out[i].at + out[i].bytes);
            }
            out[n].at = at;
            out[n++].bytes = bytes;
        } else if (n > 0) {
            const size_t i = test_below(n);
            CHECK(cuzk_suballoc_give(a, out[i].at));
            CHECK(!cuzk_suballoc_give(a, out[i].at));
            out[i] = out[--n];
        }
    }
    while (n > 0) {
        CHECK(cuzk_suballoc_give(a, out[--n].at));
    }
    const cuzk_suballoc_stats s = cuzk_suballoc_get_stats(a);
    CHECK_U64(s.used, 0);
    CHECK_U64(s.blocks, 0);
    CHECK_U64(s.largest_free, 1 << 20);
    CHECK(s.peak > 0 && s.peak <= s.total);
    cuzk_suballoc_destroy(a);
}

static void edges(void)
{
    cuzk_suballoc *a = make(4 * CUZK_SUBALLOC_ALIGN + 100);
    cuzk_err err;
    uint64_t p, q, r;
    CHECK_U64(cuzk_suballoc_get_stats(a).total, 4 * CUZK_SUBALLOC_ALIGN);
    CHECK_OK(cuzk_suballoc_take(a, &p, 0, false, &err), &err);
    CHECK_OK(cuzk_suballoc_take(a, &q, 1, true, &err), &err);
    CHECK_U64(p, BASE);
    CHECK_U64(q, BASE + 3 * CUZK_SUBALLOC_ALIGN);
    CHECK_STATUS(cuzk_suballoc_take(a, &r, 513, false, &err), CUZK_E_DEV_NOMEM);
    CHECK(strstr(err.msg, "513 bytes: 512 of 1024") != NULL ||
          strstr(err.msg, "512 of 1024") != NULL);
    CHECK_STATUS(cuzk_suballoc_take(a, &r, UINT64_MAX, false, &err), CUZK_E_DEV_NOMEM);
    CHECK_OK(cuzk_suballoc_take(a, &r, 512, false, &err), &err);
    CHECK(!cuzk_suballoc_give(a, BASE + 1));
    CHECK(!cuzk_suballoc_give(a, BASE - 256));
    CHECK(cuzk_suballoc_give(a, r));
    CHECK(cuzk_suballoc_give(a, p));
    CHECK_U64(cuzk_suballoc_get_stats(a).largest_free, 768);
    cuzk_suballoc_destroy(a);
}

static void host_memory_runs_out(void)
{
    cuzk_suballoc *a = NULL;
    cuzk_err err;
    uint64_t p;
    const uint64_t before = cuzk_alloc_get_stats().blocks_now;
    for (uint64_t n = 1; n <= 2; n++) {
        cuzk_alloc_fail_nth(n, false);
        CHECK_STATUS(cuzk_suballoc_create(&a, BASE, 4096, &err), CUZK_E_NOMEM);
        cuzk_alloc_fail_nth(0, false);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
    }
    a = make(4096);
    cuzk_alloc_fail_nth(1, false);
    CHECK_STATUS(cuzk_suballoc_take(a, &p, 256, false, &err), CUZK_E_NOMEM);
    cuzk_alloc_fail_nth(0, false);
    CHECK_U64(cuzk_suballoc_get_stats(a).used, 0);
    CHECK_OK(cuzk_suballoc_take(a, &p, 4096, false, &err), &err);
    cuzk_suballoc_destroy(a);
    CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
}

static const cuzk_case cases[] = {CASE(random_blocks), CASE(edges), CASE(host_memory_runs_out)};
TEST_MAIN("accel/suballoc", cases)
