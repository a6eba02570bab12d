// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk

// #include <stdlib.h>
// #include <cuzk/aggregate.h>
import "C"

import (
	"runtime"
	"unsafe"
)

// AggregateSRS is an opened inner-product SRS.
type AggregateSRS struct{ p *C.cuzk_aggregate_srs }

// OpenAggregateSRS opens a file, and checks that it is the network's; anySRS takes another one. Who knows
// the secrets of an SRS can forge aggregates.
func OpenAggregateSRS(path string, anySRS bool) (*AggregateSRS, error) {
	var p *C.cuzk_aggregate_srs
	options := C.int(C.CUZK_AGGREGATE_DEFAULT)
	if anySRS {
		options = C.CUZK_AGGREGATE_ANY_SRS
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	err := withMessage(func(m *C.char, n C.size_t) C.cuzk_verify_result {
		return C.cuzk_aggregate_srs_open(&p, name, options, m, n)
	})
	if err != nil {
		return nil, err
	}
	s := &AggregateSRS{p}
	runtime.SetFinalizer(s, func(s *AggregateSRS) { C.cuzk_aggregate_srs_close(s.p) })
	return s, nil
}

func withMessage(call func(*C.char, C.size_t) C.cuzk_verify_result) error {
	var message [512]C.char
	err := failedVerify(call(&message[0], C.size_t(len(message))))
	if e, ok := err.(*Error); ok && message[0] != 0 {
		e.Text = C.GoString(&message[0])
	}
	return err
}

// sealsClaim is the statement of sectors in C's memory.
func sealsClaim(claims []SealClaim) (*C.cuzk_aggregate_claim, func(), error) {
	var flat []byte
	var commRs, seeds []byte
	n := 0
	interactive := true
	for i := range claims {
		inputs, err := claims[i].PublicInputs()
		if err != nil {
			return nil, nil, err
		}
		for k := range inputs {
			flat = append(flat, inputs[k][:]...)
		}
		n += Partitions(KindPoRep, claims[i].RegisteredProof)
		commRs = append(commRs, claims[i].CommR[:]...)
		seeds = append(seeds, claims[i].Seed[:]...)
		interactive = interactive && claims[i].RegisteredProof < 15
	}
	if n == 0 {
		return nil, nil, &Error{ErrInvalid.Status, "CUZK_E_INVALID", false, "there are no sectors to aggregate"}
	}
	include := (*C.uint8_t)(C.malloc(32))
	r, s := C.CBytes(commRs), C.CBytes(seeds)
	seedsC := (*[32]C.uint8_t)(s)
	if !interactive {
		seedsC = nil
	}
	C.cuzk_aggregate_include_seals(include, (*[32]C.uint8_t)(r), seedsC, C.size_t(len(claims)))
	C.free(r)
	C.free(s)
	c := (*C.cuzk_aggregate_claim)(C.calloc(1, C.sizeof_cuzk_aggregate_claim))
	inputs := C.CBytes(flat)
	c.inputs, c.n, c.n_inputs = (*C.uint8_t)(inputs), C.size_t(n), C.size_t(len(flat)/32/n)
	c.include, c.include_bytes = include, 32
	return c, func() {
		C.free(inputs)
		C.free(unsafe.Pointer(include))
		C.free(unsafe.Pointer(c))
	}, nil
}

// AggregateSeals aggregates the proofs of sectors, which are verified first.
func AggregateSeals(srs *AggregateSRS, k *VerifyingKey, claims []SealClaim, proofs [][]byte, threads uint32) ([]byte, error) {
	defer runtime.KeepAlive(srs)
	defer runtime.KeepAlive(k)
	var flat []byte
	for _, p := range proofs {
		flat = append(flat, p...)
	}
	c, free, err := sealsClaim(claims)
	if err != nil {
		return nil, err
	}
	defer free()
	if len(flat) != ProofBytes*int(c.n) {
		return nil, &Error{ErrInvalid.Status, "CUZK_E_INVALID", false, "the proofs have another size than the partitions of the sectors"}
	}
	out := make([]byte, int(C.cuzk_aggregate_bytes(c.n)))
	err = withMessage(func(m *C.char, n C.size_t) C.cuzk_verify_result {
		return C.cuzk_aggregate_prove(bytesOf(out), srs.p, k.p, c, bytesOf(flat), C.uint(threads), m, n)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// VerifyAggregatedSeals is nil when the aggregate proves the claims. Bytes after it are ignored, as the network does.
func VerifyAggregatedSeals(srs *AggregateSRS, k *VerifyingKey, claims []SealClaim, aggregate []byte) error {
	defer runtime.KeepAlive(srs)
	defer runtime.KeepAlive(k)
	c, free, err := sealsClaim(claims)
	if err != nil {
		return err
	}
	defer free()
	return withMessage(func(m *C.char, n C.size_t) C.cuzk_verify_result {
		return C.cuzk_aggregate_verify(srs.p, k.p, c, bytesOf(aggregate), C.size_t(len(aggregate)),
			C.CUZK_AGGREGATE_ALLOW_TRAILING, m, n)
	})
}
