#!/bin/sh
# cuzk top from outside, against a scripted engine: test_top.sh CUZK FAKE_SERVER
set -u
. "$(dirname "$0")/../cli/lib.sh"
fake=$2

mkfifo "$dir/hold"
"$fake" 127.0.0.1:0 130 0 <"$dir/hold" >"$dir/port" &
server=$!
exec 3>"$dir/hold" # the server ends when this closes, so nothing that may live longer has it
n=0
while [ ! -s "$dir/port" ] && [ $n -lt 100 ]; do
    sleep 0.1
    n=$((n + 1))
done
at=127.0.0.1:$(cat "$dir/port")

run "once" 0 "serving" top --once --status "$at"
run "with a scheme" 0 "quarantined" top -1 -s "http://$at"
run "jobs" 0 "winning-post critical completed # 1/1" top --once -s "$at"
check "no colours in a pipe" sh -c '! "$1" top --once -s "$2" | grep -q "$(printf "\033")"' sh "$cuzk" "$at"
check "again and again until a signal" sh -c \
    'timeout -s INT 2 "$1" top -n 0.2 -s "$2" >"$3/many" 3>&-; [ $? = 124 ] && [ "$(grep -c ^cuzk "$3/many")" -ge 3 ]' \
    sh "$cuzk" "$at" "$dir"
check "the terminal is put back" sh -c \
    'command -v script >/dev/null || exit 0
     timeout -k 1 30 script -qec "timeout -k 5 -s TERM 1 $1 top -s $2" /dev/null >"$3/tty" </dev/null 3>&-
     grep -q "$(printf "\033\\[?1049h")" "$3/tty" && tail -c 20 "$3/tty" | grep -q "$(printf "\033\\[?25h\033\\[?1049l")"' \
    sh "$cuzk" "$at" "$dir"
cat >"$dir/keys.py" <<'PY'
import os, pty, select, sys, time
cuzk, at = sys.argv[1:]
pid, fd = pty.fork()
if pid == 0:
    os.execv(cuzk, [cuzk, "top", "-s", at])
seen = b""
def read(seconds, want):
    global seen
    end = time.time() + seconds
    while time.time() < end and want not in seen:
        if select.select([fd], [], [], 0.1)[0]:
            try:
                seen += os.read(fd, 65536)
            except OSError:
                return
    assert want in seen, (want, seen[-2000:])
read(20, b"order: ")
os.write(fd, b"s")
read(20, b"age")
os.write(fd, b"/winning\rj\r")
read(20, b"job winpost")
os.write(fd, b"q")
end = time.time() + 20
while time.time() < end:
    done, status = os.waitpid(pid, os.WNOHANG)
    if done:
        sys.exit(os.waitstatus_to_exitcode(status))
    if select.select([fd], [], [], 0.1)[0]:
        try:
            os.read(fd, 65536)
        except OSError:
            pass
os.kill(pid, 9)
sys.exit("q did not end it")
PY
check "keys: order, filter, details, quit" python3 "$dir/keys.py" "$cuzk" "$at"
run "not HOST:PORT" 2 "is not HOST:PORT" top --once --status "a b"
run "odd interval" 2 "wants 0.1 to 3600" top --interval 0
run "an argument" 2 "takes no arguments" top x
exec 3>&-
n=0
while kill -0 "$server" 2>/dev/null && [ $n -lt 200 ]; do
    sleep 0.1
    n=$((n + 1))
done
check "the server ends with its input" sh -c '! kill "$1" 2>/dev/null' sh "$server"
wait
run "no daemon" 3 "cannot reach $at" top --once --status "$at"
summary
