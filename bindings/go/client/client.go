// SPDX-License-Identifier: MIT OR Apache-2.0

// Package client gives jobs to a daemon by libcuzk-client. It is compiled against the installed libraries by
// pkg-config (cuzk.pc, cuzk-client.pc). Every call ends with its context.
package client

// #cgo pkg-config: cuzk cuzk-client
// #include <stdlib.h>
// #include <cuzk/client.h>
import "C"

import (
	"context"
	"runtime"
	"time"
	"unsafe"

	"cuzk"
)

// Options of a client; zero values are defaults, Address is required: "HOST:PORT", "https://HOST:PORT", "unix:///PATH".
type Options struct {
	Address, Token                  string
	TLSCA, TLSCert, TLSKey, TLSName string // PEM files, and the name that the daemon's certificate must have
	Connect                         time.Duration
}

// Client is a daemon. Any number of goroutines may use one.
type Client struct{ p *C.cuzk_client }

// Failed is a job that the daemon took and did not prove.
type Failed struct {
	Text                 string
	Retryable, Cancelled bool // Retryable: a machine is at fault, not the input
}

func (f *Failed) Error() string { return f.Text }

func failed(st C.cuzk_status, e *C.cuzk_error) error {
	if st == C.CUZK_OK {
		return nil
	}
	return &cuzk.Error{Status: int32(st), Name: C.GoString(C.cuzk_status_name(st)), Retryable: e.error_class == C.CUZK_CLASS_ENVIRONMENT,
		Text: C.GoString(&e.text[0])}
}

func optionalString(s string) *C.char {
	if s == "" {
		return nil
	}
	return C.CString(s)
}

// New connects. Close ends the client; so does the garbage collector.
func New(o Options) (*Client, error) {
	var e C.cuzk_error
	var p *C.cuzk_client
	c := (*C.cuzk_client_options)(C.calloc(1, C.sizeof_cuzk_client_options))
	defer C.free(unsafe.Pointer(c))
	c.struct_size, c.connect_ms = C.sizeof_cuzk_client_options, C.uint32_t(o.Connect.Milliseconds())
	for _, x := range []struct {
		to   **C.char
		from string
	}{{&c.address, o.Address}, {&c.token, o.Token}, {&c.tls_ca, o.TLSCA}, {&c.tls_cert, o.TLSCert}, {&c.tls_key, o.TLSKey}, {&c.tls_name, o.TLSName}} {
		*x.to = optionalString(x.from)
		defer C.free(unsafe.Pointer(*x.to))
	}
	if err := failed(C.cuzk_client_create(&p, c, &e), &e); err != nil {
		return nil, err
	}
	out := &Client{p}
	runtime.SetFinalizer(out, (*Client).Close)
	return out, nil
}

// Close closes the connections. No other call may run.
func (c *Client) Close() {
	C.cuzk_client_destroy(c.p)
	c.p = nil
}

// do runs a call until the context ends; then the error is the context's.
func (c *Client) do(ctx context.Context, f func(call *C.cuzk_client_call, e *C.cuzk_error) C.cuzk_status) error {
	defer runtime.KeepAlive(c)
	var e C.cuzk_error
	var stop *C.cuzk_client_stop
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := failed(C.cuzk_client_stop_create(&stop, &e), &e); err != nil {
		return err
	}
	call := (*C.cuzk_client_call)(C.calloc(1, C.sizeof_cuzk_client_call))
	defer C.free(unsafe.Pointer(call))
	defer C.cuzk_client_stop_destroy(stop)
	call.struct_size, call.stop = C.sizeof_cuzk_client_call, stop
	if deadline, ok := ctx.Deadline(); ok { // the daemon knows it too
		call.timeout_ms = C.uint64_t(time.Until(deadline).Milliseconds() + 1)
	}
	ended, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-ctx.Done():
			C.cuzk_client_stop_request(stop)
		case <-ended:
		}
	}()
	st := f(call, &e)
	close(ended)
	<-stopped
	if st == C.CUZK_E_CANCELLED && ctx.Err() != nil {
		return ctx.Err()
	}
	return failed(st, &e)
}

// request is a cuzk.Request in C's memory.
type request struct {
	rq     *C.cuzk_prove_request
	inputs []unsafe.Pointer
}

func set32(to *[32]C.uint8_t, from [32]byte) {
	for i, b := range from {
		to[i] = C.uint8_t(b)
	}
}

func newRequest(r *cuzk.Request) *request {
	out := &request{rq: (*C.cuzk_prove_request)(C.calloc(1, C.sizeof_cuzk_prove_request))}
	q := out.rq
	array := C.calloc(C.size_t(len(r.Inputs)+1), C.sizeof_cuzk_input)
	out.inputs = append(out.inputs, array)
	for i, in := range r.Inputs {
		data := C.CBytes(in)
		out.inputs = append(out.inputs, data)
		*(*C.cuzk_input)(unsafe.Add(array, i*C.sizeof_cuzk_input)) = C.cuzk_input{(*C.uint8_t)(data), C.size_t(len(in))}
	}
	q.struct_size, q.kind, q.partition = C.sizeof_cuzk_prove_request, C.int32_t(r.Kind), C.uint32_t(r.Partition)
	q.sector_bytes, q.registered_proof = C.uint64_t(r.SectorBytes), C.uint64_t(r.RegisteredProof)
	q.miner_id, q.sector_number, q.priority = C.uint64_t(r.Miner), C.uint64_t(r.Sector), C.int32_t(r.Priority)
	q.inputs, q.n_inputs = (*C.cuzk_input)(array), C.size_t(len(r.Inputs))
	set32(&q.randomness, r.Randomness)
	set32(&q.comm_r_old, r.CommROld)
	set32(&q.comm_r_new, r.CommRNew)
	set32(&q.comm_d_new, r.CommDNew)
	return out
}

func (r *request) free() {
	for _, p := range r.inputs {
		C.free(p)
	}
	C.free(unsafe.Pointer(r.rq))
}

// take gives the proof of a result, which is destroyed; nil: the job has not ended.
func take(r *C.cuzk_client_result) ([]byte, error) {
	defer C.cuzk_client_result_destroy(r)
	switch C.cuzk_client_result_outcome(r) {
	case C.CUZK_OUTCOME_COMPLETED:
		var n C.size_t
		proof := C.cuzk_client_result_proof(r, &n)
		return C.GoBytes(unsafe.Pointer(proof), C.int(n)), nil
	case C.CUZK_OUTCOME_TIMEOUT:
		return nil, nil
	}
	class := C.cuzk_client_result_error_class(r)
	return nil, &Failed{C.GoString(C.cuzk_client_result_error(r)), class == C.CUZK_CLASS_ENVIRONMENT, class == C.CUZK_CLASS_CANCELLED}
}

// Prove submits and waits: the proof, 192 bytes per partition, which the daemon has verified. A job that the daemon
// does not prove is a *Failed. id is the caller's name for the job, or "". When the context ends the job is cancelled,
// unless somebody else waits for it.
func (c *Client) Prove(ctx context.Context, r cuzk.Request, id string) ([]byte, error) {
	var result *C.cuzk_client_result
	rq, name := newRequest(&r), C.CString(id)
	defer rq.free()
	defer C.free(unsafe.Pointer(name))
	if err := c.do(ctx, func(call *C.cuzk_client_call, e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_client_prove(&result, c.p, rq.rq, name, call, e)
	}); err != nil {
		return nil, err
	}
	return take(result)
}

// Submit queues a job, and gives its name.
func (c *Client) Submit(ctx context.Context, r cuzk.Request, id string) (string, error) {
	rq, name := newRequest(&r), C.CString(id)
	defer rq.free()
	defer C.free(unsafe.Pointer(name))
	job := (*C.char)(C.calloc(1, C.CUZK_JOB_NAME_BYTES))
	defer C.free(unsafe.Pointer(job))
	err := c.do(ctx, func(call *C.cuzk_client_call, e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_client_submit(job, nil, c.p, rq.rq, name, call, e)
	})
	return C.GoString(job), err
}

// Await gives the proof of a job, after at most wait (0: no limit); nil without an error: not yet.
func (c *Client) Await(ctx context.Context, job string, wait time.Duration) ([]byte, error) {
	var result *C.cuzk_client_result
	name := C.CString(job)
	defer C.free(unsafe.Pointer(name))
	if err := c.do(ctx, func(call *C.cuzk_client_call, e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_client_await(&result, c.p, name, C.uint64_t(wait.Milliseconds()), call, e)
	}); err != nil {
		return nil, err
	}
	return take(result)
}

// Cancel says whether the job had been started.
func (c *Client) Cancel(ctx context.Context, job string) (bool, error) {
	var was C.int32_t
	name := C.CString(job)
	defer C.free(unsafe.Pointer(name))
	err := c.do(ctx, func(call *C.cuzk_client_call, e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_client_cancel(&was, c.p, name, call, e)
	})
	return was == 1, err
}

// Preload loads a circuit ("porep-32g") ahead of need; true: it was loaded already.
func (c *Client) Preload(ctx context.Context, circuit string) (bool, error) {
	var was C.int32_t
	name := C.CString(circuit)
	defer C.free(unsafe.Pointer(name))
	err := c.do(ctx, func(call *C.cuzk_client_call, e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_client_preload(&was, nil, c.p, name, call, e)
	})
	return was == 1, err
}

// Evict drops a circuit, and says how many bytes were given back.
func (c *Client) Evict(ctx context.Context, circuit string) (uint64, error) {
	var n C.uint64_t
	name := C.CString(circuit)
	defer C.free(unsafe.Pointer(name))
	err := c.do(ctx, func(call *C.cuzk_client_call, e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_client_evict(nil, &n, c.p, name, call, e)
	})
	return uint64(n), err
}

// Totals is what the daemon says of itself.
type Totals struct {
	Completed, Failed, UptimeSeconds uint64
	GPUs, Circuits                   int
}

// Status asks the daemon for its numbers.
func (c *Client) Status(ctx context.Context) (Totals, error) {
	var s *C.cuzk_client_status
	if err := c.do(ctx, func(call *C.cuzk_client_call, e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_client_get_status(&s, c.p, call, e)
	}); err != nil {
		return Totals{}, err
	}
	defer C.cuzk_client_status_destroy(s)
	t := C.cuzk_client_totals{struct_size: C.sizeof_cuzk_client_totals}
	C.cuzk_client_status_totals(&t, s)
	return Totals{uint64(t.completed), uint64(t.failed), uint64(t.uptime_seconds), int(t.n_gpus), int(t.n_circuits)}, nil
}

// Metrics gives the daemon's metrics, text in Prometheus' format.
func (c *Client) Metrics(ctx context.Context) (string, error) {
	var text *C.char
	if err := c.do(ctx, func(call *C.cuzk_client_call, e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_client_get_metrics(&text, c.p, call, e)
	}); err != nil {
		return "", err
	}
	defer C.cuzk_client_text_free(text)
	return C.GoString(text), nil
}

// Serving is false while the daemon starts or drains.
func (c *Client) Serving(ctx context.Context) (bool, error) {
	var is C.int32_t
	err := c.do(ctx, func(call *C.cuzk_client_call, e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_client_health(&is, c.p, call, e)
	})
	return is == 1, err
}
