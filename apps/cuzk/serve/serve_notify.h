/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_SERVE_NOTIFY_H
#define CUZK_APPS_SERVE_NOTIFY_H

/*
 * The service manager's protocol (sd_notify(3)): one datagram of "NAME=value" lines per message to
 * the socket that NOTIFY_SOCKET names. Unlike libsystemd's, this never waits: a manager that does not
 * read must not stop a prover.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

typedef struct serve_notify {
    int fd;               /* -1: there is no service manager */
    uint64_t watchdog_us; /* 0: no watchdog */
    char status[256];     /* the last STATUS that was sent */
} serve_notify;

/** Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. */
void serve_notify_open(serve_notify *n);
void serve_notify_close(serve_notify *n);
/** A message; false when it was not delivered, or there is no service manager. */
bool serve_notify_send(const serve_notify *n, const char *fmt, ...) CUZK_PRINTF(2, 3);
/** STATUS=text, when it differs from the last. */
void serve_notify_status(serve_notify *n, const char *text);

#endif /* CUZK_APPS_SERVE_NOTIFY_H */
