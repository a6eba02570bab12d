/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * grpc.reflection.v1 and v1alpha ServerReflection, which have the same messages: tools such as
 * grpcurl learn our services from it. The descriptors are those of the .proto files, embedded.
 */
#include <string.h>

#include "rpc/server/rpc_internal.h"

/* Each a serialised google.protobuf.FileDescriptorSet with one file. */
static const uint8_t set_proving[] = {
#include "cuzk_v1_proving.inc"
};
static const uint8_t set_aggregate[] = {
#include "cuzk_aggregate_v1_aggregate.inc"
};
static const uint8_t set_fleet[] = {
#include "cuzk_fleet_v1_fleet.inc"
};
static const uint8_t set_health[] = {
#include "grpc_health_v1_health.inc"
};
static const uint8_t set_reflection[] = {
#include "grpc_reflection_v1_reflection.inc"
};
static const uint8_t set_reflection_alpha[] = {
#include "grpc_reflection_v1alpha_reflection.inc"
};

static const struct descriptor {
    const char *file, *package, *service;
    const uint8_t *set;
    size_t n;
} descriptors[] = {
    {"cuzk/v1/proving.proto", "cuzk.v1", "cuzk.v1.ProvingEngine", set_proving, sizeof(set_proving)},
    {"cuzk/aggregate/v1/aggregate.proto", "cuzk.aggregate.v1", "cuzk.aggregate.v1.Aggregator",
     set_aggregate, sizeof(set_aggregate)},
    {"cuzk/fleet/v1/fleet.proto", "cuzk.fleet.v1", "cuzk.fleet.v1.Inputs", set_fleet,
     sizeof(set_fleet)},
    {"grpc/health/v1/health.proto", "grpc.health.v1", "grpc.health.v1.Health", set_health,
     sizeof(set_health)},
    {"grpc/reflection/v1/reflection.proto", "grpc.reflection.v1",
     "grpc.reflection.v1.ServerReflection", set_reflection, sizeof(set_reflection)},
    {"grpc/reflection/v1alpha/reflection.proto", "grpc.reflection.v1alpha",
     "grpc.reflection.v1alpha.ServerReflection", set_reflection_alpha,
     sizeof(set_reflection_alpha)}};
#define N_DESCRIPTORS (sizeof(descriptors) / sizeof(descriptors[0]))

/* The FileDescriptorProto inside. */
static cuzk_bytes file_of(const struct descriptor *d)
{
    cuzk_reader r = cuzk_reader_init(d->set, d->n);
    cuzk_wire_field f;
    bool bad = false;
    if (cuzk_wire_next(&r, &f, &bad) && f.number == 1 && f.type == CUZK_WIRE_LEN) {
        return f.bytes;
    }
    return (cuzk_bytes){NULL, 0};
}

/*
 * Field numbers of descriptor.proto: what a message of each level names itself with is field 1;
 * its members that have names of their own are listed here. In a file: messages, enums, services; in
 * a message: fields, nested messages, enums, oneofs; in a service: methods.
 */
enum level { IN_FILE, IN_MESSAGE, IN_SERVICE, IN_LEAF };

static enum level inside(enum level l, uint32_t number)
{
    if (l == IN_FILE) {
        return number == 4 ? IN_MESSAGE : number == 6 ? IN_SERVICE : IN_LEAF;
    }
    return l == IN_MESSAGE && number == 3 ? IN_MESSAGE : IN_LEAF;
}

static bool is_member(enum level l, uint32_t number)
{
    switch (l) {
    case IN_FILE: return number == 4 || number == 5 || number == 6;
    case IN_MESSAGE: return number == 2 || number == 3 || number == 4 || number == 8;
    case IN_SERVICE: return number == 2;
    case IN_LEAF: return false;
    }
    return false;
}

static cuzk_bytes name_of(cuzk_bytes descriptor)
{
    cuzk_reader r = cuzk_reader_init(descriptor.data, descriptor.size);
    cuzk_wire_field f;
    bool bad = false;
    while (cuzk_wire_next(&r, &f, &bad)) {
        if (f.number == 1 && f.type == CUZK_WIRE_LEN) {
            return f.bytes;
        }
    }
    return (cuzk_bytes){NULL, 0};
}

/* Symbol "A.B.C" below a descriptor, level by level: at most as many rounds as it has dots. */
static bool has_symbol(cuzk_bytes at, enum level l, const char *symbol)
{
    while (symbol != NULL) {
        cuzk_reader r = cuzk_reader_init(at.data, at.size);
        cuzk_wire_field f;
        bool bad = false, found = false;
        const size_t n = strcspn(symbol, ".");
        while (!found && cuzk_wire_next(&r, &f, &bad)) {
            if (f.type == CUZK_WIRE_LEN && is_member(l, f.number)) {
                const cuzk_bytes name = name_of(f.bytes);
                found = name.size == n && memcmp(name.data, symbol, n) == 0;
            }
        }
        if (!found) {
            return false;
        }
        at = f.bytes;
        l = inside(l, f.number);
        symbol = symbol[n] == '.' ? symbol + n + 1 : NULL;
    }
    return true;
}

static const struct descriptor *find_file(const char *name)
{
    for (size_t i = 0; i < N_DESCRIPTORS; i++) {
        if (strcmp(descriptors[i].file, name) == 0) {
            return &descriptors[i];
        }
    }
    return NULL;
}

static const struct descriptor *find_symbol(const char *symbol)
{
    for (size_t i = 0; i < N_DESCRIPTORS; i++) {
        const size_t n = strlen(descriptors[i].package);
        if (strncmp(symbol, descriptors[i].package, n) == 0 && symbol[n] == '.' &&
            has_symbol(file_of(&descriptors[i]), IN_FILE, symbol + n + 1)) {
            return &descriptors[i];
        }
    }
    return NULL;
}

static void put_error(cuzk_wire_writer *w, cuzk_grpc_code code, const char *message)
{
    cuzk_wire_writer sub = {.data = NULL};
    cuzk_wire_put_u64(&sub, 1, code);
    cuzk_wire_put_str(&sub, 2, message);
    cuzk_wire_put_message(w, 7, sub.data, sub.len);
    w->nomem = w->nomem || sub.nomem;
    cuzk_wire_writer_free(&sub);
}

static void put_file(cuzk_wire_writer *w, const struct descriptor *d)
{
    cuzk_wire_writer sub = {.data = NULL};
    if (d == NULL) {
        put_error(w, CUZK_GRPC_NOT_FOUND, "not found");
        return;
    }
    const cuzk_bytes file = file_of(d);
    cuzk_wire_put_message(&sub, 1, file.data, file.size);
    cuzk_wire_put_message(w, 4, sub.data, sub.len);
    w->nomem = w->nomem || sub.nomem;
    cuzk_wire_writer_free(&sub);
}

static void put_services(cuzk_wire_writer *w)
{
    cuzk_wire_writer list = {.data = NULL};
    for (size_t i = 0; i < N_DESCRIPTORS; i++) {
        cuzk_wire_writer one = {.data = NULL};
        cuzk_wire_put_str(&one, 1, descriptors[i].service);
        cuzk_wire_put_message(&list, 1, one.data, one.len);
        list.nomem = list.nomem || one.nomem;
        cuzk_wire_writer_free(&one);
    }
    cuzk_wire_put_message(w, 6, list.data, list.len);
    w->nomem = w->nomem || list.nomem;
    cuzk_wire_writer_free(&list);
}

/* Field numbers of ServerReflectionRequest. */
enum {
    HOST = 1,
    FILE_BY_FILENAME = 3,
    FILE_CONTAINING_SYMBOL = 4,
    FILE_CONTAINING_EXTENSION = 5,
    ALL_EXTENSION_NUMBERS_OF_TYPE = 6,
    LIST_SERVICES = 7
};

static void put_answer(cuzk_wire_writer *w, const cuzk_wire_field *q)
{
    char text[256];
    if (q->number == LIST_SERVICES) {
        put_services(w);
        return;
    }
    if (q->number == FILE_CONTAINING_EXTENSION || q->number == ALL_EXTENSION_NUMBERS_OF_TYPE) {
        put_error(w, CUZK_GRPC_NOT_FOUND, "there are no extensions");
        return;
    }
    if (q->number == 0 || q->bytes.size >= sizeof(text) ||
        (q->bytes.size > 0 && memchr(q->bytes.data, 0, q->bytes.size) != NULL)) {
        put_error(w, CUZK_GRPC_INVALID_ARGUMENT, "unknown request");
        return;
    }
    if (q->bytes.size > 0) {
        memcpy(text, q->bytes.data, q->bytes.size);
    }
    text[q->bytes.size] = '\0';
    put_file(w, q->number == FILE_BY_FILENAME ? find_file(text) : find_symbol(text));
}

void rpc_reflection(rpc_call *call)
{
    if (call->message == NULL) {
        rpc_call_finish(call, CUZK_GRPC_OK, NULL);
        return;
    }
    cuzk_reader r = cuzk_reader_init(call->message, call->message_len);
    cuzk_wire_field f, question = {.number = 0};
    cuzk_bytes host = {NULL, 0};
    cuzk_wire_writer w = {.data = NULL};
    bool bad = false;
    while (cuzk_wire_next(&r, &f, &bad)) {
        if (f.type == CUZK_WIRE_LEN && f.number == HOST) {
            host = f.bytes;
        } else if (f.type == CUZK_WIRE_LEN && f.number >= FILE_BY_FILENAME &&
                   f.number <= LIST_SERVICES) {
            question = f;
        }
    }
    if (bad) {
        rpc_call_finish(call, CUZK_GRPC_INVALID_ARGUMENT, "malformed request");
        return;
    }
    cuzk_wire_put_bytes(&w, 1, host.data, host.size);
    cuzk_wire_put_message(&w, 2, call->message, call->message_len);
    put_answer(&w, &question);
    rpc_call_send(call, w.nomem ? NULL : rpc_frame_create(w.data, w.len));
    cuzk_wire_writer_free(&w);
}
