#!/usr/bin/env python3
"""cuzk params list, check FOLDER and fetch against a local HTTP server that breaks off, ignores or lies about ranges,
serves wrong bytes, and is away. Usage: test_params.py CUZK"""
import hashlib, http.server, json, os, pathlib, subprocess, sys, tempfile, threading

cuzk = os.path.abspath(sys.argv[1])
passed, failed = 0, 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED:", what)


def run(*args, env=None):
    r = subprocess.run([cuzk, "params", *map(str, args), "--json"], capture_output=True, text=True, timeout=120,
                       env={**os.environ, **(env or {})})
    out = json.loads(r.stdout)
    return r.returncode, out, {f["name"]: f["state"] for f in out.get("files", [])}


def digest(data):
    return hashlib.blake2b(data).hexdigest()[:32]


# The names and sizes of the network's keys of 2 KiB sectors, with bytes of our own, in a list of our own.
network = run("list", "2KiB")[1]["files"]
files = {f["name"]: os.urandom(f["bytes"]) for f in network if f["name"].endswith(".vk")}
kinds = {f["name"]: f["kind"] for f in network}
first = next(n for n in files if kinds[n] == "winning")
big = files[first]
cids = {n: "bafy" + hashlib.sha256(n.encode()).hexdigest() for n in files}
requests, away = [], [0]


class Mirror(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        how, _, name = self.path[1:].partition("/")
        requests.append((how, name, self.headers.get("Range")))
        name = {c: n for n, c in cids.items()}.get(name, name)
        data = files.get(name)
        if data is None or how == "none":
            return self.answer(404, b"no such file")
        start = int(self.headers["Range"][6:].split("-")[0]) if self.headers.get("Range") else 0
        if how == "away" and away[0] < 2:
            away[0] += 1
            return self.answer(503, b"busy")
        if how == "wrong":
            data = data[:-1] + bytes([data[-1] ^ 1])
        if how == "long":
            data += b"x"
        if how == "noranges":
            return self.answer(200, data)
        if how == "lies" and start:
            return self.answer(206, data[:100], f"bytes 0-99/{len(data)}")
        if start >= len(data) > 0 and start:
            return self.answer(416, b"")
        body = data[start:]
        span = f"bytes {start}-{len(data) - 1}/{len(data)}" if start else None
        if how in ("breaks", "lies"):
            # the length of all, and 5000 bytes of it
            self.send_response(206 if start else 200)
            if span:
                self.send_header("Content-Range", span)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:5000])
            self.wfile.flush()
            self.close_connection = True
            return None
        return self.answer(206 if start else 200, body, span)

    def answer(self, code, body, span=None):
        self.send_response(code)
        if span:
            self.send_header("Content-Range", span)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Quiet(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        pass  # clients that hang up


server = Quiet(("127.0.0.1", 0), Mirror)
threading.Thread(target=server.serve_forever, daemon=True).start()
base = f"http://127.0.0.1:{server.server_address[1]}"

with tempfile.TemporaryDirectory() as tmp:
    tmp = pathlib.Path(tmp)
    listing = tmp / "list.json"
    listing.write_text(json.dumps({n: {"cid": cids[n], "digest": digest(d), "sector_size": 2048} for n, d in files.items()}))
    own = ("--list", listing)
    n_folder = [0]

    def folder():
        n_folder[0] += 1
        return tmp / f"params{n_folder[0]}"

    # The whole of a size, from a mirror by name; then nothing is left to do.
    d = folder()
    code, out, states = run("fetch", "2KiB", "--from", base + "/good/", "--params", d, *own)
    check(code == 0 and out["files_fetched"] == len(files), f"fetch from a good mirror: {out}")
    check(all((d / n).read_bytes() == b for n, b in files.items()), "the bytes that came are the mirror's")
    check(set(states.values()) == {"checked"}, f"states after a fetch: {states}")
    before = len(requests)
    code, out, _ = run("fetch", "2KiB", "--from", base + "/good/", "--params", d, *own)
    check(code == 0 and out["files_fetched"] == 0 and len(requests) == before, "a second fetch asks for nothing")
    # What is known without reading, from the folder's record; a changed file is not known any more.
    check(set(run("list", "2KiB", "--params", d, *own)[2].values()) == {"checked"}, "list knows what was checked")
    check(set(run("list", "2KiB", *own, env={"FIL_PROOFS_PARAMETER_CACHE": str(d)})[2].values()) == {"checked"}, "the folder from the environment")
    os.utime(d / first)
    check(run("list", "2KiB", "--params", d, *own)[2][first] == "not checked", "a file that was touched is to be checked again")
    code, out, states = run("check", d, "2KiB", *own)
    check(code == 0 and out["files_right"] == len(files) and states[first] == "checked", f"check of a good folder: {out}")
    (d / first).write_bytes(big[:-1] + bytes([big[-1] ^ 1]))
    code, out, states = run("check", d, "2KiB", *own)
    check(code == 2 and states[first] == "wrong digest" and first in out["error"]["message"] and out["files_right"] == len(files) - 1,
          f"check names the file with a wrong digest: {out}")
    (d / first).write_bytes(big[:-1])
    code, out, states = run("check", d, "2KiB", *own)
    check(code == 2 and states[first] == "wrong size", f"check names the file of a wrong size: {out}")
    code, out, _ = run("fetch", "2KiB", "--from", base + "/good", "--params", d, *own)
    check(code == 0 and out["files_fetched"] == 1 and (d / first).read_bytes() == big, "fetch replaces a file of a wrong size")

    one = ("--kind", "winning", *own)
    # A gateway is asked by CID.
    d = folder()
    code, out, _ = run("fetch", "2KiB", "--from", base + "/ipfs", "--params", d, *one)
    check(code == 0 and requests[-1][:2] == ("ipfs", cids[first]) and (d / first).read_bytes() == big, "a gateway is asked by CID")
    # A server that breaks off: continued where it stopped.
    d = folder()
    requests.clear()
    code, out, _ = run("fetch", "2KiB", "--from", base + "/breaks", "--params", d, *one)
    check(code == 0 and (d / first).read_bytes() == big, f"broken off and continued: {out}")
    check([r[2] for r in requests] == [None, "bytes=5000-", "bytes=10000-"], f"ranges asked for: {requests}")
    # A part of an earlier fetch is continued; a server without ranges begins again.
    for how in ("good", "noranges"):
        d = folder()
        d.mkdir()
        (d / (first + ".part")).write_bytes(big[:7000])
        code, out, _ = run("fetch", "2KiB", "--from", f"{base}/{how}", "--params", d, *one)
        check(code == 0 and (d / first).read_bytes() == big, f"a part is continued, {how}: {out}")
    # A part that is whole needs no server; one that is damaged is found out and deleted.
    d = folder()
    d.mkdir()
    (d / (first + ".part")).write_bytes(big)
    check(run("fetch", "2KiB", "--from", base + "/none", "--params", d, *one)[0] == 0, "a whole part is only checked")
    d = folder()
    d.mkdir()
    (d / (first + ".part")).write_bytes(b"\0" * 7000)
    code, out, _ = run("fetch", "2KiB", "--from", base + "/good", "--params", d, *one)
    check(code == 2 and out["error"]["code"] == "CUZK_E_DIGEST" and not list(d.iterdir()), f"a damaged part: {out}")
    check(run("fetch", "2KiB", "--from", base + "/good", "--params", d, *one)[0] == 0, "and the next fetch is good")
    # Wrong bytes, too many bytes, a lying range: never a file under the name.
    for how, codes in (("wrong", {"CUZK_E_DIGEST"}), ("long", {"CUZK_E_FORMAT"}), ("lies", {"CUZK_E_IO", "CUZK_E_DIGEST"})):
        d = folder()
        code, out, _ = run("fetch", "2KiB", "--from", f"{base}/{how}", "--params", d, *one)
        check(code != 0 and out["error"]["code"] in codes and not (d / first).exists(), f"{how}: {out}")
    # Away, then there. Never there: retryable. Not had: not retryable.
    d = folder()
    check(run("fetch", "2KiB", "--from", base + "/away", "--params", d, *one)[0] == 0, "a server that is away for two requests")
    code, out, _ = run("fetch", "2KiB", "--from", base + "/none", "--params", folder(), *one)
    check(code == 2 and out["error"]["code"] == "CUZK_E_NOT_FOUND", f"a mirror that does not have it: {out}")
    code, out, _ = run("fetch", "2KiB", "--from", "ftp://127.0.0.1/x", "--params", folder(), *one)
    check(code == 2 and out["error"]["code"] == "CUZK_E_INVALID", f"a URL of another protocol: {out}")
    # Before the first byte: sizes, kinds, folders, lists.
    for args, word in ((("fetch", "3KiB", "--from", base), "3KiB"), (("fetch", "1MiB", "--from", base), "no files"),
                       (("list", "2KiB", "--kind", "seal"), "seal"), (("check", tmp / "absent-folder"), "absent-folder"),
                       (("fetch", "2KiB", "--from", base, "--params", listing), "list.json")):
        code, out, _ = run(*args)
        check(code in (2, 3) and word in out["error"]["message"], f"{args}: {out}")
    for text, word in (('{"../x": {"cid": "a", "digest": "' + "0" * 32 + '", "sector_size": 1}}', "characters"),
                       ('{"x": {"cid": "a", "digest": "00", "sector_size": 1}}', "hex"), ('{"x": {}}', "cid"), ("[]", "list.json")):
        listing.write_text(text)
        code, out, _ = run("list", *own)
        check(code == 2 and word in out["error"]["message"], f"list {text}: {out}")

server.shutdown()
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
