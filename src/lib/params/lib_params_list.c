/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Lists of parameter files, and their digests, of <cuzk/params.h>. */
#include <sys/stat.h>

#include <cuzk/params.h>

#include "lib/lib_internal.h"
#include "lib/lib_watch.h"
#include "prover/keys/network_list.h"
#include "prover/keys/params_dir.h"

struct cuzk_params_list; /* a cuzk_network_list */

CUZK_STATIC_ASSERT((int)CUZK_PARAMS_ABSENT == (int)CUZK_FILE_ABSENT, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_PARAMS_WRONG_SIZE == (int)CUZK_FILE_WRONG_SIZE, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_PARAMS_PRESENT == (int)CUZK_FILE_PRESENT, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_PARAMS_CHECKED == (int)CUZK_FILE_CHECKED, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_PARAMS_UNREADABLE == (int)CUZK_FILE_UNREADABLE, "shared value");
CUZK_STATIC_ASSERT((int)CUZK_PARAMS_WRONG_DIGEST == (int)CUZK_FILE_WRONG_DIGEST, "shared value");

static const cuzk_network_file *files_of(const cuzk_params_list *list, size_t *n)
{
    return cuzk_network_list_files((const cuzk_network_list *)list, n);
}

cuzk_status cuzk_params_list_read(cuzk_params_list **out, const uint8_t *json, size_t json_bytes,
                                  const char *name, cuzk_error *error)
{
    cuzk_network_list *list = NULL;
    cuzk_err err = {.msg = ""};
    if (json == NULL || name == NULL) {
        return lib_fail(error, CUZK_E_INVALID, "%s is NULL", json == NULL ? "json" : "name");
    }
    CUZK_TRY(lib_error(error, cuzk_network_list_parse(&list, json, json_bytes, name, &err), &err));
    *out = (cuzk_params_list *)list;
    return CUZK_OK;
}

void cuzk_params_list_destroy(cuzk_params_list *list)
{
    cuzk_network_list_destroy((cuzk_network_list *)list);
}

size_t cuzk_params_list_count(const cuzk_params_list *list)
{
    size_t n = 0;
    (void)files_of(list, &n);
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

cuzk_status cuzk_params_list_get(cuzk_params_file *out, const cuzk_params_list *list, size_t index)
{
    size_t n = 0;
    const cuzk_network_file *f = files_of(list, &n);
    if (index >= n) {
        return CUZK_E_NOT_FOUND;
    }
    const cuzk_params_file file = {.struct_size = out->struct_size,
                                   .kind = kind_named(f[index].kind),
                                   .name = f[index].name,
                                   .cid = f[index].cid,
                                   .digest = f[index].digest,
                                   .sector_bytes = f[index].sector_bytes,
                                   .bytes = f[index].bytes,
                                   .kind_name = f[index].kind};
    return lib_give(out, &file, sizeof(file));
}

int32_t cuzk_params_list_state(const cuzk_params_list *list, size_t index, const char *folder)
{
    size_t n = 0;
    cuzk_params_dir dir;
    const cuzk_network_file *f = files_of(list, &n);
    if (index >= n || cuzk_params_dir_choose(&dir, folder, NULL) != CUZK_OK) {
        return CUZK_PARAMS_ABSENT;
    }
    return (int32_t)cuzk_network_file_state(&f[index], dir.path);
}

cuzk_status cuzk_params_list_note(const cuzk_params_list *list, size_t index, const char *folder,
                                  cuzk_error *error)
{
    size_t n = 0;
    cuzk_params_dir dir;
    cuzk_err err = {.msg = ""};
    const cuzk_network_file *f = files_of(list, &n);
    if (index >= n) {
        return lib_fail(error, CUZK_E_NOT_FOUND, "index is %zu: the list has %zu files", index, n);
    }
    CUZK_TRY(lib_error(error, cuzk_params_dir_choose(&dir, folder, &err), &err));
    return lib_error(error, cuzk_network_file_note(&f[index], dir.path, &err), &err);
}

size_t cuzk_params_count(void)
{
    return cuzk_params_list_count(NULL);
}

cuzk_status cuzk_params_get(cuzk_params_file *out, size_t index)
{
    return cuzk_params_list_get(out, NULL, index);
}

int32_t cuzk_params_state(size_t index, const char *folder)
{
    return cuzk_params_list_state(NULL, index, folder);
}

const char *cuzk_params_state_name(int32_t state)
{
    return state >= CUZK_PARAMS_ABSENT && state <= CUZK_PARAMS_WRONG_DIGEST
               ? cuzk_file_state_text((cuzk_file_state)state)
               : "unknown";
}

cuzk_status cuzk_params_digest(uint8_t digest[16], const char *path, cuzk_progress_fn progress,
                               void *progress_arg, cuzk_error *error)
{
    struct stat have;
    cuzk_err err = {.msg = ""};
    lib_watch w;
    if (path == NULL) {
        return lib_fail(error, CUZK_E_INVALID, "path is NULL");
    }
    lib_watch_begin_alone(&w, progress, progress_arg);
    w.total = progress != NULL && stat(path, &have) == 0 ? (uint64_t)have.st_size : 0;
    return lib_error(error, cuzk_file_digest(digest, path, lib_watch_bytes, &w, &w.cancel, &err),
                     &err);
}
