/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_STATEMENT_OPTS_H
#define CUZK_APPS_STATEMENT_OPTS_H

/*
 * The options that name what is to be proved and its input files, in the words of every command that
 * has them: prove, verify, bench prove, and those that send jobs to a daemon.
 */
#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATEMENT_MAX_FILES 2349 /* sectors of the largest WindowPoSt partition */

enum {
    OPT_C1 = 0x800, /* beyond the keys of the commands that have them */
    OPT_VANILLA,
    OPT_SECTOR_SIZE,
    OPT_RANDOMNESS,
    OPT_TYPE,
    OPT_PARTITION,
    OPT_COMM_R_OLD,
    OPT_COMM_D_NEW,
    OPT_COMM_R_NEW
};

/* Table entries. more: what only that command says, a string constant that begins with punctuation or
 * is empty. */
#define STATEMENT_OPTION(name, key, arg, help) \
    {                                          \
        (name), (key), (arg), 0, help, 0       \
    }
#define STATEMENT_OPTION_C1(more)          \
    STATEMENT_OPTION("c1", OPT_C1, "FILE", \
                     "porep: C1 output, Phase1 JSON or its envelope (- for standard input)" more)
#define STATEMENT_OPTION_VANILLA(more)                                                                \
    STATEMENT_OPTION(                                                                                 \
        "vanilla", OPT_VANILLA, "FILE",                                                               \
        "PoSt: vanilla proof of a sector (bincode), or a JSON array of several in base64; repeat it " \
        "for each file, or give a folder of them; update: that of the partition" more)
#define STATEMENT_OPTION_SECTOR_SIZE(more) \
    STATEMENT_OPTION("sector-size", OPT_SECTOR_SIZE, "SIZE", "2KiB to 64GiB" more)
#define STATEMENT_OPTION_RANDOMNESS(more) \
    STATEMENT_OPTION("randomness", OPT_RANDOMNESS, "HEX", "PoSt: 32 bytes" more)
#define STATEMENT_OPTION_TYPE                                                  \
    STATEMENT_OPTION("type", OPT_TYPE, "N",                                    \
                     "PoSt: RegisteredPoStProof, 0-4 winning, 5-9 window V1, " \
                     "10-14 window V1_1")
#define STATEMENT_OPTION_PARTITION                    \
    STATEMENT_OPTION("partition", OPT_PARTITION, "K", \
                     "Partition of a WindowPoSt or an update (default 0)")
/* All three of an update. */
#define STATEMENT_OPTIONS_UPDATE                                                                   \
    STATEMENT_OPTION("comm-r-old", OPT_COMM_R_OLD, "HEX", "Update: replica commitment before it"), \
        STATEMENT_OPTION("comm-d-new", OPT_COMM_D_NEW, "HEX", "Update: data commitment after it"), \
        STATEMENT_OPTION("comm-r-new", OPT_COMM_R_NEW, "HEX",                                      \
                         "Update: replica commitment after it")

/** The values of the options: texts as given, checked where they are used. Zero-initialise. */
typedef struct statement_opts {
    const char *c1;
    const char *vanilla[STATEMENT_MAX_FILES];
    size_t n_vanilla;
    const char *sector_size, *randomness, *comm_r_old, *comm_d_new, *comm_r_new;
    uint64_t type; /* at most 14 */
    bool has_type;
    uint64_t partition; /* at most UINT32_MAX */
} statement_opts;

/** argp's parser for these options; ARGP_ERR_UNKNOWN for others. Exits on a mistake. */
error_t statement_opts_parse(statement_opts *s, int key, char *arg, struct argp_state *state);

#endif /* CUZK_APPS_STATEMENT_OPTS_H */
