#!/bin/sh
# issue://, pr:// and run:// with the real gh against the forge: what is read, what is kept, what is said when the forge
# is away (github-tool §7).
. "$(dirname "$0")/lib.sh"
need_kedge
need_gh
forge_start

mkdir -p "$HOME/.kedge/agent"
printf 'gh:\n  knownHosts: [github.localhost]\n' >"$HOME/.kedge/agent/config.yml"
git config --global user.name Tester
git config --global user.email tester@example.com
git clone -q http://github.localhost/harbor/tidepool.git "$HOME/tidepool"
cd "$HOME/tidepool" || exit 1
git switch -q docs/usage # the branch of pull request 7
head=$(git rev-parse HEAD)

# reads URL TEXT…: all of it is in the answer
reads() {
    t "$1"
    run kedge tool run read "{\"path\":\"$1\"}"
    expect_exit 0
    shift
    for _text; do expect_contains stdout "$_text"; done
}

reads issue:// '# Issues in harbor/tidepool (open, up to 30)' '    issue://harbor/tidepool/12' '[Live listing for harbor/tidepool]'
reads issue://harbor/tidepool/12 '# Issue #12: Tide table prints 24:00 at midnight' '## Comments (2)' '[Fetched live]'
reads issue://12 '### @okoro · 2025-04-03T08:00:00Z' '[Cached: '
reads 'issue://github.localhost/harbor/tidepool/12' '# Issue #12:' '[Cached: '
reads 'pr://?state=merged' '- [merged] #3  @okoro'
reads "pr://?commit=$head" "# Pull Requests in harbor/tidepool with commit $head" '    pr://harbor/tidepool/7'
reads pr://9 '# Pull Request #9: Add moon phases' '## Review Comments (3)' 'Reply to: 2200000001' '[Diff: pr://harbor/tidepool/9/diff]'
reads 'pr://9?comments=0' '## Files (3)' '[Comments disabled]'
expect_not_contains stdout '## Reviews'
reads 'pr://9?comments' '## Review Threads (' 'src/moon.c:8 [' '```diff' 'Use a table here.' 'A table of what?'
expect_not_contains stdout '## Review Comments'
reads 'pr://9?file=src/moon.c' '## Review Threads (' 'Use a table here.'
expect_not_contains stdout '## Body'
reads 'pr://9?file=src/moon.c&line=9' '## Review Threads (1: ' '### src/moon.c:8-10 ['
reads 'pr://9?file=src/moon.c&line=400' 'No review comments on src/moon.c:400;'
reads pr://9/diff '# Pull Request Diff: harbor/tidepool#9 (3 files)' '2. src/moon.c  +15 -0  [added]'
reads pr://9/diff/1 '+Tide tables and the moon for small harbours.' '[Showing file 1/3: README.md]'
reads pr://9/diff/all:1-1 'diff --git a/README.md b/README.md' '[Full diff for pr://harbor/tidepool/9 (3 files)]'
reads pr://9/checks '- test [FAILURE]  (ci)' 'Explained: run://harbor/tidepool/16045200304/job/45280771208'
reads run://16045200302 '- test [failure]  job 45280771204' 'Step: 2. Run make test [failure]' 'Exit code: 2' \
    '- .github:31 [failure] Process completed with exit code 2.' 'FAIL clock_add(17:48, 372): got 24:00, want 00:00'
reads run://16045200302/job/45280771204 '## test [failure]' 'Exit code: 2'
[ "$(kedge tool run read '{"path":"run://16045200302/job/45280771204"}' | wc -c)" -le 4200 ] || fail "a job is explained in more than 4 KB"
reads pr://current '# Pull Request #7:'
reads pr://current/diff '# Pull Request Diff: harbor/tidepool#7 ('
reads 'pr://current?file=README.md' '# Pull Request #7:'

reads gh://harbor/tidepool/README.md@docs/usage '# tidepool' '[README.md of harbor/tidepool at docs/usage]'
reads gh://harbor/tidepool/README.md:1-1 '# tidepool'
reads gh://harbor/tidepool/src@main 'clock.c'

t "kedge read is the short form"
run kedge read issue://12
expect_exit 0
expect_contains stdout '# Issue #12:'

# refuses URL TEXT
refuses() {
    t "$1 is an error"
    run kedge tool run read "{\"path\":\"$1\"}"
    expect_exit 1
    expect_contains stderr "$2"
}
refuses issue://9999 'issue:// resolution failed: GraphQL: Could not resolve to an issue or pull request with the number of 9999.'
refuses pr://harbor/nope/1 "pr:// resolution failed: GraphQL: Could not resolve to a Repository with the name 'harbor/nope'."
refuses run://1 'run:// resolution failed: gh: Not Found (HTTP 404)'
refuses gh://harbor/tidepool/none.c@main 'gh:// resolution failed: gh: Not Found (HTTP 404)'
refuses pr://9/diff/4 'pr://harbor/tidepool/9/diff/4 is out of range; PR has 3 files.'

t "the cache is private, and lists what it holds"
run stat -c %a "$HOME/.kedge/cache/github-cache.db"
expect_out 600
run kedge gh cache list
expect_exit 0
expect_matches stdout '  issue://harbor/tidepool/12  with comments$'
expect_matches stdout '  pr://harbor/tidepool/9/diff$'
run kedge gh cache list --json
expect_contains stdout '"kind":"pr-diff"'

t "the forge was asked for each of these once"
forge_log kind=graphql >"$E2E_TMP/log"
run grep -c '"op": *"IssueByNumber"' "$E2E_TMP/log"
expect_out 1

t "a stop ends a read that waits for the forge, and the gh behind it"
forge_ctl POST /_forge/faults '{"match":{"kind":"graphql"},"times":1,"delay_ms":600000}' >/dev/null
kedge tool run read '{"path":"issue://harbor/tidepool/4"}' >"$E2E_TMP/stopped" 2>&1 &
pid=$!
asks() {
    for child in $(cat /proc/"$pid"/task/*/children 2>/dev/null); do
        [ "$(cat /proc/"$child"/comm 2>/dev/null)" = gh ] && echo "$child" >"$E2E_TMP/gh" && return 0
    done
    return 1
}
wait_for 60 asks || fail "gh was not started"
kill -s INT "$pid"
wait "$pid"
gone() { ! kill -0 "$(cat "$E2E_TMP/gh")" 2>/dev/null; }
wait_for 60 gone || fail "gh goes on"
forge_ctl DELETE /_forge/faults >/dev/null

t "what is kept is read without the forge, short forms by their whole address"
http_proxy=http://127.0.0.1:1 HTTP_PROXY=http://127.0.0.1:1 run kedge tool run read '{"path":"issue://harbor/tidepool/12"}'
expect_exit 0
expect_contains stdout '[Cached: '
printf 'github:\n  cache:\n    softTtlSec: 0\n' >>"$HOME/.kedge/agent/config.yml"
sleep 1
http_proxy=http://127.0.0.1:1 HTTP_PROXY=http://127.0.0.1:1 run kedge tool run read '{"path":"issue://harbor/tidepool/12"}'
expect_exit 0
expect_contains stdout '> WARNING: Live GitHub refresh failed; this issue content is cached and may be stale.'
expect_contains stdout '[WARNING: showing cached content from '

t "a broken cache is said, and the answer comes"
echo nonsense nonsense nonsense nonsense nonsense >"$HOME/.kedge/cache/github-cache.db"
rm -f "$HOME"/.kedge/cache/github-cache.db-*
run kedge tool run read '{"path":"issue://harbor/tidepool/12"}'
expect_exit 0
expect_contains stdout '# Issue #12:'
expect_contains stdout '`kedge gh cache clear` removes it'
run kedge gh cache list
expect_exit 1
run kedge gh cache clear
expect_exit 0
run kedge gh cache list
expect_exit 0
expect_empty stdout
run kedge gh cache
expect_exit 2

t "a session keeps what an answer was about, in its transcript and its page"
model_script - <<'SCRIPT'
{"tool_calls": [{"name": "read", "arguments": {"path": "issue://harbor/tidepool/12"}}]}
{"text": "It is about midnight."}
SCRIPT
run kedge -p "what is issue 12?"
expect_exit 0
id=$(kedge sessions list --json | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p' | head -n 1)
run kedge sessions show "$id"
expect_exit 0
expect_contains stdout 'GitHub: github.localhost/harbor/tidepool issue 12 https://github.localhost/harbor/tidepool/issues/12'
run kedge sessions export "$id" page.html
expect_exit 0
sed -n 's/.*id="data" type="application.json">\([^<]*\)<.*/\1/p' page.html | base64 -d | grep -q '"kind":"issue","number":12' || fail "the page does not hold it"

t "a model that takes images sees those that are attached, fetched with the token from the forge alone"
export GITHUB_API_URL="$FORGE_URL"
gh api repos/harbor/tidepool/issues/12/comments -f body="![moon]($FORGE_URL/user-attachments/assets/moon) ![p]($FORGE_URL/user-attachments/assets/page) ![x](https://evil.example/x.png)" >/dev/null
kedge gh cache clear >/dev/null
model_script - <<'SCRIPT'
{"tool_calls": [{"name": "read", "arguments": {"path": "issue://harbor/tidepool/12"}}]}
{"text": "A moon.", "expect": [{"contains": "iVBORw0KGgo"}, {"contains": "assets/page is not shown: what came is no image"}, {"not_contains": "x.png is not"}]}
SCRIPT
run kedge -p "what does issue 12 show?"
expect_exit 0
expect_out "A moon."
forge_log kind=blob >"$E2E_TMP/log"
run grep -c leaked_auth "$E2E_TMP/log"
expect_out 0

t "a person at the terminal is told that there are some"
run kedge read issue://harbor/tidepool/12
expect_exit 0
expect_contains stdout '[2 attached images are not shown: the reader of this takes no images'

done_testing
