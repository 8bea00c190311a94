# Tools that are not offered until they are found: agent-tools §3.31, in runs of the real binary.
. "$(dirname "$0")/lib.sh"
need_kedge

session_file() { find "$HOME/.kedge/agent/sessions" -name '*.jsonl' | sort | tail -n 1; }
settings() {
    mkdir -p "$HOME/.kedge/agent"
    printf '%s\n' "$1" >"$HOME/.kedge/agent/config.yml"
}
# offered N: the names of the tools in request N, on one line.
offered() {
    "$PICK" --rows name "$1.body.tools" "$MODEL_URL/_model/journal" | paste -s -d ' '
}
expect_offered() {
    _got=$(offered "$1")
    [ "$_got" = "$2" ] || fail "request $1 offers: $_got" "and not: $2"
}
start="read bash edit find grep todo_write search_tool_bm25 write"

t "off: the request is the same to the byte, whatever the other settings say"
model_script hello.jsonl
run kedge -p "hi"
expect_exit 0
model_journal 0.body >"$E2E_TMP/run/plain"
grep -q 'search_tool_bm25' "$E2E_TMP/run/plain" && fail "search_tool_bm25 is offered"
for said in 'tools: {discoveryMode: off, essentialOverride: [nope]}' 'tools: {discoveryMode: mcp-only}' 'mcp: {discoveryMode: true}'; do
    settings "$said"
    model_script hello.jsonl
    run kedge -p "hi"
    expect_exit 0
    expect_empty stderr
    model_journal 0.body >"$E2E_TMP/run/off"
    cmp -s "$E2E_TMP/run/plain" "$E2E_TMP/run/off" || fail "$said: another request"
done

t "all: what a task rarely needs waits, and the request is smaller"
settings 'tools: {discoveryMode: all}
calc: {enabled: true}'
model_script hello.jsonl
run kedge -p "hi"
expect_exit 0
expect_empty stderr
expect_offered 0 "$start"
[ "$(model_journal 0.body | wc -c)" -lt "$(wc -c <"$E2E_TMP/run/plain")" ] || fail "it is not smaller"
model_journal 0.body.system | grep -q 'There are more tools: `search_tool_bm25` finds them.' || fail "the prompt does not say so"

t "a search: its hits can be called at once, and the next request offers them behind the others"
model_script - <<'J'
{"tool_calls": [{"id": "s1", "name": "search_tool_bm25", "arguments": {"query": "Calculate", "limit": 1}}, {"id": "c1", "name": "calc", "arguments": {"calculations": [{"expression": "6*7"}]}}]}
{"tool_calls": [{"id": "c2", "name": "calc", "arguments": {"calculations": [{"expression": "2**10"}]}}], "expect": [{"contains": "\"activated_tools\":[\"calc\"]"}, {"last_tool_contains": "42"}]}
{"text": "done", "expect": [{"last_tool_contains": "1024"}]}
J
run kedge -p "what is it?"
expect_exit 0
expect_out "done"
expect_model_done
expect_offered 0 "$start"
expect_offered 1 "$start calc"
expect_offered 2 "$start calc"
session=$(session_file)
expect_matches "$session" '"type":"custom".*"customType":"kedge.tools","data":\{"found":\["calc"\]\}'
expect_session "$session"

t "the session remembers them"
model_script hello.jsonl
run kedge --continue -p "and now?"
expect_exit 0
expect_offered 0 "$start calc"
run kedge sessions check "$session"
expect_exit 0

t "a new session does not"
model_script hello.jsonl
run kedge -p "hi"
expect_offered 0 "$start"

t "a tool that is called by its name is run and offered from then on; what is not there is said"
model_script - <<'J'
{"tool_calls": [{"id": "c1", "name": "calc", "arguments": {"calculations": [{"expression": "6*7"}]}}]}
{"tool_calls": [{"id": "x1", "name": "weather", "arguments": {}}], "expect": [{"last_tool_contains": "42"}]}
{"text": "done", "expect": [{"last_tool_contains": "Tool weather not found. search_tool_bm25 finds tools by what they do"}]}
J
run kedge -p "what is it?"
expect_exit 0
expect_model_done
expect_offered 1 "$start calc"

t "found or not, the gate judges a call"
cat >"$E2E_TMP/bin/gh" <<'G'
#!/bin/sh
case "$*" in
*--version*) echo "gh version 2.92.0 (2026-01-12)" ;;
*comment*) touch "$HOME/made" ;;
esac
G
chmod +x "$E2E_TMP/bin/gh"
model_script - <<'J'
{"tool_calls": [{"id": "s1", "name": "search_tool_bm25", "arguments": {"query": "gh"}}, {"id": "g1", "name": "gh", "arguments": {"args": ["issue", "comment", "8", "-R", "harbor/tidepool", "--body", "yes"]}}]}
{"text": "refused", "expect": [{"last_tool_contains": "--allow-writes"}]}
J
run kedge -p "comment"
expect_exit 0
expect_model_done
expect_no_file "$HOME/made"
rm "$E2E_TMP/bin/gh"

t "tools.essentialOverride: these do not wait; a name that is none is said"
settings 'tools: {discoveryMode: all, essentialOverride: [Calc, nope]}
calc: {enabled: true}'
model_script hello.jsonl
run kedge -p "hi"
expect_exit 0
expect_offered 0 "read bash edit calc find grep todo_write search_tool_bm25 write"
expect_contains stderr 'tools.essentialOverride: there is no tool "nope"'

t "what --tools names does not wait, and nothing else is there to find"
settings 'tools: {discoveryMode: all}
calc: {enabled: true}'
model_script hello.jsonl
run kedge --tools read,calc -p "hi"
expect_exit 0
expect_offered 0 "read calc"

t "a value that the setting does not have is said, and nothing waits"
settings 'tools: {discoveryMode: some}'
model_script hello.jsonl
run kedge -p "hi"
expect_exit 0
expect_contains stderr 'discoveryMode'
model_journal 0.body >"$E2E_TMP/run/off"
cmp -s "$E2E_TMP/run/plain" "$E2E_TMP/run/off" || fail "another request"

t "by hand there is nothing to find"
rm "$HOME/.kedge/agent/config.yml"
run kedge tool run search_tool_bm25 '{"query": "calc"}'
expect_exit 2
expect_contains stderr 'in a conversation only'

done_testing
