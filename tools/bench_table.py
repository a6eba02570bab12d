#!/usr/bin/env python3
"""Prints the tables of docs/benchmarks.md from a folder of tools/bench_reference.sh.

Usage: tools/bench_table.py bench/results/FOLDER
"""
import json
import pathlib
import statistics
import sys


def load(folder):
    rows = {}
    for name in ("micro", "msm", "ntt"):
        for line in (folder / f"{name}.jsonl").read_text().splitlines():
            d = json.loads(line)
            if d.get("type") == "case":
                rows[d["name"]] = d
    return rows


def ns(v):
    for unit, f in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if v >= f:
            return f"{v / f:.3g} {unit}"
    return f"{v:.3g} ns"


def main():
    folder = pathlib.Path(sys.argv[1])
    rows = load(folder)
    print("| case | minimum | median | 95 % | per | to the peer (minima) |\n|---|---|---|---|---|---|")
    for name, d in rows.items():
        parts = name.split("/")
        peer = rows.get("/".join(parts[:2] + ["blst"] + parts[3:]))
        ratio = f"{d['ns_min'] / peer['ns_min']:.2f}" if peer and peer is not d else ""
        print(f"| {name} | {ns(d['ns_min'])} | {ns(d['ns_median'])} | {ns(d['ns_p95'])} | {d['unit']} | {ratio} |")
    runs = [json.loads(x) for x in (folder / "porep-2KiB-prove.jsonl").read_text().splitlines()][1:]
    print(f"\n| PoRep 2 KiB, {len(runs)} runs | median | min | max |\n|---|---|---|---|")
    for key in runs[0]:
        if key.endswith("_s"):
            v = [r[key] for r in runs]
            print(f"| {key[:-2]} | {statistics.median(v):.4f} s | {min(v):.4f} | {max(v):.4f} |")
    print(f"| peak resident memory | {max(r['peak_rss_bytes'] for r in runs) / 1e6:.0f} MB | | |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
