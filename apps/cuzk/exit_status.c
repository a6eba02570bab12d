/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "exit_status.h"

/* No default: a new status does not compile until it has a place here. */
exit_status exit_status_of(cuzk_status s)
{
    switch (s) {
    case CUZK_OK: return EXIT_STATUS_OK;
    case CUZK_E_PROOF_FALSE: return EXIT_STATUS_PROOF_FALSE;
    case CUZK_E_INVALID:
    case CUZK_E_UNSUPPORTED:
    case CUZK_E_NOT_FOUND:
    case CUZK_E_EXISTS:
    case CUZK_E_FORMAT:
    case CUZK_E_DIGEST:
    case CUZK_E_UNSAFE_KEY:
    case CUZK_E_ENCODING:
    case CUZK_E_NOT_ON_CURVE:
    case CUZK_E_NOT_IN_GROUP:
    case CUZK_E_INFINITY:
    case CUZK_E_UNSATISFIED:
    case CUZK_E_VANILLA: return EXIT_STATUS_BAD_INPUT;
    case CUZK_E_NOMEM:
    case CUZK_E_BUDGET:
    case CUZK_E_IO:
    case CUZK_E_CANCELLED:
    case CUZK_E_SELFTEST:
    case CUZK_E_DEV_NOMEM:
    case CUZK_E_DEV_LOST:
    case CUZK_E_DEV_UNFIT: return EXIT_STATUS_MACHINE;
    }
    return EXIT_STATUS_MACHINE; /* not a status at all */
}
