/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ENGINE_ACCEPT_INTERNAL_H
#define CUZK_ENGINE_ACCEPT_INTERNAL_H

/* Functions for accepting jobs, shared by the files that do so. */
#include "engine/engine_internal.h"

int64_t cuzk_engine_unix_ms(void);
/** Makes a job of a request. The job is in no table, owns the block, and has one pin. No lock needed. */
CUZK_NODISCARD cuzk_status cuzk_job_new(job **out, const cuzk_job_request *rq,
                                        const cuzk_owned_block *block, const uint8_t content[32],
                                        cuzk_err *err);
/**
 * Makes a job for a request, or finds an equal one. On success *out has one pin, and the block is taken: by the new
 * job, or released because the request joined an equal job. Releases the lock meanwhile.
 */
LOCKED CUZK_NODISCARD cuzk_status cuzk_job_accept(cuzk_engine *e, const cuzk_job_request *rq,
                                                  const cuzk_owned_block *block, job **out,
                                                  cuzk_err *err);
/** With the lock: keeps the proofs in memory while there is room; otherwise only the store has them. */
LOCKED bool cuzk_job_keep_block(engine_memory *memory, job *j);
/** With the lock: queues the jobs that are in the store. */
LOCKED void cuzk_job_enqueue(cuzk_engine *e, job *j);

/** Converts a time of the wall clock into the job's deadline; 0: no deadline. */
void cuzk_job_set_deadline(job *j, int64_t deadline_unix_ms);

/* restore.c */
/** Queues an unfinished job of the store. */
CUZK_NODISCARD cuzk_status cuzk_job_restore(cuzk_engine *e, const cuzk_job_record *r,
                                            cuzk_err *err);
LOCKED CUZK_NODISCARD cuzk_status cuzk_engine_reserve_queues(job_queues *queues, uint32_t n,
                                                             cuzk_err *err);

/* shared_queue.c */
/** Handles a job that was put into a shared queue and that this engine does not have. Releases the lock meanwhile. */
LOCKED void cuzk_shared_leave(cuzk_engine *e, job *j);
/**
 * Enters a job of the store that has not ended into the tables, unless it is there already. Takes ownership of found,
 * which has one pin. No lock needed.
 */
job *cuzk_shared_adopt(cuzk_engine *e, job *found);
/**
 * With a shared queue: called before the work on a job begins. E_CANCELLED: a caller cancelled it; any other failure:
 * the engine gives the job up. Releases the lock meanwhile.
 */
LOCKED CUZK_NODISCARD cuzk_status cuzk_shared_start(cuzk_engine *e, job *j, cuzk_err *err);
/** Called in place of an end when another daemon has j, or no daemon. The job's waiters stay. */
LOCKED void cuzk_shared_give_up(cuzk_engine *e, job *j);
/** The oldest is forgotten. */
void cuzk_shared_refuse(refusals *f, uint64_t number);

/* shared_part.c */
/**
 * Opens the partitions of a parsed job for other daemons. Releases the lock meanwhile. When this fails, this engine
 * proves all of them.
 */
LOCKED void cuzk_part_open(cuzk_engine *e, job *j);
/**
 * The same before the job is parsed, if the request states the number of partitions, so that other daemons can parse
 * at the same time.
 */
LOCKED void cuzk_part_open_early(cuzk_engine *e, job *j);
/** Starts the partitions of a task that has been parsed. */
LOCKED void cuzk_part_begin(job *j);
/** Notes that a partition has come to a device: the next one may be taken. */
LOCKED void cuzk_part_moved(const cuzk_job_store *store, const job *j);
/** Notes that a partition has been proved and verified. */
LOCKED void cuzk_part_proved(cuzk_engine *e, job *j, job_partition *p);
/** Sends proofs, takes partitions, and claims tasks when a place is idle. Releases the lock meanwhile. */
LOCKED CUZK_NODISCARD cuzk_status cuzk_part_round(cuzk_engine *e, cuzk_err *err);
/** Ends a task; called in place of the end of a job. Releases the lock meanwhile. */
LOCKED void cuzk_part_end(cuzk_engine *e, job *j);

/* shared_room.c */
/** How many jobs to claim now. */
LOCKED uint32_t cuzk_shared_room(const cuzk_engine *e);
/** True when a place for a job is idle. */
LOCKED bool cuzk_shared_has_idle_place(const cuzk_engine *e);
/** True when a job that has just been accepted could start without waiting for another job. */
LOCKED bool cuzk_shared_starts_at_once(const cuzk_engine *e);
/** Tells the queue what this engine can do. */
LOCKED void cuzk_shared_report(const cuzk_engine *e);

/** Answers callers that wait for jobs of other daemons, so that they ask another daemon. */
LOCKED void cuzk_shared_tell_stopping(cuzk_engine *e);

/* stored_job.c; no lock needed */
/** A job by number as the shared queue has it, in no table, with one pin. E_NOT_FOUND. */
CUZK_NODISCARD cuzk_status cuzk_job_get_stored(const cuzk_job_store *store, uint64_t number,
                                               job **out, cuzk_err *err);
/** Finds a completed equal job that only the store still has: one pin, or NULL. */
CUZK_NODISCARD cuzk_status cuzk_job_find_stored(cuzk_engine *e, const uint8_t content[32],
                                                cuzk_bytes request_id, job **out, cuzk_err *err);
/**
 * An ended job that only the store still has, with one pin; *out NULL and CUZK_OK: the store has the job, and
 * it is not over there. E_NOT_FOUND.
 */
CUZK_NODISCARD cuzk_status cuzk_job_find_stored_id(cuzk_engine *e, const char *id, job **out,
                                                   cuzk_err *err);
/** True when a job with other content has this id in the store. */
bool cuzk_job_id_is_taken(const cuzk_job_store *store, const job *j, const char *id);

#endif /* CUZK_ENGINE_ACCEPT_INTERNAL_H */
