/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Made by tools/gen/gen_consts.py; do not edit. */
#ifndef CUZK_FF_GEN_FP_CHAIN_GEN_H
#define CUZK_FF_GEN_FP_CHAIN_GEN_H

/* clang-format off */
/* power[i + 1] = power[first] * power[second], power[0] = a */
#define CUZK_FP_CHAIN_SUMS \
    {0, 0}, {1, 1}, {2, 0}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 2}, {8, 2}, {9, 1}, {10, 1}, {11, 7}, \
    {12, 0}, {12, 9}, {14, 13}, {15, 8}, {15, 11}, {15, 15}, {18, 11}, {18, 14}
/* start with power[7]; then {squarings, power to multiply by} */
#define CUZK_FP_CHAIN_START 7
#define CUZK_FP_CHAIN_STEPS \
    {13, 8}, {6, 4}, {5, 9}, {6, 4}, {6, 6}, {8, 20}, {6, 7}, {6, 7}, {3, 0}, {6, 6}, {11, 19}, {9, 17}, \
    {6, 11}, {8, 7}, {7, 10}, {5, 6}, {6, 7}, {7, 14}, {7, 8}, {8, 19}, {7, 10}, {10, 13}, {6, 13}, {7, 3}, \
    {7, 5}, {5, 6}, {7, 17}, {9, 16}, {8, 7}, {7, 9}, {12, 17}, {5, 6}, {11, 17}, {7, 5}, {8, 4}, {3, 3}, \
    {6, 9}, {8, 20}, {8, 20}, {5, 6}, {6, 3}, {7, 13}, {8, 20}, {8, 20}, {4, 4}, {10, 20}, {2, 0}, {8, 20}, \
    {8, 20}, {8, 20}, {8, 20}, {6, 9}, {6, 9}
/* squarings at the end */
#define CUZK_FP_CHAIN_TAIL 1
/* clang-format on */

#endif /* CUZK_FF_GEN_FP_CHAIN_GEN_H */
