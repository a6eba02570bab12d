#!/usr/bin/env python3
"""Makes an installed tree independent of the system's libraries: copies every shared library that PREFIX/bin/cuzk loads, except those of
glibc, into PREFIX/lib/cuzk, and has the program look there first. Their licences go to PREFIX/share/doc/cuzk/libraries.
Usage: tools/pack/bundle_libs.py PREFIX      needs patchelf"""
import os, pathlib, re, shutil, subprocess, sys

# glibc's own: they fit the kernel and each other, and every system has them.
GLIBC = re.compile(r"(linux-vdso|ld-linux|lib(c|m|resolv|pthread|dl|rt|anl|util|nsl))[-.]")


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True).stdout


def loaded(program):
    """soname -> file, as the loader finds them."""
    out = {}
    for line in run("ldd", program).split("\n"):
        m = re.match(r"\s*(\S+) => (.*?)(?: \(0x[0-9a-f]+\))?$", line)
        if m and not GLIBC.match(m[1]):
            if not m[2].startswith("/"):
                sys.exit(f"bundle_libs: {program} needs {m[1]}, which is not there")
            out[m[1]] = pathlib.Path(m[2])
    return out


def owner(library):
    """The Debian package of a library, or None. A file may be known below /usr/lib or below /lib."""
    real = str(library.resolve())
    for path in (real, real.removeprefix("/usr")):
        r = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True)
        if r.returncode == 0:
            return r.stdout.split(":")[0]
    return None


prefix = pathlib.Path(sys.argv[1]).resolve()
program, folder, papers = prefix / "bin/cuzk", prefix / "lib/cuzk", prefix / "share/doc/cuzk/libraries"
folder.mkdir(parents=True, exist_ok=True)
papers.mkdir(parents=True, exist_ok=True)
libraries = loaded(program)
rows = []
for soname, path in sorted(libraries.items()):
    shutil.copy(path.resolve(), folder / soname)
    os.chmod(folder / soname, 0o644)
    run("patchelf", "--set-rpath", "$ORIGIN", folder / soname)
    package = owner(path)
    if package is None:
        sys.exit(f"bundle_libs: no package owns {path}, so its licence is not known")
    rows.append(f"{soname}  {package} {run('dpkg-query', '-W', '-f', '${Version}', package)}\n")
    shutil.copy(f"/usr/share/doc/{package}/copyright", papers / f"{package}.copyright")
(papers / "VERSIONS").write_text("".join(rows))
# DT_RPATH, not DT_RUNPATH: it also holds for what the libraries load.
run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN/../lib/cuzk", program)
for soname, path in loaded(program).items():
    if path.resolve().parent != folder:
        sys.exit(f"bundle_libs: {soname} still comes from {path}")
print(f"bundle_libs: {len(libraries)} libraries in {folder}")
