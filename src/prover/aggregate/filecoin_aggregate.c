/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/aggregate/filecoin_aggregate.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "hash/sha256.h"
#include "prover/keys/params_dir.h"
#include "sys/file.h"
#include "vanilla/check/public_inputs.h"

static void hash_include(cuzk_agg_seals *out, const cuzk_porep_statement *sectors)
{
    cuzk_sha256 h;
    cuzk_sha256_init(&h);
    for (size_t i = 0; i < out->n_sectors; i++) {
        if (out->type.feature != CUZK_SEAL_NON_INTERACTIVE) {
            cuzk_sha256_update(&h, &sectors[i].seed, 32);
        }
        cuzk_sha256_update(&h, &sectors[i].comm_r, 32);
    }
    cuzk_sha256_final(out->include, &h);
}

typedef struct input_job {
    const cuzk_agg_seals *out;
    const cuzk_porep_statement *sectors;
    _Atomic size_t first_bad; /* proof number */
} input_job;

static cuzk_status fill_one(const input_job *j, size_t i, cuzk_fr *scratch, cuzk_err *err)
{
    const size_t n = j->out->claim.n_inputs;
    uint8_t *at = j->out->inputs + i * n * CUZK_SCALAR_BYTES;
    CUZK_TRY(cuzk_porep_public_inputs(scratch, &j->sectors[i / j->out->partitions],
                                      (uint32_t)(i % j->out->partitions), err));
    for (size_t k = 0; k < n; k++) {
        cuzk_fr_to_bytes_le(at + k * CUZK_SCALAR_BYTES, &scratch[k]);
    }
    return CUZK_OK;
}

static cuzk_status fill_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    input_job *j = arg;
    (void)worker;
    cuzk_fr *scratch = cuzk_alloc(j->out->claim.n_inputs, sizeof(*scratch));
    cuzk_status st = scratch != NULL ? CUZK_OK : CUZK_E_NOMEM;
    for (size_t i = begin; st == CUZK_OK && i < end; i++) {
        st = fill_one(j, i, scratch, NULL);
        if (st != CUZK_OK) {
            size_t seen = atomic_load(&j->first_bad);
            while (i < seen && !atomic_compare_exchange_weak(&j->first_bad, &seen, i)) {
            }
        }
    }
    cuzk_free(scratch);
    return st;
}

/* The message of the statement that failed, made again on this thread. */
static cuzk_status explain(const input_job *j, cuzk_status st, cuzk_err *err)
{
    const size_t i = j->first_bad;
    cuzk_err why = {0};
    cuzk_fr *scratch = cuzk_alloc(j->out->claim.n_inputs, sizeof(*scratch));
    if (i == SIZE_MAX || scratch == NULL) {
        cuzk_free(scratch);
        return CUZK_FAIL(err, st, "public inputs: %s", cuzk_status_text(st));
    }
    cuzk_ignore(fill_one(j, i, scratch, &why));
    cuzk_free(scratch);
    return CUZK_FAIL(err, st, "sector %zu of %zu: %s", i / j->out->partitions, j->out->n_sectors,
                     why.msg);
}

static cuzk_status check_types(const cuzk_porep_statement *sectors, size_t n, cuzk_err *err)
{
    if (n == 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s", "no sectors to aggregate");
    }
    for (size_t i = 1; i < n; i++) {
        if (sectors[i].type.number != sectors[0].type.number) {
            return CUZK_FAIL(
                err, CUZK_E_INVALID,
                "sector %zu has registered proof %llu, the first has %llu: an aggregate "
                "holds one type",
                i, (unsigned long long)sectors[i].type.number,
                (unsigned long long)sectors[0].type.number);
        }
    }
    return CUZK_OK;
}

cuzk_status cuzk_agg_seals_create(cuzk_agg_seals *out, const cuzk_porep_statement *sectors,
                                  size_t n, cuzk_pool *pool, cuzk_err *err)
{
    memset(out, 0, sizeof(*out));
    CUZK_TRY(check_types(sectors, n, err));
    out->type = sectors[0].type;
    out->n_sectors = n;
    out->partitions = cuzk_porep_partitions(&out->type);
    const size_t n_inputs =
        cuzk_porep_n_public_inputs(cuzk_sector_shape_of(out->type.sector_bytes));
    if (n > CUZK_AGG_MAX_PROOFS / out->partitions) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "%zu sectors of %u proofs are more than an aggregate can have, %zu proofs",
                         n, out->partitions, CUZK_AGG_MAX_PROOFS);
    }
    out->claim = (cuzk_agg_claim){.n = n * out->partitions,
                                  .n_inputs = n_inputs,
                                  .n_include = sizeof(out->include),
                                  .version = CUZK_AGG_V2};
    out->inputs = cuzk_alloc(out->claim.n * n_inputs, CUZK_SCALAR_BYTES);
    if (out->inputs == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the public inputs of %zu sectors", n);
    }
    input_job j = {out, sectors, SIZE_MAX};
    const cuzk_status st = cuzk_parallel_for(pool, NULL, out->claim.n, 0, fill_range, &j);
    if (st != CUZK_OK) {
        const cuzk_status said = explain(&j, st, err);
        cuzk_agg_seals_free(out);
        return said;
    }
    out->claim.inputs = out->inputs;
    out->claim.include = out->include;
    hash_include(out, sectors);
    return CUZK_OK;
}

void cuzk_agg_seals_free(cuzk_agg_seals *s)
{
    cuzk_free(s->inputs);
    memset(s, 0, sizeof(*s));
}

cuzk_status cuzk_agg_check_chain_limits(const cuzk_seal_type *type, size_t n_sectors, cuzk_err *err)
{
    const bool ni = type->feature == CUZK_SEAL_NON_INTERACTIVE;
    const size_t least = ni ? 1 : CUZK_AGG_CHAIN_MIN_SECTORS;
    const size_t most = ni ? CUZK_AGG_CHAIN_MAX_NI_SECTORS : CUZK_AGG_CHAIN_MAX_SECTORS;
    return n_sectors >= least && n_sectors <= most
               ? CUZK_OK
               : CUZK_FAIL(err, CUZK_E_INVALID,
                           "%zu sectors: the chain takes aggregates of %zu to %zu %ssectors",
                           n_sectors, least, most, ni ? "non-interactive " : "");
}

cuzk_status cuzk_filecoin_agg_srs_open(cuzk_agg_srs **out, const char *dir, cuzk_err *err)
{
    static const char name[] = "/" CUZK_AGG_SRS_FILE;
    cuzk_params_dir d;
    CUZK_TRY(cuzk_params_dir_choose(&d, dir, err));
    const size_t n = strlen(d.path);
    if (n + sizeof(name) > sizeof(d.path)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s: the path is too long", d.path);
    }
    memcpy(d.path + n, name, sizeof(name));
    CUZK_TRY(cuzk_file_check_plain(d.path, err));
    return cuzk_agg_srs_open(out, d.path, err);
}
