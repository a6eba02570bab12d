#!/bin/bash
# One call on a bare GPU machine: builds with the CUDA backend, runs its tests and compute-sanitizer, times
# the kernels, and proves: every result a file.
# usage: tools/gpu_check.sh OUT_FOLDER [bench options]     (from the repository root)
#   NO_SANITIZER=1, NO_BENCH=1   leave these out
#   FULL=1                       also whole 32 GiB proofs with parameters made on the card (minutes, 100 GB of device memory)
#   PREBUILT=FOLDER              a build folder made elsewhere, instead of building
# Results: OUT_FOLDER/{machine,build,tests,sanitizer}.txt, bench.jsonl, bench_r1cs.jsonl, proofs/*.json, summary.txt
set -u -o pipefail
out=${1:?folder for the results}
shift
mkdir -p "$out/proofs"
build=${PREBUILT:-build/gpu}
export PATH=$PATH:/usr/local/cuda/bin
fail=0
{
    date -u +%Y-%m-%d
    nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader
    nvcc --version | tail -2
    gcc --version | head -1
    grep -m1 'model name' /proc/cpuinfo
    nproc
    git rev-parse HEAD 2>/dev/null || cat COMMIT 2>/dev/null || echo "commit unknown"
} >"$out/machine.txt" 2>&1

build_all() {
    local generator=()
    if command -v ninja >/dev/null; then
        generator=(-G Ninja)
    fi
    cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCUZK_CUDA=ON \
        -DCUZK_DAEMON=OFF -DCUZK_TESTS=ON &&
        cmake --build "$build" -j"$(nproc)"
}
if [ -z "${PREBUILT:-}" ]; then
    if ! build_all >"$out/build.txt" 2>&1; then
        grep -E 'error|warning|FAILED' "$out/build.txt" | head -40
        tail -5 "$out/build.txt"
        echo "build: FAILED"
        exit 1
    fi
fi
echo "build: ok"

run_tests() {
    local t name
    for t in "$build"/test/accel_cuda/test_accel_cuda_*; do
        [ -x "$t" ] && [ -f "$t" ] || continue
        name=$(basename "$t")
        echo "== $name"
        timeout 600 "$t" || echo "$name: FAILED"
    done
}
run_tests >"$out/tests.txt" 2>&1
grep -q FAILED "$out/tests.txt" && fail=1
grep -E '^==|passed|FAILED' "$out/tests.txt"

# tool, test program, cases: small ones, since every access is looked at.
sanitize() {
    local tool t
    for tool in memcheck racecheck initcheck; do
        for t in "field --match=equals" "ntt --match=small" "msm_g1 --match=bits" "msm_g1 --match=cancel" \
            "msm_g2 --match=bits" "r1cs --match=small" "srs --match=good" "setup --match=long" \
            "prove --match=setup_equals --iters=1"; do
            echo "== $tool $t"
            # shellcheck disable=SC2086
            timeout 300 compute-sanitizer --tool $tool --error-exitcode 9 --print-limit 5 \
                "$build/test/accel_cuda/test_accel_cuda_"${t} 2>&1 | tail -4 || echo "SANITIZER FAILED"
        done
    done
}
if [ -z "${NO_SANITIZER:-}" ] && command -v compute-sanitizer >/dev/null; then
    sanitize >"$out/sanitizer.txt" 2>&1
    grep -q 'SANITIZER FAILED' "$out/sanitizer.txt" && fail=1
    grep -E '^==|SUMMARY|HAZARD|passed|FAILED' "$out/sanitizer.txt"
else
    echo "sanitizer: not run"
fi

if [ -z "${NO_BENCH:-}" ]; then
    "$build/bench/cuda/cuzk_bench_cuda" "$@" >"$out/bench.jsonl" || fail=1
    "$build/bench/cuda/cuzk_bench_cuda_r1cs" >"$out/bench_r1cs.jsonl" || fail=1
    cat "$out/bench.jsonl" "$out/bench_r1cs.jsonl"
fi

# Whole proofs from generated inputs, with parameters made on the card: name, runs, then the options of bench prove.
prove() {
    local name=$1 runs=$2
    shift 2
    echo "== $name"
    "$build/cuzk" bench prove "$@" --device cuda --runs "$runs" --force --result "$out/proofs/$name.json" \
        >"$out/proofs/$name.txt" 2>&1 || {
        tail -3 "$out/proofs/$name.txt"
        return 1
    }
    sed -n '/^metric/,$p' "$out/proofs/$name.txt"
}
prove porep-2kib 5 porep --sector-size 2KiB || fail=1
prove porep-512mib 5 porep --sector-size 512MiB || fail=1
prove porep-512mib-vram2 3 porep --sector-size 512MiB --vram 2GiB || fail=1
if [ -n "${FULL:-}" ]; then
    prove porep-32gib 5 porep --sector-size 32GiB || fail=1
    prove porep-32gib-vram24 3 porep --sector-size 32GiB --vram 24GiB || fail=1
    prove winning-32gib 5 winning --sector-size 32GiB || fail=1
    prove window-32gib 5 window --sector-size 32GiB || fail=1
    prove update-32gib 5 update --sector-size 32GiB || fail=1
fi
[ $fail = 0 ] && echo "all: ok" || echo "all: FAILED"
exit $fail
