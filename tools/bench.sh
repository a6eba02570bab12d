#!/bin/sh
# The benchmarks that fit two cores in five minutes: tools/bench.sh build/release [OUT-FOLDER]
# Results are JSON lines with machine, flags and commit; see bench/README.md.
set -eu
build=$1
out=${2:-$build/bench-results}
commit=$(git -C "$(dirname "$0")/.." rev-parse HEAD 2>/dev/null || echo unknown)
mkdir -p "$out"
rm -f "$out/micro.jsonl"
"$build/bench/cuzk_bench_micro" --time=0.2 --json="$out/micro.jsonl" --commit="$commit"
"$build/bench/cuzk_bench_prove" --lg=16 --repeat=3 | tee "$out/prove.txt"
echo "results: $out"
