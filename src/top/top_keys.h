/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TOP_TOP_KEYS_H
#define CUZK_TOP_TOP_KEYS_H

/*
 * What the keys of `cuzk top` have chosen: order, filter, the job that is selected, and whether its details are
 * shown. A state machine that takes the bytes of a terminal; no input, no output.
 *
 *   q or Ctrl-C   quit              up, down, k, j   select a job
 *   s             next order        Enter            details of the selected job, and back
 *   /             type a filter     Escape           no details, then no filter, then no selection
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum cuzk_top_order {
    CUZK_TOP_BY_STATE = 0, /* running, waiting, over; each as the daemon has them */
    CUZK_TOP_BY_AGE,       /* accepted first */
    CUZK_TOP_BY_TIME,      /* longest first, from start to end or now */
    CUZK_TOP_BY_KIND,
    CUZK_TOP_ORDERS
} cuzk_top_order;
/** "state", "age", "time", "kind". */
extern const char *const cuzk_top_order_name[CUZK_TOP_ORDERS];

/** Zero-initialise. */
typedef struct cuzk_top_keys {
    cuzk_top_order order;
    char filter[64]; /* jobs that have this in id, kind, priority, state, error or peer */
    char job[320];   /* id of the selected job; "": none */
    bool details;
    bool typing; /* the filter is being typed */
    int move;    /* how far the selection is to go; the renderer takes it */
    bool quit;
    uint8_t sequence; /* bytes of an escape sequence that have been read */
} cuzk_top_keys;

/** Takes n bytes as they come from the terminal. True: something changed, or the user wants to quit. */
bool cuzk_top_keys_feed(cuzk_top_keys *k, const void *bytes, size_t n);
/** An Escape that nothing followed. Call when the terminal has been quiet. True: something changed. */
bool cuzk_top_keys_idle(cuzk_top_keys *k);

#endif /* CUZK_TOP_TOP_KEYS_H */
