#!/usr/bin/env python3
"""Hostile peers, full disks and odd files against the real daemon: one case each, a second or so. docs/faults.md has the list.

Usage: test_hostile.py CUZK [CASE ...]

A case waits for what it is about (an answer, a line of the log, a count in /metrics), never for a time.
"""
import json, os, re, resource, shutil, signal, socket, struct, subprocess, sys, tempfile, threading, time, urllib.error, urllib.request
from h2_raw import *

CUZK = os.path.abspath(sys.argv[1])
PATIENCE = 120  # seconds after which something that should come has not come
MIB = 1 << 20
SECRET = "submitter-secret-0123"
failed = []


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def until(what, condition):
    end = time.monotonic() + PATIENCE
    while True:
        got = condition()
        if got:
            return got
        if time.monotonic() > end:
            raise AssertionError(f"never: {what}")
        time.sleep(0.02)


class Daemon:
    """A daemon in a folder of its own. files: its limit of open files; log: a descriptor in the place of its log file."""

    def __init__(self, folder, more="", budget="256MiB", store="memory", files=0, log=None, ready=True):
        self.grpc, self.http, self.sock = free_port(), free_port(), folder + "/s.sock"
        self.conf, self.log = folder + "/c.toml", folder + "/log"
        with open(self.conf, "w") as f:
            f.write(f'daemon.listen = ["127.0.0.1:{self.grpc}", "unix://{self.sock}"]\ndaemon.http_listen = "127.0.0.1:{self.http}"\n'
                    f'gpus.cpu_only = true\nmemory.total_budget = "{budget}"\nsrs.param_cache = "{folder}"\nstore.path = "{store}"\n{more}\n')

        def limit():
            if files:
                resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

        with open(self.log, "w") as f:
            self.p = subprocess.Popen([CUZK, "serve", "--config", self.conf], stdout=subprocess.DEVNULL, stderr=f if log is None else log,
                                      preexec_fn=limit)
        running.append(self.p)
        if ready:
            until("daemon.ready", lambda: self.answers() or self.p.poll() is not None)
            assert self.p.poll() is None, self.text()

    def text(self):
        with open(self.log) as f:
            return f.read()

    def answers(self):
        try:
            return self.get("/healthz")[0] == 200
        except OSError:
            return False

    def get(self, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.http}{path}", timeout=PATIENCE) as r:
                return r.status, r.read().decode()
        except urllib.error.HTTPError as e:
            return e.code, e.read().decode()

    def metric(self, name):
        return float(re.search(rf"^{name}(?:{{[^}}]*}})? (\S+)$", self.get("/metrics")[1], re.M).group(1))

    def resident(self):
        with open(f"/proc/{self.p.pid}/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def client(self, *args):
        return subprocess.run([CUZK, args[0], "-a", f"unix://{self.sock}", *args[1:]], capture_output=True, text=True, timeout=PATIENCE)

    def end(self):
        """SIGTERM, and the exit status."""
        if self.p.poll() is None:
            self.p.send_signal(signal.SIGTERM)
        try:
            return self.p.wait(PATIENCE)
        finally:
            self.p.kill()


def serves(d):
    """The daemon answers by gRPC over the unix socket, and by HTTP."""
    r = d.client("health")
    assert r.returncode == 0, r.stdout + r.stderr
    assert d.get("/healthz")[0] == 200


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


def main():
    names = sys.argv[2:] or [n for n, _ in CASES]
    for name, case in CASES:
        if name not in names:
            continue
        folder, d = tempfile.mkdtemp(prefix="cuzk-hostile-"), None
        begin = time.monotonic()
        try:
            d = case(folder)
            if d is not None:
                status = d.end()
                assert status == 0, f"exit status {status}: {d.text()[-500:]}"
            print(f"ok    {name} ({time.monotonic() - begin:.1f} s)", flush=True)
        except (AssertionError, OSError, subprocess.SubprocessError) as e:
            print(f"FAILED {name}: {e}", flush=True)
            failed.append(name)
        finally:
            for x in running:
                x.kill()
            shutil.rmtree(folder, True)
    sys.exit(1 if failed else 0)


running = []
CASES = [(f.__name__, f) for f in (descriptors_run_out, memory_is_bounded)]
main()
