#!/usr/bin/env python3
"""Two real daemons, whose queue is in a database that is reached by TLS with a password from a file, and whose inputs are kept by the daemon that accepted
the job: the other one fetches them over gRPC with a token. What is wrong with certificate, password or token is said, and nothing is lost by it.

Usage: test_tls.py CUZK
"""
import os, shutil, socket, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pg
from test_daemons import Daemon, check, failures, make_jobs

SECRET = "a token of the fleet, long enough"


def certificate(folder, name):
    crt, key = os.path.join(folder, name + ".crt"), os.path.join(folder, name + ".key")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", crt, "-days", "2", "-subj", "/CN=127.0.0.1",
                    "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    return crt, key


def write(path, text):
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, 0o600)
    return path


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def scenario(cuzk, folder, server, crt):
    params = os.path.join(folder, "params")
    os.mkdir(params)
    jobs = make_jobs(cuzk, folder, params)
    server.sql("ALTER ROLE cuzk PASSWORD 'correct horse'")
    password = write(os.path.join(folder, "password"), "correct horse\n")
    tokens = write(os.path.join(folder, "tokens"), f"peer administer {SECRET.replace(' ', '-')}\n")
    good = write(os.path.join(folder, "good"), SECRET.replace(" ", "-") + "\n")
    wrong = write(os.path.join(folder, "wrong"), "another-token-that-is-wrong\n")
    url = f"postgresql://cuzk@127.0.0.1:{server.port}/postgres?sslmode=verify-full&sslrootcert="

    def daemon(name, root=crt, password=password, token=good, wait=True):
        port = free_port()
        more = (f'store.password_file = "{password}"\nstore.inputs = "daemon"\nstore.inputs_folder = "{folder}/{name}-inputs"\n'
                f'store.peer_token_file = "{token}"\nstore.address = "127.0.0.1:{port}"\ndaemon.token_file = "{tokens}"\n')
        return Daemon(cuzk, folder, params, url + root, name, more, wait=wait, listen=[f"127.0.0.1:{port}"])

    def refused(what, why, **options):
        d = daemon("refused", wait=False, **options)
        code = d.p.wait(timeout=120)
        check(f"{what}: the daemon does not start", code != 0)
        check(f"{what}: it says why", why in open(d.log).read(), open(d.log).read()[-800:])
        os.unlink(d.log)

    other, _ = certificate(folder, "other")
    refused("a certificate of somebody else", "certificate verify failed", root=other)
    refused("a wrong password", "password authentication failed", password=write(os.path.join(folder, "bad"), "incorrect\n"))
    a, b = daemon("a"), daemon("b", token=wrong)
    check("the database sees TLS", server.sql("SELECT count(*) FROM pg_stat_ssl s JOIN pg_stat_activity USING (pid) WHERE s.ssl AND usename = 'cuzk'") != [["0"]])
    names = []

    def submit(d):
        names.append(f"job {len(names)}")
        check(f"{d.name} accepts {names[-1]}", d.submit(names[-1], jobs[len(names) % len(jobs)]), open(d.log).read()[-800:])

    def proved(by, of):
        return server.sql(f"SELECT count(*) FROM cuzk_job WHERE proved_by = '{by}' AND input_keeper = '{of}'")[0][0] != "0"

    def until(what, done, more):
        for _ in range(60):
            if done():
                return check(what, True)
            if len(names) < 60:
                more()
            a.client("await", names[-1], "-o", os.path.join(folder, "proof"), "--force")
        check(what, False)

    until("b says that its token is wrong", lambda: b.says("which keeps the input"), lambda: submit(a))
    check("and proves nothing of a's", not proved("b", "a"))
    until("a proves what b keeps", lambda: proved("a", "b"), lambda: submit(b))
    b.end()
    b = daemon("b")
    until("b proves what a keeps", lambda: proved("b", "a"), lambda: (submit(a), submit(a)))
    for name in names:
        r = a.client("await", name, "-o", os.path.join(folder, "proof"), "--force")
        check(f"{name} has a proof", r.returncode == 0, r.stderr)
    check("no input was ever in the database", server.sql("SELECT count(*) FROM cuzk_job WHERE input_place <> 2") == [["0"]])
    check("nothing failed", server.sql("SELECT count(*) FROM cuzk_job WHERE state <> 2") == [["0"]])
    check("a and b end", [a.end(), b.end()] == [0, 0])


def main():
    cuzk = os.path.abspath(sys.argv[1])
    folder = tempfile.mkdtemp(prefix="cuzk-tls-")
    server = None
    try:
        tls = certificate(folder, "db")
        server = pg.server("fsync=off", tls=tls)
        if server is None:
            print("PostgreSQL is not installed (tools/deps.sh test installs it)")
            sys.exit(77)
        scenario(cuzk, folder, server, tls[0])
    finally:
        for d in Daemon.all:
            if d.p.poll() is None:
                d.p.kill()
        if failures():
            for d in Daemon.all:
                print(f"--- {d.name}\n" + open(d.log).read()[-3000:] if os.path.exists(d.log) else "")
        if server is not None:
            server.close()
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if failures() else 0)


main()
