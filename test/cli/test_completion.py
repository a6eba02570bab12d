#!/usr/bin/env python3
"""What the shells offer, asked of each shell that is there: test_completion.py CUZK"""
import os, shutil, subprocess, sys

cuzk = os.path.abspath(sys.argv[1])
ENV = {**os.environ, "PATH": os.path.dirname(cuzk) + ":" + os.environ["PATH"], "TERM": "dumb", "ASAN_OPTIONS": "detect_leaks=0"}
passed, failed, skipped = 0, 0, 0
# words typed; some that must be offered; some that must not
CASES = [
    (["par"], {"params"}, {"prove"}),
    (["params", ""], {"list", "check", "fetch"}, {"--kind", "params"}),
    (["params", "check", "--po"], {"--points"}, {"--params"}),
    (["submit", "--kind", ""], {"porep", "winning", "window", "update"}, {"--kind", "--vanilla"}),
    (["gen", "winning", "--sector-size", ""], {"2KiB", "32GiB"}, {"--sector-size"}),
    (["submit", "--vanilla", ""], set(), {"--kind", "winning"}),
]


def bash(words):
    line = " ".join("'" + w + "'" for w in ["cuzk", *words])
    script = f'source <(cuzk completion bash); COMP_WORDS=({line}); COMP_CWORD={len(words)}; _cuzk; printf "%s\\n" "${{COMPREPLY[@]}}"'
    return run(["bash", "--norc", "-c", script])


def fish(words):
    return run(["fish", "--no-config", "-c", 'cuzk completion fish | source; complete -C "cuzk ' + " ".join(words) + '"'])


def zsh(words):
    # outside of its line editor compadd has no place to put words: those that begin as typed are printed instead
    line = " ".join("'" + w + "'" for w in ["cuzk", *words])
    script = f"compdef() {{ : }}; source <(cuzk completion zsh); compadd() {{ print -rl -- $found }}; _files() {{ : }}; words=({line}); CURRENT={len(words) + 1}; _cuzk"
    return {x for x in run(["zsh", "-f", "-c", script]) if x.startswith(words[-1]) or x == "STDERR"}


def run(command):
    r = subprocess.run(command, capture_output=True, text=True, env=ENV, timeout=120)
    if r.stderr:
        print(r.stderr)
    return {x.split("\t")[0] for x in r.stdout.split("\n") if x} | ({"STDERR"} if r.stderr else set())


for shell in (bash, fish, zsh):
    if not shutil.which(shell.__name__):
        skipped += 1
        print(f"skipped: no {shell.__name__}")
        continue
    for words, some, none in CASES:
        got = shell(words)
        good = some <= got and not none & got and "STDERR" not in got
        passed, failed = passed + good, failed + (not good)
        if not good:
            print(f"FAILED: {shell.__name__} {words}: {sorted(got)}")
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed else 0)
