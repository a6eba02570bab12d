/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fr_sub_x64(uint64_t out[4], const uint64_t a[4], const uint64_t b[4]);
 *
 * out = a - b mod r, out < r. Pre: a, b < r. out may alias a and b. Constant time.
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"
#    include "ff/x86/fr/fr_adx.inc"

    FR_CONSTS

FUNC cuzk_fr_sub_x64
    mov     (%rsi), %rax
    mov     8(%rsi), %rcx
    mov     16(%rsi), %r8
    mov     24(%rsi), %r9
    xor     %r10d, %r10d
    xor     %r11d, %r11d
    sub     (%rdx), %rax
    sbb     8(%rdx), %rcx
    sbb     16(%rdx), %r8
    sbb     24(%rdx), %r9
    mov     $0, %edx
    mov     $0, %esi
    cmovc   .Lr(%rip), %r10
    cmovc   .Lr+8(%rip), %r11
    cmovc   .Lr+16(%rip), %rdx
    cmovc   .Lr+24(%rip), %rsi
    add     %r10, %rax
    adc     %r11, %rcx
    adc     %rdx, %r8
    adc     %rsi, %r9
    mov     %rax, (%rdi)
    mov     %rcx, 8(%rdi)
    mov     %r8, 16(%rdi)
    mov     %r9, 24(%rdi)
    ret
END cuzk_fr_sub_x64
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
