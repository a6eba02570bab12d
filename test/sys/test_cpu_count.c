/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>

#include "sys/cpu_count_internal.h"
#include "sys/pool.h"

#include "test.h"

static char root[256], membership[300];

static void put(const char *relative, const char *text)
{
    char path[700];
    (void)snprintf(path, sizeof(path), "%s/%s", root, relative);
    FILE *f = fopen(path, "w");
    CHECK_MSG(f != NULL, "cannot write %s", path);
    CHECK(fputs(text, f) >= 0);
    CHECK(fclose(f) == 0);
}

static void dir(const char *relative)
{
    char path[700];
    (void)snprintf(path, sizeof(path), "%s/%s", root, relative);
    CHECK(mkdir(path, 0700) == 0);
}

static void start(const char *groups)
{
    (void)snprintf(root, sizeof(root), "%s", test_tmpdir());
    put("membership", groups);
    (void)snprintf(membership, sizeof(membership), "%s/membership", root);
}

static void v2_takes_the_tightest_ancestor(void)
{
    start("0::/a/b\n");
    CHECK_U64(cuzk_cgroup_cpu_limit(membership, root), 0);
    dir("a");
    dir("a/b");
    put("a/b/cpu.max", "max 100000\n");
    CHECK_U64(cuzk_cgroup_cpu_limit(membership, root), 0);
    put("a/cpu.max", "250000 100000\n");
    CHECK_U64(cuzk_cgroup_cpu_limit(membership, root), 3); /* 2.5 CPUs */
    put("a/b/cpu.max", "100000 100000\n");
    CHECK_U64(cuzk_cgroup_cpu_limit(membership, root), 1);
    put("a/b/cpu.max", "800000 100000\n");
    CHECK_U64(cuzk_cgroup_cpu_limit(membership, root), 3);
    put("cpu.max", "50000 100000\n");
    CHECK_U64(cuzk_cgroup_cpu_limit(membership, root), 1);
}

static void v2_membership_outside_the_container(void)
{
    start("0::/docker/0123\n");
    put("cpu.max", "400000 100000\n");
    CHECK_U64(cuzk_cgroup_cpu_limit(membership, root), 4);
}

static void v1_quota(void)
{
    start("12:cpuset:/\n4:cpu,cpuacct:/g\n1:name=systemd:/x\n");
    dir("cpu,cpuacct");
    dir("cpu,cpuacct/g");
    put("cpu,cpuacct/g/cpu.cfs_quota_us", "-1\n");
    put("cpu,cpuacct/g/cpu.cfs_period_us", "100000\n");
    CHECK_U64(cuzk_cgroup_cpu_limit(membership, root), 0);
    put("cpu,cpuacct/g/cpu.cfs_quota_us", "200001\n");
    CHECK_U64(cuzk_cgroup_cpu_limit(membership, root), 3);
}

static void nonsense_is_no_limit(void)
{
    start("\nxyz\n0::\n:::\n0::/\n9:cpux:/\n");
    put("cpu.max", "abc\n");
    CHECK_U64(cuzk_cgroup_cpu_limit(membership, root), 0);
    put("cpu.max", "0 0\n");
    CHECK_U64(cuzk_cgroup_cpu_limit(membership, root), 0);
    CHECK_U64(cuzk_cgroup_cpu_limit("/nonexistent/cgroup", root), 0);
}

static void affinity_counts(void)
{
    cpu_set_t old, one;
    CHECK(cuzk_cpu_count() >= 1);
    CHECK(sched_getaffinity(0, sizeof(old), &old) == 0);
    CHECK(cuzk_cpu_count() <= (unsigned)CPU_COUNT(&old));
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, &old)) {
            CPU_SET(i, &one);
            break;
        }
    }
    CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);
    const unsigned n = cuzk_cpu_count();
    CHECK(sched_setaffinity(0, sizeof(old), &old) == 0);
    CHECK_U64(n, 1);
}

static const cuzk_case cases[] = {
    CASE(v2_takes_the_tightest_ancestor),
    CASE(v2_membership_outside_the_container),
    CASE(v1_quota),
    CASE(nonsense_is_no_limit),
    CASE(affinity_counts),
};
TEST_MAIN("sys/cpu_count", cases)
