/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_MOCK_MOCK_ACCEL_H
#define CUZK_ACCEL_MOCK_MOCK_ACCEL_H

/*
 * A device for tests: the CPU's results, a limited memory that is watched, and failures by script.
 */
#include "accel/accel.h"
#include "accel/card/card.h"

/**
 * When operations run. By itself the mock runs each one as it is enqueued, so that nothing shows whether queues wait for
 * each other as they must. In the other orders some run as late as syncs and waits allow: what overwrites
 * their input too early, or uses their output too early, has wrong results. Only these two of all orders that a
 * device may take are tried: LATE_WORK finds copies that come too early, LATE_COPIES work that does not wait for them.
 */
typedef enum cuzk_mock_order {
    CUZK_MOCK_AT_ONCE = 0,
    CUZK_MOCK_LATE_WORK,  /* all but uploads are late */
    CUZK_MOCK_LATE_COPIES /* uploads are late */
} cuzk_mock_order;

/** Counted calls: alloc, host_alloc, host_lock, queue_create, object creations, sync, wait, mark, enqueue. 1 is the next. */
typedef struct cuzk_mock_script {
    uint64_t fail_at;      /* this call fails; 0: none */
    cuzk_status fail_with; /* E_DEV_LOST makes the device lost for good */
    bool and_after;        /* every later one too */
    bool at_sync;          /* an enqueued operation's failure is told by the sync, not at once */
    uint64_t wrong_sum_at; /* this sum (MSM or bits) is wrong; 0: none */
    uint64_t delay_ns;     /* every enqueued operation takes this much longer */
    cuzk_mock_order order;
    /** Optional; before each counted call, on its thread: what is called, or the operation's name. It may wait. */
    void (*on_call)(void *arg, const char *what);
    void *on_call_arg;
} cuzk_mock_script;

/** memory_limit bytes of device memory; the pool is borrowed. E_NOMEM. */
CUZK_NODISCARD cuzk_status cuzk_accel_mock_open(cuzk_accel **out, uint32_t ordinal,
                                                uint64_t memory_limit, cuzk_pool *pool,
                                                cuzk_err *err);
/**
 * A device that plays a card (accel/card/card.h): its name, the memory that it leaves to programs, and at each
 * operation the limits of its class. shapes: the class whose kernels are launched, NULL for the card's own; kernels
 * of another class that exceed the limits fail with E_DEV_UNFIT, as a launch on the card would. Both are borrowed.
 */
CUZK_NODISCARD cuzk_status cuzk_accel_mock_open_card(cuzk_accel **out, uint32_t ordinal,
                                                     const cuzk_card *card,
                                                     const cuzk_card_class *shapes, cuzk_pool *pool,
                                                     cuzk_err *err);
/** From the next call on; counters start again. @thread any. */
void cuzk_accel_mock_set(cuzk_accel *dev, const cuzk_mock_script *script);

typedef struct cuzk_mock_stats {
    uint64_t calls, sums;               /* since the last set */
    uint64_t bytes, peak_bytes, blocks; /* device memory that is out */
    uint64_t host_blocks, queues, objects;
    uint64_t locked_blocks; /* memory of others that is page-locked (cuzk_accel_host_lock) */
    uint64_t direct;        /* uploads from such memory, since the last set */
} cuzk_mock_stats;
cuzk_mock_stats cuzk_accel_mock_stats(cuzk_accel *dev);

#endif /* CUZK_ACCEL_MOCK_MOCK_ACCEL_H */
