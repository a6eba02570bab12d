/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fp_sqr_adx(uint64_t out[6], const uint64_t a[6]);
 *
 * out = a^2 / 2^384 mod q, out < q. Pre: a < 2q. out may alias a. Constant time. 58
 * multiplications.
 *
 * %rdi out, %rsi a; the high half of the square waits below the stack pointer (red zone).
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"
#    include "ff/x86/fp/fp_adx.inc"

    FP_CONSTS

FUNC cuzk_fp_sqr_adx
    SAVE    %rbx, %rbp, %r12, %r13, %r14, %r15
    FP_SQR_WIDE -8(%rsp)
    mov     -8(%rsp), %rdx
    mov     %r13, -48(%rsp)
    mov     %r14, -40(%rsp)
    mov     %rbp, -8(%rsp)
    FP_REDC_LOW
    add     -48(%rsp), %r13
    adc     -40(%rsp), %r14
    adc     %r15, %r8
    adc     %rbx, %r9
    adc     %rcx, %r10
    adc     -8(%rsp), %r11
    FP_FINAL %r13, %r14, %r8, %r9, %r10, %r11, %rax, %rbp, %rcx, %rdx, %rsi, %r12
    RESTORE %r15, %r14, %r13, %r12, %rbp, %rbx
    ret
END cuzk_fp_sqr_adx
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
