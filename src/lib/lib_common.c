/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/alloc.h"
#include "base/alloc_hooks.h"

#include "lib_internal.h"

CUZK_STATIC_ASSERT(sizeof(cuzk_sector) == 40, "fixed layout");

int32_t cuzk_has_cuda(void)
{
    return CUZK_HAVE_CUDA;
}

cuzk_status cuzk_set_allocator(const cuzk_allocator *a)
{
    if (a == NULL) {
        return cuzk_alloc_set_hooks(NULL) ? CUZK_OK : CUZK_E_INVALID;
    }
    cuzk_allocator mine;
    CUZK_TRY(lib_take(&mine, sizeof(mine), a, "cuzk_allocator", NULL));
    const cuzk_alloc_hooks hooks = {mine.alloc, mine.free, mine.arg};
    if (mine.alloc == NULL || mine.free == NULL) {
        return CUZK_E_INVALID;
    }
    return cuzk_alloc_set_hooks(&hooks) ? CUZK_OK : CUZK_E_INVALID;
}

void cuzk_get_memory(cuzk_memory *out)
{
    const cuzk_alloc_stats s = cuzk_alloc_get_stats();
    out->bytes = s.bytes_now;
    out->bytes_peak = s.bytes_peak;
    out->blocks = s.blocks_now;
}

cuzk_status lib_vk_of(cuzk_vk **out, const cuzk_srs *srs, cuzk_error *error)
{
    const size_t n = cuzk_srs_vk_bytes(srs);
    uint8_t *bytes = cuzk_alloc(n, 1);
    if (bytes == NULL) {
        return lib_fail(error, CUZK_E_NOMEM, "verifying key: out of memory for %zu bytes", n);
    }
    cuzk_srs_write_vk(srs, bytes);
    const cuzk_verify_result r = cuzk_srs_unsafe_keys_allowed() ? cuzk_vk_read_unsafe(out, bytes, n)
                                                                : cuzk_vk_read(out, bytes, n);
    cuzk_free(bytes);
    if (r != CUZK_VERIFY_OK) {
        return lib_fail(error, (cuzk_status)r, "verifying key: %s", cuzk_verify_text(r));
    }
    return CUZK_OK;
}

cuzk_status lib_kind(cuzk_circuit_kind *out, int32_t kind, cuzk_error *error)
{
    if (kind < 0 || kind >= CUZK_CIRCUIT_N_KINDS) {
        return lib_fail(error, CUZK_E_INVALID, "kind is %d: no CUZK_KIND_...", kind);
    }
    *out = (cuzk_circuit_kind)kind;
    return CUZK_OK;
}
