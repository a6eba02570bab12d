#!/usr/bin/env python3
"""tools/pack/device_code.py against programs made here: code of three classes in two fatbins, none, and damaged ones."""
import pathlib, struct, subprocess, sys, tempfile

passed, failed = 0, 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED:", what)


def fatbin(*entries):
    """entries: kind, class, bytes of code."""
    body = b"".join(struct.pack("<HHIQ12xI32x", kind, 0x101, 64, size, klass) + bytes(size) for kind, klass, size in entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def program(fat, name=b".nv_fatbin"):
    """An ELF file of that section and of its table of names."""
    names = b"\0" + name + b"\0.names\0"
    at = 64 + len(fat) + len(names)
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 0, at, 0, 64, 56, 0, 64, 3, 2)
    row = lambda name, offset, size: struct.pack("<IIQQQQIIQQ", name, 1, 0, 0, offset, size, 0, 0, 1, 0)
    return head + fat + names + bytes(64) + row(1, 64, len(fat)) + row(2 + len(name), 64 + len(fat), len(names))


with tempfile.TemporaryDirectory() as tmp:
    path = pathlib.Path(tmp, "program")

    def run(data, *options):
        path.write_bytes(data)
        r = subprocess.run(["tools/pack/device_code.py", path, *options], capture_output=True, text=True)
        return r.returncode, r.stdout

    good = program(fatbin((2, 80, 104), (2, 90, 48)) + bytes(8) + fatbin((2, 80, 16), (1, 120, 8), (2, 120, 24)))
    check(run(good) == (0, "sm_80 120 bytes\nsm_90 48 bytes\nsm_120 24 bytes\ncompute_120 8 bytes\n"), f"two fatbins: {run(good)}")
    check(run(good, "--need", "80 90 120")[0] == 0, "all that is needed")
    code, text = run(good, "--need", "80;86;120")
    check(code == 1 and "no code for sm_86" in text, f"a class that lacks: {text}")
    code, text = run(program(fatbin((2, 80, 8))), "--need", "80")
    check(code == 1 and "no code for compute_80" in text, f"no PTX of the last class: {text}")
    code, text = run(program(b"", b".text"), "--need", "90")
    check(code == 1 and "no code for sm_90" in text, f"a program without CUDA: {text}")
    check(run(program(fatbin((2, 80, 100))[:-8]))[0] == 1, "a fatbin that is cut")
    check(run(program(fatbin((3, 80, 8))))[0] == 1, "an entry of another kind")
    check(run(b"#!/bin/sh\n" * 9)[0] == 1, "no ELF file")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
