// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk

// The verify and aggregate functions of filecoin-ffi as functions of the package. Their argument is this package's
// struct or the one of go-state-types (proof.SealVerifyInfo, proof.WinningPoStVerifyInfo, ...): its fields are found by
// their names, so that this package need not import those types. A struct without a field that is needed is an error.

import (
	"errors"
	"fmt"
	"reflect"
)

// fill copies the fields of from to those of the same name of *to. Numbers are converted, slices copied element by
// element; what has Bytes() fits where a CID is wanted. A missing field is an error.
func fill(to, from reflect.Value, where string) error {
	for from.Kind() == reflect.Pointer || (from.Kind() == reflect.Interface && to.Kind() != reflect.Interface) {
		if from.IsNil() {
			return fmt.Errorf("%s is nil", where)
		}
		from = from.Elem()
	}
	bad := func() error { return fmt.Errorf("%s is %s, which is not for %s", where, from.Type(), to.Type()) }
	switch to.Kind() {
	case reflect.Struct:
		if from.Kind() != reflect.Struct {
			return bad()
		}
		for i := 0; i < to.NumField(); i++ {
			name := to.Type().Field(i).Name
			field := from.FieldByName(name)
			if !field.IsValid() {
				return fmt.Errorf("%s has no field %s", where, name)
			}
			if err := fill(to.Field(i), field, where+"."+name); err != nil {
				return err
			}
		}
	case reflect.Int64:
		if !from.CanInt() {
			return bad()
		}
		to.SetInt(from.Int())
	case reflect.Uint64:
		if !from.CanUint() {
			return bad()
		}
		to.SetUint(from.Uint())
	case reflect.Interface: // CID
		c, ok := from.Interface().(CID)
		if !ok {
			return fmt.Errorf("%s has no CID", where)
		}
		to.Set(reflect.ValueOf(c))
	case reflect.Slice:
		if from.Kind() != reflect.Slice {
			return bad()
		}
		if to.Type().Elem().Kind() == reflect.Uint8 {
			if from.Type().Elem().Kind() != reflect.Uint8 {
				return bad()
			}
			to.SetBytes(from.Bytes())
			return nil
		}
		to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
		for i := 0; i < from.Len(); i++ {
			if err := fill(to.Index(i), from.Index(i), fmt.Sprintf("%s[%d]", where, i)); err != nil {
				return err
			}
		}
	default:
		return bad()
	}
	return nil
}

// take makes a T of a struct with its fields.
func take[T any](info any) (out T, err error) {
	if info == nil {
		return out, errors.New("info is nil")
	}
	return out, fill(reflect.ValueOf(&out).Elem(), reflect.ValueOf(info), "info")
}

func verifyDefault[T any](info any, verify func(*FFI, T) (bool, error)) (bool, error) {
	x, err := take[T](info)
	if err != nil {
		return false, err
	}
	return verify(DefaultVerifier(), x)
}

// VerifySeal takes a SealVerifyInfo or a proof.SealVerifyInfo. True: proven; false without an error: well-formed and false.
func VerifySeal(info any) (bool, error) {
	return verifyDefault(info, (*FFI).VerifySeal)
}

// VerifyWinningPoSt takes a PoStVerifyInfo or a proof.WinningPoStVerifyInfo.
func VerifyWinningPoSt(info any) (bool, error) {
	return verifyDefault(info, (*FFI).VerifyWinningPoSt)
}

// VerifyWindowPoSt takes a PoStVerifyInfo or a proof.WindowPoStVerifyInfo.
func VerifyWindowPoSt(info any) (bool, error) {
	return verifyDefault(info, (*FFI).VerifyWindowPoSt)
}

// VerifyUpdateProof takes a ReplicaUpdateInfo or a proof.ReplicaUpdateInfo.
func (FunctionsSectorUpdate) VerifyUpdateProof(info any) (bool, error) {
	return verifyDefault(info, (*FFI).VerifyUpdateProof)
}

// snarkPackV2 is go-state-types' RegisteredAggregationProof_SnarkPackV2, the version that aggregates are of.
const snarkPackV2 = 1

// aggregation is an AggregateInfo with the version that proof.AggregateSealVerifyProofAndInfos says.
type aggregation struct {
	Miner          uint64
	SealProof      int64
	AggregateProof int64
	Infos          []AggregateSealInfo
	Proof          []byte
}

func takeAggregation(info any) (AggregateInfo, error) {
	if own, ok := info.(AggregateInfo); ok {
		return own, nil
	}
	x, err := take[aggregation](info)
	if err == nil && x.AggregateProof != snarkPackV2 {
		err = fmt.Errorf("info.AggregateProof is %d: only version 2 of SnarkPack (%d) is made and verified", x.AggregateProof, snarkPackV2)
	}
	return AggregateInfo{Miner: x.Miner, SealProof: x.SealProof, Infos: x.Infos, Proof: x.Proof}, err
}

// AggregateSealProofs takes an AggregateInfo or a proof.AggregateSealVerifyProofAndInfos, and the proofs of its sectors.
func AggregateSealProofs(info any, proofs [][]byte) ([]byte, error) {
	x, err := takeAggregation(info)
	if err != nil {
		return nil, err
	}
	return DefaultVerifier().AggregateSealProofs(x, proofs)
}

// VerifyAggregateSeals takes an AggregateInfo or a proof.AggregateSealVerifyProofAndInfos.
func VerifyAggregateSeals(info any) (bool, error) {
	x, err := takeAggregation(info)
	if err != nil {
		return false, err
	}
	return DefaultVerifier().VerifyAggregateSeals(x)
}
