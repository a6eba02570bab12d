/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Recording and compiling circuits; one row is the unit. */
#include "circuit/filecoin.h"

#include "bench.h"

#define GIB ((uint64_t)1 << 30)

static uint64_t sector_bytes;

static void *setup(const bench_case *c)
{
    sector_bytes = c->arg;
    return &sector_bytes;
}

static void build(void *state, cuzk_circuit_kind kind, uint64_t iters)
{
    for (uint64_t i = 0; i < iters; i++) {
        cuzk_circuit *out = NULL;
        if (cuzk_filecoin_circuit_build(kind, *(uint64_t *)state, &out, NULL) != CUZK_OK) {
            return;
        }
        bench_use(out);
        cuzk_circuit_destroy(out);
    }
}

static void porep(void *state, uint64_t iters)
{
    build(state, CUZK_CIRCUIT_POREP, iters);
}

static void winning(void *state, uint64_t iters)
{
    build(state, CUZK_CIRCUIT_WINNING, iters);
}

static void window(void *state, uint64_t iters)
{
    build(state, CUZK_CIRCUIT_WINDOW, iters);
}

static void update(void *state, uint64_t iters)
{
    build(state, CUZK_CIRCUIT_UPDATE, iters);
}

static const bench_case cases[] = {
    {.name = "circuit/build_winning/32GiB", .setup = setup, .run = winning, .arg = 32 * GIB},
    {.name = "circuit/build_window/32GiB", .setup = setup, .run = window, .arg = 32 * GIB},
    {.name = "circuit/build_porep/32GiB",
     .setup = setup,
     .run = porep,
     .arg = 32 * GIB,
     .big = true},
    {.name = "circuit/build_update/32GiB",
     .setup = setup,
     .run = update,
     .arg = 32 * GIB,
     .big = true},
};
BENCH_MODULE(circuit, cases)
