/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fr_mul_adx(uint64_t out[4], const uint64_t a[4], const uint64_t b[4]);
 *
 * out = a * b / 2^256 mod r, out < r. Pre: a < r, and b < 2r or a*b < 2^256 * 0.99r. out may alias
 * a and b. Constant time. 34 multiplications. c = 2^-64 mod r is almost r, so the last two steps
 * are m-steps: the result is < ab/2^256 + r + (c + r)/2^64 < 2r.
 *
 * %rdi out, %rsi a, %rcx b; the window of five limbs rotates through %r8-%r11, %rbx.
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"
#    include "ff/x86/fr/fr_adx.inc"

    FR_CONSTS

FUNC cuzk_fr_mul_adx
    SAVE    %rbx, %rbp
    mov     %rdx, %rcx
    mov     (%rcx), %rdx
    MULSET  0, %rsi, %r8, %r9, %r10, %r11, %rbx
    adc     $0, %rbx

    FR_CSTEP %r8, %r8d, %r9, %r10, %r11, %rbx
    mov     8(%rcx), %rdx
    ROW     0, %rsi, %r8, %r9, %r10, %r11, %rbx, %r8

    FR_CSTEP %r9, %r9d, %r10, %r11, %rbx, %r8
    mov     16(%rcx), %rdx
    ROW     0, %rsi, %r9, %r10, %r11, %rbx, %r8, %r9

    /* m-step whose sum 2^64 (c + a + r) exceeds five limbs: both carries go to a sixth */
    mov     %r10, %rdx
    imul    .Linv(%rip), %rdx
    xor     %eax, %eax
    MULADD  .Lr, %rip, %r10, %r11, %rbx, %r8, %r9
    mov     $0, %r10d
    adox    %r10, %r10
    adc     $0, %r9
    adc     $0, %r10
    mov     24(%rcx), %rdx
    ROW     0, %rsi, %r10, %r11, %rbx, %r8, %r9, %r10

    FR_MSTEP %r11, %rbx, %r8, %r9, %r10
    FR_FINAL %rbx, %r8, %r9, %r10, %rax, %rbp, %rcx, %rdx
    RESTORE %rbp, %rbx
    ret
END cuzk_fr_mul_adx
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
