#!/bin/sh
# The commands that talk to a daemon, against `cuzk serve` on the CPU with WinningPoSt of 2 KiB.
set -eu
. "$(dirname "$0")/../cli/lib.sh"
cd "$(dirname "$0")/../.."
v=test/vectors/filecoin
rand=404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e00
winning="--type winning --vanilla $v/winning.sector1.vanilla.bin --randomness $rand"
CUZK_ADDR="unix://$dir/s.sock"
export CUZK_ADDR

run 'no daemon: names the address' 3 's.sock' status
run 'no daemon: as JSON' 3 '"retryable": true' status --json
run 'odd address' 2 'HOST:PORT' status --addr nonsense
run 'no job given' 2 'needs a JOB' await

run 'setup' 0 'params' params setup winning 2KiB --insecure-seed 7 -o "$dir"
run 'setup, by the other name of the kind' 0 'params' params setup window-post 2k --insecure-seed 7 -o "$dir"
cat >"$dir/c.toml" <<TOML
[daemon]
listen = "$CUZK_ADDR"
http_listen = "127.0.0.1:0"
[memory]
total_budget = "4GiB"
[gpus]
cpu_only = true
[srs]
param_cache = "$dir"
[store]
path = "memory"
TOML
"$cuzk" serve --config "$dir/c.toml" >"$dir/log" 2>&1 &
daemon=$!
trap 'kill $daemon 2>/dev/null || true; wait $daemon 2>/dev/null || true; rm -rf "$dir"' EXIT
i=0
until "$cuzk" health >/dev/null 2>&1; do
    i=$((i + 1))
    [ $i -lt 1800 ] || {
        cat "$dir/log"
        exit 1
    }
    sleep 0.1
done

run 'health' 0 'SERVING' health
run 'status' 0 'winning-post: 0 pending, 0 in progress' status
run 'status as JSON' 0 '"queues"' status --json
# shellcheck disable=SC2086 # options, one per word
run 'submit' 0 'queue position' submit $winning --request-id job-1
run 'await' 0 'COMPLETED' await job-1 -o "$dir/p"
run 'its proof is valid' 0 'valid' verify winning --vanilla $v/winning.sector1.vanilla.bin --randomness $rand --type 0 \
    --params "$dir" --proof "$dir/p"
run 'await again, file exists' 2 'exists' await job-1 -o "$dir/p"
# shellcheck disable=SC2086
run 'submit and wait: the same job' 0 'proof bytes          192' submit $winning --request-id job-1 --wait -o "$dir/again"
run 'cancel what is over' 0 'was running          no' cancel job-1
run 'cancel what is not' 2 'job not found: job-2' cancel job-2
run 'await what is not' 2 'NOT_FOUND' await job-2
run 'no kind' 2 'needs --kind' submit
# shellcheck disable=SC2086
run 'a wait without a file is refused before' 2 '--wait needs -o FILE' submit $winning --request-id job-3 --wait
# shellcheck disable=SC2086
run 'a file without a wait is refused before' 2 '-o is for --wait' submit $winning --request-id job-3 -o "$dir/none"
run 'neither was handed over' 2 'NOT_FOUND' await job-3
# shellcheck disable=SC2086
run 'the proof on standard output, what is said on standard error' 0 'COMPLETED' submit $winning --request-id job-1 --wait -o -
cp "$dir/out" "$dir/stdout"
check 'it is the proof' cmp "$dir/stdout" "$dir/p"
run 'no randomness' 2 'needs --randomness' submit --kind winning --vanilla $v/winning.sector1.vanilla.bin
run 'no miner' 2 'needs --miner and --sector' submit --kind porep --c1 $v/porep-v1_1.c1.json
mkdir "$dir/sectors"
cp $v/window.sector1.vanilla.bin "$dir/sectors"
printf '["%s"]\n' "$(base64 -w 0 $v/window.sector2.vanilla.bin)" >"$dir/sectors/2.json"
printf '["x"]' >"$dir/text.json"
run 'a JSON array that is no base64' 2 'text.json:1:2: ' submit --kind window --type 10 --vanilla "$dir/text.json" --randomness $rand
run 'a folder of a sector and a JSON array, kind and type in the words of prove' 0 'COMPLETED' submit --kind window --type 10 --vanilla "$dir/sectors" \
    --randomness $rand --wait -o "$dir/w"
run 'no input' 2 'needs --vanilla' submit --type winning
run 'wrong hex' 2 '64 hex digits' submit --type winning --randomness 00
run 'wrong randomness: the proof fails, and says whose fault it is' 2 'input:' submit --type winning \
    --randomness 0000000000000000000000000000000000000000000000000000000000000000 --vanilla $v/winning.sector1.vanilla.bin --wait -o "$dir/wrong"
run 'preload' 0 'already loaded       yes' preload winning-2k
run 'preload by its other name' 0 'already loaded       yes' preload winning-post-2KiB
run 'preload of what is not' 2 'nope' preload nope
run 'evict' 0 'was loaded           yes' evict winning-2k
run 'evict again' 0 'was loaded           no' evict winning-2k
# the verbs of the earlier bench tool
# shellcheck disable=SC2086
run 'bench single' 0 'proof:      192 bytes' bench daemon single $winning -a "$CUZK_ADDR"
# shellcheck disable=SC2086
run 'bench batch' 0 'completed:   2' bench daemon batch $winning --count 2 -j 2
# shellcheck disable=SC2086
run 'bench batch as JSON' 0 '"proofs_per_minute"' bench daemon batch $winning -c 1 --json
http=127.0.0.1:$(sed -n 's/.*listen\.http .*port=\([0-9]*\).*/\1/p' "$dir/log")
# shellcheck disable=SC2086
run 'bench batch, measured' 0 'device/prove/msm_h/sum_full' bench daemon batch $winning -c 1 --runs 2 --warmup 0 \
    --status "$http" --result "$dir/r.json"
run 'its result is one that bench compare takes' 3 'device/prove/msm_b_g2/sum_full' bench compare "$dir/r.json" "$dir/r.json"
# shellcheck disable=SC2086
run 'bench batch, measured: no address of spans' 2 'need --status' bench daemon batch $winning --result "$dir/r2.json"
# shellcheck disable=SC2086
run 'bench batch, measured: nobody there' 3 '127.0.0.1:1' bench daemon batch $winning -c 1 --runs 1 --warmup 0 \
    --status 127.0.0.1:1 --result "$dir/r2.json"
run 'bench stress' 0 'winning-post completed=' bench daemon stress --duration 1 -j 2 \
    --job "type=winning,vanilla=$v/winning.sector1.vanilla.bin,randomness=$rand,weight=3"
run 'bench stress: wrong job' 2 'is not an option of a job' bench daemon stress --duration 1 --job type=winning,x=1
run 'bench status' 0 'queue winning-post: 0 pending' bench daemon status
run 'bench preload' 0 'already loaded' bench daemon preload -c winning-2k
run 'bench metrics' 0 'cuzk_proofs_completed_total' bench daemon metrics
kill $daemon
rc=0
wait $daemon || rc=$?
name='the daemon drains and ends'
if [ $rc = 0 ]; then pass; else fail "$name: status $rc"; fi
check 'its socket is gone' test ! -e "$dir/s.sock"
summary
