/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The test of aggregate/points/subgroup.h for either group. Included by subgroup.c with
 *   SUB_AFF, SUB_XYZZ, SUB_JAC, SUB_FN(verb)   points and their functions
 *   SUB_NAME(verb)                             names of this file's functions and types
 */

typedef struct SUB_NAME(run) {
    const SUB_AFF *p;
    size_t n;
    unsigned bits;        /* of an index */
    const uint8_t *index; /* [BITS / 8][n], random; two tables share a byte when bits is 4 */
    SUB_XYZZ *buckets;    /* [workers][1 << bits] */
    _Atomic bool is_wrong;
} SUB_NAME(run);

static bool SUB_NAME(is_in_group)(const SUB_XYZZ *sum)
{
    SUB_JAC jac;
    SUB_AFF p;
    SUB_FN(from_xyzz)(&jac, sum);
    SUB_FN(to_affine)(&p, &jac);
    return SUB_FN(affine_is_in_subgroup)(&p);
}

/* The sums of the points whose index has bit k, for every k: from the highest on, buckets are folded. */
static bool SUB_NAME(table_is_good)(const SUB_NAME(run) * r, size_t table, SUB_XYZZ *bucket)
{
    const size_t per_byte = 8 / r->bits, mask = ((size_t)1 << r->bits) - 1;
    const uint8_t *index = r->index + table / per_byte * r->n;
    const unsigned shift = (unsigned)(table % per_byte) * r->bits;
    for (size_t i = 0; i <= mask; i++) {
        SUB_FN(xyzz_set_infinity)(&bucket[i]);
    }
    for (size_t i = 0; i < r->n; i++) {
        SUB_XYZZ *b = &bucket[(size_t)index[i] >> shift & mask];
        SUB_FN(xyzz_add_affine)(b, b, &r->p[i]);
    }
    for (unsigned k = r->bits; k-- > 0;) {
        const size_t half = (size_t)1 << k;
        SUB_XYZZ sum;
        SUB_FN(xyzz_set_infinity)(&sum);
        for (size_t i = 0; i < half; i++) {
            SUB_FN(xyzz_add)(&sum, &sum, &bucket[half + i]);
            SUB_FN(xyzz_add)(&bucket[i], &bucket[i], &bucket[half + i]);
        }
        if (!SUB_NAME(is_in_group)(&sum)) {
            return false;
        }
    }
    return true;
}

static cuzk_status SUB_NAME(range)(void *arg, size_t begin, size_t end, unsigned worker)
{
    SUB_NAME(run) *r = arg;
    SUB_XYZZ *bucket = r->buckets + ((size_t)worker << r->bits);
    for (size_t i = begin; i < end && !atomic_load(&r->is_wrong); i++) {
        if (!SUB_NAME(table_is_good)(r, i, bucket)) {
            atomic_store(&r->is_wrong, true);
        }
    }
    return CUZK_OK;
}

static cuzk_status SUB_NAME(test)(bool *all, const SUB_AFF *p, size_t n, cuzk_pool *pool,
                                  const cuzk_cancel *cancel, cuzk_err *err)
{
    SUB_NAME(run) r = {.p = p, .n = n, .bits = n < MANY ? 4 : 8};
    const size_t workers = cuzk_pool_threads(pool);
    uint8_t *index = cuzk_alloc(n, BITS / 8);
    r.buckets = cuzk_alloc(workers << r.bits, sizeof(*r.buckets));
    r.index = index;
    cuzk_status st = index != NULL && r.buckets != NULL
                         ? cuzk_entropy(index, n * (BITS / 8), err)
                         : CUZK_FAIL(err, CUZK_E_NOMEM, "%s", "no memory to test points");
    if (st == CUZK_OK) {
        st = cuzk_parallel_for(pool, cancel, BITS / r.bits, 1, SUB_NAME(range), &r);
        st = st == CUZK_OK ? st : CUZK_FAIL(err, st, "testing points: %s", cuzk_status_text(st));
    }
    *all = !atomic_load(&r.is_wrong);
    cuzk_free(index);
    cuzk_free(r.buckets);
    return st;
}
