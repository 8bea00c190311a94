#!/bin/sh
# Sessions on disk: their form, continuing and resuming, forks, older and damaged files. Rows of
# agent-core §10.4 are named core-N.
. "$(dirname "$0")/lib.sh"
need_kedge

ROOT=$HOME/.kedge/agent/sessions

# The newest session file of this directory's project.
session_file() { find "$ROOT" -name '*.jsonl' | sort | tail -n 1; }

expect_sessions() {
    _found=$(find "$ROOT" -name '*.jsonl' 2>/dev/null | wc -l)
    [ "$_found" -eq "$1" ] || fail "$_found session files, want $1"
}

no_sessions() { rm -rf "$ROOT" "$HOME/.kedge/agent/terminal-sessions"; }

# roles FILE: the roles of its messages, on one line.
roles() {
    "${PYTHON:-python3}" -c '
import json, sys
for line in open(sys.argv[1], encoding="utf-8", errors="replace"):
    try:
        print(json.loads(line)["message"]["role"], end=" ")
    except (ValueError, KeyError, TypeError):
        pass' "$1"
}

# says TEXT: a model that answers TEXT to everything.
says() {
    printf '{"text": "%s", "repeat": true}\n' "$1" >"$HOME/says.jsonl"
    model_script "$HOME/says.jsonl"
}

# texts N: the text of all messages of request N, one line each.
texts() {
    model_journal "$1.body.messages" | "${PYTHON:-python3}" -c '
import json, sys
for message in json.load(sys.stdin):
    content = message["content"]
    for block in [{"text": content}] if isinstance(content, str) else content:
        print(message["role"], block.get("text", block.get("type")))'
}

expect_texts() { # N TEXT
    texts "$1" >"$HOME/texts"
    expect_file "$HOME/texts" "$2"
}

# ---- the file --------------------------------------------------------------

t "core-60 a prompt makes one session file: header, ids, parents; private"
says "Hello."
run kedge -p hi
expect_exit 0
expect_sessions 1
S=$(session_file)
whole "$S"
[ "$(roles "$S")" = "user assistant " ] || fail "$(roles "$S")"
expect_json "$S" 0.cwd "$PWD"
case $S in "$ROOT/-work/20"*T*-*Z_*-7*.jsonl) ;; *) fail "its path is $S" ;; esac
case $S in *"_$(json "$S" 0.id).jsonl") ;; *) fail "its name is not its id" ;; esac
[ "$(stat -c %a "$S")" = 600 ] || fail "its mode is $(stat -c %a "$S")"
[ "$(stat -c %a "$ROOT")" = 700 ] || fail "the directory's mode is $(stat -c %a "$ROOT")"
expect_json "$S" '[type=model_change].model' anthropic/claude-sonnet-5
expect_json "$S" '[type=thinking_level_change].thinkingLevel' high

t "--no-session leaves no file, also with --continue"
no_sessions
run kedge --no-session -p hi
expect_exit 0
expect_sessions 0
run kedge --no-session --continue -p hi
expect_exit 0
expect_sessions 0

t "what was asked is in the file before the answer, and --continue goes on with it after a kill"
model_script - <<'J'
{"text": "slow", "delay_headers_ms": 60000}
J
bg kedge -p "my first words"
model_wait requests=1
expect_sessions 1
bg_signal KILL
bg_end
S=$(session_file)
[ "$(roles "$S")" = "user " ] || fail "$(roles "$S")"
says "here"
run kedge -c -p "and now"
expect_exit 0
expect_sessions 1
texts 0 >"$HOME/texts"
expect_contains "$HOME/texts" "my first words"
no_sessions

t "core-59 a prompt that no model can be asked leaves no file"
run env -u ANTHROPIC_API_KEY kedge --model nowhere/none -p hi
expect_exit 1
expect_sessions 0

# ---- continuing ------------------------------------------------------------

t "--continue goes on in the same file, with the whole history"
says "one"
run kedge -p first
S=$(session_file)
run kedge -c -p second
expect_exit 0
expect_sessions 1
whole "$S"
expect_texts 1 "user first
assistant one
user second"

t "--continue without a session begins one"
no_sessions
run kedge --continue -p hi
expect_exit 0
expect_sessions 1

t "--continue is of this directory"
mkdir -p other && cd other || exit
run kedge --continue -p elsewhere
expect_sessions 2
expect_texts 3 "user elsewhere"
cd .. || exit

t "directories that share an encoded name do not share sessions"
no_sessions
mkdir -p a/b a-b
says "ok"
(cd a/b && run kedge -p "in a/b")
(cd a-b && run kedge --continue -p "in a-b")
expect_texts 1 "user in a-b"
(cd a/b && run kedge --continue -p again)
expect_texts 2 "user in a/b
assistant ok
user again"

t "core-74 two terminals continue their own sessions"
no_sessions
says "ok"
run env KITTY_WINDOW_ID=1 kedge -p "in window 1"
run env KITTY_WINDOW_ID=2 kedge -p "in window 2"
run env KITTY_WINDOW_ID=1 kedge --continue -p "more 1"
run env KITTY_WINDOW_ID=2 kedge --continue -p "more 2"
expect_texts 2 "user in window 1
assistant ok
user more 1"
expect_texts 3 "user in window 2
assistant ok
user more 2"
expect_sessions 2
[ -f "$HOME/.kedge/agent/terminal-sessions/kitty-1" ] || fail "no breadcrumb"

t "a breadcrumb whose file is gone: the newest session"
rm "$(sed -n 2p "$HOME/.kedge/agent/terminal-sessions/kitty-1")"
run env KITTY_WINDOW_ID=1 kedge --continue -p "and now"
expect_exit 0
texts 4 | tail -n 1 >last
expect_file last "user and now"
texts 4 | head -n 1 >first
expect_file first "user in window 2"

t "--resume by id prefix in any case, by path; --session is the same"
no_sessions
says "ok"
run kedge -p first
S=$(session_file)
id=$(json "$S" 0.id)
run kedge --resume "$(echo "$id" | cut -c 1-20 | tr a-f A-F)" -p second
expect_exit 0
run kedge --session "$S" -p third
run kedge -r "$id" -p fourth
expect_sessions 1
whole "$S"
texts 3 | grep -c '^user' >count
expect_file count 4

t "--resume of what is not there; without a value and a terminal"
run kedge --resume zzzz -p hi
expect_exit 1
expect_file stderr 'Session "zzzz" not found.'
run kedge --resume= -p hi
expect_exit 1
expect_contains stderr "--resume"
run kedge -p hi --resume
expect_exit 1
run kedge --fork zzzz -p hi
expect_exit 1
expect_file stderr 'Session "zzzz" not found.'

t "a session of another project is not gone on with here"
(cd other && run kedge --resume "$id" -p hi && expect_exit 1 &&
    expect_contains stderr "Session \"$id\" is in another project ($HOME/work).")
expect_sessions 1

t "--fork copies it here: the history, a new id, the old one as parent, artifacts too"
model_script - <<'J'
{"tool_calls": [{"name": "bash", "arguments": {"command": "seq 20000"}}]}
{"text": "long"}
{"text": "forked", "expect": {"contains": "count for me"}}
{"text": "forked too", "expect": {"contains": "count for me"}}
J
no_sessions
run kedge -p "count for me"
S=$(session_file)
expect_file "${S%.jsonl}/0.bash.log"
cp "$S" "$HOME/before.jsonl"
cd other || exit
run kedge --fork "$(json "$S" 0.id)" -p "go on"
expect_exit 0
expect_out forked
F=$(find "$ROOT/-work-other" -name '*.jsonl')
whole "$F"
expect_json "$F" 0.parentSession "$(json "$S" 0.id)"
expect_json "$F" 0.cwd "$PWD"
cmp -s "${S%.jsonl}/0.bash.log" "${F%.jsonl}/0.bash.log" || fail "the artifact was not copied"
cmp -s "$S" "$HOME/before.jsonl" || fail "the old session was changed"
cd .. || exit
run kedge --fork "$S" -p "go on"
expect_out "forked too"
expect_sessions 3
expect_model_done

t "--session-dir: files there, and looked for there alone"
says "ok"
run kedge --session-dir mine -p "kept here"
expect_exit 0
[ "$(find mine -name '*.jsonl' | wc -l)" = 1 ] || fail "not there"
run kedge --session-dir mine --continue -p more
expect_texts 1 "user kept here
assistant ok
user more"
run kedge --session-dir mine --resume "$(json "$S" 0.id)" -p more
expect_exit 1
expect_contains stderr "not found."
rm -rf mine

t "the model of a session comes back; when it is gone, another is used and said so"
no_sessions
says "ok"
run kedge --model claude-haiku-4-5:low -p hi
run kedge --continue -p again
[ "$(model_journal 0.body.model)" = "$(model_journal 1.body.model)" ] || fail "$(model_journal 1.body.model)"
expect_empty stderr
S=$(session_file)
sed -i 's|anthropic/claude-haiku-4-5[0-9-]*|lab/gone|' "$S"
run kedge --continue -p again
expect_exit 0
expect_matches stderr '^Could not restore model lab/gone \(model no longer exists\)\. Using anthropic/'

# ---- older and damaged files -----------------------------------------------

t "core-61 a version 1 file becomes version 3"
no_sessions
says "ok"
cat >v1.jsonl <<X
{"type":"session","id":"0195d2c4-8f10-7b3e-9a44-2f6c1d0e7a55","timestamp":"2026-03-04T05:06:07.089Z","cwd":"$PWD"}
{"type":"message","timestamp":"2026-03-04T05:06:08.000Z","message":{"role":"user","content":"a"}}
{"type":"compaction","timestamp":"2026-03-04T05:06:09.000Z","summary":"S","firstKeptEntryIndex":1,"tokensBefore":9}
X
run kedge --resume ./v1.jsonl -p "now"
expect_exit 0
whole v1.jsonl
expect_json v1.jsonl 0.id 0195d2c4-8f10-7b3e-9a44-2f6c1d0e7a55
expect_json v1.jsonl '[type=compaction].firstKeptEntryId' "$(json v1.jsonl '[type=message].id')"
! grep -q firstKeptEntryIndex v1.jsonl || fail "the index is still there"
[ -z "$(find . -maxdepth 1 -name '.*.tmp')" ] || fail "a temporary file is left"
texts 0 >texts
expect_contains texts "<summary>"
expect_contains texts "user a"
expect_contains texts "user now"

t "core-62 hookMessage of version 2 becomes custom"
cat >v2.jsonl <<X
{"type":"session","version":2,"id":"0195d2c4-8f10-7b3e-9a44-2f6c1d0e7a56","timestamp":"2026-03-04T05:06:07.089Z","cwd":"$PWD"}
{"type":"message","id":"a1b2c3d4","parentId":null,"timestamp":"2026-03-04T05:06:08.000Z","message":{"role":"hookMessage","customType":"note","content":"remember","display":true,"timestamp":1}}
X
run kedge --resume v2.jsonl -p now
expect_exit 0
expect_json v2.jsonl 0.version 3
expect_json v2.jsonl '[id=a1b2c3d4].message.role' custom
texts 1 >texts
expect_contains texts "user remember"

t "a newer version is not written to: a copy goes on"
sed '1s/"version":3/"version":4/' v2.jsonl >v4.jsonl
cp v4.jsonl v4.before
run kedge --resume ./v4.jsonl -p now
expect_exit 0
expect_contains stderr "newer format version 4"
cmp -s v4.jsonl v4.before || fail "it was changed"

t "core-63 a torn last line: the rest loads, what is new stands on lines of its own"
no_sessions
says "ok"
run kedge -p first
S=$(session_file)
printf '{"type":"message","id":"0badf00d","par' >>"$S"
run kedge --continue -p second
expect_exit 0
expect_texts 1 "user first
assistant ok
user second"
[ "$(grep -c '^{"type":"message","id":"0badf00d","par$' "$S")" = 1 ] || fail "the torn line was merged: $(tail -n 3 "$S")"
grep -v '"par$' "$S" >mended
whole mended

t "core-64 garbage in the middle is skipped"
printf 'this is no JSON\n\000\377\376\n[1,2]\n"text"\n{"type":"message"}\n{"no":"type"}\n' >>"$S"
printf '{"type":"of_the_future","id":"12345678","parentId":"%s","x":1}\n' "$(json mended -1.id)" >>"$S"
run kedge --continue -p third
expect_exit 0
expect_texts 2 "user first
assistant ok
user second
assistant ok
user third"
run kedge --continue -p fourth
texts 3 | tail -n 3 >last
expect_file last "user third
assistant ok
user fourth"
expect_contains "$S" of_the_future

t "core-65 a file that is no session: said so, and nothing is made, renamed or changed"
mkdir plain && printf 'precious notes\nof mine\n' >plain/notes.jsonl
cp -p plain/notes.jsonl notes.before
for flag in --resume --session --fork; do
    run kedge "$flag" plain/notes.jsonl -p hi
    expect_exit 1
    expect_file stderr "Not a session file: $PWD/plain/notes.jsonl"
done
cmp -s plain/notes.jsonl notes.before || fail "changed"
[ "$(ls plain)" = notes.jsonl ] || fail "$(ls plain)"

t "core-65 --resume of a path that is not there"
run kedge --resume ./new/place.jsonl -p hi
expect_exit 1
expect_file stderr "Session file not found: $PWD/new/place.jsonl"
[ ! -e new ] || fail "$(ls -R new)"

t "a directory, a device or a pipe is no session, and nothing hangs"
mkfifo pipe.jsonl
mkdir dir.jsonl
for path in pipe.jsonl dir.jsonl /dev/null/x.jsonl; do
    run -t 10 kedge --resume "$path" -p hi
    expect_exit 1
    expect_contains stderr "$path"
done

t "a session that another process has open goes on in a copy"
no_sessions
model_script - <<'J'
{"text": "one"}
{"text": "in the copy", "expect": {"contains": "first"}}
J
run kedge -p first
S=$(session_file)
cp "$S" before.jsonl
run flock "$S" kedge --continue -p second
expect_exit 0
expect_out "in the copy"
expect_contains stderr "open in another process"
expect_sessions 2
cmp -s "$S" before.jsonl || fail "the open session was changed"
expect_model_done

t "core-123 beside a process in the middle of a turn: the copy ends at the last completed one"
no_sessions
model_script - <<'J'
{"text": "one"}
{"text": "in the copy", "when": {"last_user_contains": "beside"}, "expect": [{"contains": "first"}, {"not_contains": "second"}, {"not_contains": "toolu"}]}
{"tool_calls": [{"name": "bash", "arguments": {"command": "echo $$ >running; while ! test -e stop; do sleep 0.1; done"}}]}
{"text": "two"}
J
run kedge -p first
S=$(session_file)
kedge --continue -p second >a.out 2>&1 &
a=$!
wait_for 60 test -s running
cp "$S" before.jsonl
grep -q second before.jsonl || fail "the other process has not begun"
run kedge -c -p beside
expect_exit 0
expect_out "in the copy"
expect_contains stderr "Session $S is open in another process. Continuing in a copy."
cmp -s "$S" before.jsonl || fail "the open session was changed"
copy=$(ls "$(dirname "$S")"/*.jsonl | grep -v -F "$S")
expect_not_contains "$copy" second
expect_contains "$copy" '"first"'
touch stop
wait "$a" || fail "the first process: $(cat a.out)"
[ "$(cat a.out)" = two ] || fail "$(cat a.out)"
expect_model_done
says "more"
for file in "$S" "$copy"; do
    run kedge --resume "$file" -p more
    expect_exit 0
    expect_empty stderr
done
rm -f running stop

t "core-122 a prompt of 2 MB is whole when the session goes on"
no_sessions
"${PYTHON:-python3}" -c 'print("begin " + "word " * 400000 + " end-of-it")' >long.txt
model_script - <<'J'
{"text": "read"}
{"text": "still there", "expect": [{"contains": "end-of-it"}, {"contains": "begin word"}]}
J
run -i long.txt kedge -p
expect_exit 0
S=$(session_file)
[ "$(wc -c <"$S")" -lt 10000 ] || fail "$(wc -c <"$S") bytes of session"
expect_contains "$S" '"textBlob":"blob:sha256:'
run kedge --continue -p "and now?"
expect_out "still there"
expect_empty stderr
expect_model_done

t "cycles and lost parents in the tree do not hang it"
cat >cycle.jsonl <<X
{"type":"session","version":3,"id":"0195d2c4-8f10-7b3e-9a44-2f6c1d0e7a57","timestamp":"2026-03-04T05:06:07.089Z","cwd":"$PWD"}
{"type":"message","id":"aaaaaaaa","parentId":"bbbbbbbb","timestamp":"2026-03-04T05:06:08.000Z","message":{"role":"user","content":"round","timestamp":1}}
{"type":"message","id":"bbbbbbbb","parentId":"aaaaaaaa","timestamp":"2026-03-04T05:06:08.000Z","message":{"role":"user","content":"and round","timestamp":1}}
X
says "ok"
run -t 10 kedge --resume cycle.jsonl -p now
expect_exit 0
sed -i 's/"parentId":"bbbbbbbb"/"parentId":"cccccccc"/' cycle.jsonl
run -t 10 kedge --resume cycle.jsonl -p "now again"
expect_exit 0

# ---- images, artifacts -----------------------------------------------------

t "core-72 a large image is a blob; the model gets the image again after a resume"
no_sessions
says "ok"
"${PYTHON:-python3}" - >big.png <<'P'
import random, struct, sys, zlib
random.seed(7)
rows = b"".join(b"\0" + random.randbytes(3 * 224) for _ in range(224))
chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
sys.stdout.buffer.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 224, 224, 8, 2, 0, 0, 0))
                        + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
P
run kedge -p @big.png "what is it"
expect_exit 0
S=$(session_file)
hash=$(sha256sum big.png | cut -d ' ' -f 1)
expect_contains "$S" "blob:sha256:$hash"
cmp -s big.png "$HOME/.kedge/agent/blobs/$hash" || fail "the blob is not the image"
run kedge --continue -p again
[ "$(model_journal 0.body.messages.0.content.1.source.data)" = "$(base64 -w0 big.png)" ] || fail "not sent"
[ "$(model_journal 1.body.messages.0.content.1.source.data)" = "$(base64 -w0 big.png)" ] || fail "not sent again"

t "core-73 a lost blob is said, and no more"
rm "$HOME/.kedge/agent/blobs/$hash"
run kedge --continue -p again
expect_exit 0
expect_contains stderr "1 image(s)"

t "core-75 artifacts count on from what is there"
no_sessions
model_script - <<'J'
{"text": "ok"}
{"tool_calls": [{"name": "bash", "arguments": {"command": "seq 30000"}}]}
{"tool_calls": [{"name": "read", "arguments": {"path": "artifact://7"}}, {"name": "read", "arguments": {"path": "artifact://99"}}], "expect": [{"last_tool_contains": "artifact://8"}]}
{"text": "done", "expect": [{"contains": "seven"}, {"contains": "Available: 0, 7, 8"}]}
J
run kedge -p hi
S=$(session_file)
mkdir "${S%.jsonl}"
echo zero >"${S%.jsonl}/0.bash.log"
echo seven >"${S%.jsonl}/7.read.log"
run kedge --continue -p "count"
expect_exit 0
expect_model_done
expect_lines "${S%.jsonl}/8.bash.log" 30000

done_testing
