#!/bin/bash
# docs/provider.md, then docs/parameters.md and docs/upgrade.md, word by word, in a root of its own: tools/bare_root.sh deb PACKAGE.deb|tarball FILE.tar.gz|tree FOLDER
#   deb       the package, installed by apt
#   tarball   the tarball, unpacked, on a system that has none of the program's libraries
#   tree      an unpacked tarball (tools/pack/tarball_tree.sh) over this machine's own system: seconds, for CI
#   ROOT=FOLDER      a bare system that is there already; else debootstrap makes one (not for tree). It is not changed
#   PAGE=FILE        another page than docs/provider.md
#   SUITE, MIRROR    what debootstrap makes (bookworm, http://deb.debian.org/debian)
# Every command of the page is run in the order of the page, on 2 KiB sectors with parameters made there. What stands in for a
# command that cannot run there (no systemd, no card, no network) is listed below, and a command of the page that this script
# does not know is a failure. Needs root, overlayfs, python3; debootstrap and a mirror for deb and tarball. 77: cannot run here.
set -euo pipefail
cd "$(dirname "$0")/.."
method=$1
what=$(realpath "$2")
skip() { echo "skipped: $1"; exit 77; }

# First outside: the bare system, and what apt has to download. Then again inside, with mounts, processes and network of its own.
if [ -z "${BARE_ROOT_INSIDE:-}" ]; then
    [ "$(id -u)" = 0 ] || skip "not root"
    work=$(mktemp -d)
    trap 'rm -rf --one-file-system "$work"' EXIT
    mkdir "$work/upper" "$work/work" "$work/root"
    unshare --mount --net --pid --fork sh -c "mount -t overlay overlay -o lowerdir=/,upperdir=$work/upper,workdir=$work/work $work/root && ip link set lo up" 2>"$work/why" ||
        skip "no mounts or network of its own: $(cat "$work/why")"
    rm -rf "$work/upper" "$work/work"
    mkdir "$work/upper" "$work/work"
    lower=${ROOT:-}
    if [ "$method" = tree ]; then
        lower=/
    elif [ -z "$lower" ]; then
        lower=$work/bare
        echo "bare_root: debootstrap ${SUITE:-bookworm}"
        debootstrap --variant=minbase --include=ca-certificates,adduser "${SUITE:-bookworm}" "$lower" "${MIRROR:-http://deb.debian.org/debian}" >"$work/debootstrap.log"
    fi
    if [ "$method" = deb ]; then
        # Only downloaded here; installed inside, without a network.
        mkdir -p "$work/upper/tmp" "$work/upper/etc"
        cp "$what" "$work/upper/tmp/package.deb"
        cp /etc/resolv.conf "$work/upper/etc/resolv.conf"
        unshare --mount --fork sh -ec "mount -t overlay overlay -o lowerdir=$lower,upperdir=$work/upper,workdir=$work/work $work/root
            chroot $work/root sh -ec 'apt-get update -q; apt-get install -q -y --no-install-recommends -d /tmp/package.deb'" >"$work/apt.log" 2>&1 ||
            { tail "$work/apt.log" >&2; exit 1; }
    fi
    rc=0
    BARE_ROOT_INSIDE=1 work=$work lower=$lower unshare --mount --net --pid --fork --kill-child "$0" "$method" "$what" || rc=$?
    exit $rc
fi

root=$work/root
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$work/upper,workdir=$work/work" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/run"
ip link set lo up
daemon=
[ "$method" != deb ] || [ -e "$root/usr/sbin/policy-rc.d" ] || {
    # no service is started in a root without systemd
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod +x "$root/usr/sbin/policy-rc.d"
}

in_root() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -c "$1"; }
n=0
# Runs a command and says so; the statuses that are right come first.
step() {
    local right=$1 command=$2 rc=0
    n=$((n + 1))
    echo "[$n] $command"
    in_root "$command" >"$work/out" 2>&1 || rc=$?
    case " $right " in
    *" $rc "*) ;;
    *)
        echo "bare_root: exit status $rc, not $right:" >&2
        tail -n 40 "$work/out" >&2
        exit 1
        ;;
    esac
}
says() { grep -q -- "$1" "$work/out" || { echo "bare_root: the last command did not say '$1':" >&2; tail -n 40 "$work/out" >&2; exit 1; }; }

params=/var/tmp/filecoin-proof-parameters
# The parameters of a network of our own, on a mirror of our own: as a private network has them.
own_network() {
    rm -rf "$root$params"
    in_root "mkdir -p /srv/mirror && cuzk params setup winning 2KiB -o /srv/mirror --quiet" >/dev/null
    [ "$method" = tree ] || in_root "cuzk params setup window 2KiB -o /srv/mirror --quiet" >/dev/null
    python3 - "$root/srv/mirror" "$root/srv/own.json" <<'PY'
import hashlib, json, os, sys
folder, out = sys.argv[1:]
entries = {}
for name in sorted(os.listdir(folder)):
    if name.endswith((".params", ".vk")):
        data = open(os.path.join(folder, name), "rb").read()
        entries[name] = {"cid": "Qm" + name[-40:].replace(".", "x").replace("-", "y"), "digest": hashlib.blake2b(data).hexdigest()[:32], "sector_size": 2048}
json.dump(entries, open(out, "w"))
PY
    (cd "$root/srv/mirror" && exec python3 -m http.server --bind 127.0.0.1 18930 >/dev/null 2>&1) &
    local mirror=$!
    until (exec 3<>/dev/tcp/127.0.0.1/18930) 2>/dev/null; do
        kill -0 "$mirror" 2>/dev/null || { echo "bare_root: the mirror does not come up" >&2; exit 1; }
        sleep 0.1
    done
}

# As systemctl start does: the unit's command, user, folders, limits, until it says that it is ready.
start_daemon() {
    : >"$work/unit"
    unshare --mount tools/pack/run_unit.py "$root" cuzk.service "$work/daemon.log" >"$work/unit" 2>&1 &
    daemon=$!
    # until it is ready, or has ended: run_unit.py ends one that does not come up
    while ! grep -q '^ready' "$work/unit" && kill -0 "$daemon" 2>/dev/null; do
        sleep 0.1
    done
    grep -q '^ready' "$work/unit" || { echo "bare_root: the daemon does not come up:" >&2; tail -n 20 "$work/unit" "$work/daemon.log" >&2; exit 1; }
    [ "$method" = deb ] || own_libraries "$(sed -n 's/^ready //p' "$work/unit")"
}
stop_daemon() {
    kill -TERM "$daemon"
    wait "$daemon" || { echo "bare_root: the daemon ended with $?" >&2; tail -n 20 "$work/unit" "$work/daemon.log" >&2; exit 1; }
    daemon=
}

# Of the tarball: what the running daemon has loaded is its own, or glibc's.
own_libraries() {
    local other
    other=$(sed -n 's|.* \(/[^ ]*\.so[^ ]*\)$|\1|p' "$root/proc/$1/maps" | sort -u | grep -vE '/lib/cuzk/|/(ld-linux-x86-64|lib(c|m|resolv|pthread|dl|rt))\.so' || true)
    grep -q '/lib/cuzk/' "$root/proc/$1/maps" || { echo "bare_root: the daemon uses none of its own libraries" >&2; exit 1; }
    [ -z "$other" ] || { echo "bare_root: the daemon uses libraries of the system: $other" >&2; exit 1; }
}

commands_of() { sed -nE 's/^ {4,6}((cuzk|apt|make|systemctl|nvidia-smi|tar|adduser|usermod|journalctl|curl)($| .*))/\1/p' "$1"; }
page=${PAGE:-}
[ -n "$page" ] || page=docs/provider.md
doctors=0
installed=
one_command() {
    case $1 in
    "nvidia-smi") echo "[-] $1: left out, there is no card here" ;;
    "make package") echo "[-] $1: made $what" ;;
    "apt install ./build/package/cuzk*.deb")
        [ "$method" = deb ] || return 0
        step 0 'apt-get install -q -y --no-install-recommends /tmp/package.deb'
        installed=1
        own_network
        ;;
    "tar -C / --strip-components=1 -xf build/package/cuzk-"*)
        [ "$method" != deb ] || return 0
        local before
        before=$(stat -c '%a %U %F' "$root"/{,etc,usr,usr/lib,usr/bin,lib,bin})
        rm -rf "$root/usr/bin/cuzk" "$root/etc/cuzk"
        if [ "$method" = tree ]; then
            (cd "$(dirname "$what")" && find "$(basename "$what")" ! -type d | tar -T - -c) | in_root 'tar -C / --strip-components=1 -x'
            echo "[-] $1: the unpacked tree"
        else
            cp "$what" "$root/tmp/cuzk.tar.gz"
            step 0 'tar -C / --strip-components=1 -xf /tmp/cuzk.tar.gz'
        fi
        [ "$before" = "$(stat -c '%a %U %F' "$root"/{,etc,usr,usr/lib,usr/bin,lib,bin})" ] || { echo "bare_root: the tarball changes folders of the system" >&2; exit 1; }
        installed=1
        own_network
        ;;
    "adduser --system "*)
        [ "$method" = deb ] || step 0 "$1"
        ;;
    "usermod -aG cuzk "*)
        in_root 'getent passwd curio >/dev/null || useradd curio'
        step 0 'usermod -aG cuzk curio'
        ;;
    "cuzk --version") step 0 "$1"; says '^commit: ' ;;
    "cuzk doctor")
        doctors=$((doctors + 1))
        if [ -z "$daemon" ]; then
            step 2 "$1" # what is missing, and the next command
            says 'next'
        else
            step 0 "$1"
            says 'WinningPoSt of 2 KiB sectors, made and verified'
            says 'verdict'
        fi
        ;;
    "cuzk params list 32GiB") step 0 "$1"; step 0 'cuzk params list 2KiB --list /srv/own.json' ;;
    "cuzk params fetch 32GiB "*) step 0 "cuzk params fetch 2KiB --params $params --from http://127.0.0.1:18930 --list /srv/own.json" ;;
    "cuzk params check $params 32GiB")
        step 0 "cuzk params check $params 2KiB --list /srv/own.json $([ "$method" = tree ] || echo --points)"
        # step 5, first row of its table
        in_root "sed -i 's|^# param_cache = .*|param_cache = \"$params\"|' /etc/cuzk/cuzk.toml && chmod a+rX $params $params/*"
        ;;
    "cuzk serve --check-config "*) step 0 "$1"; says 'the configuration is good' ;;
    "systemctl enable --now cuzk") echo "[-] $1: as the unit says"; start_daemon ;;
    "cuzk top") step 0 'cuzk top --once'; says 'serving' ;;
    "cuzk gen winning --sector-size 32GiB "*)
        step 0 'cuzk gen winning --sector-size 2KiB -o /tmp/winning.vanilla --force'
        local randomness
        randomness=$(sed -n 's/^randomness *//p' "$work/out")
        step 0 "cuzk submit --kind winning --vanilla /tmp/winning.vanilla --randomness $randomness --sector-size 2KiB --wait -o /tmp/proof --force"
        says COMPLETED
        step 0 "cuzk verify winning --vanilla /tmp/winning.vanilla --sector-size 2KiB --randomness $randomness --params $params --proof /tmp/proof"
        says 'valid'
        ;;
    *)
        echo "bare_root: $page has a command that this script does not know: $1" >&2
        exit 1
        ;;
    esac
}
while read -r line; do
    one_command "$line"
done < <(commands_of "$page")
[ -n "$installed" ] || { echo "bare_root: the page does not say how a $method is installed" >&2; exit 1; }
[ "$doctors" -ge 2 ] || { echo "bare_root: the page has $doctors times cuzk doctor" >&2; exit 1; }
stop_daemon

# docs/parameters.md and, with a package, docs/upgrade.md: each of their commands, too.
other_command() {
    case $1 in
    "cuzk params list 32GiB") step 0 'cuzk params list 2KiB --list /srv/own.json'; says checked ;;
    "cuzk params fetch 32GiB --from https://mirror.example/params") step 0 "cuzk params fetch 2KiB --from http://127.0.0.1:18930 --list /srv/own.json" ;;
    "cuzk params fetch 32GiB --from https://gateway.example/ipfs --kind winning") step 0 "cuzk params fetch 2KiB --from http://127.0.0.1:18930 --kind winning --list /srv/own.json" ;;
    "cuzk params check $params 32GiB") step 0 "cuzk params check $params 2KiB --list /srv/own.json" ;;
    "cuzk --version") step 0 "$1" ;;
    "cuzk doctor") start_daemon; step 0 "$1"; stop_daemon ;;
    "apt install ./cuzk_NEW_amd64.deb")
        in_root 'cd /tmp && dpkg-deb -R package.deb new && sed -i "s/^Version: .*/&+new/" new/DEBIAN/control && dpkg-deb -b new new.deb' >/dev/null
        step 0 'apt-get install -q -y /tmp/new.deb'
        step 0 "dpkg-query -W -f '\${Version}' cuzk-cpu cuzk 2>/dev/null | grep -q new"
        ;;
    "apt install --allow-downgrades ./cuzk_OLD_amd64.deb")
        step 0 'apt-get install -q -y --allow-downgrades /tmp/package.deb'
        step 1 "dpkg-query -W -f '\${Version}' cuzk-cpu cuzk 2>/dev/null | grep -q new"
        start_daemon
        step 0 'cuzk doctor'
        stop_daemon
        ;;
    *) echo "bare_root: a page has a command that this script does not know: $1" >&2; exit 1 ;;
    esac
}
pages=docs/parameters.md
[ "$method" != deb ] || pages="$pages docs/upgrade.md"
others=0
while read -r line; do
    others=$((others + 1))
    other_command "$line"
done < <(for p in $pages; do commands_of "$p"; done)
[ "$others" -ge 4 ] || { echo "bare_root: $others commands in $pages" >&2; exit 1; }
if [ "$method" = deb ]; then
    step 0 'apt-get purge -q -y cuzk cuzk-cpu'
    step 0 'test ! -e /usr/bin/cuzk && test ! -e /etc/cuzk/cuzk.toml && test ! -e /var/lib/cuzk'
fi
echo "bare_root: $n commands, all right"
