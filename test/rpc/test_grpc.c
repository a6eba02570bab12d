/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The small parts of gRPC, protobuf's wire and addresses: no sockets. */
#include <string.h>

#include "base/alloc.h"
#include "rpc/server/rpc_budget.h"
#include "rpc/wire/rpc_address.h"
#include "rpc/wire/rpc_grpc.h"
#include "rpc/wire/rpc_messages.h"
#include "rpc/wire/rpc_wire.h"

#include "test.h"

static void timeouts(void)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } good[] = {{"1n", 1},
                {"100m", 100000000},
                {"5S", 5000000000},
                {"30M", 1800000000000},
                {"1H", 3600000000000},
                {"0S", 0},
                {"99999999u", 99999999000},
                {"99999999H", UINT64_MAX}};
    static const char *const bad[] = {"",    "S",   "5",          "5s",  "-1S", "1.5S",
                                      " 1S", "1S ", "123456789S", "5SS", "0x1S"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        uint64_t ns = 7;
        CHECK(cuzk_grpc_timeout_parse(&ns, good[i].text, strlen(good[i].text)));
        CHECK_U64(ns, good[i].ns);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        uint64_t ns;
        CHECK_MSG(!cuzk_grpc_timeout_parse(&ns, bad[i], strlen(bad[i])), "'%s'", bad[i]);
    }
}

static void timeouts_round_trip(void)
{
    for (size_t i = 0; i < test_iters(2000); i++) {
        const uint64_t ns = test_u64() >> test_below(64);
        uint64_t back = 0;
        char text[12];
        cuzk_grpc_timeout_format(text, ns);
        CHECK(cuzk_grpc_timeout_parse(&back, text, strlen(text)));
        CHECK_MSG(back >= ns, "%s is less than what was asked", text); /* rounded up */
        CHECK(ns < 100000000 || back - ns <= ns / 100000);             /* by little */
    }
}

static void percent(void)
{
    char out[64], back[64];
    CHECK_U64(cuzk_grpc_percent_encode(out, sizeof(out), "50% \xc3\xa9\n", 7), 15);
    CHECK_STR(out, "50%25 %C3%A9%0A");
    CHECK_U64(cuzk_grpc_percent_decode(back, sizeof(back), out, strlen(out)), 7);
    CHECK_STR(back, "50% \xc3\xa9\n");
    CHECK_U64(cuzk_grpc_percent_decode(back, sizeof(back), "%zz%4%", 6), 6);
    CHECK_STR(back, "%zz%4%");
    CHECK_U64(cuzk_grpc_percent_encode(out, 5, "a%b", 3), 4); /* whole escapes only */
    CHECK_STR(out, "a%25");
    CHECK_U64(cuzk_grpc_percent_encode(out, 4, "a%b", 3), 1);
    CHECK_STR(out, "a");
    CHECK_U64(cuzk_grpc_percent_encode(out, sizeof(out), " a b ", 5), 9);
    CHECK_STR(out, "%20a b%20"); /* a header field has no space at its begin and end */
    CHECK_U64(cuzk_grpc_percent_encode(out, sizeof(out), " ", 1), 3);
    CHECK_U64(cuzk_grpc_percent_encode(out, 3, "a b", 3), 1);
    for (size_t i = 0; i < test_iters(500); i++) {
        char in[16], enc[CUZK_GRPC_PERCENT_MAX(16)], dec[17];
        const size_t n = test_below(17);
        test_bytes(in, n);
        const size_t k = cuzk_grpc_percent_encode(enc, sizeof(enc), in, n);
        CHECK_U64(cuzk_grpc_percent_decode(dec, sizeof(dec), enc, k), n);
        CHECK_MEM(dec, in, n);
    }
}

static void prefixes(void)
{
    uint8_t b[CUZK_GRPC_PREFIX];
    cuzk_grpc_prefix p = {.n = 0};
    cuzk_grpc_prefix_write(b, 0x01020304);
    CHECK_U64(cuzk_grpc_prefix_feed(&p, b, 2), 2);
    CHECK_U64(cuzk_grpc_prefix_feed(&p, b + 2, 0), 0);
    CHECK_U64(cuzk_grpc_prefix_feed(&p, b + 2, 3), 3);
    CHECK_U64(p.n, CUZK_GRPC_PREFIX);
    CHECK_U64(cuzk_grpc_prefix_len(&p), 0x01020304);
    CHECK(!cuzk_grpc_prefix_compressed(&p));
    CHECK_U64(cuzk_grpc_prefix_feed(&p, b, 5), 0);
}

static void content_types(void)
{
    CHECK(cuzk_grpc_content_type("application/grpc", 16));
    CHECK(cuzk_grpc_content_type("application/grpc+proto", 22));
    CHECK(cuzk_grpc_content_type("application/grpc;x=1", 20));
    CHECK(!cuzk_grpc_content_type("application/grpcweb", 19));
    CHECK(!cuzk_grpc_content_type("application/json", 16));
    CHECK(!cuzk_grpc_content_type("", 0));
}

static void codes(void)
{
    CHECK_STR(cuzk_grpc_code_name(CUZK_GRPC_UNAUTHENTICATED), "UNAUTHENTICATED");
    CHECK_STR(cuzk_grpc_code_name((cuzk_grpc_code)77), "UNKNOWN");
    CHECK(cuzk_grpc_code_of(CUZK_OK) == CUZK_GRPC_OK);
    CHECK(cuzk_grpc_code_of(CUZK_E_INVALID) == CUZK_GRPC_INVALID_ARGUMENT);
    CHECK(cuzk_grpc_code_of(CUZK_E_BUDGET) == CUZK_GRPC_RESOURCE_EXHAUSTED);
    CHECK(cuzk_grpc_code_of(CUZK_E_CANCELLED) == CUZK_GRPC_UNAVAILABLE);
    CHECK(cuzk_grpc_code_of(CUZK_E_NOT_FOUND) == CUZK_GRPC_NOT_FOUND);
    CHECK(cuzk_grpc_code_of(CUZK_E_SELFTEST) == CUZK_GRPC_INTERNAL);
}

/* ---- wire ---- */

static void varints(void)
{
    for (size_t i = 0; i < test_iters(2000); i++) {
        const uint64_t v = test_u64() >> test_below(64);
        cuzk_wire_writer w = {.data = NULL};
        cuzk_wire_field f;
        bool bad = true;
        const uint32_t number = 1 + (uint32_t)test_below((1u << 29) - 1);
        cuzk_wire_put_u64(&w, number, v);
        cuzk_reader r = cuzk_reader_init(w.data, w.len);
        if (v == 0) {
            CHECK_U64(w.len, 0);
        } else {
            CHECK(cuzk_wire_next(&r, &f, &bad) && !bad);
            CHECK_U64(f.number, number);
            CHECK_U64(f.value, v);
        }
        CHECK(!cuzk_wire_next(&r, &f, &bad) && !bad);
        cuzk_wire_writer_free(&w);
    }
}

static bool malformed(const void *data, size_t n)
{
    cuzk_reader r = cuzk_reader_init(data, n);
    cuzk_wire_field f;
    bool bad = false;
    while (cuzk_wire_next(&r, &f, &bad)) {
    }
    return bad;
}

static void wire_refuses(void)
{
    CHECK(malformed("\x00\x01", 2));                                      /* field 0 */
    CHECK(malformed("\x0b", 1));                                          /* group */
    CHECK(malformed("\x0e\x01", 2));                                      /* type 6 */
    CHECK(malformed("\x08", 1));                                          /* no value */
    CHECK(malformed("\x0a\x05xx", 4));                                    /* cut off */
    CHECK(malformed("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11)); /* length 2^64 - 1 */
    CHECK(malformed("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12));
    CHECK(malformed("\x09\x01\x02", 3));
    CHECK(malformed("\xff\xff\xff\xff\xff\x01\x01", 7)); /* tag over 32 bits */
    CHECK(!malformed("", 0));
    CHECK(!malformed("\x08\x01\x0a\x00\x0d\x01\x02\x03\x04", 9));
}

/* The job in a message built by the writer. */
static cuzk_status decode(cuzk_rpc_job **job, const cuzk_wire_writer *w, bool wrapped,
                          cuzk_err *err)
{
    uint8_t *copy = cuzk_alloc(w->len, 1);
    CHECK(copy != NULL);
    if (w->len > 0) {
        memcpy(copy, w->data, w->len);
    }
    return cuzk_rpc_job_decode(job, copy, w->len, wrapped, err);
}

static void job_fields(void)
{
    cuzk_wire_writer w = {.data = NULL}, p = {.data = NULL};
    cuzk_rpc_job *job = NULL;
    cuzk_err err = {.code = CUZK_OK};
    cuzk_wire_put_str(&w, 1, "first");
    cuzk_wire_put_str(&w, 1, "porep-f01000-7"); /* the last one counts */
    cuzk_wire_put_u64(&w, 2, 3);
    cuzk_wire_put_u64(&w, 3, 2048);
    cuzk_wire_put_u64(&w, 4, 10);
    cuzk_wire_put_u64(&w, 5, 4);
    cuzk_wire_put_str(&w, 10, "c1");
    cuzk_wire_put_str(&w, 11, "one");
    cuzk_wire_put_message(&w, 11, "", 0);
    cuzk_wire_put_str(&w, 11, "three");
    cuzk_wire_put_u64(&w, 20, UINT64_MAX);
    cuzk_wire_put_u64(&w, 21, 1000);
    cuzk_wire_put_str(&w, 22, "randomness");
    cuzk_wire_put_u64(&w, 23, 5);
    cuzk_wire_put_str(&w, 30, "old");
    cuzk_wire_put_str(&w, 31, "new");
    cuzk_wire_put_str(&w, 32, "data");
    cuzk_wire_put_str(&w, 99, "unknown");
    cuzk_wire_put_u64(&w, 10, 6); /* known number, other type: passed over */
    cuzk_wire_put_message(&p, 1, w.data, w.len);
    CHECK_OK(decode(&job, &p, true, &err), &err);
    const cuzk_job_request *q = &job->request;
    CHECK(q->request_id.size == 14 && memcmp(q->request_id.data, "porep-f01000-7", 14) == 0);
    CHECK(q->kind == CUZK_JOB_WINDOW);
    CHECK_U64(q->priority, 4);
    CHECK_U64(q->sector_size, 2048);
    CHECK_U64(q->registered_proof, 10);
    CHECK_U64(q->sector_number, UINT64_MAX);
    CHECK_U64(q->miner_id, 1000);
    CHECK_U64(q->partition_index, 5);
    CHECK_U64(q->vanilla_proof.size, 2);
    CHECK_U64(q->n_vanilla_proofs, 3);
    CHECK_U64(q->vanilla_proofs[1].size, 0);
    CHECK(memcmp(q->vanilla_proofs[2].data, "three", 5) == 0);
    CHECK(q->vanilla_proofs[2].data > job->message &&
          q->vanilla_proofs[2].data < job->message + job->message_len); /* in place */
    CHECK_U64(q->randomness.size, 10);
    CHECK_U64(q->comm_r_old.size, 3);
    CHECK_U64(q->comm_r_new.size, 3);
    CHECK_U64(q->comm_d_new.size, 4);
    cuzk_rpc_job_free(job);
    cuzk_wire_writer_free(&w);
    cuzk_wire_writer_free(&p);
}

static void refuse(const cuzk_wire_writer *w, bool wrapped, const char *text)
{
    cuzk_rpc_job *job = NULL;
    cuzk_err err = {.code = CUZK_OK};
    CHECK_STATUS(decode(&job, w, wrapped, &err), CUZK_E_INVALID);
    CHECK_MSG(strstr(err.msg, text) != NULL, "'%s' is not in '%s'", text, err.msg);
}

static void job_refusals(void)
{
    cuzk_wire_writer w = {.data = NULL};
    refuse(&w, true, "missing submit field");
    refuse(&w, false, "invalid proof_kind: 0");
    cuzk_wire_put_u64(&w, 2, 5);
    refuse(&w, false, "invalid proof_kind: 5");
    cuzk_wire_put_u64(&w, 2, UINT64_MAX);
    refuse(&w, false, "invalid proof_kind: -1");
    cuzk_wire_put_u64(&w, 2, 1);
    cuzk_wire_put_str(&w, 1, "\xff");
    refuse(&w, false, "not UTF-8");
    char longer[258] = {0};
    memset(longer, 'x', 257);
    cuzk_wire_put_str(&w, 1, longer);
    refuse(&w, false, "257 bytes");
    cuzk_wire_put_str(&w, 1, "ok");
    for (unsigned i = 0; i <= CUZK_RPC_MAX_PROOFS; i++) {
        cuzk_wire_put_message(&w, 11, "", 0);
    }
    refuse(&w, false, "4097 vanilla_proofs");
    w.len = 0;
    cuzk_wire_put_raw(&w, "\x0a\x09", 2);
    refuse(&w, false, "malformed SubmitProofRequest");
    refuse(&w, true, "malformed ProveRequest");
    cuzk_wire_writer_free(&w);
}

static void names(void)
{
    char text[8];
    uint64_t v = 9;
    cuzk_err err;
    CHECK_OK(cuzk_rpc_name_decode(text, sizeof(text), &v,
                                  (cuzk_bytes){(const uint8_t *)"\x0a\x03"
                                                                "abc\x10\x07",
                                               7},
                                  &err),
             &err);
    CHECK_STR(text, "abc");
    CHECK_U64(v, 7);
    CHECK_OK(cuzk_rpc_name_decode(text, sizeof(text), &v, (cuzk_bytes){NULL, 0}, &err), &err);
    CHECK_STR(text, "");
    CHECK_U64(v, 0);
    CHECK_STATUS(cuzk_rpc_name_decode(text, 3, NULL,
                                      (cuzk_bytes){(const uint8_t *)"\x0a\x03"
                                                                    "abc",
                                                   5},
                                      &err),
                 CUZK_E_NOT_FOUND);
    CHECK_STATUS(cuzk_rpc_name_decode(text, 8, NULL,
                                      (cuzk_bytes){(const uint8_t *)"\x0a\x03"
                                                                    "a\0c",
                                                   5},
                                      &err),
                 CUZK_E_NOT_FOUND);
    CHECK_STATUS(
        cuzk_rpc_name_decode(text, 8, NULL, (cuzk_bytes){(const uint8_t *)"\x0a\x01\xc0", 3}, &err),
        CUZK_E_INVALID);
    CHECK_STATUS(
        cuzk_rpc_name_decode(text, 8, NULL, (cuzk_bytes){(const uint8_t *)"\x0a\x02", 2}, &err),
        CUZK_E_INVALID);
    CHECK_STATUS(cuzk_rpc_empty_decode((cuzk_bytes){(const uint8_t *)"\x0a\x02", 2}, &err),
                 CUZK_E_INVALID);
    CHECK_OK(cuzk_rpc_empty_decode((cuzk_bytes){(const uint8_t *)"\x0a\x00", 2}, &err), &err);
}

static void out_of_memory(void)
{
    cuzk_wire_writer w = {.data = NULL};
    cuzk_wire_put_u64(&w, 2, 3);
    cuzk_wire_put_str(&w, 11, "proof");
    for (uint64_t n = 1;; n++) {
        cuzk_rpc_job *job = NULL;
        cuzk_err err;
        uint8_t *copy = cuzk_alloc(w.len, 1);
        CHECK(copy != NULL);
        memcpy(copy, w.data, w.len);
        cuzk_alloc_fail_nth(n, false);
        const cuzk_status st = cuzk_rpc_job_decode(&job, copy, w.len, false, &err);
        cuzk_alloc_fail_nth(0, false);
        if (st == CUZK_OK) {
            CHECK(n == 3); /* the job and its table */
            cuzk_rpc_job_free(job);
            break;
        }
        CHECK(st == CUZK_E_NOMEM);
    }
    cuzk_wire_writer_free(&w);
    cuzk_alloc_fail_nth(1, false);
    cuzk_wire_put_str(&w, 1, "x");
    cuzk_alloc_fail_nth(0, false);
    CHECK(w.nomem);
    cuzk_wire_writer_free(&w);
}

/* ---- addresses and the budget ---- */

static void addresses(void)
{
    static const struct {
        const char *text, *host, *port, *path;
        bool tls;
    } good[] = {{"127.0.0.1:9820", "127.0.0.1", "9820", "", false},
                {"0.0.0.0:0", "0.0.0.0", "0", "", false},
                {":9820", "", "9820", "", false},
                {"[::]:9820", "::", "9820", "", false},
                {"http://localhost:9820/", "localhost", "9820", "", false},
                {"https://host.example:443", "host.example", "443", "", true},
                {"dns:///h:1", "h", "1", "", false},
                {"unix:///run/curio/cuzk.sock", "", "", "/run/curio/cuzk.sock", false},
                {"unix:rel.sock", "", "", "rel.sock", false}};
    static const char *const bad[] = {
        "",      "9820",    "host",      "host:", "host:x",  "host:65536", "::1:9820",
        "unix:", "http://", "[::1:9820", "a/b:1", "host:-1", "host:123456"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        cuzk_rpc_address a;
        cuzk_err err;
        CHECK_OK(cuzk_rpc_address_parse(&a, good[i].text, &err), &err);
        CHECK_STR(a.host, good[i].host);
        CHECK_STR(a.port, good[i].port);
        CHECK_STR(a.path, good[i].path);
        CHECK(a.tls == good[i].tls && a.is_unix == (good[i].path[0] != '\0'));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cuzk_rpc_address a;
        cuzk_err err = {.code = CUZK_OK};
        CHECK_MSG(cuzk_rpc_address_parse(&a, bad[i], &err) == CUZK_E_INVALID, "'%s'", bad[i]);
        CHECK(strstr(err.msg, "address") != NULL);
    }
}

static void budget(void)
{
    cuzk_rpc_budget b = {.total = 80u << 20};
    CHECK(!cuzk_rpc_budget_take(&b, (70u << 20) + 1, true)); /* an eighth is for small ones */
    CHECK(cuzk_rpc_budget_take(&b, 70u << 20, true));
    CHECK(!cuzk_rpc_budget_take(&b, CUZK_RPC_SMALL + 1, true));
    for (int i = 0; i < 10; i++) {
        CHECK(cuzk_rpc_budget_take(&b, CUZK_RPC_SMALL, true));
    }
    CHECK(!cuzk_rpc_budget_take(&b, 1, true));
    CHECK(cuzk_rpc_budget_take(&b, 0, true));
    cuzk_rpc_budget_give(&b, 80u << 20);
    CHECK_U64(b.used, 0);
    CHECK(!cuzk_rpc_budget_take(&b, SIZE_MAX, true));
}

static const cuzk_case cases[] = {CASE(timeouts),      CASE(timeouts_round_trip),
                                  CASE(percent),       CASE(prefixes),
                                  CASE(content_types), CASE(codes),
                                  CASE(varints),       CASE(wire_refuses),
                                  CASE(job_fields),    CASE(job_refusals),
                                  CASE(names),         CASE(out_of_memory),
                                  CASE(addresses),     CASE(budget)};
TEST_MAIN("rpc/grpc", cases)
