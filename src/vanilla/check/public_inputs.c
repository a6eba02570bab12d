/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "vanilla/check/public_inputs.h"

#include "vanilla/sector/graph.h"

#define POREP_PER_CHALLENGE (4u + CUZK_DRG_PARENTS + CUZK_EXP_PARENTS)

static cuzk_status node_to_fr(cuzk_fr *out, const cuzk_node *n, const char *name, cuzk_err *err)
{
    if (!cuzk_fr_from_bytes_le(out, n->b)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s is not a field element", name);
    }
    return CUZK_OK;
}

uint32_t cuzk_porep_n_public_inputs(const cuzk_sector_shape *shape)
{
    return 3 + POREP_PER_CHALLENGE * shape->porep_challenges;
}

cuzk_status cuzk_porep_public_inputs(cuzk_fr *out, const cuzk_porep_statement *s,
                                     uint32_t partition, cuzk_err *err)
{
    const cuzk_sector_shape *shape = cuzk_sector_shape_of(s->type.sector_bytes);
    uint32_t nodes[UINT8_MAX], parents[CUZK_DRG_PARENTS + CUZK_EXP_PARENTS];
    cuzk_node porep_id;
    cuzk_graph graph;
    CUZK_TRY(cuzk_porep_challenges(nodes, s, partition, err));
    CUZK_TRY(node_to_fr(out++, &s->replica_id, "replica_id", err));
    CUZK_TRY(node_to_fr(out++, &s->comm_d, "comm_d", err));
    CUZK_TRY(node_to_fr(out++, &s->comm_r, "comm_r", err));
    cuzk_porep_id(&porep_id, s->type.number);
    cuzk_graph_init(&graph, cuzk_sector_nodes(shape), &porep_id, s->type.api_minor);
    for (uint32_t i = 0; i < shape->porep_challenges; i++) {
        cuzk_graph_drg_parents(parents, &graph, nodes[i]);
        cuzk_graph_exp_parents(parents + CUZK_DRG_PARENTS, &graph, nodes[i]);
        cuzk_fr_from_u64(out++, nodes[i]); /* TreeD */
        for (unsigned k = 0; k < CUZK_DRG_PARENTS + CUZK_EXP_PARENTS; k++) {
            cuzk_fr_from_u64(out++, parents[k]);
        }
        for (unsigned k = 0; k < 3; k++) { /* the challenge itself, TreeR, TreeC */
            cuzk_fr_from_u64(out++, nodes[i]);
        }
    }
    return CUZK_OK;
}

static void post_dims(const cuzk_post_type *type, uint32_t *sectors, uint32_t *challenges)
{
    const cuzk_sector_shape *shape = cuzk_sector_shape_of(type->sector_bytes);
    *sectors = type->is_window ? shape->window_sectors : CUZK_WINNING_SECTORS;
    *challenges = type->is_window ? CUZK_WINDOW_CHALLENGES : 1;
}

uint32_t cuzk_post_n_public_inputs(const cuzk_post_type *type)
{
    uint32_t sectors, challenges;
    post_dims(type, &sectors, &challenges);
    return sectors * (1 + challenges);
}

cuzk_status cuzk_post_check_partition(const cuzk_post_statement *st, cuzk_err *err)
{
    return st->type.is_window || st->partition == 0
               ? CUZK_OK
               : CUZK_FAIL(err, CUZK_E_INVALID, "a WinningPoSt has one partition, there is no %u",
                           st->partition);
}

cuzk_status cuzk_post_public_inputs(cuzk_fr *out, const cuzk_post_statement *st,
                                    const cuzk_post_public_sector *sectors, uint32_t n,
                                    cuzk_err *err)
{
    const cuzk_sector_shape *shape = cuzk_sector_shape_of(st->type.sector_bytes);
    uint32_t capacity, challenges;
    cuzk_fr ignored;
    post_dims(&st->type, &capacity, &challenges);
    if (n == 0 || n > (st->type.is_window ? capacity : 1)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%u sectors; a partition takes 1 to %u", n,
                         st->type.is_window ? capacity : 1);
    }
    CUZK_TRY(cuzk_post_check_partition(st, err));
    CUZK_TRY(node_to_fr(&ignored, &st->randomness, "randomness", err));
    for (uint32_t i = 0; i < capacity; i++) {
        /* Winning: one sector, its 66 challenges as 66 circuit sectors; window: short partitions
         * repeat the last sector with that sector's own challenges. */
        const uint32_t k = i < n ? i : n - 1;
        const uint64_t first =
            st->type.is_window ? ((uint64_t)st->partition * capacity + k) * challenges : i;
        CUZK_TRY(node_to_fr(out++, &sectors[k].comm_r, "comm_r", err));
        for (uint32_t c = 0; c < challenges; c++) {
            const uint64_t idx = st->type.is_window && st->type.is_v1_2 ? c : first + c;
            cuzk_fr_from_u64(out++, cuzk_post_leaf_challenge(&st->randomness, sectors[k].sector_id,
                                                             idx, cuzk_sector_nodes(shape)));
        }
    }
    return CUZK_OK;
}

cuzk_status cuzk_update_public_inputs(cuzk_fr out[CUZK_UPDATE_PUBLIC_INPUTS],
                                      const cuzk_update_statement *st, cuzk_err *err)
{
    if (st->partition >= st->shape->update_partitions) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "an update of %s has %u partitions; there is no partition %u",
                         st->shape->name, st->shape->update_partitions, st->partition);
    }
    cuzk_fr_from_u64(&out[0], cuzk_update_k_and_h_select(st->shape, st->partition, st->h));
    CUZK_TRY(node_to_fr(&out[1], &st->comm_r_old, "comm_r_old", err));
    CUZK_TRY(node_to_fr(&out[2], &st->comm_d_new, "comm_d_new", err));
    return node_to_fr(&out[3], &st->comm_r_new, "comm_r_new", err);
}
