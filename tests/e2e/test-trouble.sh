#!/bin/sh
# Bad input and trouble: wrong arguments, a model server that dies, commands that never end, a full
# disk, a closed stdout. Each ends, is reported, and leaves the session whole. Rows of agent-core
# §10 are named core-N. Signals: test-interrupt.sh; hostile text and secrets: test-hostile.sh.
. "$(dirname "$0")/lib.sh"
. "$E2E_DIR/session.sh"
need_kedge

ROOT=$HOME/.kedge/agent/sessions
session_file() { find "$ROOT" -name '*.jsonl' | sort | tail -n 1; }
no_sessions() { rm -rf "$ROOT"; }

mkdir -p "$HOME/.kedge/agent"
printf 'retry:\n  baseDelayMs: 10\n  maxRetries: 2\n' >"$HOME/.kedge/agent/config.yml"

expect_requests() {
    _requests=$(model_journal '#')
    [ "$_requests" = "$1" ] || fail "the model was asked $_requests times, want $1"
}

# expect_gone FILE: the processes whose ids it holds have ended.
expect_gone() {
    [ -s "$1" ] || fail "$1: no process was started"
    while read -r _child; do
        wait_for 60 _is_gone "$_child" || fail "process $_child still runs: $(tr '\0' ' ' <"/proc/$_child/cmdline")"
    done <"$1"
}

says_ok() { model_script - <"$HOME/says-ok.jsonl"; }
echo '{"text": "ok", "repeat": true}' >"$HOME/says-ok.jsonl"

# ---- arguments -------------------------------------------------------------

t "a tool's arguments that are no JSON, or no object: exit 2, nothing run"
for arguments in '{"command":' 'echo ran >ran' '"echo ran >ran"' '["echo ran >ran"]' '{"command":"echo ran >ran"} x' \
    '' '17' "{'command':'echo ran >ran'}"; do
    run kedge tool run --yes bash "$arguments"
    expect_exit 2
    expect_empty stdout
    [ -s "$E2E_TMP/.state/stderr" ] || fail "no message for $arguments"
    expect_no_file ran
done

t "unknown and missing fields, wrong types: exit 2, one problem a line, with the field's name"
run kedge tool run --yes bash '{"comand":"echo ran >ran"}'
expect_exit 2
expect_contains stderr "command: must have required property 'command'"
expect_contains stderr 'comand: unknown field; did you mean "command"?'
run kedge tool run --yes bash '{"command":["echo"],"timeout":"soon"}'
expect_exit 2
expect_contains stderr "  - command: must be string"
expect_contains stderr "  - timeout: must be number"
run kedge tool run github '{"op":"search_issues","limit":"7"}'
expect_exit 2
expect_contains stderr "  - limit: must be number"
run kedge tool run github '{"op":"delete_everything"}'
expect_exit 2
expect_contains stderr "  - op: must be one of: repo_view"
run kedge github search_issues --limit many
expect_exit 2
expect_contains stderr '--limit: expected a number, got "many"'
expect_no_file ran

t "a NUL or broken UTF-8 in an argument becomes U+FFFD, it does not cut the command short"
run kedge tool run --yes bash '{"command":"echo a\u0000b; false"}'
expect_exit 1
expect_contains stderr "a�b"
printf '{"command":"echo a\377b; false"}' | run -i - kedge tool run --yes bash -
expect_exit 1
expect_contains stderr "a�b"

t "huge arguments: too long, too deep"
head -c 20000000 /dev/zero | tr '\0' x >huge
{ printf '{"command":"' && cat huge && printf '"}'; } | run -i - kedge tool run --yes bash -
expect_exit 1
expect_contains stderr MiB
[ "$(wc -c <"$E2E_TMP/.state/stderr")" -lt 1000 ] || fail "the message is as long as the argument"
{ head -c 100000 /dev/zero | tr '\0' '['; } | run -i - kedge tool run --yes bash -
expect_exit 2
[ "$(wc -c <"$E2E_TMP/.state/stderr")" -lt 1000 ] || fail "the message is as long as the argument"
"${PYTHON:-python3}" -c 'import json; print(json.dumps({f"field{i}": "x" * 1000 for i in range(9000)}))' |
    run -i - kedge tool run --yes bash -
expect_exit 2
expect_contains stderr "field0: unknown field"
[ "$(wc -c <"$E2E_TMP/.state/stderr")" -lt 10000 ] || fail "the message has $(wc -c <"$E2E_TMP/.state/stderr") bytes"
rm huge

t "core-43 core-44 the model's own mistakes are results, and the run goes on"
no_sessions
model_script - <<'J'
{"tool_calls": [{"name": "zap", "arguments": {}}]}
{"tool_calls": [{"name": "bash", "arguments": {"cmd": "echo ran >ran"}}], "expect": {"last_tool_contains": "Tool zap not found"}}
{"tool_calls": [{"name": "bash", "arguments_raw": "{\"command\": \"echo ran >ran; \\q"}], "expect": [{"last_tool_contains": "Validation failed for tool \"bash\""}, {"last_tool_contains": "command: must have required property"}]}
{"tool_calls": [{"name": "bash", "arguments_raw": "not json at all"}]}
{"tool_calls": [{"name": "read", "arguments": {"path": "a.txt", "limit": "5", "offset": null}}], "expect": {"last_tool_contains": "ended before their JSON was complete"}}
{"text": "enough", "expect": {"last_tool_contains": "alpha"}}
J
echo alpha >a.txt
run kedge -p "try"
expect_exit 0
expect_out enough
expect_model_done
whole --answered "$(session_file)"

t "arguments that the length limit cut off are not run"
no_sessions
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments_raw": "{\"command\": \"echo ran >ran2; rm -rf build"}], "stop": "length"}
{"text": "ok", "expect": {"last_tool_contains": "did not run"}}
J
run kedge -p "try"
expect_out ok
expect_no_file ran2
expect_model_done

# ---- what is missing -------------------------------------------------------

t "no gh, no repository: the message says what to do"
mkdir -p few
for name in sh bash env git rg; do ln -sf "$(command -v $name)" "few/$name"; done
run env PATH="$PWD/few" "$KEDGE" github repo_view --repo harbor/tidepool
expect_exit 1
expect_empty stdout
expect_contains stderr "GitHub CLI (gh) is not installed. Install it from https://cli.github.com/."
run env GH_TOKEN=x kedge github repo_view
expect_exit 1
expect_contains stderr "Pass \`repo\` explicitly or run the tool inside a GitHub checkout."
run env GH_TOKEN= kedge github repo_view --repo harbor/tidepool
expect_exit 1
expect_contains stderr "gh auth login"
rm -r few

# ---- the model server dies -------------------------------------------------

t "the server dies in the middle, whatever it does: reported, the session whole, resumable"
n=0
for fault in '"drop_after": 4' '"drop_after": 0' '"drop_after": -1' '"truncate_before_stop": true' \
    '"truncate_before_stop": "last"' '"malformed": "json"' '"malformed": "utf8"' '"malformed": "sse"' \
    '"status": 429' '"status": 529' '"status": 500' '"error_after": 4, "error": {"type": "overloaded_error"}'; do
    n=$((n + 1))
    no_sessions
    printf '{"text": "A first answer %s."}\n{"text": "half an answer, cut", %s, "repeat": true}\n' $n "$fault" >dies.jsonl
    model_script "$PWD/dies.jsonl"
    run kedge -p "question $n"
    run kedge --continue -p "then"
    case $fault in
    *utf8* | *sse* | *last*) ;; # may be survived
    *)
        expect_exit 1
        expect_empty stdout
        [ -s "$E2E_TMP/.state/stderr" ] || fail "$fault: nothing is said"
        ;;
    esac
    whole --answered "$(session_file)"
    resumes "question $n" "A first answer $n." "then" "go on"
done

t "the server is gone: connection refused, the session still resumable"
no_sessions
model_script hello.jsonl
run kedge -p "question"
run env ANTHROPIC_BASE_URL=http://127.0.0.1:1 kedge --continue -p "then"
expect_exit 1
expect_contains stderr 127.0.0.1
resumes question Hello. "then"

t "the stream stalls: given up after its time"
no_sessions
model_script - <<'J'
{"text": "half an answer", "stall_after": 4, "repeat": true}
J
run env KEDGE_STREAM_IDLE_TIMEOUT_MS=200 kedge -p question
expect_exit 1
expect_contains stderr "stalled while waiting for the next event"
resumes question

t "the same on the other wire; the next model gets the history in its own form (core-37)"
for fault in '"drop_after": 3' '"truncate_before_stop": true' '"malformed": "json"' '"status": 502'; do
    no_sessions
    printf '{"text": "A first answer."}\n{"text": "half an answer, cut", %s, "repeat": true}\n' "$fault" >dies.jsonl
    model_script --openai "$PWD/dies.jsonl"
    run kedge --model openai/m -p question
    expect_exit 0
    run kedge --continue --model openai/m -p "then"
    expect_exit 1
    expect_empty stdout
    resumes question "A first answer." "then" "go on"
done

t "core-120 two refused connections, then 503, then the answer: three retries; with two, the third failure is final"
no_sessions
model_script - <<'J'
{"status": 503}
{"text": "at last"}
J
cp "$HOME/.kedge/agent/config.yml" config.before
for allowed in 3 2; do
    # the pause after the second refusal is the time in which the server has to come up
    printf 'retry:\n  baseDelayMs: %s\n  maxRetries: %s\n' $((allowed == 3 ? 1000 : 10)) $allowed >"$HOME/.kedge/agent/config.yml"
    run "${PYTHON:-python3}" "$E2E_DIR/refuse-first.py" $((allowed == 3 ? 2 : 9)) "$MODEL_URL" kedge --mode json --fail-on-error hi
    expect_exit $((3 - allowed))
    [ "$(grep -c '"auto_retry_start"' "$(path_of stdout)")" = $allowed ] || fail "$(grep auto_retry "$(path_of stdout)")"
    if [ $allowed = 3 ]; then
        expect_requests 2
        expect_json stdout -1.messages.-1.content.0.text "at last"
    else
        expect_requests 2 # none came
        expect_json stdout -2.type auto_retry_end
        expect_json stdout -2.success false
        expect_json stdout -1.type agent_end
    fi
done
mv config.before "$HOME/.kedge/agent/config.yml"

t "an answer without end, and 200 calls in one: bounded, and all of them run"
"${PYTHON:-python3}" - >many.jsonl <<'P'
import json
print(json.dumps({"text": "x" * 17000000, "chunk": 200000}))
print(json.dumps({"tool_calls": [{"name": "bash", "arguments": {"command": f"echo {i} >>ran200"}} for i in range(200)]}))
print(json.dumps({"text": "ok", "expect": {"path": "messages.-1.content", "count": 200}}))
P
no_sessions
model_script "$PWD/many.jsonl"
run kedge -p question
expect_exit 1
expect_contains stderr "larger than 16777216 bytes"
run kedge -p question
expect_exit 0
expect_lines ran200 200
expect_model_done
rm many.jsonl

t "it dies within a tool call: the call is not run"
no_sessions
rm -f ran
model_script - <<'J'
{"text": "I write.", "tool_calls": [{"name": "bash", "arguments": {"command": "echo ran >ran; echo a long command goes on and on"}}], "drop_after": 9, "repeat": true}
J
run kedge -p question
expect_exit 1
expect_no_file ran
resumes question

# ---- commands --------------------------------------------------------------

t "200 MB of output: a bounded result, the whole of it in the artifact"
no_sessions
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "yes 0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmn | head -c 200000000; echo; echo the end"}}]}
{"text": "ok", "expect": [{"last_tool_contains": "the end"}, {"last_tool_contains": "artifact://0"}]}
J
run kedge -p question
expect_exit 0
expect_model_done
S=$(session_file)
[ "$(wc -c <"$S")" -lt 300000 ] || fail "the session has $(wc -c <"$S") bytes"
[ "$(wc -c <"${S%.jsonl}/0.bash.log")" = 200000009 ] || fail "the artifact has $(wc -c <"${S%.jsonl}/0.bash.log") bytes"
[ "$(tail -n 1 "${S%.jsonl}/0.bash.log")" = "the end" ] || fail "the artifact has no end"
no_sessions

t "one line of 20 MB without an end"
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "head -c 20000000 /dev/zero | tr '\\0' x"}}]}
{"text": "ok", "expect": {"last_tool_contains": "artifact://0"}}
J
run kedge -p question
expect_exit 0
expect_model_done
[ "$(wc -c <"$(session_file)")" -lt 300000 ] || fail "the session has $(wc -c <"$(session_file)") bytes"
no_sessions

t "a command that never ends is stopped at the call's time; the next one works"
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo begun; echo $$ >pids; sleep 300 & echo $! >>pids; sleep 200", "timeout": 1}}]}
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo next"}}], "expect": [{"last_tool_contains": "begun"}, {"last_tool_contains": "Command timed out after 1 seconds"}]}
{"text": "ok", "expect": {"last_tool_contains": "next"}}
J
rm -f pids
run kedge -p question
expect_exit 0
expect_model_done
expect_gone pids

t "background processes do not hold the result up, and end with the run"
no_sessions
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "sleep 300 & echo $! >pids; nohup sleep 301 >/dev/null 2>&1 & echo $! >>pids; echo started"}}]}
{"tool_calls": [{"name": "bash", "arguments": {"command": "kill -0 $(head -n 1 pids) && echo alive"}}], "expect": {"last_tool_contains": "started"}}
{"text": "ok", "expect": {"last_tool_contains": "alive"}}
J
rm -f pids
run -t 20 kedge -p question
expect_exit 0
expect_model_done
expect_gone pids
whole --answered "$(session_file)"

t "a daemon with a session of its own, which keeps the output open, does not hold the run up"
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "setsid sh -c 'echo $$ >daemon; exec sleep 300' & echo forked", "timeout": 30}}]}
{"text": "ok", "expect": {"last_tool_contains": "forked"}}
J
run -t 20 kedge -p question
expect_exit 0
expect_model_done
wait_for 60 test -s daemon && kill "$(cat daemon)"

t "a command that asks for a password gets no answer, and no terminal"
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "printf 'Password: '; read -r x; echo \"read $? [$x]\"; (read -r y </dev/tty) 2>&1; echo \"tty $?\"", "timeout": 30}}]}
{"text": "ok", "expect": [{"last_tool_contains": "read 1 []"}, {"last_tool_contains": "tty 1"}]}
J
run -t 20 kedge -p question
expect_exit 0
expect_model_done

# ---- disk ------------------------------------------------------------------

t "the disk is full while the session is written: said, earlier entries intact, exit 1"
no_sessions
mkdir disk
mounted=
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=256k tmpfs disk 2>/dev/null; then mounted=1; fi
printf '{"text": "first answer"}\n{"text": "second answer"}\n' >two.jsonl
model_script "$PWD/two.jsonl"
run kedge --session-dir disk -p "first question"
expect_exit 0
S=$(find disk -name '*.jsonl')
cp "$S" before.jsonl
if [ -n "$mounted" ]; then
    dd if=/dev/zero of=disk/fill bs=4k 2>/dev/null
    run kedge --session-dir disk --continue -p "$(seq 2000)"
    expect_contains stderr "No space left on device"
else # no tmpfs here: a limit on the size of files; sh counts 512 bytes
    # shellcheck disable=SC2016
    run sh -c 'ulimit -f "$1"; exec kedge --session-dir disk --continue -p "$2"' - $(($(wc -c <"$S") / 512 + 1)) "$(seq 2000)"
    expect_contains stderr "File too large"
fi
expect_exit 1
expect_out "second answer"
whole "$S"
head -c "$(wc -c <before.jsonl)" "$S" | cmp -s - before.jsonl || fail "earlier entries were changed"

t "with space again the session goes on"
rm -f disk/fill
printf '{"text": "third answer"}\n' >three.jsonl
model_script "$PWD/three.jsonl"
run kedge --session-dir disk --continue -p "third question"
expect_exit 0
whole "$S"
case $(model_journal 0.body.messages) in *"first answer"*"third question"*) ;; *) fail "$(model_journal 0.body.messages)" ;; esac
[ -z "$mounted" ] || umount disk

t "the session's directory cannot be made: the answer is printed, exit 1"
model_script hello.jsonl
run env KEDGE_AGENT_DIR=/proc/none kedge -p hi
expect_exit 1
expect_out Hello.
expect_contains stderr "/proc/none"

t "stdin over 64 MiB, and stdin that is no text"
says_ok
head -c 70000000 /dev/zero | tr '\0' x | run -i - kedge -p
expect_exit 1
expect_contains stderr "larger than 64 MiB"
expect_requests 0
head -c 4000 /dev/urandom | run -i - kedge -p "what is this"
expect_exit 0
expect_model_done

t "stdout cannot be written: said, exit 1"
says_ok
run sh -c 'kedge -p hi >/dev/full'
expect_exit 1
expect_contains stderr "No space left on device"
run sh -c 'kedge --mode json hi >/dev/full'
expect_exit 1
expect_contains stderr "No space left on device"
no_sessions
run sh -c 'kedge --mode json hi >&-' # no file may get the number of stdout
expect_exit 1
expect_contains stderr "standard output"
whole "$(session_file)"

t "stdout is closed early: the run stops, quietly"
model_script - <<'J'
{"text": "the answer", "tool_calls": [{"name": "bash", "arguments": {"command": "sleep 0.3"}}], "repeat": true}
J
run sh -c 'kedge --mode json hi | head -n 0'
expect_exit 0
expect_empty stderr
run sh -c 'kedge --mode json hi | head -n 3'
expect_exit 0
expect_lines stdout 3
expect_empty stderr
run sh -c 'kedge --list-models | head -n 0; kedge --help | head -n 0; kedge tool list | head -n 0'
expect_exit 0
expect_empty stderr

done_testing
