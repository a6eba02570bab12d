/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A .params file whose points are made on a device: the bytes of cuzk_setup_write. */
#include <string.h>

#include "base/alloc.h"
#include "groth16/device/device_key.h"
#include "groth16/params/section_writer.h"
#include "groth16/params/wire_cursor.h"
#include "groth16/setup/setup_internal.h"

#include "device_load.h"

#define SLICE ((uint64_t)1 << 20)

typedef struct file_sink {
    cuzk_accel_queue *q;
    const cuzk_circuit *c;
    const cuzk_setup_opts *opts;
    cuzk_section_writer params, vk;
    bool has_vk;
    cuzk_srs_vk key;
    cuzk_g1_affine *ic;
    int begun;    /* last section whose head is written; -1: not even the key's */
    void *points; /* pinned, one slice of either group */
    uint64_t done, total;
    cuzk_pool *pool;
    const cuzk_cancel *cancel;
} file_sink;

static uint64_t count_of(const cuzk_circuit *c, cuzk_srs_section s)
{
    return s == CUZK_SRS_H ? ((uint64_t)1 << cuzk_circuit_lg_domain(c)) - 1
                           : cuzk_wire_count(c, s, false);
}

/* Key and counts come before the points of their sections; a section may have none. */
static cuzk_status begin_sections(file_sink *f, int upto, cuzk_err *err)
{
    if (f->begun < 0) {
        CUZK_TRY(cuzk_section_writer_vk(&f->params, &f->key, err));
        if (f->has_vk) {
            CUZK_TRY(cuzk_section_writer_vk(&f->vk, &f->key, err));
        }
        f->begun = 0;
        CUZK_TRY(cuzk_section_writer_count(&f->params, count_of(f->c, CUZK_SRS_H), err));
    }
    while (f->begun < upto) {
        f->begun++;
        CUZK_TRY(
            cuzk_section_writer_count(&f->params, count_of(f->c, (cuzk_srs_section)f->begun), err));
    }
    return CUZK_OK;
}

static cuzk_status fetch(const file_sink *f, void *to, const void *d_points, uint64_t bytes,
                         cuzk_err *err)
{
    const cuzk_accel_op op = {.kind = CUZK_ACCEL_OP_DOWNLOAD,
                              .u.copy = {.d_dst = to, .src = d_points, .bytes = bytes}};
    CUZK_TRY(cuzk_accel_enqueue(f->q, &op, NULL, 0, err));
    return cuzk_accel_sync(f->q, err);
}

static cuzk_status take(void *arg, cuzk_srs_section s, uint64_t first, uint64_t n,
                        const void *d_points, cuzk_err *err)
{
    file_sink *f = arg;
    if (cuzk_cancel_requested(f->cancel)) {
        return CUZK_FAIL(err, CUZK_E_CANCELLED, "setup cancelled");
    }
    if (s == CUZK_SRS_IC) {
        return fetch(f, f->ic + first, d_points, n * sizeof(*f->ic), err);
    }
    const bool g2 = s == CUZK_SRS_B_G2;
    CUZK_TRY(begin_sections(f, (int)s, err));
    CUZK_TRY(fetch(f, f->points, d_points,
                   n * (g2 ? sizeof(cuzk_g2_affine) : sizeof(cuzk_g1_affine)), err));
    CUZK_TRY(g2 ? cuzk_section_writer_g2(&f->params, f->points, n, f->pool, err)
                : cuzk_section_writer_g1(&f->params, f->points, n, f->pool, err));
    f->done += n;
    if (f->opts->progress != NULL) {
        f->opts->progress(f->opts->progress_arg, cuzk_srs_section_name(s), f->done, f->total);
    }
    return CUZK_OK;
}

static cuzk_status make(file_sink *f, const cuzk_toxic *toxic, uint64_t slice, cuzk_err *err)
{
    cuzk_accel *dev = cuzk_accel_queue_device(f->q);
    const uint64_t bytes = cuzk_accel_setup_bytes(dev, f->c, slice);
    void *d_ws = NULL;
    if (bytes == 0) {
        return CUZK_FAIL(err, CUZK_E_UNSUPPORTED, "this device makes no parameters");
    }
    CUZK_TRY(cuzk_accel_alloc(dev, &d_ws, bytes, err));
    const cuzk_status st = cuzk_accel_setup(f->q, f->c, toxic, slice, d_ws, take, f, err);
    if (st != CUZK_OK) {
        cuzk_ignore(cuzk_accel_sync(f->q, NULL)); /* no enqueued work may still use d_ws */
    }
    cuzk_accel_free(dev, d_ws);
    CUZK_TRY(st);
    return begin_sections(f, CUZK_SRS_SECTIONS - 1, err);
}

cuzk_status cuzk_device_setup_write(cuzk_accel *dev, const cuzk_circuit *c, const cuzk_toxic *toxic,
                                    const char *params_path, const char *vk_path,
                                    const cuzk_setup_opts *opts, cuzk_pool *pool,
                                    const cuzk_cancel *cancel, cuzk_err *err)
{
    static const cuzk_setup_opts defaults = {0};
    file_sink f = {.c = c, .begun = -1, .has_vk = vk_path != NULL, .pool = pool, .cancel = cancel};
    cuzk_status st = CUZK_OK;
    f.opts = opts != NULL ? opts : &defaults;
    for (int s = 0; s < CUZK_SRS_SECTIONS; s++) {
        f.total += count_of(c, (cuzk_srs_section)s);
    }
    CUZK_TRY_GOTO(st,
                  cuzk_section_writer_open(&f.params, params_path, f.opts->replace, SLICE, err));
    if (f.has_vk) {
        CUZK_TRY_GOTO(st, cuzk_section_writer_open(&f.vk, vk_path, f.opts->replace, 1, err));
    }
    f.ic = cuzk_alloc(c->n_inputs, sizeof(*f.ic));
    if (f.ic == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the ic points");
        goto out;
    }
    cuzk_setup_vk_points(&f.key, toxic);
    f.key.n_ic = (uint32_t)c->n_inputs;
    f.key.ic = f.ic;
    CUZK_TRY_GOTO(st, cuzk_accel_queue_create(&f.q, dev, err));
    CUZK_TRY_GOTO(st, cuzk_accel_host_alloc(dev, &f.points, SLICE * sizeof(cuzk_g2_affine), err));
    CUZK_TRY_GOTO(st, make(&f, toxic, SLICE, err));
    st = cuzk_section_writer_commit_pair(&f.params, &f.vk, err);
out:
    cuzk_accel_host_free(dev, f.points);
    cuzk_accel_queue_destroy(f.q);
    cuzk_section_writer_abort(&f.params);
    cuzk_section_writer_abort(&f.vk);
    cuzk_free(f.ic);
    return st;
}
