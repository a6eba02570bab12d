/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Version, statuses and memory of the library: <cuzk/cuzk.h>. */
#include <stdio.h>

#include <cuzk/cuzk.h>

int main(void)
{
    cuzk_memory memory;
    cuzk_get_memory(&memory);
    (void)printf("libcuzk %s, CUDA %s, %s: %s; %llu blocks\n", cuzk_version(),
                 cuzk_has_cuda() != 0 ? "built in" : "not built in",
                 cuzk_status_name(CUZK_E_VANILLA), cuzk_status_text(CUZK_E_VANILLA),
                 (unsigned long long)memory.blocks);
    return cuzk_status_class(CUZK_E_IO) == CUZK_CLASS_ENVIRONMENT ? 0 : 1;
}
