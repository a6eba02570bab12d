/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The engine's threads: starting them. */
#include "engine/engine_internal.h"

static void *worker_main(void *arg)
{
    worker *w = arg;
    switch (w->role) {
    case ROLE_PREP: cuzk_prep_loop(w); break;
    case ROLE_WITNESS: cuzk_witness_loop(w); break;
    case ROLE_DEVICE: cuzk_device_loop(w); break;
    case ROLE_VERIFY: cuzk_verify_loop(w); break;
    case ROLE_AGGREGATE: cuzk_aggregate_loop(w); break;
    case ROLE_LOADER: cuzk_loader_loop(w); break;
    case ROLE_FINISH: cuzk_finish_loop(w); break;
    case ROLE_TIMER: cuzk_timer_loop(w); break;
    case ROLE_RELEASE: cuzk_release_loop(w); break;
    case ROLE_STORE: cuzk_store_loop(w); break;
    case ROLE_LOG: cuzk_log_loop(w); break;
    case ROLE_SHARE: cuzk_share_loop(w); break;
    }
    return NULL;
}

LOCKED static cuzk_status start_worker(cuzk_engine *e, worker_role role, uint32_t index,
                                       uint32_t slot, bool is_express, cuzk_err *err)
{
    worker *w = &e->workers.all[e->workers.n];
    *w = (worker){.e = e, .role = role, .index = index, .slot = slot, .is_express = is_express};
    if (role == ROLE_DEVICE) {
        device *d = &e->devices.all[index];
        w->rank = d->n_regular;
        d->n_regular += is_express ? 0 : 1;
        d->n_places++;
        d->express = is_express ? slot : d->express;
    }
    const int failed = pthread_create(&w->thread, NULL, worker_main, w);
    if (failed != 0) {
        if (role == ROLE_DEVICE) {
            e->devices.all[index].n_regular -= is_express ? 0 : 1;
            e->devices.all[index].n_places--;
        }
        return CUZK_FAIL_OS(err, CUZK_E_NOMEM, failed, "cannot start a thread");
    }
    e->workers.n++;
    return CUZK_OK;
}

cuzk_status cuzk_engine_add_workers(cuzk_engine *e, unsigned slots, cuzk_err *err)
{
    slots = slots < CUZK_HEALTH_SLOTS ? slots : CUZK_HEALTH_SLOTS - 1;
    for (uint32_t d = 0; d < e->devices.n_primary; d++) {
        while (e->devices.all[d].n_regular < slots) {
            CUZK_TRY(start_worker(e, ROLE_DEVICE, d, e->devices.all[d].n_places, false, err));
        }
    }
    return CUZK_OK;
}

/* Each stage that WinningPoSt goes through has a worker that does nothing else. */
ALONE cuzk_status cuzk_engine_start_workers(cuzk_engine *e, cuzk_err *err)
{
    /* the threads that a stop needs are started first */
    CUZK_TRY(start_worker(e, ROLE_FINISH, 0, 0, false, err));
    CUZK_TRY(start_worker(e, ROLE_RELEASE, 0, 0, false, err));
    for (uint32_t i = 0; i < 2; i++) {
        CUZK_TRY(start_worker(e, ROLE_PREP, 0, 0, i == 1, err));
        CUZK_TRY(start_worker(e, ROLE_WITNESS, 0, 0, i == 1, err));
        CUZK_TRY(start_worker(e, ROLE_VERIFY, 0, 0, false, err));
        CUZK_TRY(start_worker(e, ROLE_LOADER, 0, 0, i == 1, err));
    }
    for (uint32_t d = 0; d < e->devices.n; d++) {
        const uint32_t slots = e->devices.all[d].slots;
        for (uint32_t s = 0; s <= slots; s++) {
            CUZK_TRY(start_worker(e, ROLE_DEVICE, d, s, s == slots, err));
        }
    }
    CUZK_TRY(start_worker(e, ROLE_AGGREGATE, 0, 0, false, err));
    CUZK_TRY(start_worker(e, ROLE_STORE, 0, 0, false, err));
    CUZK_TRY(start_worker(e, ROLE_LOG, 0, 0, false, err));
    if (e->store.shared != NULL) {
        CUZK_TRY(start_worker(e, ROLE_SHARE, 0, 0, false, err));
    }
    return start_worker(e, ROLE_TIMER, 0, 0, false, err);
}
