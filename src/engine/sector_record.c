/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engine/sector_record.h"

#include <string.h>

#include "base/bytes.h"
#include "base/reader.h"

void cuzk_sector_record_write(uint8_t *out, const cuzk_sector_record *r)
{
    const uint8_t *const fields[] = {r->comm_r, r->comm_d, r->ticket, r->seed};
    cuzk_store_u64_le(out, r->miner);
    cuzk_store_u64_le(out + 8, r->sector);
    for (size_t i = 0; i < 4; i++) {
        memcpy(out + 16 + 32 * i, fields[i], 32);
    }
    if (r->proof.size != 0) {
        memcpy(out + CUZK_SECTOR_RECORD_HEAD, r->proof.data, r->proof.size);
    }
}

cuzk_status cuzk_sector_claim_read(cuzk_sector_record *out, cuzk_bytes b, cuzk_err *err)
{
    if (b.size < CUZK_SECTOR_RECORD_HEAD) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "a record of a sector has %zu bytes, fewer than %zu",
                         b.size, CUZK_SECTOR_RECORD_HEAD);
    }
    *out = (cuzk_sector_record){
        .miner = cuzk_load_u64_le(b.data),
        .sector = cuzk_load_u64_le(b.data + 8),
        .comm_r = b.data + 16,
        .comm_d = b.data + 48,
        .ticket = b.data + 80,
        .seed = b.data + 112,
        .proof = {b.data + CUZK_SECTOR_RECORD_HEAD, b.size - CUZK_SECTOR_RECORD_HEAD}};
    return CUZK_OK;
}

cuzk_status cuzk_sector_record_read(cuzk_sector_record *out, cuzk_bytes b, cuzk_err *err)
{
    if (b.size <= CUZK_SECTOR_RECORD_HEAD) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "a record of a sector has %zu bytes, and no proof",
                         b.size);
    }
    return cuzk_sector_claim_read(out, b, err);
}

cuzk_status cuzk_aggregate_options(uint8_t *out, const cuzk_job_request *rq, cuzk_err *err)
{
    const cuzk_bytes b = rq->vanilla_proof;
    const uint8_t options = b.size != 0 ? b.data[0] : 0;
    if (b.size > 1 || (options & ~CUZK_AGGREGATE_ANY_COUNT) != 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "unknown options of an aggregate");
    }
    *out = options;
    return CUZK_OK;
}
