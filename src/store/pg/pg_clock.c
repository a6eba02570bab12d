/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Times of day in rows are those of the database's clock, so that hosts whose clocks differ agree on them. */
#include <time.h>

#include "pg_internal.h"

#define NOISE_MS 500 /* a difference that is not told from the way to the database and back */

int64_t pg_clock_now_ms(void)
{
    struct timespec t = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void pg_clock_take(pg_store *s, int64_t asked_ms, int64_t answered_ms, int64_t database_ms)
{
    const int64_t took = answered_ms - asked_ms;
    if (took < 0 || database_ms <= 0) { /* the host's clock was set meanwhile */
        return;
    }
    const int64_t ahead = asked_ms + took / 2 - database_ms,
                  change = ahead - atomic_load(&s->clock_ahead_ms);
    if (change > took + NOISE_MS || change < -took - NOISE_MS) {
        atomic_store(&s->clock_ahead_ms, ahead);
    }
}

int64_t pg_clock_to_database(const pg_store *s, int64_t unix_ms)
{
    return unix_ms == 0 ? 0 : unix_ms - atomic_load(&s->clock_ahead_ms);
}

int64_t pg_clock_from_database(const pg_store *s, int64_t unix_ms)
{
    return unix_ms == 0 ? 0 : unix_ms + atomic_load(&s->clock_ahead_ms);
}
