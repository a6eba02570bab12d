/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CPU_CPU_ACCEL_H
#define CUZK_ACCEL_CPU_CPU_ACCEL_H

/*
 * The CPU as a device: the reference that the others must equal byte for byte. Work is done when it
 * is enqueued; its failure is reported by the sync, as anywhere.
 */
#include "accel/accel.h"

/** pool (may be NULL) is borrowed until close. Memory is the host's. E_NOMEM. */
CUZK_NODISCARD cuzk_status cuzk_accel_cpu_open(cuzk_accel **out, cuzk_pool *pool, cuzk_err *err);

/** Work of a CPU device's queue has failed since its last sync; what is enqueued now is not done. */
bool cuzk_accel_cpu_has_failed(const cuzk_accel_queue *q);

#endif /* CUZK_ACCEL_CPU_CPU_ACCEL_H */
