#!/bin/sh
# Runs every fuzz target of a build folder for a time: tools/fuzz.sh build/fuzz [SECONDS]
# New inputs go to BUILD/corpus/<target>; the committed corpus is only read. A finding stops the run.
set -eu
build=$1
seconds=${2:-60}
cd "$(dirname "$0")/.."
found=0
for target in $(find "$build" -name 'fuzz_*' -type f -perm -u+x | sort); do
    name=$(basename "$target" | sed 's/^fuzz_//')
    found=$((found + 1))
    mkdir -p "$build/corpus/$name" "fuzz/corpus/$name"
    echo "fuzz $name for $seconds s"
    "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="$build/finding-$name-" "$build/corpus/$name" "fuzz/corpus/$name" >"$build/fuzz-$name.log" 2>&1 || {
        tail -n 40 "$build/fuzz-$name.log"
        echo "fuzz $name: FAILED"
        exit 1
    }
    grep -E 'stat::(number_of_executed_units|average_exec_per_sec)' "$build/fuzz-$name.log" || true
done
[ "$found" -gt 0 ] || {
    echo "no fuzz targets in $build" >&2
    exit 1
}
echo "$found passed, 0 failed"
