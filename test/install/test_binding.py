#!/usr/bin/env python3
"""A binding against the installed tree: test_binding.py go|rust|wasm BUILD [all] (run from the repository root).

Copies the binding out of the installed tree and runs its own tests there, without a network. all: parameters of every
kind of proof are made first (minutes); otherwise the binding proves WindowPoSt and circom, and verifies every kind.
CUZK_TEST_PARAMS: a folder where they are kept for the next time. Exit status 77 and a line that says why when the language's tools are not there.
"""
import json, os, pathlib, shutil, sys, tempfile

from tree import environment, install, make_params, run

language, build = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
kinds = ("WINDOW", "WINNING", "POREP", "UPDATE") if "all" in sys.argv[3:] else ("WINDOW",)
vectors = pathlib.Path("test/vectors").resolve()
tools = {"go": ["go"], "rust": ["cargo", "rustc"], "wasm": ["node", "clang-14", "wasm-ld-14"]}[language]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def tool(name):
    """Debian's, before others that the path may have."""
    debian = pathlib.Path("/usr/bin") / name
    found = str(debian) if debian.exists() else shutil.which(name)
    if found is None:
        skip(f"{name} is not installed (tools/deps.sh test)")
    return found


def go(folder, source, env):
    env.update(GOFLAGS="-mod=mod", GOPROXY="off", GOCACHE=str(folder / "cache"), GOPATH=str(folder / "path"), CGO_ENABLED="1")
    found = tool("go")
    print(run(found, "vet", ".", cwd=source, env=env), end="")
    print(run(found, "test", "-count=1", "-timeout=55m", ".", cwd=source, env=env), end="")


def rust(folder, source, env):
    env.update(CARGO_HOME=str(folder / "cargo"), RUST_BACKTRACE="0", PATH=f"/usr/bin:{env['PATH']}")
    lines = run(tool("cargo"), "test", "--offline", cwd=source, env=env)
    print("\n".join(x for x in lines.split("\n") if x.startswith("test ")))
    d = vectors / "groth16"
    v = json.loads((d / "vectors.json").read_text())["vectors"]["winning[0]"]
    (folder / "proof").write_bytes(bytes.fromhex(v["proofs"][-1]["proof"]))
    (folder / "inputs").write_bytes(b"".join(bytes.fromhex(x) for x in v["public_inputs_le"]))
    print(run(tool("cargo"), "run", "--offline", "-q", "-p", "cuzk", "--example", "verify", d / "winning.vk", folder / "proof",
              folder / "inputs", cwd=source, env=env), end="")


def wasm(folder, source, _env):
    if not pathlib.Path("/usr/lib/wasm32-wasi/libc.a").exists() or not list(pathlib.Path("/usr/lib").glob("**/wasi/libclang_rt.builtins-wasm32.a")):
        skip("wasi-libc and libclang-rt-14-dev-wasm32 are not installed (tools/deps.sh test)")
    run("sh", folder / "usr/share/cuzk/bindings/wasm/build.sh", folder / "cuzk.wasm")
    print(run(tool("node"), source / "test.mjs", folder / "cuzk.wasm", vectors), end="")


for name in tools:
    tool(name)
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    prefix = folder / "usr"
    pkgconfig = install(build, prefix)
    params = make_params(prefix, pkgconfig, os.environ.get("CUZK_TEST_PARAMS", folder / "params"), *kinds) if language != "wasm" else folder
    source = folder / "source"
    shutil.copytree(prefix / "share/cuzk/bindings" / language, source)
    env = environment(pkgconfig, CUZK_VECTORS=str(vectors), CUZK_PARAMS=str(params))
    {"go": go, "rust": rust, "wasm": wasm}[language](folder, source, env)
