#!/usr/bin/env python3
"""The sizes that CONTRIBUTING.md sets: a source file has at most 800 lines, a folder of the code at most 20 files. Exit 1: something is larger.
Folders of data are left out (test vectors, results of measurements, corpora of fuzzers), and files that a program makes (*_gen.*)."""
import collections, subprocess, sys

LINES, FILES = 800, 20
SOURCES = (".c", ".h", ".cu", ".cuh", ".S", ".py", ".sh", ".go", ".rs", ".js", ".mjs", ".html")
DATA = ("test/vectors/", "bench/results/", "fuzz/corpus/", "docs/")

files = [f for f in subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], check=True, capture_output=True, text=True).stdout.splitlines()
         if not f.startswith(DATA)]
folders = collections.Counter(f.rpartition("/")[0] for f in files)
faults = [f"{d}: {n} files, at most {FILES}" for d, n in sorted(folders.items()) if n > FILES and d]
for f in files:
    if f.endswith(SOURCES) and "_gen." not in f:
        try:
            with open(f, "rb") as file:
                n = file.read().count(b"\n")
        except FileNotFoundError: # removed, and not committed
            continue
        if n > LINES:
            faults.append(f"{f}: {n} lines, at most {LINES}")
print("\n".join(faults + [f"sizes: {len(files)} files in {len(folders)} folders, {len(faults)} too large"]))
sys.exit(1 if faults else 0)
