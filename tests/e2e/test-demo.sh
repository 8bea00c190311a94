#!/bin/sh
# The main job from end to end, with the real gh, git and make: an issue is read, the bug mended and tested, a branch
# pushed, a pull request opened, its CI watched. Played against both wires, then as `make run` shows it (tools/demo).
. "$(dirname "$0")/lib.sh"
need_kedge
need_gh
need make cc setsid

prompt="fix issue 12 and open a pull request"
fixed="Issue 12 is fixed: \`clock_add\` in src/clock.c now wraps at midnight itself, so no tide is printed at 24:00. \`make test\` failed before and passes now."

# checkout: a new server, and a new clone to stand in.
checkout() {
    fresh_home
    forge_start --web https://github.localhost
    mkdir -p "$HOME/.kedge/agent"
    echo 'gh: {knownHosts: [github.localhost]}' >"$HOME/.kedge/agent/config.yml"
    git clone -q http://github.localhost/harbor/tidepool.git tidepool || exit 1
    cd tidepool || exit 1
}

# session_file: the only one.
session_file() { find "$HOME/.kedge/agent/sessions" -name '*.jsonl'; }

expect_pull_request() {
    forge_ctl GET '/_forge/refs?repo=harbor/tidepool' >"$E2E_TMP/run/refs"
    expect_json "$E2E_TMP/run/refs" refs/heads/fix/midnight "$(git rev-parse HEAD)"
    expect_json "$E2E_TMP/run/refs" refs/heads/main "$(git rev-parse main)"
    gh pr view 14 --json number,title,body,state,isDraft,headRefName,headRefOid,baseRefName,author,commits,files >pr.json
    expect_json pr.json state OPEN
    expect_json pr.json isDraft false
    expect_json pr.json title "clock: wrap at midnight, not behind it"
    expect_json pr.json headRefName fix/midnight
    expect_json pr.json baseRefName main
    expect_json pr.json headRefOid "$(git rev-parse HEAD)"
    expect_json pr.json author.login alice
    expect_json pr.json commits.# 1
    expect_json pr.json files '[{"additions":1,"deletions":1,"path":"src/clock.c"}]'
    expect_json pr.json body "\`clock_add\` let 24:00 through, because it wrapped only when the sum was *greater* than a day.

Tested with \`make test\`, which failed before.

Fixes #12"
    rm pr.json
}

expect_answer() {
    expect_out "$fixed

Pull request #14: https://github.localhost/harbor/tidepool/pull/14
Checks: build passed (ci, run 16045200306)"
}

# ---- Anthropic's wire ------------------------------------------------------

t "an issue becomes a pull request whose checks have passed"
checkout
model_script fix-issue.jsonl
run kedge -p "$prompt"
expect_exit 0
expect_answer
expect_empty stderr
expect_model_done

t "the branch, the pull request and its one commit are on the server"
expect_pull_request

t "the work tree holds the fix and nothing else, and the project's test passes"
run git status --porcelain --untracked-files=all
expect_empty stdout
run git show --format=%an:%s%n%b --stat=60 HEAD
expect_contains stdout "Alice:clock: wrap at midnight, not behind it
Fixes #12"
expect_contains stdout "1 file changed, 1 insertion(+), 1 deletion(-)"
run git diff HEAD~1
expect_contains stdout "-    if (sum > MINUTES_PER_DAY)
+    if (sum >= MINUTES_PER_DAY)"
run make test
expect_contains stdout "
ok"

t "the checks were watched to their end: the run is completed, and was seen so twice"
run gh run view 16045200306 --json status,conclusion,headBranch,headSha
expect_json stdout status completed
expect_json stdout conclusion success
expect_json stdout headSha "$(git rev-parse HEAD)"
forge_log 'path=actions/runs$' >"$E2E_TMP/run/log"
[ "$(json "$E2E_TMP/run/log" '#')" -ge 2 ] || fail "the runs were asked for less than twice"

t "the session is whole: header, 1 prompt, 8 answers, 9 results, each a line of JSON"
session=$(session_file)
expect_session "$session"
expect_json "$session" 0.cwd "$PWD"
for role in user:1 assistant:8 toolResult:9; do
    count=$(grep -c "\"role\":\"${role%:*}\"" "$session")
    [ "$count" = "${role#*:}" ] || fail "$count messages of ${role%:*}, want ${role#*:}"
done
expect_json "$session" -1.message.stopReason stop

t "nothing that was started is left, nor a temporary file"
expect_no_strays
left=$(find "$TMPDIR" -type f ! -path '*/gh-cli-cache/*')
[ -z "$left" ] || fail "left:" "$left"

t "the model got the tools, the checkout and its branch, and no credential"
model_journal 0.body >"$E2E_TMP/run/request"
for tool in read bash edit github find grep write; do
    expect_json "$E2E_TMP/run/request" "tools.[name=$tool].name" $tool
done
expect_contains "$E2E_TMP/run/request" "$PWD"
model_journal >"$E2E_TMP/run/journal"
expect_not_contains "$E2E_TMP/run/journal" "$GH_TOKEN"

# ---- OpenAI's wire ---------------------------------------------------------

t "the same over chat completions, as events: each line is JSON, tools start and end in pairs"
checkout
model_script --openai fix-issue.jsonl
run kedge --mode json -p "$prompt"
expect_exit 0
expect_empty stderr
expect_model_done
expect_json stdout 0.type session
expect_json stdout -1.type agent_end
starts=$(grep -c '^{"type":"tool_execution_start"' "$(path_of stdout)")
ends=$(grep -c '^{"type":"tool_execution_end"' "$(path_of stdout)")
[ "$starts:$ends" = 9:9 ] || fail "$starts starts, $ends ends"
expect_contains stdout "Pull request #14: https://github.localhost/harbor/tidepool/pull/14"
expect_pull_request
expect_no_strays

# ---- tools/demo ------------------------------------------------------------

t "tools/demo shows it: progress on stderr, the pull request and its checks last, nothing left behind"
fresh_home
mkdir "$E2E_TMP/demo"
# with no home, a hostile environment, and where possible as somebody who may write nowhere else
set --
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    set -- setpriv --reuid=65534 --regid=65534 --clear-groups
    chmod 777 "$E2E_TMP/demo" && chmod 711 "$E2E_TMP"
    "$@" test -x "$KEDGE" -a -r "$E2E_ROOT/tools/demo" -a -w "$E2E_TMP/demo" || { note "run as root" && set --; }
fi
run env -i PATH="$PATH" HOME=/nonexistent TMPDIR="$E2E_TMP/demo" MAKEFLAGS=--no-such-flag GH_HOST=wrong \
    GITHUB_TOKEN=wrong OPENAI_API_KEY=wrong HTTP_PROXY=http://127.0.0.1:1 "$@" "$E2E_ROOT/tools/demo" "$KEDGE"
expect_exit 0
expect_contains stdout "\$ kedge -p \"$prompt\"
$fixed

Pull request #14: https://github.localhost/harbor/tidepool/pull/14
Checks: build passed (ci, run 16045200306)"
[ "$(tail -n 1 "$(path_of stdout)")" = "Checks: build passed (ci, run 16045200306)" ] || fail "the last line is another"
expect_contains stderr "· bash  gh issue view 12"
expect_contains stderr "· edit  src/clock.c"
expect_contains stderr "· github  pr_create clock: wrap at midnight, not behind it"
expect_contains stderr "· github  run_watch"
expect_contains stderr "1 of 1 jobs done"
[ "$(ls -A "$E2E_TMP/demo")" = "" ] || fail "left behind: $(ls -A "$E2E_TMP/demo")"
expect_no_strays

t "tools/demo, interrupted: 143, and all that it started ends"
bg env TMPDIR="$E2E_TMP/demo" "$E2E_ROOT/tools/demo" "$KEDGE"
is_at_work() { grep -q 'bash  make test' "$(path_of stderr)"; }
wait_for 60 is_at_work || fail "it does not begin"
bg_signal TERM
bg_end
expect_exit 143
[ "$(ls -A "$E2E_TMP/demo")" = "" ] || fail "left behind: $(ls -A "$E2E_TMP/demo")"
expect_no_strays

t "tools/demo says what it has not got"
run "$E2E_ROOT/tools/demo" "$E2E_TMP/no-kedge"
expect_exit 1
expect_file stderr "tools/demo: no kedge at $E2E_TMP/no-kedge; build it with make"
expect_empty stdout

t "tools/demo: its exit status is kedge's"
printf '#!/bin/sh\necho "I am no kedge."\nexit 5\n' >"$E2E_TMP/bin/other" && chmod +x "$E2E_TMP/bin/other"
run env TMPDIR="$E2E_TMP/demo" "$E2E_ROOT/tools/demo" "$E2E_TMP/bin/other"
expect_exit 5
[ "$(tail -n 1 "$(path_of stdout)")" = "I am no kedge." ] || fail "the last line is another"

done_testing
