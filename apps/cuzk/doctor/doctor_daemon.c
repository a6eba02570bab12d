/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Checks that the daemon answers and proves. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/cuzk/filecoin/gen_files.h"
#include "apps/cuzk/params/network.h"
#include "apps/cuzk/remote/ability_text.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "sys/file.h"

#include "doctor.h"

enum { PROOF_TIMEOUT_MS = 600000 };

/* A synthetic WinningPoSt of that sector size as bytes: through a file, as the generator writes files. */
static cuzk_status make_input(cuzk_content *out, cuzk_post_statement *stmt, uint64_t sector_bytes,
                              cuzk_err *err)
{
    cuzk_hashes *h = NULL;
    cuzk_post_input *in = NULL;
    char path[] = "/tmp/cuzk-doctor-XXXXXX";
    const int fd = mkstemp(path);
    if (fd < 0) {
        return CUZK_FAIL(err, CUZK_E_IO, "no temporary file can be made in /tmp");
    }
    (void)close(fd);
    cuzk_status st = cuzk_hashes_create(&h, err);
    if (st == CUZK_OK) {
        st = cuzk_generate_post(&in, stmt, false, sector_bytes, 1, cuzk_clock_ns(), h, err);
    }
    if (st == CUZK_OK) {
        st = gen_write_sector(&in->sectors[0], sector_bytes, path, true, err);
    }
    if (st == CUZK_OK) {
        st = cuzk_content_read(out, path, CUZK_CONTENT_INPUT, err);
    }
    cuzk_post_input_destroy(in);
    cuzk_hashes_destroy(h);
    (void)unlink(path);
    return st;
}

/* The daemon verifies each proof before it returns it, so a result is a proof that is right. */
static void test_proof(doctor *d, cuzk_rpc_client *client)
{
    cuzk_err err = {0};
    cuzk_content input = {0};
    cuzk_post_statement stmt;
    cuzk_rpc_result r = {0};
    cuzk_job_request q;
    char size[32], id[64];
    (void)network_size_text(size, d->smallest_winning);
    cuzk_status st = make_input(&input, &stmt, d->smallest_winning, &err);
    const uint64_t begun = cuzk_clock_ns();
    if (st == CUZK_OK) {
        memset(&q, 0, sizeof(q));
        (void)snprintf(id, sizeof(id), "doctor-%" PRIu64, begun);
        q.kind = CUZK_JOB_WINNING;
        q.sector_size = d->smallest_winning;
        /* like a WinningPoSt of a miner: it takes the place that is reserved for it */
        q.priority = CUZK_PRIORITY_CRITICAL;
        q.request_id = (cuzk_bytes){(const uint8_t *)id, strlen(id)};
        q.randomness = (cuzk_bytes){stmt.randomness.b, sizeof(stmt.randomness.b)};
        const cuzk_bytes vanilla = {input.data, input.size};
        q.vanilla_proofs = &vanilla;
        q.n_vanilla_proofs = 1;
        cuzk_rpc_client_set_timeout(client, PROOF_TIMEOUT_MS);
        st = cuzk_rpc_client_prove(client, &q, &r, &err);
    }
    if (st == CUZK_OK) {
        st = remote_outcome(&r, &err);
    }
    if (st != CUZK_OK) {
        doctor_say(d, FINDING_PROBLEM, "test proof", "WinningPoSt of %s sectors: %s", size,
                   err.msg);
        doctor_next(d, FINDING_PROBLEM, "cuzk top");
    } else {
        doctor_say(d, FINDING_GOOD, "test proof",
                   "WinningPoSt of %s sectors, made and verified in %.3f s (loading %.3f s)", size,
                   (double)(cuzk_clock_ns() - begun) * 1e-9, (double)r.srs_load_ms * 1e-3);
    }
    cuzk_rpc_result_free(&r);
    cuzk_content_free(&input);
}

static void say_devices(doctor *d, cuzk_rpc_client *client)
{
    cuzk_rpc_status s;
    cuzk_err err = {0};
    if (cuzk_rpc_client_status(client, &s, &err) != CUZK_OK) {
        doctor_say(d, FINDING_NOTE, "daemon", "does not give its status: %s", err.msg);
        return;
    }
    for (size_t i = 0; i < s.n_gpus; i++) {
        doctor_say(d, FINDING_GOOD, "daemon's card", "%s, %" PRIu64 " of %" PRIu64 " MiB free",
                   s.gpus[i].name, s.gpus[i].memory_free >> 20, s.gpus[i].memory_total >> 20);
    }
    for (size_t i = 0; i < s.n_abilities; i++) {
        const struct cuzk_rpc_status_ability *b = &s.abilities[i];
        const bool can = strcmp(b->ability, "not possible") != 0;
        const ability_words words = {b->circuit_id,      b->ability,     b->needed_bytes,
                                     b->available_bytes, b->expected_ms, b->is_measured};
        char line[200];
        doctor_say(d, can ? FINDING_GOOD : FINDING_NOTE, "daemon's card", "GPU %u, %s",
                   b->gpu_ordinal, ability_text(line, sizeof(line), &words));
    }
    doctor_say(d, s.failed > 0 ? FINDING_NOTE : FINDING_GOOD, "daemon's jobs",
               "%" PRIu64 " proofs made, %" PRIu64 " failed", s.completed, s.failed);
    cuzk_rpc_status_free(&s);
}

void doctor_daemon(doctor *d)
{
    cuzk_rpc_client *client = NULL;
    cuzk_err err = {0};
    uint64_t serving = 0;
    cuzk_status st = remote_connect(&d->a, &d->remote, &client);
    err = d->a.err;
    if (st == CUZK_OK) {
        st = cuzk_rpc_client_health(client, "cuzk.v1.ProvingEngine", &serving, &err);
    }
    const char *address = d->remote.config.address != NULL ? d->remote.config.address : "?";
    if (st != CUZK_OK) {
        doctor_say(d, FINDING_PROBLEM, "daemon", "%s: %s", address, err.msg);
        doctor_next(d, FINDING_PROBLEM, "systemctl start cuzk   (or cuzk serve), then cuzk doctor");
    } else if (serving != 1) {
        doctor_say(d, FINDING_PROBLEM, "daemon", "%s answers, and takes no jobs", address);
        doctor_next(d, FINDING_PROBLEM, "cuzk status");
    } else {
        d->daemon_runs = true;
        doctor_say(d, FINDING_GOOD, "daemon", "%s takes jobs", address);
        say_devices(d, client);
        if (d->no_proof) {
            doctor_say(d, FINDING_NOTE, "test proof", "left out (--no-proof)");
        } else if (d->smallest_winning == 0) {
            doctor_say(d, FINDING_NOTE, "test proof", "left out: no WinningPoSt parameters in %s",
                       d->params);
        } else {
            test_proof(d, client);
        }
    }
    cuzk_rpc_client_destroy(client);
    memset(&d->a.err, 0, sizeof(d->a.err));
}
