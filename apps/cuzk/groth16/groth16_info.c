/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "apps/cuzk/app.h"
#include "apps/cuzk/commands.h"
#include "apps/cuzk/inputs.h"
#include "apps/cuzk/ticker.h"
#include "base/alloc.h"
#include "interop/r1cs_file.h"
#include "interop/wtns_file.h"
#include "interop/zkey.h"
#include "sys/file.h"

typedef struct info {
    app a;
    ticker tick; /* shown during long work that prints nothing */
    const char *path;
    bool check_points;
} info;

enum { OPT_CHECK_POINTS = 0x200 };

static const struct argp_option options[] = {
    {"check-points", OPT_CHECK_POINTS, NULL, 0, ".zkey: check that every point is in its group", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    info *i = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &i->a; return 0;
    case OPT_CHECK_POINTS: i->check_points = true; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0) {
            argp_error(state, "too many arguments");
        }
        i->path = arg;
        return 0;
    case ARGP_KEY_END:
        if (i->path == NULL) {
            argp_error(state, "needs FILE");
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static cuzk_status info_vk(info *i)
{
    app *a = &i->a;
    uint8_t *bytes = NULL;
    size_t n = 0;
    cuzk_vk *vk = NULL;
    cuzk_status st;
    ticker_begin_steps(&i->tick, a, "reading the key");
    st = read_vk(a, i->path, &bytes, &n);
    if (st == CUZK_OK) {
        st = parse_vk(a, i->path, bytes, n, &vk);
    }
    ticker_end(&i->tick);
    if (st != CUZK_OK) {
        goto out;
    }
    app_text(a, "kind", "verifying key");
    app_text(a, "curve", "BLS12-381");
    app_u64(a, "public_inputs", cuzk_vk_n_inputs(vk));
    report_vk_hash(a, bytes, n);
out:
    cuzk_vk_destroy(vk);
    cuzk_free(bytes);
    return st;
}

static cuzk_status info_r1cs(info *i, const cuzk_content *m)
{
    app *a = &i->a;
    cuzk_r1cs_info r;
    cuzk_circuit *c = NULL;
    ticker_begin_steps(&i->tick, a, "compiling the circuit");
    const cuzk_status st = cuzk_r1cs_file_compile(&c, &r, m->data, m->size, i->path, &a->err);
    ticker_end(&i->tick);
    CUZK_TRY(st);
    app_text(a, "kind", "r1cs");
    app_text(a, "curve", "BLS12-381");
    app_u64(a, "constraints", r.n_constraints);
    app_u64(a, "wires", r.n_wires);
    app_u64(a, "public_outputs", r.n_pub_out);
    app_u64(a, "public_inputs", r.n_pub_in);
    app_u64(a, "private_inputs", r.n_prv_in);
    app_u64(a, "labels", r.n_labels);
    app_u64(a, "terms_a", c->nnz[CUZK_MATRIX_A]);
    app_u64(a, "terms_b", c->nnz[CUZK_MATRIX_B]);
    app_u64(a, "terms_c", c->nnz[CUZK_MATRIX_C]);
    app_u64(a, "lg_domain", cuzk_circuit_lg_domain(c));
    app_hex(a, "circuit_hash", c->identity, sizeof(c->identity));
    cuzk_circuit_destroy(c);
    return CUZK_OK;
}

static cuzk_status info_wtns(info *i, const cuzk_content *m)
{
    cuzk_wtns w;
    CUZK_TRY(cuzk_wtns_read(&w, m->data, m->size, i->path, &i->a.err));
    app_text(&i->a, "kind", "wtns");
    app_text(&i->a, "curve", "BLS12-381");
    app_u64(&i->a, "values", w.n);
    return CUZK_OK;
}

static cuzk_status info_zkey(info *i)
{
    app *a = &i->a;
    cuzk_zkey *z = NULL;
    uint8_t *vk = NULL;
    size_t n;
    const cuzk_zkey_info *k;
    cuzk_status st;
    ticker_begin_steps(&i->tick, a, "reading the key");
    st = cuzk_zkey_open(&z, i->path, CUZK_POINT_ON_CURVE, &a->err);
    if (st == CUZK_OK && i->check_points) {
        ticker_step(&i->tick, "checking points");
        st = cuzk_zkey_check_points(z, CUZK_POINT_IN_SUBGROUP, a->pool, a->cancel, &a->err);
    }
    ticker_end(&i->tick);
    if (st != CUZK_OK) {
        goto out;
    }
    n = cuzk_srs_vk_bytes(cuzk_zkey_srs(z));
    vk = cuzk_alloc(n, 1);
    if (vk == NULL) {
        st = CUZK_FAIL(&a->err, CUZK_E_NOMEM, "%s: out of memory", i->path);
        goto out;
    }
    cuzk_srs_write_vk(cuzk_zkey_srs(z), vk);
    k = cuzk_zkey_get_info(z);
    app_text(a, "kind", "zkey");
    app_text(a, "protocol", "groth16");
    app_text(a, "curve", "BLS12-381");
    app_u64(a, "constraints", k->n_constraints);
    app_u64(a, "wires", k->n_vars);
    app_u64(a, "public_inputs", k->n_public);
    app_u64(a, "domain", k->domain_size);
    app_u64(a, "coefficients", k->n_coefs);
    app_u64(a, "contributions", k->n_contributions);
    app_bool(a, "points_checked", i->check_points);
    report_vk_hash(a, vk, n);
out:
    cuzk_free(vk);
    cuzk_zkey_close(z);
    return st;
}

static cuzk_status info_content(info *i, const cuzk_file *f, file_kind kind)
{
    cuzk_content m;
    CUZK_TRY(cuzk_content_of(&m, f, CUZK_CONTENT_ANY, &i->a.err));
    const cuzk_status st = kind == FILE_R1CS ? info_r1cs(i, &m) : info_wtns(i, &m);
    cuzk_content_free(&m);
    return st;
}

static cuzk_status work(info *i)
{
    cuzk_file *f;
    file_head head;
    CUZK_TRY(cuzk_file_open(&f, i->path, &i->a.err));
    cuzk_status st = read_head(&i->a, f, &head);
    if (st == CUZK_OK) {
        switch (head.kind) {
        case FILE_R1CS:
        case FILE_WTNS: st = info_content(i, f, head.kind); break;
        case FILE_ZKEY: st = info_zkey(i); break;
        case FILE_JSON_OBJECT:
        case FILE_JSON_ARRAY:
        case FILE_OTHER:
        default: st = info_vk(i); break;
        }
    }
    cuzk_file_close(f);
    return st;
}

int cmd_groth16_info(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD, {0}};
    static const struct argp argp = {
        options,
        parse,
        "FILE",
        "Say what a .r1cs, .wtns, .zkey, .vk or verification_key.json file contains, after checking "
        "that it is well-formed.",
        children,
        NULL,
        NULL};
    info i;
    memset(&i, 0, sizeof(i));
    app_init(&i.a, argv[0]);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &i);
    cuzk_status st = app_begin(&i.a);
    if (st == CUZK_OK) {
        st = work(&i);
    }
    return app_finish(&i.a, st);
}
