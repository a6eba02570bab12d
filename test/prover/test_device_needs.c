/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What cards of every size can do with every kind: by numbers alone, no device. */
#include <string.h>

#include "prover/filecoin_needs.h"

#include "test.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

static cuzk_device_needs needs_of(cuzk_circuit_kind kind, uint64_t sector)
{
    cuzk_err err;
    cuzk_circuit_spec spec;
    cuzk_device_needs n;
    CHECK_OK(cuzk_circuit_spec_of(&spec, kind, sector, &err), &err);
    CHECK_OK(cuzk_device_needs_of(&n, &spec, &err), &err);
    return n;
}

/* From 4 to 80 GiB: more memory is never worth less, and each kind that is streamed needs less than when it stays. */
static void more_is_never_less(void)
{
    static const uint64_t sectors[] = {2048, 512 * MIB, 32 * GIB, 64 * GIB};
    for (int k = 0; k < 4; k++) {
        for (size_t i = 0; i < sizeof(sectors) / sizeof(sectors[0]); i++) {
            const cuzk_device_needs n = needs_of((cuzk_circuit_kind)k, sectors[i]);
            cuzk_device_ability last = CUZK_DEVICE_CANNOT;
            CHECK(n.streamed_bytes < n.resident_bytes);
            for (uint64_t memory = 4 * GIB; memory <= 80 * GIB; memory += 256 * MIB) {
                const cuzk_device_ability a = cuzk_device_ability_of(&n, memory);
                CHECK(a >= last);
                CHECK((a == CUZK_DEVICE_CANNOT) == (memory < n.streamed_bytes));
                last = a;
            }
        }
    }
}

typedef struct expected {
    cuzk_circuit_kind kind;
    uint64_t memory;
    cuzk_device_ability ability;
} expected;

/* Runs of bench/results/2026-11-30-h200-cards-memory, and what is too large by more than a tenth. */
static void as_measured(void)
{
    static const expected list[] = {
        {CUZK_CIRCUIT_POREP, 4 * GIB, CUZK_DEVICE_CANNOT},
        {CUZK_CIRCUIT_POREP, 7475 * MIB, CUZK_DEVICE_STREAMS},
        {CUZK_CIRCUIT_POREP, 11 * GIB, CUZK_DEVICE_STREAMS},
        {CUZK_CIRCUIT_POREP, 23 * GIB, CUZK_DEVICE_STREAMS},
        {CUZK_CIRCUIT_POREP, 139 * GIB, CUZK_DEVICE_RESIDENT},
        {CUZK_CIRCUIT_WINDOW, 7475 * MIB, CUZK_DEVICE_CANNOT},
        {CUZK_CIRCUIT_WINDOW, 11 * GIB, CUZK_DEVICE_STREAMS},
        {CUZK_CIRCUIT_WINDOW, 23 * GIB, CUZK_DEVICE_STREAMS},
        {CUZK_CIRCUIT_WINDOW, 139 * GIB, CUZK_DEVICE_RESIDENT},
        {CUZK_CIRCUIT_UPDATE, 11 * GIB, CUZK_DEVICE_STREAMS},
        {CUZK_CIRCUIT_UPDATE, 139 * GIB, CUZK_DEVICE_RESIDENT},
        {CUZK_CIRCUIT_WINNING, 4095 * MIB, CUZK_DEVICE_RESIDENT},
    };
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        const cuzk_device_needs n = needs_of(list[i].kind, 32 * GIB);
        const cuzk_device_ability a = cuzk_device_ability_of(&n, list[i].memory);
        CHECK_MSG(a == list[i].ability, "%zu: %s; resident from %llu MiB, streamed from %llu MiB",
                  i, cuzk_device_ability_name(a), (unsigned long long)(n.resident_bytes / MIB),
                  (unsigned long long)(n.streamed_bytes / MIB));
    }
    CHECK(strcmp(cuzk_device_ability_name(CUZK_DEVICE_CANNOT), "not possible") == 0);
}

static const cuzk_case cases[] = {CASE(more_is_never_less), CASE(as_measured)};
TEST_MAIN("prover/device_needs", cases)
