/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* params SECTOR_BYTES: the network's parameter files of a sector size, and which are there. */
#include <stdio.h>
#include <stdlib.h>

#include <cuzk/params.h>

int main(int argc, char **argv)
{
    static const char *const text[] = {"absent", "wrong size", "present", "checked", "unreadable"};
    const uint64_t bytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 2048;
    int found = 0;
    for (size_t i = 0; i < cuzk_params_count(); i++) {
        cuzk_params_file f = {.struct_size = sizeof(f)};
        if (cuzk_params_get(&f, i) == CUZK_OK && f.sector_bytes == bytes) {
            (void)printf("%s %s %s\n", cuzk_kind_name(f.kind), text[cuzk_params_state(i, NULL)],
                         f.name);
            found++;
        }
    }
    return found > 0 ? 0 : 1;
}
