/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Vanilla proofs back into the network's formats (docs/spec/inputs.md). */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "vanilla/generate/generate.h"

typedef struct sink {
    cuzk_file_writer *w;
    cuzk_err *err;
    cuzk_status st; /* sticky */
} sink;

static void put(sink *s, const void *data, size_t n)
{
    if (s->st == CUZK_OK) {
        s->st = cuzk_file_writer_write(s->w, data, n, s->err);
    }
}

static void put_text(sink *s, const char *text)
{
    put(s, text, strlen(text));
}

static void put_u64(sink *s, uint64_t v)
{
    uint8_t b[8];
    cuzk_store_u64_le(b, v);
    put(s, b, sizeof(b));
}

/* Levels of the base, sub and top parts of a path in TreeC or TreeR; TreeD is all base. */
static unsigned split_path(const cuzk_sector_shape *shape, bool is_data, const cuzk_merkle_proof *p,
                           uint32_t parts[3])
{
    const unsigned n_extra =
        is_data ? 0 : (shape->sub_arity != 0 ? 1u : 0u) + (shape->top_arity != 0 ? 1u : 0u);
    parts[0] = p->n_levels - n_extra;
    parts[1] = n_extra >= 1;
    parts[2] = n_extra >= 2;
    return n_extra;
}

/* ---- bincode */

static void bin_path(sink *s, const cuzk_path_level *levels, uint32_t n)
{
    put_u64(s, n);
    for (uint32_t i = 0; i < n; i++) {
        put_u64(s, levels[i].arity - 1u);
        put(s, levels[i].siblings, (levels[i].arity - 1u) * sizeof(cuzk_node));
        put_u64(s, levels[i].index);
    }
}

static void bin_merkle(sink *s, const cuzk_sector_shape *shape, bool is_data,
                       const cuzk_merkle_proof *p)
{
    uint32_t parts[3];
    uint8_t tag[4];
    const unsigned variant = split_path(shape, is_data, p, parts);
    const cuzk_path_level *at = p->levels;
    cuzk_store_u32_le(tag, variant);
    put(s, tag, sizeof(tag));
    for (unsigned k = 0; variant > 0 && k <= variant; k++) {
        bin_path(s, at, parts[k]);
        at += parts[k];
    }
    put(s, &p->root, sizeof(p->root));
    put(s, &p->leaf, sizeof(p->leaf));
    if (variant == 0) {
        bin_path(s, at, parts[0]);
    }
}

cuzk_status cuzk_post_write_bincode(const cuzk_post_sector *sector, const cuzk_sector_shape *shape,
                                    cuzk_file_writer *w, cuzk_err *err)
{
    sink s = {w, err, CUZK_OK};
    put_u64(&s, sector->sector_id);
    put(&s, &sector->comm_r, sizeof(cuzk_node));
    put_u64(&s, 1);
    put_u64(&s, sector->n_proofs);
    for (uint32_t i = 0; i < sector->n_proofs; i++) {
        bin_merkle(&s, shape, false, &sector->proofs[i]);
    }
    put(&s, &sector->comm_c, sizeof(cuzk_node));
    put(&s, &sector->comm_r_last, sizeof(cuzk_node));
    return s.st;
}

cuzk_status cuzk_update_write_bincode(const cuzk_update_input *in, const cuzk_sector_shape *shape,
                                      cuzk_file_writer *w, cuzk_err *err)
{
    sink s = {w, err, CUZK_OK};
    put(&s, &in->comm_c, sizeof(cuzk_node));
    put_u64(&s, in->n_apex);
    put(&s, in->apex, in->n_apex * sizeof(cuzk_node));
    put_u64(&s, in->n_challenges);
    for (uint32_t i = 0; i < in->n_challenges; i++) {
        bin_merkle(&s, shape, false, &in->challenges[i].r_old);
        bin_merkle(&s, shape, true, &in->challenges[i].d_new);
        bin_merkle(&s, shape, false, &in->challenges[i].r_new);
    }
    return s.st;
}

/* ---- JSON */

static void js_node(sink *s, const cuzk_node *n)
{
    char text[4 * CUZK_NODE_BYTES + 2];
    size_t len = 0;
    for (int i = 0; i < CUZK_NODE_BYTES; i++) {
        const uint8_t v = n->b[i];
        text[len++] = i == 0 ? '[' : ',';
        if (v >= 100) {
            text[len++] = (char)('0' + v / 100);
        }
        if (v >= 10) {
            text[len++] = (char)('0' + v / 10 % 10);
        }
        text[len++] = (char)('0' + v % 10);
    }
    text[len++] = ']';
    put(s, text, len);
}

static void js_nodes(sink *s, const cuzk_node *nodes, uint32_t n)
{
    put_text(s, "[");
    for (uint32_t i = 0; i < n; i++) {
        put_text(s, i == 0 ? "" : ",");
        js_node(s, &nodes[i]);
    }
    put_text(s, "]");
}

static void js_number(sink *s, const char *key, uint64_t v)
{
    char text[64];
    (void)snprintf(text, sizeof(text), "%s%llu", key, (unsigned long long)v);
    put_text(s, text);
}

static void js_path(sink *s, const char *key, const cuzk_path_level *levels, uint32_t n)
{
    put_text(s, key);
    put_text(s, "{\"path\":[");
    for (uint32_t i = 0; i < n; i++) {
        put_text(s, i == 0 ? "{\"hashes\":" : ",{\"hashes\":");
        js_nodes(s, levels[i].siblings, levels[i].arity - 1u);
        js_number(s, ",\"index\":", levels[i].index);
        put_text(s, "}");
    }
    put_text(s, "]}");
}

static void js_merkle(sink *s, const cuzk_sector_shape *shape, bool is_data,
                      const cuzk_merkle_proof *p)
{
    static const char *const names[3] = {"Single", "Sub", "Top"};
    static const char *const keys[3] = {"\"base_proof\":", "\"sub_proof\":", "\"top_proof\":"};
    uint32_t parts[3];
    const unsigned variant = split_path(shape, is_data, p, parts);
    const cuzk_path_level *at = p->levels;
    put_text(s, "{\"data\":{\"");
    put_text(s, names[variant]);
    put_text(s, "\":{");
    for (unsigned k = 0; variant > 0 && k <= variant; k++) {
        js_path(s, keys[k], at, parts[k]);
        put_text(s, ",");
        at += parts[k];
    }
    put_text(s, "\"root\":");
    js_node(s, &p->root);
    put_text(s, ",\"leaf\":");
    js_node(s, &p->leaf);
    if (variant == 0) {
        js_path(s, ",\"path\":", at, parts[0]);
    }
    put_text(s, "}}}");
}

static void js_column(sink *s, const cuzk_sector_shape *shape, const cuzk_column_proof *c)
{
    js_number(s, "{\"column\":{\"index\":", c->index);
    put_text(s, ",\"rows\":");
    js_nodes(s, c->rows, c->n_rows);
    put_text(s, ",\"_h\":null},\"inclusion_proof\":");
    js_merkle(s, shape, false, &c->inclusion);
    put_text(s, "}");
}

static void js_labeling(sink *s, const cuzk_labeling_proof *l)
{
    put_text(s, "{\"parents\":");
    js_nodes(s, l->parents, l->n_parents);
    js_number(s, ",\"layer_index\":", l->layer);
    js_number(s, ",\"node\":", l->node);
    put_text(s, "}");
}

static void js_challenge(sink *s, const cuzk_sector_shape *shape, const cuzk_porep_challenge *c)
{
    put_text(s, "{\"comm_d_proofs\":");
    js_merkle(s, shape, true, &c->comm_d);
    put_text(s, ",\"comm_r_last_proof\":");
    js_merkle(s, shape, false, &c->comm_r_last);
    put_text(s, ",\"replica_column_proofs\":{\"c_x\":");
    js_column(s, shape, &c->c_x);
    for (unsigned i = 0; i < CUZK_DRG_PARENTS; i++) {
        put_text(s, i == 0 ? ",\"drg_parents\":[" : ",");
        js_column(s, shape, &c->drg[i]);
    }
    for (unsigned i = 0; i < CUZK_EXP_PARENTS; i++) {
        put_text(s, i == 0 ? "],\"exp_parents\":[" : ",");
        js_column(s, shape, &c->exp[i]);
    }
    put_text(s, "]},\"labeling_proofs\":[");
    for (uint32_t i = 0; i < c->n_labeling; i++) {
        put_text(s, i == 0 ? "" : ",");
        js_labeling(s, &c->labeling[i]);
    }
    put_text(s, "],\"encoding_proof\":");
    js_labeling(s, &c->encoding);
    put_text(s, "}");
}

cuzk_status cuzk_porep_write_json(const cuzk_porep_input *in, cuzk_file_writer *w, cuzk_err *err)
{
    sink s = {w, err, CUZK_OK};
    char name[64];
    put_text(&s, "{\"synthetic\":true,\"registered_proof\":\"");
    put_text(&s, cuzk_seal_type_name(&in->type, name, sizeof(name)));
    put_text(&s, "\",\"vanilla_proofs\":{\"StackedDrg");
    put_text(&s, in->shape->name);
    put_text(&s, "V1\":[");
    for (uint32_t k = 0; k < in->n_partitions; k++) {
        put_text(&s, k == 0 ? "[" : ",[");
        for (uint32_t i = 0; i < in->n_challenges; i++) {
            put_text(&s, i == 0 ? "" : ",");
            js_challenge(&s, in->shape, &in->partitions[k][i]);
        }
        put_text(&s, "]");
    }
    put_text(&s, "]},\"comm_r\":");
    js_node(&s, &in->comm_r);
    put_text(&s, ",\"comm_d\":");
    js_node(&s, &in->comm_d);
    put_text(&s, ",\"replica_id\":");
    js_node(&s, &in->replica_id);
    put_text(&s, ",\"seed\":");
    js_node(&s, &in->seed);
    put_text(&s, ",\"ticket\":");
    js_node(&s, &in->ticket);
    put_text(&s, "}");
    return s.st;
}
