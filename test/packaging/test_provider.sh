#!/bin/bash
# The commands of docs/provider.md, all of them, with what the build installs and the libraries that the tarball brings: test_provider.sh BUILD
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v patchelf >/dev/null || { echo "skipped: no patchelf"; exit 77; }
# The versions are those of this system, and not of tools/package.sh: a tree for this machine.
CUZK_ANY_VERSIONS=1 tools/pack/tarball_tree.sh "$1" "$dir/tree"
tools/bare_root.sh tree "$dir/tree" || exit $?
# A page with a command that the script does not know must fail, or the page could say anything.
sed 's/^    nvidia-smi$/    cuzk frobnicate/' docs/provider.md >"$dir/page.md"
if PAGE=$dir/page.md tools/bare_root.sh tree "$dir/tree" >"$dir/out" 2>&1; then
    echo "an unknown command of the page was passed over"
    exit 1
fi
grep -q 'a command that this script does not know: cuzk frobnicate' "$dir/out"
# A library that is missing from the tree is named.
tools/pack/least_versions.py "$dir/tree" >"$dir/out" || true # this system's versions may be newer
if grep 'is not in the tree' "$dir/out"; then
    echo "a library is missing"
    exit 1
fi
rm "$dir/tree/usr/lib/cuzk/libsqlite3.so.0"
tools/pack/least_versions.py "$dir/tree" >"$dir/out" || true
grep -q 'bin/cuzk needs libsqlite3.so.0, which is not in the tree' "$dir/out"
echo "4 passed, 0 failed"
