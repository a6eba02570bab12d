#!/bin/sh
# cuzk bench: what it measures can be read back and compared, and comparisons end as they must.
set -eu
. "$(dirname "$0")/../lib.sh"
make="python3 $(dirname "$0")/bench_results.py"
cd "$(dirname "$0")/../../.."

run 'no sub-command' 2 'compare' bench
run 'no such kind' 2 "no kind 'seal'" bench prove seal
run 'no such size' 2 'sector size' bench prove porep --sector-size 3KiB
run 'parameters are looked for first' 2 'no such file (folder from: --params)' bench prove window --sector-size 32GiB --params "$dir"
run 'lg too large' 2 'from 3 to 26' bench prove rows --lg 27
run 'rows' 0 'msm_h' bench prove rows --lg 6 --runs 3 --result "$dir/r.json" --report "$dir/r.html" --layers
check 'page' grep -q '</html>' "$dir/r.html"
run 'refuses to replace' 2 'exists' bench prove rows --lg 6 --runs 1 --result "$dir/r.json"
run 'show' 0 'the familiar table' bench show "$dir/r.json"
run 'a stream' 0 'proof/' bench prove rows --lg 6 --runs 2 --count 3 --jobs 2 --result "$dir/s.json"
run 'by CPU time' 0 'CPU time' bench prove rows --lg 6 --runs 2 --cpu-time --threads 1
run 'cold' 0 'load_params' bench prove rows --lg 6 --runs 2 --cold
run 'overhead' 0 'tracing costs' bench prove rows --lg 6 --runs 3 --overhead
run 'one run says nothing' 3 'too few' bench compare --min-effect 3 "$dir/r.json" "$dir/r.json" --confidence 99.9999999
run 'a layer made slower' 0 'made slower for a test: msm_h/sum_full=50' bench prove rows --lg 6 --runs 1 --inject msm_h/sum_full=50
run 'nothing to slow down' 2 'PERCENT' bench prove rows --lg 6 --inject ntt
run 'different benchmarks' 2 'different benchmarks' bench compare "$dir/r.json" "$dir/s.json"
run 'not a result' 2 'Makefile:1:1' bench compare "$dir/r.json" Makefile
run 'a trace' 0 '' bench prove rows --lg 6 --runs 1 --trace "$dir/t.json" --trace-counters
check 'is JSON' python3 -m json.tool "$dir/t.json"
run 'no such format' 2 'perfetto or json' bench prove rows --lg 6 --trace "$dir/u.json" --trace-format xml
run 'a trace, every field' 0 '' bench prove rows --lg 6 --runs 1 --trace "$dir/u.json" --trace-format json
check 'spans' python3 - "$dir/u.json" <<'P'
import json
import sys

t = json.load(open(sys.argv[1]))
spans = {s["id"]: s for s in t["spans"]}
assert t["type"] == "cuzk-trace" and t["version"] == 1 and t["dropped"] == 0 and t["counters"]
assert {"command", "run", "prove", "eval", "ntt", "msm_h", "sum_full", "verify"} <= {s["name"] for s in spans.values()}
for s in spans.values():
    assert s["begin_ns"] <= s["end_ns"] and s["thread"] > 0 and s["mem_begin"] >= 0 and s["cpu_ns"] >= 0
    if s["parent"]:
        p = spans[s["parent"]]
        assert p["begin_ns"] <= s["begin_ns"] and s["end_ns"] <= p["end_ns"]
    assert s["name"] != "decode_points" or s["bytes"] % 96 == 0
P

v=test/vectors/filecoin
run 'from files' 0 'check' bench prove window --runs 1 --warmup 0 --vanilla $v/window.sector1.vanilla.bin --vanilla $v/window.sector2.vanilla.bin \
    --type 10 --randomness 404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e00
run 'from files: a wrong statement' 2 'sector 1' bench prove window --runs 1 --warmup 0 --vanilla $v/window.sector1.vanilla.bin \
    --vanilla $v/window.sector2.vanilla.bin --type 10 --randomness 414142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e00
run 'operations of a device' 0 'accel/msm_g2/cpu/lg_n=5' bench micro --device cpu --max-lg 6 --samples 2 --result "$dir/dev.json"
run 'one operation of a device' 0 'accel/intt' bench micro --device cpu --max-lg 6 --samples 2 --match intt
rc=0 # equal programs: 0, or 3 where the machine is too busy to tell
"$cuzk" bench pair --rounds 10 --report "$dir/pair.html" --result-new "$dir/pair.json" \
    "$cuzk" "$cuzk" -- prove rows --lg 4 --threads 1 >"$dir/out" 2>"$dir/err" || rc=$?
check 'a pair of programs' test $rc = 0 -o $rc = 3
check 'ten runs' python3 -c "import json; assert json.load(open('$dir/pair.json'))['runs'] == 10"
run 'a program that is not there' 2 'cannot be started' bench pair "$dir/none" "$cuzk" -- prove rows --lg 4
run 'a program that fails' 2 'failed with status' bench pair "$cuzk" "$cuzk" -- prove nothing

i=1
while [ $i -le 6 ]; do
    $make "$dir/a.json" seed=$i
    $make "$dir/b.json" seed=$((i + 100))
    $make "$dir/c.json" seed=$((i + 100)) commit=fedcba987654 partition/prove/ntt=1.05 partition/prove/msm_h/sum_full=0.9
    run "equal programs, $i" 0 'verdict: same (within noise)' bench compare "$dir/a.json" "$dir/b.json"
    run "5 % worse beside 10 % better, $i" 1 'verdict: mixed. Worse: partition/prove/ntt' bench compare "$dir/a.json" "$dir/c.json"
    i=$((i + 1))
done
run 'the total is better all the same' 1 'total -' bench compare "$dir/a.json" "$dir/c.json"
run 'named by size' 1 'Worse: partition/prove/msm_h/sum_full' bench compare "$dir/c.json" "$dir/a.json"
$make "$dir/few.json" runs=2
run 'two runs are too few' 3 'Too few or too noisy runs' bench compare "$dir/few.json" "$dir/b.json"
$make "$dir/moved.json" seed=7 partition/prove/ntt=1.2
run 'a baseline that moved' 1 'baseline moved: partition/prove/ntt of commit 0123456789ab' \
    bench compare "$dir/a.json" "$dir/c.json" --also "$dir/moved.json"
run 'moved among many' 1 '1 of the baselines in 3 results moved' bench moved "$dir/a.json" "$dir/c.json" "$dir/moved.json" --min-effect 10
run 'none moved' 0 '0 of the baselines' bench moved "$dir/a.json" "$dir/b.json"
run 'the same commit, another value' 1 'what moved is the measurement' bench compare "$dir/a.json" "$dir/moved.json"
run 'as JSON' 1 '"verdict": "mixed"' bench compare "$dir/a.json" "$dir/c.json" --json

# One partition of a C1, and the engine with several settings.
c1=test/vectors/filecoin/porep-ni.c1.json
run 'synth: no such partition' 2 'there is no partition 13' bench synth porep --c1 $c1 --partition 13
run 'sweep: a table' 0 'proofs/min' bench sweep window --sectors 1 --count 2 -j 1,2 --batch 0,1 --lanes 1
check 'sweep: a line for each combination' test "$(grep -c '^  *[0-9]' "$dir/out")" = 4
run 'sweep as JSON' 0 '"proofs_per_minute"' bench sweep window --sectors 1 --count 1 -j 1 --json
run 'sweep: not a list' 2 'is not a list' bench sweep window -j 1,x
run 'sweep: no kind' 2 'needs KIND' bench sweep rows
summary
