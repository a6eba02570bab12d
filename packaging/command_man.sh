#!/bin/sh
# A page of section 1 for each command, from the help that the program itself prints: command_man.sh CUZK FOLDER
# writes FOLDER/cuzk-prove.1, FOLDER/cuzk-prove-porep.1 and so on.
set -eu
cuzk=$1 folder=$2
# one line for each option, whatever its length
ARGP_HELP_FMT='rmargin=2000,short-opt-col=2,long-opt-col=6,opt-doc-col=60,header-col=1,usage-indent=4,no-dup-args-note'
export ARGP_HELP_FMT
mkdir -p "$folder"

# SUMMARY, then the help on standard input; the name of the page in $page.
page_of() {
    awk -v page="$page" -v command="cuzk $path" -v summary="$1" '
    function plain(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); if (s ~ /^[.\x27]/) s = "\\&" s; return s }
    BEGIN {
        printf ".TH %s 1 \"\" \"cuzk\" \"User Commands\"\n", toupper(page)
        printf ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", plain(page), plain(summary)
        part = "usage"
    }
    part == "usage" && /^(Usage:|  or: )/ {
        sub(/^(Usage: |  or:  )/, "")
        if (n_usage++) print ".br"
        sub(command, ""); sub(/^ /, "")
        printf ".B %s\n%s\n", plain(command), plain($0)
        next
    }
    part == "usage" { print ".SH DESCRIPTION"; part = "text" }
    /^Examples:/ { print ".SH EXAMPLES\n.nf"; part = "examples"; next }
    /^Commands?:$|^[A-Z][A-Za-z ]*:$/ && part == "text" { printf ".SS %s\n", plain(substr($0, 1, length($0) - 1)); next }
    /^ [A-Z].*:$/ && part != "examples" {
        if (!options++) print ".SH OPTIONS"
        printf ".SS %s\n", plain(substr($0, 2, length($0) - 2)); part = "options"; next
    }
    /^ +-[-?A-Za-z]/ && part != "examples" {
        if (!options++) print ".SH OPTIONS"
        part = "options"
        line = $0; sub(/^ +/, "", line)
        at = match(line, /   */)
        name = at ? substr(line, 1, at - 1) : line
        text = at ? substr(line, at) : ""; sub(/^ +/, "", text)
        printf ".TP\n.B %s\n%s\n", plain(name), plain(text)
        next
    }
    /^  [a-z][a-z0-9-]* / && part == "text" { # commands
        name = $1; text = $0; sub(/^ +[a-z0-9-]+ +/, "", text)
        printf ".TP\n.BR %s\\-%s (1)\n%s\n", plain(page), plain(name), plain(text)
        next
    }
    /^$/ { if (part == "options") { part = "after"; next } if (part != "examples") print ".PP"; next }
    part == "after" { print ".PP"; part = "text" }
    { sub(/^  /, ""); print plain($0) }
    END { if (part == "examples") print ".fi"; print ".SH SEE ALSO\n.BR cuzk (1),\n.BR cuzk.toml (5)" }' >"$folder/$page.1"
}

walk() { # SUMMARY COMMAND...; runs in a subshell, so that names are its own
    summary=$1
    shift
    path=$*
    page=cuzk-$(echo "$path" | tr ' ' '-')
    help=$("$cuzk" "$@" --help 2>/dev/null) || return 0 # not in this build
    case $help in
    Usage:*) ;;
    *) return 0 ;; # completion: a script
    esac
    printf '%s\n' "$help" | page_of "$summary"
    case $help in
    "Usage: cuzk $path COMMAND"*)
        printf '%s\n' "$help" | sed -n 's/^  \([a-z][a-z0-9-]*\)  *\(.*\)/\1 \2/p' | while read -r name rest; do
            (walk "$rest" "$@" "$name")
        done
        ;;
    esac
}
"$cuzk" --help | sed -n 's/^  \([a-z][a-z0-9-]*\)  *\(.*\)/\1 \2/p' | while read -r name rest; do
    (walk "$rest" "$name")
done
