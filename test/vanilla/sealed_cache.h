/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_VANILLA_SEALED_CACHE_H
#define CUZK_TEST_VANILLA_SEALED_CACHE_H

/* Writes the cache folder of a sector as the sealing software leaves it: trees, p_aux and t_aux. */
#include "vanilla/check/check.h"

/** Rows above the leaves that tree-r-last leaves out, in each base tree. */
typedef struct cache_spec {
    const cuzk_sector_shape *shape;
    unsigned discarded;
    const cuzk_node *comm_c; /* NULL: that of a made-up tree-c, which is written, too */
    bool with_t_aux;
} cache_spec;

/** folder exists. replica [bytes]. */
void cache_write(const char *folder, const cache_spec *spec, const uint8_t *replica,
                 const cuzk_hashes *h);
/** tree-d of data [sector bytes * 127 / 128], expanded to field elements. */
void cache_write_data_tree(const char *folder, const cuzk_sector_shape *shape, const uint8_t *data);
/** Any file of the folder. */
void cache_put(const char *folder, const char *name, const void *data, size_t n);

#endif /* CUZK_TEST_VANILLA_SEALED_CACHE_H */
