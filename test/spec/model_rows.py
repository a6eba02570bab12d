# SPDX-License-Identifier: MIT OR Apache-2.0
"""Counts of rows, aux wires and inputs, from docs/spec/gadgets.md, porep.md, post.md and update.md alone.

A Boolean is 0, 1 or V (a wire or its negation: for counting they are the same).
"""

V = 2
K = [0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5, 0xD807AA98, 0x12835B01,
     0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174, 0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC,
     0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA, 0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147,
     0x06CA6351, 0x14292967, 0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
     0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070, 0x19A4C116, 0x1E376C08,
     0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3, 0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208,
     0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2]
IV = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]


class Count:
    """rows, aux wires, inputs of what has been recorded."""

    def __init__(self, rows=0, aux=0, inputs=0):
        self.rows, self.aux, self.inputs = rows, aux, inputs

    def add(self, rows=0, aux=0, inputs=0):
        self.rows += rows
        self.aux += aux
        self.inputs += inputs

    def join(self, other, times=1):
        self.add(times * other.rows, times * other.aux, times * other.inputs)


class Block:
    """One SHA-256 block: gates and packed sums."""

    def __init__(self):
        self.rows = self.aux = self.bits = 0

    def gate(self):
        self.rows += 1
        self.aux += 1
        return V

    def xor1(self, x, y):
        if x != V and y != V:
            return x ^ y
        if x == V and y == V:
            return self.gate()
        return V

    def and1(self, x, y):
        if x != V:
            return y if x else 0
        if y != V:
            return x if y else 0
        return self.gate()

    def ch1(self, x, y, z):
        if V not in (x, y, z):
            return y if x else z
        if x == 0:
            return z
        neg = {0: 1, 1: 0, V: V}
        if y == 0:
            return self.and1(neg[x], z)
        if z == 0:
            return self.and1(x, y)
        if z == 1:
            return neg[self.and1(x, neg[y])]
        if y == 1:
            return neg[self.and1(neg[x], neg[z])]
        return self.gate()

    def maj1(self, x, y, z):
        if V not in (x, y, z):
            return int(x + y + z >= 2)
        neg = {0: 1, 1: 0, V: V}
        if x == 0:
            return self.and1(y, z)
        if y == 0:
            return self.and1(x, z)
        if z == 0:
            return self.and1(x, y)
        if z == 1:
            return neg[self.and1(neg[x], neg[y])]
        if y == 1:
            return neg[self.and1(neg[x], neg[z])]
        if x == 1:
            return neg[self.and1(neg[y], neg[z])]
        self.gate()
        self.and1(y, z)
        return V

    def words(self, f, *w):
        return tuple(f(*bits) for bits in zip(*w))

    def sum(self, ops):
        if all(b != V for w in ops for b in w):
            return word(sum(sum(b << i for i, b in enumerate(w)) for w in ops))
        n = (len(ops) * 0xFFFFFFFF).bit_length()
        self.rows += n
        self.aux += n
        if self.bits + n >= 254:
            self.flush()
        self.bits += n
        return (V,) * 32

    def flush(self):
        if self.bits:
            self.rows += 1
            self.bits = 0


def word(v):
    return tuple(v >> i & 1 for i in range(32))


def rotr(w, n):
    return w[n:] + w[:n]


def shr(w, n):
    return w[n:] + (0,) * n


def compress(h, block, memo={}):
    """(rows, aux, next h) of a block of 512 Booleans."""
    key = h, block
    if key not in memo:
        b = Block()
        w = [tuple(reversed(block[32 * i : 32 * i + 32])) for i in range(16)]
        for i in range(16, 64):
            x, y = w[i - 15], w[i - 2]
            s0 = b.words(b.xor1, b.words(b.xor1, rotr(x, 7), rotr(x, 18)), shr(x, 3))
            s1 = b.words(b.xor1, b.words(b.xor1, rotr(y, 17), rotr(y, 19)), shr(y, 10))
            w.append(b.sum([w[i - 16], s0, w[i - 7], s1]))
        a, bb, c, d, e, f, g, hh = [[x] for x in h]  # lists of operands; one: it is made
        for i in range(64):
            if len(e) > 1:
                e = [b.sum(e)]
            s1 = b.words(b.xor1, b.words(b.xor1, rotr(e[0], 6), rotr(e[0], 11)), rotr(e[0], 25))
            q = b.words(b.ch1, e[0], f[0], g[0])
            if len(a) > 1:
                a = [b.sum(a)]
            s0 = b.words(b.xor1, b.words(b.xor1, rotr(a[0], 2), rotr(a[0], 13)), rotr(a[0], 22))
            m = b.words(b.maj1, a[0], bb[0], c[0])
            t = [hh[0], s1, q, word(K[i]), w[i]]
            hh, g, f, e, d, c, bb, a = g, f, e, t + d, c, bb, a, t + [s0, m]
        out = [b.sum(x + [h[i]]) for i, x in enumerate((a, bb, c, d, e, f, g, hh))]
        b.flush()
        memo[key] = b.rows, b.aux, tuple(out)
    return memo[key]


def sha256(c, bits):
    n = len(bits)
    bits = list(bits) + [1]
    bits += [0] * (-(len(bits) + 64) % 512) + [n >> i & 1 for i in range(63, -1, -1)]
    h = tuple(word(x) for x in IV)
    for i in range(0, len(bits), 512):
        rows, aux, h = compress(h, tuple(bits[i : i + 512]))
        c.add(rows, aux)




def node_bits():
    le = [V] * 255 + [0]
    return [le[j ^ 7] for j in range(256)]


def sha_pair(c):
    c.add(2 * 256, 2 * 255)
    sha256(c, node_bits() * 2)
    c.add(1, 1)


PARTIAL = {2: 55, 4: 56, 8: 57, 11: 57}


def poseidon(c, n):
    rows = 4 * (8 * (n + 1) + PARTIAL[n] - 1) - n + 1
    c.add(rows, rows)


def insert(c, arity):
    rows = {2: 2, 4: 8, 8: 22}[arity]
    c.add(rows, rows)


def hash_level(c, arity, sha):
    insert(c, arity)
    if sha:
        sha_pair(c)
    else:
        poseidon(c, arity)


def inclusion(c, arities, sha=False):
    for a in arities:
        lg = a.bit_length() - 1
        c.add(lg, lg + a - 1)
        hash_level(c, a, sha)
    c.add(1, 0, 1)
    c.add(1)


def inclusion_with_bits(c, arities, sha=False):
    for a in arities:
        hash_level(c, a, sha)
    c.add(1)


def label(c, layer):
    bits = node_bits() + [layer >> i & 1 for i in range(31, -1, -1)] + [V] * 64 + [0] * 160 + node_bits() * 37
    sha256(c, bits)
    c.add(1, 1)


def porep(s):
    c = Count(inputs=1)
    c.add(1, 1, 1)
    c.add(256, 255)
    c.add(2, 2, 2)
    c.add(0, 2)
    poseidon(c, 2)
    c.add(1)
    one = Count()
    one.add(0, 1)
    inclusion(one, [2] * s.lg, True)
    for _ in range(14):
        one.add(0, s.layers)
        poseidon(one, s.layers)
        inclusion(one, s.levels)
    one.add(64 + 1, 64, 1)
    for layer in range(1, s.layers + 1):
        one.add(*((6 if layer == 1 else 14) * x for x in (256, 255)))
        label(one, layer)
    one.add(1, 1)
    inclusion(one, s.levels)
    poseidon(one, s.layers)
    inclusion(one, s.levels)
    c.join(one, s.porep[1])
    return c


def post(s, sectors, challenges):
    one = Count()
    one.add(1, 3, 1)
    poseidon(one, 2)
    one.add(1)
    for _ in range(challenges):
        one.add(0, 1)
        inclusion(one, s.levels)
    c = Count(inputs=1)
    c.join(one, sectors)
    return c


def update(s):
    partitions, challenges = s.update
    pb, ab = partitions.bit_length() - 1, s.apex.bit_length() - 1
    drawn = s.lg - pb
    q = 254 // drawn
    digests = -(-challenges // q)
    c = Count(inputs=1)
    c.add(1, 1, 1)
    c.add(pb + 6 + 1, pb + 6)
    c.add(1, 1)
    c.add(3, 3, 3)
    poseidon(c, 2)
    c.add(0, 3 + s.apex + pb)
    for _ in range(2):
        poseidon(c, 2)
        c.add(1)
    for _ in range(s.apex - 1):
        sha_pair(c)
    inclusion_with_bits(c, [2] * pb, True)
    for _ in range(digests):
        c.add(1, 1)
        poseidon(c, 2)
        c.add(256, 255)
    one = Count()
    one.add(12 + 1, 12 + 1)
    poseidon(one, 2)
    one.add(2, 4)
    for _ in range(2):
        one.add(0, sum(a - 1 for a in s.levels))
        inclusion_with_bits(one, s.levels)
    one.add(s.apex - 1, s.apex - 1)
    one.add(0, drawn - ab)
    inclusion_with_bits(one, [2] * (drawn - ab), True)
    c.join(one, challenges)
    return c
