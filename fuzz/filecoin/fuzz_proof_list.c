/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: base vanilla/read */
/*
 * Vanilla proofs as files have them. Properties on any input: what is no JSON is one proof, the input itself; an array gives
 * 1 to CUZK_PROOF_LIST_MAX proofs that lie one behind the other in the decoded block and take at most three bytes for four
 * characters; what is refused is E_FORMAT, names the input, and leaves nothing.
 */
#include <string.h>

#include "base/assert.h"
#include "base/text/json.h"
#include "vanilla/read/proof_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cuzk_proof_list l;
    cuzk_err err = {.msg = ""};
    size_t sum = 0;
    const cuzk_status st = cuzk_proof_list_read(&l, data, size, "input", &err);
    if (st != CUZK_OK) {
        CUZK_ASSERT(st == CUZK_E_FORMAT && strncmp(err.msg, "input:", 6) == 0);
        CUZK_ASSERT(l.items == NULL && l.n == 0 && l.decoded == NULL);
        return 0;
    }
    CUZK_ASSERT(l.is_array == cuzk_json_is_likely(data, size));
    CUZK_ASSERT(l.n >= 1 && l.n <= CUZK_PROOF_LIST_MAX);
    if (!l.is_array) {
        CUZK_ASSERT(l.n == 1 && l.items[0].data == data && l.items[0].size == size);
    }
    for (size_t i = 0; l.is_array && i < l.n; i++) {
        volatile uint8_t last = 0;
        CUZK_ASSERT(l.items[i].data == l.decoded + sum);
        for (size_t k = 0; k < l.items[i].size; k++) {
            last = l.items[i].data[k]; /* readable */
        }
        (void)last;
        sum += l.items[i].size;
    }
    CUZK_ASSERT(!l.is_array || sum <= size / 4 * 3);
    cuzk_proof_list_free(&l);
    return 0;
}
