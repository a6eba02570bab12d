/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fp_mul_adx(uint64_t out[6], const uint64_t a[6], const uint64_t b[6]);
 *
 * out = a * b / 2^384 mod q, out < q. Pre: a, b < 4q and a*b < 4q^2 (4q^2/2^384 + c + q < 2q with
 * c = 2^-64 mod q = 0.54q). out may alias a and b. Constant time. 73 multiplications.
 *
 * %rdi out, %rsi a, %rcx b; the window of seven limbs rotates through %r8-%r14.
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"
#    include "ff/x86/fp/fp_adx.inc"

    FP_CONSTS

FUNC cuzk_fp_mul_adx
    SAVE    %rbp, %r12, %r13, %r14
    mov     %rdx, %rcx
    FP_MULSUM 0, %rsi, 0, %rcx
    FP_FINAL %r14, %r8, %r9, %r10, %r11, %r12, %rax, %rbp, %rcx, %rdx, %rsi, %r13
    RESTORE %r14, %r13, %r12, %rbp
    ret
END cuzk_fp_mul_adx
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
