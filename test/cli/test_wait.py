#!/usr/bin/env python3
"""What commands show while they wait, against a daemon that takes a connection and never answers: seconds on standard
error, a line in a pipe, one redrawn line on a terminal; nothing with --quiet and --json. Usage: test_wait.py CUZK"""
import os, pty, select, signal, socket, subprocess, sys, tempfile

cuzk = os.path.abspath(sys.argv[1])
passed, failed = 0, 0
LIMIT = 240  # seconds; only a failure takes that long


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED:", what)


def read_until(fd, word):
    """What came until word was there; everything at the end of the file or of patience."""
    seen = b""
    while word not in seen and select.select([fd], [], [], LIMIT)[0]:
        try:
            part = os.read(fd, 4096)
        except OSError:  # a terminal whose other side is gone
            break
        if not part:
            break
        seen += part
    return seen


def end(p):
    p.send_signal(signal.SIGINT)
    p.wait(LIMIT)
    for f in (p.stdout, p.stderr):
        if f:
            f.close()


silent = socket.create_server(("127.0.0.1", 0))  # the kernel takes connections, nobody reads them
at = f"127.0.0.1:{silent.getsockname()[1]}"
with tempfile.TemporaryDirectory() as folder:
    vanilla = os.path.join(folder, "v")
    open(vanilla, "wb").write(b"x" * 100)
    submit = [cuzk, "submit", "--addr", at, "--kind", "winning", "--vanilla", vanilla, "--randomness", "11" * 32, "--wait", "-o", os.path.join(folder, "p")]
    wait = [cuzk, "await", "--addr", at, "job-1"]

    for name, command in (("submit", submit), ("await", wait)):
        p = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        seen = read_until(p.stderr.fileno(), b"does not say how far it is\n").decode()
        check(f"\n{name}: " in "\n" + seen and " s, the daemon does not say" in seen and "\033" not in seen, f"{name}: {seen}")
        end(p)
        check(p.returncode != 0, f"{name} was interrupted")

    ours, theirs = pty.openpty()
    p = subprocess.Popen(submit, stderr=theirs, stdout=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    seen = read_until(ours, b"\r\033[Ksubmit: ")
    check(seen.count(b"\r\033[Ksubmit: ") == 1, f"a line that is redrawn: {seen}")
    p.send_signal(signal.SIGINT)
    rest = read_until(ours, b"never said")
    check(b"\r\033[K" in rest and b"cancelled" in rest.split(b"\r\033[K")[-1], f"the line is wiped before the outcome: {rest}")
    p.wait(LIMIT)
    os.close(ours)

    # --quiet and --json: the witness of what would have been said is another one that says it
    quiet = [subprocess.Popen([*wait, word], stderr=subprocess.PIPE, stdout=subprocess.PIPE) for word in ("--quiet", "--json")]
    loud = subprocess.Popen(wait, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    read_until(loud.stderr.fileno(), b"does not say how far it is\n")
    for p in quiet:
        p.send_signal(signal.SIGINT)
        _, said = p.communicate(timeout=LIMIT)
        check(b"does not say" not in said, f"silence: {said}")
    end(loud)
    # groth16 verify and check, which wait for a pipe
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    vectors = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "vectors", "snarkjs")
    key, proof = (os.path.join(vectors, f"multiplier2.{x}.json") for x in ("vk", "proof"))
    for command, step in ((["verify", key, pipe, proof], "reading the public inputs"), (["check", pipe, key], "reading the files")):
        p = subprocess.Popen([cuzk, "groth16", *command], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        hold = os.open(pipe, os.O_WRONLY)
        seen = read_until(p.stderr.fileno(), f"{step}\n".encode()).decode()
        check(f"{command[0]}: " in seen and f" s, {step}\n" in seen, f"{command[0]}: {seen}")
        os.close(hold)
        p.communicate(timeout=LIMIT)
        check(p.returncode == 2, f"{command[0]} of nothing: {p.returncode}")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
