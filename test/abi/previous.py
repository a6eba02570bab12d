#!/usr/bin/env python3
"""A program of the previous record of the ABI with the library of today: previous.py PREFIX (run from the repository root).

test/abi/previous holds the record, the headers and a program. The program is compiled with those headers and linked
with a library made from that record alone, with empty functions; then it runs with the library in PREFIX. A second
program refers to every function of the record, and is loaded with all names resolved at once.
"""
import json, os, pathlib, subprocess, sys, tempfile

prefix = pathlib.Path(sys.argv[1]).resolve()
[library] = prefix.glob("lib/**/libcuzk.so.0")
previous = pathlib.Path("test/abi/previous").resolve()
record = json.loads((previous / "abi.json").read_text())
vectors = pathlib.Path("test/vectors").resolve()
examples = pathlib.Path("examples").resolve()


def run(*command, **more):
    r = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if r.returncode != 0:
        sys.exit(f"failed ({r.returncode}): {' '.join(str(c) for c in command)}\n{r.stdout}{r.stderr}")
    return r.stdout


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    nodes = {}
    for function in record["functions"]:
        symbol, node = function.split("@@")
        nodes.setdefault(node, []).append(symbol)
    symbols = sorted(s for n in nodes.values() for s in n)
    (folder / "stub.c").write_text("".join(f"void {s}(void);\nvoid {s}(void) {{ __builtin_trap(); }}\n" for s in symbols))
    (folder / "stub.map").write_text("".join(f"{n} {{ global: {'; '.join(s)}; local: *; }};\n" for n, s in nodes.items()))
    run("cc", "-shared", "-fPIC", "-Wl,-soname,libcuzk.so.0", f"-Wl,--version-script={folder}/stub.map", folder / "stub.c", "-o",
        folder / "libcuzk.so.0")
    (folder / "all.c").write_text("".join(f"void {s}(void);\n" for s in symbols) +
                                  "typedef void f(void);\nf *volatile all[] = {" + ", ".join(symbols) + "};\nint main(void)\n{\n" +
                                  "for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) { if (all[i] == 0) { return 1; } }\nreturn 0;\n}\n")
    for source in (previous / "program.c", folder / "all.c"):
        run("cc", "-std=c99", "-fno-builtin", "-I", previous / "include", source, "-o", folder / source.stem, "-Wl,-z,now",
            folder / "libcuzk.so.0")
    arguments = [examples / x for x in ("winning.vk", "winning.proof", "winning.inputs", "mixed.zkey", "mixed.wtns")]
    today = dict(os.environ, LD_LIBRARY_PATH=str(library.parent))
    print(run(folder / "program", *arguments, env=today), end="")
    run(folder / "all", env=today)
    # The test can fail: the empty library traps.
    r = subprocess.run([folder / "program", *arguments], env=dict(os.environ, LD_LIBRARY_PATH=str(folder)), capture_output=True)
    if r.returncode == 0:
        sys.exit("failed: the program does not use the library")
    print(f"{len(symbols)} functions of the previous record are found")
