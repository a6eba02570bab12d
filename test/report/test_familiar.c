/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/familiar.h"
#include "report/text.h"

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

static void add_run(cuzk_result *r, double ntt, double verify)
{
    cuzk_result_add(r, cuzk_result_metric(r, "prove/ntt", "s", CUZK_ROLE_LAYER), ntt);
    cuzk_result_add(r, cuzk_result_metric(r, "verify", "s", CUZK_ROLE_LAYER), verify);
    cuzk_result_add(r, cuzk_result_metric(r, "total", "s", CUZK_ROLE_TOTAL), ntt + verify);
}

/* A comparison on a terminal has the table with the change of each row. */
static void a_comparison_shows_the_table(void)
{
    static cuzk_result r, s; /* too large for the stack */
    cuzk_comparison c;
    cuzk_err err;
    char *text = NULL;
    size_t n = 0;
    cuzk_result_init(&r, "prove", "x");
    cuzk_result_init(&s, "prove", "x");
    for (int i = 0; i < 3; i++) {
        add_run(&r, 2, 1);
        add_run(&s, 3, 1);
    }
    CHECK_OK(cuzk_compare(&c, &r, &s, NULL, &err), &err);
    FILE *f = open_memstream(&text, &n);
    CHECK(f != NULL);
    cuzk_text_comparison(f, &c, &r, &s);
    CHECK(fclose(f) == 0);
    const char *table = strstr(text, "the familiar table");
    CHECK(table != NULL);
    CHECK(strstr(table, "GPU                2.00 s     3.00 s     +1.00 s   +50.0 %") != NULL);
    CHECK(strstr(table, "around             1.00 s     1.00 s    +0.00 ns    +0.0 %") != NULL);
    CHECK(strstr(table, "ntt_msm_h          2.00 s     3.00 s     +1.00 s   +50.0 %") != NULL);
    free(text);
    cuzk_comparison_free(&c);
    cuzk_result_free(&r);
    cuzk_result_free(&s);
}

/* Of a layer below CUZK_SMALL_LAYER of the total only the change itself is shown. */
static void a_small_layer_has_no_percentage(void)
{
    static cuzk_result r, s; /* too large for the stack */
    cuzk_comparison c;
    cuzk_err err;
    char *text = NULL;
    size_t n = 0;
    cuzk_result_init(&r, "prove", "x");
    cuzk_result_init(&s, "prove", "x");
    for (int i = 0; i < 3; i++) {
        add_run(&r, 2, 2e-4);
        add_run(&s, 2, 6e-4);
    }
    CHECK_OK(cuzk_compare(&c, &r, &s, NULL, &err), &err);
    CHECK(c.n_judged == 3);
    CHECK(!cuzk_compared_is_small(&c, &c.rows[0]) && cuzk_compared_is_small(&c, &c.rows[1]) &&
          !cuzk_compared_is_small(&c, &c.rows[2]));
    FILE *f = open_memstream(&text, &n);
    CHECK(f != NULL);
    cuzk_text_comparison(f, &c, &r, &s);
    CHECK(fclose(f) == 0);
    CHECK_MSG(strstr(text, "200.0 %") == NULL, "%s", text);
    CHECK_MSG(strstr(text, "+400 us") != NULL, "%s", text);
    CHECK_MSG(strstr(text, "+0.0 %") != NULL, "%s", text); /* of the layer that is not small */
    free(text);
    cuzk_comparison_free(&c);
    cuzk_result_free(&r);
    cuzk_result_free(&s);
}

static const cuzk_case cases[] = {CASE(rows_of_the_cpu), CASE(rows_of_a_device), CASE(rows_add_up),
                                  CASE(a_comparison_shows_the_table),
                                  CASE(a_small_layer_has_no_percentage)};
TEST_MAIN("report/familiar", cases)
