/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/bytes.h"
#include "hash/chacha.h"

#include "test.h"

static void check_stream(cuzk_chacha *c, const char *hex)
{
    uint8_t out[64];
    char got[129];
    const size_t n = strlen(hex) / 2;
    cuzk_chacha_read(c, out, n);
    cuzk_hex_encode(got, out, n);
    CHECK_STR(got, hex);
}

/* RFC 8439 2.3.2 (block 1) and appendix A.1 (vectors 1 and 2). */
static void rfc8439(void)
{
    uint8_t key[32] = {0}, nonce[12] = {0};
    cuzk_chacha c;
    cuzk_chacha_init(&c, key, nonce, 20);
    check_stream(&c, "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
                     "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586");
    check_stream(&c, "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
                     "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f");
    for (int i = 0; i < 32; i++) {
        key[i] = (uint8_t)i;
    }
    nonce[3] = 9;
    nonce[7] = 0x4a;
    cuzk_chacha_init(&c, key, nonce, 20);
    cuzk_chacha_seek(&c, 64);
    check_stream(&c, "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
                     "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e");
}

/* ChaCha8, all-zero key and nonce (draft-strombergson-chacha-test-vectors, TC1, 256-bit key). */
static void chacha8(void)
{
    const uint8_t zero[32] = {0};
    cuzk_chacha c;
    cuzk_chacha_init(&c, zero, zero, 8);
    check_stream(&c, "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e"
                     "984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42");
    cuzk_chacha_seek(&c, 0);
    CHECK_U64(cuzk_chacha_next_u32(&c), 0x2fef003e);
    CHECK_U64(cuzk_chacha_next_u64(&c), UINT64_C(0xe8b85b7fd6405f89));
}

static void any_cut_gives_the_same_stream(void)
{
    uint8_t key[32], nonce[12], whole[300], part[300];
    test_bytes(key, sizeof(key));
    test_bytes(nonce, sizeof(nonce));
    cuzk_chacha c;
    cuzk_chacha_init(&c, key, nonce, 8);
    cuzk_chacha_read(&c, whole, sizeof(whole));
    for (size_t i = 0; i < test_iters(300); i++) {
        const size_t from = test_below(sizeof(whole)), n = test_below(sizeof(whole) - from + 1);
        const size_t k = test_below(n + 1);
        cuzk_chacha_seek(&c, from);
        cuzk_chacha_read(&c, part, k);
        cuzk_chacha_read(&c, part + k, n - k);
        CHECK_MEM(part, whole + from, n);
    }
}

static const cuzk_case cases[] = {CASE(rfc8439), CASE(chacha8),
                                  CASE(any_cut_gives_the_same_stream)};
TEST_MAIN("hash/chacha", cases)
