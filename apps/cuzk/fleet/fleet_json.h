/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_FLEET_JSON_H
#define CUZK_APPS_FLEET_JSON_H

#include "base/text/json_writer.h"
#include "store/pg/pg_status.h"

/** "alive", "late", "draining", or why it is not alive. */
const char *fleet_state_of(const cuzk_pg_member_status *m);
/** Members, clients and sums as keys of the object that is open; docs/fleet.md names them. */
void fleet_json(cuzk_jsonw *w, const cuzk_pg_fleet_status *s);

#endif /* CUZK_APPS_FLEET_JSON_H */
