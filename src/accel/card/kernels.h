/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_CARD_KERNELS_H
#define CUZK_ACCEL_CARD_KERNELS_H

/*
 * Every kernel of accel/cuda: threads of a block, dynamic shared memory of a block, and blocks that
 * __launch_bounds__ promises for a multiprocessor. The kernels are compiled with these constants and
 * launched with them. Kernels of two shapes have two lines: the wide one
 * is for 160 KiB and more of shared memory in a multiprocessor, the lean one for 100 KiB.
 */

/* The tree of affine additions: words of 16 bytes in a coordinate, and coordinates of a pair that are
 * staged in shared memory: x and y of both points, and the product in the wide shape. */
#define CUZK_TREE_BYTES(threads, words, staged)  ((threads) * (words) * (staged)*16u)
/* Running sums in shared memory: the points of a thread, 16 bytes apart from the next one's. */
#define CUZK_REDUCE_BYTES(threads, xyzz, points) ((threads) * ((xyzz) + 16u) * (points))
/* A tile of 2^10 elements with a pad for each 8; lean: half of each element at a time. */
#define CUZK_NTT_BYTES(half_elements)            ((half_elements)*1152u * 16u)
/* spread_k: 2^13 entries of 8 bytes, counts and moves of 2^11 bins, sums of 32 warps. */
#define CUZK_SPREAD_BYTES                        (8192u * 8u + 2u * 2048u * 4u + 32u * 4u)
#define CUZK_PLACE_WIDE                          (48u << 10) /* entries of 4 bytes */
#define CUZK_PLACE_A100                          (38u << 10)
#define CUZK_PLACE_LEAN                          (23u << 10)

/* XX(id, name as nvcc's symbols have it, threads, dynamic bytes, promised blocks) */
/* clang-format off */
#define CUZK_KERNEL_MAP(XX)                                                                          \
    XX(TREE_G1,            "tree_k<g1_group, false>",       512, CUZK_TREE_BYTES(512, 3, 5),      1) \
    XX(TREE_G1_LEAN,       "tree_k<g1_group, true>",        512, CUZK_TREE_BYTES(512, 3, 4),      1) \
    XX(TREE_G2,            "tree_k<g2_group, false>",       384, CUZK_TREE_BYTES(384, 6, 5),      1) \
    XX(TREE_G2_LEAN,       "tree_k<g2_group, true>",        256, CUZK_TREE_BYTES(256, 6, 4),      1) \
    XX(REDUCE_G1,          "reduce_k<g1_group, false>",     512, CUZK_REDUCE_BYTES(512, 192, 2),  1) \
    XX(REDUCE_G1_LEAN,     "reduce_k<g1_group, true>",      448, CUZK_REDUCE_BYTES(448, 192, 1),  1) \
    XX(REDUCE_G2,          "reduce_k<g2_group, false>",     256, CUZK_REDUCE_BYTES(256, 384, 2),  1) \
    XX(REDUCE_G2_LEAN,     "reduce_k<g2_group, true>",      224, CUZK_REDUCE_BYTES(224, 384, 1),  1) \
    XX(HEX_PIECES_G1,      "hex_pieces_k<g1_group, false>", 512, CUZK_REDUCE_BYTES(512, 192, 2),  1) \
    XX(HEX_PIECES_G1_LEAN, "hex_pieces_k<g1_group, true>",  448, CUZK_REDUCE_BYTES(448, 192, 1),  1) \
    XX(NTT_PASS,           "pass_k<false",                  128, CUZK_NTT_BYTES(2),               4) \
    XX(NTT_PASS_LEAN,      "pass_k<true",                   128, CUZK_NTT_BYTES(1),               4) \
    XX(NTT_MIDDLE,         "middle_k<false",                128, CUZK_NTT_BYTES(2),               4) \
    XX(NTT_MIDDLE_LEAN,    "middle_k<true",                 128, CUZK_NTT_BYTES(1),               4) \
    XX(PLACE,              "place_k",                      1024, CUZK_PLACE_WIDE * 4u,            1) \
    XX(SPREAD,             "spread_k",                     1024, CUZK_SPREAD_BYTES,               1) \
    XX(COUNT,              "count_k",                      1024, 0, 1) \
    XX(SCAN_BINS,          "scan_bins_k",                  1024, 0, 1) \
    XX(COUNT_KEYS,         "count_keys_k",                 1024, 0, 1) \
    XX(LIST_BITS,          "list_bits_k",                  1024, 0, 1) \
    XX(PAD_BITS,           "pad_bits_k",                     64, 0, 1) \
    XX(DIGITS,             "digits_k",                      256, 0, 1) \
    XX(HEX_DIGITS,         "hex_digits_k",                  256, 0, 1) \
    XX(ACCUMULATE_G1,      "accumulate_k<g1_group",         384, 0, 1) \
    XX(ACCUMULATE_G2,      "accumulate_k<g2_group",         256, 0, 1) \
    XX(TREE_PARTS_G1,      "tree_part_k",                   256, 512u * 48u, 2) \
    XX(COMBINE_G1,         "combine_k<g1_group",            128, 0, 4) \
    XX(COMBINE_G2,         "combine_k<g2_group",            128, 0, 2) \
    XX(COMBINE_HEAVY_G1,   "combine_heavy_k<g1_group",      128, 0, 1) \
    XX(COMBINE_HEAVY_G2,   "combine_heavy_k<g2_group",      128, 0, 1) \
    XX(COMBINE_SHARES_G1,  "combine_shares_k<g1_group",     128, 0, 1) \
    XX(COMBINE_SHARES_G2,  "combine_shares_k<g2_group",     128, 0, 1) \
    XX(REDUCE_TOP_G1,      "reduce_top_k<g1_group",         128, 0, 1) \
    XX(REDUCE_TOP_G2,      "reduce_top_k<g2_group",         128, 0, 1) \
    XX(HEX_ROWS_G1,        "hex_rows_k<g1_group",           128, 0, 1) \
    XX(FOLD_G1,            "fold_k<g1_group",               128, 0, 1) \
    XX(FOLD_G2,            "fold_k<g2_group",               128, 0, 1) \
    XX(PAIRS_OUT_G1,       "pairs_out_k<g1_group",          256, 0, 1) \
    XX(PAIRS_OUT_G2,       "pairs_out_k<g2_group",          256, 0, 1) \
    XX(IMAGES,             "images_k",                      256, 0, 1) \
    XX(FIRST_PAIRS,        "first_pairs_k",                 256, 0, 1) \
    XX(SECOND_PAIRS,       "second_pairs_k",                256, 0, 1) \
    XX(LIST_SIGNS,         "list_signs_k",                  256, 0, 1) \
    XX(TWIDDLE,            "twiddle_k",                     256, 0, 1) \
    XX(POWERS,             "powers_k",                      256, 0, 1) \
    XX(SCALE,              "scale_k",                       256, 0, 1) \
    XX(NTT_SMALL,          "small_k",                       512, 0, 1) \
    XX(VEC_MUL,            "vec_mul_k",                     256, 0, 1) \
    XX(VEC_RESIDUE,        "vec_residue_k",                 256, 0, 1) \
    XX(VEC_DIFF,           "vec_diff_k",                    256, 0, 1) \
    XX(REVERSE,            "reverse_k",                     256, 0, 1) \
    XX(REVERSE_SMALL,      "reverse_small_k",               256, 0, 1) \
    XX(EVAL_SHORT,         "eval_short",                    256, 0, 1) \
    XX(EVAL_LONG,          "eval_long",                     256, 0, 1) \
    XX(CHECK_SHORT,        "check_short",                   256, 0, 1) \
    XX(CHECK_LONG,         "check_long",                    256, 0, 1) \
    XX(BIND_SLOTS,         "bind_slots",                    256, 0, 1) \
    XX(GATHER_BITS,        "gather_bits",                   256, 0, 1) \
    XX(GATHER_FULLS,       "gather_fulls",                  256, 0, 1) \
    XX(SPLIT_POINTS,       "split_points",                  256, 0, 1) \
    XX(DECODE_POINTS,      "decode_points",                 128, 0, 1) \
    XX(FIXED_MUL_G1,       "multiply<g1_group",             384, 0, 1) \
    XX(FIXED_MUL_G2,       "multiply<g2_group",             256, 0, 1) \
    XX(TABLE_ENTRIES,      "table_entries",                 128, 0, 1) \
    XX(NORMALISE,          "normalise",                     128, 0, 1) \
    XX(LAGRANGE_VALUES,    "lagrange_values",               256, 0, 1) \
    XX(PART_COLUMNS,       "part_columns",                  256, 0, 1) \
    XX(ADD_HUBS,           "add_hubs",                      256, 0, 1) \
    XX(WIRE_VALUES,        "wire_values",                   256, 0, 1) \
    XX(EXT_SCALARS,        "ext_scalars",                   256, 0, 1) \
    XX(DENSE_SCALARS,      "dense_scalars",                 256, 0, 1) \
    XX(POWER_SCALARS,      "power_scalars",                 256, 0, 1) \
    XX(VERIFY_VALUES,      "verify_values",                 256, 0, 1)
/* clang-format on */

typedef enum cuzk_kernel {
#define XX(id, name, threads, bytes, blocks) CUZK_KERNEL_##id,
    CUZK_KERNEL_MAP(XX)
#undef XX
        CUZK_KERNELS
} cuzk_kernel;

/* CUZK_THREADS_<id>: for __launch_bounds__ and the kernels' own arithmetic. */
enum {
#define XX(id, name, threads, bytes, blocks) CUZK_THREADS_##id = (threads),
    CUZK_KERNEL_MAP(XX)
#undef XX
};

#endif /* CUZK_ACCEL_CARD_KERNELS_H */
