/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fp_muldiff_adx(uint64_t out[6], const uint64_t a[6], const uint64_t b[6],
 *                         const uint64_t c[6], const uint64_t d[6]);
 *
 * out = (a * b - c * d) / 2^384 mod q, out < q. Pre: c < q; a, b, d < 2q
 * and ab + qd < 4.5 q^2 (all < q, or d and one of a, b < 2q). out
 * may alias any input. Constant time. 109 multiplications, one reduction.
 *
 * %rdi out, %rsi a, %rbx b, %rcx c, %r15 d. Below the stack pointer: q - c.
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"
#    include "ff/x86/fp/fp_adx.inc"

    FP_CONSTS

FUNC cuzk_fp_muldiff_adx
    SAVE    %rbx, %rbp, %r12, %r13, %r14, %r15
    mov     %rdx, %rbx
    mov     %r8, %r15
    FP_LOAD .Lq, %rip, %r9, %r10, %r11, %r12, %r13, %r14
    FP_CHAIN sub, sbb, 0, %rcx, %r9, %r10, %r11, %r12, %r13, %r14
    FP_STORE -48, %rsp, %r9, %r10, %r11, %r12, %r13, %r14
    FP_MULSUM 0, %rsi, 0, %rbx, -48, %rsp, 0, %r15
    FP_FINAL %r14, %r8, %r9, %r10, %r11, %r12, %rax, %rbp, %rcx, %rdx, %rsi, %r13
    RESTORE %r15, %r14, %r13, %r12, %rbp, %rbx
    ret
END cuzk_fp_muldiff_adx
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
