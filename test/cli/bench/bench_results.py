#!/usr/bin/env python3
"""Made-up benchmark results for the tests: bench_results.py OUT.json [runs=20] [seed=1] [commit=ID] [LAYER=FACTOR]...

A proof of 14 layers with 1 % of noise; a factor changes one layer.
"""
import json
import random
import sys

LAYERS = {
    "parse": 0.012, "check": 0.004, "partition/witness": 0.02, "partition/prove/eval": 0.026,
    "partition/prove/ntt": 0.47, "partition/prove/msm_h/decode_points": 0.09, "partition/prove/msm_h/sum_full": 2.54,
    "partition/prove/msm_l/sum_bits": 0.066, "partition/prove/msm_a/sum_bits": 0.06,
    "partition/prove/msm_b_g1/sum_bits": 0.032, "partition/prove/msm_b_g2/sum_bits": 0.072,
    "partition/prove/assemble": 0.0007, "partition/verify": 0.0012, "unaccounted": 0.0004,
}


def result(runs=20, seed=1, commit="0123456789ab", **factor):
    rng = random.Random(seed)
    values = {n: [v * rng.gauss(1, 0.01) * factor.get(n, 1) for _ in range(runs)] for n, v in LAYERS.items()}
    total = [sum(v[i] for v in values.values()) for i in range(runs)]
    metrics = [{"name": n, "unit": "s", "role": "layer", "values": v} for n, v in values.items()]
    metrics.append({"name": "total", "unit": "s", "role": "total", "values": total})
    metrics.append({"name": "peak_rss", "unit": "bytes", "role": "other",
                    "values": [4.6e8 * rng.gauss(1, 0.002) for _ in range(runs)]})
    metrics.append({"name": "reference_loop_1", "unit": "s", "role": "reference",
                    "values": [0.01 * rng.gauss(1, 0.002) for _ in range(runs)]})
    timeline, at = [], 0.0
    timeline.append({"name": "run", "track": "thread 1", "depth": 0, "begin_s": 0, "end_s": total[-1]})
    for n, v in values.items():
        timeline.append({"name": n.split("/")[-1], "track": "thread 1", "depth": 1, "begin_s": at, "end_s": at + v[-1]})
        at += v[-1]
    return {"type": "cuzk-bench", "version": 1, "kind": "prove", "name": "made up", "command": "none", "commit": commit,
            "unix_time": 1700000000, "runs": runs, "warmup": 1, "facts": [{"key": "cpu", "value": "made up <&>"}],
            "notes": [], "metrics": metrics, "timeline": timeline}


def main():
    named, factor = {}, {}
    for a in sys.argv[2:]:
        k, v = a.rsplit("=", 1)
        if k in ("runs", "seed"):
            named[k] = int(v)
        elif k == "commit":
            named[k] = v
        else:
            factor[k] = float(v)
    with open(sys.argv[1], "w") as f:
        json.dump(result(**named, **factor), f)


if __name__ == "__main__":
    main()
