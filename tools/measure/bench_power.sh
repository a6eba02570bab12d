#!/bin/sh
# How often comparisons are right, with real proofs: tools/measure/bench_power.sh CUZK [REPEATS [ROUNDS [VERB ARGUMENTS]]]
# REPEATS times (20) each: the program against itself, which must be "same"; and 5 % more time in the sum over h beside
# 10 % less in the transforms, which must be "mixed" with status 1. Programs run in turns, ROUNDS times (20) a side.
# Of CPU time unless ARGUMENTS say otherwise; by wall time it needs a machine quiet enough to see 5 %. Exit status 1 unless all were right.
set -eu
cuzk=$1
repeats=${2:-20}
rounds=${3:-20}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- prove rows --lg 14 --bits 50 --runs 2 --threads 1 --cpu-time
out=$(mktemp)
trap 'rm -f "$out"' EXIT
same=0
mixed=0
i=0
while [ $i -lt "$repeats" ]; do
    i=$((i + 1))
    rc=0
    "$cuzk" bench pair --rounds "$rounds" --quiet "$cuzk" "$cuzk" -- "$@" >"$out" || rc=$?
    if [ $rc = 0 ] && grep -q '^verdict: same' "$out"; then
        same=$((same + 1))
    else
        tail -1 "$out"
    fi
    rc=0
    "$cuzk" bench pair --rounds "$rounds" --quiet --base-arg=--inject=ntt=11.11 --new-arg=--inject=msm_h/sum_full=5 \
        "$cuzk" "$cuzk" -- "$@" >"$out" || rc=$?
    if [ $rc = 1 ] && grep -q '^verdict: mixed. Worse:.*msm_h/sum_full.*Better:.*ntt' "$out"; then
        mixed=$((mixed + 1))
    else
        tail -1 "$out"
    fi
    echo "after $i: $same of $i same, $mixed of $i mixed"
done
[ "$same" = "$repeats" ] && [ "$mixed" = "$repeats" ]
