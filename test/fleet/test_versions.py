#!/usr/bin/env python3
"""A rolling upgrade: daemons of the version before (tables of version 1) and of this one share a queue; one after the other is drained and started
again as the newer program, while jobs come. No job is lost, and an old program is kept out once inputs are packed.

Usage: test_versions.py CUZK [--old PROGRAM]   (in the repository; without --old the last commit with tables of version 1 that builds is built in a scratch folder)
"""
import argparse, os, random, shutil, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pg
import test_daemons
from test_daemons import Daemon, check, failures, make_jobs


def build_old(folder):
    def git(*args):
        return subprocess.run(["git", *args], check=True, capture_output=True, text=True).stdout.strip()
    # the commit that added the shorter form of inputs, and those up to the tables of version 2, do not build by themselves
    added = git("log", "--diff-filter=A", "--format=%H", "--", "src/store/input_pack.c").split()[-1]
    source = os.path.join(folder, "source")
    os.mkdir(source)
    archive = subprocess.Popen(["git", "archive", added + "^"], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", source], stdin=archive.stdout, check=True)
    subprocess.run(["cmake", "--preset", "release"], cwd=source, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", "cuzk"], cwd=source, check=True, stdout=subprocess.DEVNULL)
    return os.path.join(source, "build/release/cuzk")


def scenario(new, old, folder, server):
    params = os.path.join(folder, "params")
    os.mkdir(params)
    jobs, names = make_jobs(new, folder, params), []

    def submit(count, *to):
        for _ in range(count):
            d, name = random.choice(to), f"job {len(names)}"
            check(f"{d.name} accepts {name}", d.submit(name, jobs[len(names) % len(jobs)]), open(d.log).read()[-800:])
            names.append(name)

    def version():
        return server.sql("SELECT version FROM cuzk_schema")[0][0]

    a, b = (Daemon(old, folder, params, server.url, n) for n in "ab")
    submit(2, a, b)
    check("the tables are those of the old program", version() == "1")
    c = Daemon(new, folder, params, server.url, "c")
    check("the new one adds to them", version() == "2")
    submit(3, a, b, c)
    check("inputs are as the old programs read them", server.sql("SELECT count(*) FROM cuzk_job WHERE input_form <> 0") == [["0"]])
    for d in (a, b):
        check(f"{d.name} drains", d.end() == 0)
        submit(2, *(x for x in (a, b, c) if x is not d))
        d.cuzk = new
        d.start()
        submit(2, a, b, c)
    for _ in range(600):  # when a member next looks for dead ones
        if version() == "4":
            break
        time.sleep(0.1)
    check("when the last old one has gone, the tables are new", version() == "4")
    submit(2, a, b, c)
    check("and inputs are packed", server.sql("SELECT count(*) FROM cuzk_job WHERE input_form = 1") != [["0"]])
    late = Daemon(old, folder, params, server.url, "late", wait=False)
    check("an old program does not start any more", late.p.wait(timeout=120) != 0)
    check("and says why", "install a newer one" in open(late.log).read(), open(late.log).read()[-500:])
    for i, name in enumerate(names):
        r = random.choice((a, b, c)).client("await", name, "-o", os.path.join(folder, "proof"), "--force", timeout=1800)
        check(f"{name} has a proof", r.returncode == 0, r.stderr)
        verb, *more = jobs[i % len(jobs)][:-1]
        v = subprocess.run([new, "verify", "winning", "--sector-size=2KiB", *more, f"--proof={folder}/proof", f"--params={params}"], capture_output=True, text=True)
        check("which is true", v.returncode == 0, v.stderr)
    rows = server.sql("SELECT count(*), count(*) FILTER (WHERE state = 2) FROM cuzk_job")
    check("every job is there once, and has completed", rows == [[str(len(names)), str(len(names))]], rows)
    check("all daemons end", [d.end() for d in (a, b, c)] == [0, 0, 0])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("cuzk", type=os.path.abspath)
    p.add_argument("--old", type=os.path.abspath)
    o = p.parse_args()
    test_daemons.LEASE = 15  # no lease is to be lost by a busy machine
    server = pg.server("fsync=off")
    if server is None:
        print("PostgreSQL is not installed (tools/deps.sh test installs it)")
        sys.exit(77)
    folder = tempfile.mkdtemp(prefix="cuzk-versions-")
    is_whole = False
    try:
        scenario(o.cuzk, o.old or build_old(folder), folder, server)
        is_whole = True
    finally:
        for d in Daemon.all:
            if d.p.poll() is None:
                d.p.kill()
        if failures() or not is_whole:
            for d in Daemon.all:
                print(f"--- {d.name}\n" + open(d.log).read()[-4000:])
        server.close()
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if failures() else 0)


main()
