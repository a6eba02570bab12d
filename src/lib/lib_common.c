/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/alloc_hooks.h"

#include "lib_internal.h"

CUZK_STATIC_ASSERT(sizeof(cuzk_error) == 512, "recorded ABI");
CUZK_STATIC_ASSERT(sizeof(cuzk_sector) == 40, "fixed layout");

const char *cuzk_version(void)
{
    return CUZK_VERSION_STR;
}

uint32_t cuzk_version_number(void)
{
    return CUZK_VERSION_NUMBER;
}

int32_t cuzk_has_cuda(void)
{
    return CUZK_HAVE_CUDA;
}

int32_t cuzk_status_class(cuzk_status status)
{
    if (status == CUZK_OK) {
        return CUZK_CLASS_OK;
    }
    if (status == CUZK_E_CANCELLED) {
        return CUZK_CLASS_CANCELLED;
    }
    return cuzk_status_is_retryable(status) ? CUZK_CLASS_ENVIRONMENT : CUZK_CLASS_INPUT;
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

cuzk_status lib_error(cuzk_error *out, cuzk_status st, const cuzk_err *err)
{
    if (st != CUZK_OK && out != NULL) {
        memset(out, 0, sizeof(*out));
        out->status = (int32_t)st;
        out->error_class = cuzk_status_class(st);
        out->os_code = err->os_code;
        const char *text = err->msg[0] != '\0' ? err->msg : cuzk_status_text(st);
        (void)snprintf(out->text, sizeof(out->text), "%s", text);
    }
    return st;
}

cuzk_status lib_fail(cuzk_error *out, cuzk_status st, const char *fmt, ...)
{
    cuzk_err err = {.msg = ""};
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(err.msg, sizeof(err.msg), fmt, ap);
    va_end(ap);
    return lib_error(out, st, &err);
}

cuzk_status lib_take(void *out, size_t size, const void *in, const char *what, cuzk_error *error)
{
    uint32_t given = 0;
    const uint8_t *bytes = in;
    if (in == NULL) {
        return lib_fail(error, CUZK_E_INVALID, "%s: NULL", what);
    }
    memcpy(&given, in, sizeof(given));
    if (given < 2 * sizeof(given) || given > ((uint32_t)1 << 16)) {
        return lib_fail(error, CUZK_E_INVALID, "%s: struct_size is %u: set it to sizeof(%s)", what,
                        given, what);
    }
    for (size_t i = size; i < given; i++) {
        if (bytes[i] != 0) {
            return lib_fail(error, CUZK_E_INVALID,
                            "%s: byte %zu is set; this library (%s) knows %zu bytes of it", what, i,
                            cuzk_version(), size);
        }
    }
    memset(out, 0, size);
    memcpy(out, in, given < size ? given : size);
    return CUZK_OK;
}

cuzk_status lib_give(void *out, const void *mine, size_t size)
{
    uint32_t given = 0;
    memcpy(&given, out, sizeof(given));
    if (given < 2 * sizeof(given) || given > ((uint32_t)1 << 16)) {
        return CUZK_E_INVALID;
    }
    memset(out, 0, given);
    memcpy(out, mine, given < size ? given : size);
    return CUZK_OK;
}

cuzk_status lib_vk_of(cuzk_vk **out, const cuzk_srs *srs, cuzk_error *error)
{
    const size_t n = cuzk_srs_vk_bytes(srs);
    uint8_t *bytes = cuzk_alloc(n, 1);
    if (bytes == NULL) {
        return lib_fail(error, CUZK_E_NOMEM, "verifying key: out of memory for %zu bytes", n);
    }
    cuzk_srs_write_vk(srs, bytes);
    const cuzk_verify_result r = cuzk_vk_read(out, bytes, n);
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
