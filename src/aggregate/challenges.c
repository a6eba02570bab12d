/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdio.h>

#include "aggregate/agg_proof.h"

void cuzk_agg_challenge_r(cuzk_agg_challenges *c, const cuzk_agg_proof *p, const uint8_t *include,
                          size_t n_include, const cuzk_agg_watch *watch)
{
    cuzk_agg_hash h;
    cuzk_agg_hash_begin(&h, "hcom", watch);
    for (size_t i = 0; i < AGG_COMMITMENTS; i++) {
        cuzk_agg_hash_gt(&h, &p->com[i]);
    }
    cuzk_agg_hash_end(&c->hcom, &h);
    cuzk_agg_hash_begin(&h, "random-r", watch);
    cuzk_agg_hash_fr(&h, &c->hcom);
    cuzk_agg_hash_bytes(&h, include, n_include);
    cuzk_agg_hash_end(&c->r, &h);
}

void cuzk_agg_challenge_first(cuzk_agg_challenges *c, const cuzk_agg_proof *p,
                              const cuzk_agg_watch *watch)
{
    cuzk_agg_hash h;
    cuzk_agg_hash_begin(&h, "gipa-0", watch);
    cuzk_agg_hash_fr(&h, &c->hcom);
    cuzk_agg_hash_gt(&h, &p->z_ab);
    cuzk_agg_hash_g1(&h, &p->z_c);
    cuzk_agg_hash_fr(&h, &c->r);
    cuzk_agg_hash_end(&c->first, &h);
}

static void hash_round(cuzk_agg_hash *h, const cuzk_agg_round *r)
{
    cuzk_agg_hash_gt(h, &r->gt[AGG_Z_AB_L]);
    cuzk_agg_hash_gt(h, &r->gt[AGG_Z_AB_R]);
    cuzk_agg_hash_g1(h, &r->z_c_l);
    cuzk_agg_hash_g1(h, &r->z_c_r);
    for (size_t i = AGG_T_AB_L; i <= AGG_U_C_R; i++) {
        cuzk_agg_hash_gt(h, &r->gt[i]);
    }
}

void cuzk_agg_challenge_round(cuzk_agg_challenges *c, const cuzk_agg_proof *p, unsigned i,
                              cuzk_agg_version version, const cuzk_agg_watch *watch)
{
    char label[24];
    cuzk_agg_hash h;
    if (i == 0 && version == CUZK_AGG_V1) {
        c->x_inv[0] = c->first; /* the fault of version 1: nothing of the round enters */
    } else {
        snprintf(label, sizeof(label), "gipa-%u", i);
        cuzk_agg_hash_begin(&h, label, watch);
        cuzk_agg_hash_fr(&h, i == 0 ? &c->first : &c->x_inv[i - 1]);
        hash_round(&h, &p->round[i]);
        cuzk_agg_hash_end(&c->x_inv[i], &h);
    }
    cuzk_fr_inv(&c->x[i], &c->x_inv[i]);
}

void cuzk_agg_challenge_z(cuzk_agg_challenges *c, const cuzk_agg_proof *p, cuzk_agg_version version,
                          const cuzk_agg_watch *watch)
{
    cuzk_agg_hash h;
    const unsigned last = p->rounds - 1;
    /* Version 1 makes this one too and does not use it. */
    cuzk_agg_hash_begin(&h, "gipa-extra-link", watch);
    cuzk_agg_hash_fr(&h, &c->x[last]);
    cuzk_agg_hash_g1(&h, &p->final_a);
    cuzk_agg_hash_g2(&h, &p->final_b);
    cuzk_agg_hash_g1(&h, &p->final_c);
    hash_round(&h, &p->round[last]);
    cuzk_agg_hash_end(&c->link, &h);
    cuzk_agg_hash_begin(&h, "random-z", watch);
    cuzk_agg_hash_fr(&h, version == CUZK_AGG_V1 ? &c->x[last] : &c->link);
    cuzk_agg_hash_g2(&h, &p->final_v[0]);
    cuzk_agg_hash_g2(&h, &p->final_v[1]);
    cuzk_agg_hash_g1(&h, &p->final_w[0]);
    cuzk_agg_hash_g1(&h, &p->final_w[1]);
    if (version != CUZK_AGG_V1) {
        cuzk_agg_hash_g1(&h, &p->final_a);
        cuzk_agg_hash_g2(&h, &p->final_b);
        cuzk_agg_hash_g1(&h, &p->final_c);
    }
    cuzk_agg_hash_end(&c->z, &h);
}

void cuzk_agg_fold_eval(cuzk_fr *out, const cuzk_fr *x, unsigned rounds, const cuzk_fr *z,
                        const cuzk_fr *s)
{
    cuzk_fr t, u, acc = CUZK_FR_ONE;
    cuzk_fr_mul(&t, z, s);
    for (unsigned j = 0; j < rounds; j++) {
        cuzk_fr_mul(&u, &x[rounds - 1 - j], &t);
        cuzk_fr_add(&u, &u, &CUZK_FR_ONE);
        cuzk_fr_mul(&acc, &acc, &u);
        cuzk_fr_sqr(&t, &t);
    }
    *out = acc;
}
