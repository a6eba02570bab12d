/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Constant time of what r, s and toxic waste touch, under valgrind: the secrets are marked undefined,
 * so that a branch or an address that depends on one is reported. With "control" a variable-time
 * conversion to affine form runs instead, which must be reported.
 */
#include <stdio.h>
#include <string.h>
#include <valgrind/memcheck.h>

#include "cpu/cpu.h"
#include "groth16/cpu/prove_internal.h"
#include "groth16/setup/setup.h"
#include "groth16/setup/setup_internal.h"

static void hide(void *p, size_t n)
{
    (void)VALGRIND_MAKE_MEM_UNDEFINED(p, n);
}

static void show(void *p, size_t n)
{
    (void)VALGRIND_MAKE_MEM_DEFINED(p, n);
}

static void public_key(cuzk_srs_vk *vk)
{
    cuzk_toxic x;
    memset(vk, 0, sizeof(*vk));
    cuzk_toxic_from_seed(&x, 5);
    cuzk_setup_vk_points(vk, &x);
}

static void setup(void)
{
    cuzk_toxic x;
    cuzk_srs_vk vk;
    memset(&vk, 0, sizeof(vk));
    cuzk_toxic_from_seed(&x, 6);
    hide(&x.alpha, sizeof(x.alpha));
    hide(&x.beta, sizeof(x.beta));
    hide(&x.gamma, sizeof(x.gamma));
    hide(&x.delta, sizeof(x.delta));
    cuzk_setup_vk_points(&vk, &x);
    show(&vk, sizeof(vk));
}

static void assemble(bool control)
{
    cuzk_srs_vk vk;
    cuzk_prove_sums q;
    cuzk_proof proof;
    cuzk_scalar r = {{0x0123456789abcdefULL, 2, 3, 0x1122334455667788ULL}}, s = {{7, 8, 9, 10}};
    public_key(&vk);
    cuzk_g1_from_affine(&q.h, &vk.alpha_g1);
    cuzk_g1_from_affine(&q.l, &vk.beta_g1);
    cuzk_g1_from_affine(&q.a, &vk.delta_g1);
    cuzk_g1_from_affine(&q.b1, &vk.delta_g1);
    cuzk_g2_from_affine(&q.b2, &vk.delta_g2);
    hide(&r, sizeof(r));
    hide(&s, sizeof(s));
    if (control) {
        cuzk_g1 p;
        cuzk_g1_mul_ct(&p, &q.h, &r);
        cuzk_g1_to_affine(&proof.a, &p);
    } else {
        cuzk_prove_assemble_ct(&proof, &q, &vk, &r, &s);
    }
    show(&proof, sizeof(proof));
}

int main(int argc, char **argv)
{
    const bool control = argc > 1 && strcmp(argv[1], "control") == 0;
    if (RUNNING_ON_VALGRIND == 0) {
        (void)fprintf(stderr, "not under valgrind\n");
        return 77;
    }
    cuzk_cpu_set_mask(0);
    assemble(control);
    if (!control) {
        setup();
    }
    return 0;
}
