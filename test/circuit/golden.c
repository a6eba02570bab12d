/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "circuit/golden.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text/json.h"

#include "test.h"

#define PATH  "test/vectors/circuits.json"
#define LIMIT 64 /* entries of a list */

static void hex_value(cuzk_json *j, uint8_t *out, size_t n)
{
    cuzk_json_str s;
    if (cuzk_json_string(j, &s) && !cuzk_hex_decode(out, n, s.p, s.n)) {
        (void)cuzk_json_fail(j, "not %zu bytes of hex", n);
    }
}

static void prefixes(cuzk_json *j, golden *g)
{
    cuzk_json_str key;
    cuzk_json_begin_object(j);
    while (cuzk_json_next_key(j, &key)) {
        char number[24] = {0};
        if (key.n >= sizeof(number) || g->n_prefixes == GOLDEN_MAX_PREFIXES) {
            (void)cuzk_json_fail(j, "prefix list");
            return;
        }
        memcpy(number, key.p, key.n);
        g->prefix[g->n_prefixes].rows = strtoull(number, NULL, 10);
        hex_value(j, g->prefix[g->n_prefixes++].hash, 16);
    }
}

static void entry(cuzk_json *j, golden *g)
{
    static const char *const names[] = {"kind",
                                        "size",
                                        "sector_bytes",
                                        "rows",
                                        "inputs",
                                        "aux",
                                        "nnz",
                                        "zero_entries",
                                        "setup",
                                        "a_aux_density",
                                        "b_input_density",
                                        "b_aux_density",
                                        "prefix",
                                        "transcript"};
    cuzk_json_str key;
    uint64_t seen = 0;
    cuzk_json_begin_object(j);
    while (cuzk_json_next_key(j, &key)) {
        switch (cuzk_json_field(j, &key, names, 14, &seen)) {
        case 0: cuzk_json_string_copy(j, g->kind, sizeof(g->kind)); break;
        case 1: cuzk_json_string_copy(j, g->size, sizeof(g->size)); break;
        case 2: cuzk_json_u64(j, &g->sector_bytes); break;
        case 3: cuzk_json_u64(j, &g->rows); break;
        case 4: cuzk_json_u64(j, &g->inputs); break;
        case 5: cuzk_json_u64(j, &g->aux); break;
        case 6:
            cuzk_json_begin_array(j);
            for (int i = 0; cuzk_json_next(j) && i < 3; i++) {
                cuzk_json_u64(j, &g->nnz[i]);
            }
            break;
        case 8: cuzk_json_string_copy(j, g->setup, sizeof(g->setup)); break;
        case 9: cuzk_json_u64(j, &g->a_aux_density); break;
        case 10: cuzk_json_u64(j, &g->b_input_density); break;
        case 11: cuzk_json_u64(j, &g->b_aux_density); break;
        case 12: prefixes(j, g); break;
        case 13: hex_value(j, g->transcript, 32); break;
        default: cuzk_json_skip(j); break;
        }
    }
}

static golden *list(cuzk_json *j, size_t *n)
{
    golden *out = calloc(LIMIT, sizeof(*out));
    CHECK(out != NULL);
    *n = 0;
    cuzk_json_begin_array(j);
    while (cuzk_json_next(j)) {
        CHECK(*n < LIMIT);
        entry(j, &out[(*n)++]);
    }
    return out;
}

void golden_load(golden_file *out)
{
    static const char *const names[] = {"circuits", "gadgets"};
    size_t n;
    uint8_t *text = test_read_file(PATH, &n);
    cuzk_json j;
    cuzk_json_str key;
    cuzk_err err;
    uint64_t seen = 0;
    memset(out, 0, sizeof(*out));
    cuzk_json_init(&j, text, n, 8);
    cuzk_json_begin_object(&j);
    while (cuzk_json_next_key(&j, &key)) {
        switch (cuzk_json_field(&j, &key, names, 2, &seen)) {
        case 0: out->circuits = list(&j, &out->n_circuits); break;
        case 1: out->gadgets = list(&j, &out->n_gadgets); break;
        default: cuzk_json_skip(&j); break;
        }
    }
    cuzk_json_end(&j);
    CHECK_OK(cuzk_json_status(&j, PATH, &err), &err);
    CHECK(out->n_circuits > 0 && out->n_gadgets > 0);
    free(text);
}

void golden_unload(golden_file *g)
{
    free(g->circuits);
    free(g->gadgets);
    memset(g, 0, sizeof(*g));
}

const golden *golden_circuit(const golden_file *g, const char *kind, uint64_t sector_bytes)
{
    for (size_t i = 0; i < g->n_circuits; i++) {
        if (strcmp(g->circuits[i].kind, kind) == 0 && g->circuits[i].sector_bytes == sector_bytes) {
            return &g->circuits[i];
        }
    }
    return NULL;
}

const golden *golden_gadget(const golden_file *g, const char *setup)
{
    for (size_t i = 0; i < g->n_gadgets; i++) {
        if (strncmp(g->gadgets[i].setup, setup, strlen(setup)) == 0) {
            return &g->gadgets[i];
        }
    }
    cuzk_test_fail(__FILE__, __LINE__, "no gadget \"%s\" in %s", setup, PATH);
}

void golden_check_counts(const cuzk_circuit *c, const golden *want)
{
    CHECK_U64(c->n_rows, want->rows);
    CHECK_U64(c->n_inputs, want->inputs);
    CHECK_U64(c->n_aux, want->aux);
    CHECK_U64(c->n_bits + c->n_fulls, want->aux);
    if (want->sector_bytes != 0) {
        for (int i = 0; i < 3; i++) {
            CHECK_U64(c->nnz[i], want->nnz[i]);
        }
        CHECK_U64(c->a_aux_density, want->a_aux_density);
        CHECK_U64(c->b_input_density, want->b_input_density);
        CHECK_U64(c->b_aux_density, want->b_aux_density);
    }
}

/* Looks for the first prefix that differs. */
static void explain(const cuzk_circuit *c, const golden *want)
{
    uint64_t good = 0;
    for (size_t i = 0; i < want->n_prefixes; i++) {
        uint8_t all[32], prefix[32];
        const uint64_t rows = want->prefix[i].rows;
        if (rows > c->n_rows) {
            break;
        }
        CHECK_STATUS(cuzk_circuit_transcript(c, all, rows, prefix, NULL), CUZK_OK);
        if (memcmp(prefix, want->prefix[i].hash, 16) != 0) {
            char from[128], to[128];
            cuzk_test_fail(__FILE__, __LINE__,
                           "%s %s: rows [0, %" PRIu64 ") agree, a row below %" PRIu64
                           " does not (%s ... %s)",
                           want->kind, want->size, good, rows,
                           cuzk_circuit_row_path(c, good, from, sizeof(from)),
                           cuzk_circuit_row_path(c, rows - 1, to, sizeof(to)));
        }
        good = rows;
    }
    cuzk_test_fail(__FILE__, __LINE__, "%s%s %s: a row at or after %" PRIu64 " differs", want->kind,
                   want->setup, want->size, good);
}

void golden_check_transcript(const cuzk_circuit *c, const golden *want)
{
    uint8_t sum[32];
    cuzk_err err;
    CHECK_OK(cuzk_circuit_transcript(c, sum, 0, NULL, &err), &err);
    if (memcmp(sum, want->transcript, 32) != 0) {
        explain(c, want);
    }
}
