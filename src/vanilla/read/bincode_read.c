/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "bincode_internal.h"

#define MAX_LEVELS 64u /* more than any tree has; bounds work on hostile input */

cuzk_status bin_short(bin_parser *p, const char *what)
{
    return CUZK_FAIL(p->err, CUZK_E_FORMAT, "%s: %s: input ends at byte %zu", p->subject, what,
                     cuzk_reader_pos(&p->r));
}

cuzk_status bin_node(bin_parser *p, cuzk_node *out, const char *what)
{
    const uint8_t *b;
    if (!cuzk_read_bytes(&p->r, &b, CUZK_NODE_BYTES)) {
        return bin_short(p, what);
    }
    memcpy(out->b, b, CUZK_NODE_BYTES);
    return CUZK_OK;
}

/* A count of items of at least item_bytes each, so that what follows can be allocated. */
cuzk_status bin_count(bin_parser *p, uint64_t *out, size_t item_bytes, uint64_t max,
                      const char *what)
{
    const size_t at = cuzk_reader_pos(&p->r);
    if (!cuzk_read_u64_le(&p->r, out)) {
        return bin_short(p, what);
    }
    if (*out > max || !cuzk_reader_has(&p->r, *out, item_bytes)) {
        return CUZK_FAIL(p->err, CUZK_E_FORMAT, "%s: %s: count %llu at byte %zu is impossible",
                         p->subject, what, (unsigned long long)*out, at);
    }
    return CUZK_OK;
}

void *bin_take(bin_parser *p, uint64_t count, size_t size)
{
    return cuzk_arena_alloc(p->arena, (size_t)count, size);
}

cuzk_status bin_no_memory(bin_parser *p)
{
    return CUZK_FAIL(p->err, CUZK_E_NOMEM, "%s: out of memory after %llu bytes", p->subject,
                     (unsigned long long)p->arena->bytes);
}

cuzk_status bin_nodes(bin_parser *p, cuzk_node **out, uint64_t n, const char *what)
{
    const uint8_t *b;
    if (!cuzk_reader_has(&p->r, n, CUZK_NODE_BYTES) ||
        !cuzk_read_bytes(&p->r, &b, (size_t)n * CUZK_NODE_BYTES)) {
        return bin_short(p, what);
    }
    cuzk_node *nodes = bin_take(p, n, sizeof(*nodes));
    if (nodes == NULL) {
        return bin_no_memory(p);
    }
    memcpy(nodes, b, (size_t)n * CUZK_NODE_BYTES);
    *out = nodes;
    return CUZK_OK;
}

/* InclusionPath: appends to levels[*n..MAX_LEVELS). */
static cuzk_status read_path(bin_parser *p, cuzk_path_level *levels, uint32_t *n, const char *what)
{
    uint64_t count = 0;
    CUZK_TRY(bin_count(p, &count, 16, MAX_LEVELS - *n, what));
    for (uint64_t i = 0; i < count; i++) {
        cuzk_path_level *l = &levels[*n];
        uint64_t hashes = 0, index = 0;
        cuzk_node *siblings = NULL;
        CUZK_TRY(bin_count(p, &hashes, CUZK_NODE_BYTES, 7, what));
        CUZK_TRY(bin_nodes(p, &siblings, hashes, what));
        if (!cuzk_read_u64_le(&p->r, &index)) {
            return bin_short(p, what);
        }
        if ((hashes != 1 && hashes != 3 && hashes != 7) || index > hashes) {
            return CUZK_FAIL(p->err, CUZK_E_FORMAT,
                             "%s: %s: level %u has %llu hashes and index %llu", p->subject, what,
                             *n, (unsigned long long)hashes, (unsigned long long)index);
        }
        l->siblings = siblings;
        l->arity = (uint8_t)(hashes + 1);
        l->index = (uint8_t)index;
        (*n)++;
    }
    return CUZK_OK;
}

cuzk_status bin_merkle(bin_parser *p, cuzk_merkle_proof *out, const char *what)
{
    cuzk_path_level levels[MAX_LEVELS];
    uint32_t tag, n = 0;
    if (!cuzk_read_u32_le(&p->r, &tag)) {
        return bin_short(p, what);
    }
    if (tag > 2) {
        return CUZK_FAIL(p->err, CUZK_E_FORMAT, "%s: %s: variant %u is not Single, Sub or Top",
                         p->subject, what, tag);
    }
    if (tag >
        0) { /* base, sub and (Top) top paths come before root and leaf, the Single path after */
        for (uint32_t i = 0; i <= tag; i++) {
            CUZK_TRY(read_path(p, levels, &n, what));
        }
    }
    CUZK_TRY(bin_node(p, &out->root, what));
    CUZK_TRY(bin_node(p, &out->leaf, what));
    if (tag == 0) {
        CUZK_TRY(read_path(p, levels, &n, what));
    }
    cuzk_path_level *kept = bin_take(p, n, sizeof(*kept));
    if (kept == NULL) {
        return bin_no_memory(p);
    }
    memcpy(kept, levels, n * sizeof(*kept));
    out->levels = kept;
    out->n_levels = n;
    return CUZK_OK;
}
