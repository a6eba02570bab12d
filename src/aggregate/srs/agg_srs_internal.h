/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_AGGREGATE_SRS_AGG_SRS_INTERNAL_H
#define CUZK_AGGREGATE_SRS_AGG_SRS_INTERNAL_H

#include "aggregate/srs/agg_srs.h"
#include "sys/file.h"

/* The lists in the order of the file. */
enum { AGG_LIST_G_A, AGG_LIST_G_B, AGG_LIST_H_A, AGG_LIST_H_B, AGG_LISTS };

struct cuzk_agg_srs {
    cuzk_file *file;
    size_t n;      /* powers in each list */
    bool is_known; /* by its digest: its points are not checked again */
    cuzk_agg_vk vk;
};

/** "powers of a in G1" and so on. */
const char *cuzk_agg_list_name(size_t list);

/** Points [first, first + n) of a list of G1 or of G2, decoded and checked up to `check`. */
CUZK_NODISCARD cuzk_status cuzk_agg_srs_read_g1(const cuzk_agg_srs *srs, cuzk_g1_affine *out,
                                                size_t list, size_t first, size_t n,
                                                cuzk_point_check check, cuzk_pool *pool,
                                                const cuzk_cancel *cancel, cuzk_err *err);
CUZK_NODISCARD cuzk_status cuzk_agg_srs_read_g2(const cuzk_agg_srs *srs, cuzk_g2_affine *out,
                                                size_t list, size_t first, size_t n,
                                                cuzk_point_check check, cuzk_pool *pool,
                                                const cuzk_cancel *cancel, cuzk_err *err);

#endif /* CUZK_AGGREGATE_SRS_AGG_SRS_INTERNAL_H */
