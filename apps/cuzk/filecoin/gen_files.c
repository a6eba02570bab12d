/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gen_files.h"

#include "sys/file.h"

static cuzk_status finish(cuzk_file_writer *w, cuzk_status st, cuzk_err *err)
{
    if (st != CUZK_OK) {
        cuzk_file_writer_abort(w);
        return st;
    }
    return cuzk_file_writer_commit(w, err);
}

cuzk_status gen_write_porep(const cuzk_porep_input *in, const char *path, bool replace,
                            cuzk_err *err)
{
    cuzk_file_writer *w = NULL;
    CUZK_TRY(cuzk_file_writer_open(&w, path, replace, err));
    return finish(w, cuzk_porep_write_json(in, w, err), err);
}

cuzk_status gen_write_sector(const cuzk_post_sector *s, uint64_t sector_bytes, const char *path,
                             bool replace, cuzk_err *err)
{
    cuzk_file_writer *w = NULL;
    CUZK_TRY(cuzk_file_writer_open(&w, path, replace, err));
    return finish(w, cuzk_post_write_bincode(s, cuzk_sector_shape_of(sector_bytes), w, err), err);
}

cuzk_status gen_write_update(const cuzk_update_input *in, const cuzk_sector_shape *shape,
                             const char *path, bool replace, cuzk_err *err)
{
    cuzk_file_writer *w = NULL;
    CUZK_TRY(cuzk_file_writer_open(&w, path, replace, err));
    return finish(w, cuzk_update_write_bincode(in, shape, w, err), err);
}
