# The four wire formats, each with the same conversation and the same troubles: agent-core §2.4–2.7.
. "$(dirname "$0")/lib.sh"

# use_wire NAME: provider `lab` speaks it to the scripted server; its model thinks.
use_wire() {
    _key="apiKey: lab-key-123456,"
    case $1 in
    anthropic) _api=anthropic-messages _base=$MODEL_URL ;;
    chat) _api=openai-completions _base=$MODEL_URL/v1 ;;
    responses) _api=openai-responses _base=$MODEL_URL/v1 ;;
    azure) _api=azure-openai-responses _base="$MODEL_URL/openai/v1?api-version=preview" ;;
    gemini) _api=google-generative-ai _base=$MODEL_URL/v1beta ;;
    vertex) _api=google-vertex _base=$MODEL_URL/v1/projects/p/locations/eu ;;
    esac
    unset ANTHROPIC_BASE_URL ANTHROPIC_API_KEY OPENAI_BASE_URL OPENAI_API_KEY
    mkdir -p "$HOME/.kedge/agent"
    cat >"$HOME/.kedge/agent/models.yml" <<Y
providers:
  lab:
    baseUrl: "$_base"
    api: $_api
    $_key
    models: [{ id: m1, reasoning: true, thinking: { mode: budget }, input: [text, image], contextWindow: 200000, maxTokens: 32000 }]
Y
}
alias_of() { case $1 in azure) echo responses ;; vertex) echo gemini ;; *) echo "$1" ;; esac }

for wire in anthropic chat responses gemini azure vertex; do
    t "core-116 $wire: five turns with tools; each request begins with the one before"
    model_script - <<'J'
{"thinking": "hm", "signature": "QUJDRA==", "text": "looking é", "tool_calls": [{"name": "bash", "arguments": {"command": "echo one-$((1 + 1))"}}, {"name": "bash", "arguments": {"command": "echo two; false"}}]}
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo three"}}], "expect": [{"last_tool_contains": "one-2"}, {"last_tool_contains": "two"}]}
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo four"}}], "expect": {"last_tool_contains": "three"}}
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo five"}}], "expect": {"last_tool_contains": "four"}}
{"text": "All done.", "usage": {"input": 40, "cacheRead": 60, "output": 7}, "expect": {"last_tool_contains": "five"}}
J
    use_wire $wire
    run kedge --model lab/m1:high -p "run them"
    expect_exit 0
    expect_out "All done."
    expect_empty stderr
    expect_model_done
    model_journal >"$E2E_TMP/run/journal"
    "${PYTHON:-python3}" - "$E2E_TMP/run/journal" "$(alias_of $wire)" <<'P' || fail "the requests differ"
import json, sys

entries, wire = json.load(open(sys.argv[1])), sys.argv[2]
key = {"responses": "input", "gemini": "contents"}.get(wire, "messages")


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if k != "cache_control"}
    return [plain(v) for v in value] if isinstance(value, list) else value


before = []
for entry in entries:
    messages = [json.dumps(plain(m)) for m in entry["body"][key]]
    assert messages[: len(before)] == before, entry["n"]
    before = messages
assert len(entries) == 5 and len(before) > 5
P
done

t "core-35 responses: reasoning, call and result are replayed as items"
model_script - <<'J'
{"thinking": "hm", "signature": "gAAAA-secret", "tool_calls": [{"id": "call_a", "name": "bash", "arguments": {"command": "echo one"}}]}
{"text": "done"}
{"text": "again"}
J
use_wire responses
run kedge --model lab/m1:high -p "go"
expect_out done
run kedge --model lab/m1:high -c -p "go on"
expect_out again
expect_request 1 path /v1/responses
expect_request 1 headers.authorization 'Bearer ***'
expect_request 1 body.input.-3.type reasoning
expect_request 1 body.input.-3.encrypted_content gAAAA-secret
expect_request 1 body.input.-2.type function_call
expect_request 1 body.input.-2.call_id call_a
expect_request 1 body.input.-2.id fc_1_1
expect_request 1 body.input.-1.type function_call_output
expect_request 1 body.input.-1.call_id call_a
expect_request 1 body.store false
expect_request 1 body.reasoning.effort high
expect_request 2 body.input.-5.encrypted_content gAAAA-secret # read back from the session's file
grep -rqF '"id":"call_a|fc_1_1"' "$HOME/.kedge/agent/sessions" || fail "the stored id"

t "serviceTier is OpenAI's"
model_script - <<'J'
{"text": "ok", "expect": {"path": "service_tier", "equals": "flex"}}
{"text": "ok", "expect": {"path": "service_tier", "exists": false}}
J
use_wire responses
printf 'serviceTier: flex\n' >"$HOME/.kedge/agent/config.yml"
run kedge --model lab/m1 -p hi
expect_out ok
rm "$HOME/.kedge/agent/config.yml"
run kedge --model lab/m1 -p hi
expect_out ok
expect_model_done

t "the models file of docs/models.md is understood"
sed -n '/^```yaml/,/^```/p' "$E2E_ROOT/docs/models.md" | grep -v '^```' >"$HOME/.kedge/agent/models.yml"
run env AZURE_OPENAI_API_KEY=k-0123456789 KEDGE_DISCOVERY_TIMEOUT_MS=1 kedge --list-models
expect_exit 0
expect_contains stdout "lab       coder-32b"
expect_contains stdout "azure     my-deployment"
expect_contains stdout "vertex    gemini-2.5-pro"
expect_empty stderr

t "retry.fallbackChains: another model goes on at once, and the chosen one rests"
model_script - <<'J'
{"status": 529, "when": {"path": "model", "equals": "m1"}, "repeat": true}
{"text": "from m2", "when": {"path": "model", "equals": "m2"}, "repeat": true}
J
use_wire chat
cat >>"$HOME/.kedge/agent/models.yml" <<Y
  other:
    baseUrl: "$MODEL_URL"
    api: anthropic-messages
    apiKey: other-key-123456
    models: [{ id: m2 }]
Y
cat >"$HOME/.kedge/agent/config.yml" <<'Y'
retry: { baseDelayMs: 60000, fallbackChains: { default: [nobody/m9, lab/m1, "other/m2:low"] } }
Y
run kedge --model lab/m1 --mode json -p hi
expect_exit 0
expect_contains stdout '"type":"retry_fallback_applied","from":"lab/m1","to":"other/m2","role":"default"'
expect_contains stdout '"type":"retry_fallback_succeeded","model":"other/m2","role":"default"'
expect_contains stdout 'from m2'
[ "$(model_journal '#')" = 2 ] || fail "$(model_journal '#') requests"
expect_request 1 path /v1/messages
cat >"$HOME/.kedge/agent/config.yml" <<'Y'
modelRoles: { slow: lab/m1 }
retry: { baseDelayMs: 60000, fallbackChains: { default: [nobody/m9], slow: [other/m2] } }
Y
run kedge --model kedge/slow --mode json -p hi
expect_exit 0
expect_contains stdout '"type":"retry_fallback_applied","from":"lab/m1","to":"other/m2","role":"slow"'
expect_contains stdout '"type":"retry_fallback_succeeded","model":"other/m2","role":"slow"'
sed -i 's/modelRoles: {/modelRoles: { default: lab\/m1,/; s/baseDelayMs: 60000/baseDelayMs: 1, maxRetries: 1/' "$HOME/.kedge/agent/config.yml"
run kedge --mode json --fail-on-error -p hi
expect_exit 1
expect_not_contains stdout retry_fallback_applied
rm "$HOME/.kedge/agent/config.yml"

t "azure and vertex: their addresses and keys"
model_script - <<'J'
{"text": "ok", "repeat": true}
J
use_wire azure
run kedge --model lab/m1 -p hi
expect_out ok
expect_request 0 path "/openai/v1/responses?api-version=preview"
expect_request 0 headers.api-key '***'
use_wire vertex
run kedge --model lab/m1 -p hi
expect_out ok
expect_request 1 path "/v1/projects/p/locations/eu/publishers/google/models/m1:streamGenerateContent?alt=sse"
expect_request 1 headers.authorization 'Bearer ***'

t "a conversation moves from each wire to each other"
model_script - <<'J'
{"thinking": "hm", "signature": "QUJDRA==", "tool_calls": [{"name": "bash", "arguments": {"command": "echo one"}}]}
{"text": "done"}
{"text": "moved", "repeat": true}
J
for wire in responses gemini chat anthropic responses; do
    use_wire $wire
    run kedge --model lab/m1:high -c -p "go on"
    expect_exit 0
done
expect_model_done

for wire in anthropic chat responses gemini; do
    t "$wire: small pieces, unknown events, both line ends"
    model_script - <<'J'
{"thinking": "hm", "text": "Grüße é 𝄞", "split_bytes": 3, "extra_events": true}
J
    use_wire $wire
    run kedge --model lab/m1 -p hi
    expect_exit 0
    expect_out "Grüße é 𝄞"

    t "core-110 $wire: an answer that is cut in a call runs nothing"
    model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "touch ran"}}], "chunk": 4, "truncate_before_stop": true, "repeat": true}
J
    use_wire $wire
    printf 'retry: { enabled: false }\n' >"$HOME/.kedge/agent/config.yml"
    run kedge --model lab/m1 --no-session -p hi
    rm "$HOME/.kedge/agent/config.yml"
    expect_exit 1
    [ ! -e ran ] || fail "the call ran"

    t "$wire: an error in the middle of the stream"
    model_script - <<'J'
{"text": "half an answer", "error_after": 4, "error": {"type": "invalid_request_error", "message": "no more of this"}}
J
    use_wire $wire
    run kedge --model lab/m1 -p hi
    expect_exit 1
    expect_contains stderr "no more of this"
    expect_empty stdout

    t "core-120 $wire: a storm of 429 and 529, with and without a time: waited for, within one budget"
    model_script - <<'J'
{"status": 529}
{"status": 429, "headers": {"Retry-After": "0"}}
{"status": 429}
{"text": "behind the storm"}
{"status": 529, "repeat": 4}
{"status": 429, "headers": {"Retry-After": "0"}, "repeat": 4}
J
    use_wire $wire
    printf 'retry: { baseDelayMs: 1 }\n' >"$HOME/.kedge/agent/config.yml"
    run kedge --model lab/m1 -p hi
    expect_exit 0
    expect_out "behind the storm"
    expect_matches stderr '^  retry 3/3 in 0\.0 s: HTTP 429'
    for status in 529 429; do
        run kedge --model lab/m1 --no-session -p hi
        expect_exit 1
        expect_empty stdout
        expect_lines stderr 4
        expect_matches stderr "^HTTP $status"
    done
    rm "$HOME/.kedge/agent/config.yml"
    expect_model_done

    t "$wire: a key that is refused is asked with once; its source is named"
    model_script - <<'J'
{"status": 401, "error": {"type": "authentication_error", "message": "no such key"}, "repeat": true}
J
    use_wire $wire
    run kedge --model lab/m1 -p hi
    expect_exit 1
    expect_lines stderr 1
    expect_contains stderr "no such key"
    expect_contains stderr "that was refused: models.yml"
    [ "$(model_journal '#')" = 1 ] || fail "asked $(model_journal '#') times"

    t "core-38 $wire: 429, then an answer"
    model_script - <<'J'
{"status": 429, "headers": {"Retry-After": "0"}}
{"text": "second"}
J
    use_wire $wire
    run kedge --model lab/m1 -p hi
    expect_exit 0
    expect_out second
    expect_model_done
done
done_testing
