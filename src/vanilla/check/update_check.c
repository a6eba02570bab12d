/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* SnapDeals vanilla proofs: both commitments, the apex tree, challenges, every path, the encoding. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "hash/sha256.h"

#include "check_internal.h"

typedef struct update_job {
    const cuzk_update_input *in;
    const cuzk_update_statement *st;
    const cuzk_hashes *h;
    const uint32_t *nodes; /* challenges */
    cuzk_node root_old, root_new;
    cuzk_fr phi;
    tree_shape tree_r, tree_d;
    unsigned apex_shift; /* level of TreeD on which the apex leaves are */
    first_fault fault;
} update_job;

static cuzk_status bad(cuzk_err *err, uint32_t challenge, const char *field, const char *what)
{
    return CUZK_FAIL(err, CUZK_E_VANILLA, "challenge %u: %s: %s", challenge, field, what);
}

static cuzk_status check_encoding(const update_job *job, const cuzk_update_challenge *c, uint32_t i,
                                  cuzk_err *err)
{
    const unsigned bits = job->st->shape->lg_nodes;
    cuzk_fr in[2], tag, rho, old_label, data;
    cuzk_node label;
    in[0] = job->phi;
    cuzk_fr_from_u64(&in[1], job->nodes[i] >> (bits - job->st->h));
    cuzk_poseidon_randomness_tag(&tag);
    cuzk_poseidon_hash_tagged(&rho, job->h->p2, &tag, in);
    if (!cuzk_fr_from_bytes_le(&old_label, c->r_old.leaf.b) ||
        !cuzk_fr_from_bytes_le(&data, c->d_new.leaf.b)) {
        return bad(err, i, "proof_d_new", "leaf is not a field element");
    }
    cuzk_fr_mul(&data, &data, &rho);
    cuzk_fr_add(&data, &data, &old_label);
    cuzk_fr_to_bytes_le(label.b, &data);
    return node_eq(&label, &c->r_new.leaf)
               ? CUZK_OK
               : bad(err, i, "proof_r_new", "leaf is not the old label plus data times rho");
}

/* The lower part of the TreeD path must lead to the apex leaf that the circuit selects. */
static bool leads_to_apex(const update_job *job, const cuzk_update_challenge *c, uint32_t node)
{
    cuzk_merkle_proof lower = c->d_new;
    cuzk_node apex;
    const uint32_t index = node >> job->apex_shift & (job->in->n_apex - 1);
    lower.n_levels = job->apex_shift;
    return cuzk_merkle_compute_root(&apex, &lower, CUZK_TREE_SHA256, job->h) &&
           node_eq(&apex, &job->in->apex[index]);
}

static cuzk_status check_challenge(const update_job *job, uint32_t i, cuzk_err *err)
{
    const cuzk_update_challenge *c = &job->in->challenges[i];
    const uint32_t node = job->nodes[i];
    const char *what = merkle_fault(&c->r_old, &job->tree_r, node, &job->root_old, job->h);
    if (what != NULL) {
        return bad(err, i, "proof_r_old", what);
    }
    what = merkle_fault(&c->d_new, &job->tree_d, node, &job->st->comm_d_new, job->h);
    if (what != NULL) {
        return bad(err, i, "proof_d_new", what);
    }
    what = merkle_fault(&c->r_new, &job->tree_r, node, &job->root_new, job->h);
    if (what != NULL) {
        return bad(err, i, "proof_r_new", what);
    }
    if (!leads_to_apex(job, c, node)) {
        return bad(err, i, "proof_d_new", "path does not pass through the apex leaf");
    }
    return check_encoding(job, c, i, err);
}

static cuzk_status check_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    update_job *job = arg;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        cuzk_err e = {.msg = ""};
        const cuzk_status st = check_challenge(job, (uint32_t)i, &e);
        if (st != CUZK_OK) {
            first_fault_add(&job->fault, i, st, &e);
        }
    }
    return CUZK_OK;
}

static cuzk_status check_comm_r(const update_job *job, const cuzk_node *root,
                                const cuzk_node *comm_r, const char *name, cuzk_err *err)
{
    cuzk_fr in[2], out;
    cuzk_node computed;
    if (!cuzk_fr_from_bytes_le(&in[0], job->in->comm_c.b) ||
        !cuzk_fr_from_bytes_le(&in[1], root->b)) {
        return CUZK_FAIL(err, CUZK_E_VANILLA,
                         "comm_c, or the root under %s, is not a field element", name);
    }
    cuzk_poseidon_hash(&out, job->h->p2, in);
    cuzk_fr_to_bytes_le(computed.b, &out);
    if (!node_eq(&computed, comm_r)) {
        return CUZK_FAIL(err, CUZK_E_VANILLA,
                         "%s is not the hash of comm_c and the root of the %s paths", name, name);
    }
    return CUZK_OK;
}

/* The apex leaves hash to this partition's node of TreeD, whose path (the top of challenge 0's) leads to comm_d_new. */
static cuzk_status check_apex(const update_job *job, unsigned partition_bits, cuzk_err *err)
{
    cuzk_node row[UINT8_MAX];
    cuzk_merkle_proof upper = job->in->challenges[0].d_new;
    cuzk_node root;
    const unsigned below = job->st->shape->lg_nodes - partition_bits;
    for (uint32_t i = 0; i < job->in->n_apex; i++) {
        if (!node_is_canonical(&job->in->apex[i])) {
            return CUZK_FAIL(err, CUZK_E_VANILLA, "apex_leafs[%u] is not a field element", i);
        }
        row[i] = job->in->apex[i];
    }
    for (uint32_t n = job->in->n_apex; n > 1; n /= 2) {
        for (uint32_t i = 0; i < n / 2; i++) {
            cuzk_node pair[2] = {row[2 * i], row[2 * i + 1]};
            cuzk_sha256_digest(row[i].b, pair, sizeof(pair));
            row[i].b[31] &= 0x3f;
        }
    }
    if (upper.n_levels != job->st->shape->lg_nodes) {
        return bad(err, 0, "proof_d_new", "path has a wrong number of levels");
    }
    upper.leaf = row[0];
    upper.levels += below;
    upper.n_levels = partition_bits;
    if (!cuzk_merkle_compute_root(&root, &upper, CUZK_TREE_SHA256, job->h) ||
        !node_eq(&root, &job->st->comm_d_new)) {
        return CUZK_FAIL(err, CUZK_E_VANILLA, "apex_leafs do not lead to comm_d_new");
    }
    return CUZK_OK;
}

static cuzk_status check_statement(update_job *job, cuzk_err *err)
{
    const cuzk_update_statement *st = job->st;
    const cuzk_node *commitments[3] = {&st->comm_r_old, &st->comm_d_new, &st->comm_r_new};
    static const char *const names[3] = {"comm_r_old", "comm_d_new", "comm_r_new"};
    cuzk_fr in[2], tag;
    for (int i = 0; i < 3; i++) {
        if (node_is_zero(commitments[i]) || !node_is_canonical(commitments[i])) {
            return CUZK_FAIL(err, CUZK_E_VANILLA, "%s is zero or not a field element", names[i]);
        }
    }
    if (!cuzk_fr_from_bytes_le(&in[0], st->comm_d_new.b) ||
        !cuzk_fr_from_bytes_le(&in[1], st->comm_r_old.b)) {
        return CUZK_FAIL(err, CUZK_E_VANILLA, "comm_d_new or comm_r_old is not a field element");
    }
    cuzk_poseidon_randomness_tag(&tag);
    cuzk_poseidon_hash_tagged(&job->phi, job->h->p2, &tag, in);
    return CUZK_OK;
}

static cuzk_status check_all(update_job *job, uint32_t *nodes, cuzk_pool *pool,
                             const cuzk_cancel *cancel, cuzk_err *err)
{
    const cuzk_sector_shape *shape = job->st->shape;
    const unsigned partition_bits = (unsigned)__builtin_ctz(shape->update_partitions);
    CUZK_TRY(check_statement(job, err));
    CUZK_TRY(cuzk_update_challenges(nodes, shape, job->h->p2, &job->st->comm_r_new,
                                    job->st->partition, err));
    job->nodes = nodes;
    job->root_old = job->in->challenges[0].r_old.root;
    job->root_new = job->in->challenges[0].r_new.root;
    job->apex_shift =
        shape->lg_nodes - partition_bits - (unsigned)__builtin_ctz(shape->apex_leaves);
    CUZK_TRY(check_comm_r(job, &job->root_old, &job->st->comm_r_old, "comm_r_old", err));
    CUZK_TRY(check_comm_r(job, &job->root_new, &job->st->comm_r_new, "comm_r_new", err));
    tree_shape_poseidon(&job->tree_r, shape);
    tree_shape_data(&job->tree_d, shape);
    CUZK_TRY(check_apex(job, partition_bits, err));
    first_fault_init(&job->fault);
    const cuzk_status run =
        cuzk_parallel_for(pool, cancel, job->in->n_challenges, 1, check_range, job);
    const cuzk_status fault = first_fault_end(&job->fault, err);
    if (run != CUZK_OK) {
        return CUZK_FAIL(err, run, "checking the update: %s", cuzk_status_text(run));
    }
    return fault;
}

cuzk_status cuzk_update_check(const cuzk_update_input *in, const cuzk_update_statement *st,
                              const cuzk_hashes *h, cuzk_pool *pool, const cuzk_cancel *cancel,
                              cuzk_err *err)
{
    update_job job = {.in = in, .st = st, .h = h};
    uint32_t nodes[UINT8_MAX];
    if (st->shape->update_partitions == 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "there is no update circuit for %s", st->shape->name);
    }
    if (in->n_apex != st->shape->apex_leaves || in->n_challenges != st->shape->update_challenges) {
        return CUZK_FAIL(err, CUZK_E_VANILLA,
                         "%u apex_leafs and %u challenge_proofs; %s has %u and %u", in->n_apex,
                         in->n_challenges, st->shape->name, st->shape->apex_leaves,
                         st->shape->update_challenges);
    }
    return check_all(&job, nodes, pool, cancel, err);
}
