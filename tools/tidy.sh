#!/bin/sh
# clang-tidy on src and apps, every finding an error, on the compile commands of the clang preset.
# Status 1: findings. Status 2: the files could not be looked at (no clang-tidy, no compile commands, a crash of clang-tidy).
# usage: tools/tidy.sh changed      files that changed since the commit in tools/tidy_base.txt, whose tree was clean
#        tools/tidy.sh all          every file
#        tools/tidy.sh FILE...      these files
set -eu
broken() {
    echo "tidy: $1" >&2
    exit 2
}
cd "$(git rev-parse --show-toplevel)"
tidy=$(command -v clang-tidy-14 || command -v clang-tidy) || broken "clang-tidy is not installed (tools/deps.sh test)"
commands=build/clang/compile_commands.json
out=$(mktemp)
said=$(mktemp)
trap 'rm -f "$out" "$said"' EXIT
# prepare COMMAND...: what it says is shown when it fails
prepare() {
    "$@" >"$out" 2>&1 || { cat "$out" >&2; broken "failed: $*"; }
}
[ -f $commands ] || prepare cmake --preset clang
[ -s $commands ] || broken "$commands is missing or empty"
# generated headers; a build without the daemon has none of the second target
prepare cmake --build --preset clang --target cuzk_commit
if grep -qF '/src/rpc/wire/' $commands; then
    prepare cmake --build --preset clang --target cuzk_rpc_proto
fi
case "${1:-changed}" in
changed)
    base=$(grep -v '^#' tools/tidy_base.txt)
    git merge-base --is-ancestor "$base" HEAD || broken "the commit $base of tools/tidy_base.txt is not in the history of HEAD"
    files=$(git diff --name-only --diff-filter=d "$base" -- 'src/*.c' 'apps/*.c')
    ;;
all) files=$(git ls-files 'src/*.c' 'apps/*.c') ;;
*)
    files=$*
    for f in $files; do
        [ -f "$f" ] || broken "there is no file $f"
    done
    ;;
esac
# Files that no build compiles here (the CUDA back end without CUDA, a template) have no command.
list=$(for f in $files; do if grep -qF "/$f\"" $commands; then echo "$f"; fi; done)
if [ -z "$list" ]; then
    echo "tidy: no file to look at"
    exit 0
fi
count=$(echo "$list" | wc -l)
rc=0
echo "$list" | xargs -P "$(nproc)" -n 4 "$tidy" -p build/clang --quiet >"$out" 2>"$said" || rc=$?
findings=$(grep -E 'error:|warning:' "$out" | sort -u)
[ -z "$findings" ] || echo "$findings"
# xargs says 123 when a clang-tidy ended with 1 (findings, or it could not work), and more when one crashed.
if { [ $rc != 0 ] && [ -z "$findings" ]; } || [ $rc -gt 123 ] || grep -qF 'Running without flags' "$said"; then
    grep -vE '^[0-9]+ warnings? (generated|treated)|^Suppressed|^Use -header-filter' "$said" >&2 || true
    broken "clang-tidy itself failed on some of $count files (status $rc of xargs)"
fi
if [ $rc != 0 ]; then
    echo "tidy: findings in $count files" >&2
    exit 1
fi
echo "tidy: $count files, no finding"
