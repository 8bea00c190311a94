#!/bin/sh
# What `kedge wm process-outputs` does on GitHub (task-engine §6): writes of every kind, each of them once, whoever is
# killed in between.
. "$(dirname "$0")/lib.sh"
. "$E2E_DIR/wm-runs.sh"
need git
need_kedge
wm_github
wm_agent agent-emits <<'AGENT'
cat "$HOME/items" >"$WM_SAFE_OUTPUT_FILE"
[ ! -e "$HOME/commit" ] || sh "$HOME/commit"
AGENT
export WM_AGENT_CMD=agent-emits

# outputs_of POLICY ITEM…: a run of task x whose agent asks for these; nothing is applied yet.
outputs_of() {
    _policy=$1
    shift
    printf '%s\n' "$@" >"$HOME/items"
    wm_task x "safe-outputs: {$_policy}"
    rm -rf .wm/runs
    wm_run x --agent-only --in-place
    expect_exit 0
    wm_mark
}
outputs() { run kedge wm process-outputs --task x --event-name issues --payload "$EVENT" "$@"; }
# ask PATH: GitHub's answer.
ask() { _curl -H "Authorization: Bearer $GH_TOKEN" "$FORGE_URL/repos/harbor/tidepool$1"; }
# comments TEXT: how many comments of issue 12 begin so.
comments() { ask "/issues/12/comments?per_page=100" | grep -o "\"body\": *\"$1" | wc -l; }
is_there() { [ "$(comments "$1")" -ge 1 ]; }

t "an issue, its labels, a comment that names it by its temporary id, text appended, and closed"
wm_repo kinds
outputs_of 'create-issue: {title-prefix: "[bot] "}, add-labels: , remove-labels: , add-comment: , update-issue: , close-issue: ' \
    '{"type":"create_issue","title":"T","body":"B","labels":["fresh"],"temporary_id":"tmp_1"}' \
    '{"type":"add_labels","labels":["fresh","other"],"target":"tmp_1"}' \
    '{"type":"remove_labels","labels":["fresh","never there"],"target":"tmp_1"}' \
    '{"type":"add_comment","body":"see #tmp_1"}' \
    '{"type":"update_issue","body":"more","operation":"append","target":"tmp_1"}' \
    '{"type":"close_issue","comment":"bye","state_reason":"not planned","target":"tmp_1"}'
outputs
expect_exit 0
NUMBER=$(wm_writes "$_mark" | sed -n 's#^PATCH /repos/harbor/tidepool/issues/##p' | head -n 1)
expect_json "$(wm_dir x)/result.json" outputs.0.number "$NUMBER"
ask "/issues/$NUMBER" >"$HOME/issue"
expect_json "$HOME/issue" title "[bot] T"
expect_json "$HOME/issue" state closed
expect_json "$HOME/issue" state_reason not_planned
expect_json "$HOME/issue" labels.0.name other
[ "$(comments "see #$NUMBER")" = 1 ] || fail "no comment names the issue"

t "a pull request: pushed over http with the token, opened with label and reviewer"
wm_repo pull
git remote add origin "$FORGE_URL/harbor/tidepool.git"
git fetch -q origin && git checkout -q -B main origin/main
mkdir -p .wm/tasks && echo runs/ >.wm/.gitignore && wm_commit tasks
echo 'echo new >new.c && git add new.c && git commit -q -m new' >"$HOME/commit"
outputs_of 'create-pull-request: {draft: true, labels: [agent], reviewers: [okoro], protected-files: {policy: blocked, exclude: [".wm/**"]}}' \
    '{"type":"create_pull_request","title":"T","body":"B"}'
rm "$HOME/commit"
mkdir -p "$HOME/policy" && cp -R .wm "$HOME/policy/.wm"
run env GITHUB_ACTIONS=true GITHUB_SERVER_URL="$FORGE_URL" kedge wm process-outputs --task x --policy-root "$HOME/policy" \
    --event-name issues --payload "$EVENT"
expect_exit 0
expect_matches stderr '^wm process-outputs: safe-outputs: create_pull_request → http'
BRANCH=$(git symbolic-ref --short HEAD)
NUMBER=$(wm_writes "$_mark" | sed -n 's#^POST /repos/harbor/tidepool/pulls/\([0-9]*\)/requested_reviewers$#\1#p')
ask "/pulls/$NUMBER" >"$HOME/pull"
expect_json "$HOME/pull" head.ref "$BRANCH"
expect_json "$HOME/pull" head.sha "$(git rev-parse HEAD)"
expect_json "$HOME/pull" draft true
expect_json "$HOME/pull" labels.0.name agent
expect_not_contains "$(wm_dir x)/applied.jsonl" "$GH_TOKEN"

t "runs after one another, beside one another and staged: a pull request each, the checkout where it was, nothing left"
git config --global "credential.$FORGE_URL.helper" '!f() { echo username=x-access-token; echo "password=$GH_TOKEN"; }; f'
git checkout -q main
cat >"$HOME/commit" <<'X'
echo $$ >"new-$$.c" && git add . && git commit -q -m "$$"
git rev-parse HEAD >>"$HOME/commits"
X
wm_task y 'safe-outputs: {create-pull-request: }'
WAS="$(git symbolic-ref HEAD) $(git rev-parse HEAD)"
printf '%s\n' '{"type":"create_pull_request","title":"T","body":"B"}' >"$HOME/items"
for I in 1 2; do
    wm_run y
    expect_exit 0
    expect_matches stderr '^wm run: safe-outputs: create_pull_request → http'
done
RUNS=
for TASK in x y y; do
    kedge wm run $TASK --event-name issues --payload "$EVENT" >/dev/null 2>"$HOME/beside-$TASK" &
    RUNS="$RUNS $!"
done
for RUN in $RUNS; do wait "$RUN" || fail "one beside the others failed: $(cat "$HOME"/beside-?)"; done
ask "/pulls?state=open&per_page=100" >"$HOME/pulls"
[ "$(wc -l <"$HOME/commits")" = 5 ] || fail "not five commits"
while read -r COMMIT; do
    expect_contains "$HOME/pulls" "$COMMIT"
done <"$HOME/commits"
[ "$(git symbolic-ref HEAD) $(git rev-parse HEAD)" = "$WAS" ] || fail "moved to $(git symbolic-ref HEAD)"
[ -z "$(git status --porcelain)" ] || fail "not clean: $(git status --porcelain)"
[ "$(git worktree list | wc -l)" = 1 ] || fail "worktrees: $(git worktree list)"
[ -z "$(git branch --list 'wm/y-*')" ] || fail "branches: $(git branch)"

t "an agent's commits on the branch of a pull request that lacks them: a pull request of their own"
git checkout -q -b "$(ask "/pulls?state=open" | "$PICK" 0.head.ref)" "$(head -n 1 "$HOME/commits")"
wm_run y --in-place
expect_exit 0
expect_contains stderr "which lacks these commits; they go to wm/y-"
ask "/pulls?state=open&per_page=100" >"$HOME/pulls"
expect_contains "$HOME/pulls" "$(tail -n 1 "$HOME/commits")"
rm "$HOME/commit"

t "a push to a pull request whose branch is older than .wm/: the agent begins on it, here, beside other runs, and on Actions"
git checkout -q main
wm_task z 'safe-outputs: {push-to-pull-request-branch: , add-comment: }'
git push -q origin "$(git commit-tree -p origin/main -m older "origin/main^{tree}"):refs/heads/older"
NUMBER=$(_curl -H "Authorization: Bearer $GH_TOKEN" -d '{"title":"Older","head":"older","base":"main"}' "$FORGE_URL/repos/harbor/tidepool/pulls" | "$PICK" number)
echo "{\"action\":\"synchronize\",\"pull_request\":{\"number\":$NUMBER},\"repository\":{\"default_branch\":\"main\"}}" >"$HOME/pull.json"
wm_agent agent-pushes <<'X'
[ ! -e .wm/tasks ] || exit 4
git checkout -q --detach && ! kedge wm emit push-to-pull-request-branch 2>"$HOME/refused" || exit 5
git checkout -q - && echo $$ >"pushed-$$" && git add -A && git commit -q -m "pushed $$"
kedge wm emit push-to-pull-request-branch && git rev-parse HEAD >"$HOME/pushed"
X
of_pull() { run env WM_AGENT_CMD=agent-pushes "$@" --task z --event-name pull_request --payload "$HOME/pull.json"; }
# expect_on_older: the branch on GitHub is where the agent left it, and has nothing of a run.
expect_on_older() {
    expect_exit 0
    expect_contains "$HOME/refused" "detached HEAD: commit on the branch of the pull request, older"
    git fetch -q origin
    [ "$(git rev-parse origin/older)" = "$(cat "$HOME/pushed")" ] || fail "older is at $(git rev-parse origin/older), want $(cat "$HOME/pushed")"
    [ -z "$(git ls-tree -r --name-only origin/older | grep '^.wm/')" ] || fail "$(git ls-tree -r --name-only origin/older)"
}
WAS="$(git symbolic-ref HEAD) $(git rev-parse HEAD)"
for _ in 1 2; do
    of_pull kedge wm run
    expect_on_older
    expect_contains stderr "wm run: activation: on the branch older of pull request #$NUMBER"
    [ "$(git symbolic-ref HEAD) $(git rev-parse HEAD)" = "$WAS" ] || fail "moved to $(git symbolic-ref HEAD)"
    [ "$(git worktree list | wc -l)" = 1 ] || fail "worktrees: $(git worktree list)"
done
git clone -q --depth=1 "file://$PWD" "$HOME/work/job" && cd "$HOME/work/job" && git remote set-url origin "$FORGE_URL/harbor/tidepool.git"
git checkout -q --detach
of_pull env GITHUB_ACTIONS=true GITHUB_SERVER_URL="$FORGE_URL" kedge wm run --agent-only
expect_exit 0
rm -rf "$HOME/policy" && git worktree add -q --detach "$HOME/policy" origin/HEAD
of_pull env GITHUB_ACTIONS=true GITHUB_SERVER_URL="$FORGE_URL" kedge wm process-outputs --policy-root "$HOME/policy"
cd "$HOME/work/pull" || exit 1
expect_on_older

t "the answer to a comment is lost in the middle: it is found, and not posted again"
wm_repo lost
outputs_of 'add-comment: ' '{"type":"add_comment","body":"lost"}'
forge_ctl POST /_forge/faults '{"match":{"method":"POST","path":"issues/12/comments$"},"drop":"mid"}' >/dev/null
outputs
expect_exit 0
expect_writes "POST /repos/harbor/tidepool/issues/12/comments"
[ "$(comments lost)" = 1 ] || fail "$(comments lost) comments"

t "killed while GitHub answers: the next attempt goes on, and nothing is there twice"
wm_repo killed
outputs_of 'add-comment: {max: 3}' '{"type":"add_comment","body":"k-one"}' '{"type":"add_comment","body":"k-two"}' \
    '{"type":"add_comment","body":"k-three"}'
forge_ctl POST /_forge/faults '{"match":{"method":"POST","path":"issues/12/comments$"},"after":1,"times":1,"chunk_ms":1000,"chunk_bytes":1}' >/dev/null
bg kedge wm process-outputs --task x --event-name issues --payload "$EVENT"
wait_for 60 is_there k-two || fail "the second comment did not come"
bg_signal KILL
bg_end
expect_exit 137
outputs
expect_exit 0
expect_contains stderr "applied by an earlier attempt"
for WORD in k-one k-two k-three; do
    [ "$(comments "$WORD")" = 1 ] || fail "$(comments "$WORD") comments $WORD"
done
wm_mark
outputs
expect_exit 1
expect_no_writes

t "a token that may only read: which write, and why; the next attempt makes it"
wm_repo reads
outputs_of 'add-labels: ' '{"type":"add_labels","labels":["r"]}'
ZEROS=$(printf '%058d' 0)
run env GH_TOKEN="github_pat_ForgeReadOnly000000000_${ZEROS}4" kedge wm process-outputs --task x --event-name issues --payload "$EVENT"
expect_exit 1
expect_matches stderr '^error: add_labels: .*HTTP 403: '
outputs
expect_exit 0
expect_no_strays
done_testing
