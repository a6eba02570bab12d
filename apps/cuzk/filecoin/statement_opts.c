/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "statement_opts.h"

#include "apps/cuzk/app.h"

static void want_u64(struct argp_state *state, uint64_t *out, const char *arg, const char *name,
                     uint64_t max)
{
    if (!app_parse_u64(out, arg, max)) {
        argp_error(state, "--%s wants a number up to %llu, not '%s'", name, (unsigned long long)max,
                   arg);
    }
}

error_t statement_opts_parse(statement_opts *s, int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case OPT_C1: s->c1 = arg; return 0;
    case OPT_VANILLA:
        if (s->n_vanilla == STATEMENT_MAX_FILES) {
            argp_error(state, "more than %d --vanilla files", STATEMENT_MAX_FILES);
        }
        s->vanilla[s->n_vanilla++] = arg;
        return 0;
    case OPT_SECTOR_SIZE: s->sector_size = arg; return 0;
    case OPT_RANDOMNESS: s->randomness = arg; return 0;
    case OPT_TYPE:
        want_u64(state, &s->type, arg, "type", 14);
        s->has_type = true;
        return 0;
    case OPT_PARTITION: want_u64(state, &s->partition, arg, "partition", UINT32_MAX); return 0;
    case OPT_COMM_R_OLD: s->comm_r_old = arg; return 0;
    case OPT_COMM_D_NEW: s->comm_d_new = arg; return 0;
    case OPT_COMM_R_NEW: s->comm_r_new = arg; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}
