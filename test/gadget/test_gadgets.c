/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "circuit/golden.h"
#include "gadget/label.h"
#include "gadget/merkle.h"
#include "hash/sha256.h"

#include "test.h"

/* A fresh builder, and the golden transcript that its circuit shall have. */
typedef struct bench {
    cuzk_builder *b;
    cuzk_gadgets *g;
} bench;

static bench begin(uint32_t hashes)
{
    bench t = {NULL, NULL};
    cuzk_err err;
    CHECK_OK(cuzk_builder_create(&t.b, &err), &err);
    CHECK_OK(cuzk_gadgets_create(&t.g, t.b, hashes, &err), &err);
    return t;
}

static cuzk_circuit *end(bench *t)
{
    cuzk_circuit *c = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_builder_finish(t->b, &c, &err), &err);
    cuzk_gadgets_destroy(t->g);
    cuzk_builder_destroy(t->b);
    return c;
}

static void end_and_check(bench *t, const char *setup)
{
    golden_file file;
    golden_load(&file);
    const golden *want = golden_gadget(&file, setup);
    cuzk_circuit *c = end(t);
    golden_check_counts(c, want);
    golden_check_transcript(c, want);
    cuzk_circuit_destroy(c);
    golden_unload(&file);
}

static void fulls(const bench *t, cuzk_var *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        out[i] = cuzk_builder_full(t->b);
    }
}

static void bits(const bench *t, cuzk_bool *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        out[i] = cuzk_bool_alloc(t->b);
    }
}

static void poseidon(void)
{
    static const struct {
        cuzk_gadget_hash hash;
        unsigned arity;
        const char *setup;
    } t[] = {{CUZK_GADGET_POSEIDON_2, 2, "poseidon_2: "},
             {CUZK_GADGET_POSEIDON_4, 4, "poseidon_4: "},
             {CUZK_GADGET_POSEIDON_8, 8, "poseidon_8: "},
             {CUZK_GADGET_POSEIDON_11, 11, "poseidon_11: "},
             {CUZK_GADGET_RANDOMNESS, 2, "poseidon_2 with tag 2^40"}};
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        bench x = begin(1u << t[i].hash);
        cuzk_var in[11];
        fulls(&x, in, t[i].arity);
        (void)cuzk_gadget_poseidon(x.g, t[i].hash, in);
        end_and_check(&x, t[i].setup);
    }
}

static void to_bits(void)
{
    bench x = begin(0);
    cuzk_bool out[CUZK_FR_BITS];
    cuzk_num_to_bits(x.b, out, cuzk_builder_full(x.b));
    end_and_check(&x, "to_bits_le");
}

static void sha256(void)
{
    bench x = begin(0);
    cuzk_bool in[512];
    cuzk_word out[8];
    bits(&x, in, 512);
    cuzk_sha256_gadget_init(&x.g->sha);
    cuzk_sha256_gadget_update(x.b, &x.g->sha, in, 512);
    cuzk_sha256_gadget_final(x.b, out, &x.g->sha);
    end_and_check(&x, "sha256: 512 AllocatedBits");
}

static void sha256_compression(void)
{
    bench x = begin(0);
    cuzk_bool in[512];
    bits(&x, in, 512);
    cuzk_sha256_gadget_init(&x.g->sha);
    cuzk_sha256_gadget_update(x.b, &x.g->sha, in, 512);
    end_and_check(&x, "sha256 compression");
}

/* bellperson's own counts: an all-variable block after the constant IV; no rows for constants. */
static void sha256_counts(void)
{
    bench x = begin(0);
    cuzk_bool in[512];
    bits(&x, in, 512);
    cuzk_sha256_gadget_init(&x.g->sha);
    cuzk_sha256_gadget_update(x.b, &x.g->sha, in, 512);
    CHECK_U64(cuzk_builder_n_rows(x.b), 512 + 25840);
    cuzk_circuit_destroy(end(&x));

    x = begin(0);
    uint8_t msg[120], want[32];
    test_bytes(msg, sizeof(msg));
    cuzk_sha256_digest(want, msg, sizeof(msg));
    cuzk_word out[8];
    cuzk_sha256_gadget_init(&x.g->sha);
    for (size_t i = 0; i < 8 * sizeof(msg); i++) {
        const cuzk_bool bit = cuzk_bool_const((msg[i / 8] >> (7 - i % 8) & 1) != 0);
        cuzk_sha256_gadget_update(x.b, &x.g->sha, &bit, 1);
    }
    cuzk_sha256_gadget_final(x.b, out, &x.g->sha);
    CHECK_U64(cuzk_builder_n_rows(x.b), 0);
    for (size_t i = 0; i < 256; i++) {
        const cuzk_bool bit = out[i / 32].bit[31 - i % 32];
        CHECK(cuzk_bool_is_const(bit));
        CHECK(cuzk_bool_is_true(bit) == ((want[i / 8] >> (7 - i % 8) & 1) != 0));
    }
    cuzk_circuit_destroy(end(&x));
}

static void sha256_pair(void)
{
    bench x = begin(0);
    cuzk_var in[2];
    fulls(&x, in, 2);
    (void)cuzk_gadget_sha256_pair(x.g, in[0], in[1]);
    end_and_check(&x, "sha256 2-leaf domain hash");
}

static void insert(void)
{
    static const char *const setup[3] = {"insert_2", "insert_4", "insert_8"};
    for (unsigned lg = 1; lg <= 3; lg++) {
        bench x = begin(0);
        cuzk_var elem, siblings[7], out[8];
        cuzk_bool index[3];
        fulls(&x, &elem, 1);
        bits(&x, index, lg);
        fulls(&x, siblings, (1u << lg) - 1);
        cuzk_gadget_insert(x.b, out, elem, index, siblings, 1u << lg);
        end_and_check(&x, setup[lg - 1]);
    }
}

static void select_one(void)
{
    bench x = begin(0);
    cuzk_var table[8];
    cuzk_bool index[3];
    fulls(&x, table, 8);
    bits(&x, index, 3);
    (void)cuzk_num_select(x.b, table, index, 3);
    end_and_check(&x, "select: 8 nums");
}

static void por(void)
{
    static const struct {
        cuzk_gadget_tree tree;
        const char *setup;
    } t[] = {{{true, 6, {2, 2, 2, 2, 2, 2}}, "PoR TreeD 64 leaves 2-0-0"},
             {{false, 2, {8, 8}}, "PoR TreeR 64 leaves 8-0-0"},
             {{false, 3, {8, 8, 2}}, "PoR 128 leaves 8-2-0"},
             {{false, 3, {8, 8, 8}}, "PoR 512 leaves 8-8-0"},
             {{false, 4, {8, 8, 8, 2}}, "PoR 1024 leaves 8-8-2"}};
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        bench x = begin(1u << CUZK_GADGET_POSEIDON_2 | 1u << CUZK_GADGET_POSEIDON_8);
        cuzk_var v[2]; /* leaf, root */
        fulls(&x, v, 2);
        cuzk_gadget_por(x.g, &t[i].tree, v[0], v[1]);
        end_and_check(&x, t[i].setup);
    }
}

static void label(void)
{
    bench x = begin(0);
    cuzk_bool le[CUZK_FR_BITS], node[64];
    cuzk_sha_node *n = calloc(1 + CUZK_LABEL_ALL_PARENTS, sizeof(*n)); /* replica_id, parents */
    CHECK(n != NULL);
    for (int i = 0; i < 1 + CUZK_LABEL_ALL_PARENTS; i++) {
        cuzk_num_to_bits(x.b, le, cuzk_builder_full(x.b));
        cuzk_num_bits_to_sha(n[i].bit, le);
    }
    bits(&x, node, 64);
    (void)cuzk_gadget_label(x.g, &n[0], 2, node, &n[1], CUZK_LABEL_ALL_PARENTS);
    free(n);
    end_and_check(&x, "create_label layer 2");
}

/*
 * Booleans against truth tables, through the rows that they make: for every mix of constants, wires
 * and negations, the rows must determine the result wires and give the right value.
 */
typedef struct tiny {
    cuzk_bool in[3];
    unsigned n_wires;
} tiny;

/* choice in base 4: constant 0, constant 1, wire, negated wire. */
static tiny operands(cuzk_builder *b, unsigned choice, unsigned n)
{
    tiny t;
    t.n_wires = 0;
    for (unsigned i = 0; i < n; i++, choice /= 4) {
        t.in[i] =
            choice % 4 < 2 ? cuzk_bool_const(choice % 4 == 1) : cuzk_bool_is(cuzk_builder_bit(b));
        t.n_wires += choice % 4 >= 2;
        t.in[i] = choice % 4 == 3 ? cuzk_bool_not(t.in[i]) : t.in[i];
    }
    return t;
}

/* Value of x when bit wire i has the value of bit i of w. */
static bool value(cuzk_bool x, unsigned w)
{
    const bool v = cuzk_bool_is_const(x) || (w >> cuzk_var_index(cuzk_bool_var(x)) & 1) != 0;
    return v != cuzk_bool_is_negated(x);
}

static int64_t side(const cuzk_matrix *m, const uint32_t **p, uint64_t row, unsigned w,
                    const cuzk_fr *coeffs)
{
    int64_t sum = 0;
    const uint32_t *end_of_row = *p + m->len[row];
    while (*p < end_of_row) {
        uint32_t coef;
        const cuzk_var v = cuzk_term_next(p, &coef);
        cuzk_fr minus;
        cuzk_fr_neg(&minus, &coeffs[coef]);
        cuzk_scalar s, t;
        cuzk_fr_to_scalar(&s, &coeffs[coef]);
        cuzk_fr_to_scalar(&t, &minus);
        const int64_t k = s.l[1] == 0 ? (int64_t)s.l[0] : -(int64_t)t.l[0];
        sum += v == CUZK_VAR_ONE || (w >> cuzk_var_index(v) & 1) != 0 ? k : 0;
    }
    return sum;
}

static bool satisfied(const cuzk_circuit *c, unsigned w)
{
    const uint32_t *p[3] = {c->preamble.m[0].words, c->preamble.m[1].words, c->preamble.m[2].words};
    bool good = true;
    for (uint64_t r = 0; r < c->n_rows; r++) {
        int64_t v[3];
        for (int i = 0; i < 3; i++) {
            v[i] = side(&c->preamble.m[i], &p[i], r, w, c->coeffs);
        }
        good = good && v[0] * v[1] == v[2];
    }
    return good;
}

typedef enum op { XOR, AND, CH, MAJ, N_OPS } op;

static bool want_value(op o, bool x, bool y, bool z)
{
    switch (o) {
    case XOR: return x != y;
    case AND: return x && y;
    case CH: return x ? y : z;
    case MAJ:
    case N_OPS:
    default: return x + y + z >= 2;
    }
}

static cuzk_bool apply(cuzk_builder *b, op o, const cuzk_bool *in)
{
    switch (o) {
    case XOR: return cuzk_bool_xor(b, in[0], in[1]);
    case AND: return cuzk_bool_and(b, in[0], in[1]);
    case CH: return cuzk_bool_ch(b, in[0], in[1], in[2]);
    case MAJ:
    case N_OPS:
    default: return cuzk_bool_maj(b, in[0], in[1], in[2]);
    }
}

static void booleans(void)
{
    for (op o = XOR; o < N_OPS; o++) {
        const unsigned n = o < CH ? 2 : 3;
        for (unsigned choice = 0; choice < 1u << 2 * n; choice++) {
            bench x = begin(0);
            const tiny t = operands(x.b, choice, n);
            const cuzk_bool r = apply(x.b, o, t.in);
            cuzk_circuit *c = end(&x);
            CHECK_U64(c->n_fulls, 0);
            unsigned n_good = 0;
            for (unsigned w = 0; w < 1u << c->n_aux; w++) {
                if (!satisfied(c, w)) {
                    continue;
                }
                n_good++;
                CHECK_U64(value(r, w), want_value(o, value(t.in[0], w), value(t.in[1], w),
                                                  n == 3 && value(t.in[2], w)));
            }
            CHECK_U64(n_good, 1u << t.n_wires); /* the operands decide everything */
            cuzk_circuit_destroy(c);
        }
    }
}

static void out_of_memory(void)
{
    const uint64_t before = cuzk_alloc_get_stats().blocks_now;
    cuzk_err err;
    for (uint64_t n = 1;; n++) {
        cuzk_builder *b = NULL;
        cuzk_gadgets *g = NULL;
        CHECK_OK(cuzk_builder_create(&b, &err), &err);
        cuzk_alloc_fail_nth(n, false);
        const cuzk_status st = cuzk_gadgets_create(
            &g, b, 1u << CUZK_GADGET_POSEIDON_2 | 1u << CUZK_GADGET_RANDOMNESS, NULL);
        cuzk_alloc_fail_nth(0, false);
        cuzk_circuit *c = NULL;
        const cuzk_status built = st == CUZK_OK ? cuzk_builder_finish(b, &c, NULL) : st;
        CHECK(built == CUZK_OK || built == CUZK_E_NOMEM);
        cuzk_gadgets_destroy(g);
        cuzk_builder_destroy(b);
        cuzk_circuit_destroy(c);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
        if (built == CUZK_OK) {
            CHECK(n > 4);
            break;
        }
    }
}

static const cuzk_case cases[] = {
    CASE(poseidon),      CASE(to_bits),     CASE(sha256),   CASE(sha256_compression),
    CASE(sha256_counts), CASE(sha256_pair), CASE(insert),   CASE(select_one),
    CASE(por),           CASE(label),       CASE(booleans), CASE(out_of_memory)};
TEST_MAIN("gadget/gadgets", cases)
