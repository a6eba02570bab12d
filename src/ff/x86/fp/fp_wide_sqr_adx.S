/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fp_wide_sqr_adx(uint64_t out[12], const uint64_t a[6]);
 *
 * out = a^2 as a 768-bit integer, any a. out disjoint from a. Constant time.
 *
 * %rdi out, %rsi a.
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"
#    include "ff/x86/fp/fp_adx.inc"


FUNC cuzk_fp_wide_sqr_adx
    SAVE    %rbx, %rbp, %r12, %r13, %r14, %r15
    FP_SQR_WIDE (%rdi)
    mov     %r8, 8(%rdi)
    mov     %r9, 16(%rdi)
    mov     %r10, 24(%rdi)
    mov     %r11, 32(%rdi)
    mov     %r12, 40(%rdi)
    mov     %r13, 48(%rdi)
    mov     %r14, 56(%rdi)
    mov     %r15, 64(%rdi)
    mov     %rbx, 72(%rdi)
    mov     %rcx, 80(%rdi)
    mov     %rbp, 88(%rdi)
    RESTORE %r15, %r14, %r13, %r12, %rbp, %rbx
    ret
END cuzk_fp_wide_sqr_adx
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
