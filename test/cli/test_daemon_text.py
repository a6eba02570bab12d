#!/usr/bin/env python3
"""What a daemon says is shown without the control characters in it, by every command that shows it.

Usage: test_daemon_text.py CUZK

The daemon is a socket here: each call gets the answer that the case names. Its texts would move a terminal's cursor,
set its title, or turn the direction of writing.
"""
import os, socket, struct, subprocess, sys, tempfile, threading

EVIL = "\x1b]0;title\x07\x1b[2Jname\r\x7f\u202etxt\u0085"
CONTROL = {c for c in range(32) if c not in (9, 10)} | set(range(127, 160)) | {0x202E}


def varint(n):
    out = b""
    while n >= 128:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def text(number, value):
    b = value.encode()
    return varint(number << 3 | 2) + varint(len(b)) + b


def sub(number, body):
    return varint(number << 3 | 2) + varint(len(body)) + body


def number(n, value):
    return varint(n << 3) + varint(value)


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def block(*fields):
    return b"".join(b"\x00" + bytes([len(n)]) + n.encode() + bytes([len(v)]) + v.encode() for n, v in fields)


class Daemon:
    """Answers each call with body, or with the error (code, message)."""

    def __init__(self, body=b"", error=None):
        self.body, self.error = body, error
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(8)
        self.address = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                s, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(s,), daemon=True).start()

    def answer(self, s, stream):
        s.sendall(frame(1, 4, stream, block((":status", "200"), ("content-type", "application/grpc"))))
        status = [("grpc-status", "0")]
        if self.error:
            status = [("grpc-status", str(self.error[0])), ("grpc-message", self.error[1])]
        else:
            s.sendall(frame(0, 0, stream, b"\x00" + struct.pack(">I", len(self.body)) + self.body))
        s.sendall(frame(1, 5, stream, block(*status)))

    def serve(self, s):
        try:
            with s, s.makefile("rb") as f:
                f.read(24)
                s.sendall(frame(4, 0, 0, b""))
                while True:
                    head = f.read(9)
                    if len(head) < 9:
                        return
                    n, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
                    stream = int.from_bytes(head[5:], "big")
                    f.read(n)
                    if kind == 4 and not flags & 1:
                        s.sendall(frame(4, 1, 0, b""))
                    if kind == 0 and n:  # what was received may be sent again
                        s.sendall(frame(8, 0, 0, struct.pack(">I", n)))
                    if kind in (0, 1) and flags & 1:
                        self.answer(s, stream)
        except OSError:
            pass


def main():
    cuzk, failed, n = sys.argv[1], 0, 0
    gpu = number(1, 0) + text(2, EVIL) + number(3, 1 << 30) + text(5, EVIL) + text(6, EVIL)
    status = sub(1, gpu) + sub(2, text(1, EVIL)) + sub(3, text(1, EVIL)) + sub(9, text(2, EVIL) + text(3, EVIL))
    result = text(1, EVIL) + number(2, 2) + text(4, EVIL)
    escaped = "%1b[2J%0d%e2%80%ae" + "x"
    with tempfile.TemporaryDirectory() as d:
        text_of = subprocess.run([cuzk, "gen", "winning", "--sector-size=2KiB", "--seed=1", "-o", d + "/v"], capture_output=True, text=True, check=True).stdout
        randomness = next(l.split()[1] for l in text_of.splitlines() if l.startswith("randomness"))
        job = ["--type=winning-post", "--randomness=" + randomness, f"--vanilla={d}/v"]
        cases = [(["status"], Daemon(status)), (["bench", "daemon", "status"], Daemon(status)),
                 (["bench", "daemon", "metrics"], Daemon(text(1, "# " + EVIL + "\nx 1\n"))),
                 (["bench", "daemon", "preload", "--circuit-id=x"], Daemon(error=(5, escaped))),
                 (["bench", "daemon", "single", *job], Daemon(sub(1, result))),
                 (["bench", "daemon", "batch", "--count=2", *job], Daemon(sub(1, result))),
                 (["bench", "daemon", "batch", "--count=2", *job], Daemon(error=(3, escaped))),
                 (["bench", "daemon", "stress", "--duration=1", "--job", f"kind=winning,vanilla={d}/v,randomness={randomness}"], Daemon(sub(1, result))),
                 (["submit", *job], Daemon(text(1, EVIL) + number(2, 1))),
                 (["submit", "--wait", "-o", d + "/p", *job], Daemon(sub(1, result))),
                 (["await", "x"], Daemon(result)), (["cancel", "x"], Daemon(error=(5, escaped))),
                 (["preload", "x"], Daemon(error=(9, escaped))), (["health"], Daemon(error=(2, escaped))),
                 (["evict", "x"], Daemon(error=(9, escaped)))]
        for args, daemon in cases:
            r = subprocess.run([cuzk, *args, "-a", daemon.address], capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
            out = (r.stdout + r.stderr).decode("utf-8", "replace")
            found = sorted({ord(c) for c in out} & CONTROL)
            n += 1
            shows = "name" in out or "[2J" in out or args[0] == "health"
            if found or not shows:
                failed += 1
                print("FAILED", " ".join(args[:3]), found, r.returncode, repr(out[:400]))
            daemon.listener.close()
    print(f"{n - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
