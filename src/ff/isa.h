/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FF_ISA_H
#define CUZK_FF_ISA_H

/* Which instruction-set twins of the field kernels this build contains. */
/* #define CUZK_FF_ADX 1 */

#endif /* CUZK_FF_ISA_H */
