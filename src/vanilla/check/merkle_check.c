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

#define NOT_AN_ELEMENT "path has a node that is not a field element"
#define WRONG_ROOT     "path does not lead to the root"

const char *path_shape_fault(const cuzk_merkle_proof *p, const tree_shape *t)
{
    if (p->n_levels != t->n_levels) {
        return "path has a wrong number of levels";
    }
    for (unsigned i = 0; i < t->n_levels; i++) {
        if (p->levels[i].arity != t->arity[i]) {
            return "path has a level of a wrong arity";
        }
    }
    return NULL;
}

/* What is wrong before anything is hashed. */
static const char *shape_fault(const cuzk_merkle_proof *p, const tree_shape *t, uint64_t index,
                               const cuzk_node *root)
{
    const char *what = path_shape_fault(p, t);
    if (what != NULL) {
        return what;
    }
    if (cuzk_merkle_leaf_index(p) != index) {
        return "path is for another leaf";
    }
    return node_eq(&p->root, root) ? NULL : "root is not the expected one";
}

const char *merkle_fault(const cuzk_merkle_proof *p, const tree_shape *t, uint64_t index,
                         const cuzk_node *root, const cuzk_hashes *h)
{
    cuzk_node computed;
    const char *what = shape_fault(p, t, index, root);
    if (what != NULL) {
        return what;
    }
    if (!cuzk_merkle_compute_root(&computed, p, t->kind, h)) {
        return NOT_AN_ELEMENT;
    }
    return node_eq(&computed, root) ? NULL : WRONG_ROOT;
}

/* in [arity]: current at its index among the siblings. False when one is no field element. */
static bool children_of(cuzk_fr *in, const cuzk_fr *current, const cuzk_path_level *l)
{
    bool ok = true;
    for (unsigned k = 0, s = 0; k < l->arity; k++) {
        if (k == l->index) {
            in[k] = *current;
        } else {
            ok = cuzk_fr_from_bytes_le(&in[k], l->siblings[s++].b) && ok;
        }
    }
    return ok;
}

void merkle_faults(path_batch *batch, const tree_shape *t, const cuzk_hashes *h)
{
    struct path_claim *live[PATHS_AT_ONCE];
    cuzk_fr current[PATHS_AT_ONCE], in[PATHS_AT_ONCE * 8];
    size_t n = 0;
    for (size_t i = 0; i < batch->n; i++) {
        struct path_claim *c = &batch->claim[i];
        c->fault = shape_fault(c->p, t, c->index, c->root);
        if (c->fault == NULL && !cuzk_fr_from_bytes_le(&current[n], c->p->leaf.b)) {
            c->fault = NOT_AN_ELEMENT;
        }
        if (c->fault == NULL) {
            live[n++] = c;
        }
    }
    for (unsigned level = 0; level < t->n_levels; level++) {
        const unsigned arity = t->arity[level];
        size_t kept = 0;
        for (size_t i = 0; i < n; i++) {
            if (children_of(in + kept * arity, &current[i], &live[i]->p->levels[level])) {
                live[kept++] = live[i];
            } else {
                live[i]->fault = NOT_AN_ELEMENT;
            }
        }
        n = kept;
        cuzk_poseidon_hash_many(current, cuzk_hashes_arity(h, arity), NULL, in, n);
    }
    for (size_t i = 0; i < n; i++) {
        cuzk_node computed;
        cuzk_fr_to_bytes_le(computed.b, &current[i]);
        live[i]->fault = node_eq(&computed, live[i]->root) ? NULL : WRONG_ROOT;
    }
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
