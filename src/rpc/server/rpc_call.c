/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "rpc/server/rpc_internal.h"

rpc_call *rpc_call_create(rpc_conn *c, int32_t stream_id)
{
    rpc_call *call = cuzk_alloc_zero(1, sizeof(*call));
    if (call == NULL) {
        return NULL;
    }
    atomic_init(&call->refs, 1);
    call->server = c->server;
    call->conn = c;
    call->stream_id = stream_id;
    call->role = c->role;
    memcpy(call->name, c->name, sizeof(call->name));
    memcpy(call->peer, c->peer, sizeof(call->peer));
    call->out_tail = &call->out;
    call->watch_state = -1;
    atomic_flag_clear(&call->answered);
    (void)pthread_mutex_init(&call->mu, NULL);
    call->next = c->calls;
    if (c->calls != NULL) {
        c->calls->prev = call;
    }
    c->calls = call;
    c->n_calls++;
    call->opened_ns = cuzk_clock_ns();
    c->idle_ns = 0;
    (void)atomic_fetch_add(&c->server->n_calls, 1);
    (void)atomic_fetch_add(&c->server->total_calls, 1);
    return call;
}

void rpc_call_ref(rpc_call *call)
{
    (void)atomic_fetch_add(&call->refs, 1);
}

void rpc_call_unref(rpc_call *call)
{
    if (atomic_fetch_sub(&call->refs, 1) != 1) {
        return;
    }
    rpc_frames_free(call->out);
    rpc_frames_free(call->answer_frame);
    cuzk_free(call->message);
    cuzk_free(call->stash);
    (void)pthread_mutex_destroy(&call->mu);
    cuzk_free(call);
}

/* ---- frames ---- */

rpc_frame *rpc_frame_create(const void *data, size_t n)
{
    if (n > UINT32_MAX) {
        return NULL;
    }
    rpc_frame *f = cuzk_alloc(1, sizeof(*f) + CUZK_GRPC_PREFIX + n);
    if (f == NULL) {
        return NULL;
    }
    f->next = NULL;
    f->off = 0;
    f->len = CUZK_GRPC_PREFIX + n;
    cuzk_grpc_prefix_write(f->data, (uint32_t)n);
    if (n > 0) {
        memcpy(f->data + CUZK_GRPC_PREFIX, data, n);
    }
    return f;
}

void rpc_frames_free(rpc_frame *f)
{
    while (f != NULL) {
        rpc_frame *next = f->next;
        cuzk_free(f);
        f = next;
    }
}

/* ---- the response, on the I/O thread ---- */

static nghttp2_nv nv(const char *name, const char *value)
{
    union {
        const char *in;
        uint8_t *out; /* the library's type is not const; it copies */
    } n = {.in = name}, v = {.in = value};
    return (nghttp2_nv){n.out, v.out, strlen(name), strlen(value), NGHTTP2_NV_FLAG_NONE};
}

/* grpc-status and perhaps grpc-message into out [2]; text holds their values. */
static size_t status_headers(const rpc_call *call, nghttp2_nv *out, char *text, size_t cap)
{
    size_t n = 0;
    (void)snprintf(text, cap, "%d", (int)call->code);
    out[n++] = nv("grpc-status", text);
    if (call->detail[0] != '\0') {
        char *message = text + 4;
        (void)cuzk_grpc_percent_encode(message, cap - 4, call->detail, strlen(call->detail));
        out[n++] = nv("grpc-message", message);
    }
    return n;
}

ssize_t rpc_stream_read(nghttp2_session *ng, int32_t stream_id, uint8_t *buf, size_t len,
                        uint32_t *flags, nghttp2_data_source *source, void *conn)
{
    rpc_call *call = source->ptr;
    size_t n = 0;
    (void)conn;
    while (call->out != NULL && n < len) {
        rpc_frame *f = call->out;
        const size_t left = f->len - f->off, k = left < len - n ? left : len - n;
        memcpy(buf + n, f->data + f->off, k);
        n += k;
        f->off += k;
        if (f->off == f->len) {
            call->out = f->next;
            call->out_bytes -= f->len;
            rpc_room_answer_taken(call->conn, f->len);
            if (call->out == NULL) {
                call->out_tail = &call->out;
            }
            cuzk_free(f);
        }
    }
    if (call->out == NULL && call->finished) {
        nghttp2_nv h[2];
        char text[4 + CUZK_GRPC_PERCENT_MAX(RPC_DETAIL)];
        const size_t k = status_headers(call, h, text, sizeof(text));
        if (nghttp2_submit_trailer(ng, stream_id, h, k) != 0) {
            return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
        }
        call->trailers_sent = true;
        *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
        return (ssize_t)n;
    }
    if (n == 0) {
        call->data_deferred = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    return (ssize_t)n;
}

static void submit(rpc_call *call, const nghttp2_nv *h, size_t n, const nghttp2_data_provider *body)
{
    if (nghttp2_submit_response(call->conn->ng, call->stream_id, h, n, body) != 0) {
        (void)nghttp2_submit_rst_stream(call->conn->ng, NGHTTP2_FLAG_NONE, call->stream_id,
                                        NGHTTP2_INTERNAL_ERROR);
    }
}

/* Something to send has come up. */
static void pump(rpc_call *call)
{
    if (call->conn == NULL || call->trailers_sent) {
        return;
    }
    if (call->header_sent) {
        if (call->data_deferred) {
            call->data_deferred = false;
            (void)nghttp2_session_resume_data(call->conn->ng, call->stream_id);
        }
        return;
    }
    call->header_sent = true;
    if (call->finished && call->out == NULL) { /* no message: status and all in one block */
        nghttp2_nv h[4];
        char text[4 + CUZK_GRPC_PERCENT_MAX(RPC_DETAIL)];
        h[0] = nv(":status", "200");
        h[1] = nv("content-type", "application/grpc");
        const size_t n = 2 + status_headers(call, h + 2, text, sizeof(text));
        call->trailers_sent = true;
        submit(call, h, n, NULL);
        return;
    }
    const nghttp2_nv h[] = {nv(":status", "200"), nv("content-type", "application/grpc"),
                            nv("grpc-accept-encoding", "identity")};
    const nghttp2_data_provider body = {.source = {.ptr = call}, .read_callback = rpc_stream_read};
    submit(call, h, sizeof(h) / sizeof(h[0]), &body);
}

void rpc_call_send(rpc_call *call, rpc_frame *frame)
{
    if (frame == NULL) {
        rpc_call_finish(call, CUZK_GRPC_RESOURCE_EXHAUSTED, "out of memory for the response");
        return;
    }
    if (call->finished || call->conn == NULL) {
        rpc_frames_free(frame);
        return;
    }
    call->out_bytes += frame->len;
    rpc_room_answer(call->conn, frame->len);
    if (call->out_bytes > RPC_OUT_LIMIT && call->out != NULL) {
        call->out_bytes -= frame->len;
        rpc_room_answer_taken(call->conn, frame->len);
        rpc_frames_free(frame);
        rpc_call_finish(call, CUZK_GRPC_RESOURCE_EXHAUSTED, "answers are not being read");
        return;
    }
    *call->out_tail = frame;
    call->out_tail = &frame->next;
    pump(call);
}

/* What every way of ending has in common. */
static void end(rpc_call *call, cuzk_grpc_code code, const char *detail)
{
    call->finished = true;
    call->last_data_ns = cuzk_clock_ns();
    call->code = code;
    (void)snprintf(call->detail, sizeof(call->detail), "%s", detail == NULL ? "" : detail);
    (void)atomic_fetch_add(&call->server->by_code[code], 1);
    rpc_deadline_remove(call);
    rpc_room_work_over(call);
    rpc_stream_forget(call);
}

void rpc_call_finish(rpc_call *call, cuzk_grpc_code code, const char *detail)
{
    if (!call->finished) {
        end(call, code, detail);
        pump(call);
    }
}

void rpc_call_refuse_http(rpc_call *call, const char *status)
{
    if (!call->finished) {
        const nghttp2_nv h[] = {nv(":status", status)};
        end(call, CUZK_GRPC_UNKNOWN, NULL);
        call->header_sent = call->trailers_sent = true;
        submit(call, h, 1, NULL);
    }
}

/* ---- between threads ---- */

void rpc_server_wake(cuzk_rpc_server *s)
{
    const uint64_t one = 1;
    ssize_t n;
    do {
        n = write(s->event_fd, &one, sizeof(one));
    } while (n < 0 && errno == EINTR); /* EAGAIN: it is awake already */
}

void rpc_call_answer(rpc_call *call, cuzk_grpc_code code, const char *detail, rpc_frame *frame)
{
    cuzk_rpc_server *s = call->server;
    if (atomic_flag_test_and_set(&call->answered)) {
        rpc_frames_free(frame);
        return;
    }
    call->answer_code = code;
    call->answer_frame = frame;
    (void)snprintf(call->answer_detail, sizeof(call->answer_detail), "%s",
                   detail == NULL ? "" : detail);
    rpc_call_ref(call);
    call->answer_next = NULL;
    (void)pthread_mutex_lock(&s->answers_mu);
    *s->answers_tail = call;
    s->answers_tail = &call->answer_next;
    (void)pthread_mutex_unlock(&s->answers_mu);
    rpc_server_wake(s);
}

void rpc_call_answer_status(rpc_call *call, cuzk_status st, const cuzk_err *err)
{
    const char *detail = err != NULL && err->msg[0] != '\0' ? err->msg : cuzk_status_text(st);
    rpc_call_answer(call, cuzk_grpc_code_of(st), detail, NULL);
}

void rpc_call_answer_message(rpc_call *call, cuzk_wire_writer *w)
{
    rpc_frame *f = w->nomem ? NULL : rpc_frame_create(w->data, w->len);
    cuzk_wire_writer_free(w);
    if (f == NULL) {
        rpc_call_answer(call, CUZK_GRPC_RESOURCE_EXHAUSTED, "out of memory for the response", NULL);
    } else {
        rpc_call_answer(call, CUZK_GRPC_OK, NULL, f);
    }
}

void rpc_answers_apply(cuzk_rpc_server *s)
{
    (void)pthread_mutex_lock(&s->answers_mu);
    rpc_call *list = s->answers;
    s->answers = NULL;
    s->answers_tail = &s->answers;
    (void)pthread_mutex_unlock(&s->answers_mu);
    while (list != NULL) {
        rpc_call *call = list;
        list = call->answer_next;
        rpc_conn *c = call->conn;
        if (c != NULL && !c->dead) {
            if (call->answer_frame != NULL) {
                rpc_call_send(call, call->answer_frame);
                call->answer_frame = NULL;
            }
            rpc_call_finish(call, call->answer_code, call->answer_detail);
            rpc_conn_flush(c);
            rpc_room_enforce(s);
        }
        rpc_call_unref(call);
    }
}

void rpc_call_abandon(rpc_call *call)
{
    (void)pthread_mutex_lock(&call->mu);
    const bool withdraw = !call->gone && call->wait != 0;
    call->gone = true;
    (void)pthread_mutex_unlock(&call->mu);
    if (withdraw) { /* cancelling may write a file: not on this thread */
        rpc_lane_push(&call->server->query, &call->unwait_task, call, NULL, rpc_engine_unwait);
    }
}

/* ---- a connection's share of the lanes ---- */

#define IN_LANES       4u /* calls of one connection at once: a flood waits behind itself */
#define IN_LANES_KNOWN 32u

static void pending_add(rpc_conn *c, rpc_call *call)
{
    call->is_pending = true;
    call->pending_next = NULL;
    *c->pending_tail = call;
    c->pending_tail = &call->pending_next;
}

static void pending_remove(rpc_conn *c, rpc_call *call)
{
    rpc_call **at = &c->pending;
    while (*at != call) {
        at = &(*at)->pending_next;
    }
    *at = call->pending_next;
    if (*at == NULL) {
        c->pending_tail = at;
    }
    call->is_pending = false;
}

static void push(rpc_call *call);

static void start_pending(rpc_conn *c)
{
    while (!c->dead && c->pending != NULL &&
           c->n_in_lane < (c->is_known ? IN_LANES_KNOWN : IN_LANES)) {
        rpc_call *call = c->pending;
        pending_remove(c, call);
        push(call);
    }
}

void rpc_call_leave_lane(rpc_call *call)
{
    cuzk_rpc_server *s = call->server;
    rpc_call_ref(call);
    (void)pthread_mutex_lock(&s->answers_mu);
    call->left_next = s->left;
    s->left = call;
    (void)pthread_mutex_unlock(&s->answers_mu);
    rpc_server_wake(s);
}

void rpc_lanes_refill(cuzk_rpc_server *s)
{
    (void)pthread_mutex_lock(&s->answers_mu);
    rpc_call *list = s->left;
    s->left = NULL;
    (void)pthread_mutex_unlock(&s->answers_mu);
    while (list != NULL) {
        rpc_call *call = list;
        list = call->left_next;
        rpc_conn *c = call->conn;
        if (c != NULL && call->in_lane) {
            call->in_lane = false;
            c->n_in_lane--;
            start_pending(c);
        }
        rpc_call_unref(call);
    }
}

void rpc_call_close(rpc_call *call)
{
    rpc_conn *c = call->conn;
    if (call->prev != NULL) {
        call->prev->next = call->next;
    } else {
        c->calls = call->next;
    }
    if (call->next != NULL) {
        call->next->prev = call->prev;
    }
    if (!call->finished) {
        end(call, CUZK_GRPC_CANCELLED, "the caller went away");
    }
    c->n_calls--;
    rpc_frames_free(call->out);
    call->out = NULL;
    call->out_tail = &call->out;
    rpc_room_answer_taken(c, call->out_bytes);
    call->out_bytes = 0;
    if (call->is_pending) { /* no lane will drop its message */
        pending_remove(c, call);
        rpc_call_drop_message(call);
    }
    if (call->in_lane) {
        call->in_lane = false;
        c->n_in_lane--;
        start_pending(c);
    }
    call->conn = NULL;
    rpc_call_abandon(call);
    if (call->is_stream) {
        (void)atomic_fetch_sub(&call->server->n_streams, 1);
    }
    (void)atomic_fetch_sub(&call->server->n_calls, 1);
    rpc_call_unref(call);
}

uint8_t *rpc_call_take_message(rpc_call *call, size_t *n)
{
    uint8_t *m = call->message;
    *n = call->message_len;
    call->message = NULL;
    call->message_len = 0;
    return m;
}

void rpc_call_drop_message(rpc_call *call)
{
    cuzk_free(call->message);
    call->message = NULL;
    if (call->reserved > 0) {
        cuzk_rpc_budget_give(&call->server->budget, call->reserved);
        call->reserved = 0;
        if (atomic_load(&call->server->n_waiting) > 0) {
            rpc_server_wake(call->server);
        }
    }
}

/* ---- running: tickets keep GetStatus from overtaking submissions ---- */

static void ticket_take(rpc_call *call)
{
    cuzk_rpc_server *s = call->server;
    (void)pthread_mutex_lock(&s->tickets_mu);
    call->ticket = ++s->next_ticket;
    call->ticket_prev = s->tickets_last;
    if (s->tickets_last != NULL) {
        s->tickets_last->ticket_next = call;
    } else {
        s->tickets = call;
    }
    s->tickets_last = call;
    (void)pthread_mutex_unlock(&s->tickets_mu);
}

static void ticket_return(rpc_call *call)
{
    cuzk_rpc_server *s = call->server;
    (void)pthread_mutex_lock(&s->tickets_mu);
    if (call->ticket_prev != NULL) {
        call->ticket_prev->ticket_next = call->ticket_next;
    } else {
        s->tickets = call->ticket_next;
    }
    if (call->ticket_next != NULL) {
        call->ticket_next->ticket_prev = call->ticket_prev;
    } else {
        s->tickets_last = call->ticket_prev;
    }
    (void)pthread_cond_broadcast(&s->tickets_cv);
    (void)pthread_mutex_unlock(&s->tickets_mu);
}

/* With tickets_mu: a submission of the same caller that came before the call is not with the engine yet. */
static bool has_ticket_before(const cuzk_rpc_server *s, const rpc_call *call)
{
    for (const rpc_call *t = s->tickets; t != NULL && t->ticket <= call->ticket;
         t = t->ticket_next) {
        if (strcmp(t->name, call->name) == 0) {
            return true;
        }
    }
    return false;
}

void rpc_call_wait_tickets(rpc_call *call)
{
    cuzk_rpc_server *s = call->server;
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 2;
    (void)pthread_mutex_lock(&s->tickets_mu);
    const bool may_wait = s->n_ticket_waiters < RPC_TICKET_WAITERS;
    s->n_ticket_waiters += may_wait ? 1 : 0;
    while (may_wait && has_ticket_before(s, call)) {
        if (pthread_cond_timedwait(&s->tickets_cv, &s->tickets_mu, &until) != 0) {
            break;
        }
    }
    s->n_ticket_waiters -= may_wait ? 1 : 0;
    (void)pthread_mutex_unlock(&s->tickets_mu);
}

static void run_in_lane(rpc_call *call)
{
    (void)pthread_mutex_lock(&call->mu);
    const bool gone = call->gone;
    (void)pthread_mutex_unlock(&call->mu);
    if (!gone) {
        call->method->run(call);
    }
    rpc_call_drop_message(call);
    if (call->method->submits) {
        ticket_return(call);
    }
    rpc_call_leave_lane(call);
}

static void push(rpc_call *call)
{
    cuzk_rpc_server *s = call->server;
    const rpc_method *m = call->method;
    rpc_lane *lane = m->where == RPC_SUBMIT ? &s->submit : &s->query;
    if (m->where == RPC_SLOW || m->where == RPC_VERIFY) {
        lane = m->where == RPC_SLOW ? &s->slow : &s->verify;
    }
    call->in_lane = true;
    call->conn->n_in_lane++;
    if (m->submits) {
        ticket_take(call);
    } else {
        call->ticket = s->next_ticket; /* written by this thread only */
    }
    rpc_lane_push(lane, &call->task, call, call->name, run_in_lane);
}

void rpc_call_start(rpc_call *call)
{
    rpc_conn *c = call->conn;
    if (call->method->where != RPC_INLINE && !rpc_room_work(call)) {
        rpc_call_finish(call, CUZK_GRPC_RESOURCE_EXHAUSTED,
                        "too many connections have work under way; try again");
        return;
    }
    call->started = true;
    if (call->method->where == RPC_INLINE) {
        call->method->run(call);
        rpc_call_drop_message(call);
    } else {
        pending_add(c, call);
        start_pending(c);
    }
}

/* ---- deadlines: a binary heap, earliest on top ---- */

static void put(cuzk_rpc_server *s, size_t i, rpc_call *call)
{
    s->deadlines[i] = call;
    call->heap_index = i + 1;
}

static void sift(cuzk_rpc_server *s, size_t i)
{
    rpc_call *call = s->deadlines[i];
    while (i > 0 && s->deadlines[(i - 1) / 2]->deadline_ns > call->deadline_ns) {
        put(s, i, s->deadlines[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    for (;;) {
        size_t k = 2 * i + 1;
        if (k + 1 < s->n_deadlines &&
            s->deadlines[k + 1]->deadline_ns < s->deadlines[k]->deadline_ns) {
            k++;
        }
        if (k >= s->n_deadlines || s->deadlines[k]->deadline_ns >= call->deadline_ns) {
            break;
        }
        put(s, i, s->deadlines[k]);
        i = k;
    }
    put(s, i, call);
}

bool rpc_deadline_add(rpc_call *call)
{
    cuzk_rpc_server *s = call->server;
    if (s->n_deadlines == s->cap_deadlines) {
        const size_t cap = s->cap_deadlines == 0 ? 256 : 2 * s->cap_deadlines;
        rpc_call **p = cuzk_realloc(s->deadlines, cap, sizeof(rpc_call *));
        if (p == NULL) {
            return false;
        }
        s->deadlines = p;
        s->cap_deadlines = cap;
    }
    put(s, s->n_deadlines++, call);
    sift(s, s->n_deadlines - 1);
    return true;
}

void rpc_deadline_remove(rpc_call *call)
{
    cuzk_rpc_server *s = call->server;
    if (call->heap_index == 0) {
        return;
    }
    const size_t i = call->heap_index - 1;
    call->heap_index = 0;
    s->n_deadlines--;
    if (i != s->n_deadlines) {
        put(s, i, s->deadlines[s->n_deadlines]);
        sift(s, i);
    }
}

uint64_t rpc_deadlines_run(cuzk_rpc_server *s, uint64_t now_ns)
{
    while (s->n_deadlines > 0 && s->deadlines[0]->deadline_ns <= now_ns) {
        rpc_call *call = s->deadlines[0];
        rpc_conn *c = call->conn;
        rpc_call_finish(call, CUZK_GRPC_DEADLINE_EXCEEDED,
                        "deadline exceeded"); /* leaves the heap */
        rpc_call_abandon(call);
        rpc_conn_flush(c);
    }
    return s->n_deadlines > 0 ? s->deadlines[0]->deadline_ns - now_ns : UINT64_MAX;
}
