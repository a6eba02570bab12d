/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* snarkjs's texts of proofs and public inputs. */
#include <cuzk/prove.h>

#include "base/alloc.h"
#include "interop/snarkjs_json.h"

#include "lib_internal.h"

/* The text that w has, into the caller's room. Frees w. */
static cuzk_status give_text(cuzk_jsonw *w, char *out, size_t capacity, size_t *bytes,
                             cuzk_error *error)
{
    const char *text = NULL;
    size_t n = 0;
    cuzk_err err = {.msg = ""};
    cuzk_status st = cuzk_jsonw_finish(w, &text, &n, &err);
    if (st == CUZK_OK) {
        *bytes = n;
        if (capacity <= n) {
            st = CUZK_FAIL(&err, CUZK_E_INVALID, "the text has %zu bytes, there is room for %zu", n,
                           capacity);
        } else {
            memcpy(out, text, n);
            out[n] = '\0';
        }
    }
    cuzk_jsonw_free(w);
    return lib_error(error, st, &err);
}

cuzk_status cuzk_circom_proof_json(char *out, size_t capacity, size_t *bytes,
                                   const uint8_t proof[192], cuzk_error *error)
{
    cuzk_proof p;
    cuzk_jsonw w;
    cuzk_err err = {.msg = ""};
    const cuzk_status st = cuzk_proof_decode(&p, proof, &err);
    if (st != CUZK_OK) {
        return lib_error(error, st, &err);
    }
    cuzk_jsonw_init(&w, true);
    cuzk_proof_json_write(&w, &p);
    return give_text(&w, out, capacity, bytes, error);
}

cuzk_status cuzk_circom_public_json(char *out, size_t capacity, size_t *bytes,
                                    const uint8_t *inputs, size_t n, cuzk_error *error)
{
    cuzk_jsonw w;
    cuzk_fr *values = cuzk_alloc(n + 1, sizeof(*values));
    if (values == NULL) {
        return lib_fail(error, CUZK_E_NOMEM, "out of memory for %zu public inputs", n);
    }
    for (size_t i = 0; i < n; i++) {
        if (!cuzk_fr_from_bytes_le(&values[i], inputs + 32 * i)) {
            cuzk_free(values);
            return lib_fail(error, CUZK_E_ENCODING, "public input %zu is not below r", i);
        }
    }
    cuzk_jsonw_init(&w, true);
    cuzk_public_json_write(&w, values, n);
    cuzk_free(values);
    return give_text(&w, out, capacity, bytes, error);
}
