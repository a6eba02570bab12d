// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk

// #include <stdlib.h>
// #include <cuzk/params.h>
// extern int32_t cuzkGoParamsProgress(void *arg, char *step, uint64_t done, uint64_t total);
import "C"

import (
	"context"
	"encoding/hex"
	"errors"
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// ParamsState is what is known of a copy of a file without reading it.
type ParamsState int32

const (
	ParamsAbsent      = ParamsState(C.CUZK_PARAMS_ABSENT)
	ParamsWrongSize   = ParamsState(C.CUZK_PARAMS_WRONG_SIZE)
	ParamsPresent     = ParamsState(C.CUZK_PARAMS_PRESENT) // the size is right, or not known; the digest was not compared
	ParamsChecked     = ParamsState(C.CUZK_PARAMS_CHECKED) // the digest was right, and the file has not changed since
	ParamsUnreadable  = ParamsState(C.CUZK_PARAMS_UNREADABLE)
	ParamsWrongDigest = ParamsState(C.CUZK_PARAMS_WRONG_DIGEST) // a caller's finding; State does not give it
)

// String is "absent", "wrong size", "not checked", "checked", "unreadable" or "wrong digest"; "unknown" for another number.
func (s ParamsState) String() string {
	return C.GoString(C.cuzk_params_state_name(C.int32_t(s)))
}

// ParamsFile is a file of a list.
type ParamsFile struct {
	Name, CID   string
	Digest      string // 32 hex digits: first 16 bytes of BLAKE2b-512 of the file
	Kind        int32  // Kind...; -1: another
	KindName    string // "porep", "winning", "window", "update", "aggregate" or "other"
	SectorBytes uint64 // 0: for every size
	Bytes       uint64 // size of the file; 0: not known
}

// ParamsList is a network's list of parameter files. It does not change; any number of goroutines may use one.
type ParamsList struct{ p *C.cuzk_params_list } // nil: the network's own

// NetworkParams is the network's own list.
func NetworkParams() *ParamsList { return &ParamsList{} }

// ReadParamsList reads the list of another network, in the form of the network's parameters.json. name is what messages
// call it.
func ReadParamsList(json []byte, name string) (*ParamsList, error) {
	var p *C.cuzk_params_list
	var e C.cuzk_error
	called := C.CString(name)
	defer C.free(unsafe.Pointer(called))
	if len(json) == 0 {
		json = []byte{' '} // C refuses NULL before it can say that the text is empty
	}
	if err := failed(C.cuzk_params_list_read(&p, bytesOf(json), C.size_t(len(json)), called, &e), &e); err != nil {
		return nil, err
	}
	l := &ParamsList{p}
	runtime.SetFinalizer(l, func(l *ParamsList) { C.cuzk_params_list_destroy(l.p) })
	return l, nil
}

// Len is the number of files.
func (l *ParamsList) Len() int {
	defer runtime.KeepAlive(l)
	return int(C.cuzk_params_list_count(l.p))
}

// File is the file of an index from 0; ErrNotFound when the list has no such file.
func (l *ParamsList) File(index int) (ParamsFile, error) {
	defer runtime.KeepAlive(l)
	var f C.cuzk_params_file
	f.struct_size = C.sizeof_cuzk_params_file
	if st := C.cuzk_params_list_get(&f, l.p, C.size_t(index)); st != C.CUZK_OK {
		return ParamsFile{}, &Error{int32(st), C.GoString(C.cuzk_status_name(st)), false, "the list has no file of this index"}
	}
	return ParamsFile{Name: C.GoString(f.name), CID: C.GoString(f.cid), Digest: C.GoString(f.digest), Kind: int32(f.kind),
		KindName: C.GoString(f.kind_name), SectorBytes: uint64(f.sector_bytes), Bytes: uint64(f.bytes)}, nil
}

// Files are all files of the list.
func (l *ParamsList) Files() []ParamsFile {
	out := make([]ParamsFile, 0, l.Len())
	for i := 0; i < l.Len(); i++ {
		if f, err := l.File(i); err == nil {
			out = append(out, f)
		}
	}
	return out
}

// State of the copy in folder, "" is the usual one; ParamsAbsent for an index that the list does not have.
func (l *ParamsList) State(index int, folder string) ParamsState {
	defer runtime.KeepAlive(l)
	name := optionalString(folder)
	defer C.free(unsafe.Pointer(name))
	return ParamsState(C.cuzk_params_list_state(l.p, C.size_t(index), name))
}

// Note writes into folder that the digest of its copy was right just now, so that State is ParamsChecked until the copy
// changes.
func (l *ParamsList) Note(index int, folder string) error {
	defer runtime.KeepAlive(l)
	var e C.cuzk_error
	name := optionalString(folder)
	defer C.free(unsafe.Pointer(name))
	return failed(C.cuzk_params_list_note(l.p, C.size_t(index), name, &e), &e)
}

// ParamsProgress is called with step, done and total; total 0: not known. It may run on a thread of the library, one call
// at a time.
type ParamsProgress func(step string, done, total uint64)

type paramsWatch struct {
	ctx      context.Context
	progress ParamsProgress
}

//export cuzkGoParamsProgress
func cuzkGoParamsProgress(arg unsafe.Pointer, step *C.char, done, total C.uint64_t) C.int32_t {
	w := (*(*cgo.Handle)(arg)).Value().(paramsWatch)
	if w.progress != nil {
		w.progress(C.GoString(step), uint64(done), uint64(total))
	}
	if w.ctx.Err() != nil {
		return 1
	}
	return 0
}

// watched makes a call with a progress function that ends it when ctx ends; its error is then the context's.
func watched(ctx context.Context, progress ParamsProgress, call func(C.cuzk_progress_fn, unsafe.Pointer) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	handle := (*cgo.Handle)(C.malloc(C.size_t(unsafe.Sizeof(cgo.Handle(0)))))
	*handle = cgo.NewHandle(paramsWatch{ctx, progress})
	defer func() {
		handle.Delete()
		C.free(unsafe.Pointer(handle))
	}()
	err := call(C.cuzk_progress_fn(C.cuzkGoParamsProgress), unsafe.Pointer(handle))
	if errors.Is(err, ErrCancelled) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// ParamsDigest is the first 16 bytes of BLAKE2b-512 of any file. progress is optional: "digest", bytes read, size.
func ParamsDigest(ctx context.Context, path string, progress ParamsProgress) (digest [16]byte, err error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	err = watched(ctx, progress, func(f C.cuzk_progress_fn, arg unsafe.Pointer) error {
		var e C.cuzk_error
		return failed(C.cuzk_params_digest((*C.uint8_t)(unsafe.Pointer(&digest[0])), name, f, arg, &e), &e)
	})
	return digest, err
}

// ParamsCheck says what CheckParams checks. The zero value: everything, with the digest that the network's list has.
type ParamsCheck struct {
	OnlyDigest, OnlyPoints bool      // the layout is always checked
	Digest                 *[16]byte // in place of that of the network's file of the same name
	Threads                uint32    // 0: all CPUs of the process
	Progress               ParamsProgress
}

// CheckParams checks a .params or .vk file. A network file whose digest was right is noted in its folder.
func CheckParams(ctx context.Context, path string, o ParamsCheck) error {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	digest := ""
	if o.Digest != nil {
		digest = hex.EncodeToString(o.Digest[:])
	}
	given := optionalString(digest)
	defer C.free(unsafe.Pointer(given))
	return watched(ctx, o.Progress, func(f C.cuzk_progress_fn, arg unsafe.Pointer) error {
		var e C.cuzk_error
		c := C.cuzk_params_check_options{struct_size: C.sizeof_cuzk_params_check_options, digest: given, threads: C.uint32_t(o.Threads),
			progress: f, progress_arg: arg}
		if o.OnlyDigest {
			c.checks |= C.CUZK_CHECK_DIGEST
		}
		if o.OnlyPoints {
			c.checks |= C.CUZK_CHECK_POINTS
		}
		return failed(C.cuzk_params_check(name, &c, &e), &e)
	})
}

// What is checked of every point of a file that is opened.
const (
	PointsUnchecked = int32(C.CUZK_POINTS_UNCHECKED)
	PointsOnCurve   = int32(C.CUZK_POINTS_ON_CURVE)
	PointsInGroup   = int32(C.CUZK_POINTS_IN_GROUP) // on the curve, and in the subgroup
)

// ParamsOpen says how OpenParams opens.
type ParamsOpen struct {
	Points   int32          // Points...
	Threads  uint32         // 0: all CPUs of the process
	Progress ParamsProgress // while points are checked: "points", 0 of 0, ten times a second
}

// Params is an opened .params file. It does not change; any number of goroutines may use one.
type Params struct{ p *C.cuzk_params }

// OpenParams opens and indexes; layout and verifying key are always checked. ctx can end a check of points.
func OpenParams(ctx context.Context, path string, o ParamsOpen) (*Params, error) {
	var p *C.cuzk_params
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	err := watched(ctx, o.Progress, func(f C.cuzk_progress_fn, arg unsafe.Pointer) error {
		var e C.cuzk_error
		c := C.cuzk_params_open_options{struct_size: C.sizeof_cuzk_params_open_options, points: C.int32_t(o.Points),
			threads: C.uint32_t(o.Threads), progress: f, progress_arg: arg}
		return failed(C.cuzk_params_open_with(&p, name, &c, &e), &e)
	})
	if err != nil {
		return nil, err
	}
	out := &Params{p}
	runtime.SetFinalizer(out, func(p *Params) { C.cuzk_params_close(p.p) })
	return out, nil
}

// How the contributions of a ceremony's transcript follow one another, by the rules of the network's ceremony tool.
const (
	ChainUnchecked = int32(C.CUZK_CHAIN_UNCHECKED) // unless the file was opened with PointsInGroup
	ChainHolds     = int32(C.CUZK_CHAIN_HOLDS)     // each is a step from the one before, the last to the key's delta
	ChainHash      = int32(C.CUZK_CHAIN_HASH)      // a contribution's hash is not that of what is before it
	ChainStep      = int32(C.CUZK_CHAIN_STEP)      // hashes agree; a contribution is no step
	ChainDelta     = int32(C.CUZK_CHAIN_DELTA)     // all steps hold; the key's delta in G2 is another than that in G1
)

// ParamsInfo is what is in a .params file.
type ParamsInfo struct {
	PublicInputs      uint32 // ONE not counted
	H, L, A, BG1, BG2 uint64 // points of each section
	HasTranscript     bool   // a ceremony's transcript is behind the sections
	Contributions     uint32 // in the transcript
	CircuitHash       [64]byte
	Chain             int32  // Chain...
	ChainAt           uint32 // of ChainHash and ChainStep: which contribution, from 0
}

// Info is what is in the file.
func (p *Params) Info() ParamsInfo {
	defer runtime.KeepAlive(p)
	var c C.cuzk_params_info
	c.struct_size = C.sizeof_cuzk_params_info
	C.cuzk_params_get_info(&c, p.p) // fails for a wrong struct_size only
	out := ParamsInfo{PublicInputs: uint32(c.public_inputs), H: uint64(c.h), L: uint64(c.l), A: uint64(c.a), BG1: uint64(c.b_g1),
		BG2: uint64(c.b_g2), HasTranscript: c.has_transcript != 0, Contributions: uint32(c.contributions), Chain: int32(c.chain),
		ChainAt: uint32(c.chain_at)}
	for i := range out.CircuitHash {
		out.CircuitHash[i] = byte(c.circuit_hash[i])
	}
	return out
}

// VerifyingKey is the key inside; it does not need the file any more.
func (p *Params) VerifyingKey() (*VerifyingKey, error) {
	defer runtime.KeepAlive(p)
	var k *C.cuzk_vk
	var e C.cuzk_error
	if err := failed(C.cuzk_params_vk(&k, p.p, &e), &e); err != nil {
		return nil, err
	}
	return ownedKey(k), nil
}

// ParamsMake says how MakeParams makes.
type ParamsMake struct {
	InsecureSeed *uint64 // not nil: equal files each time, under which anybody can forge proofs
	Replace      bool    // overwrite files
	Threads      uint32  // 0: all CPUs of the process
	Progress     ParamsProgress
}

// ParamsMade is the compiled circuit of MakeParams.
type ParamsMade struct {
	Constraints  uint64 // rows of the circuit
	PublicInputs uint64 // ONE not counted
	AuxWires     uint64 // the other wires
	LgDomain     uint32 // log2 of the size of the FFT
	CompileNs    uint64 // time of compiling
}

// MakeParams makes .params and .vk of a Filecoin circuit in folder, under the network's names, for tests and private
// networks. The result is filled as soon as the circuit is compiled, even if the call fails later on.
func MakeParams(ctx context.Context, folder string, kind int32, sectorBytes uint64, o ParamsMake) (out ParamsMade, err error) {
	name := C.CString(folder)
	defer C.free(unsafe.Pointer(name))
	made := (*C.cuzk_params_made)(C.calloc(1, C.sizeof_cuzk_params_made)) // C keeps a pointer to it during the call
	defer C.free(unsafe.Pointer(made))
	made.struct_size = C.sizeof_cuzk_params_made
	err = watched(ctx, o.Progress, func(f C.cuzk_progress_fn, arg unsafe.Pointer) error {
		var e C.cuzk_error
		c := C.cuzk_params_make_options{struct_size: C.sizeof_cuzk_params_make_options, threads: C.uint32_t(o.Threads), progress: f,
			progress_arg: arg, made: made}
		if o.InsecureSeed != nil {
			c.flags |= C.CUZK_MAKE_INSECURE_SEED
			c.seed = C.uint64_t(*o.InsecureSeed)
		}
		if o.Replace {
			c.flags |= C.CUZK_MAKE_REPLACE
		}
		return failed(C.cuzk_params_make(name, C.int32_t(kind), C.uint64_t(sectorBytes), &c, &e), &e)
	})
	return ParamsMade{uint64(made.constraints), uint64(made.public_inputs), uint64(made.aux_wires), uint32(made.lg_domain),
		uint64(made.compile_ns)}, err
}
