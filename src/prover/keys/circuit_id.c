/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/keys/circuit_id.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    cuzk_circuit_kind kind;
} kind_names[] = {
    {"porep", CUZK_CIRCUIT_POREP},          {"porep-c2", CUZK_CIRCUIT_POREP},
    {"seal-commit", CUZK_CIRCUIT_POREP},    {"winning", CUZK_CIRCUIT_WINNING},
    {"winning-post", CUZK_CIRCUIT_WINNING}, {"winningpost", CUZK_CIRCUIT_WINNING},
    {"window", CUZK_CIRCUIT_WINDOW},        {"window-post", CUZK_CIRCUIT_WINDOW},
    {"windowpost", CUZK_CIRCUIT_WINDOW},    {"wpost", CUZK_CIRCUIT_WINDOW},
    {"update", CUZK_CIRCUIT_UPDATE},        {"snap", CUZK_CIRCUIT_UPDATE},
    {"snap-deals", CUZK_CIRCUIT_UPDATE},    {"snapdeals", CUZK_CIRCUIT_UPDATE},
    {"snap-update", CUZK_CIRCUIT_UPDATE},
};

bool cuzk_circuit_kind_parse(cuzk_circuit_kind *out, const char *name)
{
    for (size_t i = 0; i < sizeof(kind_names) / sizeof(kind_names[0]); i++) {
        if (strcmp(kind_names[i].name, name) == 0) {
            *out = kind_names[i].kind;
            return true;
        }
    }
    return false;
}

const char *cuzk_circuit_id(char out[CUZK_CIRCUIT_ID_BYTES], const cuzk_circuit_spec *spec)
{
    static const char *const names[CUZK_CIRCUIT_N_KINDS] = {"porep", "winning", "wpost", "snap"};
    const uint64_t n = spec->shape->bytes;
    const unsigned shift = n >= (1u << 30) ? 30 : n >= (1u << 20) ? 20 : 10;
    (void)snprintf(out, CUZK_CIRCUIT_ID_BYTES, "%s-%llu%c", names[spec->kind],
                   (unsigned long long)(n >> shift),
                   shift == 30   ? 'g'
                   : shift == 20 ? 'm'
                                 : 'k');
    return out;
}

bool cuzk_circuit_id_parse(cuzk_circuit_spec *out, const char *text)
{
    char kind[CUZK_CIRCUIT_ID_BYTES], size[CUZK_CIRCUIT_ID_BYTES];
    const char *dash = strrchr(text, '-');
    cuzk_circuit_kind k;
    uint64_t bytes = 0;
    cuzk_err none;
    if (dash == NULL || (size_t)(dash - text) >= sizeof(kind) || strlen(dash) >= sizeof(size)) {
        return false;
    }
    memcpy(kind, text, (size_t)(dash - text));
    kind[dash - text] = '\0';
    (void)snprintf(size, sizeof(size), "%s", dash + 1);
    if (!cuzk_circuit_kind_parse(&k, kind)) {
        return false;
    }
    return cuzk_sector_size_parse(&bytes, size) &&
           cuzk_circuit_spec_of(out, k, bytes, &none) == CUZK_OK;
}
