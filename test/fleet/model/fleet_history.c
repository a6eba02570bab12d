/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "fleet_history.h"

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#include "pg_server.h"
#include "test.h"

void history_begin(void)
{
    free(pg_server_sql(
        "CREATE TABLE test_history (seq bigserial PRIMARY KEY, number bigint, state bigint,"
        " member bigint, fence bigint, deaths bigint, was_member bigint, was_alive boolean,"
        " by_holder boolean);"
        "CREATE FUNCTION test_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " INSERT INTO test_history (number, state, member, fence, deaths, was_member, was_alive,"
        "  by_holder)"
        " VALUES (NEW.number, NEW.state, NEW.member, NEW.fence, NEW.deaths,"
        "  CASE WHEN TG_OP = 'UPDATE' THEN OLD.member END,"
        "  CASE WHEN TG_OP = 'UPDATE' THEN"
        "   (SELECT is_alive FROM cuzk_member WHERE incarnation = OLD.member) END,"
        "  CASE WHEN TG_OP = 'UPDATE' THEN"
        "   (SELECT name = NEW.proved_by FROM cuzk_member WHERE incarnation = OLD.member) END);"
        " RETURN NULL; END $$;"
        "CREATE TRIGGER test_each AFTER INSERT OR UPDATE ON cuzk_job"
        " FOR EACH ROW EXECUTE FUNCTION test_write()"));
}

typedef struct at {
    uint64_t number, state, fence, deaths;
    uint64_t member, was_member; /* 0: nobody */
    bool was_dead, by_holder;
} at;

static uint64_t field(const PGresult *r, int row, int column)
{
    return strtoull(PQgetvalue(r, row, column), NULL, 10); /* "" of NULL is 0 */
}

static void check_step(const at *was, const at *is, history_sums *sums)
{
    CHECK_MSG(was->state < 2, "job %" PRIu64 " changed after its end", is->number);
    CHECK_U64(is->was_member, was->member);
    CHECK(is->fence >= was->fence && is->deaths >= was->deaths);
    if (is->member != 0 && is->member != was->member) { /* a claim */
        CHECK_MSG(was->member == 0, "job %" PRIu64 " was taken from a holder", is->number);
        CHECK_U64(is->fence, was->fence + 1);
        CHECK(is->state == 0);
        sums->claims++;
    } else {
        CHECK_U64(is->fence, was->fence);
    }
    if (is->deaths != was->deaths) {
        CHECK(is->deaths == was->deaths + 1 && was->state == 1 && is->was_dead);
    }
    if (is->state < 2) {
        return;
    }
    sums->ended++;
    if (was->member == 0) {
        CHECK_U64(is->state, 4);
    } else if (is->was_dead) { /* set aside, or written by its holder before others took notice */
        CHECK(is->deaths == 3 || is->deaths == was->deaths);
    }
    if (was->member != 0 && is->deaths == was->deaths) {
        CHECK_MSG(is->by_holder, "job %" PRIu64 " was ended by somebody else", is->number);
    }
    sums->set_aside += is->deaths == 3 && is->deaths != was->deaths ? 1 : 0;
    sums->cancelled += is->state == 4 ? 1 : 0;
}

history_sums history_check(void)
{
    history_sums sums = {.jobs = 0};
    at was = {.number = 0};
    PGconn *c = PQconnectdb(pg_server_url());
    PGresult *r =
        PQexec(c, "SELECT number, state, fence, deaths, member, was_member,"
                  " was_alive IS FALSE, by_holder IS TRUE FROM test_history ORDER BY number, seq");
    CHECK_MSG(PQresultStatus(r) == PGRES_TUPLES_OK, "%s", PQresultErrorMessage(r));
    for (int i = 0; i < PQntuples(r); i++) {
        at is = {.number = field(r, i, 0),
                 .state = field(r, i, 1),
                 .fence = field(r, i, 2),
                 .deaths = field(r, i, 3),
                 .member = field(r, i, 4),
                 .was_member = field(r, i, 5),
                 .was_dead = PQgetvalue(r, i, 6)[0] == 't',
                 .by_holder = PQgetvalue(r, i, 7)[0] == 't'};
        if (is.number != was.number) {
            sums.jobs++;
            CHECK(is.state == 0 && is.deaths == 0);
            CHECK_U64(is.fence, is.member != 0 ? 1 : 0);
        } else {
            check_step(&was, &is, &sums);
        }
        was = is;
    }
    PQclear(r);
    PQfinish(c);
    char *odd = pg_server_sql(
        "SELECT (SELECT count(*) FROM cuzk_job j WHERE state < 2 AND input_place = 0 AND NOT EXISTS"
        " (SELECT 1 FROM cuzk_input i WHERE i.number = j.number)) + (SELECT count(*) FROM"
        " cuzk_input i LEFT JOIN cuzk_job j ON j.number = i.number WHERE coalesce(j.state, 2) >= 2)");
    CHECK_STR(odd, "0");
    free(odd);
    return sums;
}
