# SPDX-License-Identifier: MIT OR Apache-2.0
"""Every circuit row by row, from docs/spec/gadgets.md, poseidon.md, porep.md, post.md and update.md alone.

A Boolean is 0, 1, or (wire, negated). A linear combination is a dictionary from wires to integers; a wire is
its number in the transcript: inputs by index, aux wires with 2^31 added. Rows go into a System: hashed, or
only counted.
"""
import hashlib
import struct

from model_data import POSEIDON, R, Poseidon

ONE = 0
AUX = 1 << 31
K = [0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5, 0xD807AA98, 0x12835B01,
     0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174, 0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC,
     0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA, 0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147,
     0x06CA6351, 0x14292967, 0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
     0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070, 0x19A4C116, 0x1E376C08,
     0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3, 0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208,
     0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2]
IV = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]


class System:
    """Rows to be hashed as docs/spec/groth16.md#transcript says."""

    def __init__(self):
        self.n_inputs, self.n_aux, self.n_rows = 1, 0, 0
        self.sha = hashlib.sha256()
        self.coefs = {}

    def input(self):
        self.n_inputs += 1
        return self.n_inputs - 1

    def aux(self):
        self.n_aux += 1
        return self.n_aux - 1 | AUX

    def row(self, *abc):
        out = []
        for lc in abc:
            terms = [(v, c % R) for v, c in sorted(lc.items()) if c % R]
            out.append(struct.pack("<I", len(terms)))
            for v, c in terms:
                if c not in self.coefs:
                    self.coefs[c] = c.to_bytes(32, "little")
                out.append(struct.pack("<I", v) + self.coefs[c])
        self.sha.update(b"".join(out))
        self.n_rows += 1

    def repeat(self, n, f):
        for i in range(n):
            f(i)

    def memo(self, _key, f):
        return f()

    def counts(self):
        return [self.n_rows, self.n_inputs, self.n_aux]

    def transcript(self):
        sha = self.sha.copy()
        sha.update(struct.pack("<QQQ", self.n_inputs, self.n_aux, self.n_rows))
        return sha.hexdigest()


class Counter(System):
    """Counts alone: what is done again with the same constants counts the same again."""

    known = {}

    def row(self, *_abc):
        self.n_rows += 1

    def add(self, delta, times=1):
        self.n_rows += times * delta[0]
        self.n_inputs += times * delta[1]
        self.n_aux += times * delta[2]

    def delta(self, f):
        before = self.counts()
        out = f()
        return [a - b for a, b in zip(self.counts(), before)], out

    def repeat(self, n, f):
        self.add(self.delta(lambda: f(0))[0], n - 1)

    def memo(self, key, f):
        if key in self.known:
            delta, out = self.known[key]
            self.add(delta)
            return out
        self.known[key] = self.delta(f)
        return self.known[key][1]


# ---- Booleans


def is_const(x):
    return x.__class__ is int


def invert(x):
    return 1 - x if is_const(x) else (x[0], not x[1])


def add_bool(lc, x, k=1):
    """lc += k x"""
    if is_const(x):
        if x:
            lc[ONE] = lc.get(ONE, 0) + k
    elif x[1]:
        lc[ONE] = lc.get(ONE, 0) + k
        lc[x[0]] = lc.get(x[0], 0) - k
    else:
        lc[x[0]] = lc.get(x[0], 0) + k
    return lc


def combination(*terms):
    lc = {}
    for x, k in terms:
        add_bool(lc, x, k)
    return lc


def bit(s):
    v = s.aux()
    s.row({ONE: 1, v: -1}, {v: 1}, {})
    return v, False


def xor(s, x, y):
    if is_const(x):
        return invert(y) if x else y
    if is_const(y):
        return invert(x) if y else x
    a, b = (y, x) if x[1] and not y[1] else (x, y)
    r = s.aux()
    c = {a[0]: 1}
    c[b[0]] = c.get(b[0], 0) + 1
    c[r] = -1
    s.row({a[0]: 2}, {b[0]: 1}, c)
    return r, x[1] != y[1]


def and_(s, x, y):
    if is_const(x):
        return y if x else 0
    if is_const(y):
        return x if y else 0
    a, b = (y, x) if x[1] and not y[1] else (x, y)
    r = s.aux()
    s.row(add_bool({}, a), add_bool({}, b), {r: 1})
    return r, False


def nand(s, x, y):
    return invert(and_(s, x, y))


def ch(s, x, y, z):
    if is_const(x) and is_const(y) and is_const(z):
        return y if x else z
    if x == 0:
        return z
    if y == 0:
        return and_(s, invert(x), z)
    if z == 0:
        return and_(s, x, y)
    if z == 1:
        return nand(s, x, invert(y))
    if y == 1:
        return nand(s, invert(x), invert(z))
    r = s.aux()
    s.row(combination((y, 1), (z, -1)), combination((x, 1)), combination(((r, False), 1), (z, -1)))
    return r, False


def maj(s, x, y, z):
    if is_const(x) and is_const(y) and is_const(z):
        return int(x + y + z >= 2)
    if x == 0:
        return and_(s, y, z)
    if y == 0:
        return and_(s, x, z)
    if z == 0:
        return and_(s, x, y)
    if z == 1:
        return nand(s, invert(x), invert(y))
    if y == 1:
        return nand(s, invert(x), invert(z))
    if x == 1:
        return nand(s, invert(y), invert(z))
    r = s.aux(), False
    q = and_(s, y, z)
    s.row(combination((q, 2), (y, -1), (z, -1)), combination((x, 1)), combination((q, 1), (r, -1)))
    return r


# ---- numbers


def equal(s, x, y):
    s.row({x: 1}, {ONE: 1}, {y: 1})


def inputize(s, v):
    equal(s, s.input(), v)


def add(s, x, y):
    r = s.aux()
    s.row({x: 2} if x == y else {x: 1, y: 1}, {ONE: 1}, {r: 1})
    return r


def mul(s, x, y):
    p = s.aux()
    s.row({x: 1}, {y: 1}, {p: 1})
    return p


def pick(s, b, x, y):
    c = s.aux()
    a = {y: 1}
    a[x] = a.get(x, 0) - 1
    s.row(a, add_bool({}, b), {y: 1, c: -1})
    return c


def packed(bits):
    return combination(*((b, 1 << i) for i, b in enumerate(bits)))


def bits_of(s, v):
    bits = [bit(s) for _ in range(255)]
    c = packed(bits)
    c[v] = c.get(v, 0) - 1
    s.row({}, {}, c)
    return bits


def pack(s, bits):
    v = s.aux()
    s.row(packed(bits), {ONE: 1}, {v: 1})
    return v


def pack_into_input(s, bits):
    if bits:
        v = s.input()
        s.row(packed(bits), {ONE: 1}, {v: 1})


# ---- SHA-256


def word(v):
    return tuple(v >> i & 1 for i in range(32))


def rotr(w, n):
    return w[n:] + w[:n]


def shr(w, n):
    return w[n:] + (0,) * n


def words(s, f, *w):
    return tuple(f(s, *x) for x in zip(*w))


class Sums:
    """Sums of a block, and the packed row that waits."""

    def __init__(self, s):
        self.s, self.n, self.lhs, self.rhs = s, 0, {}, {}

    def flush(self):
        if self.n:
            self.s.row(self.lhs, {ONE: 1}, self.rhs)
        self.n, self.lhs, self.rhs = 0, {}, {}

    def sum(self, ops):
        if all(is_const(b) for w in ops for b in w):
            return word(sum(b << i for w in ops for i, b in enumerate(w)))
        r = [bit(self.s) for _ in range((len(ops) * 0xFFFFFFFF).bit_length())]
        if self.n + len(r) >= 254:
            self.flush()
        for w in ops:
            for i, b in enumerate(w):
                add_bool(self.lhs, b, 1 << self.n + i)
        for i, b in enumerate(r):
            add_bool(self.rhs, b, 1 << self.n + i)
        self.n += len(r)
        return tuple(r[:32])


def block_rows(s, h, block):
    t = Sums(s)
    w = [tuple(reversed(block[32 * i : 32 * i + 32])) for i in range(16)]
    for i in range(16, 64):
        x, y = w[i - 15], w[i - 2]
        s0 = words(s, xor, words(s, xor, rotr(x, 7), rotr(x, 18)), shr(x, 3))
        s1 = words(s, xor, words(s, xor, rotr(y, 17), rotr(y, 19)), shr(y, 10))
        w.append(t.sum([w[i - 16], s0, w[i - 7], s1]))
    a, b, c, d, e, f, g, hh = [[x] for x in h]  # operands of a sum; one: it is made
    for i in range(64):
        e = e if len(e) == 1 else [t.sum(e)]
        s1 = words(s, xor, words(s, xor, rotr(e[0], 6), rotr(e[0], 11)), rotr(e[0], 25))
        q = words(s, ch, e[0], f[0], g[0])
        a = a if len(a) == 1 else [t.sum(a)]
        s0 = words(s, xor, words(s, xor, rotr(a[0], 2), rotr(a[0], 13)), rotr(a[0], 22))
        m = words(s, maj, a[0], b[0], c[0])
        ops = [hh[0], s1, q, word(K[i]), w[i]]
        hh, g, f, e, d, c, b, a = g, f, e, ops + d, c, b, a, ops + [s0, m]
    out = tuple(t.sum(x + [h[i]]) for i, x in enumerate((a, b, c, d, e, f, g, hh)))
    t.flush()
    return out


def sha256(s, bits):
    """The eight words of the digest."""
    n, bits = len(bits), list(bits) + [1]
    bits += [0] * (-(len(bits) + 64) % 512) + [n >> i & 1 for i in range(63, -1, -1)]
    h = tuple(word(x) for x in IV)
    for i in range(0, len(bits), 512):
        block = tuple(bits[i : i + 512])
        pattern = tuple(b if is_const(b) else 2 for w in h + (block,) for b in w)
        h = s.memo(pattern, lambda: block_rows(s, h, block))
    return h


def message_bits(bits):
    """Of a number: 255 bits and the constant, bytes turned around."""
    le = list(bits) + [0]
    return [le[j ^ 7] for j in range(256)]


def digest_node(s, h):
    message = [b for w in h for b in reversed(w)]
    return pack(s, [message[j ^ 7] for j in range(254)])


def sha_pair(s, x, y):
    bits = message_bits(bits_of(s, x))
    bits += message_bits(bits_of(s, y))
    return digest_node(s, sha256(s, bits))


# ---- Poseidon


CONSTANTS = {}


def constants(n):
    if n not in CONSTANTS:
        p = POSEIDON.setdefault(n, Poseidon(n))
        CONSTANTS[n] = (p,) + p.compressed()
    return CONSTANTS[n]


def poseidon_rows(s, xs, tag):
    n, t = len(xs), len(xs) + 1
    p, keys, pre, sparse = constants(n)
    keys = iter(keys)
    m, pre = p.m, [pre[i * t : i * t + t] for i in range(t)]

    def ensure(e):
        if len(e) == 1 and ONE not in e and list(e.values()) == [1]:
            return next(iter(e))
        v = s.aux()
        s.row(e, {ONE: 1}, {v: 1})
        return v

    def sbox(e, q, before=0):
        v = ensure(e)
        x2, shifted = s.aux(), {v: 1, ONE: before}
        s.row(shifted, shifted, {x2: 1})
        x4 = s.aux()
        s.row({x2: 1}, {x2: 1}, {x4: 1})
        x5 = s.aux()
        s.row(shifted, {x4: 1}, {x5: 1, ONE: -q})
        return {x5: 1}

    def mix(state, matrix):
        out = []
        for j in range(t):
            lc = {}
            for i, e in enumerate(state):
                for v, c in e.items():
                    lc[v] = (lc.get(v, 0) + c * matrix[i][j]) % R
            out.append(lc)
        return out

    before = [next(keys) for _ in range(t)]
    first = [next(keys) for _ in range(t)]
    state = [{ONE: (pow(tag + before[0], 5, R) + first[0]) % R}]
    state += [sbox({x: 1}, first[i + 1], before[i + 1]) for i, x in enumerate(xs)]
    state = mix(state, m)
    for k in (1, 2, 3):
        state = mix([sbox(e, next(keys)) for e in state], m if k < 3 else pre)
    for k in range(p.rp):
        w_hat, v_rest = sparse[k * (2 * t - 1) :][:t], sparse[k * (2 * t - 1) + t :][: t - 1]
        state[0] = sbox(state[0], next(keys))
        first_new = {}
        for e, w in zip(state, w_hat):
            for v, c in e.items():
                first_new[v] = (first_new.get(v, 0) + c * w) % R
        (x5, _), = state[0].items()
        state = [first_new] + [{**e, x5: k} for e, k in zip(state[1:], v_rest)]
    for k in range(4):
        state = mix([sbox(e, next(keys) if k < 3 else 0) for e in state], m)
    return ensure(state[1])


def poseidon(s, xs, tag=None):
    tag = (1 << len(xs)) - 1 if tag is None else tag
    return s.memo(("poseidon", len(xs)), lambda: poseidon_rows(s, xs, tag))


def randomness(s, x, y):
    return poseidon(s, [x, y], 1 << 40)


# ---- Merkle paths


def insert(s, e, bits, sib):
    b, p = bits, lambda *a: pick(s, *a)
    if len(sib) == 1:
        return [p(b[0], sib[0], e), p(b[0], e, sib[0])]
    out = []
    if len(sib) == 3:
        t = p(b[0], sib[0], e)
        out.append(p(b[1], sib[0], t))
        t = p(b[0], e, sib[0])
        out.append(p(b[1], sib[1], t))
        t = p(b[0], sib[2], e)
        out.append(p(b[1], t, sib[1]))
        t = p(b[0], e, sib[2])
        out.append(p(b[1], t, sib[2]))
        return out
    n = and_(s, invert(b[0]), invert(b[1]))
    q = and_(s, b[0], b[1])
    t = p(n, e, sib[0])
    out.append(p(b[2], sib[0], t))
    t = p(b[0], e, sib[0])
    u = p(b[1], sib[1], t)
    out.append(p(b[2], sib[1], u))
    t = p(b[0], sib[2], e)
    u = p(b[1], t, sib[1])
    out.append(p(b[2], sib[2], u))
    t = p(q, e, sib[2])
    out.append(p(b[2], sib[3], t))
    t = p(n, e, sib[4])
    out.append(p(b[2], t, sib[3]))
    t = p(b[0], e, sib[4])
    u = p(b[1], sib[5], t)
    out.append(p(b[2], u, sib[4]))
    t = p(b[0], sib[6], e)
    u = p(b[1], t, sib[5])
    out.append(p(b[2], u, sib[5]))
    t = p(q, e, sib[6])
    out.append(p(b[2], t, sib[6]))
    return out


def select(s, xs, bits):
    xs = list(xs)
    for b in reversed(bits):
        half = len(xs) // 2
        xs = [pick(s, b, xs[half + j], xs[j]) for j in range(half)]
    return xs[0]


def climb(s, cur, bits, sib, is_data):
    children = insert(s, cur, bits, sib)
    return sha_pair(s, *children) if is_data else poseidon(s, children)


def inclusion(s, arities, leaf, root, is_data=False):
    index = []
    for a in arities:
        bits = [bit(s) for _ in range(a.bit_length() - 1)]
        sib = [s.aux() for _ in range(a - 1)]
        leaf = climb(s, leaf, bits, sib, is_data)
        index += bits
    pack_into_input(s, index)
    equal(s, leaf, root)


def inclusion_with_bits(s, arities, bits, leaf, sib, root, is_data=False):
    for a in arities:
        lg = a.bit_length() - 1
        leaf = climb(s, leaf, bits[:lg], sib[: a - 1], is_data)
        bits, sib = bits[lg:], sib[a - 1 :]
    equal(s, leaf, root)


def label(s, replica_bits, layer, node_bits, parents):
    bits = list(replica_bits) + [layer >> i & 1 for i in range(31, -1, -1)] + list(reversed(node_bits)) + [0] * 160
    for i in range(37):
        bits += parents[i % len(parents)]
    return digest_node(s, sha256(s, bits))


# ---- circuits


def porep(s, shape):
    layers = shape.layers
    replica_id = s.aux()
    inputize(s, replica_id)
    replica_bits = message_bits(bits_of(s, replica_id))
    comm_d = s.aux()
    inputize(s, comm_d)
    comm_r = s.aux()
    inputize(s, comm_r)
    comm_r_last, comm_c = s.aux(), s.aux()
    equal(s, comm_r, poseidon(s, [comm_c, comm_r_last]))

    def challenge(_):
        data_leaf = s.aux()
        inclusion(s, [2] * shape.lg, data_leaf, comm_d, True)
        columns = []
        for _ in range(14):
            columns.append([s.aux() for _ in range(layers)])
            inclusion(s, shape.levels, poseidon(s, columns[-1]), comm_c)
        node = [bit(s) for _ in range(64)]
        pack_into_input(s, node)
        labels = []
        for layer in range(1, layers + 1):
            parents = [message_bits(bits_of(s, c[layer - 1])) for c in columns[:6]]
            if layer > 1:
                parents += [message_bits(bits_of(s, c[layer - 2])) for c in columns[6:]]
            labels.append(label(s, replica_bits, layer, node, parents))
        encoded = add(s, labels[-1], data_leaf)
        inclusion(s, shape.levels, encoded, comm_r_last)
        inclusion(s, shape.levels, poseidon(s, labels), comm_c)

    s.repeat(shape.porep[1], challenge)


def post(s, shape, sectors, challenges):
    def sector(_):
        comm_r_last, comm_c, comm_r = s.aux(), s.aux(), s.aux()
        inputize(s, comm_r)
        equal(s, comm_r, poseidon(s, [comm_c, comm_r_last]))
        for _ in range(challenges):
            leaf = s.aux()
            inclusion(s, shape.levels, leaf, comm_r_last)

    s.repeat(sectors, sector)


def update(s, shape):
    partitions, challenges = shape.update
    pb, ab = partitions.bit_length() - 1, shape.apex.bit_length() - 1
    drawn = shape.lg - pb
    q = 254 // drawn
    n_digests = -(-challenges // q)
    hs = [1] * 6 if shape.lg <= 10 else [7, 8, 9, 10, 11, 12]
    k_and_h = s.aux()
    inputize(s, k_and_h)
    low = [bit(s) for _ in range(pb + 6)]
    s.row(packed(low), {ONE: 1}, {k_and_h: 1})
    partition_bits, select_bits = low[:pb], low[pb:]
    partition = pack(s, partition_bits)
    comm_r_old = s.aux()
    inputize(s, comm_r_old)
    comm_d_new = s.aux()
    inputize(s, comm_d_new)
    comm_r_new = s.aux()
    inputize(s, comm_r_new)
    phi = randomness(s, comm_d_new, comm_r_old)
    comm_c, root_r_old, root_r_new = s.aux(), s.aux(), s.aux()
    apex = [s.aux() for _ in range(shape.apex)]
    path = [s.aux() for _ in range(pb)]
    equal(s, poseidon(s, [comm_c, root_r_old]), comm_r_old)
    equal(s, poseidon(s, [comm_c, root_r_new]), comm_r_new)
    row = apex
    while len(row) > 1:
        row = [sha_pair(s, row[i], row[i + 1]) for i in range(0, len(row), 2)]
    inclusion_with_bits(s, [2] * pb, partition_bits, row[0], path, comm_d_new, True)
    digests = []
    for j in range(n_digests):
        d = s.aux()
        s.row({partition: n_digests, ONE: j}, {ONE: 1}, {d: 1})
        e = randomness(s, comm_r_new, d)
        digests.append([bit(s) for _ in range(255)])
        s.row(packed(digests[-1]), {ONE: 1}, {e: 1})

    def challenge(i):
        bits = digests[i // q][drawn * (i % q) :][:drawn] + partition_bits
        parts = []
        for h, b in zip(hs, select_bits):
            z = pack(s, bits[shape.lg - h :])
            parts.append(mul(s, z, b[0]))
        sel = s.aux()
        s.row({p: 1 for p in parts}, {ONE: 1}, {sel: 1})
        rho = randomness(s, phi, sel)
        leaf_r_old, leaf_d_new = s.aux(), s.aux()
        m = mul(s, leaf_d_new, rho)
        leaf_r_new = add(s, leaf_r_old, m)
        for leaf, root in ((leaf_r_old, root_r_old), (leaf_r_new, root_r_new)):
            sib = [s.aux() for a in shape.levels for _ in range(a - 1)]
            inclusion_with_bits(s, shape.levels, bits, leaf, sib, root)
        apex_leaf = select(s, apex, bits[drawn - ab : drawn])
        sib = [s.aux() for _ in range(drawn - ab)]
        inclusion_with_bits(s, [2] * (drawn - ab), bits, leaf_d_new, sib, apex_leaf, True)

    s.repeat(challenges, challenge)
