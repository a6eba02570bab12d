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
    uint64_t completed, failed;    /* as of the last renewal */
} cuzk_pg_member_status;

typedef struct cuzk_pg_fleet_status {
    cuzk_pg_member_status *members; /* [n_members] by name, those that live first; owned */
    size_t n_members;               /* those that ended more than an hour ago are left out */
    uint64_t queued, claimed, running, completed, failed, cancelled,
        set_aside; /* jobs in the database */
    uint64_t oldest_queued_ms, input_bytes;
    uint64_t schema_version;
} cuzk_pg_fleet_status;

/** Only url and password_file of config are looked at. E_NOT_FOUND: the database has no queue; else as cuzk_pg_store_open. */
CUZK_NODISCARD cuzk_status cuzk_pg_fleet_status_read(cuzk_pg_fleet_status *out,
                                                     const cuzk_pg_config *config, cuzk_err *err);
void cuzk_pg_fleet_status_free(cuzk_pg_fleet_status *s);

#endif /* CUZK_STORE_PG_PG_STATUS_H */
