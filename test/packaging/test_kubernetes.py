#!/usr/bin/env python3
"""The manifests of packaging/kubernetes: they parse, what they refer to is there, and the program has the paths, ports, options, keys and
the metric that they name.

Usage: test_kubernetes.py CUZK   (in the repository's root)
"""
import glob, os, re, subprocess, sys, tempfile

try:
    import yaml
except ImportError:
    print("PyYAML is not installed (tools/deps.sh test installs it)")
    sys.exit(77)

failed = 0


def check(what, ok, detail=""):
    global failed
    print("ok    " if ok else "FAILED", what, detail if not ok else "")
    failed += not ok


def read():
    objects = {}
    for path in sorted(glob.glob("packaging/kubernetes/*.yaml")):
        for o in yaml.safe_load_all(open(path)):
            key = (o["kind"], o["metadata"]["name"])
            check(f"{path}: {key} is there once, with a version", key not in objects and "apiVersion" in o)
            objects[key] = o
    return objects


def check_references(objects):
    pod = objects[("StatefulSet", "cuzk")]["spec"]["template"]
    spec, labels = pod["spec"], pod["metadata"]["labels"]
    (container,) = spec["containers"]
    ports = {p["name"]: p["containerPort"] for p in container["ports"]}
    volumes = {v["name"]: v for v in spec["volumes"]}
    for m in container["volumeMounts"]:
        check(f"the volume {m['name']} is there", m["name"] in volumes)
    for v in volumes.values():
        for kind, field, at in (("ConfigMap", "configMap", "name"), ("Secret", "secret", "secretName")):
            if field in v:
                check(f"{kind} {v[field][at]} is there", (kind, v[field][at]) in objects)
    for (kind, name), o in objects.items():
        if kind == "Service":
            check(f"service {name} finds the pods", all(labels.get(k) == v for k, v in o["spec"]["selector"].items()))
            for p in o["spec"]["ports"]:
                check(f"service {name}: port {p['targetPort']} is the container's", ports.get(p["targetPort"]) == p["port"])
        if kind in ("StatefulSet", "PodDisruptionBudget"):
            check(f"{kind} {name} finds the pods", all(labels.get(k) == v for k, v in o["spec"]["selector"]["matchLabels"].items()))
    check("the headless service is there", objects[("Service", objects[("StatefulSet", "cuzk")]["spec"]["serviceName"])]["spec"]["clusterIP"] == "None")
    target = objects[("HorizontalPodAutoscaler", "cuzk")]["spec"]["scaleTargetRef"]
    check("what is scaled is there", (target["kind"], target["name"]) in objects)
    check("the scraper's port is the container's", int(pod["metadata"]["annotations"]["prometheus.io/port"]) == ports["http"])
    return spec, container, ports, pod


def check_program(cuzk, objects, spec, container, ports, pod):
    text = objects[("ConfigMap", "cuzk")]["data"]["cuzk.toml"]
    routes = re.search(r"route_path\[N_ROUTES\] = \{(.*?)\};", open("src/api/api_server.c").read(), re.S).group(1)
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        get = container[probe]["httpGet"]
        check(f"{probe}: the daemon has {get['path']}", f'"{get["path"]}"' in routes and get["port"] in ports)
    check("the daemon has the scraper's path", f'"{pod["metadata"]["annotations"]["prometheus.io/path"]}"' in routes)
    for key, port in (("listen", "grpc"), ("http_listen", "http")):
        check(f"daemon.{key} is the container's port", re.search(rf"^{key} = .*:{ports[port]}\"", text, re.M) is not None)
    verbs = subprocess.run([cuzk, "serve", "--help"], capture_output=True, text=True).stdout
    for word in container["command"][1:]:
        if word.startswith("--"):
            check(f"cuzk serve has {word}", word + "=" in verbs or word + " " in verbs)
    mounts = {m["mountPath"]: m for m in container["volumeMounts"]}
    secret = objects[("Secret", "cuzk")]["stringData"]
    for path in re.findall(r'[="](/[a-z][^"&]*)', text):
        folder, name = os.path.split(path)
        is_secret = mounts.get(folder, {}).get("name") == "secret" and name in secret
        check(f"{path} is mounted", path in mounts or is_secret)
    drain = int(re.search(r'drain_timeout = "(\d+)m"', text).group(1)) * 60
    wait = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    check("the pod has time to drain", spec["terminationGracePeriodSeconds"] >= drain + wait + 10)
    with tempfile.TemporaryDirectory() as folder:  # the daemon itself reads the configuration
        tokens = os.path.join(folder, "tokens")
        with open(tokens, "w") as f:
            f.write(secret["tokens"])
        path = os.path.join(folder, "cuzk.toml")
        with open(path, "w") as f:
            f.write(text.replace("/etc/cuzk/secret/tokens", tokens))
        r = subprocess.run([cuzk, "serve", "--check-config", "--config", path], capture_output=True, text=True)
        check("the daemon takes the configuration", r.returncode == 0 and "unknown" not in r.stdout + r.stderr, r.stdout + r.stderr)
    metric = objects[("HorizontalPodAutoscaler", "cuzk")]["spec"]["metrics"][0]["external"]["metric"]["name"]
    check(f"the daemon has the metric {metric}", any(f'"{metric}"' in open(p).read() for p in glob.glob("apps/cuzk/serve/*.c")))


def main():
    objects = read()
    check_program(os.path.abspath(sys.argv[1]), objects, *check_references(objects))
    sys.exit(1 if failed else 0)


main()
