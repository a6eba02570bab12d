/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/needs/filecoin_needs.h"

#define KIB 1024ull
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

typedef struct counts_row {
    cuzk_circuit_kind kind;
    uint64_t sector_bytes;
    uint32_t n_inputs;
    uint64_t n_aux, n_fulls, bit_words, a, b;
    unsigned lg_domain;
    uint64_t circuit_bytes;
} counts_row;

/* Of the compiled circuits; test/prover/test_stages.c compiles some and compares. */
/* clang-format off */
static const counts_row table[] = {
    {CUZK_CIRCUIT_POREP, 2 * KIB, 40, 2685673, 43806, 41280, 2674908, 685521, 22, 37716686},
    {CUZK_CIRCUIT_POREP, 4 * KIB, 40, 2786423, 53862, 42698, 2773158, 716039, 22, 39277184},
    {CUZK_CIRCUIT_POREP, 16 * KIB, 40, 2974867, 60854, 45532, 2959930, 766963, 22, 41971580},
    {CUZK_CIRCUIT_POREP, 32 * KIB, 40, 3075617, 70910, 46950, 3058180, 797481, 22, 43532054},
    {CUZK_CIRCUIT_POREP, 8 * MIB, 40, 3842449, 111998, 58290, 3814996, 1011289, 22, 54736266},
    {CUZK_CIRCUIT_POREP, 16 * MIB, 40, 3943199, 122054, 59706, 3913246, 1041807, 22, 56296740},
    {CUZK_CIRCUIT_POREP, 512 * MIB, 40, 4420837, 146094, 66794, 4385040, 1174173, 23, 63246058},
    {CUZK_CIRCUIT_POREP, 1 * GIB, 40, 4521587, 156150, 68210, 4483290, 1204691, 23, 64806532},
    {CUZK_CIRCUIT_POREP, 32 * GIB, 328, 130169893, 1699102, 2007364, 129753292, 33112281, 27, 202003452},
    {CUZK_CIRCUIT_POREP, 64 * GIB, 328, 131076643, 1789606, 2020126, 130637542, 33386943, 27, 203563926},
    {CUZK_CIRCUIT_WINNING, 2 * KIB, 133, 91674, 91014, 66, 69300, 66792, 17, 130257},
    {CUZK_CIRCUIT_WINNING, 4 * KIB, 133, 112464, 111738, 66, 84942, 82302, 17, 150851},
    {CUZK_CIRCUIT_WINNING, 16 * KIB, 133, 127116, 126126, 66, 96162, 92466, 17, 165387},
    {CUZK_CIRCUIT_WINNING, 32 * KIB, 133, 147906, 146850, 66, 111804, 107976, 18, 185981},
    {CUZK_CIRCUIT_WINNING, 8 * MIB, 133, 233442, 231462, 66, 176748, 169488, 18, 270697},
    {CUZK_CIRCUIT_WINNING, 16 * MIB, 133, 254232, 252186, 66, 192390, 184998, 18, 291291},
    {CUZK_CIRCUIT_WINNING, 512 * MIB, 133, 304326, 301686, 66, 230472, 220836, 19, 340905},
    {CUZK_CIRCUIT_WINNING, 1 * GIB, 133, 325116, 322410, 66, 246114, 236346, 19, 361471},
    {CUZK_CIRCUIT_WINNING, 32 * GIB, 133, 375210, 371910, 66, 284196, 272184, 19, 411085},
    {CUZK_CIRCUIT_WINNING, 64 * GIB, 133, 396000, 392634, 66, 299838, 287694, 19, 431679},
    {CUZK_CIRCUIT_WINDOW, 2 * KIB, 23, 22128, 21928, 4, 16770, 16028, 15, 763203},
    {CUZK_CIRCUIT_WINDOW, 4 * KIB, 23, 28428, 28208, 4, 21510, 20728, 15, 969095},
    {CUZK_CIRCUIT_WINDOW, 16 * KIB, 23, 32868, 32568, 6, 24910, 23808, 15, 1114239},
    {CUZK_CIRCUIT_WINDOW, 32 * KIB, 23, 39168, 38848, 6, 29650, 28508, 16, 1320103},
    {CUZK_CIRCUIT_WINDOW, 8 * MIB, 23, 65088, 64488, 10, 49330, 47148, 16, 2167323},
    {CUZK_CIRCUIT_WINDOW, 16 * MIB, 23, 71388, 70768, 10, 54070, 51848, 17, 2373187},
    {CUZK_CIRCUIT_WINDOW, 512 * MIB, 23, 86568, 85768, 14, 65610, 62708, 17, 2869371},
    {CUZK_CIRCUIT_WINDOW, 1 * GIB, 23, 92868, 92048, 14, 70350, 67408, 17, 3075235},
    {CUZK_CIRCUIT_WINDOW, 32 * GIB, 25840, 126902376, 125727876, 18792, 96179805, 91925766, 27, 3574643},
    {CUZK_CIRCUIT_WINDOW, 64 * GIB, 25301, 131500200, 130327200, 18400, 99624500, 95413200, 27, 3780443},
    {CUZK_CIRCUIT_UPDATE, 2 * KIB, 5, 1703569, 26018, 26213, 1697189, 444403, 21, 12609080},
    {CUZK_CIRCUIT_UPDATE, 4 * KIB, 5, 2163189, 32338, 33303, 2155229, 564063, 22, 13881321},
    {CUZK_CIRCUIT_UPDATE, 16 * KIB, 5, 6293944, 38022, 97755, 6284882, 1613422, 23, 159174166},
    {CUZK_CIRCUIT_UPDATE, 32 * KIB, 5, 6753564, 44342, 104835, 6742922, 1733082, 23, 160446383},
    {CUZK_CIRCUIT_UPDATE, 8 * MIB, 5, 9998039, 70266, 155123, 9981015, 2567921, 24, 170464602},
    {CUZK_CIRCUIT_UPDATE, 16 * MIB, 5, 10457659, 76586, 162213, 10439055, 2687581, 24, 171736819},
    {CUZK_CIRCUIT_UPDATE, 512 * MIB, 5, 57401314, 779342, 884791, 57212317, 14916879, 26, 178220122},
    {CUZK_CIRCUIT_UPDATE, 32 * GIB, 5, 80978488, 965038, 1250213, 80743581, 20983607, 27, 185800152},
    {CUZK_CIRCUIT_UPDATE, 64 * GIB, 5, 84931220, 1019390, 1311187, 84682725, 22012683, 27, 187072697},
};
/* clang-format on */

cuzk_status cuzk_circuit_counts_of(cuzk_circuit_counts *out, const cuzk_circuit_spec *spec,
                                   cuzk_err *err)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const counts_row *r = &table[i];
        if (r->kind == spec->kind && r->sector_bytes == spec->shape->bytes) {
            *out = (cuzk_circuit_counts){
                .n_aux = r->n_aux,
                .n_fulls = r->n_fulls,
                .bit_words = r->bit_words,
                .a_aux_density = r->a,
                .b_aux_density = r->b,
                .n_inputs = r->n_inputs,
                .lg_domain = r->lg_domain,
                .circuit_bytes = r->circuit_bytes,
                /* the recorder's term lists: at most 1.5 times the result, in addition to it */
                .compile_bytes = 2 * r->circuit_bytes + r->circuit_bytes / 2 + 4 * MIB,
            };
            return CUZK_OK;
        }
    }
    return CUZK_FAIL(err, CUZK_E_INVALID, "there is no %s circuit for %s sectors",
                     cuzk_circuit_kind_name(spec->kind), spec->shape->name);
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Points decoded at a time and what their sum takes: groth16/cpu/prove.h bounds it by 320 MiB; small
 * circuits stay far below. */
static uint64_t sum_bytes(const cuzk_circuit_counts *c, unsigned threads)
{
    const uint64_t most = (uint64_t)1 << c->lg_domain;
    const uint64_t msm = 40 * MIB + (uint64_t)threads * 4 * MIB; /* sorted digits, buckets, trees */
    return min_u64(320 * MIB, most * 320) + msm;
}

cuzk_status cuzk_filecoin_needs_of(cuzk_filecoin_needs *out, const cuzk_circuit_spec *spec,
                                   unsigned threads, cuzk_err *err)
{
    cuzk_circuit_counts c;
    CUZK_TRY(cuzk_circuit_counts_of(&c, spec, err));
    const uint64_t m = (uint64_t)1 << c.lg_domain;
    const uint64_t points_g1 =
        c.n_inputs + (m - 1) + c.n_aux + (c.n_inputs + c.a_aux_density) + (1 + c.b_aux_density);
    *out = (cuzk_filecoin_needs){
        .circuit_bytes = c.circuit_bytes,
        .compile_bytes = c.compile_bytes,
        /* docs/params-format.md#params: six points, then six counted sections */
        .params_file_bytes = 864 + 6 * 4 + 96 * points_g1 + 192 * (1 + c.b_aux_density),
        .params_heap_bytes = 64 * KIB + 1024 * (uint64_t)c.n_inputs,
        .witness_bytes = 32 * (c.n_inputs + c.n_fulls) + 8 * c.bit_words + 4 * KIB,
        .prove_bytes = 3 * 32 * m + sum_bytes(&c, threads == 0 ? 1 : threads),
        .verify_bytes = 64 * KIB + 512 * (uint64_t)c.n_inputs,
    };
    return CUZK_OK;
}

uint64_t cuzk_filecoin_input_bytes(cuzk_circuit_kind kind, uint64_t request_bytes)
{
    /* C1 JSON spends 3 to 4 characters on a byte that is kept, and as much again on base64 that is
     * decoded on the way; bincode is kept about as it is, with a head per path level. */
    return kind == CUZK_CIRCUIT_POREP ? 2 * request_bytes + MIB : 3 * request_bytes + MIB;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The same terms as the plan's (groth16/device/device_plan.c), from counts: wires of a section are full as far
 * as there are full ones. */
cuzk_status cuzk_device_needs_of(cuzk_device_needs *out, const cuzk_circuit_spec *spec,
                                 cuzk_err *err)
{
    cuzk_circuit_counts c;
    cuzk_filecoin_needs n;
    CUZK_TRY(cuzk_circuit_counts_of(&c, spec, err));
    CUZK_TRY(cuzk_filecoin_needs_of(&n, spec, 1, err));
    const uint64_t vector = (uint64_t)32 << c.lg_domain;
    const uint64_t witness = n.witness_bytes, scalars = 32 * (c.n_fulls + c.n_inputs);
    const uint64_t section = scalars + 8 * c.bit_words;
    const uint64_t circuit =
        2 * c.circuit_bytes + 16 * MIB; /* rows, and the classes of the wires */
    const uint64_t small = min_u64(vector, 513 * MIB);
    /* Sums of an eighth of section h; of a 2^8th with few digits at a time. */
    const uint64_t sums = min_u64(160 * ((uint64_t)1 << c.lg_domain) / 8 + 2560 * MIB, 24 * vector);
    const uint64_t least_sums = min_u64(768 * MIB, 24 * vector);
    out->resident_bytes = circuit + vector + n.params_file_bytes + witness +
                          max_u64(scalars + 3 * vector, section + sums);
    out->streamed_bytes =
        circuit + small + witness + max_u64(vector + least_sums, section + least_sums);
    out->host_bytes = vector + 128 * MIB;
    return CUZK_OK;
}

cuzk_device_ability cuzk_device_ability_of(const cuzk_device_needs *needs, uint64_t memory_bytes)
{
    return memory_bytes >= needs->resident_bytes   ? CUZK_DEVICE_RESIDENT
           : memory_bytes >= needs->streamed_bytes ? CUZK_DEVICE_STREAMS
                                                   : CUZK_DEVICE_CANNOT;
}

/*
 * A key of the network's sectors takes some 200 MiB, and the smallest proof some 70. 640 MiB hold the keys of 32 and
 * 64 GiB sectors, and the second one is loaded whole, which takes 120 MiB more than the key itself.
 */
uint64_t cuzk_device_kept_bytes(uint64_t memory_bytes)
{
    return memory_bytes >= 12 * GIB ? GIB : memory_bytes >= 6 * GIB ? 640 * MIB : 0;
}

uint64_t cuzk_device_bytes_for(cuzk_circuit_kind kind, uint64_t memory_bytes)
{
    return memory_bytes - (kind == CUZK_CIRCUIT_WINNING ? 0 : cuzk_device_kept_bytes(memory_bytes));
}

uint64_t cuzk_device_host_vector(const cuzk_circuit_spec *spec, uint64_t memory_bytes)
{
    cuzk_circuit_counts c;
    cuzk_device_needs needs;
    cuzk_err none;
    if (cuzk_circuit_counts_of(&c, spec, &none) != CUZK_OK ||
        cuzk_device_needs_of(&needs, spec, &none) != CUZK_OK) {
        return 0;
    }
    const uint64_t vector = (uint64_t)32 << c.lg_domain;
    const bool has_room =
        memory_bytes >= min_u64(needs.resident_bytes, needs.streamed_bytes + vector);
    return has_room ? 0 : vector;
}

const char *cuzk_device_ability_name(cuzk_device_ability a)
{
    return a == CUZK_DEVICE_RESIDENT  ? "resident"
           : a == CUZK_DEVICE_STREAMS ? "streamed"
                                      : "not possible";
}
