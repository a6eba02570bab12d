#!/usr/bin/env python3
"""The page's history outlives the daemon, and a damaged file of it does not keep the daemon from starting. Usage: test_history.py CUZK"""
import json, os, pathlib, re, signal, struct, subprocess, sys, tempfile, time, urllib.request

cuzk = os.path.abspath(sys.argv[1])
passed, failed = 0, 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED:", what)


def run_once(folder):
    """Starts the daemon, asks for /history, stops it. Returns the history and the log."""
    config = folder / "cuzk.toml"
    config.write_text(f'daemon.listen = "unix://{folder}/s.sock"\ndaemon.http_listen = "127.0.0.1:0"\ngpus.cpu_only = true\n'
                      f'srs.param_cache = "{folder}"\nstore.path = "{folder}/jobs.db"\nlogging.format = "text"\n')
    daemon = subprocess.Popen([cuzk, "serve", "--config", config], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    log, port = "", None
    for line in daemon.stdout:
        log += line
        if m := re.search(r"listen\.http .* port=(\d+)", line):
            port = m[1]
        if "daemon.ready" in line:
            break
    try:
        history = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/history", timeout=60))
    finally:
        daemon.send_signal(signal.SIGTERM)
        log += daemon.stdout.read()
        check(daemon.wait(120) == 0, f"the daemon ends: {log}")
    return history, log


with tempfile.TemporaryDirectory() as tmp:
    folder = pathlib.Path(tmp)
    kept = folder / "jobs.db.history"
    history, log = run_once(folder)
    check(history["completed"] == [0] and "history." not in log, f"a first start: {history}")
    check(kept.is_file() and kept.stat().st_size == 72, "a file of one sample")
    # two samples of a daemon before: nine proofs ten minutes ago, four in the five minutes that go on
    sample = lambda n: struct.pack("<8IQ", n, 0, 0, 0, 1, 500, 0, 0, 1 << 30)
    kept.write_bytes(b"cuzkhis\x01" + struct.pack("<IIQQ", 300, 2, int(time.time()) - 2, 0) + sample(9) + sample(4))
    history, log = run_once(folder)
    check(history["completed"][:2] == [9, 4] and history["memory_most_bytes"][0] == 1 << 30, f"it goes on: {history}")
    check(kept.stat().st_size >= 112, "and is kept again")
    kept.write_bytes(b"cuzkhis\x01" + b"\xff" * 99)
    history, log = run_once(folder)
    check("history.not_read" in log and "jobs.db.history: not a history" in log and history["completed"] == [0], f"a damaged file: {log}")
    # a folder in its place: said once, and the daemon serves
    kept.unlink()
    kept.mkdir()
    history, log = run_once(folder)
    check(log.count("history.not_kept") == 1 and history["completed"] == [0], f"it cannot be written: {log}")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
