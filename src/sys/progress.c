/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "sys/progress.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"

#include "path_internal.h"
#include "progress_internal.h"

#define BAR_INTERVAL_NS  100000000u
#define LINE_INTERVAL_NS 2000000000u
#define DEFAULT_COLUMNS  80u
#define BUFFER_BYTES     1024u

struct cuzk_progress {
    int fd;
    uint64_t start_ns, interval_ns;
    char *label;
    cuzk_progress_style style;
    bool colour;
    _Atomic uint64_t done, total;
    _Atomic uint64_t next_ns; /* time of the next redraw */
    pthread_mutex_t mutex;    /* one drawing at a time */
    bool drawn;               /* something was shown; under the mutex */
};

/* NULL when unset or empty. */
static const char *environment(const char *name)
{
    const char *v = getenv(name); /* NOLINT(concurrency-mt-unsafe): no code here calls setenv */
    return v != NULL && v[0] != '\0' ? v : NULL;
}

static const char *locale_name(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *v = environment(names[i]);
        if (v != NULL) {
            return v;
        }
    }
    return NULL;
}

cuzk_status cuzk_progress_start(cuzk_progress **out, int fd, const char *label, uint64_t total,
                                cuzk_err *err)
{
    cuzk_progress *p = cuzk_alloc_zero(1, sizeof(*p));
    char *copy = cuzk_path_copy(label);
    if (p == NULL || copy == NULL) {
        cuzk_free(copy);
        cuzk_free(p);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for a progress bar");
    }
    p->fd = fd;
    atomic_store(&p->total, total);
    p->label = copy;
    p->style = cuzk_progress_choose(isatty(fd) == 1, environment("TERM"), locale_name());
    p->colour = environment("NO_COLOR") == NULL;
    p->interval_ns = p->style == CUZK_PROGRESS_LINES ? LINE_INTERVAL_NS : BAR_INTERVAL_NS;
    p->start_ns = cuzk_clock_ns();
    atomic_store(&p->next_ns, p->start_ns + p->interval_ns);
    (void)pthread_mutex_init(&p->mutex, NULL);
    *out = p;
    return CUZK_OK;
}

static unsigned columns_of(int fd)
{
    struct winsize w;
    return ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : DEFAULT_COLUMNS;
}

/* Under the mutex. One write per drawing, so that lines of other writers do not land inside; a
 * terminal that does not take it is not worth failing for. */
static void draw(cuzk_progress *p, uint64_t now, uint64_t done)
{
    char buf[BUFFER_BYTES];
    cuzk_progress_view v = {.label = p->label,
                            .done = done,
                            .total = atomic_load_explicit(&p->total, memory_order_relaxed),
                            .elapsed_ns = now - p->start_ns,
                            .style = p->style,
                            .colour = p->colour};
    if (p->style != CUZK_PROGRESS_LINES) {
        const pid_t foreground = tcgetpgrp(p->fd);
        if (foreground >= 0 && foreground != getpgrp()) {
            return; /* in the background: the terminal belongs to somebody else */
        }
        v.columns = columns_of(p->fd);
    }
    const size_t n = cuzk_progress_render(buf, sizeof(buf), &v);
    if (write(p->fd, buf, n) >= 0) {
        p->drawn = true;
    }
}

/* Draws, unless the last drawing is too recent. */
static void draw_in_time(cuzk_progress *p)
{
    const uint64_t now = cuzk_clock_ns();
    uint64_t next = atomic_load_explicit(&p->next_ns, memory_order_relaxed);
    if (now < next || !atomic_compare_exchange_strong(&p->next_ns, &next, now + p->interval_ns) ||
        pthread_mutex_trylock(&p->mutex) != 0) {
        return; /* not yet, or another thread draws */
    }
    draw(p, now, atomic_load_explicit(&p->done, memory_order_relaxed));
    (void)pthread_mutex_unlock(&p->mutex);
}

void cuzk_progress_add(cuzk_progress *p, uint64_t n)
{
    if (p != NULL) {
        (void)atomic_fetch_add_explicit(&p->done, n, memory_order_relaxed);
        draw_in_time(p);
    }
}

void cuzk_progress_set(cuzk_progress *p, uint64_t done, uint64_t total)
{
    if (p != NULL) {
        atomic_store_explicit(&p->total, total, memory_order_relaxed);
        atomic_store_explicit(&p->done, done, memory_order_relaxed);
        draw_in_time(p);
    }
}

void cuzk_progress_finish(cuzk_progress *p, bool complete)
{
    if (p == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&p->mutex);
    if (p->drawn) {
        const uint64_t done = atomic_load(&p->done), total = atomic_load(&p->total);
        draw(p, cuzk_clock_ns(), complete && total > done ? total : done);
        if (p->style != CUZK_PROGRESS_LINES && write(p->fd, "\n", 1) < 0) {
            p->drawn = false; /* a failed write to a terminal is ignored */
        }
    }
    (void)pthread_mutex_unlock(&p->mutex);
    (void)pthread_mutex_destroy(&p->mutex);
    cuzk_free(p->label);
    cuzk_free(p);
}
