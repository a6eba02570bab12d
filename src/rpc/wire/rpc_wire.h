/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_RPC_RPC_WIRE_H
#define CUZK_RPC_RPC_WIRE_H

/*
 * Protocol buffers' wire format, read in place: no copies, no recursion, no allocation. Requests
 * are read with this and not with libprotobuf-c, which copies every bytes field (a C1 output is
 * 50 MB) and cuts strings at their first NUL.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/reader.h"
#include "engine/engine.h"

typedef enum cuzk_wire_type {
    CUZK_WIRE_VARINT = 0,
    CUZK_WIRE_I64 = 1,
    CUZK_WIRE_LEN = 2,
    CUZK_WIRE_I32 = 5
} cuzk_wire_type;

typedef struct cuzk_wire_field {
    uint32_t number; /* 1 .. 2^29 - 1 */
    cuzk_wire_type type;
    uint64_t value;   /* VARINT, I64, I32 */
    cuzk_bytes bytes; /* LEN: a view into the message */
} cuzk_wire_field;

/** Reads a varint of at most 64 bits (bits beyond are dropped, as the format says); 10 bytes at most. */
CUZK_NODISCARD bool cuzk_wire_varint(cuzk_reader *r, uint64_t *out);
/**
 * Next field. false at the end of the message and on malformed input; *bad tells which. Groups
 * (never part of proto3) are malformed.
 */
CUZK_NODISCARD bool cuzk_wire_next(cuzk_reader *r, cuzk_wire_field *f, bool *bad);
/** Valid UTF-8 throughout. */
bool cuzk_wire_is_utf8(cuzk_bytes b);

/*
 * Writer into a growing block. Out of memory is sticky: check w.nomem once, at the end. Scalars
 * that are 0 and strings that are empty are not written (proto3's implicit presence).
 */
typedef struct cuzk_wire_writer {
    uint8_t *data; /* block of base/alloc.h */
    size_t len, cap;
    bool nomem;
} cuzk_wire_writer;

void cuzk_wire_put_u64(cuzk_wire_writer *w, uint32_t number, uint64_t v);
void cuzk_wire_put_bytes(cuzk_wire_writer *w, uint32_t number, const void *p, size_t n);
void cuzk_wire_put_str(cuzk_wire_writer *w, uint32_t number, const char *s);
/** A sub-message or an element of a repeated field: written even when empty. */
void cuzk_wire_put_message(cuzk_wire_writer *w, uint32_t number, const void *p, size_t n);
/** Tag and length only; the caller sends n bytes itself. */
void cuzk_wire_put_header(cuzk_wire_writer *w, uint32_t number, size_t n);
void cuzk_wire_put_raw(cuzk_wire_writer *w, const void *p, size_t n);
void cuzk_wire_writer_free(cuzk_wire_writer *w);

#endif /* CUZK_RPC_RPC_WIRE_H */
