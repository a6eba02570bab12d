/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "golden_jobs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"

#define VECTORS "test/vectors/filecoin/"

_Thread_local cuzk_error golden_error;

cuzk_input golden_file(const char *path)
{
    static struct {
        char path[128];
        cuzk_input bytes;
    } known[24];
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].bytes.data == NULL) {
            const size_t n = strlen(path);
            CHECK(n < sizeof(known[i].path));
            memcpy(known[i].path, path, n + 1);
            known[i].bytes.data = test_read_file(path, &known[i].bytes.size);
        }
        if (strcmp(known[i].path, path) == 0) {
            return known[i].bytes;
        }
    }
    CHECK_MSG(false, "too many files");
    return known[0].bytes;
}

static char params_folder[256];

static void remove_params(void)
{
    char command[300];
    (void)snprintf(command, sizeof(command), "rm -rf %s", params_folder);
    if (system(command) != 0) {
        (void)fprintf(stderr, "cannot remove %s\n", params_folder);
    }
}

const char *golden_params(int32_t kind)
{
    static bool is_made[4];
    const char *kept = getenv("CUZK_TEST_PARAMS");
    if (params_folder[0] == '\0' && kept != NULL) {
        CHECK((size_t)snprintf(params_folder, sizeof(params_folder), "%s", kept) <
              sizeof(params_folder));
    } else if (params_folder[0] == '\0') {
        (void)snprintf(params_folder, sizeof(params_folder), "/tmp/cuzk-test-XXXXXX");
        CHECK(mkdtemp(params_folder) != NULL);
        test_at_exit(remove_params);
    }
    if (!is_made[kind]) {
        const cuzk_params_make_options o = {
            .struct_size = sizeof(o), .flags = CUZK_MAKE_INSECURE_SEED, .seed = 7};
        const cuzk_status st = cuzk_params_make(params_folder, kind, 2048, &o, &golden_error);
        CHECK_MSG(st == CUZK_OK || (st == CUZK_E_EXISTS && kept != NULL), "%s", golden_error.text);
        is_made[kind] = true;
    }
    return params_folder;
}

static void hex32(uint8_t out[32], const char *text)
{
    CHECK(cuzk_hex_decode(out, 32, text, strlen(text)));
}

/* comm_r of the sealed sectors 1 and 2, comm_d of the first (test/vectors/groth16/vectors.json). */
#define COMM_R_1 "0890436ba220ef2c9c082683d5445558ac3913a97e078505280092b0a30fad0b"
#define COMM_R_2 "a06d887a64cb6838f78b444df85067c22a20dc2e081a21813cdc7c4e116a3b26"
#define COMM_D   "44e01c60b5e3fcbf57645aa64ea95130e739b789918228d55699b52e9f60a51b"

static void make_porep(golden_job *j, const char *name)
{
    static const struct {
        const char *name, *file, *comm_r;
        uint64_t type;
    } all[] = {{"porep-v1_1", VECTORS "porep-v1_1.c1.json", COMM_R_1, 5},
               {"porep-synth", VECTORS "porep-synth.c1.json",
                "3f1e6e5d009296c5a5cbbaead74a035714c85cf8fc2352e1ce76654c3ac6c815", 10},
               {"porep-ni", VECTORS "porep-ni.c1.json",
                "d8e52a70d5a6886cecedb57b7f7d6f6580cf7718f2bace0a7d889be4c66a1027", 15}};
    cuzk_seal_claim *c = &j->claim.seal;
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(all[i].name, name) == 0) {
            j->inputs[0] = golden_file(all[i].file);
            c->registered_proof = all[i].type;
            hex32(c->comm_r, all[i].comm_r);
        }
    }
    c->struct_size = sizeof(*c);
    c->miner_id = j->rq.miner_id = GOLDEN_MINER;
    c->sector_number = j->rq.sector_number = 1;
    hex32(c->comm_d, COMM_D);
    for (uint8_t i = 0; i < 32; i++) {
        c->ticket[i] = i;
        c->seed[i] = (uint8_t)(32 + i);
    }
    j->rq.kind = CUZK_KIND_POREP;
    j->rq.flags = CUZK_PROVE_BIND_SECTOR;
}

static void make_post(golden_job *j, const char *name)
{
    const bool is_window = strncmp(name, "window", 6) == 0;
    cuzk_post_claim *c = &j->claim.post;
    char path[128];
    j->rq.kind = is_window ? CUZK_KIND_WINDOW : CUZK_KIND_WINNING;
    j->rq.n_inputs = is_window ? 2 : 1;
    for (size_t i = 0; i < j->rq.n_inputs; i++) {
        (void)snprintf(path, sizeof(path), VECTORS "%s.sector%zu.vanilla.bin", name, i + 1);
        j->inputs[i] = golden_file(path);
        j->sectors[i].number = i + 1;
    }
    hex32(j->sectors[0].comm_r, COMM_R_1);
    hex32(j->sectors[1].comm_r, COMM_R_2);
    *c = (cuzk_post_claim){.struct_size = sizeof(*c),
                           .registered_proof = !is_window                    ? 0
                                               : strcmp(name, "window") == 0 ? 10
                                                                             : 5,
                           .sectors = j->sectors,
                           .n_sectors = j->rq.n_inputs};
    for (uint8_t i = 0; i < 31; i++) {
        c->randomness[i] = (uint8_t)(64 + i);
    }
    memcpy(j->rq.randomness, c->randomness, 32);
    j->rq.registered_proof = c->registered_proof;
    j->rq.sector_bytes = 2048;
}

static void make_update(golden_job *j)
{
    cuzk_update_claim *c = &j->claim.update;
    j->inputs[0] = golden_file(VECTORS "update.p0.vanilla.bin");
    c->struct_size = sizeof(*c);
    hex32(c->comm_r_old, "0890436ba220ef2c9c082683d5445558ac3913a97e078505280092b0a30fad0b");
    hex32(c->comm_r_new, "fad3824540fe9bd09f17867196920dcf8d0f31cd0a9be2a7ecc199112612d628");
    hex32(c->comm_d_new, "dfb01dd4f72e6a4351d502cc8c124ec394374037a2981f126284a4de8f8bc718");
    memcpy(j->rq.comm_r_old, c->comm_r_old, 32);
    memcpy(j->rq.comm_r_new, c->comm_r_new, 32);
    memcpy(j->rq.comm_d_new, c->comm_d_new, 32);
    j->rq.kind = CUZK_KIND_UPDATE;
}

void golden_job_make(golden_job *out, const char *name)
{
    memset(out, 0, sizeof(*out));
    out->rq.struct_size = sizeof(out->rq);
    out->rq.inputs = out->inputs;
    out->rq.n_inputs = 1;
    if (strncmp(name, "porep", 5) == 0) {
        make_porep(out, name);
    } else if (strcmp(name, "update") == 0) {
        make_update(out);
    } else {
        make_post(out, name);
    }
    CHECK(out->inputs[0].data != NULL);
}

cuzk_status golden_verify(const golden_job *job, const uint8_t *proof, size_t proof_bytes)
{
    cuzk_vk *vk = NULL;
    cuzk_status st;
    LIB_OK(cuzk_vk_load(&vk, job->rq.kind, 2048, golden_params(job->rq.kind), &golden_error));
    switch (job->rq.kind) {
    case CUZK_KIND_POREP:
        st = cuzk_verify_seal(vk, proof, proof_bytes, &job->claim.seal, &golden_error);
        break;
    case CUZK_KIND_UPDATE:
        st = cuzk_verify_update(vk, proof, proof_bytes, &job->claim.update, &golden_error);
        break;
    default: st = cuzk_verify_post(vk, proof, proof_bytes, &job->claim.post, &golden_error); break;
    }
    cuzk_vk_destroy(vk);
    return st;
}
