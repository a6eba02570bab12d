/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: vanilla */
/* p_aux and t_aux of a sector's cache: what parses ends its names, and lies within the limits. */
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "vanilla/sealed/sealed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_config(const cuzk_store_config *c)
{
    CUZK_ASSERT(memchr(c->id, 0, sizeof(c->id)) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cuzk_node c, r;
    cuzk_t_aux t;
    cuzk_err err;
    cuzk_status st = cuzk_p_aux_parse(&c, &r, data, size, &err);
    CUZK_ASSERT((st == CUZK_OK) == (size == 64));
    st = cuzk_t_aux_parse(&t, data, size, &err);
    CUZK_ASSERT(st == CUZK_OK || st == CUZK_E_FORMAT);
    if (st == CUZK_OK) {
        CUZK_ASSERT(t.n_layers <= CUZK_MAX_LAYERS);
        check_config(&t.tree_d);
        check_config(&t.tree_r_last);
        check_config(&t.tree_c);
    }
    return 0;
}
