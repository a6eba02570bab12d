/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk_params_make of <cuzk/params.h>. */
#include <cuzk/params.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "groth16/setup/setup.h"
#include "lib/lib_internal.h"
#include "lib/lib_watch.h"
#include "prover/keys/params_dir.h"

static cuzk_status compile(cuzk_circuit **out, const cuzk_circuit_spec *spec,
                           cuzk_params_made *made, cuzk_err *err)
{
    const uint64_t t0 = cuzk_clock_ns();
    CUZK_TRY(cuzk_filecoin_circuit_build(spec->kind, spec->shape->bytes, out, err));
    if (made != NULL) {
        const cuzk_params_made mine = {.struct_size = made->struct_size,
                                       .lg_domain = cuzk_circuit_lg_domain(*out),
                                       .constraints = (*out)->n_rows,
                                       .public_inputs = (*out)->n_inputs - 1,
                                       .aux_wires = (*out)->n_aux,
                                       .compile_ns = cuzk_clock_ns() - t0};
        cuzk_ignore(lib_give(made, &mine, sizeof(mine))); /* struct_size was checked */
    }
    return CUZK_OK;
}

static cuzk_status write_files(const cuzk_params_dir *dir, const cuzk_circuit_spec *spec,
                               const cuzk_params_make_options *o, lib_watch *w, cuzk_err *err)
{
    char params[CUZK_PATH_BYTES], vk[CUZK_PATH_BYTES];
    cuzk_circuit *circuit = NULL;
    cuzk_toxic toxic;
    const cuzk_setup_opts opts = {.replace = (o->flags & CUZK_MAKE_REPLACE) != 0,
                                  .progress = lib_watch_step,
                                  .progress_arg = w};
    CUZK_TRY(cuzk_params_path(params, dir, spec, CUZK_PARAM_FILE_PARAMS, err));
    CUZK_TRY(cuzk_params_path(vk, dir, spec, CUZK_PARAM_FILE_VK, err));
    CUZK_TRY(compile(&circuit, spec, o->made, err));
    lib_watch_step(w, "compiled", 0, 0);
    cuzk_status st = CUZK_OK;
    if ((o->flags & CUZK_MAKE_INSECURE_SEED) != 0) {
        cuzk_toxic_from_seed(&toxic, o->seed);
    } else {
        st = cuzk_toxic_random(&toxic, err);
    }
    if (st == CUZK_OK) {
        st = cuzk_setup_write(circuit, &toxic, params, vk, &opts, w->pool, &w->cancel, err);
    }
    cuzk_wipe(&toxic, sizeof(toxic));
    cuzk_circuit_destroy(circuit);
    return st;
}

cuzk_status cuzk_params_make(const char *folder, int32_t kind, uint64_t sector_bytes,
                             const cuzk_params_make_options *options, cuzk_error *error)
{
    const cuzk_params_make_options none = {.struct_size = sizeof(none)};
    cuzk_params_make_options o;
    cuzk_circuit_kind k;
    cuzk_circuit_spec spec;
    cuzk_params_dir dir;
    cuzk_err err = {.msg = ""};
    lib_watch w;
    CUZK_TRY(lib_take(&o, sizeof(o), options != NULL ? options : &none, "cuzk_params_make_options",
                      error));
    CUZK_TRY(lib_kind(&k, kind, error));
    if ((o.flags & ~(uint32_t)(CUZK_MAKE_INSECURE_SEED | CUZK_MAKE_REPLACE)) != 0) {
        return lib_fail(error, CUZK_E_INVALID, "flags: unknown bits");
    }
    if (o.made != NULL && o.made->struct_size < 2 * sizeof(uint32_t)) {
        return lib_fail(error, CUZK_E_INVALID, "made: struct_size is %u", o.made->struct_size);
    }
    CUZK_TRY(lib_error(error, cuzk_circuit_spec_of(&spec, k, sector_bytes, &err), &err));
    CUZK_TRY(lib_error(error, cuzk_params_dir_choose(&dir, folder, &err), &err));
    CUZK_TRY(
        lib_error(error, lib_watch_begin(&w, o.progress, o.progress_arg, o.threads, &err), &err));
    const cuzk_status st = write_files(&dir, &spec, &o, &w, &err);
    lib_watch_end(&w);
    return lib_error(error, st, &err);
}
