#!/usr/bin/env python3
"""Claims per second of the shared queue, 1 to 64 claiming processes, on a PostgreSQL of its own with synced commits.

Usage: bench_queue.py QUEUE_BENCH [--jobs 1000] [--runs 3] [--no-sync]       (build/release/test/fleet/queue_bench)
"""
import argparse, os, platform, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pg

p = argparse.ArgumentParser()
p.add_argument("bench")
p.add_argument("--jobs", type=int, default=1000)
p.add_argument("--runs", type=int, default=3)
p.add_argument("--no-sync", action="store_true")
o = p.parse_args()
for run in range(o.runs):
    server = pg.server(*(["fsync=off"] if o.no_sync else []))
    if server is None:
        sys.exit("PostgreSQL is not installed")
    version = server.sql("SHOW server_version")[0][0]
    print(f"run {run + 1}: PostgreSQL {version}, {'no sync' if o.no_sync else 'synced commits'}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}", flush=True)
    subprocess.run([o.bench, server.url, str(o.jobs)], check=True)
    server.close()
