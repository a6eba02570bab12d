/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"
#include "test.h"

static const struct {
    cuzk_status s;
    const char *name;
    bool retryable;
} all[] = {
#define XX(name, value, retry, text) {CUZK_##name, #name, (retry) != 0},
    CUZK_STATUS_MAP(XX)
#undef XX
};

/* Every status has its place, and the place follows from what the status says of itself. */
static void complete_and_consistent(void)
{
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const exit_status e = exit_status_of(all[i].s);
        exit_status want = all[i].retryable ? EXIT_STATUS_MACHINE : EXIT_STATUS_BAD_INPUT;
        if (all[i].s == CUZK_OK) {
            want = EXIT_STATUS_OK;
        } else if (all[i].s == CUZK_E_PROOF_FALSE) {
            want = EXIT_STATUS_PROOF_FALSE;
        } else if (all[i].s == CUZK_E_CANCELLED) {
            want = EXIT_STATUS_MACHINE; /* not the input's fault, and not to be retried unasked */
        }
        CHECK_MSG(e == want, "%s exits with %d, not %d", all[i].name, (int)e, (int)want);
    }
}

/* Scripts depend on the numbers. */
static void numbers_are_fixed(void)
{
    CHECK_U64(exit_status_of(CUZK_OK), 0);
    CHECK_U64(exit_status_of(CUZK_E_PROOF_FALSE), 1);
    CHECK_U64(exit_status_of(CUZK_E_FORMAT), 2);
    CHECK_U64(exit_status_of(CUZK_E_NOMEM), 3);
}

/* docs/errors.md has exactly these rows. */
static void documented(void)
{
    size_t n, rows = 0;
    uint8_t *file = test_read_file("docs/errors.md", &n);
    char *doc = malloc(n + 1);
    CHECK(doc != NULL);
    memcpy(doc, file, n);
    doc[n] = '\0';
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        char row[256];
        (void)snprintf(row, sizeof(row), "\n| `CUZK_%s` | %d | %s | %d | %s |\n", all[i].name,
                       (int)all[i].s, all[i].retryable ? "yes" : "no",
                       (int)exit_status_of(all[i].s), cuzk_status_text(all[i].s));
        CHECK_MSG(strstr(doc, row) != NULL, "docs/errors.md lacks the row:%s", row);
    }
    for (const char *at = doc; (at = strstr(at, "\n| `CUZK_")) != NULL; at++) {
        rows++;
    }
    CHECK_U64(rows, sizeof(all) / sizeof(all[0]));
    free(doc);
    free(file);
}

static const cuzk_case cases[] = {CASE(complete_and_consistent), CASE(numbers_are_fixed),
                                  CASE(documented)};
TEST_MAIN("cli/exit_status", cases)
