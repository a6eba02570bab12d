/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The data is one value in every leaf, so comm_d, and with it replica_id and the challenges, are
 * known first. Columns of nodes that are not challenged are arbitrary; those of challenged nodes are
 * labels, computed layer by layer and in ascending order within a layer: DRG parents are smaller
 * nodes of the same layer, expander parents any nodes of the layer below.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "hash/sha256.h"
#include "vanilla/generate/sparse_tree.h"
#include "vanilla/sector/graph.h"

#include "generate_internal.h"

void synthetic_node(cuzk_node *out, uint64_t seed, const char *what, uint64_t a, uint64_t b)
{
    uint8_t le[24];
    cuzk_sha256 s;
    cuzk_store_u64_le(le, seed);
    cuzk_store_u64_le(le + 8, a);
    cuzk_store_u64_le(le + 16, b);
    cuzk_sha256_init(&s);
    cuzk_sha256_update(&s, "cuzk synthetic ", 15);
    cuzk_sha256_update(&s, what, strlen(what));
    cuzk_sha256_update(&s, le, sizeof(le));
    cuzk_sha256_final(out->b, &s);
    out->b[31] &= 0x3f;
}

bool synthetic_comm_r(cuzk_node *out, const cuzk_node *comm_c, const cuzk_node *comm_r_last,
                      const cuzk_hashes *h)
{
    cuzk_fr in[2], digest;
    if (!cuzk_fr_from_bytes_le(&in[0], comm_c->b) ||
        !cuzk_fr_from_bytes_le(&in[1], comm_r_last->b)) {
        return false;
    }
    cuzk_poseidon_hash(&digest, h->p2, in);
    cuzk_fr_to_bytes_le(out->b, &digest);
    return true;
}

/* A node of the graph whose column is made. */
typedef struct column {
    uint32_t node;
    bool is_challenge;
    cuzk_node rows[CUZK_MAX_LAYERS];
} column;

typedef struct generator {
    cuzk_porep_input *in;
    const cuzk_hashes *h;
    uint64_t seed;
    cuzk_graph graph;
    cuzk_node data;       /* every leaf of TreeD */
    uint32_t *challenges; /* [n_total] in order of partitions */
    uint32_t n_total;
    column *columns; /* [n_columns] ascending node */
    size_t n_columns;
    cuzk_sparse_node *leaves; /* working space, [n_columns] */
    cuzk_sparse_tree tree_d, tree_c, tree_r;
} generator;

static cuzk_status no_memory(cuzk_err *err)
{
    return CUZK_FAIL(err, CUZK_E_NOMEM, "synthetic PoRep: out of memory");
}

static column *find_column(const generator *g, uint32_t node)
{
    size_t lo = 0, hi = g->n_columns;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (g->columns[mid].node < node) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return &g->columns[lo];
}

static int compare_columns(const void *a, const void *b)
{
    const uint32_t x = ((const column *)a)->node, y = ((const column *)b)->node;
    return x < y ? -1 : x > y;
}

static cuzk_status make_statement(generator *g, cuzk_err *err)
{
    cuzk_porep_input *in = g->in;
    uint8_t binary[CUZK_SPARSE_MAX_LEVELS];
    cuzk_node prover_id = {{0xe8, 0x07}}, porep_id; /* 1000 in LEB128 */
    memset(binary, 2, sizeof(binary));
    synthetic_node(&g->data, g->seed, "data", 0, 0);
    CUZK_TRY(cuzk_sparse_tree_build(&g->tree_d, CUZK_TREE_SHA256, binary, in->shape->lg_nodes,
                                    &g->data, NULL, 0, g->h, err));
    in->comm_d = *cuzk_sparse_tree_root(&g->tree_d);
    synthetic_node(&in->ticket, g->seed, "ticket", 0, 0);
    synthetic_node(&in->seed, g->seed, "interactive seed", 0, 0);
    cuzk_porep_id(&porep_id, in->type.number);
    cuzk_replica_id(&in->replica_id, &prover_id, CUZK_GEN_SECTOR, &in->ticket, &in->comm_d,
                    &porep_id);
    cuzk_graph_init(&g->graph, cuzk_sector_nodes(in->shape), &porep_id, in->type.api_minor);
    return CUZK_OK;
}

static cuzk_status make_challenges(generator *g, cuzk_err *err)
{
    const cuzk_porep_input *in = g->in;
    cuzk_porep_statement st;
    memset(&st, 0, sizeof(st));
    st.type = in->type;
    st.replica_id = in->replica_id;
    st.seed = in->seed;
    g->n_total = in->n_partitions * in->n_challenges;
    g->challenges = cuzk_alloc(g->n_total, sizeof(*g->challenges));
    if (g->challenges == NULL) {
        return no_memory(err);
    }
    for (uint32_t k = 0; k < in->n_partitions; k++) {
        CUZK_TRY(cuzk_porep_challenges(g->challenges + (size_t)k * in->n_challenges, &st, k, err));
    }
    return CUZK_OK;
}

/* Challenged nodes and their parents, once each. */
static cuzk_status collect_columns(generator *g, cuzk_err *err)
{
    const size_t per = 1 + CUZK_DRG_PARENTS + CUZK_EXP_PARENTS;
    size_t n = 0, m = 0;
    g->columns = cuzk_alloc_zero(per * g->n_total, sizeof(*g->columns));
    g->leaves = cuzk_alloc(per * g->n_total, sizeof(*g->leaves));
    if (g->columns == NULL || g->leaves == NULL) {
        return no_memory(err);
    }
    for (uint32_t i = 0; i < g->n_total; i++) {
        uint32_t parents[CUZK_DRG_PARENTS + CUZK_EXP_PARENTS];
        cuzk_graph_drg_parents(parents, &g->graph, g->challenges[i]);
        cuzk_graph_exp_parents(parents + CUZK_DRG_PARENTS, &g->graph, g->challenges[i]);
        g->columns[n++].node = g->challenges[i];
        for (size_t k = 0; k + 1 < per; k++) {
            g->columns[n++].node = parents[k];
        }
    }
    qsort(g->columns, n, sizeof(*g->columns), compare_columns);
    for (size_t i = 0; i < n; i++) {
        if (m == 0 || g->columns[m - 1].node != g->columns[i].node) {
            g->columns[m++] = g->columns[i];
        }
    }
    g->n_columns = m;
    for (uint32_t i = 0; i < g->n_total; i++) {
        find_column(g, g->challenges[i])->is_challenge = true;
    }
    return CUZK_OK;
}

static void parent_labels(const generator *g, uint32_t node, uint32_t layer,
                          cuzk_node out[CUZK_LABEL_PARENTS])
{
    uint32_t parents[CUZK_DRG_PARENTS + CUZK_EXP_PARENTS];
    const cuzk_node *columns[CUZK_DRG_PARENTS + CUZK_EXP_PARENTS];
    cuzk_graph_drg_parents(parents, &g->graph, node);
    cuzk_graph_exp_parents(parents + CUZK_DRG_PARENTS, &g->graph, node);
    for (unsigned i = 0; i < CUZK_DRG_PARENTS + CUZK_EXP_PARENTS; i++) {
        columns[i] = find_column(g, parents[i])->rows;
    }
    cuzk_label_parents(out, columns, layer);
}

static void make_labels(generator *g)
{
    for (uint32_t layer = 1; layer <= g->in->shape->layers; layer++) {
        for (size_t i = 0; i < g->n_columns; i++) {
            column *c = &g->columns[i];
            if (!c->is_challenge) {
                synthetic_node(&c->rows[layer - 1], g->seed, "label", c->node, layer);
            }
        }
        for (size_t i = 0; i < g->n_columns; i++) {
            column *c = &g->columns[i];
            if (c->is_challenge) {
                cuzk_node parents[CUZK_LABEL_PARENTS];
                parent_labels(g, c->node, layer, parents);
                cuzk_label(&c->rows[layer - 1], &g->in->replica_id, layer, c->node, parents);
            }
        }
    }
}

static void column_leaf(cuzk_node *out, const generator *g, const column *c)
{
    const unsigned layers = g->in->shape->layers;
    cuzk_fr rows[CUZK_MAX_LAYERS], digest;
    for (unsigned i = 0; i < layers; i++) {
        (void)cuzk_fr_from_bytes_le(&rows[i], c->rows[i].b); /* trimmed: always < r */
    }
    cuzk_poseidon_hash(&digest, cuzk_hashes_arity(g->h, layers), rows);
    cuzk_fr_to_bytes_le(out->b, &digest);
}

static void encoded_leaf(cuzk_node *out, const generator *g, const column *c)
{
    cuzk_fr key, data;
    (void)cuzk_fr_from_bytes_le(&key, c->rows[g->in->shape->layers - 1].b);
    (void)cuzk_fr_from_bytes_le(&data, g->data.b);
    cuzk_fr_add(&data, &data, &key);
    cuzk_fr_to_bytes_le(out->b, &data);
}

static cuzk_status make_trees(generator *g, cuzk_err *err)
{
    cuzk_porep_input *in = g->in;
    uint8_t arity[16];
    cuzk_node other;
    size_t n = 0;
    const unsigned levels = cuzk_tree_levels(in->shape, arity);
    for (size_t i = 0; i < g->n_columns; i++) {
        g->leaves[i].index = g->columns[i].node;
        column_leaf(&g->leaves[i].value, g, &g->columns[i]);
    }
    synthetic_node(&other, g->seed, "column", 0, 0);
    CUZK_TRY(cuzk_sparse_tree_build(&g->tree_c, CUZK_TREE_POSEIDON, arity, levels, &other,
                                    g->leaves, g->n_columns, g->h, err));
    for (size_t i = 0; i < g->n_columns; i++) {
        if (g->columns[i].is_challenge) {
            g->leaves[n].index = g->columns[i].node;
            encoded_leaf(&g->leaves[n++].value, g, &g->columns[i]);
        }
    }
    synthetic_node(&other, g->seed, "replica", 0, 0);
    CUZK_TRY(cuzk_sparse_tree_build(&g->tree_r, CUZK_TREE_POSEIDON, arity, levels, &other,
                                    g->leaves, n, g->h, err));
    if (!synthetic_comm_r(&in->comm_r, cuzk_sparse_tree_root(&g->tree_c),
                          cuzk_sparse_tree_root(&g->tree_r), g->h)) {
        return CUZK_FAIL(err, CUZK_E_SELFTEST, "synthetic PoRep: a root is not a field element");
    }
    return CUZK_OK;
}

static cuzk_status make_column_proof(generator *g, cuzk_column_proof *out, uint32_t node,
                                     cuzk_err *err)
{
    const column *c = find_column(g, node);
    const uint32_t layers = g->in->shape->layers;
    cuzk_node *rows = cuzk_arena_alloc(&g->in->arena, layers, sizeof(*rows));
    if (rows == NULL) {
        return no_memory(err);
    }
    memcpy(rows, c->rows, layers * sizeof(*rows));
    out->index = node;
    out->n_rows = layers;
    out->rows = rows;
    return cuzk_sparse_tree_prove(&out->inclusion, &g->tree_c, node, &g->in->arena, err);
}

static cuzk_status make_labelings(generator *g, cuzk_porep_challenge *c, uint32_t node,
                                  cuzk_err *err)
{
    const uint32_t layers = g->in->shape->layers;
    cuzk_labeling_proof *l = cuzk_arena_alloc(&g->in->arena, layers, sizeof(*l));
    if (l == NULL) {
        return no_memory(err);
    }
    for (uint32_t layer = 1; layer <= layers; layer++) {
        cuzk_node *parents = cuzk_arena_alloc(&g->in->arena, CUZK_LABEL_PARENTS, sizeof(*parents));
        if (parents == NULL) {
            return no_memory(err);
        }
        parent_labels(g, node, layer, parents);
        l[layer - 1] = (cuzk_labeling_proof){
            .layer = layer, .node = node, .n_parents = CUZK_LABEL_PARENTS, .parents = parents};
    }
    c->labeling = l;
    c->n_labeling = layers;
    c->encoding = l[layers - 1];
    return CUZK_OK;
}

static cuzk_status make_challenge(generator *g, cuzk_porep_challenge *c, uint32_t node,
                                  cuzk_err *err)
{
    uint32_t drg[CUZK_DRG_PARENTS], exp[CUZK_EXP_PARENTS];
    cuzk_graph_drg_parents(drg, &g->graph, node);
    cuzk_graph_exp_parents(exp, &g->graph, node);
    CUZK_TRY(cuzk_sparse_tree_prove(&c->comm_d, &g->tree_d, node, &g->in->arena, err));
    CUZK_TRY(cuzk_sparse_tree_prove(&c->comm_r_last, &g->tree_r, node, &g->in->arena, err));
    CUZK_TRY(make_column_proof(g, &c->c_x, node, err));
    for (unsigned i = 0; i < CUZK_DRG_PARENTS; i++) {
        CUZK_TRY(make_column_proof(g, &c->drg[i], drg[i], err));
    }
    for (unsigned i = 0; i < CUZK_EXP_PARENTS; i++) {
        CUZK_TRY(make_column_proof(g, &c->exp[i], exp[i], err));
    }
    return make_labelings(g, c, node, err);
}

static cuzk_status make_partitions(generator *g, cuzk_err *err)
{
    cuzk_porep_input *in = g->in;
    const cuzk_porep_challenge **partitions =
        cuzk_arena_alloc(&in->arena, in->n_partitions, sizeof(*partitions));
    if (partitions == NULL) {
        return no_memory(err);
    }
    for (uint32_t k = 0; k < in->n_partitions; k++) {
        cuzk_porep_challenge *c = cuzk_arena_alloc(&in->arena, in->n_challenges, sizeof(*c));
        if (c == NULL) {
            return no_memory(err);
        }
        for (uint32_t i = 0; i < in->n_challenges; i++) {
            CUZK_TRY(
                make_challenge(g, &c[i], g->challenges[(size_t)k * in->n_challenges + i], err));
        }
        partitions[k] = c;
    }
    in->partitions = partitions;
    return CUZK_OK;
}

static cuzk_status find_type(cuzk_seal_type *out, uint64_t sector_bytes, cuzk_err *err)
{
    for (uint64_t k = 5; k < 10; k++) { /* V1_1 */
        CUZK_TRY(cuzk_seal_type_of(out, k, err));
        if (out->sector_bytes == sector_bytes) {
            return CUZK_OK;
        }
    }
    return CUZK_FAIL(err, CUZK_E_INVALID, "no seal proof is registered for sectors of %llu bytes",
                     (unsigned long long)sector_bytes);
}

cuzk_status cuzk_generate_porep(cuzk_porep_input **out, uint64_t sector_bytes, uint64_t seed,
                                const cuzk_hashes *h, cuzk_err *err)
{
    generator g = {.h = h, .seed = seed};
    cuzk_seal_type type;
    cuzk_status st;
    CUZK_TRY(find_type(&type, sector_bytes, err));
    g.in = cuzk_alloc_zero(1, sizeof(*g.in));
    if (g.in == NULL) {
        return no_memory(err);
    }
    g.in->type = type;
    g.in->shape = cuzk_sector_shape_of(sector_bytes);
    g.in->n_partitions = g.in->shape->porep_partitions;
    g.in->n_challenges = g.in->shape->porep_challenges;
    CUZK_TRY_GOTO(st, make_statement(&g, err));
    CUZK_TRY_GOTO(st, make_challenges(&g, err));
    CUZK_TRY_GOTO(st, collect_columns(&g, err));
    make_labels(&g);
    CUZK_TRY_GOTO(st, make_trees(&g, err));
    CUZK_TRY_GOTO(st, make_partitions(&g, err));
    *out = g.in;
    g.in = NULL;
out:
    cuzk_porep_input_destroy(g.in);
    cuzk_free(g.challenges);
    cuzk_free(g.columns);
    cuzk_free(g.leaves);
    cuzk_sparse_tree_free(&g.tree_d);
    cuzk_sparse_tree_free(&g.tree_c);
    cuzk_sparse_tree_free(&g.tree_r);
    return st;
}
