/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "config/config_value.h"
#include "config/toml_tree.h"
#include "sys/file.h"

#include "config_internal.h"

typedef struct loading {
    cuzk_config *c;
    cuzk_config_issues *issues;
    const char *name;
    const config_key *array; /* the key whose array is being read; NULL: none */
    bool nomem;
} loading;

CUZK_PRINTF(4, 5)
static void issue(loading *l, cuzk_config_severity severity, const cuzk_toml_node *at,
                  const char *fmt, ...)
{
    cuzk_config_issues *all = l->issues;
    char text[240];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    all->errors += severity == CUZK_CONFIG_ERROR ? 1 : 0;
    all->warnings += severity == CUZK_CONFIG_WARNING ? 1 : 0;
    all->notes += severity == CUZK_CONFIG_NOTE ? 1 : 0;
    if (all->n == CUZK_CONFIG_MAX_ISSUES) {
        return;
    }
    cuzk_config_issue *i = &all->item[all->n++];
    i->severity = severity;
    if (at != NULL) {
        (void)snprintf(i->text, sizeof(i->text), "%.60s:%" PRIu32 ":%" PRIu32 ": %.80s: %s",
                       l->name, at->line, at->column, at->path, text);
    } else {
        (void)snprintf(i->text, sizeof(i->text), "%.60s: %s", l->name, text);
    }
}

void *config_field(cuzk_config *c, const config_key *k)
{
    return (char *)c + k->offset;
}

static bool in_range(const config_key *k, uint64_t v, const char **why)
{
    if (v < k->min) {
        *why = "too small";
        return false;
    }
    if (v > k->max) {
        *why = "too big";
        return false;
    }
    return true;
}

static bool is_choice(const char *choices, const char *text)
{
    const size_t n = strlen(text);
    for (const char *p = choices;; p++) {
        const size_t len = strcspn(p, "|");
        if (len == n && strncmp(p, text, n) == 0) {
            return true;
        }
        p += len;
        if (*p == '\0') {
            return false;
        }
    }
}

static bool append(cuzk_config_strings *list, const char *text, const char **why)
{
    if (list->n == CUZK_CONFIG_MAX_ITEMS) {
        *why = "more than 64 items";
        return false;
    }
    list->item[list->n++] = text;
    return true;
}

static bool is_auto_type(config_type t)
{
    return t == T_NUMBER_AUTO || t == T_SIZE_AUTO || t == T_DURATION_AUTO;
}

/* 0 means "auto" */
static uint64_t stored(const config_key *k, uint64_t v)
{
    return is_auto_type(k->type) && v == 0 ? CUZK_CONFIG_NONE : v;
}

bool config_set_text(cuzk_config *c, const config_key *k, const char *text, const char **why)
{
    void *field = config_field(c, k);
    uint64_t v = 0;
    if (is_auto_type(k->type) && strcmp(text, "auto") == 0) {
        *(uint64_t *)field = 0;
        return true;
    }
    switch (k->type) {
    case T_STRING: *(const char **)field = text; return true;
    case T_STRINGS: return append(field, text, why);
    case T_LISTEN: return cuzk_config_check_listen(text, why) && append(field, text, why);
    case T_ADDRESS:
        if (text[0] != '\0' &&
            (!cuzk_config_check_listen(text, why) || cuzk_config_listen_is_unix(text))) {
            *why = "not an address such as \"127.0.0.1:9821\"";
            return false;
        }
        *(const char **)field = text;
        return true;
    case T_CHOICE:
        if (!is_choice(k->choices, text)) {
            *why = k->choices;
            return false;
        }
        *(const char **)field = text;
        return true;
    case T_SIZE:
    case T_SIZE_AUTO:
        if (!cuzk_config_parse_size(&v, text, why)) {
            return false;
        }
        break;
    case T_DURATION:
    case T_DURATION_AUTO:
        if (!cuzk_config_parse_duration(&v, text, why)) {
            return false;
        }
        break;
    case T_MODE:
        if (!cuzk_config_parse_mode(&v, text, why)) {
            return false;
        }
        break;
    case T_NUMBER_AUTO: *why = "neither a number nor \"auto\""; return false;
    case T_BOOL:
    case T_NUMBER:
    case T_NUMBERS: CUZK_ASSERT(false); /* never given as text */
    }
    if (!in_range(k, v, why)) {
        return false;
    }
    *(uint64_t *)field = stored(k, v);
    return true;
}

bool config_set_integer(cuzk_config *c, const config_key *k, int64_t v, const char **why)
{
    const bool seconds = k->type == T_DURATION || k->type == T_DURATION_AUTO;
    if (v < 0) {
        *why = "negative";
        return false;
    }
    if (seconds && v > INT64_MAX / 1000) {
        *why = "too long";
        return false;
    }
    const uint64_t u = seconds ? (uint64_t)v * 1000 : (uint64_t)v;
    if (!in_range(k, u, why)) {
        return false;
    }
    if (k->type == T_NUMBERS) {
        cuzk_config_numbers *list = config_field(c, k);
        if (list->n == CUZK_CONFIG_MAX_ITEMS) {
            *why = "more than 64 items";
            return false;
        }
        for (uint32_t i = 0; i < list->n; i++) {
            if (list->item[i] == u) {
                *why = "named twice";
                return false;
            }
        }
        list->item[list->n++] = (uint32_t)u;
    } else {
        *(uint64_t *)config_field(c, k) = stored(k, u);
    }
    return true;
}

static void set_default(cuzk_config *c, const config_key *k)
{
    const char *why = NULL;
    bool ok = true;
    if (k->use != USE_KEY) {
        return;
    }
    switch (k->type) {
    case T_BOOL: *(bool *)config_field(c, k) = k->text_default[0] == 't'; break;
    case T_NUMBERS: break;
    case T_STRINGS: break; /* none */
    case T_NUMBER: {
        uint64_t v = 0; /* the grammar of sizes includes plain numbers */
        ok = cuzk_config_parse_size(&v, k->text_default, &why) &&
             config_set_integer(c, k, (int64_t)v, &why);
        break;
    }
    case T_STRING:
    case T_LISTEN:
    case T_ADDRESS:
    case T_SIZE:
    case T_SIZE_AUTO:
    case T_NUMBER_AUTO:
    case T_DURATION:
    case T_DURATION_AUTO:
    case T_MODE:
    case T_CHOICE: ok = config_set_text(c, k, k->text_default, &why); break;
    }
    CUZK_ASSERT(ok);
}

const char *cuzk_config_default_path(void)
{
    static const char *const paths[] = {CUZK_CONFIG_ORIGINAL_PATH, CUZK_CONFIG_PACKAGED_PATH};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (access(paths[i], F_OK) == 0) {
            return paths[i];
        }
    }
    return NULL;
}

cuzk_status cuzk_config_create(cuzk_config **out, cuzk_err *err)
{
    config_block *b = cuzk_alloc_zero(1, sizeof(*b));
    if (b == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the configuration");
    }
    for (size_t i = 0; i < config_n_keys; i++) {
        set_default(&b->c, &config_keys[i]);
    }
    *out = &b->c;
    return CUZK_OK;
}

void cuzk_config_destroy(cuzk_config *c)
{
    if (c != NULL) {
        cuzk_arena_free(&config_block_of(c)->arena);
        cuzk_free(c);
    }
}

cuzk_status cuzk_config_keep(cuzk_config *c, const char **out, const char *text, cuzk_err *err)
{
    const size_t n = strlen(text) + 1;
    char *copy = cuzk_arena_alloc(&config_block_of(c)->arena, n, 1);
    if (copy == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the configuration");
    }
    memcpy(copy, text, n);
    *out = copy;
    return CUZK_OK;
}

static const char *kind_name(cuzk_toml_kind kind)
{
    switch (kind) {
    case CUZK_TOML_STRING: return "a string";
    case CUZK_TOML_INTEGER: return "an integer";
    case CUZK_TOML_FLOAT: return "a fraction";
    case CUZK_TOML_BOOL: return "a boolean";
    case CUZK_TOML_TIME: return "a date or time";
    case CUZK_TOML_ARRAY: return "an array";
    case CUZK_TOML_TABLE: return "a table";
    }
    return "?";
}

static bool takes(const config_key *k, cuzk_toml_kind kind)
{
    switch (k->type) {
    case T_BOOL: return kind == CUZK_TOML_BOOL;
    case T_NUMBER:
    case T_NUMBERS: return kind == CUZK_TOML_INTEGER;
    case T_SIZE:
    case T_SIZE_AUTO:
    case T_NUMBER_AUTO:
    case T_DURATION:
    case T_DURATION_AUTO: return kind == CUZK_TOML_STRING || kind == CUZK_TOML_INTEGER;
    case T_STRING:
    case T_STRINGS:
    case T_LISTEN:
    case T_ADDRESS:
    case T_MODE:
    case T_CHOICE: return kind == CUZK_TOML_STRING;
    }
    return false;
}

static bool takes_array(const config_key *k)
{
    return k->type == T_STRINGS || k->type == T_LISTEN || k->type == T_NUMBERS;
}

static const char *wanted(const config_key *k)
{
    switch (k->type) {
    case T_BOOL: return "true or false";
    case T_NUMBER: return "an integer";
    case T_NUMBER_AUTO: return "an integer or \"auto\"";
    case T_NUMBERS: return "an array of integers";
    case T_STRINGS:
    case T_LISTEN: return "a string or an array of strings";
    case T_SIZE:
    case T_SIZE_AUTO: return "a size such as \"512MiB\"";
    case T_DURATION:
    case T_DURATION_AUTO: return "a time such as \"5m\"";
    case T_STRING:
    case T_ADDRESS:
    case T_MODE:
    case T_CHOICE: return "a string";
    }
    return "?";
}

static void take_scalar(loading *l, const config_key *k, const cuzk_toml_node *v)
{
    const char *why = "", *kept = NULL;
    bool ok = false;
    if (!takes(k, v->kind)) {
        issue(l, CUZK_CONFIG_ERROR, v, "wants %s, not %s", wanted(k), kind_name(v->kind));
        return;
    }
    switch (v->kind) {
    case CUZK_TOML_BOOL:
        *(bool *)config_field(l->c, k) = v->boolean;
        ok = true;
        break;
    case CUZK_TOML_INTEGER:
        ok = config_set_integer(l->c, k, v->integer, &why);
        if (!ok) {
            issue(l, CUZK_CONFIG_ERROR, v, "%" PRId64 ": %s (from %" PRIu64 " to %" PRIu64 ")",
                  v->integer, why, k->min, k->max);
        }
        return;
    case CUZK_TOML_STRING:
        if (strlen(v->string) != v->string_len) {
            issue(l, CUZK_CONFIG_ERROR, v, "contains a NUL character");
            return;
        }
        if (cuzk_config_keep(l->c, &kept, v->string, NULL) != CUZK_OK) {
            l->nomem = true;
            return;
        }
        ok = config_set_text(l->c, k, kept, &why);
        break;
    case CUZK_TOML_FLOAT:
    case CUZK_TOML_TIME:
    case CUZK_TOML_ARRAY:
    case CUZK_TOML_TABLE: break;
    }
    if (!ok) {
        issue(l, CUZK_CONFIG_ERROR, v,
              k->type == T_CHOICE ? "\"%.80s\": not one of %s" : "\"%.80s\": %s", v->string, why);
    }
}

static bool is_section(const char *path)
{
    const size_t n = strlen(path);
    for (size_t i = 0; i < config_n_keys; i++) {
        if (strncmp(config_keys[i].path, path, n) == 0 && config_keys[i].path[n] == '.') {
            return true;
        }
    }
    return false;
}

static void unknown(loading *l, const cuzk_toml_node *v)
{
    const char *like = v->kind == CUZK_TOML_TABLE ? NULL : config_suggest(v->path);
    l->issues->unknown++;
    issue(l, CUZK_CONFIG_WARNING, v, "unknown %s, ignored%s%s%s",
          v->kind == CUZK_TOML_TABLE ? "section" : "key", like != NULL ? "; did you mean " : "",
          like != NULL ? like : "", like != NULL ? "?" : "");
}

/* The values of keys without effect are not checked: the original did not check them. */
static void take_without_effect(loading *l, const config_key *k, const cuzk_toml_node *v)
{
    if (k->use == USE_DEPRECATED) {
        issue(l, CUZK_CONFIG_WARNING, v, "deprecated, has no effect: %s", k->meaning);
    } else {
        issue(l, CUZK_CONFIG_NOTE, v, "has no effect here: %s", k->meaning);
    }
}

static void clear_list(cuzk_config *c, const config_key *k)
{
    if (k->type == T_NUMBERS) {
        ((cuzk_config_numbers *)config_field(c, k))->n = 0;
    } else if (takes_array(k)) {
        ((cuzk_config_strings *)config_field(c, k))->n = 0;
    }
}

static void take_key(loading *l, size_t index, const cuzk_toml_node *v)
{
    const config_key *k = &config_keys[index];
    bool *given = config_block_of(l->c)->given;
    if (k->use == USE_ALIAS) {
        const size_t to = config_find(k->alias_of);
        if (given[to]) {
            issue(l, CUZK_CONFIG_WARNING, v, "ignored: %s is given, too", k->alias_of);
            return;
        }
        given[to] = true;
        take_scalar(l, k, v);
        return;
    }
    given[index] = true;
    clear_list(l->c, k);
    if (v->kind == CUZK_TOML_ARRAY && takes_array(k)) {
        l->array = k;
        if (v->n_items == 0 && k->type == T_LISTEN) {
            issue(l, CUZK_CONFIG_ERROR, v, "an empty array");
        }
    } else if (k->type == T_NUMBERS) {
        issue(l, CUZK_CONFIG_ERROR, v, "wants %s, not %s", wanted(k), kind_name(v->kind));
    } else {
        take_scalar(l, k, v);
    }
}

static bool visit(void *arg, const cuzk_toml_node *v)
{
    loading *l = arg;
    if (v->is_item) {
        if (l->array != NULL) {
            take_scalar(l, l->array, v);
        }
        return !l->nomem;
    }
    l->array = NULL;
    const size_t i = config_find(v->path);
    if (i == config_n_keys) {
        if (!is_section(v->path)) {
            unknown(l, v);
        } else if (v->kind != CUZK_TOML_TABLE) {
            issue(l, CUZK_CONFIG_ERROR, v, "is a section, not %s", kind_name(v->kind));
        }
    } else if (config_keys[i].use == USE_DEPRECATED || config_keys[i].use == USE_NO_EFFECT) {
        take_without_effect(l, &config_keys[i], v);
    } else {
        take_key(l, i, v);
    }
    return !l->nomem;
}

/* Names of cuzk_circuit_id_parse, as the engine's preload takes them; a test holds the two together. */
static bool is_circuit(const char *id)
{
    static const char *const kinds[] = {"porep",        "porep-c2",    "seal-commit", "winning",
                                        "winning-post", "winningpost", "window",      "window-post",
                                        "windowpost",   "wpost",       "update",      "snap",
                                        "snap-deals",   "snapdeals",   "snap-update"};
    static const char *const sizes[] = {"2k",  "4k",   "16k", "32k", "8m",
                                        "16m", "512m", "1g",  "32g", "64g"};
    enum { FIRST_UPDATE = 10, ONE_GIB = 7 }; /* sectors of 1 GiB have no updates */
    const char *size = strrchr(id, '-');
    const size_t n = size != NULL ? (size_t)(size - id) : 0;
    for (size_t i = 0; size != NULL && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strlen(kinds[i]) != n || strncmp(id, kinds[i], n) != 0) {
            continue;
        }
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
            if (strcmp(size + 1, sizes[k]) == 0) {
                return i < FIRST_UPDATE || k != ONE_GIB;
            }
        }
    }
    return false;
}

/* Port 0 is a free one: another each time. */
static bool is_same_place(const char *a, const char *b)
{
    const char *port = strrchr(a, ':');
    return strcmp(a, b) == 0 && (port == NULL || strcmp(port, ":0") != 0);
}

static void check_places(loading *l)
{
    const cuzk_config *c = l->c;
    const char *digest = c->aggregate_srs_digest;
    if (digest[0] != '\0' &&
        (strlen(digest) != 32 || strspn(digest, "0123456789abcdefABCDEF") != 32)) {
        issue(l, CUZK_CONFIG_ERROR, NULL, "srs.aggregate_digest: expected 32 hex digits");
    }
    if (c->store_url[0] != '\0' && strcmp(c->store_inputs, "folder") == 0 &&
        c->store_inputs_folder[0] == '\0') {
        issue(l, CUZK_CONFIG_ERROR, NULL, "store.inputs = \"folder\" needs store.inputs_folder");
    }
    if (c->store_url[0] != '\0' && c->store_path[0] != '\0' && strcmp(c->store_path, "auto") != 0) {
        issue(l, CUZK_CONFIG_WARNING, NULL, "store.path has no effect with store.url");
    }
}

/* Checks that need several keys. */
static void cross_check(loading *l)
{
    const cuzk_config *c = l->c;
    if ((c->tls_cert[0] == '\0') != (c->tls_key[0] == '\0')) {
        issue(l, CUZK_CONFIG_ERROR, NULL, "daemon.tls_cert and daemon.tls_key need each other");
    }
    if (c->tls_client_ca[0] != '\0' && c->tls_cert[0] == '\0') {
        issue(l, CUZK_CONFIG_ERROR, NULL, "daemon.tls_client_ca needs daemon.tls_cert");
    }
    for (uint32_t i = 0; i < c->listen.n; i++) {
        if (strncmp(c->listen.item[i], "https://", 8) == 0 && c->tls_cert[0] == '\0') {
            issue(l, CUZK_CONFIG_ERROR, NULL, "daemon.listen: %.80s needs daemon.tls_cert",
                  c->listen.item[i]);
        }
    }
    if (c->receive_budget < c->max_message) {
        issue(l, CUZK_CONFIG_ERROR, NULL,
              "daemon.receive_budget is less than one message (daemon.max_message)");
    }
    for (uint32_t i = 0; i < c->listen.n; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (is_same_place(c->listen.item[i], c->listen.item[k])) {
                issue(l, CUZK_CONFIG_ERROR, NULL, "daemon.listen: %.80s is there twice",
                      c->listen.item[i]);
            }
        }
        if (c->http_listen[0] != '\0' && is_same_place(c->listen.item[i], c->http_listen)) {
            issue(l, CUZK_CONFIG_ERROR, NULL, "daemon.http_listen: %.80s is daemon.listen's, too",
                  c->http_listen);
        }
    }
    for (uint32_t i = 0; i < c->preload.n; i++) {
        if (!is_circuit(c->preload.item[i])) {
            issue(l, CUZK_CONFIG_ERROR, NULL,
                  "srs.preload: \"%.60s\" is no circuit: porep-, window-, winning- or update- and "
                  "a sector size such as 32g",
                  c->preload.item[i]);
        }
    }
    if ((c->socket_mode & 0002) != 0) {
        issue(l, CUZK_CONFIG_WARNING, NULL,
              "daemon.socket_mode: every user of this machine may call (daemon.socket_role)");
    }
    if (c->client_roles[0] != '\0' && c->tls_client_ca[0] == '\0') {
        issue(l, CUZK_CONFIG_ERROR, NULL, "daemon.client_roles needs daemon.tls_client_ca");
    }
    if (c->http_token && c->token_file[0] == '\0') {
        issue(l, CUZK_CONFIG_ERROR, NULL, "daemon.http_token needs daemon.token_file");
    }
    if (c->cpu_only && c->devices.n > 0) {
        issue(l, CUZK_CONFIG_WARNING, NULL, "gpus.devices has no effect with gpus.cpu_only");
    }
    check_places(l);
}

/*
 * Refuses what TOML forbids and the parser would abort on. The bound on the length of lines bounds the nesting:
 * toml_tree.h.
 */
static cuzk_status check_text(const char *name, const char *text, size_t n, cuzk_err *err)
{
    uint64_t number = 1;
    for (size_t i = 0, start = 0; i < n; i++) {
        if (text[i] == '\n') {
            number++;
            start = i + 1;
        } else if (((unsigned char)text[i] < 0x20 && text[i] != '\t' && text[i] != '\r') ||
                   text[i] == 0x7f) {
            return CUZK_FAIL(err, CUZK_E_FORMAT, "%.200s:%" PRIu64 ":%zu: control character", name,
                             number, i - start + 1);
        } else if (i - start >= CUZK_CONFIG_MAX_LINE) {
            return CUZK_FAIL(err, CUZK_E_FORMAT, "%.200s:%" PRIu64 ": line is longer than %u bytes",
                             name, number, CUZK_CONFIG_MAX_LINE);
        }
    }
    return CUZK_OK;
}

static cuzk_status walk(loading *l, const char *text, size_t n, cuzk_err *err)
{
    cuzk_toml_error e = {.line = 0};
    switch (cuzk_toml_walk(text, n, visit, l, &e)) {
    case CUZK_TOML_SYNTAX:
        return CUZK_FAIL(err, CUZK_E_FORMAT, "%.200s:%" PRIu32 ":%" PRIu32 ": %s", l->name, e.line,
                         e.column, e.text);
    case CUZK_TOML_NOMEM: l->nomem = true; break;
    case CUZK_TOML_OK: break;
    }
    if (l->nomem) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "%.200s: no memory for the configuration", l->name);
    }
    cross_check(l);
    if (l->issues->errors == 0) {
        return CUZK_OK;
    }
    for (size_t i = 0; i < l->issues->n; i++) {
        if (l->issues->item[i].severity == CUZK_CONFIG_ERROR) {
            return CUZK_FAIL(err, CUZK_E_INVALID, "%s", l->issues->item[i].text);
        }
    }
    return CUZK_FAIL(err, CUZK_E_INVALID, "%.200s: has errors", l->name);
}

cuzk_status cuzk_config_parse(cuzk_config **out, const char *name, const char *text, size_t n,
                              cuzk_config_issues *issues, cuzk_err *err)
{
    loading l = {.issues = issues, .name = name};
    memset(issues, 0, sizeof(*issues));
    CUZK_TRY(check_text(name, text, n, err));
    CUZK_TRY(cuzk_config_create(&l.c, err));
    const cuzk_status st = walk(&l, text, n, err);
    if (st != CUZK_OK) {
        cuzk_config_destroy(l.c);
        return st;
    }
    *out = l.c;
    return CUZK_OK;
}

cuzk_status cuzk_config_load(cuzk_config **out, const char *path, cuzk_config_issues *issues,
                             cuzk_err *err)
{
    cuzk_content m;
    memset(issues, 0, sizeof(*issues));
    CUZK_TRY(cuzk_content_read(&m, path, CUZK_CONFIG_MAX_BYTES, err));
    const cuzk_status st =
        cuzk_config_parse(out, path, m.size == 0 ? "" : (const char *)m.data, m.size, issues, err);
    cuzk_content_free(&m);
    return st;
}

bool cuzk_config_is_given(const cuzk_config *c, const char *key)
{
    const size_t i = config_find(key);
    return i < config_n_keys && ((const config_block *)c)->given[i];
}
