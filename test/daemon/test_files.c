/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Parameter files that lose their end under the real daemon: jobs fail with the file's name, it stays up. */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon_fixture.h"
#include "test.h"

static daemon_box box;

typedef struct params_file {
    char path[600];
    uint8_t *bytes;
    size_t n;
} params_file;

static void find_params(params_file *f)
{
    DIR *d = opendir(box.params);
    CHECK(d != NULL);
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        const size_t n = strlen(e->d_name);
        if (n > 7 && strcmp(e->d_name + n - 7, ".params") == 0) {
            (void)snprintf(f->path, sizeof(f->path), "%s/%s", box.params, e->d_name);
        }
    }
    (void)closedir(d);
    f->bytes = test_read_file(f->path, &f->n);
}

/* Into the same file, which the daemon has open. */
static void restore(const params_file *f)
{
    FILE *out = fopen(f->path, "r+b");
    CHECK(out != NULL && fwrite(f->bytes, 1, f->n, out) == f->n && fclose(out) == 0);
}

/* Its end: a proof, or a failure that names the file. True when it failed. */
static bool ends_well(const char *id, const params_file *f)
{
    cuzk_rpc_result r;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_rpc_client *c = box_client(&box, 600000);
    memset(&r, 0, sizeof(r));
    CHECK_OK(cuzk_rpc_client_await(c, id, 590000, &r, &err), &err);
    const bool failed = r.outcome == CUZK_RPC_FAILED;
    CHECK_MSG(failed || r.outcome == CUZK_RPC_COMPLETED, "%s: %s", id,
              cuzk_rpc_outcome_name(r.outcome));
    if (failed) {
        CHECK_MSG(strncmp(r.error, "environment: ", 13) == 0 && strstr(r.error, f->path) != NULL,
                  "%s", r.error);
    }
    cuzk_rpc_result_free(&r);
    cuzk_rpc_client_destroy(c);
    return failed;
}

static void cut_at_the_start_and_while_proving(void)
{
    params_file f;
    engine_request rq;
    char id[CUZK_JOB_ID_BYTES], name[32];
    uint32_t n_failed = 0;
    box_make(&box, "srs.preload = [\"winning-2k\"]\n");
    box_make_params(&box);
    find_params(&f);
    CHECK(truncate(f.path, (off_t)(f.n - 1)) == 0);
    box_start(&box);
    CHECK(box_log_gets(&box, "preload.failed"));
    CHECK(box_log_gets(&box, f.path));
    restore(&f);
    for (uint64_t i = 0; i < 8; i++) {
        (void)snprintf(name, sizeof(name), "winpost-1000-%u", (unsigned)i);
        engine_request_make(&rq, CUZK_JOB_WINNING, 1 + i, name);
        if (i == 0) { /* before the job: sure to fail, loaded or not */
            CHECK(truncate(f.path, (off_t)(f.n / 2)) == 0);
        }
        box_submit(&box, &rq.rq, id);
        if (i != 0) {
            (void)usleep((useconds_t)test_below(400000)); /* somewhere in it */
            CHECK(truncate(f.path, (off_t)test_below(f.n)) == 0);
        }
        const bool failed = ends_well(id, &f);
        CHECK(failed || i != 0);
        n_failed += failed ? 1 : 0;
        restore(&f);
        CHECK_U64(box_http(&box, "/readyz"), 200);
        engine_request_free(&rq);
    }
    CHECK_MSG(n_failed >= 1, "no job saw the cut file");
    CHECK(!box_log_has(&box, "device.quarantined"));
    engine_request_make(&rq, CUZK_JOB_WINNING, 50, "after");
    box_submit(&box, &rq.rq, id);
    box_await_proof(&box, id, &rq);
    CHECK_U64(box_end(&box, SIGTERM), 0);
    engine_request_free(&rq);
    free(f.bytes);
}

static const cuzk_case cases[] = {CASE(cut_at_the_start_and_while_proving)};
TEST_MAIN("daemon/files", cases)
