#!/usr/bin/env python3
"""Phrases that a reader has to read twice, per 1000 words of comments (per module) and of documents.

Usage: tools/words.py [MODULE|FILE...]     with names: also every place, so that it can be rewritten
Plain words: short sentences, subject first, the terms of the field, one word for one thing (CONTRIBUTING.md).
"""
import pathlib, re, subprocess, sys

PHRASES = re.compile(
    r"\b(beside|lets? go of|let go of|is told|are told|is none|are none|whoever|gives? (?:it|its \w+) up|gives? up its|has no use for|so many|so much|"
    r"likes|what the \w+ has|said of|to come by|in spite of it|takes? over|for want of|nobody|once more|on its way|comes? to pass|"
    r"of its own accord|it is \w+ that is|that is what)\b", re.I)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|^\s*#(?!\s*(?:include|define|if|el|endif|undef|pragma|error))[^\n]*", re.S | re.M)


def module_of(path):
    parts = path.split("/")
    return "docs" if path.endswith(".md") else parts[1] if parts[0] == "src" and len(parts) > 2 else parts[0]


def main():
    wanted = sys.argv[1:]
    counts = {}
    for f in subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n"):
        if not f.endswith((".c", ".h", ".cu", ".cuh", ".md")) or f.startswith(("bench/results/", "test/vectors/")) or not pathlib.Path(f).is_file():
            continue
        text = pathlib.Path(f).read_text(errors="replace")
        prose = text if f.endswith(".md") else "\n".join(COMMENT.findall(text))
        c = counts.setdefault(module_of(f), [0, 0])
        c[0] += len(PHRASES.findall(prose))
        c[1] += len(re.findall(r"[A-Za-z]+", prose))
        if f in wanted or module_of(f) in wanted:
            for n, line in enumerate(text.split("\n"), 1):
                m = PHRASES.search(line)
                if m and (f.endswith(".md") or re.search(r"/\*|\*/|^\s*\*|//", line)):
                    print(f"{f}:{n}: {m[0]}: {line.strip()[:150]}")
    for m, (hits, words) in sorted(counts.items(), key=lambda x: -x[1][0] / max(1, x[1][1])):
        print(f"{m:10} {hits:5} in {words:7} words: {1000 * hits / max(1, words):5.1f} per 1000")
    hits, words = (sum(c[i] for c in counts.values()) for i in (0, 1))
    print(f"{'all':10} {hits:5} in {words:7} words: {1000 * hits / max(1, words):5.1f} per 1000")


main()
