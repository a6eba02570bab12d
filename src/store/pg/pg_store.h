/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_STORE_PG_PG_STORE_H
#define CUZK_STORE_PG_PG_STORE_H

/*
 * The job store on PostgreSQL (engine/job_store.h), by libpq: tables cuzk_* in the first schema of the
 * connection's search path (schema_1.sql). Inputs are in the database, too, in parts of a megabyte.
 * What put and finish promise is what the database promises for a commit; the store turns
 * synchronous_commit on where a role has it off.
 *
 * A lost connection, a server that starts or stops, and a serialisation failure are tried again
 * for retry_ms, with growing pauses; a commit whose answer was lost is looked up first, so that it is
 * not done twice. After that the call fails with E_IO, which clients see as "environment: ".
 */
#include "store/store.h"

/** One part of an input in table cuzk_input. */
#define CUZK_PG_PART_BYTES ((size_t)1 << 20)
#define CUZK_PG_NAME_BYTES 256

/** Where the inputs of unfinished jobs are. All daemons of a fleet have the same; jobs that were put earlier stay where they are. */
typedef enum cuzk_pg_inputs {
    CUZK_PG_INPUTS_DATABASE = 0,
    CUZK_PG_INPUTS_FOLDER, /* a folder that all daemons have mounted */
    CUZK_PG_INPUTS_KEEPER /* a folder of the daemon that accepted the job; the others fetch them from it */
} cuzk_pg_inputs;
#define CUZK_PG_FOLDER_BYTES    512

/**
 * What a put takes of memory beyond the request: its input as it is kept, and what makes it. The inputs of all puts at one
 * moment take at most pack_bytes; an input that is longer is alone. What makes them takes CUZK_PG_PACK_BYTES_MORE in
 * addition. WinningPoSt (is_privileged) does not wait for others, and takes its bytes all the same.
 */
#define CUZK_PG_PACK_BYTES_MORE ((uint64_t)12 << 20)

typedef struct cuzk_pg_config {
    /**
     * "postgresql://USER@HOST:PORT/DATABASE?NAME=VALUE&..." with libpq's parameters (sslmode, sslrootcert, ...;
     * several hosts are fine). It may hold no password.
     */
    const char *url;
    const char *password_file; /* its first line; read anew for each connection. NULL: none */
    uint64_t
        max_bytes; /* of the inputs of unfinished jobs; put beyond it: E_BUDGET. 0: 64 GiB. A 32nd
                           part is WinningPoSt's. Several daemons may go beyond it by what they accept in a second. */
    uint64_t max_jobs;  /* unfinished ones; put beyond it: E_BUDGET. 0: any number */
    uint64_t retry_ms;  /* how long a call goes on trying; 0: 10 s */
    uint64_t answer_ms; /* how long a statement may take; 0: 30 s */
    uint64_t
        pack_bytes; /* memory for inputs that are being put (CUZK_PG_PACK_BYTES_MORE); 0: 64 MiB */
    cuzk_pg_inputs inputs;     /* where inputs are put */
    const char *inputs_folder; /* of FOLDER and KEEPER */
    /**
     * Reads the input called name, [n] bytes, from the daemon at address (cuzk_pg_input_part there); the store checks them.
     * E_NOT_FOUND: it has the input no more; E_IO: it cannot be reached. NULL: such jobs cannot be proved here.
     */
    cuzk_status (*fetch)(void *arg, const char *address, const char *name, uint8_t *out, size_t n,
                         cuzk_err *err);
    void *fetch_arg;
    const struct cuzk_pg_member
        *member; /* NULL: the store of one program, which takes up all jobs */
} cuzk_pg_config;

/**
 * A daemon of a fleet that shares the store: a job that is put is anybody's until it is claimed (cuzk_shared_queue).
 * Numbers of jobs are unique over all members: the upper 32 bits are the member's.
 */
typedef struct cuzk_pg_member {
    const char *name;    /* unique among the daemons; the newest of two of one name stays */
    const char *address; /* for "cuzk fleet status"; may be "" */
    const char *version; /* of the program */
    uint64_t lease_ms;   /* 0: 60 s; renewed at a sixth of it */
    uint64_t age_ms;     /* a waiting job rises one class, at most to HIGH; 0: ten minutes */
    uint64_t
        end_ms; /* how long a call about the end of a job goes on trying, instead of retry_ms; 0: 60 s */
    /**
     * What somebody should know, from a thread of the store. level: 0 error, 1 warning, 2 info. event:
     * "fleet.joined", "fleet.lease_lost", "fleet.replaced", "fleet.unreachable", "fleet.reachable",
     * "fleet.clock", "fleet.member_dead", "fleet.set_aside". May be NULL.
     */
    void (*on_event)(void *arg, int level, const char *event, const char *text);
    void *on_event_arg;
} cuzk_pg_member;

#define CUZK_PG_MEMBER_NAME_BYTES 64 /* longest name and its NUL: letters, digits, '.', '-', '_' */

/**
 * Connects, and makes or migrates the schema. report may be NULL; its fields about files stay empty.
 * E_INVALID (the URL, the password file, a server that is too old), E_UNSUPPORTED (the schema is of a newer version),
 * E_IO (no connection, no permission), E_NOMEM. Messages name host and database, never the password.
 *
 * In addition to what job_store.h says: load ends jobs whose input is lost or damaged as FAILED
 * instead of giving them; find gives the newest job of an id.
 */
CUZK_NODISCARD cuzk_status cuzk_pg_store_open(cuzk_job_store *out, const cuzk_pg_config *config,
                                              cuzk_store_report *report, cuzk_err *err);
/**
 * At most max bytes from at on of an input that this daemon keeps for the others, as it is kept: *out [*n], a block of
 * base/alloc.h. *n is 0 at the end. name: the job's number, '-', and the SHA-256 of what is kept, hexadecimal. s: of
 * cuzk_pg_store_open. E_NOT_FOUND (also of a text that is no such name), E_IO, E_NOMEM. @thread any
 */
CUZK_NODISCARD cuzk_status cuzk_pg_input_part(const cuzk_job_store *s, const char *name,
                                              uint64_t at, size_t max, uint8_t **out, size_t *n,
                                              cuzk_err *err);
/** Why a text is no name of a member; NULL: it is one. */
const char *cuzk_pg_member_name_fault(const char *name);
/** The URL without what comes after its database, for messages: "postgresql://HOST:PORT/DATABASE". E_INVALID. */
CUZK_NODISCARD cuzk_status cuzk_pg_describe(char out[CUZK_PG_NAME_BYTES], const char *url,
                                            cuzk_err *err);

#endif /* CUZK_STORE_PG_PG_STORE_H */
