/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "network.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "prover/keys/circuit_id.h"
#include "sys/file.h"
#include "vanilla/sector/sector.h"

const char *network_size_text(char out[32], uint64_t sector_bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    unsigned u = 0;
    if (sector_bytes == 0) {
        (void)snprintf(out, 32, "any");
        return out;
    }
    while (sector_bytes >= 1024 && u < 3) {
        sector_bytes /= 1024;
        u++;
    }
    (void)snprintf(out, 32, "%" PRIu64 " %s", sector_bytes, units[u]);
    return out;
}

error_t network_parse(int key, char *arg, struct argp_state *state)
{
    network_opts *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &o->a; return 0;
    case OPT_NET_KIND: o->kind = arg; return 0;
    case OPT_NET_LIST: o->list = arg; return 0;
    case OPT_NET_PARAMS: o->given = arg; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0) {
            argp_error(state, "too many arguments");
        }
        o->size = arg;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int network_run(int argc, char **argv, const struct argp *argp,
                cuzk_status (*work)(network_opts *o))
{
    static network_opts o; /* too large for the stack */
    memset(&o, 0, sizeof(o));
    app_init(&o.a, argv[0]);
    (void)argp_parse(argp, argc, argv, 0, NULL, &o);
    cuzk_status st = app_begin(&o.a);
    if (st == CUZK_OK) {
        st = work(&o);
    }
    cuzk_params_list_destroy(o.listed);
    return app_finish(&o.a, st);
}

cuzk_status network_path(char out[CUZK_PATH_BYTES], const network_opts *o,
                         const cuzk_params_file *f, cuzk_err *err)
{
    const int n = snprintf(out, CUZK_PATH_BYTES, "%s/%s", o->dir.path, f->name);
    if (n < 0 || n >= CUZK_PATH_BYTES) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s: the path in %s is too long", f->name,
                         o->dir.origin);
    }
    return CUZK_OK;
}

cuzk_status network_digest(char hex[33], const char *path, cuzk_progress_fn progress, void *arg,
                           cuzk_err *err)
{
    uint8_t digest[16];
    cuzk_error error = {.text = ""};
    CUZK_TRY(
        app_public_error(err, cuzk_params_digest(digest, path, progress, arg, &error), &error));
    cuzk_hex_encode(hex, digest, sizeof(digest));
    return CUZK_OK;
}

int32_t network_state(const network_opts *o, size_t i)
{
    return cuzk_params_list_state(o->listed, o->index[i], o->dir.path);
}

static cuzk_status read_list(network_opts *o)
{
    cuzk_content c = {0};
    cuzk_error error = {.text = ""};
    CUZK_TRY(cuzk_content_read(&c, o->list, (size_t)1 << 20, &o->a.err));
    const cuzk_status st = cuzk_params_list_read(&o->listed, c.data, c.size, o->list, &error);
    cuzk_content_free(&c);
    return app_public_error(&o->a.err, st, &error);
}

/* The table's name of a kind, from any name of it; NULL: no such kind. */
static const char *kind_of(const char *name)
{
    cuzk_circuit_kind kind;
    return cuzk_circuit_kind_parse(&kind, name) ? cuzk_circuit_kind_name(kind)
           : strcmp(name, "aggregate") == 0     ? "aggregate"
                                                : NULL;
}

/* The table's name of --kind, into o->kind. */
static cuzk_status settle_kind(network_opts *o)
{
    if (o->kind == NULL) {
        return CUZK_OK;
    }
    const char *kind = kind_of(o->kind);
    if (kind == NULL) {
        return CUZK_FAIL(&o->a.err, CUZK_E_INVALID,
                         "'%s' is no kind; kinds are porep, winning, window, update and aggregate",
                         o->kind);
    }
    o->kind = kind;
    return CUZK_OK;
}

/* bytes: of --size. */
static bool is_chosen(const network_opts *o, const cuzk_params_file *f, uint64_t bytes)
{
    const bool size_fits = o->size == NULL || f->sector_bytes == bytes || f->sector_bytes == 0;
    const bool kind_fits =
        o->kind == NULL ? strcmp(f->kind_name, "other") != 0 : strcmp(f->kind_name, o->kind) == 0;
    return size_fits && kind_fits;
}

cuzk_status network_choose(network_opts *o)
{
    uint64_t bytes = 0;
    bool any_of_size = o->size == NULL;
    if (o->size != NULL && !cuzk_sector_size_parse(&bytes, o->size)) {
        return CUZK_FAIL(&o->a.err, CUZK_E_INVALID, "'%s' is no sector size; give one like 32GiB",
                         o->size);
    }
    CUZK_TRY(settle_kind(o));
    if (o->list != NULL) {
        CUZK_TRY(read_list(o));
    }
    CUZK_TRY(cuzk_params_dir_choose(&o->dir, o->given, &o->a.err));
    const size_t n = cuzk_params_list_count(o->listed);
    o->n = 0;
    for (size_t i = 0; i < n && o->n < NETWORK_FILES_MAX; i++) {
        cuzk_params_file *f = &o->chosen[o->n];
        f->struct_size = sizeof(*f);
        if (cuzk_params_list_get(f, o->listed, i) == CUZK_OK && is_chosen(o, f, bytes)) {
            any_of_size = any_of_size || f->sector_bytes == bytes;
            o->index[o->n++] = i;
        }
    }
    if (!any_of_size && (o->kind == NULL || strcmp(o->kind, "aggregate") != 0)) {
        return CUZK_FAIL(
            &o->a.err, CUZK_E_INVALID,
            "the network has no files for sectors of %s; it has them for 2KiB, 8MiB, 512MiB, 32GiB and 64GiB",
            o->size);
    }
    return CUZK_OK;
}

static void report_json(network_opts *o, const int32_t *states)
{
    cuzk_jsonw *w = &o->a.w;
    cuzk_jsonw_key(w, "files");
    cuzk_jsonw_begin_array(w);
    for (size_t i = 0; i < o->n; i++) {
        const cuzk_params_file *f = &o->chosen[i];
        cuzk_jsonw_begin_object(w);
        cuzk_jsonw_put_str(w, "name", f->name);
        cuzk_jsonw_put_str(w, "kind", f->kind_name);
        cuzk_jsonw_put_u64(w, "sector_size", f->sector_bytes);
        cuzk_jsonw_put_u64(w, "bytes", f->bytes);
        cuzk_jsonw_put_str(w, "cid", f->cid);
        cuzk_jsonw_put_str(w, "digest", f->digest);
        cuzk_jsonw_put_str(w, "state", cuzk_params_state_name(states[i]));
        cuzk_jsonw_end_object(w);
    }
    cuzk_jsonw_end_array(w);
}

void network_report(network_opts *o, const int32_t *states)
{
    char size[32], bytes[32];
    const bool human = isatty(STDOUT_FILENO) == 1;
    app_text(&o->a, "folder", o->dir.path);
    app_text(&o->a, "folder_from", o->dir.origin);
    if (o->a.json) {
        report_json(o, states);
        return;
    }
    (void)printf("%-8s %-10s %-12s %15s  %s\n", "sectors", "kind", "state",
                 human ? "size" : "bytes", "name");
    for (size_t i = 0; i < o->n; i++) {
        const cuzk_params_file *f = &o->chosen[i];
        if (human) {
            (void)app_human_bytes(bytes, f->bytes);
        } else {
            (void)snprintf(bytes, sizeof(bytes), "%" PRIu64, f->bytes);
        }
        (void)printf("%-8s %-10s %-12s %15s  %s\n", network_size_text(size, f->sector_bytes),
                     f->kind_name, cuzk_params_state_name(states[i]), bytes, f->name);
    }
}
