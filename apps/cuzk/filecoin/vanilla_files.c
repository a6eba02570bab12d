/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "vanilla_files.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define NAME_BYTES 512 /* longer names are cut */

typedef struct addition {
    vanilla_files *v;
    app *a;
} addition;

static cuzk_status add_file(void *arg, const char *path)
{
    vanilla_files *v = ((addition *)arg)->v;
    app *a = ((addition *)arg)->a;
    if ((v->n_files & (v->n_files - 1)) == 0) { /* room is a power of two */
        void *more =
            cuzk_realloc(v->files, v->n_files == 0 ? 1 : 2 * v->n_files, sizeof(*v->files));
        if (more == NULL) {
            return CUZK_FAIL(&a->err, CUZK_E_NOMEM, "%s: out of memory", path);
        }
        v->files = more;
    }
    vanilla_file *f = &v->files[v->n_files];
    CUZK_TRY(cuzk_content_read(&f->content, path, CUZK_CONTENT_INPUT, &a->err));
    const cuzk_status st =
        cuzk_proof_list_read(&f->list, f->content.data, f->content.size, f->content.path, &a->err);
    if (st != CUZK_OK) {
        cuzk_content_free(&f->content);
        return st;
    }
    v->n_files++;
    v->n_proofs += f->list.n;
    return CUZK_OK;
}

cuzk_status vanilla_files_add(vanilla_files *v, app *a, const char *path)
{
    addition add = {v, a};
    return app_each_file(a, path, add_file, &add);
}

void vanilla_files_free(vanilla_files *v)
{
    for (size_t i = 0; i < v->n_files; i++) {
        cuzk_proof_list_free(&v->files[i].list);
        cuzk_content_free(&v->files[i].content);
    }
    cuzk_free(v->files);
    memset(v, 0, sizeof(*v));
}

cuzk_status vanilla_files_each(const vanilla_files *v, vanilla_fn fn, void *arg)
{
    for (size_t i = 0; i < v->n_files; i++) {
        const vanilla_file *f = &v->files[i];
        for (size_t k = 0; k < f->list.n; k++) {
            char name[NAME_BYTES];
            if (f->list.is_array) {
                (void)snprintf(name, sizeof(name), "%s: proof %zu of %zu", f->content.path, k + 1,
                               f->list.n);
            } else {
                (void)snprintf(name, sizeof(name), "%s", f->content.path);
            }
            CUZK_TRY(fn(arg, &f->list.items[k], name));
        }
    }
    return CUZK_OK;
}
