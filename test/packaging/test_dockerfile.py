#!/usr/bin/env python3
"""What packaging/Dockerfile names is there: stages, scripts, packages' names, ports, user, folders, commands of the program. Runs what can run
without a container; tools/dockerfile_run.sh does the rest in a bare Debian. Usage: test_dockerfile.py CUZK"""
import os, pathlib, re, shlex, subprocess, sys

sys.path.insert(0, "tools/pack")
from dockerfile_steps import steps

cuzk = os.path.abspath(sys.argv[1])
passed, failed = 0, 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED:", what)


def program(*arguments):
    return subprocess.run([cuzk, *arguments], capture_output=True, text=True, timeout=60)


all_steps = steps(pathlib.Path("packaging/Dockerfile").read_text())
stages = {m[1]: s for s, word, rest in all_steps if word == "FROM" and (m := re.search(r" AS (\w+)$", rest))}
check(stages == {"build": 1}, f"stages: {stages}")
last = {word: rest for stage, word, rest in all_steps if stage == 2}
for word in ("USER", "ENV", "EXPOSE", "VOLUME", "HEALTHCHECK", "ENTRYPOINT"):
    check(word in last, f"the last stage has {word}")

scripts = 0
for stage, word, rest in all_steps:
    if word == "COPY" and "--from" in rest:
        check(re.search(r"--from=(\w+)", rest)[1] in stages, rest)
    if word == "RUN":
        for script, argument in re.findall(r"(tools/\S+) ?(\w*)", rest):
            scripts += 1
            check(os.access(script, os.X_OK), f"{script} can be run")
            if argument:
                check(re.search(rf"^{argument}\)", pathlib.Path(script).read_text(), re.M), f"{script} knows {argument}")
        check(subprocess.run(["sh", "-n", "-c", rest]).returncode == 0, f"a shell reads: {rest}")
check(scripts == 3, f"scripts: {scripts}")

# The package of the daemon is what is copied and installed, and not those of the library.
pattern = re.search(r"/out/(\S+)", last["COPY"])[1]
names = [f"{x}_0.1.0_amd64.deb" for x in ("cuzk", "cuzk-cpu", "libcuzk0", "libcuzk-dev", "libcuzk-client0")]
check([n for n in names if pathlib.PurePath(n).match(pattern)] == names[:2], f"what {pattern} takes")

# The user, as the package makes it, and the folder of the store, which only systemd would make.
postinst = pathlib.Path("packaging/debian/postinst").read_text()
check(re.search(rf"adduser .* {last['USER']}$", postinst, re.M), "the package makes the user")
folder = last["VOLUME"]
runs = [rest for stage, word, rest in all_steps if stage == 2 and word == "RUN"]
check(any(re.fullmatch(rf"install -d -o {last['USER']} -g {last['USER']} -m \d+ {re.escape(folder)}", x) for x in runs), f"{folder} is the user's")
check(f"{folder}/jobs.db" in pathlib.Path("packaging/cuzk.toml").read_text(), f"the store is in {folder}")

# The command, with the packaged file in the place of the installed one, and its ports.
entry = shlex.split(last["ENTRYPOINT"])
check(entry[:2] == ["cuzk", "serve"] and "/etc/cuzk/cuzk.toml" in entry, f"{entry}")
r = program("serve", "--check-config", *["packaging/cuzk.toml" if x == "/etc/cuzk/cuzk.toml" else x for x in entry[2:]])
check(r.returncode == 0 and "the configuration is good" in r.stdout + r.stderr, f"the configuration is good: {r.stdout}{r.stderr}")
ports = sorted(re.findall(r"0\.0\.0\.0:(\d+)", last["ENTRYPOINT"]))
check(sorted(last["EXPOSE"].split()) == ports and len(ports) == 2, f"ports {ports} and {last['EXPOSE']}")
check(last["ENV"] == f"CUZK_ADDR=http://127.0.0.1:{ports[0]}", last["ENV"])
options, _, health = last["HEALTHCHECK"].partition("CMD ")
check(all(re.fullmatch(r"--(interval|timeout|start-period|retries)=\d+s", x) for x in options.split()), options)
words = shlex.split(health)
check(words[0] == "cuzk" and program(*words[1:], "--help").returncode == 0, f"health: {health}")
r = subprocess.run([cuzk, *words[1:]], capture_output=True, text=True, timeout=60, env={**os.environ, "CUZK_ADDR": "http://127.0.0.1:1"})
check(r.returncode != 0, "a daemon that does not answer is not healthy")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
