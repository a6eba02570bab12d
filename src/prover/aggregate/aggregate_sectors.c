/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/aggregate/aggregate_sectors.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/text/json.h"
#include "prover/aggregate/filecoin_aggregate.h"
#include "prover/prove/filecoin_input.h"

typedef struct reader {
    cuzk_json j;
    cuzk_agg_sector_list *out;
    cuzk_seal_type type;
    uint64_t miner;
    cuzk_agg_sector *list; /* [cap] */
    size_t n, cap;
    size_t proof_cap;
    cuzk_err *err;
    bool no_memory;
} reader;

static bool read_node(cuzk_json *j, cuzk_node *out)
{
    cuzk_json_str s;
    if (!cuzk_json_string(j, &s)) {
        return false;
    }
    return cuzk_hex_decode((uint8_t *)out, sizeof(*out), s.p, s.n) ||
           cuzk_json_fail(j, "expected 64 hex digits");
}

/* Appends; the text bounds how much there can be. */
static bool read_proof(reader *r)
{
    cuzk_json_str s;
    if (!cuzk_json_string(&r->j, &s)) {
        return false;
    }
    const size_t n = s.n / 2, need = r->out->n_proof_bytes + n;
    if (s.n % 2 != 0 || n == 0) {
        return cuzk_json_fail(&r->j, "expected the hex digits of a proof");
    }
    if (need > r->proof_cap) {
        uint8_t *more = cuzk_realloc(r->out->proofs, 2 * need, 1);
        if (more == NULL) {
            r->no_memory = true;
            return cuzk_json_fail(&r->j, "out of memory");
        }
        r->out->proofs = more;
        r->proof_cap = 2 * need;
    }
    if (!cuzk_hex_decode(r->out->proofs + r->out->n_proof_bytes, n, s.p, s.n)) {
        return cuzk_json_fail(&r->j, "expected the hex digits of a proof");
    }
    r->out->n_proof_bytes = need;
    return true;
}

static void read_sector(reader *r, cuzk_agg_sector *out)
{
    static const char *const names[] = {"sector", "comm_r", "comm_d", "ticket",
                                        "seed",   "proof",  "miner"};
    cuzk_json_str key;
    uint64_t seen = 0;
    cuzk_json_begin_object(&r->j);
    while (cuzk_json_next_key(&r->j, &key)) {
        switch (cuzk_json_field(&r->j, &key, names, 7, &seen)) {
        case 0: cuzk_json_u64(&r->j, &out->number); break;
        case 1: read_node(&r->j, &out->comm_r); break;
        case 2: read_node(&r->j, &out->comm_d); break;
        case 3: read_node(&r->j, &out->ticket); break;
        case 4: out->has_seed = read_node(&r->j, &out->seed); break;
        case 5: out->has_proof = read_proof(r); break;
        case 6: out->has_miner = cuzk_json_u64(&r->j, &out->miner); break;
        default: cuzk_json_fail(&r->j, "unknown field"); break;
        }
    }
    cuzk_json_require(&r->j, names, 4, seen);
}

static void read_sectors(reader *r)
{
    cuzk_json_begin_array(&r->j);
    while (cuzk_json_next(&r->j)) {
        if (r->n == CUZK_AGG_MAX_PROOFS) {
            cuzk_json_fail(&r->j, "more than %zu sectors", CUZK_AGG_MAX_PROOFS);
            return;
        }
        if (r->n == r->cap) {
            const size_t cap = r->cap == 0 ? 16 : 2 * r->cap;
            cuzk_agg_sector *more = cuzk_realloc(r->list, cap, sizeof(*more));
            if (more == NULL) {
                r->no_memory = true;
                cuzk_json_fail(&r->j, "out of memory");
                return;
            }
            r->list = more;
            r->cap = cap;
        }
        memset(&r->list[r->n], 0, sizeof(r->list[r->n]));
        read_sector(r, &r->list[r->n]);
        r->n++;
    }
}

/* The type by its number or its name. */
static void read_type(reader *r)
{
    cuzk_json_str s;
    uint64_t number = 0;
    cuzk_status st = CUZK_OK;
    if (cuzk_json_peek(&r->j) == CUZK_JSON_STRING) {
        if (cuzk_json_string(&r->j, &s)) {
            st = cuzk_seal_type_parse(&r->type, s.p, s.n, NULL);
        }
    } else if (cuzk_json_u64(&r->j, &number)) {
        st = cuzk_seal_type_of(&r->type, number, NULL);
    }
    if (st != CUZK_OK) {
        cuzk_json_fail(&r->j, "no registered seal proof has this number or name");
    }
}

static void read_all(reader *r)
{
    static const char *const names[] = {"registered_proof", "miner", "sectors"};
    cuzk_json_str key;
    uint64_t seen = 0;
    cuzk_json_begin_object(&r->j);
    while (cuzk_json_next_key(&r->j, &key)) {
        switch (cuzk_json_field(&r->j, &key, names, 3, &seen)) {
        case 0: read_type(r); break;
        case 1: cuzk_json_u64(&r->j, &r->miner); break;
        case 2: read_sectors(r); break;
        default: cuzk_json_fail(&r->j, "unknown field"); break;
        }
    }
    cuzk_json_require(&r->j, names, 3, seen);
    cuzk_json_end(&r->j);
}

static cuzk_status check_sectors(const reader *r)
{
    for (size_t i = 0; i < r->n; i++) {
        if (!r->list[i].has_seed && r->type.feature != CUZK_SEAL_NON_INTERACTIVE) {
            return CUZK_FAIL(r->err, CUZK_E_FORMAT, "sectors: entry %zu has no seed", i);
        }
        if (r->list[i].has_proof != r->list[0].has_proof) {
            return CUZK_FAIL(r->err, CUZK_E_FORMAT,
                             "sectors: entry %zu %s a proof, entry 0 %s: all have one, or none", i,
                             r->list[i].has_proof ? "has" : "lacks",
                             r->list[0].has_proof ? "has" : "lacks");
        }
    }
    return CUZK_OK;
}

static cuzk_status make_statements(reader *r)
{
    cuzk_porep_statement *out = cuzk_alloc(r->n, sizeof(*out));
    cuzk_node porep_id, prover_id;
    if (out == NULL) {
        return CUZK_FAIL(r->err, CUZK_E_NOMEM, "no memory for %zu sectors", r->n);
    }
    cuzk_porep_id(&porep_id, r->type.number);
    for (size_t i = 0; i < r->n; i++) {
        cuzk_agg_sector *s = &r->list[i];
        out[i].type = r->type;
        out[i].comm_r = s->comm_r;
        out[i].comm_d = s->comm_d;
        out[i].seed = s->seed;
        s->miner = s->has_miner ? s->miner : r->miner;
        cuzk_prover_id_of_miner(&prover_id, s->miner);
        cuzk_replica_id(&out[i].replica_id, &prover_id, s->number, &s->ticket, &s->comm_d,
                        &porep_id);
    }
    r->out->sectors = out;
    r->out->n = r->n;
    return CUZK_OK;
}

cuzk_status cuzk_agg_sector_list_parse(cuzk_agg_sector_list *out, const void *data, size_t n,
                                       cuzk_err *err)
{
    reader r = {.out = out, .err = err};
    memset(out, 0, sizeof(*out));
    cuzk_json_init(&r.j, data, n, 8);
    read_all(&r);
    cuzk_status st = r.no_memory
                         ? CUZK_FAIL(err, CUZK_E_NOMEM, "%s", "no memory for the list of sectors")
                         : cuzk_json_status(&r.j, "sectors", err);
    if (st == CUZK_OK && r.n == 0) {
        st = CUZK_FAIL(err, CUZK_E_FORMAT, "%s", "sectors: the list is empty");
    }
    if (st == CUZK_OK) {
        st = check_sectors(&r);
    }
    if (st == CUZK_OK) {
        st = make_statements(&r);
    }
    out->entries = r.list;
    if (st != CUZK_OK) {
        cuzk_agg_sector_list_free(out);
    }
    return st;
}

void cuzk_agg_sector_list_free(cuzk_agg_sector_list *l)
{
    cuzk_free(l->sectors);
    cuzk_free(l->entries);
    cuzk_free(l->proofs);
    memset(l, 0, sizeof(*l));
}
