#!/usr/bin/env python3
"""The Python package as a wheel: test_wheel.py BUILD (run from the repository root).

Makes the wheel from the installed tree and installs it by pip, both without a network, and verifies a proof with it.
Exit status 77 when no Python has pip, setuptools and wheel (Debian: python3-pip, python3-setuptools, python3-wheel).
"""
import pathlib, shutil, subprocess, sys, tempfile

from tree import environment, install, run

build = pathlib.Path(sys.argv[1]).resolve()
examples = pathlib.Path("examples").resolve()
pythons = [p for p in ("/usr/bin/python3", sys.executable)
           if pathlib.Path(p).exists() and subprocess.run([p, "-c", "import setuptools, wheel, pip"], capture_output=True).returncode == 0]
if not pythons:
    print("skipped: no Python has pip, setuptools and wheel")
    sys.exit(77)
python = pythons[0]
program = """
import cuzk, sys
inputs = open("winning.inputs", "rb").read()
key = cuzk.VerifyingKey(open("winning.vk", "rb").read())
key.verify(open("winning.proof", "rb").read(), [inputs[i:i + 32] for i in range(0, len(inputs), 32)])
print(cuzk.__file__)
"""
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    prefix = folder / "usr"
    pkgconfig = install(build, prefix)
    env = environment(pkgconfig, PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_CACHE_DIR="1", HOME=str(folder))
    source = folder / "python"
    shutil.copytree(prefix / "share/cuzk/bindings/python", source)
    run(python, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", folder / "made", source, env=env)
    [wheel] = (folder / "made").glob("*.whl")
    if not wheel.name.endswith("-py3-none-any.whl"):
        sys.exit(f"failed: {wheel.name} is not for every Python 3")
    run(python, "-m", "pip", "install", "--no-deps", "--target", folder / "site", wheel, env=env)
    out = run(python, "-c", program, cwd=examples, env={**env, "PYTHONPATH": str(folder / "site")})
    if not out.startswith(str(folder / "site")):
        sys.exit(f"failed: the package comes from {out}")
print(f"{wheel.name}: made, installed, a proof verified")
