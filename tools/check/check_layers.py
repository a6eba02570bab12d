#!/usr/bin/env python3
"""Fail when a source file includes a module that its layer may not see.

Usage: tools/check/check_layers.py [--dot]      (run from the repository root)
tools/layers.txt is the architecture (ARCHITECTURE.md, Modules); --dot draws it; an edge of the table that no
include uses fails too.
"""
import pathlib, re, sys

TABLE = pathlib.Path(__file__).parent.with_name("layers.txt")


def read_table():
    """The table of tools/layers.txt: module -> list of modules, names of groups expanded."""
    rows = {}
    for line in TABLE.read_text().split("\n"):
        if line and not line.startswith("#"):
            module, deps = line.split(":")
            rows[module] = deps.split()
    for module, deps in rows.items():
        rows[module] = [m for d in deps for m in ([d] if d in rows else [k for k in rows if k.startswith(d + "/")] or [d])]
    return rows


MAY = read_table()
INC = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<cuzk/([a-z]+\.h)>)')
# header below include/cuzk: the module that defines what it declares
PUBLIC = {"verify.h": "verify", "aggregate.h": "aggregate", "cuzk.h": "base", "filecoin.h": "lib", "params.h": "lib", "prove.h": "lib",
          "client.h": "lib/client"}


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
            if d not in MAY:
                raise SystemExit(f"layers.txt: {m} names the unknown module {d}")
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
    bad, names, used = [], {}, set()
    files = [p for d in ("src", "apps") for p in pathlib.Path(d).rglob("*")]
    for f in sorted(p for p in files if p.suffix in (".c", ".h", ".cu", ".cuh", ".inc")):
        rel = f.as_posix()
        me = "apps" if rel.startswith("apps/") else module_of(rel.removeprefix("src/"))
        if me is None:
            bad.append(f"{f}: folder is not in the layer table")
            continue
        names.setdefault((me, f.name), []).append(str(f))
        for n, line in enumerate(f.read_text(errors="replace").split("\n"), 1):
            m = INC.match(line)
            if not m:
                continue
            inc = m.group(1) or f"{PUBLIC.get(m.group(2), '?')}/{m.group(2)}"
            if "/" not in inc:
                continue  # private header of the same folder
            if ".." in inc:
                bad.append(f"{f}:{n}: include by module path, not '..': {inc}")
                continue
            to = "apps" if inc.startswith("apps/") else module_of(inc)
            used.add((me, to))
            if to is None:
                bad.append(f"{f}:{n}: unknown module in include: {inc}")
            elif to != me and to not in MAY[me]:
                bad.append(f"{f}:{n}: {me} may not include {to} ({inc})")
            elif to.split("/")[0] != me.split("/")[0] and "_internal." in inc:
                bad.append(f"{f}:{n}: {inc} is private to {to}")
    for where in names.values():
        if len(where) > 1:
            bad.append(f"file name used twice in one module: {', '.join(where)}")
    for m, ds in MAY.items():
        for d in ds:
            if (m, d) not in used and "/" not in d:
                bad.append(f"tools/layers.txt: no file of {m} includes {d}")
    print("\n".join(bad) if bad else "layers: ok")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
