/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "interop/r1cs_file.h"

#include "r1cs/build/builder.h"

#include "iden3_internal.h"
#include "wires_internal.h"

enum { HEADER = 1, CONSTRAINTS = 2, LABELS = 3, GATE_LIST = 4, GATE_USES = 5 };

static cuzk_status read_header(cuzk_iden3 *f, cuzk_r1cs_info *out, cuzk_err *err)
{
    cuzk_reader r, gates;
    CUZK_TRY(cuzk_iden3_section(f, HEADER, "header", &r, err));
    CUZK_TRY(cuzk_iden3_read_r(f, &r, err));
    if (!cuzk_read_u32_le(&r, &out->n_wires) || !cuzk_read_u32_le(&r, &out->n_pub_out) ||
        !cuzk_read_u32_le(&r, &out->n_pub_in) || !cuzk_read_u32_le(&r, &out->n_prv_in) ||
        !cuzk_read_u64_le(&r, &out->n_labels) || !cuzk_read_u32_le(&r, &out->n_constraints)) {
        return cuzk_iden3_truncated(f, HEADER, "header", err);
    }
    if (cuzk_reader_left(&r) != 0) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: header is longer than it should be", f->name);
    }
    /* Private inputs are not compared: circom's simplification removes wires of inputs that no
     * constraint uses, and counts those inputs all the same. Public wires are never removed. */
    const uint64_t named = 1 + (uint64_t)out->n_pub_out + out->n_pub_in;
    if (named > out->n_wires) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "%s: header has %u wires, but ONE and %u + %u public signals", f->name,
                         out->n_wires, out->n_pub_out, out->n_pub_in);
    }
    for (uint32_t id = GATE_LIST; id <= GATE_USES; id++) {
        uint32_t count = 0;
        if ((f->present >> id & 1) == 0) {
            continue;
        }
        gates = f->section[id];
        if (!cuzk_read_u32_le(&gates, &count) || count != 0) {
            return CUZK_FAIL(err, CUZK_E_UNSUPPORTED,
                             "%s: circuit uses custom gates, which Groth16 does not have", f->name);
        }
    }
    return CUZK_OK;
}

/* Wires cost memory each, and only constraints and labels cost bytes of the file: tie them. */
static cuzk_status check_wires(const cuzk_iden3 *f, const cuzk_r1cs_info *info,
                               const cuzk_reader *rows, cuzk_err *err)
{
    const uint64_t n = info->n_wires;
    if ((f->present >> LABELS & 1) != 0) {
        const size_t bytes = cuzk_reader_left(&f->section[LABELS]);
        if (bytes % 8 != 0 || bytes / 8 != n) {
            return CUZK_FAIL(err, CUZK_E_FORMAT,
                             "%s: section 3 (labels) has %zu bytes for %u wires", f->name, bytes,
                             info->n_wires);
        }
    } else if (n > 16 + cuzk_reader_left(rows)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: header has %u wires, more than the file can use",
                         f->name, info->n_wires);
    }
    return CUZK_OK;
}

static cuzk_status parse(cuzk_iden3 *f, cuzk_r1cs_info *info, cuzk_reader *rows, const void *data,
                         size_t n, const char *name, cuzk_err *err)
{
    CUZK_TRY(cuzk_iden3_parse(f, data, n, name, "r1cs", 1, 0x3e, err));
    CUZK_TRY(read_header(f, info, err));
    CUZK_TRY(cuzk_iden3_section(f, CONSTRAINTS, "constraints", rows, err));
    if (!cuzk_reader_has(rows, info->n_constraints, 12)) {
        return cuzk_iden3_truncated(f, CONSTRAINTS, "constraints", err);
    }
    return check_wires(f, info, rows, err);
}

cuzk_status cuzk_r1cs_file_info(cuzk_r1cs_info *out, const void *data, size_t n, const char *name,
                                cuzk_err *err)
{
    cuzk_iden3 f;
    cuzk_reader rows;
    cuzk_r1cs_info info;
    CUZK_TRY(parse(&f, &info, &rows, data, n, name, err));
    *out = info;
    return CUZK_OK;
}

static cuzk_status read_side(const cuzk_iden3 *f, const cuzk_r1cs_info *info, cuzk_reader *r,
                             cuzk_builder *b, cuzk_matrix_id m, uint32_t row, cuzk_err *err)
{
    uint32_t n_terms;
    if (!cuzk_read_u32_le(r, &n_terms) || !cuzk_reader_has(r, n_terms, 36)) {
        return cuzk_iden3_truncated(f, CONSTRAINTS, "constraints", err);
    }
    for (uint32_t i = 0; i < n_terms; i++) {
        uint32_t wire;
        const uint8_t *bytes;
        cuzk_fr value;
        if (!cuzk_read_u32_le(r, &wire) || !cuzk_read_bytes(r, &bytes, 32)) {
            return cuzk_iden3_truncated(f, CONSTRAINTS, "constraints", err);
        }
        if (wire >= info->n_wires) {
            return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: constraint %u has wire %u of %u", f->name,
                             row, wire, info->n_wires);
        }
        if (!cuzk_fr_from_bytes_le(&value, bytes)) {
            return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: coefficient in constraint %u is not below r",
                             f->name, row);
        }
        cuzk_builder_term(b, m, cuzk_wires_var(info->n_pub_out + info->n_pub_in, wire),
                          cuzk_builder_coef(b, &value));
    }
    return CUZK_OK;
}

cuzk_status cuzk_r1cs_file_compile(cuzk_circuit **out, cuzk_r1cs_info *info, const void *data,
                                   size_t n, const char *name, cuzk_err *err)
{
    cuzk_iden3 f;
    cuzk_reader rows;
    cuzk_r1cs_info h;
    cuzk_builder *b = NULL;
    cuzk_status st;
    CUZK_TRY(parse(&f, &h, &rows, data, n, name, err));
    CUZK_TRY(cuzk_builder_create(&b, err));
    cuzk_wires_declare(b, h.n_wires, h.n_pub_out + h.n_pub_in);
    for (uint32_t row = 0; row < h.n_constraints; row++) {
        for (int m = CUZK_MATRIX_A; m <= CUZK_MATRIX_C; m++) {
            CUZK_TRY_GOTO(st, read_side(&f, &h, &rows, b, (cuzk_matrix_id)m, row, err));
        }
        cuzk_builder_row(b);
    }
    if (cuzk_reader_left(&rows) != 0) {
        st = CUZK_FAIL(err, CUZK_E_FORMAT, "%s: %zu bytes after the last constraint", name,
                       cuzk_reader_left(&rows));
        goto out;
    }
    CUZK_TRY_GOTO(st, cuzk_builder_finish(b, out, err));
    (*out)->min_lg_domain = 1; /* as snarkjs: a circuit of one row has a domain of two */
    if (info != NULL) {
        *info = h;
    }
out:
    cuzk_builder_destroy(b);
    return st;
}
