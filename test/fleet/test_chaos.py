#!/usr/bin/env python3
"""A fleet of real daemons (proofs of 2 KiB sectors on the CPU) in trouble: each is killed, stopped and cut off (its connections stall, drop,
crawl) at random, the database is restarted, and its disk is full for a while. Every job that was accepted ends once, by the rules,
which are checked on a history that a trigger of the test writes; a sample of the proofs is verified.

Usage: test_chaos.py CUZK [--seconds 600] [--daemons 8] [--seed 1] [--pace 1] [--lease 3]
"""
import argparse, os, random, shutil, signal, socket, subprocess, sys, tempfile, threading, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pg
import test_daemons
from test_daemons import Daemon, check, failures, make_jobs

HISTORY = """
CREATE TABLE test_history (seq bigserial PRIMARY KEY, number bigint, state bigint, member bigint, fence bigint, deaths bigint,
  was_member bigint, was_alive boolean, by_holder boolean);
CREATE FUNCTION test_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO test_history (number, state, member, fence, deaths, was_member, was_alive, by_holder)
  VALUES (NEW.number, NEW.state, NEW.member, NEW.fence, NEW.deaths, CASE WHEN TG_OP = 'UPDATE' THEN OLD.member END,
    CASE WHEN TG_OP = 'UPDATE' THEN (SELECT is_alive FROM cuzk_member WHERE incarnation = OLD.member) END,
    CASE WHEN TG_OP = 'UPDATE' THEN (SELECT name = NEW.proved_by FROM cuzk_member WHERE incarnation = OLD.member) END);
  RETURN NULL; END $$;
CREATE TRIGGER test_each AFTER INSERT OR UPDATE ON cuzk_job FOR EACH ROW EXECUTE FUNCTION test_write();
"""


class Proxy:
    """Between one daemon and the database. mode: ok, stall, drop, crawl."""

    def __init__(self, folder, server):
        self.folder, self.server, self.mode, self.pairs = folder, server, "ok", []
        os.mkdir(folder)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{folder}/.s.PGSQL.5432")
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            upstream = socket.socket(socket.AF_UNIX)
            try:
                if self.mode == "drop":
                    raise OSError
                upstream.connect(f"{self.server.folder}/.s.PGSQL.5432")
            except OSError:
                client.close()
                continue
            self.pairs = [p for p in self.pairs if p[0].fileno() >= 0] + [(client, upstream)]
            for a, b in ((client, upstream), (upstream, client)):
                threading.Thread(target=self.pump, args=(a, b), daemon=True).start()

    def pump(self, a, b):
        try:
            while data := a.recv(65536):
                while self.mode == "stall":
                    time.sleep(0.05)
                if self.mode == "drop":
                    break
                if self.mode == "crawl":
                    time.sleep(0.1)
                b.sendall(data)
        except OSError:
            pass
        for s in (a, b):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            s.close()

    def set(self, mode):
        self.mode = mode
        if mode == "drop":
            for pair in self.pairs:
                for s in pair:
                    try:
                        s.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass


class Trouble:
    def __init__(self, daemons, proxies, server, rng):
        self.daemons, self.proxies, self.server, self.rng = daemons, proxies, server, rng
        self.later, self.busy, self.counts = [], set(), {}

    def at(self, seconds, name, what):
        self.busy.add(name)
        self.later.append((time.monotonic() + seconds, name, what))

    def settle(self, everything=False):
        """What was to happen later, and is due."""
        for entry in list(self.later):
            if everything or time.monotonic() >= entry[0]:
                self.later.remove(entry)
                entry[2]()
                self.busy.discard(entry[1])

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def once(self):
        free = [n for n in self.daemons if n not in self.busy]
        if not free:
            return
        name, what = self.rng.choice(free), self.rng.choice(["kill", "stop", "stall", "drop", "crawl"])
        d, long = self.daemons[name], self.rng.uniform(0.3, 2.5) * test_daemons.LEASE
        self.count(what)
        if what == "kill":
            d.p.kill()
            d.p.wait()
            self.at(self.rng.uniform(0, long), name, d.spawn)
        elif what == "stop":
            d.p.send_signal(signal.SIGSTOP)
            self.at(long, name, lambda: d.p.send_signal(signal.SIGCONT))
        else:
            self.proxies[name].set(what)
            self.at(long, name, lambda: self.proxies[name].set("ok"))

    def restart_database(self):
        self.count("database restarted")
        self.server.stop()
        time.sleep(self.rng.uniform(0, test_daemons.LEASE))
        self.server.start()

    def fill_disk(self):
        if not self.server.is_small:
            return
        self.count("disk filled")
        path = os.path.join(self.server.folder, "ballast")
        with open(path, "wb", buffering=0) as f:
            try:
                while f.write(b"x" * 65536):
                    pass
            except OSError:
                pass
        time.sleep(2 * test_daemons.LEASE)
        os.unlink(path)
        time.sleep(1)
        if self.server.p.poll() is not None:  # without room for its log it ends itself
            self.server.start()


def check_history(server):
    """By the rules alone; the number of jobs, claims and set-aside jobs."""
    jobs, claims, aside, was, bad = 0, 0, 0, None, []
    for row in server.sql("SELECT number, state, coalesce(member, 0), fence, deaths, coalesce(was_member, 0), was_alive IS FALSE, by_holder IS TRUE"
                          " FROM test_history ORDER BY number, seq"):
        number, state, member, fence, deaths, was_member = map(int, row[:6])
        was_dead, by_holder = row[6] == "t", row[7] == "t"
        if was is None or was["number"] != number:
            jobs += 1
            rules = {"a new job is queued": state == 0 and deaths == 0 and fence == (1 if member else 0)}
        else:
            is_claim, died, ends = member not in (0, was["member"]), deaths != was["deaths"], state >= 2
            claims += is_claim
            aside += ends and died
            rules = {"nothing changes after the end": was["state"] < 2,
                     "a claim takes from nobody": not is_claim or (was["member"] == 0 and state == 0),
                     "a claim has the next number": fence == was["fence"] + (1 if is_claim else 0),
                     "a death is a dead member's, of a job that ran": not died or (deaths == was["deaths"] + 1 and was["state"] == 1 and was_dead),
                     "an end is by the holder, by three deaths, or a cancel of what nobody has":
                         not ends or (by_holder if was["member"] and not died else deaths == 3 if died else state == 4),
                     "the history has no gap": was_member == was["member"]}
        bad += [f"job {number}: not so: {r}" for r, ok in rules.items() if not ok]
        was = {"number": number, "state": state, "member": member, "fence": fence, "deaths": deaths}
    check("the history keeps the rules", not bad, bad[:5])
    return jobs, claims, aside


def wait_over(server, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if server.sql("SELECT count(*) FROM cuzk_job WHERE state < 2") == [["0"]]:
            return True
        time.sleep(0.5)
    return False


def scenario(o, folder, server, rng):
    params = os.path.join(folder, "params")
    os.mkdir(params)
    jobs = make_jobs(o.cuzk, folder, params)
    names = [f"d{i}" for i in range(o.daemons)]
    proxies = {n: Proxy(os.path.join(folder, "p" + n), server) for n in names}
    daemons = {n: Daemon(o.cuzk, folder, params, f"postgresql://cuzk@/postgres?host={proxies[n].folder}", n) for n in names}
    server.sql(HISTORY)
    t = Trouble(daemons, proxies, server, rng)
    accepted, refused, begin, next_trouble = [], 0, time.monotonic(), 0
    events = [(o.seconds * f, e) for f, e in ((0.3, t.restart_database), (0.5, t.fill_disk), (0.75, t.restart_database))]
    while (now := time.monotonic() - begin) < o.seconds:
        t.settle()
        if events and now >= events[0][0]:
            events.pop(0)[1]()
        if now >= next_trouble:
            t.once()
            next_trouble = now + rng.uniform(0.2, 1) * o.trouble
        name, d = f"job {len(accepted) + refused}", daemons[rng.choice(names)]
        r = subprocess.run([o.cuzk, "submit", "-a", d.address, "--timeout=5", "--connect-timeout=1", f"--request-id={name}", *jobs[len(accepted) % len(jobs)]],
                           capture_output=True, text=True)
        if r.returncode == 0:
            accepted.append(name)
        else:  # it may be in the queue all the same; then it ends, too
            refused += 1
        time.sleep(0.3 if len(accepted) < 20 else o.pace)
    t.settle(everything=True)
    print(f"{len(accepted)} accepted, {refused} refused or not answered; {t.counts}", flush=True)
    for d in daemons.values():
        if d.p.poll() is not None:
            d.spawn()
    check("all jobs end", wait_over(server, 300 + 10 * len(accepted)))
    total, claims, aside = check_history(server)
    rows = {r[0]: r[1:] for r in server.sql("SELECT job_id, state, deaths FROM cuzk_job")}
    lost = [n for n in accepted if n not in rows]
    check("every accepted job is there", not lost, lost)
    odd = [(n, r) for n, r in rows.items() if r[0] != "2" and not (r[0] == "3" and r[1] == "3")]
    check("every job has a proof, or was set aside after three deaths", not odd, odd[:5])
    check("there was trouble: jobs were claimed again", claims > total, (claims, total))
    print(f"{total} jobs, {claims} claims, {aside} set aside", flush=True)
    done = [n for n in accepted if rows.get(n, ["", ""])[0] == "2"]
    for name in rng.sample(done, min(12, len(done))):
        i, proof = accepted.index(name), os.path.join(folder, "proof")
        r = daemons[rng.choice(names)].client("await", name, "-o", proof, "--force")
        verb, *more = jobs[i % len(jobs)][:-1]
        v = subprocess.run([o.cuzk, "verify", "winning", "--sector-size=2KiB", *more, f"--proof={proof}", f"--params={params}"], capture_output=True, text=True)
        check(f"the proof of {name} is true", r.returncode == 0 and v.returncode == 0, r.stderr + v.stderr)
    check("all daemons end", all(d.end() == 0 for d in daemons.values()))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("cuzk", type=os.path.abspath)
    p.add_argument("--seconds", type=int, default=600)
    p.add_argument("--daemons", type=int, default=8)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--pace", type=float, default=1, help="seconds from one submit to the next")
    p.add_argument("--lease", type=int, default=3, help="seconds; longer on a busy machine, so that proofs end within it")
    p.add_argument("--trouble", type=float, default=2.5, help="most seconds from one trouble to the next")
    o = p.parse_args()
    test_daemons.LEASE = o.lease
    server = pg.server("fsync=off", "max_wal_size=64MB", small=True)
    if server is None:
        print("PostgreSQL is not installed (tools/deps.sh test installs it)")
        sys.exit(77)
    print("seed", o.seed, "" if server.is_small else "; no disk can be filled here: that needs root and mount", flush=True)
    folder = tempfile.mkdtemp(prefix="cuzk-chaos-")
    try:
        scenario(o, folder, server, random.Random(o.seed))
    finally:
        for d in Daemon.all:
            if d.p.poll() is None:
                d.p.kill()
        if failures():
            keep = tempfile.mkdtemp(prefix="cuzk-chaos-logs-")
            for d in Daemon.all:
                shutil.copy(d.log, keep)
            print("logs:", keep)
        server.close()
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if failures() else 0)


main()
