/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: base rpc rpc_proto */
/*
 * Requests from anybody. Whatever our reader accepts stays inside the message, and where libprotobuf-c
 * (an independent decoder) accepts the same bytes, both read the same job out of them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cuzk/v1/proving.pb-c.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "rpc/wire/rpc_messages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool inside(cuzk_bytes b, const cuzk_rpc_job *job)
{
    return b.size == 0 || (b.data >= job->message && b.size <= job->message_len &&
                           b.data + b.size <= job->message + job->message_len);
}

static bool same_bytes(cuzk_bytes a, ProtobufCBinaryData b)
{
    return a.size == b.len && (b.len == 0 || memcmp(a.data, b.data, b.len) == 0);
}

static void compare(const cuzk_job_request *q, const Cuzk__V1__SubmitProofRequest *m)
{
    CUZK_ASSERT((int)q->kind == (int)m->proof_kind);
    CUZK_ASSERT(q->priority == (uint32_t)m->priority);
    CUZK_ASSERT(q->sector_size == m->sector_size && q->registered_proof == m->registered_proof);
    CUZK_ASSERT(q->sector_number == m->sector_number && q->miner_id == m->miner_id);
    CUZK_ASSERT(q->partition_index == m->partition_index);
    CUZK_ASSERT(q->n_vanilla_proofs == m->n_vanilla_proofs);
    for (size_t i = 0; i < m->n_vanilla_proofs; i++) {
        CUZK_ASSERT(same_bytes(q->vanilla_proofs[i], m->vanilla_proofs[i]));
    }
    CUZK_ASSERT(same_bytes(q->vanilla_proof, m->vanilla_proof));
    CUZK_ASSERT(same_bytes(q->randomness, m->randomness));
    CUZK_ASSERT(same_bytes(q->comm_r_old, m->comm_r_old));
    CUZK_ASSERT(same_bytes(q->comm_r_new, m->comm_r_new));
    CUZK_ASSERT(same_bytes(q->comm_d_new, m->comm_d_new));
    const size_t n = strlen(m->request_id); /* cut at a NUL */
    CUZK_ASSERT(n <= q->request_id.size);
    CUZK_ASSERT(n == 0 || memcmp(q->request_id.data, m->request_id, n) == 0);
    CUZK_ASSERT(n == q->request_id.size || q->request_id.data[n] == 0);
}

static void job(const uint8_t *data, size_t size, bool wrapped)
{
    cuzk_rpc_job *j = NULL;
    cuzk_err err;
    uint8_t *copy = cuzk_alloc(size, 1);
    CUZK_ASSERT(copy != NULL);
    if (size > 0) {
        memcpy(copy, data, size);
    }
    if (cuzk_rpc_job_decode(&j, copy, size, wrapped, &err) != CUZK_OK) {
        return;
    }
    CUZK_ASSERT(inside(j->request.vanilla_proof, j) && inside(j->request.request_id, j));
    for (size_t i = 0; i < j->request.n_vanilla_proofs; i++) {
        CUZK_ASSERT(inside(j->request.vanilla_proofs[i], j));
    }
    if (!wrapped) {
        Cuzk__V1__SubmitProofRequest *m = cuzk__v1__submit_proof_request__unpack(NULL, size, data);
        if (m != NULL) {
            compare(&j->request, m);
            cuzk__v1__submit_proof_request__free_unpacked(m, NULL);
        }
    }
    cuzk_rpc_job_free(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[64];
    uint64_t v = 0;
    cuzk_err err;
    const cuzk_bytes all = {data, size};
    const cuzk_alloc_stats before = cuzk_alloc_get_stats();
    job(data, size, false);
    job(data, size, true);
    if (cuzk_rpc_name_decode(name, sizeof(name), &v, all, &err) == CUZK_OK) {
        CUZK_ASSERT(strlen(name) < sizeof(name));
        CUZK_ASSERT(cuzk_rpc_empty_decode(all, &err) == CUZK_OK);
    }
    CUZK_ASSERT(cuzk_alloc_get_stats().blocks_now == before.blocks_now);
    return 0;
}
