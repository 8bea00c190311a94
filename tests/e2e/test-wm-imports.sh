#!/bin/sh
# `imports:` of a task (task-engine §10.13), as every command of `kedge wm` sees it.
. "$(dirname "$0")/lib.sh"
. "$E2E_DIR/wm-runs.sh"
need git
need_kedge
wm_github
wm_agent agent-emits <<'X'
printf '%s\n' '{"type":"add_comment","body":"Done."}' >"$WM_SAFE_OUTPUT_FILE"
printf '%s\n' "$WM_TASK_TOOLS" >"$HOME/tools-seen"
X
export WM_AGENT_CMD=agent-emits

# shared_part: what the tasks below import.
shared_part() {
    mkdir -p .wm/tasks/shared
    cat >.wm/tasks/shared/house.md <<'X'
---
tools: {bash: [make], edit: false}
safe-outputs: {add-comment: {max: 1}, add-labels: [bug]}
---
Write plainly.
X
}

t "run: the prompt begins with the imported body; its tools and outputs hold"
wm_repo whole
shared_part
wm_task fix 'on: {issues: {types: [labeled]}, roles: all}
imports: [shared/house.md]
tools: {edit: true}'
wm_mark
wm_run fix
expect_exit 0
DIR=$(wm_dir fix)
expect_contains "$DIR/prompt.md" "Write plainly.

Do it."
expect_contains "$DIR/prompt.md" "kedge wm emit add-comment"
expect_file "$HOME/tools-seen" '{"bash":["make"],"edit":true}'
expect_writes "POST /repos/harbor/tidepool/issues/12/comments"

t "the outputs job: the policy of the trusted copy, imports included"
rm -rf .wm/runs "$HOME/policy"
wm_run fix --agent-only
expect_exit 0
mkdir "$HOME/policy" && cp -R .wm "$HOME/policy/.wm" && rm -rf "$HOME/policy/.wm/runs"
printf -- '---\nsafe-outputs: {}\n---\n' >.wm/tasks/shared/house.md # as an agent may
wm_mark
run kedge wm process-outputs --task fix --policy-root "$HOME/policy" --event-name issues --payload "$EVENT"
expect_exit 0
expect_writes "POST /repos/harbor/tidepool/issues/12/comments"
git checkout -q .wm

t "resolve, list, validate and compile take the task; the shared file is none"
run kedge wm resolve --event-name issues --payload "$EVENT"
expect_exit 0
[ "$(cat "$(path_of stdout)")" = '["fix"]' ] || fail "resolved: $(cat "$(path_of stdout)")"
run kedge wm list --json
expect_exit 0
expect_not_contains stdout house
run kedge wm validate
expect_exit 0
expect_not_contains stderr imports
run kedge wm compile
expect_exit 0

t "what is missing is an error of each of them, with file, line and path"
rm .wm/tasks/shared/house.md
wm_commit
for command in "resolve --event-name issues --payload $EVENT" validate compile \
    "run --task fix --event-name issues --payload $EVENT" "rehearse fix --issue 12"; do
    # shellcheck disable=SC2086
    run kedge wm $command
    expect_exit 1
    expect_contains stderr 'fix.md: line 3: imports "shared/house.md": no such file: .wm/tasks/shared/house.md'
done

t "another task goes on without it"
wm_task other 'safe-outputs: {add-comment: {}}'
wm_run other
expect_exit 0

t "add, update: a task whose imports are not here is not written"
wm_repo added
mkdir -p "$HOME/from"
printf -- '---\non: issues\nimports: [shared/house.md]\n---\nDo.\n' >"$HOME/from/new.md"
run kedge wm add "$HOME/from/new.md"
expect_exit 1
expect_contains stderr 'new.md: line 3: imports "shared/house.md": no such file: .wm/tasks/shared/house.md'
expect_no_file .wm/tasks/new.md
shared_part
run kedge wm add "$HOME/from/new.md"
expect_exit 0
expect_file .wm/tasks/new.md

t "add: what is beside a file comes along"
mkdir -p "$HOME/from/shared" && echo 'From there.' >"$HOME/from/shared/house.md"
ln -sf /etc/hostname "$HOME/from/shared/link.md"
printf -- '---\non: issues\nimports: [shared/house.md]\n---\n{{#import? shared/link.md}}Do.\n' >"$HOME/from/along.md"
rm -r .wm/tasks/shared .wm/tasks/new.md
run kedge wm add "$HOME/from/along.md"
expect_exit 0
expect_file .wm/tasks/shared/house.md 'From there.'
expect_no_file .wm/tasks/shared/link.md
run kedge wm rehearse along --issue 12 --json # nothing of it is committed
expect_exit 0
expect_contains stdout '"success": true'
shared_part
run kedge wm add "$HOME/from/new.md"
expect_contains stderr "kept existing .wm/tasks/shared/house.md"

t "rehearse: as the run would be"
wm_commit
run kedge wm rehearse new --issue 12 --json
expect_exit 0
expect_contains stdout add_comment

done_testing
