/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/status.h"

#include "test.h"

typedef struct entry {
    cuzk_status code;
    const char *name, *text;
    bool retry;
} entry;

static const entry TABLE[] = {
#define XX(n, v, r, t) {CUZK_##n, "CUZK_" #n, t, (r) != 0},
    CUZK_STATUS_MAP(XX)
#undef XX
};
#define ENTRIES (sizeof(TABLE) / sizeof(TABLE[0]))

static void table_is_sound(void)
{
    CHECK(CUZK_OK == 0);
    for (size_t i = 0; i < ENTRIES; i++) {
        CHECK_STR(cuzk_status_name(TABLE[i].code), TABLE[i].name);
        CHECK_STR(cuzk_status_text(TABLE[i].code), TABLE[i].text);
        CHECK(cuzk_status_is_retryable(TABLE[i].code) == TABLE[i].retry);
        CHECK(TABLE[i].code <= 0 && (i == 0) == (TABLE[i].code == CUZK_OK));
        CHECK(TABLE[i].text[0] != '\0');
        for (size_t k = 0; k < i; k++) {
            CHECK(TABLE[i].code != TABLE[k].code);
            CHECK(strcmp(TABLE[i].text, TABLE[k].text) != 0);
        }
    }
}

/* Values are an interface: they cross the C boundary and stay in logs. */
static void values_are_pinned(void)
{
    CHECK(CUZK_E_INVALID == -1 && CUZK_E_NOMEM == -2 && CUZK_E_BUDGET == -3 && CUZK_E_IO == -4);
    CHECK(CUZK_E_CANCELLED == -5 && CUZK_E_NOT_FOUND == -8 && CUZK_E_EXISTS == -9);
    CHECK(CUZK_E_FORMAT == -10 && CUZK_E_ENCODING == -64 && CUZK_E_DEV_NOMEM == -128);
    CHECK(CUZK_E_UNSATISFIED == -192 && CUZK_E_PROOF_FALSE == -193 && CUZK_E_VANILLA == -256);
}

static void unknown_values_have_a_name(void)
{
    const int32_t foreign = -12345;
    cuzk_status s;
    memcpy(&s, &foreign, sizeof(s)); /* as it may come over the C boundary */
    CHECK_STR(cuzk_status_name(s), "CUZK_E_UNKNOWN");
    CHECK_STR(cuzk_status_text(s), "unknown status");
    CHECK(!cuzk_status_is_retryable(s));
}

static void err_says_where_and_why(void)
{
    cuzk_err e;
    memset(&e, 0xff, sizeof(e));
    CHECK(CUZK_FAIL(&e, CUZK_E_FORMAT, "row %d of %s", 7, "x.r1cs") == CUZK_E_FORMAT);
    const int line = __LINE__ - 1;
    CHECK_U64(e.code, CUZK_E_FORMAT);
    CHECK_U64(e.os_code, 0);
    CHECK_U64(e.line, line);
    CHECK(strstr(e.file, "test_status.c") != NULL);
    CHECK_STR(e.msg, "row 7 of x.r1cs");
    CHECK(CUZK_FAIL_OS(&e, CUZK_E_IO, ENOSPC, "full") == CUZK_E_IO);
    CHECK_U64(e.os_code, ENOSPC);
    CHECK(CUZK_FAIL(NULL, CUZK_E_NOMEM, "nobody listens") == CUZK_E_NOMEM);
}

static void long_messages_are_cut(void)
{
    cuzk_err e;
    char text[1000];
    memset(text, 'm', sizeof(text));
    text[999] = '\0';
    cuzk_ignore(CUZK_FAIL(&e, CUZK_E_INVALID, "%s", text));
    CHECK_U64(strlen(e.msg), sizeof(e.msg) - 1);
}

static cuzk_status chain(cuzk_status first, bool *reached)
{
    CUZK_TRY(first);
    *reached = true;
    return CUZK_OK;
}

static cuzk_status chain_goto(cuzk_status first, int *steps)
{
    cuzk_status st = CUZK_OK;
    CUZK_TRY_GOTO(st, first);
    *steps += 1;
out:
    *steps += 10;
    return st;
}

static void propagation(void)
{
    bool reached = false;
    int steps = 0;
    CHECK_STATUS(chain(CUZK_E_IO, &reached), CUZK_E_IO);
    CHECK(!reached);
    CHECK_OK(chain(CUZK_OK, &reached), NULL);
    CHECK(reached);
    CHECK_STATUS(chain_goto(CUZK_E_DIGEST, &steps), CUZK_E_DIGEST);
    CHECK_U64(steps, 10);
    CHECK_OK(chain_goto(CUZK_OK, &steps), NULL);
    CHECK_U64(steps, 21);
}

static void failed_assert_aborts(void)
{
    int status = 0;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        (void)freopen("/dev/null", "w", stderr);
        CUZK_ASSERT(child != 0);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    CUZK_ASSERT(child > 0);
}

static const cuzk_case cases[] = {
    CASE(table_is_sound),         CASE(values_are_pinned),     CASE(unknown_values_have_a_name),
    CASE(err_says_where_and_why), CASE(long_messages_are_cut), CASE(propagation),
    CASE(failed_assert_aborts),
};
TEST_MAIN("base/status", cases)
