#!/usr/bin/env python3
"""The packages of libcuzk and libcuzk-client: test_packages.py BUILD (run from the repository root).

Makes the packages as tools/package.sh does, unpacks them into a root of their own, and compiles and runs the
verifying example from there: with both for the compiler, with libcuzk0 alone for the program.
"""
import pathlib, re, sys, tempfile

from tree import environment, run

build = pathlib.Path(sys.argv[1]).resolve()


def check(what, ok):
    if not ok:
        sys.exit(f"failed: {what}")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    run("cpack", "--config", build / "CPackLibraryConfig.cmake", "-G", "DEB", "-B", folder / "made", cwd=build)
    made = {p.name.split("_")[0]: p for p in (folder / "made").glob("*.deb")}
    clients = ["libcuzk-client-dev", "libcuzk-client0"]
    with_client = "libcuzk-client0" in made
    check(f"the packages: {sorted(made)}", sorted(made) == (clients if with_client else []) + ["libcuzk-dev", "libcuzk0"])
    field = lambda package, f: run("dpkg-deb", "-f", made[package], f).strip()
    version = field("libcuzk0", "Version")
    check("libcuzk-dev needs this libcuzk0", field("libcuzk-dev", "Depends") == f"libcuzk0 (= {version})")
    check(f"libcuzk0 needs libc alone: {field('libcuzk0', 'Depends')}", re.fullmatch(r"libc6 \(>= [0-9.]+\)", field("libcuzk0", "Depends")))
    check("libcuzk0 tells the loader", "ldconfig" in run("dpkg-deb", "-I", made["libcuzk0"], "triggers"))
    for package, root in (("libcuzk0", "run"), ("libcuzk0", "all"), ("libcuzk-dev", "all")):
        run("dpkg-deb", "-x", made[package], folder / root)
    files = sorted(str(p.relative_to(folder / "run")) for p in (folder / "run").rglob("*") if not p.is_dir())
    check(f"libcuzk0 has the library alone: {files}", len(files) == 2 and all("/libcuzk.so.0" in f for f in files))
    [library] = [p for p in (folder / "run").rglob("libcuzk.so.0*") if not p.is_symlink()]
    size = int(field("libcuzk0", "Installed-Size")) * 1024
    check(f"libcuzk0 says {size} bytes, and the library has {library.stat().st_size}",
          library.stat().st_size <= size < library.stat().st_size + 65536)
    every = folder / "all/usr"
    for part in ("include/cuzk/prove.h", "share/libcuzk-dev/proto/cuzk/v1/proving.proto", "share/cuzk/bindings/go/cuzk.go", "share/cuzk/examples/winning.vk",
                 "share/doc/libcuzk-dev"):
        check(f"libcuzk-dev has {part}", (every / part).exists())
    check("the packages have no program", not (every / "bin").exists())
    if with_client:
        needs = field("libcuzk-client0", "Depends")
        check(f"libcuzk-client0 needs the libraries of gRPC and no prover: {needs}",
              all(x in needs for x in ("libnghttp2-14", "libssl3", "libc6")) and "cuzk" not in needs)
        check("libcuzk-client-dev needs both", all(f"{x} (= {version})" in field("libcuzk-client-dev", "Depends")
                                                   for x in ("libcuzk-client0", "libcuzk-dev")))
        check("libcuzk-dev has no client.h", not (every / "include/cuzk/client.h").exists())
        paths = {}
        for package in made:
            for line in run("dpkg-deb", "-c", made[package]).split("\n"):
                path = line.split()[5] if len(line.split()) > 5 else ""
                if path and not path.endswith("/"):
                    check(f"{path} is in {package} and in {paths.get(path)}", path not in paths)
                    paths[path] = package
        for path in ("./usr/include/cuzk/client.h", "./usr/include/cuzk/prove.h"):
            check(f"{path} is packaged", path in paths)
        check("the program's .proto files are its own", not any(p.startswith("./usr/share/cuzk/proto/") for p in paths))
    [pc] = every.glob("lib/**/pkgconfig")
    env = environment(pc)
    flags = run("pkg-config", "--cflags", "--libs", "cuzk", env=env).split()
    run("cc", every / "share/cuzk/bindings/c/verify.c", "-o", folder / "verify", *flags, env=env)
    [library] = (folder / "run/usr/lib").rglob("libcuzk.so.0")
    examples = every / "share/cuzk/examples"
    out = run(folder / "verify", examples / "winning.vk", examples / "winning.proof", examples / "winning.inputs",
              env=environment(library.parent / "pkgconfig"))
    check(f"the example says: {out}", out.strip() == "verified")
print(f"{', '.join(sorted(made))}: ok")
