#!/bin/sh
# `kedge arcade`: starting, reusing, replacing and ending the server, who is let in, live updates across
# programs and restarts. Rows of agent-tools-cli §10 are named cli-E-NN.
. "$(dirname "$0")/lib.sh"
need_kedge
need curl git

RUN=run-1
STATE=$HOME/.kedge
PY=${PYTHON:-python3}

git init -q
printf '# Design\n\nIt runs before init.\n' >design.md

emit() { run kedge agent-tools emit --run-id $RUN --workflow build "$@"; }
status_change() { emit --type status_change --step "$1" --data "{\"status\": \"$2\"}"; }

# What arcade printed last, wherever it went.
read_link() {
    PORT=$(sed -n 's/.* Arcade on port \([0-9]*\).*/\1/p' "$1")
    TOKEN=$(sed -n 's/.*#t=//p' "$1")
    BASE=http://127.0.0.1:$PORT
}

is_started() { grep -qs '#t=' "$1"; }

# arcade [OPTION…]: in the foreground, as $ARCADE_PID.
arcade() {
    rm -f "$HOME/arcade.out" # of the one before
    env --default-signal=INT,QUIT kedge arcade --no-open "$@" >"$HOME/arcade.out" 2>"$HOME/arcade.err" </dev/null &
    ARCADE_PID=$!
    echo "$ARCADE_PID" >>"$E2E_TMP/.state/pids"
    wait_for 60 is_started "$HOME/arcade.out" || fail "arcade did not start: $(cat "$HOME/arcade.err")"
    read_link "$HOME/arcade.out"
}

# arcade_end SIGNAL: its exit status is $ENDED.
arcade_end() {
    kill -s "$1" "$ARCADE_PID"
    wait "$ARCADE_PID"
    ENDED=$?
    sed -i "/^$ARCADE_PID\$/d" "$E2E_TMP/.state/pids"
}

ask() { curl -sS --noproxy '*' --max-time 20 "$@"; }
api() {
    _path=$1
    shift
    ask -H "Authorization: Bearer $TOKEN" "$@" "$BASE$_path"
}
# code PATH [OPTION…]: the status of an answer.
code() {
    _path=$1
    shift
    ask -o "$HOME/answer" -w '%{http_code}' "$@" "$BASE$_path"
}
expect_code() {
    _want=$1
    shift
    _code=$(code "$@")
    [ "$_code" = "$_want" ] || fail "$*: $_code, want $_want: $(head -c 300 "$HOME/answer")"
}
expect_api() {
    _want=$1
    shift
    expect_code "$_want" "$@" -H "Authorization: Bearer $TOKEN"
}
field() { "$PICK" "$1" "$2"; }

# ---- one server ------------------------------------------------------------

t "it says what it is for"
run kedge arcade --help
expect_exit 0
expect_contains stdout "--background"

t "cli-E-18 nothing runs: --status says so, --stop may be repeated"
run kedge arcade --status
expect_exit 1
expect_out "Arcade is not running"
run kedge arcade --stop
expect_exit 0
expect_out "Arcade is not running"
expect_no_file "$STATE/arcade.json"

t "it prints where it is and how to get in; the record is private"
arcade --port 0
expect_matches "$HOME/arcade.out" "^Started Arcade on port $PORT\$"
expect_matches "$HOME/arcade.out" "^http://127\.0\.0\.1:$PORT/#t=[0-9a-f]{64}\$"
expect_empty "$HOME/arcade.err"
[ "$(stat -c %a "$STATE/arcade.json")" = 600 ] || fail "arcade.json is open to others"
expect_json "$STATE/arcade.json" port "$PORT"
expect_json "$STATE/arcade.json" token "$TOKEN"
expect_json "$STATE/arcade.json" pid "$ARCADE_PID"

t "a second one is the first one"
run kedge arcade --no-open
expect_exit 0
expect_out "Reused Arcade on port $PORT
http://127.0.0.1:$PORT/#t=$TOKEN"
run kedge arcade --no-open --run a/b
expect_contains stdout "http://127.0.0.1:$PORT/runs/a%2Fb#t=$TOKEN"
run kedge arcade --no-open --project .
expect_contains stdout "http://127.0.0.1:$PORT/?project=$HOME/work#t=$TOKEN"
run kedge arcade --status
expect_exit 0
expect_contains stdout "Arcade on port $PORT is running (pid $ARCADE_PID, version "

t "Ctrl-C and SIGTERM end it; nothing is left"
arcade_end INT
[ "$ENDED" = 0 ] || fail "exit status $ENDED"
expect_no_file "$STATE/arcade.json"
arcade --port 0
arcade_end TERM
[ "$ENDED" = 0 ] || fail "exit status $ENDED"
expect_no_file "$STATE/arcade.json"
expect_no_strays

t "wrong options"
run kedge arcade --port 70000
expect_exit 2
run kedge arcade --stop --restart
expect_exit 2
run kedge arcade --nonsense
expect_exit 2

t "two at once: one serves, the other shows it"
kedge arcade --no-open --port 0 >one.out 2>&1 &
echo $! >>"$E2E_TMP/.state/pids"
kedge arcade --no-open --port 0 >two.out 2>&1 &
echo $! >>"$E2E_TMP/.state/pids"
wait_for 60 is_started one.out && wait_for 60 is_started two.out || fail "$(cat one.out two.out)"
cat one.out two.out >both.out
[ "$(grep -c '^Started Arcade' both.out)" = 1 ] && [ "$(grep -c '^Reused Arcade' both.out)" = 1 ] || fail "$(cat both.out)"
run kedge arcade --stop
expect_contains stdout "Stopped Arcade on port "

t "--background returns when it serves; --restart keeps port and token; --stop ends it"
run kedge arcade --background --no-open --port 0
expect_exit 0
expect_matches stdout '^Started Arcade on port [0-9]+$'
read_link "$(path_of stdout)"
PORT_BEFORE=$PORT TOKEN_BEFORE=$TOKEN
expect_api 200 /api/v1/runs
run kedge arcade --background --no-open
expect_contains stdout "Reused Arcade on port $PORT"
run kedge arcade --background --no-open --restart
expect_contains stdout "Started Arcade on port $PORT"
read_link "$(path_of stdout)"
[ "$PORT $TOKEN" = "$PORT_BEFORE $TOKEN_BEFORE" ] || fail "open pages cannot go on"
expect_api 200 /api/v1/runs
run kedge arcade --stop
expect_out "Stopped Arcade on port $PORT"
run kedge arcade --stop
expect_out "Arcade is not running"
expect_no_strays

# ---- other programs (cli-E-18) ---------------------------------------------

cat >"$HOME/other.py" <<'P'
import http.server, json, os, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = sys.argv[2].encode() if self.path == "/api/v1/health" else b"{}"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open("/proc/self/stat") as stat:
    started = int(stat.read().rpartition(")")[2].split()[19])
record = {"pid": os.getpid(), "started": started, "port": server.server_port, "version": "0.0.1", "token": "ab" * 32}
with open(sys.argv[1] + ".new", "w") as out:
    json.dump(record, out)
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
P
# other HEALTH: a server of that kind, as $OTHER_PID on $OTHER_PORT; its record in other.json.
other() {
    rm -f other.json
    "$PY" "$HOME/other.py" other.json "$1" &
    OTHER_PID=$!
    echo "$OTHER_PID" >>"$E2E_TMP/.state/pids"
    wait_for 60 test -f other.json || fail "no other server"
    OTHER_PORT=$(field port other.json)
}

t "cli-E-18 the port is another program's: said, and that program lives"
other '<html>'
run kedge arcade --no-open --port "$OTHER_PORT"
expect_exit 1
expect_empty stdout
expect_file stderr "Port $OTHER_PORT is in use by a non-kedge process.
Use a different port or stop the process occupying port $OTHER_PORT."
kill -0 "$OTHER_PID" || fail "the other program was ended"
run kedge arcade --background --no-open --port "$OTHER_PORT"
expect_exit 1
expect_contains stderr "Port $OTHER_PORT is in use by a non-kedge process."
expect_no_file "$STATE/arcade.json"
kill -0 "$OTHER_PID" || fail "the other program was ended"
_stop "$OTHER_PID"

t "cli-E-18 an older kedge is replaced, on the same port"
other '{"ok": true, "app": "kedge-arcade", "version": "0.0.1"}'
cp other.json "$STATE/arcade.json"
arcade
expect_matches "$HOME/arcade.out" "^Replaced Arcade on port $OTHER_PORT \(reason: version mismatch\)\$"
_is_gone "$OTHER_PID" || fail "the older one still runs"
arcade_end TERM

t "a record of a process that is another now: stale, and that process lives"
other '<html>'
sed "s/\"started\": [0-9]*/\"started\": 7/" other.json >"$STATE/arcade.json"
arcade --port 0
expect_matches "$HOME/arcade.out" "^Replaced Arcade on port $PORT \(reason: stale pid\)\$"
kill -0 "$OTHER_PID" || fail "the other program was ended"
_stop "$OTHER_PID"
arcade_end TERM

# ---- who is let in ---------------------------------------------------------

status_change requirements running
expect_exit 0
emit --type artifact_registered --step requirements --data '{"path": "design.md", "feature": "auth", "storageRoot": "project"}'
expect_exit 0
DOC=$(json stdout data.docId)
arcade --port 0

t "cli-E-08 it listens on 127.0.0.1 and ::1, and nowhere else"
"$PY" - "$PORT" <<'P' || fail "see above"
import sys
port = int(sys.argv[1])
found = set()
for name in ("/proc/net/tcp", "/proc/net/tcp6"):
    try:
        lines = open(name).read().splitlines()[1:]
    except FileNotFoundError:
        continue
    for line in lines:
        local, state = line.split()[1], line.split()[3]
        address, _, number = local.partition(":")
        if state == "0A" and int(number, 16) == port:
            found.add(address)
assert "0100007F" in found, found
assert found <= {"0100007F", "00000000000000000000000001000000"}, found
P
ask -o /dev/null "http://127.0.0.2:$PORT/" 2>/dev/null && fail "127.0.0.2 answers"

t "cli-E-09 no token, a wrong one, another host, another origin, another site"
expect_code 401 /api/v1/runs
expect_code 401 /api/v1/runs -H "Authorization: Bearer $(printf '0%.0s' $(seq 64))"
expect_api 403 /api/v1/runs -H "Host: evil.example"
expect_api 403 /api/v1/runs -H "Origin: http://evil.example"
expect_api 403 /api/v1/runs -H "Sec-Fetch-Site: cross-site"
expect_api 200 /api/v1/runs -H "Origin: $BASE" -H "Sec-Fetch-Site: same-origin"
expect_json "$HOME/answer" runs.0.id $RUN
expect_api 405 /api/v1/runs -X OPTIONS

t "cli-E-10 any answer: the same headers, no cookies, nothing for other origins"
for _path in / /runs/$RUN /api/v1/runs /api/v1/health /nowhere "/api/v1/artifacts/$DOC/content"; do
    api "$_path" -D "$HOME/head" -o /dev/null
    for _header in "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self';" \
        "X-Content-Type-Options: nosniff" "Referrer-Policy: no-referrer" "Cross-Origin-Resource-Policy: same-origin" \
        "Cross-Origin-Opener-Policy: same-origin" "Cache-Control: no-store"; do
        expect_contains "$HOME/head" "$_header"
    done
    expect_not_contains "$HOME/head" "Set-Cookie"
    expect_not_contains "$HOME/head" "Access-Control"
done

t "the page and its files need no token"
expect_code 200 /
_script=$(grep -o '/assets/[0-9a-f]*/arcade\.js' "$HOME/answer")
expect_code 200 "$_script" -D "$HOME/head"
expect_contains "$HOME/head" "Cache-Control: public, max-age=31536000, immutable"

t "cli-E-11 no way out of the artifact's root"
printf '\211PNG\r\n\032\nsecret' >"$HOME/x.png"
expect_api 403 "/api/v1/artifacts/$DOC/asset?path=../x.png"
expect_not_contains "$HOME/answer" secret
expect_api 403 "/api/v1/artifacts/$DOC/asset?path=%2e%2e/x.png"
expect_not_contains "$HOME/answer" secret
expect_api 403 "/api/v1/artifacts/$DOC/asset?path=/etc/passwd"
expect_api 404 /assets/..%2f..%2fetc%2fpasswd/x
expect_api 404 /..%2f..%2fetc%2fpasswd
expect_api 404 /../../etc/passwd --path-as-is
mv design.md design.kept
ln -s /etc/passwd design.md
for _what in "" /content /html; do
    expect_api 403 "/api/v1/artifacts/$DOC$_what"
    expect_not_contains "$HOME/answer" "root:x"
done
rm design.md
mv design.kept design.md

t "cli-E-13 a save needs the hash of what it was made from"
# put STATUS BASE [curl's options]: what BASE has becomes "# New"
put() {
    _status=$1 _base=$2
    shift 2
    python3 -c 'import json, sys; print(json.dumps({"base": open(sys.argv[1]).read(), "content": "# New\n", "runId": sys.argv[2]}))' \
        "$_base" "$RUN" >"$HOME/body"
    expect_api "$_status" "/api/v1/artifacts/$DOC/content" "$@" -X PUT -H "Content-Type: application/json" -d "@$HOME/body"
}
if_match() { printf 'If-Match: "%s"' "$(sha256sum "$1" | cut -d' ' -f1)"; }
_before=$(cat design.md)
put 428 design.md
put 400 design.md -H 'If-Match: "00"'
echo "# Another" >"$HOME/another"
put 412 "$HOME/another" -H "$(if_match "$HOME/another")"
expect_json "$HOME/answer" error.sha256 "$(sha256sum design.md | cut -d' ' -f1)"
[ "$(cat design.md)" = "$_before" ] || fail "the file was changed"
put 200 design.md -H "$(if_match design.md)"
expect_file design.md "# New"
run kedge agent-tools feedback read --run-id $RUN
expect_json stdout data.edits.0.mode direct

t "a person's comment reaches the agent, and its answer the page"
expect_api 201 /api/v1/annotations -H "Content-Type: application/json" \
    -d "{\"docId\": \"$DOC\", \"runId\": \"$RUN\", \"content\": \"Why new?\", \"anchor\": {\"type\": \"line\", \"lineNumber\": 1, \"lineContent\": \"# New\"}}"
ID=$(field id "$HOME/answer")
run kedge agent-tools feedback read --run-id $RUN
expect_json stdout data.annotations.0.content "Why new?"
expect_json stdout data.annotations.0.line 1
run kedge agent-tools feedback reply "$ID" --run-id $RUN --content "Because."
expect_exit 0
expect_api 200 "/api/v1/annotations?runId=$RUN"
expect_json "$HOME/answer" annotations.0.replies.0.content "Because."

t "what the person does starts no program"
arcade_end TERM
mkdir -p "$HOME/logged"
for _program in git gh sh diff; do
    printf '#!/bin/sh\necho "$0 $*" >>"%s"\nexec "%s" "$@"\n' "$HOME/started" "$(command -v $_program)" >"$HOME/logged/$_program"
    chmod +x "$HOME/logged/$_program"
done
PATH_BEFORE=$PATH
PATH=$HOME/logged:$PATH
git --version >/dev/null
expect_contains "$HOME/started" "git --version"
rm "$HOME/started"
arcade --port 0
expect_api 200 /api/v1/runs
expect_api 200 "/api/v1/runs/$RUN"
expect_json "$HOME/answer" steps.0.id requirements
expect_api 200 "/api/v1/artifacts/$DOC"
put 200 design.md -H "$(if_match design.md)"
expect_api 201 "/api/v1/artifacts/$DOC/suggestions" -H "Content-Type: application/json" \
    -d "{\"content\": \"# New\\n\\nmore\\n\", \"runId\": \"$RUN\", \"base\": \"# New\\n\"}"
_edit=$(field editId "$HOME/answer")
expect_api 200 "/api/v1/edits/$_edit"
echo "# Newer" >design.md
expect_api 409 "/api/v1/edits/$_edit/accept" -H "Content-Type: application/json" -d "{\"runId\": \"$RUN\"}"
expect_json "$HOME/answer" error.conflicts.0.0 1
expect_api 200 "/api/v1/edits/$_edit" -X DELETE -H "Content-Type: application/json"
PATH=$PATH_BEFORE
expect_no_file "$HOME/started"

t "ten wrong tokens a second, then 429; the right one passes"
_wrong=$(printf '0%.0s' $(seq 64))
"$PY" - "$PORT" "$_wrong" "$TOKEN" <<'P' || fail "see above"
import socket, sys
port, wrong, right = int(sys.argv[1]), sys.argv[2], sys.argv[3]

def ask(token):
    with socket.create_connection(("127.0.0.1", port), 20) as connection:
        connection.sendall(f"GET /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
                           "Connection: close\r\n\r\n".encode())
        return int(connection.recv(64).split()[1])

codes = []
while len(codes) < 2000 and 429 not in codes:
    codes.append(ask(wrong))
assert codes[-1] == 429 and set(codes[:-1]) == {401} and len(codes) > 1, codes
assert ask(right) == 200
P

t "a body that is too large, and one that never ends"
head -c 13000000 /dev/zero | tr '\0' a >"$HOME/huge"
expect_api 413 /api/v1/annotations -H "Content-Type: application/json" -H "Expect: 100-continue" --data-binary "@$HOME/huge"
# who sends on without waiting may lose the answer to the reset that ends the connection
code=$(curl -sS --noproxy '*' -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
    -H "Expect:" --data-binary "@$HOME/huge" "$BASE/api/v1/annotations" 2>/dev/null)
case $code in 413 | 000) ;; *) fail "a body that is too large: $code" ;; esac
expect_api 413 /api/v1/annotations -H "Content-Type: application/json" -H "Transfer-Encoding: chunked" --data-binary "@$HOME/huge"
expect_api 200 /api/v1/runs

t "cli-E-28 connections that show no token: a few, for a short time; they hold up nobody who has it"
"$PY" - "$PORT" "$TOKEN" <<'P' || fail "see above"
import socket, sys, time
port, token = int(sys.argv[1]), sys.argv[2]

def request(path, *headers):
    lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: close", *headers]
    return "\r\n".join(lines + ["", ""]).encode()

def connect():
    return socket.create_connection(("127.0.0.1", port), 60)

def status(connection, data):
    connection.sendall(data)
    return connection.recv(64).split()[1]

silent = [connect() for _ in range(15)]
slow = connect()
for byte in request("/api/v1/health")[:20]:
    slow.send(bytes([byte]))
with connect() as one:
    got = status(one, request("/api/v1/runs", f"Authorization: Bearer {token}"))
    assert got == b"200", got
with connect() as another:
    got = status(another, request("/api/v1/health"))
    assert got == b"503", got
for each in silent + [slow]:  # ended by the server
    each.settimeout(60)
    while each.recv(4096):
        pass
for _ in range(600):  # when it has seen that they have left
    with connect() as later:
        got = status(later, request("/api/v1/health"))
    if got == b"200":
        break
    time.sleep(0.1)
assert got == b"200", got
P
expect_api 200 /api/v1/runs

# ---- live updates ----------------------------------------------------------

# listen [LAST-ID]: a page's stream, into stream.txt, as $STREAM_PID.
listen() {
    : >stream.txt
    curl -sSN --noproxy '*' -H "Authorization: Bearer $TOKEN" ${1:+-H "Last-Event-ID: $1"} "$BASE/api/v1/stream?runId=$RUN" >>stream.txt 2>/dev/null &
    STREAM_PID=$!
    echo "$STREAM_PID" >>"$E2E_TMP/.state/pids"
    wait_for 60 grep -q '^id: ' stream.txt || fail "no stream"
}
heard() { grep -q "$1" stream.txt; }
expect_heard() { wait_for 60 heard "$1" || fail "not heard: $1" "$(tail -n 20 stream.txt)"; }

t "what other programs do arrives: an event, a reply, a changed file"
listen
status_change requirements completed
expect_heard '^event: event'
run kedge agent-tools feedback reply "$ID" --run-id $RUN --content "Once more."
expect_heard '^event: annotation'
printf '# Elsewhere\n' >design.md
expect_heard "$(sha256sum design.md | cut -d' ' -f1)"

t "cli-E-16 the server is killed and started again: the page's token and place in the feed hold, no event is missed"
LAST=$(sed -n 's/^id: //p' stream.txt | tail -n 1)
arcade_end KILL
wait_for 60 _is_gone "$STREAM_PID" || fail "the stream did not end"
status_change design running
printf '# While it was away\n' >design.md
TOKEN_BEFORE=$TOKEN PORT_BEFORE=$PORT
arcade
expect_matches "$HOME/arcade.out" "^Replaced Arcade on port $PORT_BEFORE \(reason: stale pid\)\$"
[ "$PORT $TOKEN" = "$PORT_BEFORE $TOKEN_BEFORE" ] || fail "the page cannot go on"
listen "$LAST"
expect_heard '"step":"design"'
expect_heard "$(sha256sum design.md | cut -d' ' -f1)"
expect_not_contains stream.txt "event: reset"

t "a place that the feed does not have: reset"
_stop "$STREAM_PID"
listen 999999
expect_heard '^event: reset'
_stop "$STREAM_PID"

t "it ends while pages listen"
listen
arcade_end TERM
[ "$ENDED" = 0 ] || fail "exit status $ENDED"
wait_for 60 _is_gone "$STREAM_PID" || fail "the stream did not end"
expect_no_strays

done_testing
