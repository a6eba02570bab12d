/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Inputs as they are kept in a shared queue, and the memory that this takes. No server is needed. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "store/pack/pack_room.h"
#include "store/pg/pg_input.h"
#include "store/pg/pg_store.h"

#include "test.h"

#define MIB ((size_t)1 << 20)

/* A C1 of n bytes: lists of numbers that do not shrink, and names; or only bytes. */
static uint8_t *make_bytes(size_t n, bool is_text)
{
    uint8_t *data = malloc(n + 16);
    uint64_t x = 88172645463325252u;
    size_t m = 0;
    CHECK(data != NULL);
    while (m < n) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        if (!is_text) {
            data[m++] = (uint8_t)(x >> 40);
        } else if (x % 32 == 0) {
            m += (size_t)snprintf((char *)data + m, 16, "],\"path\":[0");
        } else {
            m += (size_t)snprintf((char *)data + m, 16, ",%u", (unsigned)(x >> 40) % 256);
        }
    }
    return data;
}

static uint8_t *join(const pg_kept *k)
{
    uint8_t *all = malloc((size_t)k->bytes + 1);
    size_t at = 0;
    CHECK(all != NULL);
    for (uint64_t i = 0; pg_kept_part(k, i).size > 0; i++) {
        const cuzk_bytes b = pg_kept_part(k, i);
        memcpy(all + at, b.data, b.size);
        at += b.size;
    }
    CHECK_U64(at, k->bytes);
    return all;
}

static void there_and_back(size_t n, bool is_text, uint64_t form)
{
    uint8_t *data = make_bytes(n, is_text), *encoding = NULL;
    const cuzk_bytes proofs[2] = {{data, n / 3}, {data + n / 3, n / 3}};
    const cuzk_job_request r = {.kind = CUZK_JOB_POREP,
                                .randomness = {data, 32},
                                .vanilla_proof = {data, n},
                                .vanilla_proofs = proofs,
                                .n_vanilla_proofs = 2};
    pg_input in = {.form = form};
    pg_kept kept;
    cuzk_err err = {0};
    const uint64_t before = cuzk_alloc_get_stats().bytes_now;
    cuzk_alloc_reset_peak();
    CHECK_OK(pg_input_make(&in, &kept, &r, &err), &err);
    const uint64_t peak = cuzk_alloc_get_stats().bytes_peak - before;
    CHECK_MSG(peak <= kept.bytes + PG_MAKE_BYTES, "%llu bytes for %llu", (unsigned long long)peak,
              (unsigned long long)kept.bytes);
    CHECK_U64(in.bytes, store_input_bytes(&r));
    CHECK_U64(in.kept_bytes, kept.bytes);
    CHECK(kept.bytes <= in.bytes + 64 + 8 * (in.bytes / MIB + 2));
    CHECK(!is_text || form == PG_FORM_PLAIN || kept.bytes < in.bytes / 2);
    uint8_t *all = join(&kept);
    cuzk_job_request again = {.kind = CUZK_JOB_POREP};
    cuzk_bytes *list = NULL;
    CHECK_OK(pg_input_open(&encoding, &in, all, &err), &err);
    CHECK_OK(store_input_parse(&again, &list, encoding, (size_t)in.bytes, &err), &err);
    CHECK_U64(again.vanilla_proof.size, n);
    CHECK_MEM(again.vanilla_proof.data, data, n);
    CHECK_U64(again.n_vanilla_proofs, 2);
    CHECK_MEM(again.vanilla_proofs[1].data, data + n / 3, n / 3);
    cuzk_free(list);
    cuzk_free(encoding);
    all[kept.bytes / 2] ^= 1;
    CHECK_STATUS(pg_input_open(&encoding, &in, all, NULL), CUZK_E_DIGEST);
    free(all);
    pg_kept_free(&kept);
    CHECK_U64(cuzk_alloc_get_stats().bytes_now, before);
    free(data);
}

static void lengths(void)
{
    static const size_t sizes[] = {96, 1000, MIB - 600, MIB, 3 * MIB + 7};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (uint64_t form = PG_FORM_PLAIN; form <= PG_FORM_PACKED; form++) {
            there_and_back(sizes[i], sizes[i] > 1000, form);
            there_and_back(sizes[i], false, form);
        }
    }
}

/* Of a C1 of 8 MB no second copy is made; bytes in which nothing can be packed are kept as they are. */
static void memory_of_long_inputs(void)
{
    there_and_back(8 * MIB, true, PG_FORM_PACKED);
    there_and_back(5 * MIB, false, PG_FORM_PACKED);
}

static void no_memory(void)
{
    uint8_t *data = make_bytes(2 * MIB, true);
    const cuzk_job_request r = {.kind = CUZK_JOB_POREP, .vanilla_proof = {data, 2 * MIB}};
    const uint64_t before = cuzk_alloc_get_stats().bytes_now;
    uint64_t n_failed = 0;
    for (uint64_t k = 1;; k++) {
        pg_input in = {.form = PG_FORM_PACKED};
        pg_kept kept;
        cuzk_alloc_fail_nth(k, false);
        const cuzk_status st = pg_input_make(&in, &kept, &r, NULL);
        cuzk_alloc_fail_nth(0, false);
        pg_kept_free(&kept);
        CHECK_U64(cuzk_alloc_get_stats().bytes_now, before);
        if (st == CUZK_OK) {
            break;
        }
        CHECK_STATUS(st, CUZK_E_NOMEM);
        n_failed++;
    }
    CHECK(n_failed >= 4);
    free(data);
}

/* --- the room --- */

enum { THREADS = 6, ROUNDS = 300, LIMIT = 100, MOST = 2 };

typedef struct crowd {
    pack_room room;
    _Atomic uint64_t sum, makers, over;
} crowd;

static void *put_many(void *arg)
{
    crowd *c = arg;
    uint64_t x = (uint64_t)(uintptr_t)&x | 1;
    for (int i = 0; i < ROUNDS; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        const uint64_t bytes = 1 + x % 130, keep = bytes / 3;
        pack_room_take(&c->room, bytes, false);
        const uint64_t sum = atomic_fetch_add(&c->sum, bytes) + bytes;
        const uint64_t makers = atomic_fetch_add(&c->makers, 1) + 1;
        /* more than the limit: alone */
        atomic_fetch_add(&c->over, (sum > LIMIT && sum != bytes) || makers > MOST ? 1 : 0);
        atomic_fetch_sub(&c->makers, 1);
        atomic_fetch_sub(&c->sum, bytes - keep);
        pack_room_shrink(&c->room, bytes, keep, false);
        atomic_fetch_sub(&c->sum, keep);
        pack_room_give(&c->room, keep);
    }
    return NULL;
}

static void room_is_never_exceeded(void)
{
    static crowd c;
    pthread_t threads[THREADS];
    CHECK(pack_room_init(&c.room, LIMIT, MOST));
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, put_many, &c) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    CHECK_U64(atomic_load(&c.over), 0);
    CHECK_U64(c.room.used, 0);
    CHECK_U64(c.room.making, 0);
    pack_room_destroy(&c.room);
}

/* A WinningPoSt does not wait behind a PoRep that is being packed. */
static void urgent_does_not_wait(void)
{
    pack_room r;
    CHECK(pack_room_init(&r, LIMIT, 1));
    pack_room_take(&r, LIMIT, false);
    pack_room_take(&r, 5, true);
    pack_room_shrink(&r, 5, 3, true);
    CHECK_U64(r.used, LIMIT + 3);
    pack_room_give(&r, 3);
    pack_room_shrink(&r, LIMIT, 0, false);
    pack_room_give(&r, 0);
    CHECK_U64(r.used, 0);
    pack_room_destroy(&r);
}

static const cuzk_case cases[] = {CASE(lengths), CASE(memory_of_long_inputs), CASE(no_memory),
                                  CASE(room_is_never_exceeded), CASE(urgent_does_not_wait)};
TEST_MAIN("store/pg_input", cases)
