// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk

// The functions of params.go; see cuzk_test.go for the variables.

import (
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func ceremony(name string) string {
	return filepath.Join(os.Getenv("CUZK_VECTORS"), "..", "..", "fuzz", "corpus", "params", name)
}

func TestParamsOfTheNetwork(t *testing.T) {
	list := NetworkParams()
	files := list.Files()
	if len(files) != list.Len() || len(files) < 20 {
		t.Fatal(len(files), list.Len())
	}
	found := false
	for i, f := range files {
		found = found || f.Kind == KindPoRep && f.KindName == "porep" && f.SectorBytes == 32<<30 && strings.HasSuffix(f.Name, ".params")
		if len(f.Digest) != 32 || f.CID == "" || list.State(i, "/nowhere") != ParamsAbsent {
			t.Error(f)
		}
	}
	if !found {
		t.Error("no PoRep of 32 GiB")
	}
	if _, err := list.File(len(files)); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if _, err := list.File(-1); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if ParamsPresent.String() != "not checked" || ParamsState(-1).String() != "unknown" {
		t.Error(ParamsPresent, ParamsState(-1))
	}
}

func TestParamsOfAnotherNetwork(t *testing.T) {
	folder := t.TempDir()
	list, err := ReadParamsList([]byte(`{"x.vk": {"cid": "bafyabc", "digest": "1234567890ABCDEF1234567890abcdef", "sector_size": 2048}}`), "own.json")
	if err != nil {
		t.Fatal(err)
	}
	want := ParamsFile{"x.vk", "bafyabc", "1234567890abcdef1234567890abcdef", -1, "other", 2048, 0}
	if got := list.Files(); len(got) != 1 || got[0] != want {
		t.Error(got)
	}
	if list.State(0, folder) != ParamsAbsent {
		t.Error(list.State(0, folder))
	}
	if err := os.WriteFile(filepath.Join(folder, "x.vk"), []byte("some bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if list.State(0, folder) != ParamsPresent {
		t.Error(list.State(0, folder))
	}
	if err := list.Note(0, folder); err != nil || list.State(0, folder) != ParamsChecked {
		t.Error(err, list.State(0, folder))
	}
	if err := list.Note(1, folder); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	for _, bad := range []string{"", "[]", `{"x": {"cid": "a", "digest": "00", "sector_size": 1}}`} {
		if _, err := ReadParamsList([]byte(bad), "own.json"); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "own.json:") {
			t.Error(bad, err)
		}
	}
}

func TestParamsDigest(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	path := filepath.Join(t.TempDir(), "hello")
	if err := os.WriteFile(path, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	calls := 0
	digest, err := ParamsDigest(ctx, path, func(step string, done, total uint64) {
		calls++
		if step != "digest" || done > total || total != 6 {
			t.Error(step, done, total)
		}
	})
	// b2sum's first 16 bytes
	if err != nil || hex.EncodeToString(digest[:]) != "f60ce482e5cc1229f39d71313171a8d9" || calls == 0 {
		t.Error(hex.EncodeToString(digest[:]), calls, err)
	}
	if err := CheckParams(ctx, ceremony("key.vk"), ParamsCheck{OnlyPoints: true}); err != nil {
		t.Error(err)
	}
	if err := CheckParams(ctx, ceremony("key.vk"), ParamsCheck{Digest: &digest}); err == nil || err.(*Error).Name != "CUZK_E_DIGEST" {
		t.Error(err)
	}
	own, err := ParamsDigest(ctx, ceremony("key.vk"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckParams(ctx, ceremony("key.vk"), ParamsCheck{Digest: &own, Threads: 1}); err != nil {
		t.Error(err)
	}
	if err := CheckParams(ctx, ceremony("key.vk"), ParamsCheck{OnlyDigest: true}); !errors.Is(err, ErrNotFound) {
		t.Error("the network has no such file: ", err)
	}
	if _, err := ParamsDigest(ctx, path+"x", nil); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	// the progress function ends the context before the end of the file: the call ends with the context's error
	if err := os.WriteFile(path, make([]byte, 20<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ParamsDigest(ctx, path, func(string, uint64, uint64) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := ParamsDigest(ctx, path, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestParamsAreOpened(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name          string
		points, chain int32
	}{{"ceremony.params", PointsInGroup, ChainHolds}, {"ceremony.params", PointsOnCurve, ChainUnchecked},
		{"ceremony.params", PointsUnchecked, ChainUnchecked}, {"transcript.params", PointsInGroup, ChainHash}} {
		p, err := OpenParams(ctx, ceremony(c.name), ParamsOpen{Points: c.points, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		info := p.Info()
		if !info.HasTranscript || info.Contributions == 0 || info.Chain != c.chain || info.Chain == ChainHash && info.ChainAt != 0 || info.H == 0 {
			t.Errorf("%+v", info)
		}
		key, err := p.VerifyingKey()
		if err != nil || key.Inputs() != int(info.PublicInputs) {
			t.Error(key, err)
		}
	}
	if _, err := OpenParams(ctx, ceremony("truncated.params"), ParamsOpen{}); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "truncated.params") {
		t.Error(err)
	}
	if _, err := OpenParams(ctx, ceremony("ceremony.params"), ParamsOpen{Points: 3}); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}

// The circuit is compiled, and then the progress function ends the context: no file is written.
func TestParamsMakingIsStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	folder := t.TempDir()
	seed := uint64(7)
	made, err := MakeParams(ctx, folder, KindWindow, 2048, ParamsMake{InsecureSeed: &seed, Threads: 1, Progress: func(step string, _, _ uint64) {
		if step == "compiled" {
			cancel()
		}
	}})
	left, _ := filepath.Glob(filepath.Join(folder, "*"))
	if !errors.Is(err, context.Canceled) || len(left) != 0 {
		t.Error(err, left)
	}
	// of test/vectors/groth16/vectors.json, window[0]
	if made.Constraints != 21866 || made.PublicInputs != 22 || made.AuxWires != 22128 || made.LgDomain != 15 || made.CompileNs == 0 {
		t.Errorf("%+v", made)
	}
	if _, err := MakeParams(context.Background(), folder, 99, 2048, ParamsMake{}); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}
