/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "aggregate/statements.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "hash/sha256.h"

size_t cuzk_agg_padded(size_t n)
{
    size_t p = 2;
    if (n == 0 || n > CUZK_AGG_MAX_PROOFS) {
        return 0;
    }
    while (p < n) {
        p *= 2;
    }
    return p;
}

/* The weight of statement i and the next one's; the last statement carries those of the padding. */
typedef struct weights {
    const cuzk_fr *w, *step;
    cuzk_fr power;
    size_t at;
} weights;

static cuzk_fr next_weight(weights *k)
{
    const cuzk_fr now = k->step == NULL ? k->w[k->at] : k->power;
    k->at++;
    if (k->step != NULL) {
        cuzk_fr_mul(&k->power, &k->power, k->step);
    }
    return now;
}

cuzk_status cuzk_agg_weigh_inputs(cuzk_scalar *out, const cuzk_agg_claim *claim, const cuzk_fr *w,
                                  const cuzk_fr *step, size_t n, cuzk_err *err)
{
    weights k = {w, step, CUZK_FR_ONE, 0};
    cuzk_fr total = CUZK_FR_ZERO;
    memset(out, 0, (claim->n_inputs + 1) * sizeof(*out));
    for (size_t i = 0; i < claim->n; i++) {
        cuzk_fr weight = next_weight(&k);
        while (i + 1 == claim->n && k.at < n) {
            const cuzk_fr more = next_weight(&k);
            cuzk_fr_add(&weight, &weight, &more);
        }
        cuzk_fr_add(&total, &total, &weight);
        const uint8_t *in = claim->inputs + i * claim->n_inputs * CUZK_SCALAR_BYTES;
        for (size_t j = 0; j < claim->n_inputs; j++, in += CUZK_SCALAR_BYTES) {
            cuzk_scalar x;
            cuzk_scalar_from_bytes_le(&x, in);
            if (!cuzk_scalar_is_canonical(&x)) {
                return CUZK_FAIL(err, CUZK_E_ENCODING,
                                 "statement %zu: public input %zu is not below r", i, j);
            }
            /* A Montgomery weight times a plain integer is the plain product; sums stay plain. */
            cuzk_fr plain, sum;
            memcpy(&plain, &x, sizeof(plain));
            memcpy(&sum, &out[1 + j], sizeof(sum));
            cuzk_fr_mul(&plain, &plain, &weight);
            cuzk_fr_add(&sum, &sum, &plain);
            memcpy(&out[1 + j], &sum, sizeof(sum));
        }
    }
    cuzk_fr_to_scalar(&out[0], &total);
    return CUZK_OK;
}

cuzk_status cuzk_agg_include_all(uint8_t out[32], const cuzk_vk *vk, const uint8_t *inputs,
                                 size_t n, cuzk_err *err)
{
    static const char domain[] = "cuzk aggregate 1";
    uint8_t count[8];
    cuzk_sha256 h;
    const size_t vk_bytes = cuzk_vk_bytes(vk);
    uint8_t *bytes = cuzk_alloc(vk_bytes, 1);
    if (bytes == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "%s", "no memory for the verifying key");
    }
    cuzk_vk_write(vk, bytes);
    cuzk_sha256_init(&h);
    cuzk_sha256_update(&h, domain, sizeof(domain) - 1);
    cuzk_sha256_update(&h, bytes, vk_bytes);
    cuzk_free(bytes);
    cuzk_store_u64_le(count, n);
    cuzk_sha256_update(&h, count, sizeof(count));
    cuzk_sha256_update(&h, inputs, n * cuzk_vk_n_inputs(vk) * CUZK_SCALAR_BYTES);
    cuzk_sha256_final(out, &h);
    return CUZK_OK;
}
