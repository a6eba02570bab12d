/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "golden.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/text/json.h"

#include "test.h"

/* Enters the value of a key of the object that comes next. */
static bool enter(cuzk_json *j, const char *name)
{
    cuzk_json_str key;
    CHECK(cuzk_json_begin_object(j));
    while (cuzk_json_next_key(j, &key)) {
        if (cuzk_json_str_eq(&key, name)) {
            return true;
        }
        (void)cuzk_json_skip(j);
    }
    return false;
}

static uint8_t *open_vectors(cuzk_json *j)
{
    size_t n;
    uint8_t *text = test_read_file("test/vectors/groth16/vectors.json", &n);
    cuzk_json_init(j, text, n, 16);
    return text;
}

void golden_bytes(uint8_t *out, size_t n, const char *const *path, size_t n_path)
{
    cuzk_json j;
    cuzk_json_str s;
    uint8_t *text = open_vectors(&j);
    for (size_t i = 0; i < n_path; i++) {
        CHECK_MSG(enter(&j, path[i]), "no %s in vectors.json", path[i]);
    }
    CHECK(cuzk_json_string(&j, &s) && cuzk_hex_decode(out, n, s.p, s.n));
    free(text);
}

uint32_t golden_public_inputs(cuzk_node *out, uint32_t max, const char *vector)
{
    cuzk_json j;
    cuzk_json_str s;
    uint32_t n = 0;
    uint8_t *text = open_vectors(&j);
    CHECK(enter(&j, "vectors") && enter(&j, vector) && enter(&j, "public_inputs_le"));
    CHECK(cuzk_json_begin_array(&j));
    while (cuzk_json_next(&j)) {
        CHECK(n < max && cuzk_json_string(&j, &s) && cuzk_hex_decode(out[n].b, 32, s.p, s.n));
        n++;
    }
    free(text);
    return n;
}
