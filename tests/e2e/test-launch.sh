#!/bin/sh
# Flags that choose what a run begins with and goes on with: messages as lines of standard input, the
# session that opened a pull request, models that stand in.
. "$(dirname "$0")/lib.sh"
need_kedge

# lines [ARG…]: kedge with the lines of our standard input as messages.
lines() {
    cat >"$E2E_TMP/lines"
    run -i "$E2E_TMP/lines" kedge --input-format json "$@"
}

# ---- --input-format json -----------------------------------------------------

t "--input-format json: each line is a message, sent when the one before is answered"
model_script - <<'J'
{"text": "one"}
{"text": "two"}
{"text": "three"}
{"text": "four"}
J
lines -p <<'J'
"plain text"
{"message": "as RPC has it", "images": [{"type": "image", "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "mimeType": "image/png"}]}

{"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "wrapped"}, {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"}}]}}
{"role": "user", "content": "a message"}
J
expect_exit 0
expect_out four
expect_empty stderr
expect_model_done
expect_request 0 body.messages.0.content.0.text "plain text"
expect_request 1 body.messages.2.content.0.text "as RPC has it"
expect_request 1 body.messages.2.content.1.source.media_type image/png
expect_request 2 body.messages.4.content.0.text wrapped
expect_request 2 body.messages.4.content.1.source.data R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7
expect_request 3 body.messages.6.content.0.text "a message"

t "--input-format json: words of the command line come first, and the last line needs no end"
model_script - <<'J'
{"text": "one"}
{"text": "two"}
J
printf '"second"' >"$E2E_TMP/lines"
run -i "$E2E_TMP/lines" kedge --input-format json --mode json first
expect_exit 0
expect_model_done
expect_request 0 body.messages.0.content.0.text first
expect_request 1 body.messages.2.content.0.text second
[ "$(grep -c '"type":"agent_end"' "$(path_of stdout)")" = 2 ] || fail "not two runs"

t "--input-format json: a line is read when it comes, not at the end of the input"
model_script - <<'J'
{"text": "one"}
{"text": "two"}
J
mkfifo "$E2E_TMP/pipe"
bg sh -c 'exec kedge -p --input-format json <"$1"' sh "$E2E_TMP/pipe"
exec 9>"$E2E_TMP/pipe"
echo '"first"' >&9
model_wait requests=1 idle=1
echo '{"message": "second"}' >&9
model_wait requests=2 idle=1
exec 9>&-
bg_end
expect_exit 0
expect_out two

t "--input-format json: a signal ends the wait for the next line"
model_script - <<'J'
{"text": "one"}
J
bg sh -c 'exec kedge --mode json --input-format json <"$1"' sh "$E2E_TMP/pipe"
exec 9>"$E2E_TMP/pipe"
echo '"first"' >&9
wait_for 60 grep -q '"type":"agent_end"' "$(path_of stdout)" || fail "no agent_end"
bg_signal TERM
bg_end
exec 9>&-
expect_exit 143

t "--input-format json: what is no message is told of with its line, and nothing after it is sent"
for bad in '{bad' '7' '{"role": "assistant", "content": "x"}' '{"message": 7}' '"  "' '{"role": "user", "content": [{"type": "video"}]}' '[]' \
    '{"message": "x", "images": [7]}'; do
    model_script - <<'J'
{"text": "one"}
{"text": "two"}
J
    printf '"good"\n%s\n"never"\n' "$bad" >"$E2E_TMP/lines"
    run -i "$E2E_TMP/lines" kedge -p --input-format json
    expect_exit 1
    expect_contains stderr "standard input, line 2: "
    [ "$(model_journal '#')" = 1 ] || fail "$bad: $(model_journal '#') requests"
done

t "--input-format json: without a message nothing is sent or written"
lines -p </dev/null
expect_exit 2
expect_contains stderr "No prompt."
printf '\n  \n' >"$E2E_TMP/lines"
run -i "$E2E_TMP/lines" kedge --mode json --input-format json
expect_exit 2
expect_empty stdout

t "--input-format json: a line over 64 MiB is refused"
head -c 68000000 /dev/zero | tr '\0' x >"$E2E_TMP/lines"
run -i "$E2E_TMP/lines" kedge -p --input-format json
expect_exit 1
expect_contains stderr "standard input, line 1: the line is larger than 64 MiB"
rm "$E2E_TMP/lines"

t "--input-format: what it does not go together with"
run kedge --mode rpc --input-format json
expect_exit 2
expect_contains stderr "--input-format"
run kedge -p --input-format json --json-schema x.json
expect_exit 2
expect_contains stderr "--json-schema and --input-format json"
run kedge -p --input-format yaml hi
expect_exit 2

# ---- --fallback-model --------------------------------------------------------

t "--fallback-model: the next one that there is goes on, for this run only"
model_script - <<'J'
{"status": 529, "when": {"path": "model", "equals": "m1"}, "repeat": true}
{"text": "from m2", "when": {"path": "model", "equals": "m2"}, "repeat": true}
J
mkdir -p "$HOME/.kedge/agent"
cat >"$HOME/.kedge/agent/models.yml" <<Y
providers:
  lab:
    baseUrl: "$MODEL_URL"
    api: anthropic-messages
    apiKey: lab-key-12345678
    models: [{ id: m1 }, { id: m2 }]
  keyless:
    baseUrl: "$MODEL_URL"
    api: anthropic-messages
    apiKey: KEY_THAT_IS_NOT_SET
    models: [{ id: m0 }]
Y
printf 'retry: { baseDelayMs: 60000, fallbackChains: { default: [lab/m9] } }\n' >"$HOME/.kedge/agent/config.yml"
run kedge --model lab/m1 --fallback-model "lab/m1, m2:low" --mode json -p hi
expect_exit 0
expect_contains stdout '"type":"retry_fallback_applied","from":"lab/m1","to":"lab/m2","role":"default"'
expect_contains stdout 'from m2'
[ "$(cat "$HOME/.kedge/agent/config.yml")" = "retry: { baseDelayMs: 60000, fallbackChains: { default: [lab/m9] } }" ] || fail "the settings changed"

t "--fallback-model: one that does not exist is an error, and nothing is sent"
run kedge --model lab/m1 --fallback-model "lab/m2,lab/nope-nope" -p hi
expect_exit 1
expect_contains stderr "--fallback-model: "
expect_contains stderr nope-nope
expect_empty stdout
rm "$HOME/.kedge/agent/config.yml" "$HOME/.kedge/agent/models.yml"

# ---- --from-pr ---------------------------------------------------------------

# opens N HOST/REPO: a session here in which the model's shell command opens that pull request.
opens() {
    mkdir -p "$HOME/bin"
    printf '#!/bin/sh\n[ "$1" != --version ] || exec echo gh version 2.92.0\necho "Creating pull request"\necho "https://%s/pull/%s"\n' "$2" "$1" >"$HOME/bin/gh"
    chmod +x "$HOME/bin/gh"
    model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "gh pr create --fill"}}]}
{"text": "opened"}
J
    PATH=$HOME/bin:$PATH run kedge --allow-writes -p "open it, $1"
    expect_exit 0
}

t "--from-pr: the session that opened the pull request goes on"
fresh_home
mkdir -p "$HOME/w" "$HOME/v"
cd "$HOME/w" || exit 1
opens 12 github.com/harbor/tidepool
opens 13 github.com/harbor/tidepool
for name in 12 '#12' harbor/tidepool#12 Harbor/Tidepool#12 https://github.com/harbor/tidepool/pull/12; do
    model_script hello.jsonl
    run kedge -p --from-pr "$name" "go on"
    expect_exit 0
    expect_empty stderr
    expect_request 0 body.messages.0.content.0.text "open it, 12"
done

t "--from-pr: which sessions it is not"
run kedge -p --from-pr 14 "go on"
expect_exit 1
expect_contains stderr "No session of this directory opened pull request 14."
run kedge -p --from-pr https://ghe.example.com/harbor/tidepool/pull/12 "go on"
expect_exit 1
expect_contains stderr "No session opened pull request https://ghe"
for wrong in x '#' 0 12x harbor#12 a/b/c#1 https://github.com/harbor/tidepool/issues/12; do
    run kedge -p --from-pr "$wrong" "go on"
    expect_exit 2
    expect_contains stderr "--from-pr $wrong: expected a number"
done
run kedge -p --from-pr 12 -c "go on"
expect_exit 2
run kedge -p --from-pr 12 --no-session "go on"
expect_exit 2
expect_contains stderr "--from-pr requires session persistence"

t "--from-pr: in another directory its number alone means nothing, and its name says where it is"
cd "$HOME/v" || exit 1
run kedge -p --from-pr 12 "go on"
expect_exit 1
expect_contains stderr "No session of this directory opened pull request 12."
run kedge -p --from-pr harbor/tidepool#12 "go on"
expect_exit 1
expect_contains stderr "is in another project ($HOME/w)"

done_testing
