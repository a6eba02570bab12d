/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_KEYS_NETWORK_LIST_H
#define CUZK_PROVER_KEYS_NETWORK_LIST_H

/* The parameter files of another network, read from its list: JSON in the form of the network's parameters.json. */
#include "prover/keys/network_files.h"

/** Most files of a list. */
#define CUZK_NETWORK_LIST_MAX 96

typedef struct cuzk_network_list cuzk_network_list;

/**
 * {"NAME": {"cid": TEXT, "digest": HEX, "sector_size": BYTES}, ...}; nothing points into data [n] afterwards. A name that
 * the network's own list has gets its kind and size; any other name has the kind "other" and no size. Names and CIDs have
 * the characters A-Z a-z 0-9 - _ . alone, so that a name is no path. E_FORMAT begins with file, the list's name for
 * messages; E_NOMEM.
 */
CUZK_NODISCARD cuzk_status cuzk_network_list_parse(cuzk_network_list **out, const uint8_t *data,
                                                   size_t n, const char *file, cuzk_err *err);
/** NULL is fine. */
void cuzk_network_list_destroy(cuzk_network_list *list);
/** The files in the order of the list, valid as long as the list; *n is their number. NULL: the network's own list. */
const cuzk_network_file *cuzk_network_list_files(const cuzk_network_list *list, size_t *n);

#endif /* CUZK_PROVER_KEYS_NETWORK_LIST_H */
