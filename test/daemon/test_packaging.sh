#!/bin/sh
# What is written about the daemon is what it does: table of keys, example file, manual pages, package.
# test_packaging.sh CUZK BUILD_FOLDER
set -u
cuzk=$1
build=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0
check() { # name, command...
    name=$1
    shift
    if "$@" >"$dir/out" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name"
        cat "$dir/out"
    fi
}
has() {
    grep -q -e "$2" "$1" || {
        echo "$1 has no $2"
        return 1
    }
}

"$cuzk" serve --config-reference >"$dir/table"
sed -n '/^| key | type |/,/^$/p' docs/daemon.md | sed '/^$/d' >"$dir/documented"
check "docs/daemon.md has the table of keys (make it again with cuzk serve --config-reference)" diff "$dir/table" "$dir/documented"

check "the example is a good configuration" "$cuzk" serve --check-config --config packaging/cuzk.toml
# with every commented key switched on; the token is a file that is read
sed -E 's/^# ([a-z_]+ = )/\1/; /^token_file/d' packaging/cuzk.toml >"$dir/all.toml"
check "so it is with all its comments" "$cuzk" serve --check-config --config "$dir/all.toml"
check "there were comments to switch on" test "$(grep -c -E '^[a-z_]+ = ' "$dir/all.toml")" -gt 20
printf '[daemon]\nlissten = "x"\n' >"$dir/typo.toml"
check "a typo fails the check" sh -c '"$1" serve --check-config --config "$2"; test $? -eq 2' - "$cuzk" "$dir/typo.toml"

for page in cuzk.1 cuzk.toml.5; do
    gzip -dc "$build/packaging/$page.gz" >"$dir/$page"
    if command -v man >/dev/null; then
        check "$page is a manual page" sh -c 'test -z "$(LC_ALL=C.UTF-8 MANROFFSEQ= man --warnings -l "$1" 2>&1 >/dev/null)"' - "$dir/$page"
    fi
done
check "cuzk.toml(5) has the keys" has "$dir/cuzk.toml.5" 'memory.total_budget'

# The unit, as systemd reads it; a mistake in it must be seen.
if command -v systemd-analyze >/dev/null; then
    mkdir "$dir/units" "$dir/wrong"
    sed 's|^ExecStart=[^ ]*|ExecStart=/bin/true|' "$build/packaging/cuzk.service" >"$dir/units/cuzk.service"
    sed 's/^ProtectSystem=/ProtectSistem=/' "$dir/units/cuzk.service" >"$dir/wrong/cuzk.service"
    check "systemd has nothing to say to the unit" sh -c 'out=$(systemd-analyze verify --man=no "$1" 2>&1) && test -z "$out" || { echo "$out"; false; }' - "$dir/units/cuzk.service"
    check "systemd names a key that does not exist" sh -c 'systemd-analyze verify --man=no "$1" 2>&1 | grep -q ProtectSistem' - "$dir/wrong/cuzk.service"
fi

if command -v dpkg-shlibdeps >/dev/null; then
    cp "$build/CPackConfig.cmake" "$dir/"
    check "the package is made" cpack --config "$dir/CPackConfig.cmake" -G DEB -B "$dir/pkg"
    deb=$(ls "$dir"/pkg/*.deb)
    check "a package without CUDA is called cuzk-cpu" test "$(dpkg-deb -f "$deb" Package)" = cuzk-cpu
    dpkg-deb -c "$deb" >"$dir/files"
    for f in ./usr/bin/cuzk ./etc/cuzk/cuzk.toml ./lib/systemd/system/cuzk.service ./usr/share/man/man1/cuzk.1.gz ./usr/share/man/man1/cuzk-prove-porep.1.gz \
        ./usr/share/man/man5/cuzk.toml.5.gz ./usr/share/doc/cuzk-cpu/copyright ./usr/share/doc/cuzk-cpu/docs/provider.md ./usr/share/cuzk/prometheus/cuzk.rules.yml \
        ./usr/share/bash-completion/completions/cuzk ./usr/share/zsh/vendor-completions/_cuzk \
        ./usr/share/fish/vendor_completions.d/cuzk.fish; do
        check "the package has $f" has "$dir/files" " $f\$"
    done
    dpkg-deb -I "$deb" >"$dir/info"
    check "the program and the library need no newer symbols than Ubuntu 22.04 has" tools/pack/least_versions.py "$cuzk" $(ls "$build"/src/lib/libcuzk.so.0 2>/dev/null)
    printf '#!/bin/sh\n' >"$dir/script"
    check "a check of nothing fails" sh -c '! tools/pack/least_versions.py "$1"' - "$dir/script"
    check "the package needs what it links" has "$dir/info" 'libnghttp2-14'
    if command -v lintian >/dev/null; then
        # the maintainer is whoever distributes the package
        check "lintian has nothing to say" sh -c 'LC_ALL=C lintian --allow-root --fail-on error,warning --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog "$1"' - "$deb"
    fi
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
