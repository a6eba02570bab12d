/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * C1 JSON (docs/spec/inputs.md#c1-json), read once from front to back. Structures whose length is not
 * known in advance are gathered in a growing heap vector (challenges of a partition) or a bounded
 * local array (levels, siblings, rows, parents), then moved into the arena.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#include "c1_internal.h"
#include "c1_parallel.h"

#define MAX_DEPTH     32u
#define MAX_LEVELS    64u

#define FIELDS(names) (names), sizeof(names) / sizeof((names)[0])

typedef struct parser {
    cuzk_json j;
    cuzk_porep_input *in;
    bool no_memory;
    /* where we are, for messages; -1: outside */
    int64_t partition, challenge;
    const char *field;
    c1_parallel *ahead; /* NULL: everything is read here */
    const char *what;   /* the document, for messages */
    bool has_type;
} parser;

/* Containers around a challenge, at most; less deep ones would leave its parser more. */
#define CHALLENGE_DEPTH 4u

/* Leaves a place, unless the first error is there: then the message still needs it. */
static void leave(const parser *p, int64_t *where)
{
    if (!p->j.failed) {
        *where = -1;
    }
}

static void *take(parser *p, const void *from, size_t count, size_t size)
{
    void *to = cuzk_arena_alloc(&p->in->arena, count, size);
    if (to == NULL) {
        p->no_memory = true;
        (void)cuzk_json_fail(&p->j, "out of memory");
    } else if (count != 0) {
        memcpy(to, from, count * size);
    }
    return to;
}

static void read_node(parser *p, cuzk_node *out)
{
    (void)cuzk_json_u8_array(&p->j, out->b, CUZK_NODE_BYTES);
}

/* An array of at most max nodes; returns them in the arena. */
static const cuzk_node *read_nodes(parser *p, uint32_t *n, uint32_t max)
{
    cuzk_node local[CUZK_LABEL_PARENTS];
    uint32_t k = 0;
    (void)cuzk_json_begin_array(&p->j);
    while (cuzk_json_next(&p->j)) {
        if (k == max) {
            (void)cuzk_json_fail(&p->j, "more than %u nodes", max);
            break;
        }
        read_node(p, &local[k++]);
    }
    *n = k;
    return take(p, local, k, sizeof(local[0]));
}

static void read_level(parser *p, cuzk_path_level *out)
{
    static const char *const names[] = {"hashes", "index"};
    cuzk_json_str key;
    uint64_t seen = 0, index = 0;
    uint32_t n = 0;
    (void)cuzk_json_begin_object(&p->j);
    while (cuzk_json_next_key(&p->j, &key)) {
        switch (cuzk_json_field(&p->j, &key, FIELDS(names), &seen)) {
        case 0: out->siblings = read_nodes(p, &n, 7); break;
        case 1: (void)cuzk_json_u64_max(&p->j, &index, 7); break;
        default: (void)cuzk_json_skip(&p->j); break;
        }
    }
    (void)cuzk_json_require(&p->j, FIELDS(names), seen);
    if ((n != 1 && n != 3 && n != 7) || index > n) {
        (void)cuzk_json_fail(&p->j, "a path level has %u hashes and index %u", n, (unsigned)index);
    }
    out->arity = (uint8_t)(n + 1);
    out->index = (uint8_t)index;
}

/* {"path": [level, ...]}; at most max levels. */
static uint32_t read_path(parser *p, cuzk_path_level *out, uint32_t max)
{
    static const char *const names[] = {"path"};
    cuzk_json_str key;
    uint64_t seen = 0;
    uint32_t n = 0;
    (void)cuzk_json_begin_object(&p->j);
    while (cuzk_json_next_key(&p->j, &key)) {
        if (cuzk_json_field(&p->j, &key, FIELDS(names), &seen) != 0) {
            (void)cuzk_json_skip(&p->j);
            continue;
        }
        (void)cuzk_json_begin_array(&p->j);
        while (cuzk_json_next(&p->j)) {
            if (n == max) {
                (void)cuzk_json_fail(&p->j, "more than %u path levels", max);
                break;
            }
            read_level(p, &out[n++]);
        }
    }
    (void)cuzk_json_require(&p->j, FIELDS(names), seen);
    return n;
}

/* The payload of Single, Sub or Top. Keys come in any order, paths are joined bottom up. */
static void read_proof_data(parser *p, cuzk_merkle_proof *out, unsigned variant)
{
    static const char *const names[3][5] = {
        {"root", "leaf", "path"},
        {"root", "leaf", "base_proof", "sub_proof"},
        {"root", "leaf", "base_proof", "sub_proof", "top_proof"},
    };
    enum { MAX_PART = 20 }; /* the deepest base path of any sector size has 9 levels */
    cuzk_path_level parts[3][MAX_PART], levels[3 * MAX_PART];
    uint32_t n_part[3] = {0, 0, 0}, n = 0;
    cuzk_json_str key;
    uint64_t seen = 0;
    (void)cuzk_json_begin_object(&p->j);
    while (cuzk_json_next_key(&p->j, &key)) {
        const int f = cuzk_json_field(&p->j, &key, names[variant], 3 + variant, &seen);
        if (f < 0) {
            (void)cuzk_json_skip(&p->j);
        } else if (f < 2) {
            read_node(p, f == 0 ? &out->root : &out->leaf);
        } else if (variant == 0) {
            n_part[0] = read_path(p, levels, 3 * MAX_PART);
        } else {
            n_part[f - 2] = read_path(p, parts[f - 2], MAX_PART);
        }
    }
    if (!cuzk_json_require(&p->j, names[variant], 3 + variant, seen)) {
        return;
    }
    if (variant == 0) {
        n = n_part[0];
    } else {
        for (unsigned k = 0; k <= variant; k++) {
            memcpy(&levels[n], parts[k], n_part[k] * sizeof(levels[0]));
            n += n_part[k];
        }
    }
    out->levels = take(p, levels, n, sizeof(levels[0]));
    out->n_levels = n;
}

/* {"data": {"Single" | "Sub" | "Top": {...}}} */
static void read_merkle(parser *p, cuzk_merkle_proof *out)
{
    static const char *const outer[] = {"data"};
    static const char *const variants[] = {"Single", "Sub", "Top"};
    cuzk_json_str key;
    uint64_t seen = 0, seen_variant = 0;
    (void)cuzk_json_begin_object(&p->j);
    while (cuzk_json_next_key(&p->j, &key)) {
        if (cuzk_json_field(&p->j, &key, FIELDS(outer), &seen) != 0) {
            (void)cuzk_json_skip(&p->j);
            continue;
        }
        (void)cuzk_json_begin_object(&p->j);
        while (cuzk_json_next_key(&p->j, &key)) {
            const int v = cuzk_json_field(&p->j, &key, FIELDS(variants), &seen_variant);
            if (v < 0 || (seen_variant & (seen_variant - 1)) != 0) {
                (void)cuzk_json_fail(&p->j, "a Merkle proof is one of Single, Sub, Top");
                break;
            }
            read_proof_data(p, out, (unsigned)v);
        }
        if (seen_variant == 0) {
            (void)cuzk_json_fail(&p->j, "a Merkle proof is one of Single, Sub, Top");
        }
    }
    (void)cuzk_json_require(&p->j, FIELDS(outer), seen);
}

static void read_column(parser *p, cuzk_column_proof *out)
{
    static const char *const names[] = {"index",
                                        "rows"}; /* "_h": null is ignored like any unknown key */
    cuzk_json_str key;
    uint64_t seen = 0, index = 0;
    (void)cuzk_json_begin_object(&p->j);
    while (cuzk_json_next_key(&p->j, &key)) {
        switch (cuzk_json_field(&p->j, &key, FIELDS(names), &seen)) {
        case 0: (void)cuzk_json_u64_max(&p->j, &index, UINT32_MAX); break;
        case 1: out->rows = read_nodes(p, &out->n_rows, CUZK_MAX_LAYERS); break;
        default: (void)cuzk_json_skip(&p->j); break;
        }
    }
    (void)cuzk_json_require(&p->j, FIELDS(names), seen);
    out->index = (uint32_t)index;
}

static void read_column_proof(parser *p, cuzk_column_proof *out)
{
    static const char *const names[] = {"column", "inclusion_proof"};
    cuzk_json_str key;
    uint64_t seen = 0;
    (void)cuzk_json_begin_object(&p->j);
    while (cuzk_json_next_key(&p->j, &key)) {
        switch (cuzk_json_field(&p->j, &key, FIELDS(names), &seen)) {
        case 0: read_column(p, out); break;
        case 1: read_merkle(p, &out->inclusion); break;
        default: (void)cuzk_json_skip(&p->j); break;
        }
    }
    (void)cuzk_json_require(&p->j, FIELDS(names), seen);
}

static void read_column_proofs(parser *p, cuzk_column_proof *out, uint32_t n)
{
    uint32_t k = 0;
    (void)cuzk_json_begin_array(&p->j);
    while (cuzk_json_next(&p->j)) {
        if (k == n) {
            (void)cuzk_json_fail(&p->j, "more than %u parents", n);
            return;
        }
        read_column_proof(p, &out[k++]);
    }
    if (k < n) {
        (void)cuzk_json_fail(&p->j, "%u parents, not %u", k, n);
    }
}

static void read_replica_columns(parser *p, cuzk_porep_challenge *out)
{
    static const char *const names[] = {"c_x", "drg_parents", "exp_parents"};
    cuzk_json_str key;
    uint64_t seen = 0;
    (void)cuzk_json_begin_object(&p->j);
    while (cuzk_json_next_key(&p->j, &key)) {
        const int f = cuzk_json_field(&p->j, &key, FIELDS(names), &seen);
        p->field = f < 0 ? p->field : names[f];
        switch (f) {
        case 0: read_column_proof(p, &out->c_x); break;
        case 1: read_column_proofs(p, out->drg, CUZK_DRG_PARENTS); break;
        case 2: read_column_proofs(p, out->exp, CUZK_EXP_PARENTS); break;
        default: (void)cuzk_json_skip(&p->j); break;
        }
    }
    (void)cuzk_json_require(&p->j, FIELDS(names), seen);
}

static void read_labeling(parser *p, cuzk_labeling_proof *out)
{
    static const char *const names[] = {"parents", "layer_index", "node"};
    cuzk_json_str key;
    uint64_t seen = 0, layer = 0;
    (void)cuzk_json_begin_object(&p->j);
    while (cuzk_json_next_key(&p->j, &key)) {
        switch (cuzk_json_field(&p->j, &key, FIELDS(names), &seen)) {
        case 0: out->parents = read_nodes(p, &out->n_parents, CUZK_LABEL_PARENTS); break;
        case 1: (void)cuzk_json_u64_max(&p->j, &layer, UINT32_MAX); break;
        case 2: (void)cuzk_json_u64(&p->j, &out->node); break;
        default: (void)cuzk_json_skip(&p->j); break;
        }
    }
    (void)cuzk_json_require(&p->j, FIELDS(names), seen);
    out->layer = (uint32_t)layer;
}

static void read_labelings(parser *p, cuzk_porep_challenge *out)
{
    cuzk_labeling_proof local[CUZK_MAX_LAYERS];
    uint32_t n = 0;
    memset(local, 0, sizeof(local));
    (void)cuzk_json_begin_array(&p->j);
    while (cuzk_json_next(&p->j)) {
        if (n == CUZK_MAX_LAYERS) {
            (void)cuzk_json_fail(&p->j, "more than %u layers", (unsigned)CUZK_MAX_LAYERS);
            return;
        }
        read_labeling(p, &local[n++]);
    }
    out->labeling = take(p, local, n, sizeof(local[0]));
    out->n_labeling = n;
}

static void read_challenge(parser *p, cuzk_porep_challenge *out)
{
    static const char *const names[] = {"comm_d_proofs", "comm_r_last_proof",
                                        "replica_column_proofs", "labeling_proofs",
                                        "encoding_proof"};
    cuzk_json_str key;
    uint64_t seen = 0;
    (void)cuzk_json_begin_object(&p->j);
    while (cuzk_json_next_key(&p->j, &key)) {
        const int f = cuzk_json_field(&p->j, &key, FIELDS(names), &seen);
        p->field = f < 0 ? "an unknown key" : names[f];
        switch (f) {
        case 0: read_merkle(p, &out->comm_d); break;
        case 1: read_merkle(p, &out->comm_r_last); break;
        case 2: read_replica_columns(p, out); break;
        case 3: read_labelings(p, out); break;
        case 4: read_labeling(p, &out->encoding); break;
        default: (void)cuzk_json_skip(&p->j); break;
        }
    }
    (void)cuzk_json_require(&p->j, FIELDS(names), seen);
}

/* On any thread, with what of depth the document leaves a challenge at least. */
static void read_ahead(c1_challenge *out)
{
    cuzk_porep_input in = {.n_partitions = 0};
    parser p = {.in = &in};
    cuzk_json_init(&p.j, out->start, (size_t)(out->end - out->start), MAX_DEPTH - CHALLENGE_DEPTH);
    read_challenge(&p, &out->c);
    out->ok = !p.j.failed;
    out->end = p.j.p;
    out->field = p.field;
    out->arena = in.arena;
}

/* A challenge that has been read ahead, or that is read now. */
static void take_challenge(parser *p, cuzk_porep_challenge *out)
{
    c1_challenge *done = NULL;
    if (p->ahead != NULL && p->j.depth <= CHALLENGE_DEPTH &&
        cuzk_json_peek(&p->j) == CUZK_JSON_OBJECT) {
        done = c1_parallel_at(p->ahead, p->j.p);
    }
    if (done == NULL) {
        read_challenge(p, out);
        return;
    }
    cuzk_json_pass(&p->j, done->end);
    p->field = done->field;
    *out = done->c;
    cuzk_arena_join(&p->in->arena, &done->arena);
}

/* One partition: an array of challenges, gathered in *vec (capacity *cap) and copied to the arena. */
static const cuzk_porep_challenge *read_partition(parser *p, cuzk_porep_challenge **vec,
                                                  size_t *cap, uint32_t *n)
{
    uint32_t k = 0;
    (void)cuzk_json_begin_array(&p->j);
    while (cuzk_json_next(&p->j)) {
        if (k == C1_MAX_CHALLENGES) {
            (void)cuzk_json_fail(&p->j, "more than %u challenges", C1_MAX_CHALLENGES);
            break;
        }
        if (k == *cap) {
            const size_t want = *cap == 0 ? 18 : 2 * *cap;
            cuzk_porep_challenge *grown = cuzk_realloc(*vec, want, sizeof(*grown));
            if (grown == NULL) {
                p->no_memory = true;
                (void)cuzk_json_fail(&p->j, "out of memory");
                break;
            }
            *vec = grown;
            *cap = want;
        }
        p->challenge = k;
        memset(&(*vec)[k], 0, sizeof(**vec));
        take_challenge(p, &(*vec)[k++]);
    }
    *n = k;
    leave(p, &p->challenge);
    return k == 0 ? NULL : take(p, *vec, k, sizeof(**vec));
}

static void read_partitions(parser *p)
{
    const cuzk_porep_challenge *partitions[C1_MAX_PARTITIONS];
    cuzk_porep_challenge *vec = NULL;
    size_t cap = 0;
    uint32_t n = 0, n_challenges = 0;
    (void)cuzk_json_begin_array(&p->j);
    while (cuzk_json_next(&p->j)) {
        uint32_t k;
        if (n == C1_MAX_PARTITIONS) {
            (void)cuzk_json_fail(&p->j, "more than %u partitions", C1_MAX_PARTITIONS);
            break;
        }
        p->partition = n;
        partitions[n] = read_partition(p, &vec, &cap, &k);
        if (n > 0 && k != n_challenges) {
            (void)cuzk_json_fail(&p->j, "%u challenges, the partitions before have %u", k,
                                 n_challenges);
        }
        n_challenges = k;
        n++;
    }
    leave(p, &p->partition);
    cuzk_free(vec);
    p->in->partitions = take(p, partitions, n, sizeof(partitions[0]));
    p->in->n_partitions = n;
    p->in->n_challenges = n_challenges;
}

/* {"StackedDrg2KiBV1": [...]}, or the bare array of the older structure. The name goes to *size. */
static void read_vanilla_proofs(parser *p, uint64_t *sector_bytes)
{
    cuzk_json_str key;
    unsigned n = 0;
    if (cuzk_json_peek(&p->j) == CUZK_JSON_ARRAY) {
        read_partitions(p);
        return;
    }
    (void)cuzk_json_begin_object(&p->j);
    while (cuzk_json_next_key(&p->j, &key)) {
        cuzk_seal_type t;
        if (n++ > 0 || cuzk_seal_type_parse(&t, key.p, key.n, NULL) != CUZK_OK || t.number >= 5) {
            (void)cuzk_json_fail(&p->j, "vanilla_proofs has one key, StackedDrg<size>V1");
            return;
        }
        *sector_bytes = t.sector_bytes;
        read_partitions(p);
    }
    if (n == 0) {
        (void)cuzk_json_fail(&p->j, "vanilla_proofs is empty");
    }
}

static void read_registered_proof(parser *p)
{
    cuzk_json_str s;
    if (cuzk_json_string(&p->j, &s) &&
        cuzk_seal_type_parse(&p->in->type, s.p, s.n, NULL) != CUZK_OK) {
        (void)cuzk_json_fail(&p->j, "registered_proof \"%.*s\" is not known",
                             (int)(s.n < 40 ? s.n : 40), s.p);
    }
    p->has_type = true;
}

enum { F_PROOF, F_VANILLA, F_COMM_R, F_COMM_D, F_REPLICA_ID, F_SEED, F_TICKET };

/* The members of a C1 after registered_proof, and the size that vanilla_proofs names (0: none). */
static void end_top(parser *p, const char *const *names, uint64_t seen, uint64_t vanilla_bytes)
{
    cuzk_porep_input *in = p->in;
    /* The older structure names no type, and holds the proofs in a bare array. */
    if (vanilla_bytes == 0 && (seen & 1u << F_PROOF) == 0) {
        seen |= 1u << F_PROOF;
    }
    if (cuzk_json_require(&p->j, names, F_TICKET + 1, seen) && p->has_type && vanilla_bytes != 0 &&
        vanilla_bytes != in->type.sector_bytes) {
        (void)cuzk_json_fail(&p->j,
                             "registered_proof and vanilla_proofs name different sector sizes");
    }
}

static void read_top(parser *p, c1_envelope *env)
{
    static const char *const names[] = {"registered_proof", "vanilla_proofs", "comm_r", "comm_d",
                                        "replica_id",       "seed",           "ticket"};
    cuzk_porep_input *in = p->in;
    cuzk_json_str key;
    uint64_t vanilla_bytes = 0, seen = 0;
    (void)cuzk_json_begin_object(&p->j);
    while (cuzk_json_next_key(&p->j, &key)) {
        const int f = cuzk_json_field(&p->j, &key, FIELDS(names), &seen);
        p->field = f < 0 ? NULL : names[f];
        switch (f) {
        case F_PROOF: read_registered_proof(p); break;
        case F_VANILLA: read_vanilla_proofs(p, &vanilla_bytes); break;
        case F_COMM_R: read_node(p, &in->comm_r); break;
        case F_COMM_D: read_node(p, &in->comm_d); break;
        case F_REPLICA_ID: read_node(p, &in->replica_id); break;
        case F_SEED: read_node(p, &in->seed); break;
        case F_TICKET: read_node(p, &in->ticket); break;
        default:
            if (!c1_envelope_field(&p->j, &key, env)) {
                (void)cuzk_json_skip(&p->j);
            }
            break;
        }
    }
    if (!p->j.failed) {
        p->field = NULL;
    }
    (void)cuzk_json_end(&p->j);
    if (env->payload == C1_PAYLOAD_NONE) {
        end_top(p, names, seen, vanilla_bytes);
    }
}

static cuzk_status finish(parser *p, cuzk_err *err)
{
    cuzk_err inner = {.msg = ""};
    const cuzk_status st = cuzk_json_status(&p->j, p->what, &inner);
    if (st == CUZK_OK) {
        return CUZK_OK;
    }
    const cuzk_status code = p->no_memory ? CUZK_E_NOMEM : st;
    if (p->partition >= 0) {
        return CUZK_FAIL(err, code, "%s (partition %d, challenge %d, %s)", inner.msg,
                         (int)p->partition, (int)p->challenge, p->field != NULL ? p->field : "?");
    }
    return CUZK_FAIL(err, code, "%s%s%s%s", inner.msg, p->field != NULL ? " (" : "",
                     p->field != NULL ? p->field : "", p->field != NULL ? ")" : "");
}

static cuzk_status parse(cuzk_porep_input *in, bool *has_type, const uint8_t *json, size_t n,
                         const char *what, c1_envelope *env, cuzk_pool *pool, cuzk_err *err)
{
    c1_parallel ahead;
    parser p = {.in = in, .partition = -1, .challenge = -1, .ahead = &ahead, .what = what};
    cuzk_json_init(&p.j, json, n, MAX_DEPTH);
    c1_parallel_read(&ahead, json, n, read_ahead, pool);
    read_top(&p, env);
    c1_parallel_free(&ahead);
    *has_type = p.has_type;
    return finish(&p, err);
}

/* A C1 without an envelope. */
static cuzk_status read_bare(cuzk_porep_input *in, bool *has_type, const uint8_t *data, size_t n,
                             const c1_envelope *outer, cuzk_pool *pool, cuzk_err *err)
{
    c1_envelope none = {.payload = C1_PAYLOAD_NONE};
    char what[48];
    if (!cuzk_json_is_likely(data, n)) {
        return c1_read_bincode(in, has_type, data, n, err);
    }
    (void)snprintf(what, sizeof(what), "C1, inside %s", outer->name);
    CUZK_TRY(parse(in, has_type, data, n, what, &none, pool, err));
    if (none.payload != C1_PAYLOAD_NONE) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "C1: %s inside %s", none.name, outer->name);
    }
    return CUZK_OK;
}

static cuzk_status read_inside(cuzk_porep_input *in, bool *has_type, const c1_envelope *env,
                               cuzk_pool *pool, cuzk_err *err)
{
    const uint8_t *data = NULL;
    uint8_t *owned = NULL;
    size_t n = 0;
    const cuzk_seal_type outer = in->type;
    const bool outer_has_type = *has_type;
    CUZK_TRY(c1_envelope_open(&data, &n, &owned, env, err));
    const cuzk_status st = read_bare(in, has_type, data, n, env, pool, err);
    cuzk_free(owned);
    if (st == CUZK_OK && outer_has_type && *has_type && outer.number != in->type.number) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "C1: registered_proof of the envelope is %llu, that of the proof %llu",
                         (unsigned long long)outer.number, (unsigned long long)in->type.number);
    }
    return st;
}

static cuzk_status read_any(cuzk_porep_input *in, const uint8_t *data, size_t n, cuzk_pool *pool,
                            cuzk_err *err)
{
    c1_envelope env = {.payload = C1_PAYLOAD_NONE};
    bool has_type = false;
    if (cuzk_json_is_likely(data, n)) {
        CUZK_TRY(parse(in, &has_type, data, n, "C1", &env, pool, err));
    } else {
        CUZK_TRY(c1_read_bincode(in, &has_type, data, n, err));
    }
    if (env.payload != C1_PAYLOAD_NONE) {
        CUZK_TRY(read_inside(in, &has_type, &env, pool, err));
    }
    if (!has_type) {
        CUZK_TRY(c1_find_type(in, err));
    }
    in->shape = cuzk_sector_shape_of(in->type.sector_bytes);
    return c1_envelope_apply(in, &env, err);
}

cuzk_status cuzk_porep_parse(cuzk_porep_input **out, const uint8_t *data, size_t n, cuzk_pool *pool,
                             cuzk_err *err)
{
    cuzk_porep_input *in = cuzk_alloc_zero(1, sizeof(*in));
    if (in == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "C1: out of memory");
    }
    const cuzk_status st = read_any(in, data, n, pool, err);
    if (st != CUZK_OK) {
        cuzk_porep_input_destroy(in);
        return st;
    }
    *out = in;
    return CUZK_OK;
}

void cuzk_porep_input_destroy(cuzk_porep_input *in)
{
    if (in != NULL) {
        cuzk_arena_free(&in->arena);
        cuzk_free(in);
    }
}
