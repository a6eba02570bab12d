#!/usr/bin/env python3
"""Text of a terminal with its colours as an SVG picture: tools/gen/terminal_picture.py <TEXT >PICTURE.svg
Bold, dim, green, yellow and red are known, which is what `cuzk top` uses; another code is an error."""
import html, re, sys

INK = {"": "#d6dbe3", "1": "#ffffff", "2": "#8b94a3", "32": "#6cc474", "33": "#e0b64d", "31": "#f06f6f"}
ADVANCE, LINE, MARGIN = 7.8, 17, 12  # of a monospaced font of 13 pixels


def runs(line):
    """(code, text) of each piece of a line."""
    code, out = "", []
    for i, part in enumerate(re.split(r"\033\[([0-9;]*)m", line)):
        if i % 2 == 0:
            if part:
                out.append((code, part))
        else:
            code = "" if part in ("", "0") else part
            if code not in INK:
                raise ValueError(f"no colour for the code {code}")
    return out


def picture(text):
    lines = [runs(x.rstrip()) for x in text.rstrip("\n").split("\n")]
    for line in lines:
        for _, part in line:
            if any(ord(c) < 32 for c in part):
                raise ValueError(f"a control character in {part!r}")
    width = max(sum(len(t) for _, t in line) for line in lines)
    w, h = int(width * ADVANCE) + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}">',
           f'<rect width="{w}" height="{h}" rx="6" fill="#151920"/>',
           '<g font-family="DejaVu Sans Mono, Liberation Mono, Menlo, Consolas, monospace" font-size="13">']
    for i, line in enumerate(lines):
        at = 0
        for code, part in line:
            # each group of words at its column: no font moves what follows, and a picture keeps no two blanks
            for words in re.finditer(r"\S+(?: \S+)*", part):
                body, x = words[0], MARGIN + (at + words.start()) * ADVANCE
                weight = ' font-weight="bold"' if code == "1" else ""
                out.append(f'<text x="{x:.1f}" y="{MARGIN + i * LINE + 13}" textLength="{len(body) * ADVANCE:.1f}" '
                           f'lengthAdjust="spacingAndGlyphs" fill="{INK[code]}"{weight}>{html.escape(body, quote=False)}</text>')
            at += len(part)
    return "\n".join(out + ["</g>", "</svg>", ""])


if __name__ == "__main__":
    sys.stdout.write(picture(sys.stdin.read()))
