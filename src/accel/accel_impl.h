/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_ACCEL_ACCEL_IMPL_H
#define CUZK_ACCEL_ACCEL_IMPL_H

/*
 * What a device implements. The functions of accel.h check for a lost device, call these, and note
 * E_DEV_LOST; see there for what each means. Device, queue and objects are the backend's own
 * structs, which begin with the ones below.
 */
#include <stdatomic.h>

#include "accel/accel.h"

typedef struct cuzk_accel_vtable {
    void (*get_props)(cuzk_accel *dev, cuzk_accel_props *out);
    void (*close)(cuzk_accel *dev);
    cuzk_status (*self_test)(cuzk_accel *dev, cuzk_err *err); /* optional; NULL: passed */
    cuzk_status (*alloc)(cuzk_accel *dev, void **d_out, uint64_t bytes, cuzk_err *err);
    void (*free)(cuzk_accel *dev, void *d_p);
    cuzk_status (*host_alloc)(cuzk_accel *dev, void **out, uint64_t bytes, cuzk_err *err);
    void (*host_free)(cuzk_accel *dev, void *p);
    /* (optional) both or neither; NULL: E_UNSUPPORTED */
    cuzk_status (*host_lock)(cuzk_accel *dev, void *p, uint64_t bytes, cuzk_err *err);
    void (*host_unlock)(cuzk_accel *dev, void *p);

    cuzk_status (*queue_create)(cuzk_accel_queue **out, cuzk_accel *dev, bool urgent,
                                cuzk_err *err);
    void (*queue_destroy)(cuzk_accel_queue *q);
    cuzk_status (*sync)(cuzk_accel_queue *q, cuzk_err *err);
    cuzk_status (*wait)(cuzk_accel_queue *q, cuzk_accel_queue *other, cuzk_err *err);
    cuzk_status (*marks_reset)(cuzk_accel_queue *q, cuzk_err *err);
    cuzk_status (*mark)(cuzk_accel_queue *q, uint32_t *mark, cuzk_err *err);
    cuzk_status (*mark_ns)(cuzk_accel_queue *q, uint32_t mark, uint64_t *ns, cuzk_err *err);

    uint64_t (*circuit_bytes)(cuzk_accel *dev, const cuzk_circuit *c, bool all_wires);
    uint64_t (*domain_bytes)(cuzk_accel *dev, unsigned lg_n, cuzk_accel_twiddles t);
    cuzk_status (*circuit_create)(cuzk_accel_circuit **out, cuzk_accel_queue *q,
                                  const cuzk_circuit *c, bool all_wires, cuzk_err *err);
    void (*circuit_destroy)(cuzk_accel_circuit *c, cuzk_accel_queue *q);
    cuzk_status (*domain_create)(cuzk_accel_domain **out, cuzk_accel_queue *q, unsigned lg_n,
                                 const cuzk_fr *root_2_32, cuzk_accel_twiddles t, cuzk_err *err);
    void (*domain_destroy)(cuzk_accel_domain *d, cuzk_accel_queue *q);
    uint64_t (*witness_bytes)(const cuzk_accel_circuit *c);
    void (*section_split)(const cuzk_accel_circuit *c, cuzk_srs_section s, cuzk_accel_split *out);
    void (*section_slots)(const cuzk_accel_circuit *c, cuzk_srs_section s, uint64_t i,
                          uint64_t *bit_slots, uint64_t *full_slots);

    uint64_t (*image_bytes)(cuzk_accel *dev, uint64_t n); /* optional; NULL: 0 */
    cuzk_status (*plan)(cuzk_accel *dev, const cuzk_accel_op *op, cuzk_accel_need *out,
                        cuzk_err *err);
    cuzk_status (*enqueue)(cuzk_accel_queue *q, const cuzk_accel_op *op, void *d_ws,
                           uint64_t ws_bytes, cuzk_err *err);

    /* (optional) both or neither; NULL: E_UNSUPPORTED */
    uint64_t (*setup_bytes)(cuzk_accel *dev, const cuzk_circuit *c, uint64_t slice);
    cuzk_status (*setup)(cuzk_accel_queue *q, const cuzk_circuit *c, const cuzk_toxic *toxic,
                         uint64_t slice, void *d_ws, cuzk_accel_setup_sink sink, void *arg,
                         cuzk_err *err);
} cuzk_accel_vtable;

struct cuzk_accel {
    const cuzk_accel_vtable *vt;
    _Atomic bool lost;
};

struct cuzk_accel_queue {
    cuzk_accel *dev;
};

struct cuzk_accel_circuit {
    cuzk_accel *dev;
    const cuzk_circuit *circuit;
    bool all_wires;
};

struct cuzk_accel_domain {
    cuzk_accel *dev;
    unsigned lg_n;
};

#endif /* CUZK_ACCEL_ACCEL_IMPL_H */
