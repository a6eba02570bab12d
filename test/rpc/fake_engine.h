/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_RPC_FAKE_ENGINE_H
#define CUZK_TEST_RPC_FAKE_ENGINE_H

/*
 * An engine that proves nothing: it implements every function of engine/engine.h and
 * engine_status.h for tests of what is in front of it. A proof is SHA-256 of the request's content,
 * six times over. Jobs end at once (the default) or when the test says so.
 */
#include "engine/engine_status.h"

cuzk_engine *fake_engine_create(void);
/** Releases all blocks; fails an assertion when a wait was left. */
void fake_engine_destroy(cuzk_engine *e);
/** false: jobs stay queued until fake_engine_finish. */
void fake_engine_auto(cuzk_engine *e, bool on);
/** How long submissions take. */
void fake_engine_slow_submit(cuzk_engine *e, unsigned ms);
/** Submissions stay inside the engine until it is let off. */
void fake_engine_hold_submit(cuzk_engine *e, bool on);
/** How many are inside. */
size_t fake_engine_submitting(cuzk_engine *e);
/** Answer of the following submissions; CUZK_OK: accept. */
void fake_engine_refuse(cuzk_engine *e, cuzk_status st);
/** Ends a job; false: no such job that is not over. */
bool fake_engine_finish(cuzk_engine *e, const char *job_id, cuzk_job_state state);
size_t fake_engine_accepted(cuzk_engine *e);
size_t fake_engine_cancelled(cuzk_engine *e);
/** Waits that are set up and not called. */
size_t fake_engine_waiting(cuzk_engine *e);
/** What the newest job asked for, bytes as sizes only. */
cuzk_job_request fake_engine_last(cuzk_engine *e);
/** The proof that the fake gives for this content. out [192] */
void fake_engine_proof(uint8_t *out, const cuzk_job_request *request);

#endif /* CUZK_TEST_RPC_FAKE_ENGINE_H */
