/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "fil_jobs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "groth16/setup/setup.h"
#include "vanilla/generate/generate.h"

#include "test.h"

static void read_back(cuzk_filecoin_blob *out, const char *path)
{
    size_t n = 0;
    out->data = test_read_file(path, &n);
    out->size = n;
}

static const char *scratch_file(void)
{
    static char path[512];
    (void)snprintf(path, sizeof(path), "%s/job.bin", test_tmpdir());
    return path;
}

static cuzk_file_writer *open_scratch(void)
{
    cuzk_err err;
    cuzk_file_writer *w = NULL;
    CHECK_OK(cuzk_file_writer_open(&w, scratch_file(), true, &err), &err);
    return w;
}

static void close_scratch(cuzk_filecoin_blob *out, cuzk_file_writer *w)
{
    cuzk_err err;
    CHECK_OK(cuzk_file_writer_commit(w, &err), &err);
    read_back(out, scratch_file());
}

static void make_porep(fil_job *job, uint64_t bytes, uint64_t seed, const cuzk_hashes *h)
{
    cuzk_err err;
    cuzk_porep_input *in = NULL;
    CHECK_OK(cuzk_generate_porep(&in, bytes, seed, h, &err), &err);
    job->blobs = calloc(1, sizeof(*job->blobs));
    job->rq.n_proofs = 1;
    cuzk_file_writer *w = open_scratch();
    CHECK_OK(cuzk_porep_write_json(in, w, &err), &err);
    close_scratch(&job->blobs[0], w);
    job->rq.miner_id = CUZK_GEN_MINER;
    job->rq.sector_number = CUZK_GEN_SECTOR;
    cuzk_porep_input_destroy(in);
}

static void make_post(fil_job *job, bool is_window, uint64_t bytes, uint64_t seed,
                      const cuzk_hashes *h)
{
    cuzk_err err;
    cuzk_post_input *in = NULL;
    cuzk_post_statement st;
    CHECK_OK(cuzk_generate_post(&in, &st, is_window, bytes, is_window ? 2 : 1, seed, h, &err),
             &err);
    job->blobs = calloc(in->n_sectors, sizeof(*job->blobs));
    job->rq.n_proofs = in->n_sectors;
    for (uint32_t i = 0; i < in->n_sectors; i++) {
        cuzk_file_writer *w = open_scratch();
        CHECK_OK(cuzk_post_write_bincode(&in->sectors[i], cuzk_sector_shape_of(bytes), w, &err),
                 &err);
        close_scratch(&job->blobs[i], w);
    }
    job->randomness = st.randomness;
    job->rq.randomness = (cuzk_filecoin_blob){job->randomness.b, sizeof(job->randomness.b)};
    cuzk_post_input_destroy(in);
}

static void make_update(fil_job *job, uint64_t bytes, uint64_t seed, const cuzk_hashes *h)
{
    cuzk_err err;
    const uint32_t n = cuzk_sector_shape_of(bytes)->update_partitions;
    job->blobs = calloc(n, sizeof(*job->blobs));
    job->rq.n_proofs = n;
    for (uint32_t i = 0; i < n; i++) {
        cuzk_update_input *in = NULL;
        cuzk_update_statement st;
        CHECK_OK(cuzk_generate_update(&in, &st, bytes, i, seed, h, &err), &err);
        cuzk_file_writer *w = open_scratch();
        CHECK_OK(cuzk_update_write_bincode(in, st.shape, w, &err), &err);
        close_scratch(&job->blobs[i], w);
        job->comm_r_old = st.comm_r_old;
        job->comm_r_new = st.comm_r_new;
        job->comm_d_new = st.comm_d_new;
        cuzk_update_input_destroy(in);
    }
    job->rq.comm_r_old = (cuzk_filecoin_blob){job->comm_r_old.b, sizeof(job->comm_r_old.b)};
    job->rq.comm_r_new = (cuzk_filecoin_blob){job->comm_r_new.b, sizeof(job->comm_r_new.b)};
    job->rq.comm_d_new = (cuzk_filecoin_blob){job->comm_d_new.b, sizeof(job->comm_d_new.b)};
}

void fil_job_make(fil_job *out, cuzk_circuit_kind kind, uint64_t sector_bytes, uint64_t seed)
{
    cuzk_err err;
    cuzk_hashes *h = NULL;
    CHECK_OK(cuzk_hashes_create(&h, &err), &err);
    memset(out, 0, sizeof(*out));
    out->rq.kind = kind;
    out->rq.sector_bytes = sector_bytes;
    switch (kind) {
    case CUZK_CIRCUIT_POREP: make_porep(out, sector_bytes, seed, h); break;
    case CUZK_CIRCUIT_WINNING:
    case CUZK_CIRCUIT_WINDOW:
        make_post(out, kind == CUZK_CIRCUIT_WINDOW, sector_bytes, seed, h);
        break;
    case CUZK_CIRCUIT_UPDATE: make_update(out, sector_bytes, seed, h); break;
    }
    out->rq.proofs = out->blobs;
    cuzk_hashes_destroy(h);
}

void fil_job_free(fil_job *job)
{
    for (size_t i = 0; i < job->rq.n_proofs; i++) {
        free((void *)(uintptr_t)job->blobs[i].data);
    }
    free(job->blobs);
}

/* The file of a circuit below a folder. */
static void file_of(char out[CUZK_PATH_BYTES], const char *folder, const cuzk_circuit_spec *spec,
                    cuzk_param_file what)
{
    cuzk_err err;
    static cuzk_params_dir dir = {.origin = "test"}; /* static: frames are small */
    CHECK((size_t)snprintf(dir.path, sizeof(dir.path), "%s", folder) < sizeof(dir.path));
    CHECK_OK(cuzk_params_path(out, &dir, spec, what, &err), &err);
}

static void copy_file(const char *from, const char *to)
{
    size_t n = 0;
    uint8_t *bytes = test_read_file(from, &n);
    FILE *f = fopen(to, "wb");
    CHECK_MSG(f != NULL && fwrite(bytes, 1, n, f) == n && fclose(f) == 0, "cannot write %s", to);
    free(bytes);
}

void fil_params_setup(const char *folder, cuzk_circuit_kind kind, uint64_t sector_bytes,
                      cuzk_pool *pool)
{
    cuzk_err err;
    cuzk_toxic toxic;
    cuzk_circuit_spec spec;
    cuzk_circuit *c = NULL;
    const cuzk_setup_opts replace = {.replace = true};
    static char params[CUZK_PATH_BYTES], vk[CUZK_PATH_BYTES]; /* static: frames are small */
    cuzk_toxic_from_seed(&toxic, 7);
    CHECK_OK(cuzk_circuit_spec_of(&spec, kind, sector_bytes, &err), &err);
    file_of(params, folder, &spec, CUZK_PARAM_FILE_PARAMS);
    file_of(vk, folder, &spec, CUZK_PARAM_FILE_VK);
    CHECK_OK(cuzk_filecoin_circuit_build(kind, sector_bytes, &c, &err), &err);
    CHECK_OK(cuzk_setup_write(c, &toxic, params, vk, &replace, pool, NULL, &err), &err);
    cuzk_circuit_destroy(c);
}

void fil_params_make(const cuzk_params_dir *dir, cuzk_circuit_kind kind, uint64_t sector_bytes,
                     cuzk_pool *pool)
{
    static const cuzk_param_file files[] = {CUZK_PARAM_FILE_PARAMS, CUZK_PARAM_FILE_VK};
    static char from[CUZK_PATH_BYTES], to[CUZK_PATH_BYTES];
    const char *made = getenv("CUZK_TEST_PARAMS");
    cuzk_err err;
    cuzk_circuit_spec spec;
    CHECK_OK(cuzk_circuit_spec_of(&spec, kind, sector_bytes, &err), &err);
    if (made != NULL) {
        file_of(from, made, &spec, CUZK_PARAM_FILE_PARAMS);
    }
    if (made == NULL || access(from, R_OK) != 0) {
        fil_params_setup(dir->path, kind, sector_bytes, pool);
        return;
    }
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        file_of(from, made, &spec, files[i]);
        file_of(to, dir->path, &spec, files[i]);
        copy_file(from, to);
    }
}
