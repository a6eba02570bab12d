#!/bin/sh
# Prometheus' own opinion of /metrics, where promtool is installed: test_promtool.sh FAKE_SERVER
set -u
command -v promtool >/dev/null || {
    echo "skipped: no promtool"
    exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkfifo "$dir/hold"
"$1" 127.0.0.1:0 130 0 <"$dir/hold" >"$dir/port" &
exec 3>"$dir/hold" # the server ends when this closes
n=0
while [ ! -s "$dir/port" ] && [ $n -lt 1800 ]; do
    sleep 0.1
    n=$((n + 1))
done
python3 -c 'import sys, urllib.request; sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1]).read())' \
    "http://127.0.0.1:$(cat "$dir/port")/metrics" | promtool check metrics >"$dir/out" 2>&1
exec 3>&-
# Two names are older than the rule that it remarks on, and are kept.
cat >"$dir/want" <<'WANT'
cuzk_proofs_completed counter metrics should have "_total" suffix
cuzk_proofs_failed counter metrics should have "_total" suffix
WANT
diff "$dir/want" "$dir/out" && echo "1 passed, 0 failed"
