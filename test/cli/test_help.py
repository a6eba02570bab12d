#!/usr/bin/env python3
"""The help of every command and its manual page: test_help.py CUZK COMMAND_MAN.SH"""
import os, re, shutil, subprocess, sys, tempfile

cuzk, generator = sys.argv[1:3]
# glibc's help of a command without options of its own loses two blocks of a byte
ENV = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")
WIDE = dict(ENV, ARGP_HELP_FMT="rmargin=2000,opt-doc-col=60")
failed = 0


def check(what, good, more=""):
    global failed
    if not good:
        failed += 1
        print(f"FAIL {what}: {more}")


def help_of(path):
    r = subprocess.run([cuzk, *path, "--help"], capture_output=True, text=True, env=WIDE)
    if "built without the daemon" in r.stderr:
        return r.stderr
    check(f"{' '.join(path)} --help", r.returncode == 0 and not r.stderr, r.stderr)
    return r.stdout


def leaves(path=()):
    text = help_of(path)
    if path and "built without the daemon" in text:
        return
    pages.append("-".join(["cuzk", *path]))
    if not re.match(r"Usage: cuzk( \S+)* COMMAND", text):
        yield path, text
        return
    names = re.findall(r"^  ([a-z][a-z0-9-]*) +\S", text, re.M)
    check(f"{' '.join(path)}: commands", names, text)
    for n in names:
        yield from leaves((*path, n))


# These ask a daemon, or look at files; they prove and check nothing themselves.
ASKS = {"submit", "await", "cancel", "status", "preload", "evict", "health", "top", "fleet", "doctor"}
pages = []
n = 0
for path, text in leaves():
    if path[0] == "completion":
        continue # a script, not a help
    n += 1
    name = "cuzk " + " ".join(path)
    examples = text.partition("\nExamples:\n")[2].replace(" \\\n      ", " ").split("\n")
    examples = [e.strip() for e in examples if e.startswith("  ")]
    check(f"{name}: has examples", examples)
    options = set(re.findall(r"--[a-z0-9-]+", text.partition("\nExamples:\n")[0]))
    check(f"{name}: a command that computes nothing has no option of computing", path[0] not in ASKS or not options & {"--threads", "--trace", "--cpu-mask", "--layers"},
          options)
    narrow = subprocess.run([cuzk, *path, "--help"], capture_output=True, text=True, env=dict(ENV, ARGP_HELP_FMT="")).stdout
    broken = [e for e in narrow.partition("\nExamples:\n")[2].split("\n") if e and not e.startswith("  ")]
    check(f"{name}: no example is wrapped", not broken, broken)
    for e in examples:
        own = e.split(" -- ")[0].split(" && ")[0]
        check(f"{name}: an example is of this command", re.match(re.escape(name) + r"( |$)", own), e)
        for o in re.findall(r"(?<=\s)--[a-z0-9-]+", own):
            check(f"{name}: the option of an example exists", o in options, e)
check("commands", n > 30, n)

folder = tempfile.mkdtemp()
try:
    r = subprocess.run([generator, cuzk, folder], capture_output=True, text=True, env=ENV)
    check("pages are made", r.returncode == 0 and not r.stderr, r.stderr)
    made = {f[:-2] for f in os.listdir(folder)}
    missing = [p for p in pages if p != "cuzk" and p not in made and "completion" not in p]
    check("a page for every command", not missing, missing)
    for page in sorted(made):
        text = open(os.path.join(folder, page + ".1")).read()
        check(f"{page}: name and synopsis", re.search(r"^\.SH NAME\n" + re.escape(page.replace("-", r"\-")) + r" \\- \S", text, re.M)
              and ".SH SYNOPSIS\n.B cuzk" in text and ".SH DESCRIPTION" in text)
    if shutil.which("groff"):
        r = subprocess.run(["groff", "-man", "-Tascii", "-ww", *(os.path.join(folder, p + ".1") for p in sorted(made))], capture_output=True, text=True)
        check("groff has nothing to say", r.returncode == 0 and not r.stderr, r.stderr[:1500])
        check("options are in the page", all(w in re.sub("\x1b\\[[0-9;]*m|.\x08", "", r.stdout) for w in ("--randomness=HEX", "EXAMPLES")))
finally:
    shutil.rmtree(folder)
print(f"{n} commands, {failed} failures")
sys.exit(1 if failed else 0)
