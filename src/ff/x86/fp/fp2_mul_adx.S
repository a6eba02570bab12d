/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fp2_mul_adx(uint64_t out[12], const uint64_t a[12], const uint64_t b[12]);
 *
 * out = (a0 b0 - a1 b1) + (a0 b1 + a1 b0) i, Montgomery form, out < q. Pre: a, b < q. out may alias
 * a and b. Constant time.
 *
 * Each coordinate is one sum of two products with one reduction, interleaved: 218 multiplications.
 * Karatsuba with two reductions has 182, but its additions of 12-limb numbers cost more than that
 * saves (Zen 5: see the commit).
 *
 * %rdi out, %rsi a, %rcx b. Below the stack pointer: q - a1 (48 bytes), c0 (48 bytes).
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"
#    include "ff/x86/fp/fp_adx.inc"

    FP_CONSTS

FUNC cuzk_fp2_mul_adx
    SAVE    %rbx, %rbp, %r12, %r13, %r14, %r15
    mov     %rdx, %rcx
    FP_LOAD .Lq, %rip, %r8, %r9, %r10, %r11, %r12, %r13
    FP_CHAIN sub, sbb, 48, %rsi, %r8, %r9, %r10, %r11, %r12, %r13
    FP_STORE -48, %rsp, %r8, %r9, %r10, %r11, %r12, %r13

    FP_MULSUM 0, %rsi, 0, %rcx, -48, %rsp, 48, %rcx
    FP_MODQ %r14, %r8, %r9, %r10, %r11, %r12, %rax, %rbp, %rbx, %rdx, %r15, %r13
    FP_STORE -96, %rsp, %r14, %r8, %r9, %r10, %r11, %r12

    FP_MULSUM 0, %rsi, 48, %rcx, 48, %rsi, 0, %rcx
    FP_MODQ %r14, %r8, %r9, %r10, %r11, %r12, %rax, %rbp, %rbx, %rdx, %r15, %r13
    FP_STORE 48, %rdi, %r14, %r8, %r9, %r10, %r11, %r12
    FP_LOAD -96, %rsp, %r14, %r8, %r9, %r10, %r11, %r12
    FP_STORE 0, %rdi, %r14, %r8, %r9, %r10, %r11, %r12
    RESTORE %r15, %r14, %r13, %r12, %rbp, %rbx
    ret
END cuzk_fp2_mul_adx
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
