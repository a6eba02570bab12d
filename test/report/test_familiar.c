/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <math.h>

#include "report/familiar.h"

#include "test.h"

static void rows_of_the_cpu(void)
{
    static const struct {
        const char *path;
        cuzk_familiar want;
    } t[] = {{"parse", CUZK_FAMILIAR_SYNTHESIS},
             {"check", CUZK_FAMILIAR_SYNTHESIS},
             {"proof/partition/witness", CUZK_FAMILIAR_SYNTHESIS},
             {"partition/prove/eval", CUZK_FAMILIAR_SYNTHESIS},
             {"partition/prove/check_rows", CUZK_FAMILIAR_SYNTHESIS},
             {"partition/prove/ntt", CUZK_FAMILIAR_NTT_MSM_H},
             {"partition/prove/msm_h/sum_full", CUZK_FAMILIAR_NTT_MSM_H},
             {"partition/prove/msm_h/decode_points", CUZK_FAMILIAR_PREP_MSM},
             {"partition/prove/msm_l/select_wires", CUZK_FAMILIAR_PREP_MSM},
             {"partition/prove/msm_l/sum_bits", CUZK_FAMILIAR_BATCH_ADD},
             {"partition/prove/msm_a/sum_full", CUZK_FAMILIAR_TAIL_MSM},
             {"partition/prove/msm_b_g2/sum_bits", CUZK_FAMILIAR_B_G2_MSM},
             {"partition/prove/assemble", CUZK_FAMILIAR_GAP},
             {"partition/prove/msm_a/unaccounted", CUZK_FAMILIAR_GAP},
             {"partition/prove/unaccounted", CUZK_FAMILIAR_GAP},
             {"partition/verify", CUZK_FAMILIAR_AROUND},
             {"load_params", CUZK_FAMILIAR_AROUND},
             {"unaccounted", CUZK_FAMILIAR_AROUND},
             {"proved/x", CUZK_FAMILIAR_AROUND}};
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        CHECK_MSG(cuzk_familiar_of(t[i].path) == t[i].want, "%s: %s", t[i].path,
                  cuzk_familiar_name(cuzk_familiar_of(t[i].path)));
    }
}

static void rows_of_a_device(void)
{
    CHECK(cuzk_familiar_of("prove/gpu_total/eval/eval_a") == CUZK_FAMILIAR_EVAL);
    CHECK(cuzk_familiar_of("prove/gpu_total/ntt_msm_h/msm_h") == CUZK_FAMILIAR_NTT_MSM_H);
    CHECK(cuzk_familiar_of("prove/gpu_total/b_g2_msm/unaccounted") == CUZK_FAMILIAR_B_G2_MSM);
    CHECK(cuzk_familiar_of("prove/gpu_total/unaccounted") == CUZK_FAMILIAR_GAP);
    CHECK(cuzk_familiar_of("prove/unaccounted") == CUZK_FAMILIAR_GAP);
    CHECK(cuzk_familiar_of("stage_witness") == CUZK_FAMILIAR_GAP);
    CHECK(cuzk_familiar_of("assemble") == CUZK_FAMILIAR_GAP);
    CHECK(cuzk_familiar_of("release") == CUZK_FAMILIAR_GAP);
    /* of a daemon */
    CHECK(cuzk_familiar_of("device/prove/gpu_total/tail_msm/msm_l") == CUZK_FAMILIAR_TAIL_MSM);
    CHECK(cuzk_familiar_of("device/release") == CUZK_FAMILIAR_GAP);
    CHECK(cuzk_familiar_of("device/unaccounted") == CUZK_FAMILIAR_GAP);
    CHECK(cuzk_familiar_of("witness/witness_memory") == CUZK_FAMILIAR_SYNTHESIS);
}

/* Whatever the layers are called, every one is in exactly one row. */
static void rows_add_up(void)
{
    static cuzk_result r; /* too large for the stack */
    static const char *const names[] = {"parse", "prove/ntt", "prove/gpu_total/tail_msm/msm_a",
                                        "x",     "prove/odd", "verify"};
    cuzk_familiar_sums s;
    double want = 0;
    cuzk_result_init(&r, "prove", "x");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        cuzk_result_add(&r, cuzk_result_metric(&r, names[i], "s", CUZK_ROLE_LAYER),
                        (double)(i + 1));
        want += (double)(i + 1);
    }
    cuzk_result_add(&r, cuzk_result_metric(&r, "total", "s", CUZK_ROLE_TOTAL), 99);
    cuzk_familiar_sum(&s, &r);
    CHECK(fabs(s.sum - want) < 1e-12);
    CHECK(s.row[CUZK_FAMILIAR_SYNTHESIS] == 1 && s.gpu_total == 2 + 3 && s.wrapper == 2 + 3 + 5);
    CHECK(s.row[CUZK_FAMILIAR_AROUND] == 4 + 6);
    cuzk_result_free(&r);
}

static const cuzk_case cases[] = {CASE(rows_of_the_cpu), CASE(rows_of_a_device), CASE(rows_add_up)};
TEST_MAIN("report/familiar", cases)
