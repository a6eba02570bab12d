/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Hashes of the witness generators: SHA-256 per byte, Poseidon per hash, by arity. */
#include "base/alloc.h"
#include "base/status.h"
#include "hash/poseidon.h"
#include "hash/sha256.h"

#include "bench.h"

#define SHA_BYTES 16384u

typedef struct sha_state {
    uint32_t h[8];
    uint8_t in[SHA_BYTES];
} sha_state;

static sha_state sha;

static void *sha_setup(const bench_case *c)
{
    (void)c;
    bench_fill(&sha, sizeof(sha), 1);
    return &sha;
}

static void sha_c(void *state, uint64_t iters)
{
    sha_state *s = state;
    for (uint64_t i = 0; i < iters; i++) {
        cuzk_sha256_compress_c(s->h, s->in, SHA_BYTES / CUZK_SHA256_BLOCK_BYTES);
        bench_use(s);
    }
}

#ifdef CUZK_HASH_SHANI
static void sha_ni(void *state, uint64_t iters)
{
    sha_state *s = state;
    for (uint64_t i = 0; i < iters; i++) {
        cuzk_sha256_compress_ni(s->h, s->in, SHA_BYTES / CUZK_SHA256_BLOCK_BYTES);
        bench_use(s);
    }
}
#endif

typedef struct poseidon_state {
    cuzk_poseidon_params *p;
    cuzk_fr in[CUZK_POSEIDON_MAX_ARITY];
    cuzk_fr many[64 * CUZK_POSEIDON_MAX_ARITY], out[64];
    cuzk_fr trace[8 * 600];
} poseidon_state;

static void *poseidon_setup(const bench_case *c)
{
    poseidon_state *s = cuzk_alloc(1, sizeof(*s));
    if (s == NULL) {
        return NULL;
    }
    if (cuzk_poseidon_params_create(&s->p, (unsigned)c->arg, NULL) != CUZK_OK) {
        cuzk_free(s);
        return NULL;
    }
    for (unsigned i = 0; i < CUZK_POSEIDON_MAX_ARITY; i++) {
        cuzk_scalar x;
        bench_fill(&x, sizeof(x), i);
        cuzk_fr_from_scalar(&s->in[i], &x);
    }
    for (unsigned i = 0; i < 64 * CUZK_POSEIDON_MAX_ARITY; i++) {
        s->many[i] = s->in[i % CUZK_POSEIDON_MAX_ARITY];
    }
    return s;
}

static void poseidon_teardown(void *state)
{
    poseidon_state *s = state;
    cuzk_poseidon_params_destroy(s->p);
    cuzk_free(s);
}

static void poseidon_hash(void *state, uint64_t iters)
{
    poseidon_state *s = state;
    for (uint64_t i = 0; i < iters; i++) {
        cuzk_poseidon_hash(&s->in[0], s->p, s->in);
        bench_use(s);
    }
}

static void poseidon_trace(void *state, uint64_t iters)
{
    poseidon_state *s = state;
    for (uint64_t i = 0; i < iters; i++) {
        cuzk_poseidon_trace(s->trace, s->p, &s->p->tag, s->in);
        bench_use(s);
    }
}

static void poseidon_many(void *state, uint64_t iters)
{
    poseidon_state *s = state;
    for (uint64_t i = 0; i < iters; i++) {
        cuzk_poseidon_hash_many(s->out, s->p, NULL, s->many, 64);
        bench_use(s);
    }
}

static void poseidon_trace_many(void *state, uint64_t iters)
{
    poseidon_state *s = state;
    cuzk_fr *at[8];
    for (unsigned k = 0; k < 8; k++) {
        at[k] = s->trace + (size_t)k * 600;
    }
    for (uint64_t i = 0; i < iters; i++) {
        cuzk_poseidon_trace_many(at, s->p, NULL, s->many, 8);
        bench_use(s);
    }
}

static void poseidon_params(void *state, uint64_t iters)
{
    poseidon_state *s = state;
    for (uint64_t i = 0; i < iters; i++) {
        cuzk_poseidon_params *p = NULL;
        if (cuzk_poseidon_params_create(&p, s->p->arity, NULL) != CUZK_OK) {
            return;
        }
        bench_use(p);
        cuzk_poseidon_params_destroy(p);
    }
}

#define POSEIDON(op, fn, n, count)                                                  \
    {                                                                               \
        .name = "hash/poseidon_" op "/n=" #n, .setup = poseidon_setup, .run = (fn), \
        .teardown = poseidon_teardown, .arg = (n), .units = (count)                 \
    }

static const bench_case cases[] = {
    {.name = "hash/sha256/c", .setup = sha_setup, .run = sha_c, .unit = "byte", .units = SHA_BYTES},
#ifdef CUZK_HASH_SHANI
    {.name = "hash/sha256/ni",
     .setup = sha_setup,
     .run = sha_ni,
     .unit = "byte",
     .units = SHA_BYTES,
     .cpu = CUZK_CPU_SHA},
#endif
    POSEIDON("hash/one", poseidon_hash, 2, 1),
    POSEIDON("hash/many", poseidon_many, 2, 64),
    POSEIDON("hash/one", poseidon_hash, 4, 1),
    POSEIDON("hash/many", poseidon_many, 4, 64),
    POSEIDON("hash/one", poseidon_hash, 8, 1),
    POSEIDON("hash/many", poseidon_many, 8, 64),
    POSEIDON("hash/one", poseidon_hash, 11, 1),
    POSEIDON("hash/many", poseidon_many, 11, 64),
    POSEIDON("trace/one", poseidon_trace, 8, 1),
    POSEIDON("trace/many", poseidon_trace_many, 8, 8),
    POSEIDON("params", poseidon_params, 11, 1),
};
BENCH_MODULE(hash, cases)
