#!/usr/bin/env python3
"""The instructions of a Dockerfile, one a line: STAGE<tab>INSTRUCTION<tab>ARGUMENTS, with JSON forms as shell words.
Usage: tools/pack/dockerfile_steps.py FILE      stages are numbered from 1; what comes before the first FROM is stage 0"""
import json, re, shlex, sys

INSTRUCTIONS = {"ARG", "FROM", "COPY", "WORKDIR", "RUN", "USER", "ENV", "EXPOSE", "VOLUME", "HEALTHCHECK", "STOPSIGNAL", "ENTRYPOINT", "CMD"}


def steps(text):
    """[(stage, instruction, arguments)]"""
    stage, out = 0, []
    for line in re.sub(r"\\\n", " ", re.sub(r"^\s*#.*\n", "", text, flags=re.M)).split("\n"):
        if not line.strip():
            continue
        word, _, rest = line.strip().partition(" ")
        if word not in INSTRUCTIONS:
            sys.exit(f"dockerfile_steps: unknown instruction: {line}")
        stage += word == "FROM"
        rest = re.sub(r"\[.*\]$", lambda m: shlex.join(json.loads(m[0])), rest.strip())
        out.append((stage, word, rest))
    return out


if __name__ == "__main__":
    for step in steps(open(sys.argv[1]).read()):
        print(*step, sep="\t")
