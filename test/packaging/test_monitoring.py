#!/usr/bin/env python3
"""What packaging/ offers for monitoring fits what the daemon shows: every metric that a rule or a panel names is in
/metrics with the labels it is asked for, the rules do what their tests say, the dashboard is its generator's.
Usage: test_monitoring.py FAKE_SERVER"""
import json, pathlib, re, shutil, subprocess, sys, urllib.request

passed, failed, skipped = 0, 0, 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED:", what)


server = subprocess.Popen([sys.argv[1], "127.0.0.1:0", "130", "0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
port = server.stdout.readline().strip()
text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20).read().decode()
server.stdin.close()
server.wait(20)

labels = {}  # metric -> names of its labels
for line in text.split("\n"):
    m = re.match(r"([a-z_]+)(?:\{(.*)\})? ", line)
    if m:
        labels.setdefault(m[1], set()).update(re.findall(r"(\w+)=\"", m[2] or ""))
check(len(labels) > 40, f"metrics: {len(labels)}")
# The server's own metrics (calls, connections) are not in this one: docs/monitoring.md, which another test holds against the daemon.
for row in re.findall(r"^\| (`cuzk_(?:grpc|tls)_[^|]*)\|[^|]*\|([^|]*)\|", pathlib.Path("docs/monitoring.md").read_text(), re.M):
    for name in re.findall(r"`(\w+)`", row[0]):
        labels.setdefault(name, set()).update(x.strip() for x in row[1].split(",") if x.strip())

ours = re.compile(r"\b((?:cuzk|process)_[a-z_]+)(\{[^}]*\})?")
dashboard = json.loads(pathlib.Path("packaging/grafana/cuzk.json").read_text())
queries = {f"panel {p['title']}": t["expr"] for p in dashboard["panels"] for t in p["targets"]}
for m in re.finditer(r"alert: (\w+)\n +expr: (.*)", pathlib.Path("packaging/prometheus/cuzk.rules.yml").read_text()):
    queries[f"alert {m[1]}"] = m[2]
check(len(queries) > 25, f"queries: {len(queries)}")
for name, query in queries.items():
    for metric, selector in ours.findall(query):
        check(metric in labels, f"{name}: no metric {metric}")
        for label in set(re.findall(r"(\w+)=~?\"", selector)) - {"instance", "job"}:
            check(label in labels.get(metric, ()), f"{name}: {metric} has no label {label}")
        for group in re.findall(r"by \(([^)]*)\) ?\(\w*\(?" + metric, query):
            for label in set(x.strip() for x in group.split(",")) - {"instance", "le"}:
                check(label in labels.get(metric, ()), f"{name}: {metric} has no label {label}")
check(subprocess.run([sys.executable, "tools/gen/gen_grafana.py", "--check"]).returncode == 0, "the dashboard is the generator's")

if shutil.which("promtool"):
    for args in (["check", "rules", "packaging/prometheus/cuzk.rules.yml"], ["test", "rules", "test/packaging/cuzk.rules.test.yml"],
                 ["check", "config", "--syntax-only", "packaging/prometheus/scrape.yml"]):
        r = subprocess.run(["promtool", *args], capture_output=True, text=True)
        check(r.returncode == 0, f"promtool {args}: {r.stdout}{r.stderr}")
else:
    skipped += 1
    print("skipped: no promtool (Debian: prometheus)")
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed else 0)
