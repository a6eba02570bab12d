/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "bench.h"

int main(int argc, char **argv)
{
    return bench_main(argc, argv);
}
