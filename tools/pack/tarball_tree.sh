#!/bin/bash
# The tree of the tarball: what a build installs, with its own copy of every library but glibc: tools/pack/tarball_tree.sh BUILD FOLDER [KIND]
# CUZK_ANY_VERSIONS=1: a tree for this machine alone, whatever it needs of glibc.
# Only usr/ and etc/, so that it can be unpacked over a system whose /lib is a symbolic link. Needs patchelf.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1
tree=$2
kind=${3:-cpu}
rm -rf "$tree"
mkdir -p "$tree"
tree=$(cd "$tree" && pwd)
DESTDIR=$tree cmake --install "$build" --prefix /usr --strip --component Unspecified >/dev/null
mkdir -p "$tree/usr/lib/systemd"
mv "$tree/lib/systemd/system" "$tree/usr/lib/systemd/"
rmdir "$tree/lib/systemd" "$tree/lib"
[ -d "$tree/usr/share/doc/cuzk" ] || mv "$tree"/usr/share/doc/cuzk-* "$tree/usr/share/doc/cuzk"
tools/pack/bundle_libs.py "$tree/usr"
[ -n "${CUZK_ANY_VERSIONS:-}" ] || tools/pack/least_versions.py "$tree"
cp LICENSE LICENSE-APACHE LICENSE-MIT "$tree/usr/share/doc/cuzk/"
libc=$(objdump -T "$tree/usr/bin/cuzk" "$tree"/usr/lib/cuzk/*.so* | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -1)
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
cat >"$tree/usr/share/doc/cuzk/INSTALL" <<TEXT
cuzk $version, $kind: for Debian 12, Ubuntu 22.04 and 24.04

It needs the C library (up to $libc) and no other library: those are in usr/lib/cuzk, their versions and licences in
usr/share/doc/cuzk/libraries. They do not get the system's security updates: install a newer tarball for those.
$([ "$kind" = cuda ] && echo "Proofs on cards need the NVIDIA driver, and not the CUDA toolkit.")

It runs from where it was unpacked: usr/bin/cuzk. As a service, as root:

    tar -C / --strip-components=1 -xf cuzk-$version-linux-$(uname -m)-$kind.tar.gz
    adduser --system --group --no-create-home --home /var/lib/cuzk cuzk

Then: cuzk doctor. The provider's page in usr/share/doc/cuzk/docs goes on from there. A tarball that is unpacked again replaces /etc/cuzk/cuzk.toml:
keep a copy of yours, or add --exclude=etc.
TEXT
