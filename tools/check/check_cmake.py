#!/usr/bin/env python3
"""CMake 3.22 is enough: the versions that the build files ask for, and no command, option or expression that came later.
Usage: tools/check/check_cmake.py (in the repository's root)"""
import json, pathlib, re, subprocess, sys

LEAST = (3, 22)
PRESETS = 3  # version 4 came with 3.23
# What came after 3.22 and is likely to be written here.
NEWER = {r"^\s*block\(": "3.25", r"return\(\s*PROPAGATE": "3.25", r"LINK_(GROUP|LIBRARY)[:>]": "3.24", r"\bPATH_EQUAL\b": "3.24", r"\$<PATH": "3.24",
         r"COMPILE_WARNING_AS_ERROR": "3.24", r"\bFILE_SET\b": "3.23", r"CMAKE_CUDA_ARCHITECTURES\b.*\bnative\b": "3.24", r"DEPFILE.*Makefiles": "3.27",
         r"JOB_SERVER_AWARE": "3.28", r"SYSTEM_PACKAGE": "3.25", r"\bLINUX\b(?! )": "3.25", r"TRY_COMPILE.*SOURCE_FROM": "3.25", r"FindPkgConfig.*LIBDIRS": "3.26"}
bad = 0


def complain(text):
    global bad
    bad += 1
    print("check_cmake:", text)


files = subprocess.run(["git", "ls-files", "*CMakeLists.txt", "*.cmake", "*.cmake.in"], capture_output=True, text=True, check=True).stdout.split()
for name in files:
    for number, line in enumerate(pathlib.Path(name).read_text().split("\n"), 1):
        line = line.split("#")[0]
        if m := re.search(r"cmake_minimum_required\(VERSION (\d+)\.(\d+)", line):
            if (int(m[1]), int(m[2])) > LEAST:
                complain(f"{name}:{number}: asks for CMake {m[1]}.{m[2]}")
        for pattern, version in NEWER.items():
            if re.search(pattern, line):
                complain(f"{name}:{number}: CMake {version}: {line.strip()}")
presets = json.loads(pathlib.Path("CMakePresets.json").read_text())["version"]
if presets > PRESETS:
    complain(f"CMakePresets.json has version {presets}; CMake {'.'.join(map(str, LEAST))} reads up to {PRESETS}")
if len(files) < 50:
    complain(f"only {len(files)} build files were found")
print(f"CMake: {len(files)} build files, {bad} complaints")
sys.exit(1 if bad else 0)
