#!/bin/sh
# The field Installed-Size of Debian packages, as dpkg-gencontrol would write it: KiB of files, each rounded up, and one for everything
# else. CPack follows symbolic links and counts their targets again: libcuzk0 would say twice its size.
# usage: tools/pack/installed_size.sh DEB...     changes the packages in place
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for deb in "$@"; do
    dpkg-deb --fsys-tarfile "$deb" >"$dir/data.tar"
    size=$(tar -tvf "$dir/data.tar" | awk '{ n += /^-/ ? int(($3 + 1023) / 1024) : 1 } END { print n }')
    rm -rf "$dir/control"
    mkdir "$dir/control"
    ar p "$deb" control.tar.gz | tar -C "$dir/control" -xpz
    grep -q '^Installed-Size: ' "$dir/control/control"
    sed -i "s/^Installed-Size: .*/Installed-Size: $size/" "$dir/control/control"
    (cd "$dir/control" && tar --sort=name --owner=root:0 --group=root:0 --mtime="@$(stat -c %Y ./md5sums)" -c ./*) | gzip -9n >"$dir/control.tar.gz"
    ar rS "$deb" "$dir/control.tar.gz"
    [ "$(dpkg-deb -f "$deb" Installed-Size)" = "$size" ]
done
