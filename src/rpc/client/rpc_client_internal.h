/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_RPC_RPC_CLIENT_INTERNAL_H
#define CUZK_RPC_RPC_CLIENT_INTERNAL_H

/* Answers of a server, as bytes that anybody may have sent; apart from calls so that they can be fuzzed. */
#include "rpc/client/rpc_client.h"

/** AwaitProofResponse, or a ProveResponse when wrapped. E_FORMAT, E_NOMEM; then out is zeroed. */
CUZK_NODISCARD cuzk_status cuzk_rpc_result_read(cuzk_rpc_result *out, cuzk_bytes reply,
                                                bool wrapped, cuzk_err *err);
/** GetStatusResponse. E_FORMAT, E_NOMEM; then out is zeroed. */
CUZK_NODISCARD cuzk_status cuzk_rpc_status_read(cuzk_rpc_status *out, cuzk_bytes m, cuzk_err *err);

#endif /* CUZK_RPC_RPC_CLIENT_INTERNAL_H */
