/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_PERFETTO_CHECK_H
#define CUZK_TEST_PERFETTO_CHECK_H

#include <stddef.h>

/** What a checked file holds. */
typedef struct perfetto_counts {
    size_t spans, counters, tracks; /* X, C events; named tracks */
} perfetto_counts;

/**
 * Fails the running case unless text [n] is what the Trace Event format asks of a JSON object file
 * of complete, counter and metadata events: fields, their types, and spans that nest on each track
 * (viewers draw others wrongly). Every track is named.
 */
perfetto_counts perfetto_check(const void *text, size_t n);

#endif /* CUZK_TEST_PERFETTO_CHECK_H */
