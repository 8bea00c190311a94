# Secrets of the process: taken at start, not to be had from outside, kept from children.
. "$(dirname "$0")/lib.sh"
need_kedge

shell() { run kedge tool run bash "$1" --yes; }
key=sk-ant-e2e-0123456789abcdef token=ghp_E2eTokenE2eTokenE2eTokenE2eTokenE2eT

# What a command of ours sees of the process that started it: the shell's parent has that as its own.
up='P=$(grep ^PPid: /proc/$PPID/status | tr -dc 0-9);'
look='{"command":"'$up' for f in environ cmdline; do tr \"\\0\" \"\\n\" </proc/$P/$f; done; true"}'

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
{"tool_calls": [{"name": "bash", "arguments": {"command": "P=$(grep ^PPid: /proc/$PPID/status | tr -dc 0-9); tr '\\0' ' ' </proc/$P/cmdline"}}]}
{"text": "done"}
X
run kedge --mode json --model anthropic/claude-sonnet-4-6 --api-key typed-key-0123456789 -p hi
expect_exit 0
expect_contains stdout "--api-key"
[ "$(model_journal 0.headers.x-api-key)" = '***' ] || fail "no key was sent"
expect_not_contains stdout typed-key

t "common-S01: another process of the same user may not look"
if [ "$(id -u)" -ne 0 ]; then
    shell '{"command":"'"$up"' cat /proc/$P/environ; cat /proc/$P/maps"}'
    expect_contains stderr "environ: Permission denied"
    expect_contains stderr "maps: Permission denied"
elif command -v setpriv >/dev/null && cp "$KEDGE" "$E2E_TMP/program/other" && chmod 711 "$E2E_TMP" &&
    mkdir -m 777 "$E2E_TMP/other" "$E2E_TMP/other/tmp"; then
    run setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$E2E_TMP/other" TMPDIR="$E2E_TMP/other/tmp" \
        "$E2E_TMP/program/other" tool run bash '{"command":"'"$up"' cat /proc/$P/environ; cat /proc/$P/maps"}' --yes --cwd /
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

# ---- masks -----------------------------------------------------------------

t "common-S02: values are masked in results, plain and encoded, and of files"
export GH_TOKEN=$token ANTHROPIC_API_KEY=$key
shell '{"command":"env | grep ^GH_TOKEN; printenv GH_TOKEN | base64; printenv GH_TOKEN | xxd -p 2>/dev/null || true"}'
expect_exit 0
expect_contains stdout 'GH_TOKEN=[REDACTED]'
expect_matches stdout '^\[REDACTED\]$'
expect_not_contains stdout E2eToken
expect_not_contains stdout "$(printf %s "$token" | base64 | cut -c 8-24)"
printf 'one\nkey: %s # %s\n' "$key" "$token" >keys.txt
run kedge read keys.txt
expect_contains stdout 'key: [REDACTED] # [REDACTED]'
run kedge grep key: keys.txt
expect_contains stdout 'key: [REDACTED] # [REDACTED]'
run kedge tool run read '{"path":"keys.txt"}' --json
expect_not_contains stdout 0123456789abcdef

t "common-S03: a key in two writes with a pause between"
shell '{"command":"printf %s ${GH_TOKEN%??????????}; sleep 0.3; echo ${GH_TOKEN#??????????????????????????????}"}'
expect_out '[REDACTED]'

t "a colour in the middle of a key does not hide it"
shell '{"command":"printf \"%s\\033[1m%s\\n\" ${GH_TOKEN%??????????} ${GH_TOKEN#??????????????????????????????}"}'
expect_out '[REDACTED]'

t "common-S02: the same in session, artifact and events; the provider gets its key, the model no value"
model_script - <<'X'
{"tool_calls": [{"name": "bash", "arguments": {"command": "seq 20000; cat keys.txt; printenv GH_TOKEN | base64"}}]}
{"text": "done", "expect": [{"not_contains": "E2eToken"}, {"last_tool_contains": "[REDACTED]"}]}
X
export ANTHROPIC_API_KEY=$key
run kedge --mode json hi
expect_exit 0
expect_model_done
expect_not_contains stdout E2eToken
expect_not_contains stdout 0123456789abcdef
expect_contains stdout '[REDACTED]'
! grep -rqs -e E2eToken -e 0123456789abcdef "$HOME/.kedge" || fail "in a file: $(grep -rls -e E2eToken -e 0123456789abcdef "$HOME/.kedge")"
grep -rqs 'REDACTED' "$HOME/.kedge/agent/sessions" || fail "no session with a mask"

t "what a person writes is sent as it is; session and events have the mask"
model_script - <<'X'
{"text": "thanks", "expect": [{"contains": "E2eToken"}]}
X
export ANTHROPIC_API_KEY=$key
run kedge --mode json "use $token please"
expect_exit 0
expect_model_done
expect_not_contains stdout E2eToken
! grep -rqs E2eToken "$HOME/.kedge" || fail "in a file"
[ "$(grep -c 'the prompt holds a secret that kedge knows' "$(path_of stderr)")" = 1 ] || fail "not warned once"

t "a token in a remote URL is masked, also in the deltas of an answer, and a prompt with it is warned of"
git init -q remote && cd remote || exit 1
git remote add origin https://x-access-token:remote-token-4711@github.localhost/o/r
git remote add own https://annmarielee@github.localhost/annmarielee/r
model_script - <<'X'
{"tool_calls": [{"name": "bash", "arguments": {"command": "git remote -v"}}]}
{"text": "It is remote-token-4711, I think.", "chunk": 3, "expect": [{"last_tool_contains": "x-access-token:[REDACTED]@github"}, {"last_tool_contains": "annmarielee/r"}]}
{"text": "no secret here", "repeat": true}
X
run kedge --mode json "list the remotes"
expect_model_done
expect_not_contains stderr "the prompt holds"
expect_not_contains stdout remote-token
"${PYTHON:-python3}" - "$(path_of stdout)" <<'X' || fail "the deltas"
import json, sys
events = [json.loads(line).get("assistantMessageEvent", {}) for line in open(sys.argv[1])]
told = "".join(event.get("delta", "") for event in events if event.get("type") == "text_delta")
assert told == "It is [REDACTED], I think.", told
X
run kedge -p "why is remote-token-4711 refused?"
expect_contains stderr "the prompt holds a secret that kedge knows"
cd .. && rm -rf remote

t "errors are masked"
run kedge tool run bash "{\"command\":\"echo $token >&2; false\"}" --yes
expect_exit 1
expect_contains stderr '[REDACTED]'
expect_not_contains stderr E2eToken
run kedge --cwd "/no/$token" -p hi
expect_not_contains stderr E2eToken

t "--verbose names the key, and does not show it"
model_script - <<'X'
{"text": "ok"}
X
export ANTHROPIC_API_KEY=$key
run kedge --verbose -p hi
expect_contains stderr "key for anthropic: environment (ANTHROPIC_API_KEY)"
expect_not_contains stderr "$key"

t "a mask does not replace what it stands for"
run kedge tool run write '{"path":"keys.txt","content":"key: [REDACTED]"}' --yes
expect_exit 77
expect_contains stderr "stands for a masked secret"
run env KEDGE_EDIT_VARIANT=replace kedge tool run edit '{"path":"keys.txt","edits":[{"old_text":"one","new_text":"two [REDACTED]"}]}' --yes
expect_exit 77
run env KEDGE_EDIT_VARIANT=replace kedge tool run edit '{"path":"keys.txt","edits":[{"old_text":"one","new_text":"two"}]}' --yes
expect_exit 0
expect_contains keys.txt "key: $key # $token"
run kedge tool run write '{"path":"other.txt","content":"the mask is [REDACTED]"}' --yes
expect_exit 0

t "environments of processes are not read"
ln -s /proc/self link
for path in /proc/self/environ /proc/$$/environ link/environ /proc/self/root/proc/self/environ /proc/self/mem; do
    run kedge read "$path"
    expect_exit 77
    expect_contains stderr "can hold secrets of other programs"
done
for path in /proc/$$/environ /proc/$$ /proc; do
    run kedge grep HOME "$path"
    expect_exit 77
    expect_not_contains stdout "$HOME"
done
run kedge read /proc/self/status
expect_exit 0

# ---- texts of others -------------------------------------------------------

esc=$(printf '\033') rlo=$(printf '\342\200\256') tag=$(printf '\363\240\201\201')

t "common-S12: what others wrote is shown on stderr, not obeyed"
run kedge read "no$esc[2J$rlo$tag"
expect_exit 1
expect_contains stderr 'u202e'
expect_contains stderr 'u{e0041}'
for text in "$esc" "$rlo" "$tag"; do expect_not_contains stderr "$text"; done
run kedge "--cwd=no$esc[2J$rlo$tag" -p hi
expect_contains stderr 'no\x1b[2J\u202e\u{e0041}'
for text in "$esc" "$rlo" "$tag"; do expect_not_contains stderr "$text"; done

# ---- files of others -------------------------------------------------------

t "common-S06: a repository's model roles wait for trust, and that is said once"
mkdir .kedge
echo 'modelRoles: { default: theirs/model }' >.kedge/config.yml
model_script - <<'X'
{"text": "mine", "repeat": true}
X
run kedge -p hi
expect_out mine
[ "$(grep -c 'modelRoles' "$(path_of stderr)")" = 1 ] || fail "not said once"
rm -r .kedge

t "common-S07: context files, settings and .env of another user are not read; of root they are"
if [ "$(id -u)" -ne 0 ]; then
    skip "only root can give a file away"
else
    mkdir .kedge
    echo 'read: { defaultLimit: 1 }' >.kedge/config.yml
    echo 'follow theirs' >AGENTS.md
    echo 'KEDGE_MARK=theirs' >"$HOME/.kedge/agent/.env"
    chown 1002 AGENTS.md .kedge/config.yml "$HOME/.kedge/agent/.env"
    run kedge -p hi
    for file in AGENTS.md .kedge/config.yml; do
        [ "$(grep -c "not read, it belongs to uid 1002: $PWD/$file" "$(path_of stderr)")" = 1 ] || fail "no notice of $file"
    done
    expect_contains stderr "not read, it belongs to uid 1002: $HOME/.kedge/agent/.env"
    case $(model_journal -1.body) in *"follow theirs"*) fail "AGENTS.md reached the model" ;; esac
    chown 0 AGENTS.md .kedge/config.yml "$HOME/.kedge/agent/.env"
    run kedge -p hi
    expect_not_contains stderr "not read"
    case $(model_journal -1.body) in *"follow theirs"*) ;; *) fail "AGENTS.md was not read" ;; esac
    rm -r .kedge AGENTS.md "$HOME/.kedge/agent/.env"
fi

t "common-S07: nothing is read where everybody can write"
echo 'follow anybody' >AGENTS.md
chmod 777 .
run kedge -p hi
expect_contains stderr "not read, everybody can write to its directory: $PWD/AGENTS.md"
case $(model_journal -1.body) in *"follow anybody"*) fail "AGENTS.md reached the model" ;; esac
chmod 755 .
rm AGENTS.md

done_testing
