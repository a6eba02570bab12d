#!/usr/bin/env python3
"""libcuzk of a build with CUDA, as it is installed: test_cuda_library.py BUILD (run from the repository root; no GPU needed).

What the shared library needs and exports; programs that are linked with the shared and the static library by pkg-config
and by find_package; what they say on a machine without a usable GPU. Proofs on a GPU are not made here.
"""
import pathlib, subprocess, sys, tempfile

from tree import environment, install, run

build = pathlib.Path(sys.argv[1]).resolve()
# libcuda comes with the driver; the CUDA runtime loads it by its name when it is used
ALLOWED = {"libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "ld-linux-x86-64.so.2"}

PROGRAM = r"""
#include <stdio.h>
#include <cuzk/prove.h>

int main(void)
{
    cuzk_error error = {.status = 0};
    cuzk_prover *p = NULL;
    cuzk_prover_options o = {.struct_size = sizeof(o), .devices = "cuda"};
    printf("%d", (int)cuzk_has_cuda());
    const cuzk_status asked = cuzk_prover_create(&p, &o, &error);
    printf(" %s", cuzk_status_name(asked));
    cuzk_prover_destroy(p);
    p = NULL;
    o.devices = "auto";
    printf(" %s\n", cuzk_status_name(cuzk_prover_create(&p, &o, &error)));
    cuzk_prover_destroy(p);
    return 0;
}
"""


def check(what, ok):
    if not ok:
        sys.exit(f"failed: {what}")


def needed(path):
    return {x.split("[")[1].split("]")[0] for x in run("readelf", "-d", path).split("\n") if "(NEEDED)" in x}


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    prefix = folder / "usr"
    pkgconfig = install(build, prefix)
    library = pkgconfig.parent / "libcuzk.so.0"
    check(f"it needs the C library alone: {needed(library)}", needed(library) <= ALLOWED)
    print(run(sys.executable, "test/abi/abi.py", prefix, "test/abi/abi-0.json"), end="")
    archive = run("nm", "-g", "--defined-only", pkgconfig.parent / "libcuzk.a")
    check("the archive has no other names", all(x.split()[2].startswith("cuzk_") for x in archive.split("\n") if len(x.split()) == 3))
    code = run("readelf", "-SW", library)
    check("it has code for GPUs", ".nv_fatbin" in code)
    env = environment(pkgconfig)
    source = folder / "program.c"
    source.write_text(PROGRAM)
    for kind in ("shared", "static"):
        flags = run("pkg-config", "--cflags", "--libs", *(["--static"] if kind == "static" else []), "cuzk", env=env).split()
        if kind == "static":
            flags = ["-l:libcuzk.a" if f == "-lcuzk" else f for f in flags]
        run("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", source, "-o", folder / kind, *flags, env=env)
        said = subprocess.run([folder / kind], env=env, capture_output=True, text=True, check=True).stdout.split()
        check(f"{kind}: {said}", said[0] == "1" and said[1] in ("CUZK_OK", "CUZK_E_UNSUPPORTED") and said[2] == "CUZK_OK")
        print(f"{kind}: {' '.join(said)}; needs {', '.join(sorted(needed(folder / kind) - {'libcuzk.so.0'}))}")
    # the CMake package finds the CUDA runtime of the build for the static library
    run("cmake", "-S", prefix / "share/cuzk/bindings/c", "-B", folder / "cmake", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder / "cmake", "--target", "prove", "prove_static")
    print(f"find_package: needs {', '.join(sorted(needed(folder / 'cmake/prove_static')))}")
