/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/pool.h"

#include "cpu_count_internal.h"

#define SETS 8 /* affinity masks of up to 8 * 1024 CPUs */

/* CPUs of the affinity mask; 0 when it cannot be read. */
static int allowed_cpus(cpu_set_t sets[SETS])
{
    memset(sets, 0, SETS * sizeof(cpu_set_t));
    if (sched_getaffinity(0, SETS * sizeof(cpu_set_t), sets) != 0) {
        return 0;
    }
    return CPU_COUNT_S(SETS * sizeof(cpu_set_t), sets);
}

/* First line of root/group/leaf, without its newline. */
static bool read_line(char *line, int cap, const char *root, const char *group, const char *leaf)
{
    char path[4096];
    const int n = snprintf(path, sizeof(path), "%s%s/%s", root, group, leaf);
    if (n < 0 || (size_t)n >= sizeof(path)) {
        return false;
    }
    FILE *f = fopen(path, "re");
    if (f == NULL) {
        return false;
    }
    const bool ok = fgets(line, cap, f) != NULL;
    (void)fclose(f);
    return ok;
}

static unsigned ratio(long long quota, long long period)
{
    if (quota <= 0 || period <= 0) {
        return 0;
    }
    const long long cpus = (quota - 1) / period + 1;
    return cpus > 1 << 20 ? 0 : (unsigned)cpus;
}

/* A number at *p, moved behind it; 0 for no number ("max"). */
static long long number(const char **p)
{
    char *end;
    const long long v = strtoll(*p, &end, 10);
    *p = end;
    return v;
}

static unsigned limit_v2(const char *root, const char *group)
{
    char line[128];
    if (!read_line(line, sizeof(line), root, group, "cpu.max")) {
        return 0;
    }
    const char *p = line;
    const long long quota = number(&p);
    return ratio(quota, number(&p));
}

static unsigned limit_v1(const char *root, const char *group)
{
    char a[128], b[128];
    if (!read_line(a, sizeof(a), root, group, "cpu.cfs_quota_us") ||
        !read_line(b, sizeof(b), root, group, "cpu.cfs_period_us")) {
        return 0;
    }
    const char *pa = a, *pb = b;
    const long long quota = number(&pa);
    return ratio(quota, number(&pb));
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Smallest limit of the group and its ancestors; changes group. The root itself is asked too: in
 * a container the membership may name a path that only exists outside. */
static unsigned walk(const char *root, char *group, unsigned (*limit)(const char *, const char *))
{
    unsigned least = 0;
    for (;;) {
        least = smaller(least, limit(root, group));
        char *slash = strrchr(group, '/');
        if (slash == NULL) {
            return least;
        }
        *slash = '\0';
    }
}

/* "a,b,c" contains "cpu". */
static bool names_cpu(const char *list)
{
    for (const char *p = list; p != NULL; p = strchr(p, ',')) {
        p += *p == ',' ? 1 : 0;
        if (strncmp(p, "cpu", 3) == 0 && (p[3] == ',' || p[3] == '\0')) {
            return true;
        }
    }
    return false;
}

/* One line "id:controllers:/path". */
static unsigned limit_of_line(char *line, const char *root)
{
    char mount[4096];
    line[strcspn(line, "\n")] = '\0';
    char *list = strchr(line, ':');
    char *group = list != NULL ? strchr(list + 1, ':') : NULL;
    if (group == NULL) {
        return 0;
    }
    *group++ = '\0';
    list++;
    if (strcmp(group, "/") == 0) {
        *group = '\0';
    }
    if (*list == '\0') {
        return walk(root, group, limit_v2);
    }
    if (!names_cpu(list)) {
        return 0;
    }
    const int n = snprintf(mount, sizeof(mount), "%s/%s", root, list);
    unsigned least = 0;
    if (n > 0 && (size_t)n < sizeof(mount)) {
        char copy[4096];
        (void)snprintf(copy, sizeof(copy), "%s", group);
        least = walk(mount, copy, limit_v1);
    }
    if (strcmp(list, "cpu") != 0) { /* mounted as cpu,cpuacct with a link named cpu, or only so */
        (void)snprintf(mount, sizeof(mount), "%s/cpu", root);
        least = smaller(least, walk(mount, group, limit_v1));
    }
    return least;
}

unsigned cuzk_cgroup_cpu_limit(const char *membership, const char *root)
{
    char line[4096];
    unsigned least = 0;
    FILE *f = fopen(membership, "re");
    if (f == NULL) {
        return 0;
    }
    while (fgets(line, sizeof(line), f) != NULL) {
        least = smaller(least, limit_of_line(line, root));
    }
    (void)fclose(f);
    return least;
}

unsigned cuzk_cpu_count(void)
{
    cpu_set_t sets[SETS];
    const int allowed = allowed_cpus(sets);
    const unsigned quota = cuzk_cgroup_cpu_limit("/proc/self/cgroup", "/sys/fs/cgroup");
    const unsigned n = smaller(allowed > 0 ? (unsigned)allowed : 1, quota);
    return n > 0 ? n : 1;
}

void cuzk_cpu_pin_thread(pthread_t thread, unsigned k)
{
    cpu_set_t sets[SETS], one[SETS];
    const int allowed = allowed_cpus(sets);
    if (allowed <= 0) {
        return;
    }
    unsigned skip = k % (unsigned)allowed;
    for (size_t cpu = 0; cpu < SETS * (size_t)CPU_SETSIZE; cpu++) {
        if (CPU_ISSET_S(cpu, sizeof(sets), sets) && skip-- == 0) {
            memset(one, 0, sizeof(one));
            CPU_SET_S(cpu, sizeof(one), one);
            (void)pthread_setaffinity_np(thread, sizeof(one), one);
            return;
        }
    }
}
