/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "msm/msm_core.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"

/* Points that one block of buckets leaves behind: its sum, and one sum per bit of the position. */
#define BLOCK_BITS   11u
#define BLOCK_POINTS (BLOCK_BITS + 1u)
CUZK_STATIC_ASSERT((1u << BLOCK_BITS) == MSM_SEGMENTS, "a block is what one task weighs");

/* One group of windows on its way through the three phases. */
typedef struct group_job {
    cuzk_msm_ctx *ctx;
    const cuzk_msm_table *table;
    const cuzk_msm_set *set;
    unsigned w0, w1;        /* windows */
    size_t first_part;      /* w0's first partition */
    size_t *pos;            /* [ranges][group_parts] where the range's next entry goes */
    size_t *part_begin;     /* [group_parts + 1] */
    uint64_t *entries;      /* by partition; bucket within it << 32 | entry */
    unsigned char *buckets; /* [group << c1] slots */
    unsigned block_bits;    /* a block is 2^block_bits buckets of one window */
    unsigned char *sums;    /* [blocks][block_bits + 1] affine: all, bit 0, bit 1, ... */
} group_job;

static void place(group_job *g)
{
    const cuzk_msm_plan *p = &g->set->plan;
    size_t at = 0;
    for (size_t q = 0; q < p->group_parts; q++) {
        g->part_begin[q] = at;
        for (size_t r = 0; r < g->set->ranges; r++) {
            g->pos[r * p->group_parts + q] = at;
            at += g->set->hist[r * p->parts + g->first_part + q];
        }
    }
    g->part_begin[p->group_parts] = at;
}

static cuzk_status scatter_ranges(void *arg, size_t begin, size_t end, unsigned worker)
{
    const group_job *g = arg;
    const cuzk_msm_set *s = g->set;
    const cuzk_msm_plan *p = &s->plan;
    const size_t first_bucket = (size_t)g->w0 << (p->c - 1);
    const size_t in_part = ((size_t)1 << p->low) - 1;
    (void)worker;
    for (size_t r = begin; r < end; r++) {
        size_t *pos = &g->pos[r * p->group_parts];
        for (size_t i = s->cut[r]; i < s->cut[r + 1]; i++) {
            for (unsigned e = 0; e < s->dim; e++) {
                const cuzk_i128 k = s->k[i * s->dim + e];
                const uint32_t ref = s->idx[i] << MSM_ENTRY_SHIFT | (e != 0 ? MSM_ENTRY_ENDO : 0);
                for (unsigned w = g->w0; w < g->w1; w++) {
                    const int32_t d = cuzk_msm_digit(p, k, w);
                    if (d != 0) {
                        const size_t b = cuzk_msm_bucket(p, w, d) - first_bucket;
                        g->entries[pos[b >> p->low]++] =
                            (uint64_t)(b & in_part) << 32 | ref | (d < 0 ? MSM_ENTRY_NEG : 0);
                    }
                }
            }
        }
    }
    return CUZK_OK;
}

static cuzk_status sum_partitions(void *arg, size_t begin, size_t end, unsigned worker)
{
    const group_job *g = arg;
    const cuzk_msm_plan *p = &g->set->plan;
    const size_t n_buckets = (size_t)1 << p->low;
    cuzk_msm_tree *t = &g->ctx->trees.t[worker];
    for (size_t q = begin; q < end; q++) {
        void *buckets = g->buckets + q * n_buckets * t->eng->slot_bytes;
        size_t at = g->part_begin[q];
        const size_t stop = g->part_begin[q + 1];
        bool fresh = true;
        do {
            const size_t n = stop - at < MSM_PIECE ? stop - at : MSM_PIECE;
            cuzk_msm_tree_buckets(t, g->table, &g->entries[at], n, buckets, n_buckets, fresh);
            at += n;
            fresh = false;
            if (cuzk_cancel_requested(g->ctx->cancel)) {
                return CUZK_E_CANCELLED;
            }
        } while (at < stop);
    }
    return CUZK_OK;
}

/* Unit of work: MSM_SEGMENTS buckets, one or more blocks. */
static cuzk_status weigh_blocks(void *arg, size_t begin, size_t end, unsigned worker)
{
    const group_job *g = arg;
    const cuzk_msm_plan *p = &g->set->plan;
    const size_t total = (size_t)p->group << (p->c - 1), block = (size_t)1 << g->block_bits;
    cuzk_msm_tree *t = &g->ctx->trees.t[worker];
    for (size_t u = begin; u < end; u++) {
        const size_t first = u * MSM_SEGMENTS;
        const size_t n = total - first < MSM_SEGMENTS ? total - first : MSM_SEGMENTS;
        unsigned char *slots = g->buckets + first * t->eng->slot_bytes;
        cuzk_msm_tree_weigh(t, slots, n, g->block_bits);
        for (size_t b = 0; b < n; b += block) {
            uint32_t idx[BLOCK_POINTS];
            idx[0] = (uint32_t)b;
            for (unsigned l = 0; l < g->block_bits; l++) {
                idx[l + 1] = (uint32_t)(b + ((size_t)1 << l));
            }
            t->eng->store(g->sums + (first + b) / block * (g->block_bits + 1) *
                                        t->eng->group->affine_bytes,
                          slots, idx, g->block_bits + 1);
        }
    }
    return CUZK_OK;
}

/*
 * sum = sum of (position + 1) * bucket over one window. With block sums A_j and bit sums O_jl:
 * sum_j A_j + 2^B sum_j j A_j + sum_l 2^l sum_j O_jl.
 */
static void window_sum(const group_job *g, unsigned w, cuzk_msm_acc *sum)
{
    const cuzk_msm_engine *eng = g->ctx->eng;
    const unsigned bits = g->block_bits;
    const size_t blocks = (size_t)1 << (g->set->plan.c - 1 - bits);
    const size_t stride = (bits + 1) * eng->group->affine_bytes;
    const unsigned char *s = g->sums + (w - g->w0) * blocks * stride;
    cuzk_msm_acc run;
    eng->group->acc_clear(sum);
    eng->group->acc_clear(&run);
    for (size_t j = blocks; j-- > 0;) {
        eng->group->acc_add_affine(&run, s + j * stride);
        if (j > 0) {
            eng->group->acc_add(sum, &run);
        }
    }
    for (unsigned l = bits; l-- > 0;) {
        eng->group->acc_dbl(sum);
        for (size_t j = 0; j < blocks; j++) {
            eng->group->acc_add_affine(sum, s + j * stride + (l + 1) * eng->group->affine_bytes);
        }
    }
    eng->group->acc_add(sum, &run);
}

static cuzk_status run_group(group_job *g, cuzk_msm_acc *sums)
{
    cuzk_msm_ctx *ctx = g->ctx;
    const cuzk_msm_plan *p = &g->set->plan;
    const size_t total = (size_t)p->group << (p->c - 1);
    place(g);
    CUZK_TRY(cuzk_parallel_for(ctx->pool, ctx->cancel, g->set->ranges, 1, scatter_ranges, g));
    CUZK_TRY(cuzk_parallel_for(ctx->pool, ctx->cancel, p->group_parts, 1, sum_partitions, g));
    CUZK_TRY(cuzk_parallel_for(ctx->pool, ctx->cancel, (total + MSM_SEGMENTS - 1) / MSM_SEGMENTS, 1,
                               weigh_blocks, g));
    for (unsigned w = g->w0; w < g->w1; w++) {
        window_sum(g, w, &sums[w]);
    }
    return CUZK_OK;
}

static size_t most_entries(const cuzk_msm_set *s)
{
    size_t most = 1;
    for (size_t q0 = 0; q0 < s->plan.parts; q0 += s->plan.group_parts) {
        size_t sum = 0;
        for (size_t r = 0; r < s->ranges; r++) {
            for (size_t q = 0; q < s->plan.group_parts; q++) {
                sum += s->hist[r * s->plan.parts + q0 + q];
            }
        }
        most = sum > most ? sum : most;
    }
    return most;
}

cuzk_status cuzk_msm_core(cuzk_msm_acc *acc, cuzk_msm_ctx *ctx, const cuzk_msm_table *table,
                          cuzk_msm_set *set)
{
    const cuzk_msm_plan *p = &set->plan;
    const cuzk_msm_engine *eng = ctx->eng;
    const size_t total = (size_t)p->group << (p->c - 1);
    cuzk_status st = CUZK_OK;
    group_job g = {.ctx = ctx, .table = table, .set = set};
    g.block_bits = p->c - 1 < BLOCK_BITS ? p->c - 1 : BLOCK_BITS;
    cuzk_msm_acc *sums = cuzk_alloc(p->windows, sizeof(*sums));
    g.pos = cuzk_alloc(set->ranges * p->group_parts, sizeof(*g.pos));
    g.part_begin = cuzk_alloc(p->group_parts + 1, sizeof(*g.part_begin));
    g.entries = cuzk_alloc(most_entries(set), sizeof(*g.entries));
    g.buckets = cuzk_alloc(total, eng->slot_bytes);
    g.sums = cuzk_alloc((total >> g.block_bits) * (g.block_bits + 1), eng->group->affine_bytes);
    if (sums == NULL || g.pos == NULL || g.part_begin == NULL || g.entries == NULL ||
        g.buckets == NULL || g.sums == NULL) {
        st = CUZK_FAIL(ctx->err, CUZK_E_NOMEM, "msm: no memory for the buckets of %zu scalars",
                       set->n);
        goto out;
    }
    for (unsigned w = 0; w < p->windows; w += p->group) {
        g.w0 = w;
        g.w1 = w + p->group < p->windows ? w + p->group : p->windows;
        g.first_part = w / p->group * p->group_parts;
        CUZK_TRY_GOTO(st, run_group(&g, sums));
    }
    cuzk_msm_acc all;
    eng->group->acc_clear(&all);
    for (unsigned w = p->windows; w-- > 0;) {
        for (unsigned b = 0; b < p->c && w + 1 < p->windows; b++) {
            eng->group->acc_dbl(&all);
        }
        eng->group->acc_add(&all, &sums[w]);
    }
    eng->group->acc_add(acc, &all);
out:
    cuzk_free(g.sums);
    cuzk_free(g.buckets);
    cuzk_free(g.entries);
    cuzk_free(g.part_begin);
    cuzk_free(g.pos);
    cuzk_free(sums);
    return st;
}

/* Items of one task of a flat sum: enough to spread the last levels of its tree thin. */
#define FLAT_TASK ((size_t)1 << 17)

typedef struct flat_job {
    cuzk_msm_ctx *ctx;
    const cuzk_msm_table *table;
    cuzk_msm_emit_fn emit;
    const void *arg;
    size_t n, task;
    unsigned char *sums; /* [tasks] affine */
} flat_job;

static cuzk_status flat_tasks(void *arg, size_t begin, size_t end, unsigned worker)
{
    const flat_job *f = arg;
    cuzk_msm_tree *t = &f->ctx->trees.t[worker];
    for (size_t k = begin; k < end; k++) {
        const size_t stop = (k + 1) * f->task < f->n ? (k + 1) * f->task : f->n;
        size_t have = 0;
        t->carried = 0;
        for (size_t i = k * f->task; i < stop;) {
            const size_t room = MSM_PIECE - have;
            const size_t next = stop - i < room ? stop : i + room;
            have += f->emit(f->arg, i, next, t->sorted + have);
            i = next;
            if (have > MSM_PIECE / 4 * 3 || i == stop) {
                cuzk_msm_tree_feed(t, f->table, t->sorted, have);
                have = 0;
                if (cuzk_cancel_requested(f->ctx->cancel)) {
                    return CUZK_E_CANCELLED;
                }
            }
        }
        cuzk_msm_tree_take(t, f->sums + k * t->eng->group->affine_bytes);
    }
    return CUZK_OK;
}

cuzk_status cuzk_msm_flat(cuzk_msm_acc *acc, cuzk_msm_ctx *ctx, const cuzk_msm_table *table,
                          size_t n, cuzk_msm_emit_fn emit, const void *arg)
{
    flat_job f = {.ctx = ctx, .table = table, .emit = emit, .arg = arg, .n = n};
    /* At least a piece per task; fewer items than threads * FLAT_TASK are spread evenly. */
    const size_t even = (n + ctx->trees.n - 1) / ctx->trees.n;
    f.task = even < FLAT_TASK ? even : FLAT_TASK;
    f.task = f.task < MSM_PIECE ? MSM_PIECE : f.task;
    const size_t tasks = (n + f.task - 1) / f.task;
    f.sums = cuzk_alloc(tasks, ctx->eng->group->affine_bytes);
    if (f.sums == NULL) {
        return CUZK_FAIL(ctx->err, CUZK_E_NOMEM, "msm: no memory for %zu partial sums", tasks);
    }
    const cuzk_status st = cuzk_parallel_for(ctx->pool, ctx->cancel, tasks, 1, flat_tasks, &f);
    for (size_t k = 0; k < tasks && st == CUZK_OK; k++) {
        ctx->eng->group->acc_add_affine(acc, f.sums + k * ctx->eng->group->affine_bytes);
    }
    cuzk_free(f.sums);
    return st;
}
