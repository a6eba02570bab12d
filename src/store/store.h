/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_STORE_STORE_H
#define CUZK_STORE_STORE_H

/*
 * The job store on SQLite (engine/job_store.h): one file, PATH, and for inputs above
 * CUZK_STORE_INLINE_BYTES the folder PATH.inputs, with one file per unfinished job. What
 * put and finish promise survives a kill and a power cut: write-ahead log, synced per commit, and
 * input files synced before the row that names them is committed. PATH.reserve keeps disk space for
 * the results of accepted jobs, PATH.reserve-winning for WinningPoSt's jobs; PATH.mark has the number
 * of the newest accepted job, so that a lost write-ahead log is noticed. The store opens, changes and
 * removes its own files only, and follows no symbolic link. One process has a store at a time.
 */
#include "engine/job_store.h"

#define CUZK_STORE_INLINE_BYTES ((size_t)256 << 10)
#define CUZK_STORE_PATH_BYTES   512

typedef struct cuzk_store_config {
    const char *path; /* its folder is created when its parent is there */
    /* Of database and inputs; put beyond it: E_BUDGET. 0: 64 GiB. A 32nd part is WinningPoSt's. */
    uint64_t max_bytes;
    /**
     * The disk has become full or the store cannot be written for another reason (why; NULL: the disk is
     * full), or it can be written again. NULL: not told. From a thread that uses the store, which it
     * holds: must not call the store.
     */
    void (*on_full)(void *arg, bool full, const char *why);
    void *on_full_arg;
} cuzk_store_config;

/** What opening found. */
typedef struct cuzk_store_report {
    uint64_t unfinished, ended; /* jobs */
    uint64_t orphans;           /* input files without an unfinished job, removed */
    uint64_t strangers;         /* other files in the folder of inputs, left alone */
    uint64_t lost;              /* accepted jobs that the database does not know any more */
    bool gave_reserve;          /* the disk is full: the reserve was given up for this start */
    char moved_to[CUZK_STORE_PATH_BYTES +
                  64]; /* a damaged store was moved here; "" when it was sound */
    char damage[200];  /* and this is what was wrong with it */
} cuzk_store_report;

/**
 * Opens or creates; checks the whole database. A database of an older format is brought forward, in one
 * transaction. A damaged one is renamed (PATH.damaged-TIME, with
 * its inputs), never deleted, and a fresh one takes its place. report may be NULL.
 * E_IO (in use by another process, disk, permissions), E_UNSUPPORTED (of a newer format that
 * this program cannot use: left alone, and the message says what to do), E_INVALID (another program's database: left alone; one of the store's names is a link or
 * somebody else's file; path too long), E_NOMEM.
 *
 * In addition to what job_store.h says: load ends jobs whose input is lost or damaged as FAILED
 * instead of giving them; find gives the newest job of an id.
 */
CUZK_NODISCARD cuzk_status cuzk_store_open(cuzk_job_store *out, const cuzk_store_config *config,
                                           cuzk_store_report *report, cuzk_err *err);

/** What a store takes, for metrics and readiness. */
typedef struct cuzk_store_state {
    bool
        is_full; /* jobs are refused: the disk is full (WinningPoSt's perhaps not), or it cannot be written */
    uint64_t database_bytes, input_bytes, max_bytes, disk_free_bytes;
} cuzk_store_state;

/** Looks at the disk and makes the reserves again where that is possible. s: of cuzk_store_open. */
void cuzk_store_look(const cuzk_job_store *s, cuzk_store_state *out);
/** What the last look or job found; does not wait. */
bool cuzk_store_is_full(const cuzk_job_store *s);

#endif /* CUZK_STORE_STORE_H */
