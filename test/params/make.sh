#!/bin/sh
# make.sh FOLDER KIND BUILDS PROGRAM [ARGUMENT...]: parameters of 2 KiB sectors for the tests. CTest runs this before the tests that need
# them (cuzk_uses_params in cmake/Cuzk.cmake). "PROGRAM ARGUMENT... NEW" makes them in the empty folder NEW; they go to FOLDER.
# Parameters that are newer than PROGRAM are kept: whatever changes them is linked into it. FOLDER/KIND.done is written last: the commit
# that they were made from (nothing when the tree has changes), and the digest of each file.
# BUILDS is "-", or the folder of the builds of this tree. Then parameters that another of them has made from the same commit are copied,
# once their digests are checked: they are the same bytes, and a build with a sanitizer takes a minute to make them.
set -eu
folder=$1
kind=$2
builds=$3
program=$4
shift 3
mkdir -p "$folder"
if [ "$folder/$kind.done" -nt "$program" ]; then
    echo "$kind: kept"
    exit 0
fi
rm -f "$folder/$kind.done"
new=$(mktemp -d "$folder/$kind.XXXXXX")
trap 'rm -rf "$new"' EXIT
commit=$(git describe --always --dirty --exclude='*' --abbrev=40 2>/dev/null || true)
case $commit in *-dirty) commit= ;; esac

# copy_of DONE: the files that another build's list names, with their digests
copy_of() {
    [ -n "$commit" ] && [ "$(head -n 1 "$1")" = "commit $commit" ] || return 1
    for name in $(sed -n 's/^[0-9a-f]*  //p' "$1"); do
        cp "${1%/*}/$name" "$new/" || return 1
    done
    (cd "$new" && sed 1d "$1" | sha256sum --check --quiet)
}

made=
if [ "$builds" != - ]; then
    for done in "$builds"/*/test-params/"$kind.done"; do
        if [ -f "$done" ] && copy_of "$done"; then
            made="copied from ${done%/*}"
            break
        fi
        rm -f "$new"/*
    done
fi
if [ -z "$made" ]; then
    "$@" "$new"
    made="made by $program"
fi
(cd "$new" && echo "commit $commit" && sha256sum -- *) >"$folder/$kind.list"
mv "$new"/* "$folder/"
mv "$folder/$kind.list" "$folder/$kind.done"
echo "$kind: $made"
