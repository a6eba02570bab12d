#!/bin/sh
# setup.sh CUZK KIND FOLDER: the parameters of a circuit of 2 KiB sectors by `cuzk params setup`, from the seed 7, for the tests that run
# the program. CTest runs this before those tests (cuzk_uses_params in cmake/Cuzk.cmake). Parameters that are newer than the program are
# kept. FOLDER/KIND.done is written last.
set -eu
cuzk=$1
kind=$2
folder=$3
mkdir -p "$folder"
[ "$folder/$kind.done" -nt "$cuzk" ] && exit 0
rm -f "$folder/$kind.done"
"$cuzk" params setup "$kind" 2KiB --insecure-seed 7 --force -o "$folder"
touch "$folder/$kind.done"
