"""An installed tree for a test: the components of both libraries of a build, and how programs find them."""
import os, pathlib, subprocess, sys


def run(*command, **more):
    """The command's output; ends the test when it fails."""
    r = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if r.returncode != 0:
        sys.exit(f"failed ({r.returncode}): {' '.join(str(c) for c in command)}\n{r.stdout}{r.stderr}")
    return r.stdout


def install(build, prefix):
    """Installs; the folder of cuzk.pc. A build without the daemon has no client."""
    for component in ("lib", "dev", "client", "client-dev"):
        run("cmake", "--install", build, "--prefix", prefix, "--component", component)
    [pc] = prefix.glob("lib/**/pkgconfig/cuzk.pc")
    return pc.parent


def environment(pkgconfig, **more):
    """Variables by which compilers and programs find the tree."""
    return dict(os.environ, PKG_CONFIG_PATH=str(pkgconfig), LD_LIBRARY_PATH=str(pkgconfig.parent), **more)


def make_params(prefix, pkgconfig, folder, *kinds):
    """Parameters of 2 KiB sectors from a seed, by the installed Python package; files that are there are kept."""
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    program = """
import cuzk, sys
for k in sys.argv[2:]:
    try:
        cuzk.params_make(sys.argv[1], getattr(cuzk, k), 2048, insecure_seed=7)
    except cuzk.Error as e:
        if e.status != "CUZK_E_EXISTS":
            raise
"""
    run(sys.executable, "-c", program, folder, *kinds,
        env=environment(pkgconfig, PYTHONPATH=str(prefix / "share/cuzk/bindings/python")))
    return folder
