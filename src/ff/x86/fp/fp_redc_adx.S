/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fp_redc_adx(uint64_t out[6], const uint64_t t[12]);
 *
 * out = t / 2^384 mod q, out < q. Pre: t < 0.46 * q * 2^384, as 4.5 q^2 is. out may alias t.
 * Constant time. 37 multiplications.
 *
 * %rdi out, %rsi t.
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"
#    include "ff/x86/fp/fp_adx.inc"

    FP_CONSTS

FUNC cuzk_fp_redc_adx
    SAVE    %rbp, %r12, %r13, %r14
    mov     (%rsi), %rdx
    mov     8(%rsi), %r8
    mov     16(%rsi), %r9
    mov     24(%rsi), %r10
    mov     32(%rsi), %r11
    mov     40(%rsi), %r12
    FP_REDC_LOW
    add     48(%rsi), %r13
    adc     56(%rsi), %r14
    adc     64(%rsi), %r8
    adc     72(%rsi), %r9
    adc     80(%rsi), %r10
    adc     88(%rsi), %r11
    FP_FINAL %r13, %r14, %r8, %r9, %r10, %r11, %rax, %rbp, %rcx, %rdx, %rsi, %r12
    RESTORE %r14, %r13, %r12, %rbp
    ret
END cuzk_fp_redc_adx
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
