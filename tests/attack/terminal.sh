#!/bin/sh
# Names and texts of outsiders on their way to a terminal: nothing in them commands it, and what
# cannot be seen is shown as what it is. A file or a program gets an answer as it was.
E2E_DIR=$(cd "$(dirname "$0")/../e2e" && pwd)
. "$E2E_DIR/lib.sh"
need_kedge
need git

AGENT=$HOME/.kedge/agent
mkdir -p "$AGENT"
in_pty() { "${PYTHON:-python3}" "$E2E_DIR/terminal.py" "$@"; }

# ESC, BEL, C1, U+202E, a tag character and zero width, as JSON writes them and as they are.
EVIL_JSON='x\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\udb40\udc41\u200by'
EVIL=$(printf 'x\033]0;owned\007\033[2J\302\23331m\342\200\256\363\240\201\201\342\200\213y')

# harmless STREAM: a terminal shows all of it as letters; no line is longer than 20,000.
harmless() {
    "${PYTHON:-python3}" - "$(_stream "$1")" 2>"$E2E_TMP/why" <<'P' || fail "$1: $(tail -n 1 "$E2E_TMP/why")"
import re, sys
text = open(sys.argv[1], "rb").read().decode("utf-8", "replace").replace("\r\n", "\n")
found = re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]", text)
assert not found, ascii(text[max(0, found.start() - 40):found.end() + 40])
assert max(map(len, text.split("\n"))) < 20000, "a line of %d characters" % max(map(len, text.split("\n")))
P
}

# shown COMMAND…: run in a terminal; all_harmless looks at what these printed.
shown() {
    run in_pty "$@"
    cat "$(path_of stdout)" >>"$E2E_TMP/shown"
}
all_harmless() { harmless "$E2E_TMP/shown" && rm "$E2E_TMP/shown"; }

t "an answer: a terminal shows what hides in it, a file gets it as it was, people's emoji stay"
model_script - <<J
{"text": "an $EVIL_JSON answer 👩🏽‍💻", "repeat": true}
J
run kedge -p hi
expect_contains stdout "$EVIL"
shown kedge -p hi
expect_contains stdout '\u202e\u{e0041}\u200by answer 👩🏽‍💻'
shown kedge --mode json hi
shown sh -c 'printf "hi\n" | kedge -p --verbose'

all_harmless

t "the plain terminal"
run in_pty --answer 'You: =hi' --answer 'answer 👩🏽‍💻=/quit' kedge --plain
harmless stdout
expect_contains stdout '\u202e\u{e0041}\u200by answer'

t "names of models, of any length"
"${PYTHON:-python3}" - "$AGENT/models.yml" "$EVIL_JSON" <<'P'
import json, sys
long = "n" * 100000
names = [json.loads('"' + sys.argv[2] + '"'), long]
text = json.dumps({"providers": {"mine": {"baseUrl": "http://127.0.0.1:9", "api": "openai-completions", "apiKey": "k",
    "models": [{"id": name, "name": name} for name in names]}}})
open(sys.argv[1], "w").write(text.replace("\\udb40\\udc41", "\\U000E0041"))
P
shown kedge --list-models
expect_contains stdout '\u202e\u{e0041}'
shown kedge --list-models mine
run kedge --list-models
harmless stdout
shown kedge -p --model "mine/${EVIL}z" hi
all_harmless

t "sessions, files and their names, settings, statistics"
printf '%s\n' "$EVIL" >"f$EVIL.txt"
git init -q . && git -c user.name=t -c user.email=t@e commit -q --allow-empty -m "$EVIL"
for command in 'sessions list' 'sessions show' stats 'read .' 'grep owned' 'config list'; do
    # shellcheck disable=SC2086
    shown kedge $command
done
printf '{"modelRoles": {"default": "%s"}}' "$EVIL_JSON" >"$AGENT/config.yml"
shown kedge config list
shown kedge config get modelRoles
rm "$AGENT/config.yml"
all_harmless

t "errors: unknown names, files, tasks"
for command in "read no$EVIL" "config get $EVIL" "tool run $EVIL" "wm run $EVIL"; do
    # shellcheck disable=SC2086
    shown kedge $command
done
all_harmless
run kedge read "no$EVIL"
harmless stderr
run kedge read "$(printf '%0100000d' 0)"
harmless stderr

t "what gh says: its words, and its bytes"
mkdir -p "$E2E_TMP/bin"
cat >"$E2E_TMP/bin/gh" <<X
#!/bin/sh
case \$1 in --version) echo "gh version 2.60.0 (2024-11-06)" ;; *) printf '%s\n' "$EVIL"; printf '%s\n' "$EVIL" >&2 ;; esac
X
chmod +x "$E2E_TMP/bin/gh"
run env PATH="$E2E_TMP/bin:$PATH" GH_TOKEN=t kedge gh exec --raw -- issue list -R o/r
expect_contains stdout "$EVIL"
shown env PATH="$E2E_TMP/bin:$PATH" GH_TOKEN=t kedge gh exec --raw -- issue list -R o/r
expect_contains stdout owned
shown env PATH="$E2E_TMP/bin:$PATH" GH_TOKEN=t kedge gh exec -- issue list -R o/r
all_harmless

done_testing
