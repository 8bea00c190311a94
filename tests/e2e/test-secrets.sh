# Secrets of the process: taken at start, not to be had from outside, kept from children.
. "$(dirname "$0")/lib.sh"
need_kedge

shell() { run kedge tool run bash "$1" --yes; }
key=sk-ant-e2e-0123456789abcdef token=ghp_E2eTokenE2eTokenE2eTokenE2eTokenE2eT

# What a command of ours sees of the process that started it.
look='{"command":"for f in environ cmdline; do tr \"\\0\" \"\\n\" </proc/$PPID/$f; done; true"}'

t "common-S01: environment block and arguments hold neither names nor values"
run env ANTHROPIC_API_KEY=$key GH_TOKEN=$token HARMLESS=yes kedge tool run bash "$look" --yes
expect_exit 0
expect_not_contains stdout "$key"
expect_not_contains stdout ANTHROPIC_API_KEY
expect_not_contains stdout "$token"
expect_not_contains stdout GH_TOKEN
expect_contains stdout kedge

t "the value of --api-key leaves the arguments, and is used"
model_script - <<'X'
{"tool_calls": [{"name": "bash", "arguments": {"command": "tr '\\0' ' ' </proc/$PPID/cmdline"}}]}
{"text": "done"}
X
run kedge --mode json --model anthropic/claude-sonnet-4-5 --api-key typed-key-0123456789 -p hi
expect_exit 0
expect_contains stdout "--api-key"
[ "$(model_journal 0.headers.x-api-key)" = '***' ] || fail "no key was sent"
expect_not_contains stdout typed-key

t "common-S01: another process of the same user may not look"
if [ "$(id -u)" -ne 0 ]; then
    shell '{"command":"cat /proc/$PPID/environ; cat /proc/$PPID/maps"}'
    expect_contains stderr "environ: Permission denied"
    expect_contains stderr "maps: Permission denied"
elif command -v setpriv >/dev/null && cp "$KEDGE" "$E2E_TMP/program/other" && chmod 711 "$E2E_TMP" &&
    mkdir -m 777 "$E2E_TMP/other" "$E2E_TMP/other/tmp"; then
    run setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$E2E_TMP/other" TMPDIR="$E2E_TMP/other/tmp" \
        "$E2E_TMP/program/other" tool run bash '{"command":"cat /proc/$PPID/environ; cat /proc/$PPID/maps"}' --yes --cwd /
    expect_contains stderr "environ: Permission denied"
    expect_contains stderr "maps: Permission denied"
else
    skip "root may read everything, and there is no setpriv"
fi

t "KEDGE_ALLOW_DEBUG leaves the process open, and says so"
run env KEDGE_ALLOW_DEBUG=1 kedge --version
expect_exit 0
expect_contains stderr KEDGE_ALLOW_DEBUG

t "a child gets GitHub's token and no provider's key"
run env ANTHROPIC_API_KEY=$key KEDGE_LAB_SECRET=$key GH_TOKEN=$token kedge tool run bash \
    '{"command":"echo ${ANTHROPIC_API_KEY-none} ${KEDGE_LAB_SECRET-none} ${#GH_TOKEN}"}' --yes
expect_out "none none 40"

t "common-S04: a variable that models.yml names stays with kedge"
mkdir -p "$HOME/.kedge/agent"
cat >"$HOME/.kedge/agent/models.yml" <<'X'
providers:
  lab: { baseUrl: "http://127.0.0.1:1/v1", api: openai-completions, apiKey: LAB_KEY, models: [{ id: m }] }
X
run env LAB_KEY=value-of-the-lab kedge tool run bash '{"command":"echo ${LAB_KEY-none}"}' --yes
expect_out none
run env LAB_KEY=value-of-the-lab kedge --list-models lab
expect_contains stdout m
rm "$HOME/.kedge/agent/models.yml"

t "common-S05: the runner's own tokens reach no child"
actions='ACTIONS_RUNTIME_TOKEN=aaaabbbb1 ACTIONS_RESULTS_URL=https://results.example/x ACTIONS_ID_TOKEN_REQUEST_TOKEN=aaaabbbb2 ACTIONS_ID_TOKEN_REQUEST_URL=https://id.example/y'
# shellcheck disable=SC2086
run env GITHUB_ACTIONS=true GITHUB_TOKEN=$token $actions kedge tool run bash '{"command":"env"}' --yes
expect_exit 0
expect_not_contains stdout ACTIONS_RUNTIME_TOKEN
expect_not_contains stdout ACTIONS_RESULTS_URL
expect_not_contains stdout ACTIONS_ID_TOKEN
expect_contains stdout GITHUB_TOKEN=
echo 'env: { pass: [ACTIONS_RUNTIME_TOKEN] }' >"$HOME/.kedge/agent/config.yml"
# shellcheck disable=SC2086
run env GITHUB_ACTIONS=true $actions kedge tool run bash '{"command":"env"}' --yes
expect_not_contains stdout ACTIONS_RUNTIME_TOKEN
echo 'env: { inherit: safe }' >"$HOME/.kedge/agent/config.yml"
# shellcheck disable=SC2086
run env GITHUB_ACTIONS=true GITHUB_TOKEN=$token HARMLESS=1 $actions kedge tool run bash '{"command":"env"}' --yes
expect_not_contains stdout GITHUB_TOKEN
expect_not_contains stdout HARMLESS
expect_contains stdout PATH=
rm "$HOME/.kedge/agent/config.yml"

done_testing
