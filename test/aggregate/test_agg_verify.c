/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The verifier: every set, its intermediates, and every changed aggregate of negative.json. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "pairing/gt.h"

#include "agg_sets.h"
#include "test.h"

static cuzk_agg_version version_of(jwalk v)
{
    return jwalk_equals(v, "v1") ? CUZK_AGG_V1 : CUZK_AGG_V2;
}

static uint8_t *read_agg(jwalk file, size_t *n)
{
    char name[64], path[128];
    jwalk_text(file, name, sizeof(name));
    snprintf(path, sizeof(path), AGG_DIR "%s", name);
    return test_read_file(path, n);
}

static cuzk_status verify(const agg_set *s, const cuzk_agg_claim *c, const uint8_t *d, size_t n,
                          bool trailing)
{
    cuzk_err err;
    return cuzk_agg_verify(cuzk_agg_srs_vk(s->srs), s->vk, c, d, n, trailing, &err);
}

/* acc times the product of l^x r^x_inv over the rounds, by the plain power; its SHA-256. */
static void check_folded(jwalk want, const cuzk_fp12 *start, const cuzk_agg_proof *p,
                         const cuzk_agg_challenges *c, size_t l, size_t r)
{
    uint8_t b[CUZK_GT_BYTES], digest[32];
    cuzk_fp12 acc = *start, t;
    for (unsigned i = 0; i < p->rounds; i++) {
        cuzk_scalar k;
        cuzk_fr_to_scalar(&k, &c->x[i]);
        cuzk_fp12_cyclotomic_pow(&t, &p->round[i].gt[l], k.l, 4);
        cuzk_fp12_mul(&acc, &acc, &t);
        cuzk_fr_to_scalar(&k, &c->x_inv[i]);
        cuzk_fp12_cyclotomic_pow(&t, &p->round[i].gt[r], k.l, 4);
        cuzk_fp12_mul(&acc, &acc, &t);
    }
    cuzk_gt_encode(b, &acc);
    cuzk_sha256_digest(digest, b, sizeof(b));
    CHECK(jwalk_hex_is(want, digest, 32));
}

static void check_verifier(const agg_set *s, jwalk run, const uint8_t *d, size_t n)
{
    static cuzk_agg_proof p;
    cuzk_agg_challenges c;
    cuzk_err err;
    cuzk_fr final_r;
    uint8_t le[32], *again;
    const cuzk_agg_version version = version_of(jwalk_key(run, "version"));
    const jwalk v = jwalk_key(jwalk_at(jwalk_key(run, "verifier"), 0), "value");
    CHECK_OK(cuzk_agg_proof_decode(&p, NULL, d, n, &err), &err);
    again = malloc(n);
    CHECK(again != NULL);
    CHECK_OK(cuzk_agg_proof_encode(again, &p, &err), &err);
    CHECK_MEM(again, d, n);
    free(again);
    cuzk_agg_challenge_r(&c, &p, s->include, s->n_include, NULL);
    cuzk_agg_challenge_first(&c, &p, NULL);
    for (unsigned i = 0; i < p.rounds; i++) {
        cuzk_agg_challenge_round(&c, &p, i, version, NULL);
    }
    cuzk_agg_challenge_z(&c, &p, version, NULL);
    check_folded(jwalk_key(v, "t_ab_sha256"), &p.com[AGG_T_AB], &p, &c, AGG_T_AB_L, AGG_T_AB_R);
    check_folded(jwalk_key(v, "u_ab_sha256"), &p.com[AGG_U_AB], &p, &c, AGG_U_AB_L, AGG_U_AB_R);
    check_folded(jwalk_key(v, "t_c_sha256"), &p.com[AGG_T_C], &p, &c, AGG_T_C_L, AGG_T_C_R);
    check_folded(jwalk_key(v, "u_c_sha256"), &p.com[AGG_U_C], &p, &c, AGG_U_C_L, AGG_U_C_R);
    check_folded(jwalk_key(v, "z_ab_sha256"), &p.z_ab, &p, &c, AGG_Z_AB_L, AGG_Z_AB_R);
    cuzk_agg_fold_eval(&final_r, c.x_inv, p.rounds, &c.r, &CUZK_FR_ONE);
    cuzk_fr_to_bytes_le(le, &final_r);
    CHECK(jwalk_hex_is(jwalk_key(v, "final_r_le"), le, 32));
}

static void every_set(void)
{
    size_t runs = 0;
    for (size_t i = 0; i < agg_set_count(); i++) {
        agg_set s;
        agg_set_load(&s, i);
        const jwalk list = jwalk_key(s.json, "runs");
        for (size_t r = 0; r < jwalk_count(list); r++, runs++) {
            const jwalk run = jwalk_at(list, r);
            size_t n = 0;
            uint8_t *d = read_agg(jwalk_key(run, "file"), &n);
            const cuzk_agg_claim c = agg_set_claim(&s, version_of(jwalk_key(run, "version")));
            CHECK_U64(verify(&s, &c, d, n, false), CUZK_OK);
            check_verifier(&s, run, d, n);
            free(d);
        }
        agg_set_free(&s);
    }
    CHECK_U64(runs, 26);
}

/* One case of negative.json: the bytes, and the claim. */
typedef struct negative {
    agg_set s;
    cuzk_agg_claim c;
    uint8_t *d;
    size_t n;
    uint8_t include[64];
    uint8_t *more; /* statements, when there are more of them */
} negative;

static void find_set(negative *x, const char *base)
{
    char name[64];
    snprintf(name, sizeof(name), "%s", base);
    char *end = strstr(name, "-bad-v2");
    end = end != NULL ? end : strrchr(name, '-');
    CHECK(end != NULL);
    *end = '\0';
    agg_set_find(&x->s, strcmp(name, "forged") == 0 ? "tiny-2" : name);
    x->c = agg_set_claim(&x->s, strstr(base, "-v1") != NULL ? CUZK_AGG_V1 : CUZK_AGG_V2);
}

static void change_bytes(negative *x, jwalk e)
{
    if (!jwalk_has(e, "patches")) {
        return;
    }
    const jwalk patches = jwalk_key(e, "patches");
    for (size_t i = 0; i < jwalk_count(patches); i++) {
        const jwalk p = jwalk_at(patches, i);
        const size_t at = jwalk_u64(jwalk_at(p, 0));
        CHECK(at < x->n);
        jwalk_hex(jwalk_at(p, 1), x->d + at, x->n - at);
    }
    if (!jwalk_is_null(jwalk_key(e, "truncate_to"))) {
        x->n = jwalk_u64(jwalk_key(e, "truncate_to"));
    }
    x->d = realloc(x->d, x->n + 64);
    CHECK(x->d != NULL);
    x->n += jwalk_hex(jwalk_key(e, "append"), x->d + x->n, 64);
    uint8_t digest[32];
    cuzk_sha256_digest(digest, x->d, x->n);
    CHECK(jwalk_hex_is(jwalk_key(e, "sha256"), digest, 32));
}

static void swap_statements(negative *x, size_t i, size_t j)
{
    const size_t n = x->c.n_inputs * CUZK_SCALAR_BYTES;
    for (size_t k = 0; k < n; k++) {
        const uint8_t t = x->s.inputs[i * n + k];
        x->s.inputs[i * n + k] = x->s.inputs[j * n + k];
        x->s.inputs[j * n + k] = t;
    }
}

static void more_statements(negative *x, size_t count)
{
    const size_t n = x->c.n_inputs * CUZK_SCALAR_BYTES;
    x->more = malloc(count * n);
    CHECK(x->more != NULL);
    for (size_t i = 0; i < count; i++) {
        memcpy(x->more + i * n, x->s.inputs + (i < x->c.n ? i : 0) * n, n);
    }
    x->c.inputs = x->more;
    x->c.n = count;
}

static void replace_inputs(negative *x, jwalk rows)
{
    for (size_t i = 0; i < jwalk_count(rows); i++) {
        for (size_t j = 0; j < x->c.n_inputs; j++) {
            jwalk_hex(jwalk_at(jwalk_at(rows, i), j),
                      x->s.inputs + (i * x->c.n_inputs + j) * CUZK_SCALAR_BYTES, CUZK_SCALAR_BYTES);
        }
    }
}

static void change_keys(negative *x, jwalk st)
{
    cuzk_err err;
    char text[64], path[128];
    if (jwalk_has(st, "srs")) {
        cuzk_agg_srs_close(x->s.srs);
        jwalk_text(jwalk_key(st, "srs"), text, sizeof(text));
        snprintf(path, sizeof(path), AGG_DIR "%s.srs", text);
        CHECK_OK(cuzk_agg_srs_open(&x->s.srs, path, &err), &err);
    }
    if (jwalk_has(st, "vk") && !jwalk_equals(jwalk_key(st, "vk"), "tiny.vk")) {
        CHECK(jwalk_equals(jwalk_key(st, "vk"), "delta_g2 := gamma_g2"));
        memcpy(x->s.vk_bytes + 672, x->s.vk_bytes + 384, 192);
        cuzk_vk_destroy(x->s.vk);
        /* delta = gamma makes an unsafe key, which only the unsafe reader takes. */
        CHECK_U64(cuzk_vk_read_unsafe(&x->s.vk, x->s.vk_bytes, x->s.n_vk), CUZK_VERIFY_OK);
    }
}

static void change_statement(negative *x, jwalk e)
{
    if (!jwalk_has(e, "statement")) {
        return;
    }
    const jwalk st = jwalk_key(e, "statement");
    change_keys(x, st);
    if (jwalk_has(st, "swap_inputs")) {
        const jwalk p = jwalk_key(st, "swap_inputs");
        swap_statements(x, jwalk_u64(jwalk_at(p, 0)), jwalk_u64(jwalk_at(p, 1)));
    }
    if (jwalk_has(st, "add_one")) {
        const jwalk p = jwalk_key(st, "add_one");
        const size_t i = jwalk_u64(jwalk_at(p, 0)), j = jwalk_u64(jwalk_at(p, 1));
        uint8_t *in = x->s.inputs + (i * x->c.n_inputs + j) * CUZK_SCALAR_BYTES;
        cuzk_fr a;
        CHECK(cuzk_fr_from_bytes_le(&a, in));
        cuzk_fr_add(&a, &a, &CUZK_FR_ONE);
        cuzk_fr_to_bytes_le(in, &a);
    }
    if (jwalk_has(st, "drop_last_inputs")) {
        x->c.n -= jwalk_u64(jwalk_key(st, "drop_last_inputs"));
    }
    if (jwalk_has(st, "keep_inputs")) {
        x->c.n = jwalk_u64(jwalk_key(st, "keep_inputs"));
    }
    if (jwalk_has(st, "append_input_0_until")) {
        more_statements(x, jwalk_u64(jwalk_key(st, "append_input_0_until")));
    }
    if (jwalk_has(st, "pop_in")) { /* all statements have one length here */
        x->c.n_inputs--;
    }
    if (jwalk_has(st, "transcript_include")) {
        x->c.n_include =
            jwalk_hex(jwalk_key(st, "transcript_include"), x->include, sizeof(x->include));
        x->c.include = x->include;
    }
    if (jwalk_has(st, "version")) {
        x->c.version = version_of(jwalk_key(st, "version"));
    }
    if (jwalk_has(st, "public_inputs_le")) {
        replace_inputs(x, jwalk_key(st, "public_inputs_le"));
    }
}

static void check_negative(jwalk e)
{
    negative x;
    char base[64], name[160];
    memset(&x, 0, sizeof(x));
    jwalk_text(jwalk_key(e, "base"), base, sizeof(base));
    jwalk_text(jwalk_key(e, "name"), name, sizeof(name));
    x.d = read_agg(jwalk_key(e, "base"), &x.n);
    find_set(&x, base);
    change_bytes(&x, e);
    change_statement(&x, e);
    const bool is_true = jwalk_equals(jwalk_key(e, "class"), "true");
    const bool appended = jwalk_has(e, "append") && !jwalk_equals(jwalk_key(e, "append"), "");
    const cuzk_status strict = verify(&x.s, &x.c, x.d, x.n, false);
    const cuzk_status lax = verify(&x.s, &x.c, x.d, x.n, true);
    CHECK_MSG(lax != CUZK_E_NOMEM && lax != CUZK_E_IO, "%s", name);
    CHECK_MSG((lax == CUZK_OK) == is_true, "%s, %s: %s", base, name, cuzk_status_text(lax));
    CHECK_MSG((strict == CUZK_OK) == (is_true && !appended), "%s, %s", base, name);
    CHECK_MSG(!appended || strict == CUZK_E_FORMAT, "%s, %s", base, name);
    if (jwalk_equals(jwalk_key(e, "class"), "false")) {
        CHECK_MSG(lax == CUZK_E_PROOF_FALSE || lax == CUZK_E_NOT_IN_GROUP, "%s, %s: %s", base, name,
                  cuzk_status_text(lax));
    }
    free(x.d);
    free(x.more);
    agg_set_free(&x.s);
}

static void every_changed_aggregate(void)
{
    size_t n = 0, done = 0;
    uint8_t *text = test_read_file(AGG_DIR "negative.json", &n);
    const jwalk cases = jwalk_key((jwalk){text, text + n}, "cases");
    const size_t count = jwalk_count(cases);
    for (size_t i = 0; i < count; i++) {
        const jwalk e = jwalk_at(cases, i);
        if (jwalk_has(e, "base")) { /* the three without are about the prover: test_agg_prove.c */
            check_negative(e);
            done++;
        }
    }
    free(text);
    CHECK_U64(count, 178);
    CHECK_U64(done, 175);
}

static void inputs_are_checked(void)
{
    agg_set s;
    size_t n = 0;
    cuzk_err err;
    agg_set_find(&s, "tiny-4");
    uint8_t *d = test_read_file(AGG_DIR "tiny-4-v2.agg", &n);
    cuzk_agg_claim c = agg_set_claim(&s, CUZK_AGG_V2);
    memset(s.inputs + 3 * CUZK_SCALAR_BYTES, 0xff, CUZK_SCALAR_BYTES);
    CHECK_STATUS(cuzk_agg_verify(cuzk_agg_srs_vk(s.srs), s.vk, &c, d, n, false, &err),
                 CUZK_E_ENCODING);
    CHECK_STR(err.msg, "statement 1: public input 1 is not below r");
    c.n = 0;
    CHECK_STATUS(cuzk_agg_verify(cuzk_agg_srs_vk(s.srs), s.vk, &c, d, n, false, &err),
                 CUZK_E_INVALID);
    free(d);
    agg_set_free(&s);
}

static const cuzk_case cases[] = {CASE(every_set), CASE(every_changed_aggregate),
                                  CASE(inputs_are_checked)};
TEST_MAIN("aggregate/verify", cases)
