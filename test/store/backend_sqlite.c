/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "store_backend.h"
#include "test.h"

cuzk_status backend_open(cuzk_job_store *out, uint64_t max_bytes, cuzk_store_report *report,
                         cuzk_err *err)
{
    char path[400];
    (void)snprintf(path, sizeof(path), "%s/folder/jobs.db", test_tmpdir());
    const cuzk_store_config c = {.path = path, .max_bytes = max_bytes};
    return cuzk_store_open(out, &c, report, err);
}
