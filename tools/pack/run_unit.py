#!/usr/bin/env python3
"""Starts a service as its systemd unit says, in a root without systemd: tools/pack/run_unit.py ROOT UNIT LOG
User, group, RuntimeDirectory, StateDirectory, umask, limits, no new privileges, no capabilities, a file system that is read-only but
for those folders, and the notify socket. Prints "ready PID" when the service says READY=1, runs until it ends, sends it
SIGTERM on a SIGTERM of its own, and ends with its status. Run it in a mount namespace of its own (unshare --mount)."""
import os, pathlib, re, resource, shlex, signal, socket, subprocess, sys, time

root, unit, log = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
file = next(p for p in (root / "usr/lib/systemd/system" / unit, root / "lib/systemd/system" / unit) if p.exists())
service = {}
for line in file.read_text().split("\n"):
    if m := re.match(r"(\w+)=(.*)", line):
        service[m[1]] = m[2]
user, group = service["User"], service["Group"]


def in_root(*command):
    return subprocess.run(["chroot", str(root), *command], check=True, capture_output=True, text=True).stdout


def system(*command):
    subprocess.run([str(c) for c in command], check=True)


notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
address = "/run/notify.socket"
pathlib.Path(f"{root}{address}").unlink(missing_ok=True)
notify.bind(f"{root}{address}")
os.chmod(f"{root}{address}", 0o666)
writable = ["/dev", "/proc", "/sys"]
for kind, parent in (("Runtime", "/run"), ("State", "/var/lib")):
    if name := service.get(f"{kind}Directory"):
        in_root("install", "-d", "-o", user, "-g", group, "-m", service.get(f"{kind}DirectoryMode", "0755"), f"{parent}/{name}")
        writable.append(f"{parent}/{name}")
if service.get("ProtectSystem") == "strict":
    for folder in writable:
        if not os.path.ismount(f"{root}{folder}"):
            system("mount", "--bind", f"{root}{folder}", f"{root}{folder}")
    for folder in ("", "/run"):
        if os.path.ismount(f"{root}{folder}"):
            system("mount", "-o", "remount,bind,ro", f"{root}{folder}")
environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/var/lib/cuzk", "NOTIFY_SOCKET": address,
               "WATCHDOG_USEC": str(int(service.get("WatchdogSec", "0")) * 1000000)}
for key, value in service.items():
    if key.startswith("Limit"):
        what = getattr(resource, "RLIMIT_" + key.removeprefix("Limit"))
        limit = resource.RLIM_INFINITY if value == "infinity" else int(value)
        try:
            resource.setrlimit(what, (limit, limit))
        except (PermissionError, ValueError):
            print(f"run_unit: {key}={value} is not permitted here", flush=True)
privileges = ["--no-new-privs"] if service.get("NoNewPrivileges") == "yes" else []
if service.get("CapabilityBoundingSet") == "":
    privileges += ["--bounding-set=-all"]
command = ["chroot", str(root), "setpriv", f"--reuid={user}", f"--regid={group}", "--init-groups", *privileges,
           "sh", "-c", f"umask {service.get('UMask', '0022')}; exec \"$@\"", "sh", *shlex.split(service["ExecStart"])]
with open(log, "wb") as out:
    child = subprocess.Popen(command, env=environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
signal.signal(signal.SIGTERM, lambda *_: child.send_signal(signal.SIGTERM))
said, end = set(), time.time() + 600
notify.settimeout(0.2)
while child.poll() is None:
    try:
        lines = notify.recv(4096).decode().split("\n")
    except TimeoutError:
        lines = []
    if "READY=1" in lines and "READY=1" not in said:
        print(f"ready {child.pid}", flush=True)
    said.update(lines)
    if "READY=1" not in said and time.time() > end:
        print("run_unit: no READY=1 in 600 s", flush=True)
        child.kill()
if service["Type"] == "notify" and not {"READY=1", "STOPPING=1"} <= said:
    sys.exit(f"run_unit: {unit} says {sorted(said)}, and not READY=1 and STOPPING=1")
sys.exit(child.returncode)
