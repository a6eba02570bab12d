#!/bin/bash
# docs/provider.md, word by word, on a bare Debian or Ubuntu: tools/bare_root.sh [PACKAGE.deb]
#   ROOT=FOLDER     a root that is there already (a copy is used); else debootstrap makes one
#   SUITE, MIRROR   what debootstrap makes (bookworm, http://deb.debian.org/debian)
#   KEEP=1          leave the root for a look
# Every command of the page is run in the root in the order of the page, on 2 KiB sectors with parameters made
# there; what stands in for a command that cannot run there (no systemd, no card, no mirror) is listed below, and a
# command of the page that this script does not know is a failure. Needs root, debootstrap, python3 and the mirror.
set -euo pipefail
cd "$(dirname "$0")/.."
deb=${1:-$(ls build/package/*.deb 2>/dev/null | head -1)}
[ -n "$deb" ] && [ -f "$deb" ] || { echo "bare_root: no package; make package first" >&2; exit 2; }
work=$(mktemp -d)
root=$work/root
daemon=
finish() {
    rc=$?
    [ -z "$daemon" ] || kill "$daemon" 2>/dev/null || true
    [ -z "${mirror_pid:-}" ] || kill "$mirror_pid" 2>/dev/null || true
    wait 2>/dev/null || true
    for m in proc dev sys; do ! mountpoint -q "$root/$m" || umount "$root/$m"; done
    [ -n "${KEEP:-}" ] && echo "the root is $root" || rm -rf --one-file-system "$work"
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
# no service is started in a root without systemd
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"

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
        tail -40 "$work/out" >&2
        exit 1
        ;;
    esac
}
says() { grep -q -- "$1" "$work/out" || { echo "bare_root: the last command did not say '$1':" >&2; tail -40 "$work/out" >&2; exit 1; }; }

params=/var/tmp/filecoin-proof-parameters
# The parameters of a network of our own, on a mirror of our own: as a private network has them.
own_network() {
    in_root "mkdir -p /srv/mirror && cuzk params setup winning 2KiB -o /srv/mirror --quiet && cuzk params setup window 2KiB -o /srv/mirror --quiet" >/dev/null
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
    mirror_pid=$!
}

start_daemon() { # the unit's command, as the unit's user, with the folders that systemd makes
    local command
    command=$(sed -n 's/^ExecStart=//p' "$root/lib/systemd/system/cuzk.service")
    in_root 'install -d -o cuzk -g cuzk -m 750 /run/cuzk /var/lib/cuzk'
    chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/var/lib/cuzk setpriv --reuid=cuzk --regid=cuzk --init-groups sh -c "umask 077; exec $command" >"$work/daemon.log" 2>&1 &
    daemon=$!
    for _ in $(seq 100); do
        in_root 'cuzk health' >/dev/null 2>&1 && return
        kill -0 "$daemon" 2>/dev/null || break
        sleep 0.2
    done
    echo "bare_root: the daemon does not come up:" >&2
    tail -20 "$work/daemon.log" >&2
    exit 1
}

doctors=0
one_command() {
    case $1 in
    "nvidia-smi") echo "[-] $1: left out, there is no card here" ;;
    "make package") echo "[-] $1: made $deb" ;;
    "apt install ./build/package/cuzk_"*)
        cp "$deb" "$root/tmp/package.deb"
        step 0 'apt-get update -q && apt-get install -q -y --no-install-recommends /tmp/package.deb'
        own_network
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
        step 0 "cuzk params check $params 2KiB --list /srv/own.json --points"
        # step 5, first row of its table
        in_root "sed -i 's|^# param_cache = .*|param_cache = \"$params\"|' /etc/cuzk/cuzk.toml && chmod a+rX $params $params/*"
        ;;
    "cuzk serve --check-config "*) step 0 "$1"; says 'the configuration is good' ;;
    "systemctl enable --now cuzk") echo "[-] $1: its command, by its user"; start_daemon ;;
    "cuzk top") step 0 'cuzk top --once'; says 'serving' ;;
    "cuzk gen winning --sector-size 32GiB "*)
        step 0 'cuzk gen winning --sector-size 2KiB -o /tmp/winning.vanilla'
        local randomness
        randomness=$(sed -n 's/^randomness *//p' "$work/out")
        step 0 "cuzk submit --kind winning --vanilla /tmp/winning.vanilla --randomness $randomness --sector-size 2KiB --wait -o /tmp/proof"
        says COMPLETED
        step 0 "cuzk verify winning --vanilla /tmp/winning.vanilla --sector-size 2KiB --randomness $randomness --params $params --proof /tmp/proof"
        says 'valid'
        ;;
    *)
        echo "bare_root: docs/provider.md has a command that this script does not know: $1" >&2
        exit 1
        ;;
    esac
}
while read -r line; do
    one_command "$line"
done < <(sed -n 's/^    \(\(cuzk\|apt\|make\|systemctl\|nvidia-smi\).*\)/\1/p' docs/provider.md)
[ "$doctors" -ge 2 ] || { echo "bare_root: the page has $doctors times cuzk doctor" >&2; exit 1; }
kill -TERM "$daemon"
wait "$daemon" || { echo "bare_root: the daemon ended with $?" >&2; exit 1; }
daemon=
step 0 'apt-get purge -q -y cuzk cuzk-cpu'
step 0 'test ! -e /usr/bin/cuzk'
echo "bare_root: $n commands, all right"
