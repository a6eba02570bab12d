/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_API_FAKE_LOAD_H
#define CUZK_TEST_API_FAKE_LOAD_H

/*
 * A scripted day of an engine, for tests of what shows it: jobs of all kinds arrive, go through the
 * stages on three devices (one of which is quarantined for a while) and end, one of them badly.
 * Nothing is proved; the script is computed once and any moment of it can be asked for.
 */
#include <stdint.h>

#include "engine/engine_status.h"

typedef struct fake_load fake_load;

#define FAKE_LOAD_SECONDS 240u

/** Ends the test program when there is no memory. */
fake_load *fake_load_new(void);
void fake_load_free(fake_load *f);
/** The engine's status second (fraction included) after its start; the clock is then begin_ns + second. */
cuzk_status fake_load_status(const fake_load *f, double second, uint64_t begin_ns,
                             cuzk_engine_status *out, cuzk_err *err);

#endif /* CUZK_TEST_API_FAKE_LOAD_H */
