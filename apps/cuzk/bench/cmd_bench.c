/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk bench: one line per sub-command; each is a file bench_<name>.c. */
#include <stddef.h>

#include "apps/cuzk/commands.h"

static const command commands[] = {
#ifdef CUZK_DAEMON
    {"daemon", "a daemon, by gRPC: single, batch, stress, ...", cmd_bench_daemon},
    {"sweep", "the engine by jobs at once, batch and lanes: one table", cmd_bench_sweep},
#endif
#ifdef CUZK_BENCH
    {"micro", "single operations: fields, curve, NTT, MSM, hashes", cmd_bench_micro},
#endif
    {"synth", "recording a circuit, witness, evaluation", cmd_bench_synth},
    {"prove", "whole proofs, layer by layer; streams of them", cmd_bench_prove},
    {"aggregate", "aggregation: SRS, aggregate, verification", cmd_bench_aggregate},
    {"pair", "two programs in turns, and the comparison", cmd_bench_pair},
    {"tune", "how each GPU adds up points faster", cmd_bench_tune},
    {"compare", "two results: what got better, what got worse", cmd_bench_compare},
    {"moved", "baselines that differ between results of one commit", cmd_bench_moved},
    {"show", "a result as tables or as a page", cmd_bench_show},
    {NULL, NULL, NULL}};

int cmd_bench(int argc, char **argv)
{
    return dispatch(argc, argv, argv[0], "Measure, and compare what was measured.", commands);
}
