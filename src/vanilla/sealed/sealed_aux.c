/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* p_aux and t_aux of a sector's cache, as bincode 1.x writes them. */
#include "vanilla/read/bincode_internal.h"
#include "vanilla/sealed/sealed.h"

#define MAX_TEXT 4096u /* a path */

cuzk_status cuzk_p_aux_parse(cuzk_node *comm_c, cuzk_node *comm_r_last, const uint8_t *data,
                             size_t n, cuzk_err *err)
{
    bin_parser p = {cuzk_reader_init(data, n), NULL, "p_aux", err};
    cuzk_node c, r;
    CUZK_TRY(bin_node(&p, &c, "comm_c"));
    CUZK_TRY(bin_node(&p, &r, "comm_r_last"));
    if (cuzk_reader_left(&p.r) != 0) {
        return CUZK_FAIL(err, CUZK_E_FORMAT, "p_aux: %zu bytes, not 64", n);
    }
    *comm_c = c;
    *comm_r_last = r;
    return CUZK_OK;
}

/* A counted text; kept in out [cap] when out is not NULL. */
static cuzk_status read_text(bin_parser *p, char *out, size_t cap, const char *what)
{
    uint64_t n = 0;
    const uint8_t *b;
    CUZK_TRY(bin_count(p, &n, 1, MAX_TEXT, what));
    if (!cuzk_read_bytes(&p->r, &b, (size_t)n)) {
        return bin_short(p, what);
    }
    if (out == NULL) {
        return CUZK_OK;
    }
    if (n >= cap) {
        return CUZK_FAIL(p->err, CUZK_E_FORMAT, "%s: %s: a name of %llu characters", p->subject,
                         what, (unsigned long long)n);
    }
    for (size_t i = 0; i < n; i++) {
        if (b[i] < 0x20 || b[i] > 0x7e) {
            return CUZK_FAIL(p->err, CUZK_E_FORMAT, "%s: %s: not a name", p->subject, what);
        }
        out[i] = (char)b[i];
    }
    out[n] = '\0';
    return CUZK_OK;
}

static cuzk_status read_config(bin_parser *p, cuzk_store_config *out, const char *what)
{
    uint8_t has_size = 0;
    CUZK_TRY(read_text(p, NULL, 0, what));
    CUZK_TRY(read_text(p, out->id, sizeof(out->id), what));
    if (!cuzk_read_u8(&p->r, &has_size)) {
        return bin_short(p, what);
    }
    if (has_size > 1) {
        return CUZK_FAIL(p->err, CUZK_E_FORMAT, "%s: %s: option tag %u at byte %zu", p->subject,
                         what, has_size, cuzk_reader_pos(&p->r) - 1);
    }
    out->has_size = has_size == 1;
    if ((out->has_size && !cuzk_read_u64_le(&p->r, &out->size)) ||
        !cuzk_read_u64_le(&p->r, &out->rows_to_discard)) {
        return bin_short(p, what);
    }
    return CUZK_OK;
}

cuzk_status cuzk_t_aux_parse(cuzk_t_aux *out, const uint8_t *data, size_t n, cuzk_err *err)
{
    bin_parser p = {cuzk_reader_init(data, n), NULL, "t_aux", err};
    cuzk_t_aux t;
    uint64_t layers = 0;
    memset(&t, 0, sizeof(t));
    CUZK_TRY(bin_count(&p, &layers, 25, CUZK_MAX_LAYERS, "labels"));
    for (uint64_t i = 0; i < layers; i++) {
        cuzk_store_config ignored = {.has_size = false};
        CUZK_TRY(read_config(&p, &ignored, "labels"));
    }
    t.n_layers = (uint32_t)layers;
    CUZK_TRY(read_config(&p, &t.tree_d, "tree_d_config"));
    CUZK_TRY(read_config(&p, &t.tree_r_last, "tree_r_last_config"));
    CUZK_TRY(read_config(&p, &t.tree_c, "tree_c_config"));
    *out = t;
    return CUZK_OK;
}
