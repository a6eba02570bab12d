#!/usr/bin/env python3
"""Hostile peers, full disks and odd files against the real daemon: one case each, a second or so. docs/faults.md has the list.

Usage: test_hostile.py CUZK [CASE ...]

A case waits for what it is about (an answer, a line of the log, a count in /metrics), never for a time.
"""
import http.client, os, re, resource, shutil, signal, socket, struct, subprocess, sys, tempfile, threading, time, urllib.error, urllib.request
from h2_raw import *

CUZK = os.path.abspath(sys.argv[1])
PATIENCE = 120  # seconds after which something that should come has not come
MIB = 1 << 20
SECRET = "submitter-secret-0123"
failed = []
VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../vectors/filecoin")
WINNING = ["--kind=winning", f"--vanilla={VECTORS}/winning.sector1.vanilla.bin", "--type=0", "--randomness=" + bytes([*range(0x40, 0x5f), 0]).hex()]


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
    d.p.send_signal(signal.SIGHUP)
    for i in range(50):
        d.get(f"/status?ended_since_us={i}")
    serves(d)
    status = d.end()
    os.close(reader)
    assert status == 0, f"exit status {status}"


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
CASES = [(f.__name__, f) for f in (descriptors_run_out, memory_is_bounded, http_roles, store_is_moved, files_may_not_grow, log_reader_never_reads)]
main()
