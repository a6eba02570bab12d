/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "lib_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

CUZK_STATIC_ASSERT(sizeof(cuzk_error) == 512, "recorded ABI");

const char *cuzk_version(void)
{
    return CUZK_VERSION_STR;
}

uint32_t cuzk_version_number(void)
{
    return CUZK_VERSION_NUMBER;
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
