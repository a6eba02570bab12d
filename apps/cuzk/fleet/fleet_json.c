/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A fleet as JSON: of "cuzk fleet status --json", and of a daemon's /status. */
#include "apps/cuzk/fleet/fleet_json.h"

const char *fleet_state_of(const cuzk_pg_member_status *m)
{
    return !m->is_alive     ? m->end_reason
           : m->is_late     ? "late"
           : m->is_draining ? "draining"
                            : "alive";
}

static void put_member(cuzk_jsonw *w, const cuzk_pg_member_status *m)
{
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_str(w, "name", m->name);
    cuzk_jsonw_put_str(w, "state", fleet_state_of(m));
    cuzk_jsonw_put_str(w, "address", m->address);
    cuzk_jsonw_put_str(w, "version", m->version);
    cuzk_jsonw_put_u64(w, "heard_ms_ago", m->heard_ms);
    cuzk_jsonw_put_u64(w, "places", m->places);
    cuzk_jsonw_put_u64(w, "devices", m->devices);
    cuzk_jsonw_put_u64(w, "healthy_devices", m->healthy);
    cuzk_jsonw_put_str(w, "loaded", m->loaded);
    cuzk_jsonw_put_u64(w, "claimed", m->n_claimed);
    cuzk_jsonw_put_u64(w, "running", m->n_running);
    cuzk_jsonw_put_u64(w, "partitions", m->n_parts);
    cuzk_jsonw_put_u64(w, "completed", m->completed);
    cuzk_jsonw_put_u64(w, "failed", m->failed);
    cuzk_jsonw_end_object(w);
}

static void put_client(cuzk_jsonw *w, const cuzk_pg_client_status *c)
{
    cuzk_jsonw_begin_object(w);
    cuzk_jsonw_put_str(w, "name", c->name);
    cuzk_jsonw_put_f64(w, "weight", (double)c->weight / 100);
    cuzk_jsonw_put_u64(w, "max_jobs", c->max_jobs);
    cuzk_jsonw_put_u64(w, "queued", c->queued);
    cuzk_jsonw_put_u64(w, "running", c->running);
    cuzk_jsonw_put_u64(w, "completed", c->completed);
    cuzk_jsonw_put_u64(w, "failed", c->failed);
    cuzk_jsonw_put_u64(w, "cancelled", c->cancelled);
    cuzk_jsonw_put_u64(w, "proofs", c->proofs);
    cuzk_jsonw_put_f64(w, "device_secs", (double)c->device_ms / 1e3);
    cuzk_jsonw_end_object(w);
}

void fleet_json(cuzk_jsonw *w, const cuzk_pg_fleet_status *s)
{
    cuzk_jsonw_key(w, "members");
    cuzk_jsonw_begin_array(w);
    for (size_t i = 0; i < s->n_members; i++) {
        put_member(w, &s->members[i]);
    }
    cuzk_jsonw_end_array(w);
    cuzk_jsonw_key(w, "clients");
    cuzk_jsonw_begin_array(w);
    for (size_t i = 0; i < s->n_clients; i++) {
        put_client(w, &s->clients[i]);
    }
    cuzk_jsonw_end_array(w);
    cuzk_jsonw_put_u64(w, "queued", s->queued);
    cuzk_jsonw_put_u64(w, "claimed", s->claimed);
    cuzk_jsonw_put_u64(w, "running", s->running);
    cuzk_jsonw_put_u64(w, "completed", s->completed);
    cuzk_jsonw_put_u64(w, "failed", s->failed);
    cuzk_jsonw_put_u64(w, "cancelled", s->cancelled);
    cuzk_jsonw_put_u64(w, "set_aside", s->set_aside);
    cuzk_jsonw_put_u64(w, "partitions_waiting", s->parts_waiting);
    cuzk_jsonw_put_u64(w, "partitions_running", s->parts_running);
    cuzk_jsonw_put_u64(w, "partitions_proved", s->parts_proved);
    cuzk_jsonw_put_u64(w, "places", s->places);
    cuzk_jsonw_put_u64(w, "wait_ms", s->wait_ms);
    cuzk_jsonw_put_u64(w, "oldest_queued_ms", s->oldest_queued_ms);
    cuzk_jsonw_put_u64(w, "input_bytes", s->input_bytes);
    cuzk_jsonw_put_u64(w, "schema_version", s->schema_version);
}
