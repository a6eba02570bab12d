#!/bin/sh
# --device and --vram where there is no GPU: the CPU proves and one line says so; a wish that cannot be met is refused.
set -eu
. "$(dirname "$0")/lib.sh"
v=test/vectors/circom
cd "$(dirname "$0")/../.."
if [ -e /dev/nvidiactl ]; then
    echo "skipped: there is a GPU"
    exit 77
fi

run 'key' 0 '' groth16 setup $v/multiplier2.r1cs "$dir/k.zkey" --vk "$dir/vk.json" --insecure-seed 1
prove() { # NAME STATUS TEXT OPTION...
    n=$1 s=$2 t=$3
    shift 3
    run "$n" "$s" "$t" groth16 prove "$dir/k.zkey" $v/multiplier2.wtns "$dir/p.json" "$dir/q.json" --force "$@"
}
prove 'by default the CPU' 0 'working on the CPU'
check 'one line' test "$(grep -c 'working on the CPU' "$dir/err")" = 1
run 'verifies' 0 'valid' groth16 verify "$dir/vk.json" "$dir/q.json" "$dir/p.json"
prove 'auto' 0 'working on the CPU' --device auto --vram 24GiB
prove 'cpu' 0 'CPU' --device cpu
check 'nothing to remark' test ! -s "$dir/err"
prove 'quiet' 0 '' --quiet
check 'quiet says nothing' test ! -s "$dir/err"
prove 'cuda' 2 '--device cuda' --device cuda
prove 'cuda with a number' 2 '' --device cuda:3
prove 'another word' 2 "--device wants auto, cpu, cuda or cuda:N, not 'gpu'" --device gpu
for bad in 24GiBB -1 0 '' GiB 1e400 nan; do
    prove "vram '$bad'" 2 "--vram wants a size such as 24GiB" "--vram=$bad"
done
for good in 1.5GiB 512M 1073741824 24GiB 1TiB; do
    prove "vram $good" 0 '' "--vram=$good"
done
run 'parameters on a GPU' 2 'makes the parameters on a GPU' prove winning \
    --vanilla test/vectors/filecoin/winning.sector1.vanilla.bin --sector-size 2KiB -o "$dir/w.bin" \
    --randomness 0000000000000000000000000000000000000000000000000000000000000000 --insecure-seed 1
run 'not for verifying' 2 '--device' verify winning --device cpu --proof "$dir/none" \
    --vanilla "$dir/none" --sector-size 2KiB
check 'nothing was written' test ! -e "$dir/w.bin"
summary
