/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_VANILLA_READ_C1_INTERNAL_H
#define CUZK_VANILLA_READ_C1_INTERNAL_H

/* The parts of the C1 reader: envelope, bincode, and the proof type of a C1 that does not name it. */
#include "base/text/json.h"
#include "vanilla/read/vanilla.h"

/* How an envelope holds its C1. */
typedef enum c1_payload {
    C1_PAYLOAD_NONE,
    C1_PAYLOAD_STRING, /* base64, or JSON as text */
    C1_PAYLOAD_OBJECT, /* JSON in place */
    C1_PAYLOAD_BYTES   /* an array of numbers 0 to 255 */
} c1_payload;

/* Members of an envelope; zero-initialise. Views into the document. */
typedef struct c1_envelope {
    c1_payload payload;
    const char *name; /* of the member with the C1; a literal */
    cuzk_json_str text;
    const uint8_t *p; /* [n] object or array */
    size_t n;
    bool has_number, has_size, has_prover, has_miner;
    uint64_t number, size, miner;
    cuzk_node prover_id;
    uint64_t seen;
} c1_envelope;

/* Reads the value of a key that envelopes have; false, without reading, for another key. */
bool c1_envelope_field(cuzk_json *j, const cuzk_json_str *key, c1_envelope *e);
/* The bytes of the C1 inside: a block of base/alloc.h in *owned, or views (then *owned is NULL). */
CUZK_NODISCARD cuzk_status c1_envelope_open(const uint8_t **out, size_t *n, uint8_t **owned,
                                            const c1_envelope *e, cuzk_err *err);
/* What the envelope says, compared with the C1 inside and moved to it. E_INVALID: they differ. */
CUZK_NODISCARD cuzk_status c1_envelope_apply(cuzk_porep_input *in, const c1_envelope *e,
                                             cuzk_err *err);

/* Everything but in->shape is set when the input names its type, else all but type and shape. */
CUZK_NODISCARD cuzk_status c1_read_bincode(cuzk_porep_input *in, bool *has_type,
                                           const uint8_t *data, size_t n, cuzk_err *err);
/* Finds the registered proof whose paths, challenges and parents these are; sets in->type. E_FORMAT. */
CUZK_NODISCARD cuzk_status c1_find_type(cuzk_porep_input *in, cuzk_err *err);

#define C1_MAX_PARTITIONS 256u
#define C1_MAX_CHALLENGES 4096u /* per partition; real ones have 18 */

#endif /* CUZK_VANILLA_READ_C1_INTERNAL_H */
