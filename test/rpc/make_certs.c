/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Writes ca.pem and certificates "server" and "client" of it into the folder $CUZK_CERTS_DIR, for the tests in JavaScript. */
#include <stdlib.h>

#include "certs.h"
#include "test.h"

static void make(void)
{
    const char *dir = getenv("CUZK_CERTS_DIR");
    if (dir == NULL) {
        cuzk_test_skip("CUZK_CERTS_DIR is not set");
    }
    certs_make_ca(dir, "ca");
    certs_make(dir, "ca", "server");
    certs_make(dir, "ca", "client");
}

static const cuzk_case cases[] = {CASE(make)};
TEST_MAIN("rpc/make_certs", cases)
