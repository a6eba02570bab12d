/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_SYS_HOST_MEMORY_H
#define CUZK_SYS_HOST_MEMORY_H

#include <stdint.h>

/**
 * Bytes of memory that this process may use: the machine's, or less when a control group (v2
 * memory.max, v1 memory.limit_in_bytes; the smallest over the group and its ancestors)
 * says so.
 */
uint64_t cuzk_host_memory_total(void);
/** The same from given files: /proc/meminfo, /proc/self/cgroup, /sys/fs/cgroup. 0: not readable. */
uint64_t cuzk_host_memory_read(const char *meminfo, const char *membership, const char *root);
/**
 * Bytes that this process may still allocate: the system's available memory, or less when the limit of a
 * control group says so. 0: unknown.
 */
uint64_t cuzk_host_memory_available(void);
/** Resident set of this process now; 0 when unknown. */
uint64_t cuzk_host_memory_resident(void);

#endif /* CUZK_SYS_HOST_MEMORY_H */
