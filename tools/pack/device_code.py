#!/usr/bin/env python3
"""Which classes of cards a program or library has code for, without CUDA's tools: tools/pack/device_code.py FILE [--need "80;86;120"]
One line for each: sm_90 with its bytes in the file, compute_120 for PTX, which newer cards compile for themselves. --need: exit status 1
when one of these classes has no code, or the last of them has no PTX."""
import re, struct, sys

MAGIC = 0xBA55ED50  # of a fatbin: u32 magic, u16 version, u16 bytes of the header, u64 bytes that follow
PTX, ELF = 1, 2     # kinds of its entries: u16 kind, u16 version, u32 bytes of the header, u64 bytes that follow; u32 class at byte 28


def section(data, name):
    """The bytes of a section of a 64-bit little-endian ELF file; b"": it has none of that name."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit ELF file")
    table, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    heads = [struct.unpack_from("<IIQQQQ", data, table + size * i) for i in range(count)]
    text = data[heads[names][4]:heads[names][4] + heads[names][5]]
    for head in heads:
        if text[head[0]:text.index(b"\0", head[0])].decode() == name:
            return data[head[4]:head[4] + head[5]]
    return b""


def device_code(data):
    """{(kind, class): bytes} of all fatbins of a program."""
    fat, found, at = section(data, ".nv_fatbin"), {}, 0
    while at + 16 <= len(fat):
        magic, _, header, rest = struct.unpack_from("<IHHQ", fat, at)
        if magic != MAGIC:
            at += 8  # between two of them
            continue
        p, end = at + header, at + header + rest
        if end > len(fat):
            raise ValueError("a fatbin ends behind its section")
        while p + 32 <= end:
            kind, _, header, size = struct.unpack_from("<HHIQ", fat, p)
            klass, = struct.unpack_from("<I", fat, p + 28)
            if kind not in (PTX, ELF) or header < 32:
                raise ValueError(f"an entry of kind {kind} with a header of {header} bytes")
            found[kind, klass] = found.get((kind, klass), 0) + size
            p += header + size
        at = (end + 7) & ~7
    return found


def main():
    need = [int(x) for x in re.findall(r"[0-9]+", sys.argv[3])] if sys.argv[2:3] == ["--need"] else []
    with open(sys.argv[1], "rb") as f:
        found = device_code(f.read())
    for (kind, klass), size in sorted(found.items(), key=lambda x: (x[0][1], -x[0][0])):
        print(f"{'sm' if kind == ELF else 'compute'}_{klass} {size} bytes")
    lacking = [f"sm_{k}" for k in need if (ELF, k) not in found]
    if need and (PTX, max(need)) not in found:
        lacking.append(f"compute_{max(need)}")
    for what in lacking:
        print(f"device_code: {sys.argv[1]} has no code for {what}")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
