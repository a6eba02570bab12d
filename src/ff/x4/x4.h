/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_X4_X4_H
#define CUZK_FF_X4_X4_H

/* Whether this build contains the _avx2 functions, four values at a time; chosen at run time by CUZK_CPU_AVX2. */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    define CUZK_FF_AVX2 1
#endif

#endif /* CUZK_FF_X4_X4_H */
