#!/bin/sh
# The main job on a small circuit: key, proof, verification. Usage: tools/demo.sh build/release/cuzk
set -eu
cuzk=$1
cd "$(dirname "$0")/.."
circuit=test/vectors/circom/chain10
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

echo "== make a key for $circuit.r1cs (1022 constraints)"
"$cuzk" groth16 setup "$circuit.r1cs" "$dir/key.zkey" --vk "$dir/vk.json"
echo "== prove"
"$cuzk" groth16 prove "$dir/key.zkey" "$circuit.wtns" "$dir/proof.json" "$dir/public.json"
echo "== verify"
"$cuzk" groth16 verify "$dir/vk.json" "$dir/public.json" "$dir/proof.json"
echo "== a proof for other public inputs is refused"
echo '["1"]' >"$dir/other.json"
rc=0
"$cuzk" groth16 verify "$dir/vk.json" "$dir/other.json" "$dir/proof.json" || rc=$?
[ "$rc" = 1 ] || {
    echo "expected exit status 1, got $rc" >&2
    exit 1
}
echo "demo: ok"
