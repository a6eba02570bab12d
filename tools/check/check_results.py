#!/usr/bin/env python3
"""Fail when bench/results keeps what no document cites, or a document cites a result that is not there.

Usage: tools/check/check_results.py      (run from the repository root)
A document cites a result as bench/results/NAME or `NAME`, NAME starting with a date.
"""
import pathlib, re, subprocess, sys

tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True).stdout.split("\n")
texts = [f for f in tracked if f.endswith((".md", ".c", ".h", ".cu", ".cuh")) and not f.startswith("bench/results/")]
cited = {}
for f in texts:
    if not pathlib.Path(f).is_file():
        continue
    for m in re.findall(r"(?:bench/results/|`)(20\d\d-\d\d-\d\d-[\w.-]*\w)", pathlib.Path(f).read_text(errors="replace")):
        cited.setdefault(m, f)
kept = {p.name for p in pathlib.Path("bench/results").iterdir()}
bad = [f"bench/results/{k}: no document cites it" for k in sorted(kept - set(cited))]
bad += [f"{cited[c]}: cites bench/results/{c}, which is not there" for c in sorted(set(cited) - kept)]
print("\n".join(bad) if bad else f"results: {len(kept)}, each cited")
sys.exit(1 if bad else 0)
