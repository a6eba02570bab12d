/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/keys/filecoin_verify.h"

#include "base/alloc.h"
#include "groth16/params/srs.h"
#include "sys/file.h"

void cuzk_porep_statement_of(cuzk_porep_statement *out, const cuzk_porep_input *in)
{
    out->type = in->type;
    out->replica_id = in->replica_id;
    out->comm_r = in->comm_r;
    out->comm_d = in->comm_d;
    out->seed = in->seed;
}

void cuzk_post_public_sectors_of(cuzk_post_public_sector *out, const cuzk_post_input *in)
{
    for (uint32_t i = 0; i < in->n_sectors; i++) {
        out[i].sector_id = in->sectors[i].sector_id;
        out[i].comm_r = in->sectors[i].comm_r;
    }
}

static cuzk_status parse_vk(cuzk_vk **out, const uint8_t *data, size_t n, const char *path,
                            cuzk_err *err)
{
    const cuzk_verify_result r = cuzk_srs_unsafe_keys_allowed() ? cuzk_vk_read_unsafe(out, data, n)
                                                                : cuzk_vk_read(out, data, n);
    if (r != CUZK_VERIFY_OK) {
        return CUZK_FAIL(err, (cuzk_status)r, "%s: %s", path, cuzk_verify_text(r));
    }
    return CUZK_OK;
}

static cuzk_status vk_from_params(cuzk_vk **out, const char *path, cuzk_err *err)
{
    cuzk_srs *srs = NULL;
    CUZK_TRY(cuzk_srs_open(&srs, path, CUZK_POINT_UNCHECKED, NULL, NULL, err));
    const size_t n = cuzk_srs_vk_bytes(srs);
    uint8_t *bytes = cuzk_alloc(n, 1);
    cuzk_status st;
    if (bytes == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "%s: out of memory for the verifying key", path);
    } else {
        cuzk_srs_write_vk(srs, bytes);
        st = parse_vk(out, bytes, n, path, err);
    }
    cuzk_free(bytes);
    cuzk_srs_close(srs);
    return st;
}

cuzk_status cuzk_filecoin_vk_load(cuzk_vk **out, cuzk_circuit_kind kind, uint64_t sector_bytes,
                                  const cuzk_params_dir *dir, cuzk_err *err)
{
    cuzk_circuit_spec spec;
    cuzk_content file;
    cuzk_err first = {.msg = ""};
    char path[CUZK_PATH_BYTES];
    CUZK_TRY(cuzk_circuit_spec_of(&spec, kind, sector_bytes, err));
    CUZK_TRY(cuzk_params_path(path, dir, &spec, CUZK_PARAM_FILE_VK, err));
    CUZK_TRY(cuzk_file_check_plain(path, err));
    cuzk_status st = cuzk_content_read(&file, path, CUZK_CONTENT_INPUT, &first);
    if (st == CUZK_OK) {
        st = parse_vk(out, file.data, file.size, path, err);
        cuzk_content_free(&file);
        return st;
    }
    if (st != CUZK_E_NOT_FOUND) {
        return CUZK_FAIL(err, st, "%s", first.msg);
    }
    CUZK_TRY(cuzk_params_path(path, dir, &spec, CUZK_PARAM_FILE_PARAMS, err));
    CUZK_TRY(cuzk_file_check_plain(path, err));
    st = vk_from_params(out, path, err);
    if (st == CUZK_E_NOT_FOUND) {
        const bool has_origin = dir->origin[0] != '\0';
        return CUZK_FAIL(err, st, "no verifying key: %s, nor the .params file beside it%s%s%s",
                         first.msg, has_origin ? " (folder from: " : "", dir->origin,
                         has_origin ? ")" : "");
    }
    return st;
}

/* The public inputs of one partition as the verifier takes them. */
static void inputs_to_bytes(uint8_t *out, const cuzk_fr *in, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cuzk_fr_to_bytes_le(out + CUZK_SCALAR_BYTES * i, &in[i]);
    }
}

static cuzk_status verify_one(const cuzk_vk *vk, const uint8_t *proof, const cuzk_fr *inputs,
                              uint8_t *bytes, size_t n, uint32_t partition, cuzk_err *err)
{
    inputs_to_bytes(bytes, inputs, n);
    const cuzk_verify_result r = cuzk_verify(vk, proof, CUZK_PROOF_BYTES, bytes, n);
    if (r != CUZK_VERIFY_OK) {
        return CUZK_FAIL(err, (cuzk_status)r, "partition %u: %s", partition, cuzk_verify_text(r));
    }
    return CUZK_OK;
}

/* Room for n public inputs in both forms. */
typedef struct scratch {
    cuzk_fr *inputs;
    uint8_t *bytes;
} scratch;

static cuzk_status scratch_create(scratch *s, size_t n, cuzk_err *err)
{
    s->inputs = cuzk_alloc(n, sizeof(*s->inputs));
    s->bytes = cuzk_alloc(n, CUZK_SCALAR_BYTES);
    if (s->inputs == NULL || s->bytes == NULL) {
        cuzk_free(s->inputs);
        cuzk_free(s->bytes);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "verification: out of memory for %zu public inputs", n);
    }
    return CUZK_OK;
}

static void scratch_destroy(scratch *s)
{
    cuzk_free(s->inputs);
    cuzk_free(s->bytes);
}

static cuzk_status check_length(size_t n_bytes, uint32_t partitions, cuzk_err *err)
{
    if (n_bytes != (size_t)partitions * CUZK_PROOF_BYTES) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "the proof has %zu bytes; %u partitions have %zu",
                         n_bytes, partitions, (size_t)partitions * CUZK_PROOF_BYTES);
    }
    return CUZK_OK;
}

cuzk_status cuzk_filecoin_verify_porep(const cuzk_vk *vk, const uint8_t *proofs, size_t n_bytes,
                                       const cuzk_porep_statement *st, uint32_t first, uint32_t end,
                                       cuzk_err *err)
{
    const uint32_t n = cuzk_porep_n_public_inputs(cuzk_sector_shape_of(st->type.sector_bytes));
    scratch s;
    CUZK_TRY(check_length(n_bytes, end - first, err));
    CUZK_TRY(scratch_create(&s, n, err));
    cuzk_status status = CUZK_OK;
    for (uint32_t k = first; status == CUZK_OK && k < end; k++) {
        status = cuzk_porep_public_inputs(s.inputs, st, k, err);
        if (status == CUZK_OK) {
            status = verify_one(vk, proofs + (size_t)(k - first) * CUZK_PROOF_BYTES, s.inputs,
                                s.bytes, n, k, err);
        }
    }
    scratch_destroy(&s);
    return status;
}

cuzk_status cuzk_filecoin_verify_post(const cuzk_vk *vk, const uint8_t *proof, size_t n_bytes,
                                      const cuzk_post_statement *st,
                                      const cuzk_post_public_sector *sectors, uint32_t n_sectors,
                                      cuzk_err *err)
{
    const uint32_t n = cuzk_post_n_public_inputs(&st->type);
    scratch s;
    CUZK_TRY(check_length(n_bytes, 1, err));
    CUZK_TRY(scratch_create(&s, n, err));
    cuzk_status status = cuzk_post_public_inputs(s.inputs, st, sectors, n_sectors, err);
    if (status == CUZK_OK) {
        status = verify_one(vk, proof, s.inputs, s.bytes, n, st->partition, err);
    }
    scratch_destroy(&s);
    return status;
}

cuzk_status cuzk_filecoin_verify_update(const cuzk_vk *vk, const uint8_t *proof, size_t n_bytes,
                                        const cuzk_update_statement *st, cuzk_err *err)
{
    cuzk_fr inputs[CUZK_UPDATE_PUBLIC_INPUTS];
    uint8_t bytes[CUZK_UPDATE_PUBLIC_INPUTS * CUZK_SCALAR_BYTES];
    CUZK_TRY(check_length(n_bytes, 1, err));
    CUZK_TRY(cuzk_update_public_inputs(inputs, st, err));
    return verify_one(vk, proof, inputs, bytes, CUZK_UPDATE_PUBLIC_INPUTS, st->partition, err);
}
