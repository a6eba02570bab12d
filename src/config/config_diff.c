/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The differences of two configurations, and copying single values. */
#include <string.h>

#include "base/assert.h"

#include "config_internal.h"

static const void *value(const cuzk_config *c, const config_key *k)
{
    return (const uint8_t *)c + k->offset;
}

static bool same_strings(const cuzk_config_strings *a, const cuzk_config_strings *b)
{
    bool same = a->n == b->n;
    for (uint32_t i = 0; same && i < a->n; i++) {
        same = strcmp(a->item[i], b->item[i]) == 0;
    }
    return same;
}

static bool same_numbers(const cuzk_config_numbers *a, const cuzk_config_numbers *b)
{
    return a->n == b->n && memcmp(a->item, b->item, a->n * sizeof(a->item[0])) == 0;
}

static bool is_same(const cuzk_config *a, const cuzk_config *b, const config_key *k)
{
    const void *x = value(a, k), *y = value(b, k);
    switch (k->type) {
    case T_STRING:
    case T_ADDRESS:
    case T_CHOICE: return strcmp(*(const char *const *)x, *(const char *const *)y) == 0;
    case T_STRINGS:
    case T_LISTEN: return same_strings(x, y);
    case T_NUMBERS: return same_numbers(x, y);
    case T_BOOL: return *(const bool *)x == *(const bool *)y;
    case T_NUMBER:
    case T_SIZE:
    case T_SIZE_AUTO:
    case T_NUMBER_AUTO:
    case T_DURATION:
    case T_DURATION_AUTO:
    case T_MODE: break;
    }
    return *(const uint64_t *)x == *(const uint64_t *)y;
}

void cuzk_config_diff(const cuzk_config *a, const cuzk_config *b, cuzk_config_key_fn fn, void *arg)
{
    for (size_t i = 0; i < config_n_keys; i++) {
        if (config_keys[i].use == USE_KEY && !is_same(a, b, &config_keys[i])) {
            fn(arg, config_keys[i].path);
        }
    }
}

cuzk_status cuzk_config_copy(cuzk_config *to, const cuzk_config *from, const char *key,
                             cuzk_err *err)
{
    const size_t i = config_find(key);
    CUZK_ASSERT(i < config_n_keys && config_keys[i].use == USE_KEY);
    const config_key *k = &config_keys[i];
    void *field = config_field(to, k);
    switch (k->type) {
    case T_STRING:
    case T_ADDRESS:
    case T_CHOICE:
        return is_same(to, from, k)
                   ? CUZK_OK
                   : cuzk_config_keep(to, field, *(const char *const *)value(from, k), err);
    case T_BOOL: *(bool *)field = *(const bool *)value(from, k); return CUZK_OK;
    case T_NUMBER:
    case T_SIZE:
    case T_SIZE_AUTO:
    case T_NUMBER_AUTO:
    case T_DURATION:
    case T_DURATION_AUTO:
    case T_MODE: *(uint64_t *)field = *(const uint64_t *)value(from, k); return CUZK_OK;
    case T_STRINGS:
    case T_LISTEN:
    case T_NUMBERS: break;
    }
    CUZK_ASSERT(false);
    return CUZK_OK;
}
