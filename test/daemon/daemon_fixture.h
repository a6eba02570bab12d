/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_DAEMON_DAEMON_FIXTURE_H
#define CUZK_TEST_DAEMON_DAEMON_FIXTURE_H

/* The real program as a daemon in a folder of its own: parameters of WinningPoSt 2 KiB, a store, a
 * unix socket. It dies with the test program. */
#include <sys/types.h>

#include "rpc/client/rpc_client.h"

#include "../engine/engine_requests.h"

typedef struct daemon_box {
    char folder[256];
    char params[300], address[300], config[300], store[300], log[300], notify[300];
    int notify_fd; /* datagrams of sd_notify; -1: none wanted */
    pid_t pid;     /* 0: not running */
} daemon_box;

/** Makes folder and configuration; extra: more lines for it. */
void box_make(daemon_box *b, const char *extra);
/** Parameters of WinningPoSt 2 KiB, for cases that prove. */
void box_make_params(const daemon_box *b);
/** Writes the configuration again. */
void box_configure(const daemon_box *b, const char *extra);
/** Receives what the daemon tells the service manager, from the next start on. */
void box_listen_notify(daemon_box *b);
/** True when a datagram with the text comes within three minutes. */
bool box_notified(const daemon_box *b, const char *text);
/** Starts it without waiting; watchdog_us: WATCHDOG_USEC, 0: none. */
void box_spawn(daemon_box *b, uint64_t watchdog_us);
/** Starts it and waits until health says SERVING. */
void box_start(daemon_box *b);
/** Ends it with the signal, waits up to three minutes; the exit status, or 128 + the signal that ended it. */
int box_end(daemon_box *b, int sig);
/** Waits up to three minutes for its end. */
int box_wait(daemon_box *b);
cuzk_rpc_client *box_client(const daemon_box *b, uint64_t timeout_ms);
/** The log so far, malloc'd; each run of the daemon adds to it. */
char *box_log(const daemon_box *b);
bool box_log_has(const daemon_box *b, const char *text);
/** True when the text comes into the log within three minutes. */
bool box_log_gets(const daemon_box *b, const char *text);
/** HTTP status of GET path at the http_listen of the newest start; 0: no answer. */
int box_http(const daemon_box *b, const char *path);

/** Submits a job that is accepted; id gets its name. */
void box_submit(const daemon_box *b, const cuzk_job_request *rq, char id[CUZK_JOB_ID_BYTES]);
/** Awaits a job that ends COMPLETED with a proof of rq's statement. */
void box_await_proof(const daemon_box *b, const char *id, const engine_request *rq);

#endif /* CUZK_TEST_DAEMON_DAEMON_FIXTURE_H */
