/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gen_sealed.h"

#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "vanilla/sealed/sealed.h"

#include "gen_files.h"

error_t gen_sealed_parse(gen_sealed *s, int key, char *arg, struct argp_state *state)
{
    uint64_t *number = NULL, max = UINT64_MAX;
    switch (key) {
    case OPT_SEALED: s->replica = arg; return 0;
    case OPT_CACHE: s->cache = arg; return 0;
    case OPT_NEW_SEALED: s->new_replica = arg; return 0;
    case OPT_NEW_CACHE: s->new_cache = arg; return 0;
    case OPT_GEN_RANDOMNESS: s->randomness = arg; return 0;
    case OPT_SECTOR_NUMBER:
        s->has_sector = true;
        number = &s->sector;
        break;
    case OPT_GEN_TYPE:
        s->has_type = true;
        number = &s->type;
        max = 14;
        break;
    case OPT_SECTOR_INDEX:
        number = &s->index;
        max = UINT32_MAX;
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    if (!app_parse_u64(number, arg, max)) {
        argp_error(state, "'%s' is not a number up to %llu", arg, (unsigned long long)max);
    }
    return 0;
}

static cuzk_status open_sector(app *a, cuzk_sealed **out, const char *replica, const char *cache,
                               const char *names, const cuzk_hashes *h)
{
    if (replica == NULL || cache == NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "%s go together", names);
    }
    return cuzk_sealed_open(out, replica, cache, h, &a->err);
}

static cuzk_status statement_of(app *a, const gen_sealed *s, cuzk_post_statement *st,
                                uint64_t sector_bytes, bool is_window)
{
    memset(st, 0, sizeof(*st));
    if (!s->has_sector || s->randomness == NULL) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "--sealed needs --sector and --randomness");
    }
    if (!cuzk_hex_decode(st->randomness.b, sizeof(st->randomness.b), s->randomness,
                         strlen(s->randomness))) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "--randomness wants 64 hex digits");
    }
    st->type = (cuzk_post_type){.number = UINT64_MAX,
                                .sector_bytes = sector_bytes,
                                .is_window = is_window,
                                .is_v1_2 = is_window};
    if (!s->has_type) {
        return CUZK_OK;
    }
    CUZK_TRY(cuzk_post_type_of(&st->type, s->type, &a->err));
    if (st->type.is_window != is_window || st->type.sector_bytes != sector_bytes) {
        return CUZK_FAIL(&a->err, CUZK_E_INVALID, "--type %llu is a %s proof of %llu bytes",
                         (unsigned long long)s->type, st->type.is_window ? "window" : "winning",
                         (unsigned long long)st->type.sector_bytes);
    }
    return CUZK_OK;
}

static void report(app *a, const cuzk_sealed *s, uint64_t bytes_read)
{
    app_text(a, "sector_size", cuzk_sealed_shape(s)->name);
    app_u64(a, "bytes_read", bytes_read);
    app_seconds(a, "total", cuzk_clock_ns() - a->started_ns);
}

cuzk_status gen_sealed_post(app *a, const gen_sealed *s, const char *out, bool is_window,
                            const cuzk_hashes *h)
{
    cuzk_sealed *sector = NULL;
    cuzk_post_input *in = NULL;
    cuzk_post_statement stmt;
    cuzk_status st;
    uint64_t bytes = 0;
    CUZK_TRY(app_check_output(a, out));
    CUZK_TRY_GOTO(st, open_sector(a, &sector, s->replica, s->cache, "--sealed and --cache", h));
    bytes = cuzk_sealed_shape(sector)->bytes;
    CUZK_TRY_GOTO(st, statement_of(a, s, &stmt, bytes, is_window));
    CUZK_TRY_GOTO(st, cuzk_post_input_create(&in, &a->err));
    /* A winning proof has no other sectors. */
    CUZK_TRY_GOTO(
        st, cuzk_sealed_post(in, sector, s->sector, &stmt, is_window ? s->index : 0, &a->err));
    CUZK_TRY_GOTO(st, gen_write_sector(&in->sectors[0], bytes, out, a->force, &a->err));
    app_hex(a, "comm_r", cuzk_sealed_comm_r(sector)->b, CUZK_NODE_BYTES);
    report(a, sector, cuzk_sealed_bytes_read(sector));
out:
    cuzk_post_input_destroy(in);
    cuzk_sealed_close(sector);
    return st;
}

cuzk_status gen_sealed_update(app *a, const gen_sealed *s, const char *out, uint32_t partition,
                              const cuzk_hashes *h)
{
    cuzk_sealed *from = NULL, *to = NULL;
    cuzk_update_input *in = NULL;
    cuzk_update_statement stmt;
    cuzk_status st;
    CUZK_TRY(app_check_output(a, out));
    CUZK_TRY_GOTO(st, open_sector(a, &from, s->replica, s->cache, "--sealed and --cache", h));
    CUZK_TRY_GOTO(st, open_sector(a, &to, s->new_replica, s->new_cache,
                                  "--sealed, --cache, --new-sealed and --new-cache", h));
    CUZK_TRY_GOTO(st, cuzk_sealed_update(&in, &stmt, from, to, partition, &a->err));
    CUZK_TRY_GOTO(st, gen_write_update(in, stmt.shape, out, a->force, &a->err));
    app_hex(a, "comm_r_old", stmt.comm_r_old.b, sizeof(stmt.comm_r_old));
    app_hex(a, "comm_d_new", stmt.comm_d_new.b, sizeof(stmt.comm_d_new));
    app_hex(a, "comm_r_new", stmt.comm_r_new.b, sizeof(stmt.comm_r_new));
    report(a, to, cuzk_sealed_bytes_read(from) + cuzk_sealed_bytes_read(to));
out:
    cuzk_update_input_destroy(in);
    cuzk_sealed_close(from);
    cuzk_sealed_close(to);
    return st;
}
