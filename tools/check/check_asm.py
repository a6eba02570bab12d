#!/usr/bin/env python3
"""Fail when a function of an assembly file is called by no CHECKED_CALL of a test.

Usage: tools/check/check_asm.py      (run from the repository root)
A checked call (test/harness/checked_call.h) compares the result and the calling convention.
"""
import pathlib, re, sys

functions = {m: f for f in sorted(pathlib.Path("src").rglob("*.S")) for m in re.findall(r"^FUNC (\w+)", f.read_text(), re.M)}
tests = "\n".join(f.read_text() for f in pathlib.Path("test").rglob("*.c"))
called = set(re.findall(r"CHECKED_CALL\(\s*(\w+)", tests))
bad = [f"{f}: {name} is called by no CHECKED_CALL" for name, f in functions.items() if name not in called]
print("\n".join(bad) if bad else f"assembly: {len(functions)} functions, each in a checked call")
sys.exit(1 if bad or not functions else 0)
