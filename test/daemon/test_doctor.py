#!/usr/bin/env python3
"""cuzk doctor on a machine that lacks everything, and on one whose daemon proves. Usage: test_doctor.py CUZK"""
import json, os, pathlib, signal, subprocess, sys, tempfile, time

cuzk = os.path.abspath(sys.argv[1])
passed, failed = 0, 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED:", what)


def doctor(*args, env=None):
    r = subprocess.run([cuzk, "doctor", "--json", *map(str, args)], capture_output=True, text=True, timeout=300,
                       env={**os.environ, **(env or {})})
    out = json.loads(r.stdout)
    return r.returncode, out, {f["what"]: (f["finding"], f["text"]) for f in out["findings"]}


with tempfile.TemporaryDirectory() as tmp:
    tmp = pathlib.Path(tmp)
    params = tmp / "params"
    config = tmp / "cuzk.toml"
    address = f"unix://{tmp}/s.sock"
    text = f'daemon.listen = "{address}"\ngpus.cpu_only = true\nsrs.param_cache = "{params}"\nstore.path = "{tmp}/store/jobs.db"\n'
    config.write_text(text)
    where = ("--config", config, "--addr", address)

    # Nothing is there: every lack is named, and the first thing to do is said.
    code, out, found = doctor(*where)
    check(code == 2 and out["verdict"] == "this machine is not ready", f"without anything: {out}")
    for what, word in (("parameters", str(params)), ("store", f"{tmp}/store"), ("daemon", "s.sock")):
        check(found[what][0] == "problem" and word in found[what][1], f"{what}: {found.get(what)}")
    check("cuzk params fetch" in out["next"], f"the next command: {out.get('next')}")
    check(found["configuration"][0] == "good", f"configuration: {found['configuration']}")
    config.write_text(text + 'daemon.listen = 7\n')
    code, out, found = doctor(*where)
    check(found["configuration"][0] == "problem" and "cuzk.toml" in found["configuration"][1], f"a bad configuration: {found['configuration']}")
    config.write_text(text)

    # A store on a read-only file system; where mounts of its own cannot be made, nothing is checked.
    (tmp / "store").mkdir()
    mounts = f"mount -t tmpfs none {tmp}/store && mount -o remount,ro {tmp}/store"
    if subprocess.run(["unshare", "--mount", "sh", "-c", mounts], capture_output=True).returncode == 0:
        r = subprocess.run(["unshare", "--mount", "sh", "-c", f'{mounts} && exec "$@"', "sh", cuzk, "doctor", *map(str, where)],
                           capture_output=True, text=True, timeout=300)
        line = next((x for x in r.stdout.split("\n") if " store " in x), "")
        check(r.returncode == 2 and line.startswith("problem") and "read-only: the daemon does not start" in line, f"a read-only store: {r.stdout}")

    # A file of the wrong size; the files of one kind; a daemon that proves.
    params.mkdir()
    subprocess.run([cuzk, "params", "setup", "winning", "2KiB", "-o", params, "--insecure-seed=1", "--quiet"], check=True)
    vk = next(params.glob("*.vk"))
    whole = vk.read_bytes()
    vk.write_bytes(whole[:-1])
    code, out, found = doctor(*where)
    check(found["2 KiB"][0] == "problem" and "wrong size" in found["2 KiB"][1] and "cuzk params list" in out["next"], f"a short file: {out}")
    vk.write_bytes(whole)
    daemon = subprocess.Popen([cuzk, "serve", "--config", config], stdout=open(tmp / "log", "w"), stderr=subprocess.STDOUT)
    try:
        for _ in range(3600):
            if "daemon.ready" in (tmp / "log").read_text() or daemon.poll() is not None:
                break
            time.sleep(0.05)
        code, out, found = doctor(*where)
        check(found["2 KiB"][0] == "note" and "winning" in found["2 KiB"][1].split(";")[0], f"one kind: {found['2 KiB']}")
        check(found["daemon"][0] == "good", f"the daemon: {found['daemon']}")
        check(found["test proof"][0] == "good" and "verified" in found["test proof"][1], f"the test proof: {found['test proof']}")
        check(code == 0 and out["problems"] == 0 and out["verdict"] == "ready, with notes", f"the verdict: {out}")
        check("test proof" in doctor(*where, "--no-proof")[2], "without the proof")
        text = subprocess.run([cuzk, "doctor", "--config", config, "--addr", address, "--no-proof"], capture_output=True, text=True)
        check(text.returncode == 0 and "verdict" in text.stdout and "good     daemon" in text.stdout, f"in words: {text.stdout}")
    finally:
        daemon.send_signal(signal.SIGTERM)
        check(daemon.wait(300) == 0, "the daemon ends")

print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
