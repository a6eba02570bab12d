#!/usr/bin/env python3
"""Odd files, names, outputs, signals and variables that nobody listed: each kind of docs/faults.md has some. Usage: test_odd.py CUZK"""
import base64, fcntl, gzip, json, os, shutil, signal, struct, subprocess, sys, tempfile, termios, time, zlib

CUZK = os.path.abspath(sys.argv[1])
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
D = tempfile.mkdtemp(prefix="cuzk-odd-")
CIRCUIT, WITNESS = "test/vectors/circom/multiplier2.r1cs", "test/vectors/circom/multiplier2.wtns"
C1 = "test/vectors/filecoin/porep-v1_1.c1.json"
passed, failed = 0, 0


def path(name):
    return os.path.join(D, name)


def put(name, data):
    with open(path(name), "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    return path(name)


def check(name, ok, why=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f"FAIL {name}: {why}", flush=True)


def run(name, status, text, *args, **kw):
    """The command ends with status; text is in what it writes."""
    env = dict(os.environ, LC_ALL="C", **kw.pop("env", {}))
    r = subprocess.run([CUZK, *args], stdin=subprocess.DEVNULL, capture_output=True, timeout=120, env=env, **kw)
    out = (r.stdout + r.stderr).decode("utf-8", "backslashreplace")
    check(name, r.returncode == status and text in out, f"status {r.returncode}, expected {status} and {text!r} in {out[-300:]!r}")
    return r


def keys():
    """Well formed and worthless, or hardly a key at all."""
    key, public, proof = path("vk.json"), path("public.json"), path("proof.json")
    run("a key", 0, "", "groth16", "setup", CIRCUIT, path("k.zkey"), "--vk", key, "--params", path("k.params"), "--insecure-seed", "7")
    run("a proof", 0, "", "groth16", "prove", path("k.zkey"), WITNESS, proof, public)
    q = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab
    good = json.load(open(key))
    minus = lambda p: [p[0], [str((q - int(c)) % q) for c in p[1]], p[2]]
    cases = [("delta is -gamma", "delta is gamma", {"vk_delta_2": minus(good["vk_gamma_2"])}),
             ("beta is -delta", "beta is delta", {"vk_beta_2": minus(good["vk_delta_2"])}),
             ("alpha infinity", "infinity", {"vk_alpha_1": ["0", "1", "0"]}), ("IC infinity", "infinity", {"IC": [["0", "1", "0"]] * 2}),
             ("no IC", "IC has 0 points", {"IC": []}), ("nPublic 2", "IC has 2 points for nPublic 2", {"nPublic": 2}),
             ("nPublic -1", "unsigned integer", {"nPublic": -1}), ("nPublic 1.5", "unsigned integer", {"nPublic": 1.5}),
             ("x + q", "not below the base field modulus", {"vk_alpha_1": [str(int(good["vk_alpha_1"][0]) + q), *good["vk_alpha_1"][1:]]}),
             ("z is 2", "is not 1", {"vk_alpha_1": [*good["vk_alpha_1"][:2], "2"]})]
    for name, text, change in cases:
        run(name, 2, text, "groth16", "verify", put("v.json", json.dumps(dict(good, **change))), public, proof)
    twice = json.dumps(good)[:-1] + ', "vk_delta_2": ' + json.dumps(good["vk_gamma_2"]) + "}"
    run("delta twice", 2, 'duplicate field "vk_delta_2"', "groth16", "verify", put("v.json", twice), public, proof)
    for name, text in (("NUL behind", '["33"]\0'), ("a mark of byte order", '\ufeff["33"]'), ("escapes", '["\\u0033\\u0033"]'), ("-0", '["-0"]'),
                       ("two values", '["33"]["33"]'), ("NaN", "[NaN]"), ("deep", "[" * 100000), ("a long number", '["' + "9" * 5000 + '"]')):
        run("public inputs: " + name, 2, "", "groth16", "verify", key, put("p.json", text), proof)


def circuits():
    """Shapes of .r1cs and .wtns that are odd and right, and ones that lie."""
    r = 52435875175126190479447740508185965837690552500527637822603658699938581184513
    word = lambda x: x.to_bytes(32, "little")

    def r1cs(constraints, wires=4, order=(1, 2, 3), count=None, more=()):
        body = b"".join(struct.pack("<I", len(lc)) + b"".join(struct.pack("<I", w) + word(v) for w, v in lc) for c in constraints for lc in c)
        head = struct.pack("<I", 32) + word(r) + struct.pack("<IIIIQI", wires, 1, 1, 1, wires, len(constraints) if count is None else count)
        part = {1: head, 2: body, 3: b"".join(struct.pack("<Q", i) for i in range(wires)), 9: b"abc"}
        parts = [(t, part[t]) for t in (*order, *more)]
        return b"r1cs" + struct.pack("<II", 1, len(parts)) + b"".join(struct.pack("<IQ", t, len(d)) + d for t, d in parts)

    one = [([(1, 1)], [(2, 1)], [(3, 1)])]
    good = [("sections in another order", r1cs(one, order=(3, 2, 1))), ("no labels", r1cs(one, order=(1, 2))), ("an unknown section", r1cs(one, more=(9,))),
            ("a wire twice in a row", r1cs([([(1, 1), (1, 1)], [(2, 1)], [(3, 2)])])), ("coefficients of zero", r1cs([([(1, 1), (2, 0)], [(2, 1)], [(3, 1), (0, 0)])])),
            ("empty rows", r1cs([([], [], [])] + one)), ("wires in another order", r1cs([([(2, 0), (1, 1)], [(2, 1)], [(3, 1)])]))]
    bad = [("coefficient r", r1cs([([(1, r)], [(2, 1)], [(3, 1)])]), "not below r"), ("wire 4 of 4", r1cs([([(4, 1)], [(2, 1)], [(3, 1)])]), "wire 4 of 4"),
           ("more constraints than there are", r1cs(one, count=0xffffffff), "truncated"), ("fewer", r1cs(one, count=0), "after the last constraint"),
           ("a section twice", r1cs(one, more=(1,)), "there twice"), ("bytes behind", r1cs(one) + b"xx", "after the last section")]
    for name, data in good:
        run(name, 0, "satisfied", "groth16", "check", put("c.r1cs", data), path("w.wtns"))
        run(name + ": key", 0, "", "groth16", "setup", path("c.r1cs"), path("c.zkey"), "--force", "--insecure-seed", "3")
        run(name + ": proof", 0, "verified", "groth16", "prove", path("c.zkey"), path("w.wtns"), path("c.proof"), path("c.public"), "--force")
    for name, data, text in bad:
        run(name, 2, text, "groth16", "check", put("c.r1cs", data), path("w.wtns"))


def witness():
    values = b"".join(v.to_bytes(32, "little") for v in (1, 6, 2, 12))
    r = open(WITNESS, "rb").read()[28:60]
    parts = [(2, values), (1, struct.pack("<I", 32) + r + struct.pack("<I", 4))]  # in another order
    put("w.wtns", b"wtns" + struct.pack("<II", 2, 2) + b"".join(struct.pack("<IQ", t, len(d)) + d for t, d in parts))


def outputs():
    """Payloads on standard output, and outputs that are inputs, or the same, under other names."""
    z, setup = path("k.zkey"), ["groth16", "setup", CIRCUIT]
    r = run("a key on standard output", 0, "vk hash", *setup, "-", "--insecure-seed", "7")
    check("it is the key alone", r.stdout == open(z, "rb").read())
    r = run(".params on standard output", 0, "vk hash", *setup, path("o.zkey"), "--params", "-", "--insecure-seed", "7")
    check("they are .params alone", r.stdout == open(path("k.params"), "rb").read() and not os.path.exists("-.vk"))
    run("the .vk next to .params is --vk", 2, "two outputs have this name", *setup, path("z8"), "--params", path("z8.params"), "--vk", path("z8.vk"))
    check("nothing was written", not any(n.startswith("z8") for n in os.listdir(D)))
    os.symlink(D, path("here"))
    prove = ["groth16", "prove", z, WITNESS]
    before = open(z, "rb").read()
    for name, out in (("through a linked folder", path("here/k.zkey")), ("through /proc", "/proc/self/root" + z)):
        run("the key as output, " + name, 2, "is an input and an output", *prove, out, path("q"), "--force")
    run("the key as trace", 2, "is an input and an output", *prove, path("t"), path("q"), "--trace", z, "--force")
    check("the key is as it was", open(z, "rb").read() == before)
    for name, out, text in (("no name", "", "names no file"), ("a folder that is not there", path("new/"), "names no file"), ("a file as folder", z + "/x", "is not a folder")):
        run("output: " + name, 2, text, *prove, out, path("q"), "--force")
    for to in ("/dev/full",):
        with open(to, "wb") as full:
            for args in (["--help"], ["--version"], ["completion", "bash"], ["serve", "--config-reference"], ["groth16", "info", z]):
                r = subprocess.run([CUZK, *args], stdout=full, stderr=subprocess.PIPE, timeout=120)
                check(f"{args} to a full disk", r.returncode == 3, f"status {r.returncode}")


def opened(p, fifo):
    """The end for writing of a named pipe, once the program has it open for reading."""
    while p.poll() is None:
        try:
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads it yet
            time.sleep(0.01)
    raise AssertionError(p.stderr.read())


def endless():
    """Inputs that do not end, and signals while one is waited for."""
    for args in (["groth16", "info"], ["params", "info"], ["serve", "--check-config", "--config"], ["groth16", "check", CIRCUIT]):
        for device in ("/dev/zero", "/dev/urandom"):
            run(f"{args[0]} {args[1]} {device}", 2, device, *args, device)
    os.mkfifo(path("fifo"))
    put("tls.toml", f'daemon.listen = ["127.0.0.1:0"]\ngpus.cpu_only = true\nstore.path = "memory"\ndaemon.tls_cert = "{path("fifo")}"\ndaemon.tls_key = "{path("fifo")}"\n')
    for args in (["serve", "--config"], ["serve", "--check-config", "--config"], ["groth16", "check", CIRCUIT], ["serve", "--config", path("tls.toml")],
                 ["status", "-a", "https://127.0.0.1:1", "--tls-ca"], ["status", "-a", "127.0.0.1:1", "--token-file"]):
        named = [] if args[-1].endswith(".toml") else [path("fifo")]
        p = subprocess.Popen([CUZK, *args, *named], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        writer = opened(p, path("fifo"))
        p.send_signal(signal.SIGTERM)
        try:
            err = p.communicate(timeout=120)[1].decode()
        finally:
            p.kill()
            os.close(writer)
        check(f"SIGTERM: {args}", p.returncode == 3 and "interrupted" in err, f"{p.returncode} {err}")


def unread():
    """A payload into a pipe, or a named pipe, that nobody reads: SIGTERM ends the command, which says so."""
    fifo = path("unread")
    os.mkfifo(fifo)
    for out in ("-", fifo):
        reader, writer = os.pipe() if out == "-" else (os.open(fifo, os.O_RDONLY | os.O_NONBLOCK), None)
        p = subprocess.Popen([CUZK, "gen", "porep", "--sector-size", "2KiB", "-o", out], stdout=subprocess.DEVNULL if writer is None else writer, stderr=subprocess.PIPE)
        size, held = fcntl.fcntl(reader, fcntl.F_GETPIPE_SZ), 0
        while held < size and p.poll() is None:
            time.sleep(0.01)
            held = struct.unpack("i", fcntl.ioctl(reader, termios.FIONREAD, bytes(4)))[0]
        p.send_signal(signal.SIGTERM)
        try:
            err = p.communicate(timeout=120)[1].decode()
        finally:
            p.kill()
            os.close(reader)
            if writer is not None:
                os.close(writer)
        check(f"SIGTERM while {out} is full", p.returncode == 3 and "interrupted while it was written" in err, f"{p.returncode} {err}")


def token_files():
    """Files of a token that hold none, or one that no header can carry."""
    status = ["status", "-a", "127.0.0.1:1", "--token-file"]
    for name, data, text in (("empty", b"", "no token in it"), ("an empty line", b"\nsecret", "no token in it"), ("NUL", b"a-secret\0behind\n", "character 9 of the token"),
                             ("a blank", b"two words", "character 4 of the token"), ("UTF-8", "\u00e9".encode(), "character 1 of the token"), ("large", b"x" * 70000, "more than the 65536 bytes")):
        run("a token file: " + name, 2, text, *status, put("token", data))


def configurations():
    """Values that --check-config called good, and that the daemon refused at its start."""
    url = "postgresql://127.0.0.1:1/d"
    for text, status, want in (('srs.aggregate_digest = "x"', 2, "expected 32 hex digits"), (f'srs.aggregate_digest = "{"0" * 31}g"', 2, "expected 32 hex digits"),
                               (f'srs.aggregate_digest = "{"aB" * 16}"', 0, "is good"), ('store.url = "x"', 2, "does not begin with postgresql://"),
                               ('store.url = "postgresql://u:secret@127.0.0.1/d"', 2, "has a password"), (f'store.url = "{url}?nope=1"', 2, "nope"),
                               (f'store.url = "{url}"\nstore.inputs = "folder"', 2, "needs store.inputs_folder"), (f'store.url = "{url}"\nstore.path = "/x"', 0, "no effect with store.url"),
                               (f'store.url = "{url}"', 0, "is good")):
        r = run(f"configuration: {text}", status, want, "serve", "--check-config", "--config", put("c.toml", text))
        check("no password is shown", b"secret" not in r.stdout + r.stderr)


def words():
    """Control characters in arguments, odd variables of libraries, texts in the place of numbers."""
    for args in (["\x1b[31m"], ["groth16", "info", "--\x1b[31m"], ["groth16", "info", "x", "--threads", "\x1b[31m"], ["submit", "--kind", "\x9b"], ["groth16", "info", path("\x1b\u202e")]):
        r = run(f"control characters in {args}", 2, "?", *args)
        check(f"{args}: cleaned", not set(r.stderr) & {0x1b, 0x9b, 0xae})
    for name in ("-", "--", ""):
        run(f"no command {name!r}", 2, f"no command '{name}'", name)
    listed = put("list.json", '{"sectors": 1}')
    for args in (["aggregate", "--sectors", listed, "-o", path("agg")], ["submit", "-a", "127.0.0.1:1", "--kind", "aggregate", "--sectors", listed], ["aggregate", "--c1", listed, "--proof", listed, "-o", path("agg")]):
        run(f"{args[0]} {args[1]}: the list is named", 2, "list.json: ", *args)
    run("ARGP_HELP_FMT", 0, "Usage", "prove", "porep", "--help", env={"ARGP_HELP_FMT": "rmargin=1,opt-doc-col=5000"})
    for name in ("COLUMNS", "LINES", "TZ", "LC_NUMERIC", "MALLOC_ARENA_MAX", "TMPDIR"):
        run(name, 0, "", "groth16", "info", path("k.zkey"), env={name: "-1"})
    verify = ["verify", "porep", "--c1", C1, "--proof", path("proof.json"), "--miner", "1000", "--sector"]
    for number in ("-1", "1e0", "0x1", " 1", "1 ", "+1", "1.0", "", "18446744073709551616", "9223372036854775808", "\u0661"):
        run(f"sector {number!r}", 2, "--sector wants a number", *verify, number)


def c1s():
    """A C1 in odd packings; all of these are refused, and said what they are."""
    text = open(C1, "rb").read()
    packed, b64 = gzip.compress(text), base64.b64encode(text)
    proxy = {"c1out": b64.decode(), "prover_id": [0xe8, 7] + [0] * 30, "sector_id": 1, "miner_id": "f01000"}
    bomb = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = bomb.compress(bytes(1 << 20)) + bomb.flush()
    cases = [("members of gzip", packed + packed, "behind the first member"), ("gzip with a wrong sum", packed[:-8] + bytes(4) + packed[-4:], "gzip: damaged"),
             ("gzip that says less", packed[:-4] + bytes(4), "its end claims"), ("gzip that says 4 GiB", bomb[:-4] + b"\xff" * 4, "at most 2147483648"),
             ("gzip without an end", packed[:-8], "gzip: damaged or cut"), ("a second value", text + text, "text after the end"), ("NUL behind", text + b"\0", "text after the end"),
             ("a field twice", text.rstrip()[:-1] + b',"registered_proof":"x"}', "duplicate field"), ("deep", b'{"a":' * 100000, "nested deeper"),
             ("base64 in quotes", b'"' + b64 + b'"', "neither JSON nor bincode"), ("padding inside", b64[:8] + b"==" + b64[8:], "base64: damaged"),
             ("c1out twice", json.dumps(proxy)[:-1].encode() + b',"c1out":"AA=="}', "c1out is said twice"), ("sector_id 1.0", json.dumps(dict(proxy, sector_id=1.0)).encode(), "unsigned integer"),
             ("an envelope inside itself", json.dumps(dict(proxy, c1out=base64.b64encode(json.dumps(proxy).encode()).decode())).encode(), "inside c1out"),
             ("prover_id with 256", json.dumps(dict(proxy, prover_id=[256] * 32)).encode(), "above 255")]
    for name, data, want in cases:
        run("C1: " + name, 2, want, "prove", "porep", "--c1", put("c1", data), "-o", path("never"))
    check("nothing was written", not os.path.exists(path("never")))


try:
    for part in (keys, witness, circuits, outputs, endless, unread, token_files, configurations, words, c1s):
        part()
finally:
    shutil.rmtree(D, True)
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
