#!/bin/sh
# cuzk.toml(5) from the table of keys that the program itself prints: config_man.sh CUZK >cuzk.toml.5
set -eu
cat <<'HEAD'
.TH CUZK.TOML 5 "" "cuzk" "File Formats"
.SH NAME
cuzk.toml \- configuration of the cuzk daemon
.SH DESCRIPTION
A TOML file; every key is optional. Sizes are written as "512MiB", "1.5GiB" or a number of bytes, times as "30s",
"5m", "1h30m" or a number of seconds. A wrong value stops the daemon with file, line and key; an unknown key makes it
warn.
.B cuzk serve \-\-check\-config
checks a file.
.SH KEYS
HEAD
"$1" serve --config-reference | awk -F ' [|] ' '
    NR > 2 {
        key = $1; type = $2; value = $3; meaning = $4
        sub(/^[|] /, "", key); sub(/ [|]$/, "", meaning)
        gsub(/`/, "", key); gsub(/`/, "", value); gsub(/`/, "\"", meaning)
        gsub(/-/, "\\-", key); gsub(/-/, "\\-", value); gsub(/-/, "\\-", meaning)
        gsub(/[\/@?]/, "&\\:", meaning) # long addresses may break there
        printf ".TP\n.B %s\n(%s%s)\n", key, type, value == "" ? "" : ", default " value
        if (meaning ~ /^[.\x27]/) {
            meaning = "\\&" meaning
        }
        print meaning
    }'
cat <<'TAIL'
.SH SEE ALSO
.BR cuzk (1)
TAIL
