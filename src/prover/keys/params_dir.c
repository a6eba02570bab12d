/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/keys/params_dir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cuzk_status cuzk_params_dir_choose(cuzk_params_dir *out, const char *given, cuzk_err *err)
{
    const char *env = getenv(CUZK_PARAMS_ENV);
    const char *path = CUZK_PARAMS_DEFAULT_DIR;
    out->origin = "default";
    if (given != NULL) {
        path = given;
        out->origin = "--params";
    } else if (env != NULL && env[0] != '\0') {
        path = env;
        out->origin = CUZK_PARAMS_ENV;
    }
    if (strlen(path) >= sizeof(out->path)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "the parameter folder's path (%s) is too long",
                         out->origin);
    }
    memcpy(out->path, path, strlen(path) + 1);
    return CUZK_OK;
}

cuzk_status cuzk_params_path(char out[CUZK_PATH_BYTES], const cuzk_params_dir *dir,
                             const cuzk_circuit_spec *spec, cuzk_param_file file, cuzk_err *err)
{
    char name[CUZK_PARAM_NAME_BYTES];
    (void)cuzk_param_file_name(name, spec, file);
    const int n = snprintf(out, CUZK_PATH_BYTES, "%s/%s", dir->path, name);
    if (n < 0 || n >= CUZK_PATH_BYTES) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "the path of a parameter file in %s (%s) is too long",
                         dir->path, dir->origin);
    }
    return CUZK_OK;
}
