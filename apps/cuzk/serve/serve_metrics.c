/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The counters of the daemon's parts as one Prometheus text. */
#include <dirent.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "api/answer/metrics_text.h"
#include "api/answer/text_buf.h"
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
    one(b, "cuzk_grpc_connections_evicted_total", "counter",
        "gRPC connections closed because they were idle while others waited, or did not read their "
        "answers.",
        s->connections_evicted);
    one(b, "cuzk_grpc_uploads_ended_total", "counter",
        "Requests ended because they came too slowly while others waited.", s->uploads_ended);
    one(b, "cuzk_grpc_answer_bytes", "gauge", "Answers that their callers have not taken yet.",
        s->answer_bytes_now);
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
    if (s->certificate_expires != 0) {
        one(b, "cuzk_tls_certificate_expires_seconds", "gauge",
            "Unix time at which the daemon's certificate ends.", s->certificate_expires);
    }
}

static void put_store(cuzk_text_buf *b, const serve *s)
{
    cuzk_store_state st;
    if (!s->has_store || s->is_shared) {
        return;
    }
    cuzk_store_look(&s->store, &st);
    one(b, "cuzk_store_full", "gauge",
        "1 while jobs are refused because the job store's disk is full.", st.is_full ? 1 : 0);
    one(b, "cuzk_store_database_bytes", "gauge", "Size of the job store's database.",
        st.database_bytes);
    one(b, "cuzk_store_input_bytes", "gauge", "Inputs of unfinished jobs in files.",
        st.input_bytes);
    one(b, "cuzk_store_limit_bytes", "gauge", "store.max_size.", st.max_bytes);
    one(b, "cuzk_store_disk_free_bytes", "gauge", "Free space of the job store's disk.",
        st.disk_free_bytes);
}

static uint64_t open_files(void)
{
    uint64_t n = 0;
    DIR *d = opendir("/proc/self/fd");
    if (d == NULL) {
        return 0;
    }
    while (readdir(d) != NULL) { /* NOLINT(concurrency-mt-unsafe): d is ours */
        n++;
    }
    (void)closedir(d);
    return n > 3 ? n - 3 : 0; /* ".", "..", and the folder itself */
}

/* Names that every Prometheus client library uses for its process. */
static void put_process(cuzk_text_buf *b)
{
    struct rusage u;
    struct rlimit files = {.rlim_cur = 0};
    if (getrusage(RUSAGE_SELF, &u) == 0) {
        cuzk_text_printf(b,
                         "# HELP process_cpu_seconds_total CPU time used, user and system.\n"
                         "# TYPE process_cpu_seconds_total counter\n"
                         "process_cpu_seconds_total %.6f\n",
                         (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                             (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6);
    }
    one(b, "process_open_fds", "gauge", "Open file descriptors.", open_files());
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        one(b, "process_max_fds", "gauge", "Limit of open file descriptors.", files.rlim_cur);
    }
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
    put_store(&b, s);
    serve_fleet_metrics(&b, s);
    put_process(&b);
    one(&b, "cuzk_log_lost_lines_total", "counter",
        "Lines of the log that its reader did not take in time.", cuzk_log_lost(s->log));
    return cuzk_text_finish(&b, text, n, err);
}
