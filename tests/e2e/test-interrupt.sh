#!/bin/sh
# Ctrl-C, SIGTERM and kill -9 at every moment, and many runs at once: what was started has ended, the
# exit code is 128 + signal, and the session goes on. Rows of agent-core §10 are named core-N.
. "$(dirname "$0")/lib.sh"
. "$E2E_DIR/session.sh"
need_kedge

ROOT=$HOME/.kedge/agent/sessions
session_file() { find "$ROOT" -name '*.jsonl' | sort | tail -n 1; }
no_sessions() { rm -rf "$ROOT"; }

mkdir -p "$HOME/.kedge/agent"
printf 'retry:\n  baseDelayMs: 60000\nloop:\n  enabled: false # the scripts repeat their calls\n' >"$HOME/.kedge/agent/config.yml"

has_lines() { [ -f "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]; }

# expect_gone FILE: the processes whose ids it holds have ended.
expect_gone() {
    [ -s "$1" ] || fail "$1: no process was started"
    while read -r _child; do
        wait_for 60 _is_gone "$_child" || fail "process $_child still runs: $(tr '\0' ' ' <"/proc/$_child/cmdline")"
    done <"$1"
}

# ---- interrupts ------------------------------------------------------------

# streaming MODE: a run in the middle of an answer. What it has read shows in JSON mode only.
streaming() {
    no_sessions
    printf '{"text": "partial answer that never ends", "stall_after": 4}\n' >stalls.jsonl
    model_script "$PWD/stalls.jsonl"
    bg kedge --mode "$1" -p question
    model_wait requests=1 events=4
    [ "$1" != json ] || wait_for 60 grep -q partial "$(path_of stdout)" || fail "nothing streamed"
}

t "Ctrl-C while streaming: exit 130, nothing on stdout"
streaming text
bg_signal INT
bg_end
expect_exit 130
expect_empty stdout

t "core-40 Ctrl-C while streaming: the partial answer is kept"
streaming json
bg_signal INT
bg_end
expect_exit 130
model_wait idle=1
[ "$(model_journal 0.disconnected)" = true ] || fail "the request was not closed"
expect_json "$(session_file)" -1.message.stopReason aborted
expect_json "$(session_file)" -1.message.errorMessage "Request was aborted"
resumes question "partial"

# in_bash SIGNAL EXIT COMMAND [N]: sends the signal while the bash tool runs COMMAND, which writes
# the ids of its N processes to the file pids.
in_bash() {
    no_sessions
    rm -f pids
    printf '{"tool_calls": [{"name": "bash", "arguments": {"command": "%s"}}]}\n' "$3" >tool.jsonl
    model_script "$PWD/tool.jsonl"
    bg kedge -p question
    wait_for 60 has_lines pids "${4:-1}" || fail "the tool did not start"
    bg_signal "$1"
    bg_end
    expect_exit "$2"
    expect_gone pids
    whole --answered "$(session_file)"
    resumes question "Tool execution was aborted"
}

t "Ctrl-C during a command: its processes have ended, exit 130, the session whole"
in_bash INT 130 'sleep 300 & echo $! >>pids; sh -c \"echo $$ >>pids; sleep 200\"; wait' 2

t "SIGTERM: the same, exit 143; SIGHUP: 129"
in_bash TERM 143 'echo $$ >>pids; sleep 200'
in_bash HUP 129 'echo $$ >>pids; sleep 200'

t "a command that ignores SIGTERM is killed"
in_bash INT 130 'trap : TERM INT; (trap \"\" TERM INT; echo $BASHPID >>pids; while :; do sleep 1; done); wait'

t "a second Ctrl-C ends at once, and leaves no process behind"
no_sessions
rm -f pids stopped
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "trap 'echo seen >>stopped' TERM; trap '' INT; echo $$ >pids; while :; do sleep 0.2; done"}}]}
J
bg kedge -p question
wait_for 60 test -s pids || fail "the tool did not start"
bg_signal INT
wait_for 60 test -s stopped || fail "the first one was not heard"
bg_signal INT
bg_end
expect_exit 130
expect_gone pids
resumes question

t "SIGTERM while streaming: exit 143"
streaming json
bg_signal TERM
bg_end
expect_exit 143
resumes question "partial"

t "Ctrl-C before the first byte of an answer: nothing is written, exit 130"
no_sessions
model_script - <<'J'
{"text": "slow", "delay_headers_ms": 60000}
J
bg kedge -p question
model_wait requests=1
bg_signal INT
bg_end
expect_exit 130

t "Ctrl-C while a retry waits: exit 130, at once"
no_sessions
model_script - <<'J'
{"status": 503, "repeat": true}
J
bg kedge -p question
model_wait requests=1 idle=1
sleep 0.2
bg_signal INT
bg_end
expect_exit 130
resumes question

t "Ctrl-C during a direct tool call: exit 130"
rm -f pids
bg kedge tool run --yes bash '{"command":"echo $$ >pids; sleep 200"}'
wait_for 60 test -s pids || fail "the tool did not start"
bg_signal INT
bg_end
expect_exit 130
expect_gone pids

# ---- kill -9, and many at once ---------------------------------------------

t "core-70 kill -9 amid many tool calls: the file is whole but for its last line, and goes on"
for events in 20 60 110; do
    no_sessions
    model_script - <<'J'
{"text": "and on", "tool_calls": [{"name": "bash", "arguments": {"command": "seq 500"}}, {"name": "read", "arguments": {"path": "a.txt"}}], "repeat": true}
J
    bg kedge -p question
    model_wait events=$events
    bg_signal KILL
    bg_end
    S=$(session_file)
    expect_file "$S"
    whole --torn "$S"
    printf '{"text": "resumed", "expect": [{"contains": "question"}, {"last_user_contains": "go on"}]}\n' >resumes.jsonl
    model_script "$PWD/resumes.jsonl"
    run kedge --continue -p "go on"
    expect_exit 0
    expect_out resumed
    expect_model_done
done

t "ten at once in one directory: ten sessions, all whole"
no_sessions
model_script - <<'J'
{"text": "done", "when": {"path": "messages", "count": 3}, "repeat": true}
{"text": "I look", "tool_calls": [{"name": "bash", "arguments": {"command": "seq 100; sleep 0.2"}}], "repeat": true}
J
pids=
for i in 0 1 2 3 4 5 6 7 8 9; do
    kedge -p "question $i" >"out$i" 2>&1 </dev/null &
    pids="$pids $!"
done
for pid in $pids; do wait "$pid" || fail "one of them failed"; done
for i in 0 1 2 3 4 5 6 7 8 9; do expect_file "out$i" "done"; done
[ "$(find "$ROOT" -name '*.jsonl' | wc -l)" = 10 ] || fail "$(find "$ROOT" -name '*.jsonl' | wc -l) sessions"
whole --answered "$ROOT"/*/*.jsonl
grep -ho 'question [0-9]' "$ROOT"/*/*.jsonl | sort -u >questions
expect_lines questions 10

done_testing
