"""A real daemon for tests in Python, and the runner of their cases: each waits for what it is about (an answer, a line of the log, a count in
/metrics), never for a time."""
import os, re, resource, shutil, signal, socket, subprocess, sys, tempfile, time, urllib.error, urllib.request

CUZK = os.path.abspath(sys.argv[1])
PATIENCE = 120  # seconds after which something that should come has not come
MIB = 1 << 20
SECRET = "submitter-secret-0123"
VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../vectors/filecoin")
WINNING = ["--kind=winning", f"--vanilla={VECTORS}/winning.sector1.vanilla.bin", "--type=0", "--randomness=" + bytes([*range(0x40, 0x5f), 0]).hex()]
running = []


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


def run_cases(cases):
    """Runs the cases that the command line names, or all; ends with 1 when one failed."""
    failed = []
    names = sys.argv[2:] or [case.__name__ for case in cases]
    for case in cases:
        name = case.__name__
        if name not in names:
            continue
        folder, d = tempfile.mkdtemp(prefix="cuzk-test-"), None
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
