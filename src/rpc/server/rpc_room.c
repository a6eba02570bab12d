/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Limits over all connections. Nothing is refused to one caller as long as another one only holds a
 * place: when a limit is reached, the peer that does least with its share loses it. Known callers
 * (unix sockets; a token or client certificate was shown) have a part of each limit to themselves, and
 * do not lose a place to others.
 *
 *   connections   the one that has been idle for longest; first those that never made a call. Known
 *                 callers among themselves: an idle one of who has the most. A sixteenth is never
 *                 held by connections that have work or are known, so that a new one gets in
 *   calls         the connection with the most
 *   answers       the connection with the most bytes that it does not read
 *   uploads       those with the longest way to go, once another message waits for their memory
 *   descriptors   as for connections
 *
 * I/O thread.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "rpc/server/rpc_internal.h"

#define NS_PER_MS        UINT64_C(1000000)
#define UPLOAD_WINDOW_MS 2000u              /* over which an upload's speed is measured */
#define UPLOAD_LEFT_MS   30000u             /* an upload that will be over by then goes on */
#define UPLOAD_NEVER_MS  (UINT64_MAX / 8)   /* nothing of it comes */
#define LARGE            ((size_t)64 << 20) /* such messages go after smaller ones */
#define LARGE_WAIT_MS    60000u             /* but not for ever */

static void evict(rpc_conn *c, const char *why)
{
    (void)atomic_fetch_add(&c->server->evicted_conns, 1);
    rpc_conn_kill(c, why);
}

/* ---- connections ---- */

static uint64_t idle_since(const rpc_conn *c)
{
    return c->idle_ns != 0 ? c->idle_ns : c->opened_ns;
}

/* a is to go before b. */
static bool goes_before(const rpc_conn *a, const rpc_conn *b)
{
    return a->has_worked != b->has_worked ? !a->has_worked : idle_since(a) < idle_since(b);
}

static rpc_conn *idle_victim(const cuzk_rpc_server *s)
{
    rpc_conn *victim = NULL;
    for (rpc_conn *c = s->conns; c != NULL; c = c->next) {
        if (!c->is_known && (victim == NULL || goes_before(c, victim)) && c->n_work == 0) {
            victim = c;
        }
    }
    return victim;
}

bool rpc_room_conn(cuzk_rpc_server *s, bool known)
{
    const uint64_t max = s->lim.max_connections, all = atomic_load(&s->n_conns);
    const uint64_t others = all - s->n_known;
    const bool fits = all < max && (known || others < max - max / 4);
    if (fits) {
        return true;
    }
    return rpc_room_evict_idle(s);
}

bool rpc_room_evict_idle(cuzk_rpc_server *s)
{
    rpc_conn *victim = idle_victim(s);
    if (victim == NULL) {
        return false;
    }
    evict(victim, "idle, and others wait for a connection");
    return true;
}

/* ---- who has places ---- */

/* Places that a connection may come to while each other one has work or is known. */
static uint64_t spare(const cuzk_rpc_server *s)
{
    const uint64_t max = s->lim.max_connections;
    return max < 8 ? 0 : max < 32 ? 1 : max / 16;
}

static bool is_held(const cuzk_rpc_server *s)
{
    return s->n_known + s->n_working >= s->lim.max_connections - spare(s);
}

static rpc_owner *owner_of(cuzk_rpc_server *s, const char *name)
{
    rpc_owner *o = s->owners;
    while (o != NULL && strcmp(o->name, name) != 0) {
        o = o->next;
    }
    if (o == NULL && (o = cuzk_alloc_zero(1, sizeof(*o))) != NULL) {
        (void)snprintf(o->name, sizeof(o->name), "%s", name);
        o->next = s->owners;
        s->owners = o;
    }
    return o;
}

static void drop_owner(cuzk_rpc_server *s, rpc_owner *o)
{
    rpc_owner **at = &s->owners;
    if (o == NULL || o->n_conns > 0) {
        return;
    }
    while (*at != o) {
        at = &(*at)->next;
    }
    *at = o->next;
    cuzk_free(o);
}

static bool proves(const rpc_conn *c)
{
    for (const rpc_call *call = c->calls; call != NULL; call = call->next) {
        if (call->is_work && call->method->submits) {
            return true;
        }
    }
    return false;
}

/* Of who has the most connections: an idle one, else one that waits for a job which goes on without it. */
static rpc_conn *known_victim(const cuzk_rpc_server *s, const rpc_owner *newcomer)
{
    const rpc_owner *most = newcomer;
    rpc_conn *victim = NULL;
    for (const rpc_owner *o = s->owners; o != NULL; o = o->next) {
        most = o->n_conns > most->n_conns ? o : most;
    }
    for (rpc_conn *c = s->conns; c != NULL; c = c->next) {
        const bool may_go = c->n_work == 0 || (most != newcomer && !proves(c));
        if (c->owner != most || !may_go) {
            continue;
        }
        if (victim == NULL || (c->n_work == 0) > (victim->n_work == 0) ||
            ((c->n_work == 0) == (victim->n_work == 0) && idle_since(c) < idle_since(victim))) {
            victim = c;
        }
    }
    return victim;
}

void rpc_room_know(rpc_conn *c, const char *name)
{
    cuzk_rpc_server *s = c->server;
    if (c->is_known) {
        return;
    }
    rpc_owner *o = owner_of(s, name);
    if (is_held(s) && c->n_work == 0) {
        rpc_conn *victim = o != NULL ? known_victim(s, o) : NULL;
        if (victim == NULL) {
            drop_owner(s, o);
            return;
        }
        evict(victim, "its caller has the most connections, and another one waits for one");
    }
    c->owner = o;
    c->is_known = true;
    s->n_known++;
    s->n_working -= c->n_work > 0 ? 1 : 0;
    if (o != NULL) {
        o->n_conns++;
    }
}

void rpc_room_forget(rpc_conn *c)
{
    c->server->n_known -= c->is_known ? 1 : 0;
    if (c->owner != NULL) {
        c->owner->n_conns--;
        drop_owner(c->server, c->owner);
        c->owner = NULL;
    }
}

bool rpc_room_work(rpc_call *call)
{
    rpc_conn *c = call->conn;
    cuzk_rpc_server *s = c->server;
    const uint64_t max = s->lim.max_connections;
    if (c->n_work == 0 && !c->is_known) {
        if (is_held(s) || s->n_working >= max - max / 4 - spare(s)) {
            return false;
        }
        s->n_working++;
    }
    c->n_work++;
    call->is_work = true;
    return true;
}

void rpc_room_work_over(rpc_call *call)
{
    rpc_conn *c = call->conn;
    if (call->is_work) {
        call->is_work = false;
        c->n_work--;
        c->server->n_working -= c->n_work == 0 && !c->is_known ? 1 : 0;
    }
}

/* ---- calls ---- */

/* A known caller's calls count a quarter: known ones, too, can be too many. */
static uint32_t weight_of(const rpc_conn *c)
{
    return c->is_known ? c->n_calls / 4 : c->n_calls;
}

bool rpc_room_call(rpc_conn *c)
{
    cuzk_rpc_server *s = c->server;
    const uint64_t max = s->lim.max_calls, n = atomic_load(&s->n_calls);
    rpc_conn *most = NULL;
    if (n < (c->is_known ? max : max - max / 4)) {
        return true;
    }
    for (rpc_conn *x = s->conns; x != NULL; x = x->next) {
        if (most == NULL || weight_of(x) > weight_of(most)) {
            most = x;
        }
    }
    if (most == NULL || most == c || weight_of(most) <= weight_of(c) + 1) {
        return false;
    }
    evict(most, "too many calls, and others wait");
    return true;
}

/* ---- answers ---- */

void rpc_room_answer(rpc_conn *c, size_t n)
{
    c->out_bytes += n;
    c->server->out_bytes += n;
    atomic_store_explicit(&c->server->answer_bytes, c->server->out_bytes, memory_order_relaxed);
}

void rpc_room_answer_taken(rpc_conn *c, size_t n)
{
    c->out_bytes -= n;
    c->server->out_bytes -= n;
    atomic_store_explicit(&c->server->answer_bytes, c->server->out_bytes, memory_order_relaxed);
}

void rpc_room_enforce(cuzk_rpc_server *s)
{
    while (s->out_bytes > s->lim.answer_budget) {
        rpc_conn *most = NULL;
        for (rpc_conn *c = s->conns; c != NULL; c = c->next) {
            /* a known one counts a quarter */
            const size_t bytes = c->is_known ? c->out_bytes / 4 : c->out_bytes;
            if (most == NULL || bytes > (most->is_known ? most->out_bytes / 4 : most->out_bytes)) {
                most = c;
            }
        }
        if (most == NULL || most->out_bytes == 0) {
            return;
        }
        evict(most, "answers are not read");
    }
}

/* ---- uploads ---- */

/* It has sent what its window lets it send while it waits. */
static bool is_earnest(const rpc_call *call)
{
    const size_t first =
        call->message_len < RPC_WINDOW_WAITING / 2 ? call->message_len : RPC_WINDOW_WAITING / 2;
    return call->stash_len >= first;
}

/* When the next message of a call in this state gets memory: smaller is earlier. */
static unsigned rank_of(const rpc_call *call, uint64_t now_ns)
{
    const rpc_conn *c = call->conn;
    unsigned rank = call->message_len <= CUZK_RPC_SMALL ? 0 : 16;
    rank += c->is_known ? 0 : 8;
    rank += is_earnest(call) ? 0 : 4;
    rank += c->n_slow > 0 ? 2 : 0;
    rank += call->message_len > LARGE && now_ns - call->waiting_ns < LARGE_WAIT_MS * NS_PER_MS;
    return rank;
}

rpc_call *rpc_room_next_waiting(cuzk_rpc_server *s, bool small_only)
{
    const uint64_t now = cuzk_clock_ns();
    rpc_call *best = NULL;
    unsigned best_rank = 0;
    for (rpc_call *call = s->waiting; call != NULL; call = call->wait_next) { /* oldest first */
        if (small_only && call->message_len > CUZK_RPC_SMALL) {
            continue;
        }
        const unsigned rank = rank_of(call, now);
        if (best == NULL || rank < best_rank) {
            best = call;
            best_rank = rank;
        }
    }
    return best;
}

/*
 * Bytes that messages wait for; a large one counts after two seconds. Not counted: a caller that could
 * have sent more of its message while it waits, and has not.
 */
static uint64_t bytes_wanted(const cuzk_rpc_server *s, uint64_t now_ns)
{
    uint64_t sum = 0;
    for (const rpc_call *call = s->waiting; call != NULL; call = call->wait_next) {
        const uint64_t ms = call->message_len <= CUZK_RPC_SMALL ? 0 : UPLOAD_WINDOW_MS;
        if (now_ns - call->waiting_ns >= ms * NS_PER_MS && is_earnest(call)) {
            sum += call->message_len;
        }
    }
    return sum;
}

/* Milliseconds that the rest will take, at the speed of the last window; 0 while that is not known. */
static uint64_t time_left(rpc_call *call, uint64_t now_ns)
{
    const uint64_t ms = call->rate_ns == 0 ? 0 : (now_ns - call->rate_ns) / NS_PER_MS;
    if (call->rate_ns != 0 && ms < UPLOAD_WINDOW_MS) {
        return call->rate_left_ms;
    }
    if (call->rate_ns != 0) {
        const uint64_t got = call->message_got - call->rate_got;
        const uint64_t left = call->message_len - call->message_got;
        call->rate_left_ms = got == 0 ? UPLOAD_NEVER_MS : left * ms / got;
    }
    call->rate_ns = now_ns;
    call->rate_got = call->message_got;
    return call->rate_left_ms;
}

/* For how many milliseconds more the call will hold memory before its request is complete; 0: not known. */
static uint64_t upload_left(rpc_call *call, uint64_t now_ns)
{
    if (!call->granted || call->started || call->finished || call->end_seen) {
        return 0;
    }
    if (call->receiving) {
        return time_left(call, now_ns);
    }
    /* the message is whole, but its sender does not end the request */
    return now_ns - call->last_data_ns >= UPLOAD_WINDOW_MS * NS_PER_MS ? UPLOAD_NEVER_MS : 0;
}

static rpc_call *slowest_upload(const cuzk_rpc_server *s, uint64_t now_ns)
{
    rpc_call *slowest = NULL;
    uint64_t most = UPLOAD_LEFT_MS;
    for (rpc_conn *c = s->conns; c != NULL; c = c->next) {
        for (rpc_call *call = c->calls; call != NULL; call = call->next) {
            const uint64_t left = upload_left(call, now_ns) / (c->is_known ? 4 : 1);
            if (left > most) {
                most = left;
                slowest = call;
            }
        }
    }
    return slowest;
}

void rpc_room_uploads(cuzk_rpc_server *s, uint64_t now_ns)
{
    const uint64_t wanted = bytes_wanted(s, now_ns);
    rpc_call *slowest = slowest_upload(s, now_ns); /* also without need: it measures */
    for (uint64_t freed = 0; freed < wanted && slowest != NULL;
         slowest = slowest_upload(s, now_ns)) {
        rpc_conn *c = slowest->conn;
        freed += slowest->message_len;
        c->n_slow++;
        (void)atomic_fetch_add(&s->ended_uploads, 1);
        rpc_call_finish(slowest, CUZK_GRPC_UNAVAILABLE,
                        "the request came too slowly while others waited");
        rpc_conn_flush(c);
    }
}
