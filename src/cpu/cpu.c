/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cpu/cpu.h"

#include <stdio.h>

uint32_t cuzk_cpu_active;

#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    include <cpuid.h>

#    define XCR0_YMM 0x06u /* SSE and AVX state */
#    define XCR0_ZMM 0xe6u /* and opmask, upper ZMM, ZMM16-31 */

static uint32_t read_xcr0(void)
{
    uint32_t lo, hi;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return lo;
}

uint32_t cuzk_cpu_detect(void)
{
    uint32_t a, b, c, d, flags = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0) {
        return 0;
    }
    const bool ssse3_sse41 = (c >> 9 & 1) != 0 && (c >> 19 & 1) != 0;
    const uint32_t xcr0 = (c >> 27 & 1) != 0 ? read_xcr0() : 0; /* OSXSAVE */
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) {         /* checks the maximum leaf */
        return 0;
    }
    if ((b >> 8 & 1) != 0 && (b >> 19 & 1) != 0) {
        flags |= CUZK_CPU_ADX;
    }
    if ((b >> 29 & 1) != 0 && ssse3_sse41) {
        flags |= CUZK_CPU_SHA;
    }
    if ((b >> 5 & 1) != 0 && (xcr0 & XCR0_YMM) == XCR0_YMM) {
        flags |= CUZK_CPU_AVX2;
        const uint32_t f512 =
            1u << 16 | 1u << 17 | 1u << 21 | 1u << 30 | 1u << 31; /* F DQ IFMA BW VL */
        if ((b & f512) == f512 && (xcr0 & XCR0_ZMM) == XCR0_ZMM) {
            flags |= CUZK_CPU_AVX512IFMA;
        }
    }
    return flags;
}
#else
uint32_t cuzk_cpu_detect(void)
{
    return 0;
}
#endif

__attribute__((constructor)) static void init_active(void)
{
    cuzk_cpu_active = cuzk_cpu_detect();
}

static uint32_t assumed; /* set once, at the start of a program */

void cuzk_cpu_set_mask(uint32_t mask)
{
    cuzk_cpu_active = (cuzk_cpu_detect() | assumed) & mask;
}

void cuzk_cpu_assume(uint32_t flags)
{
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
    assumed = flags;
    cuzk_cpu_active |= flags;
#else
    (void)flags;
#endif
}

const char *cuzk_cpu_describe(uint32_t flags, char *buf, unsigned buf_bytes)
{
    static const struct {
        uint32_t flag;
        const char *name;
    } names[] = {{CUZK_CPU_ADX, "adx"},
                 {CUZK_CPU_AVX2, "avx2"},
                 {CUZK_CPU_AVX512IFMA, "avx512ifma"},
                 {CUZK_CPU_SHA, "sha"}};
    unsigned n = 0;
    (void)snprintf(buf, buf_bytes, "%s", flags == 0 ? "portable" : "");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if ((flags & names[i].flag) != 0 && n < buf_bytes) {
            n +=
                (unsigned)snprintf(buf + n, buf_bytes - n, "%s%s", n > 0 ? " " : "", names[i].name);
        }
    }
    return buf;
}
