/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * PoSt and update vanilla proofs as bincode 1.x writes them (docs/spec/inputs.md#bincode): integers
 * fixed-width little-endian, Vec = u64 count and items, enum = u32 index, 32-byte arrays raw.
 * Bytes behind the value are passed over, as bincode 1.x's deserialize does.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/reader.h"
#include "vanilla/vanilla.h"

#define MAX_LEVELS 64u /* more than any tree has; bounds work on hostile input */

typedef struct parser {
    cuzk_reader r;
    cuzk_arena *arena;
    cuzk_err *err;
} parser;

static cuzk_status short_input(parser *p, const char *what)
{
    return CUZK_FAIL(p->err, CUZK_E_FORMAT, "vanilla proof: %s: input ends at byte %zu", what,
                     cuzk_reader_pos(&p->r));
}

static cuzk_status read_node(parser *p, cuzk_node *out, const char *what)
{
    const uint8_t *b;
    if (!cuzk_read_bytes(&p->r, &b, CUZK_NODE_BYTES)) {
        return short_input(p, what);
    }
    memcpy(out->b, b, CUZK_NODE_BYTES);
    return CUZK_OK;
}

/* A count of items of at least item_bytes each, so that what follows can be allocated. */
static cuzk_status read_count(parser *p, uint64_t *out, size_t item_bytes, uint64_t max,
                              const char *what)
{
    const size_t at = cuzk_reader_pos(&p->r);
    if (!cuzk_read_u64_le(&p->r, out)) {
        return short_input(p, what);
    }
    if (*out > max || !cuzk_reader_has(&p->r, *out, item_bytes)) {
        return CUZK_FAIL(p->err, CUZK_E_FORMAT,
                         "vanilla proof: %s: count %llu at byte %zu is impossible", what,
                         (unsigned long long)*out, at);
    }
    return CUZK_OK;
}

static void *take(parser *p, uint64_t count, size_t size)
{
    return cuzk_arena_alloc(p->arena, (size_t)count, size);
}

static cuzk_status no_memory(parser *p)
{
    return CUZK_FAIL(p->err, CUZK_E_NOMEM, "vanilla proof: out of memory after %llu bytes",
                     (unsigned long long)p->arena->bytes);
}

static cuzk_status read_nodes(parser *p, cuzk_node **out, uint64_t n, const char *what)
{
    const uint8_t *b;
    if (!cuzk_reader_has(&p->r, n, CUZK_NODE_BYTES) ||
        !cuzk_read_bytes(&p->r, &b, (size_t)n * CUZK_NODE_BYTES)) {
        return short_input(p, what);
    }
    cuzk_node *nodes = take(p, n, sizeof(*nodes));
    if (nodes == NULL) {
        return no_memory(p);
    }
    memcpy(nodes, b, (size_t)n * CUZK_NODE_BYTES);
    *out = nodes;
    return CUZK_OK;
}

/* InclusionPath: appends to levels[*n..MAX_LEVELS). */
static cuzk_status read_path(parser *p, cuzk_path_level *levels, uint32_t *n, const char *what)
{
    uint64_t count = 0;
    CUZK_TRY(read_count(p, &count, 16, MAX_LEVELS - *n, what));
    for (uint64_t i = 0; i < count; i++) {
        cuzk_path_level *l = &levels[*n];
        uint64_t hashes = 0, index = 0;
        cuzk_node *siblings = NULL;
        CUZK_TRY(read_count(p, &hashes, CUZK_NODE_BYTES, 7, what));
        CUZK_TRY(read_nodes(p, &siblings, hashes, what));
        if (!cuzk_read_u64_le(&p->r, &index)) {
            return short_input(p, what);
        }
        if ((hashes != 1 && hashes != 3 && hashes != 7) || index > hashes) {
            return CUZK_FAIL(p->err, CUZK_E_FORMAT,
                             "vanilla proof: %s: level %u has %llu hashes and index %llu", what, *n,
                             (unsigned long long)hashes, (unsigned long long)index);
        }
        l->siblings = siblings;
        l->arity = (uint8_t)(hashes + 1);
        l->index = (uint8_t)index;
        (*n)++;
    }
    return CUZK_OK;
}

static cuzk_status read_merkle(parser *p, cuzk_merkle_proof *out, const char *what)
{
    cuzk_path_level levels[MAX_LEVELS];
    uint32_t tag, n = 0;
    if (!cuzk_read_u32_le(&p->r, &tag)) {
        return short_input(p, what);
    }
    if (tag > 2) {
        return CUZK_FAIL(p->err, CUZK_E_FORMAT,
                         "vanilla proof: %s: variant %u is not Single, Sub or Top", what, tag);
    }
    if (tag >
        0) { /* base, sub and (Top) top paths come before root and leaf, the Single path after */
        for (uint32_t i = 0; i <= tag; i++) {
            CUZK_TRY(read_path(p, levels, &n, what));
        }
    }
    CUZK_TRY(read_node(p, &out->root, what));
    CUZK_TRY(read_node(p, &out->leaf, what));
    if (tag == 0) {
        CUZK_TRY(read_path(p, levels, &n, what));
    }
    cuzk_path_level *kept = take(p, n, sizeof(*kept));
    if (kept == NULL) {
        return no_memory(p);
    }
    memcpy(kept, levels, n * sizeof(*kept));
    out->levels = kept;
    out->n_levels = n;
    return CUZK_OK;
}

cuzk_status cuzk_post_input_create(cuzk_post_input **out, cuzk_err *err)
{
    cuzk_post_input *in = cuzk_alloc_zero(1, sizeof(*in));
    if (in == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "PoSt input: out of memory");
    }
    *out = in;
    return CUZK_OK;
}

void cuzk_post_input_destroy(cuzk_post_input *in)
{
    if (in != NULL) {
        cuzk_arena_free(&in->arena);
        cuzk_free(in->sectors);
        cuzk_free(in);
    }
}

cuzk_status cuzk_post_input_add(cuzk_post_input *in, const uint8_t *blob, size_t n, cuzk_err *err)
{
    parser p = {cuzk_reader_init(blob, n), &in->arena, err};
    cuzk_post_sector s;
    uint64_t count = 0, proofs = 0;
    memset(&s, 0, sizeof(s));
    if (!cuzk_read_u64_le(&p.r, &s.sector_id)) {
        return short_input(&p, "sector_id");
    }
    CUZK_TRY(read_node(&p, &s.comm_r, "comm_r"));
    CUZK_TRY(read_count(&p, &count, 72, UINT32_MAX, "sectors"));
    if (count != 1) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "vanilla proof: sector %llu: holds %llu sector proofs, not one",
                         (unsigned long long)s.sector_id, (unsigned long long)count);
    }
    CUZK_TRY(read_count(&p, &proofs, 72, UINT16_MAX, "inclusion_proofs"));
    cuzk_merkle_proof *m = take(&p, proofs, sizeof(*m));
    if (m == NULL) {
        return no_memory(&p);
    }
    for (uint64_t i = 0; i < proofs; i++) {
        CUZK_TRY(read_merkle(&p, &m[i], "inclusion_proofs"));
    }
    s.proofs = m;
    s.n_proofs = (uint32_t)proofs;
    CUZK_TRY(read_node(&p, &s.comm_c, "comm_c"));
    CUZK_TRY(read_node(&p, &s.comm_r_last, "comm_r_last"));
    cuzk_post_sector *grown = cuzk_realloc(in->sectors, (size_t)in->n_sectors + 1, sizeof(*grown));
    if (grown == NULL) {
        return no_memory(&p);
    }
    in->sectors = grown;
    grown[in->n_sectors++] = s;
    return CUZK_OK;
}

cuzk_status cuzk_post_input_append(cuzk_post_input *in, cuzk_post_input *from, cuzk_err *err)
{
    const size_t n = (size_t)in->n_sectors + from->n_sectors;
    if (from->n_sectors == 0) {
        return CUZK_OK;
    }
    cuzk_post_sector *grown = n > UINT32_MAX ? NULL : cuzk_realloc(in->sectors, n, sizeof(*grown));
    if (grown == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "vanilla proof: out of memory for %zu sectors", n);
    }
    memcpy(grown + in->n_sectors, from->sectors, from->n_sectors * sizeof(*grown));
    in->sectors = grown;
    in->n_sectors = (uint32_t)n;
    from->n_sectors = 0;
    cuzk_arena_join(&in->arena, &from->arena);
    return CUZK_OK;
}

static int by_number(const void *x, const void *y)
{
    const uint64_t a = ((const cuzk_post_sector *)x)->sector_id;
    const uint64_t b = ((const cuzk_post_sector *)y)->sector_id;
    return (a > b) - (a < b);
}

cuzk_status cuzk_post_input_sort(cuzk_post_input *in, cuzk_err *err)
{
    if (in->n_sectors < 2) {
        return CUZK_OK;
    }
    qsort(in->sectors, in->n_sectors, sizeof(in->sectors[0]), by_number);
    for (uint32_t i = 1; i < in->n_sectors; i++) {
        if (in->sectors[i].sector_id == in->sectors[i - 1].sector_id) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "sector %llu is there twice",
                             (unsigned long long)in->sectors[i].sector_id);
        }
    }
    return CUZK_OK;
}

static cuzk_status parse_update(cuzk_update_input *in, parser *p)
{
    uint64_t n = 0;
    cuzk_node *apex = NULL;
    CUZK_TRY(read_node(p, &in->comm_c, "comm_c"));
    CUZK_TRY(read_count(p, &n, CUZK_NODE_BYTES, UINT16_MAX, "apex_leafs"));
    CUZK_TRY(read_nodes(p, &apex, n, "apex_leafs"));
    in->apex = apex;
    in->n_apex = (uint32_t)n;
    CUZK_TRY(read_count(p, &n, 216, UINT16_MAX, "challenge_proofs"));
    cuzk_update_challenge *c = take(p, n, sizeof(*c));
    if (c == NULL) {
        return no_memory(p);
    }
    for (uint64_t i = 0; i < n; i++) {
        CUZK_TRY(read_merkle(p, &c[i].r_old, "proof_r_old"));
        CUZK_TRY(read_merkle(p, &c[i].d_new, "proof_d_new"));
        CUZK_TRY(read_merkle(p, &c[i].r_new, "proof_r_new"));
    }
    in->challenges = c;
    in->n_challenges = (uint32_t)n;
    return CUZK_OK;
}

cuzk_status cuzk_update_parse(cuzk_update_input **out, const uint8_t *blob, size_t n, cuzk_err *err)
{
    cuzk_update_input *in = cuzk_alloc_zero(1, sizeof(*in));
    if (in == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "update input: out of memory");
    }
    parser p = {cuzk_reader_init(blob, n), &in->arena, err};
    const cuzk_status st = parse_update(in, &p);
    if (st != CUZK_OK) {
        cuzk_update_input_destroy(in);
        return st;
    }
    *out = in;
    return CUZK_OK;
}

void cuzk_update_input_destroy(cuzk_update_input *in)
{
    if (in != NULL) {
        cuzk_arena_free(&in->arena);
        cuzk_free(in);
    }
}
