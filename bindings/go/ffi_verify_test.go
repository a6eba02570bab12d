// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk

// Structs as go-state-types has them, and the functions of the package that take them.

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type (
	abiSealProof        int64
	abiAggregationProof int64
	abiUpdateProof      int64
	abiDealID           uint64
	abiSealRandomness   []byte
	abiSectorID         struct {
		Miner  abiActorID
		Number abiSectorNumber
	}
	theirCID struct{ str string } // cid.Cid is a struct around a string
)

func (c theirCID) Bytes() []byte { return []byte(c.str) }

type theirSealVerifyInfo struct {
	SealProof abiSealProof
	abiSectorID
	DealIDs                           []abiDealID
	Randomness, InteractiveRandomness abiSealRandomness
	Proof                             []byte
	SealedCID, UnsealedCID            theirCID
}

// The embedded field has the name of its type, which is SectorID in go-state-types.
type theirSealVerifyInfoNamed struct {
	SealProof                         abiSealProof
	SectorID                          abiSectorID
	Randomness, InteractiveRandomness abiSealRandomness
	Proof                             []byte
	SealedCID, UnsealedCID            theirCID
}

type theirPoStProof struct {
	PoStProof  abiPoStProof
	ProofBytes []byte
}

type theirSectorInfo struct {
	SealProof    abiSealProof
	SectorNumber abiSectorNumber
	SealedCID    theirCID
}

type theirPoStVerifyInfo struct {
	Randomness        abiSealRandomness
	Proofs            []theirPoStProof
	ChallengedSectors []theirSectorInfo
	Prover            abiActorID
}

type theirReplicaUpdateInfo struct {
	UpdateProofType                                              abiUpdateProof
	OldSealedSectorCID, NewSealedSectorCID, NewUnsealedSectorCID theirCID
	Proof                                                        []byte
}

type theirAggregateSealInfo struct {
	Number                            abiSectorNumber
	Randomness, InteractiveRandomness abiSealRandomness
	SealedCID, UnsealedCID            theirCID
}

type theirAggregateInfo struct {
	Miner          abiActorID
	SealProof      abiSealProof
	AggregateProof abiAggregationProof
	Infos          []theirAggregateSealInfo
	Proof          []byte
}

func their(c CID) theirCID { return theirCID{string(c.Bytes())} }

// setDefault makes the functions of the package use keys of the golden proofs.
func setDefault(t *testing.T) {
	t.Helper()
	f := functions(t)
	srs, err := OpenAggregateSRS(filepath.Join(os.Getenv("CUZK_VECTORS"), "aggregate", "fake-16.srs"), true)
	if err != nil {
		t.Fatal(err)
	}
	f.srs = srs
	defaultVerifier = f
	t.Cleanup(func() { defaultVerifier = nil })
}

// TestTable is the table of docs/embedding.md: calls, and what they answer.
func TestTable(t *testing.T) {
	setDefault(t)
	v := load(t)
	s := v.sealInfo(t, "porep-v1_1")
	seal := theirSealVerifyInfoNamed{SealProof: 5, SectorID: abiSectorID{miner, 1}, Randomness: s.Randomness,
		InteractiveRandomness: s.InteractiveRandomness, Proof: v.golden(t, "porep-v1_1[0]"), SealedCID: their(s.SealedCID), UnsealedCID: their(s.UnsealedCID)}
	post := func(proofType int64, n int, proof []byte) theirPoStVerifyInfo {
		own := v.postInfo(t, proofType, n, proof)
		out := theirPoStVerifyInfo{Randomness: own.Randomness, Prover: miner, Proofs: []theirPoStProof{{abiPoStProof(proofType), proof}}}
		for _, x := range own.ChallengedSectors {
			out.ChallengedSectors = append(out.ChallengedSectors, theirSectorInfo{5, abiSectorNumber(x.SectorNumber), their(x.SealedCID)})
		}
		return out
	}
	u := v.updateInfo(t, v.golden(t, "update[0]"))
	update := theirReplicaUpdateInfo{0, their(u.OldSealedSectorCID), their(u.NewSealedSectorCID), their(u.NewUnsealedSectorCID), u.Proof}
	item := theirAggregateSealInfo{1, seal.Randomness, seal.InteractiveRandomness, seal.SealedCID, seal.UnsealedCID}
	aggregate := theirAggregateInfo{miner, 5, 1, []theirAggregateSealInfo{item, item}, nil}
	var err error
	aggregate.Proof, err = AggregateSealProofs(aggregate, [][]byte{seal.Proof, seal.Proof})
	if err != nil {
		t.Fatal(err)
	}
	winning, window := v.golden(t, "winning[0]"), v.golden(t, "window[0]")
	change := func(f func(*theirSealVerifyInfoNamed)) any { x := seal; f(&x); return x }
	changePost := func(x theirPoStVerifyInfo, f func(*theirPoStVerifyInfo)) any { f(&x); return x }
	changeUpdate := func(f func(*theirReplicaUpdateInfo)) any { x := update; f(&x); return x }
	changeAggregate := func(f func(*theirAggregateInfo)) any {
		x := aggregate
		x.Infos = append([]theirAggregateSealInfo(nil), x.Infos...)
		f(&x)
		return x
	}
	rows := []struct {
		what          string
		verify        func(any) (bool, error)
		info          any
		wantOk, isErr bool
	}{
		{"seal", VerifySeal, seal, true, false},
		{"seal by a pointer", VerifySeal, &seal, true, false},
		{"seal in the types of this package", VerifySeal, func() any { x := s; x.Proof = seal.Proof; return x }(), true, false},
		{"seal: another sector", VerifySeal, change(func(x *theirSealVerifyInfoNamed) { x.SectorID.Number = 2 }), false, false},
		{"seal: another miner", VerifySeal, change(func(x *theirSealVerifyInfoNamed) { x.SectorID.Miner = 2 }), false, false},
		{"seal: another ticket", VerifySeal, change(func(x *theirSealVerifyInfoNamed) { x.Randomness = make([]byte, 32) }), false, false},
		{"seal: another seed", VerifySeal, change(func(x *theirSealVerifyInfoNamed) { x.InteractiveRandomness = make([]byte, 32) }), false, false},
		{"seal: another sealed CID", VerifySeal, change(func(x *theirSealVerifyInfoNamed) { x.SealedCID = update.NewSealedSectorCID }), false, false},
		{"seal: short ticket", VerifySeal, change(func(x *theirSealVerifyInfoNamed) { x.Randomness = x.Randomness[:31] }), false, true},
		{"seal: unknown type", VerifySeal, change(func(x *theirSealVerifyInfoNamed) { x.SealProof = 99 }), false, true},
		{"seal: no CID", VerifySeal, change(func(x *theirSealVerifyInfoNamed) { x.SealedCID = theirCID{} }), false, true},
		{"seal: no proof", VerifySeal, change(func(x *theirSealVerifyInfoNamed) { x.Proof = nil }), false, true},
		{"seal: proof of 191 bytes", VerifySeal, change(func(x *theirSealVerifyInfoNamed) { x.Proof = x.Proof[:191] }), false, true},
		{"seal: points that are none", VerifySeal, change(func(x *theirSealVerifyInfoNamed) { x.Proof = make([]byte, 192) }), false, true},
		{"seal: nothing", VerifySeal, nil, false, true},
		{"seal: another struct", VerifySeal, update, false, true},
		{"winning", VerifyWinningPoSt, post(0, 1, winning), true, false},
		{"winning: another's sectors", VerifyWinningPoSt, changePost(post(0, 1, winning), func(x *theirPoStVerifyInfo) { x.ChallengedSectors[0].SealedCID = update.NewSealedSectorCID }), false, false},
		{"winning: a WindowPoSt type", VerifyWinningPoSt, post(10, 1, winning), false, true},
		{"winning: no proof", VerifyWinningPoSt, changePost(post(0, 1, winning), func(x *theirPoStVerifyInfo) { x.Proofs = nil }), false, true},
		{"winning: no sector", VerifyWinningPoSt, changePost(post(0, 1, winning), func(x *theirPoStVerifyInfo) { x.ChallengedSectors = nil }), false, true},
		{"window", VerifyWindowPoSt, post(10, 2, window), true, false},
		{"window: version 1", VerifyWindowPoSt, post(5, 2, v.golden(t, "windowv1[0]")), true, false},
		{"window: the other version", VerifyWindowPoSt, post(5, 2, window), false, false},
		{"window: another randomness", VerifyWindowPoSt, changePost(post(10, 2, window), func(x *theirPoStVerifyInfo) { x.Randomness = make([]byte, 32) }), false, false},
		{"window: a partition missing", VerifyWindowPoSt, post(10, 3, window), false, true},
		{"window: short randomness", VerifyWindowPoSt, changePost(post(10, 2, window), func(x *theirPoStVerifyInfo) { x.Randomness = x.Randomness[:31] }), false, true},
		{"update", SectorUpdate.VerifyUpdateProof, update, true, false},
		{"update: another sector", SectorUpdate.VerifyUpdateProof, changeUpdate(func(x *theirReplicaUpdateInfo) { x.OldSealedSectorCID = x.NewSealedSectorCID }), false, false},
		{"update: unknown type", SectorUpdate.VerifyUpdateProof, changeUpdate(func(x *theirReplicaUpdateInfo) { x.UpdateProofType = 9 }), false, true},
		{"update: no proof", SectorUpdate.VerifyUpdateProof, changeUpdate(func(x *theirReplicaUpdateInfo) { x.Proof = nil }), false, true},
		{"aggregate", VerifyAggregateSeals, aggregate, true, false},
		{"aggregate: another sector", VerifyAggregateSeals, changeAggregate(func(x *theirAggregateInfo) { x.Infos[1].Number = 2 }), false, false},
		{"aggregate: version 1", VerifyAggregateSeals, changeAggregate(func(x *theirAggregateInfo) { x.AggregateProof = 0 }), false, true},
		{"aggregate: no sectors", VerifyAggregateSeals, changeAggregate(func(x *theirAggregateInfo) { x.Infos = nil }), false, true},
		{"aggregate: cut", VerifyAggregateSeals, changeAggregate(func(x *theirAggregateInfo) { x.Proof = x.Proof[:len(x.Proof)-1] }), false, true},
	}
	for _, r := range rows {
		ok, err := r.verify(r.info)
		answer(t, r.what, ok, err, r.wantOk, r.isErr)
	}
	if _, err := AggregateSealProofs(aggregate, [][]byte{seal.Proof}); !errors.Is(err, ErrInvalid) {
		t.Error("aggregate of a missing proof: ", err)
	}
	bad := changeAggregate(func(x *theirAggregateInfo) { x.Infos[0].Number = 9 })
	if _, err := AggregateSealProofs(bad, [][]byte{seal.Proof, seal.Proof}); !errors.Is(err, ErrProofFalse) {
		t.Error("aggregate of a false proof: ", err)
	}
}

// A struct without a field that is needed says which.
func TestMissingFields(t *testing.T) {
	_, err := take[SealVerifyInfo](theirSealVerifyInfo{})
	if err == nil || !strings.Contains(err.Error(), "info has no field SectorID") {
		t.Error(err)
	}
	_, err = take[PoStVerifyInfo](struct{ Randomness []uint64 }{})
	if err == nil || !strings.Contains(err.Error(), "info.Randomness is []uint64") {
		t.Error(err)
	}
}
