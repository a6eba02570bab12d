#!/usr/bin/env python3
"""The instruction gate itself: test_instructions.py CUZK. It must let a small change pass, and stop a larger one."""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASE = "ff/fp_mul/c"


def check(cuzk, factor):
    gate = json.loads((ROOT / "bench" / "instructions.json").read_text())
    gate["cases"] = {CASE: gate["cases"][CASE] * factor}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(gate, f)
        f.flush()
        p = subprocess.run([sys.executable, ROOT / "tools" / "measure" / "instructions.py", "check", cuzk, f.name], capture_output=True, text=True)
    print(p.stdout, end="")
    if p.returncode == 77:
        sys.exit(77)
    return p.returncode, p.stdout


def main():
    cuzk = sys.argv[1]
    assert check(cuzk, 1)[0] == 0
    assert check(cuzk, 1.005)[0] == 0
    for factor in (0.98, 1.02):
        rc, text = check(cuzk, factor)
        assert rc == 1 and CASE in text
    print("4 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
