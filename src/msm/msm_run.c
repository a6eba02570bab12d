/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "msm/msm_run.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"

/*
 * Scalars come in four classes. Zeros, and whatever stands at an infinite base, are dropped. Ones
 * and minus ones go to a flat sum. Values below 2^64 go to buckets by signed digits, the others by
 * hexagonal ones.
 */
typedef enum scalar_class { CLASS_DROP, CLASS_UNIT, CLASS_SHORT, CLASS_FULL } scalar_class;

#define SHORT_BITS  64u
/* Short values are left among the full ones (where only their low digits cost) below this share. */
#define SHORT_SHARE 8

typedef struct range_count {
    size_t unit, small, full;
    uint64_t any_small; /* all small values or-ed */
} range_count;

typedef struct msm_run {
    cuzk_msm_ctx *ctx;
    const unsigned char *bases;
    const cuzk_scalar *scalars;
    size_t n, ranges;
    bool merge_small;               /* small ones are treated as full */
    range_count at[MSM_MAX_RANGES]; /* first the counts, then where each range writes */
    uint32_t *unit; /* entries, not indices; the two lists follow in the same block */
    uint32_t *idx_small, *idx_full;
    cuzk_msm_set small, full;
    void *endo_x;
} msm_run;

static size_t range_begin(const msm_run *x, size_t r)
{
    return (size_t)((cuzk_u128)x->n * r / x->ranges);
}

/* r - s when that is 1. */
static bool is_minus_one(const cuzk_scalar *s)
{
    return s->l[0] == 0xffffffff00000000ULL && s->l[1] == 0x53bda402fffe5bfeULL &&
           s->l[2] == 0x3339d80809a1d805ULL && s->l[3] == 0x73eda753299d7d48ULL;
}

static scalar_class classify(const cuzk_scalar *s)
{
    if ((s->l[1] | s->l[2] | s->l[3]) == 0) {
        return s->l[0] == 0 ? CLASS_DROP : s->l[0] == 1 ? CLASS_UNIT : CLASS_SHORT;
    }
    return is_minus_one(s) ? CLASS_UNIT : CLASS_FULL;
}

static cuzk_status count_ranges(void *arg, size_t begin, size_t end, unsigned worker)
{
    msm_run *x = arg;
    (void)worker;
    for (size_t r = begin; r < end; r++) {
        range_count c = {0, 0, 0, 0};
        const size_t stop = range_begin(x, r + 1);
        for (size_t i = range_begin(x, r); i < stop; i++) {
            const scalar_class k = classify(&x->scalars[i]);
            if (k == CLASS_FULL && !cuzk_scalar_is_canonical(&x->scalars[i])) {
                return CUZK_E_INVALID;
            }
            if (k == CLASS_DROP || x->ctx->eng->group->base_is_infinity(x->bases, i)) {
                continue;
            }
            c.unit += k == CLASS_UNIT;
            c.full += k == CLASS_FULL;
            if (k == CLASS_SHORT) {
                c.small++;
                c.any_small |= x->scalars[i].l[0];
            }
        }
        x->at[r] = c;
    }
    return CUZK_OK;
}

/* Turns counts into positions. Returns the totals. */
static range_count prefix(msm_run *x)
{
    range_count sum = {0, 0, 0, 0};
    for (size_t r = 0; r < x->ranges; r++) {
        sum.small += x->at[r].small;
        sum.full += x->at[r].full;
        sum.any_small |= x->at[r].any_small;
    }
    x->merge_small = sum.small < sum.full / SHORT_SHARE;
    range_count at = {0, 0, 0, sum.any_small};
    for (size_t r = 0; r < x->ranges; r++) {
        const range_count c = x->at[r];
        x->at[r] = at;
        x->small.cut[r] = at.small;
        x->full.cut[r] = at.full;
        at.unit += c.unit;
        at.small += x->merge_small ? 0 : c.small;
        at.full += c.full + (x->merge_small ? c.small : 0);
    }
    x->small.cut[x->ranges] = x->small.n = at.small;
    x->full.cut[x->ranges] = x->full.n = at.full;
    return at;
}

static void put_small(cuzk_msm_set *s, size_t at, uint64_t value)
{
    const cuzk_u128 biased = value + s->plan.bias;
    for (unsigned w = 0; w < s->plan.windows; w++) {
        s->codes[w * s->n + at] = cuzk_msm_signed_code(&s->plan, biased, w);
    }
}

/* Scalars on their way through cuzk_msm_hex_codes8_avx2: the last n elements. */
typedef struct hex_batch {
    size_t n;
    cuzk_hex_int z[8];
} hex_batch;

static void put_full(cuzk_msm_set *s, size_t at, const cuzk_scalar *value, hex_batch *b)
{
    cuzk_hex_reduce_hd(&b->z[b->n++], value->l);
#ifdef CUZK_MSM_AVX2
    if (cuzk_cpu_has(CUZK_CPU_AVX2)) {
        if (b->n == 8) {
            cuzk_msm_hex_codes8_avx2(&s->plan, b->z, s->codes + at - 7, s->n);
            b->n = 0;
        }
        return;
    }
#endif
    b->n = 0;
    cuzk_msm_hex_codes(&s->plan, &b->z[0], s->codes + at, s->n);
}

/* end: behind the last element. */
static void finish_full(cuzk_msm_set *s, size_t end, hex_batch *b)
{
    for (size_t k = 0; k < b->n; k++) {
        cuzk_msm_hex_codes(&s->plan, &b->z[k], s->codes + end - b->n + k, s->n);
    }
    b->n = 0;
}

static cuzk_status fill_ranges(void *arg, size_t begin, size_t end, unsigned worker)
{
    msm_run *x = arg;
    const cuzk_msm_engine *eng = x->ctx->eng;
    (void)worker;
    for (size_t r = begin; r < end; r++) {
        range_count at = x->at[r];
        const size_t stop = range_begin(x, r + 1);
        hex_batch batch = {.n = 0};
        for (size_t i = range_begin(x, r); i < stop; i++) {
            const cuzk_scalar *s = &x->scalars[i];
            scalar_class k = classify(s);
            if (k == CLASS_DROP || eng->group->base_is_infinity(x->bases, i)) {
                continue;
            }
            if (k == CLASS_UNIT) {
                x->unit[at.unit++] =
                    (uint32_t)i << MSM_ENTRY_SHIFT | (s->l[1] != 0 ? MSM_ENTRY_NEG : 0);
            } else if (k == CLASS_SHORT && !x->merge_small) {
                x->idx_small[at.small] = (uint32_t)i;
                put_small(&x->small, at.small++, s->l[0]);
            } else {
                x->idx_full[at.full] = (uint32_t)i;
                put_full(&x->full, at.full++, s, &batch);
            }
        }
        finish_full(&x->full, at.full, &batch);
        cuzk_msm_count(&x->small, r, x->at[r].small, at.small);
        cuzk_msm_count(&x->full, r, x->at[r].full, at.full);
        eng->endo(x->endo_x, x->bases, &x->idx_full[x->at[r].full], at.full - x->at[r].full);
    }
    return CUZK_OK;
}

static unsigned bit_length(uint64_t v)
{
    return v == 0 ? 0 : 64 - (unsigned)__builtin_clzll(v);
}

/* Gets the memory of a planned set. */
static cuzk_status set_up(cuzk_msm_set *s, cuzk_msm_ctx *ctx)
{
    s->codes = cuzk_alloc(s->n * s->plan.windows, sizeof(*s->codes));
    s->hist = cuzk_alloc_zero(s->ranges * s->plan.parts, sizeof(*s->hist));
    if (s->codes == NULL || s->hist == NULL) {
        return CUZK_FAIL(ctx->err, CUZK_E_NOMEM, "msm: no memory for %zu scalars", s->n);
    }
    return CUZK_OK;
}

static size_t copy_units(const void *arg, size_t begin, size_t end, uint32_t *out)
{
    memcpy(out, (const uint32_t *)arg + begin, (end - begin) * sizeof(*out));
    return end - begin;
}

static cuzk_status slice_steps(cuzk_msm_acc *acc, msm_run *x)
{
    cuzk_msm_ctx *ctx = x->ctx;
    CUZK_TRY(cuzk_parallel_for(ctx->pool, ctx->cancel, x->ranges, 1, count_ranges, x));
    const range_count sum = prefix(x);
    x->small.ranges = x->full.ranges = x->ranges;
    if (sum.small > 0) {
        cuzk_msm_plan_signed(&x->small.plan, ctx->eng, sum.small, bit_length(sum.any_small));
        CUZK_TRY(set_up(&x->small, ctx));
    }
    if (sum.full > 0) {
        cuzk_msm_plan_hex(&x->full.plan, ctx->eng, sum.full);
        CUZK_TRY(set_up(&x->full, ctx));
    }
    x->unit = cuzk_alloc(sum.unit + sum.small + sum.full, sizeof(*x->unit));
    x->endo_x = cuzk_alloc(sum.full > 0 ? x->n : 0, ctx->eng->group->affine_bytes);
    if (x->unit == NULL || x->endo_x == NULL) {
        return CUZK_FAIL(ctx->err, CUZK_E_NOMEM, "msm: no memory for %zu scalars", x->n);
    }
    x->idx_small = x->unit + sum.unit;
    x->idx_full = x->idx_small + sum.small;
    x->small.idx = x->idx_small;
    x->full.idx = x->idx_full;
    CUZK_TRY(cuzk_parallel_for(ctx->pool, ctx->cancel, x->ranges, 1, fill_ranges, x));
    const cuzk_msm_table table = {
        {x->bases, x->endo_x, (const unsigned char *)x->endo_x + ctx->eng->group->coord_bytes}};
    if (sum.unit > 0) {
        CUZK_TRY(cuzk_msm_flat(acc, ctx, &table, sum.unit, copy_units, x->unit));
    }
    if (sum.small > 0) {
        CUZK_TRY(cuzk_msm_core(acc, ctx, &table, &x->small));
    }
    if (sum.full > 0) {
        CUZK_TRY(cuzk_msm_core(acc, ctx, &table, &x->full));
    }
    return CUZK_OK;
}

/* acc += the sum over up to MSM_SLICE scalars. */
static cuzk_status run_slice(cuzk_msm_acc *acc, cuzk_msm_ctx *ctx, msm_run *x)
{
    const size_t threads = ctx->trees.n;
    x->ctx = ctx;
    x->ranges = x->n / 2048 + 1 < 4 * threads ? x->n / 2048 + 1 : 4 * threads;
    x->ranges = x->ranges < MSM_MAX_RANGES ? x->ranges : MSM_MAX_RANGES;
    const cuzk_status st = slice_steps(acc, x);
    cuzk_free(x->endo_x);
    cuzk_free(x->unit);
    cuzk_free(x->small.hist);
    cuzk_free(x->small.codes);
    cuzk_free(x->full.hist);
    cuzk_free(x->full.codes);
    return st;
}

/* Statuses of the parallel loops carry no message yet. */
static cuzk_status explain(cuzk_status st, cuzk_err *err)
{
    if (st == CUZK_E_CANCELLED) {
        return CUZK_FAIL(err, st, "msm: cancelled");
    }
    if (st == CUZK_E_INVALID) {
        return CUZK_FAIL(err, st, "msm: a scalar is not below the group order");
    }
    return st;
}

cuzk_status cuzk_msm_run(cuzk_msm_acc *acc, const cuzk_msm_run_cfg *cfg, const void *bases,
                         const cuzk_scalar *scalars, size_t n, unsigned nbits, cuzk_err *err)
{
    cuzk_msm_ctx ctx = {.eng = cfg->eng, .pool = cfg->pool, .cancel = cfg->cancel, .err = err};
    if (nbits < 1 || nbits > 255) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "msm: nbits is %u, not 1 to 255", nbits);
    }
    ctx.eng->group->acc_clear(acc);
    if (n <= MSM_DIRECT) {
        for (size_t i = 0; i < n; i++) {
            ctx.eng->group->acc_add_mul(
                acc, (const unsigned char *)bases + i * ctx.eng->group->affine_bytes, &scalars[i]);
        }
        return CUZK_OK;
    }
    msm_run *x = cuzk_alloc(1, sizeof(*x));
    if (x == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "msm: no memory for the state of a call");
    }
    const size_t slices = (n + MSM_SLICE - 1) / MSM_SLICE;
    cuzk_status st = cuzk_msm_trees_create(&ctx.trees, ctx.eng, cuzk_pool_threads(cfg->pool), err);
    for (size_t k = 0; k < slices && st == CUZK_OK; k++) {
        const size_t begin = (size_t)((cuzk_u128)n * k / slices);
        memset(x, 0, sizeof(*x));
        x->bases = (const unsigned char *)bases + begin * ctx.eng->group->affine_bytes;
        x->scalars = scalars + begin;
        x->n = (size_t)((cuzk_u128)n * (k + 1) / slices) - begin;
        st = run_slice(acc, &ctx, x);
    }
    cuzk_msm_trees_destroy(&ctx.trees);
    cuzk_free(x);
    return explain(st, err);
}

typedef struct bit_source {
    const cuzk_msm_engine *eng;
    const void *bases;
    const uint64_t *bits;
} bit_source;

static size_t emit_bits(const void *arg, size_t begin, size_t end, uint32_t *out)
{
    const bit_source *b = arg;
    size_t n = 0;
    for (size_t i = begin; i < end;) {
        const size_t word_end = (i / 64 + 1) * 64;
        const size_t stop = word_end < end ? word_end : end;
        uint64_t w = b->bits[i / 64] >> (i % 64);
        if (stop < word_end) {
            w &= ((uint64_t)1 << (stop - i)) - 1;
        }
        while (w != 0) {
            const size_t k = i + (size_t)__builtin_ctzll(w);
            if (!b->eng->group->base_is_infinity(b->bases, k)) {
                out[n++] = (uint32_t)k << MSM_ENTRY_SHIFT;
            }
            w &= w - 1;
        }
        i = stop;
    }
    return n;
}

cuzk_status cuzk_msm_run_bits(cuzk_msm_acc *acc, const cuzk_msm_run_cfg *cfg, const void *bases,
                              const uint64_t *bits, size_t n, cuzk_err *err)
{
    cuzk_msm_ctx ctx = {.eng = cfg->eng, .pool = cfg->pool, .cancel = cfg->cancel, .err = err};
    cuzk_status st = CUZK_OK;
    ctx.eng->group->acc_clear(acc);
    if (n == 0) {
        return CUZK_OK;
    }
    CUZK_TRY(cuzk_msm_trees_create(&ctx.trees, ctx.eng, cuzk_pool_threads(cfg->pool), err));
    for (size_t i = 0; i < n && st == CUZK_OK; i += MSM_ENTRY_INDICES) {
        const size_t m = n - i < MSM_ENTRY_INDICES ? n - i : MSM_ENTRY_INDICES;
        const bit_source src = {ctx.eng,
                                (const unsigned char *)bases + i * ctx.eng->group->affine_bytes,
                                bits + i / 64};
        const cuzk_msm_table table = {{src.bases, NULL, NULL}};
        st = cuzk_msm_flat(acc, &ctx, &table, m, emit_bits, &src);
    }
    cuzk_msm_trees_destroy(&ctx.trees);
    return explain(st, err);
}
