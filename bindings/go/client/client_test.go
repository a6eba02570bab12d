// SPDX-License-Identifier: MIT OR Apache-2.0

package client

// CUZK_ADDRESS: a daemon on the CPU with parameters of a WinningPoSt of 2 KiB sectors in CUZK_PARAMS; CUZK_VANILLA: the
// vanilla proof of test/vectors. Skipped without.

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"cuzk"
)

func connect(t *testing.T) (*Client, cuzk.Request) {
	address := os.Getenv("CUZK_ADDRESS")
	if address == "" {
		t.Skip("no daemon")
	}
	c, err := New(Options{Address: address, Connect: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	vanilla, err := os.ReadFile(os.Getenv("CUZK_VANILLA"))
	if err != nil {
		t.Fatal(err)
	}
	r := cuzk.Request{Kind: cuzk.KindWinning, Inputs: [][]byte{vanilla}, SectorBytes: 2048, Miner: 1000}
	for i := 0; i < 31; i++ {
		r.Randomness[i] = byte(64 + i)
	}
	return c, r
}

func TestProve(t *testing.T) {
	c, r := connect(t)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	proof, err := c.Prove(ctx, r, "")
	if err != nil || len(proof) != cuzk.ProofBytes {
		t.Fatal(len(proof), err)
	}
	if s, err := c.Status(ctx); err != nil || s.Completed == 0 {
		t.Fatal(s, err)
	}
	if text, err := c.Metrics(ctx); err != nil || !strings.Contains(text, "cuzk_") {
		t.Fatal(text, err)
	}
	if up, err := c.Serving(ctx); err != nil || !up {
		t.Fatal(up, err)
	}
	job, err := c.Submit(ctx, r, "from Go")
	if err != nil || job == "" {
		t.Fatal(job, err)
	}
	if proof, err = c.Await(ctx, job, 0); err != nil || len(proof) != cuzk.ProofBytes {
		t.Fatal(len(proof), err)
	}
	if path := os.Getenv("CUZK_PROOF"); path != "" {
		if err := os.WriteFile(path, proof, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	n, err := c.Evict(ctx, "winning-2k")
	for errors.Is(err, cuzk.ErrBudget) { // for a moment after its proof the job is still using the circuit
		time.Sleep(50 * time.Millisecond)
		n, err = c.Evict(ctx, "winning-2k")
	}
	if err != nil || n == 0 {
		t.Fatal(n, err)
	}
	if was, err := c.Preload(ctx, "winning-2k"); err != nil || was {
		t.Fatal(was, err)
	}
	c.Close()
}

func TestRefusals(t *testing.T) {
	c, r := connect(t)
	ctx := context.Background()
	var e *cuzk.Error
	var f *Failed
	if _, err := c.Await(ctx, "nobody's", 0); !errors.Is(err, cuzk.ErrNotFound) {
		t.Fatal(err)
	}
	if _, err := c.Cancel(ctx, "nobody's"); !errors.Is(err, cuzk.ErrNotFound) {
		t.Fatal(err)
	}
	if _, err := New(Options{Address: "unix:///nobody/here"}); !errors.As(err, &e) || !e.Retryable {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := c.Prove(ended, r, ""); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	r.Randomness = [32]byte{}
	if _, err := c.Prove(ctx, r, ""); !errors.As(err, &f) || f.Retryable || f.Cancelled || f.Text == "" {
		t.Fatal(err)
	}
	r.Kind = 9
	if _, err := c.Prove(ctx, r, ""); !errors.Is(err, cuzk.ErrInvalid) {
		t.Fatal(err)
	}
}
