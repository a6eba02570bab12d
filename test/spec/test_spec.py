#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The models of docs/spec against test/vectors, and the tables of docs/spec against both.

Usage: test_spec.py                    all but the largest transcripts (from the repository root)
       test_spec.py transcript KIND SIZE    of one circuit: kind porep, winning, window or update
"""
import json
import math
import pathlib
import re
import struct
import sys

sys.dont_write_bytecode = True  # leave nothing in the source tree
import model_circuit as c
import model_data as d

VECTORS = pathlib.Path("test/vectors")
SPEC = pathlib.Path("docs/spec")
UNIT = {"KiB": 10, "MiB": 20, "GiB": 30}


def equal(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got!r}, not {want!r}")


def tables(page):
    """Rows of all tables of a page, as lists of cells; `code` and * marks bare."""
    text = (SPEC / page).read_text()
    lines = [line for line in text.split("\n") if line.startswith("|") and not line.startswith("|--")]
    return [[x.strip().strip("`").removesuffix(" *") for x in line.strip("|").split("|")] for line in lines]


class Shape:
    """A line of the table of sizes."""

    def __init__(self, cells):
        size, nodes, tree, layers, porep, ni, window, update, apex, _ = cells
        self.size = size.replace(" ", "")
        self.lg = int(nodes.removeprefix("2^"))
        n, unit = size.split()
        equal(f"nodes of {size}", 2**self.lg * 32, int(n) << UNIT[unit])
        u, v, w = map(int, tree.split("-"))
        top = [a for a in (v, w) if a]
        base = self.lg - sum(a.bit_length() - 1 for a in top)
        equal(f"tree of {size}", base % 3, 0)
        self.levels = [u] * (base // 3) + top
        self.layers, self.ni, self.window = int(layers), int(ni), int(window)
        self.porep = [int(x) for x in porep.split(" x ")]
        self.update = None if update == "none" else [int(x) for x in update.split(" x ")]
        self.apex = int(apex or 0)


def shapes():
    return {s.size: s for s in (Shape(r) for r in tables("sectors.md") if len(r) == 10 and r[0] != "size")}


def golden_circuits():
    return {(g["kind"], g["size"]): g for g in vectors("circuits.json")["circuits"]}


def vectors(name):
    return json.loads((VECTORS / name).read_text())


def record(system, kind, s):
    if kind == "porep":
        c.porep(system, s)
    elif kind == "update":
        c.update(system, s)
    else:
        c.post(system, s, *((66, 1) if kind == "winning" else (s.window, 10)))
    return system


def counts(all_shapes):
    golden = golden_circuits()
    kinds = {"PoRep": "porep", "WinningPoSt": "winning", "WindowPoSt": "window", "SnapDeals update": "update"}
    seen = 0
    for section in (SPEC / "counts.md").read_text().split("\n## ")[1:]:
        kind = kinds[section.split("\n")[0]]
        for line in section.split("\n"):
            if not re.match(r"\| \d", line):
                continue
            cells = [x.strip().strip("`") for x in line.strip("|").split("|")]
            starred = cells[0].endswith("*")
            size = cells[0].rstrip("* ").replace(" ", "")
            n = [int(x.replace(",", "")) for x in cells[1:11]]
            equal(f"{kind} {size}: rows, inputs, aux", n[:3], record(c.Counter(), kind, all_shapes[size]).counts())
            equal(f"{kind} {size}: lg m", n[9], (n[0] + n[1] - 1).bit_length())
            g = golden.get((kind, size))
            equal(f"{kind} {size}: star", starred, g is None)
            if g is not None:
                equal(f"{kind} {size}: vectors", n[:3] + n[4:9] + [cells[11]],
                      [g["rows"], g["inputs"], g["aux"], g["a_aux_density"], g["b_aux_density"]] + g["nnz"] + [g["transcript"]])
                equal(f"{kind} {size}: inputs dense in B", g["b_input_density"], 1)
            seen += 1
    equal("circuits in counts.md", seen, sum(3 + (s.update is not None) for s in all_shapes.values()))


def transcript(all_shapes, kind, size):
    got = record(c.System(), kind, all_shapes[size])
    equal(f"transcript of {kind} {size}", got.transcript(), golden_circuits()[kind, size]["transcript"])


def number_bits(s, n):
    return [c.message_bits(c.bits_of(s, s.aux())) for _ in range(n)]


def record_gadget(s, setup):
    """One of the gadgets of circuits.json; the allocations that its name lists come first."""
    words = setup.replace(":", " ").replace(",", " ").split()
    if words[0].startswith("poseidon_"):
        n = int(words[0].removeprefix("poseidon_"))
        c.poseidon(s, [s.aux() for _ in range(n)], 1 << 40 if "tag" in words else None)
    elif words[0] == "to_bits_le":
        c.bits_of(s, s.aux())
    elif "2-leaf" in words:
        c.sha_pair(s, *[s.aux() for _ in range(2)])
    elif words[0] == "sha256":
        bits = tuple(c.bit(s) for _ in range(512))
        if "compression" in words:
            c.block_rows(s, tuple(c.word(x) for x in c.IV), bits)
        else:
            c.sha256(s, bits)
    elif words[0].startswith("insert_"):
        a = int(words[0].removeprefix("insert_"))
        e = s.aux()
        bits = [c.bit(s) for _ in range(a.bit_length() - 1)]
        c.insert(s, e, bits, [s.aux() for _ in range(a - 1)])
    elif words[0] == "select":
        xs = [s.aux() for _ in range(8)]
        c.select(s, xs, [c.bit(s) for _ in range(3)])
    elif words[0] == "PoR":
        shape = next(w for w in words if re.fullmatch(r"\d+-\d+-\d+", w))
        base, sub, top = map(int, shape.split("-"))
        leaves = int(words[words.index("leaves") - 1])
        upper = [a for a in (sub, top) if a]
        levels = []
        while base ** len(levels) * math.prod(upper) < leaves:
            levels.append(base)
        leaf, root = s.aux(), s.aux()
        c.inclusion(s, levels + upper, leaf, root, "TreeD" in words)
    else:
        equal("gadget", words[0], "create_label")
        replica, parents = number_bits(s, 1)[0], number_bits(s, 14)
        c.label(s, replica, 2, [c.bit(s) for _ in range(64)], parents)


def gadgets():
    for g in vectors("circuits.json")["gadgets"]:
        s = c.System()
        record_gadget(s, g["setup"])
        equal(g["setup"], s.counts() + [s.transcript()], [g["rows"], g["inputs"], g["aux"], g["transcript"]])
    table = {r[0]: r[1:] for r in tables("gadgets.md") if len(r) == 3 and re.match(r"[\d,]+$", r[2])}
    made = {
        "SHA-256 block of 512 variables, first value constant": lambda s, b: c.block_rows(s, tuple(c.word(x) for x in c.IV), (b,) * 512),
        "SHA-256 of 512 variables": lambda s, b: c.sha256(s, (b,) * 512),
        "sha_pair": lambda s, b: c.sha_pair(s, b[0], b[0]),
        "a level of TreeD: bit, sibling, insert, sha_pair": lambda s, b: level(s, 2, True),
        "a level of arity 8: bits, siblings, insert, Poseidon": lambda s, b: level(s, 8, False),
        "inclusion: its levels and": lambda s, b: c.inclusion(s, [], b[0], b[0]),
    }

    def level(s, arity, is_data):
        c.inclusion(s, [arity], 0, 0, is_data)
        s.n_rows -= 2

    for name, cells in table.items():
        s = c.Counter()
        made[name](s, (c.AUX, False))
        rows = 1 if name.startswith("inclusion") else 0  # of the index bits, which no levels have none of
        equal(name, [s.n_rows + rows, s.n_aux], [int(x.replace(",", "")) for x in cells])


def update_layout(all_shapes):
    for r in tables("update.md"):
        if len(r) == 7 and r[0] != "size":
            s = all_shapes[r[0].replace(" ", "")]
            pb, ab = s.update[0].bit_length() - 1, s.apex.bit_length() - 1
            q = 254 // (s.lg - pb)
            equal(f"layout of {r[0]}", [int(x) for x in r[1:]], [s.lg, pb, ab, s.lg - pb, q, -(-s.update[1] // q)])


def poseidon():
    def digest(values):
        return d.sha(*(d.node(v) for v in values)).hex()

    wide = [r for r in tables("poseidon.md") if r[0] in ("2", "4", "8", "11") and len(r) in (3, 4)]
    for n in (2, 4, 8, 11):
        p = d.POSEIDON[n] = d.Poseidon(n)
        keys, pre, sparse = p.compressed()
        one_to_n = list(range(1, n + 1))
        first, second = [next(r for r in wide if r[0] == str(n) and len(r) == k and len(r[1]) == 64) for k in (4, 3)]
        equal(f"constants of arity {n}", first[1:], [digest(x for rk in p.rk for x in rk), digest(keys), digest(pre)])
        equal(f"sparse matrices and hash of arity {n}", second[1:], [digest(sparse), d.node(p.hash(one_to_n)).hex()])
        equal(f"compressed form, arity {n}", p.hash_compressed(one_to_n), p.hash(one_to_n))
    want = re.search(r"R\(1, 2\) = `(\w+)`", (SPEC / "poseidon.md").read_text()).group(1)
    equal("R(1, 2)", d.node(d.randomness(1, 2)).hex(), want)


def porep(v, common, s):
    kinds = {"porep-v1_1": ("interactive", 1), "porep-synth": ("synthetic", 2), "porep-ni": ("non-interactive", 2)}
    for name, (kind, api) in kinds.items():
        seal = v["seals"][name]
        number = int(seal["number"])
        comm_d, comm_r = bytes.fromhex(seal["comm_d"]), bytes.fromhex(seal["comm_r"])
        replica = d.replica_id(common["prover_id"], int(seal["sector"]), common["ticket"], comm_d, number)
        got = d.porep_inputs(kind, number, api, replica, comm_d, comm_r, common["seed"], 2**s.lg, s.porep[1], 0)
        equal(f"{name}: public inputs", [d.node(x).hex() for x in got], v["vectors"][name + "[0]"]["public_inputs_le"])
        c1 = vectors(f"filecoin/{name}.c1.json")
        partitions = c1["vanilla_proofs"][f"StackedDrg{s.size}V1"]
        equal(f"{name}: partitions", len(partitions), s.ni if kind == "non-interactive" else s.porep[0])
        equal("key of vanilla_proofs", list(c1["vanilla_proofs"]), [f"StackedDrg{s.size}V1"])
        equal("replica_id", bytes(c1["replica_id"]), replica)
        for k, partition in enumerate(partitions):
            challenges = d.porep_challenges(kind, replica, comm_r, common["seed"], 2**s.lg, s.porep[1], k)
            c1_partition(c1, partition, s, number, api, replica, comm_r, challenges)


def c1_partition(c1, partition, s, number, api, replica, comm_r, challenges):
    equal("challenges of a partition", len(partition), len(challenges))
    for v, p in zip(challenges, partition):
        columns = p["replica_column_proofs"]
        comm_c, comm_r_last = bytes(columns["c_x"]["inclusion_proof"]["data"]["Single"]["root"]), json_root(p["comm_r_last_proof"])
        equal("comm_r", d.node(d.poseidon([d.le(comm_c), d.le(comm_r_last)])), comm_r)
        proof(p["comm_d_proofs"], v, bytes(c1["comm_d"]), True)
        proof(p["comm_r_last_proof"], v, comm_r_last, False)
        parents = d.drg_parents(v, number, api) + d.exp_parents(v, 2**s.lg, number, api)
        rows_of = []
        for index, column in zip([v] + parents, [columns["c_x"]] + columns["drg_parents"] + columns["exp_parents"]):
            equal("column index", column["column"]["index"], index)
            rows_of.append([bytes(x) for x in column["column"]["rows"]])
            leaf = proof(column["inclusion_proof"], index, comm_c, False)
            equal("column hash", d.node(d.poseidon([d.le(x) for x in rows_of[-1]])), leaf)
        for layer in range(1, s.layers + 1):
            names = [r[layer - 1] for r in rows_of[1:7]] + ([r[layer - 2] for r in rows_of[7:]] if layer > 1 else [])
            equal("label", d.label(replica, layer, v, names), rows_of[0][layer - 1])
            labeling = p["labeling_proofs"][layer - 1]
            equal("labeling", [bytes(x) for x in labeling["parents"]], [names[i % len(names)] for i in range(37)])
            equal("labeling place", (labeling["layer_index"], labeling["node"]), (layer, v))
        data, encoded = d.json_proof(p["comm_d_proofs"])[1], d.json_proof(p["comm_r_last_proof"])[1]
        equal("encoding", (d.le(data) + d.le(rows_of[0][-1])) % d.R, d.le(encoded))


def json_root(p):
    return d.json_proof(p)[0]


def proof(p, index, root, is_data):
    """Checks a proof, JSON or parsed; returns its leaf."""
    got_root, leaf, levels = d.json_proof(p) if isinstance(p, dict) else p
    equal("root", got_root, root)
    equal("path", d.walk(leaf, levels, is_data), (root, index))
    return leaf


def post(v, common, s):
    rand, nodes = common["post_randomness"], 2**s.lg
    for name, files, per, restart in (("winning", ["winning.sector1"], 66, False), ("window", ["window.sector1", "window.sector2"], 10, True),
                                      ("windowv1", ["windowv1.sector1", "windowv1.sector2"], 10, False)):
        inputs = []
        for place, file in enumerate(files):
            b = d.Bytes((VECTORS / "filecoin" / (file + ".vanilla.bin")).read_bytes())
            sector, comm_r = b.u(8), b.take(32)
            equal("sector proofs in a blob", b.u(8), 1)
            proofs = [b.proof() for _ in range(b.u(8))]
            comm_c, comm_r_last = b.take(32), b.take(32)
            equal(f"{file}: proofs, bytes behind them", (len(proofs), b.at), (per, len(b.b)))
            equal(f"{file}: comm_r", d.node(d.poseidon([d.le(comm_c), d.le(comm_r_last)])), comm_r)
            for i, p in enumerate(proofs):
                leaf = d.post_challenge(rand, sector, i if restart else place * per + i, nodes)
                proof(p, leaf, comm_r_last, False)
                inputs += [d.le(comm_r)] if i == 0 or name == "winning" else []
                inputs.append(leaf)
        equal(f"{name}: public inputs", [d.node(x).hex() for x in inputs], v["vectors"][name + "[0]"]["public_inputs_le"])


def update(v, s):
    u = {k: bytes.fromhex(x) for k, x in v["update"].items()}
    b = d.Bytes((VECTORS / "filecoin/update.p0.vanilla.bin").read_bytes())
    comm_c = b.take(32)
    apex = [b.take(32) for _ in range(b.u(8))]
    proofs = [(b.proof(), b.proof(), b.proof()) for _ in range(b.u(8))]
    equal("update: counts", (len(apex), len(proofs), b.at), (s.apex, s.update[1], len(b.b)))
    challenges = d.update_challenges(u["comm_r_new"], s.lg, s.update[0], s.update[1], 0)
    phi = d.randomness(d.le(u["comm_d_new"]), d.le(u["comm_r_old"]))
    h = 1  # up to 2^10 nodes
    for node, (r_old, d_new, r_new) in zip(challenges, proofs):
        for p, comm_r in ((r_old, u["comm_r_old"]), (r_new, u["comm_r_new"])):
            proof(p, node, p[0], False)
            equal("update: comm_r", d.node(d.poseidon([d.le(comm_c), d.le(p[0])])), comm_r)
        proof(d_new, node, u["comm_d_new"], True)
        height = s.lg - (s.apex.bit_length() - 1)  # one partition
        equal("update: apex leaf", d.walk(d_new[1], d_new[2][:height], True)[0], apex[node >> height])
        rho = d.randomness(phi, node >> (s.lg - h))
        equal("update: encoding", (d.le(r_old[1]) + d.le(d_new[1]) * rho) % d.R, d.le(r_new[1]))
    choice = 1  # partition 0, no partition bits, first of the six choices of h
    inputs = [choice, d.le(u["comm_r_old"]), d.le(u["comm_d_new"]), d.le(u["comm_r_new"])]
    equal("update: public inputs", [d.node(x).hex() for x in inputs], v["vectors"]["update[0]"]["public_inputs_le"])


def test_parameters(v):
    """The scalars of the seed; the points are drawn and passed over."""
    t = v["test_seed_params"]
    x, y, z, w = struct.unpack("<4I", bytes.fromhex(t["seed"]))

    def u32():
        nonlocal x, y, z, w
        n = (x ^ x << 11) & 0xFFFFFFFF
        x, y, z = y, z, w
        w = w ^ w >> 19 ^ n ^ n >> 8
        return w

    def u64():
        low = u32()
        return low | u32() << 32

    def scalar():
        while True:
            n = sum(u64() << 64 * i for i in range(4)) & (1 << 255) - 1
            if n < d.R:
                return d.node(n).hex()

    for _ in range(16):
        u64()
    for name in ("alpha", "beta", "gamma", "delta", "tau"):
        equal(name, scalar(), t[name + "_le"])


def main():
    s = shapes()
    if sys.argv[1:2] == ["transcript"]:
        transcript(s, *sys.argv[2:])
        print("spec: ok")
        return
    v = vectors("groth16/vectors.json")
    common = {k: bytes.fromhex(x) for k, x in v["common"].items()}
    equal("sizes", len(s), 10)
    gadgets()
    counts(s)
    for kind in ("winning", "window"):
        for size in ("2KiB", "4KiB"):
            transcript(s, kind, size)
    update_layout(s)
    poseidon()
    porep(v, common, s["2KiB"])
    post(v, common, s["2KiB"])
    update(v, s["2KiB"])
    test_parameters(v)
    print("spec: ok")


if __name__ == "__main__":
    main()
