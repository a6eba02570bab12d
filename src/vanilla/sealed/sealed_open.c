/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Opening a sealed sector: sizes, roots and commitments agree before anything is proved. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#include "sealed_internal.h"

#define MAX_AUX ((size_t)64 << 10)

static const char *copy_text(const char *text)
{
    const size_t n = strlen(text) + 1;
    char *c = cuzk_alloc(n, 1);
    if (c != NULL) {
        memcpy(c, text, n);
    }
    return c;
}

static cuzk_status open_replica(cuzk_sealed *s, cuzk_err *err)
{
    CUZK_TRY(cuzk_file_open(&s->replica, s->replica_path, err));
    s->shape = cuzk_sector_shape_of(cuzk_file_size(s->replica));
    if (s->shape == NULL) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: %llu bytes are no sector size", s->replica_path,
                         (unsigned long long)cuzk_file_size(s->replica));
    }
    uint8_t arity[16];
    s->n_trees = (s->shape->sub_arity != 0 ? s->shape->sub_arity : 1u) *
                 (s->shape->top_arity != 0 ? s->shape->top_arity : 1u);
    s->levels =
        cuzk_tree_levels(s->shape, arity) - (s->shape->sub_arity != 0) - (s->shape->top_arity != 0);
    return CUZK_OK;
}

static cuzk_status aux_content(cuzk_content *out, const cuzk_sealed *s, const char *name,
                               cuzk_err *err)
{
    char path[SEALED_PATH_BYTES];
    const int n = snprintf(path, sizeof(path), "%s/%s", s->cache, name);
    if (n < 0 || n >= SEALED_PATH_BYTES) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s: the path is too long", s->cache);
    }
    return cuzk_content_read(out, path, MAX_AUX, err);
}

static cuzk_status read_p_aux(cuzk_sealed *s, cuzk_err *err)
{
    cuzk_content c;
    cuzk_err inner = {.msg = ""};
    cuzk_fr in[2], digest;
    CUZK_TRY(aux_content(&c, s, "p_aux", err));
    cuzk_status st = cuzk_p_aux_parse(&s->comm_c, &s->comm_r_last, c.data, c.size, &inner);
    cuzk_content_free(&c);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "%s/%s", s->cache, inner.msg);
    }
    if (!cuzk_fr_from_bytes_le(&in[0], s->comm_c.b) ||
        !cuzk_fr_from_bytes_le(&in[1], s->comm_r_last.b)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s/p_aux: a commitment is not a field element",
                         s->cache);
    }
    cuzk_poseidon_hash(&digest, s->h->p2, in);
    cuzk_fr_to_bytes_le(s->comm_r.b, &digest);
    return CUZK_OK;
}

/* The number of rows that a file of this many nodes leaves out; false: none fits. */
static bool discarded_rows(unsigned *out, unsigned levels, uint64_t nodes)
{
    uint64_t stored = 0;
    for (unsigned row = levels; row >= 1; row--) {
        stored += (uint64_t)1 << (3 * (levels - row));
        if (stored == nodes) {
            *out = row - 1;
            return true;
        }
    }
    return false;
}

static cuzk_status open_tree(cuzk_sealed *s, unsigned k, cuzk_err *err)
{
    char path[SEALED_PATH_BYTES];
    unsigned rows = 0;
    CUZK_TRY(sealed_tree_path(path, s, "tree-r-last", k, err));
    CUZK_TRY(cuzk_file_open(&s->tree[k], path, err));
    const uint64_t bytes = cuzk_file_size(s->tree[k]), nodes = bytes / CUZK_NODE_BYTES;
    if (bytes % CUZK_NODE_BYTES != 0 || !discarded_rows(&rows, s->levels, nodes) ||
        rows > SEALED_MAX_DISCARDED) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: %llu bytes are no tree-r-last of a sector of %s",
                         path, (unsigned long long)bytes, s->shape->name);
    }
    if (k > 0 && rows != s->discarded) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: leaves out %u rows, the first file %u", path,
                         rows, s->discarded);
    }
    s->discarded = rows;
    return sealed_read(s, s->tree[k], &s->root[k], nodes - 1, 1, err);
}

static cuzk_status open_trees(cuzk_sealed *s, cuzk_err *err)
{
    cuzk_node root;
    for (unsigned k = 0; k < s->n_trees; k++) {
        CUZK_TRY(open_tree(s, k, err));
    }
    if (!sealed_root_of_roots(&root, s, s->root) ||
        memcmp(&root, &s->comm_r_last, sizeof(root)) != 0) {
        return CUZK_FAIL(err, CUZK_E_VANILLA,
                         "%s: tree-r-last does not have the root that p_aux says", s->cache);
    }
    return CUZK_OK;
}

/* t_aux is gone once a sector is finalised. */
static cuzk_status compare_t_aux(const cuzk_sealed *s, cuzk_err *err)
{
    cuzk_content c;
    cuzk_err inner = {.msg = ""};
    cuzk_t_aux t;
    cuzk_status st = aux_content(&c, s, "t_aux", &inner);
    if (st == CUZK_E_NOT_FOUND) {
        return CUZK_OK;
    }
    if (st == CUZK_OK) {
        st = cuzk_t_aux_parse(&t, c.data, c.size, &inner);
        cuzk_content_free(&c);
        if (st != CUZK_OK) {
            return CUZK_FAIL(err, st, "%s/%s", s->cache, inner.msg);
        }
    }
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "%s", inner.msg);
    }
    if (strcmp(t.tree_r_last.id, "tree-r-last") != 0 ||
        t.tree_r_last.rows_to_discard != s->discarded) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "%s/t_aux: %s leaves out %llu rows, the files of tree-r-last leave out %u",
                         s->cache, t.tree_r_last.id,
                         (unsigned long long)t.tree_r_last.rows_to_discard, s->discarded);
    }
    return t.n_layers == s->shape->layers
               ? CUZK_OK
               : CUZK_FAIL(err, CUZK_E_FORMAT, "%s/t_aux: %u layers, a sector of %s has %u",
                           s->cache, t.n_layers, s->shape->name, s->shape->layers);
}

/* tree-c, too; it is a whole tree, whose root is its last node. */
static cuzk_status compare_tree_c(cuzk_sealed *s, cuzk_err *err)
{
    char path[SEALED_PATH_BYTES];
    cuzk_node root[SEALED_MAX_TREES], comm_c;
    uint64_t nodes = 0;
    for (unsigned k = 0; k <= s->levels; k++) {
        nodes += (uint64_t)1 << (3 * k);
    }
    for (unsigned k = 0; k < s->n_trees; k++) {
        cuzk_file *f = NULL;
        cuzk_err inner = {.msg = ""};
        CUZK_TRY(sealed_tree_path(path, s, "tree-c", k, err));
        cuzk_status st = cuzk_file_open(&f, path, &inner);
        if (st == CUZK_E_NOT_FOUND && k == 0) {
            return CUZK_OK;
        }
        if (st != CUZK_OK) {
            return CUZK_FAIL(err, st, "%s", inner.msg);
        }
        st = cuzk_file_size(f) == nodes * CUZK_NODE_BYTES
                 ? sealed_read(s, f, &root[k], nodes - 1, 1, err)
                 : CUZK_FAIL(err, CUZK_E_FORMAT, "%s: %llu bytes, tree-c has %llu", path,
                             (unsigned long long)cuzk_file_size(f),
                             (unsigned long long)(nodes * CUZK_NODE_BYTES));
        cuzk_file_close(f);
        CUZK_TRY(st);
    }
    if (!sealed_root_of_roots(&comm_c, s, root) ||
        memcmp(&comm_c, &s->comm_c, sizeof(comm_c)) != 0) {
        return CUZK_FAIL(err, CUZK_E_VANILLA, "%s: tree-c does not have the root that p_aux says",
                         s->cache);
    }
    return CUZK_OK;
}

cuzk_status cuzk_sealed_open(cuzk_sealed **out, const char *replica, const char *cache,
                             const cuzk_hashes *hashes, cuzk_err *err)
{
    cuzk_sealed *s = cuzk_alloc_zero(1, sizeof(*s));
    cuzk_status st;
    if (s == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "sealed sector: out of memory");
    }
    s->h = hashes;
    s->replica_path = copy_text(replica);
    s->cache = copy_text(cache);
    if (s->replica_path == NULL || s->cache == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "sealed sector: out of memory");
        goto out;
    }
    CUZK_TRY_GOTO(st, open_replica(s, err));
    CUZK_TRY_GOTO(st, read_p_aux(s, err));
    CUZK_TRY_GOTO(st, open_trees(s, err));
    CUZK_TRY_GOTO(st, compare_t_aux(s, err));
    CUZK_TRY_GOTO(st, compare_tree_c(s, err));
    *out = s;
    return CUZK_OK;
out:
    cuzk_sealed_close(s);
    return st;
}

void cuzk_sealed_close(cuzk_sealed *s)
{
    if (s == NULL) {
        return;
    }
    cuzk_file_close(s->replica);
    for (unsigned k = 0; k < SEALED_MAX_TREES; k++) {
        cuzk_file_close(s->tree[k]);
    }
    cuzk_free((char *)(uintptr_t)s->replica_path);
    cuzk_free((char *)(uintptr_t)s->cache);
    cuzk_free(s);
}

const cuzk_sector_shape *cuzk_sealed_shape(const cuzk_sealed *s)
{
    return s->shape;
}

const cuzk_node *cuzk_sealed_comm_r(const cuzk_sealed *s)
{
    return &s->comm_r;
}

uint64_t cuzk_sealed_bytes_read(const cuzk_sealed *s)
{
    return s->bytes_read;
}
