// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk

// Run by test/install/test_go.py against the installed library. CUZK_VECTORS: test/vectors of the sources;
// CUZK_PARAMS: a folder with parameters of 2 KiB sectors, made from a seed. Kinds that are not there are skipped.

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

type abiSectorNumber uint64
type abiActorID uint64
type abiPoStProof int64

const miner = 1000

func read(t *testing.T, parts ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{os.Getenv("CUZK_VECTORS")}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func hex32(t *testing.T, s string) (out [32]byte) {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != 32 {
		t.Fatal("not 32 bytes of hex: ", s)
	}
	copy(out[:], b)
	return out
}

type sealVector struct {
	Number, Sector string
	CommR          string `json:"comm_r"`
	CommD          string `json:"comm_d"`
}

type vectors struct {
	Common  map[string]string
	Seals   map[string]sealVector
	Update  map[string]string
	Vectors map[string]struct {
		Proofs []struct{ Proof string }
	}
}

func load(t *testing.T) (v vectors) {
	t.Helper()
	if err := json.Unmarshal(read(t, "groth16", "vectors.json"), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *vectors) golden(t *testing.T, name string) []byte {
	p := v.Vectors[name].Proofs
	b, err := hex.DecodeString(p[len(p)-1].Proof)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// withHead makes a CID of a commitment.
func withHead(c [32]byte, head string) CID {
	h, _ := hex.DecodeString(head)
	return rawCID(append(h, c[:]...))
}

type rawCID []byte

func (c rawCID) Bytes() []byte { return c }

const (
	sealedHead   = "0182e20381e80220" // version 1, fil-commitment-sealed, poseidon-bls12_381-a2-fc1, 32
	unsealedHead = "0181e203922020"   // version 1, fil-commitment-unsealed, sha2-256-trunc254-padded, 32
)

// functions are on the keys of the golden proofs; made once.
func functions(t *testing.T, kinds ...string) *FFI {
	t.Helper()
	f := &FFI{Folder: os.Getenv("CUZK_PARAMS"), AnySRS: true, keys: map[[2]uint64]*VerifyingKey{}}
	for kind, name := range []string{"porep-v1_1", "winning", "window", "update"} {
		k, err := NewVerifyingKey(read(t, "groth16", name+".vk"))
		if err != nil {
			t.Fatal(err)
		}
		f.keys[[2]uint64{uint64(kind), 2048}] = k
	}
	return f
}

func (v *vectors) sealInfo(t *testing.T, name string) SealVerifyInfo {
	s := v.Seals[name]
	number := map[string]int64{"5": 5, "10": 10, "15": 15}[s.Number]
	ticket, seed := hex32(t, v.Common["ticket"]), hex32(t, v.Common["seed"])
	return SealVerifyInfo{SealProof: number, SectorID: SectorID{miner, 1}, Randomness: ticket[:], InteractiveRandomness: seed[:],
		SealedCID: withHead(hex32(t, s.CommR), sealedHead), UnsealedCID: withHead(hex32(t, s.CommD), unsealedHead)}
}

func (v *vectors) postInfo(t *testing.T, proofType int64, n int, proof []byte) PoStVerifyInfo {
	r := hex32(t, v.Common["post_randomness"])
	info := PoStVerifyInfo{Randomness: r[:], Proofs: []PoStProof[int64]{{proofType, proof}}, Prover: miner}
	for i := 1; i <= n; i++ {
		s := v.Seals["post-sector-"+string(rune('0'+i))]
		info.ChallengedSectors = append(info.ChallengedSectors, SectorInfo{uint64(i), withHead(hex32(t, s.CommR), sealedHead)})
	}
	return info
}

func (v *vectors) updateInfo(t *testing.T, proof []byte) ReplicaUpdateInfo {
	return ReplicaUpdateInfo{OldSealedSectorCID: withHead(hex32(t, v.Update["comm_r_old"]), sealedHead),
		NewSealedSectorCID:   withHead(hex32(t, v.Update["comm_r_new"]), sealedHead),
		NewUnsealedSectorCID: withHead(hex32(t, v.Update["comm_d_new"]), unsealedHead), Proof: proof}
}

// answer is a row of the table of calls and results.
func answer(t *testing.T, what string, ok bool, err error, wantOk, wantErr bool) {
	t.Helper()
	if ok != wantOk || (err != nil) != wantErr {
		t.Errorf("%s: %v, %v", what, ok, err)
	}
}

func TestGoldenProofsAreVerified(t *testing.T) {
	v, f := load(t), functions(t)
	seal := v.sealInfo(t, "porep-v1_1")
	seal.Proof = v.golden(t, "porep-v1_1[0]")
	ok, err := f.VerifySeal(seal)
	answer(t, "seal", ok, err, true, false)
	seal.Number = 2
	ok, err = f.VerifySeal(seal)
	answer(t, "seal of another sector", ok, err, false, false)
	seal.Number, seal.Proof = 1, seal.Proof[:191]
	ok, err = f.VerifySeal(seal)
	answer(t, "seal that is too short", ok, err, false, true)
	seal.Proof = make([]byte, 192)
	ok, err = f.VerifySeal(seal)
	answer(t, "seal of zeros", ok, err, false, true)
	seal.SealProof = 99
	ok, err = f.VerifySeal(seal)
	answer(t, "seal of an unknown type", ok, err, false, true)
	seal = v.sealInfo(t, "porep-v1_1")
	seal.SealedCID = rawCID("short")
	ok, err = f.VerifySeal(seal)
	answer(t, "seal with a bad CID", ok, err, false, true)

	ok, err = f.VerifyWinningPoSt(v.postInfo(t, 0, 1, v.golden(t, "winning[0]")))
	answer(t, "winning", ok, err, true, false)
	ok, err = f.VerifyWinningPoSt(v.postInfo(t, 10, 1, v.golden(t, "winning[0]")))
	answer(t, "winning of a window type", ok, err, false, true)
	ok, err = f.VerifyWindowPoSt(v.postInfo(t, 10, 2, v.golden(t, "window[0]")))
	answer(t, "window", ok, err, true, false)
	ok, err = f.VerifyWindowPoSt(v.postInfo(t, 5, 2, v.golden(t, "windowv1[0]")))
	answer(t, "window of version 1", ok, err, true, false)
	ok, err = f.VerifyWindowPoSt(v.postInfo(t, 5, 2, v.golden(t, "window[0]")))
	answer(t, "window of the other version", ok, err, false, false)
	ok, err = f.VerifyWindowPoSt(v.postInfo(t, 10, 3, v.golden(t, "window[0]")))
	answer(t, "window with a partition missing", ok, err, false, true)
	info := v.postInfo(t, 10, 2, v.golden(t, "window[0]"))
	info.Randomness = info.Randomness[:31]
	ok, err = f.VerifyWindowPoSt(info)
	answer(t, "window with short randomness", ok, err, false, true)

	update := v.updateInfo(t, v.golden(t, "update[0]"))
	ok, err = f.VerifyUpdateProof(update)
	answer(t, "update", ok, err, true, false)
	update.OldSealedSectorCID = update.NewSealedSectorCID
	ok, err = f.VerifyUpdateProof(update)
	answer(t, "update of another sector", ok, err, false, false)
}

// claim is the statement of a seal in numbers and commitments.
func (v *vectors) claim(t *testing.T, name string) SealClaim {
	s := v.Seals[name]
	number := map[string]uint64{"5": 5, "10": 10, "15": 15}[s.Number]
	return SealClaim{RegisteredProof: number, Miner: miner, Sector: 1, Ticket: hex32(t, v.Common["ticket"]), Seed: hex32(t, v.Common["seed"]),
		CommR: hex32(t, s.CommR), CommD: hex32(t, s.CommD)}
}

// One partition, replica_id in place of what it is made of, and sizes in place of registered types.
func TestClaimsOfParts(t *testing.T) {
	v, f := load(t), functions(t)
	key := func(kind int32) *VerifyingKey { return f.keys[[2]uint64{uint64(kind), 2048}] }
	seal, proof := v.claim(t, "porep-v1_1"), v.golden(t, "porep-v1_1[0]")
	seal.OnePartition = true
	if err := key(KindPoRep).VerifySeal(proof, seal); err != nil {
		t.Error("partition 0 alone: ", err)
	}
	seal.Partition = 1
	if err := key(KindPoRep).VerifySeal(proof, seal); !errors.Is(err, ErrInvalid) {
		t.Error("a partition that is not there: ", err)
	}
	seal.OnePartition = false
	if err := key(KindPoRep).VerifySeal(proof, seal); !errors.Is(err, ErrInvalid) {
		t.Error("a partition without OnePartition: ", err)
	}
	var c1 struct {
		ReplicaID [32]byte `json:"replica_id"`
	}
	if err := json.Unmarshal(read(t, "filecoin", "porep-v1_1.c1.json"), &c1); err != nil {
		t.Fatal(err)
	}
	seal.Partition, seal.Miner, seal.Ticket, seal.ReplicaID = 0, 7, [32]byte{}, &c1.ReplicaID
	if err := key(KindPoRep).VerifySeal(proof, seal); err != nil {
		t.Error("replica_id: ", err)
	}
	seal.ReplicaID = &[32]byte{1}
	if err := key(KindPoRep).VerifySeal(proof, seal); !errors.Is(err, ErrProofFalse) {
		t.Error("another replica_id: ", err)
	}
	// thirteen partitions: the inputs of one are those at its place among all
	ni := v.claim(t, "porep-ni")
	all, err := ni.PublicInputs()
	if err != nil || len(all) == 0 || len(all)%13 != 0 {
		t.Fatal(len(all), err)
	}
	each := len(all) / 13
	ni.OnePartition, ni.Partition = true, 7
	one, err := ni.PublicInputs()
	if err != nil || len(one) != each || one[0] != all[7*each] || one[each-1] != all[8*each-1] {
		t.Error("inputs of partition 7: ", len(one), err)
	}

	post := PoStClaim{Kind: KindWinning, SectorBytes: 2048, RegisteredProof: 99, Randomness: hex32(t, v.Common["post_randomness"]),
		Sectors: []Sector{{1, hex32(t, v.Seals["post-sector-1"].CommR)}}}
	if err := key(KindWinning).VerifyPoSt(v.golden(t, "winning[0]"), post); err != nil {
		t.Error("winning by its size: ", err)
	}
	post.Kind = KindPoRep
	if err := key(KindWinning).VerifyPoSt(v.golden(t, "winning[0]"), post); !errors.Is(err, ErrInvalid) {
		t.Error("a PoSt of another kind: ", err)
	}

	update := UpdateClaim{RegisteredProof: 99, SectorBytes: 2048, OnePartition: true, CommROld: hex32(t, v.Update["comm_r_old"]),
		CommRNew: hex32(t, v.Update["comm_r_new"]), CommDNew: hex32(t, v.Update["comm_d_new"])}
	if err := key(KindUpdate).VerifyUpdate(v.golden(t, "update[0]"), update); err != nil {
		t.Error("partition 0 of an update: ", err)
	}
	update.Partition = 1
	if err := key(KindUpdate).VerifyUpdate(v.golden(t, "update[0]"), update); !errors.Is(err, ErrInvalid) {
		t.Error("a partition that is not there: ", err)
	}
}

func TestAggregates(t *testing.T) {
	v, f := load(t), functions(t)
	srs, err := OpenAggregateSRS(filepath.Join(os.Getenv("CUZK_VECTORS"), "aggregate", "fake-16.srs"), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenAggregateSRS(filepath.Join(os.Getenv("CUZK_VECTORS"), "aggregate", "fake-16.srs"), false); err == nil {
		t.Error("an SRS that is not the network's is taken")
	}
	f.srs = srs
	one := v.sealInfo(t, "porep-v1_1")
	item := AggregateSealInfo{1, one.Randomness, one.InteractiveRandomness, one.SealedCID, one.UnsealedCID}
	info := AggregateInfo{Miner: miner, SealProof: 5, Infos: []AggregateSealInfo{item, item, item}}
	proof := v.golden(t, "porep-v1_1[0]")
	info.Proof, err = f.AggregateSealProofs(info, [][]byte{proof, proof, proof})
	if err != nil {
		t.Fatal(err)
	}
	ok, err := f.VerifyAggregateSeals(info)
	answer(t, "aggregate", ok, err, true, false)
	info.Infos[1].Number = 2
	ok, err = f.VerifyAggregateSeals(info)
	answer(t, "aggregate of another sector", ok, err, false, false)
	if _, err := f.AggregateSealProofs(info, [][]byte{proof, proof, proof}); !errors.Is(err, ErrProofFalse) {
		t.Error("a false proof is aggregated: ", err)
	}
	if _, err := f.AggregateSealProofs(info, [][]byte{proof, proof}); !errors.Is(err, ErrInvalid) {
		t.Error("a missing proof: ", err)
	}
	if _, err := f.AggregateSealProofs(AggregateInfo{SealProof: 5}, nil); !errors.Is(err, ErrInvalid) {
		t.Error("no sectors: ", err)
	}
}

// prover of the parameters that there are; skips a kind without them.
func prover(t *testing.T, kind string) *FFI {
	t.Helper()
	folder := os.Getenv("CUZK_PARAMS")
	patterns := map[string]string{"porep": "v28-stacked*.params", "update": "v28-empty*.params", "window": "v28-proof-of-space*0170db1f*.params",
		"winning": "v28-proof-of-space*3ea05428*.params"}
	if found, _ := filepath.Glob(filepath.Join(folder, patterns[kind])); len(found) != 1 {
		t.Skip("no parameters of ", kind)
	}
	p, err := NewProver(Options{ParamsFolder: folder, Devices: "cpu", Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return &FFI{Prover: p, Folder: folder, AnySRS: true}
}

func filecoin(t *testing.T, names ...string) (out [][]byte) {
	for _, n := range names {
		out = append(out, read(t, "filecoin", n))
	}
	return out
}

func TestWindowPoSt(t *testing.T) {
	v, f := load(t), prover(t, "window")
	ctx := context.Background()
	r := hex32(t, v.Common["post_randomness"])
	inputs := filecoin(t, "window.sector1.vanilla.bin", "window.sector2.vanilla.bin")
	proof, err := f.GenerateSinglePartitionWindowPoStWithVanillaContext(ctx, 10, miner, r[:], inputs, 0)
	if err != nil {
		t.Fatal(err)
	}
	ok, err := f.VerifyWindowPoSt(v.postInfo(t, 10, 2, proof))
	answer(t, "window", ok, err, true, false)
	if _, err := f.GenerateSinglePartitionWindowPoStWithVanillaContext(ctx, 10, miner, make([]byte, 32), inputs, 0); !errors.Is(err, ErrVanilla) {
		t.Error("other randomness: ", err)
	}
	if _, err := f.GenerateSinglePartitionWindowPoStWithVanillaContext(ctx, 0, miner, r[:], inputs, 0); err == nil {
		t.Error("a WinningPoSt type is taken")
	}
	if _, err := f.GenerateSinglePartitionWindowPoStWithVanillaContext(ctx, 10, miner, r[:31], inputs, 0); err == nil {
		t.Error("short randomness is taken")
	}
	if _, err := f.GenerateSinglePartitionWindowPoStWithVanillaContext(ctx, 10, miner, r[:], nil, 0); !errors.Is(err, ErrInvalid) {
		t.Error("no vanilla proofs: ", err)
	}
	if _, err := f.GenerateSinglePartitionWindowPoStWithVanillaContext(ctx, 10, miner, r[:], [][]byte{inputs[0][:99]}, 0); !errors.Is(err, ErrFormat) {
		t.Error("a cut vanilla proof: ", err)
	}
	cancelled, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
	defer cancel()
	if _, err := f.GenerateSinglePartitionWindowPoStWithVanillaContext(cancelled, 10, miner, r[:], inputs, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Error("a deadline: ", err)
	}
	var mu sync.Mutex
	steps := map[string]int{}
	_, err = f.Prover.Prove(ctx, Request{Kind: KindWindow, Inputs: inputs, RegisteredProof: 10, Randomness: r,
		Progress: func(step string, done, total uint64) {
			mu.Lock()
			steps[step]++
			mu.Unlock()
		}})
	if err != nil || steps["prove"] == 0 {
		t.Error("progress: ", steps, err)
	}
}

// The functions of the package, on the prover that they make: types of another package fit.
func TestShapes(t *testing.T) {
	v, f := load(t), prover(t, "window")
	r := hex32(t, v.Common["post_randomness"])
	inputs := filecoin(t, "windowv1.sector1.vanilla.bin", "windowv1.sector2.vanilla.bin")
	t.Setenv("FIL_PROOFS_PARAMETER_CACHE", f.Folder)
	out, err := GenerateSinglePartitionWindowPoStWithVanilla(abiPoStProof(5), abiActorID(miner), r[:], inputs, 0)
	if err != nil {
		t.Fatal(err)
	}
	theirs := struct {
		PoStProof  abiPoStProof
		ProofBytes []byte
	}(*out)
	ok, err := f.VerifyWindowPoSt(v.postInfo(t, 5, 2, theirs.ProofBytes))
	answer(t, "window", ok, err, true, false)
	if _, err := SealCommitPhase2([]byte("{}"), abiSectorNumber(1), abiActorID(miner)); !errors.Is(err, ErrFormat) {
		t.Error("an empty C1: ", err)
	}
	if _, err := GenerateWinningPoStWithVanilla(abiPoStProof(10), abiActorID(miner), r[:], inputs); err == nil {
		t.Error("a WindowPoSt type is taken")
	}
	if _, err := SectorUpdate.GenerateUpdateProofWithVanilla(0, rawCID(nil), rawCID(nil), rawCID(nil), nil); err == nil {
		t.Error("no CIDs are taken")
	}
}

func TestWinningPoSt(t *testing.T) {
	v, f := load(t), prover(t, "winning")
	r := hex32(t, v.Common["post_randomness"])
	proof, err := f.GenerateWinningPoStWithVanillaContext(context.Background(), 0, miner, r[:], filecoin(t, "winning.sector1.vanilla.bin"))
	if err != nil {
		t.Fatal(err)
	}
	ok, err := f.VerifyWinningPoSt(v.postInfo(t, 0, 1, proof))
	answer(t, "winning", ok, err, true, false)
}

func TestPoRep(t *testing.T) {
	v, f := load(t), prover(t, "porep")
	for _, name := range []string{"porep-v1_1", "porep-synth"} {
		info := v.sealInfo(t, name)
		c1 := read(t, "filecoin", name+".c1.json")
		var err error
		if info.Proof, err = f.SealCommitPhase2Context(context.Background(), c1, 1, miner); err != nil {
			t.Fatal(err)
		}
		ok, err := f.VerifySeal(info)
		answer(t, name, ok, err, true, false)
		if _, err := f.SealCommitPhase2Context(context.Background(), c1, 2, miner); !errors.Is(err, ErrVanilla) {
			t.Error("another sector: ", err)
		}
		if _, err := f.SealCommitPhase2Context(context.Background(), c1, 1, 0); !errors.Is(err, ErrVanilla) {
			t.Error("miner 0: ", err)
		}
	}
}

// A non-interactive PoRep is an aggregate of its partitions.
func TestNonInteractivePoRep(t *testing.T) {
	v, f := load(t), prover(t, "porep")
	srs, err := OpenAggregateSRS(filepath.Join(os.Getenv("CUZK_VECTORS"), "aggregate", "fake-16.srs"), true)
	if err != nil {
		t.Fatal(err)
	}
	f.srs = srs
	info := v.sealInfo(t, "porep-ni")
	if info.Proof, err = f.SealCommitPhase2Context(context.Background(), read(t, "filecoin", "porep-ni.c1.json"), 1, miner); err != nil {
		t.Fatal(err)
	}
	ok, err := f.VerifySeal(info)
	answer(t, "non-interactive", ok, err, true, false)
	info.Number = 2
	ok, err = f.VerifySeal(info)
	answer(t, "non-interactive, another sector", ok, err, false, false)

	// one of the thirteen partitions, made and verified alone
	proof, err := f.Prover.Prove(context.Background(), Request{Kind: KindPoRep, Inputs: filecoin(t, "porep-ni.c1.json"), OnePartition: true,
		Partition: 7, Miner: miner, Sector: 1})
	if err != nil || len(proof) != ProofBytes {
		t.Fatal(len(proof), err)
	}
	key, err := f.key(KindPoRep, 15)
	if err != nil {
		t.Fatal(err)
	}
	claim := v.claim(t, "porep-ni")
	claim.OnePartition, claim.Partition = true, 7
	if err := key.VerifySeal(proof, claim); err != nil {
		t.Error("partition 7 alone: ", err)
	}
	claim.Partition = 6
	if err := key.VerifySeal(proof, claim); !errors.Is(err, ErrProofFalse) {
		t.Error("the proof of another partition: ", err)
	}
}

func TestUpdate(t *testing.T) {
	v, f := load(t), prover(t, "update")
	info := v.updateInfo(t, nil)
	var err error
	info.Proof, err = f.GenerateUpdateProofWithVanillaContext(context.Background(), 0, info.OldSealedSectorCID, info.NewSealedSectorCID,
		info.NewUnsealedSectorCID, filecoin(t, "update.p0.vanilla.bin"))
	if err != nil {
		t.Fatal(err)
	}
	ok, err := f.VerifyUpdateProof(info)
	answer(t, "update", ok, err, true, false)
}

func TestCircom(t *testing.T) {
	p, err := NewProver(Options{Devices: "cpu", Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	key, err := p.LoadCircomKey(filepath.Join(os.Getenv("CUZK_VECTORS"), "snarkjs", "mixed.zkey"))
	if err != nil {
		t.Fatal(err)
	}
	witness := read(t, "circom", "mixed.wtns")
	var group sync.WaitGroup
	for i := 0; i < 16; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			ctx, cancel := context.WithCancel(context.Background())
			if i%4 == 3 {
				go cancel()
			}
			defer cancel()
			proof, public, err := p.ProveCircom(ctx, key, witness)
			if i%4 == 3 && errors.Is(err, context.Canceled) {
				return
			}
			if err != nil {
				t.Error(err)
			} else if err := key.Verify(proof, public); err != nil {
				t.Error(err)
			}
		}(i)
	}
	group.Wait()
	if _, _, err := p.ProveCircom(context.Background(), key, witness[:40]); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "witness") {
		t.Error("a cut witness: ", err)
	}
	p.Close()
	if _, err := NewProver(Options{Devices: "gpu"}); !errors.Is(err, ErrInvalid) {
		t.Error("an unknown device: ", err)
	}
}
