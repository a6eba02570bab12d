#!/bin/sh
# The figures of docs/benchmarks.md, in one run of six minutes on two quiet cores:
#   tools/measure/bench_reference.sh CUZK OUT-FOLDER
# Configure with -DCUZK_PEER_BLST=DIR to have the peer measured in the same run.
set -eu
cuzk=$1
out=$2
root=$(dirname "$0")/../..
c1=$root/test/vectors/filecoin/porep-v1_1.c1.json
mkdir -p "$out"
start=$(date +%s)

# one NAME ARG...: cuzk bench ARG..., the result in NAME.json
one() {
    name=$1
    shift
    echo "== at $(($(date +%s) - start)) s: bench $*"
    "$cuzk" bench "$@" --force --result "$out/$name.json"
}

set --
for m in ff/fp_mul ff/fr_mul ff/fp_sqr ff/fp2_mul ff/fp_inv ff/fr_inv ff/fp_sqrt ec/g1_subgroup ec/g2_subgroup ec/g1_add \
    ec/g1_dbl ec/g1_mul ec/g2_mul pairing/pairing pairing/miller_1 pairing/final_exp hash/ r1cs/ circuit/ verify/one trace/span; do
    set -- "$@" --match $m
done
one micro micro "$@" --time 0.3
one msm micro --all --match msm/ --time 0.3 --samples 5
set --
for v in c adx ifma; do
    for lg in 10 16 20; do
        set -- "$@" --match "ntt/fwd_nr/$v/lg_n=$lg"
    done
done
for op in fwd_nn inv_nr fwd_rn_coset; do
    set -- "$@" --match "ntt/$op/adx/lg_n=20" --match "ntt/$op/ifma/lg_n=20" --match "ntt/$op/ifma/lg_n=24"
done
one ntt micro "$@" --match ntt/to_coset --match ntt/fwd_nr/ifma/lg_n=24 --time 0.3 --samples 5
for kind in porep winning window update; do
    one synth-$kind-2KiB synth $kind --runs 10 --threads 1
done
one synth-winning-32GiB synth winning --sector-size 32GiB --runs 10 --threads 1
one prove-rows-2-20 prove rows --lg 20 --runs 8
one prove-porep-2KiB prove porep --c1 "$c1" --runs 6 --overhead
one prove-porep-2KiB-cold prove porep --c1 "$c1" --runs 5 --cold
one prove-winning-2KiB prove winning --runs 20
one prove-winning-2KiB-again prove winning --runs 20
"$cuzk" bench compare "$out/prove-winning-2KiB.json" "$out/prove-winning-2KiB-again.json" >"$out/compare-same-program.txt" || true
tail -1 "$out/compare-same-program.txt"
one prove-winning-2KiB-stream prove winning --count 8 --jobs 2 --runs 5
"$cuzk" bench show "$out/prove-porep-2KiB.json" --report "$out/prove-porep-2KiB.html" --force >"$out/prove-porep-2KiB.txt"
echo "== circuits of 32 GiB"
: >"$out/circuits-32GiB.jsonl"
for kind in porep winning window update; do
    "$cuzk" circuit info $kind 32GiB --no-transcript --json 2>/dev/null | tr -d '\n' >>"$out/circuits-32GiB.jsonl"
    echo >>"$out/circuits-32GiB.jsonl"
done
echo "results: $out ($(($(date +%s) - start)) s)"
