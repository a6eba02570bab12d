#!/usr/bin/env python3
"""An honest client beside 200 hostile peers of ten kinds, on loopback.

Usage: test_storm.py CUZK [--seconds N] [--peers N] [--idle SECONDS] [--strict] [--result FILE]

Each WinningPoSt of the honest client (TCP, its own token) must be proved, within twice the time that it takes on
the idle daemon (--strict; else with a second of slack for a busy test machine), and resident memory must stay
within memory.total_budget and 5 %. The idle daemon is measured before the storm and after it, for --idle seconds
each, since other programs may run on the machine. The peers are a session of their own at a priority ten steps
lower: they have a tenth of the CPU time when the daemon wants all, so that what is measured is the daemon.
"""
import argparse, json, os, random, re, shutil, signal, socket, struct, subprocess, sys, tempfile, threading, time
import urllib.request
from h2_raw import *

BUDGET = 1 << 30
HONEST, EVIL = "honest-secret-0123456", "hostile-secret-012345"


def idle(port, stop):
    p = Peer(port)
    stop.wait(20)
    p.s.close()


def slow_header(port, stop):
    p = Peer(port)
    block = headers(ENGINE + "GetStatus", EVIL)
    p.s.sendall(struct.pack(">I", len(block))[1:] + bytes([HEADERS, 5]) + struct.pack(">I", 1))
    for b in block:
        p.s.sendall(bytes([b]))
        if stop.wait(1):
            return


def slow_upload(port, stop):
    p = Peer(port)
    s = p.call(ENGINE + "Prove", message(b"x" * 1000, 60 << 20), end=False)
    while not stop.wait(1):
        p.s.sendall(frame(DATA, 0, s, b"x"))
        p.drain()


def unread_answers(port, stop):
    p = Peer(port, struct.pack(">HI", 4, 0))
    for _ in range(200):
        p.call(ENGINE + "GetMetrics", message(b""))
        if stop.wait(0.05):
            return
    stop.wait(10)


def resets(port, stop):
    p = Peer(port)
    while not stop.wait(0.05):
        p.s.sendall(frame(RST, 0, p.call(ENGINE + "AwaitProof"), struct.pack(">I", 8)))
        p.drain()


def flood(port, stop):
    p = Peer(port)
    while not stop.wait(0.1):
        for _ in range(10):
            p.call(ENGINE + "GetStatus", message(b""))
        p.drain()


def bad_tls(port, stop):
    s = socket.create_connection(("127.0.0.1", port), timeout=5)
    s.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + random.randbytes(500))
    stop.wait(2)
    s.close()


def no_token(port, stop):
    p = Peer(port)
    while not stop.wait(0.2):
        p.call(ENGINE + "Prove", message(b"\x0a\x02\x10\x04"), token=None)
        p.drain()


def huge(port, stop):
    p = Peer(port)
    for size in (1 << 31, 250 << 20, 100 << 20, 60 << 20):
        p.call(ENGINE + "SubmitProof", message(b"z" * 16000, size), end=False)
    stop.wait(5)
    p.s.close()


def malformed(port, stop):
    p = Peer(port)
    while not stop.wait(0.2):
        p.call(ENGINE + "SubmitProof", message(b"\x10" + bytes([random.randrange(1, 5)]) + random.randbytes(200)))
        p.drain()


KINDS = [idle, slow_header, slow_upload, unread_answers, resets, flood, bad_tls, no_token, huge, malformed]


def lower_priority():
    """This process: ten steps. Where sessions are scheduled as groups, a nice value counts within its group only."""
    try:
        with open("/proc/self/autogroup") as f:
            base = int(f.read().split()[-1])
        os.setsid()
        with open("/proc/self/autogroup", "w") as f:
            f.write(str(min(19, base + 10)))
    except (OSError, ValueError, IndexError):
        os.nice(10)


def hostile(plain, tls, n, seconds):
    """All peers, in a process of its own."""
    lower_priority()
    Peer.token = EVIL
    stop = threading.Event()

    def live(kind):
        while not stop.is_set():
            try:
                kind(tls if kind is bad_tls else plain, stop)
            except OSError:
                pass
            stop.wait(0.5 + random.random())

    threading.stack_size(256 << 10)
    for i in range(n):
        threading.Thread(target=live, args=(KINDS[i % len(KINDS)],), daemon=True).start()
    time.sleep(seconds)
    os._exit(0)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def resident(pid):
    with open(f"/proc/{pid}/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spread(times):
    t = sorted(times)
    return {"proofs": len(t), "least_s": round(t[0], 3), "median_s": round(t[len(t) // 2], 3), "most_s": round(t[-1], 3)}


def show(name, s):
    return f"{name}: {s['proofs']} proofs, {s['least_s']:.3f} / {s['median_s']:.3f} / {s['most_s']:.3f} s"


def main():
    a = argparse.ArgumentParser()
    a.add_argument("cuzk")
    a.add_argument("--seconds", type=int, default=20)
    a.add_argument("--peers", type=int, default=200)
    a.add_argument("--idle", type=int, default=10)
    a.add_argument("--strict", action="store_true")
    a.add_argument("--result")
    a.add_argument("--hostile", nargs=2, type=int, help=argparse.SUPPRESS)
    o = a.parse_args()
    if o.hostile:
        hostile(*o.hostile, o.peers, o.seconds)
    folder = tempfile.mkdtemp(prefix="cuzk-storm-")
    run = lambda *args, **kw: subprocess.run(args, capture_output=True, text=True, **kw)
    params, vanilla = folder + "/params", folder + "/vanilla"
    os.mkdir(params)
    run(o.cuzk, "params", "setup", "winning", "2KiB", "-o", params, "--insecure-seed=1", "--quiet", check=True)
    text = run(o.cuzk, "gen", "winning", "--sector-size=2KiB", "--seed=1", "-o", vanilla, check=True).stdout
    randomness = re.search(r"^randomness +(\S+)$", text, re.M).group(1)
    for name, body in (("tokens", f"honest submit {HONEST}\nevil submit {EVIL}\n"), ("honest", HONEST)):
        with open(f"{folder}/{name}", "w") as f:
            f.write(body)
        os.chmod(f"{folder}/{name}", 0o600)
    tls = shutil.which("openssl") is not None and run(
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
        "/CN=localhost", "-keyout", folder + "/key.pem", "-out", folder + "/cert.pem").returncode == 0
    plain, secure, http = free_port(), free_port(), free_port()
    with open(folder + "/c.toml", "w") as f:
        f.write(f'[daemon]\nlisten = ["http://127.0.0.1:{plain}"' + (f', "127.0.0.1:{secure}"' if tls else "") + "]\n"
                f'http_listen = "127.0.0.1:{http}"\ntoken_file = "{folder}/tokens"\nmax_connections = 128\n' +
                (f'tls_cert = "{folder}/cert.pem"\ntls_key = "{folder}/key.pem"\n' if tls else "") +
                f'[memory]\ntotal_budget = {BUDGET}\n[gpus]\ncpu_only = true\n[srs]\nparam_cache = "{params}"\n'
                f'[store]\npath = "{folder}/jobs.db"\n')
    log = open(folder + "/log", "w")
    daemon = subprocess.Popen([o.cuzk, "serve", "--config", folder + "/c.toml"], stderr=log)
    n, failed, most = 0, [], 0

    def prove():
        nonlocal n
        n += 1
        t = time.time()
        r = run(o.cuzk, "submit", "--wait", "-a", f"http://127.0.0.1:{plain}", "--token-file", folder + "/honest", "--type=winning-post",
                f"--randomness={randomness}", f"--vanilla={vanilla}", "--request-id", f"honest-{n}", "--output", f"{folder}/proof-{n}", timeout=120)
        if r.returncode != 0:
            failed.append(f"job {n}: {r.returncode} {(r.stdout + r.stderr)[-300:]}")
        return time.time() - t

    storm = None
    try:
        while run(o.cuzk, "health", "-a", f"http://127.0.0.1:{plain}").returncode != 0:
            time.sleep(0.1)
            if daemon.poll() is not None:
                sys.exit("the daemon ended: " + open(folder + "/log").read()[-500:])
        def idle_phase():
            end, times = time.time() + o.idle, []
            while time.time() < end or len(times) < 5:
                times.append(prove())
            return times

        prove()
        before = idle_phase()
        storm = subprocess.Popen([sys.executable, __file__, o.cuzk, "--hostile", str(plain), str(secure if tls else plain),
                                  "--peers", str(o.peers), "--seconds", str(o.seconds + 60)])
        time.sleep(3)
        times, end, used = [], time.time() + o.seconds, cpu_seconds(storm.pid)
        while time.time() < end:
            times.append(prove())
            most = max(most, resident(daemon.pid))
        used = cpu_seconds(storm.pid) - used
        metrics = urllib.request.urlopen(f"http://127.0.0.1:{http}/metrics", timeout=60).read().decode()
        storm.kill()
        storm.wait()
        after = idle_phase()
    finally:
        if storm:
            storm.kill()
        daemon.send_signal(signal.SIGTERM)
        try:
            daemon.wait(30)
        except subprocess.TimeoutExpired:
            failed.append("SIGTERM does not end it")
            daemon.kill()
    counts = dict(re.findall(r"^cuzk_grpc_(connections_evicted_total|connections_total|uploads_ended_total|connections_refused_total) (\d+)$", metrics, re.M))
    counts["calls"] = sum(int(n) for n in re.findall(r"^cuzk_grpc_calls(?:_ended)?_total\S* (\d+)$", metrics, re.M))
    limit = 2 * max(before + after) + (0 if o.strict else 1)
    for name, s in (("idle, before", before), ("in the storm", times), ("idle, after", after)):
        print(show(name, spread(s)), "(least / median / most)")
    print(f"limit {limit:.3f} s; resident at most {most >> 20} of {BUDGET >> 20} MiB; peers: {used:.0f} CPU s, {counts}")
    if o.result:
        with open(o.result, "w") as f:
            json.dump({"peers": o.peers, "kinds": len(KINDS), "seconds": o.seconds, "idle_before": spread(before), "storm": spread(times),
                       "idle_after": spread(after), "limit_s": round(limit, 3), "late": sum(t > limit for t in times), "failed": len(failed),
                       "resident_most_bytes": most, "budget_bytes": BUDGET, "peers_cpu_s": round(used), "counts": counts,
                       "times_s": [round(t, 3) for t in times]}, f, indent=1)
    late = [f"{t:.3f} s" for t in times if t > limit]
    if late:
        failed.append(f"{len(late)} of {len(times)} proofs were late: {', '.join(late[:10])}")
    if most > BUDGET * 1.05:
        failed.append(f"resident memory of {most >> 20} MiB")
    if int(counts.get("connections_total", 0)) < o.peers:
        failed.append("the storm did not come")
    for f in failed:
        print("FAILED", f)
    if not failed:
        shutil.rmtree(folder, True)
    sys.exit(1 if failed else 0)


main()
