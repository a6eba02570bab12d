#!/bin/sh
# clang-tidy on src and apps, every finding an error, on the compile commands of the clang preset.
# usage: tools/tidy.sh changed      files that changed since the commit in tools/tidy_base.txt, whose tree was clean
#        tools/tidy.sh all          every file
#        tools/tidy.sh FILE...      these files
set -eu
cd "$(git rev-parse --show-toplevel)"
tidy=$(command -v clang-tidy-14 || command -v clang-tidy) || {
    echo "tidy: clang-tidy is not installed (tools/deps.sh test)" >&2
    exit 1
}
commands=build/clang/compile_commands.json
[ -f $commands ] || cmake --preset clang >/dev/null
# generated headers
cmake --build --preset clang --target cuzk_commit >/dev/null
cmake --build --preset clang --target cuzk_rpc_proto >/dev/null 2>&1 || true
case "${1:-changed}" in
changed)
    base=$(grep -v '^#' tools/tidy_base.txt)
    git merge-base --is-ancestor "$base" HEAD || {
        echo "tidy: the commit $base of tools/tidy_base.txt is not in the history of HEAD" >&2
        exit 1
    }
    files=$(git diff --name-only --diff-filter=d "$base" -- 'src/*.c' 'apps/*.c')
    ;;
all) files=$(git ls-files 'src/*.c' 'apps/*.c') ;;
*) files=$* ;;
esac
# Files that no build compiles here (the CUDA back end without CUDA, a template) have no command.
list=$(for f in $files; do grep -qF "/$f\"" $commands && echo "$f"; done || true)
if [ -z "$list" ]; then
    echo "tidy: no file to look at"
    exit 0
fi
out=$(mktemp)
trap 'rm -f "$out"' EXIT
rc=0
echo "$list" | xargs -P "$(nproc)" -n 4 "$tidy" -p build/clang --quiet >"$out" 2>/dev/null || rc=1
if [ $rc != 0 ]; then
    grep -E 'error:|warning:' "$out" | sort -u
    echo "tidy: findings in $(echo "$list" | wc -l) files" >&2
    exit 1
fi
echo "tidy: $(echo "$list" | wc -l) files, no finding"
