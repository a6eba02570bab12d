#!/usr/bin/env python3
"""Writes the corpora of fuzz_h2_session, fuzz_wire, fuzz_rpc_answers and fuzz_grpc_text: small, valid and nearly valid inputs.

Usage: tools/gen/gen_fuzz_h2.py      (run from the repository root)
"""
import pathlib
import struct

OUT = pathlib.Path("fuzz/corpus")
ENGINE = "/cuzk.v1.ProvingEngine/"


def varint(n):
    out = b""
    while True:
        out += bytes([n & 127 | (128 if n > 127 else 0)])
        n >>= 7
        if n == 0:
            return out


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(body):
    return b"\0" + struct.pack(">I", len(body)) + body


def frame(kind, flags, stream, body):
    return struct.pack(">I", len(body))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + body


def literal(name, value):
    return b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


def headers(path, extra=(), drop=()):
    pairs = [(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "h"), ("te", "trailers"),
             ("content-type", "application/grpc")]
    pairs = [(n, dict(extra).get(n, v)) for n, v in pairs if n not in drop]
    pairs += [(n, v) for n, v in extra if n not in dict(pairs)]
    return b"".join(literal(n, v) for n, v in pairs)


def call(stream, path, body, extra=(), end=True, parts=1):
    out = frame(1, 4, stream, headers(path, extra))
    step = max(1, -(-len(body) // parts))
    pieces = [body[i:i + step] for i in range(0, len(body), step)] or [b""]
    for i, p in enumerate(pieces):
        out += frame(0, 1 if end and i == len(pieces) - 1 else 0, stream, p)
    return out


def submit(name=b"name", kind=1, **more):
    out = field(1, name) + field(2, kind)
    for number, value in more.get("fields", [(10, b"c1 output")]):
        out += field(number, value)
    return out


window = submit(b"wdpost-1000-0-[1 2]", 3, fields=[(3, 2048), (4, 10), (5, 3), (11, b"one"), (11, b""), (11, b"three"),
                                                 (20, 2**64 - 1), (21, 1000), (22, b"r" * 32), (23, 7), (99, b"unknown")])
update = submit(b"snap", 2, fields=[(11, b"p"), (30, b"o" * 32), (31, b"n" * 32), (32, b"d" * 32)])
prove = field(1, submit())
big = field(1, submit(b"big", 1, fields=[(10, b"x" * 90000)]))
reflection = message(field(7, b"*")) + message(field(4, b"cuzk.v1.SRSStatus.Tier")) + message(field(3, b"none"))

wire = {
    "submit": submit(), "prove": prove, "window": window, "update": update, "empty": b"",
    "twice": field(1, submit()) + field(1, window), "kind0": submit(kind=0), "negative": field(2, 2**64 - 1),
    "not_utf8": submit(b"\xc0\xaf"), "nul": submit(b"a\0b"), "group": b"\x0b\x0c", "cut": window[:-3],
    "long_varint": b"\x10" + b"\x81" * 9 + b"\x01" + field(1, b"x"), "other_type": field(1, 5) + field(10, 3) + submit(),
    "name": field(1, b"job") + field(2, 500), "fixed": b"\x09" + b"1" * 8 + b"\x15" + b"2" * 4 + submit(),
}
text = {
    "seconds": b"5S", "hours": b"99999999H", "nine": b"123456789n", "type": b"application/grpc+proto", "bearer": b"Bearer secret",
    "percent": b"50%25 %C3%A9%0A%", "tcp": b"127.0.0.1:9820", "six": b"[::]:9820", "unix": b"unix:///run/curio/cuzk.sock",
    "https": b"https://host:443/", "prefix": b"\0\0\0\1\0", "compressed": b"\1\xff\xff\xff\xff", "empty": b"",
}
result = field(1, b"job") + field(2, 1) + field(3, b"p" * 192) + field(10, 1) + field(11, 2) + field(12, 3) + field(13, 4) + field(14, 5)
answers = {
    "completed": result, "prove": field(1, result), "failed": field(1, b"job") + field(2, 2) + field(4, b"input: no"),
    "timeout": field(1, b"job") + field(2, 4), "odd": field(2, 77) + field(3, b"a") + field(3, b"b") + field(1, b"x" * 400), "empty": b"",
    "status": field(1, field(1, 0) + field(2, b"CPU") + field(3, 2**33) + field(4, 2**32) + field(5, b"job") + field(6, b"window-post")) +
        field(2, field(1, b"porep-2k") + field(2, 1) + field(3, 99) + field(4, 1)) +
        b"".join(field(3, field(1, q) + field(2, 1) + field(3, 2)) for q in (b"porep-c2", b"winning-post")) +
        field(4, 5) + field(5, 6) + field(6, 7) + field(7, 8) + field(8, 9),
    "cut": field(1, result)[:-5],
}
status = message(b"")
h2 = {
    "status": call(1, ENGINE + "GetStatus", status),
    "prove": call(1, ENGINE + "Prove", message(prove), [("grpc-timeout", "1H")], parts=3),
    "never": call(1, ENGINE + "Prove", message(field(1, submit(b"a")))) + frame(3, 0, 1, struct.pack(">I", 8)),
    "never_open": call(1, ENGINE + "Prove", message(field(1, submit(b"a"))), [("grpc-timeout", "5S")]),
    "submit": call(1, ENGINE + "SubmitProof", message(window)) + call(3, ENGINE + "AwaitProof", message(field(1, b"job"))),
    "refused": call(1, ENGINE + "Prove", message(field(1, submit(b"c")))),
    "others": b"".join(call(1 + 2 * i, ENGINE + m, message(field(1, b"porep-2k"))) for i, m in
                       enumerate(["CancelProof", "PreloadSRS", "EvictSRS", "AwaitProof"])) + call(9, ENGINE + "GetMetrics", status),
    "health": call(1, "/grpc.health.v1.Health/Check", status) + call(3, "/grpc.health.v1.Health/Watch", status),
    "reflection": call(1, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", reflection, parts=4),
    "alpha": call(1, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", reflection),
    "token": call(1, ENGINE + "GetStatus", status, [("authorization", "Bearer a token of some length")]),
    "too_large": call(1, ENGINE + "Prove", b"\0\x10\0\0\1" + b"x" * 50, end=False),
    "compressed": call(1, ENGINE + "Prove", b"\1\0\0\0\0"),
    "two": call(1, ENGINE + "GetStatus", status + status),
    "cut": call(1, ENGINE + "GetStatus", status[:3]),
    "not_grpc": call(1, "/", b"", [(":method", "GET")]) + call(3, "/", b"", [("content-type", "text/html")]),
    "stall": call(1, ENGINE + "Prove", message(big)[:500], end=False),
    "waiting": call(1, ENGINE + "Prove", message(big)[:100], end=False) + call(3, ENGINE + "Prove", message(big)[:30000], end=False, parts=2) +
        frame(3, 0, 1, struct.pack(">I", 8)) + frame(0, 0, 3, message(big)[30000:40000]) + frame(6, 0, 0, b"12345678"),
    "big": call(1, ENGINE + "Prove", message(big), parts=8),
    "resets": b"".join(call(1 + 2 * i, ENGINE + "Prove", message(prove), end=False) + frame(3, 0, 1 + 2 * i, struct.pack(">I", 8)) for i in range(30)),
    "goaway": frame(7, 0, 0, struct.pack(">II", 0, 0)) + call(1, ENGINE + "GetStatus", status),
    "settings": frame(4, 0, 0, struct.pack(">HI", 4, 0)) + call(1, ENGINE + "GetStatus", status) + frame(8, 0, 1, struct.pack(">I", 100)),
}
for folder, entries in (("wire", wire), ("grpc_text", text), ("rpc_answers", answers)):
    (OUT / folder).mkdir(parents=True, exist_ok=True)
    for name, data in entries.items():
        (OUT / folder / name).write_bytes(data)
(OUT / "h2_session").mkdir(parents=True, exist_ok=True)
for name, data in h2.items():
    first = 0xFF if name == "token" else 0x7F if len(data) > 5000 else 0x03
    (OUT / "h2_session" / name).write_bytes(bytes([first]) + data)
