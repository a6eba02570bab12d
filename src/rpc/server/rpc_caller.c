/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rpc/server/rpc_caller.h"

#include <string.h>

#include "rpc/wire/rpc_tls.h"

#define MIN_SECRET 16u

static const struct {
    const char *name;
    cuzk_rpc_role role;
} roles[] = {{"observe", CUZK_RPC_OBSERVE},
             {"submit", CUZK_RPC_SUBMIT},
             {"administer", CUZK_RPC_ADMINISTER},
             {"none", CUZK_RPC_NOBODY}};

const char *cuzk_rpc_role_name(cuzk_rpc_role role)
{
    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
        if (roles[i].role == role) {
            return roles[i].name;
        }
    }
    return "?";
}

bool cuzk_rpc_role_parse(cuzk_rpc_role *out, const char *text, size_t n)
{
    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
        if (strlen(roles[i].name) == n && memcmp(roles[i].name, text, n) == 0) {
            *out = roles[i].role;
            return true;
        }
    }
    return false;
}

typedef struct word {
    const char *p;
    size_t n;
} word;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The words of a line [n] into out [max]; how many there are, max + 1 for more, 0 for a bad quote. */
static size_t split(word *out, size_t max, const char *line, size_t n)
{
    size_t k = 0;
    for (size_t i = 0; i < n;) {
        if (is_blank(line[i])) {
            i++;
            continue;
        }
        if (k == max) {
            return max + 1;
        }
        const bool quoted = line[i] == '"';
        const size_t begin = quoted ? i + 1 : i;
        i = begin;
        while (i < n && (quoted ? line[i] != '"' : !is_blank(line[i]))) {
            i++;
        }
        if (quoted && i == n) {
            return 0;
        }
        out[k++] = (word){line + begin, i - begin};
        i += quoted ? 1 : 0;
    }
    return k;
}

static bool is_name(word w, bool token)
{
    if (w.n == 0 || w.n >= CUZK_RPC_NAME_BYTES) {
        return false;
    }
    for (size_t i = 0; i < w.n; i++) {
        const char c = w.p[i];
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                           (c >= 'A' && c <= 'Z') || strchr("._-@", c) != NULL;
        if (c == '\0' || (!plain && (token || c < ' ' || c > '~'))) {
            return false;
        }
    }
    return true;
}

static bool is_secret(word w)
{
    bool ok = w.n >= MIN_SECRET && w.n < CUZK_RPC_SECRET_BYTES;
    for (size_t i = 0; i < w.n && ok; i++) {
        ok = w.p[i] > ' ' && w.p[i] < 0x7f;
    }
    return ok;
}

/* What is wrong with a line of k words; NULL: it is added. */
static const char *add(cuzk_rpc_callers *out, const word *w, size_t k, bool tokens)
{
    static const word only = {"token", 5};
    cuzk_rpc_caller c = {.role = CUZK_RPC_ADMINISTER};
    const bool alone = tokens && k == 1;
    const word name = alone ? only : w[0];
    if (!alone && k != (tokens ? 3u : 2u)) {
        return tokens ? "wants NAME ROLE SECRET, or one secret alone" : "wants NAME ROLE";
    }
    if (!alone && (!cuzk_rpc_role_parse(&c.role, w[1].p, w[1].n) || c.role == CUZK_RPC_NOBODY)) {
        return "the role is none of observe, submit, administer";
    }
    if (!is_name(name, tokens)) {
        return "a name has 1 to 47 letters, digits, '.', '_', '-', '@'";
    }
    if (tokens && !is_secret(alone ? w[0] : w[2])) {
        return "a secret has 16 to 255 printable characters without blanks";
    }
    if (out->n == CUZK_RPC_MAX_CALLERS) {
        return "more than 64 callers";
    }
    memcpy(c.name, name.p, name.n);
    if (tokens) {
        const word secret = alone ? w[0] : w[2];
        memcpy(c.secret, secret.p, secret.n);
    }
    for (size_t i = 0; i < out->n; i++) {
        if (strcmp(out->item[i].name, c.name) == 0) {
            return "the name is there already";
        }
        if (tokens && strcmp(out->item[i].secret, c.secret) == 0) {
            return "the secret is there already";
        }
    }
    out->item[out->n++] = c;
    return NULL;
}

cuzk_status cuzk_rpc_callers_parse(cuzk_rpc_callers *out, const char *file, const char *text,
                                   size_t n, bool tokens, cuzk_err *err)
{
    unsigned number = 0;
    for (size_t i = 0; i < n;) {
        const char *end = memchr(text + i, '\n', n - i);
        const size_t len = end != NULL ? (size_t)(end - text) - i : n - i;
        word w[3];
        number++;
        size_t blanks = 0;
        while (blanks < len && is_blank(text[i + blanks])) {
            blanks++;
        }
        const bool comment = blanks == len || text[i + blanks] == '#';
        const size_t k = comment ? 0 : split(w, 3, text + i, len);
        const char *why = NULL;
        if (!comment) {
            why = k == 0 ? "a quote has no end" : add(out, w, k, tokens);
        }
        if (why != NULL) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "%.300s:%u: %s", file, number, why);
        }
        i += len + 1;
    }
    if (out->n == 0) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%.300s: names nobody", file);
    }
    return CUZK_OK;
}

const cuzk_rpc_caller *cuzk_rpc_callers_by_token(const cuzk_rpc_callers *c, const char *value,
                                                 size_t n)
{
    const cuzk_rpc_caller *found = NULL;
    for (size_t i = 0; i < c->n; i++) { /* all of them, so that the time tells nothing */
        if (cuzk_rpc_token_matches(c->item[i].secret, value, n)) {
            found = &c->item[i];
        }
    }
    return found;
}

const cuzk_rpc_caller *cuzk_rpc_callers_by_name(const cuzk_rpc_callers *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(c->item[i].name, name) == 0) {
            return &c->item[i];
        }
    }
    return NULL;
}
