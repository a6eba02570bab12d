/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "interop/wtns_file.h"

#include "base/assert.h"
#include "sys/file.h"

#include "iden3_internal.h"

enum { HEADER = 1, VALUES = 2 };

cuzk_status cuzk_wtns_read(cuzk_wtns *out, const void *data, size_t n, const char *name,
                           cuzk_err *err)
{
    cuzk_iden3 f;
    cuzk_reader r;
    cuzk_wtns w;
    CUZK_TRY(cuzk_iden3_parse(&f, data, n, name, "wtns", 2, 1u << HEADER | 1u << VALUES, err));
    CUZK_TRY(cuzk_iden3_section(&f, HEADER, "header", &r, err));
    CUZK_TRY(cuzk_iden3_read_r(&f, &r, err));
    if (!cuzk_read_u32_le(&r, &w.n) || cuzk_reader_left(&r) != 0) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: section 1 (header) has a wrong size", name);
    }
    CUZK_TRY(cuzk_iden3_section(&f, VALUES, "values", &r, err));
    if (cuzk_reader_left(&r) % 32 != 0 || cuzk_reader_left(&r) / 32 != w.n) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "%s: section 2 (values) has %zu bytes for %u values of 32", name,
                         cuzk_reader_left(&r), w.n);
    }
    w.values = r.p;
    for (uint32_t i = 0; i < w.n; i++) {
        cuzk_scalar s;
        cuzk_scalar_from_bytes_le(&s, w.values + 32 * (size_t)i);
        if (!cuzk_scalar_is_canonical(&s)) {
            return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: value of wire %u is not below r", name, i);
        }
        if (i == 0 && (s.l[0] != 1 || (s.l[1] | s.l[2] | s.l[3]) != 0)) {
            return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: wire 0 is not 1", name);
        }
    }
    *out = w;
    return CUZK_OK;
}

typedef struct fill {
    const cuzk_wtns *from;
    cuzk_witness *to;
    size_t n_inputs;
} fill;

static cuzk_status fill_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    const fill *f = arg;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        cuzk_fr *to = i < f->n_inputs ? &f->to->inputs[i] : &f->to->fulls[i - f->n_inputs];
        CUZK_ASSERT(
            cuzk_fr_from_bytes_le(to, f->from->values + 32 * i)); /* cuzk_wtns_read saw it */
    }
    return CUZK_OK;
}

cuzk_status cuzk_wtns_to_witness(cuzk_witness **out, const cuzk_wtns *wtns, const cuzk_circuit *c,
                                 const char *name, cuzk_pool *pool, cuzk_err *err)
{
    CUZK_ASSERT(c->n_bits == 0 && c->n_blocks == 0);
    const uint64_t wires = c->n_inputs + c->n_aux;
    if (wtns->n != wires) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "%s: witness has %u values, the circuit has %llu wires", name, wtns->n,
                         (unsigned long long)wires);
    }
    cuzk_witness *w = NULL;
    CUZK_TRY(cuzk_witness_create(&w, c, err));
    fill f = {wtns, w, (size_t)c->n_inputs};
    const cuzk_status st = cuzk_parallel_for(pool, NULL, wtns->n, 1u << 12, fill_range, &f);
    if (st != CUZK_OK) {
        cuzk_witness_destroy(w);
        return CUZK_FAIL(err, st, "%s: cannot convert the witness", name);
    }
    *out = w;
    return CUZK_OK;
}

static cuzk_status write_values(cuzk_file_writer *w, const cuzk_fr *v, uint64_t n, cuzk_err *err)
{
    for (uint64_t i = 0; i < n; i++) {
        uint8_t b[32];
        cuzk_fr_to_bytes_le(b, &v[i]);
        CUZK_TRY(cuzk_file_writer_write(w, b, sizeof(b), err));
    }
    return CUZK_OK;
}

cuzk_status cuzk_wtns_write(const char *path, const cuzk_witness *w, bool replace, cuzk_err *err)
{
    static const uint64_t r[4] = CUZK_FR_MOD_LIMBS;
    const cuzk_circuit *c = w->circuit;
    CUZK_ASSERT(c->n_bits == 0 && c->n_blocks == 0);
    const uint64_t n = c->n_inputs + c->n_aux;
    uint8_t head[12 + 12 + 40 + 12] = "wtns";
    uint8_t *p = head + 4;
    cuzk_store_u32_le(p, 2);
    cuzk_store_u32_le(p + 4, 2);
    cuzk_store_u32_le(p + 8, HEADER);
    cuzk_store_u64_le(p + 12, 40);
    cuzk_store_u32_le(p + 20, 32);
    for (int i = 0; i < 4; i++) {
        cuzk_store_u64_le(p + 24 + 8 * (size_t)i, r[i]);
    }
    cuzk_store_u32_le(p + 56, (uint32_t)n);
    cuzk_store_u32_le(p + 60, VALUES);
    cuzk_store_u64_le(p + 64, 32 * n);
    cuzk_file_writer *f = NULL;
    cuzk_status st;
    CUZK_TRY(cuzk_file_writer_open(&f, path, replace, err));
    CUZK_TRY_GOTO(st, cuzk_file_writer_write(f, head, sizeof(head), err));
    CUZK_TRY_GOTO(st, write_values(f, w->inputs, c->n_inputs, err));
    CUZK_TRY_GOTO(st, write_values(f, w->fulls, c->n_aux, err));
    return cuzk_file_writer_commit(f, err);
out:
    cuzk_file_writer_abort(f);
    return st;
}
