#!/bin/bash
# On a machine with a GPU: the daemon against the command line of the same program, with the same parameter files.
# usage: tools/gpu_daemon.sh OUT_FOLDER      (from the repository root)
#   PREBUILT=DIR    folder with the program cuzk, built with CUDA and the daemon (default build/gpu)
#   PARAMS=DIR      folder with the parameters of porep and winning of 32 GiB sectors, for instance made there by
#                     cuzk params setup porep 32GiB --insecure-seed 1 --device cuda -o DIR     (47 GB, 40 s)
#                     cuzk params setup winning 32GiB --insecure-seed 1 --device cuda -o DIR
#   BUDGET=150      seconds for all; a part that would not fit is left out
#   LIMIT=150       seconds for one measurement
#   RUNS=3          measured runs of one PoRep by the command line; DAEMON_RUNS=2 by the daemon
#   STREAM=file     where the points are under 24 GiB: file or memory
#   PORT=19821      of the daemon's HTTP
#   PARTS="porep winning vram24 stream"    what is measured; besides these four, which are the default:
#                   window    WindowPoSt, whose parameters are in PARAMS too
#                   compete   two PoReps, a WindowPoSt and five WinningPoSts at once, by a daemon that has 24 GiB of device memory
#                   small     the card plays smaller ones (CARDS="8.6:8GiB 8.6:12GiB 12.0:16GiB"): on each a PoRep and WinningPoSts by the
#                             daemon and by the command line; on the first one WinningPoSts also while the PoRep runs, of sectors of
#                             the size SECOND=64GiB, too, where it is set (its parameters are in PARAMS)
#   DEVICE=cpu SECTOR=2KiB    tries this script out where there is no GPU, with parameters of that size
#   COMMIT=ID       what the results name, where the tree is a copy without its history
# Measured, and held against the bars of the ratios daemon : command line:
#   one PoRep 1.02; WinningPoSt 1.02; WindowPoSt 1.02; 6 PoReps, 3 at once, 1.01; one PoRep with 24 GiB of device memory 1.05;
#   one PoRep on each smaller card 1.05, and the daemon's host memory there 8 GiB beside the page cache
# Results: OUT_FOLDER/summary.txt, *.json (for cuzk bench compare), *.txt. Exit status 1: a part failed or missed its bar.
set -u -o pipefail
out=${1:?folder for the results}
mkdir -p "$out"
cuzk=${PREBUILT:-build/gpu}/cuzk
params=${PARAMS:?folder with the parameters of 32 GiB sectors}
port=${PORT:-19821}
device=${DEVICE:-cuda}
sector=${SECTOR:-32GiB}
case $sector in
32GiB) circuit=porep-32g type=3 window_type=13 window_circuit=window-32g ;;
2KiB) circuit=porep-2k type=0 window_type=10 window_circuit=window-2k ;;
*) echo "SECTOR: 32GiB or 2KiB" && exit 2 ;;
esac
begun=$SECONDS
fail=0
daemon=
say() { echo "$@" | tee -a "$out/summary.txt"; }
# room SECONDS WHAT: whether so much of the budget is left
room() {
    if [ $((SECONDS - begun + $1)) -gt "${BUDGET:-150}" ]; then
        say "$2: left out, no time"
        return 1
    fi
}
phase() { say "-- $1: $((SECONDS - begun)) s"; }
failed() {
    say "$1: FAILED: $(tail -2 "$out/$1.txt" | tr '\n' ' ')"
    fail=1
}
parts=" ${PARTS:-porep winning vram24 stream} "
wanted() { [[ $parts == *" $1 "* ]]; }
common=(--force ${COMMIT:+--commit "$COMMIT"})
as=() # of every program: the card that it plays

# by_command NAME RUNS OPTION...: bench prove of the parameter files
by_command() {
    local name=$1 runs=$2
    shift 2
    timeout "${LIMIT:-150}" "$cuzk" bench prove "$@" --sector-size "$sector" --params "$params" --device "$device" --runs "$runs" \
        "${common[@]}" "${as[@]}" --result "$out/$name.json" >"$out/$name.txt" 2>&1 </dev/null || failed "$name"
}
# by_daemon NAME RUNS WARMUP OPTION...: the same by the daemon that is running
by_daemon() {
    local name=$1 runs=$2 warmup=$3
    shift 3
    timeout "${LIMIT:-150}" "$cuzk" bench daemon batch "$@" -a "unix://$out/sock" --status "127.0.0.1:$port" --runs "$runs" \
        --warmup "$warmup" "${common[@]}" --result "$out/$name.json" >"$out/$name.txt" 2>&1 </dev/null || failed "$name"
}
# start NAME CIRCUIT LINE...: a daemon with these lines under [gpus]; waits until the circuit's parameters are loaded
start() {
    local name=$1 loads=$2
    shift 2
    {
        printf '[daemon]\nlisten = "unix://%s/sock"\nhttp_listen = "127.0.0.1:%s"\n' "$out" "$port"
        printf '[srs]\nparam_cache = "%s"\npreload = ["%s"]\n[store]\npath = "memory"\n[gpus]\n' "$params" "$loads"
        [ "$device" = cuda ] || echo 'cpu_only = true'
        printf '%s\n' "$@"
    } >"$out/$name.toml"
    "$cuzk" serve --config "$out/$name.toml" "${as[@]}" >"$out/$name.log" 2>&1 &
    daemon=$!
    local i
    for ((i = 0; i < 300; i++)); do
        if "$cuzk" health -a "unix://$out/sock" >/dev/null 2>&1 &&
            "$cuzk" bench daemon preload -c "$loads" -a "unix://$out/sock" >"$out/preload.txt" 2>&1; then
            return 0
        fi
        kill -0 $daemon 2>/dev/null || break
        sleep 0.1
    done
    say "$name: FAILED to start: $(tail -2 "$out/$name.log" | tr '\n' ' ')"
    fail=1
    return 1
}
stop() {
    [ -z "$daemon" ] || kill "$daemon" 2>/dev/null
    [ -z "$daemon" ] || wait "$daemon" 2>/dev/null
    daemon=
}
# The daemon's device memory in use, in bytes, again and again; what is kept for WinningPoSt and not used counts as free.
sample() {
    local text total free
    while kill -0 $daemon 2>/dev/null; do
        text=$( { exec 3<>"/dev/tcp/127.0.0.1/$port" && printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3 && cat <&3; } 2>/dev/null)
        total=$(sed -n 's/^cuzk_device_memory_bytes{.*} *//p' <<<"$text" | head -1)
        free=$(sed -n 's/^cuzk_device_memory_free_bytes{.*} *//p' <<<"$text" | head -1)
        [ -z "$total" ] || [ -z "$free" ] || printf '%.0f %.0f\n' "$total" "$free"
        sleep 0.2
    done | awk '{ used = $1 - $2; if (used > most) { most = used; printf "%.0f\n", most; fflush() } }' >"$1"
}
# host_peak NAME: the daemon's peak so far against the bar of 8 GiB
host_peak() {
    local kib
    kib=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' /proc/$daemon/status)
    if [ "${kib:-99999999}" -le $((8 * 1024 * 1024)) ]; then
        say "$1: host memory of the daemon, peak: $((kib / 1024)) MiB, bar 8192: met"
    else
        say "$1: host memory of the daemon, peak: $((${kib:-0} / 1024)) MiB, bar 8192: MISSED"
        fail=1
    fi
}
trap stop EXIT
# ratio NAME COMMAND_RESULT DAEMON_RESULT BAR [PROOFS]: of the medians of the totals, the daemon's divided by PROOFS
ratio() {
    if [ ! -s "$out/$2.json" ] || [ ! -s "$out/$3.json" ]; then
        say "ratio $1: not measured"
        return
    fi
    python3 - "$@" "$out" <<'PY' | tee -a "$out/summary.txt"
import json, statistics, sys
name, command, daemon, bar, *proofs, out = sys.argv[1:]
def totals(file):
    result = json.load(open(f"{out}/{file}.json"))
    return next(m["values"] for m in result["metrics"] if m["role"] == "total")
c, d = totals(command), [t / int(*proofs or [1]) for t in totals(daemon)]
r = statistics.median(d) / statistics.median(c)
spread = lambda v: " ".join(f"{x:.3f}" for x in v)
print(f"ratio {name}: {r:.4f}, bar {bar}: {'met' if r <= float(bar) else 'MISSED'}; "
      f"daemon {spread(d)} s, command line {spread(c)} s")
sys.exit(r > float(bar))
PY
    [ "${PIPESTATUS[0]}" = 0 ] || fail=1
}

: >"$out/summary.txt"
out=$(cd "$out" && pwd)
{
    date -u +%Y-%m-%d
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
    grep -m1 'model name' /proc/cpuinfo
    nproc
    "$cuzk" --version
    echo "commit ${COMMIT:-$(git rev-parse HEAD 2>/dev/null || echo unknown)}"
} >"$out/machine.txt" 2>&1
"$cuzk" gen porep --sector-size "$sector" --seed 1 -o "$out/c1.json" --force >"$out/gen.txt" 2>&1 || failed gen
"$cuzk" gen winning --sector-size "$sector" --seed 1 -o "$out/winning" --force >>"$out/gen.txt" 2>&1 || failed gen
randomness=$(sed -n 's/^randomness *//p' "$out/gen.txt")
porep=(--kind porep --c1 "$out/c1.json")
winning=(--vanilla "$out/winning" --randomness "$randomness")
if wanted window || wanted compete; then
    mkdir -p "$out/window"
    "$cuzk" gen window --sector-size "$sector" --seed 1 -o "$out/window" --force >"$out/gen-window.txt" 2>&1 || failed gen-window
    window=(--vanilla "$out/window" --randomness "$(sed -n 's/^randomness *//p' "$out/gen-window.txt")")
fi
phase inputs

if wanted porep; then
    by_command porep "${RUNS:-3}" porep --c1 "$out/c1.json" --warmup 0
    phase "PoRep by the command line"
fi
wanted winning && by_command winning 10 winning "${winning[@]}" --type "$type" --warmup 2
phase "WinningPoSt by the command line"
if wanted window; then
    by_command window "${RUNS:-3}" window --seed 1 --warmup 0 # the same input, made by itself
    phase "WindowPoSt by the command line"
fi
if { wanted porep || wanted winning; } && start resident "$circuit" 'combs = true'; then
    phase "the daemon has its parameters"
    wanted porep && by_daemon daemon-porep "${DAEMON_RUNS:-2}" 0 "${porep[@]}" -c 1
    phase "PoRep by the daemon"
    wanted winning && by_daemon daemon-winning 10 2 --kind winning "${winning[@]}" --type "$type" -c 1
    phase "WinningPoSt by the daemon"
    wanted stream && room 52 "stream by the daemon" && by_daemon daemon-stream 1 0 "${porep[@]}" -c 6 -j 3
    stop
    phase "stream by the daemon"
fi
if wanted window && start window "$window_circuit" 'combs = true'; then
    phase "the daemon has the parameters of a WindowPoSt"
    by_daemon daemon-window "${RUNS:-3}" 1 --kind window "${window[@]}" --type $window_type -c 1
    stop
    phase "WindowPoSt by the daemon"
fi
if wanted vram24 && [ "$device" = cuda ]; then
    room 18 "24 GiB by the command line" &&
        by_command vram24 1 porep --c1 "$out/c1.json" --warmup 0 --vram 24GiB --stream "${STREAM:-file}"
    room 18 "24 GiB by the daemon" &&
        start streamed "$circuit" 'vram_limit = "24GiB"' "stream = \"${STREAM:-file}\"" &&
        by_daemon daemon-vram24 1 0 "${porep[@]}" -c 1
    stop
    phase "24 GiB of device memory"
fi
# Three kinds want the same small card: two PoReps, a WindowPoSt and five WinningPoSts, all sent at the same moment.
if wanted compete && room 60 "three kinds at once" &&
    start compete "$circuit" 'vram_limit = "24GiB"' "stream = \"${STREAM:-file}\""; then
    by_daemon compete-porep 1 0 "${porep[@]}" -c 2 -j 2 &
    at_porep=$!
    by_daemon compete-window 1 0 --kind window "${window[@]}" --type $window_type -c 1 &
    at_window=$!
    by_daemon compete-winning 5 0 --kind winning "${winning[@]}" --type "$type" -c 1
    wait $at_porep $at_window
    for name in compete-porep compete-window compete-winning; do
        [ -s "$out/$name.json" ] || fail=1
        say "$name: $(grep -E '^ *(wall|total)' "$out/$name.txt" | tr -s ' ' | tr '\n' ' ')"
    done
    stop
    phase "three kinds at once"
fi
# small_beside NAME: WinningPoSts while the PoRep runs; their keys come to the device meanwhile.
small_beside() {
    sleep 6
    by_daemon "daemon-$1-beside" 3 0 --kind winning "${winning[@]}" --type "$type" -c 1
    [ -z "${SECOND:-}" ] ||
        by_daemon "daemon-$1-beside-second" 3 0 --kind winning "${second[@]}" -c 1
}
# small CARD SECONDS BESIDE: one card, by the daemon and by the command line, for which so many seconds must be left
small() {
    local name=small-${1//:/-} beside= most
    as=(--as-card "$1")
    if room $((2 * $2)) "$1 by the daemon" && start "$name" "$circuit" 'stream = "file"'; then
        sample "$out/$name-device.txt" &
        if [ "$3" = 1 ]; then
            small_beside "$name" &
            beside=$!
        fi
        by_daemon "daemon-$name" 1 0 "${porep[@]}" -c 1
        [ -z "$beside" ] || wait "$beside"
        by_daemon "daemon-$name-winning" 5 1 --kind winning "${winning[@]}" --type "$type" -c 1
        for part in beside beside-second winning; do
            [ -s "$out/daemon-$name-$part.json" ] &&
                say "daemon-$name-$part: $(grep -E '^ *total' "$out/daemon-$name-$part.txt" | head -1 | tr -s ' ')"
        done
        most=$(tail -1 "$out/$name-device.txt" 2>/dev/null)
        say "$1: device memory in use, most of what was sampled: $((${most:-0} >> 20)) MiB"
        host_peak "$1"
        stop
        phase "$1 by the daemon"
    fi
    if room "$2" "$1 by the command line"; then
        by_command "$name" 1 porep --c1 "$out/c1.json" --warmup 0 --stream file
        by_command "$name-winning" 5 winning "${winning[@]}" --type "$type" --warmup 1
        say "$name: $(grep -E '^ *(wall|peak_rss|peak_device) ' "$out/$name.txt" | tr -s ' ' | tr '\n' ' ')"
        say "$name-winning: $(grep -E '^ *wall ' "$out/$name-winning.txt" | tr -s ' ')"
        phase "$1 by the command line"
    fi
    as=()
    ratio "one PoRep, $1" "$name" "daemon-$name" 1.05
}
if wanted small; then
    if [ -n "${SECOND:-}" ]; then
        "$cuzk" gen winning --sector-size "$SECOND" --seed 2 -o "$out/second" --force >"$out/gen-second.txt" 2>&1 || failed gen-second
        second=(--vanilla "$out/second" --randomness "$(sed -n 's/^randomness *//p' "$out/gen-second.txt")" --sector-size "$SECOND")
    fi
    beside=1
    for card in ${CARDS:-8.6:8GiB 8.6:12GiB 12.0:16GiB}; do
        case $card in *:8GiB) seconds=31 ;; *:12GiB) seconds=23 ;; *) seconds=18 ;; esac
        [ "$device" = cuda ] || seconds=1
        small "$card" "$seconds" "$beside"
        beside=
    done
fi
wanted stream && room 54 "stream by the command line" && by_command stream 1 porep --c1 "$out/c1.json" --warmup 0 --count 6 --jobs 3
wanted porep && ratio "one PoRep" porep daemon-porep 1.02
wanted winning && ratio WinningPoSt winning daemon-winning 1.02
wanted window && ratio WindowPoSt window daemon-window 1.02
wanted stream && ratio "6 PoReps, 3 at once" stream daemon-stream 1.01
wanted stream && wanted porep && ratio "6 PoReps, 3 at once, each of them against one" porep daemon-stream 1.01 6
wanted vram24 && ratio "one PoRep, 24 GiB" vram24 daemon-vram24 1.05
rm -rf "$out/c1.json" "$out/winning" "$out/window" "$out/second" "$out/sock"
[ $fail = 0 ] && say "all: ok" || say "all: FAILED"
exit $fail
