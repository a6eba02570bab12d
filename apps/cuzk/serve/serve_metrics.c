/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the daemon's parts count, as one Prometheus text. */
#include <inttypes.h>
#include <string.h>

#include "api/metrics_text.h"
#include "api/text_buf.h"
#include "base/alloc.h"
#include "rpc/wire/rpc_grpc.h"

#include "serve.h"

static void one(cuzk_text_buf *b, const char *name, const char *type, const char *help, uint64_t v)
{
    cuzk_text_printf(b, "# HELP %s %s\n# TYPE %s %s\n%s %" PRIu64 "\n", name, help, name, type,
                     name, v);
}

static void put_rpc(cuzk_text_buf *b, const cuzk_rpc_stats *s)
{
    one(b, "cuzk_grpc_connections", "gauge", "Open gRPC connections.", s->connections_now);
    one(b, "cuzk_grpc_connections_total", "counter", "gRPC connections accepted.",
        s->connections_total);
    one(b, "cuzk_grpc_connections_refused_total", "counter",
        "gRPC connections closed at once, too many being open.", s->connections_refused);
    one(b, "cuzk_grpc_calls_in_progress", "gauge", "gRPC calls under way.", s->calls_now);
    cuzk_text_printf(b, "# HELP cuzk_grpc_calls_total gRPC calls ended, by status code.\n"
                        "# TYPE cuzk_grpc_calls_total counter\n");
    for (size_t i = 0; i < sizeof(s->calls_by_code) / sizeof(s->calls_by_code[0]); i++) {
        cuzk_text_printf(b, "cuzk_grpc_calls_total{code=\"%s\"} %" PRIu64 "\n",
                         cuzk_grpc_code_name((cuzk_grpc_code)i), s->calls_by_code[i]);
    }
    one(b, "cuzk_grpc_receive_bytes", "gauge", "Buffers reserved for requests being received.",
        s->receive_bytes_now);
    one(b, "cuzk_grpc_receive_waiting", "gauge", "Requests that wait for such a buffer.",
        s->receive_waiting_now);
    one(b, "cuzk_grpc_received_bytes_total", "counter", "Bytes of requests received.",
        s->bytes_received);
}

cuzk_status serve_metrics(void *arg, char **text, size_t *n, cuzk_err *err)
{
    const serve *s = arg;
    cuzk_engine_status st;
    cuzk_text_buf b = {0};
    *text = NULL;
    *n = 0;
    CUZK_TRY(cuzk_engine_get_status(s->engine, &st, err));
    const cuzk_status rc = cuzk_metrics_text(text, n, &st, CUZK_VERSION_STR, err);
    cuzk_engine_status_free(&st);
    if (rc != CUZK_OK) {
        return rc;
    }
    cuzk_text_put(&b, *text, *n);
    cuzk_free(*text);
    cuzk_rpc_stats rpc;
    memset(&rpc, 0, sizeof(rpc));
    cuzk_rpc_server_get_stats(s->rpc, &rpc);
    put_rpc(&b, &rpc);
    return cuzk_text_finish(&b, text, n, err);
}
