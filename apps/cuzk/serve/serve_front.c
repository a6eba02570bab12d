/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The shares of the gRPC and HTTP servers in memory.total_budget and in the process's descriptors. */
#include <sys/resource.h>

#include "store/pg/pg_store.h"

#include "serve.h"
#include "serve_engine.h"

#define CONNECTION_BYTES ((uint64_t)32 << 10) /* what one takes, about: buffers, headers, TLS */
#define CALL_BYTES       ((uint64_t)4 << 10)
#define HTTP_CONNECTIONS 64u
/* For the store, parameter files, devices and the HTTP server's 144, where the limit is that large. */
#define OTHER_FILES      512u

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The limit of open files that holds now. */
static uint64_t files(void)
{
    struct rlimit r;
    return getrlimit(RLIMIT_NOFILE, &r) == 0 ? r.rlim_cur : 1024;
}

void serve_raise_file_limit(void)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
        r.rlim_cur = r.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &r);
    }
}

uint64_t serve_receive_bytes(const cuzk_config *c)
{
    cuzk_engine_config e;
    serve_engine_config(&e, c);
    cuzk_engine_config_complete(&e); /* "auto" becomes a number */
    return least(c->receive_budget, e.budget_bytes / 4);
}

uint64_t serve_pack_bytes(const cuzk_config *c)
{
    return c->store_url[0] == '\0' ? 0 : least(c->max_message, serve_receive_bytes(c) / 4);
}

/* What jobs that are being put take of the memory for requests. */
static uint64_t packing_bytes(const cuzk_config *c)
{
    return c->store_url[0] == '\0'
               ? 0
               : least(serve_pack_bytes(c) + CUZK_PG_PACK_BYTES_MORE, serve_receive_bytes(c) / 2);
}

cuzk_rpc_limits serve_front_limits(const cuzk_config *c)
{
    const uint64_t n = files(), all = serve_receive_bytes(c), packing = packing_bytes(c);
    cuzk_rpc_limits l = {.receive_budget = all - packing};
    const uint64_t part = all / 8;
    l.max_message = (size_t)least(c->max_message, l.receive_budget - part);
    l.stash_budget = most(least(part, (uint64_t)64 << 20), (uint64_t)2 << 20);
    l.answer_budget = most(least(part, (uint64_t)64 << 20), (uint64_t)2 << 20);
    l.max_connections = (uint32_t)least(c->max_connections, most(part / CONNECTION_BYTES, 64));
    l.max_connections = (uint32_t)least(
        l.max_connections, n > 2 * (uint64_t)OTHER_FILES ? n - OTHER_FILES : most(n / 2, 8));
    l.max_calls = (uint32_t)least(most(part / 2 / CALL_BYTES, 1024), 65536);
    return l;
}

uint64_t serve_front_bytes(const cuzk_rpc_limits *l)
{
    return l->receive_budget + l->stash_budget + l->answer_budget +
           CONNECTION_BYTES * l->max_connections + CALL_BYTES * l->max_calls;
}

uint32_t serve_http_connections(void)
{
    return (uint32_t)least(HTTP_CONNECTIONS, most(files() / 32, 4));
}
