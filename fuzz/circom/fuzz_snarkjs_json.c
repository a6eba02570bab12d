/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: interop */
/*
 * proof.json, public.json and verification_key.json: any text gives a value or a status, and a
 * value survives being written and read again.
 */
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "interop/snarkjs_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void proof(const uint8_t *data, size_t size)
{
    cuzk_proof p, q;
    cuzk_jsonw w;
    const char *text;
    size_t n;
    cuzk_err err;
    const cuzk_status st = cuzk_proof_json_read(&p, data, size, "f", &err);
    if (st != CUZK_OK) {
        CUZK_ASSERT(err.code == st && err.msg[0] != '\0');
        return;
    }
    cuzk_jsonw_init(&w, false);
    cuzk_proof_json_write(&w, &p);
    CUZK_ASSERT(cuzk_jsonw_finish(&w, &text, &n, NULL) == CUZK_OK);
    CUZK_ASSERT(cuzk_proof_json_read(&q, text, n, "f", &err) == CUZK_OK);
    CUZK_ASSERT(memcmp(&p, &q, sizeof(p)) == 0);
    cuzk_jsonw_free(&w);
}

static void public_values(const uint8_t *data, size_t size)
{
    uint8_t *v = NULL, *again = NULL;
    size_t count = 0, count_again = 0, n;
    cuzk_jsonw w;
    const char *text;
    cuzk_err err;
    const cuzk_status st = cuzk_public_json_read(&v, &count, data, size, "f", &err);
    if (st != CUZK_OK) {
        CUZK_ASSERT(err.code == st && err.msg[0] != '\0' && v == NULL);
        return;
    }
    cuzk_fr *f = cuzk_alloc(count, sizeof(*f));
    CUZK_ASSERT(f != NULL);
    for (size_t i = 0; i < count; i++) {
        CUZK_ASSERT(cuzk_fr_from_bytes_le(&f[i], v + 32 * i));
    }
    cuzk_jsonw_init(&w, true);
    cuzk_public_json_write(&w, f, count);
    CUZK_ASSERT(cuzk_jsonw_finish(&w, &text, &n, NULL) == CUZK_OK);
    CUZK_ASSERT(cuzk_public_json_read(&again, &count_again, text, n, "f", &err) == CUZK_OK);
    CUZK_ASSERT(count == count_again && (count == 0 || memcmp(v, again, 32 * count) == 0));
    cuzk_jsonw_free(&w);
    cuzk_free(f);
    cuzk_free(v);
    cuzk_free(again);
}

static void key(const uint8_t *data, size_t size)
{
    uint8_t *vk = NULL, id[32];
    size_t n = 0;
    cuzk_err err;
    const cuzk_status st = cuzk_vk_json_read(&vk, &n, data, size, "f", &err);
    if (st != CUZK_OK) {
        CUZK_ASSERT(err.code == st && err.msg[0] != '\0' && vk == NULL);
        return;
    }
    CUZK_ASSERT(cuzk_vk_identity(id, vk, n));
    cuzk_free(vk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    proof(data, size);
    public_values(data, size);
    key(data, size);
    return 0;
}
