# Sourced by the test scripts: counts, a scratch folder, and two checks.
cuzk=$1
passed=0
failed=0
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
export LC_ALL=C

pass() { passed=$((passed + 1)); }
fail() {
    failed=$((failed + 1))
    printf 'FAIL %s\n' "$1"
    sed 's/^/  | /' "$dir/out" "$dir/err" 2>/dev/null | head -n 12
}

# run NAME STATUS TEXT ARG...: exit status, and TEXT somewhere in the output ("" for any)
run() {
    name=$1 want=$2 text=$3
    shift 3
    rc=0
    "$cuzk" "$@" >"$dir/out" 2>"$dir/err" </dev/null || rc=$?
    if [ "$rc" != "$want" ]; then
        fail "$name: exit status $rc, expected $want"
    elif [ -n "$text" ] && ! cat "$dir/out" "$dir/err" | grep -qF -- "$text"; then
        fail "$name: '$text' is not in the output"
    else
        pass
    fi
}

# check NAME COMMAND...: the command succeeds
check() {
    name=$1
    shift
    if "$@" >"$dir/out" 2>"$dir/err"; then pass; else fail "$name: $*"; fi
}

summary() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
