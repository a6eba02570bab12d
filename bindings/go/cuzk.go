// SPDX-License-Identifier: MIT OR Apache-2.0

// Package cuzk is libcuzk in Go: Groth16 proofs over BLS12-381 of Filecoin and circom, and their verification.
//
// The package is compiled against the installed library by pkg-config (cuzk.pc). It needs no other module.
// The functions of ffi.go have the shapes of filecoin-ffi.
package cuzk

// #cgo pkg-config: cuzk
// #include <stdlib.h>
// #include <cuzk/filecoin.h>
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Kinds of proof.
const (
	KindPoRep   = int32(C.CUZK_KIND_POREP)
	KindWinning = int32(C.CUZK_KIND_WINNING)
	KindWindow  = int32(C.CUZK_KIND_WINDOW)
	KindUpdate  = int32(C.CUZK_KIND_UPDATE)
)

// ProofBytes is the size of the proof of one partition.
const ProofBytes = 192

// Error is a failed call of the library.
type Error struct {
	Status    int32  // CUZK_E_... of <cuzk/cuzk.h>
	Name      string // "CUZK_E_VANILLA"
	Retryable bool   // the machine is at fault, not the input
	Text      string
}

func (e *Error) Error() string { return e.Name + ": " + e.Text }

// Statuses that callers tell apart; compare with errors.Is.
var (
	ErrInvalid    = &Error{Status: int32(C.CUZK_E_INVALID)}
	ErrBudget     = &Error{Status: int32(C.CUZK_E_BUDGET)}
	ErrCancelled  = &Error{Status: int32(C.CUZK_E_CANCELLED)}
	ErrNotFound   = &Error{Status: int32(C.CUZK_E_NOT_FOUND)}
	ErrFormat     = &Error{Status: int32(C.CUZK_E_FORMAT)}
	ErrProofFalse = &Error{Status: int32(C.CUZK_E_PROOF_FALSE)}
	ErrVanilla    = &Error{Status: int32(C.CUZK_E_VANILLA)}
)

// Is compares the status.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Status == e.Status
}

func failed(st C.cuzk_status, e *C.cuzk_error) error {
	if st == C.CUZK_OK {
		return nil
	}
	return &Error{int32(st), C.GoString(C.cuzk_status_name(st)), e.error_class == C.CUZK_CLASS_ENVIRONMENT, C.GoString(&e.text[0])}
}

func failedVerify(r C.cuzk_verify_result) error {
	if r == C.CUZK_VERIFY_OK {
		return nil
	}
	name := C.GoString(C.cuzk_status_name(C.cuzk_status(r)))
	return &Error{int32(r), name, C.cuzk_status_class(C.cuzk_status(r)) == C.CUZK_CLASS_ENVIRONMENT, C.GoString(C.cuzk_verify_text(r))}
}

// Version of the library that is loaded.
func Version() string { return C.GoString(C.cuzk_version()) }

// bytesOf gives the address of a slice for the time of one call; C keeps none of them.
func bytesOf(b []byte) *C.uint8_t {
	if len(b) == 0 {
		return nil
	}
	return (*C.uint8_t)(unsafe.Pointer(&b[0]))
}

// VerifyingKey is what proofs of one circuit are verified with. Any number of goroutines may use one.
type VerifyingKey struct{ p *C.cuzk_vk }

func ownedKey(p *C.cuzk_vk) *VerifyingKey {
	k := &VerifyingKey{p}
	runtime.SetFinalizer(k, func(k *VerifyingKey) { C.cuzk_vk_destroy(k.p) })
	return k
}

// NewVerifyingKey parses the bytes of a .vk file.
func NewVerifyingKey(vk []byte) (*VerifyingKey, error) {
	var p *C.cuzk_vk
	if err := failedVerify(C.cuzk_vk_read(&p, bytesOf(vk), C.size_t(len(vk)))); err != nil {
		return nil, err
	}
	return ownedKey(p), nil
}

// LoadVerifyingKey takes it from the folder of the network's parameters; "" is the usual one.
func LoadVerifyingKey(kind int32, sectorBytes uint64, folder string) (*VerifyingKey, error) {
	var p *C.cuzk_vk
	var e C.cuzk_error
	name := optionalString(folder)
	defer C.free(unsafe.Pointer(name))
	if err := failed(C.cuzk_vk_load(&p, C.int32_t(kind), C.uint64_t(sectorBytes), name, &e), &e); err != nil {
		return nil, err
	}
	return ownedKey(p), nil
}

func optionalString(s string) *C.char {
	if s == "" {
		return nil
	}
	return C.CString(s)
}

// Inputs is the number of public inputs of the circuit.
func (k *VerifyingKey) Inputs() int {
	defer runtime.KeepAlive(k)
	return int(C.cuzk_vk_n_inputs(k.p))
}

// Verify is nil when the proof is proven for the public inputs, each 32 bytes, little-endian.
func (k *VerifyingKey) Verify(proof []byte, inputs [][32]byte) error {
	defer runtime.KeepAlive(k)
	flat := make([]byte, 0, 32*len(inputs))
	for i := range inputs {
		flat = append(flat, inputs[i][:]...)
	}
	return failedVerify(C.cuzk_verify(k.p, bytesOf(proof), C.size_t(len(proof)), bytesOf(flat), C.size_t(len(inputs))))
}

// SealClaim is what a PoRep proof says. Seed is not read for non-interactive types.
type SealClaim struct {
	RegisteredProof, Miner, Sector uint64
	Ticket, Seed, CommR, CommD     [32]byte
	OnePartition                   bool      // the proof is of Partition alone: 192 bytes
	Partition                      uint32    // with OnePartition; else 0
	ReplicaID                      *[32]byte // not nil: in place of Miner, Sector and Ticket
}

func set32(to *[32]C.uint8_t, from [32]byte) {
	for i, b := range from {
		to[i] = C.uint8_t(b)
	}
}

func (c *SealClaim) c() C.cuzk_seal_claim {
	out := C.cuzk_seal_claim{registered_proof: C.uint64_t(c.RegisteredProof), miner_id: C.uint64_t(c.Miner),
		sector_number: C.uint64_t(c.Sector)}
	out.struct_size = C.uint32_t(unsafe.Sizeof(out))
	set32(&out.ticket, c.Ticket)
	set32(&out.seed, c.Seed)
	set32(&out.comm_r, c.CommR)
	set32(&out.comm_d, c.CommD)
	out.partition = C.uint32_t(c.Partition)
	if c.OnePartition {
		out.flags |= C.CUZK_CLAIM_ONE_PARTITION
	}
	if c.ReplicaID != nil {
		out.flags |= C.CUZK_CLAIM_REPLICA_ID
		set32(&out.replica_id, *c.ReplicaID)
	}
	return out
}

// VerifySeal is nil when all partitions of the claim are proven.
func (k *VerifyingKey) VerifySeal(proof []byte, claim SealClaim) error {
	defer runtime.KeepAlive(k)
	var e C.cuzk_error
	c := claim.c()
	return failed(C.cuzk_verify_seal(k.p, bytesOf(proof), C.size_t(len(proof)), &c, &e), &e)
}

// PublicInputs are those of the claim's partitions, one after another.
func (c SealClaim) PublicInputs() ([][32]byte, error) {
	var e C.cuzk_error
	var n C.size_t
	claim := c.c()
	C.cuzk_seal_inputs(nil, 0, &n, &claim, &e)
	out := make([][32]byte, int(n)+1)
	st := C.cuzk_seal_inputs((*C.uint8_t)(unsafe.Pointer(&out[0])), n, &n, &claim, &e)
	return out[:n], failed(st, &e)
}

// Sector is one of a PoSt.
type Sector struct {
	Number uint64
	CommR  [32]byte
}

// PoStClaim is what a WinningPoSt or one partition of a WindowPoSt says.
type PoStClaim struct {
	RegisteredProof uint64
	Partition       uint32
	Randomness      [32]byte
	Sectors         []Sector
	SectorBytes     uint64 // not 0: the proof is of Kind and sectors of this size, and RegisteredProof does not count
	Kind            int32  // with SectorBytes: KindWinning or KindWindow
}

// VerifyPoSt is nil when the proof is proven.
func (k *VerifyingKey) VerifyPoSt(proof []byte, claim PoStClaim) error {
	defer runtime.KeepAlive(k)
	var e C.cuzk_error
	n := len(claim.Sectors)
	sectors := (*[1 << 20]C.cuzk_sector)(C.calloc(C.size_t(n+1), C.sizeof_cuzk_sector))
	if sectors == nil || n >= 1<<20 {
		return fmt.Errorf("no memory for %d sectors", n)
	}
	defer C.free(unsafe.Pointer(sectors))
	for i, s := range claim.Sectors {
		sectors[i].number = C.uint64_t(s.Number)
		set32(&sectors[i].comm_r, s.CommR)
	}
	c := C.cuzk_post_claim{partition: C.uint32_t(claim.Partition), registered_proof: C.uint64_t(claim.RegisteredProof),
		sectors: &sectors[0], n_sectors: C.size_t(n), sector_bytes: C.uint64_t(claim.SectorBytes), kind: C.int32_t(claim.Kind)}
	c.struct_size = C.uint32_t(unsafe.Sizeof(c))
	set32(&c.randomness, claim.Randomness)
	return failed(C.cuzk_verify_post(k.p, bytesOf(proof), C.size_t(len(proof)), &c, &e), &e)
}

// UpdateClaim is what a SnapDeals proof says.
type UpdateClaim struct {
	RegisteredProof              uint64
	CommROld, CommRNew, CommDNew [32]byte
	SectorBytes                  uint64 // not 0: sectors of this size, and RegisteredProof does not count
	OnePartition                 bool   // the proof is of Partition alone: 192 bytes
	Partition                    uint32 // with OnePartition; else 0
}

// VerifyUpdate is nil when all partitions of the claim are proven.
func (k *VerifyingKey) VerifyUpdate(proof []byte, claim UpdateClaim) error {
	defer runtime.KeepAlive(k)
	var e C.cuzk_error
	c := C.cuzk_update_claim{registered_proof: C.uint64_t(claim.RegisteredProof), sector_bytes: C.uint64_t(claim.SectorBytes),
		partition: C.uint32_t(claim.Partition)}
	c.struct_size = C.uint32_t(unsafe.Sizeof(c))
	if claim.OnePartition {
		c.flags = C.CUZK_CLAIM_ONE_PARTITION
	}
	set32(&c.comm_r_old, claim.CommROld)
	set32(&c.comm_r_new, claim.CommRNew)
	set32(&c.comm_d_new, claim.CommDNew)
	return failed(C.cuzk_verify_update(k.p, bytesOf(proof), C.size_t(len(proof)), &c, &e), &e)
}

// SectorBytes is the sector size of a registered type; 0: there is no such type.
func SectorBytes(kind int32, registeredProof uint64) uint64 {
	return uint64(C.cuzk_kind_sector_bytes(C.int32_t(kind), C.uint64_t(registeredProof)))
}

// Partitions of a whole proof of a registered type; 0: there is no such type.
func Partitions(kind int32, registeredProof uint64) int {
	return int(C.cuzk_kind_partitions(C.int32_t(kind), C.uint64_t(registeredProof)))
}
