#!/bin/sh
# A C1 in the forms that are in use, what contradicts it, and what verify says that it did not check.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$(dirname "$0")/../.."
c1=test/vectors/filecoin/porep-v1_1.c1.json
mkdir "$dir/params"
cp test/vectors/groth16/porep-v1_1.vk "$dir/params/v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f.vk"
python3 - "$dir" $c1 <<'EOF'
import base64, gzip, json, sys
folder, c1 = sys.argv[1:]
text = open(c1, 'rb').read()
proofs = json.load(open('test/vectors/groth16/vectors.json'))['vectors']['porep-v1_1[0]']['proofs']
open(folder + '/proof', 'wb').write(bytes.fromhex(proofs[0]['proof'] if isinstance(proofs, list) else next(iter(proofs.values()))))
b64 = base64.b64encode(text).decode()
proxy = {'c1out': b64, 'prover_id': [0xe8, 7] + [0] * 30, 'sector_id': 1, 'miner_id': 'f01000'}
forms = {
    'json': text, 'gz': gzip.compress(text), 'b64': base64.encodebytes(text), 'gz.b64': base64.b64encode(gzip.compress(text)),
    'go': json.dumps({'SectorNum': 1, 'Phase1Out': b64, 'SectorSize': 2048}).encode(), 'proxy': json.dumps(proxy).encode(),
    'proxy.gz': gzip.compress(json.dumps(proxy).encode()), 'proxy.object': json.dumps(dict(proxy, c1out=json.loads(text))).encode(),
    'other-miner': json.dumps(dict(proxy, prover_id=None, miner_id=1001)).replace('"prover_id": null, ', '').encode(),
    'other-sector': json.dumps(dict(proxy, sector_id=2)).encode(), 'torn': json.dumps(dict(proxy, miner_id=1001)).encode(),
    'other-ticket': text.replace(b'"ticket":[0,', b'"ticket":[1,'), 'cut.gz': gzip.compress(text)[:-100],
    'gz.inside': json.dumps(dict(proxy, c1out=base64.b64encode(gzip.compress(text)).decode())).encode(), 'gz.gz': gzip.compress(gzip.compress(text)),
    'b64.b64': base64.b64encode(base64.b64encode(text)), 'gz.b64.b64': base64.b64encode(base64.b64encode(gzip.compress(text))),
    'b64.gz': gzip.compress(base64.b64encode(text)), 'go.gz.b64': base64.b64encode(gzip.compress(json.dumps({'SectorNum': 1, 'Phase1Out': b64, 'SectorSize': 2048}).encode())),
}
for name, data in forms.items():
    open(f'{folder}/c1.{name}', 'wb').write(data)
EOF
verify="verify porep --params $dir/params --proof $dir/proof"
for form in json gz b64 gz.b64 b64.gz go go.gz.b64 proxy proxy.gz proxy.object; do
    # shellcheck disable=SC2086 # options, one per word
    run "read: $form" 0 'valid' $verify --c1 "$dir/c1.$form" --miner f01000 --sector 1
done
check 'standard input' sh -c "'$cuzk' $verify --c1 - <'$dir/c1.gz' | grep -q valid"
# shellcheck disable=SC2086
run 'gzip inside an envelope' 2 'gzip inside what holds it' $verify --c1 "$dir/c1.gz.inside"
# shellcheck disable=SC2086
run 'gzip inside gzip' 2 'gzip inside what holds it' $verify --c1 "$dir/c1.gz.gz"
# shellcheck disable=SC2086
run 'base64 inside base64' 2 'base64 inside base64' $verify --c1 "$dir/c1.b64.b64"
# shellcheck disable=SC2086
run 'gzip in base64 in base64' 2 'base64 of gzip' $verify --c1 "$dir/c1.gz.b64.b64"
# shellcheck disable=SC2086
run 'cut gzip: named' 2 "$dir/c1.cut.gz: gzip: " $verify --c1 "$dir/c1.cut.gz"

# What is not checked is said, and refused when that is asked for.
# shellcheck disable=SC2086
run 'not checked: without miner and sector' 0 'ticket, miner and sector (' $verify --c1 "$dir/c1.json"
# shellcheck disable=SC2086
run 'not checked: an envelope' 0 "the envelope's miner and sector" $verify --c1 "$dir/c1.proxy"
# shellcheck disable=SC2086
run 'not checked: with both' 0 'that comm_r, comm_d, ticket and seed' $verify --c1 "$dir/c1.json" --miner 1000 --sector 1
# shellcheck disable=SC2086
run 'strict without miner' 2 'give --miner and --sector' $verify --strict --c1 "$dir/c1.json"
# shellcheck disable=SC2086
run 'strict with the envelope alone' 2 'give --miner and --sector' $verify --strict --c1 "$dir/c1.proxy"
# shellcheck disable=SC2086
run 'strict' 0 'valid' $verify --strict --c1 "$dir/c1.json" --miner t01000 --sector 1

# Contradictions.
# shellcheck disable=SC2086
run 'another sector' 1 'replica_id is not that of miner 1000, sector 2' $verify --c1 "$dir/c1.json" --miner f01000 --sector 2
# shellcheck disable=SC2086
run 'another ticket' 1 "the C1's ticket" $verify --c1 "$dir/c1.other-ticket" --miner f01000 --sector 1
# shellcheck disable=SC2086
run 'the envelope names another miner than its C1' 1 'replica_id is not that of miner 1001' $verify --c1 "$dir/c1.other-miner"
# shellcheck disable=SC2086
run 'the envelope names another sector than its C1' 1 'sector 2' $verify --c1 "$dir/c1.other-sector"
# shellcheck disable=SC2086
run 'options and envelope: miner' 2 'names another miner than --miner 1001' $verify --c1 "$dir/c1.proxy" --miner 1001 --sector 1
# shellcheck disable=SC2086
run 'options and envelope: sector' 2 'says sector 1, --sector says 3' $verify --c1 "$dir/c1.go" --miner 1000 --sector 3
# shellcheck disable=SC2086
run 'an envelope that contradicts itself' 2 'prover_id of the envelope' $verify --c1 "$dir/c1.torn"
# shellcheck disable=SC2086
run 'a miner that is no id' 2 'wants an actor id' $verify --c1 "$dir/c1.json" --miner f1abc --sector 1

# What a file says reaches the terminal as text only: no control characters, no marks of direction.
printf '{"registered_proof":"Stacked\177\342\200\256x"}' >"$dir/c1.odd"
# shellcheck disable=SC2086
run 'control characters' 2 'Stacked??x' $verify --c1 "$dir/c1.odd"
odd=$(printf '\177')
check 'are not passed on' sh -c "! grep -q '$odd' '$dir/err'"
summary
