#!/bin/sh
# `kedge wm run` with programs of a test's own as agents and the forge as GitHub. Rows of task-engine
# §11 are named task-N.
. "$(dirname "$0")/lib.sh"
. "$E2E_DIR/wm-runs.sh"
need git
need_kedge
wm_github
wm_agent agent-true </dev/null
export WM_AGENT_CMD=agent-true

# ---- the plain run ---------------------------------------------------------

t "task-R01 a run: progress on stderr, its files, exit 0"
wm_repo plain
wm_task fix
wm_mark
wm_run fix
expect_exit 0
expect_empty stdout
DIR=$(wm_dir fix)
expect_contains stderr "wm run: task=\"fix\" repo=$PWD branch=main engine=claude timeout=45m"
expect_contains stderr "wm run: activation: run directory $PWD/$DIR"
expect_contains stderr "wm run: agent: starting subprocess (live stream on stderr below)"
expect_contains stderr "wm run: validation: checking agent output size and exit status"
expect_not_contains stderr "safe-outputs: applying"
expect_contains stderr "wm run: artifacts=$PWD/$DIR"
expect_matches stderr '^wm run: task="fix" repo=.* duration=[0-9hm.]*s exit_code=0 success=true phase=safe-outputs$'
expect_json "$DIR/result.json" phase safe-outputs
expect_json "$DIR/result.json" success true
expect_json "$DIR/result.json" run_dir "$PWD/$DIR"
expect_json "$DIR/result.json" agent_result.exit_code 0
expect_json "$DIR/result.json" agent_result.safe_output_file_path "$PWD/$DIR/output.jsonl"
expect_json "$DIR/meta.json" phase conclusion
expect_json "$DIR/meta.json" success true
expect_json "$DIR/run.json" run_id "$(basename "$DIR")"
expect_json "$DIR/run.json" phase safe-outputs
expect_json "$DIR/event.json" issue.number 12
expect_file "$DIR/prompt.md"
expect_no_file "$(json "$DIR/activation.json" worktree)" # nothing was in it
expect_no_writes

t "task-R02 an agent that fails: phase and error are named once"
wm_agent agent-false <<'X'
echo tried
exit 1
X
rm -rf .wm/runs
run env WM_AGENT_CMD=agent-false kedge wm run --task fix --event-name issues --payload "$EVENT"
expect_exit 1
DIR=$(wm_dir fix)
expect_matches stderr '^wm run: task="fix" .* exit_code=1 success=false phase=agent$'
expect_contains stderr "failure phase: agent"
[ "$(grep -c 'exit status 1' "$(path_of stderr)")" = 1 ] || fail "the error is not printed once"
expect_contains stderr "error: agent: exit status 1"
expect_json "$DIR/result.json" phase agent
expect_json "$DIR/result.json" errors '["agent: exit status 1"]'
expect_json "$DIR/result.json" agent_result.exit_code 1
expect_json "$DIR/result.json" agent_result.stderr "exit status 1"
expect_json "$DIR/result.json" agent_result.stdout tried # and its line end, which the shell drops
expect_json "$DIR/meta.json" phase conclusion
expect_json "$DIR/meta.json" success false

t "task-R09 12 MiB of output count, one byte more does not"
wm_agent agent-much <<'X'
head -c "$(cat "$HOME/bytes")" /dev/zero | tr '\0' 'x'
X
echo 12582912 >"$HOME/bytes"
rm -rf .wm/runs
run env WM_AGENT_CMD=agent-much sh -c 'kedge wm run --task fix 2>"$HOME/err"'
expect_exit 0
echo 12582913 >"$HOME/bytes"
rm -rf .wm/runs
run env WM_AGENT_CMD=agent-much sh -c 'kedge wm run --task fix 2>"$HOME/err"'
expect_exit 1
expect_json "$(wm_dir fix)/result.json" phase validation
expect_json "$(wm_dir fix)/result.json" errors '["agent output exceeds maximum size (12582912 bytes)"]'

t "task-R29 an engine that nobody knows: no run directory"
rm -rf .wm/runs
wm_task odd 'engine: x'
run env -u WM_AGENT_CMD kedge wm run --task odd
expect_exit 1
expect_contains stderr 'error: unknown engine "x" (use claude, codex, kedge, or set WM_AGENT_CMD)'
expect_contains stderr "failure phase: activation"
expect_matches stderr 'exit_code=-1 success=false phase=activation$'
[ -z "$(wm_dir odd)" ] || fail "there is a run directory"

t "task-S01 a name that is a path is no task"
run kedge wm run nothing
expect_exit 1
expect_contains stderr "error: task not found: nothing"
run kedge wm run --task fix nothing
expect_exit 2
expect_contains stderr 'error: --task fix and "nothing": name one task'
run kedge wm run --task ../../etc/x
expect_exit 1
expect_contains stderr "error: task not found: ../../etc/x"
run kedge wm run --task fix --payload none.json
expect_exit 1

t "task-R11 a dirty tree"
echo change >>file.txt
wm_run fix
expect_exit 1
expect_contains stderr "error: working tree is not clean at \"$PWD\" (commit or stash changes before running)"
[ -z "$(wm_dir fix)" ] || fail "there is a run directory"
wm_run fix --allow-dirty
expect_exit 0
git checkout -q file.txt
mkdir "$HOME/no-git" && mkdir -p "$HOME/no-git/.wm/tasks" && cp .wm/tasks/fix.md "$HOME/no-git/.wm/tasks"
run kedge wm run --task fix --repo-root "$HOME/no-git"
expect_exit 1
expect_contains stderr "error: git: not a repository at \"$HOME/no-git\": "

t "task-R23 WM_RUN_DIR: runs are there; what is no run stays"
rm -rf .wm/runs
mkdir -p "$HOME/runs/keep" "$HOME/runs/old-run"
echo '{"run_id":"old-run"}' >"$HOME/runs/old-run/meta.json"
touch -d '8 days ago' "$HOME/runs/keep" "$HOME/runs/old-run"
run env WM_RUN_DIR="$HOME/runs" kedge wm run --task fix
expect_exit 0
expect_no_file "$HOME/runs/old-run"
[ -d "$HOME/runs/keep" ] || fail "an unrelated folder is gone"
ls -d "$HOME"/runs/fix-2* >/dev/null || fail "no run directory in WM_RUN_DIR"
[ -z "$(wm_dir fix)" ] || fail "a run directory in .wm/runs"

t "task-S14 .wm/runs that leads out of the repository"
rm -rf .wm/runs
mkdir "$HOME/outside" && ln -s "$HOME/outside" .wm/runs
run kedge wm run --task fix --allow-dirty
expect_exit 1
expect_contains stderr "leads out of the repository"
[ -z "$(ls "$HOME/outside")" ] || fail "something was written outside"
rm .wm/runs

# ---- numbers, environment --------------------------------------------------

wm_agent agent-env <<'X'
env | sort >"$KEDGE_WM_RUN_DIR/../env"
X

t "task-R21 the number of an input of workflow_dispatch; --issue is the last resort"
echo '{"inputs":{"issue_number":"12"}}' >"$EVENT"
run env WM_AGENT_CMD=agent-env kedge wm run --task fix --event-name workflow_dispatch --payload "$EVENT" --issue 3
expect_exit 0
expect_contains .wm/runs/env "WM_ISSUE_NUMBER=12"
run env WM_AGENT_CMD=agent-env kedge wm run --task fix --issue 3
expect_exit 0
expect_contains .wm/runs/env "WM_ISSUE_NUMBER=3"

t "task-R22 a comment on a pull request"
echo '{"action":"created","issue":{"number":7,"pull_request":{}},"comment":{"id":5}}' >"$EVENT"
run env WM_AGENT_CMD=agent-env kedge wm run --task fix --event-name issue_comment --payload "$EVENT"
expect_exit 0
expect_contains .wm/runs/env "WM_ISSUE_NUMBER=7"
expect_contains .wm/runs/env "WM_PR_NUMBER=7"

t "task-S09 no command file or token of the runner reaches the agent"
run env WM_AGENT_CMD=agent-env GITHUB_ENV=/x GITHUB_PATH=/x GITHUB_OUTPUT=/x GITHUB_STATE=/x GITHUB_STEP_SUMMARY="$HOME/no-summary" GITHUB_ACTIONS=true \
    ACTIONS_RUNTIME_TOKEN=abcdefgh1 ACTIONS_RESULTS_URL=http://127.0.0.1:1/ ACTIONS_ID_TOKEN_REQUEST_TOKEN=abcdefgh2 \
    GITHUB_TOKEN=ghs_abcdefgh3 kedge wm run --task fix
expect_exit 0
for NAME in GITHUB_ENV GITHUB_PATH GITHUB_OUTPUT GITHUB_STATE GITHUB_STEP_SUMMARY ACTIONS_RUNTIME_TOKEN ACTIONS_RESULTS_URL ACTIONS_ID_TOKEN_REQUEST_TOKEN; do
    grep -q "^$NAME=" .wm/runs/env && fail "$NAME is there"
done
expect_contains .wm/runs/env "GITHUB_TOKEN=ghs_abcdefgh3"

# ---- branches --------------------------------------------------------------

# expect_unmoved: the checkout is where it was, and clean; main is the branch of it that there is.
expect_unmoved() {
    [ "$(git symbolic-ref --short HEAD) $(git rev-parse HEAD)" = "$WAS" ] || fail "moved to $(git symbolic-ref --short HEAD) $(git rev-parse HEAD), was $WAS"
    [ -z "$(git status --porcelain)" ] || fail "not clean: $(git status --porcelain)"
}
# expect_nothing_left: no worktree and no branch of a run.
expect_nothing_left() {
    [ "$(git worktree list | wc -l)" = 1 ] || fail "worktrees: $(git worktree list)"
    [ -z "$(git branch --list 'wm/*')" ] || fail "branches: $(git branch --list 'wm/*')"
}
# kept: the worktree that the last run has left, by its own word.
kept() { sed -n 's/^wm run: worktree=//p' "$(path_of stderr)"; }

t "task-R12 a worktree and a branch of its own; the checkout is where it was, however it ends"
wm_repo branch
git clone -q --bare . "$HOME/branch.git" && git remote add origin "$HOME/branch.git" && git fetch -q
wm_task fix 'safe-outputs: {create-pull-request: }'
git push -q origin main
wm_agent agent-works <<'X'
git symbolic-ref --short HEAD >"$KEDGE_WM_RUN_DIR/../branch"
pwd >"$KEDGE_WM_RUN_DIR/../pwd"
git checkout -q main && exit 1 # it is the person's
case $1 in
nothing) ;;
ignored) echo o >o.o && echo '*.o' >>"$(git rev-parse --git-path info/exclude)" ;;
file) echo new >new.c ;;
change) echo new >>file.txt ;;
commit) git commit -q --allow-empty -m "work $$" ;; # one of the same second would be the same
detached) git checkout -q --detach && git commit -q --allow-empty -m "work $$" ;;
other) git checkout -q -b other && git commit -q --allow-empty -m "work $$" ;;
pushed) git commit -q --allow-empty -m "work $$" && git push -q origin HEAD:refs/heads/there-$$ ;;
esac
exit "$2"
X
WAS="main $(git rev-parse HEAD)"
git config status.showUntrackedFiles no # what a person is shown is less than what would be lost
for CASE in "nothing 0:" "nothing 3:" "ignored 0:" "pushed 0:" "pushed 3:" "file 0:1 file that is not committed" "change 3:1 file that is not committed" \
    "commit 0:1 commit that is not on GitHub" "commit 3:1 commit that is not on GitHub" "detached 0:1 commit that is not on GitHub" "other 0:1 commit that is not on GitHub"; do
    for FLAG in --staged --agent-only; do
        case $FLAG$CASE in --a*nothing* | --a*commit\ * | --s*) ;; *) continue ;; esac
        rm -rf .wm/runs
        run env WM_AGENT_CMD="agent-works ${CASE%%:*}" kedge wm run --task fix --event-name issues --payload "$EVENT" "$FLAG"
        case $CASE in *\ 0:*) expect_exit 0 ;; *) expect_exit 1 ;; esac
        case $(cat .wm/runs/branch) in wm/fix-2*-*) ;; *) fail "$CASE: the agent ran on $(cat .wm/runs/branch)" ;; esac
        expect_contains stderr "wm run: activation: worktree $(cat .wm/runs/pwd) (branch $(cat .wm/runs/branch))"
        expect_unmoved
        if [ -z "${CASE#*:}" ]; then
            expect_nothing_left
            expect_no_file "$(cat .wm/runs/pwd)"
        else
            expect_contains stderr "wm run: the worktree $(cat .wm/runs/pwd) stays: ${CASE#*:}"
            [ "$(kept)" = "$(cat .wm/runs/pwd)" ] || fail "$CASE: kept is '$(kept)'"
            expect_json "$(wm_dir fix)/result.json" worktree "$(kept)"
            git worktree remove --force "$(kept)" && git branch -q -D "$(cat .wm/runs/branch)"
            git branch -q -D other 2>/dev/null
        fi
    done
done
git config --unset status.showUntrackedFiles

t "what a killed run leaves: nothing of it is lost, and the next run takes away what holds nothing"
wm_agent agent-dies <<'X'
[ "$1" != commit ] || git commit -q --allow-empty -m work
# as if it had been killed while git wrote the files; of `lost` only the note is gone
case $1 in half | lost) rm file.txt "$KEDGE_WM_RUN_DIR/activation.json" ;; esac
[ "$1" != half ] || sed -i 's/"phase": "[a-z]*"/"phase": "activation"/' "$KEDGE_WM_RUN_DIR/meta.json"
: >"$HOME/dies-$1"
exec sleep 1000
X
for CASE in half nothing commit lost; do
    bg env WM_AGENT_CMD="agent-dies $CASE" kedge wm run --task fix --event-name issues --payload "$EVENT"
    wait_for 60 test -e "$HOME/dies-$CASE" || fail "the agent did not start"
    bg_signal KILL
    bg_end
    expect_unmoved
done
wm_run fix
expect_exit 0
expect_matches stderr "^wm run: activation: a run that was killed has left work in $HOME/.kedge/wt/wm/fix-2"
LEFT=$(sed -n 's/.*has left work in //p' "$(path_of stderr)")
[ "$(git worktree list | wc -l)" = 3 ] || fail "worktrees: $(git worktree list)"
WORKS=0
for DIR in $LEFT; do
    [ "$(git -C "$DIR" log -1 --format=%s)" != work ] || WORKS=$((WORKS + 1))
    git worktree remove --force "$DIR"
done
[ "$WORKS" = 1 ] || fail "the commit is not in $LEFT"
git branch --list 'wm/*' --format '%(refname:short)' | xargs git branch -q -D
expect_nothing_left

t "the root may be a directory of its repository, a linked worktree, on no branch, and have changes"
mkdir -p part/.wm && git mv .wm/tasks part/.wm/tasks && wm_commit part && cd part || exit 1
WAS="main $(git rev-parse HEAD)"
run env WM_AGENT_CMD="agent-works nothing 0" kedge wm run --task fix
expect_exit 0
case $(cat .wm/runs/pwd) in "$HOME"/.kedge/wt/wm/fix-2*/part) ;; *) fail "it ran in $(cat .wm/runs/pwd)" ;; esac
expect_unmoved
cd .. && git worktree add -q --detach "$HOME/linked" && cd "$HOME/linked/part" || exit 1
echo change >>../file.txt
run env WM_AGENT_CMD="agent-works nothing 0" kedge wm run --task fix --allow-dirty
expect_exit 0
expect_contains stderr "branch=HEAD engine=claude"
expect_contains stderr "wm run: activation: what is not committed here is not in the worktree"
expect_no_file "$(cat .wm/runs/pwd)"
[ "$(git status --porcelain)" = " M file.txt" ] || fail "status: $(git status --porcelain)"
cd "$HOME/work/branch" && git worktree remove --force "$HOME/linked" && git reset -q --hard origin/main && rm -rf part
WAS="main $(git rev-parse HEAD)"

t "a filter that writes files (git-lfs) and a sparse checkout: both hold in the worktree, and neither makes it look changed"
git config filter.up.clean "tr A-Z a-z" && git config filter.up.smudge "tr a-z A-Z" && git config filter.up.required true
mkdir big small && echo "*.up filter=up" >.gitattributes && echo hello >small/a.up && echo b >big/b && wm_commit filters
WAS="main $(git rev-parse HEAD)"
wm_agent agent-sees <<'X'
cat small/a.up >"$HOME/sees" && ls -d big >>"$HOME/sees"
[ "$1" = looks ] || echo MORE >small/a.up
exit 0
X
git sparse-checkout set small .wm
for CASE in "looks:" "changes:1 file that is not committed"; do
    run env WM_AGENT_CMD="agent-sees ${CASE%%:*}" kedge wm run --task fix --staged
    expect_exit 0
    [ "$(cat "$HOME/sees")" = HELLO ] || fail "the agent sees: $(cat "$HOME/sees")"
    case $CASE in
    looks*) expect_nothing_left ;;
    *) expect_contains stderr "stays: ${CASE#*:}" && git worktree remove --force "$(kept)" && git branch -q -D "$(git branch --list 'wm/*' --format '%(refname:short)')" ;;
    esac
done
git sparse-checkout disable
expect_unmoved
git reset -q --hard origin/main && git config --remove-section filter.up
WAS="main $(git rev-parse HEAD)"

t "a disk that is full: no worktree, no branch, no agent"
head -c 60000 /dev/zero | tr '\0' x >large && wm_commit large
rm -rf .wm/runs && : >"$HOME/agent-runs"
WAS="main $(git rev-parse HEAD)"
run sh -c 'trap "" XFSZ; ulimit -f 8; exec kedge wm run --task fix'
expect_exit 1
expect_contains stderr "error: cannot make a worktree for the run: git reset: exit status "
expect_contains stderr "failure phase: activation"
expect_unmoved
expect_nothing_left
git reset -q --hard origin/main
WAS="main $(git rev-parse HEAD)"

t "--in-place: in the checkout itself; task-R13 on a branch of one's own there is no other one"
rm -rf .wm/runs
run env WM_AGENT_CMD="agent-works nothing 0" kedge wm run --task fix --in-place --event-name issues --payload "$EVENT"
expect_exit 1 # it could check main out
case $(cat .wm/runs/branch) in wm/fix-2*-*) ;; *) fail "the agent ran on $(cat .wm/runs/branch)" ;; esac
expect_contains stderr "wm run: activation: created feature branch $(cat .wm/runs/branch) (previous: main)"
expect_json "$(wm_dir fix)/activation.json" prev_branch main
rm -rf .wm/runs
git checkout -q -b feat/x
wm_run fix --in-place
expect_exit 0
expect_contains stderr "wm run: activation: using branch feat/x (already off default; no new feature branch)"
expect_no_file "$(wm_dir fix)/activation.json"

# ---- what is said on GitHub ------------------------------------------------

t "task-R18 a reaction that GitHub refuses: the run goes on, and says so"
wm_repo speak
wm_task fix 'on: {issues: {}, reaction: eyes}'
wm_mark
forge_ctl POST /_forge/faults '{"match":{"method":"POST","path":"reactions"},"status":403,"body":{"message":"Resource not accessible by integration"}}' >/dev/null
wm_run fix
expect_exit 0
expect_contains stderr 'wm run: activation: adding reaction "eyes" to issue/PR #12'
case $(json "$(wm_dir fix)/result.json" errors.0) in "on.reaction: GitHub API POST /repos/harbor/tidepool/issues/12/reactions: HTTP 403: "*) ;; *) fail "errors: $(json "$(wm_dir fix)/result.json" errors)" ;; esac
forge_ctl DELETE /_forge/faults >/dev/null
wm_mark
wm_run fix
expect_writes "POST /repos/harbor/tidepool/issues/12/reactions"
wm_run fix # the second time it is there
expect_exit 0
[ "$(json "$(wm_dir fix)/result.json" errors 2>/dev/null)" = "" ] || fail "a reaction that exists is an error"

t "task-R19 a reaction goes to the comment of a review"
echo '{"action":"created","pull_request":{"number":9},"comment":{"id":284312630}}' >"$EVENT"
wm_mark
run kedge wm run --task fix --event-name pull_request_review_comment --payload "$EVENT"
expect_exit 0
expect_contains stderr 'activation: adding reaction "eyes" to comment 284312630'
expect_writes "POST /repos/harbor/tidepool/pulls/comments/284312630/reactions"

t "task-C20 on.reaction none and one that is none"
printf '%s' "$ISSUE_EVENT" >"$EVENT"
wm_task none 'on: {reaction: none}'
wm_task party 'on: {reaction: party}'
wm_mark
wm_run none
expect_exit 0
wm_run party
expect_exit 1
expect_contains stderr 'error: on.reaction "party" is not a valid GitHub reaction (use +1, -1, laugh, confused, heart, hooray, rocket, eyes)'
expect_no_writes

t "task-R20 status comments"
wm_task told 'safe-outputs: {messages: {run-started: "go {event_type}", run-success: "good", run-failure: "bad {status}"}}'
wm_mark
run env WM_AGENT_CMD=agent-false kedge wm run --task told --event-name issues --payload "$EVENT"
expect_exit 1
expect_writes "POST /repos/harbor/tidepool/issues/12/comments" "POST /repos/harbor/tidepool/issues/12/comments"
[ "$(wm_body)" = '{"body":"bad failed (agent: exit status 1)\n\n<!-- wm-agent:told -->"}' ] || fail "body: $(wm_body)"
wm_mark
wm_run told
expect_exit 0
[ "$(wm_body)" = '{"body":"good\n\n<!-- wm-agent:told -->"}' ] || fail "body: $(wm_body)"

t "staged: nothing is said at all"
wm_mark
wm_run told --staged
expect_exit 0
expect_no_writes
expect_json "$(wm_dir told)/result.json" staged true

t "task-R16 task-S11 the latest checkpoint of somebody trusted; one is left"
wm_mark
for PAIR in "okoro:old" "okoro:trusted new" "lindq:stranger"; do
    forge_ctl POST /_forge/comment "{\"number\":12,\"user\":\"${PAIR%%:*}\",\"body\":\"<!-- wm-checkpoint: {\\\"summary\\\":\\\"${PAIR#*:}\\\"} -->\"}" >/dev/null
done
wm_agent agent-say <<'X'
echo "All <b> done --> yes."
X
rm -rf .wm/runs
run env WM_AGENT_CMD=agent-say WM_CHECKPOINT=1 kedge wm run --task none --event-name issues --payload "$EVENT"
expect_exit 0
expect_contains stderr "wm run: activation: checkpoint hint loaded (injected into prompt)"
expect_contains "$(wm_dir none)/prompt.md" "## Previous checkpoint

trusted new"
expect_not_contains "$(wm_dir none)/prompt.md" stranger
case $(wm_body) in *'wm-checkpoint: {\"branch\":\"wm/none-'*'\",\"sha\":\"'*'\"files_changed\":null,\"summary\":\"All \\u003cb\\u003e done --\\u003e yes.\"'*'<!-- wm-agent:none -->"}') ;; *) fail "body: $(wm_body)" ;; esac

t "task-R17 what it left is the next one's hint, as it was"
rm -rf .wm/runs
run env WM_AGENT_CMD=agent-say WM_CHECKPOINT=1 kedge wm run --task none --event-name issues --payload "$EVENT"
expect_contains "$(wm_dir none)/prompt.md" "All <b> done --> yes."

t "WM_LOG_FORMAT=json: a record for each phase; people's lines stay"
rm -rf .wm/runs
run env WM_LOG_FORMAT=json kedge wm run --task none --event-name issues --payload "$EVENT"
expect_exit 0
expect_contains stderr "wm run: validation: checking agent output size and exit status"
grep '^{' "$(path_of stderr)" >"$HOME/records"
for PHASE in activation agent validation safe-outputs conclusion; do
    expect_matches "$HOME/records" "^\{\"time\":\"20[^\"]*Z\",\"level\":\"INFO\",\"msg\":\"wm pipeline\",\"task\":\"none\",\"phase\":\"$PHASE\"}\$"
done

t "an agent in a commit that is older than .wm/: it can ask for what its task may, and adds nothing of the run"
wm_repo older
git branch older && echo runs/ >.wm/.gitignore
wm_task none 'safe-outputs: {add-comment: }'
wm_agent agent-older <<'X'
git checkout -q older || exit 1
echo new >new.c && git add -A && git commit -q -m all
git ls-files >"$HOME/older-files"
kedge wm emit add-comment --body "from the older commit"
X
for FLAG in --in-place --staged --in-actions; do
    wm_mark
    case $FLAG in
    --in-actions) run env GITHUB_ACTIONS=true WM_AGENT_CMD=agent-older kedge wm run --task none --event-name issues --payload "$EVENT" ;;
    *) run env WM_AGENT_CMD=agent-older kedge wm run --task none "$FLAG" --event-name issues --payload "$EVENT" ;;
    esac
    expect_exit 0
    [ "$(cat "$HOME/older-files")" = "file.txt
new.c" ] || fail "$FLAG: committed: $(cat "$HOME/older-files")"
    [ -z "$(git status --porcelain)" ] || fail "$FLAG: not clean: $(git status --porcelain)"
    case $FLAG in --staged) expect_no_writes ;; *) expect_writes "POST /repos/harbor/tidepool/issues/12/comments" ;; esac
    [ -z "$(kept)" ] || git worktree remove --force "$(kept)"
    git checkout -q main && git branch -q -D older && git branch -q older main~1
done

# ---- what a run has cost ---------------------------------------------------

wm_agent claude <<'X'
cat >/dev/null
echo '{"type":"system","subtype":"init","session_id":"s1"}'
echo '{"type":"result","subtype":"success","result":"All done.","total_cost_usd":1.32,"num_turns":3,"duration_ms":10,"session_id":"s1","usage":{"input_tokens":3,"output_tokens":5},"modelUsage":{"m1":{}}}'
X

t "task-R28 the step summary has cost and turns, run.json the usage"
wm_repo cost
wm_task fix
: >"$HOME/summary"
run env -u WM_AGENT_CMD GITHUB_STEP_SUMMARY="$HOME/summary" kedge wm run --task fix
expect_exit 0
expect_contains "$HOME/summary" "## kedge wm · task \`fix\`"
expect_contains "$HOME/summary" "| Pipeline success | yes |"
expect_contains "$HOME/summary" "| Total cost (USD) | \$1.320000 |"
expect_contains "$HOME/summary" "| Turns | 3 |"
expect_not_contains "$HOME/summary" "outputs of task"
expect_json "$(wm_dir fix)/run.json" usage '{"cost_usd":1.32,"input_tokens":3,"output_tokens":5,"turns":3}'
expect_json "$(wm_dir fix)/result.json" agent_result.last_response_text "All done."

t "a cap on what claude may cost"
rm -rf .wm/runs
wm_task capped 'max-ai-credits: 100'
run env -u WM_AGENT_CMD kedge wm run --task capped
expect_exit 1
expect_contains stderr "error: cost 1.32 USD exceeds the cap of 1.00 USD"
expect_json "$(wm_dir capped)/result.json" phase validation
wm_task roomy 'max-ai-credits: 132'
run env -u WM_AGENT_CMD kedge wm run --task roomy
expect_exit 0

# ---- elsewhere -------------------------------------------------------------

t "task-R27 --remote starts the workflow"
wm_mark
forge_ctl POST /_forge/faults '{"match":{"method":"POST","path":"dispatches"},"times":null,"status":204}' >/dev/null
run kedge wm run --task fix --remote --issue 5 --ref dev
expect_exit 0
expect_contains stderr "wm run: remote workflow_dispatch workflow=wm-agent.yml github_repo=harbor/tidepool task=\"fix\" engine=claude repo_root=$PWD"
expect_writes "POST /repos/harbor/tidepool/actions/workflows/wm-agent.yml/dispatches"
[ "$(wm_body)" = '{"inputs":{"issue_number":"5","task_name":"fix"},"ref":"dev"}' ] || fail "body: $(wm_body)"
wm_mark
run kedge wm run --task fix --remote
expect_exit 0
[ "$(wm_body)" = '{"inputs":{"task_name":"fix"},"ref":"main"}' ] || fail "body: $(wm_body)"
run env -u GITHUB_REPOSITORY kedge wm run --task fix --remote
expect_exit 1
expect_contains stderr "error: remote run: set --repo or run inside a GitHub checkout: "
forge_ctl DELETE /_forge/faults >/dev/null

# ---- ends of all kinds -----------------------------------------------------

wm_agent agent-waits <<'X'
sleep 1000 &
echo $! >"$HOME/child"
: >"$HOME/waits"
wait
X
is_waiting() { [ -e "$HOME/waits" ]; }

t "task-R26 Ctrl-C while the agent works"
wm_repo signals
wm_task fix 'safe-outputs: {create-pull-request: }'
rm -f "$HOME/waits"
bg env WM_AGENT_CMD=agent-waits kedge wm run --task fix
wait_for 60 is_waiting || fail "the agent did not start"
bg_signal INT
bg_end
expect_exit 130
expect_contains stderr "error: interrupted by signal"
expect_json "$(wm_dir fix)/result.json" errors.0 "interrupted by signal"
expect_json "$(wm_dir fix)/result.json" phase agent
[ "$(git symbolic-ref --short HEAD)" = main ] || fail "not back on main"
wait_for 60 _is_gone "$(cat "$HOME/child")" || fail "a child of the agent lives"

t "SIGTERM: exit 143"
rm -rf .wm/runs "$HOME/waits"
bg env WM_AGENT_CMD=agent-waits kedge wm run --task fix
wait_for 60 is_waiting || fail "the agent did not start"
bg_signal TERM
bg_end
expect_exit 143
expect_json "$(wm_dir fix)/result.json" success false

t "kill -9: the directory says where it was, and the next run is not kept back"
rm -rf .wm/runs "$HOME/waits"
bg env WM_AGENT_CMD=agent-waits kedge wm run --task fix
wait_for 60 is_waiting || fail "the agent did not start"
bg_signal KILL
bg_end
kill "$(cat "$HOME/child")" 2>/dev/null
expect_json "$(wm_dir fix)/meta.json" phase agent
expect_json "$(wm_dir fix)/meta.json" success false
expect_no_file "$(wm_dir fix)/result.json"
run kedge wm process-outputs --task fix
expect_exit 1
expect_contains stderr "error: process-outputs: missing result.json (expected after kedge wm run --agent-only)"
wm_run fix
expect_exit 0

t "two runs at once do not disturb one another"
git checkout -q main && rm -rf .wm/runs
wm_task calm
wm_agent agent-meets <<'X'
: >"$HOME/meet-$$"
for _ in $(seq 1200); do
    [ "$(ls "$HOME"/meet-* | wc -l)" -lt 2 ] || exit 0
    sleep 0.05
done
exit 1
X
env WM_AGENT_CMD=agent-meets kedge wm run --task calm >/dev/null 2>"$HOME/other" &
OTHER=$!
run env WM_AGENT_CMD=agent-meets kedge wm run --task calm
expect_exit 0
wait $OTHER || fail "the other run failed: $(cat "$HOME/other")"
[ "$(find .wm/runs -name result.json | wc -l)" = 2 ] || fail "not two results"

t "a disk that is full: the error has its phase, and no file is half"
rm -rf .wm/runs
head -c 60000 /dev/zero | tr '\0' x >>.wm/tasks/calm.md && wm_commit
run sh -c 'trap "" XFSZ; ulimit -f 8; exec kedge wm run --task calm --in-place'
expect_exit 1
expect_contains stderr "failure phase: agent"
expect_contains stderr "prompt.md: File too large"
expect_json "$(wm_dir calm)/meta.json" phase conclusion
expect_json "$(wm_dir calm)/result.json" phase agent
expect_no_file "$(wm_dir calm)/prompt.md"
[ -z "$(find .wm/runs -name '*.tmp')" ] || fail "temporary files stay"
expect_no_strays
done_testing
