# `kedge login` and `kedge logout`: agent-core §2.11.
. "$(dirname "$0")/lib.sh"

lab() {
    unset ANTHROPIC_BASE_URL ANTHROPIC_API_KEY
    mkdir -p "$HOME/.kedge/agent"
    printf 'providers:\n  anthropic: { baseUrl: "%s" }\nretry: { baseDelayMs: 60000 }\n' "$MODEL_URL" \
        >"$HOME/.kedge/agent/models.yml"
}

t "a key from standard input is stored for its owner only, and used"
model_script - <<'J'
{"text": "hello", "expect": {"header": "x-api-key", "equals": "sk-ant-first-0123456789"}}
J
lab
run kedge --model anthropic/claude-sonnet-4-6 -p hi
expect_exit 1
expect_contains stderr 'kedge login anthropic'
printf 'sk-ant-first-0123456789\n' | run -i - kedge login anthropic
expect_exit 0
expect_empty stdout
expect_contains stderr "Stored a key for anthropic."
[ "$(stat -c %a "$HOME/.kedge/agent/agent.db")" = 600 ] || fail "mode"
run kedge --model anthropic/claude-sonnet-4-6 -p hi
expect_exit 0
expect_out hello
expect_model_done

t "the list says where keys come from, never what they are"
run env OPENAI_API_KEY=sk-openai-0123456789 kedge login
expect_exit 0
expect_contains stdout "anthropic     stored"
expect_contains stdout "openai        environment (OPENAI_API_KEY)"
! grep -q 0123456789 "$E2E_TMP/.state/stdout" || fail "a key is shown"

t "core-109 --verbose says where the key comes from, never what it is"
model_script - <<'J'
{"text": "ok", "repeat": true}
J
cp "$HOME/.kedge/agent/models.yml" kept
cat >"$HOME/.kedge/agent/models.yml" <<Y
providers:
  mock:
    baseUrl: $MODEL_URL
    api: anthropic-messages
    apiKey: MOCK_KEY
    models: [{id: m1}]
Y
verbose() { # SOURCE [COMMAND…]: that is where the key is from
    source=$1
    shift
    run "$@" kedge --verbose --model mock/m1 -p hi
    expect_exit 0
    expect_contains stderr "model: mock/m1"
    expect_matches stderr "^key for mock: $source\$"
    expect_not_contains stderr 0123456789
    expect_not_contains stdout 0123456789
}
verbose "environment .MOCK_KEY." env MOCK_KEY=mk-0123456789
sed -i 's/MOCK_KEY/mk-file-0123456789/' "$HOME/.kedge/agent/models.yml"
verbose models.yml env
printf 'mk-stored-0123456789' | run -i - kedge login mock
expect_exit 0
verbose stored env
run kedge --verbose --model mock/m1 --api-key mk-typed-0123456789 -p hi
expect_matches stderr '^key for mock: --api-key$'
expect_not_contains stderr 0123456789
run kedge logout mock
cp kept "$HOME/.kedge/agent/models.yml"

t "a second key takes over at once when the first meets a limit"
model_script - <<'J'
{"status": 429, "headers": {"Retry-After": "30"}, "when": {"header": "x-api-key", "equals": "sk-ant-first-0123456789"}}
{"text": "from the second", "when": {"header": "x-api-key", "equals": "sk-ant-second-0123456789"}}
J
lab
printf 'sk-ant-second-0123456789' | run -i - kedge login anthropic
expect_exit 0
run kedge --model anthropic/claude-sonnet-4-6 -p hi
expect_exit 0
expect_out "from the second"
expect_model_done

t "a key that is revoked in the middle: the stored other one goes on; the answers so far stay"
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo one"}}], "when": {"header": "x-api-key", "equals": "sk-ant-first-0123456789"}}
{"status": 401, "error": {"type": "authentication_error", "message": "invalid x-api-key"}, "when": {"header": "x-api-key", "equals": "sk-ant-first-0123456789"}, "repeat": true}
{"text": "from the second", "when": {"header": "x-api-key", "equals": "sk-ant-second-0123456789"}, "expect": {"last_tool_contains": "one"}}
J
lab
run kedge --model anthropic/claude-sonnet-4-6 -p hi
expect_exit 0
expect_out "from the second"
expect_model_done
[ "$(model_journal '#')" = 3 ] || fail "asked $(model_journal '#') times"

t "revoked, and there is no other: asked once, the key's source is named, the session goes on with another"
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo one"}}]}
{"status": 401, "error": {"type": "authentication_error", "message": "invalid x-api-key"}}
{"text": "with a new key", "expect": [{"last_tool_contains": "one"}, {"header": "x-api-key", "equals": "sk-env-new-0123456789"}]}
J
lab
kedge logout anthropic 2>/dev/null
run env ANTHROPIC_API_KEY=sk-env-old-0123456789 kedge --model anthropic/claude-sonnet-4-6 -p hi
expect_exit 1
expect_empty stdout
expect_lines stderr 1
expect_contains stderr 'HTTP 401: invalid x-api-key (authentication_error). The key that was refused: environment (ANTHROPIC_API_KEY); `kedge login anthropic` stores another.'
[ "$(model_journal '#')" = 2 ] || fail "asked $(model_journal '#') times"
run env ANTHROPIC_API_KEY=sk-env-new-0123456789 kedge --model anthropic/claude-sonnet-4-6 -c -p "go on"
expect_exit 0
expect_out "with a new key"
expect_model_done

t "every stored key refused: the one of the environment goes on, and that is said once"
model_script - <<'J'
{"status": 401, "error": {"type": "authentication_error", "message": "invalid x-api-key"}, "when": {"header": "x-api-key", "equals": "sk-ant-first-0123456789"}}
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo one"}}], "when": {"header": "x-api-key", "equals": "sk-env-0123456789"}}
{"text": "from the environment", "when": {"header": "x-api-key", "equals": "sk-env-0123456789"}}
J
lab
printf 'sk-ant-first-0123456789' | kedge login anthropic 2>/dev/null
run env ANTHROPIC_API_KEY=sk-env-0123456789 kedge --model anthropic/claude-sonnet-4-6 --mode json -p hi
expect_exit 0
expect_contains stdout '"text":"from the environment"'
expect_contains stdout '{"type":"notice","level":"warning","message":"anthropic refused the stored key; in use now: environment (ANTHROPIC_API_KEY). `kedge logout anthropic` removes what is stored.'
[ "$(grep -c 'refused the stored key' "$(path_of stdout)")" = 1 ] || fail "said more than once"
expect_not_contains stdout 0123456789
expect_model_done
[ "$(model_journal '#')" = 3 ] || fail "asked $(model_journal '#') times"
model_script - <<'J'
{"status": 401, "error": {"type": "authentication_error", "message": "invalid x-api-key"}, "when": {"header": "x-api-key", "equals": "sk-ant-first-0123456789"}}
{"text": "from the environment", "when": {"header": "x-api-key", "equals": "sk-env-0123456789"}}
J
lab
run env ANTHROPIC_API_KEY=sk-env-0123456789 kedge --model anthropic/claude-sonnet-4-6 -p hi
expect_exit 0
expect_out "from the environment"
expect_contains stderr 'Warning: anthropic refused the stored key; in use now: environment (ANTHROPIC_API_KEY). `kedge logout anthropic` removes what is stored.'
kedge logout anthropic 2>/dev/null

t "what cannot be a key, and who is no provider"
printf 'two words\n' | run -i - kedge login anthropic
expect_exit 2
expect_contains stderr "that is no key"
printf '' | run -i - kedge login anthropic
expect_exit 2
printf 'x' | run -i - kedge login nobody
expect_exit 1
expect_contains stderr 'unknown provider "nobody"'

t "logout removes them all"
for key in first second; do printf 'sk-ant-%s-0123456789\n' $key | kedge login anthropic 2>/dev/null; done
run kedge logout anthropic
expect_exit 0
expect_contains stderr "Removed 2 stored keys of anthropic."
! grep -qa 0123456789 "$HOME/.kedge/agent/agent.db"* || fail "a key is still in the file"
run kedge logout anthropic
expect_exit 1
run kedge login
expect_contains stdout "anthropic     -"
t "who interrupts the question on a terminal has one that shows what is typed"
cat >interrupted.py <<'P'
import os, pty, signal, subprocess, sys, termios
main, tty = pty.openpty()

def own():
    os.setsid()
    os.close(os.open(os.ttyname(tty), os.O_RDWR))  # becomes the controlling terminal

def shows():
    return bool(termios.tcgetattr(tty)[3] & termios.ECHO)

child = subprocess.Popen([sys.argv[1], "login", "anthropic"], stdin=tty, stdout=tty, stderr=tty, preexec_fn=own)
seen = b""
while b"not shown" not in seen:
    seen += os.read(main, 1024)
while shows():
    assert child.poll() is None, seen
os.write(main, b"sk-ant-half")
child.send_signal(signal.SIGINT)
assert child.wait(30) == -signal.SIGINT, child.returncode
assert shows()
P
run timeout 60 "${PYTHON:-python3}" interrupted.py "$KEDGE"
expect_exit 0

login_in_browser() { run timeout 60 "${PYTHON:-python3}" "$E2E_DIR/login_browser.py" "$KEDGE" "$1"; }

for way in browser address code key; do
    t "openrouter on a terminal: the key comes by the $way"
    login_in_browser $way
    expect_exit 0
    expect_contains stdout "Stored a key for openrouter."
    [ "$(stat -c %a "$HOME/.kedge/agent/agent.db")" = 600 ] || fail "mode"
    run kedge login
    expect_contains stdout "openrouter    stored"
    run kedge logout openrouter
    expect_contains stderr "Removed 1 stored key of openrouter."
done

t "openrouter: refused, a code of somebody else, nobody comes: said, and nothing is stored"
login_in_browser denied
expect_exit 1
expect_contains stdout "openrouter refused the login: access_denied"
login_in_browser stranger
expect_exit 1
expect_contains stdout "openrouter gave no key for the login: HTTP 403: Invalid code or code_verifier"
login_in_browser late
expect_exit 1
expect_contains stdout "there was no answer within"
login_in_browser interrupted
expect_exit 130
run kedge logout openrouter
expect_exit 1

t "openrouter without a terminal: a key from standard input, as for every provider"
printf 'sk-or-v1-piped-0123456789\n' | run -i - kedge login openrouter
expect_exit 0
expect_contains stderr "Stored a key for openrouter."

done_testing
