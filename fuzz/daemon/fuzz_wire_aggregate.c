/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: base rpc */
/*
 * Requests for aggregates from anybody. What the reader accepts lies in the job's block; written again and
 * read again it is the same job. The same bytes as a request to verify an aggregate.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "engine/sector_record.h"
#include "rpc/wire/rpc_aggregate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool inside(cuzk_bytes b, const cuzk_rpc_job *job)
{
    return b.size == 0 || (b.data >= job->message && b.size <= job->message_len &&
                           b.data + b.size <= job->message + job->message_len);
}

static bool same(cuzk_bytes a, cuzk_bytes b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static void check(const cuzk_rpc_job *j)
{
    const cuzk_job_request *q = &j->request;
    CUZK_ASSERT(q->kind == CUZK_JOB_AGGREGATE && q->n_vanilla_proofs != 0);
    CUZK_ASSERT(inside(q->request_id, j) && inside(q->vanilla_proof, j));
    for (size_t i = 0; i < q->n_vanilla_proofs; i++) {
        cuzk_sector_record r;
        cuzk_err err;
        CUZK_ASSERT(inside(q->vanilla_proofs[i], j));
        CUZK_ASSERT(cuzk_sector_record_read(&r, q->vanilla_proofs[i], &err) == CUZK_OK);
    }
}

static void compare(const cuzk_job_request *a, const cuzk_job_request *b)
{
    CUZK_ASSERT(same(a->request_id, b->request_id) && same(a->vanilla_proof, b->vanilla_proof));
    CUZK_ASSERT(a->registered_proof == b->registered_proof && a->priority == b->priority);
    CUZK_ASSERT(a->n_vanilla_proofs == b->n_vanilla_proofs);
    for (size_t i = 0; i < a->n_vanilla_proofs; i++) {
        CUZK_ASSERT(same(a->vanilla_proofs[i], b->vanilla_proofs[i]));
    }
}

static void job(const uint8_t *data, size_t size, bool wrapped)
{
    cuzk_rpc_job *j = NULL, *again = NULL;
    cuzk_err err;
    cuzk_wire_writer w = {.data = NULL};
    uint8_t *copy = cuzk_alloc(size, 1);
    CUZK_ASSERT(copy != NULL);
    if (size > 0) {
        memcpy(copy, data, size);
    }
    if (cuzk_rpc_aggregate_decode(&j, copy, size, wrapped, &err) != CUZK_OK) {
        return;
    }
    check(j);
    CUZK_ASSERT(cuzk_rpc_put_aggregate(&w, &j->request, &err) == CUZK_OK && !w.nomem);
    CUZK_ASSERT(cuzk_rpc_aggregate_decode(&again, w.data, w.len, false, &err) == CUZK_OK);
    compare(&j->request, &again->request);
    cuzk_rpc_job_free(j);
    cuzk_rpc_job_free(again);
}

/* The same bytes as a request to verify: records without proofs, and the aggregate inside the message. */
static void claim(const uint8_t *data, size_t size)
{
    cuzk_rpc_claim c;
    cuzk_err err;
    if (cuzk_rpc_claim_decode(&c, (cuzk_bytes){data, size}, &err) != CUZK_OK) {
        return;
    }
    const cuzk_job_request *q = &c.job.request;
    CUZK_ASSERT(q->kind == CUZK_JOB_AGGREGATE && q->n_vanilla_proofs != 0);
    CUZK_ASSERT(c.aggregate.size != 0 && c.aggregate.data >= data &&
                c.aggregate.data + c.aggregate.size <= data + size);
    for (size_t i = 0; i < q->n_vanilla_proofs; i++) {
        cuzk_sector_record r;
        CUZK_ASSERT(inside(q->vanilla_proofs[i], &c.job));
        CUZK_ASSERT(cuzk_sector_claim_read(&r, q->vanilla_proofs[i], &err) == CUZK_OK &&
                    r.proof.size == 0);
    }
    cuzk_rpc_claim_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const cuzk_alloc_stats before = cuzk_alloc_get_stats();
    job(data, size, false);
    job(data, size, true);
    claim(data, size);
    CUZK_ASSERT(cuzk_alloc_get_stats().blocks_now == before.blocks_now);
    return 0;
}
