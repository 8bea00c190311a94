#!/bin/sh
# Other programs of the machine that reach a server of kedge: a flood of requests that are never finished does not keep the
# person out of the page (agent-tools-cli §5.5 rule 7).
E2E_DIR=$(cd "$(dirname "$0")/../e2e" && pwd)
. "$E2E_DIR/lib.sh"
need_kedge
need curl git

PY=${PYTHON:-python3}
git init -q
is_started() { grep -qs '#t=' "$1"; }
kedge arcade --no-open >"$HOME/arcade.out" 2>"$HOME/arcade.err" </dev/null &
ARCADE=$!
echo "$ARCADE" >>"$E2E_TMP/.state/pids"
wait_for 60 is_started "$HOME/arcade.out" || fail "arcade did not start: $(cat "$HOME/arcade.err")"
PORT=$(sed -n 's/.* Arcade on port \([0-9]*\).*/\1/p' "$HOME/arcade.out")
TOKEN=$(sed -n 's/.*#t=//p' "$HOME/arcade.out")

# flood FILE: keeps 300 requests half sent, opens those anew that were closed, and writes how many there were.
cat >flood.py <<'P'
import select, socket, sys, time
port, said, opened = int(sys.argv[1]), sys.argv[2], 0
held = []
end = time.time() + 30
while time.time() < end:
    while len(held) < 300:
        one = socket.create_connection(("127.0.0.1", port))
        one.sendall(b"GET /api/v1/runs HTTP/1.1\r\nHost: 127")
        held.append(one)
        opened += 1
        if opened == 300:
            open(said, "w").write("full")
    ready, _, _ = select.select(held, [], [], 0.05)
    for one in ready:
        one.close()
        held.remove(one)
P

# status NUMBER: the codes of so many requests of the person, counted.
status() {
    for _ in $(seq "$1"); do
        curl -s --noproxy '*' --max-time 20 -o /dev/null -w '%{http_code}\n' -H "Authorization: Bearer $TOKEN" "http://127.0.0.1:$PORT/api/v1/runs"
    done | sort | uniq -c | tr -s ' '
}

t "the page answers the person"
[ "$(status 3)" = " 3 200" ] || fail "$(status 1)"

t "and so it does while 300 half-sent requests are held open and renewed"
"$PY" flood.py "$PORT" "$HOME/full" 2>/dev/null &
FLOOD=$!
echo "$FLOOD" >>"$E2E_TMP/.state/pids"
wait_for 60 test -s "$HOME/full" || fail "the flood did not come"
got=$(status 40)
[ "$got" = " 40 200" ] || fail "codes:$got"

t "a request without the token is told so, or to come later: it holds nothing"
code=$(curl -s --noproxy '*' --max-time 20 -o /dev/null -w '%{http_code}' "http://127.0.0.1:$PORT/api/v1/runs")
case $code in 401 | 503) ;; *) fail "code $code" ;; esac
kill "$FLOOD" "$ARCADE"

done_testing
