/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "msm/msm_core.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"

/* Points that one block of buckets leaves behind: its sum, and one sum per bit of the position. */
#define BLOCK_POINTS (MSM_BLOCK_BITS + 1u)
CUZK_STATIC_ASSERT((1u << MSM_BLOCK_BITS) == MSM_SEGMENTS, "a block fits what one task weighs");

/* One group of windows in the three phases. */
typedef struct group_job {
    cuzk_msm_ctx *ctx;
    const cuzk_msm_table *table;
    const cuzk_msm_set *set;
    unsigned w0, w1;        /* windows */
    size_t first_part;      /* w0's first partition */
    size_t *pos;            /* [ranges][group_parts] where the range's next entry goes */
    size_t *part_begin;     /* [group_parts + 1] */
    uint64_t *entries;      /* by partition; bucket within it << 32 | entry */
    unsigned char *buckets; /* [group_parts << low] slots */
    unsigned char *sums;    /* [group * blocks][block_bits + 1] affine: all, bit 0, bit 1, ... */
    cuzk_msm_acc *window;   /* [windows] */
} group_job;

void cuzk_msm_count(cuzk_msm_set *s, size_t r, size_t begin, size_t end)
{
    const cuzk_msm_plan *p = &s->plan;
    for (unsigned w = 0; w < p->windows; w++) {
        uint32_t *hist = &s->hist[r * p->parts + p->first_part[w]];
        const uint32_t *codes = s->codes + w * s->n;
        const size_t first = p->first_slot[w];
        for (size_t i = begin; i < end; i++) {
            if (codes[i] != MSM_CODE_NONE) {
                hist[(first + (codes[i] >> MSM_ENTRY_SHIFT)) >> p->low]++;
            }
        }
    }
}

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
    const size_t in_part = ((size_t)1 << p->low) - 1;
    (void)worker;
    for (size_t r = begin; r < end; r++) {
        size_t *pos = &g->pos[r * p->group_parts];
        for (unsigned w = g->w0; w < g->w1; w++) {
            const uint32_t *codes = s->codes + w * s->n;
            const size_t first = p->first_slot[w];
            for (size_t i = s->cut[r]; i < s->cut[r + 1]; i++) {
                if (codes[i] != MSM_CODE_NONE) {
                    const size_t b = first + (codes[i] >> MSM_ENTRY_SHIFT);
                    g->entries[pos[b >> p->low]++] =
                        (uint64_t)(b & in_part) << 32 |
                        (s->idx[i] << MSM_ENTRY_SHIFT | (codes[i] & MSM_ENTRY_UNIT));
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

/* Blocks that one task weighs, and of which the sums per bit are added up where they are of one
 * window: only the first of them, or of the window, has these. */
static size_t task_blocks(const cuzk_msm_plan *p)
{
    return MSM_SEGMENTS >> p->block_bits;
}

static bool has_bit_sums(const cuzk_msm_plan *p, size_t block)
{
    return block % task_blocks(p) == 0 || block % p->blocks == 0;
}

static unsigned char *block_sum(const group_job *g, size_t block, unsigned i)
{
    return g->sums + (block * (g->set->plan.block_bits + 1) + i) * g->ctx->eng->group->affine_bytes;
}

static cuzk_status weigh_blocks(void *arg, size_t begin, size_t end, unsigned worker)
{
    const group_job *g = arg;
    const cuzk_msm_plan *p = &g->set->plan;
    const size_t total = (size_t)(g->w1 - g->w0) * p->blocks, each = task_blocks(p);
    cuzk_msm_tree *t = &g->ctx->trees.t[worker];
    for (size_t u = begin; u < end; u++) {
        const size_t first = u * each, n = total - first < each ? total - first : each;
        unsigned char *slots = g->buckets + (first << p->block_bits) * t->eng->slot_bytes;
        cuzk_msm_tree_weigh(t, slots, n << p->block_bits, p->block_bits);
        cuzk_msm_tree_join(t, slots, n, p->block_bits, first, p->blocks);
        for (size_t b = 0; b < n; b++) {
            uint32_t idx[BLOCK_POINTS];
            idx[0] = (uint32_t)(b << p->block_bits);
            for (unsigned l = 0; l < p->block_bits; l++) {
                idx[l + 1] = idx[0] + (1u << l);
            }
            t->eng->store(block_sum(g, first + b, 0), slots, idx,
                          has_bit_sums(p, first + b) ? p->block_bits + 1 : 1);
        }
    }
    return CUZK_OK;
}

/* acc = 2 acc + the sums of bit l over the blocks [first, first + plan.blocks). */
static void horner_step(cuzk_msm_acc *acc, const group_job *g, size_t first, unsigned l)
{
    const cuzk_msm_group *group = g->ctx->eng->group;
    group->acc_dbl(acc);
    for (size_t b = first; b < first + g->set->plan.blocks; b++) {
        if (has_bit_sums(&g->set->plan, b)) {
            group->acc_add_affine(acc, block_sum(g, b, l + 1));
        }
    }
}

/*
 * The sum of (p + q zeta) B_pq over a window. With A_jk the sum over block (j, k), and O_l the sum of
 * the buckets with bit l of the position in their block set:
 * sum p B = sum A_jk + 2^p_bits sum j A_jk + sum over the bits l of p, sum q B = 2^q_bits sum k A_jk +
 * sum over the bits l of q.
 */
static void window_sum(const group_job *g, unsigned w)
{
    const cuzk_msm_plan *p = &g->set->plan;
    const cuzk_msm_group *group = g->ctx->eng->group;
    const size_t first = (size_t)(w - g->w0) * p->blocks;
    cuzk_msm_acc all, by_q, *by_p = &g->window[w];
    group->acc_clear(&all);
    group->acc_clear(&by_q);
    group->acc_clear(by_p);
    for (unsigned j = p->rows; j-- > 0;) {
        const size_t begin = cuzk_msm_plan_row(p, j), end = cuzk_msm_plan_row(p, j + 1);
        cuzk_msm_acc run;
        group->acc_clear(&run);
        for (size_t b = end; b-- > begin;) {
            group->acc_add_affine(&run, block_sum(g, first + b, 0));
            if (b > begin) {
                group->acc_add(&by_q, &run);
            }
        }
        group->acc_add(&all, &run);
        if (j > 0) {
            group->acc_add(by_p, &all);
        }
    }
    for (unsigned l = p->block_bits; l-- > p->q_bits;) {
        horner_step(by_p, g, first, l);
    }
    group->acc_add(by_p, &all);
    for (unsigned l = p->q_bits; l-- > 0;) {
        horner_step(&by_q, g, first, l);
    }
    group->acc_zeta(&by_q);
    group->acc_add(by_p, &by_q);
}

static cuzk_status sum_windows(void *arg, size_t begin, size_t end, unsigned worker)
{
    const group_job *g = arg;
    (void)worker;
    for (size_t w = begin; w < end; w++) {
        window_sum(g, g->w0 + (unsigned)w);
    }
    return CUZK_OK;
}

static cuzk_status run_group(group_job *g)
{
    cuzk_msm_ctx *ctx = g->ctx;
    const cuzk_msm_plan *p = &g->set->plan;
    const size_t windows = g->w1 - g->w0, each = task_blocks(p);
    place(g);
    CUZK_TRY(cuzk_parallel_for(ctx->pool, ctx->cancel, g->set->ranges, 1, scatter_ranges, g));
    CUZK_TRY(cuzk_parallel_for(ctx->pool, ctx->cancel, p->group_parts, 1, sum_partitions, g));
    CUZK_TRY(cuzk_parallel_for(ctx->pool, ctx->cancel, (windows * p->blocks + each - 1) / each, 1,
                               weigh_blocks, g));
    return cuzk_parallel_for(ctx->pool, ctx->cancel, windows, 1, sum_windows, g);
}

/* acc *= what one window is more than the next lower. */
static void shift_window(cuzk_msm_acc *acc, const cuzk_msm_plan *p, const cuzk_msm_group *group)
{
    if (!p->hex) {
        for (unsigned b = 0; b < p->c; b++) {
            group->acc_dbl(acc);
        }
        return;
    }
    const cuzk_msm_acc once = *acc;
    for (unsigned b = 31 - (unsigned)__builtin_clz(p->base.m); b-- > 0;) {
        group->acc_dbl(acc);
        if ((p->base.m >> b & 1) != 0) {
            group->acc_add(acc, &once);
        }
    }
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
    cuzk_status st = CUZK_OK;
    group_job g = {.ctx = ctx, .table = table, .set = set};
    g.window = cuzk_alloc(p->windows, sizeof(*g.window));
    g.pos = cuzk_alloc(set->ranges * p->group_parts, sizeof(*g.pos));
    g.part_begin = cuzk_alloc(p->group_parts + 1, sizeof(*g.part_begin));
    g.entries = cuzk_alloc(most_entries(set), sizeof(*g.entries));
    g.buckets = cuzk_alloc(p->group_parts << p->low, eng->slot_bytes);
    g.sums =
        cuzk_alloc((size_t)p->group * p->blocks * (p->block_bits + 1), eng->group->affine_bytes);
    if (g.window == NULL || g.pos == NULL || g.part_begin == NULL || g.entries == NULL ||
        g.buckets == NULL || g.sums == NULL) {
        st = CUZK_FAIL(ctx->err, CUZK_E_NOMEM, "msm: no memory for the buckets of %zu scalars",
                       set->n);
        goto out;
    }
    for (unsigned w = 0; w < p->windows; w += p->group) {
        g.w0 = w;
        g.w1 = w + p->group < p->windows ? w + p->group : p->windows;
        g.first_part = w / p->group * p->group_parts;
        CUZK_TRY_GOTO(st, run_group(&g));
    }
    cuzk_msm_acc all;
    eng->group->acc_clear(&all);
    for (unsigned w = p->windows; w-- > 0;) {
        if (w + 1 < p->windows) {
            shift_window(&all, p, eng->group);
        }
        eng->group->acc_add(&all, &g.window[w]);
    }
    eng->group->acc_add(acc, &all);
out:
    cuzk_free(g.sums);
    cuzk_free(g.buckets);
    cuzk_free(g.entries);
    cuzk_free(g.part_begin);
    cuzk_free(g.pos);
    cuzk_free(g.window);
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
