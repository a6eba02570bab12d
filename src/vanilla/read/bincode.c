/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * PoSt and update vanilla proofs as bincode 1.x writes them (docs/spec/inputs.md#bincode): integers
 * fixed-width little-endian, Vec = u64 count and items, enum = u32 index, 32-byte arrays raw.
 * Bytes behind the value are passed over, as bincode 1.x's deserialize does.
 */
#include <stdlib.h>

#include "base/alloc.h"

#include "bincode_internal.h"

cuzk_status cuzk_post_input_create(cuzk_post_input **out, cuzk_err *err)
{
    cuzk_post_input *in = cuzk_alloc_zero(1, sizeof(*in));
    if (in == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "PoSt input: out of memory");
    }
    *out = in;
    return CUZK_OK;
}

void cuzk_post_input_destroy(cuzk_post_input *in)
{
    if (in != NULL) {
        cuzk_arena_free(&in->arena);
        cuzk_free(in->sectors);
        cuzk_free(in);
    }
}

cuzk_status cuzk_post_input_add(cuzk_post_input *in, const uint8_t *blob, size_t n, cuzk_err *err)
{
    bin_parser p = {cuzk_reader_init(blob, n), &in->arena, "vanilla proof", err};
    cuzk_post_sector s;
    uint64_t count = 0, proofs = 0;
    memset(&s, 0, sizeof(s));
    if (!cuzk_read_u64_le(&p.r, &s.sector_id)) {
        return bin_short(&p, "sector_id");
    }
    CUZK_TRY(bin_node(&p, &s.comm_r, "comm_r"));
    CUZK_TRY(bin_count(&p, &count, 72, UINT32_MAX, "sectors"));
    if (count != 1) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "vanilla proof: sector %llu: holds %llu sector proofs, not one",
                         (unsigned long long)s.sector_id, (unsigned long long)count);
    }
    CUZK_TRY(bin_count(&p, &proofs, 72, UINT16_MAX, "inclusion_proofs"));
    cuzk_merkle_proof *m = bin_take(&p, proofs, sizeof(*m));
    if (m == NULL) {
        return bin_no_memory(&p);
    }
    for (uint64_t i = 0; i < proofs; i++) {
        CUZK_TRY(bin_merkle(&p, &m[i], "inclusion_proofs"));
    }
    s.proofs = m;
    s.n_proofs = (uint32_t)proofs;
    CUZK_TRY(bin_node(&p, &s.comm_c, "comm_c"));
    CUZK_TRY(bin_node(&p, &s.comm_r_last, "comm_r_last"));
    cuzk_post_sector *grown = cuzk_realloc(in->sectors, (size_t)in->n_sectors + 1, sizeof(*grown));
    if (grown == NULL) {
        return bin_no_memory(&p);
    }
    in->sectors = grown;
    grown[in->n_sectors++] = s;
    return CUZK_OK;
}

cuzk_status cuzk_post_input_append(cuzk_post_input *in, cuzk_post_input *from, cuzk_err *err)
{
    const size_t n = (size_t)in->n_sectors + from->n_sectors;
    if (from->n_sectors == 0) {
        return CUZK_OK;
    }
    cuzk_post_sector *grown = n > UINT32_MAX ? NULL : cuzk_realloc(in->sectors, n, sizeof(*grown));
    if (grown == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "vanilla proof: out of memory for %zu sectors", n);
    }
    memcpy(grown + in->n_sectors, from->sectors, from->n_sectors * sizeof(*grown));
    in->sectors = grown;
    in->n_sectors = (uint32_t)n;
    from->n_sectors = 0;
    cuzk_arena_join(&in->arena, &from->arena);
    return CUZK_OK;
}

static int by_number(const void *x, const void *y)
{
    const uint64_t a = ((const cuzk_post_sector *)x)->sector_id;
    const uint64_t b = ((const cuzk_post_sector *)y)->sector_id;
    return (a > b) - (a < b);
}

cuzk_status cuzk_post_input_sort(cuzk_post_input *in, cuzk_err *err)
{
    if (in->n_sectors < 2) {
        return CUZK_OK;
    }
    qsort(in->sectors, in->n_sectors, sizeof(in->sectors[0]), by_number);
    for (uint32_t i = 1; i < in->n_sectors; i++) {
        if (in->sectors[i].sector_id == in->sectors[i - 1].sector_id) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "sector %llu is there twice",
                             (unsigned long long)in->sectors[i].sector_id);
        }
    }
    return CUZK_OK;
}

static cuzk_status parse_update(cuzk_update_input *in, bin_parser *p)
{
    uint64_t n = 0;
    cuzk_node *apex = NULL;
    CUZK_TRY(bin_node(p, &in->comm_c, "comm_c"));
    CUZK_TRY(bin_count(p, &n, CUZK_NODE_BYTES, UINT16_MAX, "apex_leafs"));
    CUZK_TRY(bin_nodes(p, &apex, n, "apex_leafs"));
    in->apex = apex;
    in->n_apex = (uint32_t)n;
    CUZK_TRY(bin_count(p, &n, 216, UINT16_MAX, "challenge_proofs"));
    cuzk_update_challenge *c = bin_take(p, n, sizeof(*c));
    if (c == NULL) {
        return bin_no_memory(p);
    }
    for (uint64_t i = 0; i < n; i++) {
        CUZK_TRY(bin_merkle(p, &c[i].r_old, "proof_r_old"));
        CUZK_TRY(bin_merkle(p, &c[i].d_new, "proof_d_new"));
        CUZK_TRY(bin_merkle(p, &c[i].r_new, "proof_r_new"));
    }
    in->challenges = c;
    in->n_challenges = (uint32_t)n;
    return CUZK_OK;
}

cuzk_status cuzk_update_parse(cuzk_update_input **out, const uint8_t *blob, size_t n, cuzk_err *err)
{
    cuzk_update_input *in = cuzk_alloc_zero(1, sizeof(*in));
    if (in == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "update input: out of memory");
    }
    bin_parser p = {cuzk_reader_init(blob, n), &in->arena, "vanilla proof", err};
    const cuzk_status st = parse_update(in, &p);
    if (st != CUZK_OK) {
        cuzk_update_input_destroy(in);
        return st;
    }
    *out = in;
    return CUZK_OK;
}

void cuzk_update_input_destroy(cuzk_update_input *in)
{
    if (in != NULL) {
        cuzk_arena_free(&in->arena);
        cuzk_free(in);
    }
}
