#!/bin/sh
# A model server that holds a run: it shows that it lives, again and again, and never answers
# (agent-core §2.8).
E2E_DIR=$(cd "$(dirname "$0")/../e2e" && pwd)
. "$E2E_DIR/lib.sh"
need_kedge

# After a path's first part: comments, pieces of an answer with nothing in them, or what no one can read (signatures,
# calls that only begin), ten a second.
cat >"$E2E_TMP/server.py" <<'P'
import http.server, sys, threading, time

EMPTY = {
    "anthropic": 'data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":""}}\n\n',
    "chat": 'data: {"choices":[{"index":0,"delta":{"content":""}}]}\n\n',
    "responses": 'data: {"type":"response.output_text.delta","item_id":"i","output_index":0,"content_index":0,"delta":""}\n\n',
    "gemini": 'data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]}}]}\n\n',
}
OPAQUE = {
    "anthropic": 'data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"QUJD"}}\n\n'
        'data: {"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"t%d","name":"read","input":{}}}\n\n'
        'data: {"type":"content_block_start","index":%d,"content_block":{"type":"redacted_thinking","data":"QUJD"}}\n\n',
    "chat": 'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"t%d","type":"function","function":{"name":"read%d","arguments":""}}]}}]}\n\n',
    "responses": 'data: {"type":"response.output_item.added","output_index":%d,"item":{"type":"function_call","id":"i%d","call_id":"c%d","name":"read","arguments":""}}\n\n',
    "gemini": 'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"","thoughtSignature":"QUJD%d%d%d"}]}}]}\n\n',
}
BEGIN = {
    "anthropic": 'data: {"type":"message_start","message":{"id":"m"}}\n\n'
        'data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}\n\n',
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        how, wire = self.path.split("/")[1:3]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        if how != "comments":
            self.wfile.write(BEGIN.get(wire, "").encode())
        count = 0
        try:
            while True:
                count += 1
                opaque = OPAQUE[wire] % (count, count, count)
                self.wfile.write({"empty": EMPTY[wire], "opaque": opaque}.get(how, ": k\n\n").encode())
                self.wfile.flush()
                time.sleep(0.1)
        except OSError:
            pass

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
open(sys.argv[1] + ".new", "w").write(str(server.server_port))
__import__("os").rename(sys.argv[1] + ".new", sys.argv[1])
threading.Timer(60, lambda: __import__("os")._exit(0)).start()
server.serve_forever()
P
"${PYTHON:-python3}" "$E2E_TMP/server.py" "$E2E_TMP/port" &
SERVER=$!
wait_for 20 test -f "$E2E_TMP/port"
PORT=$(cat "$E2E_TMP/port")

AGENT=$HOME/.kedge/agent
mkdir -p "$AGENT"
{
    echo "providers:"
    for row in anthropic:anthropic-messages chat:openai-completions responses:openai-responses gemini:google-generative-ai; do
        for how in comments empty opaque; do
            printf '  %s-%s:\n    baseUrl: http://127.0.0.1:%s/%s/%s\n    api: %s\n    apiKey: k\n    models: [{id: m}]\n' \
                "$how" "${row%%:*}" "$PORT" "$how" "${row%%:*}" "${row#*:}"
        done
    done
} >"$AGENT/models.yml"

t "the attack works: without a limit the run does not end by itself"
printf 'retry: {maxSilence: 0}\n' >"$AGENT/config.yml"
run timeout 3 kedge -p --no-session --model comments-anthropic/m hi
expect_exit 124

t "comments, empty pieces and what no one can read, at every wire: the run ends, and says which setting ended it"
printf 'retry: {maxSilence: 1}\n' >"$AGENT/config.yml"
PIDS=
for wire in anthropic chat responses gemini; do
    for how in comments empty opaque; do
        (
            timeout 30 kedge -p --no-session --model "$how-$wire/m" hi >/dev/null 2>"$E2E_TMP/said-$how-$wire"
            echo $? >"$E2E_TMP/exit-$how-$wire"
        ) &
        PIDS="$PIDS $!"
    done
done
# shellcheck disable=SC2086
wait $PIDS
for wire in anthropic chat responses gemini; do
    for how in comments empty opaque; do
        [ "$(cat "$E2E_TMP/exit-$how-$wire")" = 1 ] || fail "$how, $wire: exit $(cat "$E2E_TMP/exit-$how-$wire")"
        expect_contains "$E2E_TMP/said-$how-$wire" "has sent nothing of an answer for 1 s"
        expect_contains "$E2E_TMP/said-$how-$wire" "retry.maxSilence"
    done
done

t "a person's Ctrl+C does not wait for the limit"
printf 'retry: {maxSilence: 600}\n' >"$AGENT/config.yml"
run timeout --foreground -s INT 1 kedge -p --no-session --model empty-chat/m hi
expect_contains stderr "Request was aborted"

kill "$SERVER"
done_testing
