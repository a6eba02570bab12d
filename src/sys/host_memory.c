/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "sys/host_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define UNKNOWN    ((uint64_t)32 << 30) /* when not even /proc can be read */

/* The number in a one-line file; UINT64_MAX: "max", unreadable, or no limit. */
static uint64_t read_limit(const char *path)
{
    char line[64];
    uint64_t limit = UINT64_MAX;
    FILE *f = fopen(path, "re");
    if (f == NULL) {
        return limit;
    }
    if (fgets(line, sizeof(line), f) != NULL && line[0] >= '0' && line[0] <= '9') {
        limit = strtoull(line, NULL, 10);
    }
    (void)fclose(f);
    return limit == 0 ? UINT64_MAX : limit;
}

/* The smallest limit of a group and its ancestors. */
static uint64_t group_limit(const char *root, const char *controller, const char *group,
                            const char *file)
{
    char path[PATH_BYTES], sub[PATH_BYTES];
    uint64_t least = UINT64_MAX;
    (void)snprintf(sub, sizeof(sub), "%s", group);
    for (;;) {
        const int n = snprintf(path, sizeof(path), "%s%s%s/%s", root, controller, sub, file);
        if (n > 0 && n < (int)sizeof(path)) {
            const uint64_t limit = read_limit(path);
            least = limit < least ? limit : least;
        }
        char *slash = strrchr(sub, '/');
        if (slash == NULL) {
            return least;
        }
        *slash = '\0';
    }
}

/* "0::/group" (v2) or "N:...,memory,...:/group" (v1). */
static uint64_t cgroup_limit(const char *membership, const char *root)
{
    char line[PATH_BYTES];
    uint64_t least = UINT64_MAX;
    FILE *f = fopen(membership, "re");
    if (f == NULL) {
        return least;
    }
    while (fgets(line, sizeof(line), f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL) {
            continue;
        }
        *group++ = '\0';
        controllers++;
        uint64_t limit = UINT64_MAX;
        if (controllers[0] == '\0') {
            limit = group_limit(root, "", group, "memory.max");
        } else if (strcmp(controllers, "memory") == 0) {
            limit = group_limit(root, "/memory", group, "memory.limit_in_bytes");
        }
        least = limit < least ? limit : least;
    }
    (void)fclose(f);
    return least;
}

/* A line of meminfo in bytes, by its name with the colon; 0: not there. */
static uint64_t read_meminfo(const char *meminfo, const char *name)
{
    char line[256];
    unsigned long long kib = 0;
    FILE *f = fopen(meminfo, "re");
    if (f == NULL) {
        return 0;
    }
    while (kib == 0 && fgets(line, sizeof(line), f) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) {
            kib = strtoull(line + strlen(name), NULL, 10);
        }
    }
    (void)fclose(f);
    return (uint64_t)kib << 10;
}

uint64_t cuzk_host_memory_read(const char *meminfo, const char *membership, const char *root)
{
    const uint64_t total = read_meminfo(meminfo, "MemTotal:");
    const uint64_t limit = cgroup_limit(membership, root);
    return limit < total ? limit : total;
}

uint64_t cuzk_host_memory_total(void)
{
    const uint64_t total =
        cuzk_host_memory_read("/proc/meminfo", "/proc/self/cgroup", "/sys/fs/cgroup");
    return total != 0 ? total : UNKNOWN;
}

uint64_t cuzk_host_memory_available(void)
{
    const uint64_t available = read_meminfo("/proc/meminfo", "MemAvailable:");
    const uint64_t total = cuzk_host_memory_total(), resident = cuzk_host_memory_resident();
    const uint64_t left = total > resident ? total - resident : 0;
    return available < left ? available : left;
}

uint64_t cuzk_host_memory_resident(void)
{
    char line[128];
    uint64_t pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f == NULL) {
        return 0;
    }
    if (fgets(line, sizeof(line), f) != NULL) {
        const char *second = strchr(line, ' ');
        pages = second != NULL ? strtoull(second, NULL, 10) : 0;
    }
    (void)fclose(f);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}
