/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "card.h"

#include <stdlib.h>
#include <string.h>

#define KIB            1024u
#define MIB            (1024u * KIB)
#define KEPT_BY_SYSTEM ((uint64_t)1 << 30)

#define WIDE_NTT       CUZK_KERNEL_NTT_PASS, CUZK_KERNEL_NTT_MIDDLE
#define LEAN_NTT       CUZK_KERNEL_NTT_PASS_LEAN, CUZK_KERNEL_NTT_MIDDLE_LEAN
#define WIDE                                                                                    \
    {                                                                                           \
        CUZK_KERNEL_TREE_G1, CUZK_KERNEL_TREE_G2, CUZK_KERNEL_REDUCE_G1, CUZK_KERNEL_REDUCE_G2, \
            CUZK_KERNEL_HEX_PIECES_G1, WIDE_NTT, CUZK_PLACE_WIDE, 2                             \
    }
#define LEAN                                                                                       \
    {                                                                                              \
        CUZK_KERNEL_TREE_G1_LEAN, CUZK_KERNEL_TREE_G2_LEAN, CUZK_KERNEL_REDUCE_G1_LEAN,            \
            CUZK_KERNEL_REDUCE_G2_LEAN, CUZK_KERNEL_HEX_PIECES_G1_LEAN, LEAN_NTT, CUZK_PLACE_LEAN, \
            1                                                                                      \
    }
/* The tree of G1 and the tiles of the NTT fit an A100 as they are; the rest does not. */
#define MIXED                                                                                      \
    {                                                                                              \
        CUZK_KERNEL_TREE_G1, CUZK_KERNEL_TREE_G2_LEAN, CUZK_KERNEL_REDUCE_G1_LEAN,                 \
            CUZK_KERNEL_REDUCE_G2_LEAN, CUZK_KERNEL_HEX_PIECES_G1_LEAN, WIDE_NTT, CUZK_PLACE_A100, \
            2                                                                                      \
    }

/* Limits: the compute capabilities table of the CUDA C++ Programming Guide. */
const cuzk_card_class CUZK_CARD_TABLE[CUZK_CARD_CLASSES] = {
    {80, "8.0", "A100", 108, 40 * MIB, {163 * KIB, 164 * KIB, 2048, 32}, MIXED},
    {86, "8.6", "RTX 3090", 82, 6 * MIB, {99 * KIB, 100 * KIB, 1536, 16}, LEAN},
    {89, "8.9", "RTX 4090", 128, 72 * MIB, {99 * KIB, 100 * KIB, 1536, 24}, LEAN},
    {90, "9.0", "H200", 132, 50 * MIB, {227 * KIB, 228 * KIB, 2048, 32}, WIDE},
    {100, "10.0", "B200", 148, 126 * MIB, {227 * KIB, 228 * KIB, 2048, 32}, WIDE},
    {120, "12.0", "RTX 5090", 170, 96 * MIB, {99 * KIB, 100 * KIB, 1536, 24}, LEAN},
};

static const struct {
    const char *name;
    cuzk_launch launch;
} kernels[CUZK_KERNELS] = {
#define XX(id, name, threads, bytes, blocks) {name, {(threads), (bytes)}},
    CUZK_KERNEL_MAP(XX)
#undef XX
};

const cuzk_card_class *cuzk_card_class_of(unsigned cc, uint32_t shared_block)
{
    const cuzk_card_class *best = NULL, *newest = NULL;
    for (size_t i = 0; i < CUZK_CARD_CLASSES; i++) {
        const cuzk_card_class *c = &CUZK_CARD_TABLE[i];
        if (c->limits.shared_block > shared_block) {
            continue;
        }
        if (c->cc / 10 == cc / 10 && c->cc <= cc) {
            best = c;
        }
        if (c->cc < cc) {
            newest = c;
        }
    }
    return best != NULL ? best : cc > CUZK_CARD_LEAST_CC ? newest : NULL;
}

cuzk_status cuzk_card_of(cuzk_card *out, const cuzk_card_facts *f, cuzk_err *err)
{
    memset(out, 0, sizeof(*out));
    out->cc = f->cc;
    out->sms = f->sms;
    out->memory = f->memory;
    if (f->cc < CUZK_CARD_LEAST_CC) {
        return CUZK_FAIL(err, CUZK_E_DEV_UNFIT, "%s: compute capability %u.%u, needs %u.%u",
                         f->name, f->cc / 10, f->cc % 10, CUZK_CARD_LEAST_CC / 10,
                         CUZK_CARD_LEAST_CC % 10);
    }
    out->klass = cuzk_card_class_of(f->cc, f->shared_block);
    if (out->klass == NULL) {
        return CUZK_FAIL(err, CUZK_E_DEV_UNFIT, "%s: %u bytes of shared memory a block, needs %u",
                         f->name, f->shared_block,
                         cuzk_card_class_of(86, UINT32_MAX)->limits.shared_block);
    }
    return CUZK_OK;
}

static bool parse_memory(uint64_t *out, const char *text, const char **end)
{
    char *p = NULL;
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    const double value = strtod(text, &p);
    const unsigned shift = strncmp(p, "GiB", 3) == 0 ? 30 : strncmp(p, "MiB", 3) == 0 ? 20 : 0;
    const double bytes = value * (double)((uint64_t)1 << shift);
    if (shift == 0 || !(bytes >= 1) || bytes > 1e15) {
        return false;
    }
    *out = (uint64_t)bytes;
    *end = p + 3;
    return true;
}

cuzk_status cuzk_card_parse(cuzk_card *out, const char *text, cuzk_err *err)
{
    const size_t cc_length = strcspn(text, ":");
    const char *p = text + cc_length;
    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i < CUZK_CARD_CLASSES; i++) {
        const cuzk_card_class *c = &CUZK_CARD_TABLE[i];
        if (strlen(c->text) == cc_length && strncmp(c->text, text, cc_length) == 0) {
            out->klass = c;
        }
    }
    if (out->klass == NULL) {
        return CUZK_FAIL(err, CUZK_E_INVALID,
                         "a card '%s': wants 8.0, 8.6, 8.9, 9.0, 10.0 or 12.0, then :24GiB", text);
    }
    out->cc = out->klass->cc;
    out->sms = out->klass->sms;
    out->is_enforced = true;
    if (*p == ':' && !parse_memory(&out->memory, p + 1, &p)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "a card '%s': its memory is to be like 24GiB", text);
    }
    if (*p == ':') {
        char *end = NULL;
        const unsigned long n = strtoul(p + 1, &end, 10);
        if (end == p + 1 || n < 1 || n > 1024) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "a card '%s': 1 to 1024 multiprocessors", text);
        }
        out->sms = (uint32_t)n;
        p = end;
    }
    if (*p != '\0') {
        return CUZK_FAIL(err, CUZK_E_INVALID, "a card '%s': wants 8.9:24GiB or 8.9:24GiB:128",
                         text);
    }
    return CUZK_OK;
}

uint64_t cuzk_card_usable(const cuzk_card *card)
{
    return card->memory > 2 * KEPT_BY_SYSTEM ? card->memory - KEPT_BY_SYSTEM : card->memory / 2;
}

static cuzk_card in_play;

void cuzk_card_play(const cuzk_card *card)
{
    memset(&in_play, 0, sizeof(in_play));
    if (card != NULL) {
        in_play = *card;
    }
}

const cuzk_card *cuzk_card_played(void)
{
    return in_play.klass != NULL ? &in_play : NULL;
}

cuzk_launch cuzk_card_launch(const cuzk_card_class *c, cuzk_kernel k)
{
    cuzk_launch l = kernels[k].launch;
    if (k == CUZK_KERNEL_PLACE) {
        l.dynamic_bytes = c->shapes.place_entries * 4u;
    }
    return l;
}

bool cuzk_card_runs(const cuzk_card_class *c, cuzk_kernel k)
{
    const cuzk_kernel chosen[] = {c->shapes.tree_g1,      c->shapes.tree_g2,  c->shapes.reduce_g1,
                                  c->shapes.reduce_g2,    c->shapes.ntt_pass, c->shapes.ntt_middle,
                                  c->shapes.hex_pieces_g1};
    for (size_t i = 0; i < sizeof(chosen) / sizeof(chosen[0]); i++) {
        if (k == chosen[i]) {
            return true;
        }
    }
    return k > CUZK_KERNEL_NTT_MIDDLE_LEAN; /* the kernels of two shapes come first */
}

uint32_t cuzk_card_blocks(const cuzk_card_limits *l, uint32_t threads, uint32_t registers,
                          uint64_t shared_bytes)
{
    const uint32_t warps = (threads + 31) / 32, warp_registers = (registers + 7) / 8 * 8 * 32;
    if (threads == 0 || threads > CUZK_CARD_THREADS || shared_bytes > l->shared_block) {
        return 0;
    }
    uint32_t most = l->blocks_sm;
    const uint32_t by_threads = l->threads_sm / (warps * 32);
    /* Each of the four parts of a multiprocessor has a quarter of the registers, for whole warps. */
    const uint32_t by_registers =
        warp_registers == 0 ? most : CUZK_CARD_REGISTERS / 4 / warp_registers * 4 / warps;
    const uint64_t by_shared =
        l->shared_sm / ((shared_bytes + CUZK_CARD_BLOCK_RESERVE + 127) / 128 * 128);
    most = by_threads < most ? by_threads : most;
    most = by_registers < most ? by_registers : most;
    return by_shared < most ? (uint32_t)by_shared : most;
}

cuzk_status cuzk_card_check(const cuzk_card_class *c, const char *kernel, cuzk_launch launch,
                            uint32_t static_bytes, uint32_t registers, cuzk_err *err)
{
    const uint64_t shared = (uint64_t)static_bytes + launch.dynamic_bytes;
    if (launch.threads == 0 || launch.threads > CUZK_CARD_THREADS ||
        launch.threads > c->limits.threads_sm) {
        return CUZK_FAIL(err, CUZK_E_DEV_UNFIT, "%s: %u threads a block, class %s allows %u",
                         kernel, launch.threads, c->text, CUZK_CARD_THREADS);
    }
    if (shared > c->limits.shared_block) {
        return CUZK_FAIL(err, CUZK_E_DEV_UNFIT,
                         "%s: %llu bytes of shared memory a block, class %s allows %u", kernel,
                         (unsigned long long)shared, c->text, c->limits.shared_block);
    }
    if (registers > CUZK_CARD_THREAD_REGISTERS ||
        cuzk_card_blocks(&c->limits, launch.threads, registers, shared) == 0) {
        return CUZK_FAIL(err, CUZK_E_DEV_UNFIT,
                         "%s: %u threads of %u registers do not fit a multiprocessor", kernel,
                         launch.threads, registers);
    }
    return CUZK_OK;
}

uint32_t cuzk_card_padded(const cuzk_card_limits *host, const cuzk_card_limits *played,
                          cuzk_launch launch, uint32_t static_bytes, uint32_t registers)
{
    const uint64_t own = (uint64_t)static_bytes + launch.dynamic_bytes;
    const uint32_t want = cuzk_card_blocks(played, launch.threads, registers, own);
    if (want == 0 || cuzk_card_blocks(host, launch.threads, registers, own) <= want) {
        return launch.dynamic_bytes;
    }
    /* The most with which want blocks still fit; one more then does not, or is little less. */
    uint64_t each = host->shared_sm / want / 128 * 128 - CUZK_CARD_BLOCK_RESERVE;
    each = each < host->shared_block ? each : host->shared_block;
    return each > own ? (uint32_t)(each - static_bytes) : launch.dynamic_bytes;
}

const char *cuzk_kernel_name(cuzk_kernel k)
{
    return kernels[k].name;
}
