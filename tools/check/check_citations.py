#!/usr/bin/env python3
"""Fail when a comment or a document cites a file or a section that is not in the tree.

Usage: tools/check/check_citations.py      (run from the repository root)

Checked: links of Markdown files; every other mention of a page, with its #section, in any text file; every
source file that a C comment or a document names; every test `module/name` that a document names. A source
file may be named by the end of its path (msm/msm.h).
"""
import pathlib, re, subprocess, sys

SOURCE = {".c", ".h", ".cu", ".cuh", ".S"}
TEXT = SOURCE | {".md", ".py", ".sh", ".mjs", ".gp", ".cmake", ".proto", ".toml", ".txt", ".in", ""}
SKIP = ("test/vectors/", "bench/results/", "fuzz/corpus/", "LICENSE")  # data; README.md of these are read
# Strings are matched too, so that comment marks in them do not count.
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
CODE_SPAN = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
PAGE = re.compile(r"(?<![\w./*<$-])((?:[\w-][\w.-]*/|\.\./)*[\w-][\w.-]*\.md)(#[\w-]+)?")
FILE = re.compile(r"(?<![\w./*<${}-])((?:[\w-][\w.-]*/)*[A-Za-z0-9][\w-]{2,}\.(?:c|h|cu|cuh|S|py|sh|mjs|gp))(?![\w.*(-])")
TEST = re.compile(r"`([a-z0-9_]+/[a-z0-9_]+)`")
# Files of others, and names that stand for any file.
ELSEWHERE = {"bindings/blst.h", "valgrind/memcheck.h", "fuzz_<name>.c", "ff/x86/y.h"}


def tracked():
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True).stdout
    return [f for f in out.splitlines() if pathlib.Path(f).is_file()]


def slugs(path, memo={}):
    """Anchors of a Markdown file's headings, as GitHub makes them."""
    if path not in memo:
        memo[path] = set()
        text = re.sub(r"^```.*?^```", "", path.read_text(errors="replace"), flags=re.S | re.M)
        for title in re.findall(r"^#{1,6} +(.*?) *#*$", text, flags=re.M):
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
            slug = base = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            n = 0
            while slug in memo[path]:
                n += 1
                slug = f"{base}-{n}"
            memo[path].add(slug)
    return memo[path]


def page_fault(file, target, anchor, bases):
    """Why a citation of a page leads nowhere; None when it leads somewhere."""
    for base in bases:
        path = base / target
        if path.is_file():
            if anchor and anchor[1:] not in slugs(path.resolve()):
                return f"{target} has no section {anchor}"
            return None
    return f"{target} is not in the tree"


def test_names(files):
    """Patterns of the names in CMake files; a variable stands for any word."""
    found = set()
    for f in files:
        if f.endswith("CMakeLists.txt"):
            found.update(re.findall(r"(?:cuzk_test\(|add_test\(NAME )([\w/${}]+)", pathlib.Path(f).read_text()))
    return re.compile("|".join(re.sub(r"\$\{\w+\}", r"\\w+", name) for name in sorted(found)))


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def check(file, tails, tests):
    path = pathlib.Path(file)
    text = path.read_text(errors="replace")
    here, root, found = path.parent, pathlib.Path("."), []
    links = list(LINK.finditer(text)) if path.suffix == ".md" else []
    for m in links:
        target, _, anchor = m.group(1).partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        at, anchor = line_of(text, m.start()), anchor and "#" + anchor
        if target == "" or target.endswith(".md"):
            fault = page_fault(file, target or path.name, anchor, [here])
        else:
            fault = None if (here / target).exists() else f"{target} is not in the tree"
        if fault:
            found.append((at, fault))
    inside = [range(*m.span()) for m in links]
    for m in PAGE.finditer(text):
        if not any(m.start() in r for r in inside):
            fault = page_fault(file, m.group(1), m.group(2), [root, here, root / "docs", root / "docs/spec"])
            if fault:
                found.append((line_of(text, m.start()), fault))
    if path.suffix in SOURCE or path.suffix == ".md":
        spans = COMMENT if path.suffix in SOURCE else CODE_SPAN
        for span in spans.finditer(text):
            if span.group().startswith('"'):
                continue
            for m in FILE.finditer(span.group()):
                if m.group(1) not in tails and m.group(1) not in ELSEWHERE:
                    found.append((line_of(text, span.start() + m.start()), f"{m.group(1)} is not in the tree"))
    for m in TEST.finditer(text) if path.suffix == ".md" else ():
        name = m.group(1)
        module = pathlib.Path("test") / name.split("/")[0]
        if module.is_dir() and not tests.fullmatch(name) and not pathlib.Path("src", name).is_dir():
            found.append((line_of(text, m.start()), f"{name} is no test"))
    return [f"{file}:{at}: {fault}" for at, fault in found]


def main():
    files, tails, bad = tracked(), set(), []
    for f in files:
        parts = f.split("/")
        tails.update("/".join(parts[i:]) for i in range(len(parts)))
    tests = test_names(files)
    for f in sorted(files):
        path = pathlib.Path(f)
        if path.suffix in TEXT and (path.name == "README.md" or not f.startswith(SKIP)):
            bad += check(f, tails, tests)
    print("\n".join(bad) if bad else "citations: ok")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
