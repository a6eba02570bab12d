#!/bin/bash
# tools/tidy.sh with a clang-tidy and a cmake of the test's own: its status when there is nothing to find, when there are findings, and
# when the files could not be looked at.
# usage: test_tidy.sh TIDY
set -euo pipefail
script=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/bin" "$dir/tree/src" "$dir/tree/build/clang"
cd "$dir/tree"
git init -q .
touch src/a.c src/b.c
commands=build/clang/compile_commands.json

# program NAME LINE: what takes the place of a program
program() {
    printf '#!/bin/bash\n%s\n' "$2" >"$dir/bin/$1"
    chmod +x "$dir/bin/$1"
}
# expect STATUS TEXT FILE...
runs=0
expect() {
    local status=0 wanted=$1 text=$2
    shift 2
    PATH="$dir/bin:$PATH" "$script" "$@" >"$dir/out" 2>&1 || status=$?
    if [ "$status" -ne "$wanted" ] || ! grep -qE "$text" "$dir/out"; then
        echo "FAIL: status $status, and $wanted and '$text' were expected"
        cat "$dir/out"
        exit 1
    fi
    runs=$((runs + 1))
}

program cmake 'exit 0'
program clang-tidy-14 'exit 0'
expect 2 'compile_commands.json is missing' src/a.c
: >$commands
expect 2 'compile_commands.json is missing or empty' src/a.c
printf '[{"file": "%s/src/a.c"}]\n' "$PWD" >$commands
expect 0 'tidy: 1 files, no finding' src/a.c
expect 0 'no file to look at' src/b.c
expect 2 'there is no file src/c.c' src/c.c
program clang-tidy-14 'echo "src/a.c:1:1: error: a finding [check]"; exit 1'
expect 1 'tidy: findings in 1 files' src/a.c
program clang-tidy-14 'echo "a cause" >&2; exit 1'
expect 2 'a cause' src/a.c
program clang-tidy-14 'ulimit -c 0; kill -SEGV $$'
expect 2 'clang-tidy itself failed' src/a.c
program clang-tidy-14 'echo "src/a.c:1:1: error: a finding [check]"; ulimit -c 0; kill -ABRT $$'
expect 2 'clang-tidy itself failed' src/a.c
program clang-tidy-14 'echo "Running without flags." >&2; exit 0'
expect 2 'Running without flags' src/a.c
program cmake 'echo "no compiler" >&2; exit 1'
expect 2 'failed: cmake --build' src/a.c
rm $commands
expect 2 'no compiler' src/a.c
echo "$runs passed, 0 failed"
