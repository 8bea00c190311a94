#!/bin/sh
# Private text on its way into a public place, and ways to GitHub that a policy has closed.
E2E_DIR=$(cd "$(dirname "$0")/../e2e" && pwd)
. "$E2E_DIR/lib.sh"
need_kedge

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

done_testing
