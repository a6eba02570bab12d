/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_STORE_PG_PG_STATUS_H
#define CUZK_STORE_PG_PG_STATUS_H

/* What a fleet looks like from its database: read without joining it. */
#include "store/pg/pg_store.h"

typedef struct cuzk_pg_member_status {
    char name[CUZK_PG_MEMBER_NAME_BYTES], address[256], version[64];
    char end_reason[32]; /* "" while it lives; else "left", "replaced", "lease lost" */
    bool is_alive, is_draining;
    bool is_late;      /* it lives, and its lease is over: the others will take its jobs */
    uint64_t heard_ms; /* since the last renewal, or the end */
    uint64_t n_claimed, n_running; /* jobs that it has: not begun, begun */
    uint64_t n_parts; /* partitions that it has, of jobs of its own and of other members */
    uint64_t completed, failed; /* as of the last renewal */
    uint64_t places;            /* jobs that it works on at once, as of the last renewal */
    uint64_t devices, healthy;  /* its cards, and those that can be used */
    char loaded[512];           /* circuits in memory, blanks between them */
} cuzk_pg_member_status;

/** The owner of jobs: a name that a daemon gave to a caller, "" without names. */
typedef struct cuzk_pg_client_status {
    char name[256];
    uint64_t weight;   /* its share, in hundredths: 100 is the usual one */
    uint64_t max_jobs; /* unfinished ones; 0: any number */
    uint64_t queued, running;
    uint64_t completed, failed, cancelled, proofs, device_ms; /* since its first job */
} cuzk_pg_client_status;

#define CUZK_PG_STATUS_CLIENTS 100

typedef struct cuzk_pg_fleet_status {
    cuzk_pg_member_status *members; /* [n_members] by name, those that live first; owned */
    size_t n_members;               /* those that ended more than an hour ago are left out */
    cuzk_pg_client_status
        *clients; /* [n_clients] by device time; owned; at most CUZK_PG_STATUS_CLIENTS */
    size_t n_clients;
    uint64_t queued, claimed, running, completed, failed, cancelled,
        set_aside;                                       /* jobs in the database */
    uint64_t parts_waiting, parts_running, parts_proved; /* of jobs that several members prove */
    uint64_t oldest_queued_ms, input_bytes;
    uint64_t
        wait_ms; /* the work that waits, over the places of all members; 0 also when nothing is known */
    uint64_t places; /* of members that live and are not draining */
    uint64_t schema_version;
} cuzk_pg_fleet_status;

/**
 * What an operator decides about a client, whether it has had jobs or not. weight: 1 to 1000000, in hundredths; 0:
 * stays. max_jobs: UINT64_MAX: stays. E_INVALID; else as cuzk_pg_fleet_status_read.
 */
CUZK_NODISCARD cuzk_status cuzk_pg_client_set(const cuzk_pg_config *config, const char *name,
                                              uint64_t weight, uint64_t max_jobs, cuzk_err *err);

/** Only url, password_file, retry_ms and answer_ms of config are looked at. E_NOT_FOUND: the database has no queue; else as cuzk_pg_store_open. */
CUZK_NODISCARD cuzk_status cuzk_pg_fleet_status_read(cuzk_pg_fleet_status *out,
                                                     const cuzk_pg_config *config, cuzk_err *err);
void cuzk_pg_fleet_status_free(cuzk_pg_fleet_status *s);

#endif /* CUZK_STORE_PG_PG_STATUS_H */
