#!/usr/bin/env python3
"""Real daemons prove the partitions of one job together: a non-interactive PoRep of 2 KiB, which has 13 partitions, on the CPU. In the first
job a daemon that helps is killed in the middle, in the second one the daemon that has the job. Every partition's proof verifies, and what a
daemon wrote before it was killed is part of the result.

Usage: test_partitions.py CUZK [--params FOLDER] [--jobs 2]
(in the repository; without --params the parameters are made, 1.1 GB; about half an hour of processor time)
"""
import argparse, os, shutil, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pg
import test_daemons
from test_daemons import Daemon, check, failures, run

PARTITIONS, PROOF = 13, 192
C1 = "test/vectors/filecoin/porep-ni.c1.json"
HISTORY = """
CREATE TABLE test_part (seq bigserial PRIMARY KEY, number bigint, part bigint, state bigint, member bigint, deaths bigint, proof bytea);
CREATE FUNCTION test_write_part() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO test_part (number, part, state, member, deaths, proof) VALUES (NEW.number, NEW.part, NEW.state, NEW.member, NEW.deaths, NEW.proof);
  RETURN NULL; END $$;
CREATE TRIGGER test_each_part AFTER UPDATE ON cuzk_part FOR EACH ROW EXECUTE FUNCTION test_write_part();
"""


def wait_for(server, what, sql, seconds=900):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        rows = server.sql(sql)
        if rows:
            return rows
        time.sleep(0.2)
    check(what, False, "not within %d s" % seconds)
    return []


def prove(cuzk, folder, server, daemons, name, params, victim_is_holder):
    """One job; a daemon is killed when it proves a partition and another daemon has written a proof. The name of the killed one."""
    accepted = daemons["a"].client("submit", f"--request-id={name}", "--kind=porep", f"--c1={C1}", "--miner=1000", "--sector=1", "--type=15")
    check(f"{name} is accepted", accepted.returncode == 0, accepted.stderr)
    number = server.sql(f"SELECT number FROM cuzk_job WHERE job_id = '{name}'")[0][0]
    wait_for(server, "a daemon writes a proof", f"SELECT 1 FROM cuzk_part WHERE number = {number} AND state = 2 LIMIT 1")
    is_holder = "=" if victim_is_holder else "<>"
    rows = wait_for(server, "a daemon to be killed is proving",
                    f"SELECT m.name, p.part FROM cuzk_part p JOIN cuzk_job j USING (number) JOIN cuzk_member m ON m.incarnation = p.member"
                    f" WHERE number = {number} AND p.state = 1 AND p.member {is_holder} j.member LIMIT 1")
    if not rows:
        return None
    victim, part = rows[0]
    daemons[victim].p.kill()
    daemons[victim].p.wait()
    print(f"{name}: {victim} is killed while it proves partition {part}", flush=True)
    others = [d for n, d in daemons.items() if n != victim]
    proof = os.path.join(folder, "proof")
    r = others[0].client("await", name, "-o", proof, "--force", timeout=1800)
    check(f"{name} has a proof", r.returncode == 0, r.stdout + r.stderr)
    r = others[1].client("await", name, "-o", proof + "-2", "--force", timeout=60)
    check("another daemon gives the same one", r.returncode == 0 and open(proof, "rb").read() == open(proof + "-2", "rb").read(), r.stderr)
    data = open(proof, "rb").read()
    check("of all partitions", len(data) == PARTITIONS * PROOF, len(data))
    v = run(cuzk, "verify", "porep", f"--c1={C1}", f"--params={params}", "--plain-proofs", f"--proof={proof}")
    check("which is true", "valid" in v, v)
    written = server.sql(f"SELECT part, encode(proof, 'hex'), member FROM test_part WHERE number = {number} AND state = 2 ORDER BY seq")
    check("no partition was written twice", len({w[0] for w in written}) == len(written), written)
    kept = [w for w in written if data[PROOF * int(w[0]):PROOF * (int(w[0]) + 1)].hex() == w[1]]
    check("what was written is in the result", len(kept) == len(written) and written, (len(kept), len(written)))
    died = server.sql(f"SELECT max(deaths) FROM test_part WHERE number = {number} AND part = {part}")
    # a partition of the holder goes back with the job, and its death is the job's
    deaths = server.sql(f"SELECT deaths, fence FROM cuzk_job WHERE number = {number}")[0]
    check("the death is counted", deaths == ["1", "2"] if victim_is_holder else died == [["1"]] and deaths == ["0", "1"], (died, deaths))
    print(f"{name}: {len(written)} of {PARTITIONS} partitions were written by {len({w[2] for w in written})} daemons that did not have the job", flush=True)
    check("the rows of the partitions have gone", server.sql(f"SELECT count(*) FROM cuzk_part WHERE number = {number}") == [["0"]])
    return victim


def scenario(cuzk, folder, server, params, n_jobs):
    if params is None:
        params = os.path.join(folder, "params")
        os.mkdir(params)
        run(cuzk, "params", "setup", "porep", "2KiB", "-o", params, "--insecure-seed=1", "--quiet", timeout=3600)
    daemons = {n: Daemon(cuzk, folder, params, server.url, n, "scheduler.spread_partitions = true\n", memory="4GiB") for n in "abc"}
    server.sql(HISTORY)
    for name, victim_is_holder in (("first", False), ("second", True))[:n_jobs]:
        begin = time.monotonic()
        victim = prove(cuzk, folder, server, daemons, name, params, victim_is_holder)
        print(f"{name}: {time.monotonic() - begin:.0f} s", flush=True)
        if victim is None:
            return
        daemons[victim].start()
    check("all daemons end", [d.end() for d in daemons.values()] == [0, 0, 0])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("cuzk", type=os.path.abspath)
    p.add_argument("--params", type=os.path.abspath)
    p.add_argument("--jobs", type=int, default=2)
    o = p.parse_args()
    test_daemons.LEASE = 10  # the processors are busy with proofs
    server = pg.server("fsync=off")
    if server is None:
        print("PostgreSQL is not installed (tools/deps.sh test installs it)")
        sys.exit(77)
    folder = tempfile.mkdtemp(prefix="cuzk-partitions-")
    is_whole = False
    try:
        scenario(o.cuzk, folder, server, o.params, o.jobs)
        is_whole = True
    finally:
        for d in Daemon.all:
            if d.p.poll() is None:
                d.p.kill()
                d.p.wait()
        if failures() or not is_whole:
            for d in Daemon.all:
                print(f"--- {d.name}\n" + open(d.log).read()[-4000:])
        server.close()
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if failures() else 0)


main()
