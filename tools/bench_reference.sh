#!/bin/sh
# The figures of docs/benchmarks.md, in one run on a quiet machine (about 15 minutes on two cores):
#   tools/bench_reference.sh build/release OUT-FOLDER
# Configure with -DCUZK_PEER_BLST=DIR to have the peer measured in the same run.
set -eu
build=$1
out=$2
cuzk=$build/cuzk
commit=$(git -C "$(dirname "$0")/.." rev-parse --short=12 HEAD)
mkdir -p "$out"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
rm -f "$out"/*.jsonl

echo "== micro, one thread"
set --
for m in ff/fp_mul ff/fr_mul ff/fp_sqr ff/fp2_mul ff/fp_inv ff/fr_inv ec/g1_subgroup ec/g2_subgroup ec/g1_add ec/g1_dbl \
    ec/g1_mul ec/g2_mul pairing/pairing pairing/miller_1 pairing/final_exp hash/ r1cs/ circuit/ verify/one; do
    set -- "$@" --match=$m
done
"$build/bench/cuzk_bench_micro" "$@" --time=0.5 --json="$out/micro.jsonl" --commit="$commit"
echo "== msm, one thread and the pool"
"$build/bench/cuzk_bench_micro" --all --match=msm/ --time=0.5 --samples=5 --json="$out/msm.jsonl" --commit="$commit"
echo "== ntt"
"$build/bench/cuzk_bench_micro" --all --match=ntt/ --time=0.5 --samples=5 --json="$out/ntt.jsonl" --commit="$commit"

echo "== setup and prove of a circuit of 2^20 rows"
"$build/bench/cuzk_bench_prove" --lg=20 --repeat=5 >"$out/prove-2-20.txt"
cat "$out/prove-2-20.txt"

# One report, one line.
report() {
    "$cuzk" "$@" --json 2>/dev/null | tr -d '\n'
    echo
}

echo "== PoRep of a 2 KiB sector, five proofs"
report params setup porep 2KiB --insecure-seed 1 -o "$dir" | sed "s#$dir/##g" >"$out/porep-2KiB-setup.jsonl"
for _ in 1 2 3 4 5 6; do # the first is the warm-up: it reads the parameters from disk
    report prove porep --c1 test/vectors/filecoin/porep-v1_1.c1.json --params "$dir" -o "$dir/proof" --force \
        >>"$out/porep-2KiB-prove.jsonl"
done
echo "== circuits of 32 GiB"
for kind in porep winning window update; do
    report circuit info $kind 32GiB --no-transcript >>"$out/circuits-32GiB.jsonl"
done
echo "results: $out"
