/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "top/top_keys.h"

#include <string.h>

#define ESCAPE    0x1b
#define BACKSPACE 0x08
#define DELETE    0x7f
#define CTRL_C    0x03
#define CTRL_U    0x15

const char *const cuzk_top_order_name[CUZK_TOP_ORDERS] = {"state", "age", "time", "kind"};

static void escape(cuzk_top_keys *k)
{
    if (k->typing || (!k->details && k->filter[0] != '\0')) {
        k->typing = false;
        k->filter[0] = '\0';
    } else if (k->details) {
        k->details = false;
    } else {
        k->job[0] = '\0';
    }
}

static void type(cuzk_top_keys *k, uint8_t c)
{
    const size_t n = strlen(k->filter);
    switch (c) {
    case '\r':
    case '\n': k->typing = false; break;
    case BACKSPACE:
    case DELETE: k->filter[n > 0 ? n - 1 : 0] = '\0'; break;
    case CTRL_U: k->filter[0] = '\0'; break;
    default:
        if (c >= ' ' && n + 1 < sizeof(k->filter)) {
            k->filter[n] = (char)c;
            k->filter[n + 1] = '\0';
        }
        break;
    }
}

static bool command(cuzk_top_keys *k, uint8_t c)
{
    switch (c) {
    case 'q':
    case 'Q': k->quit = true; return true;
    case 's':
    case 'S': k->order = (cuzk_top_order)((k->order + 1) % CUZK_TOP_ORDERS); return true;
    case '/': k->typing = true; return true;
    case 'j': k->move++; return true;
    case 'k': k->move--; return true;
    case '\r':
    case '\n': k->details = !k->details && (k->job[0] != '\0' || k->move != 0); return true;
    default: return false;
    }
}

/* After ESC: "[A" and "OA" are up, "[B" and "OB" down; other sequences end with a letter or '~'. */
static bool in_sequence(cuzk_top_keys *k, uint8_t c)
{
    if (k->sequence == 1 && (c == '[' || c == 'O')) {
        k->sequence = 2;
        return false;
    }
    if (k->sequence == 1) { /* Escape, then another key */
        k->sequence = 0;
        escape(k);
        (void)cuzk_top_keys_feed(k, &c, 1);
        return true;
    }
    if (c < '@') { /* parameters */
        return false;
    }
    k->sequence = 0;
    if (k->typing || (c != 'A' && c != 'B')) {
        return false;
    }
    k->move += c == 'A' ? -1 : 1;
    return true;
}

bool cuzk_top_keys_feed(cuzk_top_keys *k, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    bool changed = false;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == CTRL_C) {
            k->quit = true;
            changed = true;
        } else if (k->sequence != 0) {
            changed = in_sequence(k, p[i]) || changed;
        } else if (p[i] == ESCAPE) {
            k->sequence = 1;
        } else if (k->typing) {
            type(k, p[i]);
            changed = true;
        } else {
            changed = command(k, p[i]) || changed;
        }
    }
    return changed;
}

bool cuzk_top_keys_idle(cuzk_top_keys *k)
{
    const bool is_alone = k->sequence == 1;
    k->sequence = 0;
    if (is_alone) {
        escape(k);
    }
    return is_alone;
}
