/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The registered proof of a C1 that does not name it: the size follows from the Merkle paths, the kind
 * from challenges and parents, which depend on the number of the registered proof.
 */
#include "base/alloc.h"
#include "vanilla/sector/challenges.h"
#include "vanilla/sector/graph.h"

#include "c1_internal.h"

#define N_SIZES 5u
#define N_KINDS 4u

static bool has_paths_of(const cuzk_porep_challenge *c, const cuzk_sector_shape *s)
{
    uint8_t arity[16];
    const unsigned n = cuzk_tree_levels(s, arity);
    bool fits = n == c->comm_r_last.n_levels && c->comm_d.n_levels == s->lg_nodes;
    for (unsigned k = 0; fits && k < n; k++) {
        fits = arity[k] == c->comm_r_last.levels[k].arity;
    }
    return fits;
}

static bool has_challenges_of(const cuzk_porep_input *in, const cuzk_seal_type *t, uint32_t *list)
{
    const cuzk_porep_statement s = {.type = *t,
                                    .replica_id = in->replica_id,
                                    .comm_r = in->comm_r,
                                    .comm_d = in->comm_d,
                                    .seed = in->seed};
    if (in->n_partitions != cuzk_porep_partitions(t) ||
        cuzk_porep_challenges(list, &s, 0, NULL) != CUZK_OK) {
        return false;
    }
    for (uint32_t i = 0; i < in->n_challenges; i++) {
        if (in->partitions[0][i].c_x.index != list[i]) {
            return false;
        }
    }
    return true;
}

static bool has_parents_of(const cuzk_porep_input *in, const cuzk_seal_type *t, uint64_t n_nodes)
{
    cuzk_graph g;
    cuzk_node porep_id;
    uint32_t drg[CUZK_DRG_PARENTS], exp[CUZK_EXP_PARENTS];
    const cuzk_porep_challenge *c = &in->partitions[0][0];
    bool same = c->c_x.index < n_nodes;
    if (!same) {
        return false;
    }
    cuzk_porep_id(&porep_id, t->number);
    cuzk_graph_init(&g, n_nodes, &porep_id, t->api_minor);
    cuzk_graph_drg_parents(drg, &g, c->c_x.index);
    cuzk_graph_exp_parents(exp, &g, c->c_x.index);
    for (unsigned i = 0; i < CUZK_DRG_PARENTS; i++) {
        same = same && c->drg[i].index == drg[i];
    }
    for (unsigned i = 0; i < CUZK_EXP_PARENTS; i++) {
        same = same && c->exp[i].index == exp[i];
    }
    return same;
}

static bool find_size(const cuzk_porep_input *in, unsigned *size, const cuzk_sector_shape **shape)
{
    for (unsigned k = 0; k < N_SIZES; k++) {
        cuzk_seal_type t;
        if (cuzk_seal_type_of(&t, k, NULL) == CUZK_OK) {
            *size = k;
            *shape = cuzk_sector_shape_of(t.sector_bytes);
            if (has_paths_of(&in->partitions[0][0], *shape)) {
                return true;
            }
        }
    }
    return false;
}

cuzk_status c1_find_type(cuzk_porep_input *in, cuzk_err *err)
{
    const cuzk_sector_shape *shape = NULL;
    unsigned size = 0;
    if (in->n_partitions == 0 || in->n_challenges == 0) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "C1: no vanilla proofs");
    }
    if (!find_size(in, &size, &shape) || in->n_challenges != shape->porep_challenges) {
        return CUZK_FAIL(
            err, CUZK_E_FORMAT,
            "C1: no registered_proof, and no sector size has these Merkle paths and %u "
            "challenges in a partition",
            in->n_challenges);
    }
    uint32_t *list = cuzk_alloc(in->n_challenges, sizeof(*list));
    if (list == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "C1: out of memory");
    }
    bool found = false;
    for (unsigned k = 0; k < N_KINDS && !found; k++) {
        cuzk_seal_type t;
        found = cuzk_seal_type_of(&t, size + N_SIZES * k, NULL) == CUZK_OK &&
                has_challenges_of(in, &t, list) && has_parents_of(in, &t, cuzk_sector_nodes(shape));
        if (found) {
            in->type = t;
        }
    }
    cuzk_free(list);
    return found
               ? CUZK_OK
               : CUZK_FAIL(err, CUZK_E_FORMAT,
                           "C1: no registered_proof, and none of sectors of %s has the challenges "
                           "and parents of partition 0",
                           shape->name);
}
