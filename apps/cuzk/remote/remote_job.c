/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "apps/cuzk/filecoin/statement_opts.h"
#include "apps/cuzk/filecoin/vanilla_files.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "prover/keys/circuit_id.h"
#include "prover/keys/params_dir.h"
#include "sys/file.h"
#include "vanilla/sector/miner.h"
#include "vanilla/sector/sector.h"

#include "remote.h"

enum {
    OPT_REGISTERED = 0x500,
    OPT_SECTOR_NUM,
    OPT_MINER,
    OPT_REQUEST_ID,
    OPT_PRIORITY,
    OPT_SECTORS,
    OPT_ANY_COUNT
};

const struct argp_option remote_job_options[] = {
    {"kind", 'k', "KIND", 0, "porep, winning, window, update or aggregate", 0},
    STATEMENT_OPTION_C1(""),
    STATEMENT_OPTION_VANILLA(""),
    {"type", 't', "N", 0, "Number of the registered proof (default: 0, what the input says)", 0},
    {"miner", OPT_MINER, "ID", 0, "porep: the miner, f01000 or 1000", 0},
    {"sector", OPT_SECTOR_NUM, "N", 0, "porep: sector number", 0},
    STATEMENT_OPTION_SECTOR_SIZE(" (default: taken from the input)"),
    STATEMENT_OPTION_PARTITION,
    STATEMENT_OPTION_RANDOMNESS(""),
    STATEMENT_OPTIONS_UPDATE,
    {"sectors", OPT_SECTORS, "FILE", 0, "Aggregate: JSON list of sectors with their proofs", 0},
    {"any-count", OPT_ANY_COUNT, NULL, 0,
     "Aggregate: also numbers of sectors that the chain does not take", 0},
    {"priority", OPT_PRIORITY, "P", 0, "low, normal, high or critical (default: by kind)", 0},
    {"request-id", OPT_REQUEST_ID, "TEXT", 0,
     "Name of the job (default: none, the daemon makes one)", 0},
    /* names of earlier releases */
    {"registered-proof", OPT_REGISTERED, "N", OPTION_HIDDEN, NULL, 0},
    {"sector-num", OPT_SECTOR_NUM, "N", OPTION_HIDDEN, NULL, 0},
    {"miner-id", OPT_MINER, "ID", OPTION_HIDDEN, NULL, 0},
    {0}};

/* The long name of an option; NULL: not one of a job. */
static const char *name_of(int key)
{
    for (const struct argp_option *o = remote_job_options; o->name != NULL; o++) {
        if (o->key == key) {
            return o->name;
        }
    }
    return NULL;
}

static const char *set_kind(remote_job *j, const char *v)
{
    static const cuzk_job_kind kinds[CUZK_CIRCUIT_N_KINDS] = {CUZK_JOB_POREP, CUZK_JOB_WINNING,
                                                              CUZK_JOB_WINDOW, CUZK_JOB_UPDATE};
    cuzk_circuit_kind kind;
    if (strcmp(v, "aggregate") == 0) {
        j->kind = CUZK_JOB_AGGREGATE;
    } else if (cuzk_circuit_kind_parse(&kind, v)) {
        j->kind = kinds[kind];
    } else {
        return "wants porep, winning, window, update or aggregate";
    }
    return NULL;
}

static const char *set_priority(remote_job *j, const char *v)
{
    static const char *const names[] = {"default", "low", "normal", "high", "critical"};
    for (uint64_t i = 0; i < 5; i++) {
        if (strcmp(names[i], v) == 0) {
            j->priority = i;
            return NULL;
        }
    }
    return "wants low, normal, high or critical";
}

static const char *set_number(uint64_t *out, const char *v, uint64_t max)
{
    return app_parse_u64(out, v, max) ? NULL : "wants a number";
}

static const char *set_hex(uint8_t out[32], bool *has, const char *v)
{
    *has = cuzk_hex_decode(out, 32, v, strlen(v));
    return *has ? NULL : "wants 64 hex digits";
}

static const char *set(remote_job *j, int key, const char *v)
{
    switch (key) {
    case 'k': return set_kind(j, v);
    case 't': /* earlier releases had the kind here */
        return v[0] >= '0' && v[0] <= '9' ? set_number(&j->registered_proof, v, UINT64_MAX)
                                          : set_kind(j, v);
    case OPT_C1: j->c1 = v; return NULL;
    case OPT_SECTORS: j->sectors = v; return NULL;
    case OPT_VANILLA:
        if (j->n_vanilla == REMOTE_MAX_FILES) {
            return "is given too often";
        }
        j->vanilla[j->n_vanilla++] = v;
        return NULL;
    case OPT_REGISTERED: return set_number(&j->registered_proof, v, UINT64_MAX);
    case OPT_SECTOR_NUM: j->has_sector = true; return set_number(&j->sector_number, v, UINT64_MAX);
    case OPT_MINER:
        j->has_miner = true;
        return cuzk_miner_parse(&j->miner_id, v) ? NULL : "wants " CUZK_MINER_EXPECTED;
    case OPT_SECTOR_SIZE: return cuzk_sector_size_parse(&j->sector_size, v) ? NULL : "wants a size";
    case OPT_PARTITION: return set_number(&j->partition, v, UINT32_MAX);
    case OPT_RANDOMNESS: return set_hex(j->randomness, &j->has_randomness, v);
    case OPT_COMM_R_OLD: return set_hex(j->comm_r_old, &j->has_r_old, v);
    case OPT_COMM_R_NEW: return set_hex(j->comm_r_new, &j->has_r_new, v);
    case OPT_COMM_D_NEW: return set_hex(j->comm_d_new, &j->has_d_new, v);
    case OPT_PRIORITY: return set_priority(j, v);
    case OPT_REQUEST_ID: j->request_id = v; return NULL;
    default: return "is not an option of a job";
    }
}

error_t remote_job_parse(remote_job *j, int key, char *arg, struct argp_state *state)
{
    const char *name = name_of(key);
    if (key == ARGP_KEY_INIT) {
        j->sector_number = 1;
        j->miner_id = 1000;
        return 0;
    }
    if (key == OPT_ANY_COUNT) {
        j->any_count = true;
        return 0;
    }
    if (name == NULL || arg == NULL) {
        return ARGP_ERR_UNKNOWN;
    }
    const char *wrong = set(j, key, arg);
    if (wrong != NULL) {
        argp_error(state, "--%s %s, not '%s'", name, wrong, arg);
    }
    return 0;
}

const char *remote_job_set(remote_job *j, const char *name, const char *value)
{
    if (strcmp(name, "weight") == 0) {
        return set_number(&j->weight, value, 1000000);
    }
    for (const struct argp_option *o = remote_job_options; o->name != NULL; o++) {
        if (strcmp(o->name, name) == 0) {
            return set(j, o->key, value);
        }
    }
    return "is not an option of a job";
}

const char *remote_kind_name(cuzk_job_kind k)
{
    static const char *const names[] = {"porep-c2", "snap-update", "window-post", "winning-post",
                                        "aggregate"};
    return k >= 1 && k <= CUZK_JOB_KINDS ? names[k - 1] : "unknown";
}

/* ---- files ---- */

typedef struct job_files {
    cuzk_content c1;
    vanilla_files vanilla;
    cuzk_bytes *proofs; /* [n_proofs] */
    size_t n_proofs;
    uint8_t *records; /* of an aggregate */
} job_files;

static cuzk_status nomem(app *a)
{
    return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "out of memory for proofs");
}

static cuzk_status add_proof(void *arg, const cuzk_proof_bytes *p, const char *name)
{
    job_files *f = arg;
    (void)name;
    f->proofs[f->n_proofs++] = (cuzk_bytes){p->data, p->size};
    return CUZK_OK;
}

static cuzk_status load_vanilla(app *a, remote_job *j, job_files *f)
{
    for (size_t i = 0; i < j->n_vanilla; i++) { /* the daemon sorts sectors by their numbers */
        CUZK_TRY(vanilla_files_add(&f->vanilla, a, j->vanilla[i]));
    }
    f->proofs = cuzk_alloc(f->vanilla.n_proofs, sizeof(*f->proofs));
    return f->proofs == NULL ? nomem(a) : vanilla_files_each(&f->vanilla, add_proof, f);
}

/* As the options have it. */
static const char *kind_word(cuzk_job_kind k)
{
    static const char *const names[] = {"porep", "update", "window", "winning", "aggregate"};
    return k >= 1 && (size_t)k <= sizeof(names) / sizeof(names[0]) ? names[k - 1] : "unknown";
}

static cuzk_status check(app *a, const remote_job *j)
{
    const bool porep = j->kind == CUZK_JOB_POREP;
    if (j->kind == 0) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID,
                         "needs --kind: porep, winning, window, update or aggregate");
    }
    if (j->kind == CUZK_JOB_AGGREGATE) {
        return j->sectors != NULL
                   ? CUZK_OK
                   : CUZK_FAIL(&a->err, CUZK_E_INVALID, "--kind aggregate needs --sectors");
    }
    if (porep ? j->c1 == NULL : j->n_vanilla == 0) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "--kind %s needs %s", kind_word(j->kind),
                         porep ? "--c1" : "--vanilla");
    }
    if ((j->kind == CUZK_JOB_WINDOW || j->kind == CUZK_JOB_WINNING) && !j->has_randomness) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "--kind %s needs --randomness",
                         kind_word(j->kind));
    }
    if (j->kind == CUZK_JOB_UPDATE && !(j->has_r_old && j->has_r_new && j->has_d_new)) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID,
                         "--kind update needs --comm-r-old, --comm-r-new and --comm-d-new");
    }
    return CUZK_OK;
}

cuzk_status remote_job_require(app *a, const remote_job *j)
{
    if (j->kind == CUZK_JOB_POREP && !(j->has_miner && j->has_sector)) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID,
                         "--kind porep needs --miner and --sector: the proof is of that sector");
    }
    return check(a, j);
}

cuzk_status remote_job_load(app *a, remote_job *j)
{
    const bool post = j->kind == CUZK_JOB_WINDOW || j->kind == CUZK_JOB_WINNING;
    const bool update = j->kind == CUZK_JOB_UPDATE;
    cuzk_job_request *q = &j->request;
    CUZK_TRY(check(a, j));
    job_files *f = cuzk_alloc_zero(1, sizeof(*f));
    if (f == NULL) {
        return nomem(a);
    }
    j->files = f;
    if (j->kind == CUZK_JOB_POREP) {
        CUZK_TRY(cuzk_content_read(&f->c1, j->c1, CUZK_CONTENT_INPUT, &a->err));
        q->vanilla_proof = (cuzk_bytes){f->c1.data, f->c1.size};
    } else if (j->kind == CUZK_JOB_AGGREGATE) {
        CUZK_TRY(remote_aggregate_load(a, j, &f->records, &f->proofs));
    } else {
        CUZK_TRY(load_vanilla(a, j, f));
        q->vanilla_proofs = f->proofs;
        q->n_vanilla_proofs = f->n_proofs;
    }
    q->kind = j->kind;
    q->priority = (uint32_t)j->priority;
    q->sector_size = j->sector_size;
    if (j->kind != CUZK_JOB_AGGREGATE) { /* the list says it */
        q->registered_proof = j->registered_proof;
    }
    q->sector_number = j->sector_number;
    q->miner_id = j->miner_id;
    q->partition_index = (uint32_t)j->partition;
    if (j->request_id != NULL) {
        q->request_id = (cuzk_bytes){(const uint8_t *)j->request_id, strlen(j->request_id)};
    }
    q->randomness = (cuzk_bytes){j->randomness, post ? 32 : 0};
    q->comm_r_old = (cuzk_bytes){j->comm_r_old, update ? 32 : 0};
    q->comm_r_new = (cuzk_bytes){j->comm_r_new, update ? 32 : 0};
    q->comm_d_new = (cuzk_bytes){j->comm_d_new, update ? 32 : 0};
    return CUZK_OK;
}

void remote_job_free(remote_job *j)
{
    job_files *f = j->files;
    if (f == NULL) {
        return;
    }
    cuzk_content_free(&f->c1);
    vanilla_files_free(&f->vanilla);
    cuzk_free(f->proofs);
    cuzk_free(f->records);
    cuzk_free(f);
    j->files = NULL;
}

/* ---- results ---- */

cuzk_status remote_outcome(const cuzk_rpc_result *r, cuzk_err *err)
{
    switch (r->outcome) {
    case CUZK_RPC_COMPLETED: return CUZK_OK;
    case CUZK_RPC_FAILED:
        if (strncmp(r->error, "input: ", 7) == 0) {
            return CUZK_FAIL(err, CUZK_E_VANILLA, "the job failed: %s", r->error);
        }
        return CUZK_FAIL(err, CUZK_E_SELFTEST, "the job failed: %s", r->error);
    case CUZK_RPC_CANCELLED: return CUZK_FAIL(err, CUZK_E_CANCELLED, "the job was cancelled");
    case CUZK_RPC_TIMEOUT:
        return CUZK_FAIL(err, CUZK_E_CANCELLED, "the job is not over; the wait timed out");
    case CUZK_RPC_UNKNOWN: break;
    }
    return CUZK_FAIL(err, CUZK_E_FORMAT, "the daemon answered with an unknown status");
}

cuzk_status remote_report(app *a, const cuzk_rpc_result *r, uint64_t wall_ns, const char *out)
{
    if (r->job_id[0] != '\0') { /* Prove echoes the request_id, which may be empty */
        app_text(a, "job_id", r->job_id);
    }
    app_text(a, "status", cuzk_rpc_outcome_name(r->outcome));
    if (r->outcome == CUZK_RPC_COMPLETED || r->outcome == CUZK_RPC_FAILED) {
        app_u64(a, "total_ms", r->total_ms);
        app_u64(a, "queue_wait_ms", r->queue_wait_ms);
        app_u64(a, "srs_load_ms", r->srs_load_ms);
        app_u64(a, "synthesis_ms", r->synthesis_ms);
        app_u64(a, "gpu_compute_ms", r->gpu_compute_ms);
        app_seconds(a, "wall", wall_ns);
    }
    CUZK_TRY(remote_outcome(r, &a->err));
    app_u64(a, "proof_bytes", r->proof_size);
    return out == NULL ? CUZK_OK
                       : cuzk_file_write_all(out, r->proof, r->proof_size, a->force, &a->err);
}
