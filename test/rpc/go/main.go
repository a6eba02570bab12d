// SPDX-License-Identifier: MIT OR Apache-2.0

// cuzk.aggregate.v1 from grpc-go: the aggregate of the non-interactive sector of the vectors, by Aggregate and by
// SubmitAggregate and AwaitAggregate, its verification, and a refusal. Usage: main ADDRESS VECTORS
// Or any list of sectors (docs/snarkpack.md) and its aggregate, made again and verified. Usage: main ADDRESS -list LIST AGGREGATE
package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/ioutil"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "aggregatepb"
)

func must(err error) {
	if err != nil {
		fmt.Println("FAIL", err)
		os.Exit(1)
	}
}

func read(v interface{}, path string) {
	data, err := ioutil.ReadFile(path)
	must(err)
	must(json.Unmarshal(data, v))
}

// Bytes that JSON has as numbers.
func toBytes(numbers []int) []byte {
	out := make([]byte, len(numbers))
	for i, n := range numbers {
		out[i] = byte(n)
	}
	return out
}

func sector(vectors string) *pb.Sector {
	var c1 struct {
		CommR  []int `json:"comm_r"`
		CommD  []int `json:"comm_d"`
		Ticket []int `json:"ticket"`
	}
	var all struct {
		Sets []struct {
			Name   string
			Proofs []string
		}
	}
	read(&c1, filepath.Join(vectors, "filecoin/porep-ni.c1.json"))
	read(&all, filepath.Join(vectors, "aggregate/vectors.json"))
	s := &pb.Sector{MinerId: 1000, SectorNumber: 1, CommR: toBytes(c1.CommR), CommD: toBytes(c1.CommD), Ticket: toBytes(c1.Ticket)}
	for _, set := range all.Sets {
		if set.Name == "ni-13" {
			for _, p := range set.Proofs {
				proof, err := hex.DecodeString(p)
				must(err)
				s.Proof = append(s.Proof, proof...)
			}
		}
	}
	return s
}

func check(what string, ok bool, got interface{}) {
	if !ok {
		must(fmt.Errorf("%s: %v", what, got))
	}
}

func fromHex(text string) []byte {
	out, err := hex.DecodeString(text)
	must(err)
	return out
}

// A list of sectors whose type is a number, with one miner.
func ofList(ctx context.Context, client pb.AggregatorClient, list, aggregate string) {
	var all struct {
		Type    uint64 `json:"registered_proof"`
		Miner   uint64 `json:"miner"`
		Sectors []struct {
			Sector uint64 `json:"sector"`
			CommR  string `json:"comm_r"`
			CommD  string `json:"comm_d"`
			Ticket string `json:"ticket"`
			Seed   string `json:"seed"`
			Proof  string `json:"proof"`
		} `json:"sectors"`
	}
	read(&all, list)
	want, err := ioutil.ReadFile(aggregate)
	must(err)
	request := &pb.SubmitAggregateRequest{RequestId: "go list", RegisteredProof: all.Type, AnyCount: true}
	for _, s := range all.Sectors {
		request.Sectors = append(request.Sectors, &pb.Sector{MinerId: all.Miner, SectorNumber: s.Sector, CommR: fromHex(s.CommR),
			CommD: fromHex(s.CommD), Ticket: fromHex(s.Ticket), Seed: fromHex(s.Seed), Proof: fromHex(s.Proof)})
	}
	made, err := client.Aggregate(ctx, &pb.AggregateRequest{Submit: request})
	must(err)
	check("Aggregate", bytes.Equal(made.GetResult().GetAggregate(), want), made.GetResult().GetErrorMessage())
	claim := &pb.VerifyAggregateRequest{RegisteredProof: all.Type, Sectors: request.Sectors, Aggregate: want}
	answer, err := client.VerifyAggregate(ctx, claim)
	must(err)
	check("VerifyAggregate", answer.GetResult() == pb.VerifyAggregateResponse_VALID, answer)
	claim.Sectors[0].SectorNumber++
	answer, err = client.VerifyAggregate(ctx, claim)
	must(err)
	check("another sector", answer.GetResult() == pb.VerifyAggregateResponse_FALSE, answer)
	fmt.Println("ok")
}

func main() {
	address, vectors := os.Args[1], os.Args[2]
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := grpc.DialContext(ctx, address, grpc.WithInsecure(), grpc.WithBlock())
	must(err)
	defer conn.Close()
	client := pb.NewAggregatorClient(conn)
	if vectors == "-list" {
		ofList(ctx, client, os.Args[3], os.Args[4])
		return
	}
	want, err := ioutil.ReadFile(filepath.Join(vectors, "aggregate/ni-13-v2.agg"))
	must(err)
	request := &pb.SubmitAggregateRequest{RequestId: "go", RegisteredProof: 15, Sectors: []*pb.Sector{sector(vectors)}}

	made, err := client.Aggregate(ctx, &pb.AggregateRequest{Submit: request})
	must(err)
	check("Aggregate", bytes.Equal(made.GetResult().GetAggregate(), want), made.GetResult().GetErrorMessage())

	request.RequestId = "go again"
	job, err := client.SubmitAggregate(ctx, request)
	must(err)
	waited, err := client.AwaitAggregate(ctx, &pb.AwaitAggregateRequest{JobId: job.GetJobId()})
	must(err)
	check("AwaitAggregate", waited.GetStatus() == pb.AwaitAggregateResponse_COMPLETED && bytes.Equal(waited.GetAggregate(), want), waited.GetErrorMessage())

	claim := &pb.VerifyAggregateRequest{RegisteredProof: 15, Sectors: request.Sectors, Aggregate: want}
	answer, err := client.VerifyAggregate(ctx, claim)
	must(err)
	check("VerifyAggregate", answer.GetResult() == pb.VerifyAggregateResponse_VALID && answer.GetProofs() == 13, answer)
	claim.Aggregate = want[:len(want)-1]
	answer, err = client.VerifyAggregate(ctx, claim)
	must(err)
	check("a cut aggregate", answer.GetResult() == pb.VerifyAggregateResponse_MALFORMED, answer)

	request.RegisteredProof = 5
	_, err = client.SubmitAggregate(ctx, request)
	check("one interactive sector", status.Code(err) == codes.InvalidArgument, err)
	counts, err := client.GetStatus(ctx, &pb.GetStatusRequest{})
	must(err)
	check("GetStatus", counts.GetCompleted() == 2, counts)
	fmt.Println("ok")
}
