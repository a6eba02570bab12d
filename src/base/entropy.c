/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/entropy.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/bytes.h"

cuzk_status cuzk_entropy(void *out, size_t n, cuzk_err *err)
{
    unsigned char *p = out;
    size_t left = n;
    while (left > 0) {
        const ssize_t got = getrandom(p, left, 0);
        if (got < 0) {
            if (errno == EINTR) {
                continue;
            }
            const int e = errno;
            cuzk_wipe(out, n);
            return CUZK_FAIL_OS(err, CUZK_E_IO, e, "getrandom: %s", strerror(e));
        }
        p += (size_t)got;
        left -= (size_t)got;
    }
    return CUZK_OK;
}
