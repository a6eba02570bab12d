/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* PoSt vanilla proofs: comm_r, challenges and every path, sector by sector. */
#include <stdio.h>
#include <string.h>

#include "vanilla/check/public_inputs.h"

#include "check_internal.h"

typedef struct post_job {
    const cuzk_post_input *in;
    const cuzk_post_statement *st;
    const cuzk_hashes *h;
    uint32_t n_challenges;
    uint32_t sector_capacity; /* of a partition */
    uint64_t n_leaves;
    tree_shape tree;
    first_fault fault;
} post_job;

static cuzk_status bad(cuzk_err *err, uint64_t sector, const char *field, const char *what)
{
    return CUZK_FAIL(err, CUZK_E_VANILLA, "sector %llu: %s: %s", (unsigned long long)sector, field,
                     what);
}

static cuzk_status check_comm_r(const post_job *job, const cuzk_post_sector *s, cuzk_err *err)
{
    cuzk_fr in[2], out;
    cuzk_node comm_r;
    if (!cuzk_fr_from_bytes_le(&in[0], s->comm_c.b)) {
        return bad(err, s->sector_id, "comm_c", "not a field element");
    }
    if (!cuzk_fr_from_bytes_le(&in[1], s->comm_r_last.b)) {
        return bad(err, s->sector_id, "comm_r_last", "not a field element");
    }
    cuzk_poseidon_hash(&out, job->h->p2, in);
    cuzk_fr_to_bytes_le(comm_r.b, &out);
    return node_eq(&comm_r, &s->comm_r)
               ? CUZK_OK
               : bad(err, s->sector_id, "comm_r", "not the hash of comm_c and comm_r_last");
}

static cuzk_status check_header(const post_job *job, const cuzk_post_sector *s, cuzk_err *err)
{
    if (s->n_proofs != job->n_challenges) {
        return CUZK_FAIL(err, CUZK_E_VANILLA, "sector %llu: inclusion_proofs: %u, not %u",
                         (unsigned long long)s->sector_id, s->n_proofs, job->n_challenges);
    }
    return check_comm_r(job, s, err);
}

/* Paths that wait for being checked side by side. */
typedef struct waiting {
    path_batch paths;
    struct origin {
        size_t sector;
        uint32_t challenge;
    } origin[PATHS_AT_ONCE];
} waiting;

static void check_waiting(post_job *job, waiting *w)
{
    merkle_faults(&w->paths, &job->tree, job->h);
    for (size_t i = 0; i < w->paths.n; i++) {
        const struct origin *o = &w->origin[i];
        cuzk_err e = {.msg = ""};
        if (w->paths.claim[i].fault != NULL) {
            const cuzk_status st =
                CUZK_FAIL(&e, CUZK_E_VANILLA, "sector %llu: challenge %u: inclusion_proofs: %s",
                          (unsigned long long)job->in->sectors[o->sector].sector_id, o->challenge,
                          w->paths.claim[i].fault);
            first_fault_add(&job->fault, o->sector, st, &e);
        }
    }
    w->paths.n = 0;
}

static void add_paths(post_job *job, waiting *w, size_t position)
{
    const cuzk_post_sector *s = &job->in->sectors[position];
    const uint64_t global = (uint64_t)job->st->partition * job->sector_capacity + position;
    for (uint32_t n = 0; n < job->n_challenges; n++) {
        const uint64_t idx = job->st->type.is_v1_2 ? n : global * job->n_challenges + n;
        const uint64_t leaf =
            cuzk_post_leaf_challenge(&job->st->randomness, s->sector_id, idx, job->n_leaves);
        if (w->paths.n == PATHS_AT_ONCE) {
            check_waiting(job, w);
        }
        w->origin[w->paths.n] = (struct origin){position, n};
        w->paths.claim[w->paths.n++] =
            (struct path_claim){&s->proofs[n], leaf, &s->comm_r_last, NULL};
    }
}

static cuzk_status check_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    post_job *job = arg;
    waiting w;
    w.paths.n = 0;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        cuzk_err e = {.msg = ""};
        const cuzk_status st = check_header(job, &job->in->sectors[i], &e);
        if (st != CUZK_OK) {
            first_fault_add(&job->fault, i, st, &e);
        } else {
            add_paths(job, &w, i);
        }
    }
    check_waiting(job, &w);
    return CUZK_OK;
}

bool cuzk_post_is_shaped(const cuzk_post_input *in, const cuzk_post_type *type)
{
    const cuzk_sector_shape *shape = cuzk_sector_shape_of(type->sector_bytes);
    const uint32_t challenges = type->is_window ? CUZK_WINDOW_CHALLENGES : CUZK_WINNING_SECTORS;
    tree_shape tree;
    if (shape == NULL || in->n_sectors == 0 ||
        in->n_sectors > (type->is_window ? shape->window_sectors : 1)) {
        return false;
    }
    tree_shape_poseidon(&tree, shape);
    for (uint32_t s = 0; s < in->n_sectors; s++) {
        if (in->sectors[s].n_proofs != challenges) {
            return false;
        }
        for (uint32_t n = 0; n < challenges; n++) {
            if (path_shape_fault(&in->sectors[s].proofs[n], &tree) != NULL) {
                return false;
            }
        }
    }
    return true;
}

cuzk_status cuzk_post_check(const cuzk_post_input *in, const cuzk_post_statement *st,
                            const cuzk_hashes *h, cuzk_pool *pool, const cuzk_cancel *cancel,
                            cuzk_err *err)
{
    const cuzk_sector_shape *shape = cuzk_sector_shape_of(st->type.sector_bytes);
    post_job job = {.in = in, .st = st, .h = h};
    if (shape == NULL) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "no sector of %llu bytes",
                         (unsigned long long)st->type.sector_bytes);
    }
    CUZK_TRY(cuzk_post_check_partition(st, err));
    if (!node_is_canonical(&st->randomness)) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "randomness is not a field element: clear the top two bits of byte 31");
    }
    job.n_challenges = st->type.is_window ? CUZK_WINDOW_CHALLENGES : CUZK_WINNING_SECTORS;
    job.sector_capacity = st->type.is_window ? shape->window_sectors : 1;
    job.n_leaves = cuzk_sector_nodes(shape);
    if (in->n_sectors == 0 || in->n_sectors > job.sector_capacity) {
        return CUZK_FAIL(err, CUZK_E_VANILLA, "%u sectors; a partition of %s takes 1 to %u",
                         in->n_sectors, shape->name, job.sector_capacity);
    }
    tree_shape_poseidon(&job.tree, shape);
    first_fault_init(&job.fault);
    const size_t grain = st->type.is_window ? PATHS_AT_ONCE / CUZK_WINDOW_CHALLENGES : 1;
    const cuzk_status run =
        cuzk_parallel_for(pool, cancel, in->n_sectors, grain, check_range, &job);
    const cuzk_status fault = first_fault_end(&job.fault, err);
    if (run != CUZK_OK) {
        return CUZK_FAIL(err, run, "checking the PoSt input: %s", cuzk_status_text(run));
    }
    return fault;
}
