/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_RPC_RPC_INTERNAL_H
#define CUZK_RPC_RPC_INTERNAL_H

/*
 * The server's parts. One I/O thread owns every connection, session and call; it never waits for
 * the engine. Work goes to lanes (threads with a queue), answers come back through a list and an
 * eventfd.
 *
 *   rpc_server.c  create, start, drain, stop; the I/O thread's loop: accept, timers
 *   rpc_conn.c    a connection: socket or TLS on one side, HTTP/2 session on the other
 *   rpc_stream.c  callbacks of the session: headers and data to calls and messages
 *   rpc_call.c    a call's life: deadline, answer, hand-over between threads
 *   rpc_lane.c    lanes
 *   rpc_room.c    limits over all connections: who loses its place when others wait
 *   rpc_engine.c  cuzk.v1.ProvingEngine     rpc_aggregator.c  cuzk.aggregate.v1.Aggregator
 *   rpc_health.c  rpc_reflection.c
 */
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "log/log.h"
#include "rpc/server/rpc_budget.h"
#include "rpc/server/rpc_server.h"
#include "rpc/wire/rpc_grpc.h"
#include "rpc/wire/rpc_messages.h"
#include "rpc/wire/rpc_wire.h"

/* Windows: small until a message may be received, then what one network round trip can carry. */
#define RPC_WINDOW_WAITING 65535
#define RPC_WINDOW_GRANTED (8 << 20)
#define RPC_WINDOW_CONN    (16 << 20)
#define RPC_FRAME_BYTES    ((size_t)256)     /* what a frame in the session's queue takes, about */
#define RPC_QUEUE_LIMIT    ((size_t)4096)    /* frames queued for a peer that does not read */
#define RPC_OUT_LIMIT      ((size_t)8 << 20) /* of one stream, answers not taken yet */
#define RPC_QUERY_THREADS  4u
#define RPC_TICKET_WAITERS (RPC_QUERY_THREADS / 2)
#define RPC_DETAIL         400 /* longest grpc-message before escaping */

typedef struct rpc_call rpc_call;
typedef struct rpc_conn rpc_conn;

/* Something for a lane's thread. Embedded in a call; the lane holds a reference. */
typedef struct rpc_task {
    struct rpc_task *next;
    void (*run)(rpc_call *call);
    rpc_call *call;
} rpc_task;

typedef struct rpc_turn rpc_turn; /* a caller's tasks in a lane */

/* rpc_lane.c */
typedef struct rpc_lane {
    pthread_mutex_t mu;
    pthread_cond_t cv;
    rpc_turn *turns; /* whose turn is next first; with tasks or unpaid CPU time */
    rpc_turn *own;   /* the server's own tasks, and a caller's when memory is short */
    uint64_t price;  /* nanoseconds that a caller waits for each one of CPU time; 0: no wait */
    bool stop;
    unsigned n_threads;
    pthread_t *threads;
} rpc_lane;

/* Connections of one known caller, by name. rpc_room.c */
typedef struct rpc_owner {
    struct rpc_owner *next;
    uint64_t n_conns;
    char name[CUZK_RPC_NAME_BYTES + 8];
} rpc_owner;

/* Who runs a method. */
typedef enum rpc_where {
    RPC_INLINE, /* the I/O thread, when the request is complete; must not block */
    RPC_QUERY,  /* short calls into the engine */
    RPC_SUBMIT, /* hands a job over; may wait for the disk */
    RPC_SLOW,   /* loads parameters; takes seconds to minutes */
    RPC_VERIFY, /* verifies an aggregate, one at a time */
    RPC_STREAM  /* the I/O thread, once per message, and at the end with message NULL */
} rpc_where;

typedef struct rpc_method {
    const char *path;
    rpc_where where;
    bool no_token;  /* health: probes carry none */
    unsigned right; /* that the caller must have; 0: none */
    bool submits;   /* refused while draining; GetStatus waits for those before it */
    void (*run)(rpc_call *call);
    size_t max_message; /* 0: the server's limit */
} rpc_method;

/* One message out, with its prefix. */
typedef struct rpc_frame {
    struct rpc_frame *next;
    size_t len, off;
    uint8_t data[];
} rpc_frame;

struct rpc_call {
    atomic_uint refs; /* the stream; each lane or engine callback that will use it */
    cuzk_rpc_server *server;

    /* the I/O thread's */
    rpc_conn *conn; /* NULL when the stream is closed */
    int32_t stream_id;
    rpc_call *prev, *next;
    const rpc_method *method;
    size_t header_bytes;
    bool is_post, is_grpc, is_stream, bad_encoding, bad_timeout, token_ok, headers_done,
        headers_too_big;
    char path[96];
    cuzk_rpc_role role;                 /* the caller's */
    char name[CUZK_RPC_NAME_BYTES + 8]; /* "token:NAME", else the connection's */
    char peer[64];
    uint64_t deadline_ns; /* 0: none */
    size_t heap_index;    /* in server->deadlines + 1; 0: not there */
    cuzk_grpc_prefix prefix;
    bool receiving; /* the prefix is complete, the message is not */
    bool granted;   /* its bytes are reserved, message is allocated */
    uint8_t *message;
    size_t message_len, message_got, reserved;
    uint32_t n_messages;
    uint8_t *stash; /* what came of a message that waits */
    size_t stash_len, stash_cap, withheld;
    rpc_call *wait_prev, *wait_next; /* in server->waiting */
    bool waiting;
    uint64_t opened_ns;
    uint64_t last_data_ns; /* of the request; of the end, once finished */
    uint64_t waiting_ns;   /* since when it waits for the budget */
    uint64_t rate_ns;      /* the upload's speed is measured from here; 0: not yet */
    size_t rate_got;
    uint64_t rate_left_ms;  /* until its end, at that speed */
    rpc_call *pending_next; /* in conn->pending: complete, but its connection has enough in lanes */
    rpc_call *left_next;    /* in server->left */
    bool is_pending, in_lane;
    bool end_seen; /* of the request */
    bool started;  /* given to a lane */
    bool is_work;  /* counted in conn->n_work */
    rpc_frame *out, **out_tail;
    size_t out_bytes;
    bool header_sent, finished, trailers_sent, data_deferred;
    cuzk_grpc_code code;
    char detail[RPC_DETAIL];
    int watch_state; /* health: last state told; -1: not a watcher */

    /* hand-over to the I/O thread: written by whoever answers, read after it is taken */
    atomic_flag answered;
    rpc_call *answer_next;
    rpc_frame *answer_frame;
    cuzk_grpc_code answer_code;
    char answer_detail[RPC_DETAIL];

    /* shared with lanes and engine threads */
    pthread_mutex_t mu;
    bool gone; /* nobody wants the answer any more */
    bool done_called;
    bool is_prove;
    cuzk_wait wait;
    rpc_task task, unwait_task;
    rpc_call *ticket_prev, *ticket_next; /* in server->tickets */
    uint64_t ticket; /* of a submission; 0: none; GetStatus: wait for up to it */
};

struct rpc_conn {
    cuzk_rpc_server *server;
    int fd; /* -1: none (tests) */
    SSL *ssl;
    bool handshake_done, greeted, want_write, dead, need_token, draining, last_goaway_sent;
    nghttp2_session *ng;
    uint8_t *out; /* what the socket did not take */
    size_t out_len, out_off;
    uint64_t opened_ns, read_ns, write_ns, ping_ns, idle_ns, drain_ns; /* 0: does not apply */
    rpc_call *calls;
    rpc_conn *prev, *next;
    /* rpc_room.c */
    cuzk_rpc_role role;                 /* of its calls, unless they carry a token */
    char name[CUZK_RPC_NAME_BYTES + 8]; /* the caller: "cert:NAME", "uid:1000"; "": nobody knows */
    char peer[64];                      /* "10.0.0.3:4711", "unix uid 1000 pid 77" */
    bool is_known;    /* a unix socket, or its caller has shown a token or certificate */
    rpc_owner *owner; /* once known; NULL: out of memory, the connection is in nobody's count */
    uint32_t n_work;  /* calls that were started and are not over */
    bool has_worked;  /* a call that needs the right to call was let in */
    uint32_t n_calls, n_in_lane, n_slow; /* n_slow: uploads that were ended for their speed */
    size_t out_bytes;                    /* answers that the peer has not taken */
    size_t queue_bytes;                  /* of out_bytes: frames in the session's queue */
    rpc_call *pending, **pending_tail;
};

typedef struct rpc_listener {
    int fd;
    bool tls, need_token, is_unix;
    cuzk_rpc_role role;
    char path[108];
    uint64_t device, inode; /* of the socket at path: another one there is not removed */
} rpc_listener;

struct cuzk_rpc_secrets {
    SSL_CTX *tls;                     /* NULL: none */
    cuzk_rpc_callers *tokens, *certs; /* NULL: none */
};

struct cuzk_rpc_server {
    cuzk_engine *engine;
    cuzk_rpc_limits lim;
    cuzk_rpc_secrets *secrets;
    pthread_mutex_t secrets_mu; /* what it points at */
    cuzk_status (*metrics)(void *arg, char **text, size_t *n, cuzk_err *err);
    void *metrics_arg;
    cuzk_status (*input_part)(void *arg, const char *name, uint64_t at, uint8_t **out, size_t *n,
                              cuzk_err *err);
    void *input_part_arg;
    const char *(*not_ready)(void *arg);
    void *not_ready_arg;
    void (*log)(void *arg, int level, const char *event, const char *const *kv);
    void *log_arg;
    rpc_listener *listeners;
    size_t n_listeners;

    int epoll_fd, event_fd;
    pthread_t io;
    bool io_started, lanes_started;
    atomic_int stopping; /* 0 no, 1 with grace, 2 at once */
    _Atomic uint64_t stop_at_ns;
    atomic_bool draining;
    atomic_bool ready_asked; /* watchers of health may have to be told */
    bool drain_seen, accept_paused;
    uint64_t accept_resume_ns, n_no_descriptor;
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *option;
    rpc_conn *conns, *graveyard;
    rpc_call **deadlines; /* binary heap by deadline_ns */
    size_t n_deadlines, cap_deadlines;
    uint8_t *scratch; /* [RPC_SCRATCH] of the I/O thread */
    uint64_t next_ticket;
    cuzk_rpc_budget budget;
    uint64_t stash_bytes;
    rpc_call *waiting, *waiting_last; /* messages that wait for the budget, oldest first */

    rpc_lane query, submit, slow, verify;
    uint64_t n_known;   /* of the connections */
    uint64_t n_working; /* of the others: connections with work */
    rpc_owner *owners;
    uint64_t out_bytes; /* answers that are not taken, all connections */

    pthread_mutex_t answers_mu;
    rpc_call *answers, **answers_tail;
    rpc_call *left;             /* calls whose task in a lane is over */
    pthread_mutex_t tickets_mu; /* submissions that are on their way to the engine */
    pthread_cond_t tickets_cv;
    rpc_call *tickets, *tickets_last;
    uint32_t n_ticket_waiters; /* threads of the query lane; at most RPC_TICKET_WAITERS */

    _Atomic uint64_t evicted_conns, ended_uploads, answer_bytes;
    _Atomic uint64_t n_conns, total_conns, refused_conns, n_calls, total_calls, n_waiting, bytes_in;
    _Atomic uint64_t
        n_streams; /* of n_calls: calls that have no end of their own (health's Watch) */
    _Atomic uint64_t by_code[CUZK_GRPC_CODES];
};
#define RPC_SCRATCH ((size_t)256 << 10)

/* ---- rpc_secrets.c ---- */
/** For a new connection, with the newest certificate; NULL when out of memory. */
SSL *rpc_secrets_tls(cuzk_rpc_server *s);
/** Unix time at which the certificate for new connections ends; 0: there is none. */
uint64_t rpc_secrets_expire(cuzk_rpc_server *s);
/** Role and name of the call, from an Authorization header [n]; false: no token of ours. */
bool rpc_secrets_token(rpc_call *call, const char *value, size_t n);
/** Role and name of a connection's client certificate, which was checked. */
void rpc_secrets_cert(rpc_conn *c);
/** Role, name and address of who is on the other side of a fresh connection. */
void rpc_secrets_peer(rpc_conn *c, const rpc_listener *l);

/* ---- rpc_lane.c ---- */
CUZK_NODISCARD cuzk_status rpc_lane_init(rpc_lane *l, cuzk_err *err);
/* fair: callers pay for the CPU time of their tasks; else they only take turns. */
CUZK_NODISCARD cuzk_status rpc_lane_start(rpc_lane *l, unsigned n_threads, bool fair,
                                          cuzk_err *err);
/*
 * Takes a reference of the call, which the lane drops after the task. Callers take turns by name; "": all that
 * nobody knows together, after the others. NULL: the server's own task, before all.
 */
void rpc_lane_push(rpc_lane *l, rpc_task *t, rpc_call *call, const char *caller,
                   void (*run)(rpc_call *call));
/* Runs the next task; false: there is none (with wait: and none will come). Tests use lanes without threads. */
bool rpc_lane_run_one(rpc_lane *l, bool wait);
/* Runs what is queued, joins. Again is fine. */
void rpc_lane_stop(rpc_lane *l);
void rpc_lane_destroy(rpc_lane *l);

/* ---- rpc_call.c ---- */
CUZK_NODISCARD rpc_call *rpc_call_create(rpc_conn *c, int32_t stream_id);
void rpc_call_ref(rpc_call *call);
void rpc_call_unref(rpc_call *call);
/* I/O thread: the stream is closed or the call is over; an engine wait is withdrawn. */
void rpc_call_abandon(rpc_call *call);
/* I/O thread: removes the call from its connection after the stream was closed. */
void rpc_call_close(rpc_call *call);
/* I/O thread: a message of the response. Takes frame (NULL: out of memory, the call fails). */
void rpc_call_send(rpc_call *call, rpc_frame *frame);
/* I/O thread: the end of the response; detail may be NULL. */
void rpc_call_finish(rpc_call *call, cuzk_grpc_code code, const char *detail);
/* I/O thread: HTTP status without gRPC, for requests that are not gRPC. */
void rpc_call_refuse_http(rpc_call *call, const char *status);
/* Any thread: the whole answer of a unary call. Only the first answer of a call counts. */
void rpc_call_answer(rpc_call *call, cuzk_grpc_code code, const char *detail, rpc_frame *frame);
void rpc_call_answer_status(rpc_call *call, cuzk_status st, const cuzk_err *err);
/* Any thread: answers OK with what w holds, or RESOURCE_EXHAUSTED when w ran out of memory; frees w. */
void rpc_call_answer_message(rpc_call *call, cuzk_wire_writer *w);
/* A message with its prefix; NULL when out of memory or longer than a prefix can say. */
rpc_frame *rpc_frame_create(const void *data, size_t n);
void rpc_frames_free(rpc_frame *f);
/* I/O thread: takes the answers of other threads. */
void rpc_answers_apply(cuzk_rpc_server *s);
void rpc_server_wake(cuzk_rpc_server *s);
/* Whoever runs the call: the request's message, whose ownership goes to the caller. */
uint8_t *rpc_call_take_message(rpc_call *call, size_t *n);
/* Whoever runs the call: frees the message if it was not taken, ends its reservation. */
void rpc_call_drop_message(rpc_call *call);
/* I/O thread: the request is complete; to its lane, or run here. */
void rpc_call_start(rpc_call *call);
/*
 * Waits until its caller's submissions that came before this call are with the engine, at most 2 s; not at all when
 * half of the lane's threads wait so already.
 */
void rpc_call_wait_tickets(rpc_call *call);
/* I/O thread */
CUZK_NODISCARD bool rpc_deadline_add(rpc_call *call);
void rpc_deadline_remove(rpc_call *call);
/* Ends calls whose time is up; nanoseconds until the next one, UINT64_MAX: none. */
uint64_t rpc_deadlines_run(cuzk_rpc_server *s, uint64_t now_ns);

/* Any thread: the call's task is over; its connection may have the next one in a lane. */
void rpc_call_leave_lane(rpc_call *call);
/* I/O thread: starts what connections had waiting for that. */
void rpc_lanes_refill(cuzk_rpc_server *s);

/* ---- rpc_room.c: I/O thread ---- */
/* A place for a new connection; false: there is none, and nobody who can be sent away for it. */
bool rpc_room_conn(cuzk_rpc_server *s, bool known);
/* Closes the connection that has been idle for longest; false: none is idle, or all are known. */
bool rpc_room_evict_idle(cuzk_rpc_server *s);
/*
 * The connection's caller has shown who it is. Not taken note of when known callers have all their places and
 * this one the most of them.
 */
void rpc_room_know(rpc_conn *c, const char *name);
/* The connection is closed. */
void rpc_room_forget(rpc_conn *c);
/* A started call of c more: false: too many connections of unknown callers have work. */
bool rpc_room_work(rpc_call *call);
void rpc_room_work_over(rpc_call *call);
/* A place for one more call of c. */
bool rpc_room_call(rpc_conn *c);
/* n bytes more, or less, of answers wait for the peer. */
void rpc_room_answer(rpc_conn *c, size_t n);
void rpc_room_answer_taken(rpc_conn *c, size_t n);
/* Ends the connections with the most bytes of answers until the rest fits. */
void rpc_room_enforce(cuzk_rpc_server *s);
/* Ends the slowest uploads while others wait for their memory. */
void rpc_room_uploads(cuzk_rpc_server *s, uint64_t now_ns);
/* The message that gets memory next; NULL: none waits. small_only: of at most CUZK_RPC_SMALL bytes. */
rpc_call *rpc_room_next_waiting(cuzk_rpc_server *s, bool small_only);

/* ---- rpc_conn.c ---- */
/* fd -1: no socket; bytes go in by rpc_conn_receive and out by nghttp2_session_mem_send. */
CUZK_NODISCARD rpc_conn *rpc_conn_create(cuzk_rpc_server *s, int fd, bool tls, bool need_token);
/* The socket is readable. */
void rpc_conn_read(rpc_conn *c);
/* Feeds the session; false: the connection must end. */
bool rpc_conn_receive(rpc_conn *c, const uint8_t *data, size_t n);
/* Writes what there is to write. Safe to call at any time; may kill. */
void rpc_conn_flush(rpc_conn *c);
void rpc_conn_drain(rpc_conn *c, uint64_t now_ns);
/* Time-outs and pings. */
void rpc_conn_tick(rpc_conn *c, uint64_t now_ns);
/* Ends all calls, closes; the struct is freed by rpc_conns_reap after the batch of events. */
void rpc_conn_kill(rpc_conn *c, const char *why);
void rpc_conns_reap(cuzk_rpc_server *s);

/* ---- rpc_stream.c ---- */
CUZK_NODISCARD cuzk_status rpc_stream_init(cuzk_rpc_server *s, cuzk_err *err);
/* Grants memory to messages that wait, oldest first. */
void rpc_stream_grant(cuzk_rpc_server *s);
/* The call's receive state is dropped: reservation, stash, place in the queue. */
void rpc_stream_forget(rpc_call *call);
/* For nghttp2_data_source: what the session asks for. */
ssize_t rpc_stream_read(nghttp2_session *ng, int32_t stream_id, uint8_t *buf, size_t len,
                        uint32_t *flags, nghttp2_data_source *source, void *conn);

/* ---- methods ---- */
const rpc_method *rpc_method_find(const char *path);
void rpc_engine_submit(rpc_call *call);
void rpc_engine_prove(rpc_call *call);
/* The same for requests that are read by another decoder. */
void rpc_engine_submit_with(rpc_call *call, cuzk_rpc_decode_fn decode);
void rpc_engine_prove_with(rpc_call *call, cuzk_rpc_decode_fn decode);
void rpc_aggregate_submit(rpc_call *call);
void rpc_aggregate_make(rpc_call *call);
void rpc_aggregate_status(rpc_call *call);
void rpc_aggregate_verify(rpc_call *call);
void rpc_fleet_read(rpc_call *call);
void rpc_engine_await(rpc_call *call);
void rpc_engine_cancel(rpc_call *call);
void rpc_engine_status(rpc_call *call);
void rpc_engine_metrics(rpc_call *call);
void rpc_engine_preload(rpc_call *call);
void rpc_engine_evict(rpc_call *call);
/* Withdraws the engine's wait; in the query lane. */
void rpc_engine_unwait(rpc_call *call);
void rpc_health_check(rpc_call *call);
void rpc_health_watch(rpc_call *call);
/* Tells every watcher of the new state. */
void rpc_health_changed(cuzk_rpc_server *s);
void rpc_reflection(rpc_call *call);

/* ---- rpc_server.c ---- */
/* kv: name, value, ..., NULL */
void rpc_log(const cuzk_rpc_server *s, int level, const char *event, const char *const *kv);
/* Everything but sockets and threads; for tests too. */
CUZK_NODISCARD cuzk_status rpc_server_init(cuzk_rpc_server **out,
                                           const cuzk_rpc_server_config *config, cuzk_err *err);

#endif /* CUZK_RPC_RPC_INTERNAL_H */
