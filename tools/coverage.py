#!/usr/bin/env python3
"""Line coverage of each module, and a failure where one is below its floor.

Usage: tools/coverage.py BUILD [--write]      (run from the repository root)
BUILD is a build folder made with -DCUZK_COVERAGE=ON whose tests have run. --write sets the floors in
tools/coverage_floor.txt to two points below what was reached.
"""
import concurrent.futures, json, os, pathlib, subprocess, sys

FLOORS = pathlib.Path("tools/coverage_floor.txt")


def module_of(path):
    """'src/rpc/server/x.c' -> 'rpc/server'; 'apps/cuzk/bench/x.c' -> 'apps/cuzk'."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[0] == "apps":
        return "apps/cuzk"
    folder = "/".join(parts[1:-1])
    while folder not in MODULES and "/" in folder:
        folder = folder.rsplit("/", 1)[0]
    return folder


MODULES = {line.split(":")[0] for line in pathlib.Path("tools/layers.txt").read_text().split("\n") if line and line[0] != "#"}


def gcov(data):
    """{source file: {line: reached}} of one object file."""
    out = subprocess.run(["gcov", "--json-format", "--stdout", str(data)], capture_output=True, text=True)
    lines = {}
    for doc in out.stdout.splitlines():
        doc = json.loads(doc)
        for f in doc["files"]:
            path = pathlib.Path(doc["current_working_directory"], f["file"])
            name = os.path.relpath(path)  # the compiler is told to write "." for the folder of the repository
            if name.startswith(("src/", "apps/")):
                into = lines.setdefault(name, {})
                for line in f["lines"]:
                    n = line["line_number"]
                    into[n] = into.get(n, False) or line["count"] > 0
    return lines


def main():
    build = pathlib.Path(sys.argv[1])
    # Every object counts, also one that no test ran: it has notes and no data.
    notes = sorted(build.rglob("*.gcno"))
    reached = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for lines in pool.map(gcov, notes):
            for name, of in lines.items():
                into = reached.setdefault(name, {})
                for n, hit in of.items():
                    into[n] = into.get(n, False) or hit
    total = {}
    for name, of in reached.items():
        t = total.setdefault(module_of(name), [0, 0])
        t[0] += sum(of.values())
        t[1] += len(of)
    if not total:
        print(f"coverage: no data below {build}")
        return 1
    share = {m: 100.0 * hit / n for m, (hit, n) in total.items()}
    if "--write" in sys.argv:
        FLOORS.write_text("# The least share of lines in percent that the tests of make coverage reach (tools/coverage.py).\n" +
                          "".join(f"{m} {max(0, int(share[m]) - 2)}\n" for m in sorted(share)))
    floors = dict((m, float(v)) for m, v in (line.split() for line in FLOORS.read_text().split("\n") if line and line[0] != "#"))
    bad = 0
    for m in sorted(share):
        low = share[m] < floors.get(m, 0)
        bad += low
        print(f"{m:16} {total[m][1]:6} lines {share[m]:6.1f} %" + (f"   below its floor of {floors[m]:.0f} %" if low else ""))
    for m in sorted(set(floors) - set(share)):
        bad += 1
        print(f"{m:16} has a floor and no lines")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
