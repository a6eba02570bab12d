#!/usr/bin/env python3
"""Three real daemons on one queue, with proofs of 2 KiB sectors on the CPU: one is killed, one is stopped for longer than
its lease, one is drained; every job that was accepted ends once, and its proof verifies.

Usage: test_daemons.py CUZK
"""
import os, random, re, shutil, signal, struct, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pg

LEASE = 3
failed = 0


def check(what, ok, detail=""):
    global failed
    print("ok    " if ok else "FAILED", what, detail if not ok else "", flush=True)
    failed += not ok


def run(*args, timeout=300):
    r = subprocess.run(args, capture_output=True, text=True, timeout=timeout)
    if r.returncode != 0:
        raise SystemExit(f"{' '.join(args)}: {r.returncode}\n{r.stdout}{r.stderr}")
    return r.stdout


def failures():
    return failed


class Daemon:
    all = []

    def __init__(self, cuzk, folder, params, url, name, extra="", wait=True, listen=(), memory="600MiB"):
        self.cuzk, self.name, self.p, self.state = cuzk, name, None, folder
        self.all.append(self)
        self.address = f"unix://{folder}/{name}.sock"
        self.config, self.log = os.path.join(folder, name + ".toml"), os.path.join(folder, name + ".log")
        with open(self.config, "w") as f:
            f.write(f'daemon.listen = {list((self.address, *listen))}\ngpus.cpu_only = true\nmemory.total_budget = "{memory}"\nsynthesis.threads = 1\n'
                    f'srs.param_cache = "{params}"\nstore.url = "{url}"\nstore.member = "{name}"\nstore.lease = "{LEASE}s"\nlogging.format = "text"\n{extra}')
        (self.start if wait else self.spawn)()

    def spawn(self):
        """Without waiting."""
        self.p = subprocess.Popen([self.cuzk, "serve", "--config", self.config], stdout=open(self.log, "a"), stderr=subprocess.STDOUT,
                                  env={**os.environ, "STATE_DIRECTORY": self.state})

    def start(self):
        begin = os.path.getsize(self.log) if os.path.exists(self.log) else 0
        self.spawn()
        for _ in range(3600):
            if "daemon.ready" in open(self.log).read()[begin:]:
                return
            if self.p.poll() is not None:
                break
            time.sleep(0.05)
        raise SystemExit(f"{self.name} does not start:\n" + open(self.log).read())

    def client(self, verb, *args, timeout=240):
        return subprocess.run([self.cuzk, verb, "-a", self.address, *args], capture_output=True, text=True, timeout=timeout)

    def says(self, event):
        return event in open(self.log).read()

    def submit(self, name, job):
        r = self.client("submit", f"--request-id={name}", *job)
        return r.returncode == 0

    def end(self, sig=signal.SIGTERM):
        self.p.send_signal(signal.SIGCONT)
        self.p.send_signal(sig)
        return self.p.wait(timeout=900)  # running proofs are brought to their end


def make_jobs(cuzk, folder, params):
    """WinningPoSt at normal priority: at critical it would stay where it was submitted."""
    jobs = []
    run(cuzk, "params", "setup", "winning", "2KiB", "-o", params, "--insecure-seed=1", "--quiet")
    for seed in range(1, 5):
        path = os.path.join(folder, f"input-{seed}")
        text = run(cuzk, "gen", "winning", "--sector-size=2KiB", f"--seed={seed}", "-o", path)
        randomness = re.search(r"^randomness +(\S+)$", text, re.M).group(1)
        jobs.append(["--type=winning-post", f"--randomness={randomness}", f"--vanilla={path}", "--priority=normal"])
    return jobs


def history_before(path):
    """The file of a daemon that ended ten minutes ago: nine proofs in its only sample."""
    with open(path, "wb") as f:
        f.write(b"cuzkhis\x01" + struct.pack("<IIQQ", 300, 1, int(time.time()) - 600, 0) + struct.pack("<8IQ", 9, 0, 0, 0, 1, 500, 0, 0, 0))


def completed_of(path):
    """Completed jobs of each sample, oldest first."""
    data = open(path, "rb").read()
    return [struct.unpack_from("<I", data, at)[0] for at in range(32, len(data), 40)]


def scenario(cuzk, folder, server):
    params = os.path.join(folder, "params")
    os.mkdir(params)
    history_before(os.path.join(folder, "c.history"))
    jobs = make_jobs(cuzk, folder, params)
    http = 'daemon.http_listen = "127.0.0.1:0"\n'  # the history is that of the page
    daemons = {n: Daemon(cuzk, folder, params, server.url, n, extra=http) for n in "abc"}
    a, b, c = daemons["a"], daemons["b"], daemons["c"]
    accepted = []

    def submit(count, *to):
        for i in range(count):
            d, name = random.choice(to), f"job {len(accepted)}"
            if not d.submit(name, jobs[len(accepted) % len(jobs)]):
                raise SystemExit(f"{d.name} refuses: " + open(d.log).read())
            accepted.append(name)

    submit(4, a, b, c)
    time.sleep(1)
    a.p.kill()
    a.p.wait()
    b.p.send_signal(signal.SIGSTOP)
    submit(3, c)
    time.sleep(LEASE + 2)
    b.p.send_signal(signal.SIGCONT)
    a.start()
    submit(3, a, b, c)
    check("c drains and ends", c.end() == 0)
    kept = completed_of(os.path.join(folder, "c.history"))
    check("c goes on with its history", kept[0] == 9 and len(kept) >= 3, kept)
    for i, name in enumerate(accepted):
        r = (a, b)[i % 2].client("await", name, "-o", os.path.join(folder, f"proof-{i}"))
        check(f"{name} ends with a proof", r.returncode == 0, r.stdout + r.stderr)
        verb, *more = jobs[i % len(jobs)][:-1]
        r = subprocess.run([cuzk, "verify", "winning", "--sector-size=2KiB", *more, f"--proof={os.path.join(folder, f'proof-{i}')}", f"--params={params}"],
                           capture_output=True, text=True)
        check("which is true", r.returncode == 0, r.stdout + r.stderr)
    r = a.client("await", "no such job")
    check("an unknown job is unknown", r.returncode != 0 and "not found" in r.stderr, r.stderr)
    check("a cancel of a job that is over is answered", b.client("cancel", accepted[0]).returncode == 0)
    rows = server.sql("SELECT job_id, state, deaths, proved_by, fence FROM cuzk_job ORDER BY number")
    check("every accepted job is there once", sorted(x[0] for x in rows) == sorted(accepted), rows)
    check("every job has completed", all(x[1] == "2" for x in rows), rows)
    check("several daemons have proved", len({x[3] for x in rows}) >= 2, rows)
    check("some job was proved by another daemon than the first", any(int(x[4]) > 1 for x in rows), rows)
    check("no input is left", server.sql("SELECT count(*) FROM cuzk_input") == [["0"]])
    check("b was told that its lease is lost", b.says("fleet.lease_lost"))
    check("a and b end", [a.end(), b.end()] == [0, 0])
    check("a keeps a history of its own", len(completed_of(os.path.join(folder, "a.history"))) >= 1)
    check("the members have left", server.sql("SELECT count(*) FROM cuzk_member WHERE is_alive") == [["0"]])


def main():
    cuzk = os.path.abspath(sys.argv[1])
    server = pg.server("fsync=off")
    if server is None:
        print("PostgreSQL is not installed (tools/deps.sh test installs it)")
        sys.exit(77)
    folder = tempfile.mkdtemp(prefix="cuzk-fleet-")
    try:
        scenario(cuzk, folder, server)
    finally:
        for d in Daemon.all:
            if d.p.poll() is None:
                d.p.kill()
        if failed:
            for n in "abc":
                print(f"--- {n}\n" + open(os.path.join(folder, n + ".log")).read()[-4000:])
        server.close()
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
