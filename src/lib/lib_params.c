/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* <cuzk/params.h> */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuzk/params.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "groth16/setup/setup.h"
#include "prover/keys/network_files.h"
#include "prover/keys/params_dir.h"
#include "sys/file.h"

#include "lib_internal.h"

struct cuzk_params {
    cuzk_srs *srs;
};

CUZK_STATIC_ASSERT((int)CUZK_PARAMS_WRONG_SIZE == (int)CUZK_FILE_WRONG_SIZE, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_PARAMS_PRESENT == (int)CUZK_FILE_PRESENT, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_PARAMS_CHECKED == (int)CUZK_FILE_CHECKED, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_PARAMS_UNREADABLE == (int)CUZK_FILE_UNREADABLE, "shared value");

size_t cuzk_params_count(void)
{
    size_t n = 0;
    (void)cuzk_network_files(&n);
    return n;
}

static int32_t kind_named(const char *name)
{
    for (int32_t k = 0; k < CUZK_CIRCUIT_N_KINDS; k++) {
        if (strcmp(name, cuzk_circuit_kind_name((cuzk_circuit_kind)k)) == 0) {
            return k;
        }
    }
    return -1;
}

cuzk_status cuzk_params_get(cuzk_params_file *out, size_t index)
{
    size_t n = 0;
    const cuzk_network_file *f = cuzk_network_files(&n);
    if (index >= n) {
        return CUZK_E_NOT_FOUND;
    }
    const cuzk_params_file file = {.struct_size = out->struct_size,
                                   .kind = kind_named(f[index].kind),
                                   .name = f[index].name,
                                   .cid = f[index].cid,
                                   .digest = f[index].digest,
                                   .sector_bytes = f[index].sector_bytes,
                                   .bytes = f[index].bytes};
    return lib_give(out, &file, sizeof(file));
}

int32_t cuzk_params_state(size_t index, const char *folder)
{
    size_t n = 0;
    cuzk_params_dir dir;
    const cuzk_network_file *f = cuzk_network_files(&n);
    if (index >= n || cuzk_params_dir_choose(&dir, folder, NULL) != CUZK_OK) {
        return CUZK_PARAMS_ABSENT;
    }
    return (int32_t)cuzk_network_file_state(&f[index], dir.path);
}

/* A call's threads, its progress and the stop that progress may ask for. */
typedef struct watch {
    cuzk_progress_fn progress;
    void *arg;
    cuzk_pool *pool;
    cuzk_cancel cancel;
    uint64_t done, total;
} watch;

static cuzk_status watch_begin(watch *w, cuzk_progress_fn progress, void *arg, uint32_t threads,
                               cuzk_err *err)
{
    const cuzk_pool_cfg cfg = {.n_threads = threads};
    memset(w, 0, sizeof(*w));
    w->progress = progress;
    w->arg = arg;
    return cuzk_pool_create(&w->pool, &cfg, err);
}

static void watch_step(void *arg, const char *step, uint64_t done, uint64_t total)
{
    watch *w = arg;
    if (w->progress != NULL && w->progress(w->arg, step, done, total) != 0) {
        atomic_store(&w->cancel.requested, true);
    }
}

/* Of one file that one thread reads. */
static void watch_bytes(void *arg, uint64_t bytes)
{
    watch *w = arg;
    w->done += bytes;
    watch_step(w, "digest", w->done, w->total);
}

static cuzk_status check_vk(const char *path, cuzk_err *err)
{
    cuzk_content file;
    cuzk_vk *vk = NULL;
    CUZK_TRY(cuzk_content_read(&file, path, CUZK_CONTENT_INPUT, err));
    const cuzk_verify_result r = cuzk_vk_read(&vk, file.data, file.size);
    cuzk_content_free(&file);
    cuzk_vk_destroy(vk);
    if (r != CUZK_VERIFY_OK) {
        return CUZK_FAIL(err, (cuzk_status)r, "%s: %s", path, cuzk_verify_text(r));
    }
    return CUZK_OK;
}

static cuzk_status check_points(watch *w, const char *path, bool points, cuzk_err *err)
{
    const size_t n = strlen(path);
    cuzk_srs *srs = NULL;
    if (n > 3 && strcmp(path + n - 3, ".vk") == 0) {
        return check_vk(path, err);
    }
    watch_step(w, "points", 0, 0);
    CUZK_TRY(cuzk_srs_open(&srs, path, points ? CUZK_POINT_IN_SUBGROUP : CUZK_POINT_UNCHECKED,
                           w->pool, &w->cancel, err));
    cuzk_srs_close(srs);
    return CUZK_OK;
}

static cuzk_status check_digest(watch *w, const char *path, const char *given, cuzk_err *err)
{
    uint8_t want[CUZK_FILE_DIGEST_BYTES], got[CUZK_FILE_DIGEST_BYTES];
    char hex[2 * CUZK_FILE_DIGEST_BYTES + 1];
    const char *slash = strrchr(path, '/');
    const cuzk_network_file *f = cuzk_network_file_named(slash != NULL ? slash + 1 : path);
    const char *digest = given != NULL ? given : f != NULL ? f->digest : NULL;
    if (digest == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOT_FOUND,
                         "%s: the network has no file of this name; give its digest", path);
    }
    if (!cuzk_hex_decode(want, sizeof(want), digest, strlen(digest))) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "digest is not 32 hex digits");
    }
    w->total = f != NULL ? f->bytes : 0;
    CUZK_TRY(cuzk_file_digest(got, path, watch_bytes, w, &w->cancel, err));
    if (memcmp(want, got, sizeof(got)) != 0) {
        cuzk_hex_encode(hex, got, sizeof(got));
        return CUZK_FAIL(err, CUZK_E_DIGEST, "%s: digest %s, it should be %s", path, hex, digest);
    }
    if (f != NULL && strcmp(digest, f->digest) == 0) {
        char folder[CUZK_PATH_BYTES];
        const int n = slash != NULL ? (int)(slash - path) : 1;
        (void)snprintf(folder, sizeof(folder), "%.*s", n, slash != NULL ? path : ".");
        cuzk_ignore(
            cuzk_network_file_note(f, n != 0 ? folder : "/", NULL)); /* may not be writable */
    }
    return CUZK_OK;
}

cuzk_status cuzk_params_check(const char *path, const cuzk_params_check_options *options,
                              cuzk_error *error)
{
    const cuzk_params_check_options none = {.struct_size = sizeof(none)};
    cuzk_params_check_options o;
    cuzk_err err = {.msg = ""};
    watch w;
    CUZK_TRY(lib_take(&o, sizeof(o), options != NULL ? options : &none, "cuzk_params_check_options",
                      error));
    if (path == NULL || (o.checks & ~(uint32_t)(CUZK_CHECK_DIGEST | CUZK_CHECK_POINTS)) != 0) {
        return lib_fail(error, CUZK_E_INVALID, path == NULL ? "path is NULL" : "unknown checks");
    }
    const uint32_t checks = o.checks != 0 ? o.checks : CUZK_CHECK_DIGEST | CUZK_CHECK_POINTS;
    CUZK_TRY(lib_error(error, watch_begin(&w, o.progress, o.progress_arg, o.threads, &err), &err));
    cuzk_status st = check_points(&w, path, (checks & CUZK_CHECK_POINTS) != 0, &err);
    if (st == CUZK_OK && (checks & CUZK_CHECK_DIGEST) != 0) {
        st = check_digest(&w, path, o.digest, &err);
    }
    cuzk_pool_destroy(w.pool);
    return lib_error(error, st, &err);
}

cuzk_status cuzk_params_open(cuzk_params **out, const char *path, cuzk_error *error)
{
    cuzk_err err = {.msg = ""};
    if (path == NULL) {
        return lib_fail(error, CUZK_E_INVALID, "path is NULL");
    }
    cuzk_params *p = cuzk_alloc_zero(1, sizeof(*p));
    if (p == NULL) {
        return lib_fail(error, CUZK_E_NOMEM, "%s: out of memory", path);
    }
    const cuzk_status st = cuzk_srs_open(&p->srs, path, CUZK_POINT_UNCHECKED, NULL, NULL, &err);
    if (st != CUZK_OK) {
        cuzk_free(p);
        return lib_error(error, st, &err);
    }
    *out = p;
    return CUZK_OK;
}

void cuzk_params_close(cuzk_params *p)
{
    if (p != NULL) {
        cuzk_srs_close(p->srs);
        cuzk_free(p);
    }
}

cuzk_status cuzk_params_get_info(cuzk_params_info *out, const cuzk_params *p)
{
    const cuzk_srs_transcript *t = cuzk_srs_get_transcript(p->srs);
    cuzk_params_info info = {.struct_size = out->struct_size,
                             .public_inputs = cuzk_srs_get_vk(p->srs)->n_ic - 1,
                             .h = cuzk_srs_count(p->srs, CUZK_SRS_H),
                             .l = cuzk_srs_count(p->srs, CUZK_SRS_L),
                             .a = cuzk_srs_count(p->srs, CUZK_SRS_A),
                             .b_g1 = cuzk_srs_count(p->srs, CUZK_SRS_B_G1),
                             .b_g2 = cuzk_srs_count(p->srs, CUZK_SRS_B_G2)};
    if (t != NULL) {
        info.has_transcript = 1;
        info.contributions = t->n_contributions;
        memcpy(info.circuit_hash, t->circuit_hash, sizeof(info.circuit_hash));
    }
    return lib_give(out, &info, sizeof(info));
}

cuzk_status cuzk_params_vk(cuzk_vk **out, const cuzk_params *p, cuzk_error *error)
{
    return lib_vk_of(out, p->srs, error);
}

static cuzk_status write_files(const cuzk_params_dir *dir, const cuzk_circuit_spec *spec,
                               const cuzk_params_make_options *o, watch *w, cuzk_err *err)
{
    char params[CUZK_PATH_BYTES], vk[CUZK_PATH_BYTES];
    cuzk_circuit *circuit = NULL;
    cuzk_toxic toxic;
    const cuzk_setup_opts opts = {
        .replace = (o->flags & CUZK_MAKE_REPLACE) != 0, .progress = watch_step, .progress_arg = w};
    CUZK_TRY(cuzk_params_path(params, dir, spec, CUZK_PARAM_FILE_PARAMS, err));
    CUZK_TRY(cuzk_params_path(vk, dir, spec, CUZK_PARAM_FILE_VK, err));
    CUZK_TRY(cuzk_filecoin_circuit_build(spec->kind, spec->shape->bytes, &circuit, err));
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
    watch w;
    CUZK_TRY(lib_take(&o, sizeof(o), options != NULL ? options : &none, "cuzk_params_make_options",
                      error));
    CUZK_TRY(lib_kind(&k, kind, error));
    if ((o.flags & ~(uint32_t)(CUZK_MAKE_INSECURE_SEED | CUZK_MAKE_REPLACE)) != 0) {
        return lib_fail(error, CUZK_E_INVALID, "flags: unknown bits");
    }
    CUZK_TRY(lib_error(error, cuzk_circuit_spec_of(&spec, k, sector_bytes, &err), &err));
    CUZK_TRY(lib_error(error, cuzk_params_dir_choose(&dir, folder, &err), &err));
    CUZK_TRY(lib_error(error, watch_begin(&w, o.progress, o.progress_arg, o.threads, &err), &err));
    const cuzk_status st = write_files(&dir, &spec, &o, &w, &err);
    cuzk_pool_destroy(w.pool);
    return lib_error(error, st, &err);
}
