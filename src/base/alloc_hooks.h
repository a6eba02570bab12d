/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BASE_ALLOC_HOOKS_H
#define CUZK_BASE_ALLOC_HOOKS_H

/* Memory of the program around the library, in place of libc's. */
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

/** Where blocks come from; any thread may call them. */
typedef struct cuzk_alloc_hooks {
    void *(*alloc)(void *arg, size_t align, size_t bytes); /* at a multiple of align; NULL: none */
    void (*free)(void *arg, void *p, size_t bytes);
    void *arg;
} cuzk_alloc_hooks;
/** Sets the hooks, or with NULL libc again. false, and no change, while there are blocks. @thread no other call may run. */
CUZK_NODISCARD bool cuzk_alloc_set_hooks(const cuzk_alloc_hooks *hooks);

#endif /* CUZK_BASE_ALLOC_HOOKS_H */
