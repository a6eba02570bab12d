#!/usr/bin/env python3
"""Cost of the library's boundary: a WinningPoSt of 2 KiB by <cuzk/prove.h> against `cuzk prove winning`, on the CPU.

run.py BUILD [ROUNDS] [PROOFS] [THREADS]   (from the repository root; BUILD has cuzk and libcuzk.so; default 15 6 1)
run.py BUILD --outside [PROOFS] [THREADS]  wall time of the call outside the steps of the proof, which are the same functions in both (default 20 1)
run.py BUILD --instructions                instructions of one proof by valgrind, which do not depend on how busy the machine is

Each round runs the program and a C program with libcuzk, in changing order, each once with PROOFS proofs and once with one.
The difference is the CPU time of PROOFS - 1 proofs with the key loaded. The result is the median of the rounds.
"""
import os, pathlib, re, resource, statistics, subprocess, sys, tempfile, time

build = pathlib.Path(sys.argv[1]).resolve()
count, outside = "--instructions" in sys.argv, "--outside" in sys.argv
if count:
    sys.argv[2:] = []
if outside:
    sys.argv[2:] = ["0"] + (sys.argv[3:] + ["20", "1"][len(sys.argv) - 3:])
rounds, proofs, threads = (int(x) for x in (sys.argv[2:] + ["15", "6", "1"][len(sys.argv) - 2:]))
vanilla = "test/vectors/filecoin/winning.sector1.vanilla.bin"
randomness = bytes(range(64, 95)).hex() + "00"


def cpu(command, **more):
    """CPU and wall seconds of a process."""
    before, t = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - t


def instructions(command, folder, **more):
    """Instructions of a process. valgrind has neither AVX-512 nor SHA-NI, so both programs do without."""
    run = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind", *(str(c) for c in command)],
                         check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more)
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1))


def quartiles(values):
    q = statistics.quantiles(values, n=4)
    return f"{statistics.median(values):.4f} (quartiles {q[0]:.4f} to {q[2]:.4f}, least {min(values):.4f})"


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    subprocess.run([build / "cuzk", "params", "setup", "winning", "2KiB", "--insecure-seed", "7", "-o", folder], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    subprocess.run(["cc", "-O2", "-Iinclude", "bench/boundary/winning.c", "-o", folder / "winning", f"-L{build}", "-lcuzk"], check=True)
    env = dict(os.environ, LD_LIBRARY_PATH=str(build))
    by_program = lambda n: [build / "cuzk", "prove", "winning", "--type", "0", "--vanilla", vanilla, "--randomness", randomness, "--params", folder,
                            "--device", "cpu", "--threads", threads, "--repeat", n, "--force", "-o", folder / "proof"]
    by_library = lambda n: [folder / "winning", folder, n, threads, vanilla]
    if count:
        a, b = (instructions(c(2), folder, env=env) - instructions(c(1), folder, env=env) for c in (by_program, by_library))
        print(f"instructions of a proof: program {a}, library {b}, library/program {b / a:.6f}")
        sys.exit(0)
    if outside:
        lines = subprocess.run([str(c) for c in by_library(proofs + 1)], check=True, stdout=subprocess.PIPE, text=True, env=env).stdout.split("\n")
        pairs = [[int(x) for x in line.split()] for line in lines if line][1:]  # the first one loads the key
        us = [(call - steps) / 1e3 for call, steps in pairs]
        share = [(call - steps) / call for call, steps in pairs]
        print(f"{proofs} proofs, {threads} threads, load {os.getloadavg()[0]:.1f}: a call takes {statistics.median(c for c, _ in pairs) / 1e9:.3f} s (median)")
        print(f"outside its steps: median {statistics.median(us):.0f} us, least {min(us):.0f}, most {max(us):.0f}; "
              f"of the call: median {statistics.median(share):.6f}, most {max(share):.6f}")
        sys.exit(0)
    program = lambda n: cpu(by_program(n))
    library = lambda n: cpu(by_library(n), env=env)
    program(1), library(1)  # files are in the page cache from here on
    results = {program: [], library: []}
    for i in range(rounds):
        for f in (program, library) if i % 2 == 0 else (library, program):
            many, one = f(proofs), f(1)
            results[f].append([(many[k] - one[k]) / (proofs - 1) for k in (0, 1)])
    for k, what in enumerate(("CPU", "wall")):
        a, b = ([r[k] for r in results[f]] for f in (program, library))
        print(f"{what} seconds of a proof: program {quartiles(a)}; library {quartiles(b)}")
        print(f"{what}: library/program: medians {statistics.median(b) / statistics.median(a):.4f}, "
              f"least {min(b) / min(a):.4f}, of each round {quartiles([y / x for x, y in zip(a, b)])}")
    print(f"{rounds} rounds of {proofs} - 1 proofs, {threads} threads, load {os.getloadavg()[0]:.1f}")
