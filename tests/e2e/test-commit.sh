#!/bin/sh
# `kedge commit`: the message from the diff, checked, asked for again, committed, pushed.
. "$(dirname "$0")/lib.sh"
need_kedge
need git

# repository: fresh, with one commit and a staged change.
repository() {
    rm -rf repo origin.git
    git init -q --bare origin.git
    git init -q -b main repo
    git -C repo config user.name Ana
    git -C repo config user.email ana@example.com
    printf 'limit = 10\n' >repo/limits
    git -C repo add limits
    git -C repo commit -qm 'feat(limits): add a limit'
    git -C repo remote add origin "$PWD/origin.git"
    printf 'limit = 20\n' >repo/limits
    git -C repo add limits
}

commit() { run sh -c 'cd repo && exec "$KEDGE" commit "$@"' sh "$@"; }

last_message() { git -C repo log -1 --format=%B; }

t "nothing is staged, or no repository: said before a model is looked for"
repository
git -C repo reset -q --hard
env_key=$ANTHROPIC_API_KEY
unset ANTHROPIC_API_KEY
commit
expect_exit 1
expect_contains stderr 'nothing is staged: `git add` what the commit is to have, or use --all'
commit --all
expect_contains stderr 'no tracked file has changed'
mkdir -p none
run sh -c 'cd none && exec "$KEDGE" commit'
expect_exit 1
commit --dry-run --push
expect_exit 2
printf 'limit = 20\n' >repo/limits
git -C repo add limits
commit
expect_exit 1
expect_contains stderr 'No models available. No key is known: run kedge login anthropic'
export ANTHROPIC_API_KEY="${env_key:-key}"

t "--dry-run prints the message and commits nothing; the model gets diff, subjects and the author's word"
repository
model_script - <<'J'
{"text": "```\nfix(limits): double the limit\n\nThe server allows twenty.\n```", "expect": [{"contains": "-limit = 10\n+limit = 20"}, {"contains": "feat(limits): add a limit"}, {"contains": "The author says: the server allows 20"}, {"path": "tools", "exists": false}]}
J
commit --dry-run -c 'the server allows 20'
expect_exit 0
expect_out 'fix(limits): double the limit

The server allows twenty.'
[ "$(last_message)" = 'feat(limits): add a limit' ] || fail "it committed: $(last_message)"
expect_model_done

t "the commit: message, hooks, only what is staged"
repository
printf 'more\n' >repo/other
printf '#!/bin/sh\ngit diff --cached >hook.out\n' >repo/.git/hooks/pre-commit
chmod +x repo/.git/hooks/pre-commit
model_script - <<'J'
{"text": "fix(limits)!: double the limit\n\n# not a comment\n\nBREAKING CHANGE: callers must allow twenty"}
J
commit
expect_exit 0
expect_contains stdout 'double the limit'
[ "$(last_message)" = 'fix(limits)!: double the limit

# not a comment

BREAKING CHANGE: callers must allow twenty' ] || fail "message: $(last_message)"
expect_contains repo/hook.out '+limit = 20'
[ "$(git -C repo show --format= --name-only)" = limits ] || fail "more was committed"

t "a hook that refuses: its words, exit 1, no commit"
repository
printf '#!/bin/sh\necho "tests are red" >&2\nexit 1\n' >repo/.git/hooks/pre-commit
chmod +x repo/.git/hooks/pre-commit
model_script - <<'J'
{"text": "fix: double the limit"}
J
commit
expect_exit 1
expect_contains stderr 'tests are red'
[ "$(last_message)" = 'feat(limits): add a limit' ] || fail "it committed"

t "--all, --push to a new branch at origin, and to the upstream"
repository
git -C repo reset -q
model_script - <<'J'
{"text": "fix: double the limit"}
{"text": "fix: triple the limit"}
J
commit --all --push --no-changelog
expect_exit 0
[ "$(git -C origin.git log -1 --format=%s main)" = 'fix: double the limit' ] || fail "not pushed"
printf 'limit = 30\n' >repo/limits
commit -a --push
expect_exit 0
[ "$(git -C origin.git log -1 --format=%s main)" = 'fix: triple the limit' ] || fail "not pushed"

t "a push that fails: said, and that the commit was made"
repository
git -C repo remote set-url origin "$PWD/none.git"
model_script - <<'J'
{"text": "fix: double the limit"}
J
commit --push
expect_exit 1
expect_contains stderr 'the commit was made, but not pushed: '
[ "$(last_message)" = 'fix: double the limit' ] || fail "no commit"

t "an answer that commands the terminal goes back"
repository
model_script - <<'J'
{"text": "fix: double \u001b]0;pwned\u0007 the limit"}
{"text": "fix: double the limit\n\n\u009b2J", "expect": {"contains": "Your last answer could not be used: it has control characters"}}
{"text": "fix: double the limit\n\n\tTwenty."}
J
commit
expect_exit 0
[ "$(last_message)" = "$(printf 'fix: double the limit\n\n\tTwenty.')" ] || fail "message: $(last_message)"

t "an answer that is no message goes back with what is wrong; after three, nothing is committed"
repository
model_script - <<'J'
{"text": "I updated the limit."}
{"text": "fix: double the limit.", "expect": {"contains": "Your last answer could not be used: the first line must be"}}
{"text": "fix: double the limit"}
J
commit
expect_exit 0
[ "$(last_message)" = 'fix: double the limit' ] || fail "message: $(last_message)"
repository
model_script - <<'J'
{"text": "fix: a line that is longer than the seventy-two characters that a first line may have", "repeat": 3}
J
commit
expect_exit 1
expect_contains stderr 'more than 72; nothing was committed'
[ "$(last_message)" = 'feat(limits): add a limit' ] || fail "it committed"

t "secrets that kedge knows do not leave with the diff; long files are cut, each keeps its beginning"
repository
printf 'token = %s\n' "$ANTHROPIC_API_KEY-and-more-of-it" >repo/limits
seq 1 60000 >repo/a-long-one
printf 'last file\n' >repo/z-short
git -C repo add -A
model_script - <<'J'
{"text": "fix: double the limit", "expect": [{"contains": "bytes of this file left out"}, {"contains": "+last file"}, {"contains": "+1\n+2\n"}, {"not_contains": "59999"}]}
J
commit
expect_exit 0
expect_model_done
model_journal 0.body.messages.0.content.0.text >sent
! grep -qF "$ANTHROPIC_API_KEY" sent || fail "the key was sent"

t "-m chooses the model, modelRoles.commit before the default"
repository
mkdir -p "$HOME/.kedge/agent"
printf 'modelRoles: {commit: anthropic/claude-haiku-4-5}\n' >"$HOME/.kedge/agent/config.yml"
model_script - <<'J'
{"text": "fix: one", "expect": {"path": "model", "contains": "haiku"}}
{"text": "fix: two", "expect": {"path": "model", "contains": "opus"}}
J
commit --dry-run
expect_exit 0
commit --dry-run -m claude-opus-4-5
expect_exit 0
commit --dry-run -m nothing-of-that-name
expect_exit 1

t "the fallback chain of commit stands behind it"
repository
cat >"$HOME/.kedge/agent/config.yml" <<'Y'
retry: { maxRetries: 0, fallbackChains: { default: [anthropic/claude-sonnet-4-5], commit: [anthropic/claude-haiku-4-5] } }
modelRoles: { default: anthropic/claude-opus-4-5 }
Y
model_script - <<'J'
{"status": 503, "expect": {"path": "model", "contains": "opus"}}
{"text": "fix: of the chain", "expect": {"path": "model", "contains": "haiku"}}
J
commit --dry-run
expect_exit 0
expect_contains stdout "fix: of the chain"
expect_model_done
rm "$HOME/.kedge/agent/config.yml"

t "the model fails: its problem, exit 1"
repository
model_script - <<'J'
{"status": 401, "error": {"type": "authentication_error", "message": "invalid x-api-key"}, "repeat": true}
J
commit
expect_exit 1
expect_contains stderr 'invalid x-api-key'
[ "$(last_message)" = 'feat(limits): add a limit' ] || fail "it committed"

done_testing
