/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "proof_list.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text/base64.h"
#include "base/text/json.h"

/* Room for one more item; at most CUZK_PROOF_LIST_MAX are asked for. */
static bool grow(cuzk_proof_list *l)
{
    const bool is_full = (l->n & (l->n - 1)) == 0; /* room is a power of two */
    if (!is_full) {
        return true;
    }
    void *more = cuzk_realloc(l->items, l->n == 0 ? 1 : 2 * l->n, sizeof(*l->items));
    if (more == NULL) {
        return false;
    }
    l->items = more;
    return true;
}

/*
 * Decodes s to l->decoded + used. The text and what it stands for fit there: `decoded` has as many bytes as the whole input,
 * and what was read before took at most as many of them as its text has.
 */
static bool decode(const cuzk_proof_list *l, size_t used, const cuzk_json_str *s, size_t *n)
{
    uint8_t *to = l->decoded + used;
    if (!s->escaped) {
        return cuzk_base64_decode_text(to, n, s->p, s->n);
    }
    size_t text = 0;
    return cuzk_json_str_decode(s, (char *)to, s->n, &text) &&
           cuzk_base64_decode_text(to, n, (const char *)to, text);
}

static cuzk_status read_array(cuzk_proof_list *l, cuzk_json *j, const char *name, cuzk_err *err)
{
    cuzk_json_str s;
    size_t used = 0, n = 0;
    (void)cuzk_json_begin_array(j);
    while (cuzk_json_next(j)) {
        if (!cuzk_json_string(j, &s)) {
            continue; /* which ends the loop, too */
        }
        if (l->n == CUZK_PROOF_LIST_MAX) {
            (void)cuzk_json_fail(j, "more than %d vanilla proofs", CUZK_PROOF_LIST_MAX);
        } else if (!grow(l)) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: out of memory", name);
        } else if (!decode(l, used, &s, &n)) {
            (void)cuzk_json_fail(j, "vanilla proof %zu is not base64", l->n + 1);
        } else {
            l->items[l->n++] = (cuzk_proof_bytes){l->decoded + used, n};
            used += n;
        }
    }
    if (cuzk_json_end(j) && l->n == 0) {
        (void)cuzk_json_fail(j, "no vanilla proof in the array");
    }
    return cuzk_json_status(j, name, err);
}

cuzk_status cuzk_proof_list_read(cuzk_proof_list *out, const uint8_t *data, size_t size,
                                 const char *name, cuzk_err *err)
{
    cuzk_json j;
    cuzk_status st = CUZK_OK;
    memset(out, 0, sizeof(*out));
    out->is_array = cuzk_json_is_likely(data, size);
    if (!out->is_array) {
        if (!grow(out)) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: out of memory", name);
        }
        out->items[out->n++] = (cuzk_proof_bytes){data, size};
        return CUZK_OK;
    }
    out->decoded = cuzk_alloc(size, 1); /* likely JSON is not empty */
    if (out->decoded == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "%s: out of memory", name);
    } else {
        cuzk_json_init(&j, data, size, 1);
        st = read_array(out, &j, name, err);
    }
    if (st != CUZK_OK) {
        cuzk_proof_list_free(out);
    }
    return st;
}

void cuzk_proof_list_free(cuzk_proof_list *l)
{
    cuzk_free(l->items);
    cuzk_free(l->decoded);
    memset(l, 0, sizeof(*l));
}
