#!/usr/bin/env python3
"""Checks what cuzk_gt_is_in_group relies on (src/pairing/gt.c), with plain integers.

For BLS12-381, an element of the cyclotomic subgroup of Fp12 with a^q = a^z has an order that divides
gcd(q - z, q^4 - q^2 + 1). That number is r exactly.
"""
from math import gcd

z = -0xD201000000010000
r = z**4 - z**2 + 1
q = (z - 1) ** 2 * r // 3 + z
if gcd(q - z, q**4 - q**2 + 1) != r:
    raise SystemExit("gcd(q - z, q^4 - q^2 + 1) is not r")
print("gcd(q - z, q^4 - q^2 + 1) = r")
