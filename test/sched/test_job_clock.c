/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The times of a job add up to its wall time, whatever its partitions do. */
#include "sched/job_clock.h"

#include "test.h"

static void known_times(void)
{
    cuzk_job_clock c;
    cuzk_job_clock_start(&c, 100);
    cuzk_job_clock_wait(&c, CUZK_JOB_WAITS_FIRST, 103);
    cuzk_job_clock_enter(&c, CUZK_JOB_PREPARES, 110);
    cuzk_job_clock_leave(&c, CUZK_JOB_PREPARES, 130);
    cuzk_job_clock_wait(&c, CUZK_JOB_WAITS_LOAD, 130);
    cuzk_job_clock_wait(&c, CUZK_JOB_WAITS_NEXT, 137);
    cuzk_job_clock_enter(&c, CUZK_JOB_WITNESSES, 140); /* two partitions */
    cuzk_job_clock_enter(&c, CUZK_JOB_WITNESSES, 150);
    cuzk_job_clock_leave(&c, CUZK_JOB_WITNESSES, 160);
    cuzk_job_clock_enter(&c, CUZK_JOB_ON_DEVICE, 165); /* the later stage counts */
    cuzk_job_clock_leave(&c, CUZK_JOB_WITNESSES, 170);
    CHECK_U64(cuzk_job_clock_spent(&c, CUZK_JOB_ON_DEVICE, 172), 7);
    cuzk_job_clock_leave(&c, CUZK_JOB_ON_DEVICE, 200);
    cuzk_job_clock_enter(&c, CUZK_JOB_VERIFIES, 201);
    cuzk_job_clock_end(&c, 206); /* decided while a partition is still busy */
    cuzk_job_clock_leave(&c, CUZK_JOB_VERIFIES, 208);
    cuzk_job_clock_enter(&c, CUZK_JOB_ON_DEVICE, 209);
    cuzk_job_clock_stop(&c, 210);
    cuzk_job_clock_leave(&c, CUZK_JOB_ON_DEVICE, 400);
    static const uint64_t want[CUZK_JOB_ACTIVITIES] = {3, 7, 7, 4, 4, 20, 25, 35, 5};
    for (int a = 0; a < CUZK_JOB_ACTIVITIES; a++) {
        CHECK_U64(cuzk_job_clock_spent(&c, (cuzk_job_activity)a, 500), want[a]);
    }
    CHECK_U64(cuzk_job_clock_total(&c, 500), 110);
}

static void they_add_up(void)
{
    for (size_t round = 0; round < test_iters(500); round++) {
        cuzk_job_clock c;
        uint32_t inside[CUZK_JOB_ACTIVITIES] = {0};
        const uint64_t begin = test_below(1000);
        uint64_t now = begin;
        cuzk_job_clock_start(&c, now);
        for (int step = 0; step < 60; step++) {
            now += test_below(50);
            const cuzk_job_activity stage =
                (cuzk_job_activity)(CUZK_JOB_PREPARES + (int)test_below(4));
            switch (test_below(4)) {
            case 0: cuzk_job_clock_wait(&c, (cuzk_job_activity)test_below(4), now); break;
            case 1:
                if (inside[stage] != 0) {
                    inside[stage]--;
                    cuzk_job_clock_leave(&c, stage, now);
                }
                break;
            case 2:
                if (test_below(20) == 0) {
                    cuzk_job_clock_end(&c, now);
                }
                break;
            default:
                inside[stage]++;
                cuzk_job_clock_enter(&c, stage, now);
                break;
            }
            CHECK_U64(cuzk_job_clock_total(&c, now), now - begin);
            CHECK_U64(cuzk_job_clock_total(&c, now + 7), now + 7 - begin);
        }
        cuzk_job_clock_stop(&c, now);
        CHECK_U64(cuzk_job_clock_total(&c, now + 1000), now - begin);
    }
}

static const cuzk_case cases[] = {CASE(known_times), CASE(they_add_up)};
TEST_MAIN("sched/job_clock", cases)
