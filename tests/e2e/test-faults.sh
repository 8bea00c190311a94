#!/bin/sh
# The main job when GitHub, the network or the token fails it: each step of fix-issue.jsonl, with faults of the server.
# kedge tells the model what happened, in words that say what is wrong, and goes on; it ends in bounded time, the
# session is whole, the work tree undamaged, and nothing is left running. (Faults of the model: test-faults-model.sh.)
. "$(dirname "$0")/lib.sh"
need_kedge
need_gh
need make cc

read_only=github_pat_ForgeReadOnly000000000_$(printf '%058d4' 0)

# checkout: a new home and server, and a clone to stand in.
checkout() {
    fresh_home
    forge_start --web https://github.localhost
    mkdir -p "$HOME/.kedge/agent"
    echo 'gh: {knownHosts: [github.localhost]}' >"$HOME/.kedge/agent/config.yml"
    git clone -q http://github.localhost/harbor/tidepool.git tidepool || exit 1
    cd tidepool || exit 1
}

# committed: the checkout as it is before the push.
committed() {
    checkout
    git switch -q -c fix/midnight
    sed -i 's/sum > MIN/sum >= MIN/' src/clock.c
    git commit -q -a -m 'clock: wrap at midnight, not behind it' -m 'Fixes #12'
}

# fault JSON…: what the server does to the next matching requests, in this order.
fault() {
    forge_ctl DELETE /_forge/faults >/dev/null
    for _fault; do
        forge_ctl POST /_forge/faults "$_fault" >/dev/null
    done
}

expect_faults_hit() {
    forge_ctl GET /_forge/faults >"$E2E_TMP/run/faults"
    expect_not_contains "$E2E_TMP/run/faults" '"hits":0'
    expect_not_contains "$E2E_TMP/run/faults" '"hits": 0'
}

session_file() { find "$HOME/.kedge/agent/sessions" -name '*.jsonl' | sort | tail -n 1; }

# expect_sound: whatever happened, this holds.
expect_sound() {
    expect_session "$(session_file)"
    expect_not_contains "$(session_file)" "$GH_TOKEN"
    expect_no_strays
    git fsck --no-progress --strict >"$E2E_TMP/run/fsck" 2>&1 || fail "git fsck: $(cat "$E2E_TMP/run/fsck")"
    [ "$(find .git -name '*.lock')" = "" ] || fail "left: $(find .git -name '*.lock')"
    _left=$(find "$TMPDIR" -type f ! -path '*/gh-cli-cache/*')
    [ -z "$_left" ] || fail "left:" "$_left"
}

# ---- reading the issue -----------------------------------------------------

t "the issue cannot be read, in eight ways: the model is told each time, and reads it at last"
checkout
issue='"tool_calls": [{"name": "bash", "arguments": {"command": "gh issue view 12"}}]'
model_script - <<X
{$issue}
{"expect": {"last_tool_contains": "HTTP 500"}, $issue}
{"expect": {"last_tool_contains": "HTTP 502"}, $issue}
{"expect": {"last_tool_contains": "unexpected EOF"}, $issue}
{"expect": {"last_tool_contains": "EOF"}, $issue}
{"expect": {"last_tool_contains": "HTTP 403: You have exceeded a secondary rate limit."}, $issue}
{"expect": {"last_tool_contains": "API rate limit exceeded"}, $issue}
{"expect": {"last_tool_contains": "unexpected end of JSON input"}, $issue}
{"expect": {"last_tool_contains": "invalid character"}, $issue}
{"expect": {"last_tool_contains": "Tide table prints 24:00"}, "text": "read"}
X
fault '{"match":{"kind":"graphql"},"status":500}' \
    '{"match":{"kind":"graphql"},"kind_of":"unicorn"}' \
    '{"match":{"kind":"graphql"},"drop":"mid"}' \
    '{"match":{"kind":"graphql"},"drop":"before"}' \
    '{"match":{"kind":"graphql"},"kind_of":"secondary","retry_after":1}' \
    '{"match":{"kind":"graphql"},"kind_of":"primary","reset_in":1}' \
    '{"match":{"kind":"graphql"},"truncate":60}' \
    '{"match":{"kind":"graphql"},"status":200,"body":"<html>Sign in to the guest network</html>"}' \
    '{"match":{"kind":"graphql"},"delay_ms":1000}'
run kedge -p "fix issue 12"
expect_exit 0
expect_out read
expect_model_done
expect_faults_hit
expect_sound

t "an answer that never comes: SIGINT ends kedge, and gh with it"
model_script - <<X
{$issue}
X
fault '{"match":{"kind":"graphql"},"delay_ms":60000}'
bg kedge -p "fix issue 12"
is_waiting() { strays | grep -q 'gh issue view'; }
wait_for 60 is_waiting || fail "gh was not started"
bg_signal INT
bg_end
expect_exit 130
expect_sound
expect_contains "$(session_file)" "[Command cancelled]"

# ---- pushing ---------------------------------------------------------------

t "the push fails: a token that may not, a server that hangs up; then it is pushed, and once"
committed
push='"tool_calls": [{"name": "bash", "arguments": {"command": "git push -q -u origin fix/midnight && git ls-remote origin fix/midnight"}}]'
model_script - <<X
{"tool_calls": [{"name": "bash", "arguments": {"command": "GH_TOKEN=$read_only git push -q -u origin fix/midnight"}}]}
{"expect": [{"last_tool_contains": "Write access to repository not granted."}, {"last_tool_contains": "error: 403"}, {"last_tool_contains": "Command exited with code 128"}], $push}
{"expect": {"last_tool_contains": "Empty reply from server"}, $push}
{"expect": {"last_tool_contains": "error: 502"}, $push}
{"expect": [{"last_tool_contains": "refs/heads/fix/midnight"}, {"last_tool_contains": "$(git rev-parse HEAD)"}], "text": "pushed"}
X
# the first push asks twice: without the token, then with it
fault '{"match":{"kind":"git","path":"info/refs"},"after":2,"drop":"before"}' \
    '{"match":{"kind":"git","path":"info/refs"},"after":2,"status":502}'
run kedge -p "push it"
expect_exit 0
expect_out pushed
expect_model_done
expect_sound
expect_faults_hit
forge_log 'method=POST&path=git-receive-pack$' >"$E2E_TMP/run/log"
expect_json "$E2E_TMP/run/log" '#' 1

# ---- the pull request ------------------------------------------------------

t "the pull request cannot be opened, in six ways; the one that was opened unseen is found"
create='"tool_calls": [{"name": "github", "arguments": {"op": "pr_create", "title": "clock: wrap at midnight", "body": "Fixes #12", "head": "fix/midnight"}}]'
model_script - <<X
{$create}
{"expect": {"last_tool_contains": "pull request create failed: HTTP 502"}, $create}
{"expect": {"last_tool_contains": "EOF"}, $create}
{"expect": {"last_tool_contains": "You have exceeded a secondary rate limit"}, $create}
{"expect": {"last_tool_contains": "GraphQL: API rate limit exceeded"}, $create}
{"expect": {"last_tool_contains": "pull request create failed: GraphQL: No commits between main and fix/midnight"}, $create}
{"expect": {"last_tool_contains": "unexpected EOF"}, $create}
{"expect": [{"last_tool_contains": "already exists"}, {"last_tool_contains": "https://github.localhost/harbor/tidepool/pull/14"}], "text": "opened"}
X
fault '{"match":{"op":"PullRequestCreate"},"kind_of":"unicorn"}' \
    '{"match":{"op":"PullRequestCreate"},"drop":"before"}' \
    '{"match":{"op":"PullRequestCreate"},"kind_of":"secondary","retry_after":1}' \
    '{"match":{"op":"PullRequestCreate"},"kind_of":"primary","reset_in":1}' \
    '{"match":{"op":"PullRequestCreate"},"status":200,"body":{"data":{"createPullRequest":null},
        "errors":[{"type":"UNPROCESSABLE","message":"No commits between main and fix/midnight"}]}}' \
    '{"match":{"op":"PullRequestCreate"},"drop":"mid"}'
run kedge -p "open a pull request"
expect_exit 0
expect_out opened
expect_model_done
expect_faults_hit
expect_sound
[ "$(gh pr list --head fix/midnight --json number -q 'length')" = 1 ] || fail "$(gh pr list)"

t "the pull request is opened, but cannot be looked at: its URL is reported all the same"
git switch -q -c fix/other && git commit -q --allow-empty -m other && git push -q -u origin fix/other
fault '{"match":{"op":"PullRequestByNumber"},"times":null,"status":502}'
run kedge github pr_create --title Other --base docs/usage --yes
expect_exit 0
expect_out "# Created Pull Request #15: Other

URL: https://github.localhost/harbor/tidepool/pull/15
Draft: false
Base: docs/usage"

# ---- watching --------------------------------------------------------------

t "a poll that fails in passing is repeated, one that fails for good ends the watch with its reason; the next watches on"
watch='"tool_calls": [{"name": "github", "arguments": {"op": "run_watch", "run": "16045200301"}}]'
model_script - <<X
{$watch}
{"expect": {"last_tool_contains": "GitHub CLI returned invalid JSON output."}, $watch}
{"expect": {"last_tool_contains": "All jobs passed."}, "text": "watched"}
X
fault '{"match":{"path":"actions/runs/[0-9]+$"},"kind_of":"unicorn"}' \
    '{"match":{"path":"actions/runs/[0-9]+$"},"drop":"mid"}' \
    '{"match":{"path":"actions/runs/[0-9]+$"},"status":200,"body":"<html>Sign in to the guest network</html>"}'
run kedge -p "watch the run"
expect_exit 0
expect_out watched
expect_model_done
expect_faults_hit
expect_sound

t "a run that fails: the end of the log to the model, all of it in an artifact that it can read"
git switch -q main
model_script - <<'X'
{"tool_calls": [{"name": "github", "arguments": {"op": "run_watch", "tail": 3}}]}
{"expect": [{"last_tool_contains": "### test [failure]"}, {"last_tool_contains": "around the last error:"}, {"last_tool_contains": "Process completed with exit code 2."}, {"last_tool_contains": "FAIL clock_add(17:48, 372)"}, {"not_contains": "Getting Git version info"}, {"last_tool_contains": "Workflow runs for this commit failed."}, {"last_tool_contains": "Full failed-job logs: artifact://0"}], "tool_calls": [{"name": "read", "arguments": {"path": "artifact://0"}}]}
{"expect": [{"last_tool_contains": "Full log:"}, {"last_tool_contains": "FAIL clock_add(17:48, 372): got 24:00, want 00:00"}], "text": "it failed"}
X
run kedge -p "watch main"
expect_exit 0
expect_out "it failed"
expect_model_done
expect_sound
session=$(session_file)
expect_contains "${session%.jsonl}/0.github.log" "FAIL clock_add(17:48, 372): got 24:00, want 00:00"
[ "$(stat -c %a "${session%.jsonl}/0.github.log")" = 600 ] || fail "the artifact is readable by others"

t "a run that was cancelled, without a log; a log that cannot be fetched"
forge_ctl POST /_forge/run '{"repo":"harbor/tidepool","branch":"docs/usage","workflow":"late",
    "jobs":[{"name":"late","start_ms":0,"end_ms":1,"conclusion":"cancelled","log":null}]}' >"$E2E_TMP/run/run"
run kedge github run_watch --run "$(json "$E2E_TMP/run/run" id)"
expect_exit 1
expect_contains stdout "### late [cancelled]"
expect_contains stdout "Log tail unavailable: gh: "
expect_matches stdout '^The run was cancelled\.$'
fault '{"match":{"kind":"blob"},"times":null,"drop":"before"}' '{"match":{"path":"actions/jobs/[0-9]+/logs"},"times":null,"status":500}'
TMPDIR=$HOME/tmp run kedge github run_watch --run 16045200304
expect_exit 1
expect_contains stdout "### test [failure]"
expect_contains stdout "Log tail unavailable: gh: "

t "a rate limit while watching is waited out (15 s)"
fault '{"match":{"path":"actions/runs/[0-9]+$"},"kind_of":"primary","reset_in":1}'
started=$(date +%s)
run -t 40 kedge github run_watch --run 16045200301
expect_exit 0
expect_contains stdout "All jobs passed."
expect_faults_hit
[ $(($(date +%s) - started)) -ge 15 ] || fail "it waited only $(($(date +%s) - started)) s"

# ---- no login, no gh -------------------------------------------------------

t "gh is not logged in: the model is told what to tell its user"
fault
model_script - <<'X'
{"tool_calls": [{"name": "github", "arguments": {"op": "repo_view"}}]}
{"expect": {"last_tool_contains": "GitHub CLI is not authenticated. Run `gh auth login`."}, "text": "Please log in."}
X
run env -u GH_TOKEN kedge -p "look at the repository"
expect_exit 0
expect_out "Please log in."
expect_model_done
expect_sound

t "no gh on PATH: the tool is not offered, and a call of it is answered"
mkdir "$E2E_TMP/no-gh"
for program in sh bash git env rg tr cat uname; do
    ln -s "$(command -v $program)" "$E2E_TMP/no-gh/$program"
done
model_script - <<'X'
{"tool_calls": [{"name": "github", "arguments": {"op": "repo_view"}}]}
{"expect": {"last_tool_contains": "github"}, "text": "There is no gh."}
X
run env PATH="$E2E_TMP/bin:$E2E_TMP/no-gh" kedge -p "look at the repository"
expect_exit 0
expect_out "There is no gh."
expect_sound
model_journal 0.body.tools >"$E2E_TMP/run/tools"
expect_json "$E2E_TMP/run/tools" "[name=bash].name" bash
expect_not_contains "$E2E_TMP/run/tools" '"name":"github"'
expect_contains "$(session_file)" '"isError":true'

done_testing
