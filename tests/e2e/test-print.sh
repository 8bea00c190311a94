#!/bin/sh
# Print mode: what is asked of the model over both wires, what reaches stdout and stderr, retries,
# budgets. Rows of agent-core §10 are named core-N.
. "$(dirname "$0")/lib.sh"
need_kedge

# Quick retries, as the rows of agent-core §10.3 have them.
quick_retries() {
    mkdir -p "$HOME/.kedge/agent"
    printf 'retry:\n  baseDelayMs: 10\n  maxRetries: %s\n' "${1:-3}" >"$HOME/.kedge/agent/config.yml"
}

expect_requests() {
    _requests=$(model_journal '#')
    [ "$_requests" = "$1" ] || fail "the model was asked $_requests times, want $1"
}

session_file() { find "$HOME/.kedge/agent/sessions" -name '*.jsonl' | sort | tail -n 1; }

# ---- the answer ------------------------------------------------------------

t "the answer is on stdout, and nothing on stderr"
model_script hello.jsonl
run kedge -p "hi"
expect_exit 0
expect_golden stdout hello.out
expect_empty stderr
expect_model_done

t "what is asked: prompt, model, tools, key, and who asks"
expect_request 0 path /v1/messages
expect_request 0 body.messages.#  1
expect_request 0 body.messages.0.role user
expect_request 0 body.messages.0.content.0.text hi
expect_request 0 body.stream true
expect_request 0 headers.x-api-key '***'
expect_request 0 headers.anthropic-version 2023-06-01
case $(model_journal 0.headers.user-agent) in kedge/*) ;; *) fail "$(model_journal 0.headers)" ;; esac
case $(model_journal 0.body.model) in claude-*) ;; *) fail "$(model_journal 0.body.model)" ;; esac

t "core-81 thinking, text and tools on the way: stdout has only the last answer's text"
model_script - <<'J'
{"thinking": "Which file?", "signature": "c2ln", "text": "I look first.", "tool_calls": [{"name": "bash", "arguments": {"command": "echo found-it"}}]}
{"thinking": "Good.", "signature": "c2ln", "text": ["It is there.", "And it works."], "expect": {"last_tool_contains": "found-it"}}
J
run kedge -p "where is it"
expect_exit 0
expect_out "It is there.
And it works."
expect_empty stderr
expect_model_done

t "core-23 the next request replays thinking and call as they were, then the result"
expect_request 1 body.messages.1.role assistant
expect_request 1 body.messages.1.content.0.signature c2ln
expect_request 1 body.messages.1.content.0.thinking "Which file?"
expect_request 1 body.messages.1.content.2.type tool_use
expect_request 1 body.messages.2.role user
expect_request 1 body.messages.2.content.0.type tool_result

t "two calls in one answer: both run, their results come in one message (core-24)"
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo one"}}, {"name": "bash", "arguments": {"command": "echo two"}}]}
{"text": "both", "expect": [{"path": "messages.-1.content", "count": 2}, {"contains": "one"}, {"contains": "two"}]}
J
run kedge -p go
expect_out both
expect_model_done

t "several prompts are one conversation, answered one after the other"
model_script - <<'J'
{"text": "first"}
{"text": "second", "expect": [{"contains": "first"}, {"last_user": true, "equals": "two"}]}
J
run kedge -p one two
expect_exit 0
expect_contains stdout second
expect_model_done

t "unusual streams: one byte at a time, CRLF, pings and unknown events (core-28)"
model_script - <<'J'
{"text": "naïve 🌊 text", "split_bytes": 1, "crlf": true, "extra_events": true}
J
run kedge -p hi
expect_exit 0
expect_out "naïve 🌊 text"

t "core-41 what is no UTF-8 in a tool's output reaches the model as U+FFFD"
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "printf 'a\\377b\\302'"}}]}
{"text": "ok", "expect": {"last_tool_contains": "a�b"}}
J
run kedge -p hi
expect_exit 0
expect_out ok
expect_model_done

t "core-126 an answer that was cut at its length is printed, and no success"
model_script - <<'J'
{"text": "So far so g", "stop": "length"}
J
run kedge -p hi
expect_exit 1
expect_out "So far so g"
expect_file stderr "The answer was cut at the output limit of 32000 tokens."

t "core-126 an empty answer, and a refusal"
model_script - <<'J'
{"text": ""}
{"text": "half", "stop": "refusal"}
{"text": ""}
{"text": "whole"}
J
run kedge -p hi
expect_exit 1
expect_empty stdout
expect_file stderr "The model gave an empty answer."
run kedge -p hi
expect_exit 1
expect_file stderr "Refusal"
run kedge -p first second # it is the last answer that counts
expect_exit 0
expect_out whole
expect_empty stderr

# ---- the other wire, other providers ---------------------------------------

t "OPENAI_BASE_URL: chat completions, any model id, with tools"
model_script --openai - <<'J'
{"text": "looking", "tool_calls": [{"name": "bash", "arguments": {"command": "echo $((6 * 7))"}}]}
{"text": "It is 42.", "expect": [{"last_tool_contains": "42"}]}
J
run kedge --model openai/some-local-model -p "how much"
expect_exit 0
expect_out "It is 42."
expect_empty stderr
expect_model_done
expect_request 0 path /v1/chat/completions
expect_request 0 body.model some-local-model
expect_request 0 headers.authorization 'Bearer ***'
expect_request 1 body.messages.-1.role tool
expect_request 1 body.messages.-2.role assistant

# one_connection: all requests so far came through the same one.
one_connection() {
    _ports=$("$PICK" --rows port "" "$MODEL_URL/_model/journal" | sort -u | wc -l)
    [ "$_ports" = 1 ] || fail "$_ports connections"
}

t "the turns of a conversation come through one connection, also behind an error, on both wires"
quick_retries
for wire in '' --openai; do
    # shellcheck disable=SC2086
    model_script $wire - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo one"}}]}
{"status": 529, "error": {"type": "overloaded_error", "message": "Overloaded"}}
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo two"}}]}
{"text": "done"}
{"text": "and done"}
J
    if [ -z "$wire" ]; then run kedge -p go on; else run kedge --model openai/m -p go on; fi
    expect_exit 0
    expect_requests 5
    one_connection
done

t "core-31 tool calls with the reason 'stop' run all the same"
model_script --openai - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo ran"}}], "stop": "stop"}
{"text": "done", "expect": {"last_tool_contains": "ran"}}
J
run kedge --model openai/m -p go
expect_out "done"
expect_model_done

t "core-32 content_filter is an error with its name"
model_script --openai - <<'J'
{"text": "no", "stop": "content_filter"}
J
run kedge --model openai/m -p go
expect_exit 1
expect_empty stdout
expect_contains stderr "Provider finish_reason: content_filter"

t "an answer with an end that is not known is printed, with a warning, and fails"
for model in openai/m anthropic/claude-sonnet-4-5; do
    wire=$([ $model = openai/m ] && echo --openai)
    model_script $wire - <<'J'
{"text": "all of it", "stop": "eos"}
J
    run kedge --model $model -p go
    expect_exit 1
    expect_out "all of it"
    expect_contains stderr "eos: an end that is not known"
done

t "a provider of models.yml with auth: none gets no key, and has a cost"
model_script --openai - <<'J'
{"text": "ok", "usage": {"input": 1000000, "output": 500000}, "repeat": true}
J
mkdir -p "$HOME/.kedge/agent"
cat >"$HOME/.kedge/agent/models.yml" <<Y
providers:
  lab:
    baseUrl: $MODEL_URL/v1
    api: openai-completions
    auth: none
    headers: {X-Team: core}
    models:
      - {id: coder-32b, contextWindow: 9000000, maxTokens: 8192, cost: {input: 1, output: 2}}
Y
run kedge --model lab/coder-32b -p hi
expect_exit 0
expect_out ok
expect_request 0 headers.x-team core
expect_request 0 body.model coder-32b
case $(model_journal 0.headers.authorization 2>&1) in "nothing at"*) ;; *) fail "a key was sent" ;; esac
expect_json "$(session_file)" -1.message.usage.cost.total 2.0
expect_json "$(session_file)" -1.message.provider lab

t "the key of one provider never goes to another"
run env OPENAI_API_KEY=sk-openai-key ANTHROPIC_API_KEY=sk-ant-key kedge --model lab/coder-32b -p hi
expect_exit 0
case $(model_journal 1.headers.authorization 2>&1) in "nothing at"*) ;; *) fail "a key was sent" ;; esac

t "--max-cost stops before the request that follows, exit 5"
run kedge --model lab/coder-32b --max-cost 1.5 -p one two three
expect_exit 5
expect_file stderr "Stopped: 2.00 USD (--max-cost)"
expect_requests 3

# ---- budgets ---------------------------------------------------------------

t "--max-turns stops a run that would go on, exit 5; what was answered is printed"
model_script - <<'J'
{"text": "still busy", "tool_calls": [{"name": "bash", "arguments": {"command": "echo turn >>turns"}}], "repeat": true}
J
run kedge --max-turns 3 -p "go on for ever"
expect_exit 5
expect_file stderr "Stopped: 3 turns (--max-turns)"
expect_out "still busy"
expect_requests 3
expect_lines turns 3

t "and its session can be continued"
model_script - <<'J'
{"text": "resumed", "expect": [{"contains": "go on for ever"}, {"path": "messages", "count": 7}]}
J
run kedge --max-turns 3 --continue -p "now stop"
expect_exit 0
expect_out resumed
expect_model_done

t "a run that has stopped at its budget asks for no summary of its full context"
model_script - <<'J'
{"text": "no JSON", "usage": {"input": 199000, "output": 500}}
J
echo '{"type": "object"}' >schema.json
run kedge --model anthropic/claude-haiku-4-5 --max-cost 0.01 --json-schema schema.json -p "answer"
expect_exit 5
expect_model_done
expect_requests 1

# ---- errors and retries ----------------------------------------------------

t "400 is final: status and message on stderr, exit 1, one request"
quick_retries
model_script - <<'J'
{"status": 400, "error": {"type": "invalid_request_error", "message": "max_tokens: too many"}}
J
run kedge -p hi
expect_exit 1
expect_empty stdout
expect_contains stderr "HTTP 400"
expect_contains stderr "max_tokens: too many"
expect_lines stderr 1
expect_requests 1

t "401: the key that the server repeats is not shown"
model_script - <<'J'
{"status": 401, "body": {"type": "error", "error": {"type": "authentication_error", "message": "Incorrect API key: sk-ant-secret-1234"}}}
J
run env ANTHROPIC_API_KEY=sk-ant-secret-1234 kedge -p hi
expect_exit 1
expect_contains stderr "HTTP 401"
expect_contains stderr "[REDACTED]"
expect_not_contains stderr sk-ant-secret
! grep -rqs sk-ant-secret "$HOME/.kedge" || fail "in a file: $(grep -rls sk-ant-secret "$HOME/.kedge")"

t "a prompt that failed ends the run: the next is not sent"
model_script - <<'J'
{"status": 400, "error": {"type": "invalid_request_error", "message": "no"}}
{"text": "never asked for"}
J
run kedge -p one two
expect_exit 1
expect_empty stdout
expect_requests 1

t "core-38 429 with Retry-After: waited for, one answer"
model_script - <<'J'
{"status": 429, "headers": {"Retry-After": "1"}}
{"text": "patience"}
J
run kedge -p hi
expect_exit 0
expect_out patience
expect_matches stderr '^  retry 1/3 in 1\.0 s: HTTP 429'
[ "$(wc -l <"$(path_of stderr)")" = 1 ] || fail "$(cat "$(path_of stderr)")"
expect_requests 2
first=$(model_journal 0.at_ms) second=$(model_journal 1.at_ms)
[ "${second%.*}" -ge $((${first%.*} + 950)) ] || fail "asked again after $first, $second"

t "core-119 429 with a Retry-After of an hour, or above retry.maxWait: fails at once and says when"
model_script - <<'J'
{"status": 429, "headers": {"Retry-After": "3600"}, "error": {"type": "rate_limit_error", "message": "Slow down"}}
J
run kedge -p hi
expect_exit 1
expect_empty stdout
expect_matches stderr 'Slow down.*Try again after .*\(in 60 min\); retry\.maxWait is 60 s\.'
expect_requests 1
printf 'retry:\n  maxWait: 10\n' >"$HOME/.kedge/agent/config.yml"
model_script - <<'J'
{"status": 429, "headers": {"Retry-After": "30"}}
J
run kedge -p hi
expect_exit 1
expect_contains stderr "retry.maxWait is 10 s."
expect_requests 1
quick_retries

t "core-121 core-51 503 twice, then an answer: retried, the failures stay out of the next request"
model_script - <<'J'
{"status": 503}
{"status": 503}
{"text": "third time", "expect": {"path": "messages", "count": 1}}
J
run kedge -p hi
expect_exit 0
expect_out "third time"
expect_matches stderr '^  retry 1/3 in 0\.0 s: HTTP 503'
expect_matches stderr '^  retry 2/3 in 0\.0 s: HTTP 503'
expect_model_done
grep -c '"stopReason":"error"' "$(session_file)" >count
expect_file count 2

t "core-52 always 503: given up after maxRetries, exit 1, session kept"
quick_retries 2
model_script - <<'J'
{"status": 503, "repeat": true}
J
run kedge -p "hopeless"
expect_exit 1
expect_empty stdout
expect_contains stderr "HTTP 503"
expect_requests 3
expect_contains "$(session_file)" hopeless

t "529 overloaded is retried; --verbose says so on stderr"
quick_retries
model_script - <<'J'
{"status": 529, "error": {"type": "overloaded_error", "message": "Overloaded"}}
{"text": "ok"}
J
run kedge --verbose -p hi
expect_exit 0
expect_out ok
expect_contains stderr "retry 1/3"
expect_contains stderr Overloaded

t "an error event in the stream is retried"
model_script - <<'J'
{"text": "half of it, then", "error_after": 3, "error": {"type": "overloaded_error", "message": "Overloaded"}}
{"text": "whole"}
J
run kedge -p hi
expect_exit 0
expect_out whole

t "core-27 a stream that breaks off, ends early, or is not SSE: retried"
for fault in '"drop_after": 3' '"drop_after": 0' '"drop_after": -1' '"truncate_before_stop": true' '"malformed": "json"'; do
    printf '{"text": "some longer text here", %s}\n{"text": "whole"}\n' "$fault" >fault.jsonl
    model_script "$PWD/fault.jsonl"
    run kedge -p hi
    expect_exit 0
    expect_out whole
    expect_requests 2
done

t "core-27 when it stays that way, the message says what was wrong"
model_script - <<'J'
{"text": "text", "drop_after": 2, "repeat": true}
J
run kedge -p hi
expect_exit 1
expect_matches stderr '^Anthropic stream envelope error:'

t "a page of HTML instead of an answer"
model_script - <<'J'
{"status": 200, "headers": {"content-type": "text/html"}, "body": "<html><body>Sign in to the guest network</body></html>"}
J
run kedge -p hi
expect_exit 1
expect_empty stdout
expect_contains stderr "web page"

t "nobody listens: retried, then said with the address"
run env ANTHROPIC_BASE_URL=http://127.0.0.1:1 kedge -p hi
expect_exit 1
expect_empty stdout
expect_contains stderr 127.0.0.1
expect_lines stderr 4 # three retries

t "a stalled stream is given up after the time that was set"
model_script - <<'J'
{"text": "never ends", "stall_after": 3}
{"text": "whole"}
J
run env KEDGE_STREAM_IDLE_TIMEOUT_MS=300 kedge -p hi
expect_exit 0
expect_out whole
expect_requests 2
model_script - <<'J'
{"text": "never begins", "delay_headers_ms": 20000}
{"text": "whole"}
J
run env KEDGE_STREAM_FIRST_EVENT_TIMEOUT_MS=300 kedge -p hi
expect_exit 0
expect_out whole

# ---- progress --------------------------------------------------------------

t "--verbose shows tool calls on stderr, stdout stays the answer"
model_script - <<'J'
{"text": "look", "tool_calls": [{"name": "bash", "arguments": {"command": "make\ttest; exit 2"}}]}
{"text": "done"}
J
run kedge --verbose -p hi
expect_exit 0
expect_out "done"
expect_contains stderr "· bash  make test; exit 2"
expect_contains stderr "  ! "

t "without a terminal on stderr there is no progress"
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "true"}}]}
{"text": "done"}
J
run kedge -p hi
expect_out "done"
expect_empty stderr

cat >schema.json <<'J'
{"type":"object","properties":{"city":{"type":"string"},"people":{"type":"integer"}},"required":["city","people"],"additionalProperties":false}
J

t "--json-schema: the model is told of it, and what fits is printed as one line"
model_script - <<'J'
{"text": "```json\n{\"city\": \"Bergen\",\n \"people\": 290000}\n```", "expect": {"contains": "additionalProperties"}}
J
run kedge -p --json-schema schema.json "Which city?"
expect_exit 0
expect_out '{"city":"Bergen","people":290000}'

t "--json-schema: what does not fit is asked for again, with the reason"
model_script - <<'J'
{"text": "It is Bergen."}
{"text": "{\"city\":\"Bergen\"}", "expect": {"last_user_contains": "it is no JSON"}}
{"text": "{\"city\":\"Bergen\",\"people\":290000}", "expect": {"last_user_contains": "people"}}
J
run kedge -p --json-schema schema.json "Which city?"
expect_exit 0
expect_out '{"city":"Bergen","people":290000}'
expect_model_done

t "--json-schema: twice, not more; then nothing is printed"
model_script - <<'J'
{"text": "no", "repeat": 3}
J
run kedge -p --json-schema schema.json "Which city?"
expect_exit 1
expect_empty stdout
expect_contains stderr "The answer does not fit the schema: it is no JSON"

t "--json-schema: a file that is no schema of an object is refused before anything is sent"
echo '{"type":"string"}' >wrong.json
for _file in wrong.json missing.json; do
    run kedge -p --json-schema "$_file" "Which city?"
    expect_contains stderr "$_file"
    expect_empty stdout
    [ "$(cat "$_state/status")" != 0 ] || fail "$_file: exit status 0"
done

done_testing
