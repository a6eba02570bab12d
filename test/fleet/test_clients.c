/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Shares, quotas, accounting and deadlines of clients; which of several waiting jobs a daemon takes. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/pg/pg_status.h"

#include "pg_server.h"
#include "test.h"

static cuzk_job_store join(const char *name)
{
    cuzk_job_store s;
    cuzk_err err = {0};
    /* no renewal meanwhile, but after a report */
    const cuzk_pg_member m = {.name = name, .address = "test", .version = "0", .lease_ms = 3600000};
    const cuzk_pg_config c = {.url = pg_server_url(), .member = &m, .retry_ms = 20000};
    CHECK_OK(cuzk_pg_store_open(&s, &c, NULL, &err), &err);
    return s;
}

static uint64_t first(cuzk_job_store *s)
{
    uint64_t n = 0;
    CHECK_STATUS(s->load(s->arg, NULL, NULL, &n, NULL), CUZK_OK);
    return n;
}

static int64_t now_ms(void)
{
    struct timespec t;
    CHECK(clock_gettime(CLOCK_REALTIME, &t) == 0);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

typedef struct wish {
    const char *owner, *circuit;
    cuzk_job_kind kind;   /* 0: PoRep */
    uint64_t deadline_ms; /* from now on; 0: none */
    bool is_privileged;
} wish;

static cuzk_status put(cuzk_job_store *s, uint64_t number, wish w, cuzk_err *err)
{
    char id[32];
    (void)snprintf(id, sizeof(id), "job-%llx", (unsigned long long)number);
    const cuzk_job_kind kind = w.kind == 0 ? CUZK_JOB_POREP : w.kind;
    cuzk_job_record r = {.number = number,
                         .job_id = id,
                         .request = {.kind = kind,
                                     .owner = {(const uint8_t *)w.owner, strlen(w.owner)},
                                     .vanilla_proof = {(const uint8_t *)id, 4}},
                         .accepted_unix_ms = now_ms(),
                         .deadline_unix_ms =
                             w.deadline_ms == 0 ? 0 : now_ms() + (int64_t)w.deadline_ms,
                         .is_privileged = w.is_privileged,
                         .class_base = w.is_privileged ? 4 : 2,
                         .circuit = w.circuit,
                         .error = ""};
    memcpy(r.content, &number, sizeof(number));
    return s->put(s->arg, &r, err);
}

static void note(void *arg, const cuzk_job_record *r)
{
    *(uint64_t *)arg = r->number;
}

static uint64_t sql_u64(const char *sql)
{
    char *text = pg_server_sql(sql);
    CHECK(text != NULL);
    const uint64_t v = strtoull(text, NULL, 10);
    free(text);
    return v;
}

/* The next job; 0: none. */
static uint64_t claim(cuzk_job_store *s)
{
    uint64_t number = 0;
    cuzk_err err = {0};
    CHECK_OK(s->shared->claim(s->arg, 1, NULL, 0, note, &number, &err), &err);
    return number;
}

static void end(cuzk_job_store *s, uint64_t number, cuzk_job_state state, uint64_t device_ms)
{
    static const uint8_t proof[1920] = {7};
    cuzk_err err = {0};
    const cuzk_job_record r = {.number = number,
                               .state = state,
                               .ended_unix_ms = now_ms(),
                               .gpu_compute_ms = device_ms,
                               .proof = {proof, state == CUZK_JOB_COMPLETED ? sizeof(proof) : 0},
                               .error = ""};
    CHECK_OK(s->finish(s->arg, &r, &err), &err);
}

static cuzk_pg_fleet_status status(void)
{
    cuzk_pg_fleet_status out;
    cuzk_err err = {0};
    const cuzk_pg_config c = {.url = pg_server_url()};
    CHECK_OK(cuzk_pg_fleet_status_read(&out, &c, &err), &err);
    return out;
}

static void set_client(const char *name, uint64_t weight, uint64_t max_jobs)
{
    cuzk_err err = {0};
    const cuzk_pg_config c = {.url = pg_server_url()};
    CHECK_OK(cuzk_pg_client_set(&c, name, weight, max_jobs, &err), &err);
}

static void report(cuzk_job_store *s, uint32_t places, const char *loaded)
{
    cuzk_queue_report r = {.places = places, .devices = places, .healthy = places};
    (void)snprintf(r.loaded, sizeof(r.loaded), "%s", loaded);
    s->shared->report(s->arg, &r);
}

/* Twenty jobs of one client, then of two others; heavy has the weight 2. */
static void shares(void)
{
    cuzk_job_store s = join("a");
    const uint64_t n = first(&s);
    cuzk_err err = {0};
    uint32_t got[3] = {0, 0, 0};
    set_client("heavy", 200, UINT64_MAX);
    for (uint64_t i = 0; i < 60; i++) {
        const char *owner = i < 20 ? "first" : i < 40 ? "heavy" : "last";
        CHECK_OK(put(&s, n + i, (wish){.owner = owner, .circuit = "porep-2k"}, &err), &err);
    }
    for (int i = 0; i < 28; i++) {
        const uint64_t number = claim(&s);
        CHECK(number >= n && number < n + 60);
        got[(number - n) / 20]++;
        CHECK_STATUS(s.shared->start(s.arg, number, NULL), CUZK_OK);
        end(&s, number, CUZK_JOB_COMPLETED, 10);
    }
    /* 1 : 2 : 1, whoever came first */
    CHECK_MSG(got[0] >= 6 && got[0] <= 8 && got[1] >= 13 && got[1] <= 15 && got[2] >= 6 &&
                  got[2] <= 8,
              "%u %u %u", got[0], got[1], got[2]);
    s.destroy(s.arg);
}

/* Who comes later is not put behind all that another client has ever had. */
static void a_new_client_does_not_wait_for_the_past(void)
{
    cuzk_job_store s = join("a");
    const uint64_t n = first(&s);
    cuzk_err err = {0};
    for (uint64_t i = 0; i < 30; i++) {
        CHECK_OK(put(&s, n + i, (wish){.owner = "old", .circuit = "porep-2k"}, &err), &err);
    }
    for (int i = 0; i < 30; i++) {
        end(&s, claim(&s), CUZK_JOB_COMPLETED, 1);
    }
    CHECK_OK(put(&s, n + 30, (wish){.owner = "old", .circuit = "porep-2k"}, &err), &err);
    for (uint64_t i = 31; i < 41;
         i++) { /* nor may it take all for as long as the other one has had it */
        CHECK_OK(put(&s, n + i, (wish){.owner = "new", .circuit = "porep-2k"}, &err), &err);
    }
    bool old_was_early = false;
    for (int i = 0; i < 4; i++) {
        old_was_early = old_was_early || claim(&s) == n + 30;
    }
    CHECK(old_was_early);
    s.destroy(s.arg);
}

static void quotas_and_accounts(void)
{
    cuzk_job_store a = join("a"), b = join("b");
    const uint64_t n = first(&a);
    cuzk_err err = {0};
    const wish w = {.owner = "token:small", .circuit = "porep-2k"};
    set_client("token:small", 0, 2);
    CHECK_OK(put(&a, n, w, &err), &err);
    CHECK_OK(put(&b, first(&b), w, &err), &err);
    CHECK_STATUS(put(&a, n + 1, w, &err), CUZK_E_BUDGET);
    CHECK_MSG(strstr(err.msg, "\"token:small\": has as many jobs as its quota allows") != NULL,
              "%s", err.msg);
    CHECK_OK(put(&a, n + 2, (wish){.owner = "other", .circuit = "porep-2k"}, &err), &err);
    wish winning = w;
    winning.is_privileged = true;
    winning.kind = CUZK_JOB_WINNING;
    CHECK_OK(put(&a, n + 3, winning, &err), &err); /* never refused */
    end(&a, claim(&a), CUZK_JOB_COMPLETED, 1500);  /* the WinningPoSt: its class is first */
    end(&b, claim(&b), CUZK_JOB_COMPLETED, 2500);
    end(&b, claim(&b), CUZK_JOB_FAILED, 100);
    end(&a, claim(&a), CUZK_JOB_CANCELLED, 0);
    CHECK_OK(put(&a, n + 4, w, &err), &err); /* there is room again */
    cuzk_pg_fleet_status s = status();
    CHECK_U64(s.n_clients, 2);
    uint64_t completed = 0, failed = 0, cancelled = 0, device_ms = 0, proofs = 0;
    for (size_t i = 0; i < s.n_clients; i++) {
        const cuzk_pg_client_status *c = &s.clients[i];
        completed += c->completed;
        failed += c->failed;
        cancelled += c->cancelled;
        device_ms += c->device_ms;
        proofs += c->proofs;
        if (strcmp(c->name, "token:small") == 0) {
            CHECK(c->max_jobs == 2 && c->weight == 100 && c->queued == 1);
        }
    }
    CHECK(completed == 2 && failed == 1 && cancelled == 1 && proofs == 20 && device_ms == 4100);
    cuzk_pg_fleet_status_free(&s);
    a.destroy(a.arg);
    b.destroy(b.arg);
}

static void deadlines(void)
{
    cuzk_job_store s = join("a");
    const uint64_t n = first(&s);
    cuzk_err err = {0};
    wish w = {.owner = "c", .circuit = "wpost-2k", .kind = CUZK_JOB_WINDOW, .deadline_ms = 60000};
    CHECK_OK(put(&s, n, w, &err), &err); /* nothing is known */
    free(pg_server_sql("INSERT INTO cuzk_pace VALUES ('wpost-2k', 'a', 20000)"));
    free(pg_server_sql("UPDATE cuzk_member SET places = 1"));
    CHECK_OK(put(&s, n + 1, w, &err), &err); /* 20 s before it, 20 s itself */
    w.deadline_ms = 15000;
    CHECK_STATUS(put(&s, n + 2, w, &err), CUZK_E_BUDGET);
    CHECK_MSG(strstr(err.msg, "deadline: the fleet needs about 20000 ms") != NULL, "%s", err.msg);
    w.deadline_ms = 70000; /* after both: 60 s; then there is a third one before it */
    CHECK_OK(put(&s, n + 3, w, &err), &err);
    w.deadline_ms = 71000;
    CHECK_STATUS(put(&s, n + 4, w, &err), CUZK_E_BUDGET);
    free(pg_server_sql("UPDATE cuzk_member SET places = 4"));
    CHECK_OK(put(&s, n + 4, w, &err), &err);
    w.deadline_ms = 1000;
    w.is_privileged = true;
    CHECK_OK(put(&s, n + 5, w, &err), &err);
    s.destroy(s.arg);
}

/* A C1 that says only when it is parsed what it is for: the time of its job is kept all the same, for the next deadline. */
static void a_circuit_that_is_known_late(void)
{
    cuzk_job_store s = join("a");
    const uint64_t n = first(&s);
    cuzk_err err = {0};
    static const uint8_t proof[1920] = {7};
    wish w = {.owner = "c"};
    CHECK_OK(put(&s, n, w, &err), &err);
    CHECK_U64(claim(&s), n);
    CHECK_OK(s.shared->start(s.arg, n, &err), &err);
    const cuzk_job_record r = {.number = n,
                               .state = CUZK_JOB_COMPLETED,
                               .ended_unix_ms = now_ms(),
                               .proof = {proof, sizeof(proof)},
                               .circuit = "porep-2k",
                               .error = ""};
    CHECK_OK(s.finish(s.arg, &r, &err), &err);
    CHECK_U64(sql_u64("SELECT count(*) FROM cuzk_pace WHERE circuit = 'porep-2k'"), 1);
    free(pg_server_sql("UPDATE cuzk_pace SET ms = 20000; UPDATE cuzk_member SET places = 1"));
    w = (wish){.owner = "c", .circuit = "porep-2k", .deadline_ms = 15000};
    CHECK_STATUS(put(&s, n + 1, w, &err), CUZK_E_BUDGET);
    s.destroy(s.arg);
}

static void loaded_circuits_go_first(void)
{
    cuzk_job_store a = join("a"), b = join("b");
    const uint64_t n = first(&a);
    cuzk_err err = {0};
    static const char *const circuits[] = {"porep-2k", "wpost-2k", "porep-2k", "wpost-2k"};
    for (uint64_t i = 0; i < 4; i++) {
        CHECK_OK(put(&a, n + i, (wish){.owner = "c", .circuit = circuits[i]}, &err), &err);
    }
    report(&b, 1, " snap-2k wpost-2k ");
    CHECK_U64(claim(&b) - n, 1);
    CHECK_U64(claim(&a) - n, 0); /* nothing loaded: as they came */
    /* its minute is over: the turn of the first one has come */
    free(pg_server_sql("UPDATE cuzk_job SET accepted_at = accepted_at - interval '2 minutes'"));
    CHECK_U64(claim(&b) - n, 2);
    CHECK_U64(claim(&b) - n, 3);
    a.destroy(a.arg);
    b.destroy(b.arg);
}

/* For a moment a WinningPoSt is left to the daemon that is much faster. */
static void winning_goes_to_the_fastest(void)
{
    cuzk_job_store fast = join("fast"), slow = join("slow");
    const uint64_t n = first(&fast);
    cuzk_err err = {0};
    const wish w = {
        .owner = "c", .circuit = "winning-2k", .kind = CUZK_JOB_WINNING, .is_privileged = true};
    free(pg_server_sql(
        "INSERT INTO cuzk_pace VALUES ('winning-2k', 'fast', 100), ('winning-2k', 'slow', 151)"));
    CHECK_OK(put(&slow, n, w, &err), &err);
    free(pg_server_sql(
        "UPDATE cuzk_job SET accepted_at = now() + interval '1 hour'")); /* however slow the test */
    CHECK_U64(claim(&slow), 0);
    CHECK_U64(claim(&fast), n);
    CHECK_STATUS(fast.shared->release(fast.arg, n, NULL), CUZK_OK);
    free(pg_server_sql("UPDATE cuzk_job SET accepted_at = now() - interval '1 second'"));
    CHECK_U64(claim(&slow), n); /* the fast one has no room */
    fast.destroy(fast.arg);
    slow.destroy(slow.arg);
}

static void members_say_what_they_have(void)
{
    cuzk_job_store a = join("a");
    report(&a, 3, " porep-32g "); /* renews at once */
    for (bool is_seen = false; !is_seen;) {
        cuzk_pg_fleet_status s = status();
        CHECK(s.n_members == 1 && s.members[0].is_alive && s.schema_version == 4);
        is_seen = s.places == 3 && strstr(s.members[0].loaded, "porep-32g") != NULL;
        CHECK(!is_seen || (s.members[0].devices == 3 && s.members[0].healthy == 3));
        cuzk_pg_fleet_status_free(&s);
    }
    a.destroy(a.arg);
}

static const cuzk_case cases[] = {CASE(shares),
                                  CASE(a_new_client_does_not_wait_for_the_past),
                                  CASE(quotas_and_accounts),
                                  CASE(deadlines),
                                  CASE(a_circuit_that_is_known_late),
                                  CASE(loaded_circuits_go_first),
                                  CASE(winning_goes_to_the_fastest),
                                  CASE(members_say_what_they_have)};
TEST_MAIN("fleet/clients", cases)
