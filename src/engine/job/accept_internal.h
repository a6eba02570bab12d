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
LOCKED bool cuzk_job_keep_block(engine_memory *memory, job *j);
/** With the lock: queues the jobs that are in the store. */
LOCKED void cuzk_job_enqueue(cuzk_engine *e, job *j);

/** A time of the wall clock, as the job's deadline; 0: none. */
void cuzk_job_set_deadline(job *j, int64_t deadline_unix_ms);

/* restore.c */
/** Takes up a job of the store. */
CUZK_NODISCARD cuzk_status cuzk_job_restore(cuzk_engine *e, const cuzk_job_record *r,
                                            cuzk_err *err);
LOCKED CUZK_NODISCARD cuzk_status cuzk_engine_reserve_queues(job_queues *queues, uint32_t n,
                                                             cuzk_err *err);

/* shared_queue.c */
/** A job that was put into a shared queue, and is not this engine's. Releases the lock meanwhile. */
LOCKED void cuzk_shared_leave(cuzk_engine *e, job *j);
/** A job that is not over, as the store has it: into the tables, unless it is there. Takes found; one pin. No lock. */
job *cuzk_shared_adopt(cuzk_engine *e, job *found);
/** With a shared queue, before the work on a job begins. E_CANCELLED; else the job is given up. Releases the lock meanwhile. */
LOCKED CUZK_NODISCARD cuzk_status cuzk_shared_start(cuzk_engine *e, job *j, cuzk_err *err);
/** In place of an end: j is another daemon's or nobody's. Its waiters wait on. */
LOCKED void cuzk_shared_give_up(cuzk_engine *e, job *j);
/** The oldest is forgotten. */
void cuzk_shared_refuse(refusals *f, uint64_t number);

/* shared_part.c */
/** A job that has been parsed, and whose partitions other daemons may prove. Releases the lock meanwhile; when this fails, all are proved here. */
LOCKED void cuzk_part_open(cuzk_engine *e, job *j);
/** Before the job is parsed, where the request says the number of partitions: other daemons parse meanwhile. */
LOCKED void cuzk_part_open_early(cuzk_engine *e, job *j);
/** The partitions of a task that has been parsed. */
LOCKED void cuzk_part_begin(job *j);
/** A partition has come to a device: the next one may be taken. */
LOCKED void cuzk_part_moved(const cuzk_job_store *store, const job *j);
/** A partition has been proved and verified. */
LOCKED void cuzk_part_proved(cuzk_engine *e, job *j, job_partition *p);
/** Sends and takes partitions, and claims tasks when there is an idle place. Releases the lock meanwhile. */
LOCKED CUZK_NODISCARD cuzk_status cuzk_part_round(cuzk_engine *e, cuzk_err *err);
/** The end of a task, in place of that of a job. Releases the lock meanwhile. */
LOCKED void cuzk_part_end(cuzk_engine *e, job *j);

/* shared_room.c */
/** How many jobs to claim now. */
LOCKED uint32_t cuzk_shared_room(const cuzk_engine *e);
/** A place where a job could be worked on has none. */
LOCKED bool cuzk_shared_has_idle_place(const cuzk_engine *e);
/** A job that has just been accepted would not wait for another one. */
LOCKED bool cuzk_shared_starts_at_once(const cuzk_engine *e);
/** Tells the queue what this engine can do. */
LOCKED void cuzk_shared_report(const cuzk_engine *e);

/** Callers that wait for jobs of other daemons are sent to another daemon. */
LOCKED void cuzk_shared_tell_stopping(cuzk_engine *e);

/* stored_job.c; no lock needed */
/** A job by number as the shared queue has it, in no table, with one pin. E_NOT_FOUND. */
CUZK_NODISCARD cuzk_status cuzk_job_get_stored(const cuzk_job_store *store, uint64_t number,
                                               job **out, cuzk_err *err);
/** A completed equal job that only the store still has, with one pin; or NULL. */
CUZK_NODISCARD cuzk_status cuzk_job_find_stored(cuzk_engine *e, const uint8_t content[32],
                                                cuzk_bytes request_id, job **out, cuzk_err *err);
/**
 * An ended job that only the store still has, with one pin; *out NULL and CUZK_OK: the store has the job, and
 * it is not over there. E_NOT_FOUND.
 */
CUZK_NODISCARD cuzk_status cuzk_job_find_stored_id(cuzk_engine *e, const char *id, job **out,
                                                   cuzk_err *err);
/** A job with other content has this id in the store. */
bool cuzk_job_id_is_taken(const cuzk_job_store *store, const job *j, const char *id);

#endif /* CUZK_ENGINE_ACCEPT_INTERNAL_H */
