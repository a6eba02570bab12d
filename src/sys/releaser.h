/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SYS_RELEASER_H
#define CUZK_SYS_RELEASER_H

/*
 * A thread that frees large buffers, so that no proof waits for the kernel to unmap them. The bytes that wait to be
 * freed are bounded and can be queried.
 */
#include "base/status.h"

typedef struct cuzk_releaser cuzk_releaser;
typedef void (*cuzk_release_fn)(void *p);

/** max_bytes: most that may wait; further calls wait for room. E_NOMEM, E_IO (thread). */
CUZK_NODISCARD cuzk_status cuzk_releaser_create(cuzk_releaser **out, uint64_t max_bytes,
                                                cuzk_err *err);
/** Releases what is waiting, then ends. NULL is fine. */
void cuzk_releaser_destroy(cuzk_releaser *r);
/**
 * Calls fn(p) soon, on the releaser's thread; on the caller's when there is no memory to note it,
 * or r is NULL. bytes: about what it frees. A buffer over max_bytes waits alone. @thread any.
 */
void cuzk_releaser_push(cuzk_releaser *r, cuzk_release_fn fn, void *p, uint64_t bytes);

typedef struct cuzk_releaser_stats {
    uint64_t backlog_bytes, backlog_peak, released; /* released: buffers so far */
} cuzk_releaser_stats;
cuzk_releaser_stats cuzk_releaser_get_stats(cuzk_releaser *r);

#endif /* CUZK_SYS_RELEASER_H */
