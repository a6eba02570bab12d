#!/usr/bin/env python3
"""docs/screens.md: what page, cuzk top, cuzk doctor, cuzk status and the Grafana dashboard show; docs/top.svg, docs/top-job.svg.
Usage: tools/gen/gen_screens.py CUZK FAKE_SERVER [--check]
`cuzk top` and the dashboard are made from a scripted engine (test/api/fake_server.c) and are the same at each run: --check compares them, and of
doctor and status, which are of this machine and a daemon of its own on 2 KiB sectors, what they report on."""
import fcntl, json, os, pathlib, pty, re, select, signal, struct, subprocess, sys, tempfile, termios, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from terminal_picture import picture

cuzk, fake = (os.path.abspath(x) for x in sys.argv[1:3])
page = pathlib.Path("docs/screens.md")
WIDE = {**os.environ, "COLUMNS": "120"}


def run(*command, good=(0,)):
    r = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300, env=WIDE)
    if r.returncode not in good:
        sys.exit(f"gen_screens: {command}: {r.returncode}\n{r.stdout}{r.stderr}")
    return r.stdout


CLEAR = b"\x1b[H\x1b[J"


def on_terminal(address, rows, keys, brings):
    """The screen of cuzk top on a terminal of 120 columns, after keys and with what they bring."""
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 120, 0, 0))
        env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        os.execve(cuzk, [cuzk, "top", "--interval", "3600", "--status", address], {**env, "TERM": "xterm"})
    seen, end = b"", time.monotonic() + 120

    def wait_for(pattern):
        nonlocal seen
        while not re.search(pattern, seen):
            if time.monotonic() > end:
                sys.exit(f"gen_screens: cuzk top does not show {pattern}: {seen[-2000:]}")
            if select.select([fd], [], [], 1)[0]:
                seen += os.read(fd, 65536)

    wait_for(rb"order: ")
    os.write(fd, keys)
    wait_for(brings)
    # the screen that is complete is the one before that of another order
    os.write(fd, b"s")
    wait_for(rb"order: [^a-z]*[0-9;]*m*age")
    screens = seen.split(CLEAR)
    screen = screens[next(i for i, x in enumerate(screens) if re.search(rb"order: [^a-z]*[0-9;]*m*age", x)) - 1]
    os.write(fd, b"q")
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        pass  # the other end of the terminal is closed
    os.waitpid(pid, 0)
    return screen.decode().replace("\r\n", "\n")


def scripted(second):
    """A server of the scripted engine at that second, and its address."""
    server = subprocess.Popen([fake, "127.0.0.1:0", second, "0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return server, f"127.0.0.1:{server.stdout.readline().strip()}"


def top():
    """cuzk top as text, and two pictures: the top of it, and a job that failed."""
    server, address = scripted("130")
    text = run(cuzk, "top", "--once", "--status", address)
    whole = on_terminal(address, 48, b"", rb"order: ")
    server.stdin.close()
    server.wait(20)
    server, address = scripted("70")
    job = on_terminal(address, 30, b"/failed\rj\r", rb"job porep")
    server.stdin.close()
    server.wait(20)
    return text, {"docs/top.svg": picture(whole), "docs/top-job.svg": picture(job)}


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
made, pictures = top()
if check:
    text = page.read_text()
    stale = [w for w, part in (("cuzk top", block(made)), ("the dashboard", dashboard())) if part not in text]
    stale += [f"doctor or status: {w}" for w in sorted((whats(before) | whats(after) | whats(status)) - whats(text) - {"good", "note", "problem"})]
    stale += [p for p, svg in pictures.items() if not os.path.exists(p) or pathlib.Path(p).read_text() != svg]
    for s in stale:
        print(f"gen_screens: docs/screens.md does not show this any more: {s}; make it again with tools/gen/gen_screens.py CUZK FAKE_SERVER")
    print(f"{int(not stale)} passed, {len(stale)} failed")
    sys.exit(1 if stale else 0)
for path, svg in pictures.items():
    pathlib.Path(path).write_text(svg)
page.write_text(f"""# What the screens show

Made by `tools/gen/gen_screens.py`; a test compares this page with the program.

## The page

`http://HOST:9821/`, described in [monitoring.md](monitoring.md):

![The page of a daemon with three cards under load](page.png)

## cuzk top

Of a scripted engine: three cards that do not exist, and invented numbers.

{block(made)}
On a terminal it is redrawn each second, in colours; q, s, /, arrows and Enter work there:

![cuzk top on a terminal of 48 lines](top.svg)

A job that was selected with the arrows, and its details with Enter:

![The details of a job in cuzk top](top-job.svg)

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
