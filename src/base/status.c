/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

/* Programs see these two as well: <cuzk/cuzk.h>. */
#define IS_PUBLIC __attribute__((visibility("default")))

IS_PUBLIC const char *cuzk_status_name(cuzk_status s)
{
    switch (s) {
#define XX(name, value, retry, text) \
    case CUZK_##name: return "CUZK_" #name;
        CUZK_STATUS_MAP(XX)
#undef XX
    }
    return "CUZK_E_UNKNOWN";
}

IS_PUBLIC const char *cuzk_status_text(cuzk_status s)
{
    switch (s) {
#define XX(name, value, retry, text) \
    case CUZK_##name: return text;
        CUZK_STATUS_MAP(XX)
#undef XX
    }
    return "unknown status";
}

bool cuzk_status_is_retryable(cuzk_status s)
{
    switch (s) {
#define XX(name, value, retry, text) \
    case CUZK_##name: return (retry) != 0;
        CUZK_STATUS_MAP(XX)
#undef XX
    }
    return false;
}

cuzk_status cuzk_err_set(cuzk_err *err, cuzk_status code, int os_code, const char *file, int line,
                         const char *fmt, ...)
{
    if (err != NULL) {
        va_list ap;
        err->code = code;
        err->os_code = os_code;
        err->file = file;
        err->line = line;
        va_start(ap, fmt);
        (void)vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
        va_end(ap);
    }
    return code;
}
