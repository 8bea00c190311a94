#!/bin/sh
# --mode json: every event of a run as a line, for programs. Rows of agent-core §10 are named core-N.
. "$(dirname "$0")/lib.sh"
need_kedge

mkdir -p "$HOME/.kedge/agent"
printf 'retry:\n  baseDelayMs: 10\n  maxRetries: 2\n' >"$HOME/.kedge/agent/config.yml"

# types: the events in order, runs of the same one once, one word a line.
types() {
    "$PICK" --rows "type message.role" "" "$E2E_TMP/.state/stdout" | awk '
        { name = $1 ~ /^message_(start|end)$/ ? $0 : $1 }
        name != last || name !~ /_update$/ { print name }
        { last = name }'
}

# event TYPE PATH: a value of the first event of that type.
event() { json stdout "[type=$1].$2"; }

expect_event() { expect_json stdout "[type=$1].$2" "$3"; }

session_file() { find "$HOME/.kedge/agent/sessions" -name '*.jsonl' | sort | tail -n 1; }

# each_line_is_json: also that no line is torn.
each_line_is_json() {
    "$PICK" --lines "$E2E_TMP/.state/stdout" 2>"$E2E_TMP/why" || fail "$(tail -n 1 "$E2E_TMP/why")"
}

t "core-82 the header first, each line JSON, the last is agent_end"
model_script hello.jsonl
run kedge --mode json "hi"
expect_exit 0
expect_empty stderr
each_line_is_json
expect_json stdout 0.type session
expect_json stdout 0.version 3
expect_json stdout 0.cwd "$PWD"
expect_json stdout -1.type agent_end
expect_json stdout -1.messages.# 2
expect_json stdout -1.messages.-1.content.0.text Hello.
[ "$(json stdout 0.id)" = "$(json "$(session_file)" 0.id)" ] || fail "not the session's id"

t "messages are complete: usage, cost, model, stop reason"
expect_json stdout -1.messages.-1.usage.input 12
expect_json stdout -1.messages.-1.usage.output 3
expect_json stdout -1.messages.-1.stopReason stop
expect_json stdout -1.messages.-1.provider anthropic
[ "$(json stdout -1.messages.-1.usage.cost.total)" != 0 ] || fail "costs nothing"

t "updates carry deltas and running lengths, not the message"
model_script - <<'J'
{"text": "abcdefghij", "chunk": 4}
J
run kedge --mode json "hi"
expect_event message_update assistantMessageEvent.type text_start
expect_event message_update length 0
grep '"message_update"' "$(_stream stdout)" >updates
expect_not_contains updates '"partial"'
expect_not_contains updates '"message":'
expect_not_contains updates '"content":'
cat >add.py <<'A'
import json, sys
text, length = "", 0
for event in map(json.loads, open(sys.argv[1])):
    text += event["assistantMessageEvent"].get("delta", "")
    length = event["length"]
    assert length == len(text.encode()), event
print(text, length)
A
"${PYTHON:-python3}" add.py updates >added || fail "the lengths do not fit the deltas"
[ "$(cat added)" = "abcdefghij 10" ] || fail "$(cat added)"

t "core-125 --full-updates adds the message so far"
model_script - <<'J'
{"text": "abcdefghij", "chunk": 4}
J
run kedge --mode json --full-updates "hi"
expect_exit 0
grep '"message_update"' "$(_stream stdout)" | tail -1 >last
expect_json last message.content.0.text abcdefghij
expect_json last assistantMessageEvent.content abcdefghij
expect_json last length 10

t "core-125 --full-updates: the message in each update, ten a second at most"
model_script - <<'J'
{"text": "0123456789012345678901234567890123456789012345678901234567890123", "chunk": 1, "delay_ms": 10}
J
"${PYTHON:-python3}" -c 'import time; print(time.time())' >began
run kedge --mode json --full-updates "hi"
expect_exit 0
grep '"message_update"' "$(_stream stdout)" >updates
"${PYTHON:-python3}" - <<'P' || fail "$(wc -l <updates) updates"
import json, time
updates = [json.loads(line) for line in open("updates")]
assert all("message" in update for update in updates)
passed = time.time() - float(open("began").read())
ends = sum(not update["assistantMessageEvent"]["type"].endswith("_delta") for update in updates)
assert 2 <= len(updates) <= ends + 1 + 10 * passed, (len(updates), passed)
P

t "core-124 an answer of 1 MB in 20,000 pieces: the output is a few times its size"
"${PYTHON:-python3}" -c 'import json; print(json.dumps({"text": "0123456789" * 100000, "chunk": 50}))' >"$HOME/long.jsonl"
model_script "$HOME/long.jsonl"
run kedge --mode json --no-session "much"
expect_exit 0
expect_json stdout -1.messages.-1.stopReason stop
grep '"message_update"' "$(_stream stdout)" >updates
expect_not_contains updates '"message":'
"${PYTHON:-python3}" add.py updates >added || fail "the lengths do not fit the deltas"
[ "$(wc -c <added)" -eq 1000009 ] || fail "the deltas add up to $(wc -c <added) bytes"
size=$(wc -c <"$(_stream stdout)")
[ "$size" -le 5000000 ] || fail "$size bytes for 1 MB"

t "core-83 --no-session still prints a header, and leaves no file"
rm -rf "$HOME/.kedge/agent/sessions"
model_script hello.jsonl
run kedge --mode json --no-session "hi"
expect_exit 0
each_line_is_json
expect_json stdout 0.type session
expect_json stdout 0.version 3
expect_no_file "$HOME/.kedge/agent/sessions"

t "core-42 the events of a run with one tool, in order"
model_script - <<'J'
{"text": "I look.", "tool_calls": [{"name": "bash", "arguments": {"_i": "looking around", "command": "echo here"}}]}
{"text": "Seen."}
J
run kedge --mode json "look"
expect_exit 0
types >got
cat >want <<'W'
session
agent_start
turn_start
message_start user
message_end user
message_start assistant
message_update
message_end assistant
tool_execution_start
tool_execution_end
message_start toolResult
message_end toolResult
turn_end
turn_start
message_start assistant
message_update
message_end assistant
turn_end
agent_end
W
grep -v tool_execution_update got >got2 # bash may report on the way
diff -u want got2 >differs || fail "$(cat differs)"

t "the call: id, name, arguments without the intent, result"
expect_event tool_execution_start toolName bash
expect_event tool_execution_start args '{"command":"echo here"}'
expect_event tool_execution_start intent "looking around"
expect_event tool_execution_end isError false
case $(event tool_execution_end result.content.0.text) in here*) ;; *) fail "$(event tool_execution_end result)" ;; esac
[ "$(event tool_execution_start toolCallId)" = "$(event tool_execution_end toolCallId)" ] || fail "ids differ"
expect_event turn_end toolResults.# 1
expect_json stdout -1.messages.# 4

t "a long command reports on the way"
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo first; sleep 0.4; echo second"}}]}
{"text": "ok"}
J
run kedge --mode json "go"
expect_event tool_execution_update toolName bash
case $(event tool_execution_update partialResult.content.0.text) in first*) ;; *) fail "$(event tool_execution_update partialResult)" ;; esac

t "several prompts: one run each, in order"
model_script - <<'J'
{"text": "one"}
{"text": "two"}
J
run kedge --mode json first second
expect_exit 0
types | grep -c '^agent_start$' >count
expect_file count 2
expect_json stdout -1.messages.0.content second

t "the answer can be piped in, as in print mode"
model_script - <<'J'
{"text": "ok", "expect": {"last_user": true, "equals": "DIFF\nreview"}}
J
printf DIFF | run -i - kedge --mode json review
expect_exit 0
expect_model_done

# ---- failures --------------------------------------------------------------

t "a failed model is in the events; exit 0, with --fail-on-error 1 (agent-core §6.1)"
model_script - <<'J'
{"status": 400, "error": {"type": "invalid_request_error", "message": "not like this"}, "repeat": true}
J
run kedge --mode json hi
expect_exit 0
each_line_is_json
expect_json stdout -1.type agent_end
expect_json stdout -1.messages.-1.stopReason error
case $(json stdout -1.messages.-1.errorMessage) in *"not like this"*) ;; *) fail "$(json stdout -1)" ;; esac
run kedge --mode json --fail-on-error hi
expect_exit 1
expect_json stdout -1.type agent_end

t "without a model: stderr and exit 1, no events"
run env -u ANTHROPIC_API_KEY kedge --mode json hi
expect_exit 1
expect_empty stdout
expect_contains stderr "No models available."

t "core-51 retries as events: two waits, then success"
model_script - <<'J'
{"status": 503}
{"status": 503}
{"text": "ok"}
J
run kedge --mode json hi
expect_exit 0
grep '"auto_retry' "$E2E_TMP/.state/stdout" >retries
expect_lines retries 3
expect_json retries 0.attempt 1
expect_json retries 0.delayMs 10
expect_json retries 0.maxAttempts 2
expect_json retries 1.attempt 2
expect_json retries 1.delayMs 20
expect_json retries 2.type auto_retry_end
expect_json retries 2.success true
expect_json retries 2.attempt 2
expect_json stdout -1.type agent_end
expect_json stdout -1.messages.-1.content.0.text ok

t "core-52 given up: auto_retry_end says why"
model_script - <<'J'
{"status": 503, "repeat": true}
J
run kedge --mode json --fail-on-error hi
expect_exit 1
expect_event auto_retry_end success false
expect_event auto_retry_end attempt 2
case $(event auto_retry_end finalError) in *503*) ;; *) fail "$(event auto_retry_end finalError)" ;; esac

t "core-53 interrupted while waiting for a retry: Retry cancelled, exit 130"
printf 'retry:\n  baseDelayMs: 60000\n' >"$HOME/.kedge/agent/config.yml"
model_script - <<'J'
{"status": 503, "repeat": true}
J
bg kedge --mode json hi
wait_for 60 grep -q auto_retry_start "$E2E_TMP/.state/stdout" || fail "no retry"
bg_signal INT
bg_end
expect_exit 130
each_line_is_json
expect_event auto_retry_end success false
expect_event auto_retry_end finalError "Retry cancelled"
printf 'retry:\n  baseDelayMs: 10\n' >"$HOME/.kedge/agent/config.yml"

t "core-40 interrupted while streaming: the partial answer, aborted; all events end"
model_script - <<'J'
{"text": "partial answer that goes on", "stall_after": 4}
J
bg kedge --mode json hi
model_wait requests=1 events=4
wait_for 60 grep -q text_delta "$E2E_TMP/.state/stdout" || fail "nothing streamed"
bg_signal INT
bg_end
expect_exit 130
each_line_is_json
expect_json stdout -1.type agent_end
expect_json stdout -1.messages.-1.stopReason aborted
expect_json stdout -1.messages.-1.errorMessage "Request was aborted"
case $(json stdout -1.messages.-1.content.0.text) in partial*) ;; *) fail "$(json stdout -1.messages.-1)" ;; esac
model_wait idle=1
[ "$(model_journal 0.disconnected)" = true ] || fail "the request was not closed"

t "interrupted while a tool runs: its result, then an empty aborted answer (agent-core §3.4)"
model_script - <<'J'
{"text": "go", "tool_calls": [{"name": "bash", "arguments": {"command": "echo begun; sleep 60"}}, {"name": "bash", "arguments": {"command": "echo never"}}]}
J
bg kedge --mode json hi
wait_for 60 grep -q begun "$E2E_TMP/.state/stdout" || fail "no tool"
bg_signal INT
bg_end
expect_exit 130
each_line_is_json
types | tail -n 12 | grep -v update >got
cat >want <<'W'
message_start toolResult
message_end toolResult
tool_execution_start
tool_execution_end
message_start toolResult
message_end toolResult
turn_end
turn_start
message_start assistant
message_end assistant
turn_end
agent_end
W
diff -u want got >differs || fail "$(cat differs)"
case $(event tool_execution_end result.content.0.text) in "Tool execution was aborted"*) ;; *) fail "$(event tool_execution_end result)" ;; esac
expect_json stdout -1.messages.-1.stopReason aborted

# ---- budgets ---------------------------------------------------------------

t "--max-turns: a notice, then agent_end, exit 5"
model_script - <<'J'
{"text": "on", "tool_calls": [{"name": "bash", "arguments": {"command": "true"}}], "repeat": true}
J
run kedge --mode json --max-turns 2 go
expect_exit 5
each_line_is_json
expect_json stdout -2.type notice
expect_json stdout -2.level warning
expect_json stdout -2.message "Stopped: 2 turns (--max-turns)"
expect_json stdout -1.type agent_end

t "--max-cost: the same"
cat >"$HOME/.kedge/agent/models.yml" <<Y
providers:
  lab:
    baseUrl: $MODEL_URL/v1
    api: openai-completions
    auth: none
    models: [{id: m, cost: {input: 1000000, output: 0}}]
Y
run kedge --mode json --model lab/m --max-cost 1 go
expect_exit 5
expect_json stdout -2.message "Stopped: 10.00 USD (--max-cost)"
expect_json stdout -1.type agent_end

t "warnings stay on stderr"
model_script hello.jsonl
run kedge --mode json --tools zzz hi
expect_exit 0
each_line_is_json
expect_contains stderr zzz
expect_json stdout 0.type session

done_testing
