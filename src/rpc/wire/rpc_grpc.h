/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_RPC_RPC_GRPC_H
#define CUZK_RPC_RPC_GRPC_H

/*
 * The small pieces of gRPC over HTTP/2 (the protocol's document PROTOCOL-HTTP2): status codes, the
 * five bytes before each message, timeouts, and the escaping of messages.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef enum cuzk_grpc_code {
    CUZK_GRPC_OK = 0,
    CUZK_GRPC_CANCELLED = 1,
    CUZK_GRPC_UNKNOWN = 2,
    CUZK_GRPC_INVALID_ARGUMENT = 3,
    CUZK_GRPC_DEADLINE_EXCEEDED = 4,
    CUZK_GRPC_NOT_FOUND = 5,
    CUZK_GRPC_ALREADY_EXISTS = 6,
    CUZK_GRPC_PERMISSION_DENIED = 7,
    CUZK_GRPC_RESOURCE_EXHAUSTED = 8,
    CUZK_GRPC_FAILED_PRECONDITION = 9,
    CUZK_GRPC_ABORTED = 10,
    CUZK_GRPC_OUT_OF_RANGE = 11,
    CUZK_GRPC_UNIMPLEMENTED = 12,
    CUZK_GRPC_INTERNAL = 13,
    CUZK_GRPC_UNAVAILABLE = 14,
    CUZK_GRPC_DATA_LOSS = 15,
    CUZK_GRPC_UNAUTHENTICATED = 16
} cuzk_grpc_code;
#define CUZK_GRPC_CODES 17

/** "INVALID_ARGUMENT"; "UNKNOWN" for values that are not codes. */
const char *cuzk_grpc_code_name(cuzk_grpc_code c);
/** What a status of the engine is answered with. */
cuzk_grpc_code cuzk_grpc_code_of(cuzk_status s);

#define CUZK_GRPC_PREFIX 5 /* bytes before each message: compressed flag, length big-endian */
void cuzk_grpc_prefix_write(uint8_t out[CUZK_GRPC_PREFIX], uint32_t len);

/** Collects the prefix of a message byte by byte. Zero-initialise; again after each message. */
typedef struct cuzk_grpc_prefix {
    uint8_t bytes[CUZK_GRPC_PREFIX];
    uint8_t n;
} cuzk_grpc_prefix;
/** Takes at most n bytes of p; returns how many. Complete when prefix->n == CUZK_GRPC_PREFIX. */
size_t cuzk_grpc_prefix_feed(cuzk_grpc_prefix *prefix, const uint8_t *p, size_t n);
static inline bool cuzk_grpc_prefix_compressed(const cuzk_grpc_prefix *p)
{
    return p->bytes[0] != 0;
}
uint32_t cuzk_grpc_prefix_len(const cuzk_grpc_prefix *p);

/**
 * grpc-timeout: 1 to 8 digits and one of H M S m u n. Saturates (99999999 hours fit in 64 bits of
 * nanoseconds only just not). false: malformed.
 */
bool cuzk_grpc_timeout_parse(uint64_t *ns, const char *s, size_t n);
/** The shortest unit that holds it in 8 digits, rounded up; out [12]. */
void cuzk_grpc_timeout_format(char *out, uint64_t ns);

/** Bytes that cuzk_grpc_percent_encode needs for n bytes, and its NUL. */
#define CUZK_GRPC_PERCENT_MAX(n) (3 * (size_t)(n) + 1)
/**
 * grpc-message: printable ASCII but '%' stays, all else becomes %XX; so does a space at the begin or end, because
 * HTTP/2 forbids it there and a client drops the whole message. Writes whole escapes only, at most cap - 1 bytes
 * and a NUL; returns the length. cap > 0.
 */
size_t cuzk_grpc_percent_encode(char *out, size_t cap, const char *in, size_t n);
/** The reverse; malformed escapes stay as they are (the protocol says so). out [cap], NUL-terminated, cap > 0. */
size_t cuzk_grpc_percent_decode(char *out, size_t cap, const char *in, size_t n);

/** application/grpc, alone or with +SUBTYPE or ;PARAMETERS. */
bool cuzk_grpc_content_type(const char *s, size_t n);

#endif /* CUZK_RPC_RPC_GRPC_H */
