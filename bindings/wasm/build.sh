#!/bin/sh
# The verifier as WebAssembly: build.sh OUT.wasm. Needs clang-14, lld-14, wasi-libc and libclang-rt-14-dev-wasm32 of
# Debian 12. It is the portable C of the library, without threads and files: from the sources of cuzk, or, in an
# installed tree, from the copy of them in the folder src next to this script.
set -eu
out=$(realpath -m "${1:?usage: build.sh OUT.wasm}")
here=$(cd "$(dirname "$0")" && pwd)
shim=$here/shim.h
cd "$here/../.."
include=include
if [ ! -d src/verify ]; then
    cd "$here"
    include=../../../../include
fi
exports=""
for f in malloc free cuzk_vk_read cuzk_vk_destroy cuzk_vk_n_inputs cuzk_verify cuzk_verify_batch cuzk_verify_text; do
    exports="$exports -Wl,--export=$f"
done
# shellcheck disable=SC2086 # one option per word
"${CLANG:-clang-14}" --target=wasm32-wasi -mexec-model=reactor -O2 -std=c17 -D_GNU_SOURCE -D_WASI_EMULATED_MMAN -DCUZK_INSIDE \
    -fvisibility=hidden -include "$shim" -Isrc "-I$include" -Wl,--strip-all $exports -o "$out" \
    src/verify/*.c src/pairing/*.c src/ec/g1.c src/ec/g2.c src/ec/key_guard.c src/ec/wnaf.c \
    src/ff/fp.c src/ff/tower/fp2.c src/ff/tower/fp6.c src/ff/tower/fp12.c src/ff/fp_inv.c src/ff/fp_wide.c src/ff/fr.c src/ff/fr_inv.c src/ff/vec/fr_vec.c \
    src/base/alloc.c src/base/status.c src/base/entropy.c src/base/assert.c src/base/bytes.c
