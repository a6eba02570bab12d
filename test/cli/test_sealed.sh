#!/bin/sh
# cuzk gen of a sealed sector: files as the network's software makes them, and what is refused.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$(dirname "$0")/../.."
v=test/vectors/filecoin
s=test/vectors/sealed
rand=404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e00
# The cache: p_aux and the root of the tree are in the golden proof; nothing else of a 2 KiB tree is stored.
mkdir "$dir/cache" "$dir/empty"
tail -c 64 $v/window.sector1.vanilla.bin >"$dir/cache/p_aux"
tail -c 32 $v/window.sector1.vanilla.bin >"$dir/cache/sc-02-data-tree-r-last.dat"
sector="--sealed $s/replica.bin --cache $dir/cache --sector 1 --randomness $rand"
# shellcheck disable=SC2086 # options, one per word
run 'winning' 0 '0890436ba220ef2c9c082683d5445558ac3913a97e078505280092b0a30fad0b' gen winning $sector -o "$dir/winning"
check 'as the original' cmp "$dir/winning" $v/winning.sector1.vanilla.bin
# shellcheck disable=SC2086
run 'window' 0 'bytes read' gen window $sector -o "$dir/window"
check 'as the original' cmp "$dir/window" $v/window.sector1.vanilla.bin
# shellcheck disable=SC2086
run 'window V1' 0 '' gen window $sector --type 5 -o "$dir/windowv1"
check 'as the original' cmp "$dir/windowv1" $v/windowv1.sector1.vanilla.bin
# shellcheck disable=SC2086
run 'there already' 2 'exists' gen window $sector -o "$dir/window"
# shellcheck disable=SC2086
run 'type of another kind' 2 'winning proof' gen window $sector --type 0 -o "$dir/x"
run 'no cache' 2 '--sealed and --cache go together' gen window --sealed $s/replica.bin --sector 1 --randomness $rand -o "$dir/x"
run 'an empty cache' 2 'p_aux' gen window --sealed $s/replica.bin --cache "$dir/empty" --sector 1 --randomness $rand -o "$dir/x"
run 'no sector' 2 'needs --sector' gen window --sealed $s/replica.bin --cache "$dir/cache" --randomness $rand -o "$dir/x"
run 'another replica' 2 'does not lead to comm_r_last' gen window --sealed $s/replica-new.bin --cache "$dir/cache" --sector 1 --randomness $rand -o "$dir/x"
run 'no replica of any size' 2 'are no sector size' gen winning --sealed $s/data-new.bin --cache "$dir/cache" --sector 1 --randomness $rand -o "$dir/x"
run 'update: both are needed' 2 '--new-sealed and --new-cache go together' gen update --sealed $s/replica.bin --cache "$dir/cache" -o "$dir/x"
run 'update: no tree-d' 2 'tree-d' gen update --sealed $s/replica.bin --cache "$dir/cache" --new-sealed $s/replica.bin --new-cache "$dir/cache" -o "$dir/x"
run 'size and sector' 2 'either' gen winning --sealed $s/replica.bin --sector-size 2KiB -o "$dir/x"
check 'nothing written' test ! -e "$dir/x"
summary
