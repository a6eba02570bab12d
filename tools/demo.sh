#!/bin/sh
# The main job: a C1 file of a sealed sector to a verified proof, on the CPU.
# Usage: tools/demo.sh build/release/cuzk [C1.json [PARAMS]]
# PARAMS: a folder that has the parameters already. CI makes them once for all tests, by the same command.
set -eu
cuzk=$1
cd "$(dirname "$0")/.."
c1=${2:-test/vectors/filecoin/porep-v1_1.c1.json}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
params=${3:-$dir}

echo "== parameters for the PoRep circuit of 2 KiB sectors (2.7 million constraints, 1.1 GB)"
[ -n "${3:-}" ] || "$cuzk" params setup porep 2KiB --insecure-seed 1 -o "$params"
echo "== prove $c1"
"$cuzk" prove porep --c1 "$c1" --params "$params" -o "$dir/proof"
echo "== verify"
"$cuzk" verify porep --c1 "$c1" --params "$params" --proof "$dir/proof"
echo "== a proof of something else is refused"
sed 's/"seed":\[[0-9]*/"seed":[77/' "$c1" >"$dir/other.json"
rc=0
"$cuzk" verify porep --c1 "$dir/other.json" --params "$params" --proof "$dir/proof" || rc=$?
[ "$rc" = 1 ] || {
    echo "expected exit status 1, got $rc" >&2
    exit 1
}
echo "== aggregate two proofs, and verify the aggregate (twice the same proof: a second one takes as long as the first)"
"$cuzk" params setup aggregate --insecure-seed 1 --proofs 2 -o "$dir/test.srs"
agg="--c1 $c1 --c1 $c1 --params $params --srs $dir/test.srs --test-srs"
# shellcheck disable=SC2086 # options, one per word
"$cuzk" aggregate $agg --any-count --proof "$dir/proof" --proof "$dir/proof" -o "$dir/aggregate"
# shellcheck disable=SC2086
"$cuzk" verify aggregate $agg --aggregate "$dir/aggregate"
echo "demo: ok"
