#!/usr/bin/env python3
"""Known answers for G1 and G2: multiples of the generators and their encodings, by affine big-int arithmetic.

Usage: tools/gen/gen_ec_vectors.py > test/vectors/ec_multiples.txt
Each line: scalar (hex), then compressed G1, uncompressed G1, compressed G2, uncompressed G2.
A second part, lines "bad1 STATUS HEX" and "bad2 STATUS HEX", holds points that decoding must refuse.
"""
import gen_consts as c

Q, R = c.Q, c.R
ZERO = (0, 0)


def add2(a, b):
    return (a[0] + b[0]) % Q, (a[1] + b[1]) % Q


def sub2(a, b):
    return (a[0] - b[0]) % Q, (a[1] - b[1]) % Q


def add(p, q):
    """Points over Fp2 (G1 has zero second parts); None is infinity."""
    if p is None or q is None:
        return q if p is None else p
    if p[0] == q[0]:
        if add2(p[1], q[1]) == ZERO:
            return None
        xx = c.fp2_mul(p[0], p[0])
        lam = c.fp2_mul(c.fp2_mul((3, 0), xx), c.fp2_pow(add2(p[1], p[1]), -1))
    else:
        lam = c.fp2_mul(sub2(q[1], p[1]), c.fp2_pow(sub2(q[0], p[0]), -1))
    x = sub2(sub2(c.fp2_mul(lam, lam), p[0]), q[0])
    return x, sub2(c.fp2_mul(lam, sub2(p[0], x)), p[1])


def mul(p, k):
    out = None
    for bit in bin(k)[2:]:
        out = add(out, out)
        if bit == "1":
            out = add(out, p)
    return out


def be(v):
    return v.to_bytes(48, "big")


def encode(p, two):
    n = 96 if two else 48
    if p is None:
        return bytes([0xC0]) + bytes(n - 1), bytes([0x40]) + bytes(2 * n - 1)
    (x0, x1), (y0, y1) = p
    x, y = (be(x1) + be(x0), be(y1) + be(y0)) if two else (be(x0), be(y0))
    larger = (y1 if y1 else y0) > (Q - 1) // 2
    comp = bytearray(x)
    comp[0] |= 0x80 | (0x20 if larger else 0)
    return bytes(comp), x + y


def sqrt1(a):
    s = pow(a, (Q + 1) // 4, Q)
    return s if s * s % Q == a % Q else None


def sqrt2(a):
    """By the norm; None when a is no square."""
    n = sqrt1(a[0] * a[0] + a[1] * a[1])
    if n is None:
        return None
    for s in (n, -n):
        x = sqrt1((a[0] + s) * pow(2, -1, Q) % Q)
        if x:
            r = (x, a[1] * pow(2 * x, -1, Q) % Q)
            if c.fp2_mul(r, r) == (a[0] % Q, a[1] % Q):
                return r
    return None


def off_group(two):
    """First points by x with no chance to be in the subgroup (checked), and first x with no point."""
    pts, holes, t = [], [], 1
    while len(pts) < 4 or len(holes) < 2:
        x = (t, t * t % Q) if two else (t, 0)
        rhs = add2(c.fp2_mul(x, c.fp2_mul(x, x)), (4, 4) if two else (4, 0))
        y = sqrt2(rhs) if two else sqrt1(rhs[0])
        if y is None:
            holes.append(x)
        else:
            p = (x, y if two else (y, 0))
            if mul(p, R) is not None:
                pts.append(p)
        t += 1
    return pts[:4], holes[:2]


def main():
    g1 = tuple((v, 0) for v in c.G1_GEN)
    g2 = c.G2_GEN
    z = -c.Z
    some = [0x123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0 ^ (0x9E3779B97F4A7C15 * i) << (i % 64)
            for i in range(1, 9)]
    ks = list(range(0, 17)) + [R - 1, R, R + 1, R - 2, (R - 1) // 2, 2**255, 2**256 - 1, 2**128, 2**64 - 1, z, z * z,
                               R - z * z, z * z - 1, 0x5555 << 240, 0xAAAA << 240] + [k % 2**256 for k in some]
    print("# Made by tools/gen/gen_ec_vectors.py; do not edit.")
    for k in ks:
        a, b = encode(mul(g1, k), False), encode(mul(g2, k), True)
        print(f"{k:064x}", a[0].hex(), a[1].hex(), b[0].hex(), b[1].hex())
    for two in (False, True):
        name = "bad2" if two else "bad1"
        pts, holes = off_group(two)
        for p in pts:
            for e in encode(p, two):
                print(name, "group", e.hex())
        for x in holes:
            e = bytearray((be(x[1]) if two else b"") + be(x[0]))
            e[0] |= 0x80
            print(name, "curve", e.hex())


if __name__ == "__main__":
    main()
