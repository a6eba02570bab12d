/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "config/config.h"
#include "prover/keys/circuit_id.h"

#include "test.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

static cuzk_config_issues issues;
static cuzk_err err;

static cuzk_status parse(cuzk_config **c, const char *text)
{
    *c = NULL;
    memset(&err, 0, sizeof(err));
    return cuzk_config_parse(c, "f.toml", text, strlen(text), &issues, &err);
}

static cuzk_config *good(const char *text)
{
    cuzk_config *c = NULL;
    const cuzk_status st = parse(&c, text);
    CHECK_MSG(st == CUZK_OK, "%s", err.msg);
    return c;
}

static void bad(const char *text, const char *message)
{
    cuzk_config *c = NULL;
    const cuzk_status st = parse(&c, text);
    CHECK_MSG(st == CUZK_E_INVALID || st == CUZK_E_FORMAT, "accepted: %s", text);
    CHECK_MSG(strstr(err.msg, message) != NULL, "%s\nsays: %s\nnot: %s", text, err.msg, message);
    CHECK(c == NULL);
}

static bool has_issue(cuzk_config_severity severity, const char *text)
{
    for (size_t i = 0; i < issues.n; i++) {
        if (issues.item[i].severity == severity && strcmp(issues.item[i].text, text) == 0) {
            return true;
        }
    }
    return false;
}

static void defaults(void)
{
    cuzk_config *c = good("");
    CHECK_U64(issues.n, 0);
    CHECK_U64(c->listen.n, 1);
    CHECK_STR(c->listen.item[0], "unix:///run/curio/cuzk.sock");
    CHECK_STR(c->http_listen, "");
    CHECK_U64(c->socket_mode, 0660);
    CHECK_U64(c->total_budget, 0);
    CHECK_U64(c->safety_margin, 0); /* auto: the engine's */
    CHECK_U64(c->eviction_min_idle, 0);
    CHECK_U64(c->max_message, 256 * MIB);
    CHECK_U64(c->workers_per_device, 0);
    CHECK_U64(c->max_batch_size, 0);
    CHECK_U64(c->max_batch_wait_ms, 0);
    CHECK_U64(c->devices.n, 0);
    CHECK_U64(c->preload.n, 0);
    CHECK_STR(c->store_path, "auto");
    CHECK_STR(c->log_level, "info");
    CHECK(!c->cpu_only && !c->timeline);
    CHECK(!cuzk_config_is_given(c, "daemon.listen"));
    cuzk_config_destroy(c);
}

/* Every key of the original, as its example file and its documents have them. */
static const char original[] = "[daemon]\n"
                               "listen = \"0.0.0.0:9820\"\n"
                               "status_listen = \"0.0.0.0:9821\"\n"
                               "[memory]\n"
                               "total_budget = \"200GiB\"\n"
                               "safety_margin = \"5GiB\"\n"
                               "eviction_min_idle = \"5m\"\n"
                               "pinned_budget = \"50GiB\"\n"
                               "working_memory_budget = \"80GiB\"\n"
                               "[gpus]\n"
                               "devices = [0, 1]\n"
                               "gpu_threads = 32\n"
                               "gpu_workers_per_device = 2\n"
                               "[scheduler]\n"
                               "max_batch_size = 1\n"
                               "max_batch_wait_ms = 10000\n"
                               "sort_by_type = true\n"
                               "[synthesis]\n"
                               "threads = 0\n"
                               "partition_workers = 12\n"
                               "[pipeline]\n"
                               "enabled = true\n"
                               "synthesis_lookahead = 1\n"
                               "synthesis_concurrency = 1\n"
                               "max_parallel_synthesis = 18\n"
                               "slot_size = 0\n"
                               "max_gpu_queue_depth = 8\n"
                               "[srs]\n"
                               "param_cache = \"/data/zk/params\"\n"
                               "preload = [\"porep-32g\"]\n"
                               "[logging]\n"
                               "level = \"info\"\n"
                               "format = \"json\"\n";

static void takes_the_original_file(void)
{
    cuzk_config *c = good(original);
    CHECK_U64(issues.errors, 0);
    CHECK_U64(issues.warnings, 3);
    CHECK_U64(issues.notes, 8);
    CHECK(has_issue(CUZK_CONFIG_WARNING,
                    "f.toml:20:21: synthesis.partition_workers: deprecated, has no effect: use "
                    "memory.total_budget"));
    CHECK_STR(c->listen.item[0], "0.0.0.0:9820");
    CHECK_STR(c->http_listen, "0.0.0.0:9821");
    CHECK_U64(c->total_budget, 200 * GIB);
    CHECK_U64(c->devices.n, 2);
    CHECK_U64(c->devices.item[1], 1);
    CHECK_STR(c->param_cache, "/data/zk/params");
    CHECK_U64(c->preload.n, 1);
    CHECK_STR(c->log_format, "json");
    CHECK(cuzk_config_is_given(c, "daemon.listen"));
    CHECK(cuzk_config_is_given(c, "daemon.http_listen"));
    CHECK(!cuzk_config_is_given(c, "store.path"));
    cuzk_config_destroy(c);
}

static void forms_of_values(void)
{
    cuzk_config *c = good("daemon.listen = [\"unix:///a\", '127.0.0.1:0']\n"
                          "daemon.drain_timeout = 90\n"
                          "memory = { total_budget = 1073741824, eviction_min_idle = \"1m30s\" }\n"
                          "store.max_size = \"1.5GiB\"\n"
                          "gpus.cpu_only = true\n");
    CHECK_U64(issues.n, 0);
    CHECK_U64(c->listen.n, 2);
    CHECK_STR(c->listen.item[1], "127.0.0.1:0");
    CHECK_U64(c->drain_ms, 90000);
    CHECK_U64(c->total_budget, GIB);
    CHECK_U64(c->eviction_min_idle, 90000);
    CHECK_U64(c->store_max_size, GIB * 3 / 2);
    CHECK(c->cpu_only);
    cuzk_config_destroy(c);
}

static void errors_name_file_line_and_key(void)
{
    bad("[memory]\ntotal_budget = \"1.5Gib?\"\n",
        "f.toml:2:16: memory.total_budget: \"1.5Gib?\": not a size");
    bad("[memory]\n\n  total_budget = \"1MiB\"",
        "f.toml:3:18: memory.total_budget: \"1MiB\": too small");
    bad("memory.total_budget = 1.5",
        "memory.total_budget: wants a size such as \"512MiB\", not a fraction");
    bad("memory.total_budget = -5", "-5: negative");
    bad("memory.eviction_min_idle = \"5x\"", "not a time");
    bad("daemon.listen = 5", "wants a string or an array of strings, not an integer");
    bad("daemon.listen = []", "an empty array");
    bad("daemon.listen = [\"unix:///a\", 5]", "f.toml:1:31: daemon.listen: wants");
    bad("daemon.listen = \"localhost\"", "not an address");
    bad("daemon.listen = \"a\\u0000b\"", "NUL");
    bad("daemon.status_listen = \"unix:///a\"", "not an address such as");
    bad("daemon.socket_mode = \"999\"", "octal");
    bad("gpus.devices = [0, 0]", "named twice");
    bad("gpus.devices = [-1]", "negative");
    bad("gpus.devices = [\"0\"]", "wants an array of integers, not a string");
    bad("gpus.devices = 0", "wants an array of integers, not an integer");
    bad("gpus.devices = [1024]", "too big (from 0 to 1023)");
    bad("gpus.gpu_workers_per_device = 5", "5: too big (from 1 to 4)");
    bad("gpus.cpu_only = \"yes\"", "wants true or false, not a string");
    bad("gpus = 5", "f.toml:1:8: gpus: is a section, not an integer");
    bad("logging.level = \"loud\"", "\"loud\": not one of off|error|warn|info|debug|trace");
    bad("logging.format = 1979-05-27", "not a date or time");
    bad("daemon.tls_cert = \"/c\"", "need each other");
    bad("daemon.tls_client_ca = \"/c\"", "daemon.tls_client_ca needs daemon.tls_cert");
    bad("daemon.listen = \"https://h:1\"", "needs daemon.tls_cert");
    bad("daemon.receive_budget = \"1MiB\"", "less than one message");
    bad("[a\n", "f.toml:1:");
    bad("a = 1\n  \x01", "f.toml:2:3: control character");
    bad("a = 1\na = 2\n", "f.toml:2:");
}

/* srs.preload takes the names that the engine takes, and no others. */
static void circuits_to_preload(void)
{
    static const char *const kinds[] = {
        "porep",      "porep-c2",    "seal-commit", "winning",   "winning-post", "winningpost",
        "window",     "window-post", "windowpost",  "wpost",     "update",       "snap",
        "snap-deals", "snapdeals",   "snap-update", "aggregate", "POREP",        "",
        "post"};
    static const char *const sizes[] = {"2k", "8m", "512m", "1g", "32g", "64g", "33g", "", "32"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
            char text[128], id[64];
            cuzk_config *c = NULL;
            cuzk_circuit_spec spec;
            (void)snprintf(id, sizeof(id), "%s-%s", kinds[i], sizes[k]);
            const int n = snprintf(text, sizeof(text), "srs.preload = [\"%s\"]\n", id);
            const cuzk_status st = cuzk_config_parse(&c, "f.toml", text, (size_t)n, &issues, &err);
            CHECK_MSG((st == CUZK_OK) == cuzk_circuit_id_parse(&spec, id), "%s: %s", id, err.msg);
            cuzk_config_destroy(c);
        }
    }
    bad("srs.preload = [\"porep32g\"]", "srs.preload: \"porep32g\" is no circuit");
}

static void unknown_keys_are_named(void)
{
    cuzk_config *c =
        good("[daemon]\nlisten_addr = 1\n[gpu]\ndevices = [1]\n[memory]\ntotalbudget = \"1GiB\"\n"
             "[\"we\\tird\"]\nx = 1\n[[gpus.devicez]]\n");
    CHECK_U64(issues.errors, 0);
    CHECK_U64(issues.warnings, issues.n);
    CHECK_U64(issues.unknown, issues.n);
    CHECK(has_issue(CUZK_CONFIG_WARNING, "f.toml:2:15: daemon.listen_addr: unknown key, ignored"));
    CHECK(has_issue(CUZK_CONFIG_WARNING, "f.toml:3:1: gpu: unknown section, ignored"));
    CHECK(has_issue(CUZK_CONFIG_WARNING,
                    "f.toml:4:11: gpu.devices: unknown key, ignored; did you mean gpus.devices?"));
    CHECK(has_issue(CUZK_CONFIG_WARNING,
                    "f.toml:6:15: memory.totalbudget: unknown key, ignored; did you mean "
                    "memory.total_budget?"));
    CHECK_U64(c->devices.n, 0);
    cuzk_config_destroy(c);
}

static void both_names_of_a_key(void)
{
    cuzk_config *c = good("daemon.status_listen = \"h:1\"\ndaemon.http_listen = \"h:2\"\n");
    CHECK_U64(issues.warnings, 1);
    CHECK_STR(c->http_listen, "h:2");
    cuzk_config_destroy(c);
    c = good("gpus.cpu_only = true\ngpus.devices = [0]\n");
    CHECK_U64(issues.warnings, 1);
    cuzk_config_destroy(c);
}

static void size_and_nesting_are_bounded(void)
{
    enum { N = 200000 };
    char *text = malloc(N + 64);
    cuzk_config *c = NULL;
    CHECK(text != NULL);
    memset(text, 'a', N);
    for (size_t i = 1; i < N; i += 2) {
        text[i] = '.';
    }
    (void)snprintf(text + N - 1, 64, "a = 1\n");
    CHECK(parse(&c, text) == CUZK_E_FORMAT); /* one long line: 100,000 tables in each other */
    CHECK(strstr(err.msg, "f.toml:1: line is longer than 4096 bytes") != NULL);
    (void)snprintf(text + 4091, 64, " = 1\n"); /* the deepest that is read */
    c = good(text);
    CHECK_U64(issues.warnings, 8);
    cuzk_config_destroy(c);
    memset(text, '[', 4000);
    memcpy(text, "a = ", 4);
    text[4000] = '\0';
    CHECK(parse(&c, text) == CUZK_E_FORMAT);
    size_t n = 0;
    for (int i = 0; i < 500; i++) {
        n += (size_t)snprintf(text + n, N - n, "k%d = 1\n", i);
    }
    c = good(text);
    CHECK_U64(issues.warnings, 500);
    CHECK_U64(issues.n, CUZK_CONFIG_MAX_ISSUES);
    cuzk_config_destroy(c);
    free(text);
}

static void files(void)
{
    cuzk_config *c = NULL;
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/c.toml", test_tmpdir());
    CHECK_STATUS(cuzk_config_load(&c, path, &issues, &err), CUZK_E_NOT_FOUND);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    CHECK(fd >= 0);
    CHECK_STATUS(cuzk_config_load(&c, path, &issues, &err), CUZK_OK); /* empty */
    cuzk_config_destroy(c);
    CHECK(write(fd, original, sizeof(original) - 1) == sizeof(original) - 1);
    CHECK_STATUS(cuzk_config_load(&c, path, &issues, &err), CUZK_OK);
    cuzk_config_destroy(c);
    CHECK(ftruncate(fd, 300000) == 0);
    CHECK_STATUS(cuzk_config_load(&c, path, &issues, &err), CUZK_E_INVALID);
    CHECK(close(fd) == 0);
}

static void take_key(void *arg, const char *key)
{
    char *list = arg;
    const size_t n = strlen(list);
    (void)snprintf(list + n, 512 - n, "%s ", key);
}

static void differences(void)
{
    char list[512] = "";
    cuzk_config *a = good("daemon.listen = [\"unix:///a\", \"unix:///b\"]\ngpus.devices = [0, 1]\n"
                          "memory.total_budget = \"1GiB\"\nlogging.timeline = true\n");
    cuzk_config *same = good("[daemon]\nlisten = [\"unix:///a\", \"unix:///b\"]\n[gpus]\n"
                             "devices = [0, 1]\n[memory]\ntotal_budget = 1073741824\n[logging]\n"
                             "timeline = true\nlevel = \"info\"\n");
    cuzk_config *b = good("daemon.listen = [\"unix:///a\"]\ngpus.devices = [0, 2]\n"
                          "daemon.status_listen = \"127.0.0.1:1\"\nlogging.level = \"warn\"\n");
    cuzk_config_diff(a, same, take_key, list);
    CHECK_STR(list, "");
    cuzk_config_diff(a, b, take_key, list);
    CHECK_STR(list, "daemon.listen daemon.http_listen memory.total_budget gpus.devices "
                    "logging.level logging.timeline ");
    CHECK_OK(cuzk_config_copy(a, b, "daemon.http_listen", &err), &err);
    CHECK_OK(cuzk_config_copy(a, b, "memory.total_budget", &err), &err);
    CHECK_OK(cuzk_config_copy(a, b, "logging.level", &err), &err);
    CHECK_OK(cuzk_config_copy(a, b, "logging.timeline", &err), &err);
    cuzk_config_destroy(b); /* its strings are copied */
    CHECK_STR(a->http_listen, "127.0.0.1:1");
    CHECK_STR(a->log_level, "warn");
    CHECK(a->total_budget == 0 && !a->timeline);
    list[0] = '\0';
    cuzk_config_diff(a, same, take_key, list);
    CHECK_STR(list, "daemon.http_listen memory.total_budget logging.level logging.timeline ");
    cuzk_config_destroy(a);
    cuzk_config_destroy(same);
}

static void environment(void)
{
    static const char *const env[] = {"HOME=/",
                                      "RUST_LOG=debug",
                                      "FIL_PROOFS_PARAMETER_CACHE=/p",
                                      "BELLMAN_NO_GPU=1",
                                      "RAYON_NUM_THREADS=7",
                                      "EC_GPU_NUM_THREADS=9",
                                      "BELLMAN_CUSTOM_GPU=RTX:1",
                                      "CUZK_TIMNG=1",
                                      "CUZK_DISABLE_PCE=1",
                                      "CUDA_VISIBLE_DEVICES=0",
                                      NULL};
    static const struct {
        const char *env[3], *named, *why;
    } nonsense[] = {
        {{"RAYON_NUM_THREADS=many", NULL}, "RAYON_NUM_THREADS=many", "synthesis.threads"},
        {{"RAYON_NUM_THREADS=-1", NULL}, "RAYON_NUM_THREADS=-1", "synthesis.threads"},
        {{"BELLMAN_NUM_CPUS=0x8", NULL}, "BELLMAN_NUM_CPUS=0x8", "synthesis.threads"},
        {{"EC_GPU_NUM_THREADS=8 ", NULL}, "EC_GPU_NUM_THREADS=8 ", "synthesis.threads"},
        {{"RAYON_NUM_THREADS=4", "BELLMAN_NUM_CPUS=few", NULL}, "BELLMAN_NUM_CPUS=few", ""},
        {{"BELLMAN_NO_GPU=2", NULL}, "BELLMAN_NO_GPU=2", "1, true, yes, on"},
        {{"BELLMAN_NO_GPU= ", NULL}, "BELLMAN_NO_GPU= ", "1, true, yes, on"},
        {{"BELLMAN_NO_GPU=\033[2J", NULL}, "BELLMAN_NO_GPU=?[2J", "expected"},
        {{"CUZK_TIMING=relative/path", NULL}, "CUZK_TIMING=relative/path", "logging.timeline"}};
    cuzk_config_env e;
    cuzk_config *c = good("");
    CHECK_OK(cuzk_config_environment(c, &e, env, &err), &err);
    CHECK_STR(e.recognised, "RUST_LOG CUDA_VISIBLE_DEVICES");
    CHECK_STR(e.mapped,
              "FIL_PROOFS_PARAMETER_CACHE=/p:srs.param_cache BELLMAN_NO_GPU=1:gpus.cpu_only "
              "RAYON_NUM_THREADS=7:synthesis.threads");
    CHECK_STR(e.ignored, "EC_GPU_NUM_THREADS BELLMAN_CUSTOM_GPU CUZK_DISABLE_PCE");
    CHECK_STR(e.unknown, "CUZK_TIMNG");
    CHECK_STR(e.rust_log, "debug");
    CHECK_STR(c->param_cache, "/p");
    CHECK(c->cpu_only);
    CHECK_U64(c->threads, 7);
    cuzk_config_destroy(c);
    c = good("srs.param_cache = \"/file\"\nsynthesis.threads = 3\n"); /* the file wins */
    CHECK_OK(cuzk_config_environment(c, &e, env, &err), &err);
    CHECK_STR(c->param_cache, "/file");
    CHECK_U64(c->threads, 3);
    cuzk_config_destroy(c);
    for (size_t i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
        c = good("");
        CHECK_STATUS(cuzk_config_environment(c, &e, nonsense[i].env, &err), CUZK_E_INVALID);
        CHECK_MSG(strstr(err.msg, nonsense[i].named) != NULL &&
                      strstr(err.msg, nonsense[i].why) != NULL,
                  "%s", err.msg);
        cuzk_config_destroy(c);
    }
}

static void lack_of_memory(void)
{
    for (uint64_t n = 1;; n++) {
        cuzk_config *c = NULL;
        cuzk_alloc_fail_nth(n, false);
        const cuzk_status st = parse(&c, original);
        cuzk_alloc_fail_nth(0, false);
        cuzk_config_destroy(c);
        CHECK_U64(cuzk_alloc_get_stats().blocks_now, 0);
        if (st == CUZK_OK) {
            CHECK(n > 2);
            return;
        }
        CHECK(st == CUZK_E_NOMEM);
    }
}

static void see_row(void *arg, const char *key, const char *type, const char *default_text,
                    const char *meaning)
{
    CHECK(strchr(key, '.') != NULL && type[0] != '\0' && default_text != NULL &&
          meaning[0] != '\0');
    CHECK_MSG(strlen(meaning) < 390, "%s", key); /* not cut */
    ++*(size_t *)arg;
}

static void reference(void)
{
    size_t n = 0;
    cuzk_config_reference(see_row, &n);
    CHECK(n > 40);
}

static const cuzk_case cases[] = {CASE(defaults),
                                  CASE(takes_the_original_file),
                                  CASE(forms_of_values),
                                  CASE(errors_name_file_line_and_key),
                                  CASE(circuits_to_preload),
                                  CASE(unknown_keys_are_named),
                                  CASE(both_names_of_a_key),
                                  CASE(size_and_nesting_are_bounded),
                                  CASE(files),
                                  CASE(differences),
                                  CASE(environment),
                                  CASE(lack_of_memory),
                                  CASE(reference)};
TEST_MAIN("config/config", cases)
