#!/bin/sh
# `kedge wm add`, `update`, `upgrade`, `assign`, `status`, `logs` (task-engine §3.6–3.9, task-engine §3.14, §3.15).
. "$(dirname "$0")/lib.sh"
. "$E2E_DIR/wm.sh"
need_kedge
need git
forge_start
export GITHUB_API_URL=$FORGE_URL KEDGE_RAW_BASE_URL=$FORGE_URL/raw

# serve PATH BODY [STATUS [LOCATION]]: what the server answers there from now on; PATH is a regular expression.
serve() {
    printf '%s' "$2" >"$E2E_TMP/body"
    "${PYTHON:-python3}" - "$1" "$E2E_TMP/body" "${3:-200}" "${4:-}" >"$E2E_TMP/fault" <<'X'
import json, sys
path, body, status, location = sys.argv[1:]
fault = {"match": {"path": path}, "times": None, "status": int(status), "body": open(body, newline="").read()}
if location:
    fault["headers"] = {"Location": location}
print(json.dumps(fault))
X
    _curl -X POST "$FORGE_URL/_forge/faults" -H 'content-type: application/json' -d "@$E2E_TMP/fault" >/dev/null
}
serve_nothing() { forge_ctl DELETE /_forge/faults >/dev/null; }
asked() { forge_log "$1" >"$E2E_TMP/asked"; }
good='---
on: issues
---
Body.
'

t "add: of a repository, from workflows/, with the source recorded"
project
serve '^/raw/o/r/main/workflows/triage.md$' "$good"
run kedge wm add o/r/triage
expect_exit 0
expect_empty stdout
expect_contains stderr "Wrote .wm/tasks/triage.md
Updated .github/workflows/wm-agent.yml"
expect_file .wm/tasks/triage.md '---
source: "o/r/workflows/triage.md"
on: issues
---
Body.'
expect_contains $CALLER "  issues:"
asked 'path=^/raw'
expect_json "$E2E_TMP/asked" '0.auth' null

t "add: then from .wm/tasks/ at a ref; a source that is there stays"
serve '^/raw/o/r/v1/x/.wm/tasks/sub/fix.MD$' '---
source: "https://example.org/fix.md"
---
'
run kedge wm add o/r/sub/fix.MD@v1/x
expect_exit 0
expect_file .wm/tasks/fix.md '---
source: "https://example.org/fix.md"
---'

t "add: neither place has it; another status ends the search"
run env GH_TOKEN= GITHUB_TOKEN= kedge wm add o/r/none@v2
expect_exit 1
expect_contains stderr 'error: task "none.md" not found in o/r on v2 (tried workflows/ and .wm/tasks/)'
serve '^/raw/o/r/main/workflows/broken.md$' no 500
run kedge wm add o/r/broken
expect_exit 1
expect_contains stderr "error: HTTP 500 Internal Server Error from $FORGE_URL/raw/o/r/main/workflows/broken.md"

t "add: a private repository is asked with the token, and only GitHub gets it"
serve '^/repos/o/secret/contents/workflows/own.md$' '---
description: private
---
'
run kedge wm add o/secret/own
expect_exit 0
expect_contains .wm/tasks/own.md 'source: "o/secret/workflows/own.md"'
asked 'path=secret'
expect_contains "$E2E_TMP/asked" '/repos/o/secret/contents/workflows/own.md'
"${PYTHON:-python3}" -c '
import json, sys
rows = json.load(open(sys.argv[1]))
assert all((row["auth"] is not None) == row["path"].startswith("/repos/") for row in rows), rows
' "$E2E_TMP/asked" || fail "a token went to another place, or none to GitHub"

t "add: an address, with its query; CRLF stays CRLF"
serve '^/t/Triage\.md$' "$(printf -- '---\r\non: issues\r\n---\r\nB\r\n')"
run kedge wm add "$FORGE_URL/t/Triage.md?x=1"
expect_exit 0
printf -- '---\r\nsource: "%s/t/Triage.md?x=1"\r\non: issues\r\n---\r\nB\r' "$FORGE_URL" | cmp -s - .wm/tasks/Triage.md || fail "$(cat -A .wm/tasks/Triage.md)"

t "add: an address with a secret is not written into what will be committed"
serve '^/t/secret.md$' "$good"
run kedge wm add "$FORGE_URL/t/secret.md?token=GHSAT0AAAAAAB5JXY"
expect_exit 0
expect_contains stderr "wm: .wm/tasks/secret.md: no source recorded, the address holds a secret"
expect_not_contains .wm/tasks/secret.md source

t "add: a server that does not answer is waited for no longer than the person wants"
printf '{"match": {"path": "^/t/slow.md$"}, "times": null, "delay_ms": 600000}' >"$E2E_TMP/fault"
_curl -X POST "$FORGE_URL/_forge/faults" -d "@$E2E_TMP/fault" >/dev/null
is_asked() { asked 'path=^/t/slow' && [ "$(json "$E2E_TMP/asked" '#')" = 1 ]; }
bg kedge wm add "$FORGE_URL/t/slow.md"
wait_for 60 is_asked || fail "the server was not asked"
bg_signal INT
bg_end 60
expect_exit 130
expect_no_file .wm/tasks/slow.md

t "add: a local file records no source, and overwrites nothing without --force"
printf '%s' "$good" >../draft.md
run kedge wm add ../draft.md
expect_exit 0
expect_not_contains .wm/tasks/draft.md source
run kedge wm add ../draft.md
expect_exit 1
expect_contains stderr "error: .wm/tasks/draft.md already exists (use --force to overwrite)"
echo more >>../draft.md
run kedge wm add ../draft.md --force
expect_exit 0
expect_contains .wm/tasks/draft.md more

t "task-S07 add: an address that hides a path, or names nothing"
rm -rf .wm/tasks && mkdir -p .wm/tasks
serve '^/e/' "$good"
for address in 'e/..%2f..%2fx' 'e/%2e%2e' 'e/' '' 'e/a%00b' 'e/a%22b' 'e/.md' 'e/.hidden'; do
    run kedge wm add "$FORGE_URL/$address"
    expect_exit 1
    expect_contains stderr "error: cannot derive a task name from \"$FORGE_URL/$address\""
done
run kedge wm add ' '
expect_exit 2
[ -z "$(ls .wm/tasks)" ] || fail "written: $(ls .wm/tasks)"
[ ! -e x.md ] && [ ! -e ../x.md ] || fail "written outside"

t "add: http only to this machine, no login in an address, at most five redirects, none into this machine"
for address in http://example.org/x.md "http://127.0.0.1.example.org/x.md"; do
    run kedge wm add "$address"
    expect_exit 1
    expect_contains stderr "error: refusing insecure URL \"$address\""
done
run kedge wm add "http://me:pass@127.0.0.1:$FORGE_PORT/e/x.md"
expect_exit 1
expect_contains stderr "not a plain https address"
serve '^/hop/5.md$' "$good"
for n in 4 3 2 1 0; do serve "^/hop/$n.md\$" '' 302 "/hop/$((n + 1)).md"; done
serve '^/hop/start.md$' '' 301 /hop/0.md
run kedge wm add "$FORGE_URL/hop/0.md"
expect_exit 0
expect_contains .wm/tasks/0.md "source: \"$FORGE_URL/hop/0.md\""
run kedge wm add "$FORGE_URL/hop/start.md"
expect_exit 1
expect_contains stderr "more than 5 redirects"
serve '^/away.md$' '' 302 http://example.org/x.md
run kedge wm add "$FORGE_URL/away.md"
expect_exit 1
expect_contains stderr 'refusing insecure URL "http://example.org/x.md"'

t "add: what is no task, and what is too large"
serve '^/plain.md$' 'hello'
run kedge wm add "$FORGE_URL/plain.md"
expect_exit 1
expect_contains stderr "error: task file must start with YAML frontmatter (---): missing opening ---"
serve '^/yaml.md$' '---
a: [
---
'
run kedge wm add "$FORGE_URL/yaml.md"
expect_exit 1
expect_contains stderr "error: task frontmatter YAML: "
serve '^/gone.md$' 'x' 410
run kedge wm add "$FORGE_URL/gone.md"
expect_exit 1
expect_contains stderr "error: HTTP 410 Gone"
head -c 1100000 /dev/zero | tr '\0' a >../large.md
run kedge wm add ../large.md
expect_exit 1
serve '^/large.md$' "$(cat ../large.md)"
run kedge wm add "$FORGE_URL/large.md"
expect_exit 1
for file in plain yaml gone large; do expect_no_file .wm/tasks/$file.md; done

t "add: a frontmatter in braces takes no further line, and that is said"
serve '^/flow.md$' '---
{on: issues}
---
'
run kedge wm add "$FORGE_URL/flow.md"
expect_exit 1
expect_contains stderr "can be added to its frontmatter; add it by hand"

t "add: what compile refuses is not written, nor does it replace what is there"
serve '^/bad.md$' '---
on: issues
---
${{ secrets.X }}
'
run kedge wm add "$FORGE_URL/bad.md"
expect_exit 1
expect_not_contains stderr Wrote
expect_contains stderr 'error: .wm/tasks/bad.md: expression "secrets.X"'
expect_no_file .wm/tasks/bad.md
serve_nothing
serve '^/raw/o/r/main/workflows/triage.md$' "$good"
run kedge wm add o/r/triage
cp .wm/tasks/triage.md ../kept.md
serve_nothing
serve '^/raw/o/r/main/workflows/triage.md$' '---
on: issues
---
${{ secrets.X }}
'
for words in 'add o/r/triage --force' 'update triage'; do
    # shellcheck disable=SC2086
    run kedge wm $words
    expect_exit 1
    expect_contains stderr 'error: .wm/tasks/triage.md: expression "secrets.X"'
    cmp -s .wm/tasks/triage.md ../kept.md || fail "$words: it was replaced"
done
serve_nothing
run kedge wm compile
expect_exit 0

t "add: what a task imports comes along, but nothing that starts by being there"
serve '^/raw/o/r/v2/workflows/house.md$' '---
on: {push: }
imports: [shared/a.md, other.md, .github/workflows/evil.md, ../config.md]
---
{{#runtime-import? .github/workflows/ci.yml}}{{#if github.actor}}Go.{{/if}}
'
serve '^/raw/o/r/v2/workflows/shared/a.md$' '---
imports: [b.md]
---
A.
'
serve '^/raw/o/r/v2/workflows/shared/b.md$' 'B.
'
serve '^/raw/o/r/v2/config.md$' 'C.
'
serve '^/raw/o/r/v2/(workflows/other.md|.github/workflows/evil.md|.github/workflows/ci.yml)$' "$good"
run kedge wm add o/r/house@v2
expect_exit 1
expect_contains stderr 'house.md: line 4: imports "other.md": no such file: .wm/tasks/other.md'
[ ! -e .wm/tasks/shared ] && [ ! -e .wm/tasks/other.md ] || fail "something was written"
serve '^/raw/o/r/v3/workflows/house.md$' '---
on: {push: }
imports: [shared/a.md, ../config.md]
---
{{#runtime-import? .github/workflows/ci.yml}}{{#if github.actor}}Go.{{/if}}
'
serve '^/raw/o/r/v3/(workflows/shared/b|config).md$' 'B.
'
serve '^/raw/o/r/v3/workflows/shared/a.md$' '---
imports: [b.md]
---
A.
'
run kedge wm add o/r/house@v3
expect_exit 0
expect_file stderr "Wrote .wm/config.md
Wrote .wm/tasks/shared/b.md
Wrote .wm/tasks/shared/a.md
Wrote .wm/tasks/house.md
Updated .github/workflows/wm-agent.yml"
[ ! -e .github/workflows/ci.yml ] || fail "a workflow was written"
echo mine >.wm/tasks/shared/b.md
run kedge wm update house
expect_exit 0
expect_contains stderr "kept existing .wm/tasks/shared/a.md
kept existing .wm/config.md
Updated .wm/tasks/house.md"
expect_file .wm/tasks/shared/b.md mine
serve_nothing

t "add: not through a symlink that leads out"
project
mkdir ../elsewhere && rmdir .wm/tasks && ln -s "$PWD/../elsewhere" .wm/tasks
run kedge wm add ../draft.md
expect_exit 1
expect_contains stderr "a symlink leads out of the repository"
[ -z "$(ls ../elsewhere)" ] || fail "written outside"

t "update: nothing to do, and what cannot be done"
cd "$HOME/work" || exit
run kedge wm update
expect_exit 1
expect_contains stderr "error: .wm/tasks not found; run kedge wm init first"
project
task own 'on: issues'
run kedge wm update
expect_exit 0
expect_file stderr "No tasks with source: in frontmatter. Add tasks via kedge wm add <url | owner/repo/task | path> to record a source."
run kedge wm update nothing.md
expect_exit 1
expect_contains stderr 'error: unknown task "nothing"'
run kedge wm update own
expect_exit 1
expect_contains stderr 'error: task "own" has no source: field; cannot update'
task bad 'source: bad'
run kedge wm update bad
expect_exit 1
expect_contains stderr 'error: bad: invalid source "bad": expected https URL or owner/repo/path'

t "update: all that have a source, once each; the first error stops"
rm .wm/tasks/bad.md
task a 'source: o/r/workflows/a.md@v1'
task b "source: $FORGE_URL/b.md"
task c 'source: o/r/c.md'
serve '^/raw/o/r/v1/workflows/a.md$' '---
on: push
---
New.
'
serve '^/b.md$' "$good"
run kedge wm update a.md b a
expect_exit 0
expect_file stderr "Updated .wm/tasks/a.md
Updated .wm/tasks/b.md
Run: kedge wm compile"
expect_file .wm/tasks/a.md '---
source: "o/r/workflows/a.md@v1"
on: push
---
New.'
expect_contains .wm/tasks/b.md "source: \"$FORGE_URL/b.md\""
serve '^/raw/o/r/main/c.md$' 'x' 404
run env GH_TOKEN= kedge wm update
expect_exit 1
expect_contains stderr "error: c: HTTP 404 Not Found from $FORGE_URL/raw/o/r/main/c.md (source \"o/r/c.md\")"
expect_contains stderr "Updated .wm/tasks/b.md"
serve_nothing
serve '^/b.md$' 'none'
run kedge wm update b
expect_exit 1
expect_contains stderr "error: b: invalid markdown (frontmatter): missing opening ---"
task d 'source: http://example.org/d.md'
run kedge wm update d
expect_exit 1
expect_contains stderr 'error: d: fetch "http://example.org/d.md": refusing insecure URL'

t "update: local changes are kept without --force"
serve_nothing
serve '^/b.md$' "$good"
git init -q . && git add -A && git commit -qm tasks
echo mine >>.wm/tasks/b.md
run kedge wm update b
expect_exit 1
expect_contains stderr "error: b: local changes would be lost (use --force)"
expect_contains .wm/tasks/b.md mine
run kedge wm update b --force
expect_exit 0
expect_not_contains .wm/tasks/b.md mine

t "assign: adds the label"
serve_nothing
export GITHUB_REPOSITORY=harbor/tidepool
run kedge wm assign 12
expect_exit 0
expect_empty stdout
expect_empty stderr
asked 'method=POST&path=issues/12/labels'
expect_json "$E2E_TMP/asked" '-1.body.labels' '["agent"]'
run kedge wm assign '#12' --label "agent:working" --repo harbor/tidepool
expect_exit 0
for word in x 0 -4 1.5 ''; do
    run kedge wm assign -- "$word"
    expect_exit 2
    expect_contains stderr "error: issue number: \"$word\" is not a number"
done
run kedge wm assign 999
expect_exit 1
expect_contains stderr "error: GitHub API POST /repos/harbor/tidepool/issues/999/labels: HTTP 404"
run kedge wm assign 12 --repo nonsense
expect_exit 1
expect_contains stderr "error: invalid repo: nonsense"

t "status: open issues with any of the labels"
run kedge wm status
expect_exit 0
expect_json stdout '0.number' 12
expect_json stdout '#' 1
expect_contains stdout '"agent:working"'
asked 'path=^/search/issues'
expect_matches "$E2E_TMP/asked" 'per_page=50'
expect_contains "$E2E_TMP/asked" 'repo%3Aharbor%2Ftidepool'
run kedge wm status --all --json
expect_exit 0
expect_json stdout '0.repository' harbor/tidepool
expect_json stdout '0.state' open
asked 'path=^/search/issues'
expect_matches "$E2E_TMP/asked" 'per_page=30'
run "${PYTHON:-python3}" "$E2E_DIR/on-terminal.py" "" "" kedge wm status
expect_contains stdout "#12  "
expect_matches stdout '\[.*agent.*\]'

t "task-G10 logs: the runs of one issue, whole numbers"
serve '/actions/workflows/wm-agent.yml/runs' '{"total_count":2,"workflow_runs":[
 {"display_title":"WM Agent issues #42","created_at":"2026-04-20T10:00:00Z","html_url":"https://github.com/o/r/actions/runs/2"},
 {"display_title":"WM Agent issues #4","created_at":"2026-04-20T09:00:00Z","html_url":"https://github.com/o/r/actions/runs/1"}]}'
run kedge wm logs 4
expect_exit 0
expect_out "2026-04-20T09:00:00Z  WM Agent issues #4
  https://github.com/o/r/actions/runs/1"
expect_empty stderr
run kedge wm logs 7
expect_exit 0
expect_file stderr 'No runs whose title contains "#7" (showing last 40 runs):'
expect_lines stdout 4
run kedge wm logs seven
expect_exit 2

t "task-G09 the repository of the remote origin"
unset GITHUB_REPOSITORY
project
git init -q . && git remote add origin git@github.com:o/r.git
run kedge wm logs 4
expect_exit 0
asked 'path=wm-agent.yml'
expect_json "$E2E_TMP/asked" '-1.path' /repos/o/r/actions/workflows/wm-agent.yml/runs
expect_json "$E2E_TMP/asked" '-1.query' per_page=40
cd "$HOME/work" || exit
run kedge wm logs 4
expect_exit 1
expect_contains stderr "error: cannot determine the repository: set GITHUB_REPOSITORY, use --repo, or run inside a clone with a GitHub origin"

t "no token: said, with what to do"
mkdir -p "$HOME/empty"
run env GH_TOKEN= GITHUB_TOKEN= PATH="$E2E_TMP/bin:/usr/bin:/bin" GH_CONFIG_DIR="$HOME/empty" kedge wm status --repo o/r
expect_exit 1
expect_contains stderr "error: no GitHub token: set GH_TOKEN or GITHUB_TOKEN, or run gh auth login"

t "upgrade --pin: the reusable workflows are called at a commit, which a later one moves"
mkdir pinned && cd pinned && git init -q
run kedge wm init
expect_contains stderr "kedge wm upgrade --pin"
build=$(kedge wm version | sed -n 's/^commit: //p') # of a checkout of kedge's own repository, else nothing
expect_contains .github/workflows/wm-agent.yml "agent-run.yml@${build:-main}"
[ -n "$build" ] || expect_contains stderr "Not pinned: the workflows of kedge-dev/kedge are called at main, and the newest release is installed, in a job that writes."
sed -i '/reusable_ref:/d; /^  kedge_version:/d' .wm/config.yml
sed -i 's/^  runs_on:/  # kept\n  runs_on:/' .wm/config.yml
run env KEDGE_WM_REPO=harbor/tidepool GITHUB_API_URL="$FORGE_URL" kedge wm upgrade --pin
expect_exit 0
head=$(forge_ctl GET "/_forge/refs?repo=harbor/tidepool" | "$PICK" refs/heads/main -)
expect_contains stderr "workflow.reusable_ref: $head, which is main of harbor/tidepool now"
grep -q "reusable_ref: .*$head" .wm/config.yml || fail "not pinned: $(cat .wm/config.yml)"
expect_contains .wm/config.yml '# kept'
newest=$(_curl "$FORGE_URL/repos/harbor/tidepool/releases/latest" | "$PICK" tag_name -)
expect_contains stderr "workflow.kedge_version: $newest, its newest release"
expect_contains .github/workflows/wm-agent.yml "kedge_version: \"$newest\""
run env KEDGE_WM_REPO=harbor/tidepool kedge wm init
expect_contains stderr "Its workflows are those of harbor/tidepool at $head; kedge wm upgrade --pin moves that."
serve 'releases/latest$' '{"message":"Not Found"}' 404
run env KEDGE_WM_REPO=harbor/tidepool GITHUB_API_URL="$FORGE_URL" kedge wm upgrade --pin
expect_exit 0
expect_contains stderr "wm: no release of harbor/tidepool is known, and none is pinned (workflow.kedge_version): "
serve_nothing
sed -i "s/reusable_ref: .*/reusable_ref: abcdef6789012345678901234567890123456789/" .wm/config.yml
run env KEDGE_WM_REPO=harbor/tidepool GITHUB_API_URL="$FORGE_URL" kedge wm upgrade --pin
expect_exit 0
[ "$(grep -c "@$head" .github/workflows/wm-agent.yml)" = "$(grep -c 'uses: harbor/tidepool/' .github/workflows/wm-agent.yml)" ] || fail "not all are pinned"
run env KEDGE_WM_REPO=harbor/nothing GITHUB_API_URL="$FORGE_URL" kedge wm upgrade --pin
expect_exit 1
grep -q "reusable_ref: .*$head" .wm/config.yml || fail "not pinned: $(cat .wm/config.yml)"
cd .. || exit 1

t "upgrade: the extension of gh, under the name it was called by"
mkdir -p "$HOME/gh-bin"
printf '#!/bin/sh\n[ "$1" != --version ] || exec echo "gh version 2.50.0 (2024-05-29)"\necho "$*" >>"%s"\n' "$HOME/gh-calls" >"$HOME/gh-bin/gh"
chmod +x "$HOME/gh-bin/gh"
run env PATH="$HOME/gh-bin:$PATH" kedge wm upgrade
expect_exit 0
expect_empty stdout
expect_file stderr "Upgrading kedge gh extension...
gh extension upgrade completed."
expect_file "$HOME/gh-calls" "extension upgrade kedge"
ln -sf "$KEDGE" "$E2E_TMP/bin/gh-wm"
run env PATH="$HOME/gh-bin:$PATH" gh-wm upgrade
expect_exit 0
expect_file "$HOME/gh-calls" "extension upgrade kedge
extension upgrade wm"
printf '#!/bin/sh\necho "no extension matched"\necho "to speak of  " >&2\nexit 1\n' >"$HOME/gh-bin/gh"
run env PATH="$HOME/gh-bin:$PATH" kedge wm upgrade
expect_exit 1
expect_contains stderr "
no extension matched
to speak of
error: gh extension upgrade failed: exit status 1"
mkdir "$HOME/no-gh" && for tool in sh env timeout; do ln -s "$(command -v $tool)" "$HOME/no-gh/$tool"; done
run env PATH="$E2E_TMP/bin:$HOME/no-gh" kedge wm upgrade
expect_exit 1
expect_contains stderr "error: gh extension upgrade failed: gh not found on PATH"
done_testing
