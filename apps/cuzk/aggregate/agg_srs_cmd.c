/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* cuzk params setup aggregate, and cuzk params check FILE.srs. */
#include <string.h>

#include "aggregate/srs/agg_srs.h"
#include "apps/cuzk/app.h"
#include "apps/cuzk/commands.h"
#include "base/bytes.h"
#include "base/clock.h"

typedef struct srs_args {
    app a;
    const char *path, *digest;
    uint64_t seed, proofs;
    bool has_seed;
} srs_args;

enum { OPT_SRS_SEED = 0x740, OPT_SRS_PROOFS, OPT_SRS_WANT };

static const struct argp_option setup_options[] = {
    {"insecure-seed", OPT_SRS_SEED, "N", 0,
     "Derive both secrets from N: the same file each time, and anybody can forge aggregates", 0},
    {"proofs", OPT_SRS_PROOFS, "N", 0, "Most proofs of an aggregate (default 128)", 0},
    {"output", 'o', "FILE", 0, "The SRS", 0},
    {0}};

static const struct argp_option check_options[] = {
    {"digest", OPT_SRS_WANT, "HEX", 0, "Also compare the file's digest with this one", 0}, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    srs_args *s = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &s->a; return 0;
    case OPT_SRS_SEED:
        if (!app_parse_u64(&s->seed, arg, UINT64_MAX)) {
            argp_error(state, "--insecure-seed wants a number, not '%s'", arg);
        }
        s->has_seed = true;
        return 0;
    case OPT_SRS_PROOFS:
        if (!app_parse_u64(&s->proofs, arg, CUZK_AGG_SRS_MAX_POWERS / 2) || s->proofs == 0) {
            argp_error(state, "--proofs wants 1 to %zu, not '%s'", CUZK_AGG_SRS_MAX_POWERS / 2,
                       arg);
        }
        return 0;
    case OPT_SRS_WANT: s->digest = arg; return 0;
    case 'o': s->path = arg; return 0;
    case ARGP_KEY_ARG:
        if (strcmp(arg, "aggregate") != 0) {
            s->path = arg;
        }
        return 0;
    case ARGP_KEY_END:
        if (s->path == NULL) {
            argp_error(state, "needs the name of the SRS file");
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static cuzk_status work_setup(srs_args *s)
{
    app *a = &s->a;
    cuzk_fr x, y;
    size_t n = 2;
    if (!s->has_seed) {
        return CUZK_FAIL(
            &a->err, CUZK_E_INVALID,
            "an SRS for use comes from a ceremony; --insecure-seed N makes one for tests");
    }
    CUZK_TRY(app_check_output(a, s->path));
    while (n < s->proofs) {
        n *= 2;
    }
    app_note(a, "insecure: whoever knows the seed can forge aggregates under this SRS");
    cuzk_agg_srs_secrets_from_seed(&x, &y, s->seed);
    CUZK_TRY(cuzk_agg_srs_write(s->path, 2 * n, &x, &y, a->force, a->pool, a->cancel, &a->err));
    app_text(a, "srs", s->path);
    app_u64(a, "powers", 2 * n);
    app_bool(a, "insecure", true);
    app_seconds(a, "total", cuzk_clock_ns() - a->started_ns);
    return CUZK_OK;
}

static cuzk_status work_check(srs_args *s)
{
    app *a = &s->a;
    cuzk_agg_srs *srs = NULL;
    uint8_t got[CUZK_AGG_SRS_DIGEST_BYTES], want[CUZK_AGG_SRS_DIGEST_BYTES];
    cuzk_status st;
    CUZK_TRY(cuzk_agg_srs_open(&srs, s->path, &a->err));
    app_text(a, "kind", "inner-product SRS");
    app_u64(a, "powers", cuzk_agg_srs_powers(srs));
    CUZK_TRY_GOTO(st, cuzk_agg_srs_digest(srs, got, a->cancel, &a->err));
    app_hex(a, "digest", got, sizeof(got));
    app_bool(a, "network", memcmp(got, cuzk_agg_srs_network_digest, sizeof(got)) == 0);
    if (s->digest != NULL) {
        if (!cuzk_hex_decode(want, sizeof(want), s->digest, strlen(s->digest))) {
            st = CUZK_FAIL(&a->err, CUZK_E_INVALID, "--digest wants 32 hex digits");
            goto out;
        }
        if (memcmp(want, got, sizeof(got)) != 0) {
            st =
                CUZK_FAIL(&a->err, CUZK_E_DIGEST, "%s: digest differs from the one given", s->path);
            goto out;
        }
    }
    CUZK_TRY_GOTO(st, cuzk_agg_srs_check(srs, a->pool, a->cancel, &a->err));
    app_text(a, "points", "powers of two secrets, in the group");
    app_seconds(a, "total", cuzk_clock_ns() - a->started_ns);
out:
    cuzk_agg_srs_close(srs);
    return st;
}

static int run(int argc, char **argv, const struct argp *argp, cuzk_status (*work)(srs_args *))
{
    srs_args s;
    memset(&s, 0, sizeof(s));
    s.proofs = 128;
    app_init(&s.a, argv[0]);
    (void)argp_parse(argp, argc, argv, 0, NULL, &s);
    cuzk_status st = app_begin(&s.a);
    return app_finish(&s.a, st == CUZK_OK ? work(&s) : st);
}

int cmd_params_setup_aggregate(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD, {0}};
    static const struct argp argp = {
        setup_options, parse, "aggregate", "Make an SRS for aggregates, for tests.",
        children,      NULL,  NULL};
    return run(argc, argv, &argp, work_setup);
}

int cmd_params_check_srs(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD, {0}};
    static const struct argp argp = {
        check_options,
        parse,
        "FILE.srs",
        "Check every point of an SRS for aggregates, that its lists are powers, and its digest.",
        children,
        NULL,
        NULL};
    return run(argc, argv, &argp, work_check);
}
