/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "sched/device_health.h"

#include "base/assert.h"

void cuzk_health_init(cuzk_health *h, uint64_t limit_ns, uint64_t first_ns)
{
    first_ns = first_ns != 0 ? first_ns : CUZK_HEALTH_FIRST_NS;
    *h = (cuzk_health){.limit_ns = limit_ns, .first_ns = first_ns, .back_off_ns = first_ns};
}

bool cuzk_health_is_good(const cuzk_health *h)
{
    return h->state == CUZK_HEALTH_GOOD;
}

static bool quarantine(cuzk_health *h, uint64_t now_ns)
{
    if (h->state == CUZK_HEALTH_QUARANTINED) {
        return false;
    }
    h->state = CUZK_HEALTH_QUARANTINED;
    h->quarantines++;
    h->until_ns = now_ns + h->back_off_ns;
    if (h->back_off_ns < CUZK_HEALTH_LONGEST_NS) {
        h->back_off_ns *= 2;
    }
    h->errors_in_row = h->wrong_in_row = 0;
    return true;
}

void cuzk_health_lost(cuzk_health *h, uint64_t now_ns)
{
    (void)quarantine(h, now_ns);
}

void cuzk_health_begin(cuzk_health *h, uint32_t slot, uint64_t now_ns)
{
    CUZK_ASSERT(slot < CUZK_HEALTH_SLOTS && h->began_ns[slot] == 0);
    h->began_ns[slot] = now_ns != 0 ? now_ns : 1;
}

bool cuzk_health_end(cuzk_health *h, uint32_t slot, cuzk_status st, uint64_t now_ns)
{
    CUZK_ASSERT(slot < CUZK_HEALTH_SLOTS && h->began_ns[slot] != 0);
    h->began_ns[slot] = 0;
    if (st == CUZK_OK) {
        h->errors_in_row = 0;
        return false;
    }
    if (st == CUZK_E_CANCELLED) {
        return false; /* says nothing of the device */
    }
    h->errors++;
    h->errors_in_row++;
    return (st == CUZK_E_DEV_LOST || h->errors_in_row >= CUZK_HEALTH_ERRORS) &&
           quarantine(h, now_ns);
}

bool cuzk_health_verified(cuzk_health *h, bool is_right, uint64_t now_ns)
{
    if (is_right) {
        h->wrong_in_row = 0;
        h->back_off_ns = h->first_ns; /* it works: forget old troubles */
        return false;
    }
    h->errors++;
    h->wrong_in_row++;
    return h->wrong_in_row >= CUZK_HEALTH_WRONG && quarantine(h, now_ns);
}

bool cuzk_health_tick(cuzk_health *h, uint64_t now_ns)
{
    for (uint32_t i = 0; i < CUZK_HEALTH_SLOTS && h->limit_ns != 0; i++) {
        if (h->began_ns[i] != 0 && now_ns - h->began_ns[i] >= h->limit_ns &&
            h->state == CUZK_HEALTH_GOOD) {
            h->errors++;
            return quarantine(h, now_ns);
        }
    }
    return false;
}

static bool is_idle(const cuzk_health *h)
{
    for (uint32_t i = 0; i < CUZK_HEALTH_SLOTS; i++) {
        if (h->began_ns[i] != 0) {
            return false;
        }
    }
    return true;
}

bool cuzk_health_wants_probe(cuzk_health *h, uint64_t now_ns)
{
    if (h->state != CUZK_HEALTH_QUARANTINED || now_ns < h->until_ns || !is_idle(h)) {
        return false;
    }
    h->state = CUZK_HEALTH_PROBING;
    return true;
}

void cuzk_health_probed(cuzk_health *h, bool is_good, uint64_t now_ns)
{
    CUZK_ASSERT(h->state == CUZK_HEALTH_PROBING);
    if (is_good) {
        h->state = CUZK_HEALTH_GOOD;
        h->errors_in_row = h->wrong_in_row = 0; /* what came late is of the time before */
    } else {
        (void)quarantine(h, now_ns);
    }
}

uint64_t cuzk_health_wake_ns(const cuzk_health *h)
{
    uint64_t at = 0;
    if (h->state == CUZK_HEALTH_QUARANTINED) {
        return is_idle(h) ? h->until_ns : 0; /* else the end of the last work wakes */
    }
    for (uint32_t i = 0; i < CUZK_HEALTH_SLOTS && h->limit_ns != 0; i++) {
        if (h->began_ns[i] != 0 && (at == 0 || h->began_ns[i] + h->limit_ns < at)) {
            at = h->began_ns[i] + h->limit_ns;
        }
    }
    return h->state == CUZK_HEALTH_GOOD ? at : 0;
}
