#!/usr/bin/env python3
"""Writes test/vectors/gt.txt on standard output; run from the root of the tree."""
import random
import sys

sys.path.insert(0, "test/aggregate")
from agg_curve import (G1, G1_GENERATOR, G2, G2_GENERATOR, ONE, P, R, Z_ABS, conj, frobenius2, from_fp2, gt_compress, gt_encode,
                       inverse, mul, pairing, power)

random.seed(381)
e = pairing((G1_GENERATOR, G2_GENERATOR))
print("# Elements of GT by the Python model (test/aggregate/agg_curve.py): e(g, h)^k.")
print("# power K COMPRESSED TRANSCRIPT_FORM    (K hexadecimal, big endian)")
for k in [1, 2, 3, R - 1, R - 2, Z_ABS, R - Z_ABS, 1 << 64, (1 << 64) - 1, 1 << 128] + [random.randrange(R) for _ in range(6)]:
    x = power(e, k)
    print(f"power {k:064x} {gt_compress(x).hex()} {gt_encode(x).hex()}")
print("# product COUNT (P_SCALAR Q_SCALAR)... TRANSCRIPT_FORM: product of e(P g, Q h)")
for n in (1, 2, 5):
    ks = [(random.randrange(R), random.randrange(R)) for _ in range(n)]
    x = pairing(*[(G1.times(G1_GENERATOR, a), G2.times(G2_GENERATOR, b)) for a, b in ks])
    print("product", n, " ".join("%064x %064x" % k for k in ks), gt_encode(x).hex())
print("# outside REASON COMPRESSED: forms that are refused")
# cyclotomic, not of order r: f^((p^6 - 1)(p^2 + 1)) of a random f
f = (0,) * 12
for k in range(6):
    part = from_fp2((random.randrange(P), random.randrange(P)), k)
    f = tuple((x + y) % P for x, y in zip(f, part))
t = mul(conj(f), inverse(f))
c = mul(frobenius2(t), t)
print("outside cyclotomic", gt_compress(c).hex())
print("outside norm_one", gt_compress(t).hex())
print("outside cofactor", gt_compress(power(c, R)).hex())  # its order divides the cofactor
s = power(c, (P**4 - P * P + 1) // 4513)
assert s != ONE and power(s, 4513) == ONE
print("outside order_4513", gt_compress(s).hex())
print("outside order_4513_times_member", gt_compress(mul(s, e)).hex())
print("outside zero", "00" * 288)
b = bytearray(gt_compress(e))
b[:48] = P.to_bytes(48, "little")
print("outside coefficient", b.hex())
b = bytearray(gt_compress(e))
b[240:] = b"\xff" * 48
print("outside coefficient", b.hex())
