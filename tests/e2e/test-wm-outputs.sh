#!/bin/sh
# `kedge wm run --agent-only` and `kedge wm process-outputs`: what is applied, what is believed, and what
# is refused. Rows of task-engine §11 are named task-N.
. "$(dirname "$0")/lib.sh"
. "$E2E_DIR/wm-runs.sh"
need git
need_kedge
wm_github
wm_agent agent-emits <<'X'
[ ! -e "$HOME/items" ] || cat "$HOME/items" >"$WM_SAFE_OUTPUT_FILE"
git commit -q --allow-empty -m work
X
export WM_AGENT_CMD=agent-emits

outputs() { run kedge wm process-outputs --event-name issues --payload "$EVENT" "$@"; }
# items LINE…: what the agent asks for.
items() { printf '%s\n' "$@" >"$HOME/items"; }
# agent_only TASK: a run that leaves its outputs to others.
agent_only() {
    rm -rf .wm/runs
    wm_run "$@" --agent-only
}

t "wrong usage: exit 2"
wm_repo plain
wm_task x 'safe-outputs: {add-comment: {max: 5}, messages: {run-success: "good", run-failure: "bad {status}"}}'
run kedge wm process-outputs
expect_exit 2
expect_contains stderr "error: wm process-outputs: required flag: --run-dir or --task"
run kedge wm process-outputs --task x --run-dir .
expect_exit 2
expect_contains stderr "error: wm process-outputs: specify either --run-dir or --task, not both"

t "task-R14 --agent-only stops after validation; process-outputs applies, once"
items '{"type":"add_comment","body":" Done. "}'
wm_mark
agent_only x
expect_exit 0
expect_no_writes
DIR=$(wm_dir x)
expect_json "$DIR/result.json" phase validation
expect_json "$DIR/result.json" success true
expect_json "$DIR/meta.json" phase validation
expect_json "$DIR/meta.json" success true
outputs --task x
expect_exit 0
expect_empty stdout
expect_contains stderr "wm process-outputs: run_dir=$PWD/$DIR repo=$PWD"
expect_matches stderr '^wm process-outputs: run_dir=.* duration=[0-9hm.]*s exit_code=0 success=true phase=safe-outputs$'
expect_writes "POST /repos/harbor/tidepool/issues/12/comments" "POST /repos/harbor/tidepool/issues/12/comments"
[ "$(wm_body)" = '{"body":"good\n\n<!-- wm-agent:x -->"}' ] || fail "body: $(wm_body)"
expect_json "$DIR/result.json" phase safe-outputs
expect_json "$DIR/result.json" outputs.0.kind add_comment
expect_json "$DIR/result.json" outputs.0.status applied
expect_json "$DIR/result.json" agent_result.success true
expect_json "$DIR/meta.json" phase conclusion
expect_json "$DIR/run.json" task_name x
wm_mark
outputs --task x
expect_exit 1
expect_contains stderr "error: process-outputs: outputs of this run were already applied"
outputs --run-dir "$DIR"
expect_exit 1
expect_no_writes

t "a run that is not agent-only applies at once"
rm -rf .wm/runs
wm_mark
wm_run x
expect_exit 0
expect_contains stderr "wm run: safe-outputs: applying allowed GitHub actions from output.jsonl"
expect_writes "POST /repos/harbor/tidepool/issues/12/comments" "POST /repos/harbor/tidepool/issues/12/comments"
expect_json "$(wm_dir x)/result.json" outputs.0.status applied

t "task-O36 what fails in the middle: later it goes on where it was"
items '{"type":"add_comment","body":"one"}' '{"type":"add_comment","body":"two"}' '{"type":"add_comment","body":"three"}'
agent_only x
forge_ctl POST /_forge/faults '{"match":{"method":"POST","path":"issues/12/comments$"},"after":1,"times":null,"status":403,"body":{"message":"Resource not accessible by integration"}}' >/dev/null
wm_mark
outputs --task x
expect_exit 1
expect_matches stderr "^error: add_comment: GitHub API POST /repos/harbor/tidepool/issues/12/comments: HTTP 403: Resource not accessible by integration"
expect_json "$(wm_dir x)/result.json" success false
expect_json "$(wm_dir x)/result.json" phase safe-outputs
forge_ctl DELETE /_forge/faults >/dev/null
wm_mark
outputs --task x
expect_exit 0
expect_writes "POST /repos/harbor/tidepool/issues/12/comments" "POST /repos/harbor/tidepool/issues/12/comments" "POST /repos/harbor/tidepool/issues/12/comments"
forge_log "since=$_mark" >"$HOME/log"
expect_not_contains "$HOME/log" '"one'
expect_json "$(wm_dir x)/result.json" success true

t "task-R15 after an agent that failed nothing is applied"
wm_agent agent-fails <<'X'
echo '{"type":"add_comment","body":"x"}' >"$WM_SAFE_OUTPUT_FILE"
exit 1
X
wm_task silent 'safe-outputs: {add-comment: }'
rm -rf .wm/runs
run env WM_AGENT_CMD=agent-fails kedge wm run --task silent --agent-only --event-name issues --payload "$EVENT"
expect_exit 1
wm_mark
outputs --task silent
expect_exit 1
expect_contains stderr "error: process-outputs: refusing to apply outputs: result.json success is false"
expect_no_writes

t "a failure in a job that may not write is told once, by the job that may"
rm -rf .wm/runs
run env GH_TOKEN="github_pat_ForgeReadOnly000000000_00000000000000000000000000000000000000000000000000000000004" \
    WM_AGENT_CMD=agent-fails kedge wm run --task x --agent-only --event-name issues --payload "$EVENT"
expect_exit 1
wm_mark
outputs --task x
expect_exit 1
expect_contains stderr "refusing to apply outputs: result.json success is false"
expect_writes "POST /repos/harbor/tidepool/issues/12/comments"
[ "$(wm_body)" = '{"body":"bad failed (agent: exit status 1)\n\n<!-- wm-agent:x -->"}' ] || fail "body: $(wm_body)"
wm_mark
outputs --task x
expect_exit 1
expect_no_writes
rm -rf .wm/runs
run env WM_AGENT_CMD=agent-fails kedge wm run --task x --agent-only --event-name issues --payload "$EVENT"
wm_mark
outputs --task x
expect_no_writes # the run itself has told

t "staged: a plan, and nothing on GitHub; the real thing comes after"
items '{"type":"add_comment","body":"Done."}'
agent_only x
wm_mark
: >"$HOME/summary"
run env GITHUB_STEP_SUMMARY="$HOME/summary" kedge wm process-outputs --task x --staged --event-name issues --payload "$EVENT"
expect_exit 0
expect_no_writes
expect_json "$(wm_dir x)/plan.json" task x
expect_json "$(wm_dir x)/plan.json" staged true
expect_json "$(wm_dir x)/plan.json" items.0.kind add_comment
expect_json "$(wm_dir x)/plan.json" items.0.path /repos/harbor/tidepool/issues/12/comments
expect_contains "$HOME/summary" "## kedge wm · staged outputs of task \`x\`"
expect_contains "$HOME/summary" "Staged: 1 item(s). Nothing was written to GitHub."
: >"$HOME/summary"
run env GITHUB_STEP_SUMMARY="$HOME/summary" kedge wm process-outputs --task x --event-name issues --payload "$EVENT"
expect_exit 0
expect_writes "POST /repos/harbor/tidepool/issues/12/comments" "POST /repos/harbor/tidepool/issues/12/comments"
expect_contains "$HOME/summary" "## kedge wm · outputs of task \`x\`"
expect_matches "$HOME/summary" '^- `add_comment`: applied → <http'

t "what cannot be a run"
rm -rf .wm/runs
outputs --task x
expect_exit 1
expect_contains stderr "error: find run dir: missing $PWD/.wm/runs"
mkdir -p .wm/runs
outputs --task x
expect_contains stderr "error: find run dir: no run for task \"x\" under $PWD/.wm/runs"
outputs --run-dir none
expect_contains stderr "error: process-outputs: run directory: "
outputs --run-dir .wm/tasks/x.md
expect_contains stderr "error: process-outputs: not a directory: "
mkdir .wm/runs/r
outputs --run-dir .wm/runs/r
expect_contains stderr "error: process-outputs: read meta.json: "
echo '{' >.wm/runs/r/meta.json
outputs --run-dir .wm/runs/r
expect_contains stderr "error: process-outputs: parse meta.json: "
echo '{}' >.wm/runs/r/meta.json
outputs --run-dir .wm/runs/r
expect_contains stderr "error: process-outputs: empty task_name in meta.json"
echo '{"task_name":"nobody"}' >.wm/runs/r/meta.json
outputs --run-dir .wm/runs/r
expect_contains stderr "error: process-outputs: task not found: nobody"
echo '{"task_name":"x"}' >.wm/runs/r/meta.json
outputs --run-dir .wm/runs/r
expect_contains stderr "error: process-outputs: missing result.json (expected after kedge wm run --agent-only)"
echo '{"success":true}' >.wm/runs/r/result.json
outputs --run-dir .wm/runs/r
expect_contains stderr "error: process-outputs: result.json has no agent_result snapshot"
echo '{"success":false,"agent_result":{"success":true}}' >.wm/runs/r/result.json
outputs --run-dir .wm/runs/r
expect_contains stderr "error: process-outputs: refusing to apply outputs: result.json success is false"
echo '{"agent_result":{"success":false}}' >.wm/runs/r/result.json
outputs --run-dir .wm/runs/r
expect_exit 1
expect_contains stderr "error: process-outputs: refusing to apply outputs: agent_result.success is false"

t "a run directory that is a link, or in one"
items '{"type":"add_comment","body":"x"}'
agent_only x
DIR=$(wm_dir x)
ln -s "$(basename "$DIR")" .wm/runs/link
wm_mark
outputs --run-dir .wm/runs/link
expect_exit 1
expect_contains stderr "error: process-outputs: not a directory: "
mv .wm/runs "$HOME/moved" && ln -s "$HOME/moved" .wm/runs
outputs --task x
expect_exit 1
expect_contains stderr "leads out of the repository"
expect_no_writes
rm .wm/runs && mv "$HOME/moved" .wm/runs && rm .wm/runs/link

t "task-S05 output.jsonl, result.json, meta.json as links"
echo '{"type":"add_comment","body":"not mine"}' >"$HOME/elsewhere"
rm "$DIR/output.jsonl" && ln -s "$HOME/elsewhere" "$DIR/output.jsonl"
outputs --task x
expect_exit 1
for NAME in result meta; do
    agent_only x
    DIR=$(wm_dir x)
    mv "$DIR/$NAME.json" "$HOME/$NAME.json" && ln -s "$HOME/$NAME.json" "$DIR/$NAME.json"
    outputs --run-dir "$DIR"
    expect_exit 1
    expect_contains stderr "$NAME.json: a symbolic link"
done
# the failure of the first one is told, nothing else
[ "$(wm_writes "$_mark" | wc -l)" -le 1 ] || fail "GitHub got: $(wm_writes "$_mark")"

t "task-S03 paths in result.json count for nothing"
items '{"type":"add_comment","body":"mine"}'
agent_only x
DIR=$(wm_dir x)
sed -i "s|\"safe_output_file_path\": \"[^\"]*\"|\"safe_output_file_path\": \"$HOME/elsewhere\"|; s|\"agent_stdout_path\": \"[^\"]*\"|\"agent_stdout_path\": \"/etc/passwd\"|" "$DIR/result.json"
expect_contains "$DIR/result.json" "$HOME/elsewhere"
wm_mark
outputs --task x
expect_exit 0
forge_log "since=$_mark" >"$HOME/log"
expect_contains "$HOME/log" "mine"
expect_not_contains "$HOME/log" "not mine"
expect_json "$DIR/result.json" agent_result.safe_output_file_path "$PWD/$DIR/output.jsonl"
expect_json "$DIR/result.json" agent_result.agent_stdout_path "$PWD/$DIR/agent-stdout.log"

t "a result that cannot be written: nobody could apply the outputs, so the run has failed"
wm_agent agent-blocks <<'X'
mkdir "$KEDGE_WM_RUN_DIR/result.json"
X
rm -rf .wm/runs
run env WM_AGENT_CMD=agent-blocks kedge wm run --task x --agent-only --event-name issues --payload "$EVENT"
expect_exit 1
expect_matches stderr '^error: write run result: cannot write .*/result.json: Is a directory$'
[ -z "$(find .wm/runs -name '*.tmp')" ] || fail "temporary files stay"

t "a directory of the run that the agent has exchanged for a link"
wm_agent agent-moves <<'X'
mv "$KEDGE_WM_RUN_DIR" "$HOME/taken" && ln -s "$HOME/taken" "$KEDGE_WM_RUN_DIR"
X
rm -rf .wm/runs
run env WM_AGENT_CMD=agent-moves kedge wm run --task x --event-name issues --payload "$EVENT"
expect_exit 1
expect_contains stderr "failure phase: validation"
expect_no_file "$HOME/taken/result.json"

t "a bad file beside the task is a warning"
printf 'no frontmatter\n' >.wm/tasks/bad.md
agent_only x --allow-dirty
expect_exit 0
expect_matches stderr '^wm: .*bad.md: missing opening ---'
rm .wm/tasks/bad.md

# ---- the outputs job -------------------------------------------------------

# in_ci FLAG…: process-outputs as in the outputs job; the server is a directory with repositories.
in_ci() {
    run env GITHUB_ACTIONS=true GITHUB_SERVER_URL="file://$HOME/server" kedge wm process-outputs \
        --event-name issues --payload "$EVENT" --task x "$@"
}
policy_copy() { rm -rf "$HOME/policy" && mkdir "$HOME/policy" && cp -R .wm "$HOME/policy/.wm"; }

t "task-S02 a policy that the agent has rewritten"
policy_copy
wm_agent agent-greedy <<'X'
sed -i 's/add-comment: {max: 5}/add-comment: {max: 5}, create-issue: {}/' .wm/tasks/x.md
printf '%s\n' '{"type":"create_issue","title":"t"}' '{"type":"add_comment","body":"c"}' >"$WM_SAFE_OUTPUT_FILE"
X
rm -rf .wm/runs
run env WM_AGENT_CMD=agent-greedy kedge wm run --task x --agent-only --event-name issues --payload "$EVENT"
expect_exit 0
wm_mark
in_ci --policy-root "$HOME/policy"
expect_exit 0
expect_not_contains stderr "use --policy-root"
wm_writes "$_mark" >"$HOME/writes"
expect_contains "$HOME/writes" "POST /repos/harbor/tidepool/issues/12/comments"
expect_lines "$HOME/writes" 2
expect_json "$(wm_dir x)/result.json" outputs.0.status skipped
git checkout -q .wm/tasks/x.md

t "without a copy of the policy the job is warned"
items '{"type":"add_comment","body":"x"}'
agent_only x
in_ci
expect_exit 0
expect_contains stderr "warning: policy is read from the agent's workspace; use --policy-root"

t "task-S04 a .git of the agent's runs nothing, and pushes where it should"
mkdir -p "$HOME/server/harbor" && git init -q --bare -b main "$HOME/server/harbor/tidepool.git"
git init -q --bare "$HOME/evil.git"
wm_task x 'safe-outputs: {create-pull-request: }'
git push -q "$HOME/server/harbor/tidepool.git" HEAD:main
policy_copy
wm_agent agent-evil <<'X'
git commit -q --allow-empty -m work
echo '{"type":"create_pull_request","title":"T"}' >"$WM_SAFE_OUTPUT_FILE"
printf '#!/bin/sh\n: >"%s/ran"\n' "$HOME" >.git/hooks/pre-push && chmod +x .git/hooks/pre-push
cp .git/hooks/pre-push .git/hooks/post-checkout
git config core.sshCommand "touch $HOME/ran" && git config core.fsmonitor "touch $HOME/ran"
git config "url.file://$HOME/evil.git.insteadOf" "file://$HOME/server/harbor/tidepool.git"
git config remote.origin.url "$HOME/evil.git"
X
rm -rf .wm/runs
run env WM_AGENT_CMD=agent-evil kedge wm run --task x --agent-only --event-name issues --payload "$EVENT"
expect_exit 0
BRANCH=$(git symbolic-ref --short HEAD)
rm -f "$HOME/ran"
in_ci --policy-root "$HOME/policy"
expect_no_file "$HOME/ran"
git -C "$HOME/server/harbor/tidepool.git" show-ref -q --verify "refs/heads/$BRANCH" || fail "nothing was pushed to the server"
[ -z "$(git -C "$HOME/evil.git" for-each-ref)" ] || fail "the agent's remote was pushed to"

t "no rollback by a file of the agent's in the outputs job"
[ "$(git symbolic-ref --short HEAD)" = "$BRANCH" ] || fail "on $(git symbolic-ref --short HEAD)"

t "a run that is refused leaves no .git of the agent's either"
rm -rf .wm/runs .git/hooks && git config core.fsmonitor "touch $HOME/ran" && mkdir .git/hooks
run env WM_AGENT_CMD=agent-fails kedge wm run --task x --agent-only --allow-dirty --event-name issues --payload "$EVENT"
in_ci --policy-root "$HOME/policy"
expect_contains stderr "refusing to apply outputs"
expect_no_file .git/hooks
expect_not_contains .git/config fsmonitor
rm -rf .wm/runs && git config core.fsmonitor "touch $HOME/ran"
in_ci --policy-root "$HOME/policy"
expect_contains stderr "find run dir: missing"
expect_not_contains .git/config fsmonitor
rm -f "$HOME/ran"

t "without GITHUB_REPOSITORY nobody knows where to push: refused before git runs"
rm -rf .wm/runs && git init -q . && git config core.fsmonitor "touch $HOME/ran"
items '{"type":"create_pull_request","title":"T"}'
agent_only x --allow-dirty
rm -f "$HOME/ran"
run env -u GITHUB_REPOSITORY GITHUB_ACTIONS=true kedge wm process-outputs --task x --policy-root "$HOME/policy" --payload "$EVENT"
expect_exit 1
expect_contains stderr "GITHUB_REPOSITORY is not set"
expect_no_file "$HOME/ran"

t "a key that an agent wrote past emit: found where it is known, as no job that applies outputs has it"
wm_repo keys
wm_task x 'safe-outputs: {add-comment: }'
KEY=KEDGE-own-key-0123456789abcdef
for ITEM in '{"type":"add_comment","body":"see KEY"}' '{"items":[{"type":"noop","message":"KEY"}]}'; do
    items "$(printf '%s' "$ITEM" | sed "s/KEY/$KEY/")"
    rm -rf .wm/runs
    run env KEDGE_API_KEY="$KEY" kedge wm run --task x --agent-only --event-name issues --payload "$EVENT"
    expect_exit 1
    expect_matches stderr '^error: (add_comment|noop): text contains a secret$'
    expect_json "$(wm_dir x)/result.json" phase validation
    wm_mark
    outputs --task x
    expect_exit 1
    expect_contains stderr "refusing to apply outputs: result.json success is false"
    expect_no_writes
done

t "a key that an agent committed is not pushed, whichever job would, and though a later commit takes it away"
wm_repo keycommits
wm_task x 'safe-outputs: {create-pull-request: }'
KEY=KEDGE-own-key-0123456789abcdef
cat >"$HOME/committer" <<'X'
#!/bin/sh
git config user.name A; git config user.email a@example.org
case $1 in
binary) printf '\000%s\n' "$KEDGE_API_KEY" >log ;;
message) echo x >log; set -- "$1" "$KEDGE_API_KEY" ;;
*) env >log ;;
esac
git add log && git commit -qm "${2:-More}"
[ "$1" = clean ] && git rm -q log && git commit -qm Less
[ "$1" = none ] && git reset -q --hard HEAD~1
echo '{"type":"create_pull_request","title":"T","body":"B"}' >>"$WM_SAFE_OUTPUT_FILE"
X
chmod +x "$HOME/committer"
for HOW in env clean binary message; do
    for JOB in --agent-only --staged; do
        git checkout -q main
        rm -rf .wm/runs
        run env KEDGE_API_KEY="$KEY" WM_AGENT_CMD="$HOME/committer $HOW" kedge wm run --task x $JOB --event-name issues --payload "$EVENT"
        expect_exit 1
        expect_contains stderr "a commit contains a secret"
        expect_json "$(wm_dir x)/result.json" phase validation
    done
done
git checkout -q main
rm -rf .wm/runs
run env KEDGE_API_KEY="$KEY" WM_AGENT_CMD="$HOME/committer none" kedge wm run --task x --agent-only --event-name issues --payload "$EVENT"
expect_exit 0

# ---- here ------------------------------------------------------------------

t "outputs that failed here: the next attempt is on the branch of the run"
wm_repo here
git clone -q --bare . "$HOME/server/here.git" && git remote add origin "$HOME/server/here.git" && git fetch -q
wm_task x 'safe-outputs: {create-pull-request: }'
items '{"type":"create_pull_request","title":"T"}'
git push -q origin HEAD:main && git fetch -q && mv "$HOME/server/here.git" "$HOME/server/away.git"
rm -rf .wm/runs
wm_run x
expect_exit 1
expect_contains stderr "failure phase: safe-outputs (post-agent)"
[ "$(git symbolic-ref --short HEAD)" = main ] || fail "not back on main"
mv "$HOME/server/away.git" "$HOME/server/here.git"
outputs --task x
expect_contains stderr "wm process-outputs: worktree $HOME/.kedge/wt/wm/x-"
git -C "$HOME/server/here.git" for-each-ref --format='%(refname)' >"$HOME/refs"
expect_contains "$HOME/refs" "refs/heads/wm/x-"

t "kill -9 while outputs are applied: the next attempt goes on, and nothing is there twice"
wm_repo killed
wm_task x 'safe-outputs: {add-comment: {max: 3}}'
items '{"type":"add_comment","body":"killed one"}' '{"type":"add_comment","body":"killed two"}' '{"type":"add_comment","body":"killed three"}'
forge_ctl POST /_forge/faults '{"match":{"method":"POST","path":"issues/12/comments$"},"after":1,"times":1,"delay_ms":60000}' >/dev/null
wm_mark
has_written() { [ "$(wm_writes "$_mark" | wc -l)" -ge 1 ] && grep -qs '"item": *1' "$(wm_dir x)/applied.jsonl"; }
bg kedge wm run --task x --event-name issues --payload "$EVENT"
wait_for 60 has_written || fail "nothing was written: $(cat "$(wm_dir x)/applied.jsonl")"
bg_signal KILL
bg_end
expect_json "$(wm_dir x)/meta.json" phase safe-outputs
expect_json "$(wm_dir x)/meta.json" success false
expect_json "$(wm_dir x)/result.json" phase validation
forge_ctl DELETE /_forge/faults >/dev/null
outputs --task x
expect_exit 0
expect_json "$(wm_dir x)/result.json" phase safe-outputs
_curl -H "Authorization: Bearer $GH_TOKEN" "$FORGE_URL/repos/harbor/tidepool/issues/12/comments?per_page=100" >"$HOME/comments"
for WORD in one two three; do
    COUNT=$(grep -o "killed $WORD" "$HOME/comments" | wc -l)
    [ "$COUNT" = 1 ] || fail "killed $WORD: $COUNT times"
done

t "two that apply the outputs of one run at once: one of them does"
agent_only x
forge_ctl POST /_forge/faults '{"match":{"method":"POST","path":"issues/12/comments$"},"times":1,"delay_ms":2000}' >/dev/null
wm_mark
kedge wm process-outputs --task x --event-name issues --payload "$EVENT" >/dev/null 2>"$HOME/first" &
FIRST=$!
outputs --task x
wait $FIRST
cat "$HOME/first" "$(path_of stderr)" >"$HOME/both"
expect_matches "$HOME/both" 'another process applies the outputs of this run|outputs of this run were already applied'
[ "$(wm_writes "$_mark" | wc -l)" = 3 ] || fail "GitHub got: $(wm_writes "$_mark")"

t "Ctrl-C while GitHub does not answer: 130, and what was done is known"
wm_repo slow
wm_task x 'safe-outputs: {add-comment: {max: 2}}'
items '{"type":"add_comment","body":"one"}' '{"type":"add_comment","body":"two"}'
agent_only x
wm_mark
forge_ctl POST /_forge/faults '{"match":{"method":"POST","path":"issues/12/comments$"},"after":1,"times":null,"delay_ms":30000}' >/dev/null
is_one() { [ "$(wm_writes "$_mark" | wc -l)" -ge 1 ] && [ -s "$(wm_dir x)/applied.jsonl" ]; }
bg kedge wm process-outputs --task x --event-name issues --payload "$EVENT"
wait_for 60 is_one || fail "the first comment did not come"
bg_signal INT
bg_end
expect_exit 130
expect_contains stderr "error: interrupted by signal"
expect_json "$(wm_dir x)/result.json" success false
expect_json "$(wm_dir x)/result.json" errors.0 "interrupted by signal"
forge_ctl DELETE /_forge/faults >/dev/null
expect_no_strays
done_testing
