/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PROVER_PROVE_WITNESS_MEMORY_H
#define CUZK_PROVER_PROVE_WITNESS_MEMORY_H

/*
 * Where witnesses are made. Page-locked memory of a device, where there is some: the device then
 * copies the witness by itself, and no thread copies it first. Else the heap.
 *
 * Blocks are kept for the next witness of the same size. A device that is lost can be closed while
 * witnesses are in its memory: cuzk_witness_memory_detach moves them to the heap.
 */
#include "accel/accel.h"
#include "r1cs/witness.h"

typedef struct cuzk_witness_memory cuzk_witness_memory;

/** Without a device: witnesses go to the heap until attach. E_NOMEM. */
CUZK_NODISCARD cuzk_status cuzk_witness_memory_create(cuzk_witness_memory **out, cuzk_err *err);
/** Destroys the memory. No witness may be in it, and the device must still be open. NULL is fine. */
void cuzk_witness_memory_destroy(cuzk_witness_memory *m);
/** From now on blocks are of this device, which stays open until detach or destroy. @thread any. */
void cuzk_witness_memory_attach(cuzk_witness_memory *m, cuzk_accel *dev);
/**
 * Frees every block of the device, which may be closed afterwards. Witnesses not in use move to
 * the heap. E_DEV_LOST: a witness is still in use after ten seconds; nothing has changed but for
 * witnesses that have moved already. E_NOMEM: likewise. @thread any.
 */
CUZK_NODISCARD cuzk_status cuzk_witness_memory_detach(cuzk_witness_memory *m, cuzk_err *err);
#define CUZK_WITNESS_MEMORY_MOST 16u
/**
 * Takes a block for a witness of this circuit, so that the first witness need not wait for memory to be page-locked
 * (0.03 s for a PoRep 32 GiB). From now on n idle blocks are kept, where n is larger than the usual number (6) and at
 * most CUZK_WITNESS_MEMORY_MOST: as many as a call of the device uses. Memory that cannot be had is no failure.
 */
void cuzk_witness_memory_prepare(cuzk_witness_memory *m, const cuzk_circuit *c, uint32_t n);
/** Frees the blocks that no witness is in. @thread any. */
void cuzk_witness_memory_trim(cuzk_witness_memory *m);

/** A witness and its place. The address of this struct stays; the witness may move while it is not in use. */
typedef struct cuzk_placed_witness cuzk_placed_witness;

/**
 * An empty witness as of cuzk_witness_create, in use (cuzk_placed_end). m NULL: on the heap. The circuit
 * must outlive it. A device that has no such memory, or is lost, is no failure. E_NOMEM. @thread any.
 */
CUZK_NODISCARD cuzk_status cuzk_placed_take(cuzk_placed_witness **out, cuzk_witness_memory *m,
                                            const cuzk_circuit *c, cuzk_err *err);
/** The witness must not be in use. NULL is fine. @thread any. */
void cuzk_placed_give(cuzk_placed_witness *p);
/** The witness, which stays where it is until the matching end. */
cuzk_witness *cuzk_placed_begin(cuzk_placed_witness *p);
void cuzk_placed_end(cuzk_placed_witness *p);
/**
 * True when the witness is in page-locked memory, which every device may copy from. For users, between begin and end.
 */
bool cuzk_placed_is_locked(const cuzk_placed_witness *p);
/** Bytes of a witness of this circuit. */
uint64_t cuzk_placed_bytes(const cuzk_circuit *c);

#endif /* CUZK_PROVER_PROVE_WITNESS_MEMORY_H */
