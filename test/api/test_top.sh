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
while [ ! -s "$dir/port" ] && [ $n -lt 1800 ]; do
    sleep 0.1
    n=$((n + 1))
done
at=127.0.0.1:$(cat "$dir/port")

run "once" 0 "serving" top --once --status "$at"
run "with a scheme" 0 "quarantined" top -1 -s "http://$at"
run "what the driver says of cards" 0 "card 00000000:01:00.0 61 C, 413 W, 1980 MHz, busy 97 %, 400 B of 1.0 KiB used" top --once -s "$at"
run "a circuit that is set aside" 0 "set aside: snap-32g, its proofs do not verify here; tried again in 1 m 30 s" top --once -s "$at"
run "jobs" 0 "winning-post critical completed # 1/1" top --once -s "$at"
check "no colours in a pipe" sh -c '! "$1" top --once -s "$2" | grep -q "$(printf "\033")"' sh "$cuzk" "$at"
: >"$dir/many"
"$cuzk" top -n 0.2 -s "$at" >>"$dir/many" 3>&- &
top=$!
n=0
while [ "$(grep -c ^cuzk "$dir/many")" -lt 3 ] && [ $n -lt 900 ]; do
    sleep 0.2
    n=$((n + 1))
done
kill -TERM $top
rc=0
wait $top || rc=$?
check "again and again until a signal" test "$(grep -c ^cuzk "$dir/many")" -ge 3
check "and then the end" test $rc -eq 0 -o $rc -eq 143
cat >"$dir/ended.py" <<'PY'
import os, pty, select, signal, sys, time
cuzk, at = sys.argv[1:]
pid, fd = pty.fork()
if pid == 0:
    os.execv(cuzk, [cuzk, "top", "-s", at])
seen = b""
sent = False
end = time.time() + 180
while time.time() < end:
    if select.select([fd], [], [], 0.1)[0]:
        try:
            part = os.read(fd, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    if not sent and b"\x1b[?1049h" in seen and b"order: " in seen:
        os.kill(pid, signal.SIGTERM)
        sent = True
assert sent, ("no screen came", seen[-2000:])
assert seen.endswith(b"\x1b[?25h\x1b[?1049l"), ("the end of the output", seen[-200:])
os.waitpid(pid, 0)
PY
check "the terminal is put back after a signal" python3 "$dir/ended.py" "$cuzk" "$at"
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
read(180, b"order: ")
os.write(fd, b"s")
read(180, b"age")
os.write(fd, b"/winning\rj\r")
read(180, b"job winpost")
os.write(fd, b"q")
end = time.time() + 180
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
while kill -0 "$server" 2>/dev/null && [ $n -lt 1800 ]; do
    sleep 0.1
    n=$((n + 1))
done
check "the server ends with its input" sh -c '! kill "$1" 2>/dev/null' sh "$server"
wait
run "no daemon" 3 "cannot reach $at" top --once --status "$at"
summary
