/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_VANILLA_FILES_H
#define CUZK_APPS_VANILLA_FILES_H

/*
 * What --vanilla names, for every command that has it: files of one proof, files with a JSON array of proofs in base64, and
 * folders of both.
 */
#include "apps/cuzk/app.h"
#include "sys/file.h"
#include "vanilla/read/proof_list.h"

typedef struct vanilla_file {
    cuzk_content content;
    cuzk_proof_list list; /* borrows from content */
} vanilla_file;

/** Zero-initialise. */
typedef struct vanilla_files {
    vanilla_file *files; /* [n_files], a block of base/alloc.h */
    size_t n_files;
    size_t n_proofs; /* of all files */
} vanilla_files;

/** Adds the proofs of a file, or of each file of a folder in the order of their names. Failures name the file. */
CUZK_NODISCARD cuzk_status vanilla_files_add(vanilla_files *v, app *a, const char *path);
void vanilla_files_free(vanilla_files *v);

/** What is done with a proof. name: "FILE", or "FILE: proof 2 of 5", valid during the call only. */
typedef cuzk_status (*vanilla_fn)(void *arg, const cuzk_proof_bytes *proof, const char *name);
/** fn of every proof in the order of files and arrays; ends with the first failure. */
CUZK_NODISCARD cuzk_status vanilla_files_each(const vanilla_files *v, vanilla_fn fn, void *arg);

#endif /* CUZK_APPS_VANILLA_FILES_H */
