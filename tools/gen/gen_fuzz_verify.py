#!/usr/bin/env python3
"""Writes the seed corpus of fuzz_verify from the committed vectors.

Usage: tools/gen/gen_fuzz_verify.py     (from the repository root; writes fuzz/corpus/verify/)
"""
import json
import pathlib

OUT = pathlib.Path("fuzz/corpus/verify")


def put(name, data):
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / name).write_bytes(data)


def main():
    sizes = {"bad1": {48: 0, 96: 1}, "bad2": {96: 2, 192: 3}}
    seen = {}
    for line in open("test/vectors/ec_multiples.txt"):
        f = line.split()
        if f[0] in sizes:
            b = bytes.fromhex(f[2])
            mode = sizes[f[0]][len(b)]
            if seen.setdefault((mode, f[1]), 0) == 0:
                put(f"point{mode}_{f[1]}", bytes([mode]) + b)
            seen[(mode, f[1])] += 1
        elif len(f) == 5 and f[0] != "#" and int(f[0], 16) in (0, 1, 2):
            for mode, hexa in enumerate(f[1:]):
                put(f"point{mode}_{int(f[0], 16)}", bytes([mode]) + bytes.fromhex(hexa))
    vec = json.load(open("test/vectors/groth16/vectors.json"))["vectors"]["update[0]"]
    vk = open("test/vectors/groth16/update.vk", "rb").read()
    x = b"".join(bytes.fromhex(v) for v in vec["public_inputs_le"])
    head = bytes([5]) + len(vk).to_bytes(2, "little") + vk
    proof = bytes.fromhex(vec["proofs"][0]["proof"])
    put("vk_update", bytes([4]) + vk)
    put("vk_short", bytes([4]) + vk[:-1])
    put("vk_count", bytes([4]) + vk[:864] + b"\xff\xff\xff\xff" + vk[868:])
    put("proof_update", head + proof + x)
    put("proof_input_order", head + proof + x[:-32] + b"\xff" * 32)
    put("proof_infinity", head + b"\xc0" + bytes(47) + proof[48:] + x)
    put("proof_cut", head + proof[:191])
    put("proof_inputs_cut", head + proof + x[:-32])


if __name__ == "__main__":
    main()
