#!/usr/bin/env python3
"""Instructions per unit of the micro cases, counted by callgrind, against bench/instructions.json.

Usage: tools/measure/instructions.py check CUZK [FILE]     exit 0: within the tolerance, 1: not, 77: not comparable here
       tools/measure/instructions.py update CUZK [FILE]    writes what this build does; review the difference

Instruction counts do not depend on how busy a machine is, but on the compiler: the file names the one it is for, and
other compilers or build flags are told and skipped. valgrind has neither AVX-512 nor SHA-NI; cpu_mask in the file leaves
them out, so that code for them has no gate here. A case that cannot run is told and left out.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
HERE = pathlib.Path(__file__).resolve().parents[2] / "bench" / "instructions.json"


def build_of(cuzk, tmp):
    """Compiler and flags of the program, from a result of its own."""
    out = tmp / "facts.json"
    subprocess.run([cuzk, "bench", "micro", "--match=ff/fr_add/c", "--samples=1", "--time=0.0001", f"--result={out}", "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    facts = {f["key"]: f["value"] for f in json.loads(out.read_text())["facts"]}
    return {"compiler": facts["compiler"], "flags": facts["flags"].strip(), "build": facts["build"]}


def count(cuzk, mask, names, tmp):
    """{case: instructions per unit}; one dump of callgrind per case, in the order in which the program names them."""
    (tmp / "cases").write_text("".join(n + "\n" for n in names))
    # The C library chooses its memcpy by the processor: the plainest one, so that counts are the same everywhere.
    tunables = "glibc.cpu.hwcaps=" + ",".join(
        "-" + cap for cap in ("AVX2_Usable", "AVX2", "AVX512F", "AVX512VL", "AVX512BW", "ERMS", "FSRM", "AVX_Fast_Unaligned_Load"))
    run = subprocess.run(["valgrind", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=bench_counted_run",
                          "--dump-after=bench_counted_run", f"--callgrind-out-file={tmp}/dump",
                          cuzk, "bench", "micro", "--count", f"--cases={tmp}/cases", f"--cpu-mask={mask}", "--threads=1", "--quiet"],
                         capture_output=True, text=True, env={**os.environ, "GLIBC_TUNABLES": tunables})
    if run.returncode != 0:
        sys.exit(f"instructions: {run.stderr[-2000:]}")
    order = re.findall(r"^counted (\S+) (\d+)$", run.stdout, re.M)
    for name in re.findall(r"^skipped (\S+)$", run.stdout, re.M):
        print(f"not counted: {name}: this processor has no code for it")
    got = {}
    for i, (name, units) in enumerate(order, 1):
        text = pathlib.Path(f"{tmp}/dump.{i}").read_text()
        total = re.search(r"^(?:totals|summary): (\d+)", text, re.M)
        if total is None or int(total.group(1)) == 0:
            sys.exit(f"instructions: nothing was counted for {name}")
        got[name] = int(total.group(1)) / int(units)
    return got


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in ("check", "update"):
        sys.exit(__doc__)
    verb, cuzk = sys.argv[1], sys.argv[2]
    path = pathlib.Path(sys.argv[3]) if len(sys.argv) == 4 else HERE
    want = json.loads(path.read_text())
    if shutil.which("valgrind") is None:
        print("skipped: no valgrind")
        return SKIP
    with tempfile.TemporaryDirectory() as d:
        tmp = pathlib.Path(d)
        build = build_of(cuzk, tmp)
        if verb == "check" and any(build[k] != want[k] for k in build):
            print(f"skipped: the counts are for {[want[k] for k in build]}, this is {list(build.values())}")
            return SKIP
        got = count(cuzk, want["cpu_mask"], list(want["cases"]), tmp)
    if verb == "update":
        want.update(build)
        want["cases"] = {n: round(got[n], 2) if n in got else want["cases"][n] for n in want["cases"]}
        path.write_text(json.dumps(want, indent=1) + "\n")
        return 0
    bad = 0
    for name, n in got.items():
        ratio = n / want["cases"][name]
        if abs(ratio - 1) > want["tolerance"]:
            bad += 1
            print(f"{name}: {n:.2f} instructions per unit, {want['cases'][name]:.2f} committed ({100 * (ratio - 1):+.1f} %)")
    print(f"{len(got) - bad} cases within {100 * want['tolerance']:g} %, {bad} not")
    if bad:
        print("better or meant: tools/measure/instructions.py update CUZK, and say so in the commit")
    return 1 if bad or not got else 0


if __name__ == "__main__":
    sys.exit(main())
