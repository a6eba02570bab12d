#!/usr/bin/env python3
"""Every message that a user can act on, and every warning of the log, is in docs/troubleshooting.md. What the page has and
this program does not is printed, and is no failure. Run in the root of the repository."""
import glob, re, sys

# All of the program and the library; CUDA sources too.
SOURCES = ["apps/cuzk/**/*.c", "src/**/*.c", "src/**/*.cu"]
# Statuses that say by name what is wrong with the input, or that the user ended the work.
OF_INPUT = {"CUZK_E_INVALID", "CUZK_E_FORMAT", "CUZK_E_CANCELLED", "CUZK_E_ENCODING", "CUZK_E_VANILLA"}
FAIL = re.compile(r'CUZK_FAIL(?:_OS)?\(\s*[^,]+,\s*(CUZK_E_\w+|cuzk_path_status\(os\)),(?:\s*[^",]+,)?\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
EVENT = re.compile(r'(?:CUZK_LOG\([^,]+, CUZK_LOG_(?:WARN|ERROR),|log_device\(e, [01],|log_job\(e, [01],|engine_log\(e, [01],)\s*"([a-z._]+)"')

messages, events = {}, set()
for pattern in SOURCES:
    for path in glob.glob(pattern, recursive=True):
        if "/bench/" in path:
            continue
        source = open(path).read()
        events |= set(EVENT.findall(source))
        for status, literals in FAIL.findall(source):
            text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))
            text = re.sub(r"%[-0-9.*]*(?:ll|l|z)?[sudxcif]|%$", "…", text)
            if status not in OF_INPUT and text.strip("… :"):
                messages.setdefault(text, path)

page = open("docs/troubleshooting.md").read()
listed = page.split("\n## Messages of the program\n", 1)[1]
parts, named = [], set()
for row in re.findall(r"^\| (`.*?) \| ", listed, re.M):
    for part in re.findall(r"`([^`]+)`", row):
        if re.fullmatch(r"[a-z]+\.[a-z_]+", part):
            named.add(part)
        else:
            parts.append(part.strip())
bad = 0
for text, path in sorted(messages.items()):
    if not any(p in text for p in parts):
        bad += 1
        print(f"no paragraph: {path}: {text}")
for p in parts:
    if not any(p in text for text in messages):
        print(f"no message of the program has: {p}")
for e in sorted(events - named):
    bad += 1
    print(f"no paragraph for the event: {e}")
for e in sorted(named - events):
    print(f"no such event in the program: {e}")
if len(messages) < 100 or len(events) < 10:
    bad += 1
    print(f"only {len(messages)} messages and {len(events)} events were found: is the pattern right?")
print(f"{len(messages)} messages, {len(events)} events, {bad} failures")
sys.exit(1 if bad else 0)
