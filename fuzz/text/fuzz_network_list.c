/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* DEPS: base prover/keys */
/*
 * Lists of parameter files. Properties on any input: a list that is taken has names that are no paths, digests of 32
 * lower-case hex digits, a kind, and at most CUZK_NETWORK_LIST_MAX files; what is refused is E_FORMAT and names the list.
 */
#include <string.h>

#include "base/assert.h"
#include "prover/keys/network_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cuzk_network_list *list = NULL;
    cuzk_err err = {.msg = ""};
    size_t n = 0;
    const cuzk_status st = cuzk_network_list_parse(&list, data, size, "list", &err);
    if (st != CUZK_OK) {
        CUZK_ASSERT(st == CUZK_E_FORMAT && strncmp(err.msg, "list:", 5) == 0 && list == NULL);
        return 0;
    }
    const cuzk_network_file *f = cuzk_network_list_files(list, &n);
    CUZK_ASSERT(n <= CUZK_NETWORK_LIST_MAX);
    for (size_t i = 0; i < n; i++) {
        CUZK_ASSERT(f[i].name[0] != '\0' && f[i].name[0] != '.' && strchr(f[i].name, '/') == NULL);
        CUZK_ASSERT(f[i].cid[0] != '\0' && strchr(f[i].cid, '/') == NULL);
        CUZK_ASSERT(strlen(f[i].digest) == 32 && strspn(f[i].digest, "0123456789abcdef") == 32);
        CUZK_ASSERT(f[i].kind != NULL);
    }
    cuzk_network_list_destroy(list);
    return 0;
}
