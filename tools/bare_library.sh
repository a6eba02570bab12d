#!/bin/bash
# The packages of libcuzk on a bare Debian 12, and docs/embedding.md there: tools/bare_library.sh [FOLDER]
#   FOLDER          with the .deb files of tools/package.sh (build/package)
#   ROOT=FOLDER     a root that is there already (a copy is used); else debootstrap makes one
#   SUITE, MIRROR   what debootstrap makes (bookworm, http://deb.debian.org/debian)
#   SECTIONS="C Go" sections of the page; default: C Python Go Rust JavaScript
#   KEEP=1          leave the root for a look
# apt installs the four packages from the files and the compilers of each language from the mirror; then every block of
# the page is carried out without a network of its own (go vendored, cargo and pip offline), and the C examples are built
# by find_package. Needs root, debootstrap, python3 and the mirror.
set -euo pipefail
cd "$(dirname "$0")/.."
debs=${1:-build/package}
read -ra sections <<<"${SECTIONS:-C Python Go Rust JavaScript}"
for name in libcuzk0 libcuzk-dev libcuzk-client0 libcuzk-client-dev; do
    ls "$debs/${name}"_*.deb >/dev/null 2>&1 || { echo "bare_library: $debs has no $name; make package first" >&2; exit 2; }
done
work=$(mktemp -d)
root=$work/root
finish() {
    rc=$?
    for m in proc dev sys; do ! mountpoint -q "$root/$m" || umount "$root/$m"; done
    if [ -n "${KEEP:-}" ]; then echo "the root is $root"; else rm -rf --one-file-system "$work"; fi
    exit $rc
}
trap finish EXIT
if [ -n "${ROOT:-}" ]; then
    cp -ax "$ROOT" "$root"
else
    debootstrap --variant=minbase --include=ca-certificates "${SUITE:-bookworm}" "$root" "${MIRROR:-http://deb.debian.org/debian}" >"$work/debootstrap.log"
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t sysfs sys "$root/sys"
in_root() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }

packages="gcc libc6-dev pkg-config"
for s in "${sections[@]}"; do
    case $s in
    C) packages+=" cmake make" ;;
    Python) packages+=" python3 python3-pip python3-setuptools python3-wheel" ;;
    Go) packages+=" golang-go" ;;
    Rust) packages+=" cargo" ;;
    JavaScript) packages+=" nodejs clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32" ;;
    *) echo "bare_library: no section $s" >&2; exit 2 ;;
    esac
done
mkdir "$root/srv/debs" "$root/srv/page"
cp "$debs"/libcuzk*.deb "$root/srv/debs/"
in_root apt-get -qq update
# shellcheck disable=SC2086 # one package per word
in_root sh -c "apt-get -qq install -y --no-install-recommends /srv/debs/*.deb $packages" >"$work/apt.log" 2>&1 || { tail -40 "$work/apt.log" >&2; exit 1; }
in_root ldconfig -p | grep -q 'libcuzk.so.0' || { echo "bare_library: the loader does not find libcuzk.so.0" >&2; exit 1; }
python3 test/install/test_embedding.py --script "${sections[@]}" >"$root/srv/page/page.sh"
in_root sh -c 'cd /srv/page && GOPROXY=off GOFLAGS=-mod=mod sh -x page.sh'
case " ${sections[*]} " in
*" C "*)
    in_root sh -c 'cp -r /usr/share/cuzk/bindings/c /srv/c && cmake -S /srv/c -B /srv/build >/dev/null && cmake --build /srv/build >/dev/null &&
        cd /usr/share/cuzk/examples && /srv/build/verify winning.vk winning.proof winning.inputs && /srv/build/circom_static mixed.zkey mixed.wtns'
    ;;
esac
echo "bare_library: ${sections[*]}: ok"
