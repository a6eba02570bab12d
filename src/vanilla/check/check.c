/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "vanilla/check/check.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "hash/sha256.h"

#include "check_internal.h"

cuzk_status cuzk_hashes_create(cuzk_hashes **out, cuzk_err *err)
{
    cuzk_hashes *h = cuzk_alloc_zero(1, sizeof(*h));
    if (h == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "hash parameters: out of memory");
    }
    cuzk_status st = cuzk_poseidon_params_create(&h->p2, 2, err);
    if (st == CUZK_OK) {
        st = cuzk_poseidon_params_create(&h->p8, 8, err);
    }
    if (st == CUZK_OK) {
        st = cuzk_poseidon_params_create(&h->p11, 11, err);
    }
    if (st != CUZK_OK) {
        cuzk_hashes_destroy(h);
        return st;
    }
    *out = h;
    return CUZK_OK;
}

void cuzk_hashes_destroy(cuzk_hashes *h)
{
    if (h != NULL) {
        cuzk_poseidon_params_destroy(h->p2);
        cuzk_poseidon_params_destroy(h->p8);
        cuzk_poseidon_params_destroy(h->p11);
        cuzk_free(h);
    }
}

const cuzk_poseidon_params *cuzk_hashes_arity(const cuzk_hashes *h, unsigned arity)
{
    switch (arity) {
    case 2: return h->p2;
    case 8: return h->p8;
    case 11: return h->p11;
    default: return NULL;
    }
}

uint64_t cuzk_merkle_leaf_index(const cuzk_merkle_proof *p)
{
    uint64_t index = 0;
    unsigned shift = 0;
    for (uint32_t i = 0; i < p->n_levels && shift < 64; i++) {
        index |= (uint64_t)p->levels[i].index << shift;
        shift += (unsigned)__builtin_ctz(p->levels[i].arity);
    }
    return index;
}

static bool poseidon_root(cuzk_node *out, const cuzk_merkle_proof *p, const cuzk_hashes *h)
{
    cuzk_fr current, in[8];
    bool ok = cuzk_fr_from_bytes_le(&current, p->leaf.b);
    for (uint32_t i = 0; ok && i < p->n_levels; i++) {
        const cuzk_path_level *l = &p->levels[i];
        const cuzk_poseidon_params *params = cuzk_hashes_arity(h, l->arity);
        if (params == NULL || l->arity > 8) {
            return false;
        }
        for (unsigned k = 0, s = 0; k < l->arity; k++) {
            if (k == l->index) {
                in[k] = current;
            } else {
                ok = ok && cuzk_fr_from_bytes_le(&in[k], l->siblings[s++].b);
            }
        }
        if (ok) {
            cuzk_poseidon_hash(&current, params, in);
        }
    }
    if (ok) {
        cuzk_fr_to_bytes_le(out->b, &current);
    }
    return ok;
}

static bool sha256_root(cuzk_node *out, const cuzk_merkle_proof *p)
{
    cuzk_node current = p->leaf;
    if (!node_is_canonical(&current)) {
        return false;
    }
    for (uint32_t i = 0; i < p->n_levels; i++) {
        const cuzk_path_level *l = &p->levels[i];
        cuzk_node pair[2];
        if (l->arity != 2 || !node_is_canonical(&l->siblings[0])) {
            return false;
        }
        pair[l->index] = current;
        pair[1 - l->index] = l->siblings[0];
        cuzk_sha256_digest(current.b, pair, sizeof(pair));
        current.b[31] &= 0x3f;
    }
    *out = current;
    return true;
}

bool cuzk_merkle_compute_root(cuzk_node *out, const cuzk_merkle_proof *p, cuzk_tree_kind kind,
                              const cuzk_hashes *h)
{
    return kind == CUZK_TREE_POSEIDON ? poseidon_root(out, p, h) : sha256_root(out, p);
}

void cuzk_label_parents(cuzk_node out[CUZK_LABEL_PARENTS],
                        const cuzk_node *const columns[CUZK_DRG_PARENTS + CUZK_EXP_PARENTS],
                        uint32_t layer)
{
    /* The first layer has none below. */
    const unsigned n = layer == 1 ? CUZK_DRG_PARENTS : CUZK_DRG_PARENTS + CUZK_EXP_PARENTS;
    for (unsigned i = 0; i < CUZK_LABEL_PARENTS; i++) {
        const unsigned k = i % n;
        out[i] = columns[k][k < CUZK_DRG_PARENTS ? layer - 1 : layer - 2];
    }
}

void cuzk_label(cuzk_node *out, const cuzk_node *replica_id, uint32_t layer, uint64_t node,
                const cuzk_node *parents)
{
    uint8_t head[64];
    cuzk_sha256 s;
    memset(head, 0, sizeof(head));
    memcpy(head, replica_id->b, CUZK_NODE_BYTES);
    cuzk_store_u32_be(head + 32, layer);
    cuzk_store_u64_be(head + 36, node);
    cuzk_sha256_init(&s);
    cuzk_sha256_update(&s, head, sizeof(head));
    cuzk_sha256_update(&s, parents, CUZK_LABEL_PARENTS * sizeof(*parents));
    cuzk_sha256_final(out->b, &s);
    out->b[31] &= 0x3f;
}
