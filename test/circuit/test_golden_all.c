/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The circuits that are too large for the fast suite; says how long they take and how big they are. */
#include "base/alloc.h"
#include "base/clock.h"
#include "circuit/filecoin.h"
#include "circuit/golden.h"

#include "test.h"

/* Streaming: recording, compiled form and transcript together stay below this. */
#define MAX_HEAP ((uint64_t)2 << 30)

static void check_kind(cuzk_circuit_kind kind)
{
    golden_file file;
    golden_load(&file);
    unsigned n, done = 0;
    const cuzk_sector_shape *s = cuzk_sector_shapes(&n);
    for (unsigned i = 0; i < n; i++) {
        const golden *want = golden_circuit(&file, cuzk_circuit_kind_name(kind), s[i].bytes);
        if (want == NULL) {
            continue;
        }
        cuzk_circuit *c = NULL;
        cuzk_err err;
        cuzk_alloc_reset_peak();
        const uint64_t t0 = cuzk_clock_ns();
        CHECK_OK(cuzk_filecoin_circuit_build(kind, s[i].bytes, &c, &err), &err);
        const uint64_t t1 = cuzk_clock_ns();
        golden_check_counts(c, want);
        golden_check_transcript(c, want);
        const uint64_t t2 = cuzk_clock_ns();
        const uint64_t peak = cuzk_alloc_get_stats().bytes_peak;
        printf("%s %s: built in %.2f s, %.1f MB, peak %.1f MB, transcript in %.1f s\n",
               cuzk_circuit_kind_name(kind), s[i].name, (double)(t1 - t0) * 1e-9,
               (double)cuzk_circuit_bytes(c) * 1e-6, (double)peak * 1e-6, (double)(t2 - t1) * 1e-9);
        CHECK(peak <= MAX_HEAP);
        cuzk_circuit_destroy(c);
        done++;
    }
    CHECK(done > 0);
    golden_unload(&file);
}

static void winning(void)
{
    check_kind(CUZK_CIRCUIT_WINNING);
}

static void window(void)
{
    check_kind(CUZK_CIRCUIT_WINDOW);
}

static void porep(void)
{
    check_kind(CUZK_CIRCUIT_POREP);
}

static void update(void)
{
    check_kind(CUZK_CIRCUIT_UPDATE);
}

static const cuzk_case cases[] = {CASE(winning), CASE(window), CASE(porep), CASE(update)};
TEST_MAIN("circuit/golden_all", cases)
