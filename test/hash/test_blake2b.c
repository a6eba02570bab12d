/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/bytes.h"
#include "hash/blake2b.h"

#include "test.h"

static void check_hex(const uint8_t *got, size_t n, const char *hex)
{
    char text[2 * 64 + 1];
    cuzk_hex_encode(text, got, n);
    CHECK_STR(text, hex);
}

static void keyed(uint8_t *out, size_t out_bytes, const void *key, size_t key_bytes,
                  const void *data, size_t n)
{
    cuzk_blake2b ctx;
    cuzk_blake2b_init(&ctx, out_bytes, key, key_bytes);
    cuzk_blake2b_update(&ctx, data, n);
    cuzk_blake2b_final(&ctx, out);
}

/* RFC 7693 appendix A. */
static void rfc_abc(void)
{
    uint8_t out[64];
    cuzk_blake2b_hash(out, 64, "abc", 3);
    check_hex(out, 64,
              "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
              "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
}

static void empty_input(void)
{
    uint8_t out[64];
    cuzk_blake2b_hash(out, 64, NULL, 0);
    check_hex(out, 64,
              "786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419"
              "d25e1031afee585313896444934eb04b903a685b1448b755d56f701afe9be2ce");
}

/* The sequence generator of RFC 7693 appendix E. */
static void sequence(uint8_t *out, size_t n, uint32_t seed)
{
    uint32_t a = 0xDEAD4BADu * seed, b = 1;
    for (size_t i = 0; i < n; i++) {
        const uint32_t t = a + b;
        a = b;
        b = t;
        out[i] = (uint8_t)(t >> 24);
    }
}

/* RFC 7693 appendix E: one hash over the digests of 24 unkeyed and 24 keyed runs. */
static void rfc_self_test(void)
{
    static const size_t out_bytes[4] = {20, 32, 48, 64};
    static const size_t in_bytes[6] = {0, 3, 128, 129, 255, 1024};
    uint8_t in[1024], key[64], md[64];
    cuzk_blake2b all;
    cuzk_blake2b_init(&all, 32, NULL, 0);
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 6; j++) {
            sequence(in, in_bytes[j], (uint32_t)in_bytes[j]);
            keyed(md, out_bytes[i], NULL, 0, in, in_bytes[j]);
            cuzk_blake2b_update(&all, md, out_bytes[i]);
            sequence(key, out_bytes[i], (uint32_t)out_bytes[i]);
            keyed(md, out_bytes[i], key, out_bytes[i], in, in_bytes[j]);
            cuzk_blake2b_update(&all, md, out_bytes[i]);
        }
    }
    cuzk_blake2b_final(&all, md);
    check_hex(md, 32, "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475");
}

/* Python's hashlib, digest_size 17, key b"k" * 33, data (7 i + 3) & 255. */
static void odd_sizes(void)
{
    static const struct {
        size_t n;
        const char *hex;
    } want[] = {
        {0, "3308ba9fcba113c58edac1c80f4ce3941c"},   {1, "adbf82bc1c8ecfdf455bce88d95061a08f"},
        {127, "4be16197ef77ad49033d5d857be85e1cab"}, {128, "976ffa48c556530889417a0078847ec0d8"},
        {129, "111e0eb2906ecc51f63d26ecb74b462e4a"}, {1000, "e5f951532d7d85c5d671dd779518e0e781"},
    };
    uint8_t in[1000], key[33], out[17];
    for (size_t i = 0; i < sizeof(in); i++) {
        in[i] = (uint8_t)(i * 7 + 3);
    }
    memset(key, 'k', sizeof(key));
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        keyed(out, 17, key, 33, in, want[i].n);
        check_hex(out, 17, want[i].hex);
    }
}

/* However the input is cut, the digest is the same; lengths around the block size. */
static void pieces_equal_whole(void)
{
    uint8_t in[700], whole[64], cut[64];
    for (size_t it = 0; it < test_iters(500); it++) {
        const size_t n = test_below(sizeof(in) + 1);
        const size_t out_bytes = 1 + test_below(64);
        test_bytes(in, n);
        cuzk_blake2b_hash(whole, out_bytes, in, n);
        cuzk_blake2b ctx;
        cuzk_blake2b_init(&ctx, out_bytes, NULL, 0);
        for (size_t at = 0; at < n;) {
            size_t step = test_below(2) != 0 ? test_below(300) : 128;
            step = step > n - at ? n - at : step;
            cuzk_blake2b_update(&ctx, in + at, step);
            at += step;
        }
        cuzk_blake2b_final(&ctx, cut);
        CHECK_MEM(cut, whole, out_bytes);
    }
}

static const cuzk_case cases[] = {CASE(rfc_abc), CASE(empty_input), CASE(rfc_self_test),
                                  CASE(odd_sizes), CASE(pieces_equal_whole)};
TEST_MAIN("hash/blake2b", cases)
