/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk params setup KIND SIZE, and cuzk circuit info KIND SIZE. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cuzk/params.h>

#include "apps/cuzk/app.h"
#include "apps/cuzk/commands.h"
#include "apps/cuzk/device/devices.h"
#include "apps/cuzk/ticker.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "circuit/filecoin.h"
#include "groth16/device/device_key.h"
#include "prover/keys/circuit_id.h"
#include "prover/keys/params_dir.h"
#include "sys/file.h"

typedef struct circuit_args {
    app a;
    const char *kind, *size, *dir;
    uint64_t seed;
    bool has_seed, no_transcript;
    cuzk_circuit_spec spec;
    devices dev;
} circuit_args;

enum { OPT_SEED = 0x380, OPT_NO_TRANSCRIPT };

static const struct argp_option setup_options[] = {
    {"insecure-seed", OPT_SEED, "N", 0,
     "Derive the toxic waste from N: the same files each time, and anybody can forge proofs", 0},
    {"output", 'o', "DIR", 0, "Folder for the files (default: where provers look)", 0},
    DEVICES_OPTION_DEVICE,
    DEVICES_OPTION_VRAM,
    {0}};

static const struct argp_option info_options[] = {
    {"no-transcript", OPT_NO_TRANSCRIPT, NULL, 0,
     "Leave out the transcript hash (minutes for 32 GiB)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    circuit_args *c = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &c->a; return 0;
    case OPT_SEED:
        if (!app_parse_u64(&c->seed, arg, UINT64_MAX)) {
            argp_error(state, "--insecure-seed wants a number, not '%s'", arg);
        }
        c->has_seed = true;
        return 0;
    case OPT_NO_TRANSCRIPT: c->no_transcript = true; return 0;
    case OPT_DEVICE: c->dev.spec = arg; return 0;
    case OPT_VRAM: c->dev.vram = arg; return 0;
    case 'o': c->dir = arg; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1) {
            argp_error(state, "too many arguments");
        }
        *(state->arg_num == 0 ? &c->kind : &c->size) = arg;
        return 0;
    case ARGP_KEY_END:
        if (c->size == NULL) {
            argp_error(state,
                       "needs KIND (porep, winning, window, update) and SIZE (2KiB to 64GiB)");
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static cuzk_status find_spec(circuit_args *c)
{
    uint64_t bytes = 0;
    cuzk_circuit_kind kind;
    if (!cuzk_circuit_kind_parse(&kind, c->kind)) {
        return CUZK_FAIL(&c->a.err, CUZK_E_INVALID, "no kind '%s': porep, winning, window, update",
                         c->kind);
    }
    if (!cuzk_sector_size_parse(&bytes, c->size)) {
        return CUZK_FAIL(&c->a.err, CUZK_E_INVALID, "no sector size '%s'", c->size);
    }
    return cuzk_circuit_spec_of(&c->spec, kind, bytes, &c->a.err);
}

static void report_circuit(app *a, const cuzk_params_made *made)
{
    app_u64(a, "constraints", made->constraints);
    app_u64(a, "public_inputs", made->public_inputs);
    app_u64(a, "aux_wires", made->aux_wires);
    app_u64(a, "lg_domain", made->lg_domain);
    app_seconds(a, "compile", made->compile_ns);
}

static cuzk_status build(circuit_args *c, cuzk_circuit **out)
{
    const uint64_t t0 = cuzk_clock_ns();
    CUZK_TRY(cuzk_filecoin_circuit_build(c->spec.kind, c->spec.shape->bytes, out, &c->a.err));
    const cuzk_params_made made = {.constraints = (*out)->n_rows,
                                   .public_inputs = (*out)->n_inputs - 1,
                                   .aux_wires = (*out)->n_aux,
                                   .lg_domain = cuzk_circuit_lg_domain(*out),
                                   .compile_ns = cuzk_clock_ns() - t0};
    report_circuit(&c->a, &made);
    return CUZK_OK;
}

static cuzk_status work_info(circuit_args *c)
{
    app *a = &c->a;
    cuzk_circuit *circuit = NULL;
    uint8_t transcript[32];
    char name[CUZK_PARAM_NAME_BYTES], id[CUZK_PARAM_ID_BYTES];
    CUZK_TRY(find_spec(c));
    CUZK_TRY(build(c, &circuit));
    app_u64(a, "bit_wires", circuit->n_bits);
    app_u64(a, "full_wires", circuit->n_fulls);
    app_u64(a, "nnz_a", circuit->nnz[0]);
    app_u64(a, "nnz_b", circuit->nnz[1]);
    app_u64(a, "nnz_c", circuit->nnz[2]);
    app_u64(a, "density_a_aux", circuit->a_aux_density);
    app_u64(a, "density_b_input", circuit->b_input_density);
    app_u64(a, "density_b_aux", circuit->b_aux_density);
    app_u64(a, "blocks", circuit->n_blocks);
    app_u64(a, "rows_per_block", circuit->block.n_rows);
    app_u64(a, "memory_bytes", cuzk_circuit_bytes(circuit));
    app_hex(a, "identity", circuit->identity, sizeof(circuit->identity));
    app_text(a, "parameter_id", cuzk_param_identifier(id, &c->spec));
    app_text(a, "params_file", cuzk_param_file_name(name, &c->spec, CUZK_PARAM_FILE_PARAMS));
    app_bool(a, "published", c->spec.shape->is_published);
    cuzk_status st = CUZK_OK;
    if (!c->no_transcript) {
        const uint64_t t0 = cuzk_clock_ns();
        ticker tick;
        ticker_begin_steps(&tick, a, "hashing the constraints");
        st = cuzk_circuit_transcript(circuit, transcript, 0, NULL, &a->err);
        ticker_end(&tick);
        if (st == CUZK_OK) {
            app_hex(a, "transcript", transcript, sizeof(transcript));
            app_seconds(a, "hash", cuzk_clock_ns() - t0);
        }
    }
    app_seconds(a, "total", cuzk_clock_ns() - a->started_ns);
    cuzk_circuit_destroy(circuit);
    return st;
}

/* The three paths of a circuit's files, and their folder. */
typedef struct param_paths {
    cuzk_params_dir dir;
    char params[CUZK_PATH_BYTES], vk[CUZK_PATH_BYTES], meta[CUZK_PATH_BYTES];
} param_paths;

/* The folder is made if it is missing; the folder that holds it must be there. */
static cuzk_status find_paths(circuit_args *c, param_paths *out)
{
    cuzk_params_dir *dir = &out->dir;
    cuzk_err *err = &c->a.err;
    CUZK_TRY(cuzk_params_dir_choose(dir, c->dir, err));
    if (mkdir(dir->path, 0755) != 0 && errno != EEXIST) {
        const int os = errno;
        return CUZK_FAIL_OS(err, cuzk_path_status(os), os, "%s (%s): the folder cannot be made",
                            dir->path, dir->origin);
    }
    CUZK_TRY(cuzk_params_path(out->params, dir, &c->spec, CUZK_PARAM_FILE_PARAMS, err));
    CUZK_TRY(cuzk_params_path(out->vk, dir, &c->spec, CUZK_PARAM_FILE_VK, err));
    CUZK_TRY(cuzk_params_path(out->meta, dir, &c->spec, CUZK_PARAM_FILE_META, err));
    CUZK_TRY(app_check_output(&c->a, out->params));
    CUZK_TRY(app_check_output(&c->a, out->vk));
    return app_check_output(&c->a, out->meta);
}

/* The .meta file that the network's tools expect next to the other two. */
static cuzk_status write_meta(circuit_args *c, const char *path)
{
    char text[64];
    const int n = snprintf(text, sizeof(text), "{\"sector_size\":%llu}",
                           (unsigned long long)c->spec.shape->bytes);
    return cuzk_file_write_all(path, text, (size_t)n, c->a.force, &c->a.err);
}

static void note_trust(circuit_args *c)
{
    if (c->has_seed) {
        app_note(&c->a,
                 "insecure: anybody who knows the seed can forge proofs under these parameters");
    } else {
        app_note(
            &c->a,
            "these parameters are not the network's: proofs under them are valid nowhere else");
    }
}

/* What the progress function of cuzk_params_make needs. */
typedef struct making {
    circuit_args *c;
    cuzk_params_made made;
} making;

static int32_t on_progress(void *arg, const char *step, uint64_t done, uint64_t total)
{
    making *m = arg;
    if (strcmp(step, "compiled") == 0) {
        report_circuit(&m->c->a, &m->made);
        note_trust(m->c);
        return app_stop(&m->c->a, step, done, total);
    }
    return app_progress_or_stop(&m->c->a, step, done, total);
}

/* On the CPU, by <cuzk/params.h>. */
static cuzk_status make_on_cpu(circuit_args *c, const param_paths *paths)
{
    making m = {.c = c, .made = {.struct_size = sizeof(m.made)}};
    cuzk_error error = {.text = ""};
    const cuzk_params_make_options options = {.struct_size = sizeof(options),
                                              .flags =
                                                  (c->has_seed ? CUZK_MAKE_INSECURE_SEED : 0) |
                                                  (c->a.force ? (uint32_t)CUZK_MAKE_REPLACE : 0),
                                              .seed = c->seed,
                                              .threads = c->a.threads,
                                              .progress = on_progress,
                                              .progress_arg = &m,
                                              .made = &m.made};
    const cuzk_status st = cuzk_params_make(paths->dir.path, (int32_t)c->spec.kind,
                                            c->spec.shape->bytes, &options, &error);
    return app_public_error(&c->a.err, st, &error);
}

static cuzk_status make_on_device(circuit_args *c, const param_paths *paths)
{
    app *a = &c->a;
    cuzk_circuit *circuit = NULL;
    cuzk_toxic toxic;
    const cuzk_setup_opts opts = {.replace = a->force, .progress = app_progress, .progress_arg = a};
    CUZK_TRY(build(c, &circuit));
    cuzk_status st = CUZK_OK;
    note_trust(c);
    if (c->has_seed) {
        cuzk_toxic_from_seed(&toxic, c->seed);
    } else {
        st = cuzk_toxic_random(&toxic, &a->err);
    }
    if (st == CUZK_OK) {
        st = cuzk_device_setup_write(c->dev.list[0], circuit, &toxic, paths->params, paths->vk,
                                     &opts, a->pool, a->cancel, &a->err);
    }
    cuzk_wipe(&toxic, sizeof(toxic));
    cuzk_circuit_destroy(circuit);
    return st;
}

static cuzk_status work_setup(circuit_args *c)
{
    app *a = &c->a;
    static param_paths paths; /* too large for the stack */
    CUZK_TRY(find_spec(c));
    CUZK_TRY(find_paths(c, &paths));
    CUZK_TRY(devices_open(a, &c->dev));
    CUZK_TRY(c->dev.n > 0 ? make_on_device(c, &paths) : make_on_cpu(c, &paths));
    CUZK_TRY(write_meta(c, paths.meta));
    app_text(a, "params", paths.params);
    app_text(a, "vk", paths.vk);
    app_bool(a, "insecure", c->has_seed);
    devices_report(a, &c->dev);
    app_seconds(a, "total", cuzk_clock_ns() - a->started_ns);
    app_u64(a, "peak_rss_bytes", cuzk_clock_peak_rss());
    return CUZK_OK;
}

static int run(int argc, char **argv, const struct argp_option *options, const char *doc,
               cuzk_status (*work)(circuit_args *))
{
    const struct argp_child children[] = {APP_CHILD, {0}};
    const struct argp argp = {options, parse, "KIND SIZE", doc, children, NULL, NULL};
    circuit_args c;
    memset(&c, 0, sizeof(c));
    app_init(&c.a, argv[0]);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &c);
    cuzk_status st = app_begin(&c.a);
    if (st == CUZK_OK) {
        st = work(&c);
    }
    devices_close(&c.dev);
    return app_finish(&c.a, st);
}

int cmd_params_setup(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "aggregate") == 0) {
        return cmd_params_setup_aggregate(argc, argv);
    }
    return run(
        argc, argv, setup_options,
        "Make parameters for a Filecoin circuit, under the network's file names. For tests and private networks; "
        "the network's own parameters come from its trusted setup.",
        work_setup);
}

static int cmd_circuit_info(int argc, char **argv)
{
    return run(argc, argv, info_options,
               "Counts, densities, size and transcript hash of a Filecoin circuit.", work_info);
}

int cmd_circuit(int argc, char **argv)
{
    static const command commands[] = {
        {"info", "counts, densities, hashes, sizes", cmd_circuit_info}, {NULL, NULL, NULL}};
    return dispatch(argc, argv, "cuzk circuit", "The circuits of Filecoin's proofs, compiled.",
                    commands);
}
