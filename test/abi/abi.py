#!/usr/bin/env python3
"""The ABI of an installed library against its record: abi.py PREFIX RECORD [--client] [--write] (run from the repository root).

--client: of libcuzk-client and client.h; otherwise of libcuzk and all other headers.
The record holds the exported functions with their versions, and the size of every public struct with the offset and
size of each field. A function or field that goes or moves fails; new ones fail, too, until they are recorded.
"""
import json, pathlib, re, subprocess, sys, tempfile

prefix, record = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
include = prefix / "include"
client = "--client" in sys.argv
[library] = prefix.glob(f"lib/**/{'libcuzk-client' if client else 'libcuzk'}.so.0")


def structs():
    """Name of each public struct and the names of its fields."""
    for header in sorted(h for h in include.glob("cuzk/*.h") if (h.name == "client.h") == client):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for body, name in re.findall(r"typedef struct \w+ \{(.*?)\n\} (\w+);", text, flags=re.S):
            fields = []
            for line in body.split(";"):
                pointer = re.search(r"\(\*(\w+)\)", line)
                names = [pointer.group(1)] if pointer else re.findall(r"(\w+)(?:\[[^\]]*\])?(?=\s*(?:,|$))", line.strip())
                fields += names
            yield header.name, name, fields


def layouts():
    code = "#include <stddef.h>\n#include <stdio.h>\n"
    known = list(structs())
    code += "".join(f"#include <cuzk/{h}>\n" for h in sorted({h for h, _, _ in known})) + "int main(void)\n{\n"
    for _, name, fields in known:
        code += f'printf("{name} %zu\\n", sizeof({name}));\n'
        for f in fields:
            code += f'printf("{name}.{f} %zu %zu\\n", offsetof({name}, {f}), sizeof((({name} *)0)->{f}));\n'
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "layout.c"
        source.write_text(code + "return 0;\n}\n")
        subprocess.run(["cc", "-std=c99", "-I", include, source, "-o", source.with_suffix("")], check=True)
        lines = subprocess.run([source.with_suffix("")], check=True, capture_output=True, text=True).stdout.split("\n")
    return {line.split()[0]: [int(x) for x in line.split()[1:]] for line in lines if line}


# GNU ld lists the version node CUZK_0 as an absolute symbol (A); other linkers do not list it.
symbols = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
found = {"functions": sorted(line.split()[2] for line in symbols.split("\n") if " T " in line),
         "other_symbols": sorted(line.split()[2] for line in symbols.split("\n") if line and " T " not in line and " A " not in line),
         "layouts": layouts()}
if "--write" in sys.argv:
    record.write_text(json.dumps(found, indent=1) + "\n")
    sys.exit(0)
known = json.loads(record.read_text())
bad = []
for part in ("functions", "other_symbols"):
    bad += [f"{part}: {x} is gone" for x in known[part] if x not in found[part]]
    bad += [f"{part}: {x} is not in the record" for x in found[part] if x not in known[part]]
for name in sorted(known["layouts"].keys() | found["layouts"].keys()):
    if known["layouts"].get(name) != found["layouts"].get(name):
        bad.append(f"layout: {name} is {found['layouts'].get(name)}, recorded {known['layouts'].get(name)}")
print("\n".join(bad) if bad else f"abi: {len(found['functions'])} functions, {len(found['layouts'])} sizes and offsets: ok")
sys.exit(1 if bad else 0)
