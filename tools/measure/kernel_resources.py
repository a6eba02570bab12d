#!/usr/bin/env python3
"""What ptxas says of every kernel: registers, static shared memory and stack, for each architecture.

Usage: tools/measure/kernel_resources.py BUILD [--update] [--arch 90]... [--log FILE]      (from the repository root)
BUILD is a build folder with CUZK_CUDA=ON: its kernels are compiled again, for the architectures of the build or
those named, and compared with test/vectors/kernel_resources.txt, which test/accel/test_card.c holds against the
limits of every class of card. --update writes that file. --log reads what a build with
-DCMAKE_CUDA_FLAGS="-Xptxas -v" printed, instead of compiling.
"""
import argparse, concurrent.futures, json, os, pathlib, re, shlex, subprocess, sys

RECORD = pathlib.Path("test/vectors/kernel_resources.txt")
HEAD = """# Resources of the CUDA kernels as ptxas reports them; made by tools/measure/kernel_resources.py, nvcc %s.
# architecture, kernel, registers of a thread, static shared memory of a block, stack of a thread (bytes)
"""
ENTRY = re.compile(r"Compiling entry function '(\w+)' for 'sm_(\d+)a?'")
STACK = re.compile(r"(\d+) bytes stack frame")
USED = re.compile(r"Used (\d+) registers(.*)")
SHARED = re.compile(r"(\d+) bytes smem")


def parse(text):
    """[(architecture, symbol, registers, shared, stack)]"""
    found, entry, stack = [], None, 0
    for line in text.split("\n"):
        if m := ENTRY.search(line):
            entry, stack = m.groups(), 0
        elif entry and (m := STACK.search(line)):
            stack = int(m.group(1))
        elif entry and (m := USED.search(line)):
            shared = SHARED.search(m.group(2))
            found.append((int(entry[1]), entry[0], int(m.group(1)), int(shared.group(1)) if shared else 0, stack))
            entry = None
    return found


def names_of(symbols):
    """Symbol -> tree_k<g1_group, false, true>: no return type, namespace or arguments."""
    out = subprocess.run(["c++filt"], input="\n".join(symbols), capture_output=True, text=True, check=True).stdout
    names = {}
    for symbol, text in zip(symbols, out.split("\n")):
        text = re.sub(r"\(anonymous namespace\)::|_INTERNAL_\w+::|\(bool\)|\([a-z_]+\)(?=\d)", "", text.removeprefix("void "))
        depth, end = 0, len(text)
        for i, c in enumerate(text):
            depth += (c == "<") - (c == ">")
            if c == "(" and depth == 0:
                end = i
                break
        names[symbol] = text[:end].replace("true", "true").strip()
    return names


def compile_all(build, archs):
    jobs = []
    for c in json.loads((build / "compile_commands.json").read_text()):
        if not c["file"].endswith(".cu") or "/src/accel/cuda/" not in c["file"]:
            continue
        words = shlex.split(c["command"])
        keep, skip = [], False
        own = sorted({int(a) for a in re.findall(r"sm_(\d+)", c["command"])})
        for w in words:
            if skip or w.startswith("--generate-code") or w in ("-c", "-MD"):
                skip = False
            elif w in ("-o", "-MT", "-MF"):
                skip = True
            else:
                keep.append(w)
        for arch in archs or own:
            jobs.append(keep + ["-cubin", f"-arch=sm_{arch}", "-Xptxas", "-v", "-o", "/dev/null"])
    def run(job):
        r = subprocess.run(job, cwd=build, capture_output=True, text=True)
        if r.returncode != 0:
            raise SystemExit(r.stderr[-2000:])
        return r.stderr
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return "\n".join(pool.map(run, jobs))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build", type=pathlib.Path)
    p.add_argument("--update", action="store_true")
    p.add_argument("--arch", type=int, action="append")
    p.add_argument("--log", type=pathlib.Path)
    a = p.parse_args()
    text = a.log.read_text(errors="replace") if a.log else compile_all(a.build, a.arch)
    if not text:
        print("the build has no machine code, only code for the driver to compile")
        return 77
    found = parse(text)
    if not found:
        raise SystemExit("no kernel in what ptxas said")
    names = names_of(sorted({f[1] for f in found}))
    rows = sorted({(arch, names[s], regs, shared, stack) for arch, s, regs, shared, stack in found})
    lines = ["%d\t%s\t%d\t%d\t%d" % r for r in rows]
    if a.update:
        nvcc = subprocess.run(["nvcc", "--version"], capture_output=True, text=True).stdout
        version = re.search(r"release ([\d.]+)", nvcc)
        RECORD.write_text(HEAD % (version.group(1) if version else "unknown") + "\n".join(lines) + "\n")
        print(f"{RECORD}: {len(lines)} kernels")
        return 0
    seen = {r[0] for r in rows}
    kept = [l for l in RECORD.read_text().split("\n") if l and l[0] != "#" and int(l.split("\t")[0]) in seen]
    wrong = sorted(set(lines) ^ set(kept))
    print("\n".join(wrong) if wrong else f"{RECORD}: {len(lines)} kernels as recorded")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
