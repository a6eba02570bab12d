/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: aggregate */
/* SRS files of any bytes: opened, checked whole, and powers for two proofs read. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "aggregate/srs/agg_srs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    cuzk_err err;
    cuzk_agg_srs *srs = NULL;
    cuzk_agg_key key = {0};
    const int fd = memfd_create("srs", 0);
    if (fd < 0 || (size != 0 && write(fd, data, size) != (ssize_t)size)) {
        return 0;
    }
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (cuzk_agg_srs_open(&srs, path, &err) == CUZK_OK) {
        cuzk_ignore(cuzk_agg_srs_check(srs, NULL, NULL, &err));
        cuzk_ignore(cuzk_agg_key_load(&key, srs, 2, NULL, NULL, &err));
    }
    cuzk_agg_key_free(&key);
    cuzk_agg_srs_close(srs);
    (void)close(fd);
    return 0;
}
