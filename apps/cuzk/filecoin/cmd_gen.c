/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk gen porep|winning|window|update: vanilla proofs of synthetic sectors. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "apps/cuzk/app.h"
#include "apps/cuzk/commands.h"
#include "apps/cuzk/ticker.h"
#include "base/bytes.h"
#include "base/clock.h"

#include "gen_files.h"
#include "gen_sealed.h"

typedef struct gen {
    app a;
    ticker tick;
    const char *out, *size;
    uint64_t seed, partition, sectors;
    uint64_t bytes;
    gen_sealed sealed;
} gen;

enum { OPT_SIZE = 0x300, OPT_SEED, OPT_PARTITION, OPT_SECTORS };

static const struct argp_option gen_options[] = {
    {"sector-size", OPT_SIZE, "SIZE", 0, "2KiB to 64GiB", 0},
    {"seed", OPT_SEED, "N", 0, "Everything follows from it (default 1)", 0},
    {"output", 'o', "PATH", 0, "Output file; for window the folder of the sectors' files", 0},
    {"partition", OPT_PARTITION, "K", 0, "update: partition (default 0)", 0},
    {"sectors", OPT_SECTORS, "N", 0, "window: sectors (default: as many as a partition takes)", 0},
    GEN_SEALED_OPTIONS,
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    gen *g = state->input;
    uint64_t *number = NULL;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &g->a; return 0;
    case OPT_SIZE: g->size = arg; return 0;
    case 'o': g->out = arg; return 0;
    case OPT_SEED: number = &g->seed; break;
    case OPT_PARTITION: number = &g->partition; break;
    case OPT_SECTORS: number = &g->sectors; break;
    case ARGP_KEY_ARG: argp_error(state, "'%s': everything is given with options", arg); return 0;
    case ARGP_KEY_END:
        if (g->out == NULL) {
            argp_error(state, "needs -o");
        }
        if (g->sealed.replica != NULL && g->size == NULL) {
            return 0;
        }
        if (g->size == NULL || g->sealed.replica != NULL) {
            argp_error(state, "needs either --sector-size or --sealed");
        }
        if (!cuzk_sector_size_parse(&g->bytes, g->size) || cuzk_sector_shape_of(g->bytes) == NULL) {
            argp_error(state, "no sector size '%s'", g->size);
        }
        return 0;
    default: return gen_sealed_parse(&g->sealed, key, arg, state);
    }
    if (!app_parse_u64(number, arg, UINT32_MAX)) {
        argp_error(state, "'%s' is not a number", arg);
    }
    return 0;
}

static void done(gen *g)
{
    app_bool(&g->a, "synthetic", true);
    app_seconds(&g->a, "total", cuzk_clock_ns() - g->a.started_ns);
}

static const char making[] = "making the proofs of a synthetic sector", writing[] = "writing";

static cuzk_status work_porep(gen *g, const cuzk_hashes *h)
{
    app *a = &g->a;
    cuzk_porep_input *in = NULL;
    if (g->sealed.replica != NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_UNSUPPORTED,
                         "a C1 of a sealed sector needs its layers, which sealing deletes");
    }
    CUZK_TRY(app_check_output(a, g->out));
    ticker_begin_steps(&g->tick, a, making);
    cuzk_status st = cuzk_generate_porep(&in, g->bytes, g->seed, h, &a->err);
    if (st == CUZK_OK) {
        ticker_step(&g->tick, writing);
        st = gen_write_porep(in, g->out, a->force, &a->err);
    }
    ticker_end(&g->tick);
    if (st == CUZK_OK) {
        app_u64(a, "partitions", in->n_partitions);
        app_u64(a, "challenges", (uint64_t)in->n_partitions * in->n_challenges);
        app_u64(a, "miner", CUZK_GEN_MINER);
        app_u64(a, "sector", CUZK_GEN_SECTOR);
        done(g);
    }
    cuzk_porep_input_destroy(in);
    return st;
}

static cuzk_status work_post(gen *g, const cuzk_hashes *h, bool is_window)
{
    app *a = &g->a;
    cuzk_post_input *in = NULL;
    cuzk_post_statement stmt;
    ticker_begin_steps(&g->tick, a, making);
    cuzk_status st = cuzk_generate_post(&in, &stmt, is_window, g->bytes, (uint32_t)g->sectors,
                                        g->seed, h, &a->err);
    ticker_step(&g->tick, writing);
    for (uint32_t i = 0; st == CUZK_OK && i < in->n_sectors; i++) {
        char path[4096];
        const int n = is_window ? snprintf(path, sizeof(path), "%s/sector-%05u.vanilla", g->out,
                                           (unsigned)in->sectors[i].sector_id)
                                : snprintf(path, sizeof(path), "%s", g->out);
        st = n < 0 || n >= (int)sizeof(path)
                 ? CUZK_FAIL(&a->err, CUZK_E_INVALID, "output path is too long")
                 : gen_write_sector(&in->sectors[i], g->bytes, path, a->force, &a->err);
    }
    ticker_end(&g->tick);
    if (st == CUZK_OK) {
        app_u64(a, "sectors", in->n_sectors);
        app_hex(a, "randomness", stmt.randomness.b, sizeof(stmt.randomness));
        done(g);
    }
    cuzk_post_input_destroy(in);
    return st;
}

static cuzk_status work_window(gen *g, const cuzk_hashes *h)
{
    if (g->sealed.replica != NULL) {
        return gen_sealed_post(&g->a, &g->sealed, g->out, true, h);
    }
    (void)mkdir(g->out, 0777); /* writing the first file reports what is wrong */
    return work_post(g, h, true);
}

static cuzk_status work_winning(gen *g, const cuzk_hashes *h)
{
    if (g->sealed.replica != NULL) {
        return gen_sealed_post(&g->a, &g->sealed, g->out, false, h);
    }
    CUZK_TRY(app_check_output(&g->a, g->out));
    return work_post(g, h, false);
}

static cuzk_status work_update(gen *g, const cuzk_hashes *h)
{
    app *a = &g->a;
    cuzk_update_input *in = NULL;
    cuzk_update_statement stmt;
    if (g->sealed.replica != NULL) {
        return gen_sealed_update(a, &g->sealed, g->out, (uint32_t)g->partition, h);
    }
    CUZK_TRY(app_check_output(a, g->out));
    ticker_begin_steps(&g->tick, a, making);
    cuzk_status st =
        cuzk_generate_update(&in, &stmt, g->bytes, (uint32_t)g->partition, g->seed, h, &a->err);
    if (st == CUZK_OK) {
        ticker_step(&g->tick, writing);
        st = gen_write_update(in, stmt.shape, g->out, a->force, &a->err);
    }
    ticker_end(&g->tick);
    if (st == CUZK_OK) {
        app_hex(a, "comm_r_old", stmt.comm_r_old.b, sizeof(stmt.comm_r_old));
        app_hex(a, "comm_d_new", stmt.comm_d_new.b, sizeof(stmt.comm_d_new));
        app_hex(a, "comm_r_new", stmt.comm_r_new.b, sizeof(stmt.comm_r_new));
        done(g);
    }
    cuzk_update_input_destroy(in);
    return st;
}

static int run(int argc, char **argv, const char *doc,
               cuzk_status (*work)(gen *, const cuzk_hashes *))
{
    const struct argp_child children[] = {APP_CHILD, {0}};
    const struct argp argp = {gen_options, parse, NULL, doc, children, NULL, NULL};
    gen g;
    cuzk_hashes *h = NULL;
    memset(&g, 0, sizeof(g));
    g.seed = 1;
    app_init(&g.a, argv[0]);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &g);
    if (work != work_window || g.sealed.replica != NULL) { /* else a folder */
        app_output(&g.a, g.out);
    }
    cuzk_status st = app_begin(&g.a);
    if (st == CUZK_OK) {
        st = cuzk_hashes_create(&h, &g.a.err);
    }
    if (st == CUZK_OK) {
        st = work(&g, h);
    }
    cuzk_hashes_destroy(h);
    return app_finish(&g.a, st);
}

static int run_porep(int argc, char **argv)
{
    return run(argc, argv, "C1 JSON of a synthetic sector: valid in every check, sealed by nobody.",
               work_porep);
}

static int run_winning(int argc, char **argv)
{
    return run(argc, argv, "WinningPoSt vanilla proof of a synthetic or a sealed sector.",
               work_winning);
}

static int run_window(int argc, char **argv)
{
    return run(
        argc, argv,
        "WindowPoSt vanilla proofs of a partition of synthetic sectors, a file each; or that of one sealed sector.",
        work_window);
}

static int run_update(int argc, char **argv)
{
    return run(argc, argv,
               "SnapDeals vanilla proof of a partition of a synthetic update, or of a sealed one.",
               work_update);
}

int cmd_gen(int argc, char **argv)
{
    static const command commands[] = {
        {"porep", "a C1 output", run_porep},
        {"winning", "a WinningPoSt input", run_winning},
        {"window", "the sectors of a WindowPoSt partition", run_window},
        {"update", "a SnapDeals update partition", run_update},
        {NULL, NULL, NULL}};
    return dispatch(
        argc, argv, "cuzk gen",
        "Inputs of any sector size without sealing, for tests and benchmarks; or of a sealed sector.",
        commands);
}
