/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_STORE_PG_PG_INTERNAL_H
#define CUZK_STORE_PG_PG_INTERNAL_H

#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>

#include "store/job_columns.h"
#include "store/pack/input_encoding.h"
#include "store/pack/pack_room.h"
#include "store/pg/pg_store.h"

#include "pg_input.h"

/* Of the tables. From PG_SCHEMA_PACKED on no program uses them that cannot read packed inputs. */
#define PG_SCHEMA_VERSION 4
#define PG_SCHEMA_PACKED  3
#define PG_SCHEMA_PARTS   4 /* table cuzk_part */
#define PG_CONNECTIONS    6 /* at most, of one store */

/** What a failed statement means for its connection and for another try. */
typedef enum pg_fault {
    PG_FAULT_NONE = 0,
    PG_FAULT_LOST, /* the connection is gone: another try may succeed, and this one may have been done */
    PG_FAULT_CONFLICT, /* serialisation failure or deadlock: rolled back, another try may succeed */
    PG_FAULT_DUPLICATE, /* a unique key, or a table or type of that name, is there already */
    PG_FAULT_OTHER
} pg_fault;
/** Of a SQLSTATE; NULL or "": the connection is lost. Pure. */
pg_fault pg_fault_of(const char *sqlstate);

typedef struct pg_conn {
    PGconn *pg; /* NULL: not connected */
    bool is_used;
    pg_fault fault; /* of the last failure */
    uint64_t answer_ms;
    const char *name; /* of the store, for messages */
} pg_conn;

struct pg_fleet;

typedef struct pg_store {
    char *url;           /* owned */
    char *password_file; /* owned; NULL: none */
    char name[CUZK_PG_NAME_BYTES];
    uint64_t max_bytes, max_jobs, retry_ms, answer_ms;
    uint64_t place; /* where inputs are put: PG_PLACE_... */
    char *folder;   /* owned; NULL: PG_PLACE_DATABASE */
    cuzk_status (*fetch)(void *arg, const char *address, const char *name, uint8_t *out, size_t n,
                         cuzk_err *err);
    void *fetch_arg;
    _Atomic uint64_t schema_version; /* as last seen; it only rises */
    struct pg_fleet *fleet;          /* owned; NULL: the store of one program */
    atomic_bool is_stopping;         /* no more tries */
    bool is_open;                    /* it has connected once; written before there are threads */
    bool only_reads;                 /* a standby may answer, too */
    _Atomic int64_t clock_ahead_ms;  /* this host's clock before the database's; pg_clock.c */
    pack_room pack_room;             /* of jobs that are being put */
    pthread_mutex_t mutex;           /* what follows */
    pthread_cond_t freed;
    pg_conn conns[PG_CONNECTIONS];
    uint64_t input_bytes;   /* of unfinished jobs: as last counted, and what this store did since */
    uint64_t putting_bytes; /* of those, what is not committed yet */
    uint64_t n_jobs;        /* unfinished, likewise */
    uint64_t counted_ns;    /* when it was counted; 0: never */
} pg_store;

/* --- pg_query.c: statements --- */

#define PG_MAX_PARAMS 40
/** Parameters $1.. of a statement. Views are the caller's until the statement has run. */
typedef struct pg_params {
    int n;
    Oid types[PG_MAX_PARAMS];
    const char *values[PG_MAX_PARAMS];
    int lengths[PG_MAX_PARAMS], formats[PG_MAX_PARAMS];
    uint8_t numbers[PG_MAX_PARAMS][8];
} pg_params;
/** A bigint with the bits of v. */
void pg_add_u64(pg_params *p, uint64_t v);
void pg_add_bool(pg_params *p, bool v);
/** text; NULL is "". */
void pg_add_text(pg_params *p, const char *text);
void pg_add_bytes(pg_params *p, const void *data, size_t n);

/**
 * Runs one statement. *out (NULL: not wanted) gets its rows, binary, for PQclear. On failure c->fault says
 * what kind, and *out is NULL. what: for the message "job store NAME: WHAT: ...".
 */
CUZK_NODISCARD cuzk_status pg_exec(pg_conn *c, PGresult **out, const char *what, const char *sql,
                                   const pg_params *params, cuzk_err *err);
/** bigint[] of numbers [n]; text [cap] holds it: 22 bytes each, and 3. */
void pg_add_array(pg_params *p, const uint64_t *numbers, size_t n, char *text, size_t cap);
/** Several statements without parameters and rows. */
CUZK_NODISCARD cuzk_status pg_exec_all(pg_conn *c, const char *what, const char *sql,
                                       cuzk_err *err);
uint64_t pg_u64(const PGresult *r, int row, int column); /* of a bigint; NULL: 0 */
bool pg_bool(const PGresult *r, int row, int column);
cuzk_bytes pg_bytes(const PGresult *r, int row, int column); /* a view; NULL: empty */

/* --- pg_clock.c: times of day, in milliseconds since 1970 --- */

/** Of this host. */
int64_t pg_clock_now_ms(void);
/** The database's clock said database_ms at a moment between asked_ms and answered_ms of this host's. Any thread. */
void pg_clock_take(pg_store *s, int64_t asked_ms, int64_t answered_ms, int64_t database_ms);
/** A time of this host as rows have it, and back. 0 (none) stays 0. */
int64_t pg_clock_to_database(const pg_store *s, int64_t unix_ms);
int64_t pg_clock_from_database(const pg_store *s, int64_t unix_ms);

/* --- pg_connection.c --- */

void pg_disconnect(pg_conn *c);
CUZK_NODISCARD cuzk_status pg_connect(pg_store *s, pg_conn *c, cuzk_err *err);
/**
 * What is done on a connection, in autocommit mode at its begin and end. is_again: an earlier try ended
 * with a lost connection, and may have been committed.
 */
typedef cuzk_status (*pg_work)(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err);
/** Runs work on a connection of the pool; again after lost connections and conflicts, for retry_ms. */
CUZK_NODISCARD cuzk_status pg_run(pg_store *s, pg_work work, void *arg, cuzk_err *err);
/** The same with another limit of time. */
CUZK_NODISCARD cuzk_status pg_run_for(pg_store *s, uint64_t limit_ms, pg_work work, void *arg,
                                      cuzk_err *err);
/** pg_open.c: a store that has not connected yet. */
CUZK_NODISCARD cuzk_status pg_store_new(pg_store **out, const cuzk_pg_config *config,
                                        cuzk_err *err);
void pg_store_free(pg_store *s);

/* --- pg_schema.c --- */

/** Makes or migrates the tables, under a lock on the row of cuzk_schema. */
cuzk_status pg_migrate(pg_store *s, pg_conn *c, void *arg, bool is_again, cuzk_err *err);
/** schema_1.sql, ... */
extern const unsigned char pg_schema_1_sql[], pg_schema_2_sql[], pg_schema_3_sql[],
    pg_schema_4_sql[];
extern const size_t pg_schema_1_sql_size, pg_schema_2_sql_size, pg_schema_3_sql_size,
    pg_schema_4_sql_size;

/* --- pg_row.c --- */

/** A row copied out of a result. */
typedef struct pg_row {
    store_job_row job;
    uint8_t *input;     /* owned; NULL: not read */
    cuzk_bytes *proofs; /* owned */
    pg_input kept;
} pg_row;

#define PG_COLUMNS    \
    STORE_JOB_COLUMNS \
    ",class,input_form,input_place,input_keeper,kept_bytes,kept_digest,circuit"
/** The bytes that an input takes where it is kept: of cuzk_job. */
#define PG_KEPT_BYTES "CASE WHEN kept_bytes = 0 THEN input_bytes ELSE kept_bytes END"

/** Of a result that SELECTs PG_COLUMNS first. E_FORMAT (out->record.number is known), E_NOMEM. */
CUZK_NODISCARD cuzk_status pg_row_copy(pg_row *out, const pg_store *s, PGresult *result, int at,
                                       cuzk_err *err);
/** Reads, checks and parses the input. E_FORMAT, E_DIGEST, E_NOT_FOUND: lost; else as statements fail. */
CUZK_NODISCARD cuzk_status pg_row_read_input(pg_row *row, const pg_store *s, pg_conn *c,
                                             cuzk_err *err);
void pg_row_free(pg_row *row);

/* --- pg_put.c --- */

/** cuzk_job_store's put. */
CUZK_NODISCARD cuzk_status pg_put(void *arg, const cuzk_job_record *j, cuzk_err *err);
/** A job has ended, or was not put: its kept bytes no longer count. */
void pg_book_back(pg_store *s, uint64_t bytes);

/* --- pg_job.c --- */

#define PG_ERROR_BYTES 1024
/** state, ended_ms, code, error, proof and the five times; text is borrowed until the statement has run. */
void pg_add_outcome(pg_params *p, const cuzk_job_record *j, char text[PG_ERROR_BYTES]);

typedef void (*pg_each)(void *each_arg, const cuzk_job_record *job);

void pg_functions(cuzk_job_store *out, pg_store *s);
/** Ends a job whose input cannot be read. */
CUZK_NODISCARD cuzk_status pg_end_lost(pg_store *s, cuzk_job_record *j, const char *why,
                                       cuzk_err *err);
/** True for failures of reading an input that another try will not mend. */
bool pg_is_lost(cuzk_status st);
/** The row of a SELECT PG_COLUMNS ... WHERE number = $1, given to each without its input. E_NOT_FOUND. */
CUZK_NODISCARD cuzk_status pg_find_number(pg_store *s, uint64_t number, pg_each each,
                                          void *each_arg, cuzk_err *err);

/** A job that is not over, with its input, given to each. E_NOT_FOUND. */
CUZK_NODISCARD cuzk_status pg_read_with_input(pg_store *s, uint64_t number, pg_each each,
                                              void *each_arg, cuzk_err *err);

/* --- pg_fleet.c, pg_claim.c, pg_lease.c: with a member --- */

/** Joins, and starts the thread that renews. */
CUZK_NODISCARD cuzk_status pg_fleet_open(pg_store *s, const cuzk_pg_member *config, cuzk_err *err);
/** Gives every job back, leaves, frees. NULL is fine. */
void pg_fleet_close(pg_store *s);
/** The lease that this member has on a job; false: it has none. */
bool pg_fleet_lease(pg_store *s, uint64_t number, uint64_t *incarnation, uint64_t *fence);
/** What a put or a claim got. False: no memory; then the lease is as if it were unknown. */
bool pg_fleet_add_lease(pg_store *s, uint64_t number, uint64_t incarnation, uint64_t fence);
/** Partitions of another member's job, under the number of a task. False: no memory. */
bool pg_fleet_add_task(pg_store *s, uint64_t task, uint64_t job, uint64_t incarnation);
/** After an end, a release or a loss. */
void pg_fleet_drop_lease(pg_store *s, uint64_t number);
/** The incarnation while jobs may be claimed; 0: not now. */
uint64_t pg_fleet_may_start(pg_store *s);
/** The first number of this member's jobs. */
uint64_t pg_fleet_first_number(pg_store *s);
uint64_t pg_fleet_end_ms(const pg_store *s);
/** The queue has changed: the other members are told soon, and this one's engine. */
void pg_fleet_notify(pg_store *s);
/** What the member can do: renewed at once when it has changed. */
void pg_fleet_report(pg_store *s, const cuzk_queue_report *what);
void pg_fleet_count_end(pg_store *s, bool is_completed);
/** "" without a member. */
const char *pg_fleet_name(const pg_store *s);
extern const cuzk_shared_queue pg_shared_queue;
extern const cuzk_shared_parts pg_shared_parts;

#endif /* CUZK_STORE_PG_PG_INTERNAL_H */
