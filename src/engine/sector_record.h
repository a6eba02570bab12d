/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_SECTOR_RECORD_H
#define CUZK_ENGINE_SECTOR_RECORD_H

/*
 * What a request of kind CUZK_JOB_AGGREGATE carries, as the engine and the job store keep it:
 * vanilla_proofs has one record per sector, in the order of the aggregate; vanilla_proof is empty or one
 * byte of options; registered_proof is the type of all sectors.
 *
 * A record: miner and sector number as u64 little-endian; comm_r, comm_d, ticket, seed of 32 bytes
 * each; then the proofs of all partitions.
 */
#include "engine/engine.h"

#define CUZK_SECTOR_RECORD_HEAD  ((size_t)(2 * 8 + 4 * 32)) /* bytes before the proofs */

/** Options: also a number of sectors that the chain does not take in one aggregate. */
#define CUZK_AGGREGATE_ANY_COUNT 1u

typedef struct cuzk_sector_record {
    uint64_t miner, sector;
    const uint8_t *comm_r, *comm_d, *ticket, *seed; /* [32]; in the record */
    cuzk_bytes proof;                               /* in the record; not empty */
} cuzk_sector_record;

/** out [CUZK_SECTOR_RECORD_HEAD + r->proof.size] */
void cuzk_sector_record_write(uint8_t *out, const cuzk_sector_record *r);
/** Views into b. E_FORMAT: shorter than a record with a proof. */
CUZK_NODISCARD cuzk_status cuzk_sector_record_read(cuzk_sector_record *out, cuzk_bytes b,
                                                   cuzk_err *err);
/** The same of a record whose proof may be empty: what is claimed of a sector. E_FORMAT: shorter than its head. */
CUZK_NODISCARD cuzk_status cuzk_sector_claim_read(cuzk_sector_record *out, cuzk_bytes b,
                                                  cuzk_err *err);
/** Options of a request. E_INVALID: a bit that means nothing, or more than one byte. */
CUZK_NODISCARD cuzk_status cuzk_aggregate_options(uint8_t *out, const cuzk_job_request *rq,
                                                  cuzk_err *err);

#endif /* CUZK_ENGINE_SECTOR_RECORD_H */
