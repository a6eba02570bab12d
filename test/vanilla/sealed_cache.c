/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "sealed_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash/sha256.h"
#include "vanilla/sealed/sealed.h"

#include "test.h"

void cache_put(const char *folder, const char *name, const void *data, size_t n)
{
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    CHECK_U64(fwrite(data, 1, n, f), n);
    CHECK(fclose(f) == 0);
}

static void put_numbered(const char *folder, const char *tree, unsigned k, unsigned n_trees,
                         const void *data, size_t n)
{
    char name[64];
    if (n_trees == 1) {
        (void)snprintf(name, sizeof(name), "sc-02-data-%s.dat", tree);
    } else {
        (void)snprintf(name, sizeof(name), "sc-02-data-%s-%u.dat", tree, k);
    }
    cache_put(folder, name, data, n);
}

static void poseidon(cuzk_node *out, const cuzk_node *in, unsigned arity, const cuzk_hashes *h)
{
    /* Results of the last inputs: made-up sectors repeat them. */
    static struct {
        unsigned arity;
        cuzk_node in[8], out;
    } last[4096];
    cuzk_fr x[8], y;
    uint32_t slot = arity;
    for (unsigned i = 0; i < 32 * arity; i++) {
        slot = (slot ^ ((const uint8_t *)in)[i]) * 16777619u;
    }
    slot = (slot >> 8) % 4096;
    if (last[slot].arity == arity && memcmp(last[slot].in, in, arity * sizeof(*in)) == 0) {
        *out = last[slot].out;
        return;
    }
    last[slot].arity = arity;
    memcpy(last[slot].in, in, arity * sizeof(*in));
    for (unsigned i = 0; i < arity; i++) {
        CHECK(cuzk_fr_from_bytes_le(&x[i], in[i].b));
    }
    cuzk_poseidon_hash(&y, cuzk_hashes_arity(h, arity), x);
    cuzk_fr_to_bytes_le(out->b, &y);
    last[slot].out = *out;
}

/* All rows of a tree over n leaves, leaves first; the caller frees it. *total: nodes. */
static cuzk_node *whole_tree(const cuzk_node *leaves, size_t n, unsigned arity,
                             const cuzk_hashes *h, size_t *total)
{
    cuzk_node *t = malloc(2 * n * sizeof(*t));
    size_t from = 0, at = n;
    CHECK(t != NULL);
    memcpy(t, leaves, n * sizeof(*t));
    for (size_t row = n; row > 1; row /= arity) {
        for (size_t i = 0; i < row / arity; i++) {
            poseidon(&t[at + i], &t[from + i * arity], arity, h);
        }
        from = at;
        at += row / arity;
    }
    *total = at;
    return t;
}

static void root_over(cuzk_node *out, cuzk_node *roots, const cuzk_sector_shape *s, unsigned n,
                      const cuzk_hashes *h)
{
    const unsigned arities[2] = {s->sub_arity, s->top_arity};
    for (int k = 0; k < 2 && arities[k] != 0; k++) {
        n /= arities[k];
        for (unsigned i = 0; i < n; i++) {
            poseidon(&roots[i], &roots[i * arities[k]], arities[k], h);
        }
    }
    *out = roots[0];
}

static size_t put_text(uint8_t *b, const char *text)
{
    const size_t n = strlen(text);
    memset(b, 0, 8);
    b[0] = (uint8_t)n;
    memcpy(b + 8, text, n);
    return 8 + n;
}

static size_t put_config(uint8_t *b, const char *id, uint64_t size, unsigned rows)
{
    size_t n = put_text(b, "/cache/of/the/sealer");
    n += put_text(b + n, id);
    b[n++] = size != 0;
    for (int i = 0; size != 0 && i < 8; i++) {
        b[n++] = (uint8_t)(size >> (8 * i));
    }
    memset(b + n, 0, 8);
    b[n] = (uint8_t)rows;
    return n + 8;
}

static void write_t_aux(const char *folder, const cache_spec *spec)
{
    uint8_t b[2048];
    size_t n = 8;
    memset(b, 0, 8);
    b[0] = spec->shape->layers;
    for (unsigned i = 1; i <= spec->shape->layers; i++) {
        char id[16];
        (void)snprintf(id, sizeof(id), "layer-%u", i);
        n += put_config(b + n, id, cuzk_sector_nodes(spec->shape), 0);
    }
    n += put_config(b + n, "tree-d", 2 * cuzk_sector_nodes(spec->shape) - 1, 0);
    n += put_config(b + n, "tree-r-last", 0, spec->discarded);
    n += put_config(b + n, "tree-c", 0, 0);
    cache_put(folder, "t_aux", b, n);
}

void cache_write(const char *folder, const cache_spec *spec, const uint8_t *replica,
                 const cuzk_hashes *h)
{
    const cuzk_sector_shape *s = spec->shape;
    const unsigned n_trees =
        (s->sub_arity ? s->sub_arity : 1u) * (s->top_arity ? s->top_arity : 1u);
    const size_t leaves = (size_t)cuzk_sector_nodes(s) / n_trees;
    cuzk_node roots[16], roots_c[16], aux[2];
    for (unsigned k = 0; k < n_trees; k++) {
        size_t total, skip = 0, row = leaves;
        cuzk_node *t = whole_tree((const cuzk_node *)(const void *)(replica + k * leaves * 32),
                                  leaves, 8, h, &total);
        for (unsigned i = 0; i <= spec->discarded; i++) {
            skip += row;
            row /= 8;
        }
        roots[k] = t[total - 1];
        put_numbered(folder, "tree-r-last", k, n_trees, t + skip, (total - skip) * 32);
        free(t);
        if (spec->comm_c == NULL) {
            cuzk_node *c = calloc(leaves, sizeof(*c));
            CHECK(c != NULL);
            c[0].b[0] = (uint8_t)(k + 1);
            t = whole_tree(c, leaves, 8, h, &total);
            roots_c[k] = t[total - 1];
            put_numbered(folder, "tree-c", k, n_trees, t, total * 32);
            free(t);
            free(c);
        }
    }
    root_over(&aux[1], roots, s, n_trees, h);
    if (spec->comm_c == NULL) {
        root_over(&aux[0], roots_c, s, n_trees, h);
    } else {
        aux[0] = *spec->comm_c;
    }
    cache_put(folder, "p_aux", aux, sizeof(aux));
    if (spec->with_t_aux) {
        write_t_aux(folder, spec);
    }
}

void cache_write_data_tree(const char *folder, const cuzk_sector_shape *shape, const uint8_t *data)
{
    const size_t n = (size_t)cuzk_sector_nodes(shape);
    cuzk_node *t = calloc(2 * n, sizeof(*t));
    CHECK(t != NULL);
    /* 254 bits of data in each node, two zero bits above them. */
    for (size_t i = 0; i < 254 * n; i++) {
        const size_t to = i / 254 * 256 + i % 254;
        ((uint8_t *)t)[to / 8] |= (uint8_t)((data[i / 8] >> (i % 8) & 1) << (to % 8));
    }
    size_t from = 0, at = n;
    for (size_t row = n; row > 1; row /= 2) {
        for (size_t i = 0; i < row / 2; i++) {
            cuzk_sha256_digest(t[at + i].b, &t[from + 2 * i], 64);
            t[at + i].b[31] &= 0x3f;
        }
        from = at;
        at += row / 2;
    }
    cache_put(folder, "sc-02-data-tree-d.dat", t, at * 32);
    free(t);
}
