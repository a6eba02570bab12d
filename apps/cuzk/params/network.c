/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "network.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/text/json.h"
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
    return app_finish(&o.a, st);
}

cuzk_status network_path(char out[CUZK_PATH_BYTES], const network_opts *o,
                         const cuzk_network_file *f, cuzk_err *err)
{
    const int n = snprintf(out, CUZK_PATH_BYTES, "%s/%s", o->dir.path, f->name);
    if (n < 0 || n >= CUZK_PATH_BYTES) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s: the path in %s is too long", f->name,
                         o->dir.origin);
    }
    return CUZK_OK;
}

/* A name of the list becomes part of a path: nothing but the characters of the network's names. */
static bool is_plain_name(const char *name)
{
    return name[0] != '.' && name[0] != '\0' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
               strlen(name);
}

/* One entry of --list: {"cid": ..., "digest": ..., "sector_size": ...}. The kind and the size follow from the name. */
static bool read_entry(cuzk_json *j, cuzk_network_file *f, char text[3][200])
{
    static const char *const names[] = {"cid", "digest", "sector_size"};
    cuzk_json_str key;
    uint64_t seen = 0;
    uint8_t digest[CUZK_FILE_DIGEST_BYTES];
    cuzk_json_begin_object(j);
    while (cuzk_json_next_key(j, &key)) {
        switch (cuzk_json_field(j, &key, names, 3, &seen)) {
        case 0: cuzk_json_string_copy(j, text[1], sizeof(text[1])); break;
        case 1: cuzk_json_string_copy(j, text[2], sizeof(text[2])); break;
        case 2: cuzk_json_u64(j, &f->sector_bytes); break;
        default: cuzk_json_skip(j); break;
        }
    }
    if (!cuzk_json_require(j, names, 3, seen)) {
        return false;
    }
    if (!is_plain_name(text[0]) || !is_plain_name(text[1])) {
        return cuzk_json_fail(j,
                              "the name or the CID has characters that no file of a network has");
    }
    if (!cuzk_hex_decode(digest, sizeof(digest), text[2], strlen(text[2]))) {
        return cuzk_json_fail(j, "the digest is not 32 hex digits");
    }
    cuzk_hex_encode(text[2], digest, sizeof(digest));
    const cuzk_network_file *known = cuzk_network_file_named(text[0]);
    *f = (cuzk_network_file){text[0],         text[1],
                             text[2],         known == NULL ? "other" : known->kind,
                             f->sector_bytes, known == NULL ? 0 : known->bytes};
    return true;
}

static cuzk_status read_list(network_opts *o, size_t *n)
{
    cuzk_content c = {0};
    cuzk_json j;
    cuzk_json_str key;
    *n = 0;
    CUZK_TRY(cuzk_content_read(&c, o->list, (size_t)1 << 20, &o->a.err));
    cuzk_json_init(&j, c.data, c.size, 4);
    cuzk_json_begin_object(&j);
    while (cuzk_json_next_key(&j, &key)) {
        size_t length;
        if (*n == NETWORK_FILES_MAX) {
            (void)cuzk_json_fail(&j, "more than %d files", NETWORK_FILES_MAX);
        } else if (!cuzk_json_str_decode(&key, o->own_text[*n][0], sizeof(o->own_text[0][0]) - 1,
                                         &length)) {
            (void)cuzk_json_fail(&j, "a name that is too long");
        } else {
            o->own_text[*n][0][length] = '\0';
            *n += read_entry(&j, &o->own[*n], o->own_text[*n]);
        }
    }
    cuzk_json_end(&j);
    const cuzk_status st = cuzk_json_status(&j, o->list, &o->a.err);
    cuzk_content_free(&c);
    return st;
}

/* The table's name of a kind, from any name of it; NULL: no such kind. */
static const char *kind_of(const char *name)
{
    cuzk_circuit_kind kind;
    return cuzk_circuit_kind_parse(&kind, name) ? cuzk_circuit_kind_name(kind)
           : strcmp(name, "aggregate") == 0     ? "aggregate"
                                                : NULL;
}

cuzk_status network_choose(network_opts *o)
{
    size_t n;
    uint64_t bytes = 0;
    const cuzk_network_file *all = cuzk_network_files(&n);
    if (o->size != NULL && !cuzk_sector_size_parse(&bytes, o->size)) {
        return CUZK_FAIL(&o->a.err, CUZK_E_INVALID, "'%s' is no sector size; give one like 32GiB",
                         o->size);
    }
    if (o->kind != NULL) {
        const char *kind = kind_of(o->kind);
        if (kind == NULL) {
            return CUZK_FAIL(
                &o->a.err, CUZK_E_INVALID,
                "'%s' is no kind; kinds are porep, winning, window, update and aggregate", o->kind);
        }
        o->kind = kind;
    }
    if (o->list != NULL) {
        CUZK_TRY(read_list(o, &n));
        all = o->own;
    }
    CUZK_TRY(cuzk_params_dir_choose(&o->dir, o->given, &o->a.err));
    o->n = 0;
    for (size_t i = 0; i < n && o->n < NETWORK_FILES_MAX; i++) {
        const bool size_fits =
            o->size == NULL || all[i].sector_bytes == bytes || all[i].sector_bytes == 0;
        const bool kind_fits =
            o->kind == NULL ? strcmp(all[i].kind, "other") != 0 : strcmp(all[i].kind, o->kind) == 0;
        if (size_fits && kind_fits) {
            o->chosen[o->n++] = &all[i];
        }
    }
    bool any_of_size = o->size == NULL;
    for (size_t i = 0; i < o->n; i++) {
        any_of_size = any_of_size || o->chosen[i]->sector_bytes == bytes;
    }
    if (!any_of_size && (o->kind == NULL || strcmp(o->kind, "aggregate") != 0)) {
        return CUZK_FAIL(
            &o->a.err, CUZK_E_INVALID,
            "the network has no files for sectors of %s; it has them for 2KiB, 8MiB, 512MiB, 32GiB and 64GiB",
            o->size);
    }
    return CUZK_OK;
}

static void report_json(network_opts *o, const cuzk_file_state *states)
{
    cuzk_jsonw *w = &o->a.w;
    cuzk_jsonw_key(w, "files");
    cuzk_jsonw_begin_array(w);
    for (size_t i = 0; i < o->n; i++) {
        const cuzk_network_file *f = o->chosen[i];
        cuzk_jsonw_begin_object(w);
        cuzk_jsonw_put_str(w, "name", f->name);
        cuzk_jsonw_put_str(w, "kind", f->kind);
        cuzk_jsonw_put_u64(w, "sector_size", f->sector_bytes);
        cuzk_jsonw_put_u64(w, "bytes", f->bytes);
        cuzk_jsonw_put_str(w, "cid", f->cid);
        cuzk_jsonw_put_str(w, "digest", f->digest);
        cuzk_jsonw_put_str(w, "state", cuzk_file_state_text(states[i]));
        cuzk_jsonw_end_object(w);
    }
    cuzk_jsonw_end_array(w);
}

void network_report(network_opts *o, const cuzk_file_state *states)
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
        const cuzk_network_file *f = o->chosen[i];
        if (human) {
            (void)app_human_bytes(bytes, f->bytes);
        } else {
            (void)snprintf(bytes, sizeof(bytes), "%" PRIu64, f->bytes);
        }
        (void)printf("%-8s %-10s %-12s %15s  %s\n", network_size_text(size, f->sector_bytes),
                     f->kind, cuzk_file_state_text(states[i]), bytes, f->name);
    }
}
