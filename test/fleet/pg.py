"""A PostgreSQL server of a test's own, in a temporary folder, reached through a unix socket. None: it is not installed."""
import glob, os, pwd, shutil, signal, socket, subprocess, tempfile, time


class Server:
    def __init__(self, *settings, small=False, tls=None):
        self.bin = os.path.dirname(sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))[-1])
        self.folder = tempfile.mkdtemp(prefix="cuzk-pg-", dir="/tmp")
        # small: a file system of its own that can be filled, where that is allowed
        self.is_small = small and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", self.folder], capture_output=True).returncode == 0
        os.chmod(self.folder, 0o755)
        self.user = {}
        if os.getuid() == 0:  # it does not run as root
            names = [n for n in ("postgres", "nobody") if any(p.pw_name == n for p in pwd.getpwall())]
            p = pwd.getpwnam(names[0])
            os.chown(self.folder, p.pw_uid, p.pw_gid)
            self.user = {"user": p.pw_uid, "group": p.pw_gid, "extra_groups": []}
        self.data = os.path.join(self.folder, "data")
        self.settings = [f"-c{s}" for s in settings]
        self.url = f"postgresql://cuzk@/postgres?host={self.folder}"
        subprocess.run([f"{self.bin}/initdb", "-D", self.data, "-U", "cuzk", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder, **self.user)
        self.p = None
        if tls is not None:
            self.use_tls(*tls)
        self.start()

    def use_tls(self, certificate, key):
        """TCP at self.port, with TLS and a password only."""
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        for name, source in (("server.crt", certificate), ("server.key", key)):
            path = os.path.join(self.data, name)
            shutil.copy(source, path)
            os.chmod(path, 0o600)
            if self.user:
                os.chown(path, self.user["user"], self.user["group"])
        with open(os.path.join(self.data, "pg_hba.conf"), "w") as f:
            f.write("local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n")
        self.settings += ["-clisten_addresses=127.0.0.1", f"-cport={self.port}", "-cssl=on"]
        self.url += f"&port={self.port}"

    def start(self):
        self.p = subprocess.Popen([f"{self.bin}/postgres", "-D", self.data, "-k", self.folder, "-clisten_addresses=", "-cmax_connections=300", *self.settings],
                                  stdout=open(f"{self.folder}/log", "a"), stderr=subprocess.STDOUT, cwd=self.folder, **self.user)
        for _ in range(3600):
            if subprocess.run(["psql", self.url, "-qAtc", "SELECT 1"], capture_output=True).returncode == 0:
                return
            time.sleep(0.05)
        raise SystemExit("postgres does not answer:\n" + open(f"{self.folder}/log").read()[-2000:])

    def stop(self, how=signal.SIGQUIT):
        """SIGQUIT: as by a crash."""
        self.p.send_signal(how)
        self.p.wait()

    def sql(self, text):
        r = subprocess.run(["psql", self.url, "-qAtF,", "-c", text], capture_output=True, text=True)
        if r.returncode != 0:
            raise SystemExit(text + "\n" + r.stderr)
        return [line.split(",") for line in r.stdout.splitlines()]

    def close(self):
        self.stop()
        if self.is_small:
            subprocess.run(["umount", self.folder])
        shutil.rmtree(self.folder, ignore_errors=True)


def server(*settings, small=False, tls=None):
    if not glob.glob("/usr/lib/postgresql/*/bin/postgres") or shutil.which("psql") is None:
        return None
    return Server(*settings, small=small, tls=tls)
