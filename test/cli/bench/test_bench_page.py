#!/usr/bin/env python3
"""The page of a comparison in headless Chromium, light and dark: test_bench_page.py CUZK

A screenshot is decoded and looked at: the verdict's background, the colours of the layers in the stacked bars and the
timeline, the marks of what got better and worse, and nothing that runs over the page's edge.
"""
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import bench_results

WIDTH, HEIGHT = 1200, 1700
LIGHT = {"page": 0xF7F7F5, "verdict": 0xFDF0DC, "c0": 0x8DB8E8, "c1": 0xF3B27A, "c2": 0x8FCFA5, "good": 0x157347, "bad": 0xB42318}
DARK = {"page": 0x15171A, "verdict": 0x42331A, "c0": 0x2F5F96, "c1": 0x96581C, "c2": 0x2B7346, "good": 0x5FD08F, "bad": 0xFF8D80}


def pixels(path):
    """Rows of an 8-bit RGB or RGBA PNG without interlace, as tuples (colour per pixel)."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, idat = 8, b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        if kind == b"IHDR":
            w, h, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
            assert depth == 8 and colour in (2, 6) and interlace == 0
        elif kind == b"IDAT":
            idat += body
        at += 12 + n
    k = 3 if colour == 2 else 4
    raw, rows, prev = zlib.decompress(idat), [], bytes(w * k)
    for y in range(h):
        f, line = raw[y * (w * k + 1)], bytearray(raw[y * (w * k + 1) + 1:(y + 1) * (w * k + 1)])
        for i in range(len(line)) if f else ():
            a = line[i - k] if i >= k else 0
            b, c = prev[i], prev[i - k] if i >= k else 0
            if f == 1:
                line[i] = (line[i] + a) & 255
            elif f == 2:
                line[i] = (line[i] + b) & 255
            elif f == 3:
                line[i] = (line[i] + (a + b) // 2) & 255
            else:
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                line[i] = (line[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
        prev = bytes(line)
        rows.append([prev[i] << 16 | prev[i + 1] << 8 | prev[i + 2] for i in range(0, w * k, k)])
    return rows


def shoot(chromium, page, out, scheme):
    subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={out}.profile",
                    f"--blink-settings=preferredColorScheme={scheme}", f"--window-size={WIDTH},{HEIGHT}",
                    f"--screenshot={out}", page.as_uri()],
                   check=True, timeout=300, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return pixels(out)


def look(rows, want):
    counts = {}
    for row in rows:
        for c in row:
            counts[c] = counts.get(c, 0) + 1
    assert rows[2][2] == want["page"], hex(rows[2][2])
    assert all(row[WIDTH - 3] == want["page"] for row in rows), "something runs over the edge"
    least = {"page": 50000, "verdict": 30000, "c0": 20000, "c1": 5000, "c2": 1000, "good": 100, "bad": 100}
    for name, n in least.items():
        assert counts.get(want[name], 0) >= n, (name, counts.get(want[name], 0))


def main():
    cuzk = sys.argv[1]
    chromium = shutil.which("chromium")
    if chromium is None:
        print("skipped: no chromium")
        return 77
    import json
    with tempfile.TemporaryDirectory() as tmp:
        d = pathlib.Path(tmp)
        (d / "a.json").write_text(json.dumps(bench_results.result(seed=1)))
        change = {"partition/prove/ntt": 1.05, "partition/prove/msm_h/sum_full": 0.9}
        (d / "b.json").write_text(json.dumps(bench_results.result(seed=2, commit="b", **change)))
        rc = subprocess.run([cuzk, "bench", "compare", d / "a.json", d / "b.json", "--report", d / "page.html"],
                            stdout=subprocess.DEVNULL).returncode
        assert rc == 1, rc
        text = (d / "page.html").read_text()
        assert "<script" not in text and "http" not in text.replace("http-equiv", ""), "the page is self-contained"
        assert "made up &lt;&amp;&gt;" in text, "names are escaped"
        look(shoot(chromium, d / "page.html", d / "light.png", 1), LIGHT)
        look(shoot(chromium, d / "page.html", d / "dark.png", 0), DARK)
    print("2 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
