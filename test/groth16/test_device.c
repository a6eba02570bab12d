/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Proofs through the device interface equal cuzk_prove's, whatever streams and however it fails. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accel/cpu/cpu_accel.h"
#include "accel/mock/mock_accel.h"
#include "base/alloc.h"
#include "groth16/cpu/prove.h"
#include "groth16/device_instance.h"

#include "test.h"

#define GIB ((uint64_t)1 << 30)

static void check_instance(const device_instance *in, cuzk_accel *dev)
{
    cuzk_proof got[4];
    cuzk_err err;
    for (unsigned v = 0; v < 11; v++) {
        const uint32_t group = v < 3 ? 0 : v < 6 ? 1 : 3;
        const cuzk_device_comb comb = v % 3 != 0 && v < 9 ? CUZK_DEVICE_COMB_AUTO
                                      : v % 2 == 0        ? CUZK_DEVICE_COMB_3
                                                          : CUZK_DEVICE_COMB_4;
        CHECK_OK(device_load_and_prove(in, dev,
                                       (device_variant){.stream = v % 3 != 0 && v < 9,
                                                        .file = v % 3 == 2 && v < 9,
                                                        .group = group,
                                                        .slice = v < 4 ? 0 : 128,
                                                        .comb = comb},
                                       4, got, &err),
                 &err);
        device_check_proofs(got, in->want, 4);
    }
}

static void equals_cpu(void)
{
    cuzk_accel *cpu = NULL, *mock = NULL;
    cuzk_err err;
    CHECK_OK(cuzk_accel_cpu_open(&cpu, NULL, &err), &err);
    CHECK_OK(cuzk_accel_mock_open(&mock, 0, GIB, NULL, &err), &err);
    for (size_t i = 0; i < test_iters(TEST_IS_SPARSE ? 3 : 6); i++) {
        device_instance in;
        const cuzk_quotient_kind kind = i % 3 == 2 ? CUZK_QUOTIENT_ODD_COSET : CUZK_QUOTIENT_COEFFS;
        device_instance_begin(&in,
                              i % 2 == 0
                                  ? test_circuit_random(1 + test_below(300), 1 + test_below(8))
                                  : test_circuit_blocks(1 + test_below(60)),
                              kind);
        check_instance(&in, cpu);
        check_instance(&in, mock);
        const cuzk_mock_stats s = cuzk_accel_mock_stats(mock);
        CHECK_U64(s.blocks + s.host_blocks + s.queues + s.objects + s.bytes, 0);
        device_instance_end(&in);
    }
    cuzk_accel_close(cpu);
    cuzk_accel_close(mock);
}

/* One limit: proofs as the CPU's within it, or a refusal with the numbers. *vectors: bits of those seen. */
static cuzk_status within(const device_instance *in, bool file, uint64_t limit, unsigned *vectors)
{
    cuzk_err err;
    cuzk_accel *dev = NULL;
    cuzk_device_key *k = NULL;
    cuzk_device_plan_info plan;
    cuzk_proof got[4];
    const cuzk_device_key_opts ko = {.chunk_points = 128,
                                     .points =
                                         file ? CUZK_DEVICE_POINTS_FILE : CUZK_DEVICE_POINTS_AUTO,
                                     .comb = file ? CUZK_DEVICE_COMB_NONE : CUZK_DEVICE_COMB_4,
                                     .what = "blocks",
                                     .images = true};
    const cuzk_device_prove_opts po = {.r = in->r, .s = in->s, .device = CUZK_TRACE_NONE};
    CHECK_OK(cuzk_accel_mock_open(&dev, 0, limit, NULL, &err), &err);
    cuzk_status st =
        cuzk_device_key_create(&k, dev, in->t.c, file ? in->file : in->srs, &ko, NULL, NULL, &err);
    if (st == CUZK_OK) {
        const uint64_t key = cuzk_accel_mock_stats(dev).bytes;
        st = cuzk_device_key_plan(&plan, k, 2, limit - key, &err);
        if (st == CUZK_OK) {
            CHECK(plan.device_bytes <= limit - key);
            *vectors |= 1u << plan.vectors;
            CHECK_OK(cuzk_device_prove(k, got, 2, in->witnesses, &po, NULL, &err), &err);
            device_check_proofs(got, in->want, 2);
            CHECK(cuzk_device_key_get_stats(k).host_bytes >= plan.host_bytes);
        }
    }
    if (st != CUZK_OK) {
        CHECK_STATUS(st, CUZK_E_DEV_NOMEM);
        CHECK(strstr(err.msg, "free") != NULL);
        CHECK(strstr(err.msg, "blocks") == NULL || strstr(err.msg, "mock device") != NULL);
    }
    cuzk_device_key_destroy(k);
    const cuzk_mock_stats s = cuzk_accel_mock_stats(dev);
    CHECK(s.peak_bytes <= limit);
    CHECK_U64(s.blocks + s.host_blocks + s.queues + s.objects, 0);
    cuzk_accel_close(dev);
    return st;
}

/* With less and less memory: the same proofs in more parts, with fewer vectors, then a refusal. */
static void less_memory(const device_instance *in, bool file)
{
    bool refused = false;
    unsigned vectors = 0;
    for (uint64_t limit = (uint64_t)5 << 20; limit >= (uint64_t)1 << 19; limit = limit / 5 * 4) {
        const cuzk_status st = within(in, file, limit, &vectors);
        CHECK(st != CUZK_OK || !refused);
        refused = refused || st != CUZK_OK;
    }
    CHECK(refused);
    CHECK_U64(vectors, 1u << 3 | 1u << 2 | 1u << 1);
}

static void small_memory(void)
{
    for (int i = 0; i < (TEST_IS_SPARSE ? 1 : 2); i++) {
        device_instance in;
        device_instance_begin(&in, test_circuit_blocks(3000),
                              i == 0 ? CUZK_QUOTIENT_COEFFS : CUZK_QUOTIENT_ODD_COSET);
        less_memory(&in, i == 0);
        device_instance_end(&in);
    }
}

/* Every call of the device fails in turn: that status, nothing left, and the next job is fine. */
static void failures(void)
{
    static const cuzk_status kinds[] = {CUZK_E_DEV_NOMEM, CUZK_E_DEV_LOST};
    static const cuzk_mock_script no_script = {.fail_at = 0};
    device_instance in;
    cuzk_err err;
    cuzk_proof got[4];
    device_instance_begin(&in, test_circuit_blocks(5), CUZK_QUOTIENT_COEFFS);
    for (unsigned v = 0; v < 12; v++) {
        const device_variant way = {.comb = CUZK_DEVICE_COMB_4,
                                    .stream = v % 3 != 0,
                                    .file = v % 3 == 2,
                                    .group = 2,
                                    .slice = 128};
        uint64_t at = 1;
        for (;; at += 1 + test_below(TEST_IS_SPARSE ? 20 : 8)) {
            cuzk_accel *dev = NULL;
            CHECK_OK(cuzk_accel_mock_open(&dev, 0, GIB, NULL, &err), &err);
            const cuzk_mock_script script = {.fail_at = at,
                                             .fail_with = kinds[v / 3 % 2],
                                             .and_after = v / 3 % 2 == 1,
                                             .at_sync = v >= 6,
                                             .order = (cuzk_mock_order)(at % 3)};
            cuzk_accel_mock_set(dev, &script);
            const cuzk_status st = device_load_and_prove(&in, dev, way, 3, got, &err);
            const cuzk_mock_stats s = cuzk_accel_mock_stats(dev);
            CHECK_U64(s.blocks + s.host_blocks + s.queues + s.objects, 0);
            /* A refused allocation may be made good by a smaller plan. */
            CHECK(st == script.fail_with || st == CUZK_OK);
            if (st != CUZK_OK) {
                CHECK(cuzk_status_is_retryable(st));
            } else {
                device_check_proofs(got, in.want, 3);
            }
            cuzk_accel_mock_set(dev, &no_script);
            const cuzk_status again = device_load_and_prove(&in, dev, way, 3, got, &err);
            if (script.fail_with == CUZK_E_DEV_LOST && st != CUZK_OK) {
                CHECK(cuzk_accel_is_lost(dev));
                CHECK_STATUS(again, CUZK_E_DEV_LOST); /* until it is opened again */
            } else {
                CHECK_OK(again, &err);
                device_check_proofs(got, in.want, 3);
            }
            cuzk_accel_close(dev);
            if (s.calls < at) {
                break; /* the whole of it came through */
            }
        }
        CHECK(at > 30);
    }
    device_instance_end(&in);
}

static void host_allocations(void)
{
    device_instance in;
    cuzk_err err;
    cuzk_proof got[4];
    cuzk_accel *dev = NULL;
    device_instance_begin(&in, test_circuit_blocks(3), CUZK_QUOTIENT_COEFFS);
    CHECK_OK(cuzk_accel_mock_open(&dev, 0, GIB, NULL, &err), &err);
    const uint64_t before = cuzk_alloc_get_stats().blocks_now;
    for (unsigned v = 0; v < 4; v++) {
        const device_variant way = {.stream = v % 3 != 0,
                                    .file = v == 2,
                                    .group = 2,
                                    .slice = 0,
                                    .comb = v == 3 ? CUZK_DEVICE_COMB_3 : CUZK_DEVICE_COMB_NONE};
        cuzk_status st = CUZK_E_NOMEM;
        for (uint64_t n = 1; st != CUZK_OK; n++) {
            cuzk_alloc_fail_nth(n, false);
            st = device_load_and_prove(&in, dev, way, 2, got, &err);
            cuzk_alloc_fail_nth(0, false);
            CHECK_MSG(st == CUZK_OK || st == CUZK_E_NOMEM, "allocation %llu: %s",
                      (unsigned long long)n, err.msg);
            CHECK_U64(cuzk_alloc_get_stats().blocks_now, before);
        }
        device_check_proofs(got, in.want, 2);
    }
    cuzk_accel_close(dev);
    device_instance_end(&in);
}

/* A wrong sum gives a proof that differs: verification, which comes after, is what catches it. */
static void wrong_sum(void)
{
    device_instance in;
    cuzk_err err;
    cuzk_proof got[1];
    cuzk_accel *dev = NULL;
    device_instance_begin(&in, test_circuit_blocks(3), CUZK_QUOTIENT_COEFFS);
    CHECK_OK(cuzk_accel_mock_open(&dev, 0, GIB, NULL, &err), &err);
    for (uint64_t i = 1; i <= 8; i++) {
        const cuzk_mock_script script = {.wrong_sum_at = i};
        uint8_t a[192], b[192];
        cuzk_accel_mock_set(dev, &script);
        CHECK_OK(device_load_and_prove(
                     &in, dev,
                     (device_variant){
                         .stream = false, .group = 0, .slice = 0, .comb = CUZK_DEVICE_COMB_4},
                     1, got, &err),
                 &err);
        cuzk_proof_encode(a, &got[0]);
        cuzk_proof_encode(b, &in.want[0]);
        CHECK((memcmp(a, b, 192) != 0) == (i <= cuzk_accel_mock_stats(dev).sums));
    }
    cuzk_accel_close(dev);
    device_instance_end(&in);
}

/* With room to spare the sums of h have images, otherwise not; either proves the same. */
static void images_take_what_is_left(void)
{
    device_instance in;
    cuzk_err err;
    unsigned with = 0, without = 0;
    bool refused = false;
    device_instance_begin(&in, test_circuit_blocks(500), CUZK_QUOTIENT_COEFFS);
    const uint64_t least = (uint64_t)96 << cuzk_circuit_lg_domain(in.t.c);
    for (uint64_t limit = (uint64_t)8 << 20; !refused; limit = limit / 8 * 7) {
        uint64_t bytes[2] = {0, 0};
        bool resident[2] = {false, false};
        for (unsigned no_images = 0; no_images < 2; no_images++) {
            cuzk_accel *dev = NULL;
            cuzk_device_key *k = NULL;
            cuzk_proof got[1];
            const cuzk_device_key_opts ko = {
                .images = no_images == 0, .lanes = 1, .chunk_points = 1024};
            const cuzk_device_prove_opts po = {
                .r = in.r, .s = in.s, .device = CUZK_TRACE_NONE, .slice_points = 256};
            CHECK_OK(cuzk_accel_mock_open(&dev, 0, limit, NULL, &err), &err);
            cuzk_status st = cuzk_device_key_create(&k, dev, in.t.c, in.srs, &ko, NULL, NULL, &err);
            if (st == CUZK_OK) {
                bytes[no_images] = cuzk_device_key_get_stats(k).device_bytes;
                resident[no_images] = cuzk_device_key_get_stats(k).resident;
                st = cuzk_device_prove(k, got, 1, in.witnesses, &po, NULL, &err);
            }
            CHECK(st == CUZK_OK || st == CUZK_E_DEV_NOMEM);
            if (st == CUZK_OK) {
                device_check_proofs(got, in.want, 1);
            }
            cuzk_device_key_destroy(k);
            cuzk_accel_close(dev);
        }
        /* Where points stream, plans with and without images may keep different arrays. */
        CHECK(!resident[0] || !resident[1] || bytes[0] == bytes[1] || bytes[0] >= bytes[1] + least);
        refused = bytes[0] == 0;
        with += resident[0] && bytes[0] > bytes[1];
        without += resident[0] && bytes[0] == bytes[1];
    }
    CHECK(with > 0 && without > 0);
    device_instance_end(&in);
}

/* A call takes what cuzk_device_prove_bytes_within says of the memory that it may have, down to where it is refused. */
static void takes_what_it_is_given(void)
{
    device_instance in;
    cuzk_err err;
    cuzk_accel *dev = NULL;
    cuzk_device_key *k = NULL;
    cuzk_accel_props props;
    cuzk_proof got[1];
    uint64_t whole, before = UINT64_MAX;
    unsigned sliced = 0;
    const cuzk_device_key_opts ko = {.lanes = 1, .chunk_points = 1024, .urgent = true};
    device_instance_begin(&in, test_circuit_blocks(500), CUZK_QUOTIENT_COEFFS);
    CHECK_OK(cuzk_accel_mock_open(&dev, 0, GIB, NULL, &err), &err);
    CHECK_OK(cuzk_device_key_create(&k, dev, in.t.c, in.srs, &ko, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_device_prove_bytes(&whole, k, &err), &err);
    for (uint64_t most = whole + whole / 8;; most = most / 8 * 7) {
        const cuzk_device_prove_opts po = {
            .r = in.r, .s = in.s, .device = CUZK_TRACE_NONE, .most_bytes = most};
        uint64_t bytes = 0;
        const cuzk_status st = cuzk_device_prove_bytes_within(&bytes, k, most, &err);
        CHECK_STATUS(cuzk_device_prove(k, got, 1, in.witnesses, &po, NULL, &err), st);
        if (st != CUZK_OK) {
            CHECK_STATUS(st, CUZK_E_DEV_NOMEM);
            break;
        }
        device_check_proofs(got, in.want, 1);
        CHECK(bytes <= most && bytes <= whole && bytes <= before);
        CHECK(most < whole || bytes == whole);
        sliced += bytes < whole;
        before = bytes;
        cuzk_accel_get_props(dev, &props);
        CHECK(props.memory_free >= whole); /* the device had more than the call was given */
    }
    CHECK(sliced > 1);
    cuzk_device_key_destroy(k);
    cuzk_accel_close(dev);
    device_instance_end(&in);
}

static void refuses(void)
{
    device_instance in, other;
    cuzk_err err;
    cuzk_proof got[1];
    cuzk_accel *dev = NULL;
    cuzk_device_key *k = NULL;
    cuzk_cancel cancel = {true};
    device_instance_begin(&in, test_circuit_blocks(3), CUZK_QUOTIENT_COEFFS);
    device_instance_begin(&other, test_circuit_blocks(4), CUZK_QUOTIENT_COEFFS);
    CHECK_OK(cuzk_accel_cpu_open(&dev, NULL, &err), &err);
    CHECK_STATUS(cuzk_device_key_create(&k, dev, in.t.c, other.srs, NULL, NULL, NULL, &err),
                 CUZK_E_FORMAT);
    CHECK_STATUS(cuzk_device_key_create(&k, dev, in.t.c, in.srs, NULL, NULL, &cancel, &err),
                 CUZK_E_CANCELLED);
    CHECK_OK(cuzk_device_key_create(&k, dev, in.t.c, in.srs, NULL, NULL, NULL, &err), &err);
    CHECK_STATUS(cuzk_device_prove(k, got, 1, other.witnesses, NULL, NULL, &err), CUZK_E_INVALID);
    CHECK_STATUS(cuzk_device_prove(k, got, 1, in.witnesses, NULL, &cancel, &err), CUZK_E_CANCELLED);
    cuzk_device_prove_opts po = {.r = in.r, .device = CUZK_TRACE_NONE};
    CHECK_STATUS(cuzk_device_prove(k, got, 1, in.witnesses, &po, NULL, &err), CUZK_E_INVALID);
    CHECK_OK(cuzk_device_prove(k, got, 0, in.witnesses, NULL, NULL, &err), &err);
    cuzk_device_key_destroy(k);
    cuzk_accel_close(dev);
    device_instance_end(&in);
    device_instance_end(&other);
}

/* A parameter file that loses its end while it is open is E_IO on the CPU and on a device, nothing
 * is left, and when the file is whole again the same srs proves. */
static void file_cut_while_open(void)
{
    char path[512];
    device_instance in;
    cuzk_err err;
    cuzk_accel *dev = NULL;
    cuzk_srs *made, *opened = NULL;
    cuzk_proof got[4];
    const device_variant v = {.group = 1};
    device_instance_begin(&in, test_circuit_blocks(20), CUZK_QUOTIENT_COEFFS);
    (void)snprintf(path, sizeof(path), "%s/cut.params", test_tmpdir());
    CHECK_OK(cuzk_srs_write(in.srs, path, false, NULL, NULL, &err), &err);
    size_t n;
    uint8_t *bytes = test_read_file(path, &n);
    CHECK_OK(cuzk_srs_open(&opened, path, CUZK_POINT_UNCHECKED, NULL, NULL, &err), &err);
    made = in.srs;
    in.srs = opened;
    const cuzk_prove_opts opts = {.r = &in.r[0], .s = &in.s[0]};
    for (size_t i = 0; i < 8; i++) {
        CHECK(truncate(path, (off_t)test_below(n)) == 0);
        CHECK_OK(cuzk_accel_mock_open(&dev, 0, GIB, NULL, &err), &err);
        CHECK_STATUS(device_load_and_prove(&in, dev, v, 4, got, &err), CUZK_E_IO);
        CHECK_MSG(strncmp(err.msg, path, strlen(path)) == 0, "%s", err.msg);
        const cuzk_mock_stats s = cuzk_accel_mock_stats(dev);
        CHECK_U64(s.blocks + s.host_blocks + s.queues + s.objects, 0);
        CHECK(!cuzk_accel_is_lost(dev));
        CHECK_STATUS(cuzk_prove(got, in.witnesses[0], opened, &opts, NULL, NULL, &err), CUZK_E_IO);
        CHECK_MSG(strncmp(err.msg, path, strlen(path)) == 0, "%s", err.msg);
        FILE *f = fopen(path, "r+b");
        CHECK(f != NULL && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
        CHECK_OK(device_load_and_prove(&in, dev, v, 4, got, &err), &err);
        device_check_proofs(got, in.want, 4);
        CHECK_OK(cuzk_prove(got, in.witnesses[0], opened, &opts, NULL, NULL, &err), &err);
        device_check_proofs(got, in.want, 1);
        cuzk_accel_close(dev);
    }
    in.srs = made;
    cuzk_srs_close(opened);
    free(bytes);
    device_instance_end(&in);
}

static const cuzk_case cases[] = {
    CASE(equals_cpu), CASE(small_memory),        CASE(failures),
    CASE(wrong_sum),  CASE(host_allocations),    CASE(takes_what_it_is_given),
    CASE(refuses),    CASE(file_cut_while_open), CASE(images_take_what_is_left)};
TEST_MAIN("groth16/device", cases)
