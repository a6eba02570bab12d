/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_R1CS_BUILD_BUILDER_INTERNAL_H
#define CUZK_R1CS_BUILD_BUILDER_INTERNAL_H

#include "r1cs/build/builder.h"
#include "r1cs/build/recorder_internal.h"
#include "r1cs/coef_table_internal.h"

/* Sort key of variables in a row: the cuzk_var itself for slots and inputs, else this | aux index. */
#define CUZK_ORDER_AUX 0x80000000u

typedef struct cuzk_stage_term {
    uint32_t order;
    cuzk_var var;
    cuzk_coef coef;
} cuzk_stage_term;

/** One side of the row under construction. */
typedef struct cuzk_stage {
    cuzk_stage_term *terms; /* [cap] in the order of the calls */
    size_t n, cap;
    bool is_sorted; /* strictly ascending */
} cuzk_stage;

typedef enum cuzk_builder_phase {
    CUZK_BUILDER_PREAMBLE = 0,
    CUZK_BUILDER_BLOCK = 1,
    CUZK_BUILDER_AGAIN = 2,
    CUZK_BUILDER_FINISHED = 3
} cuzk_builder_phase;

struct cuzk_builder {
    cuzk_status status; /* first failure */
    cuzk_err err;
    cuzk_builder_phase phase;
    cuzk_recorder *cur; /* &rec[phase] */
    cuzk_recorder rec[3];
    cuzk_stage stage[3];
    cuzk_stage_term *sort_space; /* [sort_cap] */
    uint32_t *sort_runs;         /* [sort_cap + 1] */
    size_t sort_cap;
    cuzk_coef_table coefs;
    uint64_t n_blocks;
    uint32_t n_slots;
    const char *block_name;
    cuzk_wire *bindings; /* [n_blocks * n_slots] */
    uint64_t *bound;     /* bitmap [n_blocks]: bind was called */
};

/** True after an error or the end, which is an error now. */
bool cuzk_builder_is_dead(cuzk_builder *b);
/** Sorts s by order, adds up equal variables, drops zeros. False after an error (then in b). */
bool cuzk_builder_tidy(cuzk_builder *b, cuzk_stage *s);
/** x + y. CUZK_COEF_NONE after an error (then in b). */
cuzk_coef cuzk_builder_coef_add(cuzk_builder *b, cuzk_coef x, cuzk_coef y);
/** The circuit out of complete parts. Consumes what was recorded in any case. */
CUZK_NODISCARD cuzk_status cuzk_builder_assemble(cuzk_builder *b, cuzk_circuit **out,
                                                 cuzk_err *err);
/** Frees what was recorded; b keeps its status. */
void cuzk_builder_clear(cuzk_builder *b);

#endif /* CUZK_R1CS_BUILD_BUILDER_INTERNAL_H */
