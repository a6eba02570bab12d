#!/bin/sh
# The measurements that fit two cores in five minutes: tools/bench.sh CUZK [OUT-FOLDER [BASE-FOLDER]]
# Results are JSON files (docs/benchmarks.md). With BASE-FOLDER, an earlier run, each is compared with
# it; exit status 1 when something is worse.
set -eu
cuzk=$1
out=${2:-$(dirname "$cuzk")/bench-results}
base=${3:-}
root=$(dirname "$0")/..
mkdir -p "$out"
worse=0

# one NAME ARG...: cuzk bench ARG..., the result in NAME.json and NAME.html
one() {
    name=$1
    shift
    echo "== bench $*"
    "$cuzk" bench "$@" --force --result "$out/$name.json" --report "$out/$name.html"
    if [ -n "$base" ]; then
        "$cuzk" bench compare "$base/$name.json" "$out/$name.json" --force --report "$out/$name-compare.html" || worse=1
    fi
}

one micro micro --time 0.1 --samples 12
for kind in porep winning window update; do
    one "synth-$kind" synth $kind --runs 10
done
one prove-winning prove winning --runs 10
one prove-winning-stream prove winning --count 8 --jobs 2
one prove-porep prove porep --c1 "$root/test/vectors/filecoin/porep-v1_1.c1.json" --runs 8
one prove-rows prove rows --lg 18 --runs 10
echo "results: $out"
exit $worse
