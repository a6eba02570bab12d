/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/needs/expected_time.h"

#include <string.h>

#include "accel/card/rates.h"

#define MIB                 ((uint64_t)1 << 20)
#define GIB                 ((uint64_t)1 << 30)
/*
 * Drivers report some 1 to 5 % less memory than the card has, and another program's window takes some of it; and a
 * daemon keeps up to 1 GiB for WinningPoSt, which costs a PoRep a hundredth.
 */
#define MEMORY_SLACK        (700 * MIB + GIB)

/* Multiply-adds of the card that the runs were made on, 10^9 a second. */
#define H200_MULTIPLY_ADDS  (132 * 1980 * 32 * 1e-3)
/* A PoRep's affine additions and transforms move this much, 10^9 bytes (docs/cuda.md, "Affine or XYZZ"); those of
 * other kinds as much more or less as they take time. */
#define POREP_TRAFFIC_GB    9500.0
#define TRAFFIC_GB(seconds) (POREP_TRAFFIC_GB * (seconds) / POREP_SECONDS)
#define POREP_SECONDS       7.89
/* Additions in XYZZ move little, and take this much more arithmetic. */
#define XYZZ_FACTOR         1.4

/* One H200 held to a memory: bench/results/2026-11-30-h200-cards-memory, 2026-11-30-h200-streamed,
 * 2026-11-29-h200-check-96e0b1d. */
typedef struct measured_run {
    cuzk_circuit_kind kind;
    uint64_t sector_gib, memory;
    double seconds;
    double traffic_gb;  /* between the card and its memory */
    double streamed_gb; /* over the bus; 0: points on the device */
} measured_run;

static const measured_run runs[] = {
    {CUZK_CIRCUIT_POREP, 32, 139 * GIB, POREP_SECONDS, POREP_TRAFFIC_GB, 0},
    {CUZK_CIRCUIT_POREP, 32, 23 * GIB, 11.1, POREP_TRAFFIC_GB, 5 * 12.9 + 34},
    {CUZK_CIRCUIT_POREP, 32, 15 * GIB, 12.1, POREP_TRAFFIC_GB, 5 * 12.9 + 34},
    {CUZK_CIRCUIT_POREP, 32, 11 * GIB, 13.1, POREP_TRAFFIC_GB, 10 * 12.9 + 34},
    {CUZK_CIRCUIT_POREP, 32, 7475 * MIB, 18.3, POREP_TRAFFIC_GB, 10 * 12.9 + 34},
    {CUZK_CIRCUIT_WINDOW, 32, 139 * GIB, 3.34, TRAFFIC_GB(3.34), 0},
    {CUZK_CIRCUIT_WINDOW, 32, 23 * GIB, 4.90, TRAFFIC_GB(3.34), 61},
    {CUZK_CIRCUIT_WINDOW, 32, 15 * GIB, 5.66, TRAFFIC_GB(3.34), 61},
    {CUZK_CIRCUIT_WINDOW, 32, 11 * GIB, 7.51, TRAFFIC_GB(3.34), 61},
    {CUZK_CIRCUIT_UPDATE, 32, 23 * GIB, 16.6, TRAFFIC_GB(12.2), 8 * 12.9 + 24},
    {CUZK_CIRCUIT_UPDATE, 32, 15 * GIB, 19.4, TRAFFIC_GB(12.2), 8 * 12.9 + 24},
    {CUZK_CIRCUIT_UPDATE, 32, 11 * GIB, 21.0, TRAFFIC_GB(12.2), 16 * 12.9 + 24},
    {CUZK_CIRCUIT_UPDATE, 32, 139 * GIB, 12.2, TRAFFIC_GB(12.2), 0},
    {CUZK_CIRCUIT_WINNING, 32, 4 * GIB, 0.0308, TRAFFIC_GB(0.0308), 0},
    {CUZK_CIRCUIT_POREP, 64, 139 * GIB, 7.91, POREP_TRAFFIC_GB, 0},
    {CUZK_CIRCUIT_WINDOW, 64, 139 * GIB, 3.48, TRAFFIC_GB(3.48), 0},
    {CUZK_CIRCUIT_UPDATE, 64, 139 * GIB, 12.3, TRAFFIC_GB(12.3), 0},
    {CUZK_CIRCUIT_WINNING, 64, 4 * GIB, 0.0305, TRAFFIC_GB(0.0305), 0},
};

/*
 * Of the measured runs, the one with the most memory that the card has; one with resident points where the card holds
 * them.
 */
static const measured_run *find(cuzk_circuit_kind kind, uint64_t sector_gib,
                                cuzk_device_ability ability, uint64_t memory)
{
    const measured_run *best = NULL;
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        const measured_run *r = &runs[i];
        const bool stays = r->streamed_gb == 0;
        if (r->kind == kind && r->sector_gib == sector_gib &&
            stays == (ability == CUZK_DEVICE_RESIDENT) &&
            (stays || r->memory <= memory + MEMORY_SLACK) &&
            (best == NULL || r->memory > best->memory)) {
            best = r;
        }
    }
    return best;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double computed(const measured_run *r, const cuzk_card_rates *card)
{
    const double arithmetic = r->seconds * H200_MULTIPLY_ADDS / cuzk_card_multiply_adds(card);
    const double traffic = r->traffic_gb / card->memory_gbs;
    const double on_card = larger(arithmetic, smaller(traffic, XYZZ_FACTOR * arithmetic));
    return larger(on_card, r->streamed_gb / card->bus_gbs);
}

cuzk_expected_time cuzk_expected_time_of(const cuzk_circuit_spec *spec, const char *device_name,
                                         uint64_t memory_bytes)
{
    const cuzk_expected_time unknown = {0, false};
    const cuzk_card_rates *card = cuzk_card_rates_of(device_name);
    cuzk_device_needs needs;
    cuzk_err none;
    if (card == NULL || spec->shape->bytes < 32 * GIB ||
        cuzk_device_needs_of(&needs, spec, &none) != CUZK_OK) {
        return unknown;
    }
    const cuzk_device_ability ability = cuzk_device_ability_of(&needs, memory_bytes);
    const uint64_t sector_gib = spec->shape->bytes / GIB;
    const measured_run *r = NULL;
    if (ability != CUZK_DEVICE_CANNOT) {
        r = find(spec->kind, sector_gib, ability, memory_bytes);
        r = r != NULL ? r : find(spec->kind, 32, ability, memory_bytes); /* hardly smaller */
    }
    if (r == NULL) {
        return unknown;
    }
    const bool is_measured = strcmp(card->name, "H200") == 0 && r->sector_gib == sector_gib;
    return (cuzk_expected_time){is_measured ? r->seconds : computed(r, card), is_measured};
}
