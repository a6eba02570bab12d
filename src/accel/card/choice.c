/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "choice.h"

#include <stdio.h>
#include <string.h>

#include "base/reader.h"

#include "fit.h"

#define VERSION     "cuzk card choice 2\n" /* the first one had no line of its version */
#define MOST_DIGITS 8u

/* The next bytes, if they are those of a literal. */
static bool take(cuzk_reader *r, const char *literal)
{
    const size_t n = strlen(literal);
    cuzk_reader at = *r;
    const uint8_t *b;
    if (!cuzk_read_bytes(&at, &b, n) || memcmp(b, literal, n) != 0) {
        return false;
    }
    *r = at;
    return true;
}

/* A number in decimal digits, as it is written: no sign, no zero before it. */
static bool take_number(cuzk_reader *r, uint32_t *out)
{
    uint32_t v = 0;
    unsigned digits = 0;
    cuzk_reader at = *r;
    uint8_t c;
    while (cuzk_read_u8(&at, &c) && c >= '0' && c <= '9') {
        if (digits == MOST_DIGITS || (digits == 1 && v == 0)) {
            return false;
        }
        v = 10 * v + (uint32_t)(c - '0');
        digits++;
        *r = at;
    }
    *out = v;
    return digits > 0;
}

bool cuzk_card_choice_read(cuzk_card_choice *out, const void *text, size_t n)
{
    cuzk_reader r = cuzk_reader_init(text, n);
    cuzk_card_choice c;
    uint32_t *const numbers[] = {&c.costs.term_ps, &c.costs.small_term_ps, &c.costs.bucket_ps,
                                 &c.costs.hex_term_ps, &c.costs.hex_bucket_ps};
    if (n >= CUZK_CARD_CHOICE_BYTES || !take(&r, VERSION) || !take(&r, "additions ")) {
        return false;
    }
    c.xyzz = take(&r, "xyzz\n");
    c.cached_tree = !c.xyzz && take(&r, "cached\n");
    if ((!c.xyzz && !c.cached_tree && !take(&r, "affine\n")) || !take(&r, "costs_ps")) {
        return false;
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (!take(&r, " ") || !take_number(&r, numbers[i])) {
            return false;
        }
    }
    if (!take(&r, "\n") || cuzk_reader_left(&r) != 0 || !cuzk_card_costs_are_plausible(&c.costs)) {
        return false;
    }
    *out = c;
    return true;
}

size_t cuzk_card_choice_write(char out[CUZK_CARD_CHOICE_BYTES], const cuzk_card_choice *c)
{
    const cuzk_card_costs *k = &c->costs;
    const int n =
        snprintf(out, CUZK_CARD_CHOICE_BYTES, VERSION "additions %s\ncosts_ps %u %u %u %u %u\n",
                 c->xyzz          ? "xyzz"
                 : c->cached_tree ? "cached"
                                  : "affine",
                 k->term_ps, k->small_term_ps, k->bucket_ps, k->hex_term_ps, k->hex_bucket_ps);
    return n > 0 ? (size_t)n : 0;
}

void cuzk_card_choice_name(char out[CUZK_CARD_CHOICE_NAME], const uint8_t uuid[16], int driver,
                           const cuzk_card *played)
{
    size_t at = (size_t)snprintf(out, CUZK_CARD_CHOICE_NAME, "cuda-");
    for (size_t i = 0; i < 16; i++) {
        at += (size_t)snprintf(out + at, CUZK_CARD_CHOICE_NAME - at, "%02x", uuid[i]);
    }
    at += (size_t)snprintf(out + at, CUZK_CARD_CHOICE_NAME - at, "-%d", driver);
    if (played != NULL) {
        (void)snprintf(out + at, CUZK_CARD_CHOICE_NAME - at, "-as-%s-%lluMiB-%u",
                       played->klass->text, (unsigned long long)(played->memory >> 20),
                       played->sms);
    }
}
