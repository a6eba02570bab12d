/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SYS_CPU_COUNT_INTERNAL_H
#define CUZK_SYS_CPU_COUNT_INTERNAL_H

#include <pthread.h>

/**
 * CPU limit of the control group (v2 cpu.max, v1 cpu.cfs_quota_us), rounded up to whole CPUs; the
 * smallest over the group and its ancestors. 0: no limit or not readable.
 * @param membership /proc/self/cgroup
 * @param root       /sys/fs/cgroup
 */
unsigned cuzk_cgroup_cpu_limit(const char *membership, const char *root);

/** Binds the thread to the k-th (modulo) CPU that the process may use; a hint, never fails. */
void cuzk_cpu_pin_thread(pthread_t thread, unsigned k);

#endif /* CUZK_SYS_CPU_COUNT_INTERNAL_H */
