/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * winning FOLDER N THREADS VANILLA: N times the WinningPoSt of test/vectors/filecoin by <cuzk/prove.h>, with one prover.
 * The counterpart of `cuzk prove winning --repeat N`, for run.py. Prints for each proof the nanoseconds from the call to
 * its return, and those of the proof's steps in it (parse, check, witness, prove, verify), which the program has, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cuzk/prove.h>

static uint64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Time of the steps below the first span, "job". */
static uint64_t steps_ns(cuzk_task *t)
{
    static cuzk_task_span spans[8192];
    const size_t n = cuzk_task_spans(t, spans, 8192);
    uint64_t sum = 0;
    for (size_t i = 0; i < n && i < 8192; i++) {
        sum += spans[i].parent == 0 ? spans[i].end_ns - spans[i].begin_ns : 0;
    }
    return sum;
}

static cuzk_status prove(cuzk_prover *prover, const cuzk_prove_request *request, cuzk_error *error)
{
    uint8_t proof[192];
    size_t n = 0;
    cuzk_task *t = NULL;
    const uint64_t begin = now_ns();
    cuzk_status st = cuzk_prover_submit(&t, prover, request, error);
    if (st != CUZK_OK) {
        return st;
    }
    (void)cuzk_task_wait(t, -1);
    st = cuzk_task_result(t, proof, sizeof(proof), &n, error);
    const uint64_t end = now_ns();
    (void)printf("%llu %llu\n", (unsigned long long)(end - begin), (unsigned long long)steps_ns(t));
    cuzk_task_destroy(t);
    return st;
}

int main(int argc, char **argv)
{
    static uint8_t vanilla[1 << 20];
    cuzk_error error;
    cuzk_prover *prover = NULL;
    if (argc != 5) {
        return 2;
    }
    FILE *f = fopen(argv[4], "rb");
    if (f == NULL) {
        return 2;
    }
    const cuzk_input input = {vanilla, fread(vanilla, 1, sizeof(vanilla), f)};
    (void)fclose(f);
    const cuzk_prover_options options = {.struct_size = sizeof(options),
                                         .threads = (uint32_t)atoi(argv[3]),
                                         .devices = "cpu",
                                         .params_folder = argv[1]};
    cuzk_prove_request request = {.struct_size = sizeof(request),
                                  .kind = CUZK_KIND_WINNING,
                                  .flags = CUZK_PROVE_SPANS,
                                  .registered_proof = 0,
                                  .sector_bytes = 2048,
                                  .inputs = &input,
                                  .n_inputs = 1};
    for (uint8_t i = 0; i < 31; i++) {
        request.randomness[i] = (uint8_t)(64 + i);
    }
    if (cuzk_prover_create(&prover, &options, &error) != CUZK_OK) {
        return puts(error.text), 1;
    }
    for (int i = 0; i < atoi(argv[2]); i++) {
        if (prove(prover, &request, &error) != CUZK_OK) {
            return puts(error.text), 1;
        }
    }
    cuzk_prover_destroy(prover);
    return 0;
}
