/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "fleet/member.h"

cuzk_member_times cuzk_member_times_of(uint64_t lease_ns)
{
    const cuzk_member_times t = {.lease_ns = lease_ns,
                                 .renew_ns = lease_ns / 6,
                                 .retry_ns = lease_ns / 30,
                                 .tidy_ns = lease_ns / 3};
    return t;
}

void cuzk_member_init(cuzk_member *m, const cuzk_member_times *times, uint64_t now_ns)
{
    *m = (cuzk_member){.times = *times, .next_ns = now_ns, .next_tidy_ns = now_ns};
}

/* In touch for a whole lease, without a gap. */
static uint64_t tidy_from(const cuzk_member *m)
{
    const uint64_t touched = m->touch_ns + m->times.lease_ns;
    return touched > m->next_tidy_ns ? touched : m->next_tidy_ns;
}

cuzk_member_act cuzk_member_next(const cuzk_member *m, uint64_t now_ns, uint64_t *wake_ns)
{
    *wake_ns = m->next_ns;
    if (now_ns >= m->next_ns) { /* first of all, for the lease is what others see */
        return m->is_joined ? CUZK_MEMBER_RENEW : CUZK_MEMBER_JOIN;
    }
    if (!m->is_joined || !m->is_in_touch || !cuzk_member_may_start(m, now_ns)) {
        return CUZK_MEMBER_WAIT;
    }
    const uint64_t tidy = tidy_from(m);
    if (now_ns >= tidy) {
        return CUZK_MEMBER_TIDY;
    }
    *wake_ns = tidy < *wake_ns ? tidy : *wake_ns;
    return CUZK_MEMBER_WAIT;
}

void cuzk_member_done(cuzk_member *m, cuzk_member_act act, uint64_t sent_ns)
{
    /* A daemon that was stopped for a lease was not in touch, whatever it believes. */
    const bool had_gap = m->is_joined && sent_ns > m->renewed_ns + m->times.lease_ns;
    if (!m->is_in_touch || had_gap) {
        m->is_in_touch = true;
        m->touch_ns = sent_ns;
    }
    switch (act) {
    case CUZK_MEMBER_JOIN:
        m->is_joined = true;
        m->renewed_ns = sent_ns;
        m->next_ns = sent_ns + m->times.renew_ns;
        break;
    case CUZK_MEMBER_RENEW:
        m->renewed_ns = sent_ns;
        m->next_ns = sent_ns + m->times.renew_ns;
        break;
    case CUZK_MEMBER_TIDY: m->next_tidy_ns = sent_ns + m->times.tidy_ns; break;
    case CUZK_MEMBER_WAIT: break;
    }
}

void cuzk_member_failed(cuzk_member *m, cuzk_member_act act, uint64_t now_ns)
{
    m->is_in_touch = false;
    if (act == CUZK_MEMBER_TIDY) {
        m->next_tidy_ns = now_ns + m->times.tidy_ns;
    }
    m->next_ns = now_ns + m->times.retry_ns;
}

void cuzk_member_lost(cuzk_member *m, uint64_t now_ns)
{
    m->is_joined = false;
    m->is_in_touch = false;
    m->next_ns = now_ns;
}

void cuzk_member_hurry(cuzk_member *m, uint64_t now_ns)
{
    if (m->is_joined && m->is_in_touch && now_ns < m->next_ns) {
        m->next_ns = now_ns;
    }
}

bool cuzk_member_may_start(const cuzk_member *m, uint64_t now_ns)
{
    return m->is_joined && now_ns < m->renewed_ns + m->times.lease_ns;
}

uint32_t cuzk_member_room(uint32_t n_places, uint32_t n_running, uint32_t n_waiting)
{
    const uint32_t idle = n_places > n_running ? n_places - n_running : 0;
    const uint32_t wanted = idle + 1; /* one waits, so that no place is idle between two jobs */
    return wanted > n_waiting ? wanted - n_waiting : 0;
}
