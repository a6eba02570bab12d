/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "part_history.h"

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#include "pg_server.h"
#include "test.h"

#define TASKS (UINT64_C(1) << 32)

void part_history_begin(void)
{
    free(pg_server_sql(
        "CREATE TABLE test_parts (seq bigserial PRIMARY KEY, op text, number bigint, part bigint,"
        " state bigint, member bigint, fence bigint, deaths bigint, proof text, was_alive boolean,"
        " is_holder boolean);"
        "CREATE FUNCTION test_write_part() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " IF TG_OP = 'DELETE' THEN"
        "  INSERT INTO test_parts (op, number, part) VALUES (TG_OP, OLD.number, OLD.part);"
        "  RETURN NULL; END IF;"
        /* a commit whose answer was lost is written again, and changes nothing */
        " IF TG_OP = 'UPDATE' AND OLD IS NOT DISTINCT FROM NEW THEN RETURN NULL; END IF;"
        " INSERT INTO test_parts (op, number, part, state, member, fence, deaths, proof, was_alive,"
        "  is_holder) VALUES (TG_OP, NEW.number, NEW.part, NEW.state, NEW.member, NEW.fence,"
        "  NEW.deaths, encode(NEW.proof, 'hex'), CASE WHEN TG_OP = 'UPDATE' THEN"
        "   (SELECT is_alive FROM cuzk_member WHERE incarnation = OLD.member) END,"
        "  EXISTS (SELECT 1 FROM cuzk_job j WHERE j.number = NEW.number AND j.state < 2"
        "   AND j.member = NEW.member AND j.fence = NEW.fence));"
        " RETURN NULL; END $$;"
        "CREATE TRIGGER test_each_part AFTER INSERT OR UPDATE OR DELETE ON cuzk_part"
        " FOR EACH ROW EXECUTE FUNCTION test_write_part()"));
}

typedef struct at {
    char op;
    uint64_t number, part, state, fence, deaths;
    uint64_t member; /* 0: nobody */
    bool was_alive, is_holder, has_proof;
} at;

static uint64_t field(const PGresult *r, int row, int column)
{
    return strtoull(PQgetvalue(r, row, column), NULL, 10); /* "" of NULL is 0 */
}

static void check_taken(const at *was, const at *is, part_sums *sums)
{
    CHECK_MSG(was->state < 2, "partition %" PRIu64 " was taken after its end", is->part);
    sums->taken++;
    if (is->fence >= TASKS) {
        CHECK_MSG(was->member == 0, "partition %" PRIu64 " was taken from a member", is->part);
        sums->by_task++;
    } else {
        CHECK(is->is_holder);
        CHECK(was->member == 0 || (was->fence < TASKS && was->fence != is->fence));
    }
}

static void check_step(const at *was, const at *is, part_sums *sums)
{
    CHECK_MSG(was->state < 2, "partition %" PRIu64 " changed after its end", is->part);
    CHECK(is->deaths >= was->deaths && is->deaths <= was->deaths + 1);
    if (is->deaths != was->deaths) {
        CHECK(was->state == 1 && was->member != 0 && !is->was_alive && is->member == 0);
        CHECK(is->state == (is->deaths >= 3 ? 3 : 0));
        sums->deaths++;
        sums->set_aside += is->state == 3 ? 1 : 0;
        return;
    }
    CHECK(is->state != 3);
    if (is->member != 0 && (is->member != was->member || is->fence != was->fence)) {
        CHECK(is->state < 2);
        check_taken(was, is, sums);
        return;
    }
    if (is->state == 2) {
        CHECK_MSG(is->member == was->member && is->fence == was->fence && is->was_alive,
                  "the proof of partition %" PRIu64 " was written by somebody else", is->part);
        CHECK(is->has_proof && is->fence >= TASKS);
        sums->proved++;
    }
}

part_sums part_history_check(void)
{
    part_sums sums = {.parts = 0};
    at was = {.number = 0};
    PGconn *c = PQconnectdb(pg_server_url());
    PGresult *r = PQexec(c, "SELECT op, number, part, state, fence, deaths, member,"
                            " was_alive IS TRUE, is_holder IS TRUE, length(proof) = 384"
                            " FROM test_parts ORDER BY number, part, seq");
    CHECK_MSG(PQresultStatus(r) == PGRES_TUPLES_OK, "%s", PQresultErrorMessage(r));
    for (int i = 0; i < PQntuples(r); i++) {
        at is = {.op = PQgetvalue(r, i, 0)[0],
                 .number = field(r, i, 1),
                 .part = field(r, i, 2),
                 .state = field(r, i, 3),
                 .fence = field(r, i, 4),
                 .deaths = field(r, i, 5),
                 .member = field(r, i, 6),
                 .was_alive = PQgetvalue(r, i, 7)[0] == 't',
                 .is_holder = PQgetvalue(r, i, 8)[0] == 't',
                 .has_proof = PQgetvalue(r, i, 9)[0] == 't'};
        const bool is_same = was.number == is.number && was.part == is.part && was.op != 'D';
        if (is.op == 'I') {
            CHECK(!is_same && is.state == 0 && is.member == 0 && is.deaths == 0);
            sums.parts++;
        } else if (is.op == 'U') {
            CHECK(is_same);
            check_step(&was, &is, &sums);
        }
        was = is;
    }
    PQclear(r);
    PQfinish(c);
    return sums;
}
