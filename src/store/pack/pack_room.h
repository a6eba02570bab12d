/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_STORE_PACK_ROOM_H
#define CUZK_STORE_PACK_ROOM_H

/* The memory that jobs take while they are put: a limit, and callers that wait for each other in order. */
#include <pthread.h>
#include <stdint.h>

#include "base/status.h"

typedef struct pack_room {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint64_t limit, used;  /* bytes */
    uint32_t most, making; /* callers between take and shrink, of those that wait for each other */
    uint64_t next_turn, turn;
} pack_room;

/** limit: bytes. most: callers at once that have not called shrink yet. False: no lock can be made. */
bool pack_room_init(pack_room *r, uint64_t limit, uint32_t most);
void pack_room_destroy(pack_room *r);
/**
 * Waits until bytes fit, behind callers that came earlier. More than the limit is given to a caller that is alone.
 * is_urgent: does not wait, and takes its bytes all the same. @thread any
 */
void pack_room_take(pack_room *r, uint64_t bytes, bool is_urgent);
/** Of what was taken, keep bytes are needed from here on. is_urgent: as taken. */
void pack_room_shrink(pack_room *r, uint64_t bytes, uint64_t keep, bool is_urgent);
/** Gives back what shrink kept. */
void pack_room_give(pack_room *r, uint64_t bytes);

#endif /* CUZK_STORE_PACK_ROOM_H */
