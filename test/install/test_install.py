#!/usr/bin/env python3
"""The installed tree: test_install.py BUILD (run from the repository root).

Installs the components lib and dev into a folder, and from then on uses nothing but that folder: examples by pkg-config
(shared and static) and by find_package, headers alone as C99 and C++17, the ABI record, and the golden proofs of
every kind by the Python binding.
"""
import ctypes, importlib, json, os, pathlib, re, subprocess, sys, tempfile

from tree import install

BUILD = pathlib.Path(sys.argv[1]).resolve()
VECTORS = pathlib.Path("test/vectors/groth16").resolve()
AGGREGATE, CIRCOM, FILECOIN, SNARKJS = (VECTORS.parent / x for x in ("aggregate", "circom", "filecoin", "snarkjs"))
done = 0


def run(*command, **more):
    global done
    r = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if r.returncode != 0:
        sys.exit(f"failed ({r.returncode}): {' '.join(str(c) for c in command)}\n{r.stdout}{r.stderr}")
    done += 1
    return r.stdout


def check(what, ok):
    global done
    if not ok:
        sys.exit(f"failed: {what}")
    done += 1


def aggregate_files(folder):
    """Arguments of the example: proofs of the tiny circuit."""
    [tiny] = [x for x in json.loads((AGGREGATE / "vectors.json").read_text())["sets"] if x["name"] == "tiny-4"]
    flat = lambda x: bytes.fromhex(x) if isinstance(x, str) else b"".join(flat(y) for y in x)
    (folder / "proofs").write_bytes(flat(tiny["proofs"]))
    (folder / "claims").write_bytes(flat(tiny["public_inputs_le"]))
    return [AGGREGATE / "fake-16.srs", AGGREGATE / "tiny.vk", 4, folder / "proofs", folder / "claims"]


def examples(prefix, pkgconfig, folder, files):
    env = dict(os.environ, PKG_CONFIG_PATH=str(pkgconfig), LD_LIBRARY_PATH=str(pkgconfig.parent))
    source = prefix / "share/cuzk/bindings/c"
    vk, proof, inputs = files
    d = json.loads((VECTORS / "vectors.json").read_text())
    window = [FILECOIN / f"window.sector{k}.vanilla.bin" for k in (1, 2)]
    for name, arguments in (("status", []), ("verify", [vk, proof, inputs]), ("params", ["2048"]),
                            ("prove", [folder / "params", d["common"]["post_randomness"], folder / "window.proof", *window]),
                            ("circom", [SNARKJS / "mixed.zkey", CIRCOM / "mixed.wtns"]),
                            ("aggregate", aggregate_files(folder))):  # client: test_client.py
        for kind in ("shared", "static"):
            flags = run("pkg-config", "--cflags", "--libs", *(["--static"] if kind == "static" else []), "cuzk", env=env).split()
            if kind == "static":
                flags = [f":libcuzk.a" if f == "-lcuzk" else f for f in flags]
                flags = ["-l" + f if f.startswith(":") else f for f in flags]
            program = folder / f"{name}_{kind}"
            run("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", source / f"{name}.c", "-o", program, *flags, env=env)
            run(program, *arguments, env=env)
    spoiled = folder / "spoiled"
    first, *rest = inputs.read_bytes()
    spoiled.write_bytes(bytes([first ^ 1, *rest]))
    check("the example refuses another input", subprocess.run([folder / "verify_shared", vk, proof, spoiled], env=env,
                                                              capture_output=True).returncode == 1)
    run("cmake", "-S", source, "-B", folder / "cmake", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder / "cmake")
    run(folder / "cmake/verify", vk, proof, inputs)
    run(folder / "cmake/verify_static", vk, proof, inputs)


def headers(prefix, folder):
    for h in sorted((prefix / "include/cuzk").glob("*.h")):
        for compiler, standard, suffix in (("cc", "c99", "c"), ("c++", "c++17", "cpp")):
            source = folder / f"header.{suffix}"
            source.write_text(f"#include <cuzk/{h.name}>\n#include <cuzk/{h.name}>\n")
            run(compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I", prefix / "include", source)


def proofs(cuzk, folder, claim):
    """Proofs by the Python binding: of a WindowPoSt with parameters in folder, and of circom circuits."""
    inputs = [(FILECOIN / f"window.sector{k}.vanilla.bin").read_bytes() for k in (1, 2)]
    request = dict(registered_proof=10, randomness=claim["randomness"])
    steps = []
    with cuzk.Prover(params_folder=folder, threads=2, devices="cpu") as prover:
        prover.load(cuzk.WINDOW, 2048)
        task = prover.submit(cuzk.WINDOW, inputs, spans=True, progress=lambda step, done, total: steps.append(step), **request)
        proof = task.result()
        cuzk.verify_post(cuzk.VerifyingKey.load(cuzk.WINDOW, 2048, folder), proof, **claim)
        check("progress has steps", {"parse", "check", "prove"} <= set(steps))
        check("spans have steps", {"job", "witness", "prove", "verify"} <= {s.name for s in task.spans()} or
              {"job", "check", "prove", "verify"} <= {s.name for s in task.spans()})
        for what, arguments, status in (("a cancelled job", dict(progress=lambda *_: True), "CUZK_E_CANCELLED"),
                                        ("other randomness", dict(randomness=bytes(32)), "CUZK_E_VANILLA")):
            try:
                prover.prove(cuzk.WINDOW, inputs, **{**request, **arguments})
                check(what, False)
            except cuzk.Error as e:
                check(f"{what}: {e.status}", e.status == status)
        key = prover.circom_key(str(SNARKJS / "mixed.zkey"))
        tasks = [prover.submit_circom(key, (CIRCOM / "mixed.wtns").read_bytes()) for _ in range(4)]
        for t in tasks:
            key.verify(t.result(), t.public_inputs())
        check("public.json", json.loads(cuzk.circom_public_json(tasks[0].public_inputs())) ==
              json.loads((SNARKJS / "mixed.public.json").read_text()))
        check("proof.json", json.loads(cuzk.circom_proof_json(tasks[0].result())).keys() ==
              json.loads((SNARKJS / "mixed.proof.json").read_text()).keys())


def parts(cuzk, refused, cases, d):
    """Claims of one partition, replica_id in place of what it is made of, sizes in place of registered types."""
    invalid = ("CUZK_E_INVALID",)
    (_, seal_key, seal_proof, seal), (_, post_key, post_proof, post) = cases[:2]
    cuzk.verify_seal(seal_key, seal_proof, **seal, partition=0)
    check("a partition that is not there", refused(cuzk.verify_seal, seal_key, seal_proof, statuses=invalid, **seal, partition=1))
    replica_id = bytes(json.loads(pathlib.Path("test/vectors/filecoin/porep-v1_1.c1.json").read_text())["replica_id"])
    less = {k: v for k, v in seal.items() if k not in ("miner_id", "sector_number", "ticket")}
    cuzk.verify_seal(seal_key, seal_proof, **less, replica_id=replica_id)
    check("another replica_id", refused(cuzk.verify_seal, seal_key, seal_proof, **less, replica_id=replica_id[1:] + b"\1"))
    all_inputs = cuzk.seal_inputs(**{**seal, "registered_proof": 15})
    each = len(all_inputs) // 13
    check("inputs of partition 7 of 13", each * 13 == len(all_inputs) and
          cuzk.seal_inputs(**{**seal, "registered_proof": 15}, partition=7) == all_inputs[7 * each:8 * each])
    by_size = {**post, "registered_proof": 99, "sector_bytes": 2048}
    cuzk.verify_post(post_key, post_proof, **by_size, kind=cuzk.WINNING)
    check("a PoSt of another kind", refused(cuzk.verify_post, post_key, post_proof, statuses=invalid, **by_size, kind=cuzk.POREP))
    _, update_key, update_proof, update = cases[4]
    update = {**update, "registered_proof": 99, "sector_bytes": 2048}
    cuzk.verify_update(update_key, update_proof, **update, partition=0)
    check("no such partition of an update", refused(cuzk.verify_update, update_key, update_proof, statuses=invalid, **update, partition=1))


def layouts(*modules):
    """The structs of the Python binding, which are written by hand, against the record of the C interface."""
    record = json.loads(pathlib.Path("test/abi/abi-0.json").read_text())["layouts"]
    structs = {x for m in modules for x in vars(m).values() if isinstance(x, type) and issubclass(x, ctypes.Structure)} - {ctypes.Structure}
    for struct in structs:
        snake = re.sub("(?<=.)(?=[A-Z])", "_", struct.__name__.lstrip("_")).lower()
        prefixes = ("cuzk_params_",) if struct.__module__.endswith("_params") else ("cuzk_", "cuzk_task_")
        [name] = [p + snake for p in prefixes if p + snake in record]
        check(f"{name} has {ctypes.sizeof(struct)} bytes in Python", record[name][0] == ctypes.sizeof(struct))
        fields = {f"{name}.{x[0]}": [getattr(struct, x[0]).offset, getattr(struct, x[0]).size] for x in struct._fields_}
        check(f"fields of {name} in Python", all(record.get(f, place) == place for f, place in fields.items()))
        check(f"{name} has all fields", {f for f in record if f.startswith(name + ".")} <= set(fields))
    check("all structs are there", len(structs) >= 14)


def parameter_files(cuzk, folder, refused):
    """Lists, digests, points and chains of cuzk/params.h, in an empty folder that is empty again at the end."""
    format_error, not_found = ("CUZK_E_FORMAT",), ("CUZK_E_NOT_FOUND",)
    corpus = pathlib.Path("fuzz/corpus/params").resolve()
    files = cuzk.params_files()
    check("the list of parameter files", any(f["sector_bytes"] == 32 << 30 and f["kind"] == cuzk.POREP for f in files))
    own = cuzk.ParamsList()
    check("the network's list", len(own) == len(files) > 20 and {f.kind_name for f in own} >= {"porep", "window", "aggregate"})
    check("an empty folder", {own.state(i, str(folder)) for i in range(len(own))} == {cuzk.ABSENT} and own.state(-1) == cuzk.ABSENT)
    check("names of states", [cuzk.params_state_name(x) for x in (cuzk.PRESENT, 6)] == ["not checked", "unknown"])
    other = cuzk.ParamsList.read(b'{"x.vk": {"cid": "bafyabc", "digest": "1234567890ABCDEF1234567890abcdef", "sector_size": 2048}}', "own.json")
    check("another network's list", list(other) == [("x.vk", "bafyabc", "1234567890abcdef1234567890abcdef", -1, "other", 2048, 0)])
    for bad in (b"", b"[]", b'{"x": {"cid": "a", "digest": "00", "sector_size": 1}}'):
        check(f"the list {bad}", refused(cuzk.ParamsList.read, bad, "own.json", statuses=format_error))
    copy = folder / "x.vk"
    copy.write_bytes(b"hello\n")
    check("a copy", other.state(0, str(folder)) == cuzk.PRESENT)
    other.note(0, str(folder))
    check("a noted copy", other.state(0, str(folder)) == cuzk.CHECKED)
    check("no such file", refused(other.note, 1, str(folder), statuses=not_found))
    seen = []
    digest = cuzk.params_digest(str(copy), progress=lambda *x: seen.append(x))
    check("the digest of b2sum", digest.hex() == "f60ce482e5cc1229f39d71313171a8d9" and seen[-1] == ("digest", 6, 6))
    copy.write_bytes(bytes(20 << 20))  # the function is asked before the end
    check("a digest is stopped", refused(cuzk.params_digest, str(copy), progress=lambda *_: True, statuses=("CUZK_E_CANCELLED",)))
    try:
        cuzk.params_digest(str(copy), progress=lambda *_: 1 // 0)
        check("an exception of the progress function", False)
    except ZeroDivisionError:
        check("an exception of the progress function", True)
    for file in folder.iterdir():
        file.unlink()
    check("no file", refused(cuzk.params_digest, str(copy), statuses=not_found))
    key = str(corpus / "key.vk")
    cuzk.params_check(key, digest=cuzk.params_digest(key).hex())
    check("another digest", refused(cuzk.params_check, key, digest="00" * 16, statuses=("CUZK_E_DIGEST",)))
    for name, points, chain in (("ceremony", cuzk.IN_GROUP, cuzk.CHAIN_HOLDS), ("ceremony", cuzk.ON_CURVE, cuzk.CHAIN_UNCHECKED),
                                ("ceremony", cuzk.UNCHECKED, cuzk.CHAIN_UNCHECKED), ("transcript", cuzk.IN_GROUP, cuzk.CHAIN_HASH)):
        file = cuzk.Params(str(corpus / f"{name}.params"), points=points, threads=1)
        check(f"the chain of {name}, points {points}: {file.info}", file.info.chain == chain and len(file.info.circuit_hash) == 64)
        check("the key inside", file.verifying_key().n_inputs == file.info.public_inputs)
    check("no transcript", cuzk.Params(str(corpus / "small.params")).info.circuit_hash is None)
    check("a cut file", refused(cuzk.Params, str(corpus / "truncated.params"), statuses=format_error))
    stopping = dict(insecure_seed=7, progress=lambda step, *_: step == "compiled", statuses=("CUZK_E_CANCELLED",))
    check("making is stopped", refused(cuzk.params_make, str(folder), cuzk.WINDOW, 2048, **stopping) and not list(folder.iterdir()))


def golden(prefix, library, params):
    """Every kind of proof by the Python binding, and each refused when one value of its claim is another."""
    os.environ["CUZK_LIBRARY"] = str(library)
    sys.path.insert(0, str(prefix / "share/cuzk/bindings/python"))
    cuzk = importlib.import_module("cuzk")
    layouts(cuzk, importlib.import_module("cuzk._params"))
    d = json.loads((VECTORS / "vectors.json").read_text())
    last = lambda name: bytes.fromhex(d["vectors"][name]["proofs"][-1]["proof"])
    h = bytes.fromhex
    key = lambda name: cuzk.VerifyingKey((VECTORS / f"{name}.vk").read_bytes())
    seal, common = d["seals"]["porep-v1_1"], d["common"]
    sectors = [(int(s["sector"]), h(s["comm_r"])) for s in (d["seals"]["post-sector-1"], d["seals"]["post-sector-2"])]
    randomness = h(common["post_randomness"])
    cases = [
        (cuzk.verify_seal, key("porep-v1_1"), last("porep-v1_1[0]"),
         dict(registered_proof=int(seal["number"]), miner_id=1000, sector_number=int(seal["sector"]), ticket=h(common["ticket"]),
              seed=h(common["seed"]), comm_r=h(seal["comm_r"]), comm_d=h(seal["comm_d"]))),
        (cuzk.verify_post, key("winning"), last("winning[0]"),
         dict(registered_proof=0, randomness=randomness, sectors=sectors[:1])),
        (cuzk.verify_post, key("window"), last("window[0]"),
         dict(registered_proof=10, randomness=randomness, sectors=sectors)),
        (cuzk.verify_post, key("window"), last("windowv1[0]"),
         dict(registered_proof=5, randomness=randomness, sectors=sectors)),
        (cuzk.verify_update, key("update"), last("update[0]"),
         dict(registered_proof=0, **{k: h(d["update"][k]) for k in ("comm_r_old", "comm_r_new", "comm_d_new")}))]

    def refused(f, *arguments, statuses=("CUZK_E_PROOF_FALSE", "CUZK_E_INVALID"), **claim):
        try:
            f(*arguments, **claim)
        except cuzk.Error as e:
            return e.status in statuses and not e.retryable and str(e) != ""
        return False

    for f, vk, proof, claim in cases:
        f(vk, proof, **claim)
        for k, v in claim.items():
            if isinstance(v, bytes) and k != "seed" or k in ("miner_id", "sector_number", "seed"):
                other = v + 1 if isinstance(v, int) else bytes([v[0] ^ 1]) + v[1:]
                check(f"{f.__name__} refuses another {k}", refused(f, vk, proof, **{**claim, k: other}))
        for n in (0, 191, 193, 384):
            check(f"{f.__name__} refuses {n} bytes", refused(f, vk, (proof * 3)[:n], statuses=("CUZK_E_INVALID",), **claim))
        check(f"{f.__name__} refuses an unknown type", refused(f, vk, proof, statuses=("CUZK_E_INVALID",), **{**claim, "registered_proof": 99}))
    check("another circuit's key", refused(cuzk.verify_post, key("winning"), last("window[0]"), **cases[2][3]))
    check("too many sectors", refused(cuzk.verify_post, key("winning"), last("winning[0]"), statuses=("CUZK_E_INVALID",),
                                      **{**cases[1][3], "sectors": sectors}))
    parts(cuzk, refused, cases, d)
    params.mkdir()
    parameter_files(cuzk, params, refused)
    folder = str(params)
    made = cuzk.params_make(folder, cuzk.WINDOW, 2048, insecure_seed=7)
    # of test/vectors/groth16/vectors.json, window[0]
    check("what making tells", made[:4] == (21866, 22, 22128, 15) and made.compile_ns > 0)
    [file] = params.glob("*.params")
    check("made parameters are not the network's", refused(cuzk.params_check, str(file), statuses=("CUZK_E_DIGEST",)))
    check("the key of made parameters", cuzk.VerifyingKey.load(cuzk.WINDOW, 2048, folder).n_inputs == 22)
    check("no file is overwritten", refused(cuzk.params_make, folder, cuzk.WINDOW, 2048, statuses=("CUZK_E_EXISTS",)))
    proofs(cuzk, folder, cases[2][3])
    check("no key there", refused(cuzk.VerifyingKey.load, cuzk.POREP, 2048, "/nowhere", statuses=("CUZK_E_NOT_FOUND",)))
    return last("winning[0]"), b"".join(h(x) for x in d["vectors"]["winning[0]"]["public_inputs_le"])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix = folder / "usr"
        pkgconfig = install(BUILD, prefix)
        library = pkgconfig.parent / "libcuzk.so.0"
        needed = run("readelf", "-d", library)
        names = {x.split("[")[1].split("]")[0] for x in needed.split("\n") if "(NEEDED)" in x}
        # the loader is part of libc
        check(f"nothing but libc is needed: {names}", names and names <= {"libc.so.6", "ld-linux-x86-64.so.2"})
        check("the soname is 0", "[libcuzk.so.0]" in needed)
        archive = run("nm", "-g", "--defined-only", pkgconfig.parent / "libcuzk.a")
        check("the archive has no other names", all(x.split()[2].startswith("cuzk_") for x in archive.split("\n") if len(x.split()) == 3))
        run(sys.executable, "tools/gen/gen_exports.py", "--check")
        headers(prefix, folder)
        print(run(sys.executable, "test/abi/abi.py", prefix, "test/abi/abi-0.json"), end="")
        print(run(sys.executable, "test/abi/previous.py", prefix), end="")
        proof, inputs = golden(prefix, library, folder / "params")
        files = (VECTORS / "winning.vk", folder / "proof", folder / "inputs")
        files[1].write_bytes(proof)
        files[2].write_bytes(inputs)
        examples(prefix, pkgconfig, folder, files)
    print(f"{done} checks passed")


main()
