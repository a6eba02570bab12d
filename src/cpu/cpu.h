/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_CPU_CPU_H
#define CUZK_CPU_CPU_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What this processor and the operating system allow. Bundles, not loose bits: a flag is set only
 * when everything that the kernels under that name use is there, including the OS's consent to
 * save the registers (XGETBV).
 */
typedef enum cuzk_cpu_flag {
    CUZK_CPU_ADX = 1u << 0,        /* BMI2 mulx and ADX adcx/adox */
    CUZK_CPU_AVX2 = 1u << 1,       /* AVX2, YMM state enabled */
    CUZK_CPU_AVX512IFMA = 1u << 2, /* AVX-512 F, DQ, BW, VL and IFMA52, ZMM state enabled */
    CUZK_CPU_SHA = 1u << 3         /* SHA-NI with SSSE3 and SSE4.1 */
} cuzk_cpu_flag;

/** Flags of this machine; pure. */
uint32_t cuzk_cpu_detect(void);

/*
 * The set in force: detected & mask. It is a constant of the process: written once before main()
 * and changed only by tests and by --cpu-mask, before any thread is started.
 */
extern uint32_t cuzk_cpu_active;

/** Restrict the set to detected & mask; ~0u restores all. Not thread-safe: call it first. */
void cuzk_cpu_set_mask(uint32_t mask);

/**
 * For programs under an emulator that runs instructions which it does not announce (valgrind and
 * ADX): flags count as detected from now on. Nothing in a portable build. Not thread-safe.
 */
void cuzk_cpu_assume(uint32_t flags);

static inline bool cuzk_cpu_has(uint32_t flags)
{
    return (cuzk_cpu_active & flags) == flags;
}

/** "adx avx2 avx512ifma sha" style text of flags, into buf; returns buf. */
const char *cuzk_cpu_describe(uint32_t flags, char *buf, unsigned buf_bytes);

#endif /* CUZK_CPU_CPU_H */
