#!/bin/sh
# WindowPoSt of 2 KiB sectors through the program: parameters, proof, verification, and what is refused.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$(dirname "$0")/../.."
v=test/vectors/filecoin
rand=404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e00
rand2=414142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e00
window="--vanilla $v/window.sector1.vanilla.bin --vanilla $v/window.sector2.vanilla.bin --type 10"

run 'setup makes no folders above its folder' 2 'cannot be made' params setup window 2KiB --insecure-seed 7 -o "$dir/no/such"
run 'setup makes its folder' 0 'params' params setup window 2KiB --insecure-seed 7 -o "$dir/made"

# A folder of vanilla proofs, in every verb that takes them.
"$cuzk" gen window --sector-size 2KiB --seed 1 -o "$dir/sectors" >"$dir/gen.txt"
randomness=$(sed -n 's/^randomness *//p' "$dir/gen.txt")
for f in "$dir"/sectors/*; do # the first one as a JSON array of base64
    printf '["%s"]' "$(base64 -w 0 "$f")" >"$dir/array"
    mv "$dir/array" "$f"
    break
done
run 'bench prove: a folder of sectors, in both forms' 0 'proofs_per_minute' bench prove window --vanilla "$dir/sectors" --randomness "$randomness" \
    --sector-size 2KiB --params "$dir/made" --runs 1 --warmup 0 --device cpu
mkdir "$dir/empty"
run 'bench prove: an empty folder' 2 'empty: no files in it' bench prove window --vanilla "$dir/empty" --randomness "$randomness" \
    --sector-size 2KiB --params "$dir/made" --device cpu
run 'prove: an empty folder' 2 'empty: no files in it' prove window --vanilla "$dir/empty" --randomness "$randomness" \
    --sector-size 2KiB --params "$dir/made" -o "$dir/none" --device cpu
mv "$dir"/made/* "$dir"/
run 'setup again refuses' 2 'exists' params setup window 2KiB --insecure-seed 7 -o "$dir"
run 'setup: no such kind' 2 'no kind' params setup seal 2KiB -o "$dir"
run 'setup: no such size' 2 'no' params setup window 3KiB -o "$dir"
run 'setup: no update circuit' 2 '1GiB' params setup update 1GiB -o "$dir"
# shellcheck disable=SC2086 # options, one per word
run 'prove' 0 'proved and verified' prove window $window --randomness $rand --params "$dir" -o "$dir/p"
check 'proof is 192 bytes' test "$(wc -c <"$dir/p")" = 192
# shellcheck disable=SC2086
run 'prove again refuses' 2 'exists' prove window $window --randomness $rand --params "$dir" -o "$dir/p"
# shellcheck disable=SC2086
run 'verify' 0 'valid' verify window $window --randomness $rand --params "$dir" --proof "$dir/p"
# shellcheck disable=SC2086
run 'other randomness is false' 1 'FALSE' verify window $window --randomness $rand2 --params "$dir" --proof "$dir/p"
# shellcheck disable=SC2086
run 'not provable: names the sector' 2 'sector 1: challenge 0' prove window $window --randomness $rand2 --params "$dir" -o "$dir/q"
check 'nothing written' test ! -e "$dir/q"
# shellcheck disable=SC2086
run 'short randomness' 2 '64 hex digits' prove window $window --randomness 00 --params "$dir" -o "$dir/q"
# shellcheck disable=SC2086
run 'wrong type' 2 'winning' prove window --type 0 --vanilla $v/window.sector1.vanilla.bin --randomness $rand --params "$dir" -o "$dir/q"
run 'sectors are taken in the order of their numbers' 0 'valid' verify window --vanilla $v/window.sector2.vanilla.bin \
    --vanilla $v/window.sector1.vanilla.bin --type 10 --randomness $rand --params "$dir" --proof "$dir/p"
# The same sectors as a JSON array of base64, one of two files, and a folder of an array and a file.
b1=$(base64 -w 0 $v/window.sector1.vanilla.bin)
b2=$(base64 -w 0 $v/window.sector2.vanilla.bin)
mkdir "$dir/mixed"
printf '["%s",\n "%s"]\n' "$b2" "$b1" >"$dir/both.json"
printf '["%s"]' "$b1" >"$dir/mixed/1.json"
cp $v/window.sector2.vanilla.bin "$dir/mixed/2.bin"
printf '["%s", "%s"]' "$b1" "$(head -c 200 $v/window.sector2.vanilla.bin | base64 -w 0)" >"$dir/half.json"
printf '["%s", "x"]' "$b1" >"$dir/text.json"
run 'prove: a folder of both forms' 0 'proved and verified' prove window --type 10 --randomness $rand --params "$dir" --vanilla "$dir/mixed" -o "$dir/p3"
run 'verify: a JSON array' 0 'valid' verify window --type 10 --randomness $rand --params "$dir" --vanilla "$dir/both.json" --proof "$dir/p3"
run 'verify: a folder of both forms' 0 'valid' verify window --type 10 --randomness $rand --params "$dir" --vanilla "$dir/mixed" --proof "$dir/p"
run 'an array: names the file and the proof' 2 'half.json: proof 2 of 2: ' prove window --type 10 --randomness $rand --params "$dir" \
    --vanilla "$dir/half.json" -o "$dir/q"
run 'an array: no base64' 2 'text.json:1:' verify window --type 10 --randomness $rand --params "$dir" --vanilla "$dir/text.json" --proof "$dir/p"
printf '[]' >"$dir/none.json"
run 'an array without a proof' 2 'none.json:1:3: no vanilla proof' prove window --type 10 --randomness $rand --params "$dir" \
    --vanilla "$dir/none.json" -o "$dir/q"
update="--sector-size 2KiB --comm-r-old $rand --comm-d-new $rand --comm-r-new $rand --params $dir"
# shellcheck disable=SC2086
run 'an update of two proofs' 2 'names 2' prove update $update --vanilla "$dir/both.json" -o "$dir/q"
# shellcheck disable=SC2086
run 'an update that is none: names the file' 2 'sector1.vanilla.bin: ' prove update $update --vanilla $v/window.sector1.vanilla.bin -o "$dir/q"
head -c 191 "$dir/p" >"$dir/short"
{ cat "$dir/p"; printf 'x'; } >"$dir/long"
for f in short long; do
    # shellcheck disable=SC2086
    run "a proof too $f" 2 'bytes' verify window $window --randomness $rand --params "$dir" --proof "$dir/$f"
done
run 'no parameters: names file and folder' 2 'v28-stacked-proof-of-replication' prove porep \
    --c1 $v/porep-v1_1.c1.json --params "$dir" -o "$dir/q"
FIL_PROOFS_PARAMETER_CACHE=/nonexistent
export FIL_PROOFS_PARAMETER_CACHE
run 'no parameters: says where from' 2 'FIL_PROOFS_PARAMETER_CACHE' prove porep --c1 $v/porep-v1_1.c1.json -o "$dir/q"
head -c 50000 $v/porep-v1_1.c1.json >"$dir/cut.json"
run 'cut C1' 2 'C1:1:' prove porep --c1 "$dir/cut.json" --params "$dir" -o "$dir/q"
# Digests of keys, too; a .params with a ceremony's transcript.
vk=test/vectors/groth16/window.vk
run 'check of a key: digest' 0 'in the group' params check $vk --digest "$(b2sum $vk | cut -c 1-32)"
run 'check of a key: another digest' 2 'digest differs' params check $vk --digest 00000000000000000000000000000000
run 'check of a key: no digest' 2 '32 hex digits' params check $vk --digest 12
run 'info of a key' 0 'verifying key' params info $vk
run 'a transcript' 0 'behind the sections' params info fuzz/corpus/params/transcript.params
run 'its chain does not hold' 0 'NOT verified' params check fuzz/corpus/params/transcript.params
run 'a chain that holds' 0 'each contribution is a step' params check fuzz/corpus/params/ceremony.params
run 'a transcript: its points' 0 'contributions' params check fuzz/corpus/params/transcript.params
run 'circuit info' 0 'f8ba7b86efda8fa8cfeb67e179175a602a5ded01f9e293e9f7c46fea566d5e31' circuit info window 2KiB
run 'circuit info as JSON' 0 '"constraints"' circuit info window 2KiB --json
summary
