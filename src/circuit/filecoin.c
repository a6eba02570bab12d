/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "circuit/filecoin.h"

#include <inttypes.h>
#include <string.h>

#include "circuit/record.h"

const char *cuzk_circuit_kind_name(cuzk_circuit_kind kind)
{
    static const char *const names[CUZK_CIRCUIT_N_KINDS] = {"porep", "winning", "window", "update"};
    return (unsigned)kind < CUZK_CIRCUIT_N_KINDS ? names[kind] : "?";
}

cuzk_status cuzk_circuit_spec_of(cuzk_circuit_spec *out, cuzk_circuit_kind kind,
                                 uint64_t sector_bytes, cuzk_err *err)
{
    const cuzk_sector_shape *s = cuzk_sector_shape_of(sector_bytes);
    if (s == NULL || (unsigned)kind >= CUZK_CIRCUIT_N_KINDS) {
        return CUZK_FAIL(
            err, CUZK_E_INVALID, "no %s circuit for sectors of %" PRIu64 " bytes: no such %s",
            cuzk_circuit_kind_name(kind), sector_bytes, s == NULL ? "sector size" : "kind");
    }
    cuzk_circuit_spec c = {kind, s, 0, 1, 0};
    switch (kind) {
    case CUZK_CIRCUIT_POREP:
        c.n_blocks = s->porep_challenges;
        c.n_inputs = 4 + c.n_blocks * (1 + CUZK_DRG_PARENTS + CUZK_EXP_PARENTS + 3);
        break;
    case CUZK_CIRCUIT_WINNING:
        c.n_blocks = CUZK_WINNING_SECTORS;
        c.n_inputs = 1 + 2 * c.n_blocks;
        break;
    case CUZK_CIRCUIT_WINDOW:
        c.n_blocks = s->window_sectors;
        c.block_proofs = CUZK_WINDOW_CHALLENGES;
        c.n_inputs = 1 + (1 + c.block_proofs) * c.n_blocks;
        break;
    case CUZK_CIRCUIT_UPDATE:
    default:
        c.n_blocks = s->update_challenges;
        c.n_inputs = 5;
        break;
    }
    if (c.n_blocks == 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "there is no %s circuit for %s sectors",
                         cuzk_circuit_kind_name(kind), s->name);
    }
    *out = c;
    return CUZK_OK;
}

void cuzk_record_tree_r(cuzk_gadget_tree *out, const cuzk_sector_shape *s)
{
    memset(out, 0, sizeof(*out));
    out->n_levels = (uint8_t)cuzk_tree_levels(s, out->arity);
}

void cuzk_record_tree_d(cuzk_gadget_tree *out, unsigned n_levels)
{
    memset(out, 0, sizeof(*out));
    out->is_sha256 = true;
    out->n_levels = (uint8_t)n_levels;
    memset(out->arity, 2, n_levels);
}

uint32_t cuzk_record_tree_r_hashes(const cuzk_sector_shape *s)
{
    uint32_t mask = 1u << cuzk_gadget_poseidon_of(s->base_arity);
    if (s->sub_arity != 0) {
        mask |= 1u << cuzk_gadget_poseidon_of(s->sub_arity);
    }
    if (s->top_arity != 0) {
        mask |= 1u << cuzk_gadget_poseidon_of(s->top_arity);
    }
    return mask;
}

cuzk_status cuzk_record_circuit(cuzk_builder *b, const cuzk_circuit_spec *spec, bool twice,
                                cuzk_err *err)
{
    switch (spec->kind) {
    case CUZK_CIRCUIT_POREP: return cuzk_record_porep(b, spec, twice, err);
    case CUZK_CIRCUIT_UPDATE: return cuzk_record_update(b, spec, twice, err);
    case CUZK_CIRCUIT_WINNING:
    case CUZK_CIRCUIT_WINDOW:
    default: return cuzk_record_post(b, spec, twice, err);
    }
}

cuzk_status cuzk_filecoin_circuit_build(cuzk_circuit_kind kind, uint64_t sector_bytes,
                                        cuzk_circuit **out, cuzk_err *err)
{
    cuzk_circuit_spec spec;
    cuzk_builder *b = NULL;
    CUZK_TRY(cuzk_circuit_spec_of(&spec, kind, sector_bytes, err));
    CUZK_TRY(cuzk_builder_create(&b, err));
    cuzk_status st = cuzk_record_circuit(b, &spec, false, err);
    if (st == CUZK_OK) {
        st = cuzk_builder_finish(b, out, err);
    }
    cuzk_builder_destroy(b);
    return st;
}
