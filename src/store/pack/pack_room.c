/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "store/pack/pack_room.h"

#include "base/assert.h"

bool pack_room_init(pack_room *r, uint64_t limit, uint32_t most)
{
    *r = (pack_room){.limit = limit, .most = most};
    if (pthread_mutex_init(&r->mutex, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(&r->changed, NULL) != 0) {
        (void)pthread_mutex_destroy(&r->mutex);
        return false;
    }
    return true;
}

void pack_room_destroy(pack_room *r)
{
    (void)pthread_cond_destroy(&r->changed);
    (void)pthread_mutex_destroy(&r->mutex);
}

/* Under the mutex. */
static bool fits(const pack_room *r, uint64_t bytes)
{
    const bool has_bytes = r->used == 0 || (r->used <= r->limit && bytes <= r->limit - r->used);
    return has_bytes && r->making < r->most;
}

void pack_room_take(pack_room *r, uint64_t bytes, bool is_urgent)
{
    (void)pthread_mutex_lock(&r->mutex);
    if (!is_urgent) {
        const uint64_t turn = r->next_turn++;
        while (turn != r->turn || !fits(r, bytes)) {
            (void)pthread_cond_wait(&r->changed, &r->mutex);
        }
        r->turn++;
        r->making++;
        (void)pthread_cond_broadcast(&r->changed); /* the next one may fit, too */
    }
    r->used += bytes;
    (void)pthread_mutex_unlock(&r->mutex);
}

void pack_room_shrink(pack_room *r, uint64_t bytes, uint64_t keep, bool is_urgent)
{
    (void)pthread_mutex_lock(&r->mutex);
    CUZK_ASSERT(r->used >= bytes && (is_urgent || r->making > 0));
    r->used = r->used - bytes + keep;
    r->making -= is_urgent ? 0 : 1;
    (void)pthread_cond_broadcast(&r->changed);
    (void)pthread_mutex_unlock(&r->mutex);
}

void pack_room_give(pack_room *r, uint64_t bytes)
{
    (void)pthread_mutex_lock(&r->mutex);
    CUZK_ASSERT(r->used >= bytes);
    r->used -= bytes;
    (void)pthread_cond_broadcast(&r->changed);
    (void)pthread_mutex_unlock(&r->mutex);
}
