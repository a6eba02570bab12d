#!/usr/bin/env python3
"""The page in headless Chromium, against a scripted engine and against what a daemon can do to it.

Usage: test_page.py FAKE_SERVER            the checks; exit 77 when there is no Chromium
       test_page.py FAKE_SERVER --shot OUT.png [WIDTH HEIGHT SECOND [light|dark]]
       test_page.py --url URL --shot OUT.png [WIDTH HEIGHT]
"""
import base64, hashlib, html, http.client, http.server, json, os, re, shutil, struct, subprocess, sys, tempfile, threading, zlib

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
failed = 0


def check(what, ok, detail=""):
    global failed
    print(("ok    " if ok else "FAILED"), what, "" if ok else detail)
    failed += not ok


def browse(url, *args, width=1280, height=800, budget=4000):
    """Standard output of the browser, and what it printed on the console of the page."""
    with tempfile.TemporaryDirectory() as home:
        r = subprocess.run(
            [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--no-first-run", "--disable-background-networking", "--enable-logging=stderr", f"--user-data-dir={home}",
             f"--window-size={width},{height}", f"--virtual-time-budget={budget}", *args, url],
            capture_output=True, text=True, timeout=600)
        console = [l for l in r.stderr.split("\n") if "CONSOLE" in l]
        return r.stdout, console


class Fake:
    def __init__(self, program, second, speed=1):
        self.p = subprocess.Popen([program, "127.0.0.1:0", str(second), str(speed), "300"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        self.port = int(self.p.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}/"

    def get(self, path):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        c.request("GET", path)
        r = c.getresponse()
        return r, r.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.p.stdin.close()
        self.p.wait(120)


class Stand(http.server.ThreadingHTTPServer):
    """Serves the page with its own headers, and statuses of our choice: a list, then silence."""

    def __init__(self, page, policy, statuses):
        stand, self.asked = self, []

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                stand.asked.append(self.path)
                if self.path == "/":
                    body, kind = page, "text/html; charset=utf-8"
                elif self.path.startswith("/status") and statuses:
                    body, kind = json.dumps(statuses.pop(0)).encode(), "application/json"
                else:
                    self.close_connection = True
                    self.connection.close()
                    return
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Content-Security-Policy", policy)
                self.end_headers()
                self.wfile.write(body)

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()


def text_of(dom, ident):
    m = re.search(r'<(\w+)[^>]*\bid="%s"[^>]*>' % ident, dom)
    if not m:
        return ""
    depth, at = 1, m.end()
    for t in re.finditer(r"<(/?)%s\b[^>]*>" % m.group(1), dom[at:]):
        depth += -1 if t.group(1) else 1
        if depth == 0:
            return html.unescape(re.sub(r"<[^>]+>", " ", dom[at:at + t.start()]))
    return ""


def pixels(png):
    """Width, height and rows of a PNG of 8-bit RGB or RGBA."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data = 8, b""
    while at < len(png):
        n, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + n]
        if kind == b"IHDR":
            w, hh, depth, colour = struct.unpack(">IIBB", body[:10])
            assert depth == 8 and colour in (2, 6)
            bpp = 3 if colour == 2 else 4
        elif kind == b"IDAT":
            data += body
        at += 12 + n
    raw, stride, rows, prev = zlib.decompress(data), w * bpp, [], bytearray(w * bpp)
    for y in range(hh):
        f, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a = line[i - bpp] if i >= bpp else 0
            b, c = prev[i], prev[i - bpp] if i >= bpp else 0
            if f == 1:
                line[i] = (line[i] + a) & 255
            elif f == 2:
                line[i] = (line[i] + b) & 255
            elif f == 3:
                line[i] = (line[i] + (a + b) // 2) & 255
            elif f == 4:
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                line[i] = (line[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
        rows.append(bytes(line))
        prev = line
    return w, hh, bpp, rows


def count_near(png, want, slack=40):
    """Pixels near a colour: bars of different jobs differ a little."""
    w, hh, bpp, rows = pixels(png)
    return sum(1 for r in rows for x in range(0, w * bpp, bpp)
               if abs(r[x] - want[0]) < slack and abs(r[x + 1] - want[1]) < slack and abs(r[x + 2] - want[2]) < slack)


def shot(url, out, width, height, *args):
    browse(url, f"--screenshot={out}", *args, width=width, height=height)
    with open(out, "rb") as f:
        return f.read()


def control():
    """The check for a silent console can fail."""
    _, console = browse("data:text/html,<script>console.error('x')</script>", "--dump-dom", budget=500)
    check("the console is heard", len(console) == 1, console)


def page_and_policy(fake):
    r, page = fake.get("/")
    policy = r.getheader("Content-Security-Policy")
    text = page.decode()
    for kind in ("style", "script"):
        inside = re.search(rf"<{kind}>(.*?)</{kind}>", text, re.S).group(1)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        check(f"the policy names the digest of the {kind}", f"{kind}-src 'sha256-{digest}'" in policy, policy)
    check("the policy allows nothing else", "default-src 'none'" in policy and "unsafe" not in policy, policy)
    foreign = [u for u in re.findall(r"\bhttps?://[^\s\"'<>]+", text) if not u.startswith("http://www.w3.org/2000/svg")]
    check("the page names no other host", not foreign, foreign)
    check("the page makes no markup from text", not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b", text))
    return page, policy


def under_load(fake):
    dom, console = browse(fake.url, "--dump-dom")
    check("nothing on the console", not console, console)
    bars = int((re.search(r'data-bars="(\d+)"', dom) or [0, 0])[1])
    lanes = (re.search(r'data-lanes="([^"]*)"', dom) or ["", ""])[1]
    check("the timeline has bars", bars > 60, bars)
    check("lanes of stages and devices", all(l in lanes for l in ("Witness:", "GPU 0:2", "GPU 1:2", "GPU 2:", "Assemble, verify:")), lanes)
    check("the state names the quarantine", "1 of 3 devices quarantined" in text_of(dom, "state"), text_of(dom, "state"))
    tiles = text_of(dom, "tiles")
    check("tiles", all(w in tiles for w in ("Proofs in the last minute", "Running", "Waiting", "Failed", "Memory budget", "of 110")), tiles)
    jobs = text_of(dom, "jobs")
    check("jobs of every kind", all(w in jobs for w in ("porep-1000-", "winpost-1000-", "PoRep", "WinningPoSt", "running", "completed")), jobs[:600])
    check("an id as Curio writes it", "wdpost-1000-0-[17 4 " in jobs, jobs[:600])
    check("devices", "quarantined" in text_of(dom, "devices") and "NVIDIA H200" in text_of(dom, "devices"))
    check("what devices can do", all(w in text_of(dom, "devices") for w in ("porep-32g", "resident, 7.9", "streamed, about 7.9", "not possible: needs 9")), text_of(dom, "devices"))
    check("set-aside circuits", "snap-32g" in text_of(dom, "devices") and "set aside for" in text_of(dom, "devices"), text_of(dom, "devices"))
    check("what the driver says of cards", "61 \u00b0C, 413 W, 1980 MHz, busy 97 %" in text_of(dom, "devices"), text_of(dom, "devices"))
    check("queues", all(w in text_of(dom, "queues") for w in ("critical", "low", "SnapDeals", "WindowPoSt")))
    check("memory and caches", all(w in text_of(dom, "memory") for w in ("resident", "porep-32g", "SRS on GPU", "idle")), text_of(dom, "memory"))
    r, body = fake.get("/history")
    d = json.loads(body)
    check("a day in the history", r.status == 200 and len(body) < 32768 and all(len(v) == 288 for v in d.values() if isinstance(v, list)), body[:200])
    canvas = re.search(r'<canvas id="daychart"[^>]*>', dom).group(0)
    shown = {k: int(v) for k, v in re.findall(r'data-(samples|completed|failed)="(\d+)"', canvas)}
    # the scripted jobs go on between the two requests
    check("the last day is drawn", shown["samples"] == 288 and shown["failed"] >= 30 and 0 <= sum(d["completed"]) - shown["completed"] < 500, (shown, sum(d["completed"])))
    words = text_of(dom, "daysum")
    check("and summed up", all(w in words for w in ("proofs in 23 h 5", "failed", "slots busy", "most waiting 2", "hottest card 6", "most power 1,400 W")), words)
    check("squares of partitions", len(re.findall(r'class="sq ', dom)) > 20)


def looks(fake, tmp):
    for dark in (False, True):
        png = shot(fake.url, os.path.join(tmp, "a.png"), 1280, 800, *(["--blink-settings=preferredColorScheme=0"] if dark else []))
        w, hh, _, rows = pixels(png)
        name = "dark" if dark else "light"
        check(f"{name}: 1280 x 800", (w, hh) == (1280, 800), (w, hh))
        device, witness = count_near(png, (0xc8, 0x6a, 0x15)), count_near(png, (0x4a, 0x6e, 0xe0))
        check(f"{name}: bars of the devices and of the witness are drawn", device > 5000 and witness > 3000, (device, witness))
        ground = rows[500][:3]
        check(f"{name}: the background is", (max(ground) < 60) == dark, ground)
    page = """<!doctype html><meta charset=utf-8><iframe id=f src=%s width=390 height=844></iframe><pre id=o></pre><script>
    setTimeout(() => { const d = f.contentDocument.documentElement; o.textContent = d.scrollWidth + " " + d.clientWidth; }, 2500);</script>"""
    r, body = fake.get("/")
    # the frame needs the same origin and no policy against frames, so a stand serves both
    inner = Stand(body, "frame-ancestors 'self'", [json.loads(fake.get("/status")[1])] * 20)
    outer = page % inner.url
    handler = inner.RequestHandlerClass
    plain = handler.do_GET

    def do_get(self):
        if self.path != "/outer":
            return plain(self)
        data = outer.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
    handler.do_GET = do_get
    dom, _ = browse(inner.url + "outer", "--dump-dom")
    widths = text_of(dom, "o").split()
    check("on a phone nothing is wider than the screen", len(widths) == 2 and widths[0] == widths[1] and 300 < int(widths[0]) <= 390, widths)
    inner.shutdown()


def hostile(fake, page, policy):
    evil = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    status = json.loads(fake.get("/status")[1])
    for job in status["pipelines"] + status["queued"]:
        job["job_id"] = evil
    for dev in status["devices"]:
        dev["name"] = evil
    stand = Stand(page, policy, [status] * 20)
    dom, console = browse(stand.url, "--dump-dom")
    check("a client's words stay words", "<img" not in dom and "owned</title>" not in dom and "onerror" in text_of(dom, "jobs"), dom[-300:])
    check("and nothing was blocked because nothing was tried", not console, console)
    stand.shutdown()


def fleet(fake, page, policy):
    """A member of a fleet shows all of them; a daemon that is alone shows nothing of a fleet."""
    status = json.loads(fake.get("/status")[1])
    dom, _ = browse(Stand(page, policy, [status] * 20).url, "--dump-dom")
    check("no fleet without a fleet", re.search(r'id="fleet"[^>]*hidden', dom) is not None)
    members = [{"name": "host-1", "state": "alive", "address": "h1:9820", "version": "1.2", "heard_ms_ago": 900, "places": 4, "devices": 2, "healthy_devices": 2,
                "loaded": " porep-32g ", "claimed": 1, "running": 3, "partitions": 7, "completed": 41, "failed": 0},
               {"name": "<b>host-2", "state": "late", "address": "", "version": "1.2", "heard_ms_ago": 70000, "places": 4, "devices": 2, "healthy_devices": 1,
                "loaded": " ", "claimed": 0, "running": 0, "partitions": 0, "completed": 0, "failed": 0}]
    status["fleet"] = {"reachable": True, "members": members, "clients": [], "queued": 12, "claimed": 1, "running": 3, "places": 8, "wait_ms": 90000,
                       "partitions_running": 7, "partitions_waiting": 2, "partitions_proved": 1}
    dom, console = browse(Stand(page, policy, [status] * 20).url, "--dump-dom")
    text = " ".join(text_of(dom, "fleet").split())
    check("nothing on the console with a fleet", not console, console)
    check("the fleet's members", all(w in text for w in ("host-1", "alive", "2/2", "<b>host-2", "late", "1/2")), text)
    check("the fleet's sums", all(w in text for w in ("3 running", "13 waiting", "8 places", "7 partitions running, 2 waiting")), text)
    status["fleet"] = {"reachable": False}
    dom, _ = browse(Stand(page, policy, [status] * 20).url, "--dump-dom")
    check("a database that cannot be reached", "cannot be reached" in text_of(dom, "fleet"), text_of(dom, "fleet"))


def gone(fake, page, policy):
    first, second = (json.loads(fake.get("/status")[1]) for _ in range(2))
    stand = Stand(page, policy, [first, second])
    dom, _ = browse(stand.url, "--dump-dom", budget=8000)
    check("says that the daemon is gone", '<body class="gone">' in dom and "has not answered since" in text_of(dom, "gone"), text_of(dom, "gone"))
    check("and keeps what was last known", "porep-1000-" in text_of(dom, "jobs"))
    check("and goes on asking", len([p for p in stand.asked if p.startswith("/status")]) >= 4, stand.asked)
    stand.shutdown()
    stand = Stand(page, policy, [first] * 2)
    dom, _ = browse(stand.url, "--dump-dom", budget=1500)
    check("no alarm while it answers", '<body class="gone">' not in dom)
    stand.shutdown()
    empty = dict(first, pipelines=[], queued=[], devices=[], gpu_workers=[], allocations={"srs": [], "pce": []}, now_us=5)
    stand = Stand(page, policy, [first, empty, empty, empty, empty, empty, empty])
    dom, console = browse(stand.url, "--dump-dom")
    check("a restarted, empty daemon", "no jobs in the last minute" in text_of(dom, "jobs") and 'data-bars="0"' in dom and not console, console)
    stand.shutdown()


def main():
    if not BROWSER:
        print("skipped: no Chromium")
        return 77
    args = sys.argv[1:]
    if "--url" in args:
        url, rest = args[1], args[args.index("--shot") + 1:]
        shot(url, os.path.abspath(rest[0]), *(int(v) for v in (rest[1:3] or (1280, 800))))
        return 0
    if "--shot" in args:
        rest = args[args.index("--shot") + 1:]
        width, height, second = (int(v) for v in (rest[1:4] or (1280, 800, 140)))
        with Fake(args[0], second) as fake:
            shot(fake.url, os.path.abspath(rest[0]), width, height,
                 *(["--blink-settings=preferredColorScheme=0"] if rest[4:5] == ["dark"] else []))
        return 0
    # slow, so that the same is there when the browser comes to it late
    with Fake(args[0], 100, 0.2) as fake, tempfile.TemporaryDirectory() as tmp:
        control()
        page, policy = page_and_policy(fake)
        under_load(fake)
        looks(fake, tmp)
        hostile(fake, page, policy)
        fleet(fake, page, policy)
        gone(fake, page, policy)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
