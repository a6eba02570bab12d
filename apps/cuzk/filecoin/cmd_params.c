/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>
#include <sys/stat.h>

#include <cuzk/params.h>

#include "apps/cuzk/app.h"
#include "apps/cuzk/commands.h"
#include "apps/cuzk/inputs.h"
#include "apps/cuzk/params/network.h"
#include "apps/cuzk/ticker.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"

typedef struct params {
    app a;
    ticker tick;
    const char *path, *digest;
    bool check, no_subgroup;
} params;

enum { OPT_DIGEST = 0x200, OPT_ON_CURVE };

static const struct argp_option check_options[] = {
    {NULL, 0, NULL, 0, "Of a file:", 1},
    {"digest", OPT_DIGEST, "HEX", 0,
     "Also compare the file's BLAKE2b digest with this one (32 hex digits, as in parameters.json)",
     0},
    {"on-curve-only", OPT_ON_CURVE, NULL, 0, "Skip the subgroup check of the points (faster)", 0},
    {NULL, 0, NULL, 0, "Of a folder:", 2},
    NETWORK_OPTIONS,
    NETWORK_OPTION_POINTS,
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    params *p = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &p->a; return 0;
    case OPT_DIGEST: p->digest = arg; return 0;
    case OPT_ON_CURVE: p->no_subgroup = true; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0) {
            argp_error(state, "%s is no folder, and there is more than one argument", p->path);
        }
        p->path = arg;
        return 0;
    case ARGP_KEY_END:
        if (p->path == NULL) {
            argp_error(state, p->check
                                  ? "needs FILE.params, FILE.vk, FILE.srs or a FOLDER that is there"
                                  : "needs FILE.params");
        }
        return 0;
    case OPT_NET_KIND:
    case OPT_NET_LIST:
    case OPT_NET_POINTS:
        argp_error(state, "--kind, --list and --points are for a FOLDER, and there is none");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static cuzk_status report_vk(params *p, const cuzk_params *opened)
{
    cuzk_error error = {.text = ""};
    cuzk_vk *vk = NULL;
    CUZK_TRY(app_public_error(&p->a.err, cuzk_params_vk(&vk, opened, &error), &error));
    const size_t n = cuzk_vk_bytes(vk);
    uint8_t *bytes = cuzk_alloc(n, 1);
    cuzk_status st = CUZK_OK;
    if (bytes != NULL) {
        cuzk_vk_write(vk, bytes);
        report_vk_hash(&p->a, bytes, n);
    } else {
        st = CUZK_FAIL(&p->a.err, CUZK_E_NOMEM, "%s: out of memory", p->path);
    }
    cuzk_free(bytes);
    cuzk_vk_destroy(vk);
    return st;
}

static void report_chain(app *a, const cuzk_params_info *info)
{
    static const char *const texts[] = {
        [CUZK_CHAIN_UNCHECKED] = "not checked: takes points that are in the group",
        [CUZK_CHAIN_HOLDS] =
            "each contribution is a step from the one before, the last to the key's delta",
        [CUZK_CHAIN_HASH] = "NOT verified: a contribution's hash is not that of what is before it",
        [CUZK_CHAIN_STEP] = "NOT verified: a contribution is no step by bellman's rules",
        [CUZK_CHAIN_DELTA] = "NOT verified: the key's delta in G2 is another than that in G1"};
    app_text(a, "chain", texts[info->chain]);
    if (info->chain == CUZK_CHAIN_HASH || info->chain == CUZK_CHAIN_STEP) {
        app_u64(a, "chain_ends_at", info->chain_at);
    }
}

/* Reports the figures of a file that <cuzk/params.h> gives. */
static cuzk_status report(params *p, const cuzk_params *opened)
{
    app *a = &p->a;
    cuzk_params_info info = {.struct_size = sizeof(info)};
    cuzk_ignore(cuzk_params_get_info(&info, opened)); /* fails for a wrong struct_size only */
    app_text(a, "kind", "params");
    app_text(a, "curve", "BLS12-381");
    app_u64(a, "public_inputs", info.public_inputs);
    app_u64(a, "h", info.h);
    app_u64(a, "l", info.l);
    app_u64(a, "a", info.a);
    app_u64(a, "b_g1", info.b_g1);
    app_u64(a, "b_g2", info.b_g2);
    CUZK_TRY(report_vk(p, opened));
    if (info.has_transcript != 0) {
        app_u64(a, "contributions", info.contributions);
        app_hex(a, "circuit_hash", info.circuit_hash, sizeof(info.circuit_hash));
        app_text(a, "transcript", "behind the sections");
        if (p->check) {
            report_chain(a, &info);
        }
    }
    return CUZK_OK;
}

static cuzk_status compare_digest(params *p, const uint8_t got[16])
{
    app *a = &p->a;
    uint8_t want[16];
    if (p->digest != NULL && !cuzk_hex_decode(want, 16, p->digest, strlen(p->digest))) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "--digest wants 32 hex digits");
    }
    app_hex(a, "digest", got, 16);
    if (p->digest != NULL && memcmp(want, got, 16) != 0) {
        return CUZK_FAIL(&a->err, CUZK_E_DIGEST, "%s: digest differs from the one given", p->path);
    }
    return CUZK_OK;
}

static cuzk_status check_digest(params *p)
{
    uint8_t got[16];
    cuzk_error error = {.text = ""};
    ticker_begin_steps(&p->tick, &p->a, "reading for the digest");
    const cuzk_status st = cuzk_params_digest(got, p->path, app_stop, &p->a, &error);
    ticker_end(&p->tick);
    CUZK_TRY(app_public_error(&p->a.err, st, &error));
    return compare_digest(p, got);
}

/* A file that is a verifying key alone; its points are checked in any case. */
static cuzk_status work_vk(params *p)
{
    app *a = &p->a;
    uint8_t *bytes = NULL, got[16];
    cuzk_error error = {.text = ""};
    size_t n = 0;
    cuzk_vk *vk = NULL;
    cuzk_status st;
    CUZK_TRY_GOTO(st, read_vk(a, p->path, &bytes, &n));
    CUZK_TRY_GOTO(st, parse_vk(a, p->path, bytes, n, &vk));
    app_text(a, "kind", "verifying key");
    app_text(a, "curve", "BLS12-381");
    app_u64(a, "public_inputs", cuzk_vk_n_inputs(vk));
    report_vk_hash(a, bytes, n);
    if (p->check) {
        st = cuzk_params_digest(got, p->path, app_stop, a, &error);
        CUZK_TRY_GOTO(st, app_public_error(&a->err, st, &error));
        CUZK_TRY_GOTO(st, compare_digest(p, got));
        app_text(a, "points", "in the group");
        app_seconds(a, "total", cuzk_clock_ns() - a->started_ns);
    }
out:
    cuzk_vk_destroy(vk);
    cuzk_free(bytes);
    return st;
}

/* True when the file is as long as the count in it requires. */
static cuzk_status is_vk_file(params *p, bool *is_vk)
{
    cuzk_file *f = NULL;
    uint8_t count[4];
    CUZK_TRY(cuzk_file_open(&f, p->path, &p->a.err));
    cuzk_status st = CUZK_OK;
    *is_vk = false;
    if (cuzk_file_size(f) > 868 && !cuzk_file_is_in_memory(f)) {
        st = cuzk_file_read(f, count, 864, sizeof(count), &p->a.err);
        *is_vk = st == CUZK_OK && cuzk_file_size(f) == 868 + 96 * (uint64_t)cuzk_load_u32_be(count);
    }
    cuzk_file_close(f);
    return st;
}

static cuzk_status work(params *p)
{
    app *a = &p->a;
    cuzk_params *opened = NULL;
    cuzk_error error = {.text = ""};
    cuzk_params_open_options options = {.struct_size = sizeof(options),
                                        .threads = a->threads,
                                        .progress = app_stop,
                                        .progress_arg = a};
    bool is_vk = false;
    CUZK_TRY(is_vk_file(p, &is_vk));
    if (is_vk) {
        return work_vk(p);
    }
    if (p->check) {
        options.points = p->no_subgroup ? CUZK_POINTS_ON_CURVE : CUZK_POINTS_IN_GROUP;
        ticker_begin_steps(&p->tick, a, "checking points");
    }
    cuzk_status st = cuzk_params_open_with(&opened, p->path, &options, &error);
    if (p->check) {
        ticker_end(&p->tick);
    }
    CUZK_TRY(app_public_error(&a->err, st, &error));
    st = report(p, opened);
    if (st == CUZK_OK && p->check) {
        st = check_digest(p);
    }
    if (st == CUZK_OK && p->check) {
        app_text(a, "points", p->no_subgroup ? "on the curve" : "in the group");
        app_seconds(a, "total", cuzk_clock_ns() - a->started_ns);
    }
    cuzk_params_close(opened);
    return st;
}

static int run(int argc, char **argv, bool check, const struct argp *argp)
{
    params p;
    memset(&p, 0, sizeof(p));
    p.check = check;
    app_init(&p.a, argv[0]);
    (void)argp_parse(argp, argc, argv, 0, NULL, &p);
    cuzk_status st = app_begin(&p.a);
    if (st == CUZK_OK) {
        st = work(&p);
    }
    return app_finish(&p.a, st);
}

static int cmd_info(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD, {0}};
    static const struct argp argp = {
        NULL,
        parse,
        "FILE.params",
        "Sections and verifying key of a parameter file, after checking its layout to the byte.",
        children,
        NULL,
        NULL};
    return run(argc, argv, false, &argp);
}

/* Whether a folder is among the arguments: `check FOLDER` is another command than `check FILE`. */
static bool has_folder(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct stat st;
        if (argv[i][0] != '-' && stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode)) {
            return true;
        }
    }
    return false;
}

/* Whether an argument is named like an SRS for aggregates. */
static bool has_srs(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const size_t n = strlen(argv[i]);
        if (argv[i][0] != '-' && n > 4 && strcmp(argv[i] + n - 4, ".srs") == 0) {
            return true;
        }
    }
    return false;
}

static int cmd_check(int argc, char **argv)
{
    if (has_folder(argc, argv)) {
        return cmd_params_check_folder(argc, argv);
    }
    if (has_srs(argc, argv)) {
        return cmd_params_check_srs(argc, argv);
    }
    static const struct argp_child children[] = {APP_CHILD, {0}};
    static const struct argp argp = {
        check_options,
        parse,
        "FILE.params\nFILE.vk\nFILE.srs\nFOLDER [SIZE]",
        "Check every point of a parameter file, of a key, or of an SRS for aggregates, and the file's digest. Of a folder: the "
        "digests of the network's files in it, several at once. What was right is noted in the folder, so that other "
        "commands know it without reading the files again.\v"
        "Examples:\n  cuzk params check /var/tmp/filecoin-proof-parameters 32GiB\n"
        "  cuzk params check FOLDER 32GiB --kind window --points\n"
        "  cuzk params check FILE.params --digest HEX",
        children,
        NULL,
        NULL};
    return run(argc, argv, true, &argp);
}

int cmd_params(int argc, char **argv)
{
    static const command commands[] = {
        {"list", "the network's files, and which a folder has", cmd_params_list},
#ifdef CUZK_FETCH
        {"fetch", "download the network's files from a mirror or gateway", cmd_params_fetch},
#endif
        {"info", "sections, counts and key of a .params file", cmd_info},
        {"check", "check a file's points and digest, or a folder's files", cmd_check},
        {"setup", "make parameters for a Filecoin circuit", cmd_params_setup},
        {NULL, NULL, NULL}};
    return dispatch(argc, argv, "cuzk params", "Proving parameters as bellperson writes them.",
                    commands);
}
