#!/usr/bin/env python3
"""docs/embedding.md is carried out: test_embedding.py BUILD (run from the repository root).

test_embedding.py --script SECTION...: prints the blocks of these sections as a shell script instead, for
tools/bare_library.sh.

Every block after a line "run: file NAME" becomes that file, every block after "run: sh" is run, in order, in an empty
folder; "run: pip" is the same where python3 has pip, setuptools and wheel; /usr/share/cuzk stands for the installed tree's. Blocks of a language whose tools are not there are left out, and
the test says so.
"""
import pathlib, re, shutil, subprocess, sys, tempfile

from tree import environment, install, run

page = pathlib.Path("docs/embedding.md").read_text()
TOOLS = {"C": ["cc", "pkg-config"], "Python": ["python3"], "Go": ["go"], "Rust": ["cargo"], "JavaScript": ["node", "clang-14", "wasm-ld-14"]}


def there(tool):
    return pathlib.Path("/usr/bin", tool).exists() or shutil.which(tool) is not None


def blocks():
    """(section, order, text) of each block that is to be run."""
    section = ""
    for part in re.split(r"^(## .*|<!-- run: .* -->)$", page, flags=re.M):
        if part.startswith("## "):
            section = part[3:]
        elif part.startswith("<!-- run: "):
            order = part[10:-4].split()
            if order[0] == "wasm":
                yield section, order, ""
        elif section and "order" in locals() and order and order[0] != "wasm":
            lines = []
            for line in part.strip("\n").split("\n"):
                if line and not line.startswith("    "):
                    break
                lines.append(line[4:])
            yield section, order, "\n".join(lines).rstrip("\n") + "\n"
            order = None
        if part.startswith("## "):
            order = None


if sys.argv[1] == "--script":
    print("set -eu")
    for section, order, text in blocks():
        if section == "Install" or section in sys.argv[2:]:
            if order[0] == "file":
                print(f"cat >{order[1]} <<'END_OF_FILE'\n{text}END_OF_FILE")
            else:
                print(f"sh /usr/share/cuzk/bindings/wasm/build.sh {order[1]}" if order[0] == "wasm" else text, end="\n")
    sys.exit(0)
build = pathlib.Path(sys.argv[1]).resolve()
done, left_out = 0, set()
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    prefix, work = folder / "usr", folder / "work"
    pkgconfig = install(build, prefix)
    work.mkdir()
    env = environment(pkgconfig, GOFLAGS="-mod=mod", GOPROXY="off", GOCACHE=str(folder / "cache"), GOPATH=str(folder / "path"),
                      CARGO_HOME=str(folder / "cargo"), PYTHONPATH=str(work / "python"), CMAKE_PREFIX_PATH=str(prefix))
    env["PATH"] = f"/usr/bin:{env['PATH']}"
    for section, order, text in blocks():
        if not all(there(t) for t in TOOLS.get(section, [])) or section == "JavaScript" and not pathlib.Path("/usr/lib/wasm32-wasi").exists():
            left_out.add(section)
            continue
        if order[0] == "sh" and "cuzk-client" in text and not (pkgconfig / "cuzk-client.pc").exists():
            left_out.add("the daemon's client")
            continue
        if order[0] == "pip" and subprocess.run(["python3", "-c", "import pip, setuptools, wheel"], env=env, capture_output=True).returncode != 0:
            left_out.add("pip")
            continue
        if order[0] == "file":
            (work / order[1]).write_text(text)
        elif order[0] == "wasm":
            run("sh", prefix / "share/cuzk/bindings/wasm/build.sh", work / order[1])
        else:
            text = text.replace("/usr/share/cuzk", str(prefix / "share/cuzk"))
            r = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=work, env=env, capture_output=True, text=True)
            if r.returncode != 0:
                sys.exit(f"{section}: failed:\n{text}\n{r.stdout}{r.stderr}")
        done += 1
if done < 10:
    sys.exit(f"only {done} blocks were found")
# every function has a row that says its threads, owner, stop and memory
rows = "\n".join(x for x in page.split("\n## Every function\n")[1].split("\n## ")[0].split("\n") if x.startswith("|"))
for exports in ("src/lib/exports.map", "src/lib/client/exports.map"):
    for name in re.findall(r"\bcuzk_\w+", pathlib.Path(exports).read_text().split("global:")[1]):
        if f"`{name}`" not in rows:
            sys.exit(f"docs/embedding.md: {name} is in no row of \"Every function\"")
print(f"{done} blocks carried out" + "".join(f"; {x} left out, its tools are not installed" for x in sorted(left_out)))
