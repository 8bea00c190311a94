#!/bin/sh
# The agent of a task: it gets a token that reads, and writes whatever it likes into the .git of the checkout
# in which it works. kedge then pushes its commits with the token that writes: at no door does anything of
# that .git run, or lead the push away (task-engine §9.3).
E2E_DIR=$(cd "$(dirname "$0")/../e2e" && pwd)
. "$E2E_DIR/lib.sh"
. "$E2E_DIR/wm-runs.sh"
need_kedge
need git
wm_github

SPRUNG=$HOME/sprung
AGENT_TOKEN=github_pat_ForgeReadOnly000000000_$(printf '%058d4' 0)
git config --global --remove-section "credential.http://github.localhost"
git config --global "credential.$FORGE_URL.helper" '!f() { echo username=x-access-token; echo "password=$GH_TOKEN"; }; f'
git init -q --bare "$HOME/evil.git"

HOOKS="pre-commit commit-msg post-commit post-checkout post-merge pre-push reference-transaction pre-auto-gc
post-rewrite post-index-change pre-receive update post-update"
mkdir "$HOME/traps"
for NAME in helper ssh askpass fsmonitor proxy gpg refs filter receive $HOOKS; do
    printf '#!/bin/sh\necho %s ${GH_TOKEN:+with-token} ${GIT_CONFIG_VALUE_0:+with-config} >>"%s"\nexit 1\n' "$NAME" "$SPRUNG" >"$HOME/traps/$NAME"
    chmod +x "$HOME/traps/$NAME"
done

wm_agent agent-evil <<'X'
echo "$GH_TOKEN" >"$HOME/agents-token"
for PLACE in $(grep -ls "^PPid:[^0-9]$PPID\$" /proc/[0-9]*/status); do # what kedge runs beside it
    tr '\0' '\n' <"${PLACE%status}environ" | grep -a '^GH_TOKEN='
done 2>/dev/null | sort -u >"$HOME/tokens-beside"
echo "$1 new $$" >new.c && git add new.c && git commit -q -m new
git status --porcelain --branch >"$HOME/agents-branch"
git symbolic-ref HEAD >"$HOME/agents-head" && git rev-parse HEAD >"$HOME/agents-commit"
echo '{"type":"create_pull_request","title":"T","body":"B"}' >"$WM_SAFE_OUTPUT_FILE"
T=$HOME/traps
G=$(git rev-parse --git-common-dir) # of a worktree, too, the checkout's own
mkdir -p "$G/hooks" && cp "$T"/*[a-z] "$G/hooks/"
mkdir -p .husky && cp "$T"/* .husky/
mkdir -p "$G/info" && echo .husky/ >>"$G/info/exclude"
printf '[core]\n\tsshCommand = %s\n\taskPass = %s\n' "$T/ssh" "$T/askpass" >"$G/more"
git config core.fsmonitor "$T/fsmonitor"
git config core.hooksPath "$T"
git config core.gitProxy "$T/proxy"
git config core.alternateRefsCommand "$T/refs"
git config gpg.program "$T/gpg"
git config push.gpgSign if-asked
git config commit.gpgSign true
git config filter.x.clean "$T/filter"
git config filter.x.smudge "$T/filter"
echo "* filter=x" >"$G/info/attributes"
git config include.path more
git config --add credential.helper "!$T/helper"
git config "credential.$EVIL_SERVER.helper" "!$T/helper"
git config remote.origin.receivepack "$T/receive"
git config remote.origin.pushurl "$HOME/evil.git"
git config "url.$HOME/evil.git.insteadOf" "$EVIL_SERVER/harbor/tidepool.git"
git config "url.$HOME/evil.git.pushInsteadOf" "$EVIL_SERVER/harbor/tidepool.git"
git config remote.pushDefault evil
rm -f "$HOME/sprung"
X
export EVIL_SERVER="$FORGE_URL" WM_AGENT_CMD=agent-evil KEDGE_WM_AGENT_TOKEN="$AGENT_TOKEN"

# checkout NAME: a fresh clone of the forge's repository with the task, in which to stand.
checkout() {
    wm_repo "$1"
    git remote add origin "$FORGE_URL/harbor/tidepool.git"
    git fetch -q origin && git checkout -q -B main origin/main && git remote set-head origin main
    mkdir -p .wm/tasks && echo runs/ >.wm/.gitignore
    wm_task x 'safe-outputs: {create-pull-request: }'
    rm -f "$SPRUNG"
}

# expect_pushed: the run's branch is on the forge, where the agent left it, and nothing of the agent's ran.
expect_pushed() {
    [ "$(cat "$HOME/agents-token")" = "$AGENT_TOKEN" ] || fail "the agent had another token"
    [ "$(cat "$HOME/tokens-beside")" = "GH_TOKEN=$AGENT_TOKEN" ] || fail "it found" "$(cat "$HOME/tokens-beside")"
    [ ! -e "$SPRUNG" ] || fail "ran:" "$(sort -u "$SPRUNG")"
    rm -f "$SPRUNG"
    BRANCH=$(sed 's#^refs/heads/##' "$HOME/agents-head")
    WANT=$(cat "$HOME/agents-commit")
    # with -2 where the run before it was in the same second
    HAVE=$(git -C "$HOME" ls-remote "$FORGE_URL/harbor/tidepool.git" "refs/heads/$BRANCH" "refs/heads/$BRANCH-[2-9]")
    case $HAVE in *"$WANT"*) ;; *) fail "$BRANCH on the forge is '$HAVE', want $WANT" ;; esac
    [ -z "$(git -C "$HOME/evil.git" for-each-ref)" ] || fail "the agent's remote was pushed to"
    rm -f "$SPRUNG"
}

t "the traps work: git alone runs them with the token, and pushes elsewhere"
checkout canary
wm_run x --agent-only --in-place
expect_exit 0
rm -f "$SPRUNG"
git push --receive-pack=git-receive-pack origin HEAD:refs/heads/canary >/dev/null 2>&1
grep -q "^pre-push with-token" "$SPRUNG" || fail "git alone ran:" "$(cat "$SPRUNG")"
git push --no-verify --receive-pack=git-receive-pack origin HEAD:refs/heads/canary >/dev/null 2>&1
[ -n "$(git -C "$HOME/evil.git" for-each-ref)" ] || fail "nothing went to the other place"
git -C "$HOME/evil.git" update-ref -d refs/heads/canary

t "wm run on the command line"
checkout line
wm_run x
expect_exit 0
expect_pushed
[ "$(cat .git/HEAD)" = "ref: refs/heads/main" ] || fail "the checkout has moved: $(cat .git/HEAD)"
[ "$(cat ".git/refs/remotes/origin/$BRANCH")" = "$WANT" ] || fail "the checkout does not know where the branch is"
[ -z "$(ls "$HOME/.kedge/wt/wm")" ] || fail "a worktree stays"

t "the next run, whose remote the last agent has led to a repository of its own: its hooks get no token"
cat >"$HOME/evil.git/hooks/pre-receive" <<X
#!/bin/sh
echo "pre-receive \${GH_TOKEN:+with-token}" >>"$SPRUNG"
exit 1
X
chmod +x "$HOME/evil.git/hooks/pre-receive"
git -C "$HOME/evil.git" config receive.shallowUpdate true
checkout next
git config remote.origin.pushurl "$HOME/evil.git"
wm_run x
expect_exit 1
grep -qx "pre-receive " "$SPRUNG" || fail "ran:" "$(sort -u "$SPRUNG")"
rm -f "$HOME/evil.git/hooks/pre-receive"

t "wm run in a job of Actions"
checkout job
run env GITHUB_ACTIONS=true GITHUB_SERVER_URL="$FORGE_URL" kedge wm run --task x --event-name issues --payload "$EVENT"
expect_exit 0
expect_pushed

t "process-outputs where the agent was, later"
checkout later
wm_run x --agent-only --in-place
expect_exit 0
run kedge wm process-outputs --task x --event-name issues --payload "$EVENT"
expect_exit 0
expect_contains stderr "wm process-outputs: pushes go to $FORGE_URL/harbor/tidepool.git"
expect_pushed

t "process-outputs in Actions, without a copy of the policy"
checkout bare
wm_run x --agent-only --in-place
expect_exit 0
run env GITHUB_ACTIONS=true GITHUB_SERVER_URL="$FORGE_URL" kedge wm process-outputs --task x --event-name issues --payload "$EVENT"
expect_exit 0
expect_pushed

t "process-outputs in the outputs job: quarantine"
checkout outputs
mkdir -p "$HOME/policy" && cp -R .wm "$HOME/policy/.wm"
wm_run x --agent-only --in-place
expect_exit 0
run env GITHUB_ACTIONS=true GITHUB_SERVER_URL="$FORGE_URL" kedge wm process-outputs --task x --policy-root "$HOME/policy" \
    --event-name issues --payload "$EVENT"
expect_exit 0
expect_pushed

t "a run that fails runs nothing on its way out"
wm_agent agent-fails <<'X'
agent-evil
exit 1
X
checkout back
run env WM_AGENT_CMD=agent-fails kedge wm run --task x --event-name issues --payload "$EVENT"
expect_exit 1
grep -q main .git/HEAD || fail "on $(cat .git/HEAD)"
! grep -q with-token "$SPRUNG" 2>/dev/null || fail "ran:" "$(cat "$SPRUNG")"

t "a FIFO among what git opens in the agent's repository holds nothing up"
wm_agent agent-fifo <<'X'
echo new >new.c && git add new.c && git commit -q -m new
echo '{"type":"create_pull_request","title":"T","body":"B"}' >"$WM_SAFE_OUTPUT_FILE"
G=$(git rev-parse --git-common-dir)
mkdir -p "$G/objects/info" && mkfifo "$G/objects/info/alternates"
X
checkout held
run -t 20 env WM_AGENT_CMD=agent-fifo kedge wm run --task x --event-name issues --payload "$EVENT"
expect_exit 1
expect_contains stderr ".git/objects/info/alternates is a FIFO"

t "the worker"
checkout worker
git push -q "$FORGE_URL/harbor/tidepool.git" HEAD:refs/heads/main && git fetch -q origin
run kedge wm enqueue --force-task x --event-name issues --payload "$EVENT"
expect_exit 0
run kedge wm worker --idle 0
expect_exit 0
expect_contains stderr ": done"
[ "$(cat "$HOME/agents-token")" = "$AGENT_TOKEN" ] || fail "the agent had another token"
[ ! -e "$SPRUNG" ] || fail "ran:" "$(sort -u "$SPRUNG")"
[ -z "$(git -C "$HOME/evil.git" for-each-ref)" ] || fail "the agent's remote was pushed to"

done_testing
