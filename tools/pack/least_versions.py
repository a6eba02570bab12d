#!/usr/bin/env python3
"""Does what was built run where the documents say, on Ubuntu 22.04 and Debian 12? Without such a machine, from its parts:
the versions of symbols that programs and libraries need, and the versions of packages that a .deb needs.
Usage: tools/pack/least_versions.py FILE|FOLDER|PACKAGE.deb...      exit status 1: something needs more
A FOLDER with lib/cuzk somewhere in it brings its own libraries: they are checked too, what they define is what others may need of
them, and nothing but glibc may come from the system."""
import pathlib, re, subprocess, sys

# What Ubuntu 22.04 has; Debian 12 has more of each. From its packages libc6, libstdc++6, libssl3, libcurl4, libprotobuf-c1, libpq5.
SYMBOLS = {"GLIBC": "2.35", "GLIBCXX": "3.4.30", "CXXABI": "1.3.13", "GCC": "12.0.0", "OPENSSL": "3.0.2", "CURL_OPENSSL": "4",
           "LIBPROTOBUF_C": "1.3.3", "LIBCUZK": "999", "ZLIB": "1.2.11"}
PACKAGES = {"libc6": "2.35", "libstdc++6": "12", "libgcc-s1": "12", "libcurl4": "7.81.0", "libmicrohttpd12": "0.9.75-3ubuntu1", "libnghttp2-14": "1.43.0",
            "libpq5": "14.2", "libprotobuf-c1": "1.3.3", "libsqlite3-0": "3.37.2", "libssl3": "3.0.2", "libzstd1": "1.4.8", "zlib1g": "1:1.2.11.dfsg",
            "adduser": "3.118", "cuzk": None, "libcuzk0": None, "libcuzk-dev": None, "libcuzk-client0": None, "libc6-dev": "2.35",
            "libnghttp2-dev": "1.43.0", "libssl-dev": "3.0.2"}
GLIBC = {"libc.so.6", "libm.so.6", "libresolv.so.2", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2"}
SONAMES = GLIBC | {"libstdc++.so.6", "libgcc_s.so.1", "libcurl.so.4", "libmicrohttpd.so.12", "libnghttp2.so.14",
                   "libpq.so.5", "libprotobuf-c.so.1", "libsqlite3.so.0", "libssl.so.3", "libcrypto.so.3", "libzstd.so.1", "libz.so.1", "libcuzk.so.0"}
bad = 0


def complain(text):
    global bad
    bad += 1
    print("least_versions:", text)


def number(version):
    return [int(x) for x in re.findall(r"\d+", version)]


def dynamic(path):
    """(names of needed libraries, {library: versions needed of it}, versions defined), or None: no program or library."""
    with open(path, "rb") as f:
        if f.read(4) != b"\x7fELF":
            return None
    head = subprocess.run(["objdump", "-p", str(path)], capture_output=True, text=True, check=True).stdout
    needs, library = {}, None
    for line in head.partition("Version References:")[2].split("\n"):
        m = re.match(r"\s+required from (\S+):", line)
        if m:
            library = m[1]
        elif library and (m := re.match(r"\s+0x\S+ 0x\S+ \d+ (\S+)$", line)):
            needs.setdefault(library, set()).add(m[1])
    defined = head.partition("Version definitions:")[2].partition("\n\n")[0]
    return re.findall(r"NEEDED +(\S+)", head), needs, set(re.findall(r"\S+$", defined, re.M))


def check_elf(path, brought=None):
    """brought: soname -> file, of libraries that come with the program. False: not a program or library."""
    facts = dynamic(path)
    if facts is None:
        return False
    needed, needs, _ = facts
    for name in needed:
        if brought is not None and name not in brought and name not in GLIBC:
            complain(f"{path} needs {name}, which is not in the tree")
        elif name not in SONAMES and name not in (brought or {}):
            complain(f"{path} needs {name}, which Ubuntu 22.04 does not have, or which this table lacks")
    for library, versions in sorted(needs.items()):
        if library in (brought or {}):
            for symbol in sorted(versions - dynamic(brought[library])[2]):
                complain(f"{path} needs {symbol}, which {brought[library]} does not define")
            continue
        for symbol in sorted(versions):
            kind, _, version = symbol.rpartition("_")
            if kind not in SYMBOLS or not number(version):
                complain(f"{path} needs {symbol}: no such row in this table")
            elif number(version) > number(SYMBOLS[kind]):
                complain(f"{path} needs {symbol}, and Ubuntu 22.04 has {kind}_{SYMBOLS[kind]}")
    return True


def check_folder(path):
    files = [p for p in sorted(path.rglob("*")) if p.is_file() and not p.is_symlink()]
    brought = {p.name: p for p in files if p.parent.name == "cuzk" and p.parent.parent.name == "lib" and ".so" in p.name} or None
    return sum(check_elf(p, brought) for p in files)


def check_package(path):
    depends = subprocess.run(["dpkg-deb", "-f", str(path), "Depends"], capture_output=True, text=True, check=True).stdout
    for clause in filter(None, (x.strip() for x in depends.split(","))):
        # one of the alternatives has to be there
        fits = []
        for choice in clause.split("|"):
            m = re.fullmatch(r"\s*([a-z0-9.+-]+)(?::any)?\s*(?:\((>=|=|>>) ([^)]+)\))?\s*", choice)
            if m and m[1] in PACKAGES:
                have = PACKAGES[m[1]]
                fits.append(m[3] is None or have is None or subprocess.run(["dpkg", "--compare-versions", have, "ge", m[3]]).returncode == 0)
        if not any(fits):
            complain(f"{path} depends on {clause}: " + (f"Ubuntu 22.04 has {PACKAGES[m[1]]}" if m and m[1] in PACKAGES else "no such row in this table"))


count = 0
for argument in sys.argv[1:]:
    path = pathlib.Path(argument)
    if path.suffix == ".deb":
        check_package(path)
        count += 1
    elif path.is_dir():
        count += check_folder(path)
    else:
        count += check_elf(path)
if count == 0:
    complain("nothing was checked")
sys.exit(1 if bad else 0)
