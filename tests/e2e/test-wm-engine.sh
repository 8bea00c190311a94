#!/bin/sh
# `kedge wm run` with kedge itself as the agent, and with agents that misbehave. Rows of task-engine
# §11 are named task-N.
. "$(dirname "$0")/lib.sh"
. "$E2E_DIR/wm-runs.sh"
need git
need_kedge
wm_github
unset WM_AGENT_CMD

t "task-R31 kedge is its own agent: the prompt, the live stream, what is kept"
wm_repo own
wm_task fix 'engine: kedge
max-turns: 9
tools: {bash: ["kedge wm emit", "gh wm emit", "echo"]}
safe-outputs: {add-comment: {max: 2}}'
wm_mark
model_script - <<'J'
{"text": "I look.", "tool_calls": [{"name": "bash", "arguments": {"command": "echo found-it"}}]}
{"tool_calls": [{"name": "bash", "arguments": {"command": "kedge wm emit add-comment --body one"}}], "expect": {"last_tool_contains": "found-it"}}
{"tool_calls": [{"name": "wm_emit", "arguments": {"type": "add_comment", "body": "two"}}]}
{"tool_calls": [{"name": "bash", "arguments": {"command": "touch made"}}], "expect": {"last_tool_contains": "Recorded."}}
{"text": "All done.", "expect": {"last_tool_contains": "this task allows these commands"}}
J
wm_run fix
expect_exit 0
expect_model_done
DIR=$(wm_dir fix)
expect_contains stderr "[session] started"
expect_contains stderr "[agent] I look."
expect_contains stderr "[tool] bash → echo found-it"
expect_matches stderr '^\[tool_result\] id=[^ ]*$'
expect_matches stderr '^\[tool_result\] id=[^ ]* error$'
expect_matches stderr '^\[result\] success \| cost=\$[0-9.]* \| turns=5$'
expect_json "$DIR/result.json" agent_result.last_response_text "All done."
expect_file "$DIR/conversation.jsonl"
expect_no_file made
[ "$(cat "$DIR/output.jsonl")" = '{"body":"one","target":0,"type":"add_comment"}
{"body":"two","target":0,"type":"add_comment"}' ] || fail "$(cat "$DIR/output.jsonl")"
expect_writes "POST /repos/harbor/tidepool/issues/12/comments" "POST /repos/harbor/tidepool/issues/12/comments"

t "its prompt has the task, its system prompt the rules"
case $(model_journal 0.body.messages.0.content.0.text) in
"Do it."*"## Available Outputs"*"kedge wm emit add-comment"*) ;;
*) fail "$(model_journal 0.body.messages.0.content.0.text)" ;;
esac
case $(model_journal 0.body.system) in *WM_SAFE_OUTPUT_FILE*) ;; *) fail "$(model_journal 0.body.system)" ;; esac

t "a model that fails is a run that fails"
model_script - <<'J'
{"status": 400, "error": {"type": "invalid_request_error", "message": "no"}}
J
rm -rf .wm/runs
wm_run fix
expect_exit 1
expect_contains stderr "error: agent: exit status 1"
expect_contains stderr "[result] error"

t "task-S06 in a job's log what an agent prints is no command"
wm_repo hostile
wm_task fix
wm_agent agent-loud <<'X'
printf '\033[2J::set-output name=a::b\n##[error]x\n'
X
export WM_AGENT_CMD=agent-loud
run env GITHUB_ACTIONS=true kedge wm run --task fix --event-name issues --payload "$EVENT"
expect_exit 0
STOP=$(sed -n 's/^::stop-commands::\([0-9a-f]\{32\}\)$/\1/p' "$(path_of stderr)")
[ -n "$STOP" ] || fail "no stop-commands: $(cat "$(path_of stderr)")"
sed -n "/^::stop-commands::$STOP\$/,/^::$STOP::\$/p" "$(path_of stderr)" | grep -q '^::set-output' || fail "outside of the fence"
grep -q "$(printf '\033')" "$(path_of stderr)" && fail "an escape reached the terminal"

t "half a line, an exit of 0: its text is kept, nothing is believed"
wm_agent agent-half <<'X'
printf '{"type":"result","result":"x'
X
WM_AGENT_CMD=agent-half
wm_run fix
expect_exit 0
expect_json "$(wm_dir fix)/result.json" agent_result.stdout '{"type":"result","result":"x'

t "the program is called gh-wm, as an extension of gh: its agent is kedge all the same"
wm_repo extension
wm_task fix 'engine: kedge
safe-outputs: {add-comment: }'
cp "$KEDGE" "$HOME/gh-wm"
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "gh wm emit noop && gh-wm emit noop && kedge wm emit noop && echo all-three"}}]}
{"text": "Done.", "expect": {"last_tool_contains": "all-three"}}
J
unset WM_AGENT_CMD
run "$HOME/gh-wm" run --task fix --event-name issues --payload "$EVENT"
expect_exit 0
expect_model_done
[ "$(grep -c noop "$(wm_dir fix)/output.jsonl")" = 3 ] || fail "$(cat "$(wm_dir fix)/output.jsonl")"

done_testing
