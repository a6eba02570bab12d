#!/usr/bin/env python3
"""Prints the tables of docs/benchmarks.md from a folder of tools/measure/bench_reference.sh.

Usage: tools/measure/bench_table.py bench/results/FOLDER [--write docs/benchmarks.md]

With --write the part of the page between its two "tables:" marks is replaced.
"""
import contextlib
import io
import json
import pathlib
import statistics
import sys


def quantity(v, unit):
    scale = {"s": 1e9, "ns": 1}.get(unit.split("/")[0])
    if unit == "bytes":
        return f"{v / 2**20:.4g} MiB"
    if scale is None:
        return f"{v:.4g} {unit}".strip()
    for name, f in (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1)):
        if v * scale >= f or name == "ns":
            return f"{v * scale / f:.3g} {name}"


def cases(folder):
    rows = {}
    for name in ("micro", "msm", "ntt"):
        for m in json.loads((folder / f"{name}.json").read_text())["metrics"]:
            if m["role"] == "other":
                rows[m["name"]] = m
    print("| case | minimum | median | 95 % | per | to the peer (minima) |\n|---|---|---|---|---|---|")
    for name, m in rows.items():
        v = sorted(m["values"])
        parts = name.split("/")
        peer = rows.get("/".join(parts[:2] + ["blst"] + parts[3:]))
        ratio = f"{v[0] / min(peer['values']):.2f}" if peer and peer is not m else ""
        q = [quantity(x, m["unit"]) for x in (v[0], statistics.median(v), v[(95 * len(v) + 99) // 100 - 1])]
        print(f"| {name} | {q[0]} | {q[1]} | {q[2]} | {m['unit'].split('/')[1]} | {ratio} |")


def layers(path):
    r = json.loads(path.read_text())
    print(f"\n| {r['kind']} {r['name']}, {r['runs']} runs | median | min | max |\n|---|---|---|---|")
    for m in r["metrics"]:
        v = m["values"]
        if v and (m["role"] != "layer" or statistics.median(v) >= 0.001):
            q = [quantity(x, m["unit"]) for x in (statistics.median(v), min(v), max(v))]
            print(f"| {m['name']} | {q[0]} | {q[1]} | {q[2]} |")
    for note in r["notes"]:
        print(f"\n{note}.")


def tables(folder):
    cases(folder)
    for path in sorted(folder.glob("prove-*.json")) + sorted(folder.glob("synth-*.json")):
        layers(path)


def main():
    if len(sys.argv) not in (2, 4) or (len(sys.argv) == 4 and sys.argv[2] != "--write"):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    if len(sys.argv) == 2:
        tables(folder)
        return 0
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        print(f"From `{folder}`.\n")
        tables(folder)
    page = pathlib.Path(sys.argv[3])
    head, rest = page.read_text().split("<!-- tables: begin", 1)
    mark, tail = rest.split("\n", 1)
    page.write_text(head + "<!-- tables: begin" + mark + "\n" + text.getvalue() + "<!-- tables: end -->" +
                    tail.split("<!-- tables: end -->", 1)[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
