/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: interop */
/*
 * Any bytes give a circuit or a status, with a message that names the file; a circuit agrees with
 * the header that was read for it.
 */
#include <stdint.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "interop/r1cs_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cuzk_circuit *c = NULL;
    cuzk_r1cs_info info, again;
    cuzk_err err;
    const uint64_t blocks = cuzk_alloc_get_stats().blocks_now;
    const cuzk_status st = cuzk_r1cs_file_compile(&c, &info, data, size, "f", &err);
    if (st == CUZK_OK) {
        CUZK_ASSERT(cuzk_r1cs_file_info(&again, data, size, "f", &err) == CUZK_OK);
        CUZK_ASSERT(info.n_wires == again.n_wires && info.n_constraints == again.n_constraints);
        CUZK_ASSERT(c->n_inputs + c->n_aux == info.n_wires && c->n_rows == info.n_constraints);
        cuzk_circuit_destroy(c);
    } else {
        CUZK_ASSERT(c == NULL && err.code == st && err.msg[0] != '\0');
    }
    CUZK_ASSERT(cuzk_alloc_get_stats().blocks_now == blocks);
    return 0;
}
