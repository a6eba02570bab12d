/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/keys/network_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "hash/blake2b.h"
#include "sys/file.h"

enum { PIECE = 4 << 20, PATH_BYTES = 4096, LINE_BYTES = 512, RECORD_BYTES = 1 << 20 };

static const cuzk_network_file files[] = {
#include "network_files_gen.h"
};
enum { N_FILES = sizeof(files) / sizeof(files[0]) };

const cuzk_network_file *cuzk_network_files(size_t *n)
{
    *n = N_FILES;
    return files;
}

const cuzk_network_file *cuzk_network_file_named(const char *name)
{
    for (size_t i = 0; i < N_FILES; i++) {
        if (strcmp(files[i].name, name) == 0) {
            return &files[i];
        }
    }
    return NULL;
}

const cuzk_network_file *cuzk_network_file_with(const uint8_t digest[CUZK_FILE_DIGEST_BYTES])
{
    char hex[2 * CUZK_FILE_DIGEST_BYTES + 1];
    cuzk_hex_encode(hex, digest, CUZK_FILE_DIGEST_BYTES);
    for (size_t i = 0; i < N_FILES; i++) {
        if (strcmp(files[i].digest, hex) == 0) {
            return &files[i];
        }
    }
    return NULL;
}

static cuzk_status hash_file(cuzk_blake2b *ctx, const cuzk_file *f, uint8_t *piece,
                             cuzk_file_progress progress, void *arg, const cuzk_cancel *cancel,
                             cuzk_err *err)
{
    const uint64_t size = cuzk_file_size(f);
    for (uint64_t at = 0; at < size;) {
        if (cuzk_cancel_requested(cancel)) {
            return CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled");
        }
        const size_t n = size - at < PIECE ? (size_t)(size - at) : PIECE;
        CUZK_TRY(cuzk_file_read(f, piece, at, n, err));
        cuzk_blake2b_update(ctx, piece, n);
        at += n;
        if (progress != NULL) {
            progress(arg, n);
        }
    }
    return CUZK_OK;
}

cuzk_status cuzk_file_digest(uint8_t out[CUZK_FILE_DIGEST_BYTES], const char *path,
                             cuzk_file_progress progress, void *arg, const cuzk_cancel *cancel,
                             cuzk_err *err)
{
    cuzk_file *f = NULL;
    uint8_t full[CUZK_BLAKE2B_MAX_BYTES];
    cuzk_blake2b ctx;
    CUZK_TRY(cuzk_file_open(&f, path, err));
    uint8_t *piece = cuzk_alloc(PIECE, 1);
    cuzk_status st =
        piece == NULL ? CUZK_FAIL(err, CUZK_E_NOMEM, "%s: out of memory", path) : CUZK_OK;
    if (st == CUZK_OK) {
        cuzk_blake2b_init(&ctx, sizeof(full), NULL, 0);
        st = hash_file(&ctx, f, piece, progress, arg, cancel, err);
    }
    if (st == CUZK_OK) {
        cuzk_blake2b_final(&ctx, full);
        memcpy(out, full, CUZK_FILE_DIGEST_BYTES);
    }
    cuzk_free(piece);
    cuzk_file_close(f);
    return st;
}

const char *cuzk_file_state_text(cuzk_file_state state)
{
    switch (state) {
    case CUZK_FILE_ABSENT: return "absent";
    case CUZK_FILE_WRONG_SIZE: return "wrong size";
    case CUZK_FILE_PRESENT: return "not checked";
    case CUZK_FILE_CHECKED: return "checked";
    case CUZK_FILE_UNREADABLE: return "unreadable";
    case CUZK_FILE_WRONG_DIGEST: return "wrong digest";
    }
    return "?";
}

/* DIR/NAME into out; false when it is too long. */
static bool join(char out[PATH_BYTES], const char *dir, const char *name)
{
    const int n = snprintf(out, PATH_BYTES, "%s/%s", dir, name);
    return n > 0 && n < PATH_BYTES;
}

/* The record's line for the copy as it is now, with a newline. */
static bool record_line(char out[LINE_BYTES], const cuzk_network_file *f, const struct stat *st)
{
    const int n = snprintf(
        out, LINE_BYTES, "%s %" PRIu64 " %" PRIu64 " %s\n", f->name, (uint64_t)st->st_size,
        (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec, f->digest);
    return n > 0 && n < LINE_BYTES;
}

/* The record of a folder as text, NUL-terminated; NULL: no record, or no memory. */
static char *read_record(const char *dir)
{
    char path[PATH_BYTES];
    cuzk_content c = {0};
    if (!join(path, dir, CUZK_CHECKED_RECORD) || access(path, R_OK) != 0 ||
        cuzk_content_read(&c, path, RECORD_BYTES, NULL) != CUZK_OK) {
        return NULL;
    }
    char *text = cuzk_alloc(c.size + 1, 1);
    if (text != NULL) {
        if (c.size > 0) {
            memcpy(text, c.data, c.size);
        }
        text[c.size] = '\0';
    }
    cuzk_content_free(&c);
    return text;
}

/* The start of a line of text that begins with name and a blank, or NULL. */
static const char *line_of(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *p = text; p != NULL && *p != '\0';) {
        if (strncmp(p, name, n) == 0 && p[n] == ' ') {
            return p;
        }
        p = strchr(p, '\n');
        p = p == NULL ? NULL : p + 1;
    }
    return NULL;
}

cuzk_file_state cuzk_network_file_state(const cuzk_network_file *f, const char *dir)
{
    char path[PATH_BYTES], want[LINE_BYTES];
    struct stat st;
    if (!join(path, dir, f->name) || stat(path, &st) != 0) {
        return errno == ENOENT || errno == ENOTDIR ? CUZK_FILE_ABSENT : CUZK_FILE_UNREADABLE;
    }
    if (!S_ISREG(st.st_mode) || access(path, R_OK) != 0) {
        return CUZK_FILE_UNREADABLE;
    }
    if (f->bytes != 0 && (uint64_t)st.st_size != f->bytes) {
        return CUZK_FILE_WRONG_SIZE;
    }
    char *text = read_record(dir);
    const char *line = text == NULL ? NULL : line_of(text, f->name);
    const bool checked =
        line != NULL && record_line(want, f, &st) && strncmp(line, want, strlen(want)) == 0;
    cuzk_free(text);
    return checked ? CUZK_FILE_CHECKED : CUZK_FILE_PRESENT;
}

cuzk_status cuzk_network_file_note(const cuzk_network_file *f, const char *dir, cuzk_err *err)
{
    char path[PATH_BYTES], record[PATH_BYTES], line[LINE_BYTES];
    struct stat st;
    if (!join(path, dir, f->name) || !join(record, dir, CUZK_CHECKED_RECORD)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s: the path is too long", dir);
    }
    if (stat(path, &st) != 0 || !record_line(line, f, &st)) {
        const int os = errno;
        return CUZK_FAIL_OS(err, cuzk_path_status(os), os, "%s: cannot be looked at", path);
    }
    char *text = read_record(dir);
    const char *old = text == NULL ? NULL : line_of(text, f->name);
    const char *after = old == NULL ? NULL : strchr(old, '\n');
    cuzk_file_writer *w = NULL;
    cuzk_status status = cuzk_file_writer_open(&w, record, true, err);
    if (status == CUZK_OK) {
        /* the other files' lines, then this file's */
        const size_t before = text == NULL ? 0 : old == NULL ? strlen(text) : (size_t)(old - text);
        status = cuzk_file_writer_write(w, text, before, err);
        if (status == CUZK_OK && after != NULL) {
            status = cuzk_file_writer_write(w, after + 1, strlen(after + 1), err);
        }
        if (status == CUZK_OK) {
            status = cuzk_file_writer_write(w, line, strlen(line), err);
        }
        if (status == CUZK_OK) {
            status = cuzk_file_writer_commit(w, err);
        } else {
            cuzk_file_writer_abort(w);
        }
    }
    cuzk_free(text);
    return status;
}
