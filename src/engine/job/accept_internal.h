/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_ACCEPT_INTERNAL_H
#define CUZK_ENGINE_ACCEPT_INTERNAL_H

/* How jobs get in, shared by those who let them. */
#include "engine/engine_internal.h"

int64_t cuzk_engine_unix_ms(void);
/** A job of a request, in no table; the block is its. One pin. No lock needed. */
CUZK_NODISCARD cuzk_status cuzk_job_new(job **out, const cuzk_job_request *rq,
                                        const cuzk_owned_block *block, const uint8_t content[32],
                                        cuzk_err *err);
/**
 * A job for a request: a new one, or an equal one. On success *out has one pin, and the block is
 * taken: by the job, or released because an equal job was joined. Releases the lock meanwhile.
 */
LOCKED CUZK_NODISCARD cuzk_status cuzk_job_accept(cuzk_engine *e, const cuzk_job_request *rq,
                                                  const cuzk_owned_block *block, job **out,
                                                  cuzk_err *err);
/** With the lock: proofs stay in memory while there is room, else they are the store's only. */
LOCKED bool cuzk_job_keep_block(cuzk_engine *e, job *j);
/** With the lock: queues what the store has. */
LOCKED void cuzk_job_enqueue(cuzk_engine *e, job *j);

/* stored_job.c; no lock needed */
/** A completed equal job that only the store still has, with one pin; NULL when there is none. */
CUZK_NODISCARD cuzk_status cuzk_job_find_stored(cuzk_engine *e, const uint8_t content[32],
                                                cuzk_bytes request_id, job **out, cuzk_err *err);
/**
 * An ended job that only the store still has, with one pin; *out NULL and CUZK_OK: the store has the job, and
 * it is not over there. E_NOT_FOUND.
 */
CUZK_NODISCARD cuzk_status cuzk_job_find_stored_id(cuzk_engine *e, const char *id, job **out,
                                                   cuzk_err *err);
/** A job with other content has this id in the store. */
bool cuzk_job_id_is_taken(cuzk_engine *e, const job *j, const char *id);

#endif /* CUZK_ENGINE_ACCEPT_INTERNAL_H */
