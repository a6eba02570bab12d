#!/bin/sh
# Installs the Debian packages that a build ("build"), the tests ("test") or the making of a Debian
# package ("package") need, if they are missing. Uses sudo when not root. With everything there it does nothing and needs no network.
set -eu
cd "$(dirname "$0")/.."

case "${1:-}" in
build)
    packages="gcc g++ cmake ninja-build pkg-config"
    # the daemon's
    packages="$packages libnghttp2-dev libprotobuf-c-dev protobuf-c-compiler protobuf-compiler libssl-dev libmicrohttpd-dev"
    packages="$packages libsqlite3-dev libtomlplusplus-dev"
    # a queue that several daemons share
    packages="$packages libpq-dev"
    # packed inputs (optional)
    packages="$packages zlib1g-dev libzstd-dev"
    # cuzk params fetch
    packages="$packages libcurl4-openssl-dev"
    ;;
test)
    packages="python3 clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev libgmp-dev valgrind dpkg-dev file patchelf"
    command -v chromium >/dev/null 2>&1 || packages="$packages chromium fonts-dejavu-core" # test/api/test_page.py
    packages="$packages prometheus" # promtool, for the alert rules
    packages="$packages golang-go cargo rustc" # the bindings of the library
    packages="$packages lld-14 wasi-libc libclang-rt-14-dev-wasm32"
    packages="$packages fish zsh" # their completions
    packages="$packages postgresql" # the tests start servers of their own
    command -v node >/dev/null 2>&1 || packages="$packages nodejs"
    command -v npm >/dev/null 2>&1 || packages="$packages npm"
    ;;
package) packages="dpkg-dev file patchelf" ;;
*)
    echo "usage: tools/deps.sh build|test|package" >&2
    exit 2
    ;;
esac

installed() {
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}

missing=""
for p in $packages; do
    # cmake and ninja may also come from elsewhere
    case "$p" in
    cmake) command -v cmake >/dev/null 2>&1 && continue ;;
    ninja-build) command -v ninja >/dev/null 2>&1 && continue ;;
    python3) command -v python3 >/dev/null 2>&1 && continue ;;
    pkg-config) command -v pkg-config >/dev/null 2>&1 && continue ;;
    esac
    installed "$p" || missing="$missing $p"
done

if [ -n "$missing" ]; then
    root=""
    if [ "$(id -u)" != 0 ]; then
        root="sudo"
    fi
    echo "installing:$missing"
    $root apt-get update -qq
    # shellcheck disable=SC2086 # one package per word
    DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $missing
fi

# The npm packages of the tests, at the versions of their lock files.
if [ "$1" = test ]; then
    for folder in test/interop test/rpc; do
        if ! cmp -s $folder/package-lock.json $folder/node_modules/.installed-lock.json; then
            (cd $folder && npm ci --no-audit --no-fund --loglevel=error)
            cp $folder/package-lock.json $folder/node_modules/.installed-lock.json
        fi
    done
fi
