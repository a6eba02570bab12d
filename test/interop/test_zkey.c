/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuzk/verify.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "groth16/cpu/prove.h"
#include "groth16/setup/setup.h"
#include "interop/r1cs_file.h"
#include "interop/snarkjs_json.h"
#include "interop/wtns_file.h"
#include "interop/zkey.h"
#include "sys/file.h"

#include "test.h"

static const char *const circuits[] = {"multiplier2", "nopublic", "mixed"};

static uint8_t *read_vector(const char *folder, const char *name, const char *ext, size_t *n)
{
    char path[160];
    (void)snprintf(path, sizeof(path), "test/vectors/%s/%s%s", folder, name, ext);
    return test_read_file(path, n);
}

static cuzk_zkey *open_ok(const uint8_t *d, size_t n)
{
    cuzk_zkey *z = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_zkey_open_bytes(&z, d, n, "k.zkey", CUZK_POINT_IN_SUBGROUP, &err), &err);
    return z;
}

static void expect(const uint8_t *d, size_t n, cuzk_status want, const char *text)
{
    cuzk_zkey *z = NULL;
    cuzk_err err;
    memset(&err, 0, sizeof(err));
    const cuzk_status st = cuzk_zkey_open_bytes(&z, d, n, "k.zkey", CUZK_POINT_ON_CURVE, &err);
    CHECK_MSG(st == want, "%s instead of %s: %s", cuzk_status_name(st), cuzk_status_name(want),
              err.msg);
    CHECK(z == NULL);
    CHECK_MSG(strstr(err.msg, text) != NULL, "message: %s", err.msg);
}

/* The sections of a file, to be put together again otherwise. */
typedef struct cut {
    struct {
        uint32_t id;
        uint64_t n;
        uint8_t *d;
    } s[10];
    size_t count;
} cut;

static cut cut_up(uint8_t *d, size_t n)
{
    cut c = {.count = 0};
    size_t at = 12;
    while (at < n) {
        CHECK(c.count < 10 && n - at >= 12);
        c.s[c.count].id = cuzk_load_u32_le(d + at);
        c.s[c.count].n = cuzk_load_u64_le(d + at + 4);
        c.s[c.count].d = d + at + 12;
        at += 12 + c.s[c.count].n;
        c.count++;
    }
    CHECK(at == n);
    return c;
}

static uint8_t *join(const cut *c, size_t *n)
{
    size_t bytes = 12;
    for (size_t i = 0; i < c->count; i++) {
        bytes += 12 + c->s[i].n;
    }
    uint8_t *d = malloc(bytes);
    CHECK(d != NULL);
    memcpy(d, "zkey\1\0\0\0", 8);
    cuzk_store_u32_le(d + 8, (uint32_t)c->count);
    size_t at = 12;
    for (size_t i = 0; i < c->count; i++) {
        cuzk_store_u32_le(d + at, c->s[i].id);
        cuzk_store_u64_le(d + at + 4, c->s[i].n);
        memcpy(d + at + 12, c->s[i].d, c->s[i].n);
        at += 12 + c->s[i].n;
    }
    *n = bytes;
    return d;
}

static void prove_and_verify(const char *name, const cuzk_zkey *z, cuzk_verify_result want)
{
    size_t n;
    cuzk_err err;
    cuzk_wtns wtns;
    cuzk_witness *w = NULL;
    cuzk_proof proof;
    uint8_t bytes[192];
    cuzk_vk *vk = NULL;
    uint8_t *d = read_vector("circom", name, ".wtns", &n);
    CHECK_OK(cuzk_wtns_read(&wtns, d, n, name, &err), &err);
    CHECK_OK(cuzk_wtns_to_witness(&w, &wtns, cuzk_zkey_circuit(z), name, NULL, &err), &err);
    CHECK_OK(cuzk_prove(&proof, w, cuzk_zkey_srs(z), NULL, NULL, NULL, &err), &err);
    cuzk_proof_encode(bytes, &proof);
    const cuzk_srs *srs = cuzk_zkey_srs(z);
    uint8_t *text = malloc(cuzk_srs_vk_bytes(srs));
    uint8_t *inputs = malloc(32 * w->circuit->n_inputs);
    CHECK(text != NULL && inputs != NULL);
    cuzk_srs_write_vk(srs, text);
    CHECK(cuzk_vk_read(&vk, text, cuzk_srs_vk_bytes(srs)) == CUZK_VERIFY_OK);
    for (size_t i = 0; i < w->circuit->n_inputs; i++) {
        cuzk_fr_to_bytes_le(inputs + 32 * i, &w->inputs[i]);
    }
    const size_t n_public = (size_t)w->circuit->n_inputs - 1;
    CHECK(cuzk_verify(vk, bytes, 192, inputs + 32, n_public) == want);
    if (n_public > 0) {
        inputs[32] ^= 1;
        CHECK(cuzk_verify(vk, bytes, 192, inputs + 32, n_public) == CUZK_VERIFY_E_PROOF_FALSE);
    }
    cuzk_vk_destroy(vk);
    cuzk_witness_destroy(w);
    free(text);
    free(inputs);
    free(d);
}

/* snarkjs made key, proof and verifying key: we verify its proof, prove with its key, and read the
 * same verifying key from both of its files. */
static void snarkjs_files(void)
{
    for (size_t i = 0; i < 3; i++) {
        size_t n, n_vk, n_json, n_proof, n_pub, count, from_zkey;
        cuzk_err err;
        uint8_t *vk_bytes = NULL, *inputs = NULL, id[2][32], bytes[192];
        cuzk_vk *vk = NULL;
        cuzk_proof proof;
        uint8_t *d = read_vector("snarkjs", circuits[i], ".zkey", &n);
        uint8_t *json = read_vector("snarkjs", circuits[i], ".vk.json", &n_json);
        uint8_t *proof_text = read_vector("snarkjs", circuits[i], ".proof.json", &n_proof);
        uint8_t *public_text = read_vector("snarkjs", circuits[i], ".public.json", &n_pub);
        CHECK_OK(cuzk_vk_json_read(&vk_bytes, &n_vk, json, n_json, "vk", &err), &err);
        CHECK_OK(cuzk_proof_json_read(&proof, proof_text, n_proof, "proof", &err), &err);
        CHECK_OK(cuzk_public_json_read(&inputs, &count, public_text, n_pub, "public", &err), &err);
        cuzk_proof_encode(bytes, &proof);
        CHECK(cuzk_vk_read(&vk, vk_bytes, n_vk) == CUZK_VERIFY_OK);
        CHECK(cuzk_verify(vk, bytes, 192, inputs, count) == CUZK_VERIFY_OK);
        CHECK(cuzk_vk_identity(id[0], vk_bytes, n_vk));
        cuzk_vk_destroy(vk);
        cuzk_free(inputs);

        cuzk_zkey *z = open_ok(d, n);
        CHECK_U64(cuzk_zkey_get_info(z)->n_contributions, 1);
        CHECK_U64(cuzk_zkey_get_info(z)->n_public, count);
        from_zkey = cuzk_srs_vk_bytes(cuzk_zkey_srs(z));
        CHECK_U64(from_zkey, n_vk);
        cuzk_srs_write_vk(cuzk_zkey_srs(z), vk_bytes);
        CHECK(cuzk_vk_identity(id[1], vk_bytes, n_vk));
        CHECK_MEM(id[1], id[0], 32);
        CHECK_OK(cuzk_zkey_check_points(z, CUZK_POINT_IN_SUBGROUP, NULL, NULL, &err), &err);
        prove_and_verify(circuits[i], z, CUZK_VERIFY_OK);
        cuzk_zkey_close(z);
        cuzk_free(vk_bytes);
        free(d);
        free(json);
        free(proof_text);
        free(public_text);
    }
}

/* A and B of the key are A and B of the circuit: equal values on a random assignment. */
static void check_rows(const cuzk_circuit *a, const cuzk_circuit *b)
{
    cuzk_witness *w[2] = {NULL, NULL};
    cuzk_err err;
    CHECK_U64(a->n_rows, b->n_rows);
    CHECK_U64(a->n_inputs, b->n_inputs);
    CHECK_U64(a->n_aux, b->n_aux);
    CHECK_OK(cuzk_witness_create(&w[0], a, &err), &err);
    CHECK_OK(cuzk_witness_create(&w[1], b, &err), &err);
    for (uint64_t i = 1; i < a->n_inputs; i++) {
        cuzk_fr_from_u64(&w[0]->inputs[i], test_u64());
        w[1]->inputs[i] = w[0]->inputs[i];
    }
    for (uint64_t i = 0; i < a->n_aux; i++) {
        cuzk_fr_from_u64(&w[0]->fulls[i], test_u64());
        w[1]->fulls[i] = w[0]->fulls[i];
    }
    const uint64_t rows = cuzk_circuit_prover_rows(a);
    cuzk_fr *x = malloc(rows * sizeof(*x)), *y = malloc(rows * sizeof(*y));
    CHECK(x != NULL && y != NULL);
    for (int m = CUZK_MATRIX_A; m <= CUZK_MATRIX_B; m++) {
        CHECK_OK(cuzk_r1cs_eval(x, rows, w[0], (cuzk_matrix_id)m, NULL, NULL, &err), &err);
        CHECK_OK(cuzk_r1cs_eval(y, rows, w[1], (cuzk_matrix_id)m, NULL, NULL, &err), &err);
        CHECK_MEM(x, y, rows * sizeof(*x));
    }
    free(x);
    free(y);
    cuzk_witness_destroy(w[0]);
    cuzk_witness_destroy(w[1]);
}

static cuzk_circuit *compile(const char *name)
{
    size_t n;
    cuzk_circuit *c = NULL;
    cuzk_err err;
    uint8_t *d = read_vector("circom", name, ".r1cs", &n);
    CHECK_OK(cuzk_r1cs_file_compile(&c, NULL, d, n, name, &err), &err);
    free(d);
    return c;
}

static void write_key(const cuzk_circuit *c, const char *path)
{
    cuzk_toxic toxic;
    cuzk_srs *srs = NULL;
    cuzk_err err;
    const cuzk_setup_opts opts = {.kind = CUZK_QUOTIENT_ODD_COSET};
    cuzk_toxic_from_seed(&toxic, 11);
    CHECK_OK(cuzk_setup_create(&srs, c, &toxic, &opts, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_zkey_write(path, c, srs, false, NULL, &err), &err);
    CHECK_STATUS(cuzk_zkey_write(path, c, srs, false, NULL, &err), CUZK_E_EXISTS);
    CHECK_OK(cuzk_zkey_write(path, c, srs, true, NULL, &err), &err);
    cuzk_srs_close(srs);
}

static void our_keys(void)
{
    static const char *const names[] = {"multiplier2", "nopublic", "mixed", "chain10"};
    for (size_t i = 0; i < 4; i++) {
        char path[160];
        cuzk_zkey *z = NULL;
        cuzk_err err;
        cuzk_circuit *c = compile(names[i]);
        (void)snprintf(path, sizeof(path), "%s/%s.zkey", test_tmpdir(), names[i]);
        write_key(c, path);
        CHECK_OK(cuzk_zkey_open(&z, path, CUZK_POINT_ON_CURVE, &err), &err);
        CHECK_U64(cuzk_zkey_get_info(z)->n_constraints, c->n_rows);
        CHECK_U64(cuzk_zkey_get_info(z)->n_contributions, 0);
        check_rows(cuzk_zkey_circuit(z), c);
        CHECK_OK(cuzk_zkey_check_points(z, CUZK_POINT_IN_SUBGROUP, NULL, NULL, &err), &err);
        prove_and_verify(names[i], z, CUZK_VERIFY_OK);
        cuzk_zkey_close(z);
        cuzk_circuit_destroy(c);
    }
}

/* snarkjs's rows of the same circuit, and ours: also the same order of wires. */
static void rows_agree_with_snarkjs(void)
{
    for (size_t i = 0; i < 3; i++) {
        size_t n;
        uint8_t *d = read_vector("snarkjs", circuits[i], ".zkey", &n);
        cuzk_zkey *z = open_ok(d, n);
        cuzk_circuit *c = compile(circuits[i]);
        check_rows(cuzk_zkey_circuit(z), c);
        cuzk_circuit_destroy(c);
        cuzk_zkey_close(z);
        free(d);
    }
}

/* Sections and coefficients may come in any order. */
static void any_order(void)
{
    size_t n, m;
    uint8_t *d = read_vector("snarkjs", "mixed", ".zkey", &n);
    cut c = cut_up(d, n), r = {.count = c.count};
    for (size_t i = 0; i < c.count; i++) {
        r.s[i] = c.s[c.count - 1 - i];
        if (r.s[i].id == 4) {
            uint8_t *terms = r.s[i].d + 4;
            const size_t k = (r.s[i].n - 4) / 44;
            for (size_t a = 0; a + 1 < k; a++) { /* all but the last, which is a public row */
                const size_t b = a + test_below(k - 1 - a);
                uint8_t t[44];
                memcpy(t, terms + 44 * a, 44);
                memmove(terms + 44 * a, terms + 44 * b, 44);
                memcpy(terms + 44 * b, t, 44);
            }
        }
    }
    uint8_t *e = join(&r, &m);
    cuzk_zkey *z = open_ok(e, m);
    prove_and_verify("mixed", z, CUZK_VERIFY_OK);
    cuzk_circuit *circuit = compile("mixed");
    check_rows(cuzk_zkey_circuit(z), circuit);
    cuzk_circuit_destroy(circuit);
    cuzk_zkey_close(z);
    free(e);
    free(d);
}

static void sections_missing_twice_or_cut(void)
{
    size_t n, m;
    uint8_t *d = read_vector("snarkjs", "mixed", ".zkey", &n);
    const cut c = cut_up(d, n);
    CHECK_U64(c.count, 10);
    for (size_t i = 0; i < c.count; i++) {
        char text[40];
        const uint32_t id = c.s[i].id;
        cut x = c;
        memmove(&x.s[i], &x.s[i + 1], (c.count - i - 1) * sizeof(x.s[0]));
        x.count--;
        uint8_t *e = join(&x, &m);
        (void)snprintf(text, sizeof(text), "section %u (", id);
        if (id == 10) { /* the list of contributions is not needed */
            cuzk_zkey_close(open_ok(e, m));
        } else {
            expect(e, m, CUZK_E_FORMAT, text);
        }
        x.s[x.count] = x.s[0]; /* back to ten, with one there twice */
        x.count++;
        free(e);
        e = join(&x, &m);
        expect(e, m, CUZK_E_FORMAT, "is there twice");
        free(e);
        x = c;
        x.s[i].n -= id == 10 ? x.s[i].n : 1;
        e = join(&x, &m);
        (void)snprintf(text, sizeof(text), "section %u (", id);
        expect(e, m, CUZK_E_FORMAT, text);
        free(e);
    }
    expect(d, n - 1, CUZK_E_FORMAT, "the file is truncated");
    expect(d, 100, CUZK_E_FORMAT, "the file is truncated");
    expect(d, 12, CUZK_E_FORMAT, "file ends after 0 of 10 sections");
    free(d);
}

static void bad_content_is_named(void)
{
    size_t n;
    uint8_t *d = read_vector("snarkjs", "mixed", ".zkey", &n);
    const cut c = cut_up(d, n);
    uint8_t *by_id[11] = {NULL};
    for (size_t i = 0; i < c.count; i++) {
        by_id[c.s[i].id] = c.s[i].d;
    }
    /* Header: q length 0, q 4, r length 52, r 56, nVars 88, nPublic 92, domain 96, points 100. */
    static const struct {
        uint32_t id;
        size_t at;
        uint8_t v;
        cuzk_status st;
        const char *text;
    } t[] = {{1, 0, 2, CUZK_E_UNSUPPORTED, "key is for PLONK, not Groth16"},
             {1, 0, 10, CUZK_E_UNSUPPORTED, "key is for FFLONK, not Groth16"},
             {2, 0, 49, CUZK_E_UNSUPPORTED, "field prime is not that of BLS12-381"},
             {2, 5, 0, CUZK_E_UNSUPPORTED, "field prime is not that of BLS12-381"},
             {2, 58, 77, CUZK_E_UNSUPPORTED, "field prime is not that of BLS12-381"},
             {2, 88, 28, CUZK_E_FORMAT, "section 8 (C) has"},
             {2, 92, 29, CUZK_E_FORMAT, "29 wires cannot have 29 public ones and ONE"},
             {2, 96, 33, CUZK_E_FORMAT, "domain size 33 is not a power of two"},
             {2, 96, 64, CUZK_E_FORMAT, "section 9 (H) has"},
             {2, 100, 1, CUZK_E_NOT_ON_CURVE, "verifying key, alpha in G 1"},
             {2, 147, 0xff, CUZK_E_ENCODING, "verifying key, alpha in G 1"},
             {2, 300, 1, CUZK_E_NOT_ON_CURVE, "verifying key, beta in G 2"},
             {3, 96, 1, CUZK_E_NOT_ON_CURVE, "verifying key, IC 1"},
             {4, 0, 64, CUZK_E_FORMAT, "section 4 (coefficients) has a wrong size"},
             {4, 4, 2, CUZK_E_FORMAT, "coefficient 0 is out of range (matrix 2"},
             {4, 8, 32, CUZK_E_FORMAT, "coefficient 0 is out of range"},
             {4, 12, 29, CUZK_E_FORMAT, "coefficient 0 is out of range"},
             {4, 47, 0xff, CUZK_E_FORMAT, "value of coefficient 0 is not below r"}};
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        uint8_t *p = by_id[t[i].id] + t[i].at, keep = *p;
        CHECK(keep != t[i].v);
        *p = t[i].v;
        expect(d, n, t[i].st, t[i].text);
        *p = keep;
    }
    /* The last coefficient is the row of the last public wire. */
    uint8_t *last = by_id[4] + 4 + 44 * (size_t)(cuzk_load_u32_le(by_id[4]) - 1);
    last[8] ^= 1;
    expect(d, n, CUZK_E_FORMAT, "does not end with one row per public wire");
    last[8] ^= 1;
    last[12] ^= 1;
    expect(d, n, CUZK_E_FORMAT, "does not end with one row per public wire");
    last[12] ^= 1;
    free(d);
}

/* Points other than the verifying key's are checked when they are read. */
static void bad_points_are_named(void)
{
    size_t n;
    uint8_t *d = read_vector("snarkjs", "mixed", ".zkey", &n);
    const cut c = cut_up(d, n);
    for (size_t i = 0; i < c.count; i++) {
        static const char *const names[11] = {
            [5] = "A", [6] = "B1", [7] = "B2", [8] = "C", [9] = "H"};
        const uint32_t id = c.s[i].id;
        if (names[id] == NULL) {
            continue;
        }
        const size_t point = id == 7 ? 192 : 96, index = 3;
        uint8_t *p = c.s[i].d + index * point;
        for (int kind = 0; kind < 2; kind++) {
            char text[80];
            cuzk_err err;
            const size_t at = kind == 0 ? 47 : 1; /* out of range; off the curve */
            const uint8_t keep = p[at];
            p[at] = kind == 0 ? 0xff : (uint8_t)(keep ^ 0x55);
            cuzk_zkey *z = open_ok(d, n);
            CHECK_STATUS(cuzk_zkey_check_points(z, CUZK_POINT_ON_CURVE, NULL, NULL, &err),
                         kind == 0 ? CUZK_E_ENCODING : CUZK_E_NOT_ON_CURVE);
            (void)snprintf(text, sizeof(text), "k.zkey: point 3 of section %u (%s)", id, names[id]);
            CHECK_MSG(strstr(err.msg, text) != NULL, "message: %s", err.msg);
            cuzk_zkey_close(z);
            p[at] = keep;
        }
    }
    free(d);
}

/* A key with a wrong base, or rows of another circuit, gives a proof that does not verify. */
static void wrong_base_gives_a_false_proof(void)
{
    size_t n;
    uint8_t *d = read_vector("snarkjs", "mixed", ".zkey", &n);
    const cut c = cut_up(d, n);
    for (size_t i = 0; i < c.count; i++) {
        if (c.s[i].id != 9) {
            continue;
        }
        uint8_t t[96];
        memcpy(t, c.s[i].d, 96);
        memcpy(c.s[i].d, c.s[i].d + 96, 96);
        memcpy(c.s[i].d + 96, t, 96);
    }
    cuzk_zkey *z = open_ok(d, n);
    prove_and_verify("mixed", z, CUZK_VERIFY_E_PROOF_FALSE);
    cuzk_zkey_close(z);
    free(d);
}

static void mutations_are_survived(void)
{
    size_t n, refused = 0;
    uint8_t *d = read_vector("snarkjs", "multiplier2", ".zkey", &n);
    for (size_t k = 0; k < n; k += 1 + test_below(3)) {
        cuzk_zkey *z = NULL;
        const uint8_t keep = d[k];
        d[k] = (uint8_t)test_u64();
        if (cuzk_zkey_open_bytes(&z, d, n, "k", CUZK_POINT_ON_CURVE, NULL) == CUZK_OK) {
            cuzk_zkey_close(z);
        } else {
            refused++;
        }
        d[k] = keep;
    }
    CHECK(refused > 100);
    free(d);
}

/* A key is the same from a file as from bytes, and so is what is wrong with it. */
static void file_is_like_bytes(void)
{
    char path[512];
    size_t n;
    uint8_t *d = read_vector("snarkjs", "multiplier2", ".zkey", &n);
    (void)snprintf(path, sizeof(path), "%s/k.zkey", test_tmpdir());
    for (size_t len = n;; len -= len < 40 ? 1 : 1 + test_below(40)) {
        cuzk_zkey *a = NULL, *b = NULL;
        cuzk_err ea = {.msg = ""}, eb = {.msg = ""};
        CHECK_OK(cuzk_file_write_all(path, d, len, true, &ea), &ea);
        const cuzk_status sa = cuzk_zkey_open(&a, path, CUZK_POINT_ON_CURVE, &ea);
        CHECK_STATUS(cuzk_zkey_open_bytes(&b, d, len, path, CUZK_POINT_ON_CURVE, &eb), sa);
        if (len == n) {
            CHECK_OK(sa, &ea);
            prove_and_verify("multiplier2", a, CUZK_VERIFY_OK);
        } else {
            CHECK(sa == CUZK_E_FORMAT);
            CHECK_STR(ea.msg, eb.msg);
        }
        cuzk_zkey_close(a);
        cuzk_zkey_close(b);
        if (len == 0) {
            break;
        }
    }
    free(d);
}

/* A key whose file loses its end while it is open: E_IO with the file's name. */
static void file_cut_while_open(void)
{
    char path[512];
    size_t n;
    cuzk_zkey *z = NULL;
    cuzk_err err;
    uint8_t *d = read_vector("snarkjs", "multiplier2", ".zkey", &n);
    (void)snprintf(path, sizeof(path), "%s/k.zkey", test_tmpdir());
    CHECK_OK(cuzk_file_write_all(path, d, n, true, &err), &err);
    CHECK_OK(cuzk_zkey_open(&z, path, CUZK_POINT_ON_CURVE, &err), &err);
    CHECK_OK(cuzk_zkey_check_points(z, CUZK_POINT_IN_SUBGROUP, NULL, NULL, &err), &err);
    for (size_t len = 0; len < n / 2; len += 1 + test_below(200)) {
        CHECK(truncate(path, (off_t)len) == 0);
        CHECK_STATUS(cuzk_zkey_check_points(z, CUZK_POINT_ON_CURVE, NULL, NULL, &err), CUZK_E_IO);
        CHECK_MSG(strncmp(err.msg, path, strlen(path)) == 0, "%s", err.msg);
    }
    cuzk_zkey_close(z);
    free(d);
}

static void out_of_memory_opening(bool from_file)
{
    char path[512];
    size_t n;
    uint8_t *d = read_vector("snarkjs", "mixed", ".zkey", &n);
    (void)snprintf(path, sizeof(path), "%s/m.zkey", test_tmpdir());
    CHECK_OK(cuzk_file_write_all(path, d, n, true, NULL), NULL);
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    for (uint64_t nth = 1;; nth++) {
        cuzk_zkey *z = NULL;
        cuzk_alloc_fail_nth(nth, false);
        const cuzk_status st = from_file
                                   ? cuzk_zkey_open(&z, path, CUZK_POINT_ON_CURVE, NULL)
                                   : cuzk_zkey_open_bytes(&z, d, n, "k", CUZK_POINT_ON_CURVE, NULL);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            CHECK(nth > 5);
            cuzk_zkey_close(z);
            break;
        }
        CHECK_STATUS(st, CUZK_E_NOMEM);
        CHECK(z == NULL);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
    }
    free(d);
}

static void out_of_memory(void)
{
    out_of_memory_opening(false);
    out_of_memory_opening(true);
}

/* Writing: a failure leaves no file. */
static void out_of_memory_writing(void)
{
    char path[160];
    cuzk_toxic toxic;
    cuzk_srs *srs = NULL;
    cuzk_err err;
    const cuzk_setup_opts opts = {.kind = CUZK_QUOTIENT_ODD_COSET};
    cuzk_circuit *c = compile("mixed");
    (void)snprintf(path, sizeof(path), "%s/k.zkey", test_tmpdir());
    cuzk_toxic_from_seed(&toxic, 3);
    CHECK_OK(cuzk_setup_create(&srs, c, &toxic, &opts, NULL, NULL, &err), &err);
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    for (uint64_t nth = 1;; nth++) {
        cuzk_alloc_fail_nth(nth, false);
        const cuzk_status st = cuzk_zkey_write(path, c, srs, false, NULL, NULL);
        cuzk_alloc_fail_nth(0, false);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, blocks);
        if (st == CUZK_OK) {
            CHECK(nth > 5);
            break;
        }
        CHECK_STATUS(st, CUZK_E_NOMEM);
        FILE *f = fopen(path, "rb");
        CHECK(f == NULL);
    }
    cuzk_srs_close(srs);
    cuzk_circuit_destroy(c);
}

/* A service proves for ever: after each proof the memory is what it was before. */
static void many_proofs_keep_no_memory(void)
{
    size_t n;
    uint8_t *d = read_vector("snarkjs", "multiplier2", ".zkey", &n);
    cuzk_alloc_stats before = cuzk_alloc_get_stats();
    for (size_t i = 0; i < test_iters(40); i++) {
        cuzk_zkey *z = open_ok(d, n);
        prove_and_verify("multiplier2", z, CUZK_VERIFY_OK);
        cuzk_zkey_close(z);
        const cuzk_alloc_stats now = cuzk_alloc_get_stats();
        CHECK_U64(now.blocks_now, before.blocks_now);
        CHECK_U64(now.bytes_now, before.bytes_now);
        if (i == 0) {
            before.bytes_peak = now.bytes_peak;
        }
        CHECK_U64(now.bytes_peak, before.bytes_peak);
    }
    free(d);
}

static const cuzk_case cases[] = {CASE(snarkjs_files),
                                  CASE(our_keys),
                                  CASE(rows_agree_with_snarkjs),
                                  CASE(any_order),
                                  CASE(sections_missing_twice_or_cut),
                                  CASE(bad_content_is_named),
                                  CASE(bad_points_are_named),
                                  CASE(wrong_base_gives_a_false_proof),
                                  CASE(mutations_are_survived),
                                  CASE(many_proofs_keep_no_memory),
                                  CASE(file_is_like_bytes),
                                  CASE(file_cut_while_open),
                                  CASE(out_of_memory),
                                  CASE(out_of_memory_writing)};
TEST_MAIN("interop/zkey", cases)
