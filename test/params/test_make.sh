#!/bin/bash
# make.sh with a program of the test's own in place of the real ones: what is made, what is kept, and what is copied from another build.
# usage: test_make.sh MAKE
set -euo pipefail
make=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t
git init -q .
echo 'build' >.gitignore
printf '#!/bin/bash\necho "of $1" >"$2/$1.params"\necho key >"$2/$1.vk"\n' >program
chmod +x program
git add .gitignore program
git commit -q -m one

runs=0
# expect TEXT BUILD BUILDS: the output of make.sh in a build, which must leave both files and a list
expect() {
    "$make" "$dir/build/$2/test-params" window "$3" "$dir/program" window >out 2>&1 || { echo "FAIL: status"; cat out; exit 1; }
    if ! grep -qE "$1" out || [ "$(cat "build/$2/test-params/window.params")" != "of window" ] ||
        ! (cd "build/$2/test-params" && sed 1d window.done | sha256sum --check --quiet && [ "$(ls | wc -l)" = 3 ]); then
        echo "FAIL: '$1' was expected"
        ls -l "build/$2/test-params"
        cat out
        exit 1
    fi
    rm out
    runs=$((runs + 1))
}
forget() { rm -r "build/$1"; }

expect 'made by' a "$dir/build"   # no other build has them
expect 'kept' a "$dir/build"
expect 'copied from .*/a/' b "$dir/build"
forget b
expect 'made by' b -              # a build that makes its own
forget b
echo damage >>build/a/test-params/window.params
expect 'made by' b "$dir/build"   # the digest does not fit
forget a
rm build/b/test-params/window.vk
expect 'made by' a "$dir/build"   # a file is missing
forget b
git commit -q --allow-empty -m two
expect 'made by' b "$dir/build"   # of another commit
forget a
echo '# a change' >>program
expect 'made by' a "$dir/build"   # the tree has changes
expect 'made by' b "$dir/build"   # and the program is newer than what it made
echo "$runs passed, 0 failed"
