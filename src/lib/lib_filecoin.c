/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdio.h>

#include "base/alloc.h"
#include "prover/keys/filecoin_verify.h"
#include "prover/prove/filecoin_input.h"
#include "vanilla/check/public_inputs.h"

#include "lib_internal.h"

CUZK_STATIC_ASSERT((int)CUZK_KIND_POREP == (int)CUZK_CIRCUIT_POREP, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_KIND_WINNING == (int)CUZK_CIRCUIT_WINNING, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_KIND_WINDOW == (int)CUZK_CIRCUIT_WINDOW, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_KIND_UPDATE == (int)CUZK_CIRCUIT_UPDATE, "shared value");

const char *cuzk_kind_name(int32_t kind)
{
    return kind >= 0 && kind < CUZK_CIRCUIT_N_KINDS
               ? cuzk_circuit_kind_name((cuzk_circuit_kind)kind)
               : "unknown";
}

/* Shape of a registered update type; the numbers count the published sizes. */
static const cuzk_sector_shape *update_shape(uint64_t number)
{
    static const uint64_t sizes[] = {(uint64_t)2 << 10, (uint64_t)8 << 20, (uint64_t)512 << 20,
                                     (uint64_t)32 << 30, (uint64_t)64 << 30};
    return number < sizeof(sizes) / sizeof(sizes[0]) ? cuzk_sector_shape_of(sizes[number]) : NULL;
}

uint32_t cuzk_kind_partitions(int32_t kind, uint64_t registered_proof)
{
    if (cuzk_kind_sector_bytes(kind, registered_proof) == 0) {
        return 0;
    }
    if (kind == CUZK_KIND_POREP) {
        cuzk_seal_type t;
        return cuzk_seal_type_of(&t, registered_proof, NULL) == CUZK_OK ? cuzk_porep_partitions(&t)
                                                                        : 0;
    }
    if (kind == CUZK_KIND_UPDATE) {
        const cuzk_sector_shape *s = update_shape(registered_proof);
        return s != NULL ? s->update_partitions : 0;
    }
    return 1;
}

uint64_t cuzk_kind_sector_bytes(int32_t kind, uint64_t registered_proof)
{
    cuzk_seal_type seal;
    cuzk_post_type post;
    switch (kind) {
    case CUZK_KIND_POREP:
        return cuzk_seal_type_of(&seal, registered_proof, NULL) == CUZK_OK ? seal.sector_bytes : 0;
    case CUZK_KIND_WINNING:
    case CUZK_KIND_WINDOW:
        return cuzk_post_type_of(&post, registered_proof, NULL) == CUZK_OK &&
                       post.is_window == (kind == CUZK_KIND_WINDOW)
                   ? post.sector_bytes
                   : 0;
    case CUZK_KIND_UPDATE: {
        const cuzk_sector_shape *s = update_shape(registered_proof);
        return s != NULL ? s->bytes : 0;
    }
    default: return 0;
    }
}

cuzk_status cuzk_vk_load(cuzk_vk **out, int32_t kind, uint64_t sector_bytes, const char *folder,
                         cuzk_error *error)
{
    cuzk_circuit_kind k;
    cuzk_params_dir dir;
    cuzk_err err = {.msg = ""};
    CUZK_TRY(lib_kind(&k, kind, error));
    cuzk_status st = cuzk_params_dir_choose(&dir, folder, &err);
    if (st == CUZK_OK) {
        dir.origin = folder != NULL ? "" : dir.origin; /* the caller knows it */
        st = cuzk_filecoin_vk_load(out, k, sector_bytes, &dir, &err);
    }
    return lib_error(error, st, &err);
}

static void copy_node(cuzk_node *out, const uint8_t in[32])
{
    memcpy(out->b, in, sizeof(out->b));
}

/* Partitions that a claim is about: first to end - 1. */
typedef struct part_range {
    uint32_t first, end;
} part_range;

/* One partition when flags ask for it, else all n. known: the flags that the claim may have. */
static cuzk_status range_of(part_range *out, uint32_t flags, uint32_t known, uint32_t partition,
                            uint32_t n, const char *what, cuzk_error *error)
{
    const bool is_one = (flags & CUZK_CLAIM_ONE_PARTITION) != 0;
    if ((flags & ~known) != 0) {
        return lib_fail(error, CUZK_E_INVALID, "flags is %u: only %u are known", flags, known);
    }
    if (!is_one && partition != 0) {
        return lib_fail(error, CUZK_E_INVALID, "partition is %u, and ONE_PARTITION is not set",
                        partition);
    }
    if (partition >= n) {
        return lib_fail(error, CUZK_E_INVALID, "%s has %u partitions; there is no partition %u",
                        what, n, partition);
    }
    out->first = is_one ? partition : 0;
    out->end = is_one ? partition + 1 : n;
    return CUZK_OK;
}

static cuzk_status seal_statement(cuzk_porep_statement *s, part_range *range,
                                  const cuzk_seal_claim *claim, cuzk_error *error)
{
    cuzk_seal_claim c;
    cuzk_node prover_id, ticket, porep_id;
    char what[48];
    cuzk_err err = {.msg = ""};
    CUZK_TRY(lib_take(&c, sizeof(c), claim, "cuzk_seal_claim", error));
    const cuzk_status st = cuzk_seal_type_of(&s->type, c.registered_proof, &err);
    if (st != CUZK_OK) {
        return lib_error(error, st, &err);
    }
    (void)snprintf(what, sizeof(what), "a PoRep of %s",
                   cuzk_sector_shape_of(s->type.sector_bytes)->name);
    CUZK_TRY(range_of(range, c.flags, CUZK_CLAIM_ONE_PARTITION | CUZK_CLAIM_REPLICA_ID, c.partition,
                      cuzk_porep_partitions(&s->type), what, error));
    copy_node(&s->comm_r, c.comm_r);
    copy_node(&s->comm_d, c.comm_d);
    copy_node(&s->seed, c.seed);
    if ((c.flags & CUZK_CLAIM_REPLICA_ID) != 0) {
        copy_node(&s->replica_id, c.replica_id);
        return CUZK_OK;
    }
    copy_node(&ticket, c.ticket);
    cuzk_prover_id_of_miner(&prover_id, c.miner_id);
    cuzk_porep_id(&porep_id, c.registered_proof);
    cuzk_replica_id(&s->replica_id, &prover_id, c.sector_number, &ticket, &s->comm_d, &porep_id);
    return CUZK_OK;
}

cuzk_status cuzk_verify_seal(const cuzk_vk *vk, const uint8_t *proof, size_t proof_bytes,
                             const cuzk_seal_claim *claim, cuzk_error *error)
{
    cuzk_porep_statement s;
    part_range range = {0, 0};
    cuzk_err err = {.msg = ""};
    CUZK_TRY(seal_statement(&s, &range, claim, error));
    return lib_error(
        error, cuzk_filecoin_verify_porep(vk, proof, proof_bytes, &s, range.first, range.end, &err),
        &err);
}

cuzk_status cuzk_seal_inputs(uint8_t *out, size_t capacity, size_t *n, const cuzk_seal_claim *claim,
                             cuzk_error *error)
{
    cuzk_porep_statement s;
    part_range range = {0, 0};
    cuzk_err err = {.msg = ""};
    CUZK_TRY(seal_statement(&s, &range, claim, error));
    const size_t each = cuzk_porep_n_public_inputs(cuzk_sector_shape_of(s.type.sector_bytes));
    *n = each * (range.end - range.first);
    if (capacity < *n) {
        return lib_fail(error, CUZK_E_INVALID, "there are %zu public inputs, and room for %zu", *n,
                        capacity);
    }
    cuzk_fr *values = cuzk_alloc(each, sizeof(*values));
    cuzk_status st = values != NULL
                         ? CUZK_OK
                         : CUZK_FAIL(&err, CUZK_E_NOMEM, "out of memory for %zu inputs", each);
    for (uint32_t k = range.first; st == CUZK_OK && k < range.end; k++) {
        st = cuzk_porep_public_inputs(values, &s, k, &err);
        for (size_t i = 0; st == CUZK_OK && i < each; i++) {
            cuzk_fr_to_bytes_le(out + 32 * ((k - range.first) * each + i), &values[i]);
        }
    }
    cuzk_free(values);
    return lib_error(error, st, &err);
}

static cuzk_status post_type(cuzk_post_type *out, const cuzk_post_claim *c, cuzk_error *error)
{
    cuzk_err err = {.msg = ""};
    if (c->sector_bytes == 0) {
        return lib_error(error, cuzk_post_type_of(out, c->registered_proof, &err), &err);
    }
    if (c->kind != CUZK_KIND_WINNING && c->kind != CUZK_KIND_WINDOW) {
        return lib_fail(error, CUZK_E_INVALID, "kind is %d: with sector_bytes, WINNING or WINDOW",
                        c->kind);
    }
    if (cuzk_sector_shape_of(c->sector_bytes) == NULL) {
        return lib_fail(error, CUZK_E_INVALID, "sector_bytes is %llu: no such sector size",
                        (unsigned long long)c->sector_bytes);
    }
    const bool is_window = c->kind == CUZK_KIND_WINDOW;
    *out = (cuzk_post_type){.number = UINT64_MAX,
                            .sector_bytes = c->sector_bytes,
                            .is_window = is_window,
                            .is_v1_2 = is_window};
    return CUZK_OK;
}

cuzk_status cuzk_verify_post(const cuzk_vk *vk, const uint8_t *proof, size_t proof_bytes,
                             const cuzk_post_claim *claim, cuzk_error *error)
{
    cuzk_post_claim c;
    cuzk_post_statement s;
    cuzk_err err = {.msg = ""};
    CUZK_TRY(lib_take(&c, sizeof(c), claim, "cuzk_post_claim", error));
    CUZK_TRY(post_type(&s.type, &c, error));
    const uint32_t most =
        s.type.is_window ? cuzk_sector_shape_of(s.type.sector_bytes)->window_sectors : 1;
    if (c.n_sectors == 0 || c.n_sectors > most || c.sectors == NULL) {
        return lib_fail(error, CUZK_E_INVALID, "n_sectors is %zu: a partition has 1 to %u",
                        c.n_sectors, most);
    }
    copy_node(&s.randomness, c.randomness);
    s.randomness.b[31] &= 0x3f;
    s.partition = c.partition;
    cuzk_post_public_sector *sectors = cuzk_alloc(c.n_sectors, sizeof(*sectors));
    if (sectors == NULL) {
        return lib_fail(error, CUZK_E_NOMEM, "verification: out of memory for %zu sectors",
                        c.n_sectors);
    }
    for (size_t i = 0; i < c.n_sectors; i++) {
        sectors[i].sector_id = c.sectors[i].number;
        copy_node(&sectors[i].comm_r, c.sectors[i].comm_r);
    }
    const cuzk_status st =
        cuzk_filecoin_verify_post(vk, proof, proof_bytes, &s, sectors, (uint32_t)c.n_sectors, &err);
    cuzk_free(sectors);
    return lib_error(error, st, &err);
}

cuzk_status cuzk_verify_update(const cuzk_vk *vk, const uint8_t *proof, size_t proof_bytes,
                               const cuzk_update_claim *claim, cuzk_error *error)
{
    cuzk_update_claim c;
    cuzk_update_statement s;
    part_range range = {0, 0};
    char what[48];
    cuzk_err err = {.msg = ""};
    CUZK_TRY(lib_take(&c, sizeof(c), claim, "cuzk_update_claim", error));
    s.shape = c.sector_bytes != 0 ? cuzk_sector_shape_of(c.sector_bytes)
                                  : update_shape(c.registered_proof);
    if (s.shape == NULL || s.shape->update_partitions == 0) {
        return c.sector_bytes != 0
                   ? lib_fail(error, CUZK_E_INVALID, "sectors of %llu bytes have no update proof",
                              (unsigned long long)c.sector_bytes)
                   : lib_fail(error, CUZK_E_INVALID, "registered_proof %llu is no update proof",
                              (unsigned long long)c.registered_proof);
    }
    (void)snprintf(what, sizeof(what), "an update of %s", s.shape->name);
    CUZK_TRY(range_of(&range, c.flags, CUZK_CLAIM_ONE_PARTITION, c.partition,
                      s.shape->update_partitions, what, error));
    const uint32_t n = range.end - range.first;
    if (proof_bytes != (size_t)n * CUZK_PROOF_BYTES) {
        return lib_fail(error, CUZK_E_INVALID, "the proof has %zu bytes; %u partitions have %zu",
                        proof_bytes, n, (size_t)n * CUZK_PROOF_BYTES);
    }
    copy_node(&s.comm_r_old, c.comm_r_old);
    copy_node(&s.comm_r_new, c.comm_r_new);
    copy_node(&s.comm_d_new, c.comm_d_new);
    s.h = cuzk_update_default_h(s.shape);
    cuzk_status st = CUZK_OK;
    for (uint32_t k = range.first; st == CUZK_OK && k < range.end; k++) {
        s.partition = k;
        st = cuzk_filecoin_verify_update(vk, proof + (size_t)(k - range.first) * CUZK_PROOF_BYTES,
                                         CUZK_PROOF_BYTES, &s, &err);
    }
    return lib_error(error, st, &err);
}
