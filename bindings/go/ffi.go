// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk

// Functions in the shapes of filecoin-ffi. Numbers are generic, so that the named types of go-state-types
// (abi.SectorNumber, abi.RegisteredPoStProof, ...) fit without this package importing them. A CID is anything
// with Bytes(): cid.Cid, or Commitment. Structs of results have the fields of theirs in the same order and
// can be converted.

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// CID is a commitment: 32 bytes, or a CID version 1 whose digest it is.
type CID interface{ Bytes() []byte }

// Commitment is a CID without its head.
type Commitment [32]byte

// Bytes are the 32 of the commitment.
func (c Commitment) Bytes() []byte { return c[:] }

// digestOf is the commitment in a CID: version 1, codec, hash function, length 32.
func digestOf(what string, c CID) (out [32]byte, err error) {
	if c == nil {
		return out, fmt.Errorf("%s: there is none", what)
	}
	b := c.Bytes()
	if len(b) == 32 {
		copy(out[:], b)
		return out, nil
	}
	rest := b
	for i, want := range []uint64{1, 0, 0, 32} {
		v, n := binary.Uvarint(rest)
		if n <= 0 || (want != 0 && v != want) {
			return out, fmt.Errorf("%s: field %d of the CID is not right", what, i)
		}
		rest = rest[n:]
	}
	if len(rest) != 32 {
		return out, fmt.Errorf("%s: the CID has %d bytes of digest, it must have 32", what, len(rest))
	}
	copy(out[:], rest)
	return out, nil
}

func randomness32(b []byte) (out [32]byte, err error) {
	if len(b) != 32 {
		return out, fmt.Errorf("randomness has %d bytes, it must have 32", len(b))
	}
	copy(out[:], b)
	return out, nil
}

// FFI is the set of functions on one prover, its parameters, and an SRS for aggregates.
type FFI struct {
	Prover *Prover
	// Folder of the parameters and the SRS; "" is FIL_PROOFS_PARAMETER_CACHE, or else the usual one.
	Folder string
	// AnySRS takes an SRS that is not the network's: for tests.
	AnySRS bool

	mu   sync.Mutex
	keys map[[2]uint64]*VerifyingKey
	srs  *AggregateSRS
}

var (
	defaultOnce sync.Once
	defaultFFI  *FFI
	defaultErr  error
)

// Default is what the functions of the package use: all devices' defaults, parameters where the network's
// programs keep them. It is made by the first use.
func Default() (*FFI, error) {
	defaultOnce.Do(func() {
		p, err := NewProver(Options{})
		defaultFFI, defaultErr = &FFI{Prover: p}, err
	})
	return defaultFFI, defaultErr
}

var (
	verifierMu      sync.Mutex
	defaultVerifier *FFI
)

// DefaultVerifier is what the verify and aggregate functions of the package use: keys and SRS where the network's
// programs keep them, and no prover.
func DefaultVerifier() *FFI {
	verifierMu.Lock()
	defer verifierMu.Unlock()
	if defaultVerifier == nil {
		defaultVerifier = &FFI{}
	}
	return defaultVerifier
}

func (f *FFI) key(kind int32, registered uint64) (*VerifyingKey, error) {
	size := SectorBytes(kind, registered)
	f.mu.Lock()
	defer f.mu.Unlock()
	id := [2]uint64{uint64(kind), size}
	if k := f.keys[id]; k != nil {
		return k, nil
	}
	k, err := LoadVerifyingKey(kind, size, f.Folder)
	if err != nil {
		return nil, err
	}
	if f.keys == nil {
		f.keys = map[[2]uint64]*VerifyingKey{}
	}
	f.keys[id] = k
	return k, nil
}

func (f *FFI) openSRS() (*AggregateSRS, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.srs != nil {
		return f.srs, nil
	}
	folder := f.Folder
	if folder == "" {
		folder = os.Getenv("FIL_PROOFS_PARAMETER_CACHE")
	}
	if folder == "" {
		folder = "/var/tmp/filecoin-proof-parameters"
	}
	srs, err := OpenAggregateSRS(filepath.Join(folder, "v28-fil-inner-product-v1.srs"), f.AnySRS)
	f.srs = srs
	return srs, err
}

// verdict turns the library's answer into that of filecoin-ffi: a well-formed proof that is false is no error.
func verdict(err error) (bool, error) {
	if errors.Is(err, ErrProofFalse) {
		return false, nil
	}
	return err == nil, err
}

func nonInteractive(c1 []byte) bool {
	head := c1
	if len(head) > 256 {
		head = head[:256]
	}
	return bytes.Contains(head, []byte("NonInteractivePoRep"))
}

// SealCommitPhase2Context is SealCommitPhase2 that ends with ctx.
func (f *FFI) SealCommitPhase2Context(ctx context.Context, phase1Output []byte, sector, miner uint64) ([]byte, error) {
	proof, err := f.Prover.Prove(ctx, Request{Kind: KindPoRep, Inputs: [][]byte{phase1Output}, Miner: miner, Sector: sector, BindSector: true})
	if err != nil || !nonInteractive(phase1Output) {
		return proof, err
	}
	return f.aggregateOne(phase1Output, proof, sector, miner)
}

// aggregateOne is what the network takes of a non-interactive PoRep: an aggregate of its partitions.
func (f *FFI) aggregateOne(c1, proof []byte, sector, miner uint64) ([]byte, error) {
	var in struct {
		CommR  [32]byte `json:"comm_r"`
		CommD  [32]byte `json:"comm_d"`
		Seed   [32]byte `json:"seed"`
		Ticket [32]byte `json:"ticket"`
	}
	if err := json.Unmarshal(c1, &in); err != nil {
		return nil, err
	}
	claim := SealClaim{Miner: miner, Sector: sector, Ticket: in.Ticket, Seed: in.Seed, CommR: in.CommR, CommD: in.CommD}
	for number, name := range []string{"2KiB", "8MiB", "512MiB", "32GiB", "64GiB"} {
		if bytes.Contains(c1[:256], []byte("StackedDrg"+name)) {
			claim.RegisteredProof = uint64(15 + number)
		}
	}
	k, err := f.key(KindPoRep, claim.RegisteredProof)
	if err != nil {
		return nil, err
	}
	srs, err := f.openSRS()
	if err != nil {
		return nil, err
	}
	return AggregateSeals(srs, k, []SealClaim{claim}, [][]byte{proof}, 0)
}

func (f *FFI) post(ctx context.Context, kind int32, proofType, miner uint64, randomness []byte, proofs [][]byte, partition uint32) ([]byte, error) {
	r, err := randomness32(randomness)
	if err != nil {
		return nil, err
	}
	if SectorBytes(kind, proofType) == 0 {
		return nil, fmt.Errorf("%d is no such PoSt proof type", proofType)
	}
	return f.Prover.Prove(ctx, Request{Kind: kind, Inputs: proofs, RegisteredProof: proofType, Miner: miner, Randomness: r,
		SectorBytes: SectorBytes(kind, proofType), Partition: partition})
}

// GenerateWinningPoStWithVanillaContext is GenerateWinningPoStWithVanilla that ends with ctx.
func (f *FFI) GenerateWinningPoStWithVanillaContext(ctx context.Context, proofType, miner uint64, randomness []byte, proofs [][]byte) ([]byte, error) {
	return f.post(ctx, KindWinning, proofType, miner, randomness, proofs, 0)
}

// GenerateSinglePartitionWindowPoStWithVanillaContext is GenerateSinglePartitionWindowPoStWithVanilla that ends with ctx.
func (f *FFI) GenerateSinglePartitionWindowPoStWithVanillaContext(ctx context.Context, proofType, miner uint64, randomness []byte, proofs [][]byte, partition uint32) ([]byte, error) {
	return f.post(ctx, KindWindow, proofType, miner, randomness, proofs, partition)
}

// GenerateUpdateProofWithVanillaContext is GenerateUpdateProofWithVanilla that ends with ctx.
func (f *FFI) GenerateUpdateProofWithVanillaContext(ctx context.Context, proofType uint64, oldSealed, newSealed, newUnsealed CID, proofs [][]byte) ([]byte, error) {
	r := Request{Kind: KindUpdate, Inputs: proofs, RegisteredProof: proofType, SectorBytes: SectorBytes(KindUpdate, proofType)}
	var err error
	for _, x := range []struct {
		what string
		cid  CID
		to   *[32]byte
	}{{"old sealed CID", oldSealed, &r.CommROld}, {"new sealed CID", newSealed, &r.CommRNew}, {"unsealed CID", newUnsealed, &r.CommDNew}} {
		if *x.to, err = digestOf(x.what, x.cid); err != nil {
			return nil, err
		}
	}
	return f.Prover.Prove(ctx, r)
}

// SealCommitPhase2 proves a C1 output.
func SealCommitPhase2[N, M ~uint64](phase1Output []byte, sectorNum N, minerID M) ([]byte, error) {
	f, err := Default()
	if err != nil {
		return nil, err
	}
	return f.SealCommitPhase2Context(context.Background(), phase1Output, uint64(sectorNum), uint64(minerID))
}

// PoStProof has the fields of proof.PoStProof.
type PoStProof[P ~int64] struct {
	PoStProof  P
	ProofBytes []byte
}

// GenerateWinningPoStWithVanilla proves a WinningPoSt.
func GenerateWinningPoStWithVanilla[P ~int64, M ~uint64, R ~[]byte](proofType P, minerID M, randomness R, proofs [][]byte) ([]PoStProof[P], error) {
	f, err := Default()
	if err != nil {
		return nil, err
	}
	out, err := f.GenerateWinningPoStWithVanillaContext(context.Background(), uint64(proofType), uint64(minerID), randomness, proofs)
	if err != nil {
		return nil, err
	}
	return []PoStProof[P]{{proofType, out}}, nil
}

// GenerateSinglePartitionWindowPoStWithVanilla proves one partition of a WindowPoSt.
func GenerateSinglePartitionWindowPoStWithVanilla[P ~int64, M ~uint64, R ~[]byte](proofType P, minerID M, randomness R, proofs [][]byte, partitionIndex uint) (*PoStProof[P], error) {
	f, err := Default()
	if err != nil {
		return nil, err
	}
	out, err := f.GenerateSinglePartitionWindowPoStWithVanillaContext(context.Background(), uint64(proofType), uint64(minerID), randomness, proofs, uint32(partitionIndex))
	if err != nil {
		return nil, err
	}
	return &PoStProof[P]{proofType, out}, nil
}

// FunctionsSectorUpdate holds the functions of SnapDeals.
type FunctionsSectorUpdate struct{}

// SectorUpdate is where filecoin-ffi has them.
var SectorUpdate FunctionsSectorUpdate

// GenerateUpdateProofWithVanilla proves a SnapDeals update; proofType is a RegisteredUpdateProof.
func (FunctionsSectorUpdate) GenerateUpdateProofWithVanilla(proofType int64, oldSealedCID, newSealedCID, unsealedCID CID, vanillaProofs [][]byte) ([]byte, error) {
	f, err := Default()
	if err != nil {
		return nil, err
	}
	return f.GenerateUpdateProofWithVanillaContext(context.Background(), uint64(proofType), oldSealedCID, newSealedCID, unsealedCID, vanillaProofs)
}

// SectorID has the fields of abi.SectorID.
type SectorID struct{ Miner, Number uint64 }

// SealVerifyInfo is what VerifySeal needs of proof.SealVerifyInfo.
type SealVerifyInfo struct {
	SealProof int64
	SectorID
	Randomness, InteractiveRandomness []byte
	Proof                             []byte
	SealedCID, UnsealedCID            CID
}

func (i *SealVerifyInfo) claim() (c SealClaim, err error) {
	c = SealClaim{RegisteredProof: uint64(i.SealProof), Miner: i.Miner, Sector: i.Number}
	if c.Ticket, err = randomness32(i.Randomness); err != nil {
		return c, err
	}
	if c.Seed, err = randomness32(i.InteractiveRandomness); err != nil {
		return c, err
	}
	if c.CommR, err = digestOf("sealed CID", i.SealedCID); err != nil {
		return c, err
	}
	c.CommD, err = digestOf("unsealed CID", i.UnsealedCID)
	return c, err
}

// VerifySeal is true when the proof is proven; false without an error when it is well-formed and false.
func (f *FFI) VerifySeal(info SealVerifyInfo) (bool, error) {
	c, err := info.claim()
	if err != nil {
		return false, err
	}
	k, err := f.key(KindPoRep, c.RegisteredProof)
	if err != nil {
		return false, err
	}
	if c.RegisteredProof >= 15 { // non-interactive: an aggregate
		srs, err := f.openSRS()
		if err != nil {
			return false, err
		}
		return verdict(VerifyAggregatedSeals(srs, k, []SealClaim{c}, info.Proof))
	}
	return verdict(k.VerifySeal(info.Proof, c))
}

// SectorInfo is what the PoSt functions need of proof.SectorInfo.
type SectorInfo struct {
	SectorNumber uint64
	SealedCID    CID
}

// PoStVerifyInfo is proof.WinningPoStVerifyInfo, and proof.WindowPoStVerifyInfo: one proof per partition.
type PoStVerifyInfo struct {
	Randomness        []byte
	Proofs            []PoStProof[int64]
	ChallengedSectors []SectorInfo
	Prover            uint64
}

func (f *FFI) verifyPoSt(kind int32, info *PoStVerifyInfo, perPartition func(size uint64) int) (bool, error) {
	r, err := randomness32(info.Randomness)
	if err != nil {
		return false, err
	}
	sectors := make([]Sector, len(info.ChallengedSectors))
	for i, s := range info.ChallengedSectors {
		sectors[i].Number = s.SectorNumber
		if sectors[i].CommR, err = digestOf("sealed CID", s.SealedCID); err != nil {
			return false, err
		}
	}
	if len(info.Proofs) == 0 {
		return false, errors.New("there is no proof")
	}
	if len(info.Proofs) != 1 {
		return false, errors.New("one proof per call")
	}
	p := info.Proofs[0]
	k, err := f.key(kind, uint64(p.PoStProof))
	if err != nil {
		return false, err
	}
	most := perPartition(SectorBytes(kind, uint64(p.PoStProof)))
	partitions := (len(sectors) + most - 1) / most
	if partitions == 0 || len(p.ProofBytes) != partitions*ProofBytes {
		return false, fmt.Errorf("the proof has %d bytes, %d partitions of sectors have %d", len(p.ProofBytes), partitions, partitions*ProofBytes)
	}
	for i := 0; i < partitions; i++ {
		last := (i + 1) * most
		if last > len(sectors) {
			last = len(sectors)
		}
		claim := PoStClaim{RegisteredProof: uint64(p.PoStProof), Partition: uint32(i), Randomness: r, Sectors: sectors[i*most : last]}
		if ok, err := verdict(k.VerifyPoSt(p.ProofBytes[i*ProofBytes:(i+1)*ProofBytes], claim)); !ok {
			return false, err
		}
	}
	return true, nil
}

// VerifyWinningPoSt is true when the proof is proven.
func (f *FFI) VerifyWinningPoSt(info PoStVerifyInfo) (bool, error) {
	return f.verifyPoSt(KindWinning, &info, func(uint64) int { return 1 })
}

// VerifyWindowPoSt is true when all partitions of the proof are proven.
func (f *FFI) VerifyWindowPoSt(info PoStVerifyInfo) (bool, error) {
	return f.verifyPoSt(KindWindow, &info, func(size uint64) int {
		switch size {
		case 32 << 30:
			return 2349
		case 64 << 30:
			return 2300
		}
		return 2
	})
}

// ReplicaUpdateInfo is what VerifyUpdateProof needs of proof.ReplicaUpdateInfo.
type ReplicaUpdateInfo struct {
	UpdateProofType                                              int64
	OldSealedSectorCID, NewSealedSectorCID, NewUnsealedSectorCID CID
	Proof                                                        []byte
}

// VerifyUpdateProof is true when all partitions of the proof are proven.
func (f *FFI) VerifyUpdateProof(info ReplicaUpdateInfo) (bool, error) {
	c := UpdateClaim{RegisteredProof: uint64(info.UpdateProofType)}
	var err error
	if c.CommROld, err = digestOf("old sealed CID", info.OldSealedSectorCID); err != nil {
		return false, err
	}
	if c.CommRNew, err = digestOf("new sealed CID", info.NewSealedSectorCID); err != nil {
		return false, err
	}
	if c.CommDNew, err = digestOf("unsealed CID", info.NewUnsealedSectorCID); err != nil {
		return false, err
	}
	k, err := f.key(KindUpdate, c.RegisteredProof)
	if err != nil {
		return false, err
	}
	return verdict(k.VerifyUpdate(info.Proof, c))
}

// AggregateInfo has what the aggregate functions need of proof.AggregateSealVerifyProofAndInfos.
type AggregateInfo struct {
	Miner     uint64
	SealProof int64
	Infos     []AggregateSealInfo
	Proof     []byte // the aggregate, for VerifyAggregateSeals
}

// AggregateSealInfo has the fields of proof.AggregateSealVerifyInfo.
type AggregateSealInfo struct {
	Number                            uint64
	Randomness, InteractiveRandomness []byte
	SealedCID, UnsealedCID            CID
}

func (a *AggregateInfo) claims() ([]SealClaim, error) {
	out := make([]SealClaim, len(a.Infos))
	for i, s := range a.Infos {
		info := SealVerifyInfo{SealProof: a.SealProof, SectorID: SectorID{a.Miner, s.Number}, Randomness: s.Randomness,
			InteractiveRandomness: s.InteractiveRandomness, SealedCID: s.SealedCID, UnsealedCID: s.UnsealedCID}
		var err error
		if out[i], err = info.claim(); err != nil {
			return nil, fmt.Errorf("sector %d: %w", s.Number, err)
		}
	}
	return out, nil
}

// AggregateSealProofs aggregates the proofs of the sectors, which are verified first.
func (f *FFI) AggregateSealProofs(info AggregateInfo, proofs [][]byte) ([]byte, error) {
	claims, err := info.claims()
	if err != nil {
		return nil, err
	}
	k, err := f.key(KindPoRep, uint64(info.SealProof))
	if err != nil {
		return nil, err
	}
	srs, err := f.openSRS()
	if err != nil {
		return nil, err
	}
	return AggregateSeals(srs, k, claims, proofs, 0)
}

// VerifyAggregateSeals is true when the aggregate proves the sectors.
func (f *FFI) VerifyAggregateSeals(info AggregateInfo) (bool, error) {
	claims, err := info.claims()
	if err != nil {
		return false, err
	}
	k, err := f.key(KindPoRep, uint64(info.SealProof))
	if err != nil {
		return false, err
	}
	srs, err := f.openSRS()
	if err != nil {
		return false, err
	}
	return verdict(VerifyAggregatedSeals(srs, k, claims, info.Proof))
}
