#!/usr/bin/env python3
"""Known answers of the pairing, by the textbook Miller loop over the full curve in Fp12 = Fp[w]/(w^12 - 2 w^6 + 2).

Usage: tools/gen/gen_pairing_vectors.py > test/vectors/pairing.txt
Each line: a, b (hex), then e(a G1, b G2) = f^(3 (q^12-1)/r): the coefficients of w^0..w^5, each as real part and part
of i (48 bytes big-endian hex, concatenated). No tower, no sparse product, no short exponent is used here.
"""
import gen_consts as c
import gen_ec_vectors as ev

Q, R = c.Q, c.R


def mul(a, b):
    t = [0] * 23
    for i, x in enumerate(a):
        if x:
            for j, y in enumerate(b):
                t[i + j] += x * y
    for k in range(22, 11, -1):  # w^12 = 2 w^6 - 2
        t[k - 6] += 2 * t[k]
        t[k - 12] -= 2 * t[k]
    return [v % Q for v in t[:12]]


def power(a, e):
    out = [1] + [0] * 11
    for bit in bin(e)[2:]:
        out = mul(out, out)
        if bit == "1":
            out = mul(out, a)
    return out


def from2(v, shift):
    """(c0 + c1 i) w^shift, with i = w^6 - 1."""
    p = [0] * 12
    p[0], p[6] = (v[0] - v[1]) % Q, v[1] % Q
    mono = [0] * 12
    mono[shift % 12] = 1
    return mul(p, mono)


def inv_w(k):
    """w^-k by w^-1 = -(w^11 - 2 w^5) / 2."""
    h = pow(2, -1, Q)
    w1 = [0] * 12
    w1[11], w1[5] = -h % Q, 1
    return power(w1, k)


def sub(a, b):
    return [(x - y) % Q for x, y in zip(a, b)]


def ate(p, q):
    """f_{|z|,Q}(P) with T kept on the twist (affine) and lines written in Fp12."""
    w2, w3 = inv_w(2), inv_w(3)

    def line(t, lam):
        """y_P - y_T - lam (x_P - x_T) on the untwisted curve, slope lam / w."""
        x, y = mul(from2(t[0], 0), w2), mul(from2(t[1], 0), w3)
        yp, xp = [p[1][0]] + [0] * 11, [p[0][0]] + [0] * 11
        slope = mul(from2(lam, 0), inv_w(1))
        return sub(sub(yp, y), mul(slope, sub(xp, x)))

    def step(t, u):
        if t == u:
            lam = c.fp2_mul(c.fp2_mul((3, 0), c.fp2_mul(t[0], t[0])), c.fp2_pow(ev.add2(t[1], t[1]), -1))
        else:
            lam = c.fp2_mul(ev.sub2(u[1], t[1]), c.fp2_pow(ev.sub2(u[0], t[0]), -1))
        return line(t, lam), ev.add(t, u)

    f, t = [1] + [0] * 11, q
    for bit in bin(-c.Z)[3:]:
        l, t2 = step(t, t)
        f, t = mul(mul(f, f), l), t2
        if bit == "1":
            l, t2 = step(t, q)
            f, t = mul(f, l), t2
    return f


def main():
    assert mul(inv_w(1), [0, 1] + [0] * 10) == [1] + [0] * 11
    g1, g2 = tuple((v, 0) for v in c.G1_GEN), c.G2_GEN
    exponent = -3 * ((Q ** 12 - 1) // R) % (Q ** 12 - 1)  # minus: z is negative
    big = 0x123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0 % R
    print("# Made by tools/gen/gen_pairing_vectors.py; do not edit.")
    for a, b in ((1, 1), (5, 7), (R - 1, 1), (big, 2), (3, big * big % R)):
        f = power(ate(ev.mul(g1, a), ev.mul(g2, b)), exponent)
        cs = b"".join(ev.be((f[j] + f[j + 6]) % Q) + ev.be(f[j + 6]) for j in range(6))
        print(f"{a:064x} {b:064x} {cs.hex()}")


if __name__ == "__main__":
    main()
