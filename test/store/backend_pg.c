/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "store/pg/pg_store.h"

#include "pg_server.h"
#include "store_backend.h"
#include "test.h"

cuzk_status backend_open(cuzk_job_store *out, uint64_t max_bytes, cuzk_store_report *report,
                         cuzk_err *err)
{
    const cuzk_pg_config c = {.url = pg_server_url(), .max_bytes = max_bytes};
    return cuzk_pg_store_open(out, &c, report, err);
}
