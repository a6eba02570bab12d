#!/bin/bash
# The Debian packages (the program; the libraries: libcuzk0, libcuzk-client0 and their -dev) and the tarball, with CUDA for all classes of cards when nvcc is there.
# The program's package and the tarball are for Debian 12, Ubuntu 22.04 and 24.04; the tarball brings every library but glibc.
# usage: tools/package.sh [OUT]      OUT: where the files go (default: build/package)
#   CUDA=ON|OFF     instead of looking for nvcc
#   CUZK_ANY_VERSIONS=1   for this system and newer ones, where it is newer than Debian 12
#   CLASSES="89"    compute capabilities to build for, instead of all ("80;86;89;90;100;120")
# The package is called cuzk with CUDA, and cuzk-cpu without.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-build/package}
build=build/package-build
mkdir -p build
export PATH="$PATH:/usr/local/cuda/bin"
cuda=${CUDA:-$(command -v nvcc >/dev/null && echo ON || echo OFF)}
if [ "$cuda" = ON ]; then
    echo "package: with CUDA, by $(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/nvcc \1/p')"
else
    echo "package: nvcc was not found, so this package proves on the CPU only (its name is cuzk-cpu)"
fi
options=(-DCMAKE_BUILD_TYPE=RelWithDebInfo -DCUZK_TESTS=OFF -DCUZK_DAEMON=ON -DCUZK_STATIC_LIBS=ON "-DCUZK_CUDA=$cuda" -DCUZK_CUDA_LINEINFO=OFF)
[ -z "${CLASSES:-}" ] || options+=("-DCMAKE_CUDA_ARCHITECTURES=$CLASSES")
cmake -S . -B $build -G Ninja "${options[@]}" >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
# What is installed, and not the separate benchmarks, whose kernels take nvcc as long as the program's.
cmake --build $build --target cuzk cuzk_packaging cuzk_shared cuzk_static cuzk_client_shared cuzk_client_static
# What was built says what it is: asked of CUDA, it has CUDA, and code for each class.
said=$($build/cuzk --version | sed -n 's/^CUDA: //p')
echo "package: CUDA: $said"
case "$cuda $said" in
"ON not built in"*) echo "package: CUDA was asked for, and the program has none" >&2; exit 1 ;;
"OFF not built in"*) ;;
OFF*) echo "package: CUDA was not asked for, and the program has it" >&2; exit 1 ;;
esac
if [ "$cuda" = ON ]; then
    classes=$(echo "$said" | sed -n 's/.*compute capabilities \([^;]*\);.*/\1/p' | tr -d .)
    tools/pack/device_code.py $build/cuzk --need "${classes:?the program does not say its classes}"
fi

# Packages of an earlier call may have other names.
rm -rf $build/packages "$build"/stage/cuzk-*
rm -f "$out"/cuzk_*.deb "$out"/cuzk-cpu_*.deb "$out"/libcuzk*_*.deb "$out"/cuzk-*-linux-*.tar.gz
mkdir -p "$out"
(cd $build && cpack --config CPackConfig.cmake -G DEB -B packages >cpack.log) || { cat $build/cpack.log; exit 1; }
# The libraries: libcuzk0 and libcuzk-client0, and a -dev of each.
(cd $build && cpack --config CPackLibraryConfig.cmake -G DEB -B packages >cpack-library.log) || { cat $build/cpack-library.log; exit 1; }
cp $build/packages/*.deb "$out/"

# A package that Ubuntu 22.04 cannot install is a mistake.
tools/pack/least_versions.py $build/packages/*.deb || [ -n "${CUZK_ANY_VERSIONS:-}" ] || {
    echo "package: made on this system, these packages are not for Ubuntu 22.04; CUZK_ANY_VERSIONS=1 makes them for this one" >&2
    exit 1
}

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' $build/CMakeCache.txt)
kind=$([ "$cuda" = ON ] && echo cuda || echo cpu)
name=cuzk-$version-linux-$(uname -m)-$kind
tools/pack/tarball_tree.sh $build "$build/stage/$name" "$kind"
# Files alone: unpacked over a system, an entry of a folder would change the owner and mode of that folder, or replace a symbolic link.
(cd "$build/stage" && find "$name" ! -type d | LC_ALL=C sort >files && tar --owner=0 --group=0 --numeric-owner -T files -czf "$name.tar.gz")
cp "$build/stage/$name.tar.gz" "$out/"
ls -l "$out"/*.deb "$out"/*.tar.gz
echo "package: installed, in KiB:"
for p in "$out"/*.deb; do
    echo "$(dpkg-deb -f "$p" Package) $(dpkg-deb -f "$p" Installed-Size)"
done
