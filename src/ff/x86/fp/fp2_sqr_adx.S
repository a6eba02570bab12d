/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fp2_sqr_adx(uint64_t out[12], const uint64_t a[12]);
 *
 * out = (a0 + a1)(a0 - a1) + (2 a0 a1) i, Montgomery form, out < q. Pre: a < q. out may alias a.
 * Constant time. 146 multiplications. Sums are not reduced: (a0 + a1)(a0 + q - a1) < 4 q^2.
 *
 * %rdi out, %rsi a. Below the stack pointer: a0 + a1 and then 2 a0 (48 bytes), a0 + q - a1 (48 bytes).
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"
#    include "ff/x86/fp/fp_adx.inc"

    FP_CONSTS

FUNC cuzk_fp2_sqr_adx
    SAVE    %rbx, %rbp, %r12, %r13, %r14, %r15
    FP_LOAD 0, %rsi, %r8, %r9, %r10, %r11, %r12, %r13
    FP_CHAIN add, adc, 48, %rsi, %r8, %r9, %r10, %r11, %r12, %r13
    FP_STORE -48, %rsp, %r8, %r9, %r10, %r11, %r12, %r13
    FP_LOAD .Lq, %rip, %r8, %r9, %r10, %r11, %r12, %r13
    FP_CHAIN sub, sbb, 48, %rsi, %r8, %r9, %r10, %r11, %r12, %r13
    FP_CHAIN add, adc, 0, %rsi, %r8, %r9, %r10, %r11, %r12, %r13
    FP_STORE -96, %rsp, %r8, %r9, %r10, %r11, %r12, %r13

    FP_MULSUM -96, %rsp, -48, %rsp
    FP_MODQ %r14, %r8, %r9, %r10, %r11, %r12, %rax, %rbp, %rbx, %rdx, %r15, %r13
    FP_LOAD 0, %rsi, %rax, %rbp, %rbx, %rdx, %r15, %r13
    FP_CHAIN add, adc, 0, %rsi, %rax, %rbp, %rbx, %rdx, %r15, %r13
    FP_STORE -48, %rsp, %rax, %rbp, %rbx, %rdx, %r15, %r13
    FP_STORE 0, %rdi, %r14, %r8, %r9, %r10, %r11, %r12

    FP_MULSUM 48, %rsi, -48, %rsp
    FP_MODQ %r14, %r8, %r9, %r10, %r11, %r12, %rax, %rbp, %rbx, %rdx, %r15, %r13
    FP_STORE 48, %rdi, %r14, %r8, %r9, %r10, %r11, %r12
    RESTORE %r15, %r14, %r13, %r12, %rbp, %rbx
    ret
END cuzk_fp2_sqr_adx
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
