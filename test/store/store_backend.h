/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_STORE_BACKEND_H
#define CUZK_TEST_STORE_BACKEND_H

/* The back end that test_store.c is linked with: backend_sqlite.c or backend_pg.c. */
#include "store/store.h"

/** Opens the store of the running case, the same one each time. max_bytes 0: the default. */
CUZK_NODISCARD cuzk_status backend_open(cuzk_job_store *out, uint64_t max_bytes,
                                        cuzk_store_report *report, cuzk_err *err);

#endif /* CUZK_TEST_STORE_BACKEND_H */
