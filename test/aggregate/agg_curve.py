# SPDX-License-Identifier: MIT OR Apache-2.0
"""BLS12-381 with plain integers, for the model of aggregation (agg_model.py). Shares no code with src.

An element of Fp2 is a pair (a, b) for a + b u, u^2 = -1. An element of Fp12 is a polynomial in w over Fp, 12
coefficients, modulo w^12 - 2 w^6 + 2: the tower's w^6 is 1 + u, so u is w^6 - 1. A point is a pair of coordinates,
None is infinity; coordinates of G1 are integers, those of G2 are in Fp2.
"""
P = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
R = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
Z_ABS = 0xD201000000010000  # the curve's parameter is its negative


# ---- Fp2
class Fp2:
    zero, one = (0, 0), (1, 0)

    @staticmethod
    def add(a, b):
        return (a[0] + b[0]) % P, (a[1] + b[1]) % P

    @staticmethod
    def sub(a, b):
        return (a[0] - b[0]) % P, (a[1] - b[1]) % P

    @staticmethod
    def mul(a, b):
        return (a[0] * b[0] - a[1] * b[1]) % P, (a[0] * b[1] + a[1] * b[0]) % P

    @staticmethod
    def inv(a):
        n = pow(a[0] * a[0] + a[1] * a[1], -1, P)
        return a[0] * n % P, -a[1] * n % P

    @staticmethod
    def sqrt(a):
        """A root of a, which has one. With the norm's root s, (a0 + s) / 2 or (a0 - s) / 2 is the square of the real part."""
        s = pow(a[0] * a[0] + a[1] * a[1], (P + 1) // 4, P)
        for t in ((a[0] + s) * (P + 1) // 2 % P, (a[0] - s) * (P + 1) // 2 % P):
            x = pow(t, (P + 1) // 4, P)
            if x * x % P != t:
                continue
            root = (x, a[1] * pow(2 * x, -1, P) % P) if x else (0, pow(-a[0] % P, (P + 1) // 4, P))
            if Fp2.mul(root, root) == a:
                return root
        raise ValueError("not a square")


class Fp:
    zero, one = 0, 1
    add = staticmethod(lambda a, b: (a + b) % P)
    sub = staticmethod(lambda a, b: (a - b) % P)
    mul = staticmethod(lambda a, b: a * b % P)
    inv = staticmethod(lambda a: pow(a, -1, P))


# ---- groups
class Group:
    """Affine points of y^2 = x^3 + b over a field."""

    def __init__(self, field):
        self.f = field

    def neg(self, p):
        return p and (p[0], self.f.sub(self.f.zero, p[1]))

    def slope(self, p, q):
        f = self.f
        if p == q:
            xx = f.mul(p[0], p[0])
            return f.mul(f.add(xx, f.add(xx, xx)), f.inv(f.add(p[1], p[1])))
        return f.mul(f.sub(q[1], p[1]), f.inv(f.sub(q[0], p[0])))

    def add(self, p, q):
        f = self.f
        if p is None or q is None:
            return p or q
        if p[0] == q[0] and p != q:
            return None
        s = self.slope(p, q)
        x = f.sub(f.sub(f.mul(s, s), p[0]), q[0])
        return x, f.sub(f.mul(s, f.sub(p[0], x)), p[1])

    def times(self, p, k):
        out = None
        for bit in bin(k % R)[2:]:
            out = self.add(out, out)
            if bit == "1":
                out = self.add(out, p)
        return out

    def sum_times(self, points, scalars):
        out = None
        for p, k in zip(points, scalars):
            out = self.add(out, self.times(p, k))
        return out


G1, G2 = Group(Fp), Group(Fp2)


# ---- encodings of points (the Zcash form: flags in the first byte, big endian)
def _flags(data):
    return data[0] >> 7 & 1, data[0] >> 6 & 1, data[0] >> 5 & 1


def _larger(y):
    """The greater of y and -y."""
    if isinstance(y, tuple):
        return _larger(y[1] if y[1] else y[0])
    return y > P - y


def g1_decode(data):
    compressed, infinite, sign = _flags(data)
    assert compressed and len(data) == 48
    if infinite:
        return None
    x = int.from_bytes(data, "big") & ((1 << 381) - 1)
    y = pow(x**3 + 4, (P + 1) // 4, P)
    assert (y * y - x**3 - 4) % P == 0
    return x, y if _larger(y) == bool(sign) else P - y


def g2_decode(data):
    compressed, infinite, sign = _flags(data)
    assert compressed and len(data) == 96
    if infinite:
        return None
    x = int.from_bytes(data[48:], "big"), int.from_bytes(data[:48], "big") & ((1 << 381) - 1)
    y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.mul(x, x), x), (4, 4)))
    return x, y if _larger(y) == bool(sign) else Fp2.sub(Fp2.zero, y)


def g1_encode(p):
    if p is None:
        return bytes([0xC0]) + bytes(47)
    return ((0x80 | (0x20 if _larger(p[1]) else 0)) << 376 | p[0]).to_bytes(48, "big")


def g2_encode(p):
    if p is None:
        return bytes([0xC0]) + bytes(95)
    (a, b), y = p
    return ((0x80 | (0x20 if _larger(y) else 0)) << 376 | b).to_bytes(48, "big") + a.to_bytes(48, "big")


G1_GENERATOR = g1_decode(bytes.fromhex("97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"))
G2_GENERATOR = g2_decode(bytes.fromhex(
    "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
    "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"))

# ---- Fp12, products by one multiplication of long integers
SLOT = 800  # bits for a coefficient of a product: 12 (p - 1)^2 fits
MASK = (1 << SLOT) - 1
ONE = (1,) + (0,) * 11


def _pack(a):
    return int.from_bytes(b"".join(c.to_bytes(SLOT // 8, "little") for c in a), "little")


def _fold(c):
    """23 coefficients to 12: w^12 = 2 w^6 - 2."""
    for k in range(len(c) - 1, 11, -1):
        c[k - 6] += 2 * c[k]
        c[k - 12] -= 2 * c[k]
    return tuple(x % P for x in c[:12])


def mul(a, b):
    n = _pack(a) * _pack(b)
    return _fold([n >> SLOT * k & MASK for k in range(23)])


def power(a, e):
    out = ONE
    for bit in bin(e)[2:]:
        out = mul(out, out)
        if bit == "1":
            out = mul(out, a)
    return out


def conj(a):
    """a^(p^6): w becomes -w. The inverse of an element whose norm to Fp6 is 1."""
    return tuple(-c % P if k % 2 else c for k, c in enumerate(a))


def _zeta():
    """w^(p^2 - 1) = (1 + u)^((p^2 - 1) / 6), which lies in Fp."""
    out, base, e = (1, 0), (1, 1), (P * P - 1) // 6
    while e:
        if e & 1:
            out = Fp2.mul(out, base)
        base, e = Fp2.mul(base, base), e >> 1
    assert out[1] == 0
    return out[0]


ZETA = _zeta()


def frobenius2(a):
    """a^(p^2)."""
    z, out = 1, []
    for c in a:
        out.append(c * z % P)
        z = z * ZETA % P
    return tuple(out)


def from_fp2(c, k=0):
    """c w^k, k < 6."""
    out = [0] * 12
    out[k], out[k + 6] = (c[0] - c[1]) % P, c[1]
    return tuple(out)


def coefficient(a, k):
    """The coefficient in Fp2 of w^k, k < 6."""
    return (a[k] + a[k + 6]) % P, a[k + 6]


def inverse(a):
    """By norms: to Fp6, whose conjugates over Fp2 are powers p^2 and p^4; then to Fp2."""
    n6 = mul(a, conj(a))
    rest = mul(frobenius2(n6), frobenius2(frobenius2(n6)))
    n2 = coefficient(mul(n6, rest), 0)
    return mul(mul(conj(a), rest), from_fp2(Fp2.inv(n2)))


# ---- the pairing
HARD = 3 * (P**4 - P * P + 1) // R  # the cube of the textbook pairing, as the network's libraries compute it


def miller(pairs):
    """Product of the Miller functions of (P, Q); pairs with infinity count as 1."""
    pairs = [(p, q) for p, q in pairs if p is not None and q is not None]
    f, at = ONE, [q for _, q in pairs]

    def step(f, i, other):
        p, t = pairs[i][0], at[i]
        s = G2.slope(t, other)
        line = [0] * 12
        for k, c in ((0, Fp2.sub(Fp2.mul(s, t[0]), t[1])), (2, (-s[0] * p[0], -s[1] * p[0])), (3, (p[1], 0))):
            line[k], line[k + 6] = (c[0] - c[1]) % P, c[1] % P
        at[i] = G2.add(t, other)
        return mul(f, line)

    for bit in bin(Z_ABS)[3:]:
        f = mul(f, f)
        for i in range(len(pairs)):
            f = step(f, i, at[i])
        if bit == "1":
            for i in range(len(pairs)):
                f = step(f, i, pairs[i][1])
    return conj(f)


def final_exponentiation(f):
    f = mul(conj(f), inverse(f))
    return power(mul(frobenius2(f), f), HARD)


def pairing(*pairs):
    """Product of e(P, Q)."""
    return final_exponentiation(miller(pairs))


def in_group(a):
    return power(a, R) == ONE


# ---- encodings of the target group
TOWER_ORDER = (0, 2, 4, 1, 3, 5)  # powers of w as c0.c0, c0.c1, c0.c2, c1.c0, c1.c1, c1.c2


def gt_encode(a):
    return b"".join(x.to_bytes(48, "little") for k in TOWER_ORDER for x in coefficient(a, k))


def gt_compress(a):
    """(c0 + 1) / c1, where a = c0 + c1 w with c0, c1 in Fp6, the even powers of w."""
    c0 = tuple(0 if k % 2 else c for k, c in enumerate(a))
    c1 = tuple(a[k + 1] if k % 2 == 0 else 0 for k in range(12))
    b = mul(((c0[0] + 1) % P,) + c0[1:], inverse(c1))
    return b"".join(x.to_bytes(48, "little") for k in (0, 2, 4) for x in coefficient(b, k))


def gt_decompress(data):
    """(b + w) / (b - w)."""
    v = [int.from_bytes(data[48 * i:48 * i + 48], "little") for i in range(6)]
    assert all(x < P for x in v)
    b = [0] * 12
    for i in range(3):
        c = from_fp2((v[2 * i], v[2 * i + 1]), 2 * i)
        b = [x + y for x, y in zip(b, c)]
    up, down = list(b), list(b)
    up[1], down[1] = 1, P - 1
    out = mul(up, inverse(tuple(down)))
    assert in_group(out)
    return out
