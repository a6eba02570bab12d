# SPDX-License-Identifier: MIT OR Apache-2.0
"""Aggregation as docs/spec/snarkpack.md describes it, step by step and without any of the savings of src/aggregate.

An aggregate is a dictionary of elements (FIELDS below); encode and decode are its bytes.
"""
import hashlib
import struct

from agg_curve import (G1, G2, ONE, R, conj, g1_decode, g1_encode, g2_decode, g2_encode, gt_compress, gt_decompress,
                       gt_encode, mul, pairing, power)

ROUND_AB = ("t_ab.l", "u_ab.l", "t_ab.r", "u_ab.r")
ROUND_C = ("t_c.l", "u_c.l", "t_c.r", "u_c.r")
ROUND_Z = ("z_ab.l", "z_ab.r")
ROUND_ZC = ("z_c.l", "z_c.r")


def fr(x):
    return x.to_bytes(32, "little")


# ---- files
class Srs:
    """The powers for n proofs: g[0][i] is a^i g, g[1][i] is b^i g; h the same in G2."""

    def __init__(self, path, n):
        data = open(path, "rb").read()
        at, lists = 0, []
        for size, decode, need in ((48, g1_decode, 2 * n), (48, g1_decode, 2 * n), (96, g2_decode, max(n, 2)), (96, g2_decode, max(n, 2))):
            count = struct.unpack(">I", data[at:at + 4])[0]
            at += 4
            lists.append([decode(data[at + size * i:at + size * (i + 1)]) for i in range(need)])
            at += size * count
        assert at == len(data)
        self.g, self.h = lists[:2], lists[2:]


class VerifyingKey:
    """docs/params-format.md#vk: uncompressed points, big endian."""

    def __init__(self, path):
        self.bytes = data = open(path, "rb").read()

        def number(at):
            return int.from_bytes(data[at:at + 48], "big")

        def g1(at):
            return number(at), number(at + 48)

        def g2(at):
            return (number(at + 48), number(at)), (number(at + 144), number(at + 96))

        self.alpha, self.beta, self.gamma, self.delta = g1(0), g2(192), g2(384), g2(672)
        self.ic = [g1(868 + 96 * i) for i in range(struct.unpack(">I", data[864:868])[0])]


def padded(items):
    n = 2
    while n < len(items):
        n *= 2
    return items + [items[-1]] * (n - len(items))


def include_all(vk, statements):
    """transcript_include of circuits that are not Filecoin's (docs/snarkpack.md#other-circuits)."""
    h = hashlib.sha256(b"cuzk aggregate 1" + vk.bytes + struct.pack("<Q", len(statements)))
    for s in statements:
        h.update(b"".join(fr(x) for x in s))
    return h.digest()


# ---- challenges
def challenge(label, *parts):
    text, counter = b"snarkpack-v1" + label.encode() + b"".join(parts), 0
    while True:
        counter += 1
        text += struct.pack(">Q", counter)
        digest = bytearray(hashlib.sha256(text).digest())
        digest[31] &= 0x7F
        value = int.from_bytes(digest, "little")
        if value < R and value > 1:
            return value


def round_part(r):
    return b"".join([gt_encode(r[k]) for k in ROUND_Z] + [g1_encode(r[k]) for k in ROUND_ZC] +
                    [gt_encode(r[k]) for k in ROUND_AB + ROUND_C])


class Challenges:
    """Made in order, from an aggregate that may still be growing."""

    def __init__(self, p, include, version):
        self.p, self.version, self.x, self.x_inv = p, version, [], []
        self.hcom = challenge("hcom", *(gt_encode(p[k]) for k in ("t_ab", "u_ab", "t_c", "u_c")))
        self.r = challenge("random-r", fr(self.hcom), struct.pack("<Q", len(include)) + include)

    def first(self):
        self.last = challenge("gipa-0", fr(self.hcom), gt_encode(self.p["z_ab"]), g1_encode(self.p["z_c"]), fr(self.r))

    def round(self, i):
        if i > 0 or self.version == 2:
            self.last = challenge(f"gipa-{i}", fr(self.last), round_part(self.p["rounds"][i]))
        self.x_inv.append(self.last)
        self.x.append(pow(self.last, -1, R))

    def end(self):
        p, key = self.p, []
        final = [g1_encode(p["final_a"]), g2_encode(p["final_b"]), g1_encode(p["final_c"])]
        key = [g2_encode(v) for v in p["final_v"]] + [g1_encode(w) for w in p["final_w"]]
        if self.version == 1:
            self.z = challenge("random-z", fr(self.x[-1]), *key)
        else:
            link = challenge("gipa-extra-link", fr(self.x[-1]), *final, round_part(p["rounds"][-1]))
            self.z = challenge("random-z", fr(link), *key, *final)


# ---- polynomials of the folded keys
def product_form(challenges, scale):
    """Coefficients of the product of (1 + c_j (scale X)^(2^j)), the last challenge with X."""
    out = [1]
    for c in reversed(challenges):
        out = out + [x * c % R * scale % R for x in out]
        scale = scale * scale % R
    return out


def evaluate(f, z):
    out = 0
    for c in reversed(f):
        out = (out * z + c) % R
    return out


def quotient(f, z):
    """(f(X) - f(z)) / (X - z)"""
    out, carry = [0] * (len(f) - 1), 0
    for i in range(len(f) - 1, 0, -1):
        carry = (f[i] + carry * z) % R
        out[i - 1] = carry
    return out


# ---- the prover
def halves(v):
    return v[:len(v) // 2], v[len(v) // 2:]


def aggregate(srs, proofs, include, version):
    """proofs: padded, each 192 bytes."""
    n = len(proofs)
    a = [g1_decode(x[:48]) for x in proofs]
    b = [g2_decode(x[48:144]) for x in proofs]
    c = [g1_decode(x[144:]) for x in proofs]
    v = [srs.h[k][:n] for k in (0, 1)]
    w = [srs.g[k][n:2 * n] for k in (0, 1)]
    p = {"n": n, "rounds": []}
    for k, name in enumerate(("t", "u")):
        p[name + "_ab"] = pairing(*zip(a, v[k]), *zip(w[k], b))
        p[name + "_c"] = pairing(*zip(c, v[k]))
    ch = Challenges(p, include, version)
    r, r_inv = ch.r, pow(ch.r, -1, R)
    rho = [pow(r, i, R) for i in range(n)]
    b = [G2.times(x, s) for x, s in zip(b, rho)]
    w = [[G1.times(x, pow(r_inv, i, R)) for i, x in enumerate(side)] for side in w]
    p["z_ab"] = pairing(*zip(a, b))
    p["z_c"] = G1.sum_times(c, rho)
    ch.first()
    for i in range(n.bit_length() - 1):
        (a_l, a_r), (b_l, b_r), (c_l, c_r), (rho_l, rho_r) = halves(a), halves(b), halves(c), halves(rho)
        q = {"z_ab.l": pairing(*zip(a_r, b_l)), "z_ab.r": pairing(*zip(a_l, b_r)),
             "z_c.l": G1.sum_times(c_r, rho_l), "z_c.r": G1.sum_times(c_l, rho_r)}
        for k, name in enumerate(("t", "u")):
            (v_l, v_r), (w_l, w_r) = halves(v[k]), halves(w[k])
            q[name + "_ab.l"] = pairing(*zip(a_r, v_l), *zip(w_r, b_l))
            q[name + "_ab.r"] = pairing(*zip(a_l, v_r), *zip(w_l, b_r))
            q[name + "_c.l"] = pairing(*zip(c_r, v_l))
            q[name + "_c.r"] = pairing(*zip(c_l, v_r))
        p["rounds"].append(q)
        ch.round(i)
        x, x_inv = ch.x[i], ch.x_inv[i]

        def fold(group, vector, k):
            left, right = halves(vector)
            return [group.add(s, group.times(t, k)) for s, t in zip(left, right)]

        a, c, b = fold(G1, a, x), fold(G1, c, x), fold(G2, b, x_inv)
        w = [fold(G1, side, x) for side in w]
        v = [fold(G2, side, x_inv) for side in v]
        rho = [(s + x_inv * t) % R for s, t in zip(rho_l, rho_r)]
    p.update({"final_a": a[0], "final_b": b[0], "final_c": c[0], "final_v": [side[0] for side in v],
              "final_w": [side[0] for side in w]})
    ch.end()
    q_v = quotient(product_form(ch.x_inv, 1), ch.z)
    q_w = quotient([0] * n + product_form(ch.x, r_inv), ch.z)
    p["v_opening"] = [G2.sum_times(side, q_v) for side in srs.h]
    p["w_opening"] = [G1.sum_times(side, q_w) for side in srs.g]
    return p


# ---- the bytes
def layout(rounds):
    """(place, kind) of every element in order; a place is a key, or (round, key), or (key, index)."""
    yield from ((k, "gt") for k in ("t_ab", "u_ab", "t_c", "u_c", "z_ab"))
    yield "z_c", "g1"
    yield "n", "n"
    for names, kind in ((ROUND_AB, "gt"), (ROUND_C, "gt"), (ROUND_Z, "gt"), (ROUND_ZC, "g1")):
        for i in range(rounds):
            yield from ((("round", i, k), kind) for k in names)
    yield from ((("final_a", "g1"), ("final_b", "g2"), ("final_c", "g1")))
    for k, kind in (("final_v", "g2"), ("final_w", "g1"), ("v_opening", "g2"), ("w_opening", "g1")):
        yield from (((k, i), kind) for i in (0, 1))


ENCODE = {"gt": gt_compress, "g1": g1_encode, "g2": g2_encode, "n": lambda n: struct.pack("<I", n)}
DECODE = {"gt": (288, gt_decompress), "g1": (48, g1_decode), "g2": (96, g2_decode), "n": (4, lambda b: struct.unpack("<I", b)[0])}


def encode(p):
    out = b""
    for place, kind in layout(len(p["rounds"])):
        if isinstance(place, str):
            value = p[place]
        else:
            value = p["rounds"][place[1]][place[2]] if place[0] == "round" else p[place[0]][place[1]]
        out += ENCODE[kind](value)
    return out


def decode(data):
    n = struct.unpack("<I", data[1488:1492])[0]
    rounds = n.bit_length() - 1
    assert n >= 2 and n == 1 << rounds
    p = {"rounds": [{} for _ in range(rounds)]}
    at = 0
    for place, kind in layout(rounds):
        size, read = DECODE[kind]
        value = read(data[at:at + size])
        at += size
        if isinstance(place, str):
            p[place] = value
        elif place[0] == "round":
            p["rounds"][place[1]][place[2]] = value
        else:
            p.setdefault(place[0], []).append(value)
    assert at == len(data)
    return p


# ---- the verifier
def failures(srs, vk, statements, include, p, version):
    """Names of the checks that fail, each made alone. statements: padded."""
    assert len(statements) == p["n"]
    ch = Challenges(p, include, version)
    ch.first()
    for i in range(len(p["rounds"])):
        ch.round(i)
    ch.end()
    r, z, r_inv = ch.r, ch.z, pow(ch.r, -1, R)

    def folded(start, name):
        out = start
        for q, x, x_inv in zip(p["rounds"], ch.x, ch.x_inv):
            out = mul(out, mul(power(q[name + ".l"], x), power(q[name + ".r"], x_inv)))
        return out

    out = []

    def check(name, holds):
        if not holds:
            out.append(name)

    z_c = p["z_c"]
    for q, x, x_inv in zip(p["rounds"], ch.x, ch.x_inv):
        z_c = G1.add(z_c, G1.sum_times([q["z_c.l"], q["z_c.r"]], [x, x_inv]))
    check("z_c", G1.times(p["final_c"], evaluate(product_form(ch.x_inv, 1), r)) == z_c)
    check("z_ab", pairing((p["final_a"], p["final_b"])) == folded(p["z_ab"], "z_ab"))
    g, h = srs.g[0][0], srs.h[0][0]
    y_v = evaluate(product_form(ch.x_inv, 1), z)
    y_w = evaluate([0] * p["n"] + product_form(ch.x, r_inv), z)
    for k, name in enumerate(("t", "u")):
        v, w = p["final_v"][k], p["final_w"][k]
        check(name + "_ab", pairing((p["final_a"], v), (w, p["final_b"])) == folded(p[name + "_ab"], name + "_ab"))
        check(name + "_c", pairing((p["final_c"], v)) == folded(p[name + "_c"], name + "_c"))
        left = G2.add(v, G2.neg(G2.times(h, y_v)))
        right = G1.add(srs.g[k][1], G1.neg(G1.times(g, z)))
        check("opening of v " + name, pairing((G1.neg(g), left), (right, p["v_opening"][k])) == ONE)
        left = G1.add(w, G1.neg(G1.times(g, y_w)))
        right = G2.add(srs.h[k][1], G2.neg(G2.times(h, z)))
        check("opening of w " + name, pairing((left, G2.neg(h)), (p["w_opening"][k], right)) == ONE)
    powers = [pow(r, i, R) for i in range(p["n"])]
    total = sum(powers) % R
    weights = [total] + [sum(k * s[j] for k, s in zip(powers, statements)) % R for j in range(len(vk.ic) - 1)]
    check("groth16", pairing((G1.times(vk.alpha, total), vk.beta), (G1.sum_times(vk.ic, weights), vk.gamma),
                             (p["z_c"], vk.delta)) == p["z_ab"])
    return out
