/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_STORE_STORE_H
#define CUZK_STORE_STORE_H

/*
 * The job store on SQLite (engine/job_store.h): one file, PATH, and for inputs above
 * CUZK_STORE_INLINE_BYTES a folder beside it, PATH.inputs, with one file per unfinished job. What
 * put and finish promise survives a kill and a power cut: write-ahead log, synced per commit, and
 * input files synced before the row that names them is committed. A third file, PATH.reserve, keeps
 * disk space for the results of accepted jobs. One process has a store at a time.
 */
#include "engine/job_store.h"

#define CUZK_STORE_INLINE_BYTES ((size_t)256 << 10)
#define CUZK_STORE_PATH_BYTES   512

typedef struct cuzk_store_config {
    const char *path;   /* its folder is created when its parent is there */
    uint64_t max_bytes; /* of database and inputs; put beyond it: E_BUDGET. 0: 64 GiB */
} cuzk_store_config;

/** What opening found. */
typedef struct cuzk_store_report {
    uint64_t unfinished, ended; /* jobs */
    uint64_t orphans;           /* input files without an unfinished job, removed */
    char moved_to[CUZK_STORE_PATH_BYTES +
                  64]; /* a damaged store was moved here; "" when it was sound */
    char damage[200];  /* and this is what was wrong with it */
} cuzk_store_report;

/**
 * Opens or creates; checks the whole database. A damaged one is renamed (PATH.damaged-TIME, with
 * its inputs), never deleted, and a fresh one takes its place. report may be NULL.
 * E_IO (in use by another process, disk, permissions), E_UNSUPPORTED (of a newer version: left
 * alone), E_INVALID (another program's database: left alone; path too long), E_NOMEM.
 *
 * In addition to what job_store.h says: load ends jobs whose input is lost or damaged as FAILED
 * instead of giving them; find gives the newest job of an id.
 */
CUZK_NODISCARD cuzk_status cuzk_store_open(cuzk_job_store *out, const cuzk_store_config *config,
                                           cuzk_store_report *report, cuzk_err *err);

#endif /* CUZK_STORE_STORE_H */
