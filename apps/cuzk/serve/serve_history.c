/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The history of a day on the page, kept over restarts in a file: next to the job store, or in the state folder with a shared queue. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "api/history/history_file.h"
#include "base/alloc.h"
#include "base/clock.h"

#include "serve.h"

struct serve_history {
    cuzk_history day;
    char *path;
    bool said; /* that it cannot be written; the server's thread has it */
};

static uint64_t unix_secs(void)
{
    const time_t t = time(NULL);
    return t > 0 ? (uint64_t)t : 0;
}

cuzk_status serve_history_open(serve *s, const char *store_path)
{
    static const char suffix[] = ".history";
    const size_t n = strlen(store_path) + sizeof(suffix);
    cuzk_err why = {.code = CUZK_OK};
    serve_history *h = cuzk_alloc_zero(1, sizeof(*h));
    char *path = cuzk_alloc(n, 1);
    if (h == NULL || path == NULL) {
        cuzk_free(h);
        cuzk_free(path);
        return CUZK_FAIL(&s->err, CUZK_E_NOMEM, "no memory for the history of the page");
    }
    (void)snprintf(path, n, "%s%s", store_path, suffix);
    h->path = path;
    if (cuzk_history_load(&h->day, path, cuzk_clock_ns(), unix_secs(), &why) != CUZK_OK) {
        CUZK_LOG(s->log, CUZK_LOG_WARN, "history.not_read", "path", path, "why", why.msg, "what",
                 "the page begins a new day");
    }
    s->history = h;
    return CUZK_OK;
}

cuzk_history *serve_history_day(serve *s)
{
    return s->history != NULL ? &s->history->day : NULL;
}

void serve_history_keep(void *arg, const cuzk_history *day, uint64_t now_ns)
{
    const serve *s = arg;
    serve_history *h = s->history;
    cuzk_err why = {.code = CUZK_OK};
    if (h == NULL) {
        return;
    }
    if (cuzk_history_save(day, h->path, now_ns, unix_secs(), &why) == CUZK_OK) {
        h->said = false;
    } else if (!h->said) {
        h->said = true;
        CUZK_LOG(s->log, CUZK_LOG_WARN, "history.not_kept", "path", h->path, "why", why.msg, "what",
                 "a restart begins a new day on the page");
    }
}

void serve_history_close(serve *s)
{
    if (s->history != NULL) {
        cuzk_free(s->history->path);
        cuzk_free(s->history);
        s->history = NULL;
    }
}
