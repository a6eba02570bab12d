/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "msm/msm.h"
#include "ref/ref_ec.h"

#include "test.h"

#define G  g1
#define G2 0
#include "msm_cases_tmpl.h"

static const cuzk_case cases[] = {
    CASE(term_by_term), CASE(sizes),  CASE(special_scalars), CASE(special_bases),
    CASE(threads),      CASE(bits),   CASE(fixed_base),      CASE(allocation_failures),
    CASE(refusals),     CASE(linear), CASE(large),           CASE(few_full),
};
TEST_MAIN("msm/g1", cases)
