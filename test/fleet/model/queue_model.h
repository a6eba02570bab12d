/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_FLEET_MODEL_QUEUE_MODEL_H
#define CUZK_TEST_FLEET_MODEL_QUEUE_MODEL_H

/*
 * The shared queue by its rules alone, in memory and virtual time: what the statements of store/pg do, and a history
 * that is checked as it grows. A rule that is broken fails the test.
 */
#include <stdbool.h>
#include <stdint.h>

typedef struct model_member {
    bool is_alive;
    uint32_t daemon;
    uint64_t lease_until, renewed;
} model_member;

typedef struct model_job {
    uint32_t class_base;
    uint64_t due, accepted;
    uint64_t member; /* 0: nobody */
    uint64_t fence, highest_fence;
    uint32_t deaths, n_ends;
    bool is_started, is_over, is_set_aside;
} model_job;

typedef struct queue_model {
    uint64_t lease, now; /* in the database's time */
    model_job *jobs;
    uint32_t n_jobs, n_over, first_open; /* jobs below first_open are over or held */
    model_member *members;               /* by incarnation */
    uint64_t n_members, members_room;
    uint64_t n_claims, n_refused, n_declared;
} queue_model;

void model_init(queue_model *q, uint32_t n_jobs, uint64_t lease);
void model_free(queue_model *q);
uint64_t model_join(queue_model *q, uint32_t daemon);
/** False: it has been declared dead. */
bool model_renew(queue_model *q, uint64_t incarnation);
void model_tidy(queue_model *q, uint64_t incarnation);
/** The best open job, or false. */
bool model_claim(queue_model *q, uint64_t incarnation, uint32_t *job, uint64_t *fence);
bool model_start(queue_model *q, uint32_t job, uint64_t incarnation, uint64_t fence);
/** False: refused. */
bool model_finish(queue_model *q, uint32_t job, uint64_t incarnation, uint64_t fence);
void model_release(queue_model *q, uint32_t job, uint64_t incarnation, uint64_t fence);
bool model_holds(const queue_model *q, uint32_t job, uint64_t incarnation, uint64_t fence);

#endif /* CUZK_TEST_FLEET_MODEL_QUEUE_MODEL_H */
