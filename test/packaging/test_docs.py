#!/usr/bin/env python3
"""What the documents say can be followed: every relative link and anchor is there, every cuzk command in an example
is a command of the program, and every option that the example gives is one of that command. Usage: test_docs.py CUZK"""
import os, pathlib, re, subprocess, sys, urllib.parse

cuzk = os.path.abspath(sys.argv[1])
passed, failed = 0, 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED:", what)


def anchors(text):
    """Names of the headings, as they are made from the headings' text."""
    out = set()
    for title in re.findall(r"^#+ +(.*?)\s*$", re.sub(r"```.*?```", "", text, flags=re.S), re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()
        out.add(re.sub(r"[^\w\- ]", "", title).replace(" ", "-"))
    return out


tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True, text=True).stdout.split()
pages = [p for p in tracked if not p.startswith(("bench/results/", "test/vectors/")) and "node_modules" not in p and os.path.exists(p)]
check(len(pages) > 20, f"pages: {len(pages)}")

for page in pages:
    text = pathlib.Path(page).read_text()
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = pathlib.Path(page).parent / urllib.parse.unquote(path) if path else pathlib.Path(page)
        check(there.exists(), f"{page}: no {target}")
        if anchor and there.suffix == ".md" and there.exists():
            check(anchor in anchors(there.read_text()), f"{page}: no heading {target}")

# Pages that other files name: messages, comments, the unit, the manifests.
named = subprocess.run(["git", "grep", "-ohE", r"docs/[A-Za-z0-9_/-]+\.md(#[a-z0-9-]+)?", "--", ":!*.md"], capture_output=True, text=True).stdout.split()
check(len(set(named)) > 20, f"pages that other files name: {len(set(named))}")
for target in sorted(set(named)):
    path, _, anchor = target.partition("#")
    check(os.path.exists(path), f"a file names {target}, which is not there")
    if anchor and os.path.exists(path):
        check(anchor in anchors(pathlib.Path(path).read_text()), f"a file names the heading {target}, which is not there")

index = pathlib.Path("docs/README.md").read_text()
for page in pages:
    if re.fullmatch(r"docs/[^/]+\.md", page) and page != "docs/README.md":
        check(f"]({page[5:]})" in index, f"docs/README.md: no link to {page}")

help_of = {}


def help_text(words):
    key = tuple(words)
    if key not in help_of:
        r = subprocess.run([cuzk, *words, "--help"], capture_output=True, text=True, timeout=120)
        help_of[key] = r.stdout if r.returncode == 0 else None
    return help_of[key]


examples = 0
for page in pages:
    for line in pathlib.Path(page).read_text().split("\n"):
        m = re.match(r"^(?:    |\s*\$ |cuzk )\s*(?:sudo )?(?:build/release/)?(?:cuzk )?(.*)$", line) if re.match(r"^(    (sudo )?(build/release/)?cuzk |cuzk )", line) else None
        if not m or line.startswith("cuzk ") and not page.startswith("docs/"):
            continue
        command = re.split(r"\s+#|\s\|\s|\s>\s|;|&&", re.sub(r"^\s*(sudo )?(build/release/)?cuzk ", "", line))[0]
        words = []
        for w in command.split():
            if not re.fullmatch(r"[a-z][a-z0-9-]*", w) or help_text(words + [w]) is None or len(words) == 3:
                break
            if words and help_text(words + [w]) == help_text(words):
                break  # an argument, not a command
            words.append(w)
        if not words:
            continue
        examples += 1
        text = help_text(words)
        check(text is not None and "Usage:" in text, f"{page}: no command: {line.strip()}")
        for option in re.findall(r"(?<=\s)--([a-z][a-z0-9-]*)", command):
            check(f"--{option}" in (text or ""), f"{page}: cuzk {' '.join(words)} has no --{option}: {line.strip()}")
check(examples > 30, f"examples found: {examples}")
print(f"{examples} examples")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
