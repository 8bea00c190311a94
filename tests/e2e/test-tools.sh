#!/bin/sh
# The tools without a model: `kedge tool list|schema|run`, its short forms, exit codes, whole output, and who is asked
# before something is written: nobody, the one who gave --yes, or a person at the terminal.
. "$(dirname "$0")/lib.sh"
need_kedge
need setsid rg

printf 'alpha\nbeta\ngamma\n' >a.txt
mkdir sub && printf 'Beta again\n' >sub/b.md

# alone COMMAND…: run where no terminal can be opened.
alone() { run setsid -w "$@"; }

# on_terminal PROMPT REPLY COMMAND…: run on a terminal of its own; stdout is what was shown there.
on_terminal() { run "${PYTHON:-python3}" "$E2E_DIR/on-terminal.py" "$@"; }

# ---- list, schema ----------------------------------------------------------

t "tool list names every tool, one a line"
run kedge tool list
expect_exit 0
[ "$(grep -Evc '^[a-z0-9_]+ +[A-Z]' "$(path_of stdout)")" = 0 ] || fail "a line names no tool"
for tool in read bash edit github find grep write; do
    expect_matches stdout "^$tool +[A-Z]"
done

t "docs/tools.md is made of the table"
run kedge tool list --markdown
expect_exit 0
[ -z "$UPDATE" ] || cp "$(path_of stdout)" "$E2E_ROOT/docs/tools.md"
cmp -s "$(path_of stdout)" "$E2E_ROOT/docs/tools.md" ||
    fail "docs/tools.md is old: build/kedge tool list --markdown > docs/tools.md"

t "tool list --json: name, description and schema of each"
run kedge tool list --json
expect_exit 0
for tool in read bash edit github find grep write; do
    expect_json stdout "[name=$tool].parameters.type" object
    expect_json stdout "[name=$tool].parameters.additionalProperties" false
    [ -n "$(json stdout "[name=$tool].description")" ] || fail "$tool has no description"
done

t "tool schema prints what the model gets"
for tool in read bash edit find grep write; do
    run kedge tool schema $tool
    expect_exit 0
    expect_json stdout type object
done
run kedge tool schema edit
expect_json stdout required '["input"]'
run env KEDGE_EDIT_VARIANT=replace kedge tool schema edit
expect_json stdout required '["path","edits"]'
expect_json stdout properties.edits.items.required '["old_text","new_text"]'

t "the schema of github is github-tool §1.2, word by word"
run kedge tool schema github
expect_exit 0
expect_golden stdout tools/github-schema.json

t "a tool that there is not"
run kedge tool schema gihtub
expect_exit 2
expect_empty stdout
expect_contains stderr 'unknown tool "gihtub"; did you mean "github"?'
run kedge tool run nothing-like-it '{}'
expect_exit 2
expect_contains stderr 'kedge tool list'

t "words that are no subcommand"
for words in "" "list read" "schema" "run read" "run read {} {}" "walk"; do
    # shellcheck disable=SC2086
    run kedge tool $words
    expect_exit 2
    expect_empty stdout
    expect_contains stderr "usage: kedge tool list"
done

# ---- run: read, grep, find -------------------------------------------------

t "run: the result's text on stdout, its end as it is in the file"
run kedge tool run read '{"path":"a.txt"}'
expect_exit 0
expect_empty stderr
expect_out "1im|alpha
2id|beta
3uw|gamma
4vt|"
seq -f 'line %.0f of a long file' 4000 >long.txt
run kedge tool run read '{"path":"long.txt:8-9"}'
expect_matches stdout '^8[a-z][a-z].line 8 of a long file$'
expect_not_contains stdout "line 14 of"

t "run: arguments from stdin"
echo '{"path": "sub"}' | run -i - kedge tool run read -
expect_exit 0
expect_contains stdout b.md

t "run --cwd: another working directory"
run kedge tool run --cwd sub find '{"paths":["*"]}'
expect_exit 0
expect_out b.md
run kedge tool run --cwd no-such-dir find '{"paths":["*"]}'
expect_exit 1
expect_file stderr "Error: --cwd no-such-dir: No such file or directory"

t "run --json: content, details and the error flag in one line"
run kedge tool run --json grep '{"pattern":"beta","i":true}'
expect_exit 0
expect_lines stdout 1
expect_json stdout isError false
expect_json stdout details.matchCount 2
expect_json stdout details.fileCount 2
expect_json stdout content.0.type text
run kedge tool run --json read '{"path":"none"}'
expect_exit 1
expect_empty stderr
expect_json stdout isError true
expect_json stdout content.0.text "Path 'none' not found"

t "run: a failure is on stderr, exit 1"
run kedge tool run read '{"path":"none"}'
expect_exit 1
expect_empty stdout
expect_file stderr "Path 'none' not found"

t "run: arguments that are refused, exit 2"
for json in '{}' '{"path":["a"]}' '{"path":"a.txt","colour":"red"}' '[]' '"a.txt"'; do
    run kedge tool run read "$json"
    expect_exit 2
    expect_empty stdout
    expect_contains stderr 'Validation failed for tool "read"'
done
for json in '{"path":' 'path' ''; do
    run kedge tool run read "$json"
    expect_exit 2
    expect_contains stderr "the arguments of read are not JSON"
done

t "run: exact and lenient tools"
run kedge tool run grep '{"pattern":"beta","i":"true","paths":"[\"a.txt\"]"}'
expect_exit 0
expect_contains stdout "*2id|beta"
run kedge tool run github '{"op":"search_issues","limit":"7"}'
expect_exit 2
expect_contains stderr "limit: must be number"

t "escape sequences of foreign text do not reach the terminal"
alone kedge tool run --yes bash '{"command":"printf \"\\\\033]0;title\\\\007\\\\033[31mred\\\\033[0m\\\\n\""}'
expect_exit 0
expect_out red

t "short forms: kedge read, kedge grep"
run kedge read a.txt
expect_exit 0
expect_contains stdout beta
run kedge read a.txt:2-2:raw
expect_contains stdout beta
run kedge read none
expect_exit 1
expect_file stderr "Path 'none' not found"
run kedge read
expect_exit 2
run kedge grep beta
expect_exit 0
expect_out "# a.txt
 1|alpha
*2|beta
 3|gamma"
run kedge grep -i beta sub a.txt --json
expect_json stdout details.matchCount 2
run kedge grep nowhere
expect_exit 0
expect_out "No matches found"
run kedge grep beta missing
expect_exit 1
run kedge grep '['
expect_exit 2
expect_contains stderr "regex parse error"
run kedge grep
expect_exit 2
run kedge grep -x
expect_exit 2
expect_contains stderr "unknown option -x"
run kedge grep --post 0 -- -x
expect_exit 0
expect_out "No matches found"

t "stdout that cannot be written to: exit 1, no noise"
run sh -c 'kedge read a.txt >/dev/full'
expect_exit 1
run sh -c 'kedge tool list >/dev/full'
expect_exit 1
run sh -c 'kedge tool list --json | head -c 1; kedge grep line long.txt | head -n 1'
expect_exit 0
expect_empty stderr

# ---- run: what writes ------------------------------------------------------

t "nobody can be asked: refused with 77 and the way out, and nothing was done"
alone kedge tool run write '{"path":"new.txt","content":"x"}'
expect_exit 77
expect_empty stdout
expect_contains stderr "refused: write"
expect_contains stderr "nobody can be asked; start with --yes to allow it"
expect_no_file new.txt
alone kedge tool run edit '{"input":"@@ a.txt\n= 2id..2id\n~BETA"}'
expect_exit 77
alone kedge tool run bash '{"command":"touch ran"}'
expect_exit 77
expect_contains stderr "runs: touch ran"
expect_no_file ran
alone kedge tool run github '{"op":"pr_push"}'
expect_exit 77
expect_file a.txt "alpha
beta
gamma"

t "--json: a refusal is a result, too, and still 77"
alone kedge tool run --json bash '{"command":"touch ran"}'
expect_exit 77
expect_empty stderr
expect_json stdout isError true

t "--yes: write, with the directories above it"
alone kedge tool run --yes write '{"path":"deep/er/new.txt","content":"one\ntwo\n"}'
expect_exit 0
expect_out "Successfully wrote 8 bytes to deep/er/new.txt"
expect_file deep/er/new.txt "one
two"

t "--yes: edit, its diff in the details"
alone kedge tool run --yes --json edit '{"input":"@@ a.txt\n= 2id..2id\n~BETA"}'
expect_exit 0
expect_json stdout content.0.text "a.txt:
 1im|alpha
-2--|beta
+2ea|BETA
 3uw|gamma"
expect_json stdout details.firstChangedLine 2
expect_json stdout details.diff " 1|alpha
-2|beta
+2|BETA
 3|gamma"
expect_file a.txt "alpha
BETA
gamma"

t "--yes: edit that finds nothing fails, and leaves the file"
alone kedge tool run --yes edit '{"input":"@@ a.txt\n= 2id..2id\n~x"}'
expect_exit 1
expect_contains stderr "*2ea|BETA"
alone env KEDGE_EDIT_VARIANT=replace kedge tool run --yes edit '{"path":"a.txt","edits":[{"old_text":"delta is not there at all","new_text":"x"}]}'
expect_exit 1
expect_contains stderr "Could not find"
expect_file a.txt "alpha
BETA
gamma"

t "--yes: bash; both streams in order; a command that fails is exit 1"
alone kedge tool run --yes bash '{"command":"echo out; echo err >&2; echo \"$WORD\"","env":{"WORD":"two words"}}'
expect_exit 0
expect_out "out
err
two words"
alone kedge tool run --yes bash '{"command":"echo before; exit 3"}'
expect_exit 1
expect_empty stdout
expect_contains stderr "before"
expect_contains stderr "Command exited with code 3"
alone kedge tool run --yes bash '{"command":"kill -9 $$"}'
expect_exit 1
expect_contains stderr "code 137"

t "bash: no terminal, no input, no credential of a model"
export ANTHROPIC_API_KEY=sk-ant-not-for-children GH_TOKEN=for-gh
alone kedge tool run --yes bash '{"command":"tty; cat; env"}'
expect_matches stdout '^not a tty$'
expect_matches stdout '^GH_TOKEN=for-gh$'
expect_not_contains stdout not-for-children
unset ANTHROPIC_API_KEY GH_TOKEN

t "bash: out of time, and what it started is ended"
alone kedge tool run --yes bash '{"command":"echo begun; sleep 301 & sleep 302","timeout":1}'
expect_exit 1
expect_contains stderr "[Command timed out after 1 seconds]"
expect_contains stderr begun
expect_no_strays

t "bash: interrupted by SIGINT, 130; by SIGTERM, 143; nothing is left"
for signal in INT:130 TERM:143; do
    rm -f begun
    bg kedge tool run --yes bash '{"command":"touch begun; sleep 303"}'
    wait_for 60 test -e begun || fail "it does not begin"
    bg_signal "${signal%:*}"
    bg_end
    expect_exit "${signal#*:}"
    expect_empty stdout
    expect_contains stderr "[Command cancelled]"
    expect_no_strays
done

# ---- asking ----------------------------------------------------------------

t "on a terminal a write asks, with what is to be run; y runs it"
on_terminal "[y/N] " 'y\n' kedge tool run bash '{"command":"echo ran > ran"}'
expect_exit 0
expect_contains stdout "WRITE: runs: echo ran > ran"
expect_contains stdout 'command: "echo ran > ran"'
expect_contains stdout "Run it? [y/N] y"
expect_file ran ran
rm -f ran

t "anything but y declines: 77, nothing done"
for reply in 'n\n' '\n' 'maybe\n' '\x04'; do
    on_terminal "[y/N] " "$reply" kedge tool run bash '{"command":"echo ran > ran"}'
    expect_exit 77
    expect_contains stdout "declined: bash"
    expect_no_file ran
done

t "Ctrl-C at the question: 130, nothing done"
on_terminal "[y/N] " '\x03' kedge tool run write '{"path":"ran","content":""}'
expect_exit 130
expect_no_file ran

t "--yes does not ask"
on_terminal "[y/N] " 'n\n' kedge tool run --yes write '{"path":"ran","content":""}'
expect_exit 0
expect_not_contains stdout "[y/N]"
rm ran

t "the terminal is asked, not stdin and stdout, which may be pipes"
on_terminal "[y/N] " 'y\n' sh -c 'echo "{\"path\":\"piped\",\"content\":\"n\"}" | kedge tool run write - >out.txt'
expect_exit 0
expect_file out.txt "Successfully wrote 1 bytes to piped"
expect_contains stdout "Run it? [y/N]"
expect_not_contains out.txt "Run it?"
rm piped out.txt

t "a question cannot disguise itself: control and direction characters are shown as codes"
on_terminal "[y/N] " 'n\n' kedge tool run bash '{"command":"rm -rf x \u202e # oot \u001b[2K\u200b"}'
expect_exit 77
expect_contains stdout '\u202e'
expect_contains stdout '\x1b[2K'
expect_contains stdout '\u200b'

ASK='{"questions":[{"id":"q","question":"Which?","options":[{"label":"Ant"},{"label":"Bee"}],"recommended":1}]}'

t "ask: a number, the marked one, or words of one's own"
while read -r reply told; do
    on_terminal "of your own: " "$reply" kedge tool run ask "$ASK"
    expect_exit 0
    expect_contains stdout "Which?"
    expect_contains stdout "2. Bee (Recommended)"
    expect_contains stdout "Number [2], or an answer of your own: "
    expect_contains stdout "$told"
done <<'EOT'
1\n User selected: Ant
\n User selected: Bee
neither\n User provided custom input: neither
EOT
on_terminal "of your own: " '\x04' kedge tool run ask "$ASK"
expect_exit 77
expect_contains stdout "Ask tool was cancelled by the user"
on_terminal "of your own: " '\x03' kedge tool run ask "$ASK"
expect_exit 130

t "ask: nobody is there"
alone kedge tool run ask "$ASK"
expect_exit 77
expect_contains stderr "Ask tool requires interactive mode"

t "ask: -p asks on a terminal; elsewhere the model does not get the tool"
model_script - <<EOT
{"tool_calls": [{"name": "ask", "arguments": $ASK}]}
{"text": "so be it"}
EOT
on_terminal "of your own: " '1\n' kedge -p "which one?"
expect_exit 0
expect_contains stdout "so be it"
model_journal 1.body | grep -q 'User selected: Ant' || fail "the answer did not reach the model"
model_script hello.jsonl
run kedge -p "hi"
expect_exit 0
model_journal 0.body.tools | grep -q '"name": *"ask"' && fail "the model got ask"

t "reads ask nobody"
on_terminal "[y/N] " 'n\n' kedge tool run read '{"path":"a.txt"}'
expect_exit 0
expect_not_contains stdout "[y/N]"

# ---- settings --------------------------------------------------------------

# settings: the user's config.yml, on stdin.
settings() { mkdir -p "$HOME/.kedge/agent" && cat >"$HOME/.kedge/agent/config.yml"; }

t "gh.policy of the user binds github: what it blocks, --yes does not open"
settings <<'Y'
gh:
  policy: {write: block, read: confirm}
Y
alone kedge tool run --yes github '{"op":"pr_push"}'
expect_exit 77
expect_contains stderr "refused: github (pushes the current branch to its pull request)"
alone kedge tool run --yes github '{"op":"repo_view"}'
expect_exit 77
expect_not_contains stderr "start with --yes"
alone kedge tool run --yes write '{"path":"other.txt","content":""}'
expect_exit 0

t "a project's settings cannot loosen them"
mkdir -p .kedge
printf 'gh:\n  policy: {write: auto, read: auto}\n' >.kedge/config.yml
alone kedge tool run --yes github '{"op":"pr_push"}'
expect_exit 77
alone kedge tool run github '{"op":"repo_view"}'
expect_exit 77
rm -r .kedge "$HOME/.kedge"

t "a project's settings can be stricter"
mkdir -p .kedge
printf 'gh:\n  policy: {write: block}\n' >.kedge/config.yml
alone kedge tool run --yes github '{"op":"pr_push"}'
expect_exit 77
expect_contains stderr "refused: github"
rm -r .kedge

t "a typing error in a guard does not open it"
printf 'gh:\n  policy: {write: blokc}\n' | settings
alone kedge tool run --yes github '{"op":"pr_push"}'
expect_exit 77

# ---- internal URLs ----------------------------------------------------------

t "tools-T178 notes at local:// are the conversation's, for every tool, and nothing is named like a scheme"
rm -rf "$HOME/.kedge"
mkdir -p urls && cd urls || fail "no folder"
model_script - <<'J'
{"tool_calls": [{"name": "write", "arguments": {"path": "local://d/notes.md", "content": "needle\n"}}]}
{"tool_calls": [{"name": "bash", "arguments": {"command": "cat local://d/notes.md && pwd -P"}}], "expect": {"last_tool_contains": "/local/d/notes.md"}}
{"tool_calls": [{"name": "grep", "arguments": {"pattern": "needle", "path": "local://"}}], "expect": {"last_tool_contains": "needle\n/"}}
{"tool_calls": [{"name": "write", "arguments": {"path": "artifact://0", "content": "x"}}], "expect": {"last_tool_contains": "*1aw|needle"}}
{"tool_calls": [{"name": "read", "arguments": {"path": "nope://x"}}], "expect": {"last_tool_contains": "Cannot write artifact://0: artifact:// is read-only."}}
{"text": "done", "expect": {"last_tool_contains": "Supported: docs://, agent://, artifact://"}}
J
run kedge -p go
expect_exit 0
expect_out done
expect_model_done
[ -z "$(ls -A)" ] || fail "left in the project: $(ls -A)"
[ "$(cat "$HOME"/.kedge/agent/sessions/*/*/local/d/notes.md)" = needle ] || fail "not beside the session"

t "without a session's file the notes go with the conversation"
mkdir -p "$HOME/tmp"
model_script - <<'J'
{"tool_calls": [{"name": "write", "arguments": {"path": "local://notes.md", "content": "kept\n"}}]}
{"tool_calls": [{"name": "read", "arguments": {"path": "local://notes.md"}}]}
{"text": "done", "expect": {"last_tool_contains": "kept"}}
J
TMPDIR="$HOME/tmp" run kedge --no-session -p go
expect_exit 0
expect_model_done
[ -z "$(ls -A "$HOME/tmp")" ] || fail "left behind: $(ls -A "$HOME/tmp")"

t "the manual is part of the program, also outside a conversation"
run kedge read docs://settings.md:1-1
expect_exit 0
expect_contains stdout "# Settings"
run kedge read local://
expect_exit 1
expect_contains stderr "No session - local:// unavailable"
cd ..

done_testing
