/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Small cards: WinningPoSt beside a call that takes all memory, and what a card can do against what happens. */
#include <string.h>

#include "accel/mock/mock_accel.h"
#include "engine/backend/backend_filecoin.h"
#include "prover/keys/circuit_id.h"
#include "prover/needs/filecoin_needs.h"

#include "mock_card.h"
#include "test.h"

#include "../mock_engine.h"

#define GIB ((uint64_t)1 << 30)

/* A PoRep is in its one call on the device, which takes all the memory that it may, and stays there. */
static test_job *long_porep(mock_engine *w)
{
    test_job *porep = test_job_make(CUZK_JOB_POREP, 1, 3, "");
    w->b.hanging_device = 1;
    w->b.n_hanging = 1;
    w->b.ignores_cancel = true;
    mock_close(&w->b, MOCK_PROVE);
    test_job_prove(w, porep);
    mock_wait_inside(&w->b, MOCK_PROVE, 1);
    return porep;
}

static void end_porep(mock_engine *w, const mock_card *card, test_job *porep)
{
    CHECK(!has_answer(porep));
    mock_open(&w->b, MOCK_PROVE);
    engine_answer_wait(&porep->r);
    CHECK_MSG(is_right(porep), "%s", porep->r.error);
    test_job_free(porep);
    CHECK_U64(atomic_load(&card->too_little), 0);
    wait_rest(w);
    mock_engine_close(w);
}

/* One WinningPoSt of a sector size, from request to proof. */
static void win(mock_engine *w, uint64_t tag, uint64_t sector_gib)
{
    test_job *o = test_job_make(CUZK_JOB_WINNING, tag, 1, "");
    o->rq.sector_size = sector_gib * GIB;
    test_job_prove(w, o);
    CHECK_MSG(gets_answer(o), "the WinningPoSt of %llu GiB sectors waits for the PoRep",
              (unsigned long long)sector_gib);
    CHECK_MSG(is_right(o), "%s", o->r.error);
    test_job_free(o);
}

static mock_engine with_card(mock_card *card)
{
    return (mock_engine){.use = mock_use_card,
                         .use_arg = card,
                         .cfg = {.budget_bytes = 4 * GIB, .stream = CUZK_ENGINE_STREAM_FILE}};
}

/*
 * MiB, as the plans of groth16/device have them for 32 and 64 GiB sectors on a card of class 8.6 with 8 GiB. The
 * PoRep's is what a proof with no sum in slices would take: more than the card has.
 */
#define OF_8_GIB                                                                  \
    .total = 7168, .winning_room = 128, .winning_call = 302, .winning_least = 47, \
    .other_key = 1107, .other_call = 45433, .other_least = 4449

/* A provider with sectors of two sizes: either WinningPoSt starts while the PoRep runs. No key goes for the other. */
static void two_keys_and_a_porep(void)
{
    mock_card card = {OF_8_GIB, .held = 640, .winning_key = 207};
    mock_engine w = with_card(&card);
    mock_engine_open(&w, 1);
    win(&w, 10, 32);
    win(&w, 11, 64);
    test_job *porep = long_porep(&w);
    for (uint64_t i = 0; i < 4; i++) {
        win(&w, 20 + i, i % 2 == 0 ? 32 : 64);
    }
    CHECK_U64(atomic_load(&w.b.keys_loaded), 3);
    end_porep(&w, &card, porep);
}

/* The same when the keys are loaded while the PoRep runs. */
static void keys_beside_a_porep(void)
{
    mock_card card = {OF_8_GIB, .held = 640, .winning_key = 207};
    mock_engine w = with_card(&card);
    mock_engine_open(&w, 1);
    test_job *porep = long_porep(&w);
    for (uint64_t i = 0; i < 4; i++) {
        win(&w, 20 + i, i % 2 == 0 ? 32 : 64);
    }
    CHECK_U64(atomic_load(&w.b.keys_loaded), 3);
    end_porep(&w, &card, porep);
}

/* Two keys leave no memory for a proof: the idle one is unloaded, and loaded again when it is needed. */
static void keys_take_turns(void)
{
    for (int before = 0; before < 2; before++) {
        mock_card card = {OF_8_GIB, .held = 640, .winning_key = 300};
        mock_engine w = with_card(&card);
        mock_engine_open(&w, 1);
        if (before != 0) { /* there is room for both as long as no PoRep runs */
            win(&w, 10, 32);
            win(&w, 11, 64);
            CHECK_U64(atomic_load(&w.b.n_keys), 2);
        }
        test_job *porep = long_porep(&w);
        for (uint64_t i = 0; i < 4; i++) {
            win(&w, 20 + i, i % 2 == 0 ? 32 : 64);
        }
        CHECK_U64(atomic_load(&w.b.n_keys), 2);
        CHECK(atomic_load(&w.b.keys_loaded) > 4);
        end_porep(&w, &card, porep);
    }
}

/* A PoRep that asks for more than the card has is proved in what there is, and neither refused nor kept waiting. */
static void porep_within_what_is_there(void)
{
    mock_card card = {OF_8_GIB, .held = 640, .winning_key = 207};
    mock_engine w = with_card(&card);
    mock_engine_open(&w, 1);
    for (uint64_t i = 0; i < 3; i++) {
        test_job *porep = test_job_make(CUZK_JOB_POREP, 1 + i, 3, "");
        test_job_prove(&w, porep);
        win(&w, 10 + i, 32);
        engine_answer_wait(&porep->r);
        CHECK_MSG(is_right(porep), "%s", porep->r.error);
        test_job_free(porep);
    }
    CHECK_U64(atomic_load(&card.too_little), 0);
    wait_rest(&w);
    mock_engine_close(&w);
}

/*
 * A vector of the domain is in host memory on such a card: the budget counts it, and a budget that it does not fit in
 * is no reason to take it.
 */
static void vector_on_the_host(void)
{
    for (uint64_t gib = 4; gib <= 8; gib += 4) {
        mock_card card = {OF_8_GIB, .held = 640, .winning_key = 207, .other_host = 4096};
        mock_engine w = with_card(&card);
        static cuzk_engine_status s; /* static: frames are small */
        w.cfg.budget_bytes = gib * GIB;
        mock_engine_open(&w, 1);
        test_job *porep = test_job_make(CUZK_JOB_POREP, 1, 3, "");
        test_job_prove(&w, porep);
        engine_answer_wait(&porep->r);
        status_of(&w, &s);
        if (gib == 4) {
            CHECK(porep->r.state == CUZK_JOB_FAILED);
            CHECK_MSG(strstr(porep->r.error, "can never be loaded") != NULL, "%s", porep->r.error);
            CHECK_U64(s.pinned_used, 0);
            win(&w, 10, 32);
        } else {
            CHECK_MSG(is_right(porep), "%s", porep->r.error);
            CHECK_U64(s.pinned_used, 4096 * MOCK_MIB);
        }
        cuzk_engine_status_free(&s);
        test_job_free(porep);
        mock_engine_close(&w);
    }
}

/* What is said of a card. */

typedef struct said {
    const char *card;
    uint64_t kept_mib;          /* for WinningPoSt */
    cuzk_device_ability can[4]; /* by cuzk_circuit_kind, of 32 and of 64 GiB sectors */
} said;

#define CANNOT   CUZK_DEVICE_CANNOT
#define STREAMS  CUZK_DEVICE_STREAMS
#define RESIDENT CUZK_DEVICE_RESIDENT
static const said cards[] = {
    /* porep, winning, window, update */
    {"8.6:8GiB", 640, {STREAMS, RESIDENT, CANNOT, STREAMS}},
    {"8.6:12GiB", 640, {STREAMS, RESIDENT, STREAMS, STREAMS}},
    {"12.0:16GiB", 1024, {STREAMS, RESIDENT, STREAMS, STREAMS}},
    {"8.9:24GiB", 1024, {STREAMS, RESIDENT, STREAMS, STREAMS}},
};

static cuzk_status open_card_accel(void *arg, struct cuzk_accel **out, cuzk_err *err)
{
    const cuzk_card *card = arg;
    return cuzk_accel_mock_open_card(out, 0, card, NULL, NULL, err);
}

/* A request of that kind, whose vanilla proofs are not read before its circuit is known. */
static void request_of(cuzk_job_request *rq, cuzk_circuit_kind kind, uint64_t sector,
                       cuzk_bytes *view)
{
    static const uint8_t junk[192];
    static const cuzk_job_kind kinds[] = {[CUZK_CIRCUIT_POREP] = CUZK_JOB_POREP,
                                          [CUZK_CIRCUIT_WINNING] = CUZK_JOB_WINNING,
                                          [CUZK_CIRCUIT_WINDOW] = CUZK_JOB_WINDOW,
                                          [CUZK_CIRCUIT_UPDATE] = CUZK_JOB_UPDATE};
    const cuzk_bytes node = {junk, 32};
    *view = (cuzk_bytes){junk, sizeof(junk)};
    *rq = (cuzk_job_request){.kind = kinds[kind],
                             .sector_size = sector,
                             .miner_id = 1000,
                             .sector_number = 1,
                             .randomness = node,
                             .comm_r_old = node,
                             .comm_r_new = node,
                             .comm_d_new = node};
    if (kind == CUZK_CIRCUIT_POREP) {
        rq->vanilla_proof = *view;
    } else {
        rq->vanilla_proofs = view;
        rq->n_vanilla_proofs = 1;
    }
}

/* The status's line of a kind says what the table says, and what the doctor computes. */
static void check_line(const cuzk_engine_status *s, const said *c, const cuzk_circuit_spec *spec,
                       const char *id, uint64_t usable)
{
    cuzk_err err;
    cuzk_device_needs needs;
    const cuzk_status_ability *a = NULL;
    for (uint32_t i = 0; i < s->n_abilities; i++) {
        a = strcmp(s->abilities[i].circuit_id, id) == 0 ? &s->abilities[i] : a;
    }
    CHECK_MSG(a != NULL, "%s: nothing is said of %s", c->card, id);
    CHECK_MSG(a->ability == c->can[spec->kind], "%s: %s %s", c->card, id,
              cuzk_device_ability_name(a->ability));
    const uint64_t memory = cuzk_device_bytes_for(spec->kind, usable);
    CHECK_U64(a->available_bytes, memory);
    CHECK_U64(usable - memory, spec->kind == CUZK_CIRCUIT_WINNING ? 0 : c->kept_mib * MOCK_MIB);
    CHECK_OK(cuzk_device_needs_of(&needs, spec, &err), &err);
    CHECK(a->ability == cuzk_device_ability_of(&needs, memory));
    CHECK((a->ability == CANNOT) == (a->needed_bytes > a->available_bytes));
    if (a->ability == RESIDENT && spec->kind == CUZK_CIRCUIT_WINNING) {
        CHECK(a->needed_bytes < c->kept_mib * MOCK_MIB); /* beside any call */
    }
}

/* A kind that the card cannot prove is refused with the numbers of the status; the others come to their parameters,
 * which are not there. */
static void check_answer(cuzk_engine *e, const said *c, const cuzk_circuit_spec *spec,
                         const char *id)
{
    cuzk_err err = {.msg = ""};
    cuzk_job_request rq;
    cuzk_bytes view;
    engine_answer r;
    cuzk_wait wait = 0;
    engine_answer_init(&r);
    request_of(&rq, spec->kind, spec->shape->bytes, &view);
    const cuzk_status st = cuzk_engine_prove(e, &rq, NULL, engine_answer_set, &r, &wait, &err);
    if (c->can[spec->kind] == CANNOT) {
        CHECK_STATUS(st, CUZK_E_DEV_UNFIT);
        CHECK_MSG(strstr(err.msg, id) != NULL && strstr(err.msg, "MiB") != NULL, "%s", err.msg);
    } else {
        CHECK_OK(st, &err);
        engine_answer_wait(&r);
        CHECK(r.state == CUZK_JOB_FAILED && r.code != CUZK_E_DEV_UNFIT);
    }
    engine_answer_destroy(&r);
}

static void said_and_done(void)
{
    static const uint64_t sectors[] = {32 * GIB, 64 * GIB};
    const char *folder = test_tmpdir();
    for (size_t i = 0; i < sizeof(cards) / sizeof(cards[0]); i++) {
        cuzk_err err;
        cuzk_card card;
        cuzk_engine *e = NULL;
        static cuzk_engine_status s; /* static: frames are small */
        CHECK_OK(cuzk_card_parse(&card, cards[i].card, &err), &err);
        const cuzk_engine_accel accel = {open_card_accel, &card};
        const cuzk_engine_config cfg = {
            .param_cache = folder, .budget_bytes = 64 * GIB, .accels = &accel, .n_accels = 1};
        CHECK_OK(cuzk_engine_create(&e, &cfg, &err), &err);
        CHECK_OK(cuzk_engine_get_status(e, &s, &err), &err);
        for (size_t k = 0; k < 8; k++) {
            cuzk_circuit_spec spec;
            char id[CUZK_CIRCUIT_ID_BYTES];
            CHECK_OK(cuzk_circuit_spec_of(&spec, (cuzk_circuit_kind)(k % 4), sectors[k / 4], &err),
                     &err);
            (void)cuzk_circuit_id(id, &spec);
            check_line(&s, &cards[i], &spec, id, cuzk_card_usable(&card));
            check_answer(e, &cards[i], &spec, id);
        }
        cuzk_engine_status_free(&s);
        cuzk_engine_destroy(e);
    }
}

static const cuzk_case cases[] = {CASE(two_keys_and_a_porep), CASE(keys_beside_a_porep),
                                  CASE(keys_take_turns),      CASE(porep_within_what_is_there),
                                  CASE(vector_on_the_host),   CASE(said_and_done)};
TEST_MAIN("engine/cards", cases)
