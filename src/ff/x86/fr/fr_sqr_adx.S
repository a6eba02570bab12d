/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_fr_sqr_adx(uint64_t out[4], const uint64_t a[4]);
 *
 * out = a^2 / 2^256 mod r, out < r. Pre: a < r. out may alias a. Constant time. 28
 * multiplications.
 *
 * %rdi out, %rsi a; words 0-7 of the square in the red zone, %r8-%r13, %rbp.
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"
#    include "ff/x86/fr/fr_adx.inc"

    FR_CONSTS

FUNC cuzk_fr_sqr_adx
    SAVE    %rbx, %rbp, %r12, %r13
    mov     (%rsi), %rdx
    MULSET  8, %rsi, %r8, %r9, %r10, %r11
    adc     $0, %r11
    mov     8(%rsi), %rdx
    ROW_NEWTOP 16, %rsi, %r12, %r12d, %r10, %r11, %r12
    mov     16(%rsi), %rdx
    ROW_NEWTOP 24, %rsi, %r13, %r13d, %r12, %r13

    /* double (CF chain) and add the squares (OF chain) */
    xor     %eax, %eax
    mov     (%rsi), %rdx
    mulx    %rdx, %rcx, %rbp
    adcx    %r8, %r8
    adox    %rbp, %r8
    mov     8(%rsi), %rdx
    mulx    %rdx, %rax, %rbp
    adcx    %r9, %r9
    adox    %rax, %r9
    adcx    %r10, %r10
    adox    %rbp, %r10
    mov     16(%rsi), %rdx
    mulx    %rdx, %rax, %rbp
    adcx    %r11, %r11
    adox    %rax, %r11
    adcx    %r12, %r12
    adox    %rbp, %r12
    mov     24(%rsi), %rdx
    mulx    %rdx, %rax, %rsi
    adcx    %r13, %r13
    adox    %rax, %r13
    mov     $0, %eax
    adcx    %rax, %rsi
    adox    %rax, %rsi

    /* low half: limb 0 %rcx, limbs 1-3 %r8-%r10; high half: %r11-%r13, %rsi */
    mov     %rcx, %rdx
    mov     %r11, %rcx
    xor     %r11d, %r11d
    ROW_NEWTOP .Lc, %rip, %rbx, %ebx, %r8, %r9, %r10, %r11, %rbx
    FR_CSTEP %r8, %r8d, %r9, %r10, %r11, %rbx
    FR_MSTEP %r9, %r10, %r11, %rbx, %r8
    xor     %r9d, %r9d
    FR_MSTEP %r10, %r11, %rbx, %r8, %r9
    add     %rcx, %r11
    adc     %r12, %rbx
    adc     %r13, %r8
    adc     %rsi, %r9
    FR_FINAL %r11, %rbx, %r8, %r9, %rax, %rbp, %rcx, %rdx
    RESTORE %r13, %r12, %rbp, %rbx
    ret
END cuzk_fr_sqr_adx
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
