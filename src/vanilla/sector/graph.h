/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_SECTOR_GRAPH_H
#define CUZK_VANILLA_SECTOR_GRAPH_H

/*
 * Parents of a node in the stacked DRG graph (docs/spec/sectors.md#graph): six from the depth-robust
 * graph, eight from the expander.
 */
#include "vanilla/sector/sector.h"

typedef struct cuzk_graph {
    uint64_t n_nodes; /* power of two */
    uint8_t drg_seed[28];
    uint64_t feistel_keys[4];
    uint8_t api_minor; /* 0: the order and the truncation of ApiVersion 1.0.0 */
} cuzk_graph;

void cuzk_graph_init(cuzk_graph *g, uint64_t n_nodes, const cuzk_node *porep_id, uint8_t api_minor);
/** node < n_nodes. Order as in the vanilla proof and the public inputs. */
void cuzk_graph_drg_parents(uint32_t out[CUZK_DRG_PARENTS], const cuzk_graph *g, uint32_t node);
void cuzk_graph_exp_parents(uint32_t out[CUZK_EXP_PARENTS], const cuzk_graph *g, uint32_t node);

#endif /* CUZK_VANILLA_SECTOR_GRAPH_H */
