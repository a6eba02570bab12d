/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_GROTH16_DEVICE_INSTANCE_H
#define CUZK_TEST_GROTH16_DEVICE_INSTANCE_H

/* A circuit with parameters, and the CPU's proofs of it for four pairs of r and s. */
#include "groth16/circuits.h"
#include "groth16/device/device_key.h"

typedef struct device_instance {
    test_instance t;
    cuzk_srs *srs, *file; /* the same parameters in a file, where there can be one, else srs */
    cuzk_toxic toxic;
    cuzk_proof want[4];
    const cuzk_witness *witnesses[4]; /* all the same */
    cuzk_scalar r[4], s[4];
} device_instance;

/** Takes t over. */
void device_instance_begin(device_instance *in, test_instance t, cuzk_quotient_kind kind);
void device_instance_end(device_instance *in);
void device_check_proofs(const cuzk_proof *got, const cuzk_proof *want, size_t n);

typedef struct device_variant {
    bool stream, make; /* make: parameters made on the device */
    uint32_t group;
    uint64_t slice;
    bool file; /* what streams comes from the file */
    cuzk_device_comb comb;
} device_variant;
/** Loads a key and proves n witnesses with it; the first failure. Nothing stays on the device. */
cuzk_status device_load_and_prove(const device_instance *in, cuzk_accel *dev, device_variant v,
                                  size_t n, cuzk_proof *out, cuzk_err *err);

#endif /* CUZK_TEST_GROTH16_DEVICE_INSTANCE_H */
