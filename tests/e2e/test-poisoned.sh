# A poisoned session always answers: sessions that crashes, other programs and hostile hands have left
# behind (tests/data/sessions), resumed on each wire, against a server that refuses invalid requests.
# safety §8.1, criterion C5. The file's bytes stay as they are; one request is enough.
. "$(dirname "$0")/lib.sh"
need_kedge

SESSIONS=$E2E_ROOT/tests/data/sessions

use_wire() {
    case $1 in
    anthropic) _api=anthropic-messages _base=$MODEL_URL ;;
    chat) _api=openai-completions _base=$MODEL_URL/v1 ;;
    responses) _api=openai-responses _base=$MODEL_URL/v1 ;;
    gemini) _api=google-generative-ai _base=$MODEL_URL/v1beta ;;
    esac
    mkdir -p "$HOME/.kedge/agent"
    cat >"$HOME/.kedge/agent/models.yml" <<Y
providers:
  lab:
    baseUrl: "$_base"
    api: $_api
    apiKey: lab-key-123456
    models: [{ id: m1, reasoning: true, thinking: { mode: budget }, input: [text, image], contextWindow: 200000, maxTokens: 32000 }]
Y
}

# needed FILE: the rules that the report of `kedge sessions check --json` in FILE has for the request.
needed() {
    "$PICK" --rows "" request.rules "$1" 2>&1 | paste -s -d ' '
}

# poisoned NAME RULES SHAPES [TEXT…]: the rules of safety §8.1 it needs (`check` names those of them that
# one of the wires needs, all but what the tree needs, and no other), the shape of what is sent for
# it (pick.c; `;WIRE=SHAPE` behind it where a wire's is another), and texts that the request has:
# `!TEXT` it has not, `WIRE:TEXT` only that wire's has.
poisoned() {
    _name=$1 _rules=$2 _shapes=$3
    shift 3
    for wire in anthropic chat responses gemini; do
        t "safety-R01 $wire: $_name ($_rules)"
        model_script - <<'J'
{"text": "fine", "repeat": true}
J
        use_wire $wire
        sed "s/@API@/$_api/" "$SESSIONS/$_name.jsonl" >"$HOME/before.jsonl"
        cp "$HOME/before.jsonl" "$HOME/session.jsonl"
        run kedge --model lab/m1:high --resume "$HOME/session.jsonl" -p "next"
        expect_exit 0
        expect_out fine
        cmp -s -n "$(wc -c <"$HOME/before.jsonl")" "$HOME/before.jsonl" "$HOME/session.jsonl" || fail "the file's bytes have changed"
        [ "$(model_journal '#')" = 1 ] || fail "$(model_journal '#') requests"
        model_journal 0.body >"$HOME/request.json"
        _got=$("$PICK" --shape $wire "$HOME/request.json" 2>&1)
        _shape=${_shapes%%;*}
        case ";$_shapes;" in
        *";$wire="*) _shape=${_shapes#*;$wire=} _shape=${_shape%%;*} ;;
        esac
        [ "$_got" = "$_shape" ] || fail "the conversation is $_got, want $_shape"
        for _text; do
            case $_text in
            !*) expect_not_contains "$HOME/request.json" "${_text#!}" ;;
            "$wire":*) expect_contains "$HOME/request.json" "${_text#*:}" ;;
            anthropic:* | chat:* | responses:* | gemini:*) ;;
            *) expect_contains "$HOME/request.json" "$_text" ;;
            esac
        done
        run kedge --model lab/m1:high --resume "$HOME/session.jsonl" -p "and again"
        expect_exit 0
        expect_out fine
        run kedge sessions check "$HOME/before.jsonl" --target lab/m1:high --json
        needed "$(_stream stdout)" >>"$HOME/needed"
    done
    t "safety-8.3: what check says of $_name"
    _got=$(tr ' ' '\n' <"$HOME/needed" | sort -u | tr '\n' ' ' | sed 's/^ *//; s/ *$//')
    [ "$_got" = "$_rules" ] || fail "check says $_got, want $_rules"
    rm "$HOME/needed"
}

# Parts of calls and results: arguments that are text, null or a list; results before their calls,
# twice, after other words; a call id that is used again.
poisoned calls-in-disorder "R05 R08 R09 R10 R11" "u a(3) r(3) u a u a(1) r(1) a u" \
    "hurry" "!of nothing" "!A again" "b.c" "No result provided" "!partialJson"
poisoned cut-off "R11 R14" "u a(1) r(1) u a(1) r(1) u" "aborted" "The previous turn was interrupted" "No result provided"
poisoned empty "R01 R03 R04 R07 R09 R14" "u a(1) r(1) u" "(no output)" "!hologram" "!robot"
poisoned odd-text R02 "u a(1) r(1) a u" "half � pair" "icon � end [31m" "!u0007" "!u0000" "!u001b"
poisoned odd-names "R06 R07 R21" "u a(3) r(3) a u" "functions_read" "unknown_tool" "one" "two" "three" "!functions.read"
poisoned thinking-of-others R13 "u a u a u a u" "plan" "!thinkingSignature" "!FAKE" "!EqQ"
poisoned thinking-of-ours "R12 R13 R14 R15" "u a(1) r(1) a(1) r(1) u" "!{broken" "!half"
poisoned lost-reasoning "R07 R13 R14 R15" "u a(1) r(1) u" "!rs_1" "!rs_2" "!fc_1" "!FAKE"
poisoned images "R16 R17" "u a(1) r(1) a u;chat=u a(1) r(1) u a u;gemini=u a(1) r(1) u a u" \
    "image/png" "image/gif" "!image/jpeg" "!image/svg" "!!!!" "[image removed: its data is gone]" "[image removed: it is damaged]" \
    "[image removed: models take PNG, JPEG, GIF and WebP only]" "[image removed: it is larger than models take]" \
    "anthropic:[image removed: results that are errors are text]"
poisoned many-images R16 "u a u" "anthropic:[image removed: no more than 100 are taken]"
poisoned assistant-first R18 "a u a u;anthropic=u a u a u;gemini=u a u a u" "anthropic:Continue." "gemini:Continue."
poisoned assistant-last "R09 R18" "a(1) r(1) u a u;anthropic=u a(1) r(1) u a u;gemini=u a(1) r(1) u a u" "!of nothing" "note"
poisoned cycle R22 "u a u a u"
poisoned torn R22 "u a u"
poisoned fences R23 "u a(1) r(1) a u" "</untrusted 9f1c2ab04d7e6c35>"

t "safety-8.3: JSON mode tells once what the requests needed, before the answer"
model_script - <<'J'
{"text": "fine", "repeat": true}
J
use_wire chat
sed 's/@API@/openai-completions/' "$SESSIONS/calls-in-disorder.jsonl" >"$HOME/session.jsonl"
run kedge --mode json --model lab/m1 --resume "$HOME/session.jsonl" next "and again"
expect_exit 0
grep -n '"type":"session_repair"' "$(_stream stdout)" >"$HOME/told"
[ "$(wc -l <"$HOME/told")" = 1 ] || fail "told $(wc -l <"$HOME/told") times"
expect_contains "$HOME/told" '"rules":{"R05":3,"R08":1,"R09":2,"R10":2,"R11":1}'
expect_contains "$HOME/told" '"strong":null'
_answer=$(grep -n '"type":"message_start".*"role":"assistant"' "$(_stream stdout)" | head -n 1 | cut -d: -f1)
[ "$(cut -d: -f1 "$HOME/told")" -lt "$_answer" ] || fail "told behind line $_answer"

t "safety-8.3: a tree that had to be repaired, and text that is none, are told as well"
for file in cycle torn; do
    model_script - <<'J'
{"text": "fine", "repeat": true}
J
    use_wire chat
    sed 's/@API@/openai-completions/' "$SESSIONS/$file.jsonl" >"$HOME/session.jsonl"
    run kedge --mode json --model lab/m1 --resume "$HOME/session.jsonl" next
    expect_matches stdout '"type":"session_repair","rules":\{"R22":'
done
printf '%s\n' '{"type":"session","version":3,"id":"s","timestamp":"2026-03-04T05:06:00.000Z","cwd":"/"}' \
    '{"type":"message","id":"e1","parentId":null,"timestamp":"2026-03-04T05:06:01.000Z","message":{"role":"user","content":"half \ud83d pair"}}' >"$HOME/session.jsonl"
run kedge sessions check "$HOME/session.jsonl" --target lab/m1 --json
expect_contains stdout '"R02": 1'
run kedge --mode json --model lab/m1 --resume "$HOME/session.jsonl" next
expect_matches stdout '"type":"session_repair","rules":\{"R02":1'

# A hundred thousand entries (or a fifth), one the child of the other; a ring; one id for all of them.
count=$(rounds_of 100000)
for tree in chain ring one-id; do
    t "safety-R22: $tree of many entries: no hang, and it answers"
    model_script - <<'J'
{"text": "fine", "repeat": true}
J
    use_wire chat
    sed -i 's/contextWindow: 200000/contextWindow: 100000000/' "$HOME/.kedge/agent/models.yml"
    "${PYTHON:-python3}" - $tree "$count" >"$HOME/before.jsonl" <<'P'
import json
import sys

COUNT = int(sys.argv[2])
ids = {
    "chain": lambda i: (f"{i:08x}", f"{i - 1:08x}" if i else None),
    "ring": lambda i: (f"{i:08x}", f"{(i + 1) % COUNT:08x}"),
    "one-id": lambda i: ("aa", "aa"),
}[sys.argv[1]]
print(json.dumps({"type": "session", "version": 3, "id": "00000000-0000-7000-8000-000000000022", "cwd": "/"}))
for i in range(COUNT):
    id_, parent = ids(i)
    print(json.dumps({"type": "message", "id": id_, "parentId": parent, "message": {"role": "user", "content": "x"}}))
P
    cp "$HOME/before.jsonl" "$HOME/session.jsonl"
    run -t 120 kedge --model lab/m1 --resume "$HOME/session.jsonl" -p "next"
    expect_exit 0
    expect_out fine
    cmp -s -n "$(wc -c <"$HOME/before.jsonl")" "$HOME/before.jsonl" "$HOME/session.jsonl" || fail "the file's bytes have changed"
    run -t 120 kedge sessions check "$HOME/session.jsonl"
    [ "$tree" = chain ] && expect_exit 0
    [ "$tree" = chain ] || expect_exit 3
done

t "safety-R24: what an old entry holds of a key that is known now does not go out"
model_script - <<'J'
{"text": "fine", "repeat": true}
J
use_wire anthropic
secret=ghs_FAKE0123456789abcdefFAKE
cat >"$HOME/session.jsonl" <<J
{"type":"session","version":3,"id":"00000000-0000-7000-8000-000000000024","timestamp":"2026-03-04T05:06:00.000Z","cwd":"/"}
{"type":"message","id":"aa","parentId":null,"message":{"role":"user","content":"take $secret"}}
{"type":"message","id":"bb","parentId":"aa","message":{"role":"assistant","provider":"lab","api":"anthropic-messages","model":"m1","content":[{"type":"thinking","thinking":"so $secret it is","thinkingSignature":"QUJD"},{"type":"thinking","thinking":"and more","thinkingSignature":"QUJE"},{"type":"toolCall","id":"t1","name":"bash","arguments":{"command":"echo $secret"}}]}}
{"type":"message","id":"cc","parentId":"bb","message":{"role":"toolResult","toolCallId":"t1","toolName":"bash","content":[{"type":"text","text":"$secret"}]}}
J
cp "$HOME/session.jsonl" "$HOME/before.jsonl"
run env GH_TOKEN=$secret kedge --model lab/m1:high --resume "$HOME/session.jsonl" -p "next"
expect_exit 0
expect_out fine
model_journal 0.body.messages >"$HOME/request.json"
expect_not_contains "$HOME/request.json" "$secret"
expect_contains "$HOME/request.json" "take [REDACTED]"
expect_contains "$HOME/request.json" "so [REDACTED] it is"
expect_contains "$HOME/request.json" "echo [REDACTED]"
expect_not_contains "$HOME/request.json" QUJD # it signed other words
expect_contains "$HOME/request.json" QUJE
cmp -s -n "$(wc -c <"$HOME/before.jsonl")" "$HOME/before.jsonl" "$HOME/session.jsonl" || fail "the file's bytes have changed"

done_testing
