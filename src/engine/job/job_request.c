/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The content hash of a request, and copies that live as long as the job. */
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "engine/engine_internal.h"
#include "hash/sha256.h"

static void hash_u64(cuzk_sha256 *s, uint64_t v)
{
    uint8_t b[8];
    cuzk_store_u64_le(b, v);
    cuzk_sha256_update(s, b, sizeof(b));
}

static void hash_bytes(cuzk_sha256 *s, cuzk_bytes b)
{
    hash_u64(s, b.size);
    if (b.size != 0) {
        cuzk_sha256_update(s, b.data, b.size);
    }
}

void cuzk_job_content(uint8_t out[32], const cuzk_job_request *rq)
{
    cuzk_sha256 s;
    cuzk_sha256_init(&s);
    hash_u64(&s, (uint64_t)rq->kind);
    hash_u64(&s, rq->sector_size);
    hash_u64(&s, rq->registered_proof);
    hash_u64(&s, rq->sector_number);
    hash_u64(&s, rq->miner_id);
    hash_u64(&s, rq->partition_index);
    hash_bytes(&s, rq->randomness);
    hash_bytes(&s, rq->comm_r_old);
    hash_bytes(&s, rq->comm_r_new);
    hash_bytes(&s, rq->comm_d_new);
    hash_bytes(&s, rq->vanilla_proof);
    hash_u64(&s, rq->n_vanilla_proofs);
    for (size_t i = 0; i < rq->n_vanilla_proofs; i++) {
        hash_bytes(&s, rq->vanilla_proofs[i]);
    }
    if (rq->owner.size != 0) {
        hash_bytes(&s, rq->owner);
    }
    cuzk_sha256_final(out, &s);
}

uint64_t cuzk_job_proof_bytes(const cuzk_job_request *rq)
{
    uint64_t n = rq->vanilla_proof.size;
    for (size_t i = 0; i < rq->n_vanilla_proofs; i++) {
        n += rq->vanilla_proofs[i].size;
    }
    return n;
}

static cuzk_bytes put(uint8_t **at, cuzk_bytes b)
{
    const cuzk_bytes copy = {*at, b.size};
    if (b.size != 0) {
        memcpy(*at, b.data, b.size);
    }
    *at += b.size;
    return copy;
}

static void free_block(void *arg)
{
    cuzk_free(arg);
}

/* Copies the proofs into a block of our own. */
static cuzk_status copy_proofs(job *j, cuzk_bytes *views, cuzk_err *err)
{
    uint8_t *at = cuzk_alloc((size_t)j->block_bytes, 1);
    if (at == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a request of %llu bytes",
                         (unsigned long long)j->block_bytes);
    }
    j->block = (cuzk_owned_block){at, (size_t)j->block_bytes, free_block};
    j->has_block = true;
    j->rq.vanilla_proof = put(&at, j->rq.vanilla_proof);
    for (size_t i = 0; i < j->rq.n_vanilla_proofs; i++) {
        views[i] = put(&at, views[i]);
    }
    return CUZK_OK;
}

cuzk_status cuzk_job_take_request(job *j, const cuzk_job_request *rq, const cuzk_owned_block *block,
                                  cuzk_err *err)
{
    const size_t n_views = rq->n_vanilla_proofs;
    const size_t small = rq->owner.size + rq->request_id.size + rq->randomness.size +
                         rq->comm_r_old.size + rq->comm_r_new.size + rq->comm_d_new.size;
    size_t views_bytes;
    if (!cuzk_mul_size(&views_bytes, n_views, sizeof(cuzk_bytes)) || views_bytes > SIZE_MAX / 4) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "vanilla_proofs has %zu entries", n_views);
    }
    j->small = cuzk_alloc(views_bytes + small, 1);
    if (j->small == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a request");
    }
    cuzk_bytes *views = (cuzk_bytes *)(void *)j->small; /* blocks are aligned */
    uint8_t *at = j->small + views_bytes;
    j->rq = *rq;
    if (n_views != 0) {
        memcpy(views, rq->vanilla_proofs, views_bytes);
    }
    j->rq.vanilla_proofs = views;
    j->rq.request_id = put(&at, rq->request_id);
    j->rq.owner = put(&at, rq->owner);
    j->rq.randomness = put(&at, rq->randomness);
    j->rq.comm_r_old = put(&at, rq->comm_r_old);
    j->rq.comm_r_new = put(&at, rq->comm_r_new);
    j->rq.comm_d_new = put(&at, rq->comm_d_new);
    j->block_bytes = cuzk_job_proof_bytes(rq);
    cuzk_status st = CUZK_OK;
    if (block != NULL) {
        j->block = *block;
        j->has_block = true;
        j->block_bytes = block->bytes > j->block_bytes ? block->bytes : j->block_bytes;
    } else {
        st = copy_proofs(j, views, err);
    }
    if (st != CUZK_OK) {
        cuzk_free(j->small);
        j->small = NULL;
    }
    return st;
}

void cuzk_job_drop_block(job *j)
{
    if (j->has_block) {
        j->has_block = false;
        if (j->block.release != NULL) {
            j->block.release(j->block.arg);
        }
    }
}
