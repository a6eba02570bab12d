/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The identity is over the compiled form and not over the transcript: two ways to cut one R1CS into
 * preamble and blocks differ, and it is hundreds of times cheaper. All integers little-endian.
 */
#include "base/bytes.h"
#include "hash/sha256.h"
#include "r1cs/identity_internal.h"

static const char DOMAIN[] = "cuzk circuit 1";

static void add_u64(cuzk_sha256 *s, uint64_t v)
{
    uint8_t b[8];
    cuzk_store_u64_le(b, v);
    cuzk_sha256_update(s, b, sizeof(b));
}

static void add_u32s(cuzk_sha256 *s, const uint32_t *v, uint64_t n)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    cuzk_sha256_update(s, v, (size_t)n * sizeof(*v));
#else
    for (uint64_t i = 0; i < n; i++) {
        uint8_t b[4];
        cuzk_store_u32_le(b, v[i]);
        cuzk_sha256_update(s, b, sizeof(b));
    }
#endif
}

static void add_part(cuzk_sha256 *s, const cuzk_circuit_part *p)
{
    add_u64(s, p->n_rows);
    add_u64(s, p->n_inputs);
    add_u64(s, p->n_slots);
    add_u64(s, p->n_aux);
    for (uint64_t i = 0; i < (p->n_aux + 63) / 64; i++) {
        add_u64(s, p->is_full[i]);
    }
    for (int i = 0; i < 3; i++) {
        const cuzk_matrix *m = &p->m[i];
        add_u64(s, m->n_words);
        add_u64(s, m->n_long);
        cuzk_sha256_update(s, m->len, (size_t)p->n_rows);
        for (uint64_t k = 0; k < m->n_long; k++) {
            add_u64(s, m->long_rows[k].row);
            add_u64(s, m->long_rows[k].len);
        }
        add_u32s(s, m->words, m->n_words);
    }
}

void cuzk_circuit_identify(cuzk_circuit *c)
{
    cuzk_sha256 s;
    cuzk_sha256_init(&s);
    cuzk_sha256_update(&s, DOMAIN, sizeof(DOMAIN));
    add_u64(&s, c->n_blocks);
    add_u64(&s, c->n_coeffs);
    for (uint32_t i = CUZK_COEF_TABLE; i < c->n_coeffs; i++) {
        uint8_t b[32];
        cuzk_fr_to_bytes_le(b, &c->coeffs[i]);
        cuzk_sha256_update(&s, b, sizeof(b));
    }
    add_part(&s, &c->preamble);
    add_part(&s, &c->block);
    add_u32s(&s, c->bindings, c->n_blocks * c->block.n_slots);
    cuzk_sha256_final(c->identity, &s);
}
