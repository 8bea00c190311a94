#!/bin/sh
# The fifteen typed reads with the real gh against the forge: each answers, says what it touched, and changes
# nothing there (gh-policy §12.3).
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

# reads TOOL ARGUMENTS TARGET TEXT: the header names the target, the body holds the text
reads() {
    t "$1 $2"
    run kedge gh call "$1" "$2"
    expect_exit 0
    expect_matches stdout "^\[gh $3 read ok [0-9.]+KB\]"
    expect_contains stdout "$4"
}
repo=github.localhost/harbor/tidepool

reads gh_repo_view '{}' $repo '"nameWithOwner":"harbor/tidepool"'
reads gh_pr_view '{"number":9,"include_comments":true}' $repo '"title":"Add moon phases"'
reads gh_pr_list '{"state":"all","limit":2}' $repo '"number":13'
reads gh_pr_diff '{"number":7}' $repo 'diff --git a/README.md b/README.md'
reads gh_pr_checks '{"number":9}' $repo '"bucket":"fail"'
reads gh_pr_files '{"number":7}' $repo '"path":"README.md"'
reads gh_pr_current '{}' $repo '"number":7'
reads gh_issue_view '{"number":12}' $repo '"title":"Tide table prints 24:00 at midnight"'
reads gh_issue_list '{"label":"bug"}' $repo '"number":12'
reads gh_run_view '{"run_id":"16045200302","include_jobs":true}' $repo '"conclusion":"failure"'
reads gh_run_list '{"limit":2}' $repo '"databaseId":16045200305'
reads gh_run_logs_failed '{"run_id":"16045200302"}' $repo 'got 24:00, want 00:00'
reads gh_search_prs '{"query":"moon"}' github.localhost '"number":9'
reads gh_search_issues '{"query":"tide -label:enhancement"}' github.localhost '"number":12'
reads gh_api_get '{"endpoint":"repos/{owner}/{repo}"}' $repo '"full_name":"harbor/tidepool"'

t "fifteen lines in the audit log, all of them reads that ran"
run kedge gh audit --class read --policy auto
expect_exit 0
expect_lines stdout 15
expect_not_contains stdout "exit=-"

t "the forge was asked to change nothing"
forge_log kind=rest >"$E2E_TMP/log"
run grep -cE '"method": *"(POST|PUT|PATCH|DELETE)"' "$E2E_TMP/log"
expect_out 0

# ---- a clone of a fork: "this repository" is the parent, at every door ----

git clone -q http://github.localhost/lindq/tidepool.git "$HOME/fork"
cd "$HOME/fork" || exit 1
git remote add upstream http://github.localhost/harbor/tidepool.git

# door NAME TEXT COMMAND…: what it prints shows the parent
door() {
    t "in a fork, $1 takes the parent"
    _text=$2
    shift 2
    run "$@"
    expect_exit 0
    expect_contains stdout "$_text"
}
door "an address" "Tide table prints 24:00 at midnight" kedge read issue://12
door "exec" "[gh $repo read ok" kedge gh exec -- issue view 12 --json title
door "a typed read" "[gh $repo read ok" kedge gh call gh_issue_view '{"number":12}'
door "the tool github" "# harbor/tidepool" kedge github repo_view
door "a search" "Repository: harbor/tidepool" kedge github search_issues --query midnight
t "in a fork, a new pull request is for the parent, and the question says so"
run kedge github pr_create --title Moon --head lindq:moon
expect_exit 77
expect_contains stderr 'creates pull request "Moon" from "lindq:moon" in harbor/tidepool'
t "what is kept of issue://12 needs neither gh nor the network"
run env http_proxy=http://127.0.0.1:9 HTTP_PROXY=http://127.0.0.1:9 kedge read issue://12
expect_exit 0
expect_contains stdout "Tide table prints 24:00 at midnight"
t "?fresh asks all the same"
run env http_proxy=http://127.0.0.1:9 HTTP_PROXY=http://127.0.0.1:9 kedge read 'issue://12?fresh'
expect_exit 1
# forgets COMMAND…: a write at this door is not hidden by what is kept
forgets() {
    t "what is kept is forgotten by a write of $2 $3"
    run kedge read issue://12
    expect_contains stdout "[Cached: "
    run "$@"
    expect_exit 0
    run kedge read issue://12
    expect_contains stdout "[Fetched live]"
}
forgets kedge gh exec --yes -- issue comment 12 --body one
forgets kedge gh call --yes gh '{"args":["issue","comment","12","--body","two\\n\\n- and three"]}'
t "a body of gh gets real line breaks"
run gh issue view 12 --json comments
expect_contains stdout '"body":"two\n\n- and three"'
forgets kedge tool run gh '{"args":["api","repos/harbor/tidepool/issues/12/comments","-f","body=three"]}' --yes
t "a token that is not accepted: what helps is said, at every door"
_help="GitHub does not accept the token in GH_TOKEN"
run env GH_TOKEN=ghp_Wrong kedge gh exec -- issue view 12 --json title
expect_contains stderr "$_help"
run env GH_TOKEN=ghp_Wrong kedge github repo_view
expect_contains stderr "$_help"
run env GH_TOKEN=ghp_Wrong kedge read issue://12
expect_contains stderr "$_help"
t "gh repo set-default says otherwise"
git config remote.origin.gh-resolved base
run kedge gh exec -- repo view --json nameWithOwner
expect_contains stdout '{"nameWithOwner":"lindq/tidepool"}'
run kedge github repo_view
expect_contains stdout "# lindq/tidepool"
t "a policy for one owner binds that owner alone"
printf 'gh:\n  knownHosts: [github.localhost]\n  hostPolicy: {github.localhost/harbor: read-only}\n' >"$HOME/.kedge/agent/config.yml"
run kedge github pr_create --yes --title Moon --head moon --base no-such-branch
expect_not_contains stderr "read-only"
git config --unset remote.origin.gh-resolved
run kedge github pr_create --yes --title Moon --head lindq:moon
expect_exit 77

done_testing
