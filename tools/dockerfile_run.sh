#!/bin/bash
# packaging/Dockerfile without Docker: each RUN, ENV, USER, ENTRYPOINT and HEALTHCHECK in a bare Debian: tools/dockerfile_run.sh PACKAGE.deb
#   BUILD_STAGE=1    the first stage too (installs the compilers, takes minutes); COMPILE=1: and compiles there (much longer)
#   ROOT=FOLDER      a bare Debian that is there already; it is not changed
# Needs root, overlayfs, debootstrap and a mirror.
set -euo pipefail
cd "$(dirname "$0")/.."
package=$(realpath "$1")
[ -n "${DOCKERFILE_INSIDE:-}" ] || exec env DOCKERFILE_INSIDE=1 unshare --mount --pid --fork --kill-child "$0" "$package"
work=$(mktemp -d)
trap 'umount -R "$work"/*/root 2>/dev/null; rm -rf --one-file-system "$work"' EXIT
lower=${ROOT:-}
[ -n "$lower" ] || {
    lower=$work/bare
    debootstrap --variant=minbase bookworm "$lower" "${MIRROR:-http://deb.debian.org/debian}" >"$work/debootstrap.log"
}
new_root() { # name
    root=$work/$1/root
    mkdir -p "$root" "$work/$1/upper" "$work/$1/work"
    mount -t overlay overlay -o "lowerdir=$lower,upperdir=$work/$1/upper,workdir=$work/$1/work" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --make-rslave "$root/dev"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    environment=(PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive)
    user=root
    folder=/
}
# As RUN, HEALTHCHECK and ENTRYPOINT do: in the folder, as the user, with the environment.
as_user() {
    local command=(chroot "$root" /usr/bin/env -i "${environment[@]}" setpriv "--reuid=$user" --init-groups --regid "$(chroot "$root" id -g "$user")" sh -c "cd $folder && $1")
    [ -z "${EXEC:-}" ] || exec "${command[@]}"
    "${command[@]}"
}
run() {
    echo "RUN $1"
    as_user "$1" >"$work/out" 2>&1 || { tail -n 30 "$work/out" >&2; exit 1; }
}

health= entry=
while IFS=$'\t' read -r stage instruction rest; do
    case "$stage $instruction" in
    "0 ARG") ;;
    *" FROM")
        echo "FROM $rest"
        [ "$stage" = 2 ] || [ -n "${BUILD_STAGE:-}" ] && new_root "stage$stage"
        ;;
    "1 "*)
        [ -n "${BUILD_STAGE:-}" ] || continue
        case $instruction in
        COPY) mkdir -p "$root/src" && git archive HEAD | tar -C "$root/src" -x ;;
        WORKDIR) folder=$rest ;;
        RUN)
            # Without COMPILE everything is installed and found, and nothing is compiled.
            [ -n "${COMPILE:-}" ] || rest=${rest/tools\/package.sh \/out/cmake -S . -B \/tmp\/b -G Ninja -DCUZK_TESTS=OFF -DCUZK_DAEMON=ON -DCUZK_FLEET=ON -DCUZK_STATIC_LIBS=ON}
            run "$rest"
            ;;
        *) echo "dockerfile_run: $instruction in the first stage" >&2; exit 1 ;;
        esac
        ;;
    *" COPY") cp "$package" "$root/tmp/$(basename "$package")" ;;
    *" RUN") run "$rest" ;;
    *" USER") user=$rest ;;
    *" ENV") environment+=("$rest") ;;
    *" EXPOSE" | *" VOLUME" | *" STOPSIGNAL") ;;
    *" HEALTHCHECK") health=${rest##*CMD } ;;
    *" ENTRYPOINT") entry=$rest ;;
    *) echo "dockerfile_run: $instruction is not known here" >&2; exit 1 ;;
    esac
done < <(tools/pack/dockerfile_steps.py packaging/Dockerfile)

# The daemon by its entry point, in a network of its own; then its health check.
echo "ENTRYPOINT $entry"
declare -f as_user >"$work/as_user"
export root user folder entry health work
cat >"$work/daemon.sh" <<DAEMON
set -u
. $work/as_user
$(declare -p environment)
ip link set lo up
EXEC=1 as_user "exec $entry" >"$work/daemon.log" 2>&1 &
for _ in \$(seq 300); do
    as_user "$health" >"$work/health" 2>&1 && break
    sleep 0.2
done
as_user "$health" || { tail -n 20 "$work/daemon.log" "$work/health"; exit 1; }
echo "HEALTHCHECK $health: healthy"
kill -TERM \$!
wait \$!
DAEMON
unshare --net bash "$work/daemon.sh" || { echo "dockerfile_run: the container does not work" >&2; tail -n 20 "$work/daemon.log" >&2; exit 1; }
echo "dockerfile_run: all right"
