/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Included before every file of the WebAssembly build: what wasi-libc has under another name. */
#ifndef CUZK_WASM_SHIM_H
#define CUZK_WASM_SHIM_H

#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static inline ssize_t getrandom(void *out, size_t n, unsigned flags)
{
    const size_t part = n < 256 ? n : 256; /* the most that getentropy gives */
    (void)flags;
    return getentropy(out, part) == 0 ? (ssize_t)part : -1;
}

/* madvise does nothing: WebAssembly has no pages to advise about. */
#define madvise(p, n, advice) 0

#endif /* CUZK_WASM_SHIM_H */
