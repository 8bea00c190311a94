#!/bin/sh
# lib.sh and run test themselves, without kedge: with curl against the model server, and with small
# tests of their own that are meant to fail.
. "$(dirname "$0")/lib.sh"
need curl git

# ask TEXT: what an agent would ask the model with.
ask() {
    run curl -sSN "$ANTHROPIC_BASE_URL/v1/messages" -H "x-api-key: $ANTHROPIC_API_KEY" \
        -H 'anthropic-version: 2023-06-01' -H 'content-type: application/json' \
        -d '{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"'"$1"'"}]}'
}

# inner NAME: writes the test NAME from stdin; it is run as a person would run it.
# shellcheck disable=SC2016
inner() {
    { echo '. "$E2E_DIR/lib.sh"' && cat; } >"$NAME_DIR/$1"
}
NAME_DIR=$HOME/work

t "the home is private and empty"
expect_contains "$GIT_CONFIG_GLOBAL" alice@example.com
[ "$PWD" = "$HOME/work" ] || fail "we stand in $PWD"
case $HOME in "$E2E_TMP"/*) ;; *) fail "HOME is $HOME" ;; esac
run git config --list --show-scope
expect_not_contains stdout system

t "the caller's credentials are gone"
inner env.sh <<'X'
t x; run env; expect_not_contains stdout leaked; expect_contains stdout LC_ALL=C.UTF-8; done_testing
X
run env GH_TOKEN=leaked GITHUB_TOKEN=leaked FOO_API_KEY=leaked OPENAI_BASE_URL=leaked https_proxy=leaked sh env.sh
expect_exit 0
expect_lines stdout 2

t "run keeps stdout, stderr and the exit status apart"
run sh -c 'echo out; echo err >&2; exit 7'
expect_exit 7
expect_out out
expect_file stderr err

t "run gives an empty stdin, a file, or ours"
run cat
expect_empty stdout
echo "from a file" >in.txt
run -i in.txt cat
expect_out "from a file"
echo "from a pipe" | run -i - cat
expect_out "from a pipe"

t "run ends what takes too long"
run -t 1 sleep 30
expect_exit 124

t "kedge is the binary that KEDGE names"
[ "$(readlink "$E2E_TMP/program/kedge")" = "$KEDGE" ] || fail "it is $(readlink "$E2E_TMP/program/kedge")"
[ "$(command -v kedge)" = "$E2E_TMP/bin/kedge" ] || fail "$(command -v kedge) is run"

t "a claim with a # in its name, expectations over several lines"
run printf 'a # b\nc\nd\n'
expect_contains stdout "c
d"
expect_not_contains stdout "d
c"
expect_matches stdout '^a # [a-z]$'

t "a skipped claim"
skip "as an example"
fail "never seen"

t "golden files: paths and ports are replaced, UPDATE=1 writes"
run printf '%s\n' "$HOME/x" "http://127.0.0.1:4711/y" "at 12:30"
UPDATE=1 expect_golden stdout self-test.out 's/[0-9]*:[0-9]*$/@TIME@/'
expect_golden stdout self-test.out 's/[0-9]*:[0-9]*$/@TIME@/'
expect_contains "$E2E_DIR/golden/self-test.out" "@HOME@/x"
expect_contains "$E2E_DIR/golden/self-test.out" "127.0.0.1:@PORT@/y"

t "values of JSON and of JSON lines"
printf '%s\n' '{"type":"a","n":[1,{"x":"y z"}]}' '{"type":"b","on":true}' >lines.jsonl
expect_json lines.jsonl 0.n.-1.x "y z"
expect_json lines.jsonl -1.on true
expect_json lines.jsonl "[type=a].n.#" 2
expect_json lines.jsonl 0.none "nothing at 0.none"

t "the model plays its script"
model_script hello.jsonl
ask hi
expect_exit 0
expect_contains stdout '"text":"Hello."'
expect_model_done

t "the journal has the request, without the key"
[ "$(model_journal 0.body.messages.0.content)" = hi ] || fail "$(model_journal)"
[ "$(model_journal 0.headers.x-api-key)" = '***' ] || fail "$(model_journal)"

t "a script in the test itself, for the other wire"
model_script --openai - --var answer=forty-two <<'X'
{"text": "It is ${answer}.", "expect": {"header": "authorization", "equals": "Bearer test-key"}}
X
[ -z "${ANTHROPIC_API_KEY:-}" ] || fail "the key of the other wire is still set"
run curl -sSN "$OPENAI_BASE_URL/chat/completions" -H "authorization: Bearer $OPENAI_API_KEY" \
    -d '{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}'
expect_contains stdout "forty-two"
expect_contains stdout "[DONE]"
expect_model_done

t "a cancelled request is seen as such"
model_script - <<'X'
{"text": "never ends", "stall_after": 2}
X
bg curl -sSN "$ANTHROPIC_BASE_URL/v1/messages" -H x-api-key:k -H anthropic-version:1 \
    -d '{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}'
model_wait requests=1 events=2
bg_signal INT
bg_end
expect_exit 130
model_wait idle=1
[ "$(model_journal 0.disconnected)" = true ] || fail "$(model_journal)"

t "a failed expectation of the script"
model_script - <<'X'
{"text": "no", "expect": {"last_user": true, "equals": "bye"}}
X
model_failures_expected
ask hi
expect_contains stdout "script expectation failed"
run model_failures
expect_contains stdout bye

t "a forge, with its controls and log"
if [ -f "$E2E_ROOT/tests/servers/forge.py" ]; then
    forge_start
    run curl -sS -H "authorization: Bearer $GH_TOKEN" http://api.github.localhost/user
    expect_json stdout login alice
    run forge_log kind=rest
    expect_json stdout 0.path /user
    run forge_ctl GET /_forge/faults
    expect_exit 0
    unset http_proxy HTTP_PROXY
else
    skip "no forge here"
fi

t "a failed claim says what was run, and fails the file; what was started has ended"
inner bad.sh <<'X'
model_script hello.jsonl
echo "$MODEL_URL $E2E_TMP" >"$LEFT"
t "good"; run true; expect_exit 0
t "bad"; run sh -c 'echo said; exit 3'; expect_exit 0; expect_out other
t "good again"
done_testing
X
export LEFT="$HOME/left"
run sh bad.sh
expect_exit 1
expect_contains stdout "not ok 2 - bad"
expect_contains stdout "#   exit status is 3, want 0"
expect_contains stdout "#   command: sh -c echo said; exit 3"
expect_contains stdout "#     | said"
expect_contains stdout "ok 3 - good again"
expect_contains stdout "1..3"
read -r url left <"$LEFT"
[ -d "$left" ] || fail "$left was removed"
rm -rf "$left"
run curl -sS "$url/_model/failures"
expect_exit 7

t "a script that was not fulfilled fails the file by itself"
inner unfulfilled.sh <<'X'
model_script hello.jsonl
t "asks too much"
curl -sS "$MODEL_URL/v1/nothing" -d '{}' >/dev/null
done_testing
X
run sh unfulfilled.sh
expect_exit 1
expect_contains stdout "ok 1 - asks too much"
expect_contains stdout "not ok 2 - the model's script holds"
rm -rf "$(sed -n 's/^# kept //p' "$E2E_TMP/.state/stdout")"

t "E2E_UNTIL ends a file after a claim"
inner until.sh <<'X'
t "one"; run true; expect_exit 0
t "two"; run true; expect_exit 0
t "three"; run true; expect_exit 1
done_testing
X
run env E2E_KEEP= E2E_UNTIL=wo sh until.sh
expect_exit 0
expect_contains stdout "ok 2 - two"
expect_contains stdout "1..2"

t "a test that ends too early says so"
inner early.sh <<'X'
t "x"
exit 0
X
run env E2E_KEEP= sh early.sh
expect_exit 1
expect_contains stdout "Bail out! early.sh ended before done_testing"
rm -rf "$(sed -n 's/^# kept //p' "$E2E_TMP/.state/stdout")"

t "skip_all leaves the whole file out"
inner skipped.sh <<'X'
need no-such-command
t "x"
done_testing
X
run sh skipped.sh
expect_exit 0
expect_out "1..0 # SKIP no no-such-command here"

t "the runner adds up, and fails when one fails"
run "$E2E_DIR/run" -j 3 env.sh bad.sh skipped.sh
expect_exit 1
expect_contains stdout "e2e: 3 passed, 1 failed"
expect_matches stdout '^ok     env: 1 ok'
expect_matches stdout '^not ok bad: 2 ok, 1 FAILED'
expect_matches stdout '^ok     skipped: skipped: no no-such-command'
expect_contains stdout "    not ok 2 - bad"
expect_not_contains stdout "good again"
rm -rf "$(sed -n 's/^ *# kept //p' "$E2E_TMP/.state/stdout")"

t "the runner prints TAP"
run "$E2E_DIR/run" --tap env.sh
expect_out "ok 1 - x
1..1"
run "$E2E_DIR/run" --tap env.sh skipped.sh
expect_contains stdout "    ok 1 - x
    1..1
ok 1 - env"
expect_contains stdout "ok 2 - skipped # SKIP"
expect_contains stdout "1..2"

done_testing
