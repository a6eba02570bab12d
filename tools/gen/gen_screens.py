#!/usr/bin/env python3
"""docs/screens.md: what page, cuzk top, cuzk doctor, cuzk status and the Grafana dashboard show.
Usage: tools/gen/gen_screens.py CUZK FAKE_SERVER [--check]
`cuzk top` and the dashboard are made from a scripted engine (test/api/fake_server.c) and are the same at each run: --check compares them, and of
doctor and status, which are of this machine and a daemon of its own on 2 KiB sectors, what they report on."""
import json, os, pathlib, re, signal, subprocess, sys, tempfile, time

cuzk, fake = (os.path.abspath(x) for x in sys.argv[1:3])
page = pathlib.Path("docs/screens.md")
WIDE = {**os.environ, "COLUMNS": "120"}


def run(*command, good=(0,)):
    r = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300, env=WIDE)
    if r.returncode not in good:
        sys.exit(f"gen_screens: {command}: {r.returncode}\n{r.stdout}{r.stderr}")
    return r.stdout


def top():
    server = subprocess.Popen([fake, "127.0.0.1:0", "130", "0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    text = run(cuzk, "top", "--once", "--status", f"127.0.0.1:{server.stdout.readline().strip()}")
    server.stdin.close()
    server.wait(20)
    return text


def doctor_and_status(proof):
    """Texts of doctor before and after the parameters are there, and of status."""
    with tempfile.TemporaryDirectory() as tmp:
        params, config, address = f"{tmp}/params", pathlib.Path(tmp, "cuzk.toml"), f"unix://{tmp}/cuzk.sock"
        config.write_text(f'daemon.listen = "{address}"\ngpus.cpu_only = true\nsrs.param_cache = "{params}"\nstore.path = "{tmp}/store/jobs.db"\n')
        where = ("--config", config, "--addr", address)
        before = run(cuzk, "doctor", *where, good=(2,))
        os.mkdir(params)
        os.mkdir(f"{tmp}/store")
        if proof:
            run(cuzk, "params", "setup", "winning", "2KiB", "-o", params, "--insecure-seed=1", "--quiet")
        daemon = subprocess.Popen([cuzk, "serve", "--config", config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(f"{tmp}/cuzk.sock") and daemon.poll() is None:
            time.sleep(0.05)
        try:
            after = run(cuzk, "doctor", *where, *([] if proof else ["--no-proof"]), good=(0, 2))
            status = run(cuzk, "status", "--addr", address)
        finally:
            daemon.send_signal(signal.SIGTERM)
            daemon.wait(60)
        names = {f"{tmp}/params": "/var/tmp/filecoin-proof-parameters", f"{tmp}/store": "/var/lib/cuzk", address: "unix:///run/cuzk/cuzk.sock",
                 f"{tmp}/cuzk.sock": "/run/cuzk/cuzk.sock", str(config): "/etc/cuzk/cuzk.toml"}
        for real, shown in names.items():
            before, after, status = (x.replace(real, shown) for x in (before, after, status))
        return before, after, status


def dashboard():
    rows = json.loads(pathlib.Path("packaging/grafana/cuzk.json").read_text())["panels"]
    cell = lambda x: x.replace("|", "\\|")
    return "| panel | query |\n|---|---|\n" + "".join(f"| {cell(p['title'])} | `{cell(t['expr'])}` |\n" for p in rows for t in p["targets"])


def block(text):
    return "".join(f"    {line}".rstrip() + "\n" for line in text.rstrip("\n").split("\n"))


def whats(text):
    """Of doctor and status: what is reported on."""
    return {m[1].strip() for m in re.finditer(r"^(?:    )?(?:good|note|problem) +(.{14})", text, re.M)} | {m[1] for m in re.finditer(r"^(?:    )?([a-z][a-z ]+?)  +\S", text, re.M)}


check = "--check" in sys.argv
before, after, status = doctor_and_status(not check)
made = top()
if check:
    text = page.read_text()
    stale = [w for w, part in (("cuzk top", block(made)), ("the dashboard", dashboard())) if part not in text]
    stale += [f"doctor or status: {w}" for w in sorted((whats(before) | whats(after) | whats(status)) - whats(text) - {"good", "note", "problem"})]
    for s in stale:
        print(f"gen_screens: docs/screens.md does not show this any more: {s}; make it again with tools/gen/gen_screens.py CUZK FAKE_SERVER")
    print(f"{int(not stale)} passed, {len(stale)} failed")
    sys.exit(1 if stale else 0)
page.write_text(f"""# What the screens show

Made by `tools/gen/gen_screens.py`; a test compares this page with the program.

## The page

`http://HOST:9821/`, described in [monitoring.md](monitoring.md):

![The page of a daemon with three cards under load](page.png)

## cuzk top

Of a scripted engine: three cards that do not exist, and invented numbers.

{block(made)}
On a terminal it is redrawn each second, in colours; q, s, /, arrows and Enter work there.

## cuzk doctor

Before anything is there (exit status 2):

{block(before)}
With parameters of one kind for 2 KiB sectors and a daemon (exit status 0):

{block(after)}
## cuzk status

{block(status)}
## The Grafana dashboard

`packaging/grafana/cuzk.json`: its panels and what they ask. A test finds every metric and label of them in `/metrics`.

{dashboard()}""")
print(f"wrote {page}")
