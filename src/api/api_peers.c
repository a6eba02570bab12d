/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "api/api_peers.h"

#include <stddef.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "base/clock.h"

/* The server sees the end of the connection and closes it. */
static void shut(cuzk_api_peers *p, cuzk_api_peer *q)
{
    if (!q->is_shut) {
        q->is_shut = true;
        p->n--;
        p->closed++;
        (void)shutdown(q->fd, SHUT_RDWR);
    }
}

static void make_room(cuzk_api_peers *p)
{
    cuzk_api_peer *oldest = NULL;
    for (cuzk_api_peer *q = p->first; q != NULL; q = q->next) {
        if (!q->is_shut &&
            (oldest == NULL || (!q->is_answered && oldest->is_answered) ||
             (q->is_answered == oldest->is_answered && q->since_ns < oldest->since_ns))) {
            oldest = q;
        }
    }
    if (oldest != NULL) {
        shut(p, oldest);
    }
}

static cuzk_api_peer *peer_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *i =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return i != NULL ? i->socket_context : NULL;
}

static void add(cuzk_api_peers *p, struct MHD_Connection *c, void **socket_context)
{
    const union MHD_ConnectionInfo *i =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    cuzk_api_peer *q = cuzk_alloc_zero(1, sizeof(*q));
    if (p->n >= p->max) {
        make_room(p);
    }
    if (q == NULL || i == NULL) {
        cuzk_free(q); /* it stays outside of the limits; MHD has one of its own */
        return;
    }
    q->fd = i->connect_fd;
    q->since_ns = cuzk_clock_ns();
    q->next = p->first;
    if (p->first != NULL) {
        p->first->prev = q;
    }
    p->first = q;
    p->n++;
    *socket_context = q;
}

static void drop(cuzk_api_peers *p, cuzk_api_peer *q)
{
    *(q->prev != NULL ? &q->prev->next : &p->first) = q->next;
    if (q->next != NULL) {
        q->next->prev = q->prev;
    }
    p->n -= q->is_shut ? 0 : 1;
    cuzk_free(q);
}

void cuzk_api_peers_notify(void *arg, struct MHD_Connection *c, void **socket_context,
                           enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        add(arg, c, socket_context);
    } else if (*socket_context != NULL) {
        drop(arg, *socket_context);
        *socket_context = NULL;
    }
}

static void set(struct MHD_Connection *c, bool is_answered)
{
    cuzk_api_peer *q = peer_of(c);
    if (q != NULL) {
        q->is_answered = is_answered;
        q->since_ns = cuzk_clock_ns();
    }
}

void cuzk_api_peer_asked(struct MHD_Connection *c)
{
    set(c, true);
}

void cuzk_api_peer_done(struct MHD_Connection *c)
{
    set(c, false);
}

static bool is_older(const cuzk_api_peer *q, uint64_t now_ns, uint64_t ms)
{
    return now_ns > q->since_ns && now_ns - q->since_ns >= ms * 1000000u;
}

void cuzk_api_peers_reap(cuzk_api_peers *p, uint64_t now_ns)
{
    for (cuzk_api_peer *q = p->first; q != NULL; q = q->next) {
        if (is_older(q, now_ns, q->is_answered ? CUZK_API_ANSWER_MS : CUZK_API_HEADER_MS)) {
            shut(p, q);
        }
    }
}

void cuzk_api_peers_hurry(cuzk_api_peers *p, uint64_t now_ns)
{
    for (cuzk_api_peer *q = p->first; q != NULL; q = q->next) {
        if (q->is_answered && is_older(q, now_ns, CUZK_API_HURRY_MS)) {
            shut(p, q);
        }
    }
}
