/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "interop/r1cs_file.h"
#include "interop/wtns_file.h"
#include "r1cs/rows.h"

#include "build_file.h"

/* A small file by hand: w1 * w2 = w3 + 2 w3, wires ONE, out w1, in w2, private w3. */
typedef struct parts {
    blob header, rows, labels;
    uint32_t version, n_sections;
} parts;

static void default_parts(parts *p)
{
    memset(p, 0, sizeof(*p));
    p->version = 1;
    p->n_sections = 3;
    put_le(&p->header, 32, 4);
    put_bytes(&p->header, prime_bls, 32);
    put_le(&p->header, 4, 4); /* wires */
    put_le(&p->header, 1, 4);
    put_le(&p->header, 1, 4);
    put_le(&p->header, 1, 4);
    put_le(&p->header, 4, 8);
    put_le(&p->header, 1, 4); /* constraints */
    put_le(&p->rows, 1, 4);
    put_le(&p->rows, 1, 4);
    put_fr(&p->rows, 1);
    put_le(&p->rows, 1, 4);
    put_le(&p->rows, 2, 4);
    put_fr(&p->rows, 1);
    put_le(&p->rows, 2, 4);
    put_le(&p->rows, 3, 4);
    put_fr(&p->rows, 1);
    put_le(&p->rows, 3, 4);
    put_fr(&p->rows, 2);
    for (uint64_t i = 0; i < 4; i++) {
        put_le(&p->labels, i, 8);
    }
}

static void assemble(blob *f, const parts *p)
{
    f->n = 0;
    put_bytes(f, "r1cs", 4);
    put_le(f, p->version, 4);
    put_le(f, p->n_sections, 4);
    put_section(f, 2, &p->rows); /* circom writes 2 before 1 */
    put_section(f, 1, &p->header);
    if (p->n_sections > 2) {
        put_section(f, 3, &p->labels);
    }
}

static void expect(const blob *f, cuzk_status want, const char *text)
{
    cuzk_circuit *c = NULL;
    cuzk_err err;
    memset(&err, 0, sizeof(err));
    const cuzk_status st = cuzk_r1cs_file_compile(&c, NULL, f->d, f->n, "f.r1cs", &err);
    CHECK_MSG(st == want, "%s instead of %s: %s", cuzk_status_name(st), cuzk_status_name(want),
              err.msg);
    CHECK(c == NULL);
    CHECK_MSG(strstr(err.msg, text) != NULL, "message: %s", err.msg);
    CHECK(strncmp(err.msg, "f.r1cs: ", 8) == 0);
}

typedef struct want_row {
    uint64_t n;
    cuzk_wire wire;
    uint64_t coef;
} want_row;

static const cuzk_circuit *visited;

static cuzk_status see(void *arg, uint64_t row, const cuzk_row_term *terms, size_t n)
{
    const want_row *w = arg;
    cuzk_scalar s;
    CHECK_U64(row, 0);
    CHECK_U64(n, w->n);
    CHECK_U64(terms[0].wire, w->wire);
    cuzk_fr_to_scalar(&s, &visited->coeffs[terms[0].coef]);
    CHECK_U64(s.l[0], w->coef);
    CHECK_U64(s.l[1] | s.l[2] | s.l[3], 0);
    return CUZK_OK;
}

static void small_file(void)
{
    parts p;
    blob f;
    cuzk_err err;
    cuzk_circuit *c = NULL;
    cuzk_r1cs_info info;
    cuzk_wire_map map;
    default_parts(&p);
    assemble(&f, &p);
    CHECK_OK(cuzk_r1cs_file_compile(&c, &info, f.d, f.n, "f.r1cs", &err), &err);
    CHECK_U64(info.n_wires, 4);
    CHECK_U64(info.n_pub_out, 1);
    CHECK_U64(info.n_pub_in, 1);
    CHECK_U64(info.n_prv_in, 1);
    CHECK_U64(info.n_labels, 4);
    CHECK_U64(info.n_constraints, 1);
    CHECK_U64(c->n_inputs, 3);
    CHECK_U64(c->n_aux, 1);
    CHECK_U64(c->n_fulls, 1);
    CHECK_U64(c->n_rows, 1);
    CHECK_OK(cuzk_wire_map_init(&map, c, &err), &err);
    visited = c;
    want_row a = {1, 1, 1}, b = {1, 2, 1}, s = {1, CUZK_WIRE_AUX, 3}; /* 1 and 2 of w3 summed */
    CHECK_OK(cuzk_circuit_visit(c, &map, CUZK_MATRIX_A, 0, 1, see, &a, &err), &err);
    CHECK_OK(cuzk_circuit_visit(c, &map, CUZK_MATRIX_B, 0, 1, see, &b, &err), &err);
    CHECK_OK(cuzk_circuit_visit(c, &map, CUZK_MATRIX_C, 0, 1, see, &s, &err), &err);
    cuzk_wire_map_deinit(&map);
    cuzk_circuit_destroy(c);
    /* Labels are optional. */
    p.n_sections = 2;
    assemble(&f, &p);
    CHECK_OK(cuzk_r1cs_file_info(&info, f.d, f.n, "f.r1cs", &err), &err);
}

static void wrong_files_are_named(void)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *text;
    } t[] = {{"", 0, "file is empty"},
             {"r1", 2, "no \"r1cs\" at the start"},
             {"wtns\2\0\0\0", 8, "this is a wtns file"},
             {"zkey\1\0\0\0", 8, "this is a zkey file"},
             {"<!DOCTYPE html>", 15, "this is an HTML page"},
             {"\n <html><body>404", 17, "this is an HTML page"},
             {" {\"a\":1}", 8, "this is JSON"},
             {"\x1f\x8b\x08\0", 4, "this is gzip data"},
             {"version https://git-lfs.github.com/spec/v1\n", 43, "a git-lfs pointer"},
             {"r1cs\1\0", 6, "header is truncated"},
             {"r1cs\1\0\0\0\1\0\0\0", 12, "file ends after 0 of 1 sections"},
             {"r1cs\1\0\0\0\0\0\0\0", 12, "section 1 (header) is missing"},
             {"r1cs\1\0\0\0\0\0\0\0x", 13, "1 bytes after the last section"}};
    blob f;
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        f.n = 0;
        put_bytes(&f, t[i].bytes, t[i].n);
        expect(&f, CUZK_E_FORMAT, t[i].text);
    }
    put_bytes(&f, "", 0);
    f.n = 0;
    put_bytes(&f, "r1cs", 4);
    put_le(&f, 2, 4);
    put_le(&f, 0, 4);
    expect(&f, CUZK_E_UNSUPPORTED, "r1cs version 2, expected 1");
}

static void bad_content_is_named(void)
{
    parts p;
    blob f;
    static const struct {
        size_t at; /* in the header section */
        uint8_t value;
        cuzk_status st;
        const char *text;
    } header[] = {{36, 2, CUZK_E_FORMAT, "header has 2 wires, but ONE and 1 + 1 public signals"},
                  {36, 5, CUZK_E_FORMAT, "section 3 (labels) has 32 bytes for 5 wires"},
                  {44, 200, CUZK_E_FORMAT, "header has 4 wires"},
                  {60, 2, CUZK_E_FORMAT, "section 2 (constraints) is truncated"},
                  {63, 200, CUZK_E_FORMAT, "section 2 (constraints) is truncated"},
                  {60, 0, CUZK_E_FORMAT, "bytes after the last constraint"},
                  {4, 3, CUZK_E_UNSUPPORTED, "field prime is not that of BLS12-381"},
                  {0, 31, CUZK_E_UNSUPPORTED, "field prime is not that of BLS12-381"},
                  {1, 255, CUZK_E_FORMAT, "field prime in the header is malformed"}};
    for (size_t i = 0; i < sizeof(header) / sizeof(header[0]); i++) {
        default_parts(&p);
        p.header.d[header[i].at] = header[i].value;
        assemble(&f, &p);
        expect(&f, header[i].st, header[i].text);
    }
    default_parts(&p);
    memcpy(p.header.d + 4, prime_bn, 32);
    assemble(&f, &p);
    expect(&f, CUZK_E_UNSUPPORTED, "field is BN254 (bn128); only BLS12-381 is supported");
    default_parts(&p);
    p.rows.d[4] = 4; /* wire of the first term */
    assemble(&f, &p);
    expect(&f, CUZK_E_FORMAT, "constraint 0 has wire 4 of 4");
    default_parts(&p);
    memcpy(p.rows.d + 8, prime_bls, 32); /* its coefficient: r itself */
    assemble(&f, &p);
    expect(&f, CUZK_E_FORMAT, "coefficient in constraint 0 is not below r");
    default_parts(&p);
    p.rows.d[3] = 0xff; /* a count of 4 billion terms */
    assemble(&f, &p);
    expect(&f, CUZK_E_FORMAT, "section 2 (constraints) is truncated");
    /* Without labels nothing else bounds the wires. */
    default_parts(&p);
    p.n_sections = 2;
    p.header.d[39] = 0x7f;
    assemble(&f, &p);
    expect(&f, CUZK_E_FORMAT, "more than the file can use");
}

static void sections_missing_twice_or_cut(void)
{
    parts p;
    blob f, gates;
    default_parts(&p);
    f.n = 0;
    put_bytes(&f, "r1cs", 4);
    put_le(&f, 1, 4);
    put_le(&f, 3, 4);
    put_section(&f, 1, &p.header);
    put_section(&f, 2, &p.rows);
    put_section(&f, 2, &p.rows);
    expect(&f, CUZK_E_FORMAT, "section 2 is there twice");
    f.d[8] = 1;
    f.n = 24 + p.header.n;
    expect(&f, CUZK_E_FORMAT, "section 2 (constraints) is missing");
    assemble(&f, &p);
    f.n -= 1;
    expect(&f, CUZK_E_FORMAT, "section 3 says 32 bytes, only 31 are left; the file is truncated");
    /* Custom gates. */
    gates.n = 0;
    put_le(&gates, 1, 4);
    assemble(&f, &p);
    f.d[8] = 4;
    put_section(&f, 5, &gates);
    expect(&f, CUZK_E_UNSUPPORTED, "custom gates");
}

/* Every prefix and every single-byte change of a real file is answered, not crashed on. */
static void mutations_are_survived(void)
{
    size_t n;
    uint8_t *d = test_read_file("test/vectors/circom/multiplier2.r1cs", &n);
    for (size_t k = 0; k < n; k++) {
        uint8_t *copy = malloc(k + 1);
        cuzk_circuit *c = NULL;
        CHECK(copy != NULL);
        memcpy(copy, d, k);
        const cuzk_status st = cuzk_r1cs_file_compile(&c, NULL, copy, k, "f", NULL);
        free(copy);
        CHECK(st != CUZK_OK);
    }
    for (size_t k = 0; k < n; k++) {
        const uint8_t keep = d[k];
        d[k] = (uint8_t)test_u64();
        cuzk_circuit *c = NULL;
        if (cuzk_r1cs_file_compile(&c, NULL, d, n, "f", NULL) == CUZK_OK) {
            cuzk_circuit_destroy(c);
        }
        d[k] = keep;
    }
    free(d);
}

/* circom's own witness satisfies circom's own constraints, and a changed one does not. */
static void fixtures_are_satisfied(void)
{
    static const char *const names[] = {"multiplier2", "nopublic", "mixed", "chain10"};
    for (size_t i = 0; i < 4; i++) {
        char path[128];
        size_t n_r1cs, n_wtns;
        cuzk_err err;
        cuzk_circuit *c = NULL;
        cuzk_wtns wtns;
        cuzk_witness *w = NULL;
        uint64_t bad = 0;
        (void)snprintf(path, sizeof(path), "test/vectors/circom/%s.r1cs", names[i]);
        uint8_t *r1cs = test_read_file(path, &n_r1cs);
        CHECK_OK(cuzk_r1cs_file_compile(&c, NULL, r1cs, n_r1cs, path, &err), &err);
        (void)snprintf(path, sizeof(path), "test/vectors/circom/%s.wtns", names[i]);
        uint8_t *values = test_read_file(path, &n_wtns);
        CHECK_OK(cuzk_wtns_read(&wtns, values, n_wtns, path, &err), &err);
        CHECK_OK(cuzk_wtns_to_witness(&w, &wtns, c, path, NULL, &err), &err);
        CHECK_OK(cuzk_r1cs_check(w, &bad, NULL, NULL, &err), &err);
        cuzk_fr_add(&w->fulls[0], &w->fulls[0], &CUZK_FR_ONE); /* the first private input */
        CHECK_STATUS(cuzk_r1cs_check(w, &bad, NULL, NULL, &err), CUZK_E_UNSATISFIED);
        cuzk_witness_destroy(w);
        cuzk_circuit_destroy(c);
        free(r1cs);
        free(values);
    }
}

static void out_of_memory(void)
{
    size_t n;
    uint8_t *d = test_read_file("test/vectors/circom/mixed.r1cs", &n);
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    for (uint64_t nth = 1;; nth++) {
        cuzk_circuit *c = NULL;
        cuzk_alloc_fail_nth(nth, false);
        const cuzk_status st = cuzk_r1cs_file_compile(&c, NULL, d, n, "f", NULL);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            CHECK(nth > 2);
            cuzk_circuit_destroy(c);
            break;
        }
        CHECK_STATUS(st, CUZK_E_NOMEM);
        CHECK(c == NULL);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
    }
    free(d);
}

static const cuzk_case cases[] = {CASE(small_file),
                                  CASE(wrong_files_are_named),
                                  CASE(bad_content_is_named),
                                  CASE(sections_missing_twice_or_cut),
                                  CASE(mutations_are_survived),
                                  CASE(fixtures_are_satisfied),
                                  CASE(out_of_memory)};
TEST_MAIN("interop/r1cs_file", cases)
