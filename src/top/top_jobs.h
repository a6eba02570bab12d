/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TOP_TOP_JOBS_H
#define CUZK_TOP_TOP_JOBS_H

#include "top/status_read.h"
#include "top/top_keys.h"

/**
 * The jobs to show, in their order: indices into v->jobs. With keys, jobs that the filter leaves, in the chosen
 * order; the selection moves as far as keys->move says, and is dropped when its job is gone. keys may be NULL.
 */
uint32_t cuzk_top_jobs(uint32_t out[CUZK_VIEW_JOBS], const cuzk_status_view *v,
                       cuzk_top_keys *keys);

#endif /* CUZK_TOP_TOP_JOBS_H */
