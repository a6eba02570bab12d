/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Where plans put the first slice of the file in each phase: by numbers alone, from plans for all sizes of memory. */
#include "accel/mock/mock_accel.h"
#include "groth16/circuits.h"
#include "groth16/device/device_stream.h"
#include "groth16/device_instance.h"

#include "test.h"

typedef struct area {
    uint64_t begin, end;
} area;

static bool overlap(area a, area b)
{
    return a.begin < b.end && b.begin < a.end;
}

static area area_of(uint64_t begin, uint64_t bytes)
{
    return (area){begin, begin + bytes};
}

/* Half of the wires are bits. */
static test_instance mixed(size_t n)
{
    test_draft d;
    test_draft_begin(&d);
    for (size_t i = 0; i < n; i++) {
        cuzk_fr x;
        test_fr(&x);
        (void)test_draft_bit(&d, i % 3 == 0);
        (void)test_draft_square(&d, &x);
    }
    return test_draft_finish(&d);
}

/* The parts of a slice are what it is, and need no more memory. */
static void check_parts(const cuzk_device_key *k, const device_slice *s, const device_sums *sums)
{
    for (unsigned lg = 0; lg < DEVICE_MOST_PARTS; lg++) {
        device_slice parts[DEVICE_MOST_PARTS];
        const uint32_t n = device_slice_parts(parts, s, k, lg);
        uint64_t at = s->first, fulls = 0;
        CHECK(n == lg + 1 || (n == 1 && s->n >> lg == 0));
        for (uint32_t i = 0; i < n; i++) {
            CHECK_U64(parts[i].section, s->section);
            CHECK_U64(parts[i].first, at);
            CHECK(parts[i].n > 0);
            CHECK(device_slice_split(&parts[i]) <= sums->split || s->section == CUZK_SRS_H);
            CHECK(parts[i].bit >= s->bit &&
                  parts[i].bit + parts[i].n_bits <= s->bit + s->n_bits + 64);
            at += parts[i].n;
            fulls += parts[i].n_fulls;
        }
        CHECK_U64(at, s->first + s->n);
        CHECK_U64(fulls, s->n_fulls);
    }
}

/* Input of the last slice of section h, and the number of slices. */
static area last_of_h(const device_plan *p, const cuzk_device_key *k, uint32_t *n)
{
    device_slice s = {.section = CUZK_SRS_H}, parts[DEVICE_MOST_PARTS], last = {.n = 0};
    *n = 0;
    while (device_slice_next(&s, k, p->h.slice) && s.section == CUZK_SRS_H) {
        const uint32_t more = device_slice_parts(parts, &s, k, *n == 0 ? p->first_h.lg : 0);
        last = parts[more - 1];
        *n += more;
    }
    CHECK(*n > 0);
    return area_of(*n == 1 ? p->first_h.at : p->at_h + device_sums_buffer(&p->h, *n - 1),
                   device_slice_input(&last));
}

typedef struct found {
    unsigned early_h[DEVICE_MOST_PARTS], early_rest[DEVICE_MOST_PARTS];
    unsigned late_h, late_rest, only, even, odd;
} found;

static void check_h(const device_plan *p, const cuzk_device_key *k, found *f)
{
    const device_first *x = &p->first_h;
    device_slice s = {.section = CUZK_SRS_H}, parts[DEVICE_MOST_PARTS];
    const area at = area_of(x->at, x->bytes);
    const area next = area_of(p->at_h + device_sums_buffer(&p->h, 1), p->h.buffer);
    CHECK(device_slice_next(&s, k, p->h.slice));
    check_parts(k, &s, &p->h);
    (void)device_slice_parts(parts, &s, k, x->lg);
    CHECK(device_slice_input(&parts[0]) <= x->bytes);
    CHECK(at.end <= p->total && at.begin >= p->at_h + device_sums_buffer(&p->h, 0));
    CHECK(!overlap(at, next));
    CHECK(!x->is_early || at.begin >= p->at_h + device_plan_quotient(p));
    f->early_h[x->lg] += x->is_early;
    f->late_h += !x->is_early;
}

static void check_rest(const device_plan *p, const cuzk_device_key *k, found *f)
{
    const device_first *x = &p->first_rest;
    device_slice s = {.section = CUZK_SRS_L}, parts[DEVICE_MOST_PARTS];
    const area at = area_of(x->at, x->bytes);
    uint32_t n = 0;
    const area last = last_of_h(p, k, &n);
    CHECK(device_slice_next(&s, k, p->rest.slice));
    check_parts(k, &s, &p->rest);
    (void)device_slice_parts(parts, &s, k, x->lg);
    CHECK(device_slice_input(&parts[0]) <= x->bytes);
    /* Behind everything of the phase but buffer 0. */
    CHECK(at.end <= p->total && at.begin >= p->at_rest + device_sums_buffer(&p->rest, 0));
    if (x->is_early) { /* phase h still uses these */
        CHECK(!overlap(at, last));
        CHECK(at.begin >= p->at_h + device_sums_buffer(&p->h, 1));
    }
    f->early_rest[x->lg] += x->is_early;
    f->late_rest += !x->is_early;
    f->only += n == 1;
    f->even += n % 2 == 0;
    f->odd += n % 2 == 1 && n > 1;
}

static void check_plans(const device_instance *in, found *f)
{
    static const cuzk_device_key_opts ko = {.chunk_points = 128,
                                            .stream = true,
                                            .points = CUZK_DEVICE_POINTS_FILE,
                                            .comb = CUZK_DEVICE_COMB_NONE,
                                            .images = true};
    static const uint64_t slices[] = {0, 256, 896, 1u << 20};
    cuzk_accel *dev = NULL;
    cuzk_device_key *k = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_accel_mock_open(&dev, 0, (uint64_t)1 << 30, NULL, &err), &err);
    CHECK_OK(cuzk_device_key_create(&k, dev, in->t.c, in->file, &ko, NULL, NULL, &err), &err);
    for (uint64_t bytes = (uint64_t)4 << 20; bytes > (uint64_t)1 << 17; bytes = bytes / 8 * 7) {
        for (uint32_t i = 0; i < 16; i++) {
            const cuzk_device_prove_opts po = {.slice_points = slices[i % 4],
                                               .max_group = i / 4 % 2 * 3};
            device_plan p;
            uint64_t ns;
            CHECK_OK(device_plan_choose(&p, &ns, k, 1 + i / 4 * 4, bytes, &po, &err), &err);
            if (p.total != 0) {
                CHECK(p.total <= bytes);
                check_h(&p, k, f);
                check_rest(&p, k, f);
            }
        }
    }
    cuzk_device_key_destroy(k);
    cuzk_accel_close(dev);
}

static void first_slices(void)
{
    TEST_HAS_ONE_THREAD();
    found f = {.late_h = 0};
    for (int i = 0; i < 2; i++) {
        device_instance in;
        device_instance_begin(&in, i == 0 ? mixed(1500) : test_circuit_blocks(300),
                              CUZK_QUOTIENT_COEFFS);
        check_plans(&in, &f);
        device_instance_end(&in);
    }
    CHECK(f.early_h[0] > 0 && f.early_h[2] > 0 && f.early_rest[0] > 0 && f.late_rest > 0);
    CHECK(f.only > 0 && f.even > 0 && f.odd > 0);
}

static const cuzk_case cases[] = {CASE(first_slices)};
TEST_MAIN("groth16/device_first", cases)
