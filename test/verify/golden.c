/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "golden.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text/json.h"

#include "test.h"

/* Key of a vector by its name, "window[0]"; NULL when the vector has no key here. */
static const char *key_of(const char *name)
{
    static const char *const map[][2] = {{"porep-v1_1[", "porep-v1_1.vk"},
                                         {"window[", "window.vk"},
                                         {"windowv1[", "window.vk"},
                                         {"update[", "update.vk"},
                                         {"winning[", "winning.vk"}};
    for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
        if (strncmp(name, map[i][0], strlen(map[i][0])) == 0) {
            return map[i][1];
        }
    }
    return NULL;
}

static void read_hex(cuzk_json *j, uint8_t *out, size_t n)
{
    cuzk_json_str s;
    CHECK(cuzk_json_string(j, &s));
    CHECK(cuzk_hex_decode(out, n, s.p, s.n));
}

static void read_inputs(cuzk_json *j, golden_proof *g)
{
    g->inputs = malloc(32 * 1024);
    CHECK(g->inputs != NULL);
    cuzk_json_begin_array(j);
    while (cuzk_json_next(j)) {
        CHECK(g->n_inputs < 1024);
        read_hex(j, g->inputs + 32 * g->n_inputs++, 32);
    }
}

/* One vector: its inputs once, and a golden_proof for each of its proofs. */
static size_t read_vector(cuzk_json *j, const char *name, golden_proof *out, size_t room)
{
    golden_proof common;
    cuzk_json_str key;
    size_t n = 0;
    memset(&common, 0, sizeof(common));
    CHECK(snprintf(common.kind, sizeof(common.kind), "%s", name) < (int)sizeof(common.kind));
    common.vk_file = key_of(name);
    cuzk_json_begin_object(j);
    while (cuzk_json_next_key(j, &key)) {
        if (cuzk_json_str_eq(&key, "public_inputs_le")) {
            read_inputs(j, &common);
        } else if (cuzk_json_str_eq(&key, "proofs")) {
            cuzk_json_begin_array(j);
            while (cuzk_json_next(j)) {
                CHECK(n < room);
                cuzk_json_begin_object(j);
                while (cuzk_json_next_key(j, &key)) {
                    if (cuzk_json_str_eq(&key, "proof")) {
                        read_hex(j, out[n].proof, 192);
                    } else {
                        cuzk_json_skip(j);
                    }
                }
                n++;
            }
        } else {
            cuzk_json_skip(j);
        }
    }
    CHECK(n == 0 || common.vk_file != NULL);
    for (size_t i = 0; i < n; i++) {
        memcpy(common.proof, out[i].proof, 192);
        out[i] = common;
        out[i].inputs = malloc(32 * common.n_inputs);
        CHECK(out[i].inputs != NULL);
        memcpy(out[i].inputs, common.inputs, 32 * common.n_inputs);
    }
    free(common.inputs);
    return n;
}

size_t golden_load(golden_proof out[GOLDEN_MAX])
{
    size_t bytes = 0, n = 0;
    uint8_t *text = test_read_file("test/vectors/groth16/vectors.json", &bytes);
    cuzk_json j;
    cuzk_json_str key;
    cuzk_json_init(&j, text, bytes, 16);
    cuzk_json_begin_object(&j);
    while (cuzk_json_next_key(&j, &key)) {
        if (!cuzk_json_str_eq(&key, "vectors")) {
            cuzk_json_skip(&j);
            continue;
        }
        cuzk_json_begin_object(&j);
        while (cuzk_json_next_key(&j, &key)) {
            char name[32] = {0};
            size_t len = 0;
            CHECK(cuzk_json_str_decode(&key, name, sizeof(name) - 1, &len));
            n += read_vector(&j, name, out + n, GOLDEN_MAX - n);
        }
    }
    cuzk_json_end(&j);
    CHECK_OK(cuzk_json_status(&j, "vectors.json", NULL), NULL);
    free(text);
    return n;
}

void golden_free(golden_proof *g, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(g[i].inputs);
    }
}
