/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "hash/sha256.h"

#include "test.h"

static void check_digest(const void *in, size_t n, const char *hex)
{
    uint8_t out[32];
    char got[65];
    cuzk_sha256_digest(out, in, n);
    cuzk_hex_encode(got, out, 32);
    CHECK_STR(got, hex);
}

/* FIPS 180-4 examples and the NIST byte-oriented short and long messages. */
static void known_answers(void)
{
    check_digest(NULL, 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    check_digest(two, strlen(two),
                 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    const char *long2 = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                        "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";
    check_digest(long2, strlen(long2),
                 "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    check_digest("\xd3", 1, "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1");
    uint8_t *a = malloc(1000000);
    CHECK(a != NULL);
    memset(a, 'a', 1000000);
    check_digest(a, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(a);
}

/* Every length around the block size, every way to cut the message in two. */
static void pieces(void)
{
    uint8_t msg[200], whole[32], cut[32];
    test_bytes(msg, sizeof(msg));
    for (size_t n = 0; n <= sizeof(msg); n++) {
        cuzk_sha256_digest(whole, msg, n);
        for (size_t k = 0; k <= n; k++) {
            cuzk_sha256 s;
            cuzk_sha256_init(&s);
            cuzk_sha256_update(&s, msg, k);
            cuzk_sha256_update(&s, msg + k, n - k);
            cuzk_sha256_final(cut, &s);
            CHECK_MEM(cut, whole, 32);
        }
    }
}

static void kernels_agree(void)
{
#ifdef CUZK_HASH_SHANI
    if (!cuzk_cpu_has(CUZK_CPU_SHA)) {
        cuzk_test_skip("no SHA-NI here");
    }
    for (size_t i = 0; i < test_iters(500); i++) {
        uint8_t blocks[5 * 64 + 1];
        uint32_t h[8], g[8];
        test_bytes(blocks, sizeof(blocks));
        test_bytes(h, sizeof(h));
        memcpy(g, h, sizeof(g));
        const size_t n = test_below(6);
        cuzk_sha256_compress_c(h, blocks + (i & 1), n);
        cuzk_sha256_compress_ni(g, blocks + (i & 1), n);
        CHECK_MEM(g, h, sizeof(h));
    }
#else
    cuzk_test_skip("portable build");
#endif
}

static const cuzk_case cases[] = {CASE(known_answers), CASE(pieces), CASE(kernels_agree)};
TEST_MAIN("hash/sha256", cases)
