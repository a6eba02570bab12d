/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A list of sectors as a request of kind CUZK_JOB_AGGREGATE. */
#include "base/alloc.h"
#include "engine/sector_record.h"
#include "prover/aggregate/aggregate_sectors.h"
#include "sys/file.h"

#include "remote.h"

/* Records one after another into block; each sector has `each` bytes of proofs. */
static void write_records(uint8_t *block, cuzk_bytes *records, const cuzk_agg_sector_list *l,
                          size_t each)
{
    const size_t n = CUZK_SECTOR_RECORD_HEAD + each;
    for (size_t i = 0; i < l->n; i++) {
        const cuzk_agg_sector *s = &l->entries[i];
        const cuzk_sector_record r = {.miner = s->miner,
                                      .sector = s->number,
                                      .comm_r = (const uint8_t *)&s->comm_r,
                                      .comm_d = (const uint8_t *)&s->comm_d,
                                      .ticket = (const uint8_t *)&s->ticket,
                                      .seed = (const uint8_t *)&s->seed,
                                      .proof = {l->proofs + i * each, each}};
        cuzk_sector_record_write(block + i * n, &r);
        records[i] = (cuzk_bytes){block + i * n, n};
    }
}

static cuzk_status take_list(app *a, remote_job *j, const cuzk_agg_sector_list *l, uint8_t **block,
                             cuzk_bytes **records)
{
    static const uint8_t any_count[] = {CUZK_AGGREGATE_ANY_COUNT};
    if (l->proofs == NULL || l->n_proof_bytes % l->n != 0) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "%s: %s", j->sectors,
                         l->proofs == NULL ? "the sectors have no proofs"
                                           : "the proofs of the sectors differ in length");
    }
    const size_t each = l->n_proof_bytes / l->n;
    *block = cuzk_alloc(l->n, CUZK_SECTOR_RECORD_HEAD + each);
    *records = cuzk_alloc(l->n, sizeof(**records));
    if (*block == NULL || *records == NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "out of memory for %zu sectors", l->n);
    }
    write_records(*block, *records, l, each);
    j->request.registered_proof = l->sectors[0].type.number;
    j->request.vanilla_proof = (cuzk_bytes){any_count, j->any_count ? 1 : 0};
    j->request.vanilla_proofs = *records;
    j->request.n_vanilla_proofs = l->n;
    return CUZK_OK;
}

cuzk_status remote_aggregate_load(app *a, remote_job *j, uint8_t **block, cuzk_bytes **records)
{
    cuzk_content c;
    cuzk_agg_sector_list l;
    CUZK_TRY(cuzk_content_read(&c, j->sectors, CUZK_CONTENT_INPUT, &a->err));
    cuzk_err inner = {.msg = ""};
    cuzk_status st = cuzk_agg_sector_list_parse(&l, c.data, c.size, &inner);
    if (st != CUZK_OK) {
        st = CUZK_FAIL(&a->err, st, "%s: %s", j->sectors, inner.msg);
    } else {
        st = take_list(a, j, &l, block, records);
        cuzk_agg_sector_list_free(&l);
    }
    cuzk_content_free(&c);
    return st;
}
