/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The owner of a job. */
#include <string.h>

#include "engine/job/accept_internal.h"

static void copy(char out[CUZK_OWNER_BYTES], cuzk_bytes owner)
{
    const size_t n = owner.size < CUZK_OWNER_BYTES ? owner.size : CUZK_OWNER_BYTES - 1;
    if (n > 0) {
        memcpy(out, owner.data, n);
    }
    out[n] = '\0';
}

cuzk_status cuzk_engine_owner(cuzk_engine *e, const char *job_id, char out[CUZK_OWNER_BYTES],
                              cuzk_err *err)
{
    cuzk_engine_lock(e);
    job *j = cuzk_job_by_id(&e->jobs, job_id);
    if (j != NULL) {
        copy(out, j->rq.owner);
    }
    cuzk_engine_unlock(e);
    if (j != NULL) {
        return CUZK_OK;
    }
    CUZK_TRY(cuzk_job_find_stored_id(e, job_id, &j, err));
    if (j == NULL) { /* its end is not recorded yet */
        return CUZK_FAIL(err, CUZK_E_NOT_FOUND, "job not found: %s", job_id);
    }
    cuzk_engine_lock(e);
    copy(out, j->rq.owner);
    cuzk_job_unpin(j);
    cuzk_engine_unlock(e);
    return CUZK_OK;
}
