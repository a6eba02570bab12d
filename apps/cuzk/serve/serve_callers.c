/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The files that say who may call: tokens, and the roles of client certificates. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "sys/file.h"

#include "serve.h"

#define MAX_FILE ((size_t)64 << 10)

static cuzk_status read_file(cuzk_rpc_callers **out, const char *key, const char *path, bool tokens,
                             cuzk_err *err)
{
    char name[400];
    cuzk_content m = {.data = NULL};
    if (path[0] == '\0') {
        return CUZK_OK;
    }
    (void)snprintf(name, sizeof(name), "%s %.300s", key, path);
    CUZK_TRY(cuzk_content_read(&m, path, MAX_FILE, err));
    *out = cuzk_alloc_zero(1, sizeof(**out));
    const cuzk_status st =
        *out == NULL ? CUZK_FAIL(err, CUZK_E_NOMEM, "out of memory")
                     : cuzk_rpc_callers_parse(*out, name, m.size == 0 ? "" : (const char *)m.data,
                                              m.size, tokens, err);
    if (m.data != NULL) {
        explicit_bzero(m.data, m.size);
    }
    cuzk_content_free(&m);
    return st;
}

cuzk_status serve_read_callers(serve *s)
{
    serve_free_callers(s);
    CUZK_TRY(read_file(&s->tokens, "daemon.token_file", s->config->token_file, true, &s->err));
    return read_file(&s->certs, "daemon.client_roles", s->config->client_roles, false, &s->err);
}

void serve_free_callers(serve *s)
{
    if (s->tokens != NULL) {
        explicit_bzero(s->tokens, sizeof(*s->tokens));
    }
    cuzk_free(s->tokens);
    cuzk_free(s->certs);
    s->tokens = s->certs = NULL;
}
