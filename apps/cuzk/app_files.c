/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Output paths are checked before the work: hours of proving must not end in a folder that is missing. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "prover/keys/params_dir.h"
#include "sys/file.h"

#include "app.h"

/* Bytes that must be free in a folder; proofs and reports are smaller. */
#define LEAST_FREE_BYTES ((uint64_t)64 << 10)

static bool is_dash(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* The folder that holds path, into out [n]; false when path is too long. */
static bool folder_of(char *out, size_t n, const char *path)
{
    const char *slash = strrchr(path, '/');
    const int len = slash == NULL   ? snprintf(out, n, ".")
                    : slash == path ? snprintf(out, n, "/")
                                    : snprintf(out, n, "%.*s", (int)(slash - path), path);
    return len >= 0 && (size_t)len < n;
}

static cuzk_status check_folder(app *a, const char *path)
{
    char folder[4096];
    struct stat st;
    struct statvfs fs;
    if (path[0] == '\0' || path[strlen(path) - 1] == '/') {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "\"%s\": names no file", path);
    }
    if (!folder_of(folder, sizeof(folder), path)) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "output path is too long");
    }
    if (stat(folder, &st) != 0) {
        const int os = errno;
        return CUZK_FAIL_OS(&a->err, cuzk_path_status(os), os,
                            "%s: cannot write: its folder %s cannot be used", path, folder);
    }
    if (!S_ISDIR(st.st_mode)) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "%s: cannot write: %s is not a folder", path,
                         folder);
    }
    if (access(folder, W_OK | X_OK) != 0) {
        return CUZK_FAIL_OS(&a->err, CUZK_E_IO, errno, "%s: no permission to write in folder %s",
                            path, folder);
    }
    if (statvfs(folder, &fs) == 0 && fs.f_blocks != 0 &&
        (uint64_t)fs.f_bavail * fs.f_frsize < LEAST_FREE_BYTES) {
        return CUZK_FAIL_OS(&a->err, CUZK_E_IO, ENOSPC, "%s: no space left in folder %s", path,
                            folder);
    }
    return CUZK_OK;
}

/* A file that --force replaces: a new one takes its name, in the folder of the file behind a symbolic link. */
static cuzk_status check_replaced(app *a, const char *path, bool is_link)
{
    char behind[PATH_MAX];
    if (is_link && realpath(path, behind) == NULL) {
        const int os = errno;
        return CUZK_FAIL_OS(&a->err, cuzk_path_status(os), os,
                            "%s: what this link names cannot be used", path);
    }
    CUZK_TRY(check_folder(a, is_link ? behind : path));
    /* Permissions of the file itself do not matter, but an immutable one keeps its name. */
    if (access(path, W_OK) != 0 && errno == EPERM) {
        return CUZK_FAIL_OS(&a->err, CUZK_E_IO, EPERM, "%s: cannot be replaced", path);
    }
    return CUZK_OK;
}

cuzk_status app_check_output(app *a, const char *path)
{
    struct stat ls, st;
    if (path == NULL) {
        return CUZK_OK;
    }
    if (is_dash(path)) {
        a->payload_on_stdout = true;
        return CUZK_OK;
    }
    if (lstat(path, &ls) != 0) {
        const int os = errno;
        CUZK_TRY(check_folder(a, path));
        return os == ENOENT ? CUZK_OK
                            : CUZK_FAIL_OS(&a->err, cuzk_path_status(os), os,
                                           "%s: no file can be written with this name", path);
    }
    if (stat(path, &st) != 0) {
        return CUZK_FAIL(&a->err, a->force ? CUZK_E_NOT_FOUND : CUZK_E_EXISTS,
                         "%s: dangling symbolic link; refusing to write", path);
    }
    if (S_ISDIR(st.st_mode)) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "%s: is a directory", path);
    }
    if (S_ISSOCK(st.st_mode) || S_ISBLK(st.st_mode)) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "%s: is a %s, not a place for a file", path,
                         S_ISSOCK(st.st_mode) ? "socket" : "block device");
    }
    if (!S_ISREG(st.st_mode)) { /* /dev/null, a named pipe */
        return access(path, W_OK) == 0
                   ? CUZK_OK
                   : CUZK_FAIL_OS(&a->err, CUZK_E_IO, errno, "%s: no permission to write", path);
    }
    if (!a->force) {
        return CUZK_FAIL(&a->err, CUZK_E_EXISTS, "%s: file exists", path);
    }
    return check_replaced(a, path, S_ISLNK(ls.st_mode));
}

static void add(app *a, const char *path, bool is_output)
{
    if (path == NULL || a->n_files == APP_MAX_FILES) {
        return;
    }
    a->files[a->n_files++] = (app_file){path, is_output};
    if (is_output && is_dash(path)) {
        a->payload_on_stdout = true;
    }
}

void app_output(app *a, const char *path)
{
    add(a, path, true);
}

void app_input(app *a, const char *path)
{
    add(a, path, false);
}

/* True for the same file, or for the same name in the same folder when the file does not exist yet. */
static bool same_file(const char *x, const char *y)
{
    struct stat sx, sy;
    char fx[4096], fy[4096];
    if (is_dash(x) || is_dash(y)) {
        return is_dash(x) && is_dash(y);
    }
    const bool hx = stat(x, &sx) == 0, hy = stat(y, &sy) == 0;
    if (hx != hy) {
        return false;
    }
    if (hx) {
        return S_ISREG(sx.st_mode) && sx.st_dev == sy.st_dev && sx.st_ino == sy.st_ino;
    }
    const char *bx = strrchr(x, '/'), *by = strrchr(y, '/');
    bx = bx == NULL ? x : bx + 1;
    by = by == NULL ? y : by + 1;
    return strcmp(bx, by) == 0 && folder_of(fx, sizeof(fx), x) && folder_of(fy, sizeof(fy), y) &&
           stat(fx, &sx) == 0 && stat(fy, &sy) == 0 && sx.st_dev == sy.st_dev &&
           sx.st_ino == sy.st_ino;
}

cuzk_status app_check_files(app *a)
{
    for (size_t i = 0; i < a->n_files; i++) {
        if (!a->files[i].is_output) {
            continue;
        }
        CUZK_TRY(app_check_output(a, a->files[i].path));
        for (size_t k = 0; k < a->n_files; k++) {
            const bool twice = a->files[k].is_output && k < i;
            if ((twice || !a->files[k].is_output) &&
                !(is_dash(a->files[k].path) && !a->files[k].is_output) &&
                same_file(a->files[i].path, a->files[k].path)) {
                return CUZK_FAIL(&a->err, CUZK_E_INVALID, "%s: %s", a->files[i].path,
                                 twice ? "two outputs have this name"
                                       : "is an input and an output");
            }
        }
    }
    return CUZK_OK;
}

static int is_shown(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static cuzk_status each_in_folder(app *a, const char *folder, app_file_fn fn, void *arg)
{
    struct dirent **names = NULL;
    const int n = scandir(folder, &names, is_shown, alphasort);
    if (n < 0) {
        return CUZK_FAIL_OS(&a->err, CUZK_E_IO, errno, "%s: cannot list the folder", folder);
    }
    cuzk_status st =
        n == 0 ? CUZK_FAIL(&a->err, CUZK_E_INVALID, "%s: no files in it", folder) : CUZK_OK;
    for (int i = 0; i < n; i++) {
        char path[CUZK_PATH_BYTES];
        const int len = snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
        if (st == CUZK_OK) {
            st = len < 0 || len >= (int)sizeof(path)
                     ? CUZK_FAIL(&a->err, CUZK_E_INVALID, "%s: a path in it is too long", folder)
                     : fn(arg, path);
        }
        (free)(names[i]); /* scandir's, from malloc */
    }
    (free)(names);
    return st;
}

cuzk_status app_each_file(app *a, const char *path, app_file_fn fn, void *arg)
{
    struct stat info;
    const bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    return is_folder ? each_in_folder(a, path, fn, arg) : fn(arg, path);
}
