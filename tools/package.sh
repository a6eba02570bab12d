#!/bin/bash
# The Debian packages (the program; the libraries: libcuzk0, libcuzk-client0 and their -dev) and the tarball, with CUDA for all classes of cards when nvcc is there.
# usage: tools/package.sh [OUT]      OUT: where the files go (default: build/package)
#   CUDA=ON|OFF     instead of looking for nvcc
#   CLASSES="89"    compute capabilities to build for, instead of all ("80;86;89;90;100;120")
# The package is called cuzk with CUDA, and cuzk-cpu without.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-build/package}
build=build/package-build
export PATH="$PATH:/usr/local/cuda/bin"
cuda=${CUDA:-$(command -v nvcc >/dev/null && echo ON || echo OFF)}
if [ "$cuda" = ON ]; then
    echo "package: with CUDA, by $(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/nvcc \1/p')"
else
    echo "package: nvcc was not found, so this package proves on the CPU only (its name is cuzk-cpu)"
fi
options=(-DCMAKE_BUILD_TYPE=RelWithDebInfo -DCUZK_TESTS=OFF -DCUZK_DAEMON=ON "-DCUZK_CUDA=$cuda")
[ -z "${CLASSES:-}" ] || options+=("-DCMAKE_CUDA_ARCHITECTURES=$CLASSES")
cmake -S . -B $build -G Ninja "${options[@]}" >"$build.log" 2>&1 || { mkdir -p build; cmake -S . -B $build -G Ninja "${options[@]}"; }
cmake --build $build
# What was built says what it is: asked of CUDA, it has CUDA, and code for each class.
said=$($build/cuzk --version | sed -n 's/^CUDA: //p')
echo "package: CUDA: $said"
case "$cuda $said" in
"ON not built in"*) echo "package: CUDA was asked for, and the program has none" >&2; exit 1 ;;
"OFF not built in"*) ;;
OFF*) echo "package: CUDA was not asked for, and the program has it" >&2; exit 1 ;;
esac
if [ "$cuda" = ON ] && command -v cuobjdump >/dev/null; then
    has=$(cuobjdump --list-elf $build/cuzk | grep -o 'sm_[0-9]*' | sort -uV | tr '\n' ' ')
    echo "package: code for $has"
    for class in $(echo "$said" | sed -n 's/.*compute capabilities \([^;]*\);.*/\1/p'); do
        case " $has" in
        *" sm_${class%%-*} "*) ;;
        *) echo "package: there is no code for class $class" >&2; exit 1 ;;
        esac
    done
fi

mkdir -p "$out"
(cd $build && cpack --config CPackConfig.cmake -G DEB -B packages >cpack.log) || { cat $build/cpack.log; exit 1; }
# The libraries: libcuzk0 and libcuzk-client0, and a -dev of each.
(cd $build && cpack --config CPackLibraryConfig.cmake -G DEB -B packages >cpack-library.log) || { cat $build/cpack-library.log; exit 1; }
cp $build/packages/*.deb "$out/"

# The tarball: the same tree, and a page that names what has to be there.
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' $build/CMakeCache.txt)
kind=$([ "$cuda" = ON ] && echo cuda || echo cpu)
name=cuzk-$version-linux-$(uname -m)-$kind
stage=$build/stage/$name
rm -rf "$build/stage"
mkdir -p "$stage"
DESTDIR=$PWD/$stage cmake --install $build --prefix /usr --strip --component Unspecified >/dev/null
libc=$(objdump -T "$stage/usr/bin/cuzk" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -1)
tools/least_versions.py "$stage"
# A Debian package needs the versions of the system that it was made on; made on Debian 12, it is for Debian 12 and later.
tools/least_versions.py $build/packages/*.deb || echo "package: the .deb is for this system and newer ones; for Ubuntu 22.04 use the tarball, or make the package there"
cp LICENSE LICENSE-APACHE LICENSE-MIT CHANGELOG.md "$stage/"
cat >"$stage/INSTALL" <<TEXT
cuzk $version, $kind

Made for Debian 12, Ubuntu 22.04 (with its security updates) and 24.04; needs $libc. Copy usr/bin/cuzk to /usr/local/bin, or unpack everything:

    tar -C / --strip-components=1 -xf $name.tar.gz

These libraries have to be there:

$(objdump -p "$stage/usr/bin/cuzk" | sed -n 's/^ *NEEDED *\(lib[a-z0-9-]*\.so\.[0-9]*\)$/    \1/p')

Their packages: Debian 12 and Ubuntu 22.04: libcurl4 libmicrohttpd12 libsqlite3-0 libprotobuf-c1 libnghttp2-14 libssl3 libstdc++6.
Ubuntu 24.04: libcurl4t64 libmicrohttpd12t64 libsqlite3-0 libprotobuf-c1 libnghttp2-14 libssl3t64 libstdc++6.
$([ "$cuda" = ON ] && echo "The NVIDIA driver has to be there for proofs on cards; the CUDA toolkit has not.")
Then: cuzk doctor
TEXT
tar -C $build/stage --sort=name --owner=0 --group=0 --numeric-owner -czf "$out/$name.tar.gz" "$name"
ls -l "$out"/*.deb "$out"/*.tar.gz
