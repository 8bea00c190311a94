#!/bin/sh
# Private text on its way into a public place, and ways to GitHub that a policy has closed.
E2E_DIR=$(cd "$(dirname "$0")/../e2e" && pwd)
. "$E2E_DIR/lib.sh"
need_kedge
need_gh
need curl

forge_start --seed rp1
export GITHUB_API_URL="$FORGE_URL"
settings() { mkdir -p "$HOME/.kedge/agent" && cat >"$HOME/.kedge/agent/config.yml"; }
asked() { forge_rows path | wc -l; }
model_script - <<'J'
{"text": "{\"summary\": \"Good.\", \"findings\": []}", "repeat": true}
J

t "the review reads a pull request where nothing forbids it"
run kedge review --pr 42 --repo rp1-run/rp1
expect_exit 0

t "gh.hostPolicy deny holds for the review, too, and nothing is asked"
settings <<'E'
gh: {hostPolicy: {"github.com/rp1-run/*": deny, "127.0.0.1": deny, "github.localhost": deny}}
E
before=$(asked)
for repo in github.com/rp1-run/rp1 rp1-run/rp1; do
    run kedge review --pr 42 --repo "$repo"
    expect_exit 1
    expect_contains stderr 'by gh.policy or gh.hostPolicy'
done
[ "$(asked)" = "$before" ] || fail "it was asked"

t "and for every other way without gh"
run kedge agent-tools github-pr fetch-comments --owner rp1-run --repo rp1 --pr-number 42
expect_contains stdout 'are disabled for'
run kedge wm add rp1-run/rp1/.wm/tasks/fix.md
expect_contains stderr 'reads are disabled for github.com/rp1-run/rp1'
[ "$(asked)" = "$before" ] || fail "it was asked"
rm "$HOME/.kedge/agent/config.yml"

# ---- private text into a public place ----

settings <<'E'
gh: {knownHosts: [github.localhost]}
E
unset GITHUB_API_URL
forge_start --web https://github.localhost
export GITHUB_API_URL="$FORGE_URL"
git config --global url."http://github.localhost/".insteadOf https://github.localhost/
git clone -q http://github.localhost/harbor/tidepool.git tidepool && cd tidepool || exit 1
git switch -q -c leak && git commit -q --allow-empty -m leak && echo more >>README.md && git commit -qam leak && git push -q -u origin leak || exit 1
curl -sS --noproxy '*' -H "Authorization: Bearer $GH_TOKEN" -d '{"title": "Combination", "body": "The safe opens with 4711."}' \
    "$FORGE_URL/repos/harbor/vault/issues" >/dev/null

# opening TITLE: the call that puts a text into a public repository.
opening() {
    echo "{\"name\": \"github\", \"arguments\": {\"op\": \"pr_create\", \"repo\": \"harbor/tidepool\", \"title\": \"$1\", \"body\": \"4711\", \"base\": \"main\", \"head\": \"leak\"}}"
}
refused='this conversation has read harbor/vault, which is not known to be public, and this writes to harbor/tidepool'
# then_opens READ WORDS [KEDGE-ARG…]: a model that makes the call READ, then opens a pull request, and gets WORDS for it.
then_opens() {
    _read=$1 _words=$2 && shift 2
    printf '{"tool_calls": [%s]}\n{"tool_calls": [%s]}\n{"text": "ok", "expect": {"last_tool": true, "contains": "%s"}}\n' \
        "$_read" "$(opening Leak)" "$_words" | model_script -
    run kedge "$@" -p hi
    expect_exit 0
    expect_model_done
}

t "a pull request is opened unasked where only its own repository, or a public one, was read"
then_opens '{"name": "read", "arguments": {"path": "issue://harbor/tidepool/12"}}, {"name": "github", "arguments": {"op": "repo_view", "repo": "lindq/tidepool"}}' 'Created Pull Request'

# A checkout of the private one, beside that of the public one.
git init -q ../v && git -C ../v remote add origin http://github.localhost/harbor/vault.git

t "after a private one was read, at whatever door, it is refused where no one can be asked"
for read in '{"name": "read", "arguments": {"path": "issue://harbor/vault/1"}}' \
    '{"name": "github", "arguments": {"op": "search_issues", "query": "Combination", "repo": "harbor/vault"}}' \
    '{"name": "gh", "arguments": {"args": ["issue", "view", "1", "-R", "harbor/vault"]}}' \
    '{"name": "bash", "arguments": {"command": "gh issue view 1 -R harbor/vault"}}' \
    '{"name": "bash", "arguments": {"command": "export GH_REPO=harbor/vault; gh issue view 1"}}' \
    '{"name": "bash", "arguments": {"command": "cd ../v && gh issue view 1"}}' \
    '{"name": "bash", "arguments": {"command": "gh issue view 1", "cwd": "../v"}}' \
    '{"name": "bash", "arguments": {"command": "(cd ../v; sh -c \"kedge gh exec -- issue view 1\")"}}' \
    '{"name": "bash", "arguments": {"command": "cd ../v && kedge tool run read issue://1"}}' \
    '{"name": "bash", "arguments": {"command": "kedge gh exec -- issue view 1 -R harbor/vault"}}'; do
    # its gh is a kedge under a limit of memory, with which AddressSanitizer cannot start
    [ -n "${ASAN_OPTIONS:-}" ] && [ "${read%sh -c*}" != "$read" ] && continue
    then_opens "$read" "$refused"
done

t "and in the private checkout before a push from another one"
for push in 'git -C ../tidepool push origin leak' 'cd ../tidepool && git push'; do
    printf '{"tool_calls": [{"name": "read", "arguments": {"path": "issue://1"}}]}\n{"tool_calls": [{"name": "bash", "arguments": {"command": "%s"}}]}\n{"text": "ok", "expect": {"last_tool": true, "contains": "%s"}}\n' \
        "$push" "$refused" | model_script -
    run kedge --cwd ../v -p hi
    expect_exit 0
    expect_model_done
done

t "no flag answers for a person, and no door is looser: gh comments, a shell comments"
then_opens '{"name": "gh", "arguments": {"args": ["api", "repos/harbor/vault/issues/1"]}}' "$refused" --allow-writes
model_script - <<'J'
{"tool_calls": [{"name": "read", "arguments": {"path": "issue://harbor/vault/1"}}]}
{"tool_calls": [{"name": "gh", "arguments": {"args": ["issue", "comment", "12", "-R", "harbor/tidepool", "-b", "4711"]}}]}
{"tool_calls": [{"name": "bash", "arguments": {"command": "gh issue comment 8 -R harbor/tidepool -b 4711"}}], "expect": {"last_tool": true, "contains": "has read harbor/vault, which is not known to be public"}}
{"tool_calls": [{"name": "bash", "arguments": {"command": "kedge agent-tools github-pr submit-review --owner harbor --repo tidepool --pr-number 9 --body 4711 --event COMMENT"}}], "expect": {"last_tool": true, "contains": "has read harbor/vault, which is not known to be public"}}
{"text": "ok", "expect": {"last_tool": true, "contains": "has read harbor/vault, which is not known to be public"}}
J
run kedge --allow-writes -p hi
expect_exit 0
expect_model_done

t "a conversation that goes on later has still read it; a new one has not"
model_script - <<'J'
{"tool_calls": [{"name": "read", "arguments": {"path": "issue://harbor/vault/1"}}]}
{"text": "read"}
J
run kedge -p hi
expect_exit 0
printf '{"tool_calls": [%s]}\n{"text": "ok", "expect": {"last_tool": true, "contains": "%s"}}\n' "$(opening Later)" "$refused" | model_script -
run kedge --continue -p "go on"
expect_exit 0
expect_model_done
printf '{"tool_calls": [%s]}\n{"text": "ok", "expect": {"last_tool": true, "not_contains": "has read"}}\n' "$(opening Later)" | model_script -
run kedge -p "go on"
expect_exit 0
expect_model_done

t "an MCP server remembers for as long as it runs, and --allow-writes does not answer"
cat >"$E2E_TMP/requests" <<X
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"gh_issue_view","arguments":{"number":1,"repo":"harbor/vault"}}}
X
echo "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":$(opening Mcp)}" >"$E2E_TMP/write"
{ cat "$E2E_TMP/requests" && wait_for 60 grep -q '"id":2' told && cat "$E2E_TMP/write"; } | kedge mcp --allow-writes >told 2>&1
expect_contains told "$refused"

t "what reached the server: the one pull request, and no comment"
run curl -sS --noproxy '*' -H "Authorization: Bearer $GH_TOKEN" "$FORGE_URL/repos/harbor/tidepool/pulls?state=all&per_page=100"
[ "$(grep -o '4711' "$E2E_TMP/.state/stdout" | wc -l)" = 1 ] || fail "more were opened"
expect_not_contains stdout Mcp
run curl -sS --noproxy '*' -H "Authorization: Bearer $GH_TOKEN" "$FORGE_URL/repos/harbor/tidepool/issues/comments?per_page=100"
expect_not_contains stdout 4711

done_testing
