/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * void cuzk_ntt_forward_adx(uint64_t *x, uint64_t *y, const uint64_t *w, size_t step, size_t n);
 * void cuzk_ntt_inverse_adx(uint64_t *x, uint64_t *y, const uint64_t *w, size_t step, size_t n);
 *
 * n > 0 butterflies on elements x[i], y[i] of 32 bytes, with the factor at w + i * step bytes:
 *   forward  x, y = x + w y, x - w y        inverse  x, y = x + y, (x - y) w
 * All values < r in and out. The product is ff's fr_mul without its final reduction where that is
 * not needed: its second factor may be < 2r.
 *
 * %rdi x, %rcx y, %rsi w, %r12 butterflies left; the product's window is %r8-%r11, %rbx.
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include "ff/gen/asm_const_gen.h"
#    include "ff/x86/mont_adx.inc"
#    include "ff/x86/fr/fr_adx.inc"

    FR_CONSTS

/* (%r10 %r9 %r8 %rbx) = (%rsi) * (%rcx) / 2^256 mod r, < 2r; see fr_mul_adx. */
.macro PRODUCT
    mov     (%rcx), %rdx
    MULSET  0, %rsi, %r8, %r9, %r10, %r11, %rbx
    adc     $0, %rbx

    FR_CSTEP %r8, %r8d, %r9, %r10, %r11, %rbx
    mov     8(%rcx), %rdx
    ROW     0, %rsi, %r8, %r9, %r10, %r11, %rbx, %r8

    FR_CSTEP %r9, %r9d, %r10, %r11, %rbx, %r8
    mov     16(%rcx), %rdx
    ROW     0, %rsi, %r9, %r10, %r11, %rbx, %r8, %r9

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
.endm

/* (w3..w0) mod r. Pre: < 2r. t0..t3: scratch. */
.macro REDUCE w0, w1, w2, w3, t0, t1, t2, t3
    mov     \w0, \t0
    mov     \w1, \t1
    mov     \w2, \t2
    mov     \w3, \t3
    sub     .Lr(%rip), \w0
    sbb     .Lr+8(%rip), \w1
    sbb     .Lr+16(%rip), \w2
    sbb     .Lr+24(%rip), \w3
    cmovc   \t0, \w0
    cmovc   \t1, \w1
    cmovc   \t2, \w2
    cmovc   \t3, \w3
.endm

.macro LOAD base, w0, w1, w2, w3
    mov     (\base), \w0
    mov     8(\base), \w1
    mov     16(\base), \w2
    mov     24(\base), \w3
.endm

.macro STORE base, w0, w1, w2, w3
    mov     \w0, (\base)
    mov     \w1, 8(\base)
    mov     \w2, 16(\base)
    mov     \w3, 24(\base)
.endm

/* Frame: 0(%rsp) w, 8(%rsp) step. */
.macro ENTER
    SAVE    %rbx, %rbp, %r12, %r13, %r14, %r15
    sub     $24, %rsp
    .cfi_adjust_cfa_offset 24
    mov     %r8, %r12
    mov     %rcx, 8(%rsp)
    mov     %rsi, %rcx
    mov     %rdx, (%rsp)
.endm

.macro LEAVE
    add     $24, %rsp
    .cfi_adjust_cfa_offset -24
    RESTORE %r15, %r14, %r13, %r12, %rbp, %rbx
    ret
.endm

.macro NEXT loop
    mov     8(%rsp), %rax
    add     %rax, (%rsp)
    add     $32, %rdi
    add     $32, %rcx
    dec     %r12
    jnz     \loop
.endm

FUNC cuzk_ntt_forward_adx
    ENTER
.Lforward:
    mov     (%rsp), %rsi
    PRODUCT
    REDUCE  %rbx, %r8, %r9, %r10, %rax, %rbp, %rdx, %r11
    LOAD    %rdi, %rax, %rbp, %rdx, %r11
    add     %rbx, %rax
    adc     %r8, %rbp
    adc     %r9, %rdx
    adc     %r10, %r11 /* no carry: < 2r */
    LOAD    %rdi, %rsi, %r13, %r14, %r15
    sub     %rbx, %rsi
    sbb     %r8, %r13
    sbb     %r9, %r14
    sbb     %r10, %r15
    mov     $0, %ebx
    mov     $0, %r8d
    mov     $0, %r9d
    mov     $0, %r10d
    cmovc   .Lr(%rip), %rbx
    cmovc   .Lr+8(%rip), %r8
    cmovc   .Lr+16(%rip), %r9
    cmovc   .Lr+24(%rip), %r10
    add     %rbx, %rsi
    adc     %r8, %r13
    adc     %r9, %r14
    adc     %r10, %r15
    STORE   %rcx, %rsi, %r13, %r14, %r15
    REDUCE  %rax, %rbp, %rdx, %r11, %rbx, %r8, %r9, %r10
    STORE   %rdi, %rax, %rbp, %rdx, %r11
    NEXT    .Lforward
    LEAVE
END cuzk_ntt_forward_adx

FUNC cuzk_ntt_inverse_adx
    ENTER
.Linverse:
    LOAD    %rdi, %rax, %rbp, %rdx, %r11
    mov     .Lr(%rip), %rsi
    mov     .Lr+8(%rip), %r13
    mov     .Lr+16(%rip), %r14
    mov     .Lr+24(%rip), %r15
    sub     (%rcx), %rsi /* r - y + x: positive, < 2r */
    sbb     8(%rcx), %r13
    sbb     16(%rcx), %r14
    sbb     24(%rcx), %r15
    add     %rax, %rsi
    adc     %rbp, %r13
    adc     %rdx, %r14
    adc     %r11, %r15
    add     (%rcx), %rax
    adc     8(%rcx), %rbp
    adc     16(%rcx), %rdx
    adc     24(%rcx), %r11
    STORE   %rcx, %rsi, %r13, %r14, %r15
    REDUCE  %rax, %rbp, %rdx, %r11, %rbx, %r8, %r9, %r10
    STORE   %rdi, %rax, %rbp, %rdx, %r11
    mov     (%rsp), %rsi
    PRODUCT
    REDUCE  %rbx, %r8, %r9, %r10, %rax, %rbp, %rdx, %r11
    STORE   %rcx, %rbx, %r8, %r9, %r10
    NEXT    .Linverse
    LEAVE
END cuzk_ntt_inverse_adx
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
