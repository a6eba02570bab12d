#!/bin/bash
# One call on a bare GPU machine: builds with the CUDA backend, runs its tests and compute-sanitizer, times the
# kernels, and proves. Every result is a file.
# usage: tools/gpu_check.sh OUT_FOLDER      (from the repository root)
#   FULL=1          also 32 GiB proofs with parameters made on the card (about three minutes, 70 GB of device memory)
#   RUNS=5          measured runs of the 32 GiB PoRep
#   FILES=DIR       also a parameter file of 32 GiB sectors (47 GB), made there on the card, loaded, and proved from
#   LARGE=1         also the tests of whole partitions on the device (minutes of the CPU's time)
#   BENCH_RUNS=3    runs of each kernel
#   NO_TESTS=1, NO_SANITIZER=1, NO_BENCH=1     leave these out
#   CLASSES="8.0 8.9:24GiB"   also the tests with the card playing others (--as-card), each class in turn
#   BUDGET=280      seconds for all; what would not fit any more is left out
#   SANITIZER_SECONDS=75   limit of each sanitizer run
#   PREBUILT=DIR    a build folder made elsewhere, instead of building
#   COMMIT=ID       what the results name, where the tree is a copy without its history
#   DAEMON=ON       builds the daemon too (its libraries must be there); with FILES, tools/gpu_daemon.sh measures it
#                   against the command line, as it does with a PREBUILT program that has the daemon
# Results: OUT_FOLDER/{machine,build,summary}.txt, tests/*.txt, sanitizer/*.txt, bench*.jsonl, proofs/*.{json,txt}
set -u -o pipefail
out=${1:?folder for the results}
mkdir -p "$out"/{tests,sanitizer,proofs}
build=${PREBUILT:-build/gpu}
export PATH=$PATH:/usr/local/cuda/bin
fail=0
begun=$SECONDS
say() { echo "$@" | tee -a "$out/summary.txt"; }
# room SECONDS WHAT: whether so much of the budget is left
room() {
    if [ $((SECONDS - begun + $1)) -gt "${BUDGET:-100000}" ]; then
        say "$2: left out, no time"
        return 1
    fi
}
phase() { say "-- $1: $((SECONDS - begun)) s"; }
: >"$out/summary.txt"
{
    date -u +%Y-%m-%d
    nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader
    nvcc --version | tail -2
    gcc --version | head -1
    grep -m1 'model name' /proc/cpuinfo
    nproc
    echo "commit ${COMMIT:=$(git rev-parse HEAD 2>/dev/null || echo unknown)}"
} >"$out/machine.txt" 2>&1

tests=$(sed -n 's|^cuzk_test(accel_cuda/\([a-z0-9_]*\).*|test_accel_cuda_\1|p' test/accel_cuda/CMakeLists.txt)
build_all() {
    local generator=()
    if command -v ninja >/dev/null; then
        generator=(-G Ninja)
    fi
    local arch
    arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
    # shellcheck disable=SC2086
    cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCUZK_CUDA=ON -DCUZK_DAEMON="${DAEMON:-OFF}" \
        -DCMAKE_CUDA_ARCHITECTURES="${arch:-90}" &&
        cmake --build "$build" -j"$(nproc)" --target cuzk cuzk_bench_cuda cuzk_bench_cuda_r1cs $tests
}
if [ -z "${PREBUILT:-}" ] && ! build_all >"$out/build.txt" 2>&1; then
    grep -E 'error|warning|FAILED' "$out/build.txt" | head -40
    tail -5 "$out/build.txt"
    say "build: FAILED"
    exit 1
fi
phase build

# In the background: file, seconds, command. The last line of the file tells the exit status.
start() {
    local file=$1 limit=$2
    shift 2
    { timeout "$limit" "$@" && echo "status 0" || echo "status $?"; } >"$file" 2>&1 &
}
# Tests and sanitizer mostly keep the CPU busy with reference results, so they run side by side.
if [ -z "${NO_TESTS:-}" ]; then
    # First and alone: it compares the device's free memory before and after.
    start "$out/tests/r1cs_faults.txt" 120 "$build/test/accel_cuda/test_accel_cuda_r1cs_faults"
    wait
    for t in $tests; do
        [ "$t" != test_accel_cuda_r1cs_faults ] || continue
        case $t in *_large) [ -n "${LARGE:-}" ] || continue ;; esac
        start "$out/tests/${t#test_accel_cuda_}.txt" 300 "$build/test/accel_cuda/$t"
    done
fi
for class in ${CLASSES:-}; do
    wait
    for t in cards golden ntt msm_g1 msm_g2 msm_images ops prove; do
        CUZK_TEST_CARD=$class start "$out/tests/as-${class//:/-}-$t.txt" 300 "$build/test/accel_cuda/test_accel_cuda_$t"
    done
done
if [ -z "${NO_SANITIZER:-}" ] && command -v compute-sanitizer >/dev/null; then
    # A finding ends with status 9. One kernel is wrong on purpose, for every tool: it has to be found.
    nvcc -o "$out/wrong" -x cu - <<'WRONG' >>"$out/build.txt" 2>&1
__global__ void wrong_k(int *p, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;      /* no barrier: a race */
    p[n + threadIdx.x] = s[63 - threadIdx.x] + p[0]; /* beyond the end, and p[0] was never written */
}
int main(void)
{
    int *p;
    if (cudaMalloc(&p, 64 * sizeof(*p)) != cudaSuccess) {
        return 2;
    }
    wrong_k<<<1, 64>>>(p, 64);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 3;
}
WRONG
    for tool in memcheck racecheck initcheck; do
        start "$out/sanitizer/$tool-wrong.txt" 60 compute-sanitizer --tool $tool --error-exitcode 9 "$out/wrong"
        # test program and cases: small ones, since every access is looked at
        for t in "field equals" "field boundaries" "ntt small" "ops transforms" "ops combs" "msm_g1 small" "msm_images small" \
            "msm_g2 small" "r1cs one_shape" "srs good" "setup long" "prove one_resident" "prove one_streamed" "prove one_from"; do
            start "$out/sanitizer/$tool-${t/ /-}.txt" "${SANITIZER_SECONDS:-75}" compute-sanitizer --tool $tool \
                --error-exitcode 9 --print-limit 5 "$build/test/accel_cuda/test_accel_cuda_${t% *}" "--match=${t#* }" --iters=1
        done
    done
fi
wait
# One line per file; 77: skipped, 124: stopped by its time limit.
judge() {
    local f status
    for f in "$out/$1"/*.txt; do
        [ -e "$f" ] || continue
        status=$(sed -n 's/^status //p' "$f")
        case $f in
        *-wrong.txt)
            if [ "$status" = 9 ]; then
                say "$1 $(basename "$f" .txt): found, as it has to be"
            else
                say "$1 $(basename "$f" .txt): NOT FOUND ($status)"
                fail=1
            fi
            continue
            ;;
        esac
        case $status in
        0) say "$1 $(basename "$f" .txt): $(grep -hE 'passed|SUMMARY' "$f" | tail -2 | tr -s '=\n' '  ')" ;;
        77) say "$1 $(basename "$f" .txt): skipped" ;;
        124) say "$1 $(basename "$f" .txt): stopped after its time limit, $(grep -cE '^=+ (Error|Invalid|Uninit|Race)' "$f") findings until then" ;;
        *)
            say "$1 $(basename "$f" .txt): FAILED ($status)"
            fail=1
            ;;
        esac
    done
}
judge tests
judge sanitizer
rm -f "$out/wrong"
phase "tests and sanitizer"

if [ -z "${NO_BENCH:-}" ] && room 20 kernels; then
    timeout 120 "$build/bench/cuda/cuzk_bench_cuda" --runs="${BENCH_RUNS:-3}" >"$out/bench.jsonl" || fail=1
    say "kernels: $(wc -l <"$out/bench.jsonl") results"
    phase kernels
fi
if [ -z "${NO_BENCH:-}" ] && room 25 operations; then
    timeout 40 "$build/cuzk" bench micro --device cuda --max-lg 24 --samples 5 --force --result "$out/operations.json" \
        >"$out/operations.txt" 2>&1 && say "operations: $(grep -c ^accel/ "$out/operations.txt") results" ||
        say "operations: not measured: $(tail -1 "$out/operations.txt")"
    phase operations
fi

# Whole proofs from generated inputs, with parameters made on the card: name, runs, warm-up, options of bench prove.
prove() {
    local name=$1 runs=$2 warmup=$3
    shift 3
    if timeout 200 "$build/cuzk" bench prove "$@" --device cuda --runs "$runs" --warmup "$warmup" --force --commit "$COMMIT" \
        --result "$out/proofs/$name.json" --trace "$out/proofs/$name.trace" >"$out/proofs/$name.txt" 2>&1 </dev/null; then
        say "proof $name: $(grep -E '^(wall|peak_rss) ' "$out/proofs/$name.txt" | tr -s ' \n' ' ')"
    else
        say "proof $name: FAILED: $(tail -2 "$out/proofs/$name.txt")"
        fail=1
    fi
}
if [ -n "${FULL:-}" ]; then
    prove porep-32gib "${RUNS:-5}" 0 porep --sector-size 32GiB
    room 2 winning-32gib && prove winning-32gib 5 1 winning --sector-size 32GiB
    room 15 window-32gib && prove window-32gib 3 0 window --sector-size 32GiB
    room 15 update-32gib && prove update-32gib 3 0 update --sector-size 32GiB
    [ -n "${FILES:-}" ] || { room 45 porep-32gib-vram24 && prove porep-32gib-vram24 "${STREAMED_RUNS:-1}" 0 porep --sector-size 32GiB --vram 24GiB; }
fi
room 3 porep-2kib && prove porep-2kib 5 1 porep --sector-size 2KiB
room 3 porep-512mib && prove porep-512mib 5 1 porep --sector-size 512MiB
room 6 porep-512mib-vram2 && prove porep-512mib-vram2 3 1 porep --sector-size 512MiB --vram 2GiB
phase proofs
# The way of a storage provider: C1 file and parameter file to a proof, which is then verified by itself.
if [ -n "${FILES:-}" ] && room 90 "32 GiB from files"; then
    mkdir -p "$FILES"
    # files NAME OPTION...: three times from the C1 file to a proof
    files() {
        local name=$1
        shift
        if timeout 100 "$build/cuzk" prove porep --c1 "$FILES/c1.json" --params "$FILES" --device cuda -o "$FILES/proof" \
            --force --layers "$@" >"$out/proofs/$name.txt" 2>&1 </dev/null &&
            "$build/cuzk" verify porep --c1 "$FILES/c1.json" --params "$FILES" --proof "$FILES/proof" >>"$out/proofs/$name.txt" 2>&1; then
            say "$name: $(grep -E '^(load|input to proof|peak rss|result)' "$out/proofs/$name.txt" | tr -s ' \n' ' ')"
        else
            say "$name: FAILED: $(tail -2 "$out/proofs/$name.txt")"
            fail=1
        fi
    }
    if { "$build/cuzk" params setup porep 32GiB --insecure-seed 1 --device cuda -o "$FILES" --force &&
        "$build/cuzk" gen porep --sector-size 32GiB --seed 1 -o "$FILES/c1.json" --force; } \
        >"$out/proofs/setup-32gib.txt" 2>&1 </dev/null; then
        say "setup of a 32 GiB file: $(grep -E '^(total|peak rss)' "$out/proofs/setup-32gib.txt" | head -2 | tr -s ' \n' ' ')"
        files files-32gib --repeat 3
        room 40 "streamed from the file" && files files-32gib-vram24-file --repeat 2 --vram 24GiB --stream file
        room 60 "streamed from memory" && files files-32gib-vram24-memory --repeat 2 --vram 24GiB --stream memory
    else
        say "setup of a 32 GiB file: FAILED: $(tail -2 "$out/proofs/setup-32gib.txt")"
        fail=1
    fi
    phase files
    if "$build/cuzk" serve --help >/dev/null 2>&1 && room 160 "the daemon"; then
        if "$build/cuzk" params setup winning 32GiB --insecure-seed 1 --device cuda -o "$FILES" --force \
            >"$out/proofs/setup-winning.txt" 2>&1 </dev/null &&
            PREBUILT=$build PARAMS=$FILES BUDGET=150 COMMIT=$COMMIT tools/gpu_daemon.sh "$out/daemon" >"$out/daemon.txt" 2>&1; then
            say "daemon: $(grep -c ': met' "$out/daemon/summary.txt") ratios within their bars"
        else
            say "daemon: FAILED: $(grep -hE 'MISSED|FAILED' "$out/daemon/summary.txt" "$out/proofs/setup-winning.txt" | tr '\n' ' ')"
            fail=1
        fi
        phase daemon
    fi
fi
if [ -z "${NO_BENCH:-}" ] && room 40 "kernels of circuits"; then
    timeout 120 "$build/bench/cuda/cuzk_bench_cuda_r1cs" --runs="${BENCH_RUNS:-3}" --setup=0 >"$out/bench_r1cs.jsonl" || fail=1
    say "kernels of circuits: $(wc -l <"$out/bench_r1cs.jsonl") results"
    phase "kernels of circuits"
fi
[ $fail = 0 ] && say "all: ok" || say "all: FAILED"
exit $fail
