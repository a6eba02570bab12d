/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: config */
/*
 * Properties on any text: it is refused with a message that names the file, or it gives a
 * configuration whose values are in range; issues are counted and named; twice gives the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "config/config.h"
#include "config/config_value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_config(const cuzk_config *c)
{
    const char *why = NULL;
    CUZK_ASSERT(c->listen.n >= 1 && c->listen.n <= CUZK_CONFIG_MAX_ITEMS);
    for (uint32_t i = 0; i < c->listen.n; i++) {
        CUZK_ASSERT(cuzk_config_check_listen(c->listen.item[i], &why));
    }
    CUZK_ASSERT(c->http_listen[0] == '\0' || cuzk_config_check_listen(c->http_listen, &why));
    CUZK_ASSERT(c->devices.n <= CUZK_CONFIG_MAX_ITEMS && c->preload.n <= CUZK_CONFIG_MAX_ITEMS);
    CUZK_ASSERT(c->workers_per_device <= 4);
    CUZK_ASSERT(c->socket_mode <= 0777);
    CUZK_ASSERT(c->receive_budget >= c->max_message);
    CUZK_ASSERT(c->result_count <= UINT32_MAX && c->threads <= 4096);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cuzk_config_issues a, b;
    cuzk_config *c = NULL, *again = NULL;
    cuzk_err err = {.code = CUZK_OK};
    const cuzk_status st = cuzk_config_parse(&c, "f", (const char *)data, size, &a, &err);
    CUZK_ASSERT(st == cuzk_config_parse(&again, "f", (const char *)data, size, &b, NULL));
    CUZK_ASSERT(memcmp(&a, &b, sizeof(a)) == 0);
    for (size_t i = 0; i < a.n; i++) {
        CUZK_ASSERT(strncmp(a.item[i].text, "f:", 2) == 0);
    }
    if (st == CUZK_OK) {
        CUZK_ASSERT(a.errors == 0);
        check_config(c);
    } else {
        CUZK_ASSERT(c == NULL && again == NULL && err.code == st);
        CUZK_ASSERT(strncmp(err.msg, "f:", 2) == 0);
    }
    cuzk_config_destroy(c);
    cuzk_config_destroy(again);
    return 0;
}
