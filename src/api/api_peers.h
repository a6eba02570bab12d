/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_API_API_PEERS_H
#define CUZK_API_API_PEERS_H

/*
 * The HTTP server's connections. A request's header has to be whole, and an answer taken, within a
 * time that sending a byte now and then does not prolong; and when there are too many connections
 * the oldest one without a whole request makes room.
 *
 * @thread all of it: the server's one thread.
 */
#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#define CUZK_API_HEADER_MS 10000u
#define CUZK_API_ANSWER_MS 30000u
#define CUZK_API_HURRY_MS  1000u /* for an answer, while others are refused for want of memory */

typedef struct cuzk_api_peer {
    struct cuzk_api_peer *prev, *next;
    int fd;
    bool is_answered; /* the request is whole; else its header is awaited */
    bool is_shut;
    uint64_t since_ns; /* of this state */
} cuzk_api_peer;

typedef struct cuzk_api_peers {
    cuzk_api_peer *first;
    unsigned n, max; /* open ones; beyond max one makes room */
    uint64_t closed; /* so far, for want of speed or room */
} cuzk_api_peers;

/** For MHD_OPTION_NOTIFY_CONNECTION; arg: the cuzk_api_peers. */
void cuzk_api_peers_notify(void *arg, struct MHD_Connection *c, void **socket_context,
                           enum MHD_ConnectionNotificationCode code);
/** The header of c's request is whole. */
void cuzk_api_peer_asked(struct MHD_Connection *c);
/** The answer is out; the next header is awaited. */
void cuzk_api_peer_done(struct MHD_Connection *c);
/** Shuts those that are too slow. */
void cuzk_api_peers_reap(cuzk_api_peers *p, uint64_t now_ns);
/** The memory of answers is used up: shuts those that have not taken theirs for CUZK_API_HURRY_MS. */
void cuzk_api_peers_hurry(cuzk_api_peers *p, uint64_t now_ns);

#endif /* CUZK_API_API_PEERS_H */
