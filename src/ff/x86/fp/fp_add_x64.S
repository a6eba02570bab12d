/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fp_add_x64(uint64_t out[6], const uint64_t a[6], const uint64_t b[6]);
 *
 * out = a + b mod q, out < q. Pre: a + b < 2q. out may alias a and b. Constant time.
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"
#    include "ff/x86/fp/fp_adx.inc"

    FP_CONSTS

FUNC cuzk_fp_add_x64
    SAVE    %rbx, %rbp, %r12, %r13
    mov     (%rsi), %rax
    mov     8(%rsi), %rcx
    mov     16(%rsi), %r8
    mov     24(%rsi), %r9
    mov     32(%rsi), %r10
    mov     40(%rsi), %r11
    add     (%rdx), %rax
    adc     8(%rdx), %rcx
    adc     16(%rdx), %r8
    adc     24(%rdx), %r9
    adc     32(%rdx), %r10
    adc     40(%rdx), %r11
    FP_FINAL %rax, %rcx, %r8, %r9, %r10, %r11, %rbx, %rbp, %r12, %r13, %rdx, %rsi
    RESTORE %r13, %r12, %rbp, %rbx
    ret
END cuzk_fp_add_x64
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
