/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_ISA_H
#define CUZK_FF_ISA_H

/*
 * Which instruction-set twins of the field kernels this build contains. _x64 twins need nothing
 * beyond x86-64 and replace the C ones; _adx twins are chosen at run time by CUZK_CPU_ADX.
 */
#if defined(__x86_64__) && !defined(CUZK_PORTABLE)
#    define CUZK_FF_X64 1
#    define CUZK_FF_ADX 1
#endif

#endif /* CUZK_FF_ISA_H */
