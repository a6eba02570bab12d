#!/usr/bin/env python3
"""The real daemon under load, on the CPU with 2 KiB sectors, seen from outside.

Usage: test_load.py CUZK                      CI-sized: WinningPoSt and WindowPoSt, about a minute
       test_load.py CUZK --seconds N [--all] [--out FILE] [--shot PNG]
                                              a mix for N seconds; --all: PoRep and SnapDeals as well
"""
import argparse, json, os, random, re, shutil, signal, subprocess, sys, tempfile, threading, time, urllib.request

MIB = 1 << 20
failed = 0


def check(what, ok, detail=""):
    global failed
    print(("ok    " if ok else "FAILED"), what, detail if not ok else "", flush=True)
    failed += not ok


def run(*args, timeout=600):
    r = subprocess.run(args, capture_output=True, text=True, timeout=timeout)
    if r.returncode != 0:
        raise SystemExit(f"{' '.join(args)}: {r.returncode}\n{r.stdout}{r.stderr}")
    return r.stdout


def field(text, name):
    return re.search(rf"^{name} +(\S+)$", text, re.M).group(1)


class Inputs:
    """Parameters made from a seed, and jobs as a client would hold them."""

    def __init__(self, cuzk, folder, every_kind):
        self.cuzk, self.folder, self.jobs = cuzk, folder, {}
        self.params = os.path.join(folder, "params")
        made = os.environ.get("CUZK_TEST_PARAMS")  # by CTest: test/params
        if made is None or every_kind:
            os.mkdir(self.params)
        else:
            self.params = made
        kinds = ["winning", "window"] + (["update", "porep"] if every_kind else [])
        for k in kinds:
            if made is None or every_kind:
                run(cuzk, "params", "setup", k, "2KiB", "-o", self.params, "--insecure-seed=1", "--quiet")
            self.jobs[k] = [self.make(k, seed) for seed in range(1, 5)]

    def make(self, kind, seed):
        path = os.path.join(self.folder, f"{kind}-{seed}")
        args = [self.cuzk, "gen", kind, "--sector-size=2KiB", f"--seed={seed}", "-o", path]
        if kind == "window":
            os.mkdir(path)
            text = run(*args, "--sectors=2")
            files = [f"--vanilla={path}/{f}" for f in sorted(os.listdir(path))]
            return ["--kind=window", f"--randomness={field(text, 'randomness')}", *files]
        text = run(*args)
        if kind == "winning":
            return ["--kind=winning", f"--randomness={field(text, 'randomness')}", f"--vanilla={path}"]
        if kind == "update":
            return ["--kind=update", f"--vanilla={path}"] + [f"--{n.replace(' ', '-')}={field(text, n)}" for n in
                                                           ("comm r old", "comm r new", "comm d new")]
        return ["--kind=porep", f"--c1={path}", "--miner=1000", "--sector=1"]


NAMES = {"winning": "winpost-1000-{:016x}", "window": "wdpost-1000-0-[{0} 7 250 9 33 1 7 2]", "update": "snap-1000-{}", "porep": "porep-1000-{}"}


class Daemon:
    def __init__(self, cuzk, folder, params, budget):
        self.cuzk, self.budget, self.rss, self.numbers = cuzk, budget, [], iter(range(1, 1 << 30))
        self.address = f"unix://{folder}/s.sock"
        config = os.path.join(folder, "c.toml")
        with open(config, "w") as f:
            f.write(f'daemon.listen = "{self.address}"\ndaemon.http_listen = "127.0.0.1:0"\ngpus.cpu_only = true\n'
                    f'memory.total_budget = "{budget // MIB}MiB"\nsrs.param_cache = "{params}"\n'
                    f'store.path = "{folder}/store/jobs.db"\nlogging.format = "text"\n')
        os.makedirs(os.path.join(folder, "store"), exist_ok=True)
        self.log = os.path.join(folder, "log")
        self.p = subprocess.Popen([cuzk, "serve", "--config", config], stdout=open(self.log, "w"), stderr=subprocess.STDOUT)
        for _ in range(3600):
            m = re.search(r"listen\.http address=\S+ port=(\d+)", open(self.log).read())
            if m and "daemon.ready" in open(self.log).read():
                break
            if self.p.poll() is not None:
                raise SystemExit("the daemon ends at its start:\n" + open(self.log).read())
            time.sleep(0.05)
        self.http = f"http://127.0.0.1:{m.group(1)}/"
        self.stop = threading.Event()
        self.samples = {"rss_max": 0, "used_max": 0, "over": 0, "latency": []}
        self.watcher = threading.Thread(target=self.watch, daemon=True)
        self.watcher.start()

    def resident(self):
        with open(f"/proc/{self.p.pid}/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def status(self):
        begin = time.monotonic()
        with urllib.request.urlopen(self.http + "status", timeout=120) as r:
            d = json.load(r)
        self.samples["latency"].append(time.monotonic() - begin)
        return d

    def watch(self):
        """Resident memory fifty times a second, /status five times."""
        s, n, begin = self.samples, 0, time.monotonic()
        while not self.stop.wait(0.02):
            try:
                rss = self.resident()
                s["rss_max"] = max(s["rss_max"], rss)
                if n % 10 == 0:
                    m = self.status()["memory"]
                    s["used_max"] = max(s["used_max"], m["used_bytes"])
                    s["over"] += m["used_bytes"] > m["total_bytes"]
                if n % 250 == 0:
                    self.rss.append((round(time.monotonic() - begin), rss // MIB))
            except (OSError, ValueError):
                if not self.stop.is_set() and self.p.poll() is not None:
                    return
            n += 1

    def client(self, verb, *args, timeout=900):
        return subprocess.run([self.cuzk, verb, "-a", self.address, *args], capture_output=True, text=True, timeout=timeout)

    def name(self, kind):
        return NAMES[kind].format(next(self.numbers))

    def prove(self, kind, job, *more):
        """True when the proof came."""
        name = self.name(kind)
        out = os.path.join(os.path.dirname(self.log), "proof " + re.sub("[^a-z0-9]", "-", name))
        r = self.client("submit", "--wait", f"--output={out}", f"--request-id={name}", *job, *more)
        if r.returncode != 0:
            print(r.stdout, r.stderr)
        return r.returncode == 0

    def settle(self, seconds=300):
        """The status when nothing is left to do, or the last one."""
        for _ in range(seconds * 5):
            d = self.status()
            left = d["counters"]["queue_depth"] + sum(q["in_progress"] for q in d["queues"]) + sum(s["waiting"] for s in d["stages"])
            if left + d["memory"]["release_backlog_bytes"] + sum(x["busy_slots"] for x in d["devices"]) == 0:
                return d
            time.sleep(0.2)
        return d

    def end(self):
        self.stop.set()
        self.watcher.join()
        self.p.send_signal(signal.SIGTERM)
        return self.p.wait(120)


def in_parallel(n, work):
    """work() on n threads until it returns None; all that it returned."""
    out, lock = [], threading.Lock()

    def loop():
        while (r := work()) is not None:
            with lock:
                out.append(r)
    threads = [threading.Thread(target=loop) for _ in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return out


def mixed(d, inputs, jobs, at_once):
    todo, lock = list(jobs), threading.Lock()

    def work():
        with lock:
            if not todo:
                return None
            kind, seed = todo.pop()
        return d.prove(kind, inputs.jobs[kind][seed])
    return in_parallel(at_once, work)


def check_memory(d, what):
    s = d.samples
    check(f"{what}: resident {s['rss_max'] // MIB} MiB within the budget of {d.budget // MIB} MiB + 5 %", s["rss_max"] <= d.budget * 1.05)
    check(f"{what}: reserved {s['used_max'] // MIB} MiB never above it", s["over"] == 0)


def priority(d, inputs):
    """A queue of NORMAL WindowPoSt, a LOW one, then a CRITICAL one: spans on the device tell the order."""
    names = {}

    def submit(level, seed):
        name = d.name("window")
        r = d.client("submit", f"--request-id={name}", f"--priority={level}", *inputs.jobs["window"][seed])
        names[name] = level
        return r.returncode == 0
    ok = [submit("normal", i % 4) for i in range(6)] + [submit("low", 0)] + [submit("normal", i % 4) for i in range(4)]
    ok.append(submit("critical", 1))
    done = d.settle()
    begun, ready = {}, {}  # begin on the device, end of the witness
    for j in done["pipelines"]:
        if j["job_id"] in names:
            spans = {s[0]: s for p in j["partitions"] for s in p["spans_us"]}
            begun[j["job_id"]], ready[j["job_id"]] = spans[4][1], spans[3][2]
    check("all were accepted and proved", all(ok) and len(begun) == len(names), (ok, len(begun)))
    critical = next(n for n, l in names.items() if l == "critical")
    overtook = sum(1 for n in names if ready[critical] < begun[n] < begun[critical])
    slots = done["devices"][0]["slots"]
    check("a CRITICAL job waits for one slice of the device at most", overtook <= slots, f"{overtook} others came first, {slots} slots")
    low = [begun[n] for n, l in names.items() if l == "low"][0]
    check("LOW is last and done", all(begun[n] <= low for n in names), "")


def cancels(d, inputs, n, rng):
    """Jobs cancelled at random moments: nothing is left, and every one is accounted for."""
    before = d.settle()
    names = []
    for i in range(n):
        kind = "winning" if i % 2 else "window"
        name = d.name(kind)
        d.client("submit", f"--request-id={name}", *inputs.jobs[kind][i % 4])
        names.append(name)
    stages = set()
    rng.shuffle(names)
    for name in names:
        time.sleep(rng.random() * 0.4)
        for j in d.status()["pipelines"]:
            if j["job_id"] == name and j["job_state"] == "running":
                stages.add(j["partitions"][0]["stage"] if j["partitions"] else "queued")
        d.client("cancel", name)
    after = d.settle()
    delta = {k: after["counters"][k] - before["counters"][k] for k in ("total_completed", "total_failed", "total_cancelled")}
    check(f"cancelled at random, seen in {sorted(stages)}: {delta}", sum(delta.values()) == n and delta["total_failed"] == 0 and delta["total_cancelled"] > 0)
    check("nothing is left", after["counters"]["queue_depth"] == 0 and all(x["busy_slots"] == 0 for x in after["devices"]))
    check("memory is given back", after["memory"]["used_bytes"] <= before["memory"]["used_bytes"] + 2 * MIB,
          (before["memory"], after["memory"]))


def screenshot(d, out):
    tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api", "test_page.py")
    if shutil.which("chromium"):
        subprocess.run([sys.executable, tool, "--url", d.http, "--shot", out, "1280", "800"], timeout=120)


def page_under_load(d):
    """What a browser makes of the page while proofs are made; nothing when there is no browser."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))
    sys.dont_write_bytecode = True
    import test_page as page
    if not page.BROWSER:
        return
    dom, console = page.browse(d.http, "--dump-dom")
    bars = int((re.search(r'data-bars="(\d+)"', dom) or [0, 0])[1])
    check("the page shows the work", bars > 0 and "winpost-1000-" in dom and "CPU" in page.text_of(dom, "devices"), (bars, console))
    check("and has nothing to complain about", not console and '<body class="gone">' not in dom, console)


def small(cuzk):
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        inputs = Inputs(cuzk, folder, False)
        d = Daemon(cuzk, folder, inputs.params, 700 * MIB)
        jobs = [("winning", i % 4) for i in range(8)] + [("window", i % 4) for i in range(8)]
        rng.shuffle(jobs)
        looker = threading.Timer(4, page_under_load, (d,))
        looker.start()
        done = mixed(d, inputs, jobs, 6)
        looker.join()
        check("every job of the mix is proved", len(done) == len(jobs) and all(done))
        priority(d, inputs)
        cancels(d, inputs, 10, rng)
        check_memory(d, "the whole time")
        lat = sorted(d.samples["latency"])
        # others may have the processors: the quickest says what an answer takes
        check(f"/status: {lat[0] * 1e3:.1f} ms, median {lat[len(lat) // 2] * 1e3:.1f} ms, 90th percentile {lat[len(lat) * 9 // 10] * 1e3:.1f} ms", lat[0] < 0.05)
        check("ends when told to", d.end() == 0)
    return 1 if failed else 0


def long(cuzk, o):
    rng = random.Random(2)
    with tempfile.TemporaryDirectory() as folder:
        inputs = Inputs(cuzk, folder, o.all)
        budget = (3072 if o.all else 700) * MIB
        d = Daemon(cuzk, folder, inputs.params, budget)
        weights = {"winning": 8, "window": 4, "update": 1, "porep": 1}
        kinds = list(inputs.jobs)
        begin, lock, counts = time.monotonic(), threading.Lock(), dict.fromkeys(kinds, 0)

        def work():
            if time.monotonic() - begin > o.seconds:
                return None
            with lock:
                kind = rng.choices(kinds, [weights[k] for k in kinds])[0]
                job = rng.choice(inputs.jobs[kind])
            ok = d.prove(kind, job)
            with lock:
                counts[kind] += ok
            return ok
        if o.shot:
            threading.Timer(o.seconds * 0.6, screenshot, (d, o.shot)).start()
        done = in_parallel(o.jobs, work)
        took = time.monotonic() - begin
        last = d.settle()
        check(f"all {len(done)} jobs proved", all(done))
        check_memory(d, "the whole time")
        lat = sorted(d.samples["latency"])
        # flat: the means of the second and the last quarter
        half = [r for t, r in d.rss if took * 0.25 < t < took * 0.5]
        tail = [r for t, r in d.rss if took * 0.75 < t < took]
        record = {
            "command": "test/daemon/test_load.py CUZK " + " ".join(sys.argv[2:]), "seconds": round(took), "proofs": counts, "concurrency": o.jobs,
            "budget_mib": budget // MIB, "resident_max_mib": d.samples["rss_max"] // MIB, "reserved_max_mib": d.samples["used_max"] // MIB,
            "resident_mean_second_quarter_mib": round(sum(half) / max(1, len(half))), "resident_mean_last_quarter_mib": round(sum(tail) / max(1, len(tail))),
            "resident_idle_after_mib": d.resident() // MIB, "reserved_idle_after_mib": last["memory"]["used_bytes"] // MIB,
            "status_ms": {"n": len(lat), "median": round(lat[len(lat) // 2] * 1e3, 1), "p99": round(lat[len(lat) * 99 // 100] * 1e3, 1), "max": round(lat[-1] * 1e3, 1)},
            "counters": last["counters"], "resident_mib_every_5s": [r for _, r in d.rss]}
        print(json.dumps(record, indent=1))
        if o.out:
            with open(o.out, "a") as f:
                f.write(json.dumps(record) + "\n")
        check("ends when told to", d.end() == 0)
    return 1 if failed else 0


def main():
    a = argparse.ArgumentParser()
    a.add_argument("cuzk")
    a.add_argument("--seconds", type=int, default=0)
    a.add_argument("--jobs", type=int, default=6)
    a.add_argument("--all", action="store_true")
    a.add_argument("--out")
    a.add_argument("--shot")
    o = a.parse_args()
    o.cuzk = os.path.abspath(o.cuzk)
    return long(o.cuzk, o) if o.seconds else small(o.cuzk)


if __name__ == "__main__":
    sys.exit(main())
