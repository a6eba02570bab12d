/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "prover/keys/network_list.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/text/json.h"

#define TEXT_BYTES 200

/* Storage for the strings of one file. */
typedef struct entry {
    char name[TEXT_BYTES], cid[TEXT_BYTES], digest[TEXT_BYTES];
} entry;

struct cuzk_network_list {
    size_t n;
    cuzk_network_file files[CUZK_NETWORK_LIST_MAX];
    entry entries[CUZK_NETWORK_LIST_MAX];
};

static bool is_plain(const char *name)
{
    return name[0] != '.' && name[0] != '\0' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
               strlen(name);
}

static bool read_entry(cuzk_json *j, cuzk_network_file *f, entry *e)
{
    static const char *const names[] = {"cid", "digest", "sector_size"};
    cuzk_json_str key;
    uint64_t seen = 0, sector_bytes = 0;
    uint8_t digest[CUZK_FILE_DIGEST_BYTES];
    cuzk_json_begin_object(j);
    while (cuzk_json_next_key(j, &key)) {
        switch (cuzk_json_field(j, &key, names, 3, &seen)) {
        case 0: cuzk_json_string_copy(j, e->cid, sizeof(e->cid)); break;
        case 1: cuzk_json_string_copy(j, e->digest, sizeof(e->digest)); break;
        case 2: cuzk_json_u64(j, &sector_bytes); break;
        default: cuzk_json_skip(j); break;
        }
    }
    if (!cuzk_json_require(j, names, 3, seen)) {
        return false;
    }
    if (!is_plain(e->name) || !is_plain(e->cid)) {
        return cuzk_json_fail(j,
                              "the name or the CID has characters that no file of a network has");
    }
    if (!cuzk_hex_decode(digest, sizeof(digest), e->digest, strlen(e->digest))) {
        return cuzk_json_fail(j, "the digest is not 32 hex digits");
    }
    cuzk_hex_encode(e->digest, digest, sizeof(digest)); /* lower case */
    const cuzk_network_file *known = cuzk_network_file_named(e->name);
    *f = (cuzk_network_file){.name = e->name,
                             .cid = e->cid,
                             .digest = e->digest,
                             .kind = known == NULL ? "other" : known->kind,
                             .sector_bytes = sector_bytes,
                             .bytes = known == NULL ? 0 : known->bytes};
    return true;
}

static void read_all(cuzk_network_list *list, cuzk_json *j)
{
    cuzk_json_str key;
    cuzk_json_begin_object(j);
    while (cuzk_json_next_key(j, &key)) {
        size_t length = 0;
        if (list->n == CUZK_NETWORK_LIST_MAX) {
            (void)cuzk_json_fail(j, "more than %d files", CUZK_NETWORK_LIST_MAX);
            return;
        }
        entry *e = &list->entries[list->n];
        if (!cuzk_json_str_decode(&key, e->name, sizeof(e->name) - 1, &length)) {
            (void)cuzk_json_fail(j, "a name that is too long");
            return;
        }
        e->name[length] = '\0';
        list->n += read_entry(j, &list->files[list->n], e) ? 1 : 0;
    }
    cuzk_json_end(j);
}

cuzk_status cuzk_network_list_parse(cuzk_network_list **out, const uint8_t *data, size_t n,
                                    const char *file, cuzk_err *err)
{
    cuzk_json j;
    cuzk_network_list *list = cuzk_alloc_zero(1, sizeof(*list));
    if (list == NULL) {
        return CUZK_FAIL(err, CUZK_E_NOMEM, "%s: out of memory", file);
    }
    cuzk_json_init(&j, data, n, 4);
    read_all(list, &j);
    const cuzk_status st = cuzk_json_status(&j, file, err);
    if (st != CUZK_OK) {
        cuzk_network_list_destroy(list);
        return st;
    }
    *out = list;
    return CUZK_OK;
}

void cuzk_network_list_destroy(cuzk_network_list *list)
{
    cuzk_free(list);
}

const cuzk_network_file *cuzk_network_list_files(const cuzk_network_list *list, size_t *n)
{
    if (list == NULL) {
        return cuzk_network_files(n);
    }
    *n = list->n;
    return list->files;
}
