#!/usr/bin/env python3
"""Hostile peers, full disks and odd files against the real daemon: one case each, a second or so. docs/faults.md has the list.

Usage: test_hostile.py CUZK [CASE ...]
"""
import http.client, os, re, resource, signal, socket, struct, threading
from daemon_rig import *
from h2_raw import *


def descriptors_run_out(folder):
    """Idle peers take every descriptor that the process may have: others get in all the same."""
    d = Daemon(folder, files=128)
    peers = []
    for _ in range(150):
        try:
            peers.append(Peer(d.grpc))
        except OSError:
            pass
    until("the connections are seen", lambda: d.metric("cuzk_grpc_connections_total") >= 150)
    serves(d)
    assert d.metric("cuzk_grpc_connections_evicted_total") > 0
    return d


class Sampler:
    """Resident memory of a daemon, as often as can be."""

    def __init__(self, d):
        self.d, self.first, self.stop = d, d.resident(), threading.Event()
        self.most = self.first
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.stop.wait(0.005):
            self.most = max(self.most, self.d.resident())

    def grown(self):
        self.most = max(self.most, self.d.resident())
        return self.most - self.first

    def end(self):
        self.stop.set()
        self.thread.join()
        return self.grown()


def memory_is_bounded(folder):
    """Uploads that never end, uploads that wait, answers and refusals that nobody reads, half headers, idle connections, all at once: the
    daemon grows by no more than the part of the budget that its servers may take, and still serves."""
    budget = 128 * MIB
    part = budget // 4  # daemon.receive_budget at most; an eighth of it each for what waits, for answers, for connections; 4 MiB of calls
    front = part + 3 * part // 8 + 4 * MIB
    d = Daemon(folder, budget="128MiB")
    peers, sampler = [], Sampler(d)

    def attack(n, make):
        for _ in range(n):
            try:
                peers.append(make())
            except OSError:
                pass

    def upload():
        p = Peer(d.grpc)
        size = 3 * MIB
        stream = p.call(ENGINE + "Prove", message(b"x" * 1000, size), end=False)
        for _ in range((size - 1001) // 16384):
            p.s.sendall(frame(DATA, 0, stream, b"x" * 16384))
        return p

    def waiting():
        p = Peer(d.grpc)
        for _ in range(30):
            p.call(ENGINE + "Prove", message(b"x" * 60000, MIB - 1), end=False)
        return p

    def unread():
        p = Peer(d.grpc, struct.pack(">HI", 4, 0))
        for _ in range(100):
            p.call(ENGINE + "GetMetrics", message(b""))
        return p

    def half_header():
        p = Peer(d.grpc)
        block = headers(ENGINE + "GetStatus") + b"\x00\x05x-big\x7f\x81\x7e" + b"x" * 15000
        p.s.sendall(frame(HEADERS, 0, 1, block))
        return p

    attack(10, upload)
    until("the uploads hold their memory", lambda: d.metric("cuzk_grpc_receive_bytes") >= part // 2)
    attack(10, waiting)
    until("uploads that do not go on make room", lambda: d.metric("cuzk_grpc_uploads_ended_total") > 0)
    attack(10, unread)
    attack(60, half_header)
    attack(150, lambda: Peer(d.grpc))
    until("the peers are seen", lambda: d.metric("cuzk_grpc_connections_total") >= len(peers))
    serves(d)
    grown = sampler.end()
    print(f"      grew by {grown // MIB} MiB; the servers' part is {front // MIB} MiB")
    assert grown <= front + budget // 20, "memory"
    assert grown >= part // 4, "the attack did not come"
    return d


def http_roles(folder):
    """Every path of HTTP by role, with daemon.http_token: a token of any role, from the header and nowhere else. HTTP takes no certificates."""
    secrets = {"observe": "observer-secret-01234", "submit": SECRET, "administer": "administrator-secret-0"}
    with open(folder + "/tokens", "w") as f:
        f.write("".join(f"{role} {role} {secret}\n" for role, secret in secrets.items()))
    os.chmod(folder + "/tokens", 0o600)
    d = Daemon(folder, f'daemon.token_file = "{folder}/tokens"\ndaemon.http_token = true')
    callers = {role: {"Authorization": "Bearer " + secret} for role, secret in secrets.items()}
    callers.update({"nobody": {}, "a wrong token": {"Authorization": "Bearer observer-secret-01235"},
                    "a token in another form": {"Authorization": "Basic " + secrets["administer"]},
                    "a name of a certificate": {"X-SSL-Client-S-DN": "CN=administer"}})
    for who, given in callers.items():
        may, c = who in secrets, http.client.HTTPConnection("127.0.0.1", d.http, timeout=PATIENCE)
        for path, code in {"/": 200, "/metrics": 200, "/status": 200, "/trace": 200, "/nope": 404, "/healthz": 200, "/readyz": 200}.items():
            open_to_all = path in ("/healthz", "/readyz")
            want = code if may or open_to_all else 401
            got = request(c, "GET", path, given)
            assert got == want, f"GET {path} by {who}: {got}, not {want}"
        assert request(c, "HEAD", "/status", given) == (200 if may else 401)
        assert request(c, "POST", "/status", given) == 405 and request(c, "DELETE", "/", given) == 405
        assert request(c, "GET", f"/status?token={SECRET}", given) == (200 if may else 401)
        c.close()
    return d


def request(c, method, path, given):
    """The status of an HTTP request on a connection that is kept."""
    c.request(method, path, headers=given)
    r = c.getresponse()
    r.read()
    return r.status


def store_is_moved(folder):
    """The database is moved away under the daemon: not ready, one line of the log; put back: ready again."""
    d = Daemon(folder, store=folder + "/jobs.db")
    os.rename(folder + "/jobs.db", folder + "/elsewhere")
    until("not ready", lambda: d.get("/readyz")[0] == 503)
    assert d.metric("cuzk_store_full") == 1
    until("the line", lambda: "store.unwritable" in d.text())
    assert "NOT_SERVING" in d.client("health").stdout
    os.rename(folder + "/elsewhere", folder + "/jobs.db")
    until("ready", lambda: d.get("/readyz")[0] == 200)
    until("the line", lambda: "store.room" in d.text())
    assert d.text().count("store.unwritable") == 1
    return d


def files_may_not_grow(folder):
    """The limit of file sizes is reached while the daemon runs: jobs are refused, the daemon lives, and takes them when it is raised."""
    d = Daemon(folder, store=folder + "/jobs.db")
    soft, hard = resource.prlimit(d.p.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(d.p.pid, resource.RLIMIT_FSIZE, (4096, hard))
    r = d.client("submit", *WINNING)
    assert r.returncode != 0, r.stdout
    assert d.p.poll() is None, "the daemon ended"
    assert d.get("/readyz")[0] == 503
    resource.prlimit(d.p.pid, resource.RLIMIT_FSIZE, (soft, hard))
    until("ready", lambda: d.get("/readyz")[0] == 200)
    r = d.client("submit", *WINNING)
    assert r.returncode == 0, r.stdout + r.stderr
    return d


def log_reader_never_reads(folder):
    """The log's pipe is full before the daemon starts, and stays so: it starts, serves, reloads and ends."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while os.write(writer, b"x" * 4096):
            pass
    except BlockingIOError:
        pass
    os.set_blocking(writer, True)
    d = Daemon(folder, log=writer)
    os.close(writer)
    serves(d)
    for sig in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE):
        d.p.send_signal(sig)
    for i in range(50):
        d.get(f"/status?ended_since_us={i}")
    serves(d)
    status = d.end()
    os.close(reader)
    assert status == 0, f"exit status {status}"


def parameters_are_no_files(folder):
    """A named pipe, a folder, a device or nothing in the place of WinningPoSt's parameters: the job fails as the machine's fault, and the
    daemon ends."""
    name = folder + "/v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-3ea05428c9d11689f23529cde32fd30aabd50f7d2c93657c1d3650bca3e8ea9e.params"
    d = Daemon(folder, budget="600MiB")
    for make, text in ((lambda: os.mkfifo(name), "is not a plain file"), (lambda: os.mkdir(name), "is not a plain file"), (lambda: os.symlink("/dev/zero", name), "is not a plain file"),
                       (lambda: os.symlink("/proc/kmsg", name), "a file of the kernel's"), (lambda: open(name, "w").close(), "empty file")):
        make()
        r = d.client("submit", "--wait", "-o", folder + "/proof", *WINNING)
        assert r.returncode == 3 and "environment: " in r.stderr and text in r.stderr, f"{r.returncode} {r.stderr}"
        (os.rmdir if os.path.isdir(name) else os.remove)(name)
    serves(d)
    return d


def http_shapes(folder):
    """Requests of HTTP that a proxy and the daemon could understand in two ways are refused; odd ones do no harm."""
    d = Daemon(folder)

    def ask(text):
        """The status that answers a request."""
        with socket.create_connection(("127.0.0.1", d.http), timeout=PATIENCE) as s:
            s.sendall(text)
            got = b""
            while not re.match(rb"HTTP/1\.[01] \d+ ", got):
                part = s.recv(65536)
                assert part, f"{text[:80]}: no answer"
                got += part
            return int(got.split(b" ")[1])

    get, end = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n", b"\r\n\r\n"
    assert ask(get + b"\r\n") == 200
    assert ask(get + b"Content-Length: 0" + end) == 200
    for name, more in (("a body", b"Content-Length: 5" + end + b"hello"), ("two lengths", b"Content-Length: 0\r\nContent-Length: 5" + end + b"hello"),
                       ("two lengths, the other way", b"Content-Length: 5\r\nContent-Length: 0" + end + b"hello"),
                       ("length and chunks", b"Content-Length: 0\r\nTransfer-Encoding: chunked" + end + b"0" + end), ("an unknown coding", b"Transfer-Encoding: xchunked" + end),
                       ("a length of 2^64", b"Content-Length: 18446744073709551616" + end), ("a negative length", b"Content-Length: -1" + end), ("a length with a sign", b"Content-Length: +5" + end + b"hello"),
                       ("two hosts", b"Host: 127.0.0.1" + end), ("no colon", b"Nothing" + end), ("a blank before the colon", b"Transfer-Encoding : chunked" + end + b"0" + end), ("a name in quotes", b'"X": y' + end), ("large headers", b"X: " + b"a" * 100000 + end), ("a thousand headers", b"X: y\r\n" * 10000 + end)):
        code = ask(get + more)
        assert 400 <= code < 500, f"{name}: {code}"
    for name, text, want in (("another version", b"GET /healthz HTTP/9.9\r\nHost: x" + end, 505), ("HTTP/2", PREFACE, 505), ("another host", b"GET /status HTTP/1.1\r\nHost: evil.example" + end, 421),
                             ("a host as a number", b"GET /status HTTP/1.1\r\nHost: 2130706433" + end, 421), ("a target of another host", b"GET http://evil.example/status HTTP/1.1\r\nHost: 127.0.0.1" + end, 421),
                             ("CONNECT", b"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1" + end, 405), ("a number that is none", b"GET /status?ended_since_us=-1 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close" + end, 400),
                             ("dots", b"GET /../status HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close" + end, 404)):
        code = ask(text)
        assert code == want, f"{name}: {code}"
    serves(d)
    return d


def grpc_shapes(folder):
    """Frames of HTTP/2 and messages of gRPC that lie: an answer, a reset or the connection's end, and others are served meanwhile."""
    d = Daemon(folder)
    honest = Peer(d.grpc, timeout=PATIENCE)
    block = headers(ENGINE + "GetStatus")
    call = frame(HEADERS, 4, 1, block)
    ask = lambda body: call + frame(DATA, 1, 1, body)
    wrong = [frame(PING, 0, 0, bytes(8)) * 20000, frame(SETTINGS, 0, 0) * 20000, frame(SETTINGS, 1, 0, b"abcdef"), frame(SETTINGS, 0, 1), frame(SETTINGS, 0, 0, struct.pack(">HI", 5, 0)),
             frame(8, 0, 0, bytes(4)), frame(8, 0, 0, struct.pack(">I", 0x7fffffff)) * 2, frame(DATA, 0, 0, b"x"), frame(DATA, 0, 3, b"x"), frame(HEADERS, 5, 2, block), frame(9, 4, 1, block),
             frame(HEADERS, 0, 1, block) + frame(9, 0, 1) * 20000, frame(HEADERS, 0, 1, block) + frame(PING, 0, 0, bytes(8)), frame(HEADERS, 5, 1, b"\x80"), frame(HEADERS, 5, 1, b"\xff\xff\xff\xff\xff\x7f"),
             frame(2, 0, 1, struct.pack(">IB", 1, 5)), frame(5, 4, 1, struct.pack(">I", 2) + block), b"\xff\xff\xff\x00\x00\x00\x00\x00\x01", frame(RST, 0, 1, bytes(4)),
             b"".join(frame(HEADERS, 4, i, block) + frame(RST, 0, i, bytes(4)) for i in range(1, 8001, 2))]
    for i, data in enumerate(wrong):
        p = Peer(d.grpc, timeout=PATIENCE)
        try:
            p.s.sendall(data)
            while p.s.recv(65536):
                pass
        except ConnectionError:
            pass
        except TimeoutError:
            raise AssertionError(f"{i}: {data[:40]}: the connection stays")
    status = lambda text: b"grpc-status" in text or b"\x9a\xca\xc8\xb2\x12\x34\xda\x8f" in text  # as it is, or as Huffman codes it
    for body in (b"", b"\0\0", message(b"abc", 10), message(b"", 0xffffffff), b"\x01" + bytes(4), b"\xff" + bytes(4), message(b"") * 2, message(b"") + b"x", message(b"\x0b"), message(b"\x0b" * 1000 + b"\x0c" * 1000),
                 message(b"\xf8\x01" + b"\xff" * 10 + b"\x01"), message(b"\xfa\x01\x7f"), message(b"\x00\x00"), message(b"\x0e")):
        p, got = Peer(d.grpc, timeout=PATIENCE), b""
        p.s.sendall(ask(body))
        while not status(got):
            part = p.s.recv(65536)
            assert part, f"{body[:20]}: no status"
            got += part
        p.s.close()
    honest.call(ENGINE + "GetStatus", message(b""))
    got = b""
    while not status(got):
        got += honest.s.recv(65536)
    serves(d)
    return d


run_cases((descriptors_run_out, memory_is_bounded, http_roles, store_is_moved, files_may_not_grow, log_reader_never_reads, parameters_are_no_files, http_shapes, grpc_shapes))
