/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: api base */
/* The file of the page's history, from any bytes: what is taken is written again as the same bytes, and can be shown and go on. */
#include <stdint.h>
#include <string.h>

#include "api/history/history_file.h"
#include "base/alloc.h"
#include "base/assert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cuzk_history h;
    uint8_t again[CUZK_HISTORY_FILE_BYTES];
    const uint64_t now_ns = 5000000000u, unix_secs = 2000000000u;
    char *text = NULL;
    size_t n = 0;
    if (cuzk_history_decode(&h, data, size, "fuzz", now_ns, unix_secs, NULL) == CUZK_OK &&
        h.start_ns != now_ns) {
        n = cuzk_history_encode(again, &h, now_ns, unix_secs);
        CUZK_ASSERT(n == size && memcmp(again, data, n) == 0);
    }
    const cuzk_history_look look = {.now_ns = now_ns, .completed = 1};
    cuzk_history_take(&h, &look);
    if (cuzk_history_json(&text, &n, &h, now_ns, NULL) == CUZK_OK) {
        CUZK_ASSERT(strlen(text) == n);
        cuzk_free(text);
    }
    return 0;
}
