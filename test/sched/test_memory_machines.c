/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Budget and cache as state machines: random sequences against simple models. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sched/budget.h"
#include "sched/load_cache.h"
#include "sys/host_memory.h"

#include "test.h"

#define SECOND 1000000000ull

/* Takers come and go: never more than the total, never into what is held, and never refused what
 * is free. */
static void budget(void)
{
    for (size_t round = 0; round < test_iters(300); round++) {
        cuzk_budget b;
        cuzk_reservation r[30];
        const uint64_t total = 1 + test_below(1000), held = test_below(1200);
        uint64_t sum = 0, plain = 0, peak = 0;
        memset(r, 0, sizeof(r));
        cuzk_budget_init(&b, total, held);
        const uint64_t kept = held < total ? held : total;
        for (int step = 0; step < 300; step++) {
            cuzk_reservation *one = &r[test_below(30)];
            if (one->bytes == 0) {
                const uint64_t bytes = 1 + test_below(200);
                const bool privileged = test_below(3) == 0;
                const uint64_t privileged_used = sum - plain;
                const uint64_t still_held = kept > privileged_used ? kept - privileged_used : 0;
                const bool fits =
                    privileged ? sum + bytes <= total : sum + bytes + still_held <= total;
                CHECK(cuzk_budget_fits(&b, bytes, privileged) == fits);
                CHECK(cuzk_reservation_take(one, &b, bytes, privileged) == fits);
                if (fits) {
                    sum += bytes;
                    plain += privileged ? 0 : bytes;
                }
            } else {
                const uint64_t keep = test_below(2) == 0 ? 0 : test_below(one->bytes + 20);
                const uint64_t left = keep < one->bytes ? keep : one->bytes;
                sum -= one->bytes - left;
                plain -= one->privileged ? 0 : one->bytes - left;
                cuzk_reservation_shrink(one, &b, keep);
                CHECK_U64(one->bytes, left);
            }
            peak = sum > peak ? sum : peak;
            CHECK_U64(b.used, sum);
            CHECK_U64(b.used_privileged, sum - plain);
            CHECK_U64(b.peak, peak);
            CHECK(b.used <= b.total && plain <= total - kept);
            /* what is held is there, as long as the privileged have not taken it */
            CHECK(cuzk_budget_free(&b, true) >= (kept > sum - plain ? kept - (sum - plain) : 0));
        }
        CHECK_U64(cuzk_budget_limit(&b, true), total);
        CHECK_U64(cuzk_budget_limit(&b, false), total - kept);
    }
}

typedef struct model_entry {
    cuzk_load_state state;
    uint32_t refs;
    uint64_t bytes, used;
} model_entry;

#define ENTRIES 8

static void cache_step(cuzk_load_cache *c, model_entry *m, uint64_t now)
{
    const uint32_t id = (uint32_t)test_below(ENTRIES);
    model_entry *e = &m[id];
    switch (e->state) {
    case CUZK_LOAD_ABSENT:
        cuzk_load_begin(c, id, 100);
        *e = (model_entry){.state = CUZK_LOAD_LOADING, .bytes = 100};
        break;
    case CUZK_LOAD_LOADING:
        if (test_below(4) == 0) {
            cuzk_load_failed(c, id);
            *e = (model_entry){.state = CUZK_LOAD_ABSENT};
        } else {
            cuzk_load_done(c, id, e, 50 + id, now);
            *e = (model_entry){.state = CUZK_LOAD_READY, .bytes = 50 + id, .used = now};
        }
        break;
    case CUZK_LOAD_READY:
        if (test_below(2) == 0) {
            CHECK(cuzk_load_ref(c, id) == e);
            e->refs++;
        } else if (e->refs > 0) {
            cuzk_load_unref(c, id, now);
            e->refs--;
            e->used = now;
        }
        break;
    case CUZK_LOAD_LEAVING:
        CHECK_U64(cuzk_load_left(c, id), e->bytes);
        *e = (model_entry){.state = CUZK_LOAD_ABSENT};
        break;
    }
}

static void cache(void)
{
    for (size_t round = 0; round < test_iters(200); round++) {
        cuzk_err err;
        cuzk_load_cache c;
        model_entry m[ENTRIES];
        uint64_t now = 1;
        memset(m, 0, sizeof(m));
        CHECK_OK(cuzk_load_cache_init(&c, ENTRIES, &err), &err);
        for (int step = 0; step < 300; step++) {
            now += test_below(10);
            cache_step(&c, m, now);
            for (uint32_t i = 0; i < ENTRIES; i++) {
                CHECK(c.entries[i].state == m[i].state && c.entries[i].refs == m[i].refs);
                CHECK(c.entries[i].state == CUZK_LOAD_READY || c.entries[i].refs == 0);
            }
            /* the victim: idle for long enough, unused, and nobody was used longer ago */
            const uint64_t idle = test_below(30);
            const uint32_t keep = (uint32_t)test_below(ENTRIES);
            uint32_t want = CUZK_LOAD_NONE;
            for (uint32_t i = 0; i < ENTRIES; i++) {
                if (i != keep && m[i].state == CUZK_LOAD_READY && m[i].refs == 0 &&
                    now - m[i].used >= idle &&
                    (want == CUZK_LOAD_NONE || m[i].used < m[want].used)) {
                    want = i;
                }
            }
            const uint32_t got = cuzk_load_victim(&c, 0, ENTRIES, idle, keep, now);
            CHECK_U64(got, want);
            if (got != CUZK_LOAD_NONE && test_below(5) == 0) {
                CHECK(cuzk_load_leave(&c, got) == &m[got]);
                m[got].state = CUZK_LOAD_LEAVING;
            }
        }
        cuzk_load_cache_free(&c);
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");
    CHECK(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void cgroups(void)
{
    char meminfo[512], membership[512], root[512], path[1200];
    (void)snprintf(meminfo, sizeof(meminfo), "%s/meminfo", test_tmpdir());
    (void)snprintf(membership, sizeof(membership), "%s/cgroup", test_tmpdir());
    (void)snprintf(root, sizeof(root), "%s/fs", test_tmpdir());
    write_file(meminfo, "MemTotal:       16384 kB\nMemFree: 1 kB\n");
    write_file(membership, "0::/a/b\n");
    CHECK_U64(cuzk_host_memory_read(meminfo, membership, root), 16 << 20); /* no groups at all */
    (void)snprintf(path, sizeof(path), "mkdir -p %s/a/b %s/memory/x", root, root);
    CHECK(system(path) == 0);
    (void)snprintf(path, sizeof(path), "%s/a/b/memory.max", root);
    write_file(path, "max\n");
    CHECK_U64(cuzk_host_memory_read(meminfo, membership, root), 16 << 20);
    (void)snprintf(path, sizeof(path), "%s/a/memory.max", root);
    write_file(path, "5000000\n"); /* an ancestor's limit holds */
    CHECK_U64(cuzk_host_memory_read(meminfo, membership, root), 5000000);
    (void)snprintf(path, sizeof(path), "%s/a/b/memory.max", root);
    write_file(path, "4000000\n");
    CHECK_U64(cuzk_host_memory_read(meminfo, membership, root), 4000000);
    write_file(membership, "5:cpu,cpuacct:/y\n9:memory:/x\n");
    (void)snprintf(path, sizeof(path), "%s/memory/x/memory.limit_in_bytes", root);
    write_file(path, "3000000\n");
    CHECK_U64(cuzk_host_memory_read(meminfo, membership, root), 3000000);
    write_file(path, "9223372036854771712\n"); /* v1's "no limit" */
    CHECK_U64(cuzk_host_memory_read(meminfo, membership, root), 16 << 20);
    CHECK(cuzk_host_memory_total() > 1 << 20 && cuzk_host_memory_resident() > 1 << 16);
    CHECK_U64(cuzk_host_memory_read("/nonexistent", membership, root), 0);
}

static const cuzk_case cases[] = {CASE(budget), CASE(cache), CASE(cgroups)};
TEST_MAIN("sched/memory_machines", cases)
