# checkpoint and rewind, yield: agent-tools §3.24, §3.30, in runs of the real binary.
. "$(dirname "$0")/lib.sh"
need_kedge

session_file() { find "$HOME/.kedge/agent/sessions" -name '*.jsonl' | sort | tail -n 1; }
settings() {
    mkdir -p "$HOME/.kedge/agent"
    printf '%s\n' "$1" >"$HOME/.kedge/agent/config.yml"
}

t "checkpoint and rewind are offered when the setting says so"
model_script - <<'J'
{"text": "ok"}
J
run kedge -p "hi"
expect_exit 0
model_journal 0.body.tools | grep -q '"name":"\(checkpoint\|rewind\|yield\|report_finding\)"' && fail "offered"

t "what followed the checkpoint gives way to the report; the session file keeps all of it"
settings 'checkpoint: {enabled: true}'
printf 'the needle\n' >hay.txt
model_script - <<'J'
{"tool_calls": [{"id": "c1", "name": "checkpoint", "arguments": {"goal": "find it"}}]}
{"tool_calls": [{"id": "r1", "name": "read", "arguments": {"path": "hay.txt"}}], "expect": [{"contains": "Checkpoint created."}]}
{"tool_calls": [{"id": "w1", "name": "rewind", "arguments": {"report": "it is in hay.txt"}}], "expect": [{"contains": "the needle"}]}
{"text": "found", "expect": [{"contains": "it is in hay.txt"}, {"contains": "Checkpoint created."}, {"contains": "The conversation is back at the checkpoint."}, {"not_contains": "the needle"}, {"not_contains": "Report captured"}]}
J
run kedge --mode json -p "where is it?"
expect_exit 0
expect_contains stdout '"customType":"rewind-report"'
expect_model_done
session=$(session_file)
expect_contains "$session" 'the needle'
expect_matches "$session" '"type":"branch_summary".*"summary":"it is in hay.txt"'
expect_session "$session"

t "the session goes on from the report"
model_script - <<'J'
{"text": "yes", "expect": [{"contains": "it is in hay.txt"}, {"contains": "found"}, {"not_contains": "the needle"}]}
J
run kedge --continue -p "sure?"
expect_exit 0
expect_out "yes"
expect_model_done

t "an answer that ends with an open checkpoint is asked for its report three times"
model_script - <<'J'
{"tool_calls": [{"id": "c1", "name": "checkpoint", "arguments": {"goal": "find it"}}]}
{"text": "no"}
{"text": "no", "expect": [{"contains": "You MUST call rewind"}]}
{"text": "no"}
{"text": "never"}
J
run kedge -p "where is it?"
expect_exit 0
expect_out "never"
expect_model_done

t "yield, by name, ends the run with its result"
model_script - <<'J'
{"tool_calls": [{"id": "y1", "name": "yield", "arguments": {"result": {"data": {"n": 1}}}}]}
J
run kedge --mode json --tools read,yield -p "count"
expect_exit 0
expect_contains stdout 'Result submitted.'
expect_contains stdout '"status":"success"'
expect_model_done

done_testing
