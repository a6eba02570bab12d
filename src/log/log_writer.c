/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "log/log_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"

/* Kept free for the line that says how many were lost. */
#define LAST_LINE_BYTES 256u
#define END_STALL_MS    500u

struct cuzk_log_writer {
    int fd;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t filled, drained;
    char *queue;              /* [CUZK_LOG_QUEUE_BYTES], a ring */
    size_t begin, n;          /* bytes queued; those being written are among them */
    uint64_t lost, lost_told; /* lines */
    uint64_t taken;           /* bytes that the reader took */
    bool stop, orphan;        /* orphan: the thread frees the writer */
};

/* Under the mutex: copies the oldest bytes out. */
static size_t peek(const cuzk_log_writer *w, char *out, size_t cap)
{
    const size_t n = w->n < cap ? w->n : cap;
    const size_t first = CUZK_LOG_QUEUE_BYTES - w->begin;
    const size_t k = n < first ? n : first;
    memcpy(out, w->queue + w->begin, k);
    memcpy(out + k, w->queue, n - k);
    return n;
}

static uint64_t lines_in(const char *p, size_t n)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < n; i++) {
        lines += p[i] == '\n' ? 1 : 0;
    }
    return lines;
}

static void writer_free(cuzk_log_writer *w)
{
    (void)pthread_cond_destroy(&w->filled);
    (void)pthread_cond_destroy(&w->drained);
    (void)pthread_mutex_destroy(&w->mutex);
    (void)close(w->fd);
    cuzk_free(w->queue);
    cuzk_free(w);
}

static void *run(void *arg)
{
    cuzk_log_writer *w = arg;
    char buf[4096];
    sigset_t pipe_closed;
    (void)sigemptyset(&pipe_closed);
    (void)sigaddset(&pipe_closed, SIGPIPE); /* the write answers EPIPE instead */
    (void)pthread_sigmask(SIG_BLOCK, &pipe_closed, NULL);
    (void)pthread_mutex_lock(&w->mutex);
    for (;;) {
        while (w->n == 0 && !w->stop) {
            (void)pthread_cond_wait(&w->filled, &w->mutex);
        }
        if (w->n == 0 || w->orphan) {
            break;
        }
        const size_t n = peek(w, buf, sizeof(buf));
        (void)pthread_mutex_unlock(&w->mutex);
        const ssize_t k = write(w->fd, buf, n);
        const int error = k < 0 ? errno : 0;
        if (error == EAGAIN) { /* somebody made the output non-blocking */
            const struct timespec pause = {.tv_nsec = 20000000};
            (void)nanosleep(&pause, NULL);
        }
        (void)pthread_mutex_lock(&w->mutex);
        size_t done = k > 0 ? (size_t)k : 0;
        if (error != 0 && error != EINTR && error != EAGAIN) {
            w->lost += lines_in(buf, n); /* a full disk, a closed pipe: the daemon goes on */
            done = n;
        }
        w->begin = (w->begin + done) % CUZK_LOG_QUEUE_BYTES;
        w->n -= done;
        w->taken += done;
        (void)pthread_cond_broadcast(&w->drained);
    }
    const bool orphan = w->orphan;
    (void)pthread_mutex_unlock(&w->mutex);
    if (orphan) {
        writer_free(w);
    }
    return NULL;
}

cuzk_status cuzk_log_writer_create(cuzk_log_writer **out, int fd, cuzk_err *err)
{
    pthread_condattr_t attr;
    cuzk_log_writer *w = cuzk_alloc_zero(1, sizeof(*w));
    char *queue = cuzk_alloc(CUZK_LOG_QUEUE_BYTES, 1);
    if (w == NULL || queue == NULL) {
        cuzk_free(w);
        cuzk_free(queue);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the log");
    }
    w->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (w->fd < 0) {
        const int os = errno;
        cuzk_free(w);
        cuzk_free(queue);
        return CUZK_FAIL_OS(err, CUZK_E_IO, os, "the log: its output cannot be opened again");
    }
    w->queue = queue;
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&w->mutex, NULL);
    (void)pthread_cond_init(&w->filled, &attr);
    (void)pthread_cond_init(&w->drained, &attr);
    (void)pthread_condattr_destroy(&attr);
    if (pthread_create(&w->thread, NULL, run, w) != 0) {
        writer_free(w);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no thread for the log");
    }
    *out = w;
    return CUZK_OK;
}

bool cuzk_log_writer_put(cuzk_log_writer *w, const char *line, size_t n)
{
    (void)pthread_mutex_lock(&w->mutex);
    const bool fits = n <= CUZK_LOG_QUEUE_BYTES - w->n;
    if (fits) {
        const size_t at = (w->begin + w->n) % CUZK_LOG_QUEUE_BYTES;
        const size_t first = CUZK_LOG_QUEUE_BYTES - at, k = n < first ? n : first;
        memcpy(w->queue + at, line, k);
        memcpy(w->queue, line + k, n - k);
        w->n += n;
        (void)pthread_cond_signal(&w->filled);
    } else {
        w->lost++;
    }
    (void)pthread_mutex_unlock(&w->mutex);
    return fits;
}

uint64_t cuzk_log_writer_take_lost(cuzk_log_writer *w)
{
    uint64_t lost = 0;
    (void)pthread_mutex_lock(&w->mutex);
    /* half empty again: else a slow reader would get little but such lines */
    if (w->n + LAST_LINE_BYTES <= CUZK_LOG_QUEUE_BYTES / 2) {
        lost = w->lost - w->lost_told;
        w->lost_told = w->lost;
    }
    (void)pthread_mutex_unlock(&w->mutex);
    return lost;
}

uint64_t cuzk_log_writer_lost(cuzk_log_writer *w)
{
    (void)pthread_mutex_lock(&w->mutex);
    const uint64_t lost = w->lost;
    (void)pthread_mutex_unlock(&w->mutex);
    return lost;
}

bool cuzk_log_writer_flush(cuzk_log_writer *w, uint32_t stall_ms)
{
    bool moves = true;
    (void)pthread_mutex_lock(&w->mutex);
    while (w->n > 0 && moves) {
        struct timespec until;
        const uint64_t before = w->taken;
        const uint64_t ns = cuzk_clock_ns() + (uint64_t)stall_ms * 1000000u;
        until.tv_sec = (time_t)(ns / 1000000000u);
        until.tv_nsec = (long)(ns % 1000000000u);
        int rc = 0;
        while (w->n > 0 && w->taken == before && rc != ETIMEDOUT) {
            rc = pthread_cond_timedwait(&w->drained, &w->mutex, &until);
        }
        moves = w->taken != before;
    }
    const bool empty = w->n == 0;
    (void)pthread_mutex_unlock(&w->mutex);
    return empty;
}

void cuzk_log_writer_destroy(cuzk_log_writer *w)
{
    if (w == NULL) {
        return;
    }
    (void)cuzk_log_writer_flush(w, END_STALL_MS);
    const pthread_t thread = w->thread;
    (void)pthread_mutex_lock(&w->mutex);
    w->stop = true;
    /* A thread in a write that does not return cannot be joined. It frees the writer when the
     * write returns, and writes nothing more. */
    const bool orphan = w->n > 0;
    w->orphan = orphan;
    (void)pthread_cond_signal(&w->filled);
    (void)pthread_mutex_unlock(&w->mutex);
    if (orphan) {
        (void)pthread_detach(thread);
        return;
    }
    (void)pthread_join(thread, NULL);
    writer_free(w);
}
