// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk

// #include <stdlib.h>
// #include <cuzk/prove.h>
// extern int32_t cuzkGoProgress(void *arg, char *step, uint64_t done, uint64_t total);
import "C"

import (
	"context"
	"fmt"
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// Options of a prover; zero values are defaults.
type Options struct {
	Threads, Workers          uint32
	Devices                   string // "auto", "cpu", "cuda", "cuda:0,2"
	ParamsFolder              string
	MemoryBytes, DeviceMemory uint64
}

// Prover owns threads, devices and loaded keys. Any number of goroutines may use one.
type Prover struct {
	p      *C.cuzk_prover
	folder string
}

// NewProver starts one. Close ends it; so does the garbage collector.
func NewProver(o Options) (*Prover, error) {
	var e C.cuzk_error
	var p *C.cuzk_prover
	devices, folder := optionalString(o.Devices), optionalString(o.ParamsFolder)
	defer C.free(unsafe.Pointer(devices))
	defer C.free(unsafe.Pointer(folder))
	c := (*C.cuzk_prover_options)(C.calloc(1, C.sizeof_cuzk_prover_options))
	defer C.free(unsafe.Pointer(c))
	c.struct_size = C.sizeof_cuzk_prover_options
	c.threads, c.workers = C.uint32_t(o.Threads), C.uint32_t(o.Workers)
	c.devices, c.params_folder = devices, folder
	c.memory_bytes, c.device_memory_bytes = C.uint64_t(o.MemoryBytes), C.uint64_t(o.DeviceMemory)
	if err := failed(C.cuzk_prover_create(&p, c, &e), &e); err != nil {
		return nil, err
	}
	out := &Prover{p, o.ParamsFolder}
	runtime.SetFinalizer(out, (*Prover).Close)
	return out, nil
}

// Close cancels all jobs and ends the threads. No other call on the prover may run.
func (p *Prover) Close() {
	C.cuzk_prover_destroy(p.p)
	p.p = nil
}

// Load loads circuit and parameters now, and keeps them.
func (p *Prover) Load(kind int32, sectorBytes uint64) error {
	defer runtime.KeepAlive(p)
	var e C.cuzk_error
	return failed(C.cuzk_prover_load(p.p, C.int32_t(kind), C.uint64_t(sectorBytes), &e), &e)
}

// Unload gives back what Load or a job loaded.
func (p *Prover) Unload(kind int32, sectorBytes uint64) error {
	defer runtime.KeepAlive(p)
	var e C.cuzk_error
	return failed(C.cuzk_prover_unload(p.p, C.int32_t(kind), C.uint64_t(sectorBytes), &e), &e)
}

// CircomKey is a loaded .zkey.
type CircomKey struct{ k *C.cuzk_circom_key }

// LoadCircomKey loads a snarkjs .zkey over BLS12-381.
func (p *Prover) LoadCircomKey(path string) (*CircomKey, error) {
	defer runtime.KeepAlive(p)
	var e C.cuzk_error
	var k *C.cuzk_circom_key
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	if err := failed(C.cuzk_circom_key_load(&k, p.p, name, &e), &e); err != nil {
		return nil, err
	}
	out := &CircomKey{k}
	runtime.SetFinalizer(out, func(k *CircomKey) { C.cuzk_circom_key_destroy(k.k) })
	return out, nil
}

// Verify is VerifyingKey.Verify with the key inside.
func (k *CircomKey) Verify(proof []byte, inputs [][32]byte) error {
	defer runtime.KeepAlive(k)
	return (&VerifyingKey{(*C.cuzk_vk)(unsafe.Pointer(C.cuzk_circom_key_vk(k.k)))}).Verify(proof, inputs)
}

// Request is what to prove: see cuzk_prove_request in <cuzk/prove.h>.
type Request struct {
	Kind                                        int32
	Inputs                                      [][]byte
	OnePartition, CheckRows, BindSector         bool
	Partition                                   uint32
	SectorBytes, RegisteredProof, Miner, Sector uint64
	Randomness, CommROld, CommRNew, CommDNew    [32]byte
	Priority                                    int32
	Progress                                    func(step string, done, total uint64) // from a thread of the library
	key                                         *CircomKey
}

//export cuzkGoProgress
func cuzkGoProgress(arg unsafe.Pointer, step *C.char, done, total C.uint64_t) C.int32_t {
	(*(*cgo.Handle)(arg)).Value().(func(string, uint64, uint64))(C.GoString(step), uint64(done), uint64(total))
	return 0
}

// call is a request in C's memory, for as long as its task.
type call struct {
	rq     *C.cuzk_prove_request
	inputs *[1 << 20]C.cuzk_input
	n      int
	handle *cgo.Handle
}

func (r *Request) c() (*call, error) {
	if len(r.Inputs) >= 1<<20 {
		return nil, fmt.Errorf("%d inputs", len(r.Inputs))
	}
	c := &call{n: len(r.Inputs)}
	c.rq = (*C.cuzk_prove_request)(C.calloc(1, C.sizeof_cuzk_prove_request))
	c.inputs = (*[1 << 20]C.cuzk_input)(C.calloc(C.size_t(c.n+1), C.sizeof_cuzk_input))
	for i, in := range r.Inputs {
		c.inputs[i] = C.cuzk_input{(*C.uint8_t)(C.CBytes(in)), C.size_t(len(in))}
	}
	q := c.rq
	q.struct_size, q.kind, q.partition = C.sizeof_cuzk_prove_request, C.int32_t(r.Kind), C.uint32_t(r.Partition)
	for flag, on := range map[C.uint32_t]bool{C.CUZK_PROVE_ONE_PARTITION: r.OnePartition,
		C.CUZK_PROVE_CHECK_ROWS: r.CheckRows, C.CUZK_PROVE_BIND_SECTOR: r.BindSector} {
		if on {
			q.flags |= flag
		}
	}
	q.sector_bytes, q.registered_proof = C.uint64_t(r.SectorBytes), C.uint64_t(r.RegisteredProof)
	q.miner_id, q.sector_number, q.priority = C.uint64_t(r.Miner), C.uint64_t(r.Sector), C.int32_t(r.Priority)
	q.inputs, q.n_inputs = &c.inputs[0], C.size_t(c.n)
	set32(&q.randomness, r.Randomness)
	set32(&q.comm_r_old, r.CommROld)
	set32(&q.comm_r_new, r.CommRNew)
	set32(&q.comm_d_new, r.CommDNew)
	if r.key != nil {
		q.circom_key = r.key.k
	}
	if r.Progress != nil {
		c.handle = (*cgo.Handle)(C.malloc(C.size_t(unsafe.Sizeof(cgo.Handle(0)))))
		*c.handle = cgo.NewHandle(r.Progress)
		q.progress, q.progress_arg = C.cuzk_progress_fn(C.cuzkGoProgress), unsafe.Pointer(c.handle)
	}
	return c, nil
}

func (c *call) free() {
	for i := 0; i < c.n; i++ {
		C.free(unsafe.Pointer(c.inputs[i].data))
	}
	C.free(unsafe.Pointer(c.inputs))
	C.free(unsafe.Pointer(c.rq))
	if c.handle != nil {
		c.handle.Delete()
		C.free(unsafe.Pointer(c.handle))
	}
}

// await waits for the task in steps, so that the context can cancel it.
func await(ctx context.Context, t *C.cuzk_task) {
	ended := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-ctx.Done():
			C.cuzk_task_cancel(t)
		case <-ended:
		}
	}()
	C.cuzk_task_wait(t, -1)
	close(ended)
	<-stopped
}

// run gives the ended task to take; it is gone afterwards.
func (p *Prover) run(ctx context.Context, r *Request, take func(*C.cuzk_task) error) error {
	defer runtime.KeepAlive(p)
	defer runtime.KeepAlive(r.key)
	var e C.cuzk_error
	var t *C.cuzk_task
	if err := ctx.Err(); err != nil {
		return err
	}
	c, err := r.c()
	if err != nil {
		return err
	}
	defer c.free()
	if err := failed(C.cuzk_prover_submit(&t, p.p, c.rq, &e), &e); err != nil {
		return err
	}
	defer C.cuzk_task_destroy(t)
	await(ctx, t)
	err = take(t)
	if lib, ok := err.(*Error); ok && lib.Status == ErrCancelled.Status && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func proofOf(t *C.cuzk_task) ([]byte, error) {
	var e C.cuzk_error
	var n C.size_t
	out := make([]byte, 256*ProofBytes)
	err := failed(C.cuzk_task_result(t, bytesOf(out), C.size_t(len(out)), &n, &e), &e)
	if err != nil {
		return nil, err
	}
	return out[:n:n], nil
}

// Prove gives the proof, 192 bytes per partition, every one verified. When ctx ends first, the job is
// cancelled and the error is the context's.
func (p *Prover) Prove(ctx context.Context, r Request) (proof []byte, err error) {
	err = p.run(ctx, &r, func(t *C.cuzk_task) error {
		var e error
		proof, e = proofOf(t)
		return e
	})
	return proof, err
}

// ProveCircom proves the bytes of a .wtns file.
func (p *Prover) ProveCircom(ctx context.Context, key *CircomKey, witness []byte) (proof []byte, public [][32]byte, err error) {
	r := Request{Kind: int32(C.CUZK_KIND_CIRCOM), Inputs: [][]byte{witness}, key: key}
	err = p.run(ctx, &r, func(t *C.cuzk_task) error {
		var e C.cuzk_error
		var n C.size_t
		var first error
		if proof, first = proofOf(t); first != nil {
			return first
		}
		C.cuzk_task_public(t, nil, 0, &n, &e)
		public = make([][32]byte, int(n)+1)
		st := C.cuzk_task_public(t, (*C.uint8_t)(unsafe.Pointer(&public[0])), n, &n, &e)
		public = public[:n]
		return failed(st, &e)
	})
	return proof, public, err
}
