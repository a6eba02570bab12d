/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SCHED_PRIORITY_H
#define CUZK_SCHED_PRIORITY_H

/** Values of the wire's Priority; 0 and unknown values are mapped when a job is accepted. */
typedef enum cuzk_job_priority {
    CUZK_PRIORITY_LOW = 1,
    CUZK_PRIORITY_NORMAL = 2,
    CUZK_PRIORITY_HIGH = 3,
    CUZK_PRIORITY_CRITICAL = 4
} cuzk_job_priority;

#endif /* CUZK_SCHED_PRIORITY_H */
