/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "vanilla/sector/sector.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"

#define KIB      ((uint64_t)1 << 10)
#define MIB      ((uint64_t)1 << 20)
#define GIB      ((uint64_t)1 << 30)

/* clang-format off */
static const cuzk_sector_shape shapes[] = {
    /* bytes      name     lg   U  V  W  L  PoRep   NI   window upd  chal apex published */
    {2 * KIB,   "2KiB",     6, 8, 0, 0,  2,  1,  2,  13,    2,  1,  10,   8, true},
    {4 * KIB,   "4KiB",     7, 8, 2, 0,  2,  1,  2,  13,    2,  1,  10,   8, false},
    {16 * KIB,  "16KiB",    9, 8, 8, 0,  2,  1,  2,  13,    2,  2,  10, 128, false},
    {32 * KIB,  "32KiB",   10, 8, 8, 2,  2,  1,  2,  13,    2,  2,  10, 128, false},
    {8 * MIB,   "8MiB",    18, 8, 0, 0,  2,  1,  2,  13,    2,  4,  10, 128, true},
    {16 * MIB,  "16MiB",   19, 8, 2, 0,  2,  1,  2,  13,    2,  4,  10, 128, false},
    {512 * MIB, "512MiB",  24, 8, 0, 0,  2,  1,  2,  13,    2, 16,  86, 128, true},
    {1 * GIB,   "1GiB",    25, 8, 2, 0,  2,  1,  2,  13,    2,  0,   0,   0, false},
    {32 * GIB,  "32GiB",   30, 8, 8, 0, 11, 10, 18, 126, 2349, 16,  86, 128, true},
    {64 * GIB,  "64GiB",   31, 8, 8, 2, 11, 10, 18, 126, 2300, 16,  86, 128, true},
};
/* clang-format on */
#define N_SHAPES (sizeof(shapes) / sizeof(shapes[0]))
CUZK_STATIC_ASSERT(N_SHAPES == CUZK_SECTOR_SHAPES, "as the header says");

static const uint64_t registered_sizes[5] = {2 * KIB, 8 * MIB, 512 * MIB, 32 * GIB, 64 * GIB};

const cuzk_sector_shape *cuzk_sector_shape_of(uint64_t sector_bytes)
{
    for (size_t i = 0; i < N_SHAPES; i++) {
        if (shapes[i].bytes == sector_bytes) {
            return &shapes[i];
        }
    }
    return NULL;
}

const cuzk_sector_shape *cuzk_sector_shapes(unsigned *n)
{
    *n = (unsigned)N_SHAPES;
    return shapes;
}

bool cuzk_sector_size_parse(uint64_t *bytes, const char *text)
{
    static const struct {
        const char *unit;
        uint64_t factor;
    } units[] = {{"", 1},      {"b", 1},   {"kib", KIB}, {"k", KIB},
                 {"mib", MIB}, {"m", MIB}, {"gib", GIB}, {"g", GIB}};
    uint64_t v = 0;
    const char *p = text;
    if (!isdigit((unsigned char)*p)) {
        return false;
    }
    for (; isdigit((unsigned char)*p); p++) {
        if (__builtin_mul_overflow(v, 10u, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v)) {
            return false;
        }
    }
    while (*p == ' ') {
        p++;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcasecmp(p, units[i].unit) == 0) {
            return !__builtin_mul_overflow(v, units[i].factor, bytes);
        }
    }
    return false;
}

unsigned cuzk_tree_levels(const cuzk_sector_shape *s, uint8_t arity[16])
{
    unsigned lg = s->lg_nodes, n = 0;
    for (unsigned a = s->sub_arity; a > 1; a >>= 1) {
        lg--;
    }
    for (unsigned a = s->top_arity; a > 1; a >>= 1) {
        lg--;
    }
    for (unsigned i = 0; i < lg / 3; i++) { /* base_arity is 8 in every shape */
        arity[n++] = s->base_arity;
    }
    if (s->sub_arity != 0) {
        arity[n++] = s->sub_arity;
    }
    if (s->top_arity != 0) {
        arity[n++] = s->top_arity;
    }
    return n;
}

cuzk_status cuzk_seal_type_of(cuzk_seal_type *out, uint64_t number, cuzk_err *err)
{
    static const struct {
        cuzk_seal_feature feature;
        uint8_t api_minor;
    } groups[4] = {{CUZK_SEAL_PLAIN, 0},
                   {CUZK_SEAL_PLAIN, 1},
                   {CUZK_SEAL_SYNTHETIC, 2},
                   {CUZK_SEAL_NON_INTERACTIVE, 2}};
    if (number >= 20) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "registered seal proof %llu is not known (0 to 19 are)",
                         (unsigned long long)number);
    }
    out->number = number;
    out->sector_bytes = registered_sizes[number % 5];
    out->feature = groups[number / 5].feature;
    out->api_minor = groups[number / 5].api_minor;
    return CUZK_OK;
}

const char *cuzk_seal_type_name(const cuzk_seal_type *t, char *buf, size_t buf_bytes)
{
    static const char *const suffix[4] = {"V1", "V1_1", "V1_1_Feat_SyntheticPoRep",
                                          "V1_2_Feat_NonInteractivePoRep"};
    const cuzk_sector_shape *s = cuzk_sector_shape_of(t->sector_bytes);
    (void)snprintf(buf, buf_bytes, "StackedDrg%s%s", s != NULL ? s->name : "?",
                   suffix[t->number / 5 % 4]);
    return buf;
}

cuzk_status cuzk_seal_type_parse(cuzk_seal_type *out, const char *text, size_t n, cuzk_err *err)
{
    for (uint64_t k = 0; k < 20; k++) {
        char name[64];
        cuzk_seal_type t;
        CUZK_TRY(cuzk_seal_type_of(&t, k, err));
        (void)cuzk_seal_type_name(&t, name, sizeof(name));
        if (strlen(name) == n && memcmp(name, text, n) == 0) {
            *out = t;
            return CUZK_OK;
        }
    }
    return CUZK_FAIL(err, CUZK_E_INVALID, "registered_proof \"%.*s\" is not known",
                     (int)(n < 60 ? n : 60), text);
}

void cuzk_porep_id(cuzk_node *out, uint64_t number)
{
    memset(out, 0, sizeof(*out));
    cuzk_store_u64_le(out->b, number);
}

cuzk_status cuzk_post_type_of(cuzk_post_type *out, uint64_t number, cuzk_err *err)
{
    if (number >= 15) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "registered PoSt proof %llu is not known (0 to 14 are)",
                         (unsigned long long)number);
    }
    out->number = number;
    out->sector_bytes = registered_sizes[number % 5];
    out->is_window = number >= 5;
    out->is_v1_2 = number >= 10;
    return CUZK_OK;
}
