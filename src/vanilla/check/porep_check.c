/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A C1 output against its own statement: challenges from replica_id and seed, parents from the
 * graph, every path, column hash, label and the encoding.
 */
#include <stdio.h>
#include <string.h>

#include "vanilla/sector/graph.h"

#include "check_internal.h"

typedef struct porep_job {
    const cuzk_porep_input *in;
    const cuzk_hashes *h;
    cuzk_graph graph;
    tree_shape tree_c, tree_d;
    cuzk_porep_statement statement;
    cuzk_node comm_c, comm_r_last;
    first_fault fault;
} porep_job;

typedef struct place {
    uint32_t partition, challenge;
} place;

static cuzk_status bad(cuzk_err *err, const place *at, const char *field, const char *what)
{
    return CUZK_FAIL(err, CUZK_E_VANILLA, "partition %u, challenge %u: %s: %s", at->partition,
                     at->challenge, field, what);
}

static cuzk_status check_path(const porep_job *job, const cuzk_merkle_proof *p, const tree_shape *t,
                              uint64_t index, const cuzk_node *root, const char *field,
                              const place *at, cuzk_err *err)
{
    const char *what = merkle_fault(p, t, index, root, job->h);
    return what == NULL ? CUZK_OK : bad(err, at, field, what);
}

static bool column_hash(cuzk_node *out, const cuzk_column_proof *c, const cuzk_hashes *h)
{
    cuzk_fr rows[CUZK_MAX_LAYERS], digest;
    const cuzk_poseidon_params *params = cuzk_hashes_arity(h, c->n_rows);
    if (params == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < c->n_rows; i++) {
        if (!cuzk_fr_from_bytes_le(&rows[i], c->rows[i].b)) {
            return false;
        }
    }
    cuzk_poseidon_hash(&digest, params, rows);
    cuzk_fr_to_bytes_le(out->b, &digest);
    return true;
}

static cuzk_status check_column(const porep_job *job, const cuzk_column_proof *c, uint32_t node,
                                const char *field, const place *at, cuzk_err *err)
{
    cuzk_node leaf;
    if (c->index != node) {
        return bad(err, at, field, "column.index is another node");
    }
    if (c->n_rows != job->in->shape->layers) {
        return bad(err, at, field, "column.rows has a wrong number of layers");
    }
    if (!column_hash(&leaf, c, job->h)) {
        return bad(err, at, field, "column.rows has a value that is not a field element");
    }
    if (!node_eq(&leaf, &c->inclusion.leaf)) {
        return bad(err, at, field, "column.rows do not hash to the leaf of inclusion_proof");
    }
    return check_path(job, &c->inclusion, &job->tree_c, node, &job->comm_c, field, at, err);
}

static cuzk_status check_columns(const porep_job *job, const cuzk_porep_challenge *c, uint32_t node,
                                 const place *at, cuzk_err *err)
{
    uint32_t drg[CUZK_DRG_PARENTS], exp[CUZK_EXP_PARENTS];
    char field[32];
    cuzk_graph_drg_parents(drg, &job->graph, node);
    cuzk_graph_exp_parents(exp, &job->graph, node);
    CUZK_TRY(check_column(job, &c->c_x, node, "c_x", at, err));
    for (unsigned i = 0; i < CUZK_DRG_PARENTS; i++) {
        (void)snprintf(field, sizeof(field), "drg_parents[%u]", i);
        CUZK_TRY(check_column(job, &c->drg[i], drg[i], field, at, err));
    }
    for (unsigned i = 0; i < CUZK_EXP_PARENTS; i++) {
        (void)snprintf(field, sizeof(field), "exp_parents[%u]", i);
        CUZK_TRY(check_column(job, &c->exp[i], exp[i], field, at, err));
    }
    return CUZK_OK;
}

static cuzk_status check_labeling(const cuzk_labeling_proof *l, const cuzk_node *parents,
                                  uint32_t layer, uint32_t node, const char *field, const place *at,
                                  cuzk_err *err)
{
    if (l->layer != layer) {
        return bad(err, at, field, "layer_index is wrong");
    }
    if (l->node != node) {
        return bad(err, at, field, "node is not the challenge");
    }
    if (l->n_parents != CUZK_LABEL_PARENTS ||
        memcmp(l->parents, parents, CUZK_LABEL_PARENTS * sizeof(*parents)) != 0) {
        return bad(err, at, field, "parents are not the labels in the parents' columns");
    }
    return CUZK_OK;
}

static cuzk_status check_labels(const porep_job *job, const cuzk_porep_challenge *c, uint32_t node,
                                const place *at, cuzk_err *err)
{
    const uint32_t layers = job->in->shape->layers;
    const cuzk_node *columns[CUZK_DRG_PARENTS + CUZK_EXP_PARENTS];
    cuzk_node parents[CUZK_LABEL_PARENTS], label;
    char field[40];
    if (c->n_labeling != layers) {
        return bad(err, at, "labeling_proofs", "wrong number of layers");
    }
    for (unsigned i = 0; i < CUZK_DRG_PARENTS + CUZK_EXP_PARENTS; i++) {
        columns[i] = i < CUZK_DRG_PARENTS ? c->drg[i].rows : c->exp[i - CUZK_DRG_PARENTS].rows;
    }
    for (uint32_t layer = 1; layer <= layers; layer++) {
        (void)snprintf(field, sizeof(field), "labeling_proofs[%u]", layer - 1);
        cuzk_label_parents(parents, columns, layer);
        CUZK_TRY(check_labeling(&c->labeling[layer - 1], parents, layer, node, field, at, err));
        cuzk_label(&label, &job->in->replica_id, layer, node, parents);
        if (!node_eq(&label, &c->c_x.rows[layer - 1])) {
            return bad(err, at, field, "label is not the one in column c_x");
        }
    }
    return check_labeling(&c->encoding, parents, layers, node, "encoding_proof", at, err);
}

static cuzk_status check_encoding(const cuzk_porep_challenge *c, uint32_t layers, const place *at,
                                  cuzk_err *err)
{
    cuzk_fr data, key;
    cuzk_node encoded;
    if (!cuzk_fr_from_bytes_le(&data, c->comm_d.leaf.b) ||
        !cuzk_fr_from_bytes_le(&key, c->c_x.rows[layers - 1].b)) {
        return bad(err, at, "comm_d_proofs", "leaf is not a field element");
    }
    cuzk_fr_add(&data, &data, &key);
    cuzk_fr_to_bytes_le(encoded.b, &data);
    if (!node_eq(&encoded, &c->comm_r_last.leaf)) {
        return bad(err, at, "comm_r_last_proof",
                   "leaf is not the data encoded with the last label");
    }
    return CUZK_OK;
}

static cuzk_status check_challenge(const porep_job *job, const cuzk_porep_challenge *c,
                                   uint32_t node, const place *at, cuzk_err *err)
{
    CUZK_TRY(check_path(job, &c->comm_d, &job->tree_d, node, &job->in->comm_d, "comm_d_proofs", at,
                        err));
    CUZK_TRY(check_columns(job, c, node, at, err));
    CUZK_TRY(check_labels(job, c, node, at, err));
    CUZK_TRY(check_encoding(c, job->in->shape->layers, at, err));
    return check_path(job, &c->comm_r_last, &job->tree_c, node, &job->comm_r_last,
                      "comm_r_last_proof", at, err);
}

static cuzk_status check_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    porep_job *job = arg;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        uint32_t nodes[UINT8_MAX];
        cuzk_err e = {.msg = ""};
        const place at = {(uint32_t)(i / job->in->n_challenges),
                          (uint32_t)(i % job->in->n_challenges)};
        cuzk_status st = cuzk_porep_challenges(nodes, &job->statement, at.partition, &e);
        if (st == CUZK_OK) {
            st = check_challenge(job, &job->in->partitions[at.partition][at.challenge],
                                 nodes[at.challenge], &at, &e);
        }
        if (st != CUZK_OK) {
            first_fault_add(&job->fault, i, st, &e);
        }
    }
    return CUZK_OK;
}

static cuzk_status check_commitment(const cuzk_node *n, const char *name, cuzk_err *err)
{
    if (node_is_zero(n)) {
        return CUZK_FAIL(err, CUZK_E_VANILLA, "%s is all zero", name);
    }
    if (!node_is_canonical(n)) {
        return CUZK_FAIL(err, CUZK_E_VANILLA, "%s is not a field element", name);
    }
    return CUZK_OK;
}

static cuzk_status check_header(porep_job *job, const cuzk_porep_check_opts *opts, cuzk_err *err)
{
    const cuzk_porep_input *in = job->in;
    const uint32_t partitions = cuzk_porep_partitions(&in->type);
    CUZK_TRY(check_commitment(&in->comm_r, "comm_r", err));
    CUZK_TRY(check_commitment(&in->comm_d, "comm_d", err));
    CUZK_TRY(check_commitment(&in->replica_id, "replica_id", err));
    if (in->type.feature != CUZK_SEAL_NON_INTERACTIVE && node_is_zero(&in->seed)) {
        return CUZK_FAIL(err, CUZK_E_VANILLA, "seed is all zero");
    }
    if (in->n_partitions != partitions || in->n_challenges != in->shape->porep_challenges) {
        return CUZK_FAIL(err, CUZK_E_VANILLA,
                         "vanilla_proofs: %u partitions of %u challenges; %s has %u of %u",
                         in->n_partitions, in->n_challenges, in->shape->name, partitions,
                         in->shape->porep_challenges);
    }
    if (opts != NULL && opts->prover_id != NULL) {
        cuzk_node porep_id, replica_id;
        cuzk_porep_id(&porep_id, in->type.number);
        cuzk_replica_id(&replica_id, opts->prover_id, opts->sector_id, &in->ticket, &in->comm_d,
                        &porep_id);
        if (!node_eq(&replica_id, &in->replica_id)) {
            return CUZK_FAIL(err, CUZK_E_VANILLA,
                             "replica_id is not that of this miner, sector %llu, ticket and comm_d",
                             (unsigned long long)opts->sector_id);
        }
    }
    return CUZK_OK;
}

/* comm_c and comm_r_last come from the first challenge; that the others agree is checked with them. */
static cuzk_status check_comm_r(porep_job *job, cuzk_err *err)
{
    cuzk_fr in[2], out;
    cuzk_node comm_r;
    job->comm_c = job->in->partitions[0][0].c_x.inclusion.root;
    job->comm_r_last = job->in->partitions[0][0].comm_r_last.root;
    CUZK_TRY(check_commitment(&job->comm_c, "partition 0, challenge 0: c_x: root", err));
    CUZK_TRY(check_commitment(&job->comm_r_last,
                              "partition 0, challenge 0: comm_r_last_proof: root", err));
    if (!cuzk_fr_from_bytes_le(&in[0], job->comm_c.b) ||
        !cuzk_fr_from_bytes_le(&in[1], job->comm_r_last.b)) {
        return CUZK_FAIL(err, CUZK_E_VANILLA, "comm_c or comm_r_last is not a field element");
    }
    cuzk_poseidon_hash(&out, job->h->p2, in);
    cuzk_fr_to_bytes_le(comm_r.b, &out);
    if (!node_eq(&comm_r, &job->in->comm_r)) {
        return CUZK_FAIL(
            err, CUZK_E_VANILLA,
            "comm_r is not the hash of comm_c (root in c_x) and comm_r_last (root in comm_r_last_proof) "
            "of partition 0, challenge 0");
    }
    return CUZK_OK;
}

static bool column_is_shaped(const cuzk_column_proof *c, uint32_t layers, const tree_shape *tree)
{
    return c->n_rows == layers && path_shape_fault(&c->inclusion, tree) == NULL;
}

static bool challenge_is_shaped(const cuzk_porep_challenge *c, uint32_t layers,
                                const tree_shape *tree_c, const tree_shape *tree_d)
{
    bool ok = c->n_labeling == layers && path_shape_fault(&c->comm_d, tree_d) == NULL &&
              path_shape_fault(&c->comm_r_last, tree_c) == NULL &&
              column_is_shaped(&c->c_x, layers, tree_c);
    for (unsigned i = 0; i < CUZK_DRG_PARENTS; i++) {
        ok = ok && column_is_shaped(&c->drg[i], layers, tree_c);
    }
    for (unsigned i = 0; i < CUZK_EXP_PARENTS; i++) {
        ok = ok && column_is_shaped(&c->exp[i], layers, tree_c);
    }
    return ok;
}

bool cuzk_porep_is_shaped(const cuzk_porep_input *in)
{
    tree_shape tree_c, tree_d;
    if (in->n_partitions != cuzk_porep_partitions(&in->type) ||
        in->n_challenges != in->shape->porep_challenges) {
        return false;
    }
    tree_shape_poseidon(&tree_c, in->shape);
    tree_shape_data(&tree_d, in->shape);
    for (uint32_t p = 0; p < in->n_partitions; p++) {
        for (uint32_t i = 0; i < in->n_challenges; i++) {
            if (!challenge_is_shaped(&in->partitions[p][i], in->shape->layers, &tree_c, &tree_d)) {
                return false;
            }
        }
    }
    return true;
}

cuzk_status cuzk_porep_check(const cuzk_porep_input *in, const cuzk_hashes *h,
                             const cuzk_porep_check_opts *opts, cuzk_pool *pool,
                             const cuzk_cancel *cancel, cuzk_err *err)
{
    porep_job job = {.in = in, .h = h};
    cuzk_node porep_id;
    CUZK_TRY(check_header(&job, opts, err));
    CUZK_TRY(check_comm_r(&job, err));
    job.statement.type = in->type;
    job.statement.replica_id = in->replica_id;
    job.statement.comm_r = in->comm_r;
    job.statement.comm_d = in->comm_d;
    job.statement.seed = in->seed;
    cuzk_porep_id(&porep_id, in->type.number);
    cuzk_graph_init(&job.graph, cuzk_sector_nodes(in->shape), &porep_id, in->type.api_minor);
    tree_shape_poseidon(&job.tree_c, in->shape);
    tree_shape_data(&job.tree_d, in->shape);
    first_fault_init(&job.fault);
    const cuzk_status st = cuzk_parallel_for(
        pool, cancel, (size_t)in->n_partitions * in->n_challenges, 1, check_range, &job);
    const cuzk_status fault = first_fault_end(&job.fault, err);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "checking the C1 output: %s", cuzk_status_text(st));
    }
    return fault;
}
