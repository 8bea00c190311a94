#!/bin/sh
# inspect_image: a model that sees answers questions about image files of a conversation whose own model
# need not (agent-tools §3.23), and the settings images.* (agent-core §5.6).
. "$(dirname "$0")/lib.sh"
. "$E2E_DIR/session.sh"
need_kedge

ROOT=$HOME/.kedge/agent/sessions
session_file() { find "$ROOT" -name '*.jsonl' | sort | tail -n 1; }

# use_models WIRE: `mock` has m1, which reads text, and `eyes`, at the same server on another wire, has one
# that sees.
use_models() {
    case $1 in
    chat) _api=openai-completions _base=$MODEL_URL/v1 ;;
    responses) _api=openai-responses _base=$MODEL_URL/v1 ;;
    gemini) _api=google-generative-ai _base=$MODEL_URL/v1beta ;;
    anthropic) _api=anthropic-messages _base=$MODEL_URL ;;
    esac
    mkdir -p "$HOME/.kedge/agent"
    cat >"$HOME/.kedge/agent/models.yml" <<Y
providers:
  mock:
    baseUrl: $MODEL_URL
    api: anthropic-messages
    apiKey: mock-key-123456
    models: [{ id: m1 }, { id: m2, input: [text, image] }]
  blind: { baseUrl: $MODEL_URL, api: anthropic-messages, apiKey: blind-key-123456, models: [{ id: b1 }] }
  eyes: { baseUrl: "$_base", api: $_api, apiKey: eyes-key-123456, models: [{ id: see, input: [text, image] }] }
Y
    unset ANTHROPIC_API_KEY ANTHROPIC_BASE_URL
}

# settings LINE…: the user's, with the tool.
settings() {
    { echo 'inspect_image: { enabled: true }'; printf '%s\n' "$@"; } >"$HOME/.kedge/agent/config.yml"
}

printf 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==' |
    base64 -d >dot.png

for wire in chat responses gemini anthropic; do
    t "$wire: the model of role vision is asked; the conversation's gets its text, and no image"
    rm -rf "$ROOT"
    model_script - <<'J'
{"tool_calls": [{"id": "t1", "name": "inspect_image", "arguments": {"path": "dot.png", "question": "Which colour?"}}], "expect": {"contains": "inspect_image"}}
{"text": "It is red.", "usage": {"input": 1000, "output": 7}, "expect": [{"contains": "Which colour?"}, {"contains": "iVBORw0KGgo"}, {"not_contains": "what is in dot.png"}]}
{"text": "Red.", "expect": [{"last_tool_contains": "It is red."}, {"not_contains": "iVBORw0KGgo"}]}
J
    use_models $wire
    settings 'modelRoles: { vision: eyes/see }'
    run kedge --model mock/m1 --mode json -p "what is in dot.png?"
    expect_exit 0
    expect_contains stdout '"model":"eyes/see"'
    expect_contains stdout "\"imagePath\":\"$PWD/dot.png\",\"mimeType\":\"image/png\""
    expect_model_done
    expect_session "$(session_file)"
done

t "what it took is the session's, and counts in kedge stats"
expect_contains "$(session_file)" '"customType":"kedge.usage","data":{"purpose":"inspect_image","provider":"eyes","model":"see"'
run kedge stats --json
expect_exit 0
expect_json stdout overall.totalRequests 3

t "read tells of an image what inspect_image can be asked about; without the tool it shows it"
model_script - <<'J'
{"tool_calls": [{"id": "t1", "name": "read", "arguments": {"path": "dot.png"}}]}
{"text": "ok", "expect": [{"last_tool_contains": "Image metadata:\n- MIME: image/png\n- Bytes: 70 (70B)\n- Dimensions: 1x1\n- Channels: 4\n- Alpha: yes\n\nIf you want to analyze the image, call inspect_image with path=\"dot.png\" and a question"}, {"not_contains": "iVBORw0KGgo"}]}
{"tool_calls": [{"id": "t1", "name": "read", "arguments": {"path": "dot.png"}}]}
{"text": "ok", "expect": [{"last_tool_contains": "Read image file [image/png]"}, {"contains": "iVBORw0KGgo"}]}
J
use_models chat
run kedge --model mock/m2 -p "look at dot.png"
expect_out ok
run kedge --model mock/m2 --tools read -p "look at dot.png"
expect_out ok
expect_model_done

# refused TEXT [ARG…]: the call ends with that text, and nobody but the conversation's model was asked.
refused() {
    _text=$1
    shift
    model_script - <<'J'
{"tool_calls": [{"id": "t1", "name": "inspect_image", "arguments": {"path": "dot.png", "question": "Which colour?"}}]}
{"text": "ok", "expect": {"not_contains": "iVBORw0KGgo"}}
J
    use_models chat
    run kedge "$@" --mode json -p "what is in dot.png?"
    expect_exit 0
    expect_contains stdout "$_text"
    [ "$(model_journal '#')" = 2 ] || fail "$(model_journal '#') requests"
    expect_model_done
}

t "without a role no other provider is asked than the conversation's"
settings
refused "Resolved model blind/b1 does not support image input. Configure a vision-capable model for modelRoles.vision." --model blind/b1

t "a model of the conversation's provider that sees is asked"
model_script - <<'J'
{"tool_calls": [{"id": "t1", "name": "inspect_image", "arguments": {"path": "dot.png", "question": "Which colour?"}}]}
{"text": "It is red.", "expect": [{"path": "model", "equals": "m2"}, {"contains": "iVBORw0KGgo"}]}
{"text": "Red."}
J
use_models chat
run kedge --model mock/m1 -p "what is in dot.png?"
expect_out Red.
expect_model_done

t "unless a person has picked others to choose among"
settings 'enabledModels: [mock/m1, eyes/see]'
refused "Resolved model mock/m1 does not support image input." --model mock/m1

t "a provider that is disabled stays so"
settings 'modelRoles: { vision: eyes/see }' 'disabledProviders: [eyes]'
refused "Unable to resolve a model for inspect_image. modelRoles.vision: " --model mock/m2

t "an answer without text is an error"
model_script - <<'J'
{"tool_calls": [{"id": "t1", "name": "inspect_image", "arguments": {"path": "dot.png", "question": "Which colour?"}}]}
{"text": " "}
{"text": "ok", "expect": {"last_tool_contains": "inspect_image model returned no text output."}}
J
use_models chat
settings 'modelRoles: { vision: eyes/see }'
run kedge --model mock/m1 -p "what is in dot.png?"
expect_out ok
expect_model_done

t "an answer of any length is cut, and the rest is an artifact"
{ printf '{"tool_calls": [{"id": "t1", "name": "inspect_image", "arguments": {"path": "dot.png", "question": "Read it."}}]}\n'
  printf '{"text": "%s", "chunk": 0}\n' "$(yes 'a line of the image\n' | head -n 20000 | tr -d '\n')"
  printf '{"text": "ok", "expect": {"last_tool_contains": "artifact://0"}}\n'; } >long.jsonl
model_script "$PWD/long.jsonl"
use_models chat
run kedge --model mock/m1 -p "what is in dot.png?"
expect_out ok
expect_model_done
_size=$(model_journal 2.body.messages | wc -c)
[ "$_size" -lt 100000 ] || fail "$_size bytes"

t "Ctrl-C while the other model answers: its request is closed at once"
model_script - <<'J'
{"tool_calls": [{"id": "t1", "name": "inspect_image", "arguments": {"path": "dot.png", "question": "Which colour?"}}]}
{"text": "a partial answer that never ends", "stall_after": 3}
J
use_models chat
bg kedge --model mock/m1 -p "what is in dot.png?"
model_wait requests=2 events=9
bg_signal INT
bg_end
expect_exit 130
model_wait idle=1
[ "$(model_journal 1.disconnected)" = true ] || fail "the request was not closed"

t "images.blockImages: nothing is sent, by no way"
settings 'modelRoles: { vision: eyes/see }' 'images: { blockImages: true }'
refused "Image submission is disabled by settings (images.blockImages=true). Disable it to use inspect_image." --model mock/m2
model_script - <<'J'
{"tool_calls": [{"id": "t1", "name": "read", "arguments": {"path": "dot.png"}}], "expect": [{"contains": "[image removed: images.blockImages is set]"}, {"not_contains": "iVBORw0KGgo"}]}
{"text": "ok", "expect": {"not_contains": "iVBORw0KGgo"}}
J
use_models chat
run kedge --model mock/m2 --tools read -p @dot.png "what is it?"
expect_out ok
expect_file stderr "Warning: images.blockImages is set: 1 of the prompt stays here"
expect_model_done

t "a repository may block images, and not allow what its user has blocked"
mkdir .kedge
printf 'images: { blockImages: false }\n' >.kedge/config.yml
refused "Image submission is disabled by settings" --model mock/m2
printf 'images: { blockImages: true }\n' >.kedge/config.yml
settings
refused "Image submission is disabled by settings" --model mock/m2
rm -r .kedge

t "outside of a conversation there is no model; off unless it is set"
run kedge tool run inspect_image '{"path": "dot.png", "question": "Which colour?"}'
expect_exit 1
expect_contains stderr "No models available for inspect_image."
rm "$HOME/.kedge/agent/config.yml"
model_script - <<'J'
{"text": "ok", "expect": {"not_contains": "inspect_image"}}
J
use_models chat
run kedge --model mock/m2 -p hi
expect_out ok
expect_model_done

done_testing
