#!/bin/sh
# The main job when the model's server fails it: a fault before each turn of fix-issue.jsonl is retried, and no tool runs
# twice; a fault for good ends kedge with what is done so far kept, and --continue finishes it. (GitHub's faults:
# test-faults.sh.)
. "$(dirname "$0")/lib.sh"
need_kedge
need_gh
need make cc

prompt="fix issue 12 and open a pull request"

checkout() {
    fresh_home
    forge_start --web https://github.localhost
    git clone -q http://github.localhost/harbor/tidepool.git tidepool || exit 1
    cd tidepool || exit 1
    mkdir -p "$HOME/.kedge/agent"
    printf 'retry:\n  baseDelayMs: 10\ngh: {knownHosts: [github.localhost]}\n' >"$HOME/.kedge/agent/config.yml"
}

session_file() { find "$HOME/.kedge/agent/sessions" -name '*.jsonl' | sort | tail -n 1; }

# turns N,M: those lines of the main job's script.
turns() { grep -v '^#' "$E2E_DIR/scripts/fix-issue.jsonl" | sed -n "$1p"; }

# with_faults FAULT…: the main job's script, before each turn a broken try of the same turn: its text and calls, with
# the keys of the next FAULT (a JSON object); one with a status has no answer.
with_faults() {
    "${PYTHON:-python3}" - "$E2E_DIR/scripts/fix-issue.jsonl" "$@" <<'P'
import json, sys
path, *faults = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    turns = [json.loads(line) for line in file if not line.startswith("#")]
for number, turn in enumerate(turns):
    fault = json.loads(faults[number % len(faults)])
    answer = {} if "status" in fault else {key: turn[key] for key in ("text", "tool_calls") if key in turn}
    if "text" in answer:  # the last one's later lines name what only the turn itself captures
        answer["text"] = answer["text"].split("\n")[0]
    print(json.dumps(answer | fault))
    print(json.dumps(turn))
P
}

expect_sound() {
    expect_session "$(session_file)"
    expect_not_contains "$(session_file)" "$GH_TOKEN"
    expect_no_strays
    git fsck --no-progress --strict >"$E2E_TMP/run/fsck" 2>&1 || fail "git fsck: $(cat "$E2E_TMP/run/fsck")"
    [ "$(find .git -name '*.lock')" = "" ] || fail "left: $(find .git -name '*.lock')"
}

# expect_job_done: on the server, once.
expect_job_done() {
    expect_contains stdout "Pull request #14: https://github.localhost/harbor/tidepool/pull/14
Checks: build passed (ci, run 16045200306)"
    forge_ctl GET '/_forge/refs?repo=harbor/tidepool' >"$E2E_TMP/run/refs"
    expect_json "$E2E_TMP/run/refs" refs/heads/fix/midnight "$(git rev-parse HEAD)"
    forge_log 'method=POST&path=git-receive-pack$' >"$E2E_TMP/run/log"
    expect_json "$E2E_TMP/run/log" '#' 1
    forge_log 'op=PullRequestCreate' >"$E2E_TMP/run/log"
    expect_json "$E2E_TMP/run/log" '#' 1
    [ "$(git rev-list --count main..HEAD)" = 1 ] || fail "$(git log --oneline main..HEAD)"
}

t "every turn fails once, each in another way: retried, no tool runs twice, the job is done"
checkout
with_faults '{"status": 429, "headers": {"Retry-After": "0"}}' '{"drop_after": 9}' \
    '{"status": 529, "error": {"type": "overloaded_error", "message": "Overloaded"}}' '{"stall_after": 7}' \
    '{"error_after": 8, "error": {"type": "overloaded_error", "message": "Overloaded"}}' \
    '{"truncate_before_stop": true}' '{"malformed": "json"}' '{"status": 503, "body": "<html>busy</html>"}' >"$E2E_TMP/turns"
model_script "$E2E_TMP/turns"
run env KEDGE_STREAM_IDLE_TIMEOUT_MS=400 kedge --verbose -p "$prompt"
expect_exit 0
expect_job_done
expect_model_done
expect_sound
[ "$(grep -c '^  retry 1/3 ' "$(path_of stderr)")" = 8 ] || fail "not 8 retries"

t "the failed answers are in the session, marked as such; their calls were not run"
session=$(session_file)
[ "$(grep -c '"stopReason":"error"' "$session")" = 8 ] || fail "$(grep -c '"stopReason":"error"' "$session") errors"
grep '"role":"toolResult"' "$session" | grep -vc 'Tool execution failed due to an error' >count
expect_file count 9
rm count

t "the same over chat completions"
checkout
with_faults '{"drop_after": 0}' '{"status": 500}' '{"drop_after": 6}' '{"status": 429}' '{"truncate_before_stop": true}' \
    '{"malformed": "json"}' '{"drop_after": -1}' '{"stall_after": 2}' >"$E2E_TMP/turns"
model_script --openai "$E2E_TMP/turns"
run env KEDGE_STREAM_IDLE_TIMEOUT_MS=400 kedge -p "$prompt"
expect_exit 0
[ "$(grep -c '^  retry 1/3 ' "$(path_of stderr)")" = "$(grep -c . "$(path_of stderr)")" ] || fail "more than retries"
expect_job_done
expect_model_done
expect_sound

t "the server refuses for good behind the push: exit 1, its words on stderr, all that was done is kept"
checkout
{
    turns 1,5
    echo '{"status": 403, "error": {"type": "permission_error", "message": "Your credit is used up"}}'
} >"$E2E_TMP/turns"
model_script "$E2E_TMP/turns"
run kedge -p "$prompt"
expect_exit 1
expect_empty stdout
expect_contains stderr "HTTP 403"
expect_contains stderr "Your credit is used up"
expect_sound
run git ls-remote origin fix/midnight
expect_contains stdout "$(git rev-parse HEAD)"

t "--continue finishes the job"
turns 6,8 | sed 's/{"last_tool_contains": "clock: wrap at midnight"}/{"contains": "It must be the wrap"}/' >"$E2E_TMP/turns"
model_script "$E2E_TMP/turns"
run kedge --continue -p "go on"
expect_exit 0
expect_job_done
expect_model_done
expect_sound

t "the server goes away behind the edit, and stays away: given up after three retries; the edit stays"
checkout
{
    turns 1,3
    echo '{"drop_after": -1, "repeat": true}'
} >"$E2E_TMP/turns"
model_script "$E2E_TMP/turns"
run kedge -p "$prompt"
expect_exit 1
expect_empty stdout
[ "$(grep -vc '^  retry ./3 ' "$(path_of stderr)")" -le 2 ] || fail "more than retries and an error on stderr"
expect_sound
run git diff --stat
expect_contains stdout "src/clock.c | 2 +-"
# 3 turns, 1 failure, 3 retries; and libcurl asks again by itself when a kept connection turns out dead
[ "$(model_journal '#')" -le 8 ] || fail "asked $(model_journal '#') times"

done_testing
