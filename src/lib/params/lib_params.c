/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Parameter files of <cuzk/params.h>: open, what is in them, check. */
#include <stdio.h>
#include <stdlib.h>

#include <cuzk/params.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "lib/lib_internal.h"
#include "lib/lib_watch.h"
#include "prover/keys/network_files.h"
#include "prover/keys/params_dir.h"
#include "sys/file.h"

struct cuzk_params {
    cuzk_srs *srs;
};

CUZK_STATIC_ASSERT((int)CUZK_POINTS_ON_CURVE == (int)CUZK_POINT_ON_CURVE, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_POINTS_IN_GROUP == (int)CUZK_POINT_IN_SUBGROUP, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_CHAIN_HOLDS == (int)CUZK_SRS_CHAIN_HOLDS, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_CHAIN_HASH == (int)CUZK_SRS_CHAIN_HASH, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_CHAIN_STEP == (int)CUZK_SRS_CHAIN_STEP, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_CHAIN_DELTA == (int)CUZK_SRS_CHAIN_DELTA, "shared value");

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

static cuzk_status check_points(lib_watch *w, const char *path, bool points, cuzk_err *err)
{
    const size_t n = strlen(path);
    cuzk_srs *srs = NULL;
    if (n > 3 && strcmp(path + n - 3, ".vk") == 0) {
        return check_vk(path, err);
    }
    lib_watch_silent(w, "points");
    const cuzk_status st =
        cuzk_srs_open(&srs, path, points ? CUZK_POINT_IN_SUBGROUP : CUZK_POINT_UNCHECKED, w->pool,
                      &w->cancel, err);
    lib_watch_loud(w);
    cuzk_srs_close(srs);
    return st;
}

static cuzk_status check_digest(lib_watch *w, const char *path, const char *given, cuzk_err *err)
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
    CUZK_TRY(cuzk_file_digest(got, path, lib_watch_bytes, w, &w->cancel, err));
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
    lib_watch w;
    CUZK_TRY(lib_take(&o, sizeof(o), options != NULL ? options : &none, "cuzk_params_check_options",
                      error));
    if (path == NULL || (o.checks & ~(uint32_t)(CUZK_CHECK_DIGEST | CUZK_CHECK_POINTS)) != 0) {
        return lib_fail(error, CUZK_E_INVALID, path == NULL ? "path is NULL" : "unknown checks");
    }
    const uint32_t checks = o.checks != 0 ? o.checks : CUZK_CHECK_DIGEST | CUZK_CHECK_POINTS;
    CUZK_TRY(
        lib_error(error, lib_watch_begin(&w, o.progress, o.progress_arg, o.threads, &err), &err));
    cuzk_status st = check_points(&w, path, (checks & CUZK_CHECK_POINTS) != 0, &err);
    if (st == CUZK_OK && (checks & CUZK_CHECK_DIGEST) != 0) {
        st = check_digest(&w, path, o.digest, &err);
    }
    lib_watch_end(&w);
    return lib_error(error, st, &err);
}

static cuzk_status open_srs(cuzk_srs **out, const char *path, const cuzk_params_open_options *o,
                            cuzk_err *err)
{
    lib_watch w;
    if (o->points == CUZK_POINTS_UNCHECKED) {
        return cuzk_srs_open(out, path, CUZK_POINT_UNCHECKED, NULL, NULL, err);
    }
    CUZK_TRY(lib_watch_begin(&w, o->progress, o->progress_arg, o->threads, err));
    lib_watch_silent(&w, "points");
    const cuzk_status st =
        cuzk_srs_open(out, path, (cuzk_point_check)o->points, w.pool, &w.cancel, err);
    lib_watch_end(&w);
    return st;
}

cuzk_status cuzk_params_open_with(cuzk_params **out, const char *path,
                                  const cuzk_params_open_options *options, cuzk_error *error)
{
    const cuzk_params_open_options none = {.struct_size = sizeof(none)};
    cuzk_params_open_options o;
    cuzk_err err = {.msg = ""};
    CUZK_TRY(lib_take(&o, sizeof(o), options != NULL ? options : &none, "cuzk_params_open_options",
                      error));
    if (path == NULL || o.points < CUZK_POINTS_UNCHECKED || o.points > CUZK_POINTS_IN_GROUP) {
        return path == NULL
                   ? lib_fail(error, CUZK_E_INVALID, "path is NULL")
                   : lib_fail(error, CUZK_E_INVALID, "points is %d: no CUZK_POINTS_...", o.points);
    }
    cuzk_params *p = cuzk_alloc_zero(1, sizeof(*p));
    if (p == NULL) {
        return lib_fail(error, CUZK_E_NOMEM, "%s: out of memory", path);
    }
    const cuzk_status st = open_srs(&p->srs, path, &o, &err);
    if (st != CUZK_OK) {
        cuzk_free(p);
        return lib_error(error, st, &err);
    }
    *out = p;
    return CUZK_OK;
}

cuzk_status cuzk_params_open(cuzk_params **out, const char *path, cuzk_error *error)
{
    return cuzk_params_open_with(out, path, NULL, error);
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
        info.chain = (int32_t)t->chain;
        info.chain_at = t->chain_at;
    }
    return lib_give(out, &info, sizeof(info));
}

cuzk_status cuzk_params_vk(cuzk_vk **out, const cuzk_params *p, cuzk_error *error)
{
    return lib_vk_of(out, p->srs, error);
}
