#!/bin/sh
# `kedge sessions` and --export. Rows of agent-core §10.1 are named core-N.
. "$(dirname "$0")/lib.sh"
need_kedge

model_script - <<'J'
{"text": "The harbour is open.", "repeat": true}
J
run kedge -p "how is the harbour?"
expect_exit 0
mkdir other
(cd other && kedge -p "count the boats" >/dev/null) || _bail "no second session"

t "list: of this directory, then of all"
run kedge sessions list
expect_exit 0
expect_lines stdout 1
expect_matches stdout '^[0-9a-f-]{13}  just now +2  how is the harbour\?$'
run kedge sessions list --all
expect_lines stdout 2
expect_matches stdout 'count the boats  \[.*/other\]$'
run kedge sessions list --json
expect_json stdout 0.firstMessage "how is the harbour?"
expect_json stdout 0.messageCount 2
ID=$(json stdout 0.id)
FILE=$(json stdout 0.path)

t "the index can be deleted, and is private"
[ "$(stat -c %a "$HOME/.kedge/agent/sessions.db")" = 600 ] || fail "mode"
rm "$HOME/.kedge/agent/sessions.db"
run kedge sessions list --all
expect_lines stdout 2

t "search"
run kedge sessions search HARB
expect_exit 0
expect_matches stdout '^    user: how is the harbour\?$'
expect_matches stdout '^    assistant: The harbour is open\.$'
run kedge sessions search boats
expect_exit 1
expect_empty stdout
run kedge sessions search --all boats --json
expect_json stdout 0.session.firstMessage "count the boats"

t "show, by the beginning of the id; what could command a terminal is text"
run kedge sessions show "$(echo "$ID" | cut -c1-20)"
expect_exit 0
expect_contains stdout "how is the harbour?"
expect_contains stdout "The harbour is open."
printf '{"type":"message","id":"ffffffff","parentId":null,"message":{"role":"user","content":"\\u001b[31mred"}}\n' >>"$FILE"
run kedge sessions show "$ID"
expect_contains stdout '\x1b[31mred'
run kedge sessions show nothere
expect_exit 1
expect_matches stderr 'Session "nothere" not found\.'

t "prompts: what was typed at a terminal, not what a script runs"
run kedge sessions prompts
expect_exit 0
expect_empty stdout
if command -v script >/dev/null 2>&1; then
    script -qec "kedge -p 'where is the buoy'" /dev/null >typed </dev/null
    script -qec "kedge --no-session -p 'not this one'" /dev/null >typed </dev/null
    run kedge sessions prompts buoy
    expect_out "just now    where is the buoy"
    run kedge sessions prompts --json
    expect_json stdout 0.prompt "where is the buoy"
fi

t "core-20 --export: one file, no loads, nothing breaks out, the session as it was"
mkdir evil
cat >evil/s.jsonl <<'S'
{"type":"session","version":3,"id":"s","timestamp":"2026-03-04T05:06:07.089Z","cwd":"/w","title":"</title><script>"}
{"type":"message","id":"a1","parentId":null,"timestamp":"2026-03-04T05:06:07.089Z","message":{"role":"user","content":"</script><script>alert(1)</script> https://example.com/x.png"}}
S
cp evil/s.jsonl before
run kedge --export evil/s.jsonl out.html
expect_exit 0
expect_out "Exported to: out.html"
cmp -s before evil/s.jsonl || fail "the session has changed"
expect_no_file evil/s
expect_not_contains out.html "alert(1)"
expect_contains out.html "&lt;/title&gt;&lt;script&gt;"
! grep -qE '(src|href)=.?https?:|url\(|@import' out.html || fail "it loads something"
[ "$(grep -c '<script' out.html)" = 2 ] || fail "more than its two scripts"
[ "$(stat -c %a out.html)" = 600 ] || fail "others can read it"
run kedge --export "$ID"
expect_exit 0
expect_matches stdout '^Exported to: kedge-session-.*\.html$'
run kedge sessions export evil/s.jsonl
expect_out "Exported to: kedge-session-s.html"
run kedge --export evil/none.jsonl
expect_exit 1
expect_matches stderr 'File not found: evil/none\.jsonl'
run kedge --export before.txt x y
expect_exit 2

t "check: clean, put right, not usable"
run kedge sessions check evil/s.jsonl
expect_exit 0
printf '{"type":"mess' >>evil/s.jsonl
run kedge sessions check evil/s.jsonl --json
expect_exit 3
expect_json stdout status repaired
run kedge sessions check out.html
expect_exit 1

t "check: what a request would need, to the model that answered last or another; nothing is sent"
cat >half.jsonl <<'J'
{"type":"session","version":3,"id":"00000000-0000-7000-8000-000000000031","timestamp":"2026-03-04T05:06:00.000Z","cwd":"/"}
{"type":"message","id":"aaaaaaaa","parentId":null,"message":{"role":"user","content":"x"}}
{"type":"message","id":"bbbbbbbb","parentId":"aaaaaaaa","message":{"role":"assistant","api":"openai-responses","provider":"away","model":"m","content":[{"type":"text","text":"y"},{"type":"toolCall","id":"a|fc_1","name":"b.c","arguments":{}}]}}
{"type":"message","id":"cccccccc","parentId":"bbbbbbbb","message":{"role":"toolResult","toolCallId":"a|fc_1","toolName":"b.c","content":"z"}}
J
cp half.jsonl before.jsonl
run kedge sessions check half.jsonl --json
expect_exit 3
expect_json stdout status repaired
expect_json stdout request.target away/m
expect_json stdout request.api openai-responses
expect_json stdout request.rules '{"R06":1}'
expect_json stdout request.entries.0.id bbbbbbbb
run kedge sessions check half.jsonl --target anthropic-messages
expect_exit 3
expect_contains stdout 'request to away/m (anthropic-messages):'
expect_contains stdout 'R07, 1 ×: the id of a call was made one that the server takes'
expect_contains stdout 'entry bbbbbbbb: R06, R07'
cmp -s half.jsonl before.jsonl || fail "the file has changed"
run kedge sessions check half.jsonl --target nobody/knows
expect_exit 1
expect_contains stderr nobody/knows

t "delete takes no id that fits several, wherever they are"
run kedge sessions delete "$(printf %.4s "$ID")" --yes
expect_exit 2
expect_contains stderr "$FILE"
expect_contains stderr 'can be one of 3 sessions'
[ -f "$FILE" ] || fail "it is gone"

t "delete asks, and needs --yes where nobody can be asked"
run kedge sessions delete "$ID"
expect_exit 2
[ -f "$FILE" ] || fail "it is gone"
mkdir -p "${FILE%.jsonl}" && : >"${FILE%.jsonl}/0.bash.log"
run kedge sessions delete "$ID" --yes
expect_exit 0
expect_no_file "$FILE"
expect_no_file "${FILE%.jsonl}"
run kedge sessions list --all --json
expect_not_contains stdout "$ID"

t "restore brings back what was deleted, with its artifacts"
run kedge sessions restore
expect_exit 0
expect_matches stdout "^$(printf %.13s "$ID").* deleted "
run kedge sessions restore --json
expect_json stdout 0.id "$ID"
expect_json stdout 0.path "$FILE"
run kedge sessions restore "$(printf %.4s "$ID")x"
expect_exit 1
expect_contains stderr 'lists those there are'
run kedge sessions restore "$ID"
expect_exit 0
[ -f "$FILE" ] && [ -f "${FILE%.jsonl}/0.bash.log" ] || fail "not all of it is there"
run kedge sessions list --all --json
expect_contains stdout "$ID"
run kedge sessions restore
expect_empty stdout
ls "$(dirname "$FILE")/.trash" | grep -q . && fail "something is left in the trash"

t "what is in the trash for more than 30 days is deleted for good; --for-good is at once"
run kedge sessions delete "$ID" --yes
_trash=$(dirname "$FILE")/.trash
mkdir "$_trash/1000000000-old" "$_trash/mine"
cp "$_trash"/*/"$(basename "$FILE")" "$_trash/1000000000-old/"
run kedge sessions restore --json
expect_no_file "$_trash/1000000000-old"
[ -d "$_trash/mine" ] || fail "what is not ours is gone"
run kedge sessions restore "$ID"
expect_exit 0
run kedge sessions delete "$ID" --yes --for-good
expect_exit 0
expect_no_file "$FILE"
run kedge sessions restore
expect_empty stdout

t "import: a conversation of another program goes on here"
mkdir -p "$HOME/.codex/sessions/2026/03/04"
cat >"$HOME/.codex/sessions/2026/03/04/rollout-1.jsonl" <<S
{"timestamp":"2026-03-04T05:06:07.089Z","type":"session_meta","payload":{"id":"019a0000-0000-7000-8000-000000000001","cwd":"$PWD"}}
{"timestamp":"2026-03-04T05:06:07.089Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"which tide is it"}]}}
{"timestamp":"2026-03-04T05:06:08.089Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"the low one"}]}}
S
run kedge sessions import --from codex
expect_exit 0
expect_out "Imported: 019a0000-0000-7000-8000-000000000001: 2 messages"
run kedge sessions import --from codex
expect_matches stdout '^Already there: 019a0000'
run kedge sessions import --from claude
expect_exit 1
run kedge sessions import out.html
expect_exit 1
expect_matches stderr 'no session of Claude Code or Codex'
run kedge --resume 019a0000 -p "and now?"
expect_exit 0
[ "$(model_journal '-1.body.messages.0.content.0.text')" = "which tide is it" ] || fail "the conversation does not go on"
run kedge sessions search tide
expect_exit 0

t "usage"
for _words in "" "lst" "show" "check" "export" "search" "list x" "delete" "import" "import --from x" "list -n 0"; do
    # shellcheck disable=SC2086 # words
    run kedge sessions $_words
    expect_exit 2
    expect_empty stdout
done
done_testing
