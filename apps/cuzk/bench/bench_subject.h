/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_BENCH_SUBJECT_H
#define CUZK_APPS_BENCH_SUBJECT_H

/*
 * The subject that `bench prove` and `bench synth` measure: a Filecoin proof from the bytes of its request, or a
 * proof of a made-up circuit. Inputs are generated, and parameters made, when none are given.
 */
#include "apps/cuzk/app.h"
#include "apps/cuzk/device/devices.h"
#include "apps/cuzk/filecoin/statement_opts.h"
#include "apps/cuzk/filecoin/vanilla_files.h"
#include "prover/prove/filecoin_prover.h"

#include "bench_rows.h"

#define BENCH_MAX_BLOBS STATEMENT_MAX_FILES

typedef struct bench_subject {
    /* The options. */
    const char *kind;  /* porep, winning, window, update, rows */
    statement_opts in; /* sector_size NULL: 2KiB */
    const char *params;
    uint64_t seed, sectors;
    bench_rows rows;
    devices dev; /* --device, --vram */
    /* What is made from the options. */
    app *a;
    char dir[64]; /* of generated files; "": none */
    bool is_rows;
    cuzk_filecoin_request request;
    cuzk_filecoin_blob *blobs; /* [n_blobs], a block of base/alloc.h */
    size_t n_blobs;
    cuzk_content maps[BENCH_MAX_BLOBS]; /* a C1, or what was generated */
    uint32_t n_maps;
    vanilla_files vanilla; /* of --vanilla */
    cuzk_node nodes[4];
    cuzk_circuit_spec spec;
    cuzk_params_dir params_dir;
    cuzk_hashes *hashes;
    cuzk_filecoin_prover *prover;
    cuzk_filecoin_circuit *circuit; /* without parameters only */
    cuzk_filecoin_input *parsed;    /* without parameters only: for bench_subject_witness */
    cuzk_circuit *rows_circuit;
    cuzk_srs *rows_srs;
    cuzk_vk *rows_vk;
    char name[128];
    uint64_t setup_ns; /* parameters made here; 0: none */
} bench_subject;

/** kind and the other options set, the rest zero. */
CUZK_NODISCARD cuzk_status bench_subject_open(bench_subject *s, app *a, bool need_params);
/** Also removes generated files. */
void bench_subject_close(bench_subject *s);
const cuzk_circuit *bench_subject_circuit(const bench_subject *s);

/** Drops circuit and parameters, and the parameter file from the page cache: the next proof is cold. */
void bench_subject_unload(bench_subject *s);
/** Loads what is not loaded, in a span "load_params". */
CUZK_NODISCARD cuzk_status bench_subject_load(bench_subject *s, cuzk_trace_ctx trace,
                                              cuzk_err *err);
/** One proof of all partitions, verified. @thread several at once. */
CUZK_NODISCARD cuzk_status bench_subject_prove(const bench_subject *s, cuzk_trace_ctx trace,
                                               cuzk_err *err);
/** The witness of the partition that the options name, for a subject opened without parameters. */
CUZK_NODISCARD cuzk_status bench_subject_witness(const bench_subject *s, cuzk_witness **w,
                                                 cuzk_err *err);
/** Records and compiles the circuit anew. */
CUZK_NODISCARD cuzk_status bench_subject_record(const bench_subject *s, cuzk_circuit **c,
                                                cuzk_err *err);

#endif /* CUZK_APPS_BENCH_SUBJECT_H */
