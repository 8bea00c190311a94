#!/bin/sh
# The tools that a workflow task leaves the kedge that is its agent (task-engine §5.7).
. "$(dirname "$0")/lib.sh"
need_kedge

offered() { model_journal 0.body.tools >offered; }
export KEDGE_WM_RUN_ID=fix-1

t "tools that a task turns off are not offered, in any way to run commands"
export WM_TASK_TOOLS='{"bash":false,"edit":false,"github":{"toolsets":["default"]}}'
model_script hello.jsonl
run kedge -p --mode json --no-session --fail-on-error "hi"
expect_exit 0
offered
grep -q '"read"' offered || fail "read is not offered: $(cat offered)"
grep -qE '"name": ?"(bash|eval|recipe|ssh|edit|write)"' offered && fail "offered: $(cat offered)"

t "bash runs the commands of the list, and no others"
export WM_TASK_TOOLS='{"bash":["echo","git status"]}'
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo allowed-it && git status --help >x"}}]}
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo a; touch made"}}], "expect": {"last_tool_contains": "this task allows these commands: echo, git status"}}
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo allow''ed"}}], "expect": {"last_tool_contains": "this task allows these commands"}}
{"text": "Done.", "expect": {"last_tool_contains": "allowed"}}
J
run kedge -p --mode json --no-session --fail-on-error "hi"
expect_exit 0
expect_model_done
[ ! -e made ] || fail "a command ran that is not in the list"
[ ! -e x ] || fail "a redirection was made"

t "wm_emit records what the task may ask for, and says why not"
unset WM_TASK_TOOLS
mkdir -p .wm/tasks
printf -- '---\nsafe-outputs: {add-comment: {max: 1}}\n---\nb\n' >.wm/tasks/fix.md
export WM_REPO_ROOT="$PWD" WM_TASK=fix WM_SAFE_OUTPUT_FILE="$PWD/output.jsonl" WM_ISSUE_NUMBER=7
model_script - <<'J'
{"tool_calls": [{"name": "wm_emit", "arguments": {"type": "add_comment", "body": "Done <b>."}}]}
{"tool_calls": [{"name": "wm_emit", "arguments": {"type": "add_comment", "body": "again"}}], "expect": {"last_tool_contains": "Recorded."}}
{"tool_calls": [{"name": "wm_emit", "arguments": {"type": "create_issue", "title": "t"}}], "expect": {"last_tool_contains": "emit: policy: max 1 for add_comment exceeded"}}
{"text": "Done.", "expect": {"last_tool_contains": "type"}}
J
run kedge -p --mode json --no-session --fail-on-error "hi"
expect_exit 0
expect_model_done
[ "$(model_journal '0.body.tools.[name=wm_emit].input_schema.properties.type.enum.#')" = 4 ] ||
    fail "$(model_journal '0.body.tools.[name=wm_emit]')"
[ "$(cat output.jsonl)" = '{"body":"Done \u003cb\u003e.","target":0,"type":"add_comment"}' ] || fail "$(cat output.jsonl)"

t "without a run the variable is somebody else's"
unset KEDGE_WM_RUN_ID
export WM_TASK_TOOLS='{"bash":false}'
model_script hello.jsonl
run kedge -p "hi"
expect_exit 0
offered
grep -q '"bash"' offered || fail "bash is not offered"
grep -q '"wm_emit"' offered && fail "wm_emit is offered"

done_testing
