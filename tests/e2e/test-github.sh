#!/bin/sh
# The ten operations of the github tool through `kedge github OP --flags`: the real gh and git against a
# GitHub-like server, what is printed, and what is true on the server afterwards.
. "$(dirname "$0")/lib.sh"
need_kedge
need_gh
need setsid

forge_start --web https://github.localhost
git config --global url."http://github.localhost/".insteadOf https://github.localhost/
git clone -q http://github.localhost/harbor/tidepool.git tidepool || exit 1
cd tidepool || exit 1
main=$(git rev-parse HEAD)

# The path of a worktree names the checkout's own path.
worktree_sed='s|/wt/[^/]*/pr-|/wt/@ENC@/pr-|g'

# ref REPO REF: the commit that a ref of the server has.
ref() {
    forge_ctl GET "/_forge/refs?repo=$1" >"$E2E_TMP/run/refs"
    json "$E2E_TMP/run/refs" "$2" 2>/dev/null
}

# asked QUERY: how many requests the server had.
asked() {
    forge_log "$1" >"$E2E_TMP/run/log"
    json "$E2E_TMP/run/log" '#'
}

# ---- repo_view, search -----------------------------------------------------

t "the first request, with all of today's tools, is at most 14 KB, and names only tools that are there"
model_script hello.jsonl
run kedge -p "hi"
expect_exit 0
[ "$(model_journal 0.body.tools.#)" = 11 ] || fail "the model got $(model_journal 0.body.tools.#) tools"
_size=$(model_journal 0.body | wc -c)
[ "$_size" -le 14000 ] || fail "the first request has $_size bytes"
model_journal 0.body | grep -q 'gh_pr_view\|issue://' && fail "names what is not there"

t "repo_view: the repository of the working directory"
run kedge github repo_view
expect_exit 0
expect_empty stderr
expect_golden stdout github/repo-view.out

t "repo_view: a named one, and its branch is only echoed"
run kedge github repo_view --repo=harbor/vault --branch dev
expect_exit 0
expect_contains stdout "# harbor/vault

Not for everyone

URL: https://github.localhost/harbor/vault
Default branch: main
Branch: dev
Visibility: PRIVATE"

t "repo_view --json: content, source and no error"
run kedge github repo_view --repo github.localhost/harbor/attic --json
expect_exit 0
expect_json stdout isError false
expect_json stdout content.# 1
expect_json stdout details.meta.source.value https://github.localhost/harbor/attic

t "search_issues: scope is this repository; pull requests are not in it"
run kedge github search_issues --query "is:open clock OR midnight" --limit 3
expect_exit 0
expect_contains stdout "Query: is:open clock OR midnight
Repository: harbor/tidepool"
run kedge github search_issues --query midnight
expect_golden stdout github/search-issues.out

t "search_issues: dates, a limit, and a query that names its scope itself"
run kedge github search_issues --since 2025-04-01 --until 2025-04-01T12:00:00+02:00 --limit 1
expect_exit 0
expect_contains stdout "Query: created:2025-04-01..2025-04-01T10:00:00Z"
expect_contains stdout "- #8 Show the moon"
run kedge github search_issues --query "moon repo:harbor/tidepool"
expect_exit 0
expect_not_contains stdout "Repository:"
expect_contains stdout "- #8 Show the moon"

t "search_issues: nothing found is no error"
run kedge github search_issues --query zzz
expect_exit 0
expect_out "# GitHub issues search

Query: zzz
Repository: harbor/tidepool
Results: 0

No issues found."

t "search_prs"
run kedge github search_prs --query is:merged --repo harbor/tidepool
expect_exit 0
expect_golden stdout github/search-prs.out

t "search_code"
run kedge github search_code --query clock_add --limit 2
expect_exit 0
expect_golden stdout github/search-code.out

t "search_commits"
run kedge github search_commits --query midnight --since 2025-04-01
expect_exit 0
expect_golden stdout github/search-commits.out

t "search_repos: no scope, no lookup"
since=$(asked)
run kedge github search_repos --query tide
expect_exit 0
expect_golden stdout github/search-repos.out
[ "$(asked)" = $((since + 1)) ] || fail "it took $(($(asked) - since)) requests"

t "what GitHub says about a bad query comes through"
run kedge github search_repos
expect_exit 1
expect_empty stdout
expect_file stderr "gh: Validation Failed (HTTP 422)
GitHub details:
- Search.q: missing"

# ---- pull requests ---------------------------------------------------------

t "pr_checkout asks, and nobody can be asked: refused, and nothing was done"
run setsid -w kedge github pr_checkout --pr 7
expect_exit 77
expect_empty stdout
expect_contains stderr 'refused: github (checks out pull request "7" into a worktree in harbor/tidepool)'
expect_contains stderr "--yes"
expect_no_file "$HOME/.kedge/wt"
[ "$(git branch --list pr-7)" = "" ] || fail "there is a branch pr-7"

t "pr_checkout: a worktree of its own, configured to push back"
run kedge github pr_checkout --pr 7 --yes
expect_exit 0
expect_golden stdout github/checkout.out "$worktree_sed"
tree7=$(sed -n 's/^Worktree: //p' "$(path_of stdout)")
[ "$(git -C "$tree7" rev-parse HEAD)" = "$(ref harbor/tidepool refs/heads/docs/usage)" ] || fail "not at the head"
[ "$(git rev-parse --abbrev-ref HEAD)" = main ] || fail "the working tree has moved"
[ "$(git status --porcelain)" = "" ] || fail "the working tree has changes"
git config --get-regexp '^branch\.pr-7\.' | sort >config7
expect_file config7 "branch.pr-7.kedgelease $(ref harbor/tidepool refs/heads/docs/usage)
branch.pr-7.merge refs/heads/docs/usage
branch.pr-7.ompprheadref docs/usage
branch.pr-7.omppriscrossrepository false
branch.pr-7.ompprmaintainercanmodify false
branch.pr-7.ompprurl https://github.localhost/harbor/tidepool/pull/7
branch.pr-7.pushremote origin
branch.pr-7.remote origin"
rm config7

t "pr_checkout: several at once, one of them from a fork, one reused"
run kedge github pr_checkout --pr 7 --pr 9 --yes
expect_exit 0
expect_golden stdout github/checkout-batch.out "$worktree_sed"
tree9=$(sed -n 's/^Worktree: \(.*pr-9\)/\1/p' "$(path_of stdout)")
expect_file "$tree9/src/moon.c"
[ "$(git remote get-url fork-lindq)" = http://github.localhost/lindq/tidepool ] || fail "$(git remote -v)"

t "pr_checkout: one of two fails, and what was made is named"
run kedge github pr_checkout --pr 7 --pr 999 --yes --json
expect_exit 1
expect_json stdout isError true
expect_json stdout details.checkouts.# 1
expect_json stdout details.checkouts.0.reused true
expect_contains stdout "## Failed\\n- 999: GraphQL: Could not resolve to a PullRequest"

t "pr_checkout: a branch of that name is in the way until --force"
git branch pr-11 main
run kedge github pr_checkout --pr 11 --yes
expect_exit 1
expect_file stderr "local branch pr-11 already exists at $(printf %.12s "$main"); pass force=true to reset it"
run kedge github pr_checkout --pr wip/json --force --yes
expect_exit 0
expect_contains stdout "# Checked Out Pull Request #11"
[ "$(git rev-parse pr-11)" = "$(ref harbor/tidepool refs/heads/wip/json)" ] || fail "pr-11 was not reset"

t "pr_push from the worktree reaches the fork, and the pull request there"
(cd "$tree9" && echo "The moon." >>README.md && git commit -qam "Say it again")
run kedge github pr_push --cwd "$tree9"
expect_exit 77
expect_contains stderr 'pushes the current branch to its pull request in lindq/tidepool'
run kedge gh audit --tool github
expect_contains stdout 'lindq/tidepool'
run kedge github pr_push --yes --cwd "$tree9"
expect_exit 0
expect_golden stdout github/push.out
[ "$(ref lindq/tidepool refs/heads/moon)" = "$(git rev-parse pr-9)" ] || fail "the fork's branch has not moved"
[ "$(gh pr view 9 --json headRefOid -q .headRefOid)" = "$(git rev-parse pr-9)" ] || fail "the pull request has not moved"

t "pr_push of rewritten commits needs the lease"
(cd "$tree9" && git commit -q --amend -m "Say it once")
run kedge github pr_push --yes --branch pr-9
expect_exit 1
expect_contains stderr "[rejected]"
[ "$(ref lindq/tidepool refs/heads/moon)" != "$(git rev-parse pr-9)" ] || fail "it was pushed"
run kedge github pr_push --yes --branch pr-9 --force-with-lease
expect_exit 0
expect_contains stdout "Force with lease: true"
[ "$(ref lindq/tidepool refs/heads/moon)" = "$(git rev-parse pr-9)" ] || fail "it was not pushed"

t "pr_push of a branch that no pr_checkout made"
run kedge github pr_push --yes
expect_exit 1
expect_file stderr "branch main has no PR push metadata; check it out via op: pr_checkout first"

t "pr_create: body with marks for line breaks, labels, reviewers; the body file is gone afterwards"
git switch -q -c fix/midnight
sed -i 's/sum > MIN/sum >= MIN/' src/clock.c
git commit -qam "clock: wrap at midnight"
run kedge github pr_create --title "clock: wrap at midnight" --yes
expect_exit 1
expect_contains stderr "must first push the current branch"
git push -q -u origin fix/midnight
run kedge github pr_create --yes --title "clock: wrap at midnight" --body "Was \`>\`.\n\nFixes #12" --label bug --label "area: clock" --reviewer okoro --assignee @me --base main --head fix/midnight
expect_exit 0
expect_golden stdout github/create.out 's/^Created: .*/Created: @TIME@/'
[ "$(ls "$TMPDIR")" = "" ] || fail "left in the temporary directory: $(ls "$TMPDIR")"
run gh pr view 14 --json title,body,headRefName,labels,reviewRequests,assignees,isDraft
expect_json stdout title "clock: wrap at midnight"
expect_json stdout headRefName fix/midnight
expect_json stdout labels.# 2
expect_json stdout reviewRequests.0.login okoro
expect_json stdout assignees.0.login alice
expect_contains stdout '"body":"Was `>`.\n\nFixes #12"'

t "pr_create: there is one already"
run kedge github pr_create --title again --body x --yes
expect_exit 1
expect_contains stderr "already exists"
expect_contains stderr "https://github.localhost/harbor/tidepool/pull/14"

t "pr_create --fill --draft takes title and body from the commits"
git switch -q -c wip/notes main
echo "Notes." >NOTES && git add NOTES && git commit -qm "Add notes" -m "They are short."
git push -q -u origin wip/notes
run kedge github pr_create --fill --draft --yes
expect_exit 0
expect_contains stdout "# Created Pull Request #15: Add notes"
expect_contains stdout "Draft: true"
expect_contains stdout "They are short."

t "pr_create: fill excludes a title; a title is needed without it"
run kedge github pr_create --fill --title x --yes
expect_exit 2
expect_file stderr "fill is mutually exclusive with title and body"
run kedge github pr_create --yes
expect_exit 2
expect_file stderr "title is required unless fill is true"
git switch -q main

# ---- run_watch -------------------------------------------------------------

t "run_watch: a run that has passed, by its id and by its URL"
run kedge github run_watch --run 16045200301
expect_exit 0
expect_golden stdout github/watch-run.out
cp "$(path_of stdout)" "$E2E_TMP/run/by-id"
run kedge github run_watch --run https://github.localhost/harbor/tidepool/actions/runs/16045200301/job/1
expect_exit 0
expect_file stdout "$(cat "$E2E_TMP/run/by-id")"

t "github-T186 run_watch: the runs of this commit, one failed: its log around the error, and exit 1"
run kedge github run_watch --tail 4
expect_exit 1
expect_golden stdout github/watch-commit-failed.out

t "run_watch: a run is followed until its last job ends"
forge_ctl POST /_forge/run '{"repo":"harbor/tidepool","branch":"docs/usage","workflow":"nightly",
    "jobs":[{"name":"quick","start_ms":0,"end_ms":1},{"name":"slow","start_ms":0,"end_ms":6000}]}' >"$E2E_TMP/run/run"
id=$(json "$E2E_TMP/run/run" id)
since=$(asked 'path=jobs')
run kedge github run_watch --run "$id" --json
expect_exit 0
expect_json stdout details.conclusion success
expect_json stdout details.status completed
expect_json stdout details.failedJobs '[]'
expect_json stdout details.watch.run.jobs.1.name slow
expect_json stdout details.watch.run.jobs.1.durationSeconds 6
expect_contains stdout "All jobs passed."
[ "$(asked 'path=jobs')" -ge $((since + 2)) ] || fail "it was not polled"

t "run_watch: a commit passes only when it has passed twice, 3 s apart"
since=$(asked "path=actions/runs$")
run kedge github run_watch --branch "feat/ü"
expect_exit 0
expect_contains stdout "# GitHub Actions for "
expect_matches stdout '^All workflow runs for this commit passed\.$'
[ "$(asked "path=actions/runs$")" = $((since + 2)) ] || fail "$(asked "path=actions/runs$") requests, before it $since"

t "run_watch on a terminal shows there what each poll finds new; stdout is the report alone"
forge_ctl POST /_forge/run '{"repo":"harbor/tidepool","branch":"docs/usage","workflow":"brief",
    "jobs":[{"name":"brief","start_ms":0,"end_ms":6000}]}' >"$E2E_TMP/run/run"
id=$(json "$E2E_TMP/run/run" id)
run "${PYTHON:-python3}" "$E2E_DIR/on-terminal.py" "" "" sh -c "exec kedge github run_watch --run $id >report"
expect_exit 0
expect_contains stdout "# Watching GitHub Actions Run #$id"
expect_contains stdout "Poll: 1"
expect_contains stdout "- [in_progress] brief"
expect_not_contains stdout "Poll: 2"
expect_contains stdout "- [success] brief"
expect_matches report "^# GitHub Actions Run #$id"
expect_not_contains report "Poll"
rm report

t "run_watch: the first failure, and what fails with it within 5 s"
forge_ctl POST /_forge/run '{"repo":"harbor/tidepool","branch":"wip/notes","workflow":"wide","jobs":[
    {"name":"one","start_ms":0,"end_ms":1,"conclusion":"failure","log":["one is broken"]},
    {"name":"two","start_ms":0,"end_ms":3000,"conclusion":"timed_out","log":["two hangs"]},
    {"name":"three","start_ms":0,"end_ms":null}]}' >"$E2E_TMP/run/run"
run kedge github run_watch --run "$(json "$E2E_TMP/run/run" id)"
expect_exit 1
expect_contains stdout "### one [failure]"
expect_contains stdout "one is broken"
expect_contains stdout "### two [timed_out]"
expect_contains stdout "two hangs"
expect_contains stdout "- [in_progress] three"
expect_matches stdout '^Run failed\.$'

t "run_watch: the whole report is printed, also where a model would get it cut"
lines=$(seq -s , -f '"line %03.0f'"$(printf '%0400d' 0)"'"' 300)
forge_ctl POST /_forge/run "{\"repo\":\"harbor/tidepool\",\"branch\":\"wip/notes\",\"workflow\":\"chatty\",\"jobs\":[
    {\"name\":\"chatty\",\"start_ms\":0,\"end_ms\":1,\"conclusion\":\"failure\",\"log\":[$lines]}]}" >"$E2E_TMP/run/run"
run kedge github run_watch --tail 999 --run "$(json "$E2E_TMP/run/run" id)"
expect_exit 1
expect_contains stdout "Last 200 log lines:"
expect_contains stdout "line 1020000"
expect_contains stdout "line 3000000"
expect_not_contains stdout "line 0990000"
[ "$(wc -c <"$(path_of stdout)")" -gt 80000 ] || fail "only $(wc -c <"$(path_of stdout)") bytes"

t "run_watch is ended by SIGINT at once, and gh with it"
since=$(asked 'path=16045200305/jobs')
is_polled() { [ "$(asked 'path=16045200305/jobs')" -gt "$since" ]; }
bg kedge github run_watch --run 16045200305
wait_for 60 is_polled || fail "it does not poll"
bg_signal INT
bg_end
expect_exit 130
expect_empty stdout
expect_file stderr "Operation aborted"
expect_no_strays

# ---- refusals and errors ---------------------------------------------------

t "arguments that no operation takes"
run kedge github
expect_exit 2
expect_contains stderr "usage: kedge github OP"
run kedge github repo_wiev
expect_exit 2
expect_contains stderr 'unknown operation "repo_wiev"; did you mean "repo_view"?'
run kedge github repo_view surplus
expect_exit 2
run kedge github repo_view --nope 1
expect_exit 2
expect_contains stderr "unknown option --nope"
run kedge github run_watch --tail many
expect_exit 2
expect_file stderr 'Error: --tail: expected a number, got "many"'

t "values that the operation refuses, before anything is asked"
since=$(asked)
run kedge github run_watch --tail 0
expect_exit 2
expect_file stderr "tail must be a positive number"
run kedge github search_issues --limit 0.5
expect_file stderr "limit must be a positive number"
run kedge github search_prs --since yesterday
expect_contains stderr "since: invalid date bound: yesterday."
run kedge github search_code --query x --since 3d
expect_contains stderr "search_code does not support since/until"
run kedge github search_code
expect_file stderr "query must not be empty"
run kedge github run_watch --run '#55'
expect_file stderr "run must be a numeric workflow run ID or a full GitHub Actions run URL"
run kedge github repo_view --repo=--web
expect_file stderr "invalid repo: --web. Expected owner/repo."
run kedge github pr_checkout --pr=--help --yes
expect_file stderr "invalid PR identifier: --help. Pass a PR number, URL, or branch name."
run kedge github repo_view --repo evil.example.com/harbor/tidepool
expect_contains stderr 'host "evil.example.com" is not a known host'
[ "$(asked)" = "$since" ] || fail "GitHub was asked"

t "the watched commit is not inferred from another repository's checkout"
run kedge github run_watch --repo harbor/vault
expect_exit 2
expect_contains stderr "Cannot infer the watched commit for harbor/vault: current checkout is harbor/tidepool."

t "a read-only token: GitHub's refusal"
FORGE_TOKEN=github_pat_ForgeReadOnly000000000_$(printf '%058d4' 0)
run env GH_TOKEN="$FORGE_TOKEN" kedge github pr_create --title x --head wip/json --base docs/usage --yes
expect_exit 1
expect_contains stderr "Resource not accessible by personal access token"
expect_not_contains stderr "$FORGE_TOKEN"

t "outside of any repository"
cd "$HOME/work" || exit 1
run kedge github repo_view
expect_exit 1
expect_file stderr "GitHub repository context is unavailable. Pass \`repo\` explicitly or run the tool inside a GitHub checkout."
run kedge github repo_view --repo harbor/attic
expect_exit 0
run kedge github pr_checkout --pr 7 --repo harbor/tidepool --yes
expect_exit 1
expect_file stderr "Current git repository is unavailable."

t "gh is not logged in"
run env -u GH_TOKEN kedge github repo_view --repo harbor/tidepool
expect_exit 1
expect_file stderr "GitHub CLI is not authenticated. Run \`gh auth login\`."

t "gh is not there"
run env PATH="$E2E_TMP/bin" kedge github repo_view --repo harbor/tidepool
expect_exit 1
expect_file stderr "GitHub CLI (gh) is not installed. Install it from https://cli.github.com/."

t "gh.hostPolicy of the user's settings refuses, whatever was answered"
mkdir -p "$HOME/.kedge/agent"
cat >"$HOME/.kedge/agent/config.yml" <<'Y'
gh:
  hostPolicy:
    github.localhost: read-only
Y
cd "$HOME/work/tidepool" || exit 1
run kedge github pr_checkout --pr 7 --yes
expect_exit 77
expect_contains stderr "refused: github"
run kedge github repo_view
expect_exit 0

done_testing
