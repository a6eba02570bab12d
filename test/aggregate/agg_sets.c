/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "agg_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

jwalk agg_vectors(void)
{
    static uint8_t *text;
    static size_t n;
    if (text == NULL) {
        text = test_read_file(AGG_DIR "vectors.json", &n);
    }
    return (jwalk){text, text + n};
}

size_t agg_set_count(void)
{
    return jwalk_count(jwalk_key(agg_vectors(), "sets"));
}

static void read_lists(agg_set *s)
{
    const jwalk proofs = jwalk_key(s->json, "proofs");
    const jwalk inputs = jwalk_key(s->json, "public_inputs_le");
    s->n_inputs = jwalk_count(jwalk_at(inputs, 0));
    s->proofs = malloc(s->n_given * CUZK_PROOF_BYTES);
    s->inputs = malloc(s->n_given * s->n_inputs * CUZK_SCALAR_BYTES);
    CHECK(s->proofs != NULL && s->inputs != NULL);
    for (size_t i = 0; i < s->n_given; i++) {
        CHECK_U64(
            jwalk_hex(jwalk_at(proofs, i), s->proofs + i * CUZK_PROOF_BYTES, CUZK_PROOF_BYTES),
            CUZK_PROOF_BYTES);
        const jwalk row = jwalk_at(inputs, i);
        for (size_t j = 0; j < s->n_inputs; j++) {
            jwalk_hex(jwalk_at(row, j), s->inputs + (i * s->n_inputs + j) * CUZK_SCALAR_BYTES,
                      CUZK_SCALAR_BYTES);
        }
    }
}

void agg_set_load(agg_set *s, size_t i)
{
    char text[64], path[160];
    cuzk_err err;
    memset(s, 0, sizeof(*s));
    s->json = jwalk_at(jwalk_key(agg_vectors(), "sets"), i);
    jwalk_text(jwalk_key(s->json, "name"), s->name, sizeof(s->name));
    s->n = jwalk_u64(jwalk_key(s->json, "n"));
    s->n_given = jwalk_u64(jwalk_key(s->json, "proofs_before_padding"));
    s->n_include =
        jwalk_hex(jwalk_key(s->json, "transcript_include"), s->include, sizeof(s->include));
    read_lists(s);
    jwalk_text(jwalk_key(s->json, "vk"), text, sizeof(text));
    const char *base = strrchr(text, '/');
    snprintf(path, sizeof(path), "%s%s", base != NULL ? "test/vectors/groth16" : AGG_DIR,
             base != NULL ? base : text);
    s->vk_bytes = test_read_file(path, &s->n_vk);
    CHECK_U64(cuzk_vk_read(&s->vk, s->vk_bytes, s->n_vk), CUZK_VERIFY_OK);
    jwalk_text(jwalk_key(s->json, "srs"), text, sizeof(text));
    snprintf(s->srs_path, sizeof(s->srs_path), AGG_DIR "%s.srs", text);
    CHECK_OK(cuzk_agg_srs_open(&s->srs, s->srs_path, &err), &err);
}

void agg_set_find(agg_set *out, const char *name)
{
    const jwalk sets = jwalk_key(agg_vectors(), "sets");
    for (size_t i = 0; i < jwalk_count(sets); i++) {
        if (jwalk_equals(jwalk_key(jwalk_at(sets, i), "name"), name)) {
            agg_set_load(out, i);
            return;
        }
    }
    CHECK_MSG(false, "no set %s", name);
}

void agg_set_free(agg_set *s)
{
    free(s->proofs);
    free(s->inputs);
    free(s->vk_bytes);
    cuzk_vk_destroy(s->vk);
    cuzk_agg_srs_close(s->srs);
}

cuzk_agg_claim agg_set_claim(const agg_set *s, cuzk_agg_version version)
{
    return (cuzk_agg_claim){.inputs = s->inputs,
                            .n = s->n_given,
                            .n_inputs = s->n_inputs,
                            .include = s->include,
                            .n_include = s->n_include,
                            .version = version};
}
