#!/bin/bash
# tools/run_tests.sh on small projects: what passes, fails twice, fails once, fails by a sanitizer, fails in number.
# usage: test_run_tests.sh RUN_TESTS
set -euo pipefail
script=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "FAIL $1"; cat "$dir/out"; exit 1; }
# project TEST...: a folder with the results of a build whose tests are shell commands, t0 to tn
project() {
    rm -rf p
    mkdir p
    cd p
    local n=0 command
    for command in "$@"; do
        printf 'add_test([=[t%d]=] "bash" "-c" [=[%s]=])\n' $n "$command" >>CTestTestfile.cmake
        n=$((n + 1))
    done
}
# expect STATUS TEXT UNSTEADY
expect() {
    local status=0
    "$script" -j 2 >"$dir/out" 2>&1 || status=$?
    [ "$status" -eq "$1" ] || fail "status $status, and $1 was expected"
    grep -qE "$2" "$dir/out" || fail "no line with: $2"
    [ "$(cat Testing/unsteady.txt 2>/dev/null || true)" = "$3" ] || fail "the list of unsteady tests"
    cd "$dir"
}
once='[ -e seen ] || { touch seen; exit 1; }' # fails the first time

project true true; expect 0 '2 tests passed|100% tests passed' ''
project true false; expect 8 'run again alone: t1' ''
project true "$once"; expect 0 'UNSTEADY.* t1$' t1
project true "echo WARNING: ThreadSanitizer: data race; $once"; expect 8 'nothing is run again' ''
project true "echo 'a.c:1:2: runtime error: x'; $once"; expect 8 'nothing is run again' ''
project true "echo 'cuzk: internal error: a.c:1: x'; $once"; expect 8 'nothing is run again' ''
project false false false false; expect 8 '4 tests failed; none is run again' ''
# A list of an earlier run is not taken for this one's.
project true "$once"
"$script" >"$dir/out" 2>&1 || fail "the first run"
expect 0 '100% tests passed' ''
echo "8 passed, 0 failed"
