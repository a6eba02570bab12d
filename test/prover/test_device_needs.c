/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What cards of every size can do with every kind: by numbers alone, no device. */
#include <string.h>

#include "accel/card/card.h"
#include "accel/card/rates.h"
#include "prover/needs/expected_time.h"

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

/* Runs of the same results: the peaks of host memory show where a vector of 4 GiB was on the host. */
static void vector_on_the_host(void)
{
    static const struct {
        cuzk_circuit_kind kind;
        uint64_t memory, gib;
    } list[] = {{CUZK_CIRCUIT_POREP, 7475 * MIB, 4}, {CUZK_CIRCUIT_POREP, 11 * GIB, 0},
                {CUZK_CIRCUIT_POREP, 15 * GIB, 0},   {CUZK_CIRCUIT_POREP, 139 * GIB, 0},
                {CUZK_CIRCUIT_WINDOW, 11 * GIB, 4},  {CUZK_CIRCUIT_WINDOW, 15 * GIB, 0},
                {CUZK_CIRCUIT_WINDOW, 139 * GIB, 0}, {CUZK_CIRCUIT_UPDATE, 11 * GIB, 0},
                {CUZK_CIRCUIT_WINNING, 640 * MIB, 0}};
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        cuzk_err err;
        cuzk_circuit_spec spec;
        CHECK_OK(cuzk_circuit_spec_of(&spec, list[i].kind, 32 * GIB, &err), &err);
        const uint64_t got = cuzk_device_host_vector(&spec, list[i].memory);
        CHECK_MSG(got == list[i].gib * GIB, "%zu: %llu MiB", i, (unsigned long long)(got / MIB));
    }
}

static cuzk_expected_time time_of(cuzk_circuit_kind kind, uint64_t sector, const char *name,
                                  uint64_t memory)
{
    cuzk_err err;
    cuzk_circuit_spec spec;
    CHECK_OK(cuzk_circuit_spec_of(&spec, kind, sector, &err), &err);
    return cuzk_expected_time_of(&spec, name, memory);
}

/* The H200 has the times that were measured on it; others less or more by their rates; the rest none. */
static void expected_times(void)
{
    const cuzk_expected_time h200 = time_of(CUZK_CIRCUIT_POREP, 32 * GIB, "NVIDIA H200", 139 * GIB);
    CHECK(h200.is_measured && h200.seconds == 7.89);
    const cuzk_expected_time small = time_of(CUZK_CIRCUIT_POREP, 32 * GIB, "NVIDIA H200", 15 * GIB);
    CHECK(small.is_measured && small.seconds == 12.1);
    /* 9.5 TB at 1008 GB/s, which is more than 11.1 s * 8.36 T / 10.3 T multiply-adds */
    const cuzk_expected_time ada =
        time_of(CUZK_CIRCUIT_POREP, 32 * GIB, "NVIDIA GeForce RTX 4090", 23 * GIB);
    CHECK(!ada.is_measured && ada.seconds > 9.3 && ada.seconds < 9.5);
    /* slower by the bus: 163 GB at 12 GB/s; by arithmetic more still */
    CHECK(time_of(CUZK_CIRCUIT_POREP, 32 * GIB, "NVIDIA GeForce RTX 4060", 7475 * MIB).seconds >
          30);
    CHECK(time_of(CUZK_CIRCUIT_WINDOW, 32 * GIB, "NVIDIA GeForce RTX 4060", 7475 * MIB).seconds ==
          0);
    CHECK(time_of(CUZK_CIRCUIT_WINDOW, 32 * GIB, "NVIDIA H200", 139 * GIB).seconds == 3.34);
    CHECK(time_of(CUZK_CIRCUIT_POREP, 2048, "NVIDIA H200", 139 * GIB).seconds == 0);
    CHECK(time_of(CUZK_CIRCUIT_POREP, 32 * GIB, "mock device", 139 * GIB).seconds == 0);
}

static void cards_by_name(void)
{
    static const struct {
        const char *device, *name; /* name NULL: not in the table */
    } list[] = {
        {"NVIDIA GeForce RTX 4090", "RTX 4090"},
        {"NVIDIA GeForce RTX 3090 Ti", "RTX 3090 Ti"},
        {"NVIDIA GeForce RTX 3090", "RTX 3090"},
        {"NVIDIA H200", "H200"},
        {"NVIDIA L4", "L4"},
        {"NVIDIA L40S", "L40S"},
        {"NVIDIA RTX A5000", "RTX A5000"},
        {"NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB"},
        {"NVIDIA GeForce RTX 4070 Ti SUPER", NULL},
        {"NVIDIA GeForce RTX 3070 Ti", NULL},
        {"NVIDIA GeForce RTX 4090 Laptop GPU", NULL},
        {"NVIDIA GeForce RTX 2060", NULL},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000"},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        const cuzk_card_rates *r = cuzk_card_rates_of(list[i].device);
        CHECK_MSG((r == NULL) == (list[i].name == NULL) &&
                      (r == NULL || strcmp(r->name, list[i].name) == 0),
                  "'%s' is taken for '%s'", list[i].device, r != NULL ? r->name : "nothing");
    }
    size_t n = 0;
    const cuzk_card_rates *all = cuzk_card_rates_all(&n);
    for (size_t i = 0; i < n; i++) {
        CHECK(cuzk_card_class_of(all[i].cc, UINT32_MAX) != NULL);
        CHECK(cuzk_card_rates_of(all[i].name) == &all[i]);
    }
}

static const cuzk_case cases[] = {CASE(expected_times), CASE(cards_by_name),
                                  CASE(more_is_never_less), CASE(as_measured),
                                  CASE(vector_on_the_host)};
TEST_MAIN("prover/device_needs", cases)
