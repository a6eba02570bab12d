/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: interop */
/* Any bytes give a list of values below r, inside the bytes, or a status. */
#include <stdint.h>

#include "base/assert.h"
#include "interop/wtns_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cuzk_wtns w;
    cuzk_err err;
    const cuzk_status st = cuzk_wtns_read(&w, data, size, "f", &err);
    if (st == CUZK_OK) {
        CUZK_ASSERT(w.n == 0 || (w.values >= data && w.values + 32 * (size_t)w.n <= data + size));
        for (uint32_t i = 0; i < w.n; i++) {
            cuzk_fr v;
            CUZK_ASSERT(cuzk_fr_from_bytes_le(&v, w.values + 32 * (size_t)i));
        }
    } else {
        CUZK_ASSERT(err.code == st && err.msg[0] != '\0');
    }
    return 0;
}
