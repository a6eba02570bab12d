/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * uint32_t test_checked_call_x64(void (*fn)(void), const uint64_t args[6]);
 *
 * Calls fn with six integer arguments, and returns what the call broke (CUZK_BROKE_* of
 * checked_call.h). Before the call the callee-saved registers hold known patterns, and 256 bytes
 * above the callee's frame hold a canary. Not for two threads at once: the expected stack pointer is
 * in static memory, so that a callee that moves the stack pointer is found and does not crash the test.
 */
#if defined(__x86_64__)
#    define CANARY 256
#    define FRAME  (CANARY + 16)

    .section .rodata
    .balign 8
.Lpattern:
    .quad 0x5bd1e995a3c59ac3, 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f
    .quad 0x165667b19e3779f9, 0x27d4eb2f165667c5, 0x85ebca77c2b2ae63
.Lfill:
    .quad 0xfeedfacecafebeef

    .local test_checked_rsp
    .comm test_checked_rsp, 8, 8

    .text
    .globl test_checked_call_x64
    .hidden test_checked_call_x64
    .type test_checked_call_x64, @function
test_checked_call_x64:
    .cfi_startproc
    endbr64
    push    %rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbx, 0
    push    %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    push    %r12
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r12, 0
    push    %r13
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r13, 0
    push    %r14
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r14, 0
    push    %r15
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r15, 0
    sub     $(FRAME + 8), %rsp
    .cfi_adjust_cfa_offset FRAME + 8
    mov     %rsp, test_checked_rsp(%rip)

    mov     .Lfill(%rip), %r11
    xor     %ecx, %ecx
1:  mov     %r11, (%rsp, %rcx)
    add     $8, %ecx
    cmp     $CANARY, %ecx
    jne     1b

    mov     %rdi, %rax
    mov     %rsi, %r10
    mov     (%r10), %rdi
    mov     8(%r10), %rsi
    mov     16(%r10), %rdx
    mov     24(%r10), %rcx
    mov     32(%r10), %r8
    mov     40(%r10), %r9
    mov     .Lpattern(%rip), %rbx
    mov     .Lpattern+8(%rip), %rbp
    mov     .Lpattern+16(%rip), %r12
    mov     .Lpattern+24(%rip), %r13
    mov     .Lpattern+32(%rip), %r14
    mov     .Lpattern+40(%rip), %r15
    call    *%rax

    xor     %eax, %eax
    cmp     test_checked_rsp(%rip), %rsp
    je      2f
    or      $2, %eax
    mov     test_checked_rsp(%rip), %rsp
2:  mov     %eax, %r10d
    pushfq
    pop     %rax
    and     $0x400, %eax
    cld
    xchg    %r10d, %eax
    test    %r10d, %r10d
    jz      3f
    or      $4, %eax
3:  cmp     .Lpattern(%rip), %rbx
    jne     4f
    cmp     .Lpattern+8(%rip), %rbp
    jne     4f
    cmp     .Lpattern+16(%rip), %r12
    jne     4f
    cmp     .Lpattern+24(%rip), %r13
    jne     4f
    cmp     .Lpattern+32(%rip), %r14
    jne     4f
    cmp     .Lpattern+40(%rip), %r15
    je      5f
4:  or      $1, %eax
5:  mov     .Lfill(%rip), %r11
    xor     %ecx, %ecx
6:  cmp     (%rsp, %rcx), %r11
    jne     7f
    add     $8, %ecx
    cmp     $CANARY, %ecx
    jne     6b
    jmp     8f
7:  or      $8, %eax
8:  add     $(FRAME + 8), %rsp
    .cfi_adjust_cfa_offset -(FRAME + 8)
    pop     %r15
    .cfi_adjust_cfa_offset -8
    pop     %r14
    .cfi_adjust_cfa_offset -8
    pop     %r13
    .cfi_adjust_cfa_offset -8
    pop     %r12
    .cfi_adjust_cfa_offset -8
    pop     %rbp
    .cfi_adjust_cfa_offset -8
    pop     %rbx
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
    .size   test_checked_call_x64, .-test_checked_call_x64

/* Callees that break the convention on purpose, one rule each: the test of the test. */
.macro BAD name
    .globl  \name
    .hidden \name
    .type   \name, @function
\name:
    endbr64
.endm
BAD test_bad_register
    inc     %r13
    ret
BAD test_bad_stack
    pop     %rax
    push    %rax
    push    %rax
    jmp     *%rax
BAD test_bad_direction
    std
    ret
BAD test_bad_canary
    movq    $0, 16(%rsp)
    ret
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
