/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A queue on PostgreSQL that several daemons share (docs/fleet.md). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "config/config_value.h"
#include "rpc/client/rpc_client.h"
#include "sys/file.h"
#ifdef CUZK_FLEET
#    include "store/pg/pg_store.h"
#endif

#include "serve.h"
#include "serve_engine.h"

#ifdef CUZK_FLEET

#    define PART_BYTES ((size_t)1 << 20) /* of an answer of cuzk.fleet.v1 */
#    define CONNECT_MS 3000u
#    define PART_MS    30000u

/* From a thread of the store. */
static void say_event(void *arg, int level, const char *event, const char *text)
{
    static const cuzk_log_level levels[] = {CUZK_LOG_ERROR, CUZK_LOG_WARN, CUZK_LOG_INFO};
    const serve *s = arg;
    CUZK_LOG(s->log, levels[level], event, "what", text);
}

static const char *or_null(const char *text)
{
    return text[0] == '\0' ? NULL : text;
}

/* The first address that other hosts can reach; else the first one. */
static const char *listen_address(const cuzk_config *c)
{
    for (uint32_t i = 0; i < c->listen.n; i++) {
        if (!cuzk_config_listen_is_local(c->listen.item[i])) {
            return c->listen.item[i];
        }
    }
    return c->listen.n > 0 ? c->listen.item[0] : "";
}

/* For the other daemons: an address that means "all of this host's" with the host's name in place of it. */
static void own_address(char out[256], const cuzk_config *c, const char *host)
{
    static const char *const any[] = {"0.0.0.0:", "[::]:", ":"};
    const char *a = c->store_address[0] != '\0' ? c->store_address : listen_address(c);
    const char *rest = strstr(a, "://");
    const size_t scheme = rest == NULL ? 0 : (size_t)(rest - a) + 3;
    for (size_t i = 0; i < sizeof(any) / sizeof(any[0]); i++) {
        if (strncmp(a + scheme, any[i], strlen(any[i])) == 0) {
            (void)snprintf(out, 256, "%.*s%s:%s", (int)scheme, a, host,
                           a + scheme + strlen(any[i]));
            return;
        }
    }
    (void)snprintf(out, 256, "%s", a);
}

static cuzk_pg_inputs inputs_of(const cuzk_config *c)
{
    return strcmp(c->store_inputs, "folder") == 0   ? CUZK_PG_INPUTS_FOLDER
           : strcmp(c->store_inputs, "daemon") == 0 ? CUZK_PG_INPUTS_KEEPER
                                                    : CUZK_PG_INPUTS_DATABASE;
}

/* Systemd's state folder of the daemon, else the package's. */
static void state_folder(char out[480])
{
    const char *state =
        getenv("STATE_DIRECTORY"); /* NOLINT(concurrency-mt-unsafe): nobody here calls setenv */
    const bool has_state = state != NULL && state[0] != '\0';
    (void)snprintf(out, 480, "%.*s", has_state ? (int)strcspn(state, ":") : 13,
                   has_state ? state : "/var/lib/cuzk");
}

/* NULL: no folder is set, and there is no default for this kind of inputs. */
static const char *inputs_folder(const cuzk_config *c, char room[512])
{
    char state[480];
    if (c->store_inputs_folder[0] != '\0') {
        return c->store_inputs_folder;
    }
    if (inputs_of(c) != CUZK_PG_INPUTS_KEEPER) {
        return NULL;
    }
    state_folder(state);
    (void)snprintf(room, 512, "%s/inputs", state);
    return room;
}

/* The page's history is of this daemon alone, so it is kept on this host: MEMBER.history in the state folder. Without such a
 * folder a restart begins a new day. */
static cuzk_status open_history(serve *s, const char *member)
{
    char state[480], path[480 + CUZK_PG_MEMBER_NAME_BYTES];
    state_folder(state);
    if (access(state, W_OK | X_OK) != 0) {
        return CUZK_OK;
    }
    (void)snprintf(path, sizeof(path), "%s/%s", state, member);
    return serve_history_open(s, path);
}

cuzk_status serve_input_part(void *arg, const char *name, uint64_t at, uint8_t **out, size_t *n,
                             cuzk_err *err)
{
    const serve *s = arg;
    return cuzk_pg_input_part(&s->store, name, at, PART_BYTES, out, n, err);
}

/* The first line; NUL-terminated, freed with cuzk_free. */
static cuzk_status read_token(char **out, const char *path, cuzk_err *err)
{
    cuzk_content c = {.data = NULL};
    CUZK_TRY(cuzk_content_read(&c, path, 4096, err));
    size_t n = 0;
    while (n < c.size && c.data[n] != '\n' && c.data[n] != '\r') {
        n++;
    }
    *out = cuzk_alloc(n + 1, 1);
    if (*out != NULL) {
        (void)snprintf(*out, n + 1, "%.*s", (int)n, n > 0 ? (const char *)c.data : "");
    }
    cuzk_content_free(&c);
    return *out != NULL ? CUZK_OK : CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory for a token");
}

static cuzk_status fetch_input(void *arg, const char *address, const char *name, uint8_t *out,
                               size_t n, cuzk_err *err)
{
    const serve *s = arg;
    const cuzk_config *c = s->config;
    char *token = NULL;
    cuzk_rpc_client *client = NULL;
    cuzk_err why = {.code = CUZK_OK};
    cuzk_status st = c->store_peer_token_file[0] == '\0'
                         ? CUZK_OK
                         : read_token(&token, c->store_peer_token_file, &why);
    const cuzk_rpc_client_config config = {.address = address,
                                           .tls_ca = or_null(c->store_peer_ca),
                                           .token = token,
                                           .connect_ms = CONNECT_MS,
                                           .timeout_ms = PART_MS};
    if (st == CUZK_OK) {
        st = cuzk_rpc_client_create(&client, &config, &why);
    }
    if (st == CUZK_OK) {
        st = cuzk_rpc_client_read_input(client, name, out, n, &why);
    }
    cuzk_rpc_client_destroy(client);
    cuzk_free(token);
    if (st != CUZK_OK &&
        st != CUZK_E_NOT_FOUND) { /* a daemon that cannot be asked says nothing about the input */
        st = CUZK_E_IO;
    }
    return st == CUZK_OK
               ? st
               : CUZK_FAIL(err, st, "the daemon %s, which keeps the input: %s", address, why.msg);
}

cuzk_status serve_open_shared_store(serve *s)
{
    const cuzk_config *c = s->config;
    cuzk_engine_config e;
    cuzk_store_report r;
    char host[CUZK_PG_MEMBER_NAME_BYTES] = "", name[CUZK_PG_NAME_BYTES], unfinished[24];
    char address[256], folder[512];
    if (gethostname(host, sizeof(host) - 1) != 0) {
        host[0] = '\0'; /* refused below, by its name */
    }
    own_address(address, c, host);
    serve_engine_config(&e, c);
    cuzk_engine_config_complete(&e);
    const cuzk_pg_member member = {.name = c->store_member[0] != '\0' ? c->store_member : host,
                                   .address = address,
                                   .version = CUZK_VERSION_STR,
                                   .lease_ms = c->store_lease_ms,
                                   .age_ms = e.age_ms,
                                   .on_event = say_event,
                                   .on_event_arg = s};
    const cuzk_pg_config pg = {.url = c->store_url,
                               .password_file = or_null(c->store_password_file),
                               .max_bytes = c->store_max_size,
                               .max_jobs = e.max_queued_jobs,
                               .pack_bytes = serve_pack_bytes(c),
                               .inputs = inputs_of(c),
                               .inputs_folder = inputs_folder(c, folder),
                               .fetch = fetch_input,
                               .fetch_arg = s,
                               .member = &member};
    CUZK_TRY(cuzk_pg_describe(name, c->store_url, &s->err));
    CUZK_TRY(cuzk_pg_store_open(&s->store, &pg, &r, &s->err));
    s->has_store = s->is_shared = true;
    CUZK_TRY(serve_fleet_create(s));
    (void)snprintf(unfinished, sizeof(unfinished), "%" PRIu64, r.unfinished);
    CUZK_LOG(s->log, CUZK_LOG_INFO, "store.open", "path", name, "member", member.name, "unfinished",
             unfinished);
    return open_history(s, member.name);
}

#else

cuzk_status serve_input_part(void *arg, const char *name, uint64_t at, uint8_t **out, size_t *n,
                             cuzk_err *err)
{
    (void)arg;
    (void)name;
    (void)at;
    (void)out;
    (void)n;
    return CUZK_FAIL(err, CUZK_E_NOT_FOUND, "this daemon keeps no inputs");
}

cuzk_status serve_open_shared_store(serve *s)
{
    return CUZK_FAIL(&s->err, CUZK_E_UNSUPPORTED,
                     "store.url: this program was built without libpq (-DCUZK_FLEET=ON)");
}

#endif
