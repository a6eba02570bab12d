/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The table of keys: name, type, default, meaning. docs/daemon.md has this table. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "config_internal.h"

#define AT(field) offsetof(cuzk_config, field)
#define KIB       ((uint64_t)1 << 10)
#define MIB       ((uint64_t)1 << 20)
#define GIB       ((uint64_t)1 << 30)
#define HOUR      ((uint64_t)3600000)
#define ANY       INT64_MAX

/* clang-format off */
const config_key config_keys[] = {
    {"daemon.listen", T_LISTEN, USE_KEY, AT(listen), 0, 0, "unix:///run/curio/cuzk.sock", NULL, NULL,
     "Where gRPC is served: an address, or an array of them. `unix:///path`, `HOST:PORT`, `[IPV6]:PORT`; `http://` before the latter two: without TLS, `https://`: with TLS."},
    {"daemon.http_listen", T_ADDRESS, USE_KEY, AT(http_listen), 0, 0, "", NULL, NULL,
     "Where HTTP is served (the page, /metrics, /status, /healthz, /readyz): `HOST:PORT`; empty: nowhere. Read only and without authentication."},
    {"daemon.status_listen", T_ADDRESS, USE_ALIAS, AT(http_listen), 0, 0, "", NULL, "daemon.http_listen", NULL},
    {"daemon.allow_origin", T_STRING, USE_KEY, AT(allow_origin), 0, 0, "", NULL, NULL,
     "Value of Access-Control-Allow-Origin of the HTTP answers; empty: none (the original sent `*`)."},
    {"daemon.socket_mode", T_MODE, USE_KEY, AT(socket_mode), 0, 0777, "0660", NULL, NULL,
     "Permissions of unix sockets."},
    {"daemon.tls_cert", T_STRING, USE_KEY, AT(tls_cert), 0, 0, "", NULL, NULL,
     "Certificate chain (PEM). With it every TCP address of `listen` is TLS unless it says `http://`."},
    {"daemon.tls_key", T_STRING, USE_KEY, AT(tls_key), 0, 0, "", NULL, NULL, "Its private key (PEM)."},
    {"daemon.tls_client_ca", T_STRING, USE_KEY, AT(tls_client_ca), 0, 0, "", NULL, NULL,
     "Clients must show a certificate signed by this authority (PEM)."},
    {"daemon.token_file", T_STRING, USE_KEY, AT(token_file), 0, 0, "", NULL, NULL,
     "File of tokens: lines `NAME ROLE SECRET` (roles: observe, submit, administer), or one secret of at least 16 characters alone, which administers. Calls over TCP must carry `authorization: Bearer SECRET`."},
    {"daemon.client_roles", T_STRING, USE_KEY, AT(client_roles), 0, 0, "", NULL, NULL,
     "File with the roles of client certificates: lines `COMMON-NAME ROLE`; others may nothing. Empty: every client certificate administers."},
    {"daemon.open_role", T_CHOICE, USE_KEY, AT(open_role), 0, 0, "submit", "observe|submit|administer", NULL,
     "Role of callers over TCP that show neither token nor certificate, where none is asked for."},
    {"daemon.socket_role", T_CHOICE, USE_KEY, AT(socket_role), 0, 0, "submit", "observe|submit|administer", NULL,
     "Role of users of unix sockets; root and the daemon's own user administer."},
    {"daemon.http_token", T_BOOL, USE_KEY, AT(http_token), 0, 0, "false", NULL, NULL,
     "HTTP wants a token of any role for all but /healthz and /readyz."},
    {"daemon.drain_timeout", T_DURATION, USE_KEY, AT(drain_ms), 0, 24 * HOUR, "10m", NULL, NULL,
     "How long SIGTERM waits for jobs that run; what is left then stays in the store."},
    {"daemon.max_message", T_SIZE, USE_KEY, AT(max_message), MIB, GIB, "256MiB", NULL, NULL,
     "Largest request."},
    {"daemon.receive_budget", T_SIZE, USE_KEY, AT(receive_budget), MIB, ANY, "1GiB", NULL, NULL,
     "Bytes of requests that may be under way at once, over all connections. With `store.url`, a part of it is "
     "set aside for inputs that are being packed (of 1 GiB, 756 MiB are left for requests; docs/fleet.md, "
     "*Sizes*)."},
    {"daemon.max_connections", T_NUMBER, USE_KEY, AT(max_connections), 1, 65536, "4096", NULL, NULL,
     "Connections at once."},

    {"memory.total_budget", T_SIZE_AUTO, USE_KEY, AT(total_budget), 64 * MIB, ANY, "auto", NULL, NULL,
     "Bytes of host memory that the daemon may take: proofs, parameters, circuits, requests, connections and answers; `auto`: what the machine or its control group has, less `safety_margin`."},
    {"memory.safety_margin", T_SIZE_AUTO, USE_KEY, AT(safety_margin), 0, ANY, "auto", NULL, NULL,
     "Left to the rest of the machine by `auto`."},
    {"memory.eviction_min_idle", T_DURATION_AUTO, USE_KEY, AT(eviction_min_idle), 0, 24 * HOUR, "auto", NULL, NULL,
     "Parameters used more recently are kept, unless a job could not run otherwise."},
    {"memory.winning_reserve", T_SIZE_AUTO, USE_KEY, AT(winning_reserve), 0, ANY, "auto", NULL, NULL,
     "Host memory that only WinningPoSt may take; `auto`: what one of 32 GiB needs."},
    {"memory.pinned_budget", T_STRING, USE_DEPRECATED, 0, 0, 0, NULL, NULL, NULL, "use memory.total_budget"},
    {"memory.working_memory_budget", T_STRING, USE_DEPRECATED, 0, 0, 0, NULL, NULL, NULL, "use memory.total_budget"},

    {"gpus.devices", T_NUMBERS, USE_KEY, AT(devices), 0, 1023, "", NULL, NULL,
     "Ordinals of the GPUs to use, in the order of their PCI bus; empty: all."},
    {"gpus.cpu_only", T_BOOL, USE_KEY, AT(cpu_only), 0, 0, "false", NULL, NULL,
     "Prove on the CPU and leave GPUs alone."},
    {"gpus.gpu_workers_per_device", T_NUMBER_AUTO, USE_KEY, AT(workers_per_device), 1, 4, "auto", NULL, NULL,
     "Partitions on one device at once; `auto`: two on a GPU, one on the CPU."},
    {"gpus.vram_limit", T_SIZE_AUTO, USE_KEY, AT(vram_limit), 0, ANY, "auto", NULL, NULL,
     "Device memory to use, per device; `auto`: what is free at the start."},
    {"gpus.stream", T_CHOICE, USE_KEY, AT(stream), 0, 0, "auto", "auto|memory|file|locked|read", NULL,
     "Where parameters are that do not fit into device memory: `memory`, a copy for each device; `file`, the page cache (page-locked where its pages are large and half of the free budget holds them, else read for each pass); `locked`, page-locked in any case; `read`, never; `auto`: in memory where the budget has room."},
    {"gpus.combs", T_BOOL, USE_KEY, AT(combs), 0, 0, "false", NULL, NULL,
     "Twice the memory for points of bit wires, and faster sums, where three quarters of a device hold them: for machines that prove one kind."},
    {"gpus.device_timeout", T_DURATION_AUTO, USE_KEY, AT(device_timeout), 1000, 24 * HOUR, "auto", NULL, NULL,
     "A partition that runs longer than this marks its device as lost: the device is quarantined, and the partition proved elsewhere."},
    {"gpus.when_lost", T_CHOICE, USE_KEY, AT(when_lost), 0, 0, "wait", "wait|cpu", NULL,
     "What to do when no GPU is usable: `wait` for one, five minutes, then jobs fail; `cpu`: after ten seconds prove on the CPU until a GPU works again."},
    {"gpus.gpu_threads", T_NUMBER, USE_NO_EFFECT, 0, 0, 65536, NULL, NULL, NULL,
     "the CPU's part of a GPU proof uses synthesis.threads"},

    {"scheduler.max_batch_size", T_NUMBER_AUTO, USE_KEY, AT(max_batch_size), 1, 1024, "auto", NULL, NULL,
     "Most partitions of one circuit that share a pass over the parameters; `auto`: those of a whole PoRep where parameters stream, else one. A small number makes a card that streams read all parameters for each few partitions."},
    {"scheduler.max_batch_wait_ms", T_NUMBER_AUTO, USE_KEY, AT(max_batch_wait_ms), 0, HOUR, "auto", NULL, NULL,
     "How long an incomplete batch waits for partitions whose witness is being made, in milliseconds; `auto`: one second where parameters stream, else not at all."},
    {"scheduler.max_queued_jobs", T_NUMBER_AUTO, USE_KEY, AT(max_queued_jobs), 1, 1000000, "auto", NULL, NULL,
     "Jobs beyond are refused (RESOURCE_EXHAUSTED)."},
    {"scheduler.ageing", T_DURATION_AUTO, USE_KEY, AT(ageing_ms), 1000, 24 * HOUR, "auto", NULL, NULL,
     "A waiting job rises by one class after each such time, up to HIGH."},
    {"scheduler.spread_partitions", T_BOOL, USE_KEY, AT(spread_partitions), 0, 0, "false", NULL, NULL,
     "With `store.url`: daemons without work prove partitions of jobs that other daemons have, and have theirs proved so (docs/fleet.md). Each of them reads and checks the job's whole input."},
    {"scheduler.sort_by_type", T_BOOL, USE_NO_EFFECT, 0, 0, 0, NULL, NULL, NULL,
     "jobs go by priority, deadline and age"},

    {"synthesis.threads", T_NUMBER, USE_KEY, AT(threads), 0, 4096, "0", NULL, NULL,
     "Threads of the host's part of proofs; 0: the CPUs that the process may use."},
    {"synthesis.partition_workers", T_NUMBER, USE_DEPRECATED, 0, 0, 65536, NULL, NULL, NULL,
     "use memory.total_budget"},

    {"pipeline.enabled", T_BOOL, USE_NO_EFFECT, 0, 0, 0, NULL, NULL, NULL, "proofs always go through the pipeline"},
    {"pipeline.synthesis_lookahead", T_NUMBER, USE_NO_EFFECT, 0, 0, UINT32_MAX, NULL, NULL, NULL,
     "the memory budget decides how far witnesses run ahead"},
    {"pipeline.synthesis_concurrency", T_NUMBER, USE_NO_EFFECT, 0, 0, UINT32_MAX, NULL, NULL, NULL,
     "the memory budget decides how many witnesses are made at once"},
    {"pipeline.max_parallel_synthesis", T_NUMBER, USE_NO_EFFECT, 0, 0, UINT32_MAX, NULL, NULL, NULL,
     "the memory budget decides how many witnesses are made at once"},
    {"pipeline.slot_size", T_NUMBER, USE_NO_EFFECT, 0, 0, UINT32_MAX, NULL, NULL, NULL,
     "partitions are proved one by one"},
    {"pipeline.max_gpu_queue_depth", T_NUMBER, USE_NO_EFFECT, 0, 0, UINT32_MAX, NULL, NULL, NULL,
     "the queues between stages are bounded"},

    {"srs.param_cache", T_STRING, USE_KEY, AT(param_cache), 0, 0, "", NULL, NULL,
     "Folder of the .params and .vk files; empty: FIL_PROOFS_PARAMETER_CACHE, else /data/zk/params when it is there, else /var/tmp/filecoin-proof-parameters."},
    {"srs.aggregate", T_STRING, USE_KEY, AT(aggregate_srs), 0, 0, "", NULL, NULL,
     "File of the SRS for aggregation; empty: v28-fil-inner-product-v1.srs in the folder of parameters."},
    {"srs.aggregate_digest", T_STRING, USE_KEY, AT(aggregate_srs_digest), 0, 0, "", NULL, NULL,
     "Digest that this SRS must have, 32 hex digits; empty: the network's. For tests: who knows the secrets of an SRS can forge aggregates."},
    {"srs.preload", T_STRINGS, USE_KEY, AT(preload), 0, 0, "", NULL, NULL,
     "Circuits whose parameters are loaded at the start: `porep-32g`, `window-32g`, `winning-32g`, `update-32g`, ..."},

    {"store.path", T_STRING, USE_KEY, AT(store_path), 0, 0, "auto", NULL, NULL,
     "File of the job store; `auto`: jobs.db in systemd's state directory, else /var/lib/cuzk/jobs.db, else (with a warning) memory; `memory`: jobs are forgotten at exit."},
    {"store.url", T_STRING, USE_KEY, AT(store_url), 0, 0, "", NULL, NULL,
     "PostgreSQL database of a queue that several daemons share, instead of `store.path`: `postgresql://USER@HOST:PORT/DATABASE?sslmode=verify-full` (docs/fleet.md). It holds no password."},
    {"store.password_file", T_STRING, USE_KEY, AT(store_password_file), 0, 0, "", NULL, NULL,
     "File whose first line is the password for `store.url`; read for each connection. Not readable for everybody."},
    {"store.member", T_STRING, USE_KEY, AT(store_member), 0, 0, "", NULL, NULL,
     "Name of this daemon among those that share `store.url`, unique there; empty: the host's name."},
    {"store.lease", T_DURATION, USE_KEY, AT(store_lease_ms), 1000, HOUR, "1m", NULL, NULL,
     "How long the others wait for a daemon that is not heard of before they take its jobs."},
    {"store.address", T_STRING, USE_KEY, AT(store_address), 0, 0, "", NULL, NULL,
     "With `store.url`: where the other daemons reach this one, `HOST:PORT` or `https://HOST:PORT`; empty: the first address of `daemon.listen` that is not local, with the host's name in place of 0.0.0.0."},
    {"store.inputs", T_CHOICE, USE_KEY, AT(store_inputs), 0, 0, "database", "database|folder|daemon", NULL,
     "With `store.url`: where the inputs of unfinished jobs are: `database`; `folder`, which all daemons have mounted; `daemon`: with the daemon that accepted the job (docs/fleet.md). The same for all daemons."},
    {"store.inputs_folder", T_STRING, USE_KEY, AT(store_inputs_folder), 0, 0, "", NULL, NULL,
     "The folder of `store.inputs`; empty: for `daemon`, inputs in systemd's state directory, else /var/lib/cuzk/inputs."},
    {"store.peer_token_file", T_STRING, USE_KEY, AT(store_peer_token_file), 0, 0, "", NULL, NULL,
     "With `store.inputs = \"daemon\"`: file whose first line is a token that the other daemons take for the role administer."},
    {"store.peer_ca", T_STRING, USE_KEY, AT(store_peer_ca), 0, 0, "", NULL, NULL,
     "The same: PEM file of the authorities that the other daemons' certificates are checked with; empty: the system's."},
    {"store.max_size", T_SIZE, USE_KEY, AT(store_max_size), 16 * MIB, ANY, "64GiB", NULL, NULL,
     "Bytes of the store and the inputs in it; jobs beyond are refused (RESOURCE_EXHAUSTED)."},
    {"store.result_retention", T_DURATION_AUTO, USE_KEY, AT(result_retention_ms), 1000, 8760 * HOUR, "auto", NULL, NULL,
     "How long ended jobs can be asked for."},
    {"store.result_count", T_NUMBER_AUTO, USE_KEY, AT(result_count), 1, UINT32_MAX, "auto", NULL, NULL,
     "The most ended jobs that are kept."},

    {"logging.level", T_CHOICE, USE_KEY, AT(log_level), 0, 0, "info", "off|error|warn|info|debug|trace", NULL,
     "RUST_LOG and --log-level win over it."},
    {"logging.format", T_CHOICE, USE_KEY, AT(log_format), 0, 0, "auto", "auto|text|json|journal", NULL,
     "`auto`: the journal's form under systemd, else text."},
    {"logging.timeline", T_BOOL, USE_KEY, AT(timeline), 0, 0, "false", NULL, NULL,
     "Also write the original's TIMELINE lines."},
};
/* clang-format on */
const size_t config_n_keys = sizeof(config_keys) / sizeof(config_keys[0]);
CUZK_STATIC_ASSERT(sizeof(config_keys) / sizeof(config_keys[0]) <= CONFIG_MAX_KEYS, "given[]");

size_t config_find(const char *path)
{
    size_t i = 0;
    while (i < config_n_keys && strcmp(config_keys[i].path, path) != 0) {
        i++;
    }
    return i;
}

/* Levenshtein distance, or something above cap. */
static size_t distance(const char *a, const char *b, size_t cap)
{
    enum { MAX = 64 };
    size_t row[MAX + 1];
    const size_t na = strlen(a), nb = strlen(b);
    if (na > MAX || nb > MAX) {
        return cap + 1;
    }
    for (size_t j = 0; j <= nb; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= na; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            const size_t step = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < step ? change : step;
        }
    }
    return row[nb];
}

static const char *last_part(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot == NULL ? path : dot + 1;
}

const char *config_suggest(const char *path)
{
    const char *best = NULL;
    size_t best_distance = 4; /* suggest names with up to three wrong letters */
    for (size_t i = 0; i < config_n_keys; i++) {
        size_t d = distance(path, config_keys[i].path, best_distance);
        if (strcmp(last_part(path), last_part(config_keys[i].path)) == 0) {
            d = d < 1 ? d : 1; /* the right key in the wrong section */
        }
        if (d < best_distance) {
            best_distance = d;
            best = config_keys[i].path;
        }
    }
    return best;
}

static const char *type_name(const config_key *k)
{
    switch (k->type) {
    case T_STRING: return "string";
    case T_STRINGS: return "strings";
    case T_LISTEN: return "address or addresses";
    case T_ADDRESS: return "address";
    case T_BOOL: return "boolean";
    case T_NUMBER:
    case T_NUMBER_AUTO: return "number";
    case T_NUMBERS: return "numbers";
    case T_SIZE:
    case T_SIZE_AUTO: return "size";
    case T_DURATION:
    case T_DURATION_AUTO: return "time";
    case T_MODE: return "octal string";
    case T_CHOICE: return k->choices;
    }
    return "?";
}

void cuzk_config_reference(cuzk_config_row_fn fn, void *arg)
{
    for (size_t i = 0; i < config_n_keys; i++) {
        const config_key *k = &config_keys[i];
        char meaning[400];
        switch (k->use) {
        case USE_KEY: (void)snprintf(meaning, sizeof(meaning), "%s", k->meaning); break;
        case USE_ALIAS:
            (void)snprintf(meaning, sizeof(meaning), "The original's name of %s.", k->alias_of);
            break;
        case USE_DEPRECATED:
            (void)snprintf(meaning, sizeof(meaning), "Deprecated, no effect: %s.", k->meaning);
            break;
        case USE_NO_EFFECT:
            (void)snprintf(meaning, sizeof(meaning), "No effect: %s.", k->meaning);
            break;
        }
        fn(arg, k->path, type_name(k), k->text_default == NULL ? "" : k->text_default, meaning);
    }
}
