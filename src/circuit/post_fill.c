/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Witness of a WinningPoSt or WindowPoSt partition, in the order that circuit/post.c states at its top. */
#include "circuit/fill.h"
#include "circuit/path_witness.h"

typedef struct post_fill {
    cuzk_witness *w;
    const cuzk_post_input *in;
    bool is_window;
    const cuzk_hashes *h;
} post_fill;

#define BLOCKS_AT_ONCE  4u /* of a WindowPoSt: 40 paths, five full vectors of hashes */
#define WINNING_AT_ONCE 8u
#define PATH_WORDS      4u /* room for the bits of a path: at most 31 index bits and 20 selectors */

CUZK_STATIC_ASSERT(BLOCKS_AT_ONCE *CUZK_WINDOW_CHALLENGES <= CUZK_WIT_PATHS, "paths at once");

static void fill_header(cuzk_witness_writer *w, const post_fill *f, const cuzk_post_sector *s)
{
    cuzk_fr in[2], v;
    cuzk_write_node(w, &s->comm_r_last, &in[1]);
    cuzk_write_node(w, &s->comm_c, &in[0]);
    cuzk_write_node(w, &s->comm_r, &v);
    cuzk_write_input(w, &v);
    cuzk_wit_poseidon(w, &v, f->h->p2, NULL, in);
}

/* The paths being written side by side. */
typedef struct side_by_side {
    size_t n;
    cuzk_witness_writer w[CUZK_WIT_PATHS];
    const cuzk_merkle_proof *proof[CUZK_WIT_PATHS];
    cuzk_fr leaf[CUZK_WIT_PATHS];
    uint64_t bits[CUZK_WIT_PATHS][PATH_WORDS];
} side_by_side;

static void add_path(side_by_side *s, const cuzk_witness_writer *w, const cuzk_merkle_proof *p)
{
    s->w[s->n] = *w;
    s->proof[s->n] = p;
    cuzk_write_node(&s->w[s->n], &p->leaf, &s->leaf[s->n]);
    s->n++;
}

/* Appends the bits of path k, which were collected apart: they do not begin at a word. */
static void append_bits(cuzk_witness_writer *w, const side_by_side *s, size_t k)
{
    const cuzk_witness_writer *from = &s->w[k];
    for (const uint64_t *p = s->bits[k]; p < from->bits; p++) {
        cuzk_write_bits(w, *p, 64);
    }
    cuzk_write_bits(w, from->acc, from->n_acc);
    w->bad = w->bad || from->bad;
}

static cuzk_status fill_winning(const post_fill *f, size_t begin, size_t n)
{
    side_by_side s;
    const cuzk_circuit_part *part = &f->w->circuit->block;
    s.n = 0;
    for (size_t i = 0; i < n; i++) {
        cuzk_witness_writer w;
        cuzk_writer_init(&w, cuzk_witness_block(f->w, begin + i));
        fill_header(&w, f, &f->in->sectors[0]);
        add_path(&s, &w, &f->in->sectors[0].proofs[begin + i]);
    }
    cuzk_wit_por_many(s.w, s.n, s.leaf, s.proof, f->h);
    for (size_t i = 0; i < n; i++) {
        CUZK_TRY(cuzk_writer_end(&s.w[i], part, cuzk_witness_block(f->w, begin + i)));
    }
    return CUZK_OK;
}

static cuzk_status fill_window(const post_fill *f, size_t begin, size_t n)
{
    side_by_side s;
    const cuzk_circuit_part *part = &f->w->circuit->block;
    cuzk_witness_writer block[BLOCKS_AT_ONCE];
    const size_t header = 3 + cuzk_poseidon_trace_len(f->h->p2);
    const size_t path = (part->n_fulls - header) / CUZK_WINDOW_CHALLENGES;
    s.n = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t k = begin + i;
        const cuzk_post_sector *sector =
            &f->in->sectors[k < f->in->n_sectors ? k : f->in->n_sectors - 1];
        if (sector->n_proofs != CUZK_WINDOW_CHALLENGES) {
            return CUZK_E_SELFTEST;
        }
        cuzk_writer_init(&block[i], cuzk_witness_block(f->w, k));
        fill_header(&block[i], f, sector);
        for (size_t c = 0; c < CUZK_WINDOW_CHALLENGES; c++) {
            const cuzk_witness_part at = {block[i].inputs + c, s.bits[s.n],
                                          block[i].fulls + c * path};
            cuzk_witness_writer w;
            cuzk_writer_init(&w, at);
            add_path(&s, &w, &sector->proofs[c]);
        }
    }
    cuzk_wit_por_many(s.w, s.n, s.leaf, s.proof, f->h);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < CUZK_WINDOW_CHALLENGES; c++) {
            append_bits(&block[i], &s, i * CUZK_WINDOW_CHALLENGES + c);
        }
        const cuzk_witness_writer *last = &s.w[(i + 1) * CUZK_WINDOW_CHALLENGES - 1];
        block[i].fulls = last->fulls;
        block[i].inputs = last->inputs;
        CUZK_TRY(cuzk_writer_end(&block[i], part, cuzk_witness_block(f->w, begin + i)));
    }
    return CUZK_OK;
}

static cuzk_status fill_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const post_fill *f = arg;
    const size_t step = f->is_window ? BLOCKS_AT_ONCE : WINNING_AT_ONCE;
    (void)worker;
    for (size_t k = begin; k < end; k += step) {
        const size_t n = end - k < step ? end - k : step;
        CUZK_TRY(f->is_window ? fill_window(f, k, n) : fill_winning(f, k, n));
    }
    return CUZK_OK;
}

cuzk_status cuzk_post_fill(cuzk_witness *w, const cuzk_post_input *in, bool is_window,
                           const cuzk_hashes *h, cuzk_pool *pool, const cuzk_cancel *cancel,
                           cuzk_err *err)
{
    const uint64_t n_blocks = w->circuit->n_blocks;
    if (in->n_sectors == 0 ||
        (is_window ? in->n_sectors > n_blocks : in->sectors[0].n_proofs != n_blocks)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%u sectors for a circuit of %llu blocks",
                         in->n_sectors, (unsigned long long)n_blocks);
    }
    post_fill f = {w, in, is_window, h};
    const size_t grain = is_window ? BLOCKS_AT_ONCE : WINNING_AT_ONCE;
    const cuzk_status st = cuzk_parallel_for(pool, cancel, n_blocks, grain, fill_range, &f);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "PoSt witness: %s", cuzk_status_text(st));
    }
    return CUZK_OK;
}
