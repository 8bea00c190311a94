#!/bin/sh
# What was refused once stays refused, however it is spelled (safety §9.1): the model is told so, and the third time
# ends the run. Nothing reaches the server.
. "$(dirname "$0")/lib.sh"
need_kedge
need_gh
need setsid

forge_start --web https://github.localhost
git config --global url."http://github.localhost/".insteadOf https://github.localhost/
git clone -q http://github.localhost/harbor/tidepool.git tidepool || exit 1
cd tidepool || exit 1
git checkout -q -b topic || exit 1
mkdir -p "$HOME/.kedge/agent"
printf 'gh:\n  knownHosts: [github.localhost]\n  policy: {write: block}\n' >"$HOME/.kedge/agent/config.yml"

# nothing_changed: the server has no such branch, and was asked to change nothing.
nothing_changed() {
    forge_ctl GET "/_forge/refs?repo=harbor/tidepool" >"$E2E_TMP/run/refs"
    expect_not_contains "$E2E_TMP/run/refs" topic
    [ "$(forge_log | grep -c '"method":"\(PUT\|PATCH\|DELETE\)"')" = 0 ] || fail "the server was asked to change something"
}
mkdir -p "$E2E_TMP/run"

t "L03: a refused push is known as sh -c, and as git -C; then the run ends"
model_script - <<'J'
{"tool_calls": [{"name": "github", "arguments": {"op": "pr_push", "branch": "topic"}}]}
{"tool_calls": [{"name": "bash", "arguments": {"command": "sh -c 'git push origin topic'"}}], "expect": {"not_contains": "is final"}}
{"tool_calls": [{"name": "bash", "arguments": {"command": "git -C . push origin HEAD:refs/heads/topic"}}], "expect": {"contains": "[The refusal of this is final: push topic. Another spelling changes nothing"}}
J
run kedge -p "publish it"
expect_exit 6
expect_contains stderr "Stopped: push topic in harbor/tidepool was refused, and tried again 2 times"
expect_model_done
nothing_changed

t "L03: and as a call of the API, in bash and in gh"
model_script - <<'J'
{"tool_calls": [{"name": "gh", "arguments": {"args": ["api", "-X", "POST", "repos/harbor/tidepool/git/refs", "-f", "ref=refs/heads/topic", "-f", "sha=1"]}}]}
{"tool_calls": [{"name": "bash", "arguments": {"command": "git push origin topic"}}], "expect": {"not_contains": "is final"}}
{"text": "I leave it", "expect": {"contains": "is final: push topic"}}
J
run kedge -p "publish it"
expect_exit 0
expect_out "I leave it"
expect_model_done
nothing_changed

t "another branch is another action, and what the shell does besides is not touched"
model_script - <<'J'
{"tool_calls": [{"name": "github", "arguments": {"op": "pr_push", "branch": "topic"}}]}
{"tool_calls": [{"name": "bash", "arguments": {"command": "git push --dry-run origin topic:other 2>&1; git push origin topic:elsewhere 2>&1 | head -n 1; echo ran"}}]}
{"text": "done", "expect": [{"contains": "ran"}, {"not_contains": "is final"}]}
J
run kedge -p "publish it"
expect_exit 0
expect_model_done

t "what is refused twice in one answer was not tried again"
model_script - <<'J'
{"tool_calls": [{"name": "github", "arguments": {"op": "pr_push", "branch": "topic"}}, {"name": "bash", "arguments": {"command": "echo ran"}}, {"name": "github", "arguments": {"op": "pr_push", "branch": "topic"}}]}
{"text": "done", "expect": [{"contains": "ran"}, {"not_contains": "is final"}]}
J
run kedge -p "publish it"
expect_exit 0
expect_model_done

done_testing
