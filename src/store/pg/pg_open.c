/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>
#include <time.h>

#include "base/alloc.h"

#include "pg_folder.h"
#include "pg_internal.h"

#define DEFAULT_MAX_BYTES  ((uint64_t)64 << 30)
#define DEFAULT_PACK_BYTES ((uint64_t)64 << 20)
#define PACKINGS           (CUZK_PG_PACK_BYTES_MORE / PG_MAKE_BYTES)
#define DEFAULT_RETRY_MS   10000u
#define DEFAULT_ANSWER_MS  30000u

static char *copy_text(const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = cuzk_alloc(n, 1);
    if (copy != NULL) {
        memcpy(copy, text, n);
    }
    return copy;
}

static bool init_locks(pg_store *s, uint64_t pack_bytes)
{
    pthread_condattr_t attr;
    if (pthread_mutex_init(&s->mutex, NULL) != 0) {
        return false;
    }
    bool ok = pthread_condattr_init(&attr) == 0;
    ok = ok && pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
         pthread_cond_init(&s->freed, &attr) == 0;
    (void)pthread_condattr_destroy(&attr);
    if (ok && !pack_room_init(&s->pack_room, pack_bytes, PACKINGS)) {
        (void)pthread_cond_destroy(&s->freed);
        ok = false;
    }
    if (!ok) {
        (void)pthread_mutex_destroy(&s->mutex);
    }
    return ok;
}

cuzk_status pg_store_new(pg_store **out, const cuzk_pg_config *config, cuzk_err *err)
{
    char name[CUZK_PG_NAME_BYTES];
    CUZK_TRY(cuzk_pg_describe(name, config->url, err));
    pg_store *s = cuzk_alloc_zero(1, sizeof(*s));
    if (s == NULL ||
        !init_locks(s, config->pack_bytes == 0 ? DEFAULT_PACK_BYTES : config->pack_bytes)) {
        cuzk_free(s);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the job store");
    }
    memcpy(s->name, name, sizeof(name));
    s->max_bytes = config->max_bytes == 0 ? DEFAULT_MAX_BYTES : config->max_bytes;
    s->max_jobs = config->max_jobs;
    s->retry_ms = config->retry_ms == 0 ? DEFAULT_RETRY_MS : config->retry_ms;
    s->answer_ms = config->answer_ms == 0 ? DEFAULT_ANSWER_MS : config->answer_ms;
    s->url = copy_text(config->url);
    s->password_file = config->password_file == NULL ? NULL : copy_text(config->password_file);
    s->place = config->inputs == CUZK_PG_INPUTS_FOLDER   ? PG_PLACE_FOLDER
               : config->inputs == CUZK_PG_INPUTS_KEEPER ? PG_PLACE_KEEPER
                                                         : PG_PLACE_DATABASE;
    s->fetch = config->fetch;
    s->fetch_arg = config->fetch_arg;
    if (s->place != PG_PLACE_DATABASE && config->inputs_folder != NULL) {
        s->folder = copy_text(config->inputs_folder);
    }
    if (s->place != PG_PLACE_DATABASE && s->folder == NULL) {
        pg_store_free(s);
        return config->inputs_folder == NULL
                   ? CUZK_FAIL(err, CUZK_E_INVALID, "store.inputs_folder: not given")
                   : CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the job store");
    }
    if (s->url == NULL || (s->password_file == NULL && config->password_file != NULL)) {
        pg_store_free(s);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the job store");
    }
    *out = s;
    return CUZK_OK;
}

static cuzk_status take_stock(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err)
{
    cuzk_store_report *report = arg;
    PGresult *r = NULL;
    (void)s;
    (void)is_again;
    CUZK_TRY(pg_exec(c, &r, "count",
                     "SELECT count(*) FILTER (WHERE state < 2), count(*) FILTER (WHERE state >= 2)"
                     " FROM cuzk_job",
                     NULL, err));
    report->unfinished = pg_u64(r, 0, 0);
    report->ended = pg_u64(r, 0, 1);
    PQclear(r);
    return CUZK_OK;
}

cuzk_status cuzk_pg_store_open(cuzk_job_store *out, const cuzk_pg_config *config,
                               cuzk_store_report *report, cuzk_err *err)
{
    cuzk_store_report unwanted;
    pg_store *s = NULL;
    report = report == NULL ? &unwanted : report;
    memset(report, 0, sizeof(*report));
    CUZK_TRY(pg_store_new(&s, config, err));
    cuzk_status st = pg_run(s, pg_migrate, NULL, err);
    s->is_open = st == CUZK_OK;
    if (st == CUZK_OK) {
        st = pg_run(s, take_stock, report, err);
    }
    if (st == CUZK_OK) {
        st = pg_folder_open(s, err);
    }
    if (st == CUZK_OK && config->member != NULL) {
        st = pg_fleet_open(s, config->member, err);
    }
    if (st != CUZK_OK) {
        pg_store_free(s);
        return st;
    }
    pg_functions(out, s);
    return CUZK_OK;
}
