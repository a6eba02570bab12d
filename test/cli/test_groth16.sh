#!/bin/sh
# setup, prove, verify, check and info as a user runs them.
set -eu
. "$(dirname "$0")/lib.sh"
v=test/vectors/circom
cd "$(dirname "$0")/../.."

run 'no command' 2 'Usage: cuzk COMMAND'
run 'help' 0 'groth16' --help
run 'version' 0 'cuzk ' --version
run 'unknown command' 2 "no command 'frobnicate'" frobnicate
run 'unknown sub-command' 2 "no command 'x'" groth16 x
run 'help of a command' 0 'Usage: cuzk groth16 prove' groth16 prove --help
run 'unknown option' 2 'unrecognized option' groth16 verify --nope
run 'too few arguments' 2 'needs VK, PUBLIC and PROOF' groth16 verify a b
run 'too many arguments' 2 'too many arguments' groth16 verify a b c d
run 'bad number' 2 '--threads wants a number' groth16 info --threads 0 x
run 'bad seed' 2 '--insecure-seed wants a number' groth16 setup a b --insecure-seed x

for c in multiplier2 nopublic mixed chain10 empty pubonly removed-inputs; do
    k=$dir/$c
    run "$c: setup" 0 'vk hash' groth16 setup "$v/$c.r1cs" "$k.zkey" --vk "$k.vk.json" --insecure-seed 7
    run "$c: info of the key" 0 'groth16' groth16 info "$k.zkey" --check-points
    run "$c: info of the circuit" 0 'constraints' groth16 info "$v/$c.r1cs"
    run "$c: info of the witness" 0 'values' groth16 info "$v/$c.wtns"
    run "$c: info of the verifying key" 0 'vk hash' groth16 info "$k.vk.json"
    run "$c: check" 0 'satisfied' groth16 check "$v/$c.r1cs" "$v/$c.wtns"
    run "$c: prove" 0 'verified             yes' groth16 prove "$k.zkey" "$v/$c.wtns" "$k.proof.json" "$k.public.json"
    run "$c: verify" 0 'valid' groth16 verify "$k.vk.json" "$k.public.json" "$k.proof.json"
    run "$c: verify with the zkey as key" 0 'valid' groth16 verify "$k.zkey" "$k.public.json" "$k.proof.json"
done

# One setup writes both kinds of key, and the seed decides all. Their roots of unity differ, hence
# their verifying keys: a proof belongs to one of them.
k=$dir/both
run 'both keys' 0 '' groth16 setup $v/chain10.r1cs "$k.zkey" --params "$k.params" --insecure-seed 7
run 'params info' 0 'vk hash' params info "$k.params"
run 'params check' 0 'in the group' params check "$k.params"
digest=$("$cuzk" params check "$k.params" --json | sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p')
run 'params check with digest' 0 '' params check "$k.params" --digest "$digest"
run 'params check with another digest' 2 'digest differs' params check "$k.params" --digest 00000000000000000000000000000000
run 'prove with params' 0 '' groth16 prove "$k.params" $v/chain10.wtns "$k.bin" "$k.public.json" --r1cs $v/chain10.r1cs --binary
check '192 bytes' test "$(wc -c <"$k.bin")" = 192
run '192 bytes against .vk' 0 'valid' groth16 verify "$k.vk" "$k.public.json" "$k.bin"
run '192 bytes against .params' 0 'valid' groth16 verify "$k.params" "$k.public.json" "$k.bin"
run '192 bytes against .zkey' 1 'FALSE' groth16 verify "$k.zkey" "$k.public.json" "$k.bin"
check 'same seed, same key' cmp "$dir/chain10.zkey" "$k.zkey"
od -An -v -tx1 "$k.bin" | tr -d ' \n' >"$k.hex"
run 'proof in hex' 0 'valid' groth16 verify "$k.vk" "$k.public.json" "$k.hex"
run 'random setup' 0 '' groth16 setup $v/chain10.r1cs "$dir/r1.zkey"
run 'another random setup' 0 '' groth16 setup $v/chain10.r1cs "$dir/r2.zkey"
if cmp -s "$dir/r1.zkey" "$dir/r2.zkey"; then fail 'two random setups are equal'; else pass; fi

# Public inputs as 0x lines.
printf '0x21\n' >"$dir/hexpub"
run 'hex public inputs' 0 'valid' groth16 verify "$dir/multiplier2.vk.json" "$dir/hexpub" "$dir/multiplier2.proof.json"
printf '0x22\n' >"$dir/hexpub"
run 'other hex public inputs' 1 'FALSE' groth16 verify "$dir/multiplier2.vk.json" "$dir/hexpub" "$dir/multiplier2.proof.json"

# False: 1. Not well-formed: 2.
vk=$dir/multiplier2.vk.json pub=$dir/multiplier2.public.json proof=$dir/multiplier2.proof.json
run 'proof of another circuit' 1 'vk hash' groth16 verify "$vk" "$pub" "$dir/chain10.proof.json"
pub_is() { printf '%s' "$1" >"$dir/pub"; }
pub_is '["34"]'; run 'other public input' 1 'FALSE' groth16 verify "$vk" "$dir/pub" "$proof"
pub_is '[]'; run 'no public inputs' 2 'has 0 public inputs' groth16 verify "$vk" "$dir/pub" "$proof"
pub_is '["33","0"]'; run 'one too many' 2 'has 2 public inputs' groth16 verify "$vk" "$dir/pub" "$proof"
r=52435875175126190479447740508185965837690552500527637822603658699938581184513
pub_is '["52435875175126190479447740508185965837690552500527637822603658699938581184546"]'
run 'public input + r' 2 'not below the scalar field modulus r' groth16 verify "$vk" "$dir/pub" "$proof"
pub_is "[\"$r\"]"; run 'public input r' 2 'not below' groth16 verify "$vk" "$dir/pub" "$proof"
for bad in '["0x21"]' '["-1"]' '["+33"]' '["033"]' '["3.3e1"]' '[33]' '[" 33"]' '[null]' '{}' '' '33' '["33"'; do
    pub_is "$bad"; run "public inputs $bad" 2 '' groth16 verify "$vk" "$dir/pub" "$proof"
done
sed 's/groth16/plonk/' "$proof" >"$dir/p"; run 'plonk proof' 2 'protocol is not groth16' groth16 verify "$vk" "$pub" "$dir/p"
sed 's/bls12381/bn128/' "$vk" >"$dir/p"; run 'bn128 key' 2 'only BLS12-381' groth16 verify "$dir/p" "$pub" "$proof"
sed '0,/"[0-9]/{s/"1/"2/;t;s/"[0-9]/"1/}' "$proof" >"$dir/p"; run 'changed coordinate' 2 '' groth16 verify "$vk" "$pub" "$dir/p"
head -c 100 "$proof" >"$dir/p"; run 'cut proof' 2 '' groth16 verify "$vk" "$pub" "$dir/p"
head -c 192 /dev/zero >"$dir/p"; run 'zero proof' 2 '' groth16 verify "$vk" "$pub" "$dir/p"
head -c 191 "$k.bin" >"$dir/p"; run '191 bytes' 2 'not a proof' groth16 verify "$vk" "$pub" "$dir/p"

# Keys of unfinished ceremonies, as snarkjs writes them before the first contribution: refused in every form.
u=test/vectors/unfinished
run 'unfinished key, JSON' 2 'delta is gamma' groth16 verify $u/vk.json $u/forged-public.json $u/forged-proof.json
run 'unfinished key, zkey' 2 'delta is gamma' groth16 verify $u/key.zkey $u/forged-public.json $u/forged-proof.json
run 'unfinished key, info' 2 'delta is gamma' groth16 info $u/key.zkey
run 'unfinished key, info of JSON' 2 'delta is gamma' groth16 info $u/vk.json
run 'unfinished key, prove' 2 'delta is gamma' groth16 prove $u/key.zkey $v/multiplier2.wtns "$dir/x.json" "$dir/y.json"
run 'unfinished key, the switch' 0 'valid' groth16 verify $u/vk.json $u/forged-public.json $u/forged-proof.json --allow-unsafe-key
# Other elements that no ceremony makes equal.
python3 - test/vectors/snarkjs/multiplier2.vk.json "$dir" <<'PY'
import json, sys
for name, to, of in (("delta-beta", "delta", "beta"), ("beta-generator", "beta", "gamma"), ("gamma-beta", "gamma", "beta")):
    key = json.load(open(sys.argv[1]))
    key[f"vk_{to}_2"] = key[f"vk_{of}_2"]
    json.dump(key, open(f"{sys.argv[2]}/{name}.json", "w"))
PY
run 'delta is beta' 2 'beta is delta' groth16 info "$dir/delta-beta.json"
run 'beta is the generator' 2 'beta is a generator' groth16 info "$dir/beta-generator.json"
run 'gamma is beta' 2 'beta is gamma' groth16 info "$dir/gamma-beta.json"
# delta_g2 := gamma_g2 in the binary forms
for f in vk params; do
    { head -c 672 "$k.$f"; tail -c +385 "$k.$f" | head -c 192; tail -c +865 "$k.$f"; } >"$dir/unsafe.$f"
    run "unfinished key, .$f" 2 'delta is gamma' groth16 verify "$dir/unsafe.$f" "$k.public.json" "$k.bin"
done
for what in info check; do
    run "unfinished key, params $what" 2 'delta is gamma' params $what "$dir/unsafe.params"
done

# Witness that does not fit or does not satisfy.
run 'witness of another circuit' 2 'witness has 3 values, the circuit has 4 wires' groth16 prove "$dir/multiplier2.zkey" $v/nopublic.wtns "$dir/x.json" "$dir/y.json"
{ head -c 108 $v/multiplier2.wtns; printf '\042'; tail -c +110 $v/multiplier2.wtns; } >"$dir/bad.wtns"
run 'unsatisfied witness' 2 'does not satisfy' groth16 prove "$dir/multiplier2.zkey" "$dir/bad.wtns" "$dir/x.json" "$dir/y.json"
run 'unsatisfied witness, with its row' 2 'constraint 0' groth16 prove "$dir/multiplier2.zkey" "$dir/bad.wtns" "$dir/x.json" "$dir/y.json" --r1cs $v/multiplier2.r1cs
run 'check names the row' 2 'constraint 0' groth16 check $v/multiplier2.r1cs "$dir/bad.wtns"
check 'nothing was written' test ! -e "$dir/x.json" -a ! -e "$dir/y.json"
tail -c +77 $v/multiplier2.wtns >"$dir/raw"
run 'raw witness' 2 'raw dump, expected wtns v2' groth16 prove "$dir/multiplier2.zkey" "$dir/raw" "$dir/x.json" "$dir/y.json"
run 'unused wires have no .params' 2 'is in no row' groth16 setup $v/mixed.r1cs "$dir/m.zkey" --params "$dir/m.params"
check 'and nothing is written then' test ! -e "$dir/m.zkey" -a ! -e "$dir/m.params" -a ! -e "$dir/m.vk"
summary
