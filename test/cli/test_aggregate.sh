#!/bin/sh
# Aggregation through the program: the original's bytes from C1 outputs, lists of sectors, other circuits, refusals.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$(dirname "$0")/../.."
v=test/vectors/aggregate
f=test/vectors/filecoin
vk=test/vectors/groth16/porep-v1_1.vk
python3 - "$dir" <<'EOF'
import json, sys
out = sys.argv[1]
sets = {s["name"]: s for s in json.load(open("test/vectors/aggregate/vectors.json"))["sets"]}
for i, p in enumerate(sets["porep-2"]["proofs"]):
    open(f"{out}/p{i}", "wb").write(bytes.fromhex(p))
for i in (0, 1):
    open(f"{out}/q{i}", "wb").write(bytes.fromhex(sets["porep-4"]["proofs"][i]))
open(f"{out}/ni", "wb").write(b"".join(bytes.fromhex(p) for p in sets["ni-13"]["proofs"]))
for i in range(4):
    open(f"{out}/t{i}", "w").write(sets["tiny-4"]["proofs"][i])
    json.dump([str(int.from_bytes(bytes.fromhex(x), "little")) for x in sets["tiny-4"]["public_inputs_le"][i]],
              open(f"{out}/t{i}.json", "w"))
EOF
c1=$f/porep-v1_1.c1.json
two="--c1 $c1 --c1 $c1 --vk $vk --srs $v/fake-16.srs"
pair="--proof $dir/p0 --proof $dir/p1"

# shellcheck disable=SC2086 # options, one per word
{
run 'two sectors are too few for the chain' 2 '4 to 819 sectors' aggregate $two $pair --test-srs -o "$dir/a"
run 'a test SRS is not taken for the network'"'"'s' 2 'test SRS' aggregate $two $pair --any-count -o "$dir/a"
run 'aggregate' 0 'aggregated and verified' aggregate $two $pair --test-srs --any-count -o "$dir/a"
check 'the bytes of the original' cmp -s "$dir/a" $v/porep-2-v2.agg
run 'aggregate again refuses' 2 'exists' aggregate $two $pair --test-srs --any-count -o "$dir/a"
run 'verify' 0 'valid' verify aggregate $two --test-srs --aggregate "$dir/a"
run 'verify: the digest of the SRS' 0 'valid' verify aggregate $two --srs-digest 460f14cf950898f7471c1934aae30244 --aggregate "$dir/a"
run 'verify: another digest' 2 'digest' verify aggregate $two --srs-digest 00000000000000000000000000000000 --aggregate "$dir/a"
run 'verify: not the network'"'"'s SRS' 2 'test SRS' verify aggregate $two --aggregate "$dir/a"
run 'version 1 is false as version 2' 1 'FALSE' verify aggregate $two --test-srs --aggregate $v/porep-2-v1.agg
run 'version 1 with a warning' 0 'warning: version 1 is broken' verify aggregate $two --test-srs --insecure-version-1 --aggregate $v/porep-2-v1.agg
{ cat "$dir/a"; printf 'x'; } >"$dir/long"
run 'bytes after the end are refused' 2 'bytes, expected 5236' verify aggregate $two --test-srs --aggregate "$dir/long"
run 'unless they are allowed' 0 'valid' verify aggregate $two --test-srs --allow-trailing --aggregate "$dir/long"
run 'a proof of another sector is named' 1 'proof 1 of 2 does not verify' aggregate $two --proof "$dir/p0" --proof "$dir/q1" --test-srs --any-count -o "$dir/b"
check 'nothing written' test ! -e "$dir/b"
}
run 'non-interactive: one sector' 0 'aggregated and verified' aggregate --c1 $f/porep-ni.c1.json --vk $vk --srs $v/fake-16.srs --test-srs \
    --proof "$dir/ni" -o "$dir/n"
check 'the bytes of the original' cmp -s "$dir/n" $v/ni-13-v2.agg
run 'non-interactive: verify' 0 'valid' verify aggregate --c1 $f/porep-ni.c1.json --vk $vk --srs $v/fake-16.srs --test-srs --aggregate "$dir/n"
mkdir "$dir/params"
cp $vk "$dir/params/$("$cuzk" circuit info porep 2KiB --no-transcript | sed -n 's/^params file *\(.*\)\.params$/\1/p').vk"
run 'verify porep: the proof of a non-interactive sector is its aggregate' 0 'valid' verify porep --c1 $f/porep-ni.c1.json \
    --params "$dir/params" --srs $v/fake-16.srs --test-srs --proof "$dir/n"
run 'verify porep: or its plain proofs' 0 'valid' verify porep --c1 $f/porep-ni.c1.json --params "$dir/params" --plain-proofs \
    --proof "$dir/ni"
run 'prove porep: the SRS is missed before the proving' 2 'v28-fil-inner-product-v1.srs' prove porep --c1 $f/porep-ni.c1.json \
    --params "$dir/params" -o "$dir/never"

# Other circuits; an SRS made here.
run 'setup' 0 'powers' params setup aggregate --insecure-seed 7 --proofs 4 -o "$dir/s.srs"
run 'setup without a seed' 2 'ceremony' params setup aggregate -o "$dir/x.srs"
run 'setup again refuses' 2 'exists' params setup aggregate --insecure-seed 7 --proofs 4 -o "$dir/s.srs"
run 'check' 0 'powers of two secrets' params check "$dir/s.srs"
run 'check: a digest' 2 'digest differs' params check "$dir/s.srs" --digest 00000000000000000000000000000000
t="$dir"
run 'other circuits' 0 'aggregated and verified' aggregate --vk $v/tiny.vk --srs "$dir/s.srs" --test-srs -o "$dir/o" \
    "$t/t0.json" "$t/t0" "$t/t1.json" "$t/t1" "$t/t2.json" "$t/t2" "$t/t3.json" "$t/t3"
run 'other circuits: verify' 0 'valid' verify aggregate --vk $v/tiny.vk --srs "$dir/s.srs" --test-srs --aggregate "$dir/o" \
    "$t/t0.json" "$t/t1.json" "$t/t2.json" "$t/t3.json"
run 'other circuits: another order is false' 1 'FALSE' verify aggregate --vk $v/tiny.vk --srs "$dir/s.srs" --test-srs --aggregate "$dir/o" \
    "$t/t1.json" "$t/t0.json" "$t/t2.json" "$t/t3.json"
run 'other circuits: padding is another statement' 1 'FALSE' verify aggregate --vk $v/tiny.vk --srs "$dir/s.srs" --test-srs --aggregate "$dir/o" \
    "$t/t0.json" "$t/t1.json" "$t/t2.json"
run 'too few powers' 2 'at least 32 powers' aggregate --c1 $f/porep-ni.c1.json --vk $vk --srs "$dir/s.srs" --test-srs --proof "$dir/ni" -o "$dir/m"
summary
