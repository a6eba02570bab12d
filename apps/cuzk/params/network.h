/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_PARAMS_NETWORK_H
#define CUZK_APPS_PARAMS_NETWORK_H

/* `cuzk params list`, `check FOLDER` and `fetch`: the network's parameter files in a folder. */
#include <cuzk/params.h>

#include "apps/cuzk/app.h"
#include "prover/keys/params_dir.h"

#define NETWORK_FILES_MAX 96

/** What list, check and fetch have in common: which of the network's files, and in which folder. */
typedef struct network_opts {
    app a;
    const char *size;  /* NULL: all sizes */
    const char *given; /* the folder of the command line, or NULL */
    const char *kind;  /* --kind, or NULL */
    const char *list;  /* --list, or NULL: the network's list */
    const char *url;   /* fetch: --from */
    bool by_cid;       /* fetch: --by-cid */
    bool points;       /* check: --points */
    cuzk_params_dir dir;
    cuzk_params_list *listed; /* of --list; NULL: the network's list */
    cuzk_params_file chosen[NETWORK_FILES_MAX];
    size_t index[NETWORK_FILES_MAX]; /* of each in the list */
    size_t n;
} network_opts;

/** The options that list, check and fetch share, for their tables; their keys; their parser. */
enum { OPT_NET_KIND = 0x280, OPT_NET_LIST, OPT_NET_PARAMS, OPT_NET_POINTS };
#define NETWORK_OPTIONS                                                                       \
    {"kind", OPT_NET_KIND, "KIND", 0, "Only porep, winning, window, update or aggregate", 0}, \
    {                                                                                         \
        "list", OPT_NET_LIST, "FILE", 0,                                                      \
            "Another network's list, JSON in the form of parameters.json", 0                  \
    }
/** Of check. */
#define NETWORK_OPTION_POINTS                                                    \
    {                                                                            \
        "points", OPT_NET_POINTS, NULL, 0,                                       \
            "Also check every point of the .params files (minutes for 32GiB)", 0 \
    }
/** Of list and fetch, which take the folder as an option and SIZE as their argument. */
#define NETWORK_OPTION_PARAMS                                                                 \
    {                                                                                         \
        "params", OPT_NET_PARAMS, "DIR", 0,                                                   \
            "The folder (default: $" CUZK_PARAMS_ENV ", else " CUZK_PARAMS_DEFAULT_DIR ")", 0 \
    }
/** argp's parser of these options and of the argument SIZE; state->input is a network_opts. */
error_t network_parse(int key, char *arg, struct argp_state *state);
/** Parses, does the work, reports; the exit status. */
int network_run(int argc, char **argv, const struct argp *argp,
                cuzk_status (*work)(network_opts *o));

/** Fills dir and chosen. E_INVALID names an unknown size or kind, or a size that the network has no files for. */
CUZK_NODISCARD cuzk_status network_choose(network_opts *o);
/** FOLDER/NAME. E_INVALID when it is too long. */
CUZK_NODISCARD cuzk_status network_path(char out[CUZK_PATH_BYTES], const network_opts *o,
                                        const cuzk_params_file *f, cuzk_err *err);
/** CUZK_PARAMS_... of the i-th file chosen. */
int32_t network_state(const network_opts *o, size_t i);
/** Digest of the file at path in hex. Errors and progress as cuzk_params_digest. */
CUZK_NODISCARD cuzk_status network_digest(char hex[33], const char *path, cuzk_progress_fn progress,
                                          void *arg, cuzk_err *err);
/** "32 GiB", or "any" for 0. */
const char *network_size_text(char out[32], uint64_t sector_bytes);

/**
 * The network's list, a line for each file chosen: size of sector, kind, what is known of the copy in
 * the folder, bytes, name. In JSON also CID and digest.
 */
void network_report(network_opts *o, const int32_t *states);

/** Called now and then with the number of bytes since the last call. */
typedef void (*fetch_progress)(void *arg, uint64_t bytes);
/** What a download has brought. */
typedef struct fetch_result {
    uint64_t bytes; /* size of the file at path afterwards */
    bool restarted; /* the server does not resume: the file was begun again */
    long http_status;
} fetch_result;
/**
 * HTTP or HTTPS with libcurl. Continues the file at path when it is not empty. E_IO (retryable) for a
 * network's or server's trouble, E_NOT_FOUND for 404, E_INVALID for an invalid URL, E_FORMAT for more
 * than `most` bytes (0: no limit), E_CANCELLED.
 */
CUZK_NODISCARD cuzk_status fetch_http(fetch_result *out, const char *url, const char *path,
                                      uint64_t most, fetch_progress progress, void *arg,
                                      const cuzk_cancel *cancel, cuzk_err *err);

int cmd_params_list(int argc, char **argv);
int cmd_params_check_folder(int argc, char **argv);
int cmd_params_fetch(int argc, char **argv);

#endif /* CUZK_APPS_PARAMS_NETWORK_H */
