/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_STORE_STORE_INTERNAL_H
#define CUZK_STORE_STORE_INTERNAL_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>

#include "store/job_columns.h"
#include "store/pack/input_encoding.h"
#include "store/store.h"
#include "sys/file.h"

/* "CUZK" in the database's header. */
#define STORE_APPLICATION_ID 0x43555a4b
#define STORE_VERSION        2 /* of the format; steps from older ones: store_open.c */
#define STORE_COMPATIBLE \
    2 /* programs that know this version and later ones may use what this one writes */

/* Disk space that is kept, and for what. */
typedef enum store_reserve {
    STORE_FOR_RESULTS = 0,
    STORE_FOR_WINNING = 1,
    STORE_RESERVES = 2
} store_reserve;

typedef struct store {
    sqlite3 *db;
    pthread_mutex_t mutex; /* the connection and the fields up to mark_fd */
    uint64_t file_bytes;   /* input files of unfinished jobs, and those being written */
    uint64_t max_bytes;
    bool has_reserve[STORE_RESERVES];
    uint64_t low_since_ns; /* the disk's free space is low; 0: it is not */
    uint64_t mark;         /* in PATH.mark */
    int mark_fd;           /* -1: not open */
    atomic_bool is_full;
    uint64_t device, inode; /* of the database */
    void (*on_full)(void *arg, bool full, const char *why);
    void *on_full_arg;
    char path[CUZK_STORE_PATH_BYTES];
} store;

/* --- SQL helpers; all under the mutex --- */

/** Status of the connection's last error, with a message "job store PATH: WHAT: ...". */
cuzk_status store_sql_fail(store *s, const char *what, cuzk_err *err);
CUZK_NODISCARD cuzk_status store_exec(store *s, const char *sql, cuzk_err *err);
CUZK_NODISCARD cuzk_status store_prepare(store *s, sqlite3_stmt **out, const char *sql,
                                         cuzk_err *err);
/** The first column of the first row; 0 when there is no row. */
CUZK_NODISCARD cuzk_status store_query_u64(store *s, uint64_t *out, const char *sql, cuzk_err *err);
/** True when the connection's last error says that the file is damaged. */
bool store_is_damaged(store *s);

/* --- store_files.c --- */

/** E_INVALID names a file of the store that is a link or of another kind. */
CUZK_NODISCARD cuzk_status store_check_files(const store *s, cuzk_err *err);
/** Makes the folder of inputs; removes inputs that no unfinished job has, and temporary files. */
CUZK_NODISCARD cuzk_status store_sweep_inputs(store *s, cuzk_store_report *report, cuzk_err *err);
/**
 * PATH.mark has the number of the newest job that was accepted: a write-ahead log that was removed
 * or cut takes jobs out of the database without a trace. 0: there is no mark.
 */
uint64_t store_mark_read(const store *s);
/** Under the mutex, once the job is committed. What cannot be written is not marked. */
void store_mark_write(store *s, uint64_t number);

/** Room for a path of a file of the store. */
#define STORE_FILE_BYTES (CUZK_STORE_PATH_BYTES + 32)
/** The first file or folder of the store that this process may not write, into out; returns its errno, or 0: there is none. */
int store_find_unwritable(const store *s, char out[STORE_FILE_BYTES]);
/** E_IO (E_INVALID: a name that no file can have) "job store: FILE cannot be written: WHY"; os: the errno of file. */
cuzk_status store_fail_unwritable(const char *file, int os, cuzk_err *err);
/** Before the database is opened: E_IO of store_fail_unwritable. */
CUZK_NODISCARD cuzk_status store_check_access(const store *s, cuzk_err *err);

/* --- store_reserve.c: under the mutex --- */

#define STORE_RESERVE_BYTES         ((size_t)4 << 20)
#define STORE_RESERVE_WINNING_BYTES ((size_t)1 << 20)
/** E_INVALID names a file that has the reserve's name and is not this program's. */
CUZK_NODISCARD cuzk_status store_reserves_check(const store *s, cuzk_err *err);
/** Makes what is not there; false: the disk is too full, and no job may be accepted. */
bool store_reserves_take(store *s);
/** Gives its space to the database; false: there was none. */
bool store_reserve_give(store *s, store_reserve r);
/** The failure is a full disk, or a quota. */
bool store_is_full_error(const cuzk_err *err);
/** Tells the daemon when it changes. */
void store_set_full(store *s, bool full);
/** A write failed for another reason: no job is taken until a write succeeds. err: why. Under the mutex. */
void store_set_unwritable(store *s, const cuzk_err *err);
/** E_IO: the database was moved or removed. */
CUZK_NODISCARD cuzk_status store_fail_moved(const store *s, cuzk_err *err);
/** Notes which file the open database is. */
void store_note_place(store *s);
/** The file at the store's path is still the open database. Under the mutex. */
bool store_is_in_place(const store *s);
/** Writes a byte or two to the database. Under the mutex. */
CUZK_NODISCARD cuzk_status store_check_writable(store *s, cuzk_err *err);

/* --- store_input.c: the byte strings of a request (store/pack/input_encoding.h) --- */

/** How an input is kept. */
typedef struct store_input {
    uint64_t bytes;
    uint8_t digest[32];   /* SHA-256 of the encoding */
    uint8_t *inline_data; /* owned; NULL: in a file */
} store_input;

/** Encodes r, into memory or durably into the file of number. Free inline_data with cuzk_free. */
CUZK_NODISCARD cuzk_status store_input_write(store_input *out, const store *s, uint64_t number,
                                             const cuzk_job_request *r, cuzk_err *err);
void store_input_path(char out[CUZK_STORE_PATH_BYTES + 64], const store *s, uint64_t number);
void store_input_remove(const store *s, uint64_t number);

/* --- rows --- */

/** A row copied out of the database, so that callbacks run without the mutex. */
typedef struct store_row {
    store_job_row job;
    cuzk_bytes *proofs;   /* owned */
    cuzk_content content; /* of the input file */
    cuzk_bytes input;     /* in job.text; data NULL: in a file */
} store_row;

#define STORE_COLUMNS STORE_JOB_COLUMNS ",input"

/** Copies the row that q (SELECT STORE_COLUMNS) is at; with_input: the small input too. Under the mutex. */
CUZK_NODISCARD cuzk_status store_row_copy(store_row *out, const store *s, sqlite3_stmt *q,
                                          bool with_input, cuzk_err *err);
/** Reads, checks and parses the row's input. E_FORMAT, E_DIGEST, E_NOT_FOUND: lost; else as files fail. */
CUZK_NODISCARD cuzk_status store_row_take_input(store_row *row, const store *s, cuzk_err *err);
void store_row_free(store_row *row);

/** The folder that path is in. */
void store_folder_of(char out[CUZK_STORE_PATH_BYTES], const char *path);
/** Fills the function table of out. */
void store_functions(cuzk_job_store *out, store *s);
void store_free(store *s);

#endif /* CUZK_STORE_STORE_INTERNAL_H */
