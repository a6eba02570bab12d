/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "check_internal.h"

void tree_shape_poseidon(tree_shape *out, const cuzk_sector_shape *s)
{
    out->kind = CUZK_TREE_POSEIDON;
    out->n_levels = cuzk_tree_levels(s, out->arity);
}

void tree_shape_data(tree_shape *out, const cuzk_sector_shape *s)
{
    out->kind = CUZK_TREE_SHA256;
    out->n_levels = s->lg_nodes;
    memset(out->arity, 2, s->lg_nodes);
}

bool node_is_canonical(const cuzk_node *n)
{
    cuzk_scalar s;
    cuzk_scalar_from_bytes_le(&s, n->b);
    return cuzk_scalar_is_canonical(&s);
}

bool node_is_zero(const cuzk_node *n)
{
    static const cuzk_node zero = {{0}};
    return node_eq(n, &zero);
}

const char *merkle_fault(const cuzk_merkle_proof *p, const tree_shape *t, uint64_t index,
                         const cuzk_node *root, const cuzk_hashes *h)
{
    cuzk_node computed;
    if (p->n_levels != t->n_levels) {
        return "path has a wrong number of levels";
    }
    for (unsigned i = 0; i < t->n_levels; i++) {
        if (p->levels[i].arity != t->arity[i]) {
            return "path has a level of a wrong arity";
        }
    }
    if (cuzk_merkle_leaf_index(p) != index) {
        return "path is for another leaf";
    }
    if (!node_eq(&p->root, root)) {
        return "root is not the expected one";
    }
    if (!cuzk_merkle_compute_root(&computed, p, t->kind, h)) {
        return "path has a node that is not a field element";
    }
    return node_eq(&computed, root) ? NULL : "path does not lead to the root";
}

void first_fault_init(first_fault *f)
{
    memset(f, 0, sizeof(*f));
    (void)pthread_mutex_init(&f->lock, NULL);
    f->index = SIZE_MAX;
}

void first_fault_add(first_fault *f, size_t index, cuzk_status st, const cuzk_err *e)
{
    (void)pthread_mutex_lock(&f->lock);
    if (f->status == CUZK_OK || index < f->index) {
        f->index = index;
        f->status = st;
        f->err = *e;
    }
    (void)pthread_mutex_unlock(&f->lock);
}

cuzk_status first_fault_end(first_fault *f, cuzk_err *err)
{
    (void)pthread_mutex_destroy(&f->lock);
    if (f->status != CUZK_OK && err != NULL) {
        *err = f->err;
    }
    return f->status;
}
