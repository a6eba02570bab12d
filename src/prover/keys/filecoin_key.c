/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/keys/filecoin_key.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "prover/keys/filecoin_verify.h"
#include "sys/file.h"

struct cuzk_filecoin_circuit {
    cuzk_circuit_spec spec;
    cuzk_circuit *circuit;
    char label[48]; /* "porep 32GiB" */
};

struct cuzk_filecoin_params {
    cuzk_circuit_spec spec;
    cuzk_srs *srs;
    cuzk_vk *vk;
};

cuzk_status cuzk_filecoin_circuit_create(cuzk_filecoin_circuit **out, const cuzk_circuit_spec *spec,
                                         cuzk_err *err)
{
    cuzk_filecoin_circuit *c = cuzk_alloc_zero(1, sizeof(*c));
    if (c == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "circuit: out of memory");
    }
    c->spec = *spec;
    (void)snprintf(c->label, sizeof(c->label), "%s %s", cuzk_circuit_kind_name(spec->kind),
                   spec->shape->name);
    const cuzk_status st =
        cuzk_filecoin_circuit_build(spec->kind, spec->shape->bytes, &c->circuit, err);
    if (st != CUZK_OK) {
        cuzk_free(c);
        return st;
    }
    *out = c;
    return CUZK_OK;
}

void cuzk_filecoin_circuit_destroy(cuzk_filecoin_circuit *c)
{
    if (c != NULL) {
        cuzk_circuit_destroy(c->circuit);
        cuzk_free(c);
    }
}

const cuzk_circuit *cuzk_filecoin_circuit_get(const cuzk_filecoin_circuit *c)
{
    return c->circuit;
}

const char *cuzk_filecoin_circuit_label(const cuzk_filecoin_circuit *c)
{
    return c->label;
}

const cuzk_circuit_spec *cuzk_filecoin_circuit_spec(const cuzk_filecoin_circuit *c)
{
    return &c->spec;
}

/*
 * A .vk that does not belong to the .params of its folder would pass its own checks, and then every proof would fail
 * to verify. So the mismatch is reported at the start.
 */
static cuzk_status check_vk_pair(const cuzk_filecoin_params *p, const cuzk_params_dir *dir,
                                 cuzk_err *err)
{
    const size_t n = cuzk_srs_vk_bytes(p->srs);
    uint8_t *inside = cuzk_alloc(2 * n, 1);
    cuzk_status st = CUZK_OK;
    if (inside == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "verifying key: out of memory");
    }
    cuzk_srs_write_vk(p->srs, inside);
    if (cuzk_vk_bytes(p->vk) != n) {
        st = CUZK_E_DIGEST;
    } else {
        cuzk_vk_write(p->vk, inside + n);
        st = memcmp(inside, inside + n, n) == 0 ? CUZK_OK : CUZK_E_DIGEST;
    }
    cuzk_free(inside);
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st,
                         "%s: the .vk file is not the verifying key inside the .params file",
                         dir->path);
    }
    return CUZK_OK;
}

static cuzk_status not_found(const char *why, const cuzk_circuit_spec *spec,
                             const cuzk_params_dir *dir, cuzk_err *err)
{
    return CUZK_FAIL(
        err, CUZK_E_NOT_FOUND, "%s (folder from: %s)%s", why, dir->origin,
        spec->shape->is_published ? "" : "; no parameters are published for this sector size");
}

cuzk_status cuzk_filecoin_params_find(const cuzk_circuit_spec *spec, const cuzk_params_dir *dir,
                                      cuzk_err *err)
{
    char path[CUZK_PATH_BYTES];
    cuzk_file *file = NULL;
    cuzk_err inner = {.msg = ""};
    CUZK_TRY(cuzk_params_path(path, dir, spec, CUZK_PARAM_FILE_PARAMS, err));
    CUZK_TRY(cuzk_file_check_plain(path, err));
    const cuzk_status st = cuzk_file_open(&file, path, &inner);
    if (st == CUZK_E_NOT_FOUND) {
        return not_found(inner.msg, spec, dir, err);
    }
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "%s", inner.msg);
    }
    cuzk_file_close(file);
    return CUZK_OK;
}

static cuzk_status open_all(cuzk_filecoin_params *p, const cuzk_params_dir *dir, cuzk_pool *pool,
                            cuzk_err *err)
{
    char path[CUZK_PATH_BYTES];
    CUZK_TRY(cuzk_params_path(path, dir, &p->spec, CUZK_PARAM_FILE_PARAMS, err));
    cuzk_err inner = {.msg = ""};
    CUZK_TRY(cuzk_file_check_plain(path, err));
    const cuzk_status st = cuzk_srs_open(&p->srs, path, CUZK_POINT_UNCHECKED, pool, NULL, &inner);
    if (st == CUZK_E_NOT_FOUND) {
        return not_found(inner.msg, &p->spec, dir, err);
    }
    if (st != CUZK_OK) {
        return CUZK_FAIL(err, st, "%s", inner.msg);
    }
    CUZK_TRY(cuzk_filecoin_vk_load(&p->vk, p->spec.kind, p->spec.shape->bytes, dir, err));
    return check_vk_pair(p, dir, err);
}

cuzk_status cuzk_filecoin_params_open(cuzk_filecoin_params **out, const cuzk_circuit_spec *spec,
                                      const cuzk_params_dir *dir, cuzk_pool *pool, cuzk_err *err)
{
    cuzk_filecoin_params *p = cuzk_alloc_zero(1, sizeof(*p));
    if (p == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "parameters: out of memory");
    }
    p->spec = *spec;
    const cuzk_status st = open_all(p, dir, pool, err);
    if (st != CUZK_OK) {
        cuzk_filecoin_params_close(p);
        return st;
    }
    *out = p;
    return CUZK_OK;
}

void cuzk_filecoin_params_close(cuzk_filecoin_params *p)
{
    if (p != NULL) {
        cuzk_vk_destroy(p->vk);
        cuzk_srs_close(p->srs);
        cuzk_free(p);
    }
}

const cuzk_srs *cuzk_filecoin_params_srs(const cuzk_filecoin_params *p)
{
    return p->srs;
}

const cuzk_vk *cuzk_filecoin_params_vk(const cuzk_filecoin_params *p)
{
    return p->vk;
}
