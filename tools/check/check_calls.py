#!/usr/bin/env python3
"""Fail when a part of the engine calls a part above it.

Usage: tools/check/check_calls.py      (run from the repository root)
ORDER lists the parts of src/engine from the lowest to the highest. A part is a folder; files of src/engine itself are
parts of their own. A function may be used by its own part and by those after it. Names are searched in the text
without comments, so a function that is handed on as a pointer counts, too.
"""
import pathlib, re, sys

ROOT = pathlib.Path("src/engine")
ORDER = ["sector_record.c", "engine_names.c", "engine_facts.c", "lock", "log", "backend", "memory", "device", "job", "key", "load", "stage",
         "worker", "reconfigure.c", "engine_status.c", "engine_calls.c", "verify_aggregate.c", "engine.c"]
COMMENT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
DEFINITION = re.compile(r"^(?!static\b|typedef\b|#)[A-Za-z_][^;{}()=]*(?:\([a-z_]+\)[^;{}()=]*)?\b(cuzk_\w+)\([^;{}]*\)\s*\{", re.M)


def part_of(path):
    return path.relative_to(ROOT).parts[0]


def main():
    texts = {p: COMMENT.sub(" ", p.read_text()) for p in sorted(ROOT.rglob("*.c"))}
    bad = [f"{p}: part '{part_of(p)}' is not in ORDER of tools/check/check_calls.py" for p in texts if part_of(p) not in ORDER]
    bad += [f"tools/check/check_calls.py: no part '{o}' in {ROOT}" for o in ORDER if not (ROOT / o).exists()]
    home = {}
    for p, text in texts.items():
        for m in DEFINITION.finditer(text):
            home[m.group(1)] = part_of(p)
    if len(home) < 50:
        bad.append(f"only {len(home)} functions found: the pattern of definitions does not fit any more")
    for p, text in texts.items():
        me = part_of(p)
        for name in sorted(set(re.findall(r"\bcuzk_\w+", text))):
            to = home.get(name, me)
            if me in ORDER and to in ORDER and ORDER.index(to) > ORDER.index(me):
                bad.append(f"{p}: {me} is below {to} and uses {name}")
    print("\n".join(bad) if bad else f"calls in the engine: ok, {len(home)} functions")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
