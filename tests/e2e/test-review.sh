#!/bin/sh
# `kedge review`: the diff with line numbers, findings checked and placed, text, JSON, a pending review.
. "$(dirname "$0")/lib.sh"
need_kedge
need git

# repository: main, and a branch with one commit and a change that is not committed.
repository() {
    rm -rf repo
    git init -q -b main repo
    git -C repo config user.name Ana
    git -C repo config user.email ana@example.com
    seq 1 40 >"repo/ä file.c"
    git -C repo add -A
    git -C repo commit -qm one
    git -C repo checkout -qb work
    sed -i 's/^20$/twenty/' "repo/ä file.c"
    git -C repo commit -qam two
    sed -i 's/^30$/thirty/' "repo/ä file.c"
}

review() { run sh -c 'cd repo && exec "$KEDGE" review "$@"' sh "$@"; }

t "the diff since the branch began, what is not committed included, with the new file's line numbers"
repository
model_script - <<'J'
{"text": "{\"summary\": \"Two words.\", \"findings\": []}", "repeat": true, "expect": [{"contains": "diff --git a/ä file.c b/ä file.c"}, {"contains": "    20 +twenty"}, {"contains": "       -20"}, {"contains": "    30 +thirty"}, {"path": "tools", "exists": false}]}
J
review
expect_exit 0
expect_out '0 findings. Two words.'
review main
expect_exit 0
expect_empty stderr
printf 'new\n' >repo/new && printf 'also\n' >"repo/also new"
review main
expect_exit 0
expect_contains stderr 'Warning: 2 untracked files are not part of it; `git add -N` takes them in'
git -C repo add -N new 'also new'
review main
expect_exit 0
expect_empty stderr
git -C repo rm -q --cached new 'also new' && rm repo/new "repo/also new"
review HEAD
expect_exit 1
expect_contains stderr 'script expectation failed'
review nothing
expect_exit 1
expect_contains stderr 'no commit nothing that HEAD has something in common with'
review --end-of-options
expect_exit 2
model_failures_expected

t "findings: the worst first, their place, a suggestion; nothing of a terminal's gets through"
repository
model_script - <<'J'
{"text": "Here it is:\n```json\n{\"summary\": \"It has problems.\", \"findings\": [{\"severity\": \"nit\", \"file\": \"ä file.c\", \"line\": 30, \"title\": \"A word\"}, {\"severity\": \"critical\", \"file\": \"ä file.c\", \"line\": 19, \"endLine\": 20, \"title\": \"No number\\u001b[31m\", \"body\": \"It breaks.\\nAlways.\", \"suggestion\": \"19\\n20\\n\"}, {\"severity\": \"major\", \"file\": \"other.c\", \"line\": 3, \"title\": \"Elsewhere\"}]}\n```"}
J
review -c 'numbers were meant'
expect_exit 0
expect_out 'ä file.c:19-20: critical: No number\x1b[31m
  It breaks.
  Always.
  suggestion:
  | 19
  | 20

other.c:3: major: Elsewhere

ä file.c:30: nit: A word

3 findings. It has problems.'
model_journal 0.body.messages.0.content.0.text >sent
grep -q 'The author says: numbers were meant' sent || fail "the context was not sent"

t "--json"
repository
model_script - <<'J'
{"text": "{\"summary\": \"s\", \"findings\": [{\"severity\": \"major\", \"file\": \"ä file.c\", \"line\": 30, \"title\": \"t\"}, {\"severity\": \"minor\", \"file\": \"ä file.c\", \"line\": 1, \"title\": \"far\"}]}"}
J
review --json
expect_exit 0
expect_json stdout findings.0.file "ä file.c"
expect_json stdout findings.0.inDiff true
expect_json stdout findings.1.inDiff false

t "an answer that cannot be used goes back with what is wrong; three times at most"
repository
model_script - <<'J'
{"text": "Looks good to me."}
{"text": "{\"summary\": \"s\", \"findings\": [{\"severity\": \"terrible\", \"file\": \"a\", \"title\": \"t\"}]}", "expect": {"contains": "there is no JSON object in it"}}
{"text": "{\"summary\": \"Good.\", \"findings\": []}", "expect": {"contains": "findings.0.severity"}}
J
review
expect_exit 0
expect_out '0 findings. Good.'
model_script - <<'J'
{"text": "Looks good to me.", "repeat": 3}
J
review
expect_exit 1
expect_contains stderr "the model's findings cannot be used, after 3 tries"
expect_empty stdout

t "nothing has changed: no model is asked"
repository
git -C repo checkout -q -- .
git -C repo checkout -q main
model_script - <<'J'
{"text": "never"}
J
review
expect_exit 0
expect_out '0 findings. Nothing has changed.'
[ "$(model_journal '#')" = 0 ] || fail "the model was asked"
review --pending
expect_exit 2
review --pr 1 main
expect_exit 2

t "a pull request, and its findings as one pending review"
forge_start --seed rp1
export GITHUB_API_URL="$FORGE_URL"
model_script - <<'J'
{"text": "{\"summary\": \"Mostly good.\", \"findings\": [{\"severity\": \"major\", \"file\": \"src/auth.ts\", \"line\": 67, \"title\": \"Unchecked\", \"suggestion\": \"check();\"}, {\"severity\": \"minor\", \"file\": \"src/auth.ts\", \"line\": 9000, \"title\": \"Far away\"}]}", "repeat": true, "expect": {"contains": "diff --git a/src/auth.ts b/src/auth.ts"}}
J
run kedge review --pr 42 --repo rp1-run/rp1
expect_exit 0
expect_contains stdout 'src/auth.ts:67: major: Unchecked'
[ "$(forge_log 'method=POST' | grep -c /reviews)" = 0 ] || fail "it posted"
run kedge review --pr 42 --repo rp1-run/rp1 --pending --json
expect_exit 0
expect_json stdout findings.0.inDiff true
expect_json stdout findings.1.inDiff false
expect_contains stderr 'A pending review is at '
run curl -sS --noproxy '*' -H "Authorization: Bearer $GH_TOKEN" "$FORGE_URL/repos/rp1-run/rp1/pulls/42/reviews"
expect_contains stdout PENDING
expect_contains stdout 'Far away'
asked=$(model_journal '#')
run kedge review --pr 42 --repo rp1-run/rp1 --pending
expect_exit 1
expect_contains stderr 'you have a review of this pull request that is not sent yet'
[ "$(model_journal '#')" = "$asked" ] || fail "the model was paid for what cannot be posted"
run kedge review --pr 4242 --repo rp1-run/rp1
expect_exit 1
run kedge review --pr 42 --repo rp1
expect_exit 2
expect_contains stderr '--repo must be [HOST/]OWNER/REPO, not rp1'

t "no repository here, or no remote: what to say instead"
repository
review --pr 42
expect_exit 1
expect_contains stderr 'the remote origin names no repository on GitHub: use --repo OWNER/REPO'

done_testing
