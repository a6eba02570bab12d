/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "sched/device_health.h"

#include "base/assert.h"

#define N_SLOTS (CUZK_HEALTH_SLOTS + 1)

void cuzk_health_init(cuzk_health *h, uint64_t limit_ns, uint64_t first_ns)
{
    first_ns = first_ns != 0 ? first_ns : CUZK_HEALTH_FIRST_NS;
    *h = (cuzk_health){.limit_ns = limit_ns,
                       .wrong_of = CUZK_HEALTH_NO_CIRCUIT,
                       .suspect = CUZK_HEALTH_NO_CIRCUIT,
                       .first_ns = first_ns,
                       .back_off_ns = first_ns};
}

bool cuzk_health_is_good(const cuzk_health *h)
{
    return h->state == CUZK_HEALTH_GOOD;
}

static void forget_rows(cuzk_health *h)
{
    h->errors_in_row = h->wrong_in_row = 0;
    h->wrong_of = CUZK_HEALTH_NO_CIRCUIT;
}

/* The device stays away for the back-off, and twice as long the next time. */
static void back_off(cuzk_health *h, uint64_t now_ns)
{
    h->state = CUZK_HEALTH_QUARANTINED;
    h->suspect = CUZK_HEALTH_NO_CIRCUIT;
    h->until_ns = now_ns + h->back_off_ns;
    if (h->back_off_ns < CUZK_HEALTH_LONGEST_NS) {
        h->back_off_ns *= 2;
    }
    forget_rows(h);
}

/* GOOD -> QUARANTINED. In the other states the device has no work already. */
static bool quarantine(cuzk_health *h, uint64_t now_ns)
{
    if (h->state != CUZK_HEALTH_GOOD) {
        return false;
    }
    h->quarantines++;
    back_off(h, now_ns);
    return true;
}

void cuzk_health_lost(cuzk_health *h, uint64_t now_ns)
{
    (void)quarantine(h, now_ns);
}

void cuzk_health_begin(cuzk_health *h, uint32_t slot, uint64_t now_ns)
{
    CUZK_ASSERT(slot < N_SLOTS && h->began_ns[slot] == 0);
    h->began_ns[slot] = now_ns != 0 ? now_ns : 1;
    h->is_overdue[slot] = false;
}

bool cuzk_health_end(cuzk_health *h, uint32_t slot, cuzk_status st, uint64_t now_ns)
{
    CUZK_ASSERT(slot < N_SLOTS && h->began_ns[slot] != 0);
    h->began_ns[slot] = 0;
    h->is_overdue[slot] = false;
    if (st == CUZK_OK) {
        h->errors_in_row = 0;
        return false;
    }
    if (st == CUZK_E_CANCELLED) {
        return false; /* says nothing of the device */
    }
    h->errors++;
    h->errors_in_row++;
    if (st == CUZK_E_DEV_LOST && h->suspect != CUZK_HEALTH_NO_CIRCUIT) {
        back_off(h, now_ns); /* it is more than one circuit's proofs after all */
        return false;
    }
    return (st == CUZK_E_DEV_LOST || h->errors_in_row >= CUZK_HEALTH_ERRORS) &&
           quarantine(h, now_ns);
}

static void set_aside(const cuzk_health *h, cuzk_circuit_health *c, uint64_t now_ns)
{
    c->back_off_ns = c->back_off_ns != 0 ? c->back_off_ns : CUZK_CIRCUIT_BACK_OFFS * h->first_ns;
    c->is_set_aside = true;
    c->until_ns = now_ns + c->back_off_ns;
    c->wrong_in_row = 0;
    if (c->back_off_ns < CUZK_HEALTH_LONGEST_NS) {
        c->back_off_ns *= 2;
    }
}

static bool has_others_set_aside(const cuzk_circuit_health *circuits, uint32_t n, uint32_t circuit)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i != circuit && circuits[i].is_set_aside) {
            return true;
        }
    }
    return false;
}

static cuzk_health_verdict wrong(cuzk_health *h, cuzk_circuit_health *circuits, uint32_t n,
                                 uint32_t circuit, uint64_t now_ns)
{
    cuzk_circuit_health *c = &circuits[circuit];
    if (cuzk_circuit_is_set_aside(c, now_ns)) {
        return CUZK_HEALTH_UNCHANGED; /* made before that */
    }
    h->wrong_of =
        h->wrong_in_row == 0 || h->wrong_of == circuit ? circuit : CUZK_HEALTH_MANY_CIRCUITS;
    h->wrong_in_row++;
    c->wrong_in_row = c->period == h->quarantines ? c->wrong_in_row + 1 : 1;
    c->period = h->quarantines;
    /* tried again and still wrong, or others are right meanwhile: it is the circuit */
    if (c->is_set_aside ||
        (c->wrong_in_row >= CUZK_HEALTH_WRONG && h->wrong_in_row < c->wrong_in_row)) {
        set_aside(h, c, now_ns);
        forget_rows(h);
        return CUZK_HEALTH_SETS_ASIDE;
    }
    if (h->wrong_in_row < CUZK_HEALTH_WRONG) {
        return CUZK_HEALTH_UNCHANGED;
    }
    const bool is_one = h->wrong_of == circuit && !has_others_set_aside(circuits, n, circuit);
    const uint64_t back_off_ns = h->back_off_ns;
    (void)quarantine(h, now_ns);
    if (is_one) { /* the probe tells: at once, and it costs no back-off */
        h->suspect = circuit;
        h->until_ns = now_ns;
        h->back_off_ns = back_off_ns;
    }
    return CUZK_HEALTH_QUARANTINES;
}

cuzk_health_verdict cuzk_health_verified(cuzk_health *h, cuzk_circuit_health *circuits,
                                         uint32_t n_circuits, uint32_t circuit, uint64_t period,
                                         bool is_right, uint64_t now_ns)
{
    const bool counts = h->state == CUZK_HEALTH_GOOD && period == h->quarantines;
    h->errors += is_right ? 0 : 1;
    if (!counts) {
        return CUZK_HEALTH_UNCHANGED;
    }
    if (!is_right) {
        return wrong(h, circuits, n_circuits, circuit, now_ns);
    }
    cuzk_circuit_trust(&circuits[circuit]);
    h->wrong_in_row = 0;
    h->wrong_of = CUZK_HEALTH_NO_CIRCUIT;
    h->back_off_ns = h->first_ns; /* it works: earlier trouble is forgotten */
    return CUZK_HEALTH_UNCHANGED;
}

/* When the work of a slot is overdue; 0: never, or it has been reported. */
static uint64_t overdue_ns(const cuzk_health *h, uint32_t slot)
{
    const uint64_t limit =
        slot == CUZK_HEALTH_LOAD_SLOT ? CUZK_HEALTH_LOAD_LIMITS * h->limit_ns : h->limit_ns;
    return h->limit_ns != 0 && h->began_ns[slot] != 0 && !h->is_overdue[slot]
               ? h->began_ns[slot] + limit
               : 0;
}

uint32_t cuzk_health_tick(cuzk_health *h, bool *quarantined, uint64_t now_ns)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < N_SLOTS; i++) {
        const uint64_t at = overdue_ns(h, i);
        if (at != 0 && at <= now_ns) {
            h->is_overdue[i] = true;
            h->errors++;
            slots |= (uint32_t)1 << i;
        }
    }
    *quarantined = slots != 0 && quarantine(h, now_ns);
    return slots;
}

static bool is_idle(const cuzk_health *h)
{
    for (uint32_t i = 0; i < N_SLOTS; i++) {
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

uint32_t cuzk_health_probed(cuzk_health *h, cuzk_circuit_health *circuits, bool is_good,
                            uint64_t now_ns)
{
    CUZK_ASSERT(h->state == CUZK_HEALTH_PROBING);
    const uint32_t suspect = h->suspect;
    if (!is_good) {
        h->quarantines++;
        back_off(h, now_ns);
        return CUZK_HEALTH_NO_CIRCUIT;
    }
    h->state = CUZK_HEALTH_GOOD;
    h->suspect = CUZK_HEALTH_NO_CIRCUIT;
    forget_rows(h); /* what came late is of the time before */
    if (suspect != CUZK_HEALTH_NO_CIRCUIT) {
        set_aside(h, &circuits[suspect], now_ns);
    }
    return suspect;
}

uint64_t cuzk_health_wake_ns(const cuzk_health *h)
{
    uint64_t at = 0;
    if (h->state == CUZK_HEALTH_QUARANTINED && is_idle(h)) {
        at = h->until_ns; /* the end of the last work wakes, too */
    }
    for (uint32_t i = 0; i < N_SLOTS; i++) {
        const uint64_t slot = overdue_ns(h, i);
        at = slot != 0 && (at == 0 || slot < at) ? slot : at;
    }
    return at;
}

bool cuzk_circuit_is_set_aside(const cuzk_circuit_health *c, uint64_t now_ns)
{
    return c->is_set_aside && now_ns < c->until_ns;
}

void cuzk_circuit_trust(cuzk_circuit_health *c)
{
    *c = (cuzk_circuit_health){.is_set_aside = false};
}
