# SPDX-License-Identifier: MIT OR Apache-2.0
"""Hashes, graph, challenges and formats, from docs/spec/poseidon.md, sectors.md, porep.md, post.md, update.md and inputs.md."""
import hashlib
import math
import struct

R = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
PARTIAL = {2: 55, 4: 56, 8: 57, 11: 57}


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def trim(b):
    return b[:31] + bytes([b[31] & 0x3F])


def le(b):
    return int.from_bytes(b, "little")


def node(x):
    return x.to_bytes(32, "little")


# ---- Poseidon


def grain(t, partial):
    """Field elements of the LFSR."""
    state = []
    for value, bits in ((1, 2), (1, 4), (255, 12), (t, 12), (8, 10), (partial, 10), ((1 << 30) - 1, 30)):
        state += [value >> i & 1 for i in range(bits - 1, -1, -1)]
    s = sum(b << i for i, b in enumerate(state))

    def step():
        nonlocal s
        b = (s >> 62 ^ s >> 51 ^ s >> 38 ^ s >> 23 ^ s >> 13 ^ s) & 1
        s = s >> 1 | b << 79
        return b

    for _ in range(160):
        step()
    while True:
        v = n = 0
        while n < 255:
            keep, b = step(), step()
            if keep:
                v, n = v << 1 | b, n + 1
        if v < R:
            yield v


def vec_mat(v, m):
    return [sum(x * row[j] for x, row in zip(v, m)) % R for j in range(len(m[0]))]


def inverse(m):
    n = len(m)
    a = [list(row) + [int(i == j) for j in range(n)] for i, row in enumerate(m)]
    for c in range(n):
        p = next(r for r in range(c, n) if a[r][c])
        a[c], a[p] = a[p], a[c]
        k = pow(a[c][c], -1, R)
        a[c] = [x * k % R for x in a[c]]
        for r in range(n):
            if r != c and a[r][c]:
                f = a[r][c]
                a[r] = [(x - f * y) % R for x, y in zip(a[r], a[c])]
    return [row[n:] for row in a]


class Poseidon:
    def __init__(self, n):
        self.n, self.t, self.rp = n, n + 1, PARTIAL[n]
        t = self.t
        g = grain(t, self.rp)
        self.rk = [[next(g) for _ in range(t)] for _ in range(8 + self.rp)]
        self.m = [[pow(i + j + t, -1, R) for j in range(t)] for i in range(t)]

    def hash(self, xs, tag=None):
        """The plain algorithm."""
        s = [(1 << self.n) - 1 if tag is None else tag] + list(xs)
        for k, rk in enumerate(self.rk):
            s = [(x + c) % R for x, c in zip(s, rk)]
            full = k < 4 or k >= 4 + self.rp
            s = [pow(x, 5, R) if full or i == 0 else x for i, x in enumerate(s)]
            s = vec_mat(s, self.m)
        return s[1]

    def compressed(self):
        """(keys, pre_sparse, sparse): the constants of the circuit, in order of use."""
        inv, rk, rp = inverse(self.m), self.rk, self.rp
        keys = list(rk[0])
        for i in (1, 2, 3):
            keys += vec_mat(rk[i], inv)
        acc, partial = rk[4 + rp], []
        for k in range(rp - 1, -1, -1):
            x = vec_mat(acc, inv)
            partial.insert(0, x[0])
            acc = [(a + b) % R for a, b in zip(rk[4 + k], [0] + x[1:])]
        keys += vec_mat(acc, inv) + partial
        for i in (1, 2, 3):
            keys += vec_mat(rk[4 + rp + i], inv)
        cur, sparse = self.m, []
        for _ in range(rp):
            hat = [row[1:] for row in cur[1:]]
            w_hat = [cur[0][0]] + vec_mat([row[0] for row in cur[1:]], inverse(hat))
            sparse.insert(0, w_hat + cur[0][1:])
            cur = [[row[0]] + vec_mat(row[1:], hat) for row in self.m]
        return keys, [x for row in cur for x in row], [x for row in sparse for x in row]

    def hash_compressed(self, xs, tag=None):
        keys, pre, sparse = self.compressed()
        t, keys = self.t, iter(keys)
        s = [(1 << self.n) - 1 if tag is None else tag] + list(xs)
        s = [(x + next(keys)) % R for x in s]
        for k in range(4):
            s = [(pow(x, 5, R) + next(keys)) % R for x in s]
            s = vec_mat(s, self.m if k < 3 else [pre[i * t : i * t + t] for i in range(t)])
        for k in range(self.rp):
            w_hat, v_rest = sparse[k * (2 * t - 1) :][:t], sparse[k * (2 * t - 1) + t :][: t - 1]
            s[0] = (pow(s[0], 5, R) + next(keys)) % R
            s = [sum(x * w for x, w in zip(s, w_hat)) % R] + [(x + s[0] * v) % R for x, v in zip(s[1:], v_rest)]
        for k in range(4):
            s = [(pow(x, 5, R) + (next(keys) if k < 3 else 0)) % R for x in s]
            s = vec_mat(s, self.m)
        return s[1]


POSEIDON = {}


def poseidon(xs, tag=None):
    n = len(xs)
    if n not in POSEIDON:
        POSEIDON[n] = Poseidon(n)
    return POSEIDON[n].hash(xs, tag)


def randomness(a, b):
    return poseidon([a, b], 1 << 40)


# ---- ChaCha, graph


def chacha_block(key, counter, nonce, rounds):
    init = list(struct.unpack("<4I", b"expand 32-byte k")) + list(struct.unpack("<8I", key)) + [counter] + list(struct.unpack("<3I", nonce))
    x = list(init)

    def quarter(a, b, c, d):
        for p, q, s, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[p] = x[p] + x[q] & 0xFFFFFFFF
            v = x[s] ^ x[p]
            x[s] = (v << n | v >> 32 - n) & 0xFFFFFFFF

    for _ in range(rounds // 2):
        for i in range(4):
            quarter(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return struct.pack("<16I", *(a + b & 0xFFFFFFFF for a, b in zip(x, init)))


def key_stream(key, nonce, rounds, at, n):
    out = b""
    block = at // 64
    while len(out) < at % 64 + n:
        out += chacha_block(key, block, nonce, rounds)
        block += 1
    return out[at % 64 : at % 64 + n]


def porep_id(number):
    return struct.pack("<QQ", number, 0) + bytes(16)


def replica_id(prover_id, sector, ticket, comm_d, number):
    return trim(sha(prover_id, struct.pack(">Q", sector), ticket, comm_d, porep_id(number)))


def drg_parents(v, number, api_minor):
    if v < 2:
        return [0] * 6
    seed = sha(b"Filecoin_DRSample", porep_id(number))[:28]
    stream = key_stream(seed + struct.pack("<I", v), bytes(12), 8, 0, 80)
    u64 = iter(struct.unpack("<10Q", stream))
    m, five = 5 * v, []
    b = math.ceil(math.log2(m))
    for _ in range(5):
        k = next(u64) % b + 1
        large = min(m, 2**k)
        small = max(2, large // 2)
        parent = (m - (small + next(u64) % (large - small + 1))) // 5
        five.append(v - 1 if parent == v else parent)
    return [v - 1] + five if api_minor >= 1 else five + [v - 1]


def exp_parents(v, nodes, number, api_minor):
    keys = struct.unpack("<4Q", sha(b"Filecoin_Feistel", porep_id(number)))
    domain, h = 8 * nodes, 1
    while 4**h < domain:
        h += 1
    mask, out = (1 << h) - 1, []
    for i in range(8):
        x = 8 * v + i
        while True:
            left, right = x >> h, x & mask
            for key in keys[:3]:
                f = int.from_bytes(hashlib.blake2b(struct.pack(">QQ", right, key)).digest()[:8], "big") & mask
                left, right = right, left ^ f
            x = left << h | right
            if x < domain:
                break
        out.append((x & 0xFFFFFFFF if api_minor == 0 else x) // 8)
    return out


def label(replica, layer, v, parents):
    return trim(sha(replica, struct.pack(">IQ", layer, v), bytes(20), *(parents[i % len(parents)] for i in range(37))))


# ---- challenges


def porep_challenges(kind, replica, comm_r, seed, nodes, count, partition):
    def tag(name):
        return b"filecoin.io|PoRep|1|" + name

    def key(name, *parts):
        return hashlib.blake2b(b"".join(parts), digest_size=32, key=tag(name)).digest()

    out = []
    for j in range(count * partition, count * (partition + 1)):
        number = struct.pack("<I", j)
        if kind == "interactive":
            x = sha(replica, seed, number)
        elif kind == "non-interactive":
            x = sha(tag(b"NonInteractive|1"), replica, comm_r, number)
        else:
            nonce = b"synth-porep\0"
            s = le(key_stream(key(b"Synthetic|1|Selection", replica, seed), nonce, 20, 4 * j, 4)) % min(nodes, 2**18)
            x = key_stream(key(b"Synthetic|1|Generation", replica, comm_r), nonce, 20, 32 * s, 32)
        out.append(le(x) % (nodes - 1) + 1)
    return out


def porep_inputs(kind, number, api_minor, replica, comm_d, comm_r, seed, nodes, count, partition):
    out = [le(replica), le(comm_d), le(comm_r)]
    for v in porep_challenges(kind, replica, comm_r, seed, nodes, count, partition):
        out += [v] + drg_parents(v, number, api_minor) + exp_parents(v, nodes, number, api_minor) + [v, v, v]
    return out


def post_challenge(rand, sector, idx, nodes):
    return le(sha(rand, struct.pack("<QQ", sector, idx))[:8]) % nodes


def update_challenges(comm_r_new, lg, partitions, count, k):
    drawn = lg - (partitions.bit_length() - 1)
    q = 254 // drawn
    digests, out = -(-count // q), []
    for i in range(count):
        digest = randomness(le(comm_r_new), k * digests + i // q)
        out.append((digest >> drawn * (i % q)) % 2**drawn + (k << drawn))
    return out


# ---- formats


class Bytes:
    def __init__(self, b):
        self.b, self.at = b, 0

    def take(self, n):
        assert self.at + n <= len(self.b)
        self.at += n
        return self.b[self.at - n : self.at]

    def u(self, n):
        return le(self.take(n))

    def path(self):
        return [([self.take(32) for _ in range(self.u(8))], self.u(8)) for _ in range(self.u(8))]

    def proof(self):
        kind = self.u(4)
        levels = [level for _ in range(kind + 1 if kind else 0) for level in self.path()]
        root, leaf = self.take(32), self.take(32)
        return root, leaf, levels if kind else self.path()


def json_proof(p):
    (kind, d), = p["data"].items()
    parts = {"Single": ["path"], "Sub": ["base_proof", "sub_proof"], "Top": ["base_proof", "sub_proof", "top_proof"]}[kind]
    levels = [([bytes(h) for h in e["hashes"]], e["index"]) for part in parts for e in d[part]["path"]]
    return bytes(d["root"]), bytes(d["leaf"]), levels


def walk(leaf, levels, is_data):
    """(root, index) that a path gives."""
    cur, index, shift = leaf, 0, 0
    for hashes, at in levels:
        children = hashes[:at] + [cur] + hashes[at:]
        cur = trim(sha(*children)) if is_data else node(poseidon([le(x) for x in children]))
        index |= at << shift
        shift += len(children).bit_length() - 1
    return cur, index
