#!/usr/bin/env python3
"""Every cuzk command of the documents is run. Usage: test_commands.py CUZK      (in the root of the repository)

docs/provider.md, parameters.md and upgrade.md are run word by word by packaging/provider, docs/embedding.md by install/embedding. Here are the
commands of all other pages and of README.md, in a folder with small inputs. What needs neither parameters, nor a card, nor a daemon runs
to its end. The others go as far as the first thing that is not there, which the message has to name: so the verb, each option, each
value and each input before it have been taken. A usage error is a failure, and so is any other message."""
import glob, os, pathlib, re, shutil, subprocess, sys, tempfile

cuzk = os.path.abspath(sys.argv[1])
ELSEWHERE = {"docs/provider.md", "docs/parameters.md", "docs/upgrade.md", "docs/embedding.md"}
# A command that begins so ends with status 0.
TO_THE_END = ("groth16 setup ", "groth16 prove c.zkey ", "groth16 verify ", "groth16 check ", "groth16 info ", "serve --check-config ")
# What may be missing here.
MISSING = re.compile(r"no such file|cannot connect to |--device cuda|and there is none: use cuzk params setup")
passed, failed = 0, 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED:", what)


def commands(page):
    """Commands of the indented blocks, continued lines joined, comments and "..." left out."""
    out, text = [], re.sub(r"\\\n\s*", " ", pathlib.Path(page).read_text())
    for line in text.split("\n"):
        if re.match(r"    (sudo )?(build/release/)?cuzk (?!\d)", line):  # a digit: what a screen shows
            for part in re.split(r";\s*", re.sub(r"\s#.*", "", line)):
                words = re.sub(r"^(sudo )?(build/release/)?cuzk ", "", part.strip()).split()
                if words and words not in out:
                    out.append(words)
    return out


# What stands for words of the pages; other names of files stay, and are not there unless an earlier command made them.
WORDS = {"HEX": "11" * 32, "SECTOR": "winning", "winning.json": "winning", "DIR": "windows", "WITNESS": "witness.wtns", "WITNESS.wtns": "witness.wtns",
         "N": "1", "K": "0", "FILE": "c.zkey", "cuzk.toml": "missing.toml"}
for name in ("C1.json", "A.json", "B.json"):
    WORDS[name] = "c1.json"


def placed(words, folder):
    out = [re.sub(r"(?<==)HEX", WORDS["HEX"], WORDS.get(w, w)) for w in words if w != "..."]
    is_check = "--check-config" in out
    out = [{"/etc/cuzk/cuzk.toml": "good.toml" if is_check else "missing.toml", "http://127.0.0.1:9820": f"unix://{folder}/none"}.get(w, w) for w in out]
    out = [re.sub(r"vanilla=winning.json", "vanilla=winning", w) for w in out]
    if out[0] == "fleet":
        out += ["--config", "missing.toml"]  # and not that of this machine
    if out[0] == "gen":
        out += ["--force"]  # over the file that stands for SECTOR
    return out


with tempfile.TemporaryDirectory() as folder:
    v = os.path.abspath("test/vectors")
    for name, source in (("c1.json", "filecoin/porep-v1_1.c1.json"), ("winning", "filecoin/winning.sector1.vanilla.bin"),
                         ("c.r1cs", "circom/multiplier2.r1cs"), ("witness.wtns", "circom/multiplier2.wtns")):
        shutil.copy(f"{v}/{source}", f"{folder}/{name}")
    shutil.copy("packaging/cuzk.toml", folder + "/good.toml")
    os.makedirs(folder + "/empty")
    os.makedirs(folder + "/windows")
    for f in glob.glob(v + "/filecoin/window.sector*.vanilla.bin"):
        shutil.copy(f, folder + "/windows")
    env = {k: w for k, w in os.environ.items() if not k.startswith("CUZK_")}
    env |= {"FIL_PROOFS_PARAMETER_CACHE": folder + "/empty", "CUZK_ADDR": f"unix://{folder}/none", "CUDA_VISIBLE_DEVICES": "", "LC_ALL": "C"}
    pages = [p for p in ["README.md", *sorted(glob.glob("docs/*.md"))] if p not in ELSEWHERE]
    seen = []
    for page in pages:
        for words in commands(page):
            args = placed(words, folder)
            if args in seen:
                continue
            seen.append(args)
            shown = f"{page}: cuzk {' '.join(words)}"
            try:
                r = subprocess.run([cuzk, *args], cwd=folder, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=200)
            except subprocess.TimeoutExpired:
                check(False, f"{shown}: does not end")
                continue
            said = r.stdout + r.stderr
            to_the_end = " ".join(args).startswith(TO_THE_END)
            check(r.returncode == 0 if to_the_end else r.returncode in (2, 3), f"{shown}: exit status {r.returncode}: {said[-300:]}")
            check(to_the_end or MISSING.search(r.stderr) and "Try `" not in said, f"{shown}: {said[-300:]}")
    check(len(seen) > 40, f"{len(seen)} commands found")
print(f"{len(seen)} commands")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
