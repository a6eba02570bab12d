/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "store_jobs.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

#define PROOF_BYTES 192

/* splitmix64 */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void fill(uint8_t *out, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = (uint8_t)(mix(seed + i / 8) >> (8 * (i % 8)));
    }
}

static cuzk_bytes take(uint8_t **at, size_t n)
{
    const cuzk_bytes b = {*at, n};
    *at += n;
    return b;
}

void job_make(job *out, uint64_t number, bool big)
{
    const size_t vanilla = big ? CUZK_STORE_INLINE_BYTES + (size_t)(number % 7) : number % 900;
    const size_t each = 40 + (size_t)(number % 5), n_proofs = number % (JOB_MAX_PROOFS + 1);
    const size_t total = 5 + 4 * 32 + vanilla + JOB_MAX_PROOFS * each + PROOF_BYTES;
    memset(out, 0, sizeof(*out));
    out->bytes = malloc(total);
    CHECK(out->bytes != NULL);
    fill(out->bytes, total, number * 1000003);
    uint8_t *at = out->bytes;
    cuzk_job_record *r = &out->record;
    (void)snprintf(out->id, sizeof(out->id), "job-%" PRIu64, number);
    r->number = number;
    r->job_id = out->id;
    r->request.request_id = take(&at, number % 6); /* sometimes empty, not text */
    r->request.kind = (cuzk_job_kind)(1 + number % 4);
    r->request.priority = (uint32_t)(number % 5);
    r->request.sector_size = mix(number);
    r->request.registered_proof = mix(number + 1);
    r->request.sector_number = mix(number + 2);
    r->request.miner_id = UINT64_MAX - number;
    r->request.partition_index = (uint32_t)mix(number + 3);
    r->request.randomness = take(&at, 32);
    r->request.comm_r_old = take(&at, (number & 1) != 0 ? 32 : 0);
    r->request.comm_r_new = take(&at, 32);
    r->request.comm_d_new = take(&at, 32);
    r->request.vanilla_proof = take(&at, vanilla);
    for (size_t i = 0; i < n_proofs; i++) {
        out->proofs[i] = take(&at, i == 1 ? 0 : each);
    }
    r->request.vanilla_proofs = out->proofs;
    r->request.n_vanilla_proofs = n_proofs;
    fill(r->content, sizeof(r->content), number / 2); /* two jobs share a content */
    r->accepted_unix_ms = (int64_t)(1764000000000 + number);
    r->deadline_unix_ms = (number & 2) != 0 ? (int64_t)(1764000009999 + number) : 0;
    r->cancel_when_unwatched = (number & 4) != 0;
    r->state = CUZK_JOB_QUEUED;
    r->error = "";
}

void job_free(job *j)
{
    free(j->bytes);
    j->bytes = NULL;
}

static void check_bytes(cuzk_bytes got, cuzk_bytes want)
{
    CHECK_U64(got.size, want.size);
    CHECK(want.size == 0 || memcmp(got.data, want.data, want.size) == 0);
}

static void check_fields(const cuzk_job_record *r, const job *want)
{
    const cuzk_job_request *a = &r->request, *b = &want->record.request;
    CHECK_STR(r->job_id, want->id);
    check_bytes(a->request_id, b->request_id);
    CHECK(a->kind == b->kind && a->priority == b->priority);
    CHECK_U64(a->sector_size, b->sector_size);
    CHECK_U64(a->registered_proof, b->registered_proof);
    CHECK_U64(a->sector_number, b->sector_number);
    CHECK_U64(a->miner_id, b->miner_id);
    CHECK_U64(a->partition_index, b->partition_index);
    CHECK_MEM(r->content, want->record.content, 32);
    CHECK(r->accepted_unix_ms == want->record.accepted_unix_ms);
    CHECK(r->deadline_unix_ms == want->record.deadline_unix_ms);
    CHECK(r->cancel_when_unwatched == want->record.cancel_when_unwatched);
}

void job_check_fields(const cuzk_job_record *r)
{
    job want;
    job_make(&want, r->number, false);
    check_fields(r, &want);
    job_free(&want);
}

void job_check(const cuzk_job_record *r, bool big)
{
    job want;
    job_make(&want, r->number, big);
    const cuzk_job_request *a = &r->request, *b = &want.record.request;
    check_fields(r, &want);
    check_bytes(a->randomness, b->randomness);
    check_bytes(a->comm_r_old, b->comm_r_old);
    check_bytes(a->comm_r_new, b->comm_r_new);
    check_bytes(a->comm_d_new, b->comm_d_new);
    check_bytes(a->vanilla_proof, b->vanilla_proof);
    CHECK_U64(a->n_vanilla_proofs, b->n_vanilla_proofs);
    for (size_t i = 0; i < b->n_vanilla_proofs; i++) {
        check_bytes(a->vanilla_proofs[i], b->vanilla_proofs[i]);
    }
    job_free(&want);
}

void job_complete(job *j)
{
    cuzk_job_record *r = &j->record;
    r->state = CUZK_JOB_COMPLETED;
    r->code = CUZK_OK;
    r->ended_unix_ms = r->accepted_unix_ms + 5;
    r->proof.data = j->bytes; /* any bytes of the job's */
    r->proof.size = 100 + (size_t)(r->number % 20);
    r->queue_wait_ms = r->number + 1;
    r->srs_load_ms = r->number + 2;
    r->synthesis_ms = r->number + 3;
    r->gpu_compute_ms = r->number + 4;
    r->total_ms = r->number + 5;
}

void job_check_completed(const cuzk_job_record *r)
{
    job want;
    job_make(&want, r->number, false);
    job_complete(&want);
    CHECK(r->state == CUZK_JOB_COMPLETED);
    CHECK(r->code == CUZK_OK);
    CHECK_STR(r->error, "");
    CHECK(r->ended_unix_ms == want.record.ended_unix_ms);
    check_bytes(r->proof, want.record.proof);
    CHECK_U64(r->queue_wait_ms, want.record.queue_wait_ms);
    CHECK_U64(r->srs_load_ms, want.record.srs_load_ms);
    CHECK_U64(r->synthesis_ms, want.record.synthesis_ms);
    CHECK_U64(r->gpu_compute_ms, want.record.gpu_compute_ms);
    CHECK_U64(r->total_ms, want.record.total_ms);
    job_free(&want);
}
