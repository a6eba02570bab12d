#!/usr/bin/env python3
"""libcuzk-client of the installed tree against a real daemon: test_client.py BUILD PROGRAM (run from the repository root).

Compiles the example by pkg-config (shared and static) and by find_package, starts the daemon on the CPU, proves a
WinningPoSt with each, with Python, and with Go and Rust where these are installed, and verifies the proofs with the program.
Compares the library with its ABI record.
"""
import pathlib, shutil, subprocess, sys, tempfile, time

from tree import environment, install, make_params, run

build, program = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
vanilla = pathlib.Path("test/vectors/filecoin/winning.sector1.vanilla.bin").resolve()
randomness = "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e00"


def check(what, ok):
    if not ok:
        sys.exit(f"failed: {what}")


def examples(prefix, pkgconfig, folder):
    """The example, built in three ways."""
    env = environment(pkgconfig)
    source = prefix / "share/cuzk/bindings/c/client.c"
    for kind in ("shared", "static"):
        flags = run("pkg-config", "--cflags", "--libs", *(["--static"] if kind == "static" else []), "cuzk-client", env=env).split()
        if kind == "static":
            flags = ["-l:libcuzk-client.a" if f == "-lcuzk-client" else f for f in flags]
        yield folder / f"client_{kind}"
        run("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", source, "-o", folder / f"client_{kind}",
            *flags, env=env)
    run("cmake", "-S", source.parent, "-B", folder / "cmake", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder / "cmake", "--target", "client", "client_static")
    yield folder / "cmake/client"
    yield folder / "cmake/client_static"


def start_daemon(folder):
    address = f"unix://{folder}/s.sock"
    (folder / "c.toml").write_text(f"""
daemon.listen = "{address}"
daemon.http_listen = "127.0.0.1:0"
gpus.cpu_only = true
memory.total_budget = "2GiB"
srs.param_cache = "{folder}/params"
store.path = "memory"
""")
    log = open(folder / "log", "w")
    daemon = subprocess.Popen([program, "serve", "--config", folder / "c.toml"], stderr=log, stdout=log)
    while subprocess.run([program, "health", "--addr", address], capture_output=True).returncode != 0:
        if daemon.poll() is not None:
            sys.exit(f"the daemon ended:\n{(folder / 'log').read_text()}")
        time.sleep(0.05)
    return daemon, address


def verify(folder, proof):
    run(program, "verify", "winning", "--vanilla", vanilla, "--randomness", randomness, "--type", "0", "--params", folder / "params", "--proof", proof)


PYTHON = """
import cuzk, sys, time
from cuzk import client

address, vanilla, proof = sys.argv[1], open(sys.argv[2], "rb").read(), sys.argv[3]
request = dict(kind=cuzk.WINNING, inputs=[vanilla], sector_bytes=2048, miner_id=1000, randomness=bytes(range(64, 95)) + bytes(1))


def raises(expected, f, *arguments, **named):
    try:
        f(*arguments, **named)
    except expected as e:
        return e
    sys.exit(f"{f} did not raise {expected}")


with client.Client(address) as c:
    assert client.version() == cuzk.version()
    assert c.is_serving() and "cuzk_" in c.metrics()
    open(proof, "wb").write(c.prove(**request, seconds=300))
    job = c.submit(**request, request_id="from Python")
    assert len(c.wait(job, seconds=300)) == 192
    assert c.totals().completed >= 1
    freed = 0
    while freed == 0:  # for a moment after its proof the job is still using the circuit
        try:
            freed = c.evict("winning-2k")
        except cuzk.Error as e:
            assert e.status == "CUZK_E_BUDGET", e
            time.sleep(0.05)
    assert not c.preload("winning-2k")
    assert raises(cuzk.Error, c.wait, "nobody's").status == "CUZK_E_NOT_FOUND"
    assert raises(cuzk.Error, c.cancel, "nobody's").status == "CUZK_E_NOT_FOUND"
    e = raises(client.Failed, c.prove, **{**request, "randomness": bytes(32)})
    assert not e.retryable and not e.cancelled and str(e) != ""
    stop = client.Stop()
    stop.request()
    assert raises(cuzk.Error, c.is_serving, stop=stop).status == "CUZK_E_CANCELLED"
assert raises(cuzk.Error, client.Client, "unix:///nobody/here").retryable
"""


def tool(name):
    """Debian's, before others that the path may have; None: it is not installed."""
    debian = pathlib.Path("/usr/bin") / name
    return str(debian) if debian.exists() else shutil.which(name)


def go(source, env, folder):
    env.update(GOFLAGS="-mod=mod", GOPROXY="off", GOCACHE=str(folder / "cache"), GOPATH=str(folder / "path"), CGO_ENABLED="1")
    run(tool("go"), "vet", "./client", cwd=source, env=env)
    run(tool("go"), "test", "-count=1", "./client", cwd=source, env=env)


def rust(source, env, folder):
    env.update(CARGO_HOME=str(folder / "cargo"), PATH=f"/usr/bin:{env['PATH']}")
    run(tool("cargo"), "test", "--offline", "-q", "-p", "cuzk-client", cwd=source, env=env)


def bindings(prefix, env, folder, address):
    """Proofs by the bindings; the files that they are in."""
    bindings = prefix / "share/cuzk/bindings"
    run(sys.executable, "-c", PYTHON, address, vanilla, folder / "python.proof", env={**env, "PYTHONPATH": str(bindings / "python")})
    yield folder / "python.proof"
    for name, f, program in (("go", go, "go"), ("rust", rust, "cargo")):
        if tool(program) is None:
            print(f"{program} is not installed: its client is left out")
            continue
        proof = folder / f"{name}.proof"
        shutil.copytree(bindings / name, folder / name)
        f(folder / name, {**env, "CUZK_ADDRESS": address, "CUZK_VANILLA": str(vanilla), "CUZK_PROOF": str(proof)}, folder)
        yield proof


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    prefix = folder / "usr"
    pkgconfig = install(build, prefix)
    library = pkgconfig.parent / "libcuzk-client.so.0"
    needed = {x.split("[")[1].split("]")[0].split(".so")[0] for x in run("readelf", "-d", library).split("\n") if "(NEEDED)" in x}
    check(f"it needs libc, libnghttp2 and OpenSSL: {needed}", needed <= {"libnghttp2", "libssl", "libcrypto", "libc", "ld-linux-x86-64"})
    check("the soname is 0", "[libcuzk-client.so.0]" in run("readelf", "-d", library))
    names = [x.split() for x in run("nm", "-g", "--defined-only", pkgconfig.parent / "libcuzk-client.a").split("\n")]
    check("the archive has no other names", all(x[2].startswith("cuzk_client_") for x in names if len(x) == 3))
    print(run(sys.executable, "test/abi/abi.py", prefix, "test/abi/client-0.json", "--client"), end="")
    make_params(prefix, pkgconfig, folder / "params", "WINNING")
    programs = list(examples(prefix, pkgconfig, folder))
    env = environment(pkgconfig)
    r = subprocess.run([programs[0], f"unix://{folder}/nobody", randomness, folder / "p", vanilla], env=env, capture_output=True, text=True)
    check(f"without a daemon it names the address: {r.stdout}", r.returncode == 1 and "nobody" in r.stdout)
    daemon, address = start_daemon(folder)
    try:
        for i, client in enumerate(programs):
            proof = folder / f"proof{i}"
            out = run(client, address, randomness, proof, vanilla, env=env)
            check(f"queues and size are printed: {out}", "winning-post: 0 wait" in out and "192 bytes" in out)
            verify(folder, proof)
        made = list(bindings(prefix, env, folder, address))
        for proof in made:
            verify(folder, proof)
        r = subprocess.run([programs[0], address, "00" * 32, folder / "p", vanilla], env=env, capture_output=True, text=True)
        check(f"another randomness is refused: {r.stdout}", r.returncode == 1 and not (folder / "p").exists() and len(r.stdout) > 40)
    finally:
        daemon.terminate()
    check("the daemon ends well", daemon.wait(60) == 0)
print(f"libcuzk-client: four programs, {len(made)} bindings, {4 + len(made)} proofs")
