#!/bin/sh
# Wrong files, refusal to overwrite, reports as JSON, and outputs that are whole or absent.
set -eu
. "$(dirname "$0")/lib.sh"
v=test/vectors/circom
cd "$(dirname "$0")/../.."

run 'key to work with' 0 '' groth16 setup $v/multiplier2.r1cs "$dir/k.zkey" --vk "$dir/vk.json" --params "$dir/k.params" --insecure-seed 1
prove() { # NAME STATUS TEXT KEY WITNESS
    run "$1" "$2" "$3" groth16 prove "$4" "$5" "$dir/x.json" "$dir/y.json"
}

printf '<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n' >"$dir/page"
: >"$dir/empty"
mkdir "$dir/folder"
ln -s "$dir/nowhere" "$dir/dangling"
head -c 1000 "$dir/k.zkey" >"$dir/cut.zkey"
head -c 1000 "$dir/k.params" >"$dir/cut.params"
{ cat "$dir/k.params"; printf 'x'; } >"$dir/long.params"

prove 'missing key' 2 "$dir/none" "$dir/none" $v/multiplier2.wtns
prove 'missing witness' 2 "$dir/none" "$dir/k.zkey" "$dir/none"
prove 'folder as key' 2 'directory' "$dir/folder" $v/multiplier2.wtns
prove 'folder as witness' 2 'directory' "$dir/k.zkey" "$dir/folder"
prove 'dangling link' 2 'dangling symbolic link' "$dir/dangling" $v/multiplier2.wtns
prove 'HTML as key' 2 'this is an HTML page, expected zkey v1' "$dir/page" $v/multiplier2.wtns
prove 'HTML as witness' 2 'this is an HTML page, expected wtns v2' "$dir/k.zkey" "$dir/page"
prove 'empty key' 2 'file is empty, expected zkey v1' "$dir/empty" $v/multiplier2.wtns
prove 'cut key' 2 'truncated' "$dir/cut.zkey" $v/multiplier2.wtns
prove 'witness as key' 2 'this is a wtns file, expected zkey v1' $v/multiplier2.wtns $v/multiplier2.wtns
prove 'key as witness' 2 'this is a zkey file, expected wtns v2' "$dir/k.zkey" "$dir/k.zkey"
for what in info check; do
    run "params $what: HTML" 2 'HTML' params $what "$dir/page"
    run "params $what: missing" 2 "$dir/none" params $what "$dir/none"
    folder='directory'
    [ $what = info ] || folder='none of these files is there' # check takes a folder of the network's files
    run "params $what: folder" 2 "$folder" params $what "$dir/folder"
    run "params $what: dangling link" 2 'dangling symbolic link' params $what "$dir/dangling"
    run "params $what: empty" 2 'empty' params $what "$dir/empty"
    run "params $what: cut" 2 "$dir/cut.params" params $what "$dir/cut.params"
    run "params $what: a byte too long" 2 "$dir/long.params" params $what "$dir/long.params"
    run "params $what: a zkey" 2 "$dir/k.zkey" params $what "$dir/k.zkey"
done
run 'HTML as verifying key' 2 'not a verifying key' groth16 verify "$dir/page" "$dir/page" "$dir/page"
run 'HTML as circuit' 2 'this is an HTML page, expected r1cs v1' groth16 setup "$dir/page" "$dir/new.zkey"
check 'nothing was written' test ! -e "$dir/x.json" -a ! -e "$dir/y.json" -a ! -e "$dir/new.zkey"

# Refusal to overwrite comes before the work, and names the file.
cp "$dir/k.zkey" "$dir/before"
run 'setup over a key' 2 'k.zkey: file exists (--force replaces it)' groth16 setup $v/chain10.r1cs "$dir/k.zkey"
check 'key is untouched' cmp "$dir/before" "$dir/k.zkey"
echo old >"$dir/p.json"
run 'prove over a file' 2 'p.json: file exists (--force replaces it)' groth16 prove "$dir/k.zkey" $v/multiplier2.wtns "$dir/p.json" "$dir/q.json"
check 'file is untouched, the other not written' test "$(cat "$dir/p.json")" = old -a ! -e "$dir/q.json"
run 'prove with --force' 0 '' groth16 prove "$dir/k.zkey" $v/multiplier2.wtns "$dir/p.json" "$dir/q.json" --force
run 'and it verifies' 0 'valid' groth16 verify "$dir/vk.json" "$dir/q.json" "$dir/p.json"
if ls "$dir"/*.tmp* "$dir"/.*tmp* >/dev/null 2>&1; then fail 'temporary files are left'; else pass; fi
check 'JSON files end with one newline' python3 -c '
import json, sys
for f in sys.argv[1:]:
    b = open(f, "rb").read()
    json.loads(b)
    assert b.endswith(b"\n") and not b.endswith(b"\n\n") and b"\0" not in b, f' "$dir/p.json" "$dir/q.json" "$dir/vk.json"

# Names that no file can have: bad input, as an input and as an output, and said before the work.
long=$(printf '%0300d' 0)
ln -s "$dir/round" "$dir/round"
python3 -c 'import os, socket, sys; os.chdir(sys.argv[1]); socket.socket(socket.AF_UNIX).bind("socket")' "$dir"
for name in "$dir/page/below" "$dir/$long/below"; do
    prove "as a key: ${name#"$dir"}" 2 '' "$name" $v/multiplier2.wtns
    run "as output: ${name#"$dir"}" 2 '' groth16 setup $v/multiplier2.r1cs "$name" --insecure-seed 1
done
for name in "$dir/$long" "$dir/round/below"; do
    run "as circuit: ${name#"$dir"}" 2 '' groth16 setup "$name" "$dir/new.zkey"
    run "as output: ${name#"$dir"}" 2 '' groth16 setup $v/multiplier2.r1cs "$name" --insecure-seed 1
    run "as replaced output: ${name#"$dir"}" 2 '' groth16 setup $v/multiplier2.r1cs "$name" --insecure-seed 1 --force
    run "as parameters: ${name#"$dir"}" 2 '' params info "$name"
    run "as proof: ${name#"$dir"}" 2 '' groth16 verify "$dir/vk.json" "$dir/q.json" "$name"
    run "as a folder of parameters: ${name#"$dir"}" 2 '' params setup winning 2KiB -o "$name"
    run "as vanilla proof: ${name#"$dir"}" 2 '' prove winning --vanilla "$name" --randomness "$(printf '%064d' 0)" --params "$dir"
done
run 'a name that is too long: the reason' 2 'File name too long' params info "$dir/$long"
run 'links in a circle: the reason' 2 'Too many levels of symbolic links' params info "$dir/round"
prove 'a socket' 2 'is a socket, not a file' "$dir/socket" $v/multiplier2.wtns
run 'output with a name that is too long is refused before' 2 'no file can be written with this name' groth16 setup $v/multiplier2.r1cs "$dir/$long"
run 'output through links in a circle' 2 'round' groth16 setup $v/multiplier2.r1cs "$dir/round" --force
check 'nothing was written there' test ! -e "$dir/new.zkey"

# No write permission (root may write anywhere).
if [ "$(id -u)" != 0 ]; then
    chmod a-w "$dir/folder"
    run 'unwritable folder' 3 '' groth16 setup $v/multiplier2.r1cs "$dir/folder/k.zkey"
fi
run 'output in a folder that is not there' 2 '' groth16 setup $v/multiplier2.r1cs "$dir/no/k.zkey"

# --json: one object on standard output whatever happens, nothing on standard error.
json() { # NAME STATUS PYTHON-CONDITION ARG...
    name=$1 want=$2 cond=$3
    shift 3
    rc=0
    "$cuzk" "$@" --json >"$dir/out" 2>"$dir/err" || rc=$?
    if [ "$rc" = "$want" ] && [ ! -s "$dir/err" ] && python3 -c '
import json, sys
o = json.load(open(sys.argv[1]))
assert o["exit_status"] == int(sys.argv[2]) and o["ok"] == (sys.argv[2] == "0"), o
assert eval(sys.argv[3]), o' "$dir/out" "$want" "$cond"; then
        pass
    else
        fail "$name: exit status $rc, expected $want and $cond"
    fi
}
json 'info' 0 'o["constraints"] == 1 and o["wires"] == 4 and len(o["vk_hash"]) == 64' groth16 info "$dir/k.zkey"
json 'setup' 0 'o["lg_domain"] == 2 and o["insecure"] is True' groth16 setup $v/multiplier2.r1cs "$dir/j.zkey" --insecure-seed 1
json 'prove' 0 'o["verified"] is True and o["total_s"] > 0' groth16 prove "$dir/j.zkey" $v/multiplier2.wtns "$dir/j.json" "$dir/jp.json"
json 'verify' 0 'o["result"] == "valid"' groth16 verify "$dir/vk.json" "$dir/jp.json" "$dir/j.json"
echo '["1"]' >"$dir/other"
json 'false' 1 'o["result"] == "FALSE" and o["error"]["code"] == "CUZK_E_PROOF_FALSE" and len(o["vk_hash"]) == 64' groth16 verify "$dir/vk.json" "$dir/other" "$dir/j.json"
json 'bad input' 2 'o["error"]["code"] == "CUZK_E_FORMAT" and not o["error"]["retryable"]' groth16 info "$dir/page"
json 'missing' 2 'o["error"]["code"] == "CUZK_E_NOT_FOUND"' groth16 info "$dir/none"
json 'exists' 2 'o["error"]["code"] == "CUZK_E_EXISTS"' groth16 setup $v/multiplier2.r1cs "$dir/j.zkey"
json 'params' 0 'o["h"] == 3' params info "$dir/k.params"
rc=0
"$cuzk" groth16 info "$dir/k.zkey" --json >/dev/full 2>"$dir/err" || rc=$?
check 'report that cannot be written' test "$rc" = 3

# The same proof system with every CPU feature set, and on one thread.
for mask in 0 1 3 8 15; do
    run "cpu mask $mask" 0 '' groth16 prove "$dir/k.zkey" $v/multiplier2.wtns "$dir/m.json" "$dir/mp.json" --force --cpu-mask $mask --threads 1
    run "cpu mask $mask: verify" 0 'valid' groth16 verify "$dir/vk.json" "$dir/mp.json" "$dir/m.json" --cpu-mask $mask
done
summary
