#!/usr/bin/env python3
"""Fail when a source file includes a module that its layer may not see.

Usage: tools/check_layers.py [--dot]      (run from the repository root)
The table is the architecture (ARCHITECTURE.md, Modules); --dot draws it.
"""
import pathlib, re, sys

MAY = {  # module: modules whose headers it may include (besides itself and <cuzk/...>)
    "base": [],
    "trace": ["base"],
    "sys": ["base"],
    "cpu": ["base"],
    "ff": ["base", "cpu"],
    "hash": ["base", "cpu", "ff"],
    "ec": ["base", "cpu", "ff"],
    "pairing": ["base", "ff", "ec"],
    "ntt": ["base", "sys", "cpu", "ff"],
    "msm": ["base", "sys", "cpu", "ff", "ec"],
    "accel": ["base", "sys", "trace", "ff", "ec", "r1cs"],
    "accel/cpu": ["base", "sys", "cpu", "trace", "ff", "ec", "ntt", "msm", "r1cs", "accel"],
    "accel/cuda": ["base", "sys", "cpu", "trace", "ff", "ec", "r1cs", "accel"],
    "accel/mock": ["base", "sys", "trace", "ff", "ec", "r1cs", "accel", "accel/cpu"],  # computes by the CPU's device
    "r1cs": ["base", "sys", "ff", "hash"],
    "verify": ["base", "ff", "ec", "pairing"],
    "gadget": ["base", "ff", "hash", "r1cs"],
    "vanilla": ["base", "sys", "ff", "hash"],
    "circuit": ["base", "sys", "ff", "hash", "r1cs", "gadget", "vanilla"],
    "groth16": ["base", "sys", "cpu", "trace", "ff", "ec", "hash", "ntt", "msm", "r1cs", "verify", "accel"],
    "interop": ["base", "sys", "trace", "ff", "hash", "ec", "ntt", "msm", "r1cs", "verify", "groth16"],
    "prover": ["base", "sys", "cpu", "trace", "ff", "ec", "hash", "r1cs", "verify", "vanilla", "circuit", "groth16", "accel"],
    "engine": ["base", "sys", "cpu", "trace", "ff", "ec", "hash", "r1cs", "verify", "vanilla", "circuit", "groth16", "accel",
               "accel/cuda", "prover"],
    "store": ["base", "sys", "hash", "engine"],  # job store on SQLite
    "config": ["base", "sys"],           # TOML
    "log": ["base", "sys"],
    "rpc": ["base", "sys", "trace", "hash", "engine", "log"],   # gRPC server and client
    "api": ["base", "sys", "trace", "hash", "engine", "log"],   # HTTP: metrics, status, page
    "report": ["base", "sys", "trace"],                         # bench results, comparison, HTML
    "apps": ["base", "sys", "cpu", "trace", "ff", "ec", "hash", "r1cs", "verify", "vanilla", "circuit", "groth16",
             "interop", "prover", "accel", "accel/cpu", "accel/cuda", "accel/mock", "engine", "store", "config",
             "log", "rpc", "api", "report"],
}
INC = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def module_of(path):
    """'accel/cuda/x.cu' -> 'accel/cuda'; 'ff/x86/y.h' -> 'ff'."""
    parts = pathlib.PurePosixPath(path).parts
    two = "/".join(parts[:2])
    return two if two in MAY else (parts[0] if parts and parts[0] in MAY else None)


def closure_is_acyclic():
    seen, stack = set(), []

    def visit(m):
        if m in stack:
            raise SystemExit("layer table has a cycle: " + " -> ".join(stack[stack.index(m):] + [m]))
        if m in seen:
            return
        stack.append(m)
        for d in MAY[m]:
            visit(d)
        stack.pop()
        seen.add(m)

    for m in MAY:
        visit(m)


def main():
    closure_is_acyclic()
    if "--dot" in sys.argv:
        print("digraph layers {")
        for m, ds in MAY.items():
            for d in ds:
                print(f'  "{m}" -> "{d}";')
        print("}")
        return 0
    bad, names = [], {}
    files = [p for d in ("src", "apps") for p in pathlib.Path(d).rglob("*")]
    for f in sorted(p for p in files if p.suffix in (".c", ".h", ".cu", ".cuh", ".inc")):
        rel = f.as_posix()
        me = "apps" if rel.startswith("apps/") else module_of(rel.removeprefix("src/"))
        if me is None:
            bad.append(f"{f}: folder is not in the layer table")
            continue
        if me != "apps":  # cuzkd and cuzk both have a main.c
            names.setdefault(f.name, []).append(str(f))
        for n, line in enumerate(f.read_text(errors="replace").split("\n"), 1):
            m = INC.match(line)
            if not m:
                continue
            inc = m.group(1)
            if "/" not in inc:
                continue  # private header of the same folder
            if ".." in inc:
                bad.append(f"{f}:{n}: include by module path, not '..': {inc}")
                continue
            to = module_of(inc)
            if to is None:
                bad.append(f"{f}:{n}: unknown module in include: {inc}")
            elif to != me and to not in MAY[me]:
                bad.append(f"{f}:{n}: {me} may not include {to} ({inc})")
            elif to != me and "_internal." in inc:
                bad.append(f"{f}:{n}: {inc} is private to {to}")
    for name, where in names.items():
        if len(where) > 1:
            bad.append(f"file name used twice: {', '.join(where)}")
    print("\n".join(bad) if bad else "layers: ok")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
