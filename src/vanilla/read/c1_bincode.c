/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * C1 as bincode 1.x writes it (docs/spec/inputs.md#c1-bincode): the network's structure, or the older
 * one without the registered proof, which hardware sealers write.
 */
#include <stdio.h>

#include "bincode_internal.h"
#include "c1_internal.h"

#define N_SIZES 5u /* registered sector sizes */

static cuzk_status read_column(bin_parser *p, cuzk_column_proof *out, const char *what)
{
    uint64_t n = 0;
    cuzk_node *rows = NULL;
    if (!cuzk_read_u32_le(&p->r, &out->index)) {
        return bin_short(p, what);
    }
    CUZK_TRY(bin_count(p, &n, CUZK_NODE_BYTES, CUZK_MAX_LAYERS, what));
    CUZK_TRY(bin_nodes(p, &rows, n, what));
    out->rows = rows;
    out->n_rows = (uint32_t)n;
    return bin_merkle(p, &out->inclusion, what);
}

static cuzk_status read_columns(bin_parser *p, cuzk_column_proof *out, uint32_t n, const char *what)
{
    const size_t at = cuzk_reader_pos(&p->r);
    uint64_t count = 0;
    if (!cuzk_read_u64_le(&p->r, &count)) {
        return bin_short(p, what);
    }
    if (count != n) {
        return CUZK_FAIL(p->err, CUZK_E_FORMAT, "%s: %s: count %llu at byte %zu, not %u",
                         p->subject, what, (unsigned long long)count, at, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        CUZK_TRY(read_column(p, &out[i], what));
    }
    return CUZK_OK;
}

static cuzk_status read_labeling(bin_parser *p, cuzk_labeling_proof *out, const char *what)
{
    uint64_t n = 0;
    cuzk_node *parents = NULL;
    CUZK_TRY(bin_count(p, &n, CUZK_NODE_BYTES, CUZK_LABEL_PARENTS, what));
    CUZK_TRY(bin_nodes(p, &parents, n, what));
    out->parents = parents;
    out->n_parents = (uint32_t)n;
    if (!cuzk_read_u32_le(&p->r, &out->layer) || !cuzk_read_u64_le(&p->r, &out->node)) {
        return bin_short(p, what);
    }
    return CUZK_OK;
}

static cuzk_status read_challenge(bin_parser *p, cuzk_porep_challenge *out)
{
    uint64_t n = 0;
    CUZK_TRY(bin_merkle(p, &out->comm_d, "comm_d_proofs"));
    CUZK_TRY(bin_merkle(p, &out->comm_r_last, "comm_r_last_proof"));
    CUZK_TRY(read_column(p, &out->c_x, "c_x"));
    CUZK_TRY(read_columns(p, out->drg, CUZK_DRG_PARENTS, "drg_parents"));
    CUZK_TRY(read_columns(p, out->exp, CUZK_EXP_PARENTS, "exp_parents"));
    CUZK_TRY(bin_count(p, &n, 20, CUZK_MAX_LAYERS, "labeling_proofs"));
    cuzk_labeling_proof *labeling = bin_take(p, n, sizeof(*labeling));
    if (labeling == NULL) {
        return bin_no_memory(p);
    }
    for (uint64_t i = 0; i < n; i++) {
        CUZK_TRY(read_labeling(p, &labeling[i], "labeling_proofs"));
    }
    out->labeling = labeling;
    out->n_labeling = (uint32_t)n;
    return read_labeling(p, &out->encoding, "encoding_proof");
}

/* A challenge has 16 Merkle proofs of at least 72 bytes, at least. */
#define CHALLENGE_LEAST (16u * 72u)

static cuzk_status read_partition(bin_parser *p, cuzk_porep_input *in, uint32_t partition,
                                  const cuzk_porep_challenge **out)
{
    uint64_t n = 0;
    char subject[64];
    (void)snprintf(subject, sizeof(subject), "C1 (bincode): partition %u", partition);
    p->subject = subject;
    CUZK_TRY(bin_count(p, &n, CHALLENGE_LEAST, C1_MAX_CHALLENGES, "challenges"));
    if (partition > 0 && n != in->n_challenges) {
        return CUZK_FAIL(p->err, CUZK_E_FORMAT,
                         "%s: %llu challenges, the partitions before have %u", subject,
                         (unsigned long long)n, in->n_challenges);
    }
    cuzk_porep_challenge *c = bin_take(p, n, sizeof(*c));
    if (c == NULL) {
        return bin_no_memory(p);
    }
    for (uint32_t i = 0; i < n; i++) {
        (void)snprintf(subject, sizeof(subject), "C1 (bincode): partition %u, challenge %u",
                       partition, i);
        CUZK_TRY(read_challenge(p, &c[i]));
    }
    p->subject = "C1 (bincode)";
    in->n_challenges = (uint32_t)n;
    *out = c;
    return CUZK_OK;
}

/* Both structures begin so; behind it stands the variant of a Merkle proof over the data, always 0. */
static bool is_older(const uint8_t *data, size_t n)
{
    cuzk_reader r = cuzk_reader_init(data, n);
    uint64_t partitions = 0, challenges = 0;
    uint32_t variant = 1;
    return cuzk_read_u64_le(&r, &partitions) && cuzk_read_u64_le(&r, &challenges) &&
           cuzk_read_u32_le(&r, &variant) && partitions != 0 && partitions <= C1_MAX_PARTITIONS &&
           challenges != 0 && challenges <= C1_MAX_CHALLENGES && variant == 0;
}

/* What stands where a C1 was expected, by its first four bytes: one layer was taken off, and there is another. */
static const char *other_form(uint32_t first)
{
    static const struct {
        uint32_t mask, value;
        const char *text;
    } forms[] = {
        {0xffff, 0x8b1f, ", but gzip inside what holds it: unpack that first"},
        {0xffffffff, 0xfd2fb528, ", but zstd inside what holds it: unpack that first"},
        {0xffffff, 0xbfbbef, ", but text with a byte order mark: remove that"},
        {0xffff, 0x7965, ", but base64 inside base64, it seems: decode that first"}, /* "ey" */
        {0xffffff, 0x733448, ", but base64 of gzip, it seems: decode that first"}};  /* "H4s" */
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if ((first & forms[i].mask) == forms[i].value) {
            return forms[i].text;
        }
    }
    return "";
}

/* Registered proof and the variant of vanilla_proofs, which names the size. */
static cuzk_status read_type(bin_parser *p, cuzk_seal_type *out)
{
    uint32_t number = 0, size = 0;
    if (!cuzk_read_u32_le(&p->r, &number) || !cuzk_read_u32_le(&p->r, &size)) {
        return bin_short(p, "registered_proof");
    }
    if (cuzk_seal_type_of(out, number, NULL) != CUZK_OK || size >= N_SIZES) {
        return CUZK_FAIL(p->err, CUZK_E_FORMAT,
                         "%s: neither JSON nor bincode of a C1 (registered_proof would be %u)%s",
                         p->subject, number, other_form(number));
    }
    if (size != number % N_SIZES) {
        return CUZK_FAIL(p->err, CUZK_E_FORMAT,
                         "%s: registered_proof %u and vanilla_proofs %u are of different sizes",
                         p->subject, number, size);
    }
    return CUZK_OK;
}

cuzk_status c1_read_bincode(cuzk_porep_input *in, bool *has_type, const uint8_t *data, size_t n,
                            cuzk_err *err)
{
    bin_parser p = {cuzk_reader_init(data, n), &in->arena, "C1 (bincode)", err};
    uint64_t partitions = 0;
    *has_type = !is_older(data, n);
    if (*has_type) {
        CUZK_TRY(read_type(&p, &in->type));
    }
    CUZK_TRY(bin_count(&p, &partitions, 8, C1_MAX_PARTITIONS, "vanilla_proofs"));
    const cuzk_porep_challenge **list = bin_take(&p, partitions, sizeof(*list));
    if (list == NULL) {
        return bin_no_memory(&p);
    }
    for (uint32_t k = 0; k < partitions; k++) {
        CUZK_TRY(read_partition(&p, in, k, &list[k]));
    }
    in->partitions = list;
    in->n_partitions = (uint32_t)partitions;
    CUZK_TRY(bin_node(&p, &in->comm_r, "comm_r"));
    CUZK_TRY(bin_node(&p, &in->comm_d, "comm_d"));
    CUZK_TRY(bin_node(&p, &in->replica_id, "replica_id"));
    CUZK_TRY(bin_node(&p, &in->seed, "seed"));
    CUZK_TRY(bin_node(&p, &in->ticket, "ticket"));
    /* No other field tells a C1 from other bytes, so what is behind it counts. */
    if (cuzk_reader_left(&p.r) != 0) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%s: %zu bytes behind the ticket", p.subject,
                         cuzk_reader_left(&p.r));
    }
    return CUZK_OK;
}
