/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fp_wide_mul_adx(uint64_t out[12], const uint64_t a[6], const uint64_t b[6]);
 *
 * out = a * b as a 768-bit integer, any a, b. out disjoint from a and b. Constant time.
 *
 * %rdi out, %rsi a, %rcx b; the window of seven limbs rotates through %r8-%r14.
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"
#    include "ff/x86/fp/fp_adx.inc"


FUNC cuzk_fp_wide_mul_adx
    SAVE    %rbp, %r12, %r13, %r14
    mov     %rdx, %rcx
    mov     (%rcx), %rdx
    MULSET  0, %rsi, %r8, %r9, %r10, %r11, %r12, %r13, %r14
    adc     $0, %r14
    mov     %r8, (%rdi)

    mov     8(%rcx), %rdx
    ROW_NEWTOP 0, %rsi, %r8, %r8d, %r9, %r10, %r11, %r12, %r13, %r14, %r8
    mov     %r9, 8(%rdi)

    mov     16(%rcx), %rdx
    ROW_NEWTOP 0, %rsi, %r9, %r9d, %r10, %r11, %r12, %r13, %r14, %r8, %r9
    mov     %r10, 16(%rdi)

    mov     24(%rcx), %rdx
    ROW_NEWTOP 0, %rsi, %r10, %r10d, %r11, %r12, %r13, %r14, %r8, %r9, %r10
    mov     %r11, 24(%rdi)

    mov     32(%rcx), %rdx
    ROW_NEWTOP 0, %rsi, %r11, %r11d, %r12, %r13, %r14, %r8, %r9, %r10, %r11
    mov     %r12, 32(%rdi)

    mov     40(%rcx), %rdx
    ROW_NEWTOP 0, %rsi, %r12, %r12d, %r13, %r14, %r8, %r9, %r10, %r11, %r12
    mov     %r13, 40(%rdi)
    mov     %r14, 48(%rdi)
    mov     %r8, 56(%rdi)
    mov     %r9, 64(%rdi)
    mov     %r10, 72(%rdi)
    mov     %r11, 80(%rdi)
    mov     %r12, 88(%rdi)
    RESTORE %r14, %r13, %r12, %rbp
    ret
END cuzk_fp_wide_mul_adx
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
