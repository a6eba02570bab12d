/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Calls that begin before all of their witnesses are made. */
#include <string.h>

#include "accel/mock/mock_accel.h"
#include "groth16/device_instance.h"
#include "trace/trace_read.h"

#include "test.h"

#define GIB ((uint64_t)1 << 30)
#define N   4u

/* Witnesses that are made when they are awaited, on the thread of the call: so none is there before. */
typedef struct maker {
    const device_instance *in;
    cuzk_accel *dev;
    size_t n_made;
    uint64_t calls;  /* of the device when the last witness was made */
    uint64_t bytes;  /* of device memory before the call */
    size_t wrong_at; /* this witness is of another circuit, `other`; N: none */
    const cuzk_witness *other;
    size_t fail_at; /* the making of this witness fails with fail_with; N: none */
    cuzk_status fail_with;
    size_t cancel_at; /* cancelled while this witness is awaited; N: never */
    cuzk_cancel cancel;
    cuzk_device_key *nested; /* another call has the device while the first witness is awaited */
} maker;

static const cuzk_device_key_opts key_kinds[] = {
    {.chunk_points = 1024},
    {.chunk_points = 1024, .stream = true},
    {.chunk_points = 1024, .stream = true, .points = CUZK_DEVICE_POINTS_FILE}};

static void prove_another(const maker *m)
{
    const cuzk_device_prove_opts po = {.r = m->in->r, .s = m->in->s, .device = CUZK_TRACE_NONE};
    cuzk_proof got[1];
    cuzk_err err;
    if (m->nested != NULL) {
        CHECK_OK(cuzk_device_prove(m->nested, got, 1, m->in->witnesses, &po, NULL, &err), &err);
        device_check_proofs(got, m->in->want, 1);
    }
}

static cuzk_status make(void *arg, size_t i, const cuzk_witness **w, bool *pinned, cuzk_err *err)
{
    maker *m = arg;
    CHECK(i <= m->n_made);
    if (i == m->n_made) {
        const cuzk_mock_stats s = cuzk_accel_mock_stats(m->dev);
        if (i == 0) {
            CHECK_U64(s.bytes,
                      m->bytes); /* no memory is held while there is no work, and no lane */
            prove_another(m);
        } else {
            CHECK(s.calls > m->calls + 3); /* work of the witness before, upload and more */
        }
        m->calls = cuzk_accel_mock_stats(m->dev).calls;
        m->n_made++;
    }
    if (i == m->cancel_at) {
        atomic_store(&m->cancel.requested, true);
    }
    if (i == m->fail_at) {
        return CUZK_FAIL(err, m->fail_with, "witness %zu cannot be made", i);
    }
    *w = i == m->wrong_at ? m->other : m->in->witnesses[i % N];
    *pinned = false;
    return CUZK_OK;
}

static maker begin(const device_instance *in, cuzk_accel *dev)
{
    return (maker){.in = in,
                   .dev = dev,
                   .bytes = cuzk_accel_mock_stats(dev).bytes,
                   .wrong_at = SIZE_MAX,
                   .fail_at = SIZE_MAX,
                   .cancel_at = SIZE_MAX};
}

static cuzk_status prove(cuzk_device_key *k, maker *m, uint32_t group, size_t n, cuzk_proof *got,
                         cuzk_trace_ctx trace, cuzk_err *err)
{
    const cuzk_device_prove_opts po = {.r = m->in->r,
                                       .s = m->in->s,
                                       .max_group = group,
                                       .slice_points = group == 0 ? 0 : 128,
                                       .device = CUZK_TRACE_NONE,
                                       .trace = trace,
                                       .await = make,
                                       .await_arg = m};
    return cuzk_device_prove(k, got, n, NULL, &po, &m->cancel, err);
}

/* The phases, waits included, are all of the call's time on the device. */
static void check_trace(cuzk_trace *trace)
{
    static const char *const phases[] = {"prep_msm",  "eval",     "ntt_msm_h",
                                         "batch_add", "tail_msm", "b_g2_msm"};
    uint64_t parts = 0;
    for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
        parts += cuzk_trace_sum(trace, 0, "gpu_total", phases[i]);
    }
    CHECK_U64(parts, cuzk_trace_sum(trace, 0, "prove", "gpu_total"));
    CHECK(cuzk_trace_sum(trace, 0, "prep_msm", "witness_wait") > 0);
}

static void begins_with_one(void)
{
    TEST_HAS_ONE_THREAD();
    device_instance in;
    cuzk_accel *dev = NULL;
    cuzk_err err;
    cuzk_proof got[N];
    device_instance_begin(&in, test_circuit_blocks(20), CUZK_QUOTIENT_COEFFS);
    CHECK_OK(cuzk_accel_mock_open(&dev, 0, GIB, NULL, &err), &err);
    for (size_t i = 0; i < sizeof(key_kinds) / sizeof(key_kinds[0]); i++) {
        cuzk_device_key *k = NULL;
        CHECK_OK(cuzk_device_key_create(&k, dev, in.t.c, in.file, &key_kinds[i], NULL, NULL, &err),
                 &err);
        for (uint32_t group = 0; group < 4; group++) {
            for (size_t n = group == 3 ? 1 : N; n <= N; n++) {
                cuzk_trace *trace = NULL;
                CHECK_OK(cuzk_trace_create(&trace, 1024, &err), &err);
                maker m = begin(&in, dev);
                m.nested = group == 1 ? k : NULL;
                CHECK_OK(prove(k, &m, group, n, got, (cuzk_trace_ctx){trace, 0}, &err), &err);
                CHECK_U64(m.n_made, n);
                device_check_proofs(got, in.want, n);
                if (n == N && m.nested == NULL) {
                    check_trace(trace);
                }
                cuzk_trace_destroy(trace);
            }
        }
        cuzk_device_key_destroy(k);
    }
    cuzk_accel_close(dev);
    device_instance_end(&in);
}

/* More witnesses than one part of a call holds. */
static void several_parts(void)
{
    TEST_HAS_ONE_THREAD();
    enum { MANY = 18 };
    device_instance in;
    cuzk_accel *dev = NULL;
    cuzk_device_key *k = NULL;
    cuzk_err err;
    cuzk_proof got[MANY];
    cuzk_scalar r[MANY], s[MANY];
    device_instance_begin(&in, test_circuit_blocks(3), CUZK_QUOTIENT_COEFFS);
    for (size_t i = 0; i < MANY; i++) {
        r[i] = in.r[i % N];
        s[i] = in.s[i % N];
    }
    CHECK_OK(cuzk_accel_mock_open(&dev, 0, GIB, NULL, &err), &err);
    CHECK_OK(cuzk_device_key_create(&k, dev, in.t.c, in.file, &key_kinds[2], NULL, NULL, &err),
             &err);
    maker m = begin(&in, dev);
    const cuzk_device_prove_opts po = {
        .r = r, .s = s, .max_group = 2, .device = CUZK_TRACE_NONE, .await = make, .await_arg = &m};
    CHECK_OK(cuzk_device_prove(k, got, MANY, NULL, &po, NULL, &err), &err);
    CHECK_U64(m.n_made, MANY);
    for (size_t i = 0; i < MANY; i++) {
        device_check_proofs(&got[i], &in.want[i % N], 1);
    }
    cuzk_device_key_destroy(k);
    cuzk_accel_close(dev);
    device_instance_end(&in);
}

/* The call ends with the status that is awaited, writes nothing, leaves nothing, and the next one is fine. */
static void expect_end(cuzk_device_key *k, maker *m, cuzk_status want, const char *what)
{
    cuzk_err err = {.msg = ""};
    cuzk_proof got[N], untouched[N];
    const cuzk_mock_stats before = cuzk_accel_mock_stats(m->dev);
    memset(got, 0xa5, sizeof(got));
    memset(untouched, 0xa5, sizeof(untouched));
    CHECK_STATUS(prove(k, m, 2, N, got, CUZK_TRACE_OFF, &err), want);
    CHECK_MSG(strstr(err.msg, what) != NULL, "%s", err.msg);
    CHECK_MEM(got, untouched, sizeof(got));
    const cuzk_mock_stats after = cuzk_accel_mock_stats(m->dev);
    CHECK_U64(after.bytes, before.bytes);
    CHECK_U64(after.blocks, before.blocks);
    maker good = begin(m->in, m->dev);
    CHECK_OK(prove(k, &good, 2, N, got, CUZK_TRACE_OFF, &err), &err);
    device_check_proofs(got, m->in->want, N);
}

static void ends_while_waiting(void)
{
    TEST_HAS_ONE_THREAD();
    /* CUZK_E_ENCODING: not taken for a point of the file */
    static const cuzk_status kinds[] = {CUZK_E_VANILLA, CUZK_E_ENCODING, CUZK_E_CANCELLED};
    device_instance in, other;
    cuzk_accel *dev = NULL;
    cuzk_device_key *k = NULL;
    cuzk_err err;
    device_instance_begin(&in, test_circuit_blocks(8), CUZK_QUOTIENT_COEFFS);
    device_instance_begin(&other, test_circuit_blocks(9), CUZK_QUOTIENT_COEFFS);
    CHECK_OK(cuzk_accel_mock_open(&dev, 0, GIB, NULL, &err), &err);
    CHECK_OK(cuzk_device_key_create(&k, dev, in.t.c, in.file, &key_kinds[2], NULL, NULL, &err),
             &err);
    for (size_t i = 0; i < N; i++) {
        maker m = begin(&in, dev);
        m.fail_at = i;
        m.fail_with = kinds[i % 3];
        expect_end(k, &m, m.fail_with, "cannot be made");
        CHECK_U64(m.n_made, i + 1);
        m = begin(&in, dev);
        m.wrong_at = i;
        m.other = other.witnesses[0];
        expect_end(k, &m, CUZK_E_INVALID, "of another circuit");
        CHECK_U64(m.n_made, i + 1);
        m = begin(&in, dev);
        m.cancel_at = i;
        expect_end(k, &m, CUZK_E_CANCELLED, "cancelled");
        CHECK(m.n_made <= i + 2);
    }
    cuzk_device_key_destroy(k);
    const cuzk_mock_stats s = cuzk_accel_mock_stats(dev);
    CHECK_U64(s.blocks + s.host_blocks + s.queues + s.objects + s.bytes, 0);
    cuzk_accel_close(dev);
    device_instance_end(&in);
    device_instance_end(&other);
}

static const cuzk_case cases[] = {CASE(begins_with_one), CASE(several_parts),
                                  CASE(ends_while_waiting)};
TEST_MAIN("groth16/device_await", cases)
