/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_REMOTE_H
#define CUZK_APPS_REMOTE_H

/* The common part of the commands that talk to a daemon: its address, the job, and how a result is reported. */
#include "apps/cuzk/app.h"
#include "apps/cuzk/filecoin/statement_opts.h"
#include "rpc/client/rpc_client.h"

/** Address and credentials. Child of a command's argp, with this struct as input. */
typedef struct remote_opts {
    cuzk_rpc_client_config config;
    char *token; /* owned: from --token-file */
} remote_opts;
extern const struct argp remote_argp;
#define REMOTE_CHILD                               \
    {                                              \
        &remote_argp, 0, "Connection options:", 80 \
    }
/** Fills in defaults: $CUZK_ADDR, else the daemon's socket if it is there, else 127.0.0.1:9820; $CUZK_TOKEN. */
CUZK_NODISCARD cuzk_status remote_connect(app *a, remote_opts *r, cuzk_rpc_client **out);
/** Completes r->config as remote_connect does, without connecting: for commands with many connections. */
CUZK_NODISCARD cuzk_status remote_prepare(app *a, remote_opts *r);
/** After a failure of remote_connect: adds to the program's message what a user can do when nothing listens or the socket may not be used. */
void remote_explain(app *a);
void remote_free(remote_opts *r);

#define REMOTE_MAX_FILES STATEMENT_MAX_FILES

/** A job as options describe it. Zero-initialise. */
typedef struct remote_job {
    cuzk_job_kind kind; /* 0: --kind not given */
    const char *c1, *request_id, *sectors;
    bool any_count;
    const char *vanilla[REMOTE_MAX_FILES];
    size_t n_vanilla;
    uint64_t registered_proof, sector_size, sector_number, miner_id, partition, priority, weight;
    uint8_t randomness[32], comm_r_old[32], comm_r_new[32], comm_d_new[32];
    bool has_randomness, has_r_old, has_r_new, has_d_new, has_miner, has_sector;
    /* loaded: */
    cuzk_job_request request;
    void *files; /* what the request's views point into */
} remote_job;

/** The options of a job, for an argp; parse with remote_job_parse. */
extern const struct argp_option remote_job_options[];
/** argp's parser for those options; ARGP_ERR_UNKNOWN for others. */
error_t remote_job_parse(remote_job *j, int key, char *arg, struct argp_state *state);
/** One "name=value", names as the long options. NULL, or what is wrong (static text). value is borrowed. */
const char *remote_job_set(remote_job *j, const char *name, const char *value);
/** Reads the files, fills in request. E_INVALID names the option that is missing. */
CUZK_NODISCARD cuzk_status remote_job_load(app *a, remote_job *j);
/** Checks that the job names all that its file does not have. E_INVALID names what is missing. */
CUZK_NODISCARD cuzk_status remote_job_require(app *a, const remote_job *j);
void remote_job_free(remote_job *j);
/**
 * remote_aggregate.c: the list of sectors (docs/snarkpack.md) as records of a request of kind
 * CUZK_JOB_AGGREGATE. *block and *records are the caller's, of base/alloc.h; the request points into them.
 */
CUZK_NODISCARD cuzk_status remote_aggregate_load(app *a, remote_job *j, uint8_t **block,
                                                 cuzk_bytes **records);
/** "porep-c2", ...: the protocol's names. */
const char *remote_kind_name(cuzk_job_kind k);

/** Reports a result (lines or JSON fields) and writes the proof to out (NULL: nowhere); the status of the whole. */
CUZK_NODISCARD cuzk_status remote_report(app *a, const cuzk_rpc_result *r, uint64_t wall_ns,
                                         const char *out);
/** The exit status for an ended job; CUZK_OK when it COMPLETED. */
CUZK_NODISCARD cuzk_status remote_outcome(const cuzk_rpc_result *r, cuzk_err *err);

#endif /* CUZK_APPS_REMOTE_H */
