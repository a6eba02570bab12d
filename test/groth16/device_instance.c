/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "groth16/device_instance.h"

#include <stdio.h>

#include "test.h"

static const cuzk_scalar rs[4][2] = {
    {{{0x1122334455667788u, 5, 6, 7}}, {{0x99aabbccddeeff00u, ~0ull, 0, 0x73eda753299d7d47u}}},
    {{{3}}, {{4}}},
    {{{77, 1}}, {{0, 0, 9}}},
    {{{1}}, {{2, 2, 2}}},
};

/* Files of tests that run at once have different names. */
static void make_file(device_instance *in)
{
    cuzk_err err;
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/device-%p.params", test_tmpdir(), (void *)in);
    CHECK_OK(cuzk_srs_write(in->srs, path, true, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_srs_open(&in->file, path, CUZK_POINT_UNCHECKED, NULL, NULL, &err), &err);
}

void device_instance_begin(device_instance *in, test_instance t, cuzk_quotient_kind kind)
{
    cuzk_err err;
    const cuzk_setup_opts opts = {.kind = kind};
    in->t = t;
    cuzk_toxic_from_seed(&in->toxic, test_u64());
    CHECK_OK(cuzk_setup_create(&in->srs, t.c, &in->toxic, &opts, NULL, NULL, &err), &err);
    in->file = in->srs;
    if (kind == CUZK_QUOTIENT_COEFFS) {
        make_file(in);
    }
    for (size_t i = 0; i < 4; i++) {
        const cuzk_prove_opts p = {.r = &rs[i][0], .s = &rs[i][1]};
        in->r[i] = rs[i][0];
        in->s[i] = rs[i][1];
        in->witnesses[i] = t.w;
        CHECK_OK(cuzk_prove(&in->want[i], t.w, in->srs, &p, NULL, NULL, &err), &err);
    }
}

void device_instance_end(device_instance *in)
{
    if (in->file != in->srs) {
        cuzk_srs_close(in->file);
    }
    cuzk_srs_close(in->srs);
    test_instance_destroy(&in->t);
}

void device_check_proofs(const cuzk_proof *got, const cuzk_proof *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t a[192], b[192];
        cuzk_proof_encode(a, &got[i]);
        cuzk_proof_encode(b, &want[i]);
        CHECK_MEM(a, b, 192);
    }
}

cuzk_status device_load_and_prove(const device_instance *in, cuzk_accel *dev, device_variant v,
                                  size_t n, cuzk_proof *out, cuzk_err *err)
{
    cuzk_device_key *k = NULL;
    const cuzk_device_key_opts ko = {.stream = v.stream,
                                     .chunk_points = 1024,
                                     .check = CUZK_POINT_IN_SUBGROUP,
                                     .points =
                                         v.file ? CUZK_DEVICE_POINTS_FILE : CUZK_DEVICE_POINTS_AUTO,
                                     .comb = v.comb,
                                     .images = true};
    const cuzk_device_prove_opts po = {.r = in->r,
                                       .s = in->s,
                                       .max_group = v.group,
                                       .slice_points = v.slice,
                                       .device = CUZK_TRACE_NONE};
    if (v.make) {
        CUZK_TRY(cuzk_device_key_setup(&k, dev, in->t.c, &in->toxic, &ko, NULL, err));
    } else {
        CUZK_TRY(cuzk_device_key_create(&k, dev, in->t.c, v.file ? in->file : in->srs, &ko, NULL,
                                        NULL, err));
    }
    const cuzk_status st = cuzk_device_prove(k, out, n, in->witnesses, &po, NULL, err);
    cuzk_device_key_destroy(k);
    return st;
}
