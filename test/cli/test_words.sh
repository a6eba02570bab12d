#!/bin/bash
# The words of the command line: help, version, misspelt commands, completion. usage: test_words.sh CUZK
set -u
cuzk=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0
expect() { # name, status, text, command...
    local name=$1 status=$2 text=$3
    shift 3
    "$@" >"$dir/out" 2>&1
    local rc=$?
    if [ $rc = "$status" ] && { [ -z "$text" ] || grep -qF -- "$text" "$dir/out"; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name: status $rc, wanted $status and '$text'"
        head -20 "$dir/out"
    fi
}

for word in --help -h help; do
    expect "cuzk $word" 0 'Proofs:' "$cuzk" $word
done
expect 'help of a command' 0 'Usage: cuzk params list' "$cuzk" help params list
expect 'help of a command with others below' 0 'Usage: cuzk params COMMAND' "$cuzk" help params
expect 'no command' 2 'Usage: cuzk COMMAND' "$cuzk"
for word in --version -V version; do
    expect "cuzk $word" 0 'processor:' "$cuzk" $word
done
expect 'version says whether CUDA is there' 0 'CUDA:' "$cuzk" --version
expect 'version says whether the daemon is there' 0 'daemon:' "$cuzk" --version
expect 'a letter is missing' 2 "no command 'prov'; did you mean 'prove'? 'cuzk --help' lists them" "$cuzk" prov
expect 'two letters are exchanged' 2 "did you mean 'check'?" "$cuzk" params chekc
expect 'nothing is close' 2 "no command 'xylophone'; 'cuzk --help'" "$cuzk" xylophone
expect 'a heading is no command' 2 "no command 'Proofs'" "$cuzk" Proofs
expect 'a long word' 2 'no command' "$cuzk" "$(printf 'a%.0s' $(seq 300))"

expect 'version has no blank at the end of a line' 1 '' bash -c '"$1" --version | grep " $"' - "$cuzk"
expect 'a folder that is not there' 2 'is no folder' "$cuzk" params check "$dir/nowhere" 32GiB
if "$cuzk" --version | grep -q 'daemon: yes'; then
    # Before the daemon is asked for: nobody listens there.
    : >"$dir/vanilla"
    expect 'submit without randomness' 2 'needs --randomness' "$cuzk" submit --kind winning --vanilla "$dir/vanilla" --addr 127.0.0.1:1
    expect 'submit of no file' 2 'no such file' "$cuzk" submit --kind winning --vanilla "$dir/none" --randomness "$(printf '11%.0s' $(seq 32))" --type 3 --addr 127.0.0.1:1
    expect 'nobody listens' 3 'Connection refused' "$cuzk" health --addr 127.0.0.1:1
    expect 'and the reason is given once' 0 '' bash -c 'test "$("$1" health --addr 127.0.0.1:1 2>&1 | grep -c "Connection refused")" = 1' - "$cuzk"
fi
if "$cuzk" params fetch --help >/dev/null 2>&1; then
    expect 'a URL without a protocol' 2 'wants http://... or https://' "$cuzk" params fetch 2KiB --from mirror.example
fi

# Completion: what the scripts offer is what this program has.
mkdir "$dir/bin"
ln -s "$cuzk" "$dir/bin/cuzk"
export PATH="$dir/bin:$PATH"
offers() { # words before, word begun
    (
        # shellcheck disable=SC1090 # made by the program
        source <(cuzk completion bash)
        # shellcheck disable=SC2206 # one word each
        COMP_WORDS=($1 "$2")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _cuzk
        echo "${COMPREPLY[*]}"
    )
}
expect 'commands' 0 'prove params' offers cuzk p
expect 'commands below a command' 0 'list' offers 'cuzk params' ''
expect 'options' 0 '--digest' offers 'cuzk params check' --dig
expect 'options after an option' 0 '--kind' offers 'cuzk params list --json' --k
if command -v zsh >/dev/null; then
    cuzk completion zsh >"$dir/_cuzk"
    expect 'the script is good zsh' 0 '' zsh -n "$dir/_cuzk"
fi
if command -v fish >/dev/null; then
    cuzk completion fish >"$dir/cuzk.fish"
    expect 'the script is good fish' 0 '' fish -n "$dir/cuzk.fish"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
