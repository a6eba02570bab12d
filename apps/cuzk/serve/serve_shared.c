/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A queue on PostgreSQL that several daemons share (docs/fleet.md). */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "config/config_value.h"
#ifdef CUZK_FLEET
#    include "store/pg/pg_store.h"
#endif

#include "serve.h"
#include "serve_engine.h"

#ifdef CUZK_FLEET

/* From a thread of the store. */
static void say_event(void *arg, int level, const char *event, const char *text)
{
    static const cuzk_log_level levels[] = {CUZK_LOG_ERROR, CUZK_LOG_WARN, CUZK_LOG_INFO};
    const serve *s = arg;
    CUZK_LOG(s->log, levels[level], event, "what", text);
}

/* The first address that other hosts can reach, for "cuzk fleet status"; else the first one. */
static const char *own_address(const cuzk_config *c)
{
    for (uint32_t i = 0; i < c->listen.n; i++) {
        if (!cuzk_config_listen_is_local(c->listen.item[i])) {
            return c->listen.item[i];
        }
    }
    return c->listen.n > 0 ? c->listen.item[0] : "";
}

static const char *or_null(const char *text)
{
    return text[0] == '\0' ? NULL : text;
}

cuzk_status serve_open_shared_store(serve *s)
{
    const cuzk_config *c = s->config;
    cuzk_engine_config e;
    cuzk_store_report r;
    char host[CUZK_PG_MEMBER_NAME_BYTES] = "", name[CUZK_PG_NAME_BYTES], unfinished[24];
    if (gethostname(host, sizeof(host) - 1) != 0) {
        host[0] = '\0'; /* refused below, by its name */
    }
    serve_engine_config(&e, c);
    cuzk_engine_config_complete(&e);
    const cuzk_pg_member member = {.name = c->store_member[0] != '\0' ? c->store_member : host,
                                   .address = own_address(c),
                                   .version = CUZK_VERSION_STR,
                                   .lease_ms = c->store_lease_ms,
                                   .age_ms = e.age_ms,
                                   .on_event = say_event,
                                   .on_event_arg = s};
    const cuzk_pg_config pg = {.url = c->store_url,
                               .password_file = or_null(c->store_password_file),
                               .max_bytes = c->store_max_size,
                               .max_jobs = e.max_queued_jobs,
                               .member = &member};
    CUZK_TRY(cuzk_pg_describe(name, c->store_url, &s->err));
    CUZK_TRY(cuzk_pg_store_open(&s->store, &pg, &r, &s->err));
    s->has_store = s->is_shared = true;
    (void)snprintf(unfinished, sizeof(unfinished), "%" PRIu64, r.unfinished);
    CUZK_LOG(s->log, CUZK_LOG_INFO, "store.open", "path", name, "member", member.name, "unfinished",
             unfinished);
    return CUZK_OK;
}

#else

cuzk_status serve_open_shared_store(serve *s)
{
    return CUZK_FAIL(&s->err, CUZK_E_UNSUPPORTED,
                     "store.url: this program was built without libpq (-DCUZK_FLEET=ON)");
}

#endif
