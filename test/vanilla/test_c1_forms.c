/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A C1 in every form that is read, against the JSON of the network's tools. The bincode is written
 * here, by code of its own.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "vanilla/check/check.h"
#include "vanilla/sector/miner.h"

#include "test.h"

#define GOLDEN     "test/vectors/filecoin/porep-v1_1.c1.json"
#define GOLDEN_NI  "test/vectors/filecoin/porep-ni.c1.json"
#define GOLDEN_SYN "test/vectors/filecoin/porep-synth.c1.json"

typedef struct bytes {
    uint8_t *p;
    size_t n, cap;
} bytes;

static void add(bytes *b, const void *data, size_t n)
{
    if (b->n + n + 1 > b->cap) {
        b->cap = 2 * (b->n + n + 1);
        b->p = realloc(b->p, b->cap);
        CHECK(b->p != NULL);
    }
    if (n != 0) {
        memcpy(b->p + b->n, data, n);
    }
    b->n += n;
    b->p[b->n] = 0;
}

static void addf(bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void addf(bytes *b, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    CHECK(n >= 0 && n < (int)sizeof(text));
    add(b, text, (size_t)n);
}

static void little(bytes *b, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const uint8_t c = (uint8_t)(v >> (8 * i));
        add(b, &c, 1);
    }
}

/* Trees of 2 KiB have one part: always Single. */
static void put_merkle(bytes *b, const cuzk_merkle_proof *m)
{
    little(b, 0, 4);
    add(b, m->root.b, 32);
    add(b, m->leaf.b, 32);
    little(b, m->n_levels, 8);
    for (uint32_t i = 0; i < m->n_levels; i++) {
        little(b, m->levels[i].arity - 1u, 8);
        add(b, m->levels[i].siblings, 32 * (m->levels[i].arity - 1u));
        little(b, m->levels[i].index, 8);
    }
}

static void put_column(bytes *b, const cuzk_column_proof *c)
{
    little(b, c->index, 4);
    little(b, c->n_rows, 8);
    add(b, c->rows, 32 * (size_t)c->n_rows);
    put_merkle(b, &c->inclusion);
}

static void put_labeling(bytes *b, const cuzk_labeling_proof *l)
{
    little(b, l->n_parents, 8);
    add(b, l->parents, 32 * (size_t)l->n_parents);
    little(b, l->layer, 4);
    little(b, l->node, 8);
}

static void put_challenge(bytes *b, const cuzk_porep_challenge *c)
{
    put_merkle(b, &c->comm_d);
    put_merkle(b, &c->comm_r_last);
    put_column(b, &c->c_x);
    little(b, 6, 8);
    for (int i = 0; i < 6; i++) {
        put_column(b, &c->drg[i]);
    }
    little(b, 8, 8);
    for (int i = 0; i < 8; i++) {
        put_column(b, &c->exp[i]);
    }
    little(b, c->n_labeling, 8);
    for (uint32_t i = 0; i < c->n_labeling; i++) {
        put_labeling(b, &c->labeling[i]);
    }
    put_labeling(b, &c->encoding);
}

static bytes bincode(const cuzk_porep_input *in, bool older)
{
    bytes b = {NULL, 0, 0};
    if (!older) {
        little(&b, in->type.number, 4);
        little(&b, in->type.number % 5, 4);
    }
    little(&b, in->n_partitions, 8);
    for (uint32_t k = 0; k < in->n_partitions; k++) {
        little(&b, in->n_challenges, 8);
        for (uint32_t i = 0; i < in->n_challenges; i++) {
            put_challenge(&b, &in->partitions[k][i]);
        }
    }
    add(&b, in->comm_r.b, 32);
    add(&b, in->comm_d.b, 32);
    add(&b, in->replica_id.b, 32);
    add(&b, in->seed.b, 32);
    add(&b, in->ticket.b, 32);
    return b;
}

static void add_base64(bytes *b, const uint8_t *in, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const uint32_t v = (uint32_t)in[i] << 16 | (i + 1 < n ? (uint32_t)in[i + 1] << 8 : 0) |
                           (i + 2 < n ? in[i + 2] : 0);
        const char four[4] = {digits[v >> 18], digits[v >> 12 & 63],
                              i + 1 < n ? digits[v >> 6 & 63] : '=',
                              i + 2 < n ? digits[v & 63] : '='};
        add(b, four, 4);
    }
}

static cuzk_porep_input *parse(const uint8_t *p, size_t n)
{
    cuzk_porep_input *in = NULL;
    cuzk_err err = {.msg = ""};
    CHECK_OK(cuzk_porep_parse(&in, p, n, NULL, &err), &err);
    return in;
}

/* The same C1: all of it, as bincode, and the native check. */
static void same_as(const uint8_t *p, size_t n, const cuzk_porep_input *want)
{
    cuzk_porep_input *in = parse(p, n);
    cuzk_hashes *h;
    cuzk_err err;
    bytes a = bincode(want, false), b = bincode(in, false);
    CHECK_U64(in->type.number, want->type.number);
    CHECK(in->shape == want->shape);
    CHECK_U64(a.n, b.n);
    CHECK_MEM(a.p, b.p, a.n);
    CHECK_OK(cuzk_hashes_create(&h, &err), &err);
    CHECK_OK(cuzk_porep_check(in, h, NULL, NULL, NULL, &err), &err);
    cuzk_hashes_destroy(h);
    cuzk_porep_input_destroy(in);
    free(a.p);
    free(b.p);
}

static void refused(const uint8_t *p, size_t n, cuzk_status want, const char *text)
{
    cuzk_porep_input *in = NULL;
    cuzk_err err = {.msg = ""};
    const cuzk_status st = cuzk_porep_parse(&in, p, n, NULL, &err);
    CHECK_MSG(st == want && strstr(err.msg, text) != NULL, "%s: '%s' not in: %s",
              cuzk_status_name(st), text, err.msg);
    CHECK(in == NULL);
}

static void both_bincodes(void)
{
    static const char *const golden[] = {GOLDEN, GOLDEN_NI, GOLDEN_SYN};
    for (int i = 0; i < 3; i++) {
        size_t n;
        uint8_t *json = test_read_file(golden[i], &n);
        cuzk_porep_input *want = parse(json, n);
        for (int older = 0; older < 2; older++) {
            bytes b = bincode(want, older == 1);
            same_as(b.p, b.n, want);
            refused(b.p, b.n + 1, CUZK_E_FORMAT, "1 bytes behind the ticket");
            free(b.p);
        }
        cuzk_porep_input_destroy(want);
        free(json);
    }
}

/* The older structure in JSON: a bare array, no registered_proof. */
static void older_json(void)
{
    static const char head[] =
        "{\"registered_proof\":\"StackedDrg2KiBV1_1\",\"vanilla_proofs\":{\"StackedDrg2KiBV1\":";
    size_t n;
    uint8_t *json = test_read_file(GOLDEN, &n);
    cuzk_porep_input *want = parse(json, n);
    bytes b = {NULL, 0, 0};
    CHECK(n > sizeof(head) && memcmp(json, head, sizeof(head) - 1) == 0);
    const uint8_t *rest = json + sizeof(head) - 1;
    const char *end = strstr((const char *)rest, "},\"comm_r\"");
    CHECK(end != NULL);
    addf(&b, "{\"vanilla_proofs\":");
    add(&b, rest, (size_t)((const uint8_t *)end - rest));
    add(&b, end + 1, strlen(end + 1));
    same_as(b.p, b.n, want);
    /* Another seed: the challenges are those of no type. */
    char *seed = strstr((char *)b.p, "\"seed\":[");
    CHECK(seed != NULL);
    seed[8] = '4';
    refused(b.p, b.n, CUZK_E_FORMAT, "no registered_proof");
    free(b.p);
    cuzk_porep_input_destroy(want);
    free(json);
}

typedef enum holding { BASE64_JSON, BASE64_BINCODE, OBJECT, TEXT, NUMBERS, N_HOLDINGS } holding;

static void add_payload(bytes *b, holding how, const uint8_t *json, size_t n, const bytes *bin)
{
    const uint8_t *from = how == BASE64_BINCODE ? bin->p : json;
    const size_t n_from = how == BASE64_BINCODE ? bin->n : n;
    if (how == OBJECT) {
        add(b, json, n);
        return;
    }
    addf(b, how == NUMBERS ? "[" : "\"");
    if (how == BASE64_JSON || how == BASE64_BINCODE) {
        add_base64(b, from, n_from);
    } else if (how == NUMBERS) {
        for (size_t i = 0; i < n; i++) {
            addf(b, "%s%u", i == 0 ? "" : ",", json[i]);
        }
    } else {
        for (size_t i = 0; i < n; i++) {
            add(b, "\\", json[i] == '"');
            add(b, &json[i], 1);
        }
    }
    addf(b, how == NUMBERS ? "]" : "\"");
}

/* An envelope of a service; members: what stands behind the C1. */
static bytes envelope(const char *name, holding how, const uint8_t *json, size_t n,
                      const bytes *bin, const char *members)
{
    bytes b = {NULL, 0, 0};
    addf(&b, "{\"%s\":", name);
    add_payload(&b, how, json, n, bin);
    addf(&b, "%s}", members);
    return b;
}

static const char prover_numbers[] =
    "[232,7,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]";

static void envelopes(void)
{
    static const char *const names[] = {"Phase1Out", "c1out", "c1_out", "phase1_output",
                                        "commit1_out"};
    size_t n;
    uint8_t *json = test_read_file(GOLDEN, &n);
    cuzk_porep_input *want = parse(json, n);
    bytes bin = bincode(want, false);
    cuzk_node prover_id;
    cuzk_prover_id_of_miner(&prover_id, 1000);
    for (unsigned how = 0; how < N_HOLDINGS; how++) {
        char members[256];
        (void)snprintf(members, sizeof(members),
                       ",\"prover_id\":%s,\"sector_id\":1,\"miner_id\":\"f01000\"", prover_numbers);
        bytes b = envelope(names[how % 5], (holding)how, json, n, &bin, members);
        same_as(b.p, b.n, want);
        cuzk_porep_input *in = parse(b.p, b.n);
        CHECK(in->has_sector_number && in->sector_number == 1 && in->has_prover_id);
        CHECK_MEM(&in->prover_id, &prover_id, 32);
        cuzk_porep_input_destroy(in);
        free(b.p);
    }
    cuzk_porep_input_destroy(want);
    free(bin.p);
    free(json);
}

static void members_of_envelopes(void)
{
    static const struct {
        const char *members;
        cuzk_status st;
        const char *text; /* NULL: read, with this prover */
    } all[] = {
        {",\"prover_id\":\"e807000000000000000000000000000000000000000000000000000000000000\"",
         CUZK_OK, NULL},
        {",\"prover_id\":\"6AcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"", CUZK_OK, NULL},
        {",\"miner_id\":1000", CUZK_OK, NULL},
        {",\"Miner\":\"t01000\",\"SectorSize\":2048,\"SectorNum\":\"1\"", CUZK_OK, NULL},
        {",\"miner_id\":\"f1abcdef\"", CUZK_E_FORMAT, "miner_id \"f1abcdef\" is no actor id"},
        {",\"miner_id\":1000,\"prover_id\":\"e907000000000000000000000000000000000000000000000000000000000000\"",
         CUZK_E_INVALID, "prover_id of the envelope"},
        {",\"SectorSize\":4096", CUZK_E_INVALID, "SectorSize"},
        {",\"sector_id\":1,\"SectorNum\":1", CUZK_E_FORMAT, "SectorNum is said twice"},
        {",\"sector_id\":\"one\"", CUZK_E_FORMAT, "is not a number"},
        {",\"prover_id\":\"00\"", CUZK_E_FORMAT, "prover_id is 32 bytes"},
        {",\"prover_id\":[1,2]", CUZK_E_FORMAT, "array"},
        {",\"registered_proof\":\"StackedDrg2KiBV1\"", CUZK_E_INVALID,
         "registered_proof of the envelope is 0"},
        {",\"Phase1Out\":\"\"", CUZK_E_FORMAT, "Phase1Out is said twice"},
    };
    size_t n;
    uint8_t *json = test_read_file(GOLDEN, &n);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        bytes b = envelope("c1out", OBJECT, json, n, NULL, all[i].members);
        if (all[i].st == CUZK_OK) {
            cuzk_porep_input *in = parse(b.p, b.n);
            CHECK(in->has_prover_id && in->prover_id.b[0] == 0xe8 && in->prover_id.b[1] == 7);
            cuzk_porep_input_destroy(in);
        } else {
            refused(b.p, b.n, all[i].st, all[i].text);
        }
        free(b.p);
    }
    free(json);
}

/* Messages say where: the place inside the envelope's C1 is not a place in the file. */
static void places(void)
{
    static const struct {
        const char *document, *text;
    } all[] = {
        {"{\"c1out\":{\"registered_proof\":5}}", "C1, inside c1out:1:21: "},
        {"{\"Phase1Out\":\"e30=\"}", "C1, inside Phase1Out:1:3: "},
        {"{\"Phase1Out\":\"e3\"}", "Phase1Out is not base64"},
        {"{\"Phase1Out\":\"AAAA\"}", "C1 (bincode): registered_proof: input ends at byte 0"},
        {"{\"c1out\":[1,2,300]}", "c1out is not an array of bytes"},
        {"{\"c1out\":7}", "c1out is a string, an object or an array of bytes"},
        {"{\"c1out\":{\"c1out\":\"e30=\"}}", "c1out inside c1out"},
        {"\x63\0\0\0\0\0\0\0", "neither JSON nor bincode of a C1"},
        {"\x05\0\0\0\3\0\0\0", "of different sizes"},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const char *d = all[i].document;
        refused((const uint8_t *)d, d[0] == '{' ? strlen(d) : 8, CUZK_E_FORMAT, all[i].text);
    }
}

/* Cut anywhere it is refused; changed anywhere it is refused or is an input that can be checked. */
static void damaged_bincode(void)
{
    size_t n;
    uint8_t *json = test_read_file(GOLDEN, &n);
    cuzk_porep_input *want = parse(json, n);
    bytes b = bincode(want, false);
    const uint64_t before = cuzk_alloc_get_stats().bytes_now;
    for (size_t i = 0; i < b.n; i += 13) {
        cuzk_porep_input *in = NULL;
        cuzk_err err = {.msg = ""};
        const cuzk_status cut = cuzk_porep_parse(&in, b.p, i, NULL, &err);
        CHECK_MSG(cut == CUZK_E_FORMAT && err.msg[0] != '\0', "cut at %zu", i);
        b.p[i] ^= 0x81;
        const cuzk_status st = cuzk_porep_parse(&in, b.p, b.n, NULL, &err);
        CHECK(st == CUZK_OK || st == CUZK_E_FORMAT);
        b.p[i] ^= 0x81;
        cuzk_porep_input_destroy(in);
    }
    cuzk_status st = CUZK_E_NOMEM;
    for (uint64_t k = 1; st != CUZK_OK; k++) {
        cuzk_porep_input *in = NULL;
        CHECK(k < 1000);
        cuzk_alloc_fail_nth(k, false);
        st = cuzk_porep_parse(&in, b.p, b.n, NULL, NULL);
        cuzk_alloc_fail_nth(0, false);
        CHECK(st == CUZK_OK || st == CUZK_E_NOMEM);
        cuzk_porep_input_destroy(in);
        CHECK_U64(cuzk_alloc_get_stats().bytes_now, before);
    }
    cuzk_porep_input_destroy(want);
    free(b.p);
    free(json);
}

static void miners(void)
{
    static const struct {
        const char *text;
        uint64_t id;
    } good[] = {{"1000", 1000},
                {"f01000", 1000},
                {"t01000", 1000},
                {"f00", 0},
                {"f09223372036854775807", INT64_MAX}};
    static const char *const bad[] = {"",
                                      "f0",
                                      "f1000",
                                      "f2abc",
                                      "1000x",
                                      "-1",
                                      "9223372036854775808",
                                      "f018446744073709551615",
                                      "18446744073709551616",
                                      "f0 1",
                                      "F01000"};
    uint64_t id = 0;
    cuzk_node prover;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        CHECK(cuzk_miner_parse(&id, good[i].text));
        CHECK_U64(id, good[i].id);
        cuzk_prover_id_of_miner(&prover, id);
        id = 5;
        CHECK(cuzk_miner_of_prover_id(&id, &prover));
        CHECK_U64(id, good[i].id);
        prover.b[31] = 1;
        CHECK(!cuzk_miner_of_prover_id(&id, &prover));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_MSG(!cuzk_miner_parse(&id, bad[i]), "'%s'", bad[i]);
    }
}

static const cuzk_case cases[] = {
    CASE(both_bincodes), CASE(older_json),      CASE(envelopes), CASE(members_of_envelopes),
    CASE(places),        CASE(damaged_bincode), CASE(miners),
};
TEST_MAIN("vanilla/c1_forms", cases)
