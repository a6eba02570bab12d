/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rates.h"

#include <ctype.h>
#include <string.h>

/* Multiprocessors, boost clock, bandwidth, memory: the vendor's data sheets. Bus: PCIe 4.0 x16 25, x8 12; 5.0
 * x16 50, x8 25. */
static const cuzk_card_rates table[] = {
    {"A30", 80, 56, 1440, 933, 25, 24},
    {"A100 80GB", 80, 108, 1410, 1935, 25, 80},
    {"A100-SXM4-80GB", 80, 108, 1410, 2039, 25, 80},
    {"RTX 3060 Ti", 86, 38, 1665, 448, 25, 8},
    {"RTX 3070", 86, 46, 1725, 448, 25, 8},
    {"RTX 3080", 86, 68, 1710, 760, 25, 10},
    {"RTX 3060", 86, 28, 1777, 360, 25, 12},
    {"RTX A4000", 86, 48, 1560, 448, 25, 16},
    {"A10", 86, 72, 1695, 600, 25, 24},
    {"RTX A5000", 86, 64, 1695, 768, 25, 24},
    {"RTX 3090", 86, 82, 1695, 936, 25, 24},
    {"RTX 3090 Ti", 86, 84, 1860, 1008, 25, 24},
    {"A40", 86, 84, 1740, 696, 25, 48},
    {"RTX A6000", 86, 84, 1800, 768, 25, 48},
    {"RTX 4060", 89, 24, 2460, 272, 12, 8},
    {"RTX 4070", 89, 46, 2475, 504, 25, 12},
    {"RTX 4070 Ti", 89, 60, 2610, 504, 25, 12},
    {"RTX 4080", 89, 76, 2505, 717, 25, 16},
    {"L4", 89, 58, 2040, 300, 25, 24},
    {"RTX 4090", 89, 128, 2520, 1008, 25, 24},
    {"L40S", 89, 142, 2520, 864, 25, 48},
    {"RTX 6000 Ada Generation", 89, 142, 2505, 960, 25, 48},
    {"H100 80GB HBM3", 90, 132, 1980, 3350, 50, 80},
    {"H100 PCIe", 90, 114, 1755, 2000, 50, 80},
    {"H200", 90, 132, 1980, 4800, 50, 141},
    {"B200", 100, 148, 1965, 8000, 50, 180},
    {"RTX 5060", 120, 30, 2497, 448, 25, 8},
    {"RTX 5070", 120, 48, 2512, 672, 50, 12},
    {"RTX 5070 Ti", 120, 70, 2452, 896, 50, 16},
    {"RTX 5080", 120, 84, 2617, 960, 50, 16},
    {"RTX 5090", 120, 170, 2407, 1792, 50, 32},
    {"RTX PRO 6000", 120, 188, 2617, 1792, 50, 96},
};

const cuzk_card_rates *cuzk_card_rates_all(size_t *n)
{
    *n = sizeof(table) / sizeof(table[0]);
    return table;
}

/* The name stands in the text as words of their own. */
static bool has_words(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = strstr(text, name); at != NULL; at = strstr(at + 1, name)) {
        if ((at == text || at[-1] == ' ') && !isalnum((unsigned char)at[n])) {
            return true;
        }
    }
    return false;
}

/* Variants with other rates than the card of the plain name. */
static bool is_variant(const char *text)
{
    return strstr(text, " SUPER") != NULL || strstr(text, "Laptop") != NULL ||
           strstr(text, "Max-Q") != NULL || strstr(text, " MIG ") != NULL;
}

const cuzk_card_rates *cuzk_card_rates_of(const char *device_name)
{
    const cuzk_card_rates *best = NULL;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]) && !is_variant(device_name); i++) {
        if (has_words(device_name, table[i].name) &&
            (best == NULL || strlen(table[i].name) > strlen(best->name))) {
            best = &table[i];
        }
    }
    /* "RTX 3070 Ti" has the words of "RTX 3070". */
    return best != NULL && strstr(device_name, " Ti") != NULL && strstr(best->name, " Ti") == NULL
               ? NULL
               : best;
}

double cuzk_card_multiply_adds(const cuzk_card_rates *r)
{
    return (double)r->sms * r->clock_mhz * 32 * 1e-3;
}
