/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Envelopes around a C1: that of lotus-bench and those of proof services (docs/spec/inputs.md#c1-json). */
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/text/base64.h"
#include "vanilla/sector/miner.h"

#include "c1_internal.h"

enum { M_PAYLOAD, M_NUMBER, M_SIZE, M_PROVER, M_MINER, N_MEMBERS };

/* The names that each member has in the envelopes that are in use. */
static const char *const members[N_MEMBERS][6] = {
    [M_PAYLOAD] = {"Phase1Out", "c1out", "c1_out", "phase1_output", "commit1_out", NULL},
    [M_NUMBER] = {"SectorNum", "sector_id", "sector_num", "sector_number", NULL},
    [M_SIZE] = {"SectorSize", "sector_size", NULL},
    [M_PROVER] = {"prover_id", "ProverID", NULL},
    [M_MINER] = {"miner_id", "Miner", "miner", NULL},
};

static int member_of(const cuzk_json_str *key, const char **name)
{
    for (int m = 0; m < N_MEMBERS; m++) {
        for (const char *const *k = members[m]; *k != NULL; k++) {
            if (cuzk_json_str_eq(key, *k)) {
                *name = *k;
                return m;
            }
        }
    }
    return -1;
}

static void read_payload(cuzk_json *j, c1_envelope *e)
{
    const cuzk_json_kind kind = cuzk_json_peek(j);
    if (kind == CUZK_JSON_STRING) {
        if (cuzk_json_string(j, &e->text)) {
            e->payload = C1_PAYLOAD_STRING;
        }
        return;
    }
    if (kind != CUZK_JSON_OBJECT && kind != CUZK_JSON_ARRAY) {
        (void)cuzk_json_fail(j, "%s is a string, an object or an array of bytes", e->name);
        return;
    }
    e->p = j->p;
    if (cuzk_json_skip(j)) {
        e->n = (size_t)(j->p - e->p);
        e->payload = kind == CUZK_JSON_OBJECT ? C1_PAYLOAD_OBJECT : C1_PAYLOAD_BYTES;
    }
}

static bool digits(uint64_t *out, const char *p, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i] < '0' || p[i] > '9' || v > (UINT64_MAX - (uint64_t)(p[i] - '0')) / 10) {
            return false;
        }
        v = 10 * v + (uint64_t)(p[i] - '0');
    }
    *out = v;
    return n > 0;
}

/* A number, or one in quotes. */
static void read_number(cuzk_json *j, uint64_t *out, bool is_miner, const char *name)
{
    char text[32];
    if (cuzk_json_peek(j) != CUZK_JSON_STRING) {
        (void)cuzk_json_u64(j, out);
        return;
    }
    if (!cuzk_json_string_copy(j, text, sizeof(text))) {
        return;
    }
    if (is_miner ? !cuzk_miner_parse(out, text) : !digits(out, text, strlen(text))) {
        (void)cuzk_json_fail(j,
                             is_miner ? "%s \"%s\" is no actor id, and no f0 address"
                                      : "%s \"%s\" is not a number",
                             name, text);
    }
}

/* An array of 32 numbers, 64 hexadecimal digits, or base64. */
static void read_prover(cuzk_json *j, cuzk_node *out, const char *name)
{
    char text[80];
    uint8_t raw[60];
    size_t n = 0;
    if (cuzk_json_peek(j) == CUZK_JSON_ARRAY) {
        (void)cuzk_json_u8_array(j, out->b, sizeof(out->b));
        return;
    }
    if (!cuzk_json_string_copy(j, text, sizeof(text))) {
        return;
    }
    if (cuzk_hex_decode(out->b, sizeof(out->b), text, strlen(text))) {
        return;
    }
    if (strlen(text) != 44 || !cuzk_base64_decode(raw, &n, text, 44) || n != sizeof(out->b)) {
        (void)cuzk_json_fail(j, "%s is 32 bytes: numbers, hexadecimal digits or base64", name);
        return;
    }
    memcpy(out->b, raw, sizeof(out->b));
}

bool c1_envelope_field(cuzk_json *j, const cuzk_json_str *key, c1_envelope *e)
{
    const char *name = NULL;
    const int m = member_of(key, &name);
    if (m < 0) {
        return false;
    }
    if ((e->seen & (uint64_t)1 << m) != 0) {
        (void)cuzk_json_fail(j, "%s is said twice", name);
        return true;
    }
    e->seen |= (uint64_t)1 << m;
    switch (m) {
    case M_PAYLOAD:
        e->name = name;
        read_payload(j, e);
        break;
    case M_NUMBER:
        read_number(j, &e->number, false, name);
        e->has_number = true;
        break;
    case M_SIZE:
        read_number(j, &e->size, false, name);
        e->has_size = true;
        break;
    case M_PROVER:
        read_prover(j, &e->prover_id, name);
        e->has_prover = true;
        break;
    default:
        read_number(j, &e->miner, true, name);
        e->has_miner = true;
        break;
    }
    return true;
}

static cuzk_status open_string(uint8_t *out, size_t *n, const c1_envelope *e, cuzk_err *err)
{
    /* The decoded text is not longer than the string, and base64 is decoded in place. */
    if (!cuzk_json_str_decode(&e->text, (char *)out, e->text.n, n)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "C1: %s is not valid text", e->name);
    }
    size_t blanks = 0;
    while (blanks < *n && (out[blanks] == ' ' || out[blanks] == '\n')) {
        blanks++;
    }
    if (blanks < *n && out[blanks] == '{') {
        return CUZK_OK;
    }
    if (!cuzk_base64_decode_text(out, n, (const char *)out, *n)) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "C1: %s is not base64", e->name);
    }
    return CUZK_OK;
}

static cuzk_status open_bytes(uint8_t *out, size_t max, size_t *n, const c1_envelope *e,
                              cuzk_err *err)
{
    cuzk_json j;
    cuzk_json_init(&j, e->p, e->n, 1);
    (void)cuzk_json_u8_array_max(&j, out, max, n);
    (void)cuzk_json_end(&j);
    return j.failed ? CUZK_FAIL(err, CUZK_E_FORMAT, "C1: %s is not an array of bytes", e->name)
                    : CUZK_OK;
}

cuzk_status c1_envelope_open(const uint8_t **out, size_t *n, uint8_t **owned, const c1_envelope *e,
                             cuzk_err *err)
{
    *owned = NULL;
    if (e->payload == C1_PAYLOAD_OBJECT) {
        *out = e->p;
        *n = e->n;
        return CUZK_OK;
    }
    /* An array spends two characters on a byte, at least. */
    const size_t max = e->payload == C1_PAYLOAD_STRING ? e->text.n : e->n / 2 + 1;
    uint8_t *b = cuzk_alloc(max + 1, 1);
    if (b == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "C1: out of memory for %s of %zu bytes", e->name, max);
    }
    const cuzk_status st =
        e->payload == C1_PAYLOAD_STRING ? open_string(b, n, e, err) : open_bytes(b, max, n, e, err);
    if (st != CUZK_OK) {
        cuzk_free(b);
        return st;
    }
    *out = b;
    *owned = b;
    return CUZK_OK;
}

cuzk_status c1_envelope_apply(cuzk_porep_input *in, const c1_envelope *e, cuzk_err *err)
{
    cuzk_node prover_id = {{0}};
    if (e->has_size && e->size != in->type.sector_bytes) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "C1: SectorSize of the envelope is %llu, the proof is for %llu bytes",
                         (unsigned long long)e->size, (unsigned long long)in->type.sector_bytes);
    }
    if (e->has_miner) {
        cuzk_prover_id_of_miner(&prover_id, e->miner);
        if (e->has_prover && memcmp(&prover_id, &e->prover_id, sizeof(prover_id)) != 0) {
            return CUZK_FAIL(err, CUZK_E_INVALID,
                             "C1: prover_id of the envelope is not that of its miner %llu",
                             (unsigned long long)e->miner);
        }
    } else if (e->has_prover) {
        prover_id = e->prover_id;
    }
    in->has_prover_id = e->has_miner || e->has_prover;
    if (in->has_prover_id) {
        in->prover_id = prover_id;
    }
    in->has_sector_number = e->has_number;
    in->sector_number = e->number;
    return CUZK_OK;
}
