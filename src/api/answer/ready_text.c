/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "api/answer/ready_text.h"

void cuzk_ready_text(cuzk_text_buf *b, const cuzk_engine_status *s)
{
    cuzk_text_printf(b, "ready\n");
    for (uint32_t i = 0; i < s->n_abilities; i++) {
        const cuzk_status_ability *a = &s->abilities[i];
        const bool is_first = i == 0 || a[-1].device != a->device;
        const bool is_last = i + 1 == s->n_abilities || a[1].device != a->device;
        if (is_first) {
            cuzk_text_printf(b, "GPU %u:", s->devices[a->device].ordinal);
        }
        cuzk_text_printf(b, " %s %s%s", a->circuit_id, cuzk_device_ability_name(a->ability),
                         is_last ? "\n" : ",");
    }
}
