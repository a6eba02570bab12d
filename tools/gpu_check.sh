#!/bin/bash
# Builds the CUDA backend, runs its tests, compute-sanitizer where there is one, and its benchmark.
# usage: tools/gpu_check.sh OUT_FOLDER [bench options]     (from the repository root, on a GPU machine)
# NO_SANITIZER=1 leaves the sanitizer out. Results: OUT_FOLDER/{machine,build,tests,sanitizer}.txt, bench.jsonl
set -u -o pipefail
out=${1:?folder for the results}
shift
mkdir -p "$out"
build=build/gpu
export PATH=$PATH:/usr/local/cuda/bin
fail=0
{
    date -u +%Y-%m-%d
    nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader
    nvcc --version | tail -2
    gcc --version | head -1
    grep -m1 'model name' /proc/cpuinfo
    git rev-parse HEAD 2>/dev/null || cat COMMIT 2>/dev/null || echo "commit unknown"
} >"$out/machine.txt" 2>&1
generator=()
if command -v ninja >/dev/null; then
    generator=(-G Ninja)
fi
{
    cmake -S . -B $build "${generator[@]}" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCUZK_CUDA=ON \
        -DCUZK_DAEMON=OFF -DCUZK_TESTS=ON &&
        cmake --build $build -j"$(nproc)" --target cuzk_bench_cuda test_accel_cuda_field \
            test_accel_cuda_ntt test_accel_cuda_msm_g1 test_accel_cuda_msm_g2
} >"$out/build.txt" 2>&1 || {
    grep -E 'error|warning|FAILED' "$out/build.txt" | head -40
    tail -5 "$out/build.txt"
    echo "build: FAILED"
    exit 1
}
echo "build: ok"
ctest --test-dir $build -R accel_cuda --output-on-failure >"$out/tests.txt" 2>&1 || fail=1
tail -25 "$out/tests.txt"
if [ -z "${NO_SANITIZER:-}" ] && command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck initcheck; do
        for t in "field --match=equals" "ntt --match=small" "msm_g1 --match=small" "msm_g2 --match=small"; do
            name=${t%% *}
            echo "== $tool $t"
            timeout 240 compute-sanitizer --tool $tool --error-exitcode 9 --print-limit 5 \
                $build/test/accel_cuda/test_accel_cuda_"$name" ${t#* } 2>&1 | tail -6 || fail=1
        done
    done >"$out/sanitizer.txt" 2>&1
    grep -E '^==.*(SUMMARY|HAZARD)|^== |passed|Error' "$out/sanitizer.txt"
else
    echo "sanitizer: not run"
fi
if [ -z "${NO_BENCH:-}" ]; then
    $build/bench/cuda/cuzk_bench_cuda "$@" >"$out/bench.jsonl" || fail=1
    cat "$out/bench.jsonl"
fi
exit $fail
