#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The program's aggregates against the model: other numbers of proofs, other SRSs, both versions.

Usage: test_model.py CUZK [--all]     without --all: the bytes of one pair of proofs
"""
import json
import os
import subprocess
import sys
import tempfile

import agg_model as model

HERE = os.path.dirname(os.path.abspath(__file__))
VECTORS = os.path.join(HERE, "../vectors/aggregate")
cuzk = sys.argv[1]
failed = 0


def check(what, ok, detail=""):
    global failed
    if not ok:
        failed += 1
        print("FAIL", what, detail, flush=True)


def run(status, *args):
    p = subprocess.run([cuzk, *args], capture_output=True, text=True)
    check(" ".join(args[:3]), p.returncode == status, p.stdout + p.stderr)


def original():
    """The model itself: the bytes of the original implementation."""
    s = next(x for x in json.load(open(os.path.join(VECTORS, "vectors.json")))["sets"] if x["name"] == "tiny-2")
    srs = model.Srs(os.path.join(VECTORS, s["srs"] + ".srs"), s["n"])
    for r in s["runs"]:
        made = model.encode(model.aggregate(srs, [bytes.fromhex(x) for x in s["proofs"]], bytes.fromhex(s["transcript_include"]), int(r["version"][1:])))
        check(f"tiny-2 {r['version']}", made == open(os.path.join(VECTORS, r["file"]), "rb").read())


def one(folder, n, seed, first, versions, verify_too=True):
    """n proofs of the vectors from `first` on, under an SRS of our own."""
    sets = json.load(open(os.path.join(VECTORS, "vectors.json")))["sets"]
    s = next(x for x in sets if x["name"] == "tiny-16")
    proofs = [bytes.fromhex(x) for x in s["proofs"][first:first + n]]
    statements = [[int.from_bytes(bytes.fromhex(x), "little") for x in p] for p in s["public_inputs_le"][first:first + n]]
    vk_path, srs_path, out = os.path.join(VECTORS, "tiny.vk"), os.path.join(folder, f"{seed}.srs"), os.path.join(folder, f"{n}-{seed}")
    publics, pairs = [], []
    for i in range(n):
        public, proof = os.path.join(folder, f"{first + i}.json"), os.path.join(folder, f"{first + i}.proof")
        json.dump([str(x) for x in statements[i]], open(public, "w"))
        open(proof, "w").write(proofs[i].hex())
        publics.append(public)
        pairs += [public, proof]
    run(0, "params", "setup", "aggregate", "--insecure-seed", str(seed), "--proofs", str(n), "-o", srs_path)
    options = ["--vk", vk_path, "--srs", srs_path, "--test-srs"]
    run(0, "aggregate", *options, *pairs, "-o", out)
    srs, vk = model.Srs(srs_path, len(model.padded(proofs))), model.VerifyingKey(vk_path)
    include = model.include_all(vk, statements)
    if 2 in versions:
        want = model.encode(model.aggregate(srs, model.padded(proofs), include, 2))
        data = open(out, "rb").read()
        check(f"{n} proofs, seed {seed}: bytes", data == want)
    if 2 in versions and verify_too:
        check(f"{n} proofs, seed {seed}: the model verifies", not model.failures(srs, vk, model.padded(statements), include, model.decode(data), 2))
        other = [list(x) for x in statements]
        other[0][0] = (other[0][0] + 1) % model.R
        check(f"{n} proofs, seed {seed}: another statement",
              model.failures(srs, vk, model.padded(other), include, model.decode(data), 2) == ["groth16"])
    if 1 in versions:
        open(out + ".v1", "wb").write(model.encode(model.aggregate(srs, model.padded(proofs), include, 1)))
        verify = ["verify", "aggregate", *options, "--aggregate", out + ".v1", *publics]
        run(0, *verify, "--insecure-version-1")
        run(1, *verify)


with tempfile.TemporaryDirectory() as folder:
    if "--all" in sys.argv:
        original()
        for n, seed, first, versions in ((1, 11, 3, (2,)), (2, 2**63, 14, (1, 2)), (3, 12, 5, (1, 2)), (5, 13, 11, (2,)), (8, 14, 8, (2,))):
            one(folder, n, seed, first, versions)
    else:
        one(folder, 2, 20261130, 7, (2,), False)
print("failed" if failed else "ok")
sys.exit(1 if failed else 0)
