/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fr_add_x64(uint64_t out[4], const uint64_t a[4], const uint64_t b[4]);
 *
 * out = a + b mod r, out < r. Pre: a + b < 2r. out may alias a and b. Constant time.
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"
#    include "ff/x86/fr/fr_adx.inc"

    FR_CONSTS

FUNC cuzk_fr_add_x64
    mov     (%rsi), %rax
    mov     8(%rsi), %rcx
    mov     16(%rsi), %r8
    mov     24(%rsi), %r9
    add     (%rdx), %rax
    adc     8(%rdx), %rcx
    adc     16(%rdx), %r8
    adc     24(%rdx), %r9
    FR_FINAL %rax, %rcx, %r8, %r9, %r10, %r11, %rdx, %rsi
    ret
END cuzk_fr_add_x64
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
