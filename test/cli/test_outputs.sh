#!/bin/sh
# Outputs: a payload on standard output stands alone, what can be known is checked before the work, nothing is destroyed.
set -eu
. "$(dirname "$0")/lib.sh"
v=test/vectors/circom
cd "$(dirname "$0")/../.."
k=$dir/k.zkey w=$v/multiplier2.wtns

run 'key' 0 '' groth16 setup $v/multiplier2.r1cs "$k" --insecure-seed 1
"$cuzk" groth16 prove "$k" $w - "$dir/pub.json" --binary >"$dir/payload" 2>"$dir/report"
check 'a proof on standard output stands alone' test "$(wc -c <"$dir/payload")" = 192
check 'the report is on standard error' grep -q 'verified' "$dir/report"
"$cuzk" groth16 prove "$k" $w - "$dir/pub2.json" --json >"$dir/payload" 2>"$dir/report"
check 'a JSON proof stands alone, with --json too' python3 -c 'import json,sys; json.load(open(sys.argv[1]))["pi_a"]' "$dir/payload"
"$cuzk" gen winning --sector-size 2KiB -o - >"$dir/payload" 2>"$dir/report"
run 'gen to a file' 0 '' gen winning --sector-size 2KiB -o "$dir/vanilla"
check 'gen to standard output is the same' cmp "$dir/payload" "$dir/vanilla"

printf x >"$dir/file"
mkdir "$dir/folder"
p() { run "$1" 2 "$2" groth16 prove "$k" $w "$3" "$4"; }
p 'missing folder' 'its folder' "$dir/none/p" "$dir/q"
p 'missing folder of the second output' 'its folder' "$dir/p" "$dir/none/q"
p 'a folder as output' 'is a directory' "$dir/folder" "$dir/q"
p 'two outputs of one name' 'two outputs have this name' "$dir/p" "$dir/./p"
p 'standard output twice' 'two outputs have this name' - -
check 'nothing was written' test ! -e "$dir/p" -a ! -e "$dir/q"
cp "$k" "$dir/before"
run 'an output that is the key' 2 'is an input and an output' groth16 prove "$k" $w "$k" "$dir/q" --force
ln "$k" "$dir/link"
run 'an output that is a link to the key' 2 'is an input and an output' groth16 prove "$k" $w "$dir/link" "$dir/q" --force
check 'the key is untouched' cmp "$dir/before" "$k"
run 'filecoin: missing folder' 2 'its folder' prove winning --vanilla "$dir/vanilla" --sector-size 2KiB --randomness 00 -o "$dir/none/p"
run 'filecoin: the input as output' 2 'is an input and an output' prove winning --vanilla "$dir/vanilla" --sector-size 2KiB --randomness 00 -o "$dir/vanilla" --force

# Signals while a pipe is read.
mkfifo "$dir/fifo"
for sig in INT TERM HUP; do
    check "SIG$sig while a named pipe is read" python3 -c '
import re, signal, subprocess, sys, time
number = getattr(signal, "SIG" + sys.argv[3])
p = subprocess.Popen([sys.argv[1], "groth16", "info", sys.argv[2]], stderr=subprocess.PIPE)
caught = 0 # the signals that the program handles by now
while not caught >> number - 1 & 1 and p.poll() is None:
    time.sleep(0.05)
    caught = int(re.search("SigCgt:\\s*(\\S+)", open(f"/proc/{p.pid}/status").read())[1], 16)
quiet = 0
while quiet < 6 and p.poll() is None: # asleep at six looks one after another: it waits for the pipe
    time.sleep(0.05)
    state = re.search("State:\\s*(\\S)", open(f"/proc/{p.pid}/status").read())[1]
    quiet = quiet + 1 if state == "S" else 0
p.send_signal(number)
err = p.communicate(timeout=120)[1]
print(p.returncode, err)
sys.exit(0 if p.returncode == 3 and b"interrupted" in err else 1)' "$cuzk" "$dir/fifo" $sig
done

# A limit on the size of files: a status, and no temporary file.
rc=0
(ulimit -f 1; "$cuzk" groth16 setup $v/chain10.r1cs "$dir/big.zkey" >/dev/null 2>&1) || rc=$?
check 'file-size limit' test $rc = 3
check 'no temporary file' test -z "$(find "$dir" -name '.cuzk-*')"

# The order of sectors is the chain's, whatever the names; a sector twice is refused.
f=test/vectors/filecoin
cp $f/window.sector1.vanilla.bin "$dir/folder/s-t01000-9"
cp $f/window.sector1.vanilla.bin "$dir/folder/s-t01000-10"
run 'a sector twice' 2 'sector 1 is there twice' prove window --vanilla "$dir/folder" --sector-size 2KiB --randomness "$(printf '%064d' 0)" -o "$dir/w"
for magic in '\377\376{:UTF-16' '<html>:HTML' '\357\273\277{}:byte order'; do
    printf "${magic%:*}" >"$dir/c1"
    run "C1: ${magic##*:}" 2 "$dir/c1: this is" prove porep --c1 "$dir/c1" -o "$dir/w"
done
summary
